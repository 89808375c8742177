#include <cuda_runtime.h>
#include <stdint.h>

constexpr int STAGES = 4;
constexpr int TILE = 2048;
constexpr int CONSUMERS = 256;

__device__ inline uint32_t address(const void* p) { return static_cast<uint32_t>(__cvta_generic_to_shared(p)); }
__device__ inline void begin(uint64_t* bar, uint32_t count) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(address(bar)), "r"(count));
}
__device__ inline void announce(uint64_t* bar, uint32_t bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(address(bar)), "r"(bytes) : "memory");
}
__device__ inline void arrive(uint64_t* bar) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(address(bar)) : "memory");
}
__device__ inline void wait(uint64_t* bar, uint32_t parity) {
  asm volatile(
      "{\n"
      ".reg .pred p;\n"
      "AGAIN:\n"
      "mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n"
      "@p bra DONE;\n"
      "bra AGAIN;\n"
      "DONE:\n"
      "}\n" ::"r"(address(bar)), "r"(parity) : "memory");
}
__device__ inline void load(void* to, const void* from, uint32_t bytes, uint64_t* bar) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(address(to)),
               "l"(from), "r"(bytes), "r"(address(bar)) : "memory");
}

__global__ void __launch_bounds__(CONSUMERS + 32) sums(const float* in, float* out, int tiles) {
  extern __shared__ __align__(128) unsigned char raw[];
  float* data = reinterpret_cast<float*>(raw);
  uint64_t* full = reinterpret_cast<uint64_t*>(raw + STAGES * TILE * sizeof(float));
  uint64_t* empty = full + STAGES;
  if (threadIdx.x == 0) {
    for (int s = 0; s < STAGES; ++s) {
      begin(&full[s], 1);
      begin(&empty[s], CONSUMERS);
    }
    asm volatile("fence.mbarrier_init.release.cluster;");
  }
  __syncthreads();
  if (threadIdx.x >= CONSUMERS) {
    if (threadIdx.x == CONSUMERS) {
      int stage = 0;
      uint32_t phase = 0;
      for (int t = 0; t < tiles; ++t) {
        wait(&empty[stage], phase ^ 1);
        announce(&full[stage], TILE * sizeof(float));
        load(data + stage * TILE, in + (size_t)t * TILE, TILE * sizeof(float), &full[stage]);
        if (++stage == STAGES) {
          stage = 0;
          phase ^= 1;
        }
      }
    }
  } else {
    int stage = 0;
    uint32_t phase = 0;
    float sum = 0.f;
    for (int t = 0; t < tiles; ++t) {
      wait(&full[stage], phase);
      for (int i = threadIdx.x; i < TILE; i += CONSUMERS) sum += data[stage * TILE + i];
      arrive(&empty[stage]);
      if (++stage == STAGES) {
        stage = 0;
        phase ^= 1;
      }
    }
    out[threadIdx.x] = sum;
  }
}

void launch(const float* in, float* out, int tiles) {
  int bytes = STAGES * TILE * sizeof(float) + 2 * STAGES * sizeof(uint64_t);
  cudaFuncSetAttribute(sums, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
  sums<<<1, CONSUMERS + 32, bytes>>>(in, out, tiles);
}
