#include <cute/tensor.hpp>
using namespace cute;

__global__ void multiply(float const* p, float* q) {
  __shared__ float buffer[1024];
  Tensor shared = make_tensor(make_smem_ptr(buffer), make_layout(make_shape(Int<128>{}, Int<8>{})));
  Tensor from = make_tensor(make_gmem_ptr(p), make_layout(make_shape(Int<128>{}, Int<8>{})));
  Tensor to = make_tensor(make_gmem_ptr(q), make_layout(make_shape(Int<128>{}, Int<8>{})));
  auto rows = make_layout(make_shape(Int<8>{}, Int<8>{}), LayoutRight{});
  auto columns = make_layout(make_shape(Int<8>{}, Int<8>{}));
  copy(local_partition(from, columns, threadIdx.x), local_partition(shared, columns, threadIdx.x));
  __syncthreads();
  copy(local_partition(shared, rows, threadIdx.x), local_partition(to, rows, threadIdx.x));
}

void launch(float const* p, float* q) {
  multiply<<<1, 64>>>(p, q);
}
