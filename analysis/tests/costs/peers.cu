#include <cute/tensor.hpp>
#include <cooperative_groups.h>
using namespace cute;

__global__ void add(float const* p, float* q) {
  __shared__ float part[128];
  auto cluster = cooperative_groups::this_cluster();
  int at = blockIdx.x * 128 + threadIdx.x;
  part[threadIdx.x] = p[at];
  cluster.sync();
  unsigned peer = cluster.block_rank() ^ 1;
  float const* other = cluster.map_shared_rank(part, peer);
  q[at] = part[threadIdx.x] + other[threadIdx.x];
  cluster.sync();
}

void launch(float const* p, float* q) {
  add<<<2, 128>>>(p, q);
}
