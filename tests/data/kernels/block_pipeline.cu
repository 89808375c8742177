// Batches in a ring of stages, by the pipeline of a block.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/pipeline>

namespace cg = cooperative_groups;

constexpr int kStages = 2;
constexpr int kThreads = 128;

__global__ void sums(const int* in, int* out, int batches) {
  auto block = cg::this_thread_block();
  __shared__ int shared[kStages][kThreads];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, kStages> state;
  auto pipe = cuda::make_pipeline(block, &state);
  int sum = 0;
  for (int compute = 0, fetch = 0; compute < batches; ++compute) {
    for (; fetch < batches && fetch < compute + kStages; ++fetch) {
      pipe.producer_acquire();
      cuda::memcpy_async(block, shared[fetch % kStages], in + fetch * kThreads, sizeof(int) * kThreads, pipe);
      pipe.producer_commit();
    }
    pipe.consumer_wait();
    sum += shared[compute % kStages][kThreads - 1 - threadIdx.x];
    pipe.consumer_release();
  }
  out[threadIdx.x] = sum;
}

void launch(const int* in, int* out, int batches) { sums<<<1, kThreads>>>(in, out, batches); }
