// Attention of one head by tiles, all in dynamic shared memory of one array.
#include <cuda_runtime.h>
#include <math.h>

__global__ void flash_forward(const float* Q, const float* K, const float* V, int N, int Tc, float scale, float* O) {
  constexpr int Br = 64;
  constexpr int Bc = 64;
  constexpr int d = 64;
  extern __shared__ float sram[];
  float* Kj = sram;
  float* Vj = &sram[Bc * (d + 1)];
  int tx = threadIdx.x;
  int64_t head = (int64_t)blockIdx.y * N * d;
  int row = blockIdx.x * Br + tx;
  float q[d];
  float acc[d];
  for (int x = 0; x < d; x++) {
    q[x] = Q[head + row * d + x];
    acc[x] = 0;
  }
  float m = -INFINITY;
  float l = 0;
  for (int j = 0; j < Tc; j++) {
    for (int x = 0; x < d; x++) {
      Kj[x * (d + 1) + tx] = K[head + (j * Bc + x) * d + tx];
      Vj[x * (d + 1) + tx] = V[head + (j * Bc + x) * d + tx];
    }
    __syncthreads();
    for (int y = 0; y < Bc; y++) {
      float s = 0;
      for (int x = 0; x < d; x++) s += q[x] * Kj[y * (d + 1) + x];
      s *= scale;
      float m_new = fmaxf(m, s);
      float p = __expf(s - m_new);
      float c = __expf(m - m_new);
      l = l * c + p;
      for (int x = 0; x < d; x++) acc[x] = acc[x] * c + p * Vj[y * (d + 1) + x];
      m = m_new;
    }
    __syncthreads();
  }
  for (int x = 0; x < d; x++) O[head + row * d + x] = acc[x] / l;
}

void forward(const float* Q, const float* K, const float* V, float* O, int heads, int N) {
  const int sram_size = 2 * 64 * 65 * sizeof(float);
  dim3 grid_dim(N / 64, heads);
  dim3 block_dim(64);
  flash_forward<<<grid_dim, block_dim, sram_size>>>(Q, K, V, N, N / 64, 0.125f, O);
}
