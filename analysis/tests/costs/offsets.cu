#include <cute/tensor.hpp>
using namespace cute;

__global__ void rows(float const* p, float* q) {
  int row = blockIdx.x;
  int64_t wide = 65536;
  q[row * 128 + threadIdx.x] = p[row * wide + threadIdx.x];
}

__global__ void tiles(half_t const* p, half_t* q) {
  int64_t stride = 65536;
  auto layout = make_layout(make_shape(65536, 65536), make_stride(stride, Int<1>{}));
  Tensor from = make_tensor(make_gmem_ptr(p), layout);
  Tensor to = make_tensor(make_gmem_ptr(q), make_layout(make_shape(128, 128), make_stride(128, Int<1>{})));
  to(0, threadIdx.x) = from(65535, threadIdx.x);
}

void launch(float const* p, float* q, half_t const* a, half_t* b) {
  rows<<<65536, 128>>>(p, q);
  tiles<<<1, 128>>>(a, b);
}
