#include <cute/tensor.hpp>
using namespace cute;
__device__ inline void init_barrier(uint64_t* bar, int count) {
  uint32_t addr = static_cast<uint32_t>(__cvta_generic_to_shared(bar));
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;\n" ::"r"(addr), "r"(count));
}
__device__ inline void signal(uint64_t* bar) {
  uint32_t addr = static_cast<uint32_t>(__cvta_generic_to_shared(bar));
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];\n" ::"r"(addr) : "memory");
}
__device__ inline void await(uint64_t* bar, int phase) {
  uint32_t addr = static_cast<uint32_t>(__cvta_generic_to_shared(bar));
  asm volatile("{ .reg .pred P1; L: mbarrier.try_wait.parity.shared::cta.b64 P1, [%0], %1; @P1 bra.uni D; bra.uni L; D: }" ::"r"(addr), "r"(phase));
}

__global__ void pass(float const* p, float* q, int tiles) {
  __shared__ float buffer[32];
  __shared__ uint64_t full;
  __shared__ uint64_t empty;
  if (threadIdx.x == 0) {
    init_barrier(&full, 32);
    init_barrier(&empty, 32);
  }
  __syncthreads();
  if (threadIdx.x < 32) {
    int phase = 1;
    for (int k = 0; k < tiles; ++k) {
      await(&empty, phase);
      buffer[threadIdx.x] = p[k * 32 + threadIdx.x];
      signal(&full);
      phase ^= 1;
    }
  }
  if (threadIdx.x >= 32) {
    int turn = 0;
    for (int k = 0; k < tiles; ++k) {
      await(&full, turn);
      q[k * 32 + threadIdx.x - 32] = buffer[threadIdx.x - 32];
      signal(&empty);
      turn ^= 1;
    }
  }
}

void launch(float const* p, float* q, int tiles) {
  pass<<<1, 64>>>(p, q, tiles);
}
