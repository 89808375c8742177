#include <cute/tensor.hpp>
using namespace cute;

__global__ void load(float const* p, float* q) {
  __shared__ alignas(16) float buffer[1024];
  Tensor shared = make_tensor(make_smem_ptr(buffer), make_layout(make_shape(Int<128>{}, Int<8>{})));
  Tensor from = make_tensor(make_gmem_ptr(p), make_layout(make_shape(Int<128>{}, Int<8>{})));
  Tensor to = make_tensor(make_gmem_ptr(q), make_layout(make_shape(Int<128>{}, Int<8>{})));
  auto tiled = make_tiled_copy(Copy_Atom<SM80_CP_ASYNC_CACHEALWAYS<uint128_t>, float>{}, Layout<Shape<_32, _8>>{}, Layout<Shape<_4, _1>>{});
  auto slice = tiled.get_slice(threadIdx.x);
  copy(tiled, slice.partition_S(from), slice.partition_D(shared));
  cp_async_fence();
  cp_async_wait<0>();
  __syncthreads();
  copy(slice.partition_D(shared), slice.partition_D(to));
}

void launch(float const* p, float* q) {
  load<<<1, 256>>>(p, q);
}
