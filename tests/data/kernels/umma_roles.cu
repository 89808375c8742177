// A copying warp, a multiplying warp and a warp group of the epilogue on sm_100, with a ring of stages.
#include <cute/tensor.hpp>
#include <cutlass/arch/barrier.h>
#include <cute/arch/tmem_allocator_sm100.hpp>

using namespace cute;

constexpr int kStages = 3;

struct Storage {
  alignas(1024) half_t a[kStages * 128 * 64];
  alignas(1024) half_t b[kStages * 128 * 64];
  uint64_t full[kStages];
  uint64_t empty[kStages];
  uint64_t done;
  uint32_t tmem;
};

template <class Mma, class TmaA, class TmaB>
__global__ void multiply(CUTE_GRID_CONSTANT TmaA const tma_a, CUTE_GRID_CONSTANT TmaB const tma_b, Mma mma, float* d,
                         int m, int n, int k) {
  extern __shared__ char bytes[];
  Storage& smem = *reinterpret_cast<Storage*>(bytes);
  auto atom = UMMA::Layout_K_SW128_Atom<half_t>{};
  auto shape = append(partition_shape_A(mma, make_shape(Int<128>{}, Int<64>{})), Int<kStages>{});
  Tensor sA = make_tensor(make_smem_ptr(smem.a), UMMA::tile_to_mma_shape(atom, shape));
  Tensor sB = make_tensor(make_smem_ptr(smem.b), UMMA::tile_to_mma_shape(atom, shape));
  auto tiler = Shape<_128, _128, _64>{};
  auto coord = make_coord(blockIdx.x, blockIdx.y, _);
  ThrMMA slice = mma.get_slice(0);
  Tensor tCgA = slice.partition_A(local_tile(tma_a.get_tma_tensor(make_shape(m, k)), tiler, coord, Step<_1, X, _1>{}));
  Tensor tCgB = slice.partition_B(local_tile(tma_b.get_tma_tensor(make_shape(n, k)), tiler, coord, Step<X, _1, _1>{}));
  Tensor gD = local_tile(make_tensor(make_gmem_ptr(d), make_shape(m, n), make_stride(n, Int<1>{})), tiler, coord, Step<_1, _1, X>{});
  Tensor tCgD = slice.partition_C(gD);
  Tensor tCrA = slice.make_fragment_A(sA);
  Tensor tCrB = slice.make_fragment_B(sB);
  Tensor acc = slice.make_fragment_C(tCgD);
  auto [tAgA, tAsA] = tma_partition(tma_a, Int<0>{}, Layout<_1>{}, group_modes<0, 3>(sA), group_modes<0, 3>(tCgA));
  auto [tBgB, tBsB] = tma_partition(tma_b, Int<0>{}, Layout<_1>{}, group_modes<0, 3>(sB), group_modes<0, 3>(tCgB));
  const int warp = threadIdx.x / 32;
  TMEM::Allocator1Sm allocator{};
  if (warp == 1) {
    allocator.allocate(128, &smem.tmem);
  }
  if (threadIdx.x == 0) {
    for (int i = 0; i < kStages; ++i) {
      initialize_barrier(smem.full[i], 1);
      initialize_barrier(smem.empty[i], 1);
    }
    initialize_barrier(smem.done, 1);
  }
  __syncthreads();
  acc.data() = smem.tmem;
  const int tiles = size<3>(tCgA);
  if (warp == 0) {
    if (elect_one_sync()) {
      for (int tile = 0; tile < tiles; ++tile) {
        int stage = tile % kStages;
        int phase = (tile / kStages) & 1;
        wait_barrier(smem.empty[stage], phase ^ 1);
        set_barrier_transaction_bytes(smem.full[stage], 2 * 128 * 64 * sizeof(half_t));
        copy(tma_a.with(smem.full[stage]), tAgA(_, tile), tAsA(_, stage));
        copy(tma_b.with(smem.full[stage]), tBgB(_, tile), tBsB(_, stage));
      }
    }
  } else if (warp == 1) {
    mma.accumulate_ = UMMA::ScaleOut::Zero;
    for (int tile = 0; tile < tiles; ++tile) {
      int stage = tile % kStages;
      int phase = (tile / kStages) & 1;
      wait_barrier(smem.full[stage], phase);
      for (int block = 0; block < size<2>(tCrA); ++block) {
        gemm(mma, tCrA(_, _, block, stage), tCrB(_, _, block, stage), acc);
        mma.accumulate_ = UMMA::ScaleOut::One;
      }
      cutlass::arch::umma_arrive(&smem.empty[stage]);
    }
    cutlass::arch::umma_arrive(&smem.done);
  } else if (warp >= 4) {
    wait_barrier(smem.done, 0);
    TiledCopy load = make_tmem_copy(SM100_TMEM_LOAD_32dp32b32x{}, acc);
    ThrCopy thread = load.get_slice(threadIdx.x % 128);
    Tensor from = thread.partition_S(acc);
    Tensor to = thread.partition_D(tCgD);
    Tensor registers = make_tensor<float>(shape(to));
    copy(load, from, registers);
    cutlass::arch::fence_view_async_tmem_load();
    copy(registers, to);
  }
  __syncthreads();
  if (warp == 1) {
    allocator.release_allocation_lock();
    allocator.free(smem.tmem, 128);
  }
}

void launch(half_t* a, half_t* b, float* d, int m, int n, int k) {
  auto mma = make_tiled_mma(SM100_MMA_F16BF16_SS<half_t, half_t, float, 128, 128, UMMA::Major::K, UMMA::Major::K>{});
  auto tile = UMMA::tile_to_mma_shape(UMMA::Layout_K_SW128_Atom<half_t>{}, partition_shape_A(mma, make_shape(Int<128>{}, Int<64>{})));
  Tensor mA = make_tensor(make_gmem_ptr(a), make_shape(m, k), make_stride(k, Int<1>{}));
  Tensor mB = make_tensor(make_gmem_ptr(b), make_shape(n, k), make_stride(k, Int<1>{}));
  auto tma_a = make_tma_atom(SM90_TMA_LOAD{}, mA, tile, Shape<_128, _64>{});
  auto tma_b = make_tma_atom(SM90_TMA_LOAD{}, mB, tile, Shape<_128, _64>{});
  dim3 grid(m / 128, n / 128);
  cudaFuncSetAttribute(multiply<decltype(mma), decltype(tma_a), decltype(tma_b)>, cudaFuncAttributeMaxDynamicSharedMemorySize, sizeof(Storage));
  multiply<<<grid, 256, sizeof(Storage)>>>(tma_a, tma_b, mma, d, m, n, k);
}
