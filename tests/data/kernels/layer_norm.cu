// Mean and variance of rows, broadcast through shared memory.
#include <cuda_runtime.h>
#include <cuda_fp16.h>

template <int THREADS>
__device__ float block_all_reduce(float value, float* shared) {
  const int lane = threadIdx.x & 31;
  const int wid = threadIdx.x >> 5;
#pragma unroll
  for (int mask = 16; mask > 0; mask >>= 1) {
    value += __shfl_xor_sync(0xffffffff, value, mask);
  }
  if (lane == 0) shared[wid] = value;
  __syncthreads();
  float total = 0.f;
#pragma unroll
  for (int i = 0; i < THREADS / 32; ++i) total += shared[i];
  return total;
}

template <int THREADS>
__global__ void layer_norm(const half* x, half* y, const half* gamma, int64_t stride, int columns, float eps) {
  __shared__ float sums[THREADS / 32];
  __shared__ float squares[THREADS / 32];
  __shared__ float statistics[2];
  const half* row = x + static_cast<int64_t>(blockIdx.x) * stride;
  float sum = 0.f;
  float square = 0.f;
  for (int i = threadIdx.x; i < columns; i += THREADS) {
    float v = __half2float(row[i]);
    sum += v;
    square += v * v;
  }
  sum = block_all_reduce<THREADS>(sum, sums);
  square = block_all_reduce<THREADS>(square, squares);
  if (threadIdx.x == 0) {
    float mean = sum / columns;
    statistics[0] = mean;
    statistics[1] = rsqrtf(square / columns - mean * mean + eps);
  }
  __syncthreads();
  half* out = y + static_cast<int64_t>(blockIdx.x) * stride;
  for (int i = threadIdx.x; i < columns; i += THREADS) {
    float v = (__half2float(row[i]) - statistics[0]) * statistics[1];
    out[i] = __float2half(v * __half2float(gamma[i]));
  }
}

void launch(const half* x, half* y, const half* gamma, int rows, int columns) {
  layer_norm<256><<<rows, 256>>>(x, y, gamma, columns, columns, 1e-5f);
}
