#include <cute/tensor.hpp>
using namespace cute;

__global__ void turn(float const* p, float* q, int tiles) {
  extern __shared__ alignas(128) float buffer[];
  auto rows = make_layout(make_shape(Int<32>{}, Int<32>{}), LayoutRight{});
  auto columns = make_layout(make_shape(Int<32>{}, Int<32>{}));
  Tensor other = make_tensor(make_smem_ptr(buffer), rows);
  Tensor shared = make_tensor(other.data() + size(other), rows);
  Tensor turned = make_tensor(shared.data(), columns);
  Tensor from = make_tensor(make_gmem_ptr(p), make_layout(make_shape(Int<32>{}, Int<32>{}, tiles), make_stride(Int<32>{}, Int<1>{}, Int<1024>{})));
  Tensor to = make_tensor(make_gmem_ptr(q), make_layout(make_shape(Int<32>{}, Int<32>{}, tiles), make_stride(Int<32>{}, Int<1>{}, Int<1024>{})));
  auto fill = make_tiled_copy(Copy_Atom<SM80_CP_ASYNC_CACHEALWAYS<uint128_t>, float>{}, Layout<Shape<_16, _8>, Stride<_8, _1>>{}, Layout<Shape<_1, _4>>{});
  auto store = make_tiled_copy(Copy_Atom<UniversalCopy<float>, float>{}, Layout<Shape<_4, _32>, Stride<_32, _1>>{});
  auto in = fill.get_slice(threadIdx.x);
  auto out = store.get_slice(threadIdx.x);
  Tensor source = in.partition_S(from);
  Tensor filled = in.partition_D(shared);
  Tensor read = out.partition_S(turned);
  Tensor target = out.partition_D(to);
  for (int k = 0; k < tiles; ++k) {
    copy(fill, source(_, _, _, k), filled);
    cp_async_fence();
    cp_async_wait<0>();
    __syncthreads();
    copy(store, read, target(_, _, _, k));
    __syncthreads();
  }
}

void launch(float const* p, float* q, int tiles) {
  turn<<<1, 128, 8192>>>(p, q, tiles);
}
