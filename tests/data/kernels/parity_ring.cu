// A ring of bulk copies with barriers of CUDA, waited for by their parity; one warp copies, the others add up.
#include <cuda/barrier>
#include <cuda/ptx>

using barrier = cuda::barrier<cuda::thread_scope_block>;
namespace ptx = cuda::ptx;

constexpr int kStages = 3;
constexpr int kTile = 1024;
constexpr int kConsumers = 128;

__global__ void __launch_bounds__(kConsumers + 32) sums(const float* in, float* out, int tiles) {
  __shared__ alignas(128) float tile[kStages][kTile];
  __shared__ barrier full[kStages];
  __shared__ barrier empty[kStages];
  if (threadIdx.x == 0) {
    for (int s = 0; s < kStages; ++s) {
      init(&full[s], 1);
      init(&empty[s], kConsumers);
    }
    ptx::fence_proxy_async(ptx::space_shared);
  }
  __syncthreads();
  int stage = 0;
  int phase = 0;
  if (threadIdx.x >= kConsumers) {
    if (threadIdx.x == kConsumers) {
      for (int t = 0; t < tiles; ++t) {
        empty[stage].wait_parity(phase ^ 1);
        cuda::device::memcpy_async_tx(tile[stage], in + t * kTile, cuda::aligned_size_t<16>(sizeof(tile[0])), full[stage]);
        auto token = cuda::device::barrier_arrive_tx(full[stage], 1, sizeof(tile[0]));
        if (++stage == kStages) {
          stage = 0;
          phase ^= 1;
        }
      }
    }
  } else {
    float sum = 0.0f;
    for (int t = 0; t < tiles; ++t) {
      full[stage].wait_parity(phase);
      for (int i = threadIdx.x; i < kTile; i += kConsumers) sum += tile[stage][i];
      auto token = empty[stage].arrive();
      if (++stage == kStages) {
        stage = 0;
        phase ^= 1;
      }
    }
    out[blockIdx.x * kConsumers + threadIdx.x] = sum;
  }
}

void launch(const float* in, float* out, int tiles) { sums<<<1, kConsumers + 32>>>(in, out, tiles); }
