// The end of a GEMM: two warp groups write their halves of a tile, one thread of each stores it by TMA.
#include <cute/tensor.hpp>
#include <cutlass/arch/barrier.h>

using namespace cute;

constexpr int kRows = 128;
constexpr int kColumns = 64;

struct Shared {
  alignas(128) float tile[2][kRows * kColumns];
};

template <class Atom>
__global__ void __launch_bounds__(256) bias_store(const float* in, const float* bias, const __grid_constant__ Atom atom, int m, int n) {
  extern __shared__ char bytes[];
  Shared& smem = *reinterpret_cast<Shared*>(bytes);
  const int group = threadIdx.x / 128;
  const int thread = threadIdx.x % 128;
  auto layout = make_layout(make_shape(Int<kRows>{}, Int<kColumns>{}), LayoutRight{});
  Tensor shared = make_tensor(make_smem_ptr(smem.tile[group]), layout);
  Tensor source = make_tensor(make_gmem_ptr(in), make_shape(m, n), make_stride(n, Int<1>{}));
  Tensor tile = local_tile(source, make_shape(Int<kRows>{}, Int<kColumns>{}), make_coord(blockIdx.x * 2 + group, blockIdx.y));
  auto threads = make_layout(make_shape(Int<8>{}, Int<16>{}), LayoutRight{});
  Tensor from = local_partition(tile, threads, thread);
  Tensor to = local_partition(shared, threads, thread);
  for (int i = 0; i < size(from); ++i) to(i) = from(i) + bias[blockIdx.y];
  tma_store_fence();
  cutlass::arch::NamedBarrier::sync(128, group + 1);
  if (thread == 0) {
    Tensor result = atom.get_tma_tensor(make_shape(m, n));
    Tensor whole = local_tile(result, make_shape(Int<kRows>{}, Int<kColumns>{}), make_coord(blockIdx.x * 2 + group, blockIdx.y));
    auto [of_global, of_shared] = tma_partition(atom, Int<0>{}, Layout<_1>{}, group_modes<0, 2>(shared), group_modes<0, 2>(whole));
    copy(atom, of_shared, of_global);
    tma_store_arrive();
    tma_store_wait<0>();
  }
}

void launch(const float* in, const float* bias, float* out, int m, int n) {
  if (m % (2 * kRows) != 0 || n % kColumns != 0) return;
  auto layout = make_layout(make_shape(Int<kRows>{}, Int<kColumns>{}), LayoutRight{});
  Tensor result = make_tensor(make_gmem_ptr(out), make_shape(m, n), make_stride(n, Int<1>{}));
  auto atom = make_tma_copy(SM90_TMA_STORE{}, result, layout);
  dim3 grid(ceil_div(m, 2 * kRows), ceil_div(n, kColumns));
  dim3 block(256);
  cudaFuncSetAttribute(bias_store<decltype(atom)>, cudaFuncAttributeMaxDynamicSharedMemorySize, sizeof(Shared));
  bias_store<<<grid, block, sizeof(Shared)>>>(in, bias, atom, m, n);
}
