#include <cute/tensor.hpp>
using namespace cute;

struct Storage {
  alignas(128) half_t a[128 * 64];
  alignas(128) half_t b[128 * 64];
  alignas(16) uint64_t done;
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
  Tensor accumulators = slice.make_fragment_C(slice.partition_C(gC));
  bool first_warp = threadIdx.x / 32 == 0;
  if (threadIdx.x == 0) {
    initialize_barrier(smem.done, 1);
  }
  __syncthreads();
  int phase = 0;
  mma.accumulate_ = UMMA::ScaleOut::Zero;
  for (int k = 0; k < tiles; ++k) {
    if (first_warp) {
      for (int block = 0; block < size<2>(rA); ++block) {
        gemm(mma, rA(_, _, block), rB(_, _, block), accumulators);
        mma.accumulate_ = UMMA::ScaleOut::One;
      }
      cutlass::arch::umma_arrive(&smem.done);
    }
    wait_barrier(smem.done, phase);
    phase ^= 1;
  }
}

void launch(float* q, int tiles) {
  multiply<<<1, 128>>>(q, tiles);
}
