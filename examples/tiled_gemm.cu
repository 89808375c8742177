// The layouts of a tiled matrix multiply, C(m,n) = sum over k of A(m,k) * B(n,k).
//
// A layout is `shape:stride`. It maps a coordinate to an offset: multiply each coordinate by its
// stride and add up. Sizes written `Int<128>{}` or `_128{}` are known to the compiler (CuTe prints
// them as `_128`); sizes such as `M` are run-time sizes. cute-analyzer shows the value of every name
// below without compiling anything.
//
// Read `multiply` (host) first, then `multiply_kernel` (device).

#include <cute/tensor.hpp>

using namespace cute;

// One block of threads computes one tile of C. Every layout arrives as a template parameter, so
// that the compiler knows it; only the sizes of the problem are run-time values.
template <class ProblemShape, class Tile,
          class StrideA, class SmemA, class ThreadsA,
          class StrideB, class SmemB, class ThreadsB,
          class StrideC, class ThreadsC>
__global__ void
multiply_kernel(ProblemShape problem, Tile tile,
                float const* A, StrideA stride_a, SmemA smem_a, ThreadsA threads_a,
                float const* B, StrideB stride_b, SmemB smem_b, ThreadsB threads_b,
                float*       C, StrideC stride_c, ThreadsC threads_c)
{
  // The matrices: a pointer and a layout.
  Tensor mA = make_tensor(make_gmem_ptr(A), select<0,2>(problem), stride_a);
  Tensor mB = make_tensor(make_gmem_ptr(B), select<1,2>(problem), stride_b);
  Tensor mC = make_tensor(make_gmem_ptr(C), select<0,1>(problem), stride_c);

  // The tiles of this block. The step says which modes of (m,n,k) a matrix has; A and B keep one
  // more mode that runs over the tiles along k.
  auto block = make_coord(blockIdx.x, blockIdx.y, _);
  Tensor gA = local_tile(mA, tile, block, Step<_1, X, _1>{});
  Tensor gB = local_tile(mB, tile, block, Step< X, _1, _1>{});
  Tensor gC = local_tile(mC, tile, block, Step<_1, _1, X>{});

  // Shared memory holds one tile of A and one of B.
  __shared__ float buffer_a[cosize_v<SmemA>];
  __shared__ float buffer_b[cosize_v<SmemB>];
  Tensor sA = make_tensor(make_smem_ptr(buffer_a), smem_a);
  Tensor sB = make_tensor(make_smem_ptr(buffer_b), smem_b);

  // Which elements this thread copies ...
  Tensor copy_gA = local_partition(gA, threads_a, threadIdx.x);
  Tensor copy_sA = local_partition(sA, threads_a, threadIdx.x);
  Tensor copy_gB = local_partition(gB, threads_b, threadIdx.x);
  Tensor copy_sB = local_partition(sB, threads_b, threadIdx.x);

  // ... and which it multiplies: rows of A, rows of B, and its own part of C.
  Tensor mul_sA = local_partition(sA, threads_c, threadIdx.x, Step<_1, X>{});
  Tensor mul_sB = local_partition(sB, threads_c, threadIdx.x, Step< X, _1>{});
  Tensor mul_gC = local_partition(gC, threads_c, threadIdx.x, Step<_1, _1>{});
  Tensor sum = make_tensor_like(mul_gC);
  clear(sum);

  for (int k_tile = 0; k_tile < size<2>(copy_gA); ++k_tile) {
    copy(copy_gA(_, _, k_tile), copy_sA);
    copy(copy_gB(_, _, k_tile), copy_sB);
    cp_async_fence();
    cp_async_wait<0>();
    __syncthreads();
    gemm(mul_sA, mul_sB, sum);
    __syncthreads();
  }
  copy(sum, mul_gC);
}

// Sets up the layouts and launches. M, N and K must be multiples of the tile.
void multiply(int M, int N, int K, float const* A, int ldA, float const* B, int ldB,
              float* C, int ldC)
{
  // The problem: sizes and strides. A and C are stored column by column (stride 1 along m), B with
  // stride 1 along n. `ldA` is a run-time size, the 1 is known.
  auto problem  = make_shape(M, N, K);
  auto stride_a = make_stride(Int<1>{}, ldA);
  auto stride_b = make_stride(Int<1>{}, ldB);
  auto stride_c = make_stride(Int<1>{}, ldC);

  // The tile that one block computes.
  auto tile_m = Int<128>{};
  auto tile_n = Int<64>{};
  auto tile_k = Int<8>{};
  auto tile   = make_shape(tile_m, tile_n, tile_k);

  // Shared memory. Without strides a layout is packed column by column: (128,8):(1,128).
  auto smem_a = make_layout(make_shape(tile_m, tile_k));
  // B's tile is padded by one element per column, so that a column starts in another bank.
  auto smem_b = make_layout(make_shape(tile_n, tile_k), make_stride(Int<1>{}, tile_n + Int<1>{}));

  // 256 threads, arranged once for copying each tile and once for multiplying.
  auto threads_a = make_layout(make_shape(Int<32>{}, Int<8>{}));
  auto threads_b = make_layout(make_shape(Int<32>{}, Int<8>{}));
  auto threads_c = make_layout(make_shape(Int<16>{}, Int<16>{}), LayoutRight{});

  // What the divisions mean: ((thread, value), ...). Each thread copies 4 values of A's tile.
  auto copies_a = zipped_divide(smem_a, shape(threads_a));
  // A thread of `threads_c` owns every 16th row and column of C's tile: 8 x 4 values.
  auto values_c = logical_divide(make_layout(make_shape(tile_m, tile_n)), shape(threads_c));

  // A layout on top of a layout: rows of A's tile read with stride 2. `composition(a, b)(c)` is
  // `a(b(c))` for every c.
  auto every_other = composition(smem_a, make_layout(Int<64>{}, Int<2>{}));

  // A swizzle moves chunks of 8 halves between the rows of a 64-wide tile, so that a column of
  // chunks is in different banks.
  auto swizzled = composition(Swizzle<3, 3, 3>{},
                              make_layout(make_shape(Int<8>{}, Int<64>{}), LayoutRight{}));

  dim3 threads(size(threads_c));
  dim3 blocks(size(ceil_div(M, tile_m)), size(ceil_div(N, tile_n)));
  multiply_kernel<<<blocks, threads>>>(problem, tile,
                                       A, stride_a, smem_a, threads_a,
                                       B, stride_b, smem_b, threads_b,
                                       C, stride_c, threads_c);
}
