// Sums of blocks by a tree in shared memory, and by shuffles in the last warp.
#include <cuda_runtime.h>

__global__ void block_sum(const float* in, float* out, int n) {
  __shared__ float partial[256];
  unsigned tid = threadIdx.x;
  unsigned i = blockIdx.x * 256 + tid;
  partial[tid] = i < n ? in[i] : 0.0f;
  __syncthreads();
  for (unsigned s = 128; s > 0; s >>= 1) {
    if (tid < s) {
      partial[tid] += partial[tid + s];
    }
    __syncthreads();
  }
  if (tid == 0) out[blockIdx.x] = partial[0];
}

__inline__ __device__ float warp_sum(float value) {
  for (int offset = 16; offset > 0; offset /= 2) {
    value += __shfl_down_sync(0xffffffff, value, offset);
  }
  return value;
}

__global__ void row_sum(const float* in, float* out, int columns) {
  __shared__ float sums[8];
  const int row = blockIdx.x;
  float sum = 0.0f;
  for (int i = threadIdx.x; i < columns; i += blockDim.x) {
    sum += in[row * columns + i];
  }
  sum = warp_sum(sum);
  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32;
  if (lane == 0) {
    sums[warp] = sum;
  }
  __syncthreads();
  if (warp == 0) {
    sum = lane < 8 ? sums[lane] : 0.0f;
    sum = warp_sum(sum);
    if (lane == 0) out[row] = sum;
  }
}

void launch(const float* in, float* out, float* rows, int n, int columns) {
  block_sum<<<(n + 255) / 256, 256>>>(in, out, n);
  row_sum<<<n / columns, 256>>>(in, rows, columns);
}
