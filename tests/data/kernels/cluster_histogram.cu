// A histogram whose bins are spread over the shared memory of a cluster.
#include <cooperative_groups.h>
#include <cuda_runtime.h>

namespace cg = cooperative_groups;

constexpr int kThreads = 256;
constexpr int kBins = 1024;
constexpr int kCluster = 2;
constexpr int kLocal = kBins / kCluster;

__global__ void count(const int* keys, int* bins, int n) {
  extern __shared__ int local[];
  cg::cluster_group cluster = cg::this_cluster();
  for (int i = threadIdx.x; i < kLocal; i += kThreads) local[i] = 0;
  cluster.sync();
  const int stride = gridDim.x * kThreads;
  for (int i = blockIdx.x * kThreads + threadIdx.x; i < n; i += stride) {
    const int bin = keys[i] % kBins;
    int* there = cluster.map_shared_rank(local, bin / kLocal);
    atomicAdd(there + bin % kLocal, 1);
  }
  cluster.sync();
  const int first = cluster.block_rank() * kLocal;
  for (int i = threadIdx.x; i < kLocal; i += kThreads) atomicAdd(&bins[first + i], local[i]);
}

void launch(const int* keys, int* bins, int n) {
  cudaLaunchAttribute attribute[1];
  attribute[0].id = cudaLaunchAttributeClusterDimension;
  attribute[0].val.clusterDim.x = kCluster;
  attribute[0].val.clusterDim.y = 1;
  attribute[0].val.clusterDim.z = 1;
  cudaLaunchConfig_t config = {0};
  config.gridDim = 64;
  config.blockDim = kThreads;
  config.dynamicSmemBytes = kLocal * sizeof(int);
  config.attrs = attribute;
  config.numAttrs = 1;
  cudaLaunchKernelEx(&config, count, keys, bins, n);
}
