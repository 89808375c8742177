// A histogram in shared memory.
#include <cuda_runtime.h>

template <int BINS>
__global__ void histogram(const unsigned char* data, unsigned* bins, size_t n) {
  __shared__ unsigned local[BINS];
  for (int i = threadIdx.x; i < BINS; i += blockDim.x) local[i] = 0;
  __syncthreads();
  size_t stride = static_cast<size_t>(blockDim.x) * gridDim.x;
  for (size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += stride) {
    atomicAdd(&local[data[i]], 1u);
  }
  __syncthreads();
  for (int i = threadIdx.x; i < BINS; i += blockDim.x) atomicAdd(&bins[i], local[i]);
}

void launch(const unsigned char* data, unsigned* bins, size_t n) {
  histogram<256><<<128, 128>>>(data, bins, n);
}
