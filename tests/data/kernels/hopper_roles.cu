// A producer warp and a consumer warp group that share barriers in shared memory.
#include <cute/tensor.hpp>
#include <cutlass/arch/barrier.h>

using namespace cute;

using FullBarrier = cutlass::arch::ClusterTransactionBarrier;
using EmptyBarrier = cutlass::arch::ClusterBarrier;

template <int kStages>
struct alignas(1024) Smem {
  alignas(1024) bfloat16_t a[kStages * 64 * 64];
  alignas(1024) bfloat16_t b[kStages * 128 * 64];
  alignas(8) uint64_t full_barrier[kStages];
  alignas(8) uint64_t empty_barrier[kStages];
};

template <int kStages, class TmaA, class TmaB>
__global__ void __launch_bounds__(256)
multiply(CUTE_GRID_CONSTANT TmaA const tma_a, CUTE_GRID_CONSTANT TmaB const tma_b, float* d, int m, int n, int k) {
  extern __shared__ uint8_t raw[];
  Smem<kStages>& smem = *reinterpret_cast<Smem<kStages>*>(raw);
  Tensor sA = make_tensor(make_smem_ptr(smem.a), tile_to_shape(GMMA::Layout_K_SW128_Atom<bfloat16_t>{}, make_shape(Int<64>{}, Int<64>{}, Int<kStages>{})));
  Tensor sB = make_tensor(make_smem_ptr(smem.b), tile_to_shape(GMMA::Layout_K_SW128_Atom<bfloat16_t>{}, make_shape(Int<128>{}, Int<64>{}, Int<kStages>{})));
  Tensor gA = local_tile(tma_a.get_tma_tensor(make_shape(m, k)), Shape<_64, _64>{}, make_coord(blockIdx.x, _));
  Tensor gB = local_tile(tma_b.get_tma_tensor(make_shape(n, k)), Shape<_128, _64>{}, make_coord(blockIdx.y, _));
  auto [tAgA, tAsA] = tma_partition(tma_a, Int<0>{}, Layout<_1>{}, group_modes<0, 2>(sA), group_modes<0, 2>(gA));
  auto [tBgB, tBsB] = tma_partition(tma_b, Int<0>{}, Layout<_1>{}, group_modes<0, 2>(sB), group_modes<0, 2>(gB));
  if (threadIdx.x == 0) {
    for (int i = 0; i < kStages; ++i) {
      FullBarrier::init(&smem.full_barrier[i], 1);
      EmptyBarrier::init(&smem.empty_barrier[i], 128);
    }
    cutlass::arch::fence_barrier_init();
  }
  __syncthreads();
  const int num_tiles = size<2>(gA);
  if (threadIdx.x >= 128) {
    if (threadIdx.x == 128) {
      int stage = 0;
      int phase = 0;
      for (int tile = 0; tile < num_tiles; ++tile) {
        EmptyBarrier::wait(&smem.empty_barrier[stage], phase ^ 1);
        FullBarrier::arrive_and_expect_tx(&smem.full_barrier[stage], (64 * 64 + 128 * 64) * sizeof(bfloat16_t));
        copy(tma_a.with(smem.full_barrier[stage]), tAgA(_, tile), tAsA(_, stage));
        copy(tma_b.with(smem.full_barrier[stage]), tBgB(_, tile), tBsB(_, stage));
        if (++stage == kStages) {
          stage = 0;
          phase ^= 1;
        }
      }
    }
  } else {
    TiledMMA mma = make_tiled_mma(SM90_64x128x16_F32BF16BF16_SS<GMMA::Major::K, GMMA::Major::K>{});
    ThrMMA thread = mma.get_slice(threadIdx.x);
    Tensor tCrA = thread.make_fragment_A(thread.partition_A(sA));
    Tensor tCrB = thread.make_fragment_B(thread.partition_B(sB));
    Tensor mD = make_tensor(make_gmem_ptr(d), make_shape(m, n), make_stride(n, Int<1>{}));
    Tensor gD = local_tile(mD, Shape<_64, _128>{}, make_coord(blockIdx.x, blockIdx.y));
    Tensor tCgD = thread.partition_C(gD);
    Tensor tCrD = thread.make_fragment_C(tCgD);
    clear(tCrD);
    int stage = 0;
    int phase = 0;
    for (int tile = 0; tile < num_tiles; ++tile) {
      FullBarrier::wait(&smem.full_barrier[stage], phase);
      warpgroup_arrive();
      gemm(mma, tCrA(_, _, _, stage), tCrB(_, _, _, stage), tCrD);
      warpgroup_commit_batch();
      warpgroup_wait<0>();
      EmptyBarrier::arrive(&smem.empty_barrier[stage]);
      if (++stage == kStages) {
        stage = 0;
        phase ^= 1;
      }
    }
    copy(tCrD, tCgD);
  }
}

void launch(bfloat16_t* a, bfloat16_t* b, float* d, int m, int n, int k) {
  Tensor mA = make_tensor(make_gmem_ptr(a), make_shape(m, k), make_stride(k, Int<1>{}));
  Tensor mB = make_tensor(make_gmem_ptr(b), make_shape(n, k), make_stride(k, Int<1>{}));
  auto tma_a = make_tma_atom(SM90_TMA_LOAD{}, mA, tile_to_shape(GMMA::Layout_K_SW128_Atom<bfloat16_t>{}, Shape<_64, _64>{}), Shape<_64, _64>{});
  auto tma_b = make_tma_atom(SM90_TMA_LOAD{}, mB, tile_to_shape(GMMA::Layout_K_SW128_Atom<bfloat16_t>{}, Shape<_128, _64>{}), Shape<_128, _64>{});
  dim3 grid(m / 64, n / 128);
  auto kernel = multiply<4, decltype(tma_a), decltype(tma_b)>;
  cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, sizeof(Smem<4>));
  multiply<4, decltype(tma_a), decltype(tma_b)><<<grid, 256, sizeof(Smem<4>)>>>(tma_a, tma_b, d, m, n, k);
}
