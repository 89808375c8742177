// A tile in by TMA, doubled by threads, and out by TMA.
#include <cute/tensor.hpp>
#include <cutlass/arch/barrier.h>

using namespace cute;

template <class T, class SmemLayout>
struct SharedStorageTMA {
  alignas(128) cute::ArrayEngine<T, cosize_v<SmemLayout>> smem;
  alignas(16) uint64_t tma_load_mbar[1];
};

template <class T, class SmemLayout, class TmaLoad, class TmaStore>
__global__ void __launch_bounds__(128)
double_tiles(CUTE_GRID_CONSTANT TmaLoad const load, CUTE_GRID_CONSTANT TmaStore const store, int m, int n) {
  extern __shared__ char memory[];
  using Storage = SharedStorageTMA<T, SmemLayout>;
  Storage& storage = *reinterpret_cast<Storage*>(memory);
  Tensor sT = make_tensor(make_smem_ptr(storage.smem.begin()), SmemLayout{});
  auto tile = Shape<_64, _64>{};
  Tensor gS = local_tile(load.get_tma_tensor(make_shape(m, n)), tile, make_coord(blockIdx.x, blockIdx.y));
  Tensor gD = local_tile(store.get_tma_tensor(make_shape(m, n)), tile, make_coord(blockIdx.x, blockIdx.y));
  auto cta_load = load.get_slice(0);
  auto cta_store = store.get_slice(0);
  const int warp_idx = cutlass::canonical_warp_idx_sync();
  const bool is_leader = warp_idx == 0 && elect_one_sync();
  constexpr int bytes = sizeof(ArrayEngine<T, size(SmemLayout{})>);
  if (is_leader) {
    initialize_barrier(storage.tma_load_mbar[0], 1);
  }
  __syncthreads();
  if (is_leader) {
    set_barrier_transaction_bytes(storage.tma_load_mbar[0], bytes);
    copy(load.with(storage.tma_load_mbar[0]), cta_load.partition_S(gS), cta_load.partition_D(sT));
  }
  wait_barrier(storage.tma_load_mbar[0], 0);
  auto threads = make_layout(make_shape(Int<2>{}, Int<64>{}), LayoutRight{});
  Tensor mine = local_partition(sT, threads, threadIdx.x);
  for (int i = 0; i < size(mine); ++i) {
    mine(i) = mine(i) * T(2);
  }
  tma_store_fence();
  __syncthreads();
  if (is_leader) {
    copy(store, cta_store.partition_S(sT), cta_store.partition_D(gD));
    tma_store_arrive();
    tma_store_wait<0>();
  }
}

void launch(half_t* s, half_t* d, int m, int n) {
  auto smem = make_layout(make_shape(Int<64>{}, Int<64>{}), LayoutRight{});
  Tensor from = make_tensor(make_gmem_ptr(s), make_layout(make_shape(m, n), make_stride(n, Int<1>{})));
  Tensor to = make_tensor(make_gmem_ptr(d), make_layout(make_shape(m, n), make_stride(n, Int<1>{})));
  auto load = make_tma_copy(SM90_TMA_LOAD{}, from, smem);
  auto store = make_tma_copy(SM90_TMA_STORE{}, to, smem);
  int bytes = sizeof(SharedStorageTMA<half_t, decltype(smem)>);
  dim3 grid(ceil_div(m, 64), ceil_div(n, 64));
  dim3 block(128);
  double_tiles<half_t, decltype(smem), decltype(load), decltype(store)><<<grid, block, bytes>>>(load, store, m, n);
}
