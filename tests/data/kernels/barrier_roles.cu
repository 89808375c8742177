// A warp fills two buffers and three warps read them, with barriers of CUDA in shared memory.
#include <cooperative_groups.h>
#include <cuda/barrier>

using barrier = cuda::barrier<cuda::thread_scope_block>;

constexpr int kLength = 256;

__device__ void producer(barrier ready[], barrier filled[], float* buffer, const float* in, int tiles) {
  for (int t = 0; t < tiles; ++t) {
    ready[t % 2].arrive_and_wait();
    for (int i = threadIdx.x; i < kLength; i += 32) buffer[(t % 2) * kLength + i] = in[t * kLength + i];
    barrier::arrival_token token = filled[t % 2].arrive();
  }
}

__device__ void consumer(barrier ready[], barrier filled[], const float* buffer, float* out, int tiles) {
  barrier::arrival_token first = ready[0].arrive();
  barrier::arrival_token second = ready[1].arrive();
  for (int t = 0; t < tiles; ++t) {
    filled[t % 2].arrive_and_wait();
    for (int i = threadIdx.x - 32; i < kLength; i += 96) out[t * kLength + i] = 2.0f * buffer[(t % 2) * kLength + i];
    barrier::arrival_token token = ready[t % 2].arrive();
  }
}

__global__ void scale(const float* in, float* out, int tiles) {
  __shared__ float buffer[2 * kLength];
  __shared__ barrier bar[4];
  if (threadIdx.x < 4) init(bar + threadIdx.x, 128);
  __syncthreads();
  if (threadIdx.x < 32) {
    producer(bar, bar + 2, buffer, in, tiles);
  } else {
    consumer(bar, bar + 2, buffer, out, tiles);
  }
}

void launch(const float* in, float* out, int tiles) { scale<<<1, 128>>>(in, out, tiles); }
