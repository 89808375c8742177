// A warp-specialised multiply on sm_90 by CUTLASS's pipeline of TMA copies.
#include <cute/tensor.hpp>
#include <cutlass/arch/reg_reconfig.h>
#include <cutlass/pipeline/pipeline.hpp>

using namespace cute;

template <class ElementA, class ElementB, class SmemLayoutA, class SmemLayoutB, int Stages>
struct SharedStorage {
  alignas(128) array_aligned<ElementA, cosize_v<SmemLayoutA>> smem_A;
  alignas(128) array_aligned<ElementB, cosize_v<SmemLayoutB>> smem_B;
  typename cutlass::PipelineTmaAsync<Stages>::SharedStorage pipeline;
};

template <class TiledMma, class SmemA, class SmemB, class TmaA, class TmaB>
__global__ void __launch_bounds__(256, 1)
multiply(CUTE_GRID_CONSTANT TmaA const tma_a, CUTE_GRID_CONSTANT TmaB const tma_b, float* c, int m, int n, int k) {
  constexpr int Stages = size<2>(SmemA{});
  using Pipeline = cutlass::PipelineTmaAsync<Stages>;
  using Storage = SharedStorage<half_t, half_t, SmemA, SmemB, Stages>;
  extern __shared__ char shared_memory[];
  Storage& smem = *reinterpret_cast<Storage*>(shared_memory);
  Tensor sA = make_tensor(make_smem_ptr(smem.smem_A.data()), SmemA{});
  Tensor sB = make_tensor(make_smem_ptr(smem.smem_B.data()), SmemB{});
  auto tiler = Shape<_128, _128, _64>{};
  auto coord = make_coord(blockIdx.x, blockIdx.y, _);
  Tensor gA = local_tile(tma_a.get_tma_tensor(make_shape(m, k)), tiler, coord, Step<_1, X, _1>{});
  Tensor gB = local_tile(tma_b.get_tma_tensor(make_shape(n, k)), tiler, coord, Step<X, _1, _1>{});
  Tensor mC = make_tensor(make_gmem_ptr(c), make_shape(m, n), make_stride(n, Int<1>{}));
  Tensor gC = local_tile(mC, tiler, coord, Step<_1, _1, X>{});
  auto [tAgA, tAsA] = tma_partition(tma_a, Int<0>{}, Layout<_1>{}, group_modes<0, 2>(sA), group_modes<0, 2>(gA));
  auto [tBgB, tBsB] = tma_partition(tma_b, Int<0>{}, Layout<_1>{}, group_modes<0, 2>(sB), group_modes<0, 2>(gB));
  constexpr uint32_t bytes = cosize_v<SmemA> / Stages * sizeof(half_t) + cosize_v<SmemB> / Stages * sizeof(half_t);

  int warp_group = cutlass::canonical_warp_group_idx();
  int warp = cutlass::canonical_warp_idx_in_warp_group();
  int lane_predicate = cute::elect_one_sync();
  typename Pipeline::Params params;
  params.transaction_bytes = bytes;
  params.role = warp_group == 0 ? Pipeline::ThreadCategory::Producer : Pipeline::ThreadCategory::Consumer;
  params.is_leader = threadIdx.x % 128 == 0;
  params.num_consumers = 128;
  Pipeline pipeline(smem.pipeline, params, Shape<_1, _1, _1>{});
  __syncthreads();
  int tiles = size<2>(gA);
  if (warp_group == 0) {
    cutlass::arch::warpgroup_reg_dealloc<40>();
    if (warp == 0 && lane_predicate) {
      cutlass::PipelineState<Stages> write = cutlass::make_producer_start_state<Pipeline>();
      for (int tile = 0; tile < tiles; ++tile) {
        pipeline.producer_acquire(write);
        auto* barrier = pipeline.producer_get_barrier(write);
        copy(tma_a.with(*barrier, 0), tAgA(_, tile), tAsA(_, write.index()));
        copy(tma_b.with(*barrier, 0), tBgB(_, tile), tBsB(_, write.index()));
        ++write;
      }
      pipeline.producer_tail(write);
    }
  } else {
    cutlass::arch::warpgroup_reg_alloc<232>();
    TiledMma mma;
    auto thread = mma.get_thread_slice(threadIdx.x - 128);
    Tensor tCrA = thread.make_fragment_A(thread.partition_A(sA));
    Tensor tCrB = thread.make_fragment_B(thread.partition_B(sB));
    Tensor tCgC = thread.partition_C(gC);
    Tensor tCrC = thread.make_fragment_C(tCgC);
    clear(tCrC);
    cutlass::PipelineState<Stages> read;
    for (int tile = 0; tile < tiles; ++tile) {
      pipeline.consumer_wait(read);
      warpgroup_arrive();
      gemm(mma, tCrA(_, _, _, read.index()), tCrB(_, _, _, read.index()), tCrC);
      warpgroup_commit_batch();
      warpgroup_wait<0>();
      pipeline.consumer_release(read);
      ++read;
    }
    copy(tCrC, tCgC);
  }
}

void launch(half_t* a, half_t* b, float* c, int m, int n, int k) {
  using SmemA = decltype(tile_to_shape(GMMA::Layout_K_SW128_Atom<half_t>{}, Shape<_128, _64, _4>{}));
  using SmemB = decltype(tile_to_shape(GMMA::Layout_K_SW128_Atom<half_t>{}, Shape<_128, _64, _4>{}));
  using TiledMma = decltype(make_tiled_mma(SM90_64x128x16_F32F16F16_SS<GMMA::Major::K, GMMA::Major::K>{}));
  Tensor mA = make_tensor(make_gmem_ptr(a), make_shape(m, k), make_stride(k, Int<1>{}));
  Tensor mB = make_tensor(make_gmem_ptr(b), make_shape(n, k), make_stride(k, Int<1>{}));
  auto tma_a = make_tma_copy(SM90_TMA_LOAD{}, mA, SmemA{}(_, _, 0), Shape<_128, _64>{}, Int<1>{});
  auto tma_b = make_tma_copy(SM90_TMA_LOAD{}, mB, SmemB{}(_, _, 0), Shape<_128, _64>{}, Int<1>{});
  auto kernel = multiply<TiledMma, SmemA, SmemB, decltype(tma_a), decltype(tma_b)>;
  int smem_size = sizeof(SharedStorage<half_t, half_t, SmemA, SmemB, 4>);
  cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, smem_size);
  dim3 grid(m / 128, n / 128);
  dim3 block(256);
  multiply<TiledMma, SmemA, SmemB, decltype(tma_a), decltype(tma_b)><<<grid, block, smem_size>>>(tma_a, tma_b, c, m, n, k);
}
