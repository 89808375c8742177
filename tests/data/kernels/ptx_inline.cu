// Barrier and bulk copy in assembly of the kernel itself.
#include <cuda_runtime.h>
#include <cstdint>

constexpr int kTile = 1024;

__global__ void scale(const float* in, float* out, int tiles) {
  __shared__ alignas(128) float tile[kTile];
  __shared__ uint64_t bar;
  const uint32_t bar_addr = static_cast<uint32_t>(__cvta_generic_to_shared(&bar));
  const uint32_t tile_addr = static_cast<uint32_t>(__cvta_generic_to_shared(tile));
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(bar_addr), "r"(1));
    asm volatile("fence.proxy.async.shared::cta;");
  }
  __syncthreads();
  uint32_t phase = 0;
  for (int t = blockIdx.x; t < tiles; t += gridDim.x) {
    if (threadIdx.x == 0) {
      asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(bar_addr), "r"(kTile * 4));
      asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(tile_addr), "l"(in + t * kTile), "r"(kTile * 4), "r"(bar_addr) : "memory");
    }
    asm volatile(
        "{\n\t.reg .pred P1;\n\tWAIT:\n\tmbarrier.try_wait.parity.shared.b64 P1, [%0], %1;\n\t@P1 bra DONE;\n\tbra WAIT;\n\tDONE:\n\t}"
        ::"r"(bar_addr), "r"(phase));
    phase ^= 1;
    for (int i = threadIdx.x; i < kTile; i += 256) out[t * kTile + i] = 3.0f * tile[i];
    __syncthreads();
  }
}

void launch(const float* in, float* out, int tiles) { scale<<<132, 256>>>(in, out, tiles); }
