#include <cute/tensor.hpp>
using namespace cute;

struct Storage {
  alignas(128) float tile[32 * 32];
  uint64_t full;
};

template <class Atom>
__global__ void load(float* q, Atom const atom, int tiles) {
  __shared__ Storage smem;
  auto tile = make_layout(make_shape(Int<32>{}, Int<32>{}), LayoutRight{});
  Tensor shared = make_tensor(make_smem_ptr(smem.tile), tile);
  Tensor to = make_tensor(make_gmem_ptr(q), tile);
  Tensor from = atom.get_tma_tensor(make_shape(Int<32>{}, Int<32>{}, tiles));
  auto [of_global, of_shared] = tma_partition(atom, Int<0>{}, Layout<_1>{}, group_modes<0, 2>(shared), group_modes<0, 2>(from));
  auto threads = make_layout(make_shape(Int<4>{}, Int<32>{}), LayoutRight{});
  if (threadIdx.x == 0) {
    initialize_barrier(smem.full, 1);
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    set_barrier_transaction_bytes(smem.full, 4096);
    copy(atom.with(smem.full), of_global(_, 0), of_shared);
  }
  wait_barrier(smem.full, 0);
  copy(local_partition(shared, threads, threadIdx.x), local_partition(to, threads, threadIdx.x));
}

void launch(float const* p, float* q, int tiles) {
  Tensor all = make_tensor(make_gmem_ptr(p), make_layout(make_shape(Int<32>{}, Int<32>{}, tiles), make_stride(Int<32>{}, Int<1>{}, Int<1024>{})));
  auto atom = make_tma_atom(SM90_TMA_LOAD{}, all, make_layout(make_shape(Int<32>{}, Int<32>{}), LayoutRight{}), make_shape(Int<32>{}, Int<32>{}));
  load<<<1, 128>>>(q, atom, tiles);
}
