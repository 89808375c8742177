#include <cute/tensor.hpp>
using namespace cute;
template <class SmemLayout>
void load(SmemLayout layout) {
  auto from = make_tensor<half_t>(make_layout(make_shape(Int<64>{}, Int<64>{}), make_stride(Int<64>{}, Int<1>{})));
  auto to = make_tensor<half_t>(layout);
  auto tiled = make_tiled_copy(Copy_Atom<UniversalCopy<uint128_t>, half_t>{}, Layout<Shape<_16, _8>, Stride<_8, _1>>{},
                               Layout<Shape<_1, _8>>{});
  auto mine = tiled.get_slice(0);
  copy(tiled, mine.partition_S(from), mine.partition_D(to));
}
int main() {
  load(make_layout(Shape<_64, _64>{}, Stride<_64, _1>{}));
  load(make_layout(Shape<_64, _64>{}, Stride<_1, _64>{}));
}
