// Softmax of rows with a block per row: a maximum, a sum, and the quotients.
#include <cuda_runtime.h>
#include <cfloat>

__global__ void softmax(const float* __restrict__ x, float* __restrict__ y, int columns) {
  __shared__ float row[1024];
  __shared__ float red[32];
  __shared__ float row_max;
  __shared__ float row_total;
  const int tid = threadIdx.x;
  const int lane = tid & 31;
  const int warp = tid >> 5;
  const size_t base = static_cast<size_t>(blockIdx.x) * columns;
  row[tid] = tid < columns ? x[base + tid] : -FLT_MAX;
  float best = row[tid];
  for (int o = 16; o > 0; o >>= 1) best = fmaxf(best, __shfl_xor_sync(0xffffffffu, best, o));
  if (lane == 0) red[warp] = best;
  __syncthreads();
  if (warp == 0) {
    best = red[lane];
    for (int o = 16; o > 0; o >>= 1) best = fmaxf(best, __shfl_xor_sync(0xffffffffu, best, o));
    if (lane == 0) row_max = best;
  }
  __syncthreads();
  float e = __expf(row[tid] - row_max);
  float sum = e;
  for (int o = 16; o > 0; o >>= 1) sum += __shfl_xor_sync(0xffffffffu, sum, o);
  if (lane == 0) red[warp] = sum;
  __syncthreads();
  if (warp == 0) {
    sum = red[lane];
    for (int o = 16; o > 0; o >>= 1) sum += __shfl_xor_sync(0xffffffffu, sum, o);
    if (lane == 0) row_total = sum;
  }
  __syncthreads();
  if (tid < columns) y[base + tid] = e / row_total;
}

void launch(const float* x, float* y, int rows, int columns) {
  softmax<<<rows, 1024>>>(x, y, columns);
}
