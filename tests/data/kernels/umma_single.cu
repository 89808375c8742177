// One product of the tensor core of sm_100 after another: TMA, one thread that issues, an epilogue of 128 threads.
#include <cute/tensor.hpp>
#include <cutlass/arch/barrier.h>
#include <cute/arch/tmem_allocator_sm100.hpp>

using namespace cute;

template <class TypeA, class TypeB, class ASmemLayout, class BSmemLayout>
struct SharedStorage {
  alignas(128) ArrayEngine<TypeA, cosize_v<ASmemLayout>> A;
  alignas(128) ArrayEngine<TypeB, cosize_v<BSmemLayout>> B;
  alignas(16) uint64_t mma_barrier;
  alignas(16) uint64_t tma_barrier;
  alignas(16) uint32_t tmem_base_ptr;
};

template <class Storage, class ASmem, class BSmem, class Mma, class TmaA, class TmaB>
__global__ void multiply(CUTE_GRID_CONSTANT TmaA const tma_a, CUTE_GRID_CONSTANT TmaB const tma_b, Mma tiled_mma,
                         float* d, int m, int n, int k) {
  extern __shared__ char shared_memory[];
  Storage& shared = *reinterpret_cast<Storage*>(shared_memory);
  Tensor tCsA = make_tensor(make_smem_ptr(shared.A.begin()), ASmem{});
  Tensor tCsB = make_tensor(make_smem_ptr(shared.B.begin()), BSmem{});
  auto tiler = make_shape(Int<128>{}, Int<256>{}, Int<64>{});
  auto coord = make_coord(blockIdx.x, blockIdx.y, _);
  Tensor gA = local_tile(tma_a.get_tma_tensor(make_shape(m, k)), tiler, coord, Step<_1, X, _1>{});
  Tensor gB = local_tile(tma_b.get_tma_tensor(make_shape(n, k)), tiler, coord, Step<X, _1, _1>{});
  Tensor mD = make_tensor(make_gmem_ptr(d), make_shape(m, n), make_stride(n, Int<1>{}));
  Tensor gD = local_tile(mD, tiler, coord, Step<_1, _1, X>{});
  ThrMMA cta_mma = tiled_mma.get_slice(_0{});
  Tensor tCgA = cta_mma.partition_A(gA);
  Tensor tCgB = cta_mma.partition_B(gB);
  Tensor tCgD = cta_mma.partition_C(gD);
  Tensor tCrA = cta_mma.make_fragment_A(tCsA);
  Tensor tCrB = cta_mma.make_fragment_B(tCsB);
  Tensor tCtAcc = cta_mma.make_fragment_C(tCgD);

  uint32_t elect_one_thr = cute::elect_one_sync();
  uint32_t elect_one_warp = (threadIdx.x / 32 == 0);
  TMEM::Allocator1Sm allocator{};
  if (elect_one_warp) {
    allocator.allocate(TMEM::Allocator1Sm::Sm100TmemCapacityColumns, &shared.tmem_base_ptr);
  }
  __syncthreads();
  tCtAcc.data() = shared.tmem_base_ptr;
  auto [tAgA, tAsA] = tma_partition(tma_a, Int<0>{}, Layout<_1>{}, group_modes<0, 3>(tCsA), group_modes<0, 3>(tCgA));
  auto [tBgB, tBsB] = tma_partition(tma_b, Int<0>{}, Layout<_1>{}, group_modes<0, 3>(tCsB), group_modes<0, 3>(tCgB));
  int tma_transaction_bytes = sizeof(make_tensor_like(tAsA)) + sizeof(make_tensor_like(tBsB));
  if (elect_one_warp && elect_one_thr) {
    cute::initialize_barrier(shared.mma_barrier, 1);
    cute::initialize_barrier(shared.tma_barrier, 1);
  }
  int mma_barrier_phase_bit = 0;
  int tma_barrier_phase_bit = 0;
  __syncthreads();
  tiled_mma.accumulate_ = UMMA::ScaleOut::Zero;
  for (int k_tile = 0; k_tile < size<3>(tCgA); ++k_tile) {
    if (elect_one_warp && elect_one_thr) {
      cute::set_barrier_transaction_bytes(shared.tma_barrier, tma_transaction_bytes);
      copy(tma_a.with(shared.tma_barrier), tAgA(_, k_tile), tAsA);
      copy(tma_b.with(shared.tma_barrier), tBgB(_, k_tile), tBsB);
    }
    cute::wait_barrier(shared.tma_barrier, tma_barrier_phase_bit);
    tma_barrier_phase_bit ^= 1;
    if (elect_one_warp) {
      for (int k_block = 0; k_block < size<2>(tCrA); ++k_block) {
        gemm(tiled_mma, tCrA(_, _, k_block), tCrB(_, _, k_block), tCtAcc);
        tiled_mma.accumulate_ = UMMA::ScaleOut::One;
      }
      cutlass::arch::umma_arrive(&shared.mma_barrier);
    }
    cute::wait_barrier(shared.mma_barrier, mma_barrier_phase_bit);
    mma_barrier_phase_bit ^= 1;
  }
  TiledCopy tiled_t2r_copy = make_tmem_copy(SM100_TMEM_LOAD_32dp32b1x{}, tCtAcc);
  ThrCopy thr_t2r_copy = tiled_t2r_copy.get_slice(threadIdx.x);
  Tensor tDtAcc = thr_t2r_copy.partition_S(tCtAcc);
  Tensor tDgD = thr_t2r_copy.partition_D(tCgD);
  Tensor tDrAcc = make_tensor<float>(shape(tDgD));
  copy(tiled_t2r_copy, tDtAcc, tDrAcc);
  cutlass::arch::fence_view_async_tmem_load();
  copy(tDrAcc, tDgD);
  __syncthreads();
  if (elect_one_warp) {
    allocator.release_allocation_lock();
    allocator.free(shared.tmem_base_ptr, TMEM::Allocator1Sm::Sm100TmemCapacityColumns);
  }
}

