// A bitonic sort of 512 keys in shared memory.
#include <cuda_runtime.h>

__global__ void bitonic_sort(unsigned* keys) {
  extern __shared__ unsigned shared_keys[];
  const unsigned t = threadIdx.x;
  shared_keys[t] = keys[blockIdx.x * 512 + t];
  __syncthreads();
  for (unsigned k = 2; k <= 512; k *= 2) {
    for (unsigned j = k / 2; j > 0; j /= 2) {
      unsigned ixj = t ^ j;
      if (ixj > t) {
        unsigned a = shared_keys[t];
        unsigned b = shared_keys[ixj];
        bool up = (t & k) == 0;
        if ((a > b) == up) {
          shared_keys[t] = b;
          shared_keys[ixj] = a;
        }
      }
      __syncthreads();
    }
  }
  keys[blockIdx.x * 512 + t] = shared_keys[t];
}

__global__ void reverse_blocks(int* d) {
  __shared__ int s[128];
  int t = threadIdx.x;
  int tr = 127 - t;
  s[t] = d[blockIdx.x * 128 + t];
  __syncthreads();
  d[blockIdx.x * 128 + t] = s[tr];
}

void launch(unsigned* keys, int* d, int blocks) {
  bitonic_sort<<<blocks, 512, 512 * sizeof(unsigned)>>>(keys);
  reverse_blocks<<<blocks, 128>>>(d);
}
