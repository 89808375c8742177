#include <cute/tensor.hpp>
using namespace cute;
template <int K>
void multiply() {
  Tensor a = make_tensor<float>(Shape<_4, Int<K>>{});
  Tensor b = make_tensor<float>(Shape<_4, _3>{});
  Tensor c = make_tensor<float>(Shape<_4, _4>{});
  clear(c);
  gemm(a, b, c);
}
int main() {
  multiply<3>();
  multiply<2>();
}
