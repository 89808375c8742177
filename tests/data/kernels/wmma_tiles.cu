// Tensor cores by the WMMA functions, tiles in plain shared arrays.
#include <cuda_runtime.h>
#include <mma.h>
using namespace nvcuda;

__global__ void wmma_gemm(const half* a, const half* b, float* c, int M, int N, int K) {
  __shared__ alignas(32) half sa[64 * 16];
  __shared__ alignas(32) half sb[16 * 64];
  const int warp = threadIdx.x / 32;
  const int m0 = blockIdx.y * 64;
  const int n0 = blockIdx.x * 64;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc[4];
  for (int j = 0; j < 4; ++j) wmma::fill_fragment(acc[j], 0.0f);
  for (int k0 = 0; k0 < K; k0 += 16) {
    for (int i = threadIdx.x; i < 64 * 16; i += 128) {
      sa[i] = a[(m0 + i / 16) * K + k0 + i % 16];
      sb[i] = b[(k0 + i / 64) * N + n0 + i % 64];
    }
    __syncthreads();
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
    wmma::load_matrix_sync(fa, sa + warp * 16 * 16, 16);
    for (int j = 0; j < 4; ++j) {
      wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> fb;
      wmma::load_matrix_sync(fb, sb + j * 16, 64);
      wmma::mma_sync(acc[j], fa, fb, acc[j]);
    }
    __syncthreads();
  }
  for (int j = 0; j < 4; ++j)
    wmma::store_matrix_sync(c + (m0 + warp * 16) * N + n0 + j * 16, acc[j], N, wmma::mem_row_major);
}

void launch(const half* a, const half* b, float* c, int M, int N, int K) {
  dim3 grid(N / 64, M / 64);
  dim3 block(128);
  wmma_gemm<<<grid, block>>>(a, b, c, M, N, K);
}
