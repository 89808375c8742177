// Three stages of cp.async, ldmatrix and mma.sync, all layouts in one configuration.
#include <cute/tensor.hpp>

using namespace cute;

template <class T, int kTileM, int kTileN, int kTileK, int kStage>
struct Config {
  using SmemAtom = decltype(composition(Swizzle<3, 3, 3>{}, make_layout(make_shape(Int<8>{}, Int<kTileK>{}),
                                                                        make_stride(Int<kTileK>{}, Int<1>{}))));
  using SmemA = decltype(tile_to_shape(SmemAtom{}, make_shape(Int<kTileM>{}, Int<kTileK>{}, Int<kStage>{})));
  using SmemB = decltype(tile_to_shape(SmemAtom{}, make_shape(Int<kTileN>{}, Int<kTileK>{}, Int<kStage>{})));
  using MMA = decltype(make_tiled_mma(MMA_Atom<MMA_Traits<SM80_16x8x16_F32F16F16F32_TN>>{},
                                      make_layout(make_shape(Int<2>{}, Int<2>{}, Int<1>{})), Tile<_32, _32, _16>{}));
  using G2S = decltype(make_tiled_copy(Copy_Atom<SM80_CP_ASYNC_CACHEGLOBAL<uint128_t>, T>{},
                                       make_layout(make_shape(Int<16>{}, Int<8>{}), make_stride(Int<8>{}, Int<1>{})),
                                       make_layout(make_shape(Int<1>{}, Int<8>{}))));
  using S2R = Copy_Atom<SM75_U32x4_LDSM_N, T>;
  static constexpr int kThreads = size(MMA{});
  static constexpr int kShm = (cosize(SmemA{}) + cosize(SmemB{})) * sizeof(T);
};

template <class Config, class T>
__global__ void gemm_multi_stage(float* Cptr, const T* Aptr, const T* Bptr, int m, int n, int k) {
  extern __shared__ alignas(128) T shm_data[];
  T* Ashm = shm_data;
  T* Bshm = shm_data + cosize(typename Config::SmemA{});
  int idx = threadIdx.x;
  int ix = blockIdx.x;
  int iy = blockIdx.y;
  Tensor A = make_tensor(make_gmem_ptr(Aptr), make_shape(m, k), make_stride(k, Int<1>{}));
  Tensor B = make_tensor(make_gmem_ptr(Bptr), make_shape(n, k), make_stride(k, Int<1>{}));
  Tensor D = make_tensor(make_gmem_ptr(Cptr), make_shape(m, n), make_stride(n, Int<1>{}));
  Tensor gA = local_tile(A, make_tile(Int<128>{}, Int<64>{}), make_coord(iy, _));
  Tensor gB = local_tile(B, make_tile(Int<128>{}, Int<64>{}), make_coord(ix, _));
  Tensor gD = local_tile(D, make_tile(Int<128>{}, Int<128>{}), make_coord(iy, ix));
  auto sA = make_tensor(make_smem_ptr(Ashm), typename Config::SmemA{});
  auto sB = make_tensor(make_smem_ptr(Bshm), typename Config::SmemB{});

  typename Config::MMA tiled_mma;
  auto thr_mma = tiled_mma.get_slice(idx);
  auto tCrA = thr_mma.partition_fragment_A(gA(_, _, 0));
  auto tCrB = thr_mma.partition_fragment_B(gB(_, _, 0));
  auto tCrD = thr_mma.partition_fragment_C(gD);
  clear(tCrD);

  typename Config::G2S g2s;
  auto g2s_thr = g2s.get_slice(idx);
  auto tAgA = g2s_thr.partition_S(gA);
  auto tAsA = g2s_thr.partition_D(sA);
  auto tBgB = g2s_thr.partition_S(gB);
  auto tBsB = g2s_thr.partition_D(sB);

  auto s2r_a = make_tiled_copy_A(typename Config::S2R{}, tiled_mma);
  auto s2r_thr_a = s2r_a.get_slice(idx);
  auto tAsA_s2r = s2r_thr_a.partition_S(sA);
  auto tCrA_view = s2r_thr_a.retile_D(tCrA);
  auto s2r_b = make_tiled_copy_B(typename Config::S2R{}, tiled_mma);
  auto s2r_thr_b = s2r_b.get_slice(idx);
  auto tBsB_s2r = s2r_thr_b.partition_S(sB);
  auto tCrB_view = s2r_thr_b.retile_D(tCrB);

  int itile_to_read = 0;
  int ismem_read = 0;
  int ismem_write = 0;
  for (int istage = 0; istage < 2; ++istage) {
    copy(g2s, tAgA(_, _, _, istage), tAsA(_, _, _, istage));
    copy(g2s, tBgB(_, _, _, istage), tBsB(_, _, _, istage));
    cp_async_fence();
    ++itile_to_read;
    ++ismem_write;
  }
  cp_async_wait<1>();
  __syncthreads();
  copy(s2r_a, tAsA_s2r(_, _, 0, ismem_read), tCrA_view(_, _, 0));
  copy(s2r_b, tBsB_s2r(_, _, 0, ismem_read), tCrB_view(_, _, 0));
  int ntile = k / 64;
  for (int itile = 0; itile < ntile; ++itile) {
    int nk = size<2>(tCrA);
    for (int ik = 0; ik < nk; ++ik) {
      int ik_next = (ik + 1) % nk;
      if (ik == nk - 1) {
        cp_async_wait<1>();
        __syncthreads();
        ismem_read = (ismem_read + 1) % 3;
      }
      copy(s2r_a, tAsA_s2r(_, _, ik_next, ismem_read), tCrA_view(_, _, ik_next));
      copy(s2r_b, tBsB_s2r(_, _, ik_next, ismem_read), tCrB_view(_, _, ik_next));
      if (ik == 0) {
        if (itile_to_read < ntile) {
          copy(g2s, tAgA(_, _, _, itile_to_read), tAsA(_, _, _, ismem_write));
          copy(g2s, tBgB(_, _, _, itile_to_read), tBsB(_, _, _, ismem_write));
          ++itile_to_read;
          ismem_write = (ismem_write + 1) % 3;
        }
        cp_async_fence();
      }
      gemm(tiled_mma, tCrD, tCrA(_, _, ik), tCrB(_, _, ik), tCrD);
    }
  }
  auto tCgD = thr_mma.partition_C(gD);
  copy(tCrD, tCgD);
}

void launch(float* C, const half_t* A, const half_t* B, int m, int n, int k) {
  using Conf = Config<half_t, 128, 128, 64, 3>;
  dim3 block(Conf::kThreads);
  dim3 grid(n / 128, m / 128);
  int shm_size = Conf::kShm;
  auto kernel = gemm_multi_stage<Conf, half_t>;
  cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shm_size);
  gemm_multi_stage<Conf, half_t><<<grid, block, shm_size>>>(C, A, B, m, n, k);
}
