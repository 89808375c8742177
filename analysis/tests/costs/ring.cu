#include <cute/tensor.hpp>
using namespace cute;

constexpr int Stages = 3;

struct Storage {
  alignas(128) half_t a[64 * 64 * 4];
  uint64_t full[Stages];
};

__global__ void multiply(int tiles) {
  extern __shared__ char bytes[];
  Storage& smem = *reinterpret_cast<Storage*>(bytes);
  Tensor sA = make_tensor(make_smem_ptr(smem.a), Layout<Shape<_64, _64, _3>, Stride<_1, _64, Int<4096>>>{});
  Tensor rA = make_tensor<half_t>(Shape<_64, _64>{});
  if (threadIdx.x == 0) {
    for (int stage = 0; stage < Stages; ++stage) {
      cutlass::arch::ClusterBarrier::init(&smem.full[stage], 1);
    }
  }
  __syncthreads();
  for (int fill = 0; fill < Stages; ++fill) {
    copy(rA, sA(_, _, fill));
  }
  int read = 0;
  int write = 0;
  int phase = 0;
  for (int k = 0; k < tiles; ++k) {
    copy(sA(_, _, read), rA);
    read = (read + 1) % Stages;
  }
}

void launch(int tiles) {
  multiply<<<64, 128, sizeof(Storage)>>>(tiles);
}
