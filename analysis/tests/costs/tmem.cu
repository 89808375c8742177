#include <cute/tensor.hpp>
using namespace cute;

struct Storage {
  alignas(128) half_t a[128 * 64];
  alignas(128) half_t b[128 * 64];
  alignas(16) uint64_t full;
  alignas(16) uint64_t empty;
  alignas(16) uint32_t base;
};

__global__ void multiply(float* q, int tiles) {
  __shared__ Storage smem;
  TiledMMA mma = make_tiled_mma(SM100_MMA_F16BF16_SS<half_t, half_t, float, 128, 128, UMMA::Major::K, UMMA::Major::K>{});
  auto shape = partition_shape_A(mma, make_shape(Int<128>{}, Int<64>{}));
  auto tile = UMMA::tile_to_mma_shape(UMMA::Layout_K_SW128_Atom<half_t>{}, shape);
  Tensor sA = make_tensor(make_smem_ptr(smem.a), tile);
  Tensor sB = make_tensor(make_smem_ptr(smem.b), tile);
  Tensor gC = make_tensor(make_gmem_ptr(q), make_layout(make_shape(Int<128>{}, Int<128>{}), LayoutRight{}));
  ThrMMA slice = mma.get_slice(0);
  Tensor rA = slice.make_fragment_A(sA);
  Tensor rB = slice.make_fragment_B(sB);
  Tensor gD = slice.partition_C(gC);
  Tensor accumulators = slice.make_fragment_C(gD);
  TMEM::Allocator1Sm allocator{};
  if (threadIdx.x / 32 == 0) {
    allocator.allocate(128, &smem.base);
  }
  if (threadIdx.x == 0) {
    initialize_barrier(smem.full, 1);
    initialize_barrier(smem.empty, 128);
  }
  __syncthreads();
  accumulators.data() = smem.base;
  if (threadIdx.x / 32 == 0) {
    int phase = 1;
    for (int k = 0; k < tiles; ++k) {
      wait_barrier(smem.empty, phase);
      mma.accumulate_ = UMMA::ScaleOut::Zero;
      for (int block = 0; block < size<2>(rA); ++block) {
        gemm(mma, rA(_, _, block), rB(_, _, block), accumulators);
        mma.accumulate_ = UMMA::ScaleOut::One;
      }
      cutlass::arch::umma_arrive(&smem.full);
      phase ^= 1;
    }
  }
  if (threadIdx.x >= 128) {
    TiledCopy load = make_tmem_copy(SM100_TMEM_LOAD_32dp32b32x{}, accumulators);
    ThrCopy thread = load.get_slice(threadIdx.x % 128);
    Tensor from = thread.partition_S(accumulators);
    Tensor to = thread.partition_D(gD);
    Tensor registers = make_tensor<float>(shape(to));
    int phase = 0;
    for (int k = 0; k < tiles; ++k) {
      wait_barrier(smem.full, phase);
      copy(load, from, registers);
      cutlass::arch::fence_view_async_tmem_load();
      arrive_barrier(smem.empty);
      copy(registers, to);
      phase ^= 1;
    }
  }
  __syncthreads();
  if (threadIdx.x / 32 == 0) {
    allocator.release_allocation_lock();
    allocator.free(smem.base, 128);
  }
}

void launch(float* q, int tiles) {
  multiply<<<1, 256>>>(q, tiles);
}
