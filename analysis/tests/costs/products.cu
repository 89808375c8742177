#include <cute/tensor.hpp>
using namespace cute;

__global__ void multiply(half_t const* p, float* q) {
  __shared__ alignas(128) half_t buffer[2 * 64 * 64];
  TiledMMA mma = make_tiled_mma(SM90_64x64x16_F32F16F16_SS<GMMA::Major::K, GMMA::Major::K>{});
  auto tile = tile_to_shape(GMMA::Layout_K_SW128_Atom<half_t>{}, Shape<_64, _64>{});
  Tensor sA = make_tensor(make_smem_ptr(buffer), tile);
  Tensor sB = make_tensor(make_smem_ptr(buffer + 64 * 64), tile);
  Tensor gC = make_tensor(make_gmem_ptr(q), make_layout(make_shape(Int<64>{}, Int<64>{}), LayoutRight{}));
  ThrMMA slice = mma.get_slice(threadIdx.x);
  Tensor rA = slice.make_fragment_A(slice.partition_A(sA));
  Tensor rB = slice.make_fragment_B(slice.partition_B(sB));
  Tensor tCgC = slice.partition_C(gC);
  Tensor rC = slice.make_fragment_C(tCgC);
  clear(rC);
  warpgroup_arrive();
  gemm(mma, rA, rB, rC);
  warpgroup_commit_batch();
  warpgroup_wait<0>();
  copy(rC, tCgC);
}

void launch(half_t const* p, float* q) {
  multiply<<<1, 128>>>(p, q);
}
