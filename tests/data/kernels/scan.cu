// An inclusive scan of a block with two buffers, and one in place.
#include <cuda_runtime.h>

__global__ void scan_two_buffers(float* out, const float* in) {
  __shared__ float temp[2 * 512];
  int tid = threadIdx.x;
  int pout = 0;
  int pin = 1;
  temp[tid] = in[blockIdx.x * 512 + tid];
  __syncthreads();
  for (int offset = 1; offset < 512; offset *= 2) {
    pout = 1 - pout;
    pin = 1 - pout;
    if (tid >= offset)
      temp[pout * 512 + tid] = temp[pin * 512 + tid] + temp[pin * 512 + tid - offset];
    else
      temp[pout * 512 + tid] = temp[pin * 512 + tid];
    __syncthreads();
  }
  out[blockIdx.x * 512 + tid] = temp[pout * 512 + tid];
}

__global__ void scan_in_place(float* data) {
  __shared__ float s[256];
  const int t = threadIdx.x;
  s[t] = data[blockIdx.x * 256 + t];
  __syncthreads();
#pragma unroll
  for (int d = 1; d < 256; d <<= 1) {
    float v = 0.0f;
    if (t >= d) v = s[t - d];
    __syncthreads();
    s[t] += v;
    __syncthreads();
  }
  data[blockIdx.x * 256 + t] = s[t];
}

void launch(float* out, const float* in, float* data, int blocks) {
  scan_two_buffers<<<blocks, 512>>>(out, in);
  scan_in_place<<<blocks, 256>>>(data);
}
