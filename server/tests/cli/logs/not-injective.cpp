#include <cute/tensor.hpp>
using namespace cute;
int main() {
  auto a = make_layout(Shape<_4,_4>{}, Stride<_1,_2>{});
  auto rest = complement(a, Int<32>{});
  return int(size(rest));
}
