#include <cute/tensor.hpp>
using namespace cute;

__global__ void pass(float const* p, float* q, int tiles) {
  __shared__ float buffer[32];
  __shared__ uint64_t full;
  __shared__ uint64_t empty;
  if (threadIdx.x == 0) {
    initialize_barrier(full, 32);
    initialize_barrier(empty, 32);
  }
  __syncthreads();
  if (threadIdx.x < 32) {
    int phase = 1;
    for (int k = 0; k < tiles; ++k) {
      wait_barrier(empty, phase);
      buffer[threadIdx.x] = p[k * 32 + threadIdx.x];
      arrive_barrier(full);
      phase ^= 1;
    }
  }
  if (threadIdx.x >= 32) {
    int turn = 0;
    for (int k = 0; k < tiles; ++k) {
      wait_barrier(full, turn);
      q[k * 32 + threadIdx.x - 32] = buffer[threadIdx.x - 32];
      arrive_barrier(empty);
      turn ^= 1;
    }
  }
}

void launch(float const* p, float* q, int tiles) {
  pass<<<1, 64>>>(p, q, tiles);
}
