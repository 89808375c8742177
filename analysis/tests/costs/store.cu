#include <cute/tensor.hpp>
using namespace cute;

template <class Atom>
__global__ void store(float const* p, Atom const atom, int tiles) {
  __shared__ alignas(128) float buffer[32 * 32];
  auto tile = make_layout(make_shape(Int<32>{}, Int<32>{}), LayoutRight{});
  Tensor shared = make_tensor(make_smem_ptr(buffer), tile);
  Tensor from = make_tensor(make_gmem_ptr(p), make_layout(make_shape(Int<32>{}, Int<32>{}, tiles), make_stride(Int<32>{}, Int<1>{}, Int<1024>{})));
  Tensor to = atom.get_tma_tensor(make_shape(Int<32>{}, Int<32>{}, tiles));
  auto [of_global, of_shared] = tma_partition(atom, Int<0>{}, Layout<_1>{}, group_modes<0, 2>(shared), group_modes<0, 2>(to));
  auto threads = make_layout(make_shape(Int<4>{}, Int<32>{}), LayoutRight{});
  for (int k = 0; k < tiles; ++k) {
    copy(local_partition(from(_, _, k), threads, threadIdx.x), local_partition(shared, threads, threadIdx.x));
    tma_store_fence();
    __syncthreads();
    if (threadIdx.x == 0) {
      copy(atom, of_shared, of_global(_, k));
      tma_store_arrive();
      tma_store_wait<0>();
    }
    __syncthreads();
  }
}

void launch(float const* p, float* q, int tiles) {
  Tensor all = make_tensor(make_gmem_ptr(q), make_layout(make_shape(Int<32>{}, Int<32>{}, tiles), make_stride(Int<32>{}, Int<1>{}, Int<1024>{})));
  auto atom = make_tma_atom(SM90_TMA_STORE{}, all, make_layout(make_shape(Int<32>{}, Int<32>{}), LayoutRight{}), make_shape(Int<32>{}, Int<32>{}));
  store<<<1, 128>>>(p, atom, tiles);
}
