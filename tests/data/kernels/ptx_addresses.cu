// A ring of bulk copies whose helpers take addresses in shared memory.
#include <cuda_runtime.h>
#include <cstdint>

constexpr int kStages = 4;
constexpr int kTile = 2048;

__device__ __forceinline__ uint32_t smem_u32(const void* ptr) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(ptr));
}
__device__ __forceinline__ void mbarrier_init(uint32_t bar, uint32_t count) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(bar), "r"(count) : "memory");
}
__device__ __forceinline__ void mbarrier_arrive(uint32_t bar) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(bar) : "memory");
}
__device__ __forceinline__ void mbarrier_expect_tx(uint32_t bar, uint32_t bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(bar), "r"(bytes) : "memory");
}
__device__ __forceinline__ void mbarrier_wait(uint32_t bar, uint32_t parity) {
  asm volatile(
      "{\n"
      ".reg .pred p;\n"
      "WAIT_LOOP:\n"
      "mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n"
      "@!p bra WAIT_LOOP;\n"
      "}\n" ::"r"(bar), "r"(parity) : "memory");
}
__device__ __forceinline__ void fence_mbarrier_init() { asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"); }
__device__ __forceinline__ void bulk_load(uint32_t dst, const void* src, uint32_t bytes, uint32_t bar) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(dst), "l"(src), "r"(bytes), "r"(bar) : "memory");
}

__global__ void __launch_bounds__(160) copy_ring(const float* in, float* out, int tiles) {
  extern __shared__ __align__(128) float tile[];
  __shared__ uint64_t full[kStages];
  __shared__ uint64_t empty[kStages];
  const int warp = threadIdx.x / 32;
  if (threadIdx.x == 0) {
    for (int s = 0; s < kStages; ++s) {
      mbarrier_init(smem_u32(&full[s]), 1);
      mbarrier_init(smem_u32(&empty[s]), 4);
    }
    fence_mbarrier_init();
  }
  __syncthreads();
  if (warp == 4) {
    if (threadIdx.x == 128) {
      for (int t = 0; t < tiles; ++t) {
        const int stage = t % kStages;
        const int phase = (t / kStages) & 1;
        mbarrier_wait(smem_u32(&empty[stage]), phase ^ 1);
        mbarrier_expect_tx(smem_u32(&full[stage]), kTile * sizeof(float));
        bulk_load(smem_u32(tile + stage * kTile), in + t * kTile, kTile * sizeof(float), smem_u32(&full[stage]));
      }
    }
  } else {
    for (int t = 0; t < tiles; ++t) {
      const int stage = t % kStages;
      const int phase = (t / kStages) & 1;
      mbarrier_wait(smem_u32(&full[stage]), phase);
      for (int i = threadIdx.x; i < kTile; i += 128) out[t * kTile + i] = 2.0f * tile[stage * kTile + i];
      __syncwarp();
      if (threadIdx.x % 32 == 0) mbarrier_arrive(smem_u32(&empty[stage]));
    }
  }
}

void launch(const float* in, float* out, int tiles) {
  cudaFuncSetAttribute(copy_ring, cudaFuncAttributeMaxDynamicSharedMemorySize, kStages * kTile * 4);
  copy_ring<<<1, 160, kStages * kTile * sizeof(float)>>>(in, out, tiles);
}
