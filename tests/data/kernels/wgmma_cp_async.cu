// cp.async fills what wgmma reads: a fence of the proxies and a barrier on the way.
#include <cute/tensor.hpp>

using namespace cute;

template <class SmemA, class SmemB>
__global__ void __launch_bounds__(128) multiply(half_t const* a, half_t const* b, float* c, int m, int n, int k) {
  __shared__ alignas(1024) half_t bufferA[cosize_v<SmemA>];
  __shared__ alignas(1024) half_t bufferB[cosize_v<SmemB>];
  Tensor sA = make_tensor(make_smem_ptr(bufferA), SmemA{});
  Tensor sB = make_tensor(make_smem_ptr(bufferB), SmemB{});
  Tensor mA = make_tensor(make_gmem_ptr(a), make_shape(m, k), make_stride(k, Int<1>{}));
  Tensor mB = make_tensor(make_gmem_ptr(b), make_shape(n, k), make_stride(k, Int<1>{}));
  Tensor mC = make_tensor(make_gmem_ptr(c), make_shape(m, n), make_stride(n, Int<1>{}));
  Tensor gA = local_tile(mA, Shape<_64, _64>{}, make_coord(blockIdx.x, _));
  Tensor gB = local_tile(mB, Shape<_64, _64>{}, make_coord(blockIdx.y, _));
  Tensor gC = local_tile(mC, Shape<_64, _64>{}, make_coord(blockIdx.x, blockIdx.y));
  auto tiled = make_tiled_copy(Copy_Atom<SM80_CP_ASYNC_CACHEALWAYS<uint128_t>, half_t>{}, Layout<Shape<_16, _8>, Stride<_8, _1>>{}, Layout<Shape<_1, _8>>{});
  ThrCopy thr = tiled.get_slice(threadIdx.x);
  Tensor tAgA = thr.partition_S(gA);
  Tensor tAsA = thr.partition_D(sA);
  Tensor tBgB = thr.partition_S(gB);
  Tensor tBsB = thr.partition_D(sB);
  TiledMMA mma = make_tiled_mma(SM90_64x64x16_F32F16F16_SS<GMMA::Major::K, GMMA::Major::K>{});
  ThrMMA slice = mma.get_slice(threadIdx.x);
  Tensor tCrA = slice.make_fragment_A(slice.partition_A(sA));
  Tensor tCrB = slice.make_fragment_B(slice.partition_B(sB));
  Tensor tCgC = slice.partition_C(gC);
  Tensor tCrC = slice.make_fragment_C(tCgC);
  clear(tCrC);
  for (int tile = 0; tile < size<2>(gA); ++tile) {
    copy(tiled, tAgA(_, _, _, tile), tAsA);
    copy(tiled, tBgB(_, _, _, tile), tBsB);
    cp_async_fence();
    cp_async_wait<0>();
    cutlass::arch::fence_view_async_shared();
    __syncthreads();
    warpgroup_arrive();
    gemm(mma, tCrA, tCrB, tCrC);
    warpgroup_commit_batch();
    warpgroup_wait<0>();
    __syncthreads();
  }
  copy(tCrC, tCgC);
}

void launch(half_t const* a, half_t const* b, float* c, int m, int n, int k) {
  using Smem = decltype(tile_to_shape(GMMA::Layout_K_SW128_Atom<half_t>{}, Shape<_64, _64>{}));
  dim3 grid(m / 64, n / 64);
  dim3 threads(128);
  multiply<Smem, Smem><<<grid, threads>>>(a, b, c, m, n, k);
}
