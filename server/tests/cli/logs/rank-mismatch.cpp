#include <cute/tensor.hpp>
using namespace cute;
int main() {
  auto a = make_layout(Shape<_4,_4>{});
  auto b = logical_divide(a, make_tile(_2{}, _2{}, _2{}));
  return int(size(b));
}
