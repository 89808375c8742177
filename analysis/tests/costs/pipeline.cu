#include <cute/tensor.hpp>
#include <cutlass/pipeline/sm90_pipeline.hpp>
#include <cutlass/cluster_launch.hpp>
using namespace cute;

template <class SmemA, class SmemB, int Stages>
struct Storage {
  alignas(128) cute::array_aligned<half_t, cosize_v<SmemA>> a;
  alignas(128) cute::array_aligned<half_t, cosize_v<SmemB>> b;
  typename cutlass::PipelineTmaAsync<Stages>::SharedStorage pipeline;
};

using SmemA = decltype(tile_to_shape(GMMA::Layout_K_SW128_Atom<half_t>{}, Shape<_128, _64, _4>{}));
using SmemB = decltype(tile_to_shape(GMMA::Layout_K_SW128_Atom<half_t>{}, Shape<_128, _64, _4>{}));

template <class TmaA, class TmaB, class Mma>
__global__ void __launch_bounds__(256) multiply(__grid_constant__ TmaA const tma_a, __grid_constant__ TmaB const tma_b, Mma mma, int k_tiles) {
  extern __shared__ char bytes[];
  using Shared = Storage<SmemA, SmemB, 4>;
  Shared& smem = *reinterpret_cast<Shared*>(bytes);
  Tensor sA = make_tensor(make_smem_ptr(smem.a.data()), SmemA{});
  Tensor sB = make_tensor(make_smem_ptr(smem.b.data()), SmemB{});
  Tensor gA = local_tile(tma_a.get_tma_tensor(make_shape(512, 512)), Shape<_128, _64>{}, make_coord(0, _));
  Tensor gB = local_tile(tma_b.get_tma_tensor(make_shape(512, 512)), Shape<_128, _64>{}, make_coord(0, _));
  auto [tAgA, tAsA] = tma_partition(tma_a, Int<0>{}, Layout<_1>{}, group_modes<0, 2>(sA), group_modes<0, 2>(gA));
  auto [tBgB, tBsB] = tma_partition(tma_b, Int<0>{}, Layout<_1>{}, group_modes<0, 2>(sB), group_modes<0, 2>(gB));

  constexpr int tma_bytes = sizeof(make_tensor_like(tensor<0>(tAsA))) + sizeof(make_tensor_like(tensor<0>(tBsB)));

  using Pipeline = cutlass::PipelineTmaAsync<4>;
  using PipelineState = cutlass::PipelineState<4>;
  int warp_group = cutlass::canonical_warp_group_idx();
  typename Pipeline::Params params;
  params.transaction_bytes = tma_bytes;
  params.role = warp_group == 0 ? Pipeline::ThreadCategory::Producer : Pipeline::ThreadCategory::Consumer;
  params.is_leader = threadIdx.x == 0;
  params.num_consumers = 128;
  Pipeline pipeline(smem.pipeline, params, Shape<_1, _1, _1>{});
  __syncthreads();

  if (warp_group == 0) {
    if (threadIdx.x == 0) {
      PipelineState write = cutlass::make_producer_start_state<Pipeline>();
      for (int k = 0; k < k_tiles; ++k) {
        pipeline.producer_acquire(write);
        auto* barrier = pipeline.producer_get_barrier(write);
        copy(tma_a.with(*barrier, 0), tAgA(_, k), tAsA(_, write.index()));
        copy(tma_b.with(*barrier, 0), tBgB(_, k), tBsB(_, write.index()));
        ++write;
      }
    }
  } else {
    PipelineState read;
    auto thr = mma.get_slice(threadIdx.x % 128);
    Tensor tCsA = thr.partition_A(sA);
    Tensor tCsB = thr.partition_B(sB);
    Tensor tCrA = thr.make_fragment_A(tCsA);
    Tensor tCrB = thr.make_fragment_B(tCsB);
    Tensor acc = partition_fragment_C(mma, Shape<_128, _128>{}); clear(acc);
    for (int k = 0; k < k_tiles; ++k) {
      pipeline.consumer_wait(read);
      gemm(mma, tCrA(_, _, _, read.index()), tCrB(_, _, _, read.index()), acc);
      pipeline.consumer_release(read);
      ++read;
    }
  }
}

void launch(half_t* a, half_t* b) {
  auto gmem = make_layout(make_shape(512, 512), make_stride(512, Int<1>{}));
  auto tma_a = make_tma_atom(SM90_TMA_LOAD{}, make_tensor(a, gmem), SmemA{}(_, _, 0), Shape<_128, _64>{});
  auto tma_b = make_tma_atom(SM90_TMA_LOAD{}, make_tensor(b, gmem), SmemB{}(_, _, 0), Shape<_128, _64>{});
  auto mma = make_tiled_mma(SM90_64x128x16_F32F16F16_SS<GMMA::Major::K, GMMA::Major::K>{});
  multiply<<<64, 256, sizeof(Storage<SmemA, SmemB, 4>)>>>(tma_a, tma_b, mma, 8);
}
