// A ring of bulk copies with barriers written in PTX.
#include <cuda_runtime.h>
#include <cstdint>

__device__ static inline void init_barrier(uint64_t* bar, int count) {
  uint32_t addr = static_cast<uint32_t>(__cvta_generic_to_shared(bar));
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;\n" ::"r"(addr), "r"(count));
}

__device__ static inline void expect_bytes(uint64_t* bar, uint32_t bytes) {
  uint32_t addr = static_cast<uint32_t>(__cvta_generic_to_shared(bar));
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;\n" ::"r"(addr), "r"(bytes));
}

__device__ static inline void arrive(uint64_t* bar) {
  uint32_t addr = static_cast<uint32_t>(__cvta_generic_to_shared(bar));
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];\n" ::"r"(addr) : "memory");
}

__device__ static inline void wait(uint64_t* bar, int phase) {
  uint32_t addr = static_cast<uint32_t>(__cvta_generic_to_shared(bar));
  asm volatile(
      "{\n"
      ".reg .pred P1;\n"
      "LAB_WAIT:\n"
      "mbarrier.try_wait.parity.shared::cta.b64 P1, [%0], %1;\n"
      "@P1 bra.uni DONE;\n"
      "bra.uni LAB_WAIT;\n"
      "DONE:\n"
      "}\n" ::"r"(addr), "r"(phase));
}

__device__ static inline void bulk_copy(float* dst, const float* src, uint32_t bytes, uint64_t* bar) {
  uint32_t to = static_cast<uint32_t>(__cvta_generic_to_shared(dst));
  uint32_t addr = static_cast<uint32_t>(__cvta_generic_to_shared(bar));
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];\n" ::"r"(to),
               "l"(src), "r"(bytes), "r"(addr)
               : "memory");
}

template <int QSIZE>
__global__ void __launch_bounds__(256) ring(const float* in, float* out, int tiles) {
  __shared__ alignas(128) float tile[QSIZE][1024];
  __shared__ alignas(8) uint64_t full[QSIZE];
  __shared__ alignas(8) uint64_t empty[QSIZE];
  if (threadIdx.x == 0) {
    for (int i = 0; i < QSIZE; ++i) {
      init_barrier(&full[i], 1);
      init_barrier(&empty[i], 128);
    }
  }
  __syncthreads();
  int wg_idx = threadIdx.x / 128;
  int tid = threadIdx.x % 128;
  if (wg_idx == 0) {
    if (tid == 0) {
      int qidx = 0;
      int p = 0;
      for (int t = 0; t < tiles; ++t) {
        wait(&empty[qidx], p ^ 1);
        expect_bytes(&full[qidx], 1024 * sizeof(float));
        bulk_copy(tile[qidx], in + t * 1024, 1024 * sizeof(float), &full[qidx]);
        qidx++;
        if (qidx == QSIZE) {
          qidx = 0;
          p ^= 1;
        }
      }
    }
  } else {
    int qidx = 0;
    int p = 0;
    for (int t = 0; t < tiles; ++t) {
      wait(&full[qidx], p);
      for (int i = tid; i < 1024; i += 128) out[t * 1024 + i] = 2.0f * tile[qidx][i];
      arrive(&empty[qidx]);
      qidx++;
      if (qidx == QSIZE) {
        qidx = 0;
        p ^= 1;
      }
    }
  }
}

void launch(const float* in, float* out, int tiles) {
  ring<4><<<1, 256>>>(in, out, tiles);
}
