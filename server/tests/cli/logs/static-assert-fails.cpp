#include <cute/tensor.hpp>
using namespace cute;
template <int K>
void load() {
  auto smem = make_layout(make_shape(Int<128>{}, Int<K>{}));
  auto tile = make_layout(make_shape(Int<32>{}, Int<8>{}));
  CUTE_STATIC_ASSERT_V(size<1>(smem) == size<1>(tile));
}
int main() {
  load<8>();
  load<16>();
}