void launch(half_t* a, half_t* b, float* d, int m, int n, int k) {
  auto mma = make_tiled_mma(SM100_MMA_F16BF16_SS<half_t, half_t, float, 128, 256, UMMA::Major::K, UMMA::Major::K>{});
  auto shape_a = partition_shape_A(mma, make_shape(Int<128>{}, Int<64>{}));
  auto shape_b = partition_shape_B(mma, make_shape(Int<256>{}, Int<64>{}));
  auto smem_a = UMMA::tile_to_mma_shape(UMMA::Layout_K_SW128_Atom<half_t>{}, shape_a);
  auto smem_b = UMMA::tile_to_mma_shape(UMMA::Layout_K_SW128_Atom<half_t>{}, shape_b);
  using Storage = SharedStorage<half_t, half_t, decltype(smem_a), decltype(smem_b)>;
  Tensor mA = make_tensor(make_gmem_ptr(a), make_shape(m, k), make_stride(k, Int<1>{}));
  Tensor mB = make_tensor(make_gmem_ptr(b), make_shape(n, k), make_stride(k, Int<1>{}));
  auto tma_a = make_tma_atom(SM90_TMA_LOAD{}, mA, smem_a, Shape<_128, _64>{});
  auto tma_b = make_tma_atom(SM90_TMA_LOAD{}, mB, smem_b, Shape<_256, _64>{});
  dim3 dimBlock(128);
  dim3 dimGrid(ceil_div(m, 128), ceil_div(n, 256));
  auto kernel = &multiply<Storage, decltype(smem_a), decltype(smem_b), decltype(mma), decltype(tma_a), decltype(tma_b)>;
  int smemBytes = sizeof(Storage);
  cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, smemBytes);
  multiply<Storage, decltype(smem_a), decltype(smem_b), decltype(mma), decltype(tma_a), decltype(tma_b)>
      <<<dimGrid, dimBlock, smemBytes>>>(tma_a, tma_b, mma, d, m, n, k);
}
