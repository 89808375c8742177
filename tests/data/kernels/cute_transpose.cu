// A transpose: rows in, columns out, through a swizzled tile.
#include <cute/tensor.hpp>

using namespace cute;

template <class TensorS, class TensorD, class SmemLayoutS, class ThreadLayoutS, class SmemLayoutD, class ThreadLayoutD>
__global__ void __launch_bounds__(256) transpose_smem(TensorS S, TensorD D, SmemLayoutS, ThreadLayoutS tS,
                                                      SmemLayoutD, ThreadLayoutD tD) {
  using Element = typename TensorS::value_type;
  __shared__ alignas(16) Element smem[cosize_v<SmemLayoutS>];
  Tensor gS = S(make_coord(_, _), blockIdx.x, blockIdx.y);
  Tensor gD = D(make_coord(_, _), blockIdx.y, blockIdx.x);
  Tensor sS = make_tensor(make_smem_ptr(smem), SmemLayoutS{});
  Tensor sD = make_tensor(make_smem_ptr(smem), SmemLayoutD{});
  Tensor tSgS = local_partition(gS, tS, threadIdx.x);
  Tensor tSsS = local_partition(sS, tS, threadIdx.x);
  Tensor tDgD = local_partition(gD, tD, threadIdx.x);
  Tensor tDsD = local_partition(sD, tD, threadIdx.x);
  copy(tSgS, tSsS);
  __syncthreads();
  copy(tDsD, tDgD);
}

void launch(float* d_S, float* d_D, int M, int N) {
  auto shape_S = make_shape(M, N);
  auto shape_D = make_shape(N, M);
  Tensor tensor_S = make_tensor(make_gmem_ptr(d_S), make_layout(shape_S, make_stride(N, Int<1>{})));
  Tensor tensor_D = make_tensor(make_gmem_ptr(d_D), make_layout(shape_D, make_stride(M, Int<1>{})));
  auto block = make_shape(Int<64>{}, Int<64>{});
  Tensor tiled_S = tiled_divide(tensor_S, block);
  Tensor tiled_D = tiled_divide(tensor_D, block);
  auto tile_S = make_layout(block, LayoutRight{});
  auto smem_S = composition(Swizzle<5, 0, 6>{}, tile_S);
  auto smem_D = composition(smem_S, make_layout(block, LayoutRight{}));
  auto threads_S = make_layout(make_shape(Int<8>{}, Int<32>{}), LayoutRight{});
  auto threads_D = make_layout(make_shape(Int<8>{}, Int<32>{}), LayoutRight{});
  dim3 gridDim(size<1>(tiled_S), size<2>(tiled_S));
  dim3 blockDim(size(threads_S));
  transpose_smem<<<gridDim, blockDim>>>(tiled_S, tiled_D, smem_S, threads_S, smem_D, threads_D);
}
