// A pipeline of two stages on sm_90: TMA fills shared memory, wgmma reads it.
// `budget` says what the kernel takes, hovers on `copy` and `gemm` what they issue.
#include <cute/tensor.hpp>
#include <cutlass/arch/barrier.h>

using namespace cute;

using Stages = _2;
using TileA = decltype(tile_to_shape(GMMA::Layout_K_SW128_Atom<half_t>{}, Shape<_128, _64, Stages>{}));
using TileB = decltype(tile_to_shape(GMMA::Layout_K_SW128_Atom<half_t>{}, Shape<_128, _64, Stages>{}));
using Full = cutlass::arch::ClusterTransactionBarrier;
using Empty = cutlass::arch::ClusterBarrier;

struct Storage {
  alignas(128) half_t a[cosize_v<TileA>];
  alignas(128) half_t b[cosize_v<TileB>];
  uint64_t full[Stages::value];
  uint64_t empty[Stages::value];
};

template <class TmaA, class TmaB, class Mma>
__global__ void multiply(CUTE_GRID_CONSTANT TmaA const tma_a, CUTE_GRID_CONSTANT TmaB const tma_b, Mma mma,
                         half_t* c, int m, int n, int k) {
  extern __shared__ char bytes[];
  Storage& smem = *reinterpret_cast<Storage*>(bytes);
  Tensor sA = make_tensor(make_smem_ptr(smem.a), TileA{});  // (128,64,stages)
  Tensor sB = make_tensor(make_smem_ptr(smem.b), TileB{});

  auto tile = Shape<_128, _128, _64>{};
  auto coord = make_coord(blockIdx.x, blockIdx.y, _);
  Tensor gA = local_tile(tma_a.get_tma_tensor(make_shape(m, k)), tile, coord, Step<_1, X, _1>{});
  Tensor gB = local_tile(tma_b.get_tma_tensor(make_shape(n, k)), tile, coord, Step<X, _1, _1>{});
  auto [tAgA, tAsA] = tma_partition(tma_a, Int<0>{}, Layout<_1>{}, group_modes<0, 2>(sA), group_modes<0, 2>(gA));
  auto [tBgB, tBsB] = tma_partition(tma_b, Int<0>{}, Layout<_1>{}, group_modes<0, 2>(sB), group_modes<0, 2>(gB));
  constexpr int transaction = sizeof(make_tensor_like(tensor<0>(tAsA))) + sizeof(make_tensor_like(tensor<0>(tBsB)));

  bool is_producer = threadIdx.x == 0;
  if (is_producer) {
    for (int stage = 0; stage < Stages::value; ++stage) {
      Full::init(&smem.full[stage], 1);
      Empty::init(&smem.empty[stage], 128);
    }
  }
  __syncthreads();

  ThrMMA thread = mma.get_thread_slice(threadIdx.x);
  Tensor tCrA = thread.make_fragment_A(thread.partition_A(sA));
  Tensor tCrB = thread.make_fragment_B(thread.partition_B(sB));
  Tensor tCrC = partition_fragment_C(mma, Shape<_128, _128>{});
  clear(tCrC);

  for (int step = 0; step < size<1>(tAgA); ++step) {
    int stage = step % Stages::value;
    int phase = (step / Stages::value) & 1;
    if (is_producer) {
      Empty::wait(&smem.empty[stage], phase ^ 1);
      Full::arrive_and_expect_tx(&smem.full[stage], transaction);
      copy(tma_a.with(smem.full[stage]), tAgA(_, step), tAsA(_, stage));
      copy(tma_b.with(smem.full[stage]), tBgB(_, step), tBsB(_, stage));
    }
    Full::wait(&smem.full[stage], phase);
    warpgroup_arrive();
    gemm(mma, tCrA(_, _, _, stage), tCrB(_, _, _, stage), tCrC);
    warpgroup_commit_batch();
    warpgroup_wait<0>();
    Empty::arrive(&smem.empty[stage]);
  }

  Tensor mC = make_tensor(make_gmem_ptr(c), make_shape(m, n), make_stride(Int<1>{}, m));
  Tensor gC = local_tile(mC, tile, coord, Step<_1, _1, X>{});
  Tensor tCgC = thread.partition_C(gC);
  Tensor cC = make_identity_tensor(shape(mC));
  Tensor tCcC = thread.partition_C(local_tile(cC, tile, coord, Step<_1, _1, X>{}));
  for (int i = 0; i < size(tCrC); ++i) {
    if (elem_less(tCcC(i), shape(mC))) {
      tCgC(i) = tCrC(i);
    }
  }
}

void launch(half_t* a, int ldA, half_t* b, int ldB, half_t* c, int m, int n, int k) {
  Tensor mA = make_tensor(a, make_shape(m, k), make_stride(ldA, Int<1>{}));
  Tensor mB = make_tensor(b, make_shape(n, k), make_stride(ldB, Int<1>{}));
  auto tma_a = make_tma_atom(SM90_TMA_LOAD{}, mA, TileA{}(_, _, 0), Shape<_128, _64>{});
  auto tma_b = make_tma_atom(SM90_TMA_LOAD{}, mB, TileB{}(_, _, 0), Shape<_128, _64>{});
  auto mma = make_tiled_mma(SM90_64x128x16_F16F16F16_SS<GMMA::Major::K, GMMA::Major::K>{});
  dim3 grid(ceil_div(m, 128), ceil_div(n, 128));
  auto kernel = multiply<decltype(tma_a), decltype(tma_b), decltype(mma)>;
  int bytes = sizeof(Storage);
  cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
  multiply<<<grid, 128, bytes>>>(tma_a, tma_b, mma, c, m, n, k);
}
