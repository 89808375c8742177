// A tile by a tensor map, transposed in registers and stored by another one; the barrier is one of CUDA.
#include <cuda.h>
#include <cuda/barrier>
#include <utility>

using barrier = cuda::barrier<cuda::thread_scope_block>;
namespace cde = cuda::device::experimental;

constexpr int kRows = 32;
constexpr int kColumns = 32;

__global__ void negate(const __grid_constant__ CUtensorMap from, const __grid_constant__ CUtensorMap to) {
  __shared__ alignas(128) int tile[kRows][kColumns];
  __shared__ barrier bar;
  if (threadIdx.x == 0) {
    init(&bar, blockDim.x);
    cde::fence_proxy_async_shared_cta();
  }
  __syncthreads();
  const int x = blockIdx.x * kColumns;
  const int y = blockIdx.y * kRows;
  barrier::arrival_token token;
  if (threadIdx.x == 0) {
    cde::cp_async_bulk_tensor_2d_global_to_shared(&tile, &from, x, y, bar);
    token = cuda::device::barrier_arrive_tx(bar, 1, sizeof(tile));
  } else {
    token = bar.arrive();
  }
  bar.wait(std::move(token));
  for (int r = threadIdx.x / 32; r < kRows; r += 4) tile[r][threadIdx.x % 32] = -tile[r][threadIdx.x % 32];
  cde::fence_proxy_async_shared_cta();
  __syncthreads();
  if (threadIdx.x == 0) {
    cde::cp_async_bulk_tensor_2d_shared_to_global(&to, x, y, &tile);
    cde::cp_async_bulk_commit_group();
    cde::cp_async_bulk_wait_group_read<0>();
  }
}

void launch(CUtensorMap from, CUtensorMap to, int m, int n) {
  dim3 grid(n / kColumns, m / kRows);
  negate<<<grid, 128>>>(from, to);
}
