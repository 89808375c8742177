#include <cute/tensor.hpp>
using namespace cute;
int main() {
  auto s = Swizzle<3,4,2>{};
  return s(3);
}
