#include <cute/tensor.hpp>
using namespace cute;

__global__ void sum(float const* p, float* q, int tiles) {
  __shared__ alignas(16) float buffer[3 * 1024];
  Tensor shared = make_tensor(make_smem_ptr(buffer), Layout<Shape<_128, _8, _3>>{});
  Tensor from = make_tensor(make_gmem_ptr(p), make_layout(make_shape(Int<128>{}, Int<8>{}, tiles)));
  Tensor to = make_tensor(make_gmem_ptr(q), make_layout(make_shape(Int<128>{}, Int<8>{})));
  auto tiled = make_tiled_copy(Copy_Atom<SM80_CP_ASYNC_CACHEALWAYS<uint128_t>, float>{}, Layout<Shape<_32, _8>>{}, Layout<Shape<_4, _1>>{});
  auto slice = tiled.get_slice(threadIdx.x);
  Tensor source = slice.partition_S(from);
  Tensor stages = slice.partition_D(shared);
  auto rows = make_layout(make_shape(Int<128>{}, Int<2>{}));
  Tensor mine = local_partition(shared, rows, threadIdx.x);
  Tensor out = local_partition(to, rows, threadIdx.x);
  Tensor values = make_tensor_like(out);
  clear(values);
  auto MAX = size<3>(stages);
  int next = 0;
  for (int pipe = 0; pipe < MAX - 1; ++pipe) {
    copy(tiled, source(_, _, _, next), stages(_, _, _, pipe));
    cp_async_fence();
    if (next < tiles - 1) { ++next; }
  }
  int pipe_read = 0;
  int pipe_write = MAX - 1;
  for (int k = 0; k < tiles; ++k) {
    cp_async_wait<1>();
    __syncthreads();
    copy(mine(_, _, pipe_read), values);
    copy(tiled, source(_, _, _, next), stages(_, _, _, pipe_write));
    cp_async_fence();
    if (next < tiles - 1) { ++next; }
    pipe_write = pipe_read;
    pipe_read = (pipe_read + 1) % MAX;
  }
  copy(values, out);
}

void launch(float const* p, float* q, int tiles) {
  sum<<<1, 256>>>(p, q, tiles);
}
