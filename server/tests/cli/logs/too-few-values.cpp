#include <cute/tensor.hpp>
using namespace cute;
int main() {
  auto copy = make_tiled_copy(Copy_Atom<UniversalCopy<uint128_t>, half_t>{}, Layout<Shape<_32>>{}, Layout<Shape<_2>>{});
  return 0 * int(size(copy));
}
