// Kernels for Hopper whose shared memory, registers and residency nvcc judges: see `cargo xtask bounds`.

#include <cute/tensor.hpp>
#include <cutlass/arch/reg_reconfig.h>
#include <cutlass/arch/barrier.h>

using namespace cute;

using Atom = GMMA::Layout_K_SW128_Atom<half_t>;
using LayoutA = decltype(tile_to_shape(Atom{}, Shape<_64, _64, _3>{}));
using LayoutB = decltype(tile_to_shape(Atom{}, Shape<_128, _64, _3>{}));

struct Stages {
  alignas(1024) ArrayEngine<half_t, cosize_v<LayoutA>> A;
  alignas(1024) ArrayEngine<half_t, cosize_v<LayoutB>> B;
  uint64_t full[3];
};

template <class Mma>
__device__ void accumulate(Mma const& mma, float* C) {
  extern __shared__ __align__(1024) char memory[];
  Stages& stages = *reinterpret_cast<Stages*>(memory);
  Tensor sA = make_tensor(make_smem_ptr(stages.A.begin()), LayoutA{});
  Tensor sB = make_tensor(make_smem_ptr(stages.B.begin()), LayoutB{});
  auto thr = mma.get_slice(threadIdx.x % 128);
  Tensor tCrA = thr.make_fragment_A(thr.partition_A(sA));
  Tensor tCrB = thr.make_fragment_B(thr.partition_B(sB));
  Tensor gC = make_tensor(make_gmem_ptr(C), Layout<Shape<_64, _128>, Stride<_128, _1>>{});
  Tensor tCgC = thr.partition_C(gC);
  Tensor tCrC = thr.make_fragment_C(tCgC);
  clear(tCrC);
  warpgroup_fence_operand(tCrC);
  warpgroup_arrive();
  gemm(mma, tCrA(_, _, _, 0), tCrB(_, _, _, 0), tCrC);
  warpgroup_commit_batch();
  warpgroup_wait<0>();
  warpgroup_fence_operand(tCrC);
  copy(tCrC, tCgC);
}

__global__ void __launch_bounds__(128) one_warp_group(float* C) {
  extern __shared__ __align__(1024) char memory[];
  Stages& stages = *reinterpret_cast<Stages*>(memory);
  TiledMMA mma = make_tiled_mma(SM90_64x128x16_F32F16F16_SS<GMMA::Major::K, GMMA::Major::K>{});
  Tensor sA = make_tensor(make_smem_ptr(stages.A.begin()), LayoutA{});
  Tensor sB = make_tensor(make_smem_ptr(stages.B.begin()), LayoutB{});
  ThrMMA thr = mma.get_slice(threadIdx.x);
  Tensor tCrA = thr.make_fragment_A(thr.partition_A(sA));
  Tensor tCrB = thr.make_fragment_B(thr.partition_B(sB));
  Tensor gC = make_tensor(make_gmem_ptr(C), Layout<Shape<_64, _128>, Stride<_128, _1>>{});
  Tensor tCgC = thr.partition_C(gC);
  Tensor tCrC = thr.make_fragment_C(tCgC);
  clear(tCrC);
  warpgroup_fence_operand(tCrC);
  warpgroup_arrive();
  gemm(mma, tCrA(_, _, _, 0), tCrB(_, _, _, 0), tCrC);
  warpgroup_commit_batch();
  warpgroup_wait<0>();
  warpgroup_fence_operand(tCrC);
  copy(tCrC, tCgC);
}

// One group gives registers to two others.
__global__ void __launch_bounds__(384, 1) three_warp_groups(float* C) {
  extern __shared__ __align__(1024) char memory[];
  Stages& stages = *reinterpret_cast<Stages*>(memory);
  int group = threadIdx.x / 128;
  if (group == 0) {
    cutlass::arch::warpgroup_reg_dealloc<40>();
    stages.full[threadIdx.x % 3] = 1;
  } else {
    cutlass::arch::warpgroup_reg_alloc<232>();
    TiledMMA mma = make_tiled_mma(SM90_64x128x16_F32F16F16_SS<GMMA::Major::K, GMMA::Major::K>{});
    accumulate(mma, C + group * 64 * 128);
  }
}

// 240 + 240 + 24 registers: all of a multiprocessor, for one CTA.
__global__ void __launch_bounds__(384) all_registers(float* C) {
  __shared__ float sums[384];
  int group = threadIdx.x / 128;
  sums[threadIdx.x] = C[threadIdx.x];
  __syncthreads();
  if (group == 0) {
    cutlass::arch::warpgroup_reg_dealloc<24>();
  } else {
    cutlass::arch::warpgroup_reg_alloc<240>();
    Tensor kept = make_tensor<float>(Shape<_128>{});
    for (int i = 0; i < 128; ++i) { kept(i) = C[threadIdx.x * 128 + i]; }
    for (int i = 0; i < 128; ++i) { C[threadIdx.x * 128 + i] = kept(127 - i) * sums[i]; }
  }
}

// Two groups of 64 and 32 registers: more than one CTA is resident.
__global__ void __launch_bounds__(256, 2) few_registers(float* C) {
  __shared__ float sums[256];
  sums[threadIdx.x] = C[threadIdx.x];
  __syncthreads();
  if (threadIdx.x < 128) {
    cutlass::arch::warpgroup_reg_dealloc<32>();
    C[threadIdx.x] = sums[255 - threadIdx.x];
  } else {
    cutlass::arch::warpgroup_reg_alloc<160>();
    Tensor kept = make_tensor<float>(Shape<_64>{});
    for (int i = 0; i < 64; ++i) { kept(i) = C[threadIdx.x * 64 + i]; }
    for (int i = 0; i < 64; ++i) { C[threadIdx.x * 64 + i] = kept(63 - i) * sums[i]; }
  }
}

// It asks for more than its struct has, to be alone on its multiprocessor.
__global__ void alone(float* C) {
  extern __shared__ __align__(1024) char memory[];
  Stages& stages = *reinterpret_cast<Stages*>(memory);
  stages.full[threadIdx.x % 3] = threadIdx.x;
  __syncthreads();
  C[threadIdx.x] = float(stages.full[(threadIdx.x + 1) % 3]);
}

int main() {
  float* floats = nullptr;
  for (auto kernel : {one_warp_group, three_warp_groups, alone}) {
    cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 120 * 1024);
  }
  one_warp_group<<<1, 128, sizeof(Stages)>>>(floats);
  three_warp_groups<<<1, 384, sizeof(Stages)>>>(floats);
  all_registers<<<1, 384>>>(floats);
  few_registers<<<1, 256>>>(floats);
  alone<<<1, 128, 120 * 1024>>>(floats);
}
