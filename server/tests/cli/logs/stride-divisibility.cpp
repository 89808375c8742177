#include <cute/tensor.hpp>
using namespace cute;
auto pick() {
  auto a = make_layout(Shape<_4,_3>{}, Stride<_3,_1>{});
  auto b = make_layout(_3{}, _6{});
  return composition(a, b);
}
int main() { pick(); }
