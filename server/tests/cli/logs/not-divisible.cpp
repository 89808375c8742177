#include <cute/tensor.hpp>
using namespace cute;
int main() {
  auto s = shape_div(Int<6>{}, Int<4>{});
  return int(s);
}
