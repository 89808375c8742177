// A tile of A and B at a time, with predicates, in the style of a first CuTe kernel.
#include <cute/tensor.hpp>

using namespace cute;

template <class CtaTiler, class ASmem, class AThreads, class BSmem, class BThreads, class CThreads>
__global__ void gemm_predicated(int m, int n, int k, CtaTiler cta_tiler, float const* A, int ldA, ASmem sA_layout,
                                AThreads tA, float const* B, int ldB, BSmem sB_layout, BThreads tB, float* C, int ldC,
                                CThreads tC) {
  auto mA = make_tensor(make_gmem_ptr(A), make_shape(m, k), make_stride(Int<1>{}, ldA));
  auto mB = make_tensor(make_gmem_ptr(B), make_shape(n, k), make_stride(Int<1>{}, ldB));
  auto mC = make_tensor(make_gmem_ptr(C), make_shape(m, n), make_stride(Int<1>{}, ldC));
  auto coord = make_coord(blockIdx.x, blockIdx.y, _);
  auto gA = local_tile(mA, cta_tiler, coord, Step<_1, X, _1>{});
  auto gB = local_tile(mB, cta_tiler, coord, Step<X, _1, _1>{});
  auto gC = local_tile(mC, cta_tiler, coord, Step<_1, _1, X>{});
  __shared__ float smemA[cosize_v<ASmem>];
  __shared__ float smemB[cosize_v<BSmem>];
  auto sA = make_tensor(make_smem_ptr(smemA), sA_layout);
  auto sB = make_tensor(make_smem_ptr(smemB), sB_layout);
  auto tAgA = local_partition(gA, tA, threadIdx.x);
  auto tAsA = local_partition(sA, tA, threadIdx.x);
  auto tBgB = local_partition(gB, tB, threadIdx.x);
  auto tBsB = local_partition(sB, tB, threadIdx.x);
  auto tCsA = local_partition(sA, tC, threadIdx.x, Step<_1, X>{});
  auto tCsB = local_partition(sB, tC, threadIdx.x, Step<X, _1>{});
  auto tCgC = local_partition(gC, tC, threadIdx.x, Step<_1, _1>{});
  auto tCrC = make_tensor_like(tCgC);
  clear(tCrC);
  auto cA = local_tile(make_identity_tensor(shape(mA)), cta_tiler, coord, Step<_1, X, _1>{});
  auto cB = local_tile(make_identity_tensor(shape(mB)), cta_tiler, coord, Step<X, _1, _1>{});
  auto cC = local_tile(make_identity_tensor(shape(mC)), cta_tiler, coord, Step<_1, _1, X>{});
  auto tAcA = local_partition(cA, tA, threadIdx.x);
  auto tBcB = local_partition(cB, tB, threadIdx.x);
  auto tCcC = local_partition(cC, tC, threadIdx.x, Step<_1, _1>{});
  auto K_TILES = size<2>(tAgA);
  for (int tile = 0; tile < K_TILES; ++tile) {
    for (int i = 0; i < size(tAsA); ++i) {
      tAsA(i) = elem_less(tAcA(_, _, tile)(i), shape(mA)) ? tAgA(_, _, tile)(i) : 0.0f;
    }
    for (int i = 0; i < size(tBsB); ++i) {
      tBsB(i) = elem_less(tBcB(_, _, tile)(i), shape(mB)) ? tBgB(_, _, tile)(i) : 0.0f;
    }
    __syncthreads();
    gemm(tCsA, tCsB, tCrC);
    __syncthreads();
  }
  for (int i = 0; i < size(tCrC); ++i) {
    if (elem_less(tCcC(i), shape(mC))) {
      tCgC(i) = tCrC(i);
    }
  }
}

void launch(int m, int n, int k, float const* A, int ldA, float const* B, int ldB, float* C, int ldC) {
  auto tiler = make_shape(Int<64>{}, Int<128>{}, Int<16>{});
  auto sA = make_layout(make_shape(Int<64>{}, Int<16>{}));
  auto sB = make_layout(make_shape(Int<128>{}, Int<16>{}));
  auto tA = make_layout(make_shape(Int<32>{}, Int<8>{}));
  auto tB = make_layout(make_shape(Int<32>{}, Int<8>{}));
  auto tC = make_layout(make_shape(Int<16>{}, Int<16>{}));
  dim3 block(size(tC));
  dim3 grid(ceil_div(m, 64), ceil_div(n, 128));
  gemm_predicated<<<grid, block>>>(m, n, k, tiler, A, ldA, sA, tA, B, ldB, sB, tB, C, ldC, tC);
}
