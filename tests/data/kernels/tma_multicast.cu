// Two CTAs of a cluster receive one tile each and the tile that they share by multicast.
#include <cute/tensor.hpp>
#include <cutlass/cluster_launch.hpp>
#include <cutlass/arch/barrier.h>

using namespace cute;

struct Storage {
  alignas(128) half_t a[128 * 64];
  alignas(128) half_t b[128 * 64];
  alignas(16) uint64_t mbar;
};

template <class TmaA, class TmaB, class Mma>
__global__ void multiply(CUTE_GRID_CONSTANT TmaA const tma_a, CUTE_GRID_CONSTANT TmaB const tma_b, Mma mma, float* c,
                         int m, int n, int k) {
  extern __shared__ char bytes[];
  Storage& smem = *reinterpret_cast<Storage*>(bytes);
  auto tileA = tile_to_shape(GMMA::Layout_K_SW128_Atom<half_t>{}, Shape<_128, _64>{});
  Tensor sA = make_tensor(make_smem_ptr(smem.a), tileA);
  Tensor sB = make_tensor(make_smem_ptr(smem.b), tileA);
  auto tiler = Shape<_128, _128, _64>{};
  auto coord = make_coord(blockIdx.x, blockIdx.y, _);
  Tensor gA = local_tile(tma_a.get_tma_tensor(make_shape(m, k)), tiler, coord, Step<_1, X, _1>{});
  Tensor gB = local_tile(tma_b.get_tma_tensor(make_shape(n, k)), tiler, coord, Step<X, _1, _1>{});
  uint32_t rank = block_rank_in_cluster();
  auto [tAgA, tAsA] = tma_partition(tma_a, Int<0>{}, Layout<_1>{}, group_modes<0, 2>(sA), group_modes<0, 2>(gA));
  auto [tBgB, tBsB] = tma_partition(tma_b, rank, Layout<_2>{}, group_modes<0, 2>(sB), group_modes<0, 2>(gB));
  uint16_t mask_b = 0b11;
  constexpr int transaction = sizeof(half_t) * (128 * 64 + 128 * 64);
  if (threadIdx.x == 0) {
    initialize_barrier(smem.mbar, 1);
  }
  cluster_sync();
  ThrMMA thread = mma.get_thread_slice(threadIdx.x);
  Tensor tCrA = thread.make_fragment_A(thread.partition_A(sA));
  Tensor tCrB = thread.make_fragment_B(thread.partition_B(sB));
  Tensor mC = make_tensor(make_gmem_ptr(c), make_shape(m, n), make_stride(n, Int<1>{}));
  Tensor gC = local_tile(mC, tiler, coord, Step<_1, _1, X>{});
  Tensor tCgC = thread.partition_C(gC);
  Tensor tCrC = thread.make_fragment_C(tCgC);
  clear(tCrC);
  int phase = 0;
  for (int tile = 0; tile < size<1>(tAgA); ++tile) {
    if (threadIdx.x == 0) {
      set_barrier_transaction_bytes(smem.mbar, transaction);
    }
    cluster_sync();
    if (threadIdx.x == 0) {
      copy(tma_a.with(smem.mbar), tAgA(_, tile), tAsA);
      copy(tma_b.with(smem.mbar, mask_b), tBgB(_, tile), tBsB);
    }
    wait_barrier(smem.mbar, phase);
    phase ^= 1;
    warpgroup_arrive();
    gemm(mma, tCrA, tCrB, tCrC);
    warpgroup_commit_batch();
    warpgroup_wait<0>();
    cluster_sync();
  }
  copy(tCrC, tCgC);
}

void launch(half_t* a, half_t* b, float* c, int m, int n, int k) {
  auto tile = tile_to_shape(GMMA::Layout_K_SW128_Atom<half_t>{}, Shape<_128, _64>{});
  Tensor mA = make_tensor(make_gmem_ptr(a), make_shape(m, k), make_stride(k, Int<1>{}));
  Tensor mB = make_tensor(make_gmem_ptr(b), make_shape(n, k), make_stride(k, Int<1>{}));
  auto tma_a = make_tma_atom(SM90_TMA_LOAD{}, mA, tile, Shape<_128, _64>{});
  auto tma_b = make_tma_atom(SM90_TMA_LOAD_MULTICAST{}, mB, tile, Shape<_128, _64>{}, Int<2>{});
  auto mma = make_tiled_mma(SM90_64x128x16_F32F16F16_SS<GMMA::Major::K, GMMA::Major::K>{});
  dim3 cluster(2, 1, 1);
  dim3 grid(m / 128, n / 128);
  dim3 block(128);
  cutlass::ClusterLaunchParams params{grid, block, cluster, (int)sizeof(Storage)};
  void const* kernel = (void const*)&multiply<decltype(tma_a), decltype(tma_b), decltype(mma)>;
  cutlass::launch_kernel_on_cluster(params, kernel, tma_a, tma_b, mma, c, m, n, k);
}
