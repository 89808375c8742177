// Each thread computes 8 x 8 results; A is stored transposed in shared memory.
#include <cuda_runtime.h>

constexpr int BM = 128;
constexpr int BN = 128;
constexpr int BK = 8;
constexpr int TM = 8;
constexpr int TN = 8;

__global__ void __launch_bounds__((BM * BN) / (TM * TN))
sgemm_tiled(int M, int N, int K, const float *A, const float *B, float *C) {
  __shared__ float As[BK][BM];
  __shared__ float Bs[BK][BN];
  const int row = blockIdx.y * BM;
  const int col = blockIdx.x * BN;
  const int tid = threadIdx.x;
  const int a_row = tid / (BK / 4);
  const int a_col = (tid % (BK / 4)) * 4;
  const int b_row = tid / (BN / 4);
  const int b_col = (tid % (BN / 4)) * 4;
  const int ty = tid / (BN / TN);
  const int tx = tid % (BN / TN);
  float acc[TM][TN] = {};
  for (int k0 = 0; k0 < K; k0 += BK) {
    float4 a = *reinterpret_cast<const float4 *>(&A[(row + a_row) * K + k0 + a_col]);
    As[a_col + 0][a_row] = a.x;
    As[a_col + 1][a_row] = a.y;
    As[a_col + 2][a_row] = a.z;
    As[a_col + 3][a_row] = a.w;
    *reinterpret_cast<float4 *>(&Bs[b_row][b_col]) =
        *reinterpret_cast<const float4 *>(&B[(k0 + b_row) * N + col + b_col]);
    __syncthreads();
#pragma unroll
    for (int k = 0; k < BK; ++k) {
      float ra[TM];
      float rb[TN];
      for (int i = 0; i < TM; ++i) ra[i] = As[k][ty * TM + i];
      for (int j = 0; j < TN; ++j) rb[j] = Bs[k][tx * TN + j];
      for (int i = 0; i < TM; ++i)
        for (int j = 0; j < TN; ++j) acc[i][j] += ra[i] * rb[j];
    }
    __syncthreads();
  }
  for (int i = 0; i < TM; ++i)
    for (int j = 0; j < TN; ++j)
      C[(row + ty * TM + i) * N + col + tx * TN + j] = acc[i][j];
}

void launch_sgemm_tiled(int M, int N, int K, const float *A, const float *B, float *C) {
  dim3 block((BM * BN) / (TM * TN));
  dim3 grid(N / BN, M / BM);
  sgemm_tiled<<<grid, block>>>(M, N, K, A, B, C);
}
