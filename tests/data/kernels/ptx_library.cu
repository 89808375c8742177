// Barriers by the functions of cuda::ptx: each CTA scales its tiles in a grid-stride loop, in place, and stores them in bulk.
#include <cuda/ptx>
#include <cstdint>

namespace ptx = cuda::ptx;

constexpr int kTile = 2048;
constexpr int kThreads = 256;

__global__ void scale(const float* in, float* out, int tiles, float factor) {
  __shared__ alignas(128) float tile[kTile];
  __shared__ uint64_t bar;
  if (threadIdx.x == 0) {
    ptx::mbarrier_init(&bar, 1);
    ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
  }
  __syncthreads();
  int parity = 0;
  for (int t = blockIdx.x; t < tiles; t += gridDim.x) {
    if (threadIdx.x == 0) {
      ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile, in + t * kTile, sizeof(tile), &bar);
      ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar, sizeof(tile));
    }
    while (!ptx::mbarrier_try_wait_parity(&bar, parity)) {
    }
    parity ^= 1;
    for (int i = threadIdx.x; i < kTile; i += kThreads) tile[i] *= factor;
    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    if (threadIdx.x == 0) {
      ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out + t * kTile, tile, sizeof(tile));
      ptx::cp_async_bulk_commit_group();
      ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
    }
  }
}

void launch(const float* in, float* out, int tiles, float factor) { scale<<<132, kThreads>>>(in, out, tiles, factor); }
