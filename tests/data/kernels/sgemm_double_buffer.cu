// Two buffers: the next tile is loaded while this one is multiplied.
#include <cuda_runtime.h>

template <int TILE>
__global__ void sgemm_double_buffer(const float* __restrict__ A, const float* __restrict__ B,
                                    float* __restrict__ C, int M, int N, int K) {
  __shared__ float sA[2][TILE][TILE];
  __shared__ float sB[2][TILE][TILE];
  const int tx = threadIdx.x;
  const int ty = threadIdx.y;
  const int row = blockIdx.y * TILE + ty;
  const int col = blockIdx.x * TILE + tx;
  const int tiles = K / TILE;
  int cur = 0;
  sA[0][ty][tx] = A[row * K + tx];
  sB[0][ty][tx] = B[ty * N + col];
  __syncthreads();
  float sum = 0.f;
  for (int t = 0; t < tiles; ++t) {
    int next = cur ^ 1;
    if (t + 1 < tiles) {
      sA[next][ty][tx] = A[row * K + (t + 1) * TILE + tx];
      sB[next][ty][tx] = B[((t + 1) * TILE + ty) * N + col];
    }
    for (int k = 0; k < TILE; ++k) {
      sum += sA[cur][ty][k] * sB[cur][k][tx];
    }
    __syncthreads();
    cur = next;
  }
  C[row * N + col] = sum;
}

void launch(const float* A, const float* B, float* C, int M, int N, int K) {
  dim3 threads(16, 16);
  dim3 grid(N / 16, M / 16);
  sgemm_double_buffer<16><<<grid, threads>>>(A, B, C, M, N, K);
}
