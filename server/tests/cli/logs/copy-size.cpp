#include <cute/tensor.hpp>
using namespace cute;
template <class Tiled>
void bring(Tiled tiled) {
  Tensor tile = make_tensor<half_t>(Shape<_64, _16>{});
  auto mine = tiled.get_slice(0).partition_S(tile);
  auto registers = make_tensor<half_t>(Shape<_7, _1, _1>{});
  copy(tiled, mine, registers);
}
int main() {
  bring(make_tiled_copy(Copy_Atom<UniversalCopy<uint128_t>, half_t>{}, Layout<Shape<_16, _8>>{}, Layout<Shape<_8, _1>>{}));
}
