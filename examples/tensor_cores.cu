// A tile of C = A * B^T on the tensor cores of Ampere: tiled copies, padded tiles of
// shared memory, and a tiled MMA. Rest the pointer on any name.

#include <cute/tensor.hpp>

using namespace cute;

template <class TiledCopyA, class TiledCopyB, class Mma, class LayoutA, class LayoutB>
__global__ void multiply_tile(half_t const* A, half_t const* B, float* C,
                              TiledCopyA copy_a, TiledCopyB copy_b, Mma mma,
                              LayoutA layout_a, LayoutB layout_b)
{
  // What the block works on: one tile of each matrix.
  Tensor gA = make_tensor(make_gmem_ptr(A), make_shape(_128{}, _64{}), make_stride(_64{}, _1{}));
  Tensor gB = make_tensor(make_gmem_ptr(B), make_shape(_128{}, _64{}), make_stride(_64{}, _1{}));
  Tensor gC = make_tensor(make_gmem_ptr(C), make_shape(_128{}, _128{}), make_stride(_128{}, _1{}));

  __shared__ half_t memory_a[cosize_v<LayoutA>];
  __shared__ half_t memory_b[cosize_v<LayoutB>];
  Tensor sA = make_tensor(make_smem_ptr(memory_a), layout_a);
  Tensor sB = make_tensor(make_smem_ptr(memory_b), layout_b);

  // What one thread copies.
  auto thread_a = copy_a.get_slice(threadIdx.x);
  auto thread_b = copy_b.get_slice(threadIdx.x);
  Tensor from_a = thread_a.partition_S(gA);   // (CPY,CPY_M,CPY_K)
  Tensor to_a   = thread_a.partition_D(sA);   // (CPY,CPY_M,CPY_K)
  Tensor from_b = thread_b.partition_S(gB);   // (CPY,CPY_N,CPY_K)
  Tensor to_b   = thread_b.partition_D(sB);   // (CPY,CPY_N,CPY_K)
  copy(copy_a, from_a, to_a);
  copy(copy_b, from_b, to_b);
  cp_async_fence();
  cp_async_wait<0>();
  __syncthreads();

  // What one thread multiplies.
  auto thread = mma.get_slice(threadIdx.x);
  Tensor part_a = thread.partition_A(sA);           // (MMA,MMA_M,MMA_K)
  Tensor part_b = thread.partition_B(sB);           // (MMA,MMA_N,MMA_K)
  Tensor part_c = thread.partition_C(gC);           // (MMA,MMA_M,MMA_N)
  Tensor held_a = thread.partition_fragment_A(sA);  // (MMA,MMA_M,MMA_K)
  Tensor held_b = thread.partition_fragment_B(sB);  // (MMA,MMA_N,MMA_K)
  Tensor sum    = thread.make_fragment_C(part_c);   // (MMA,MMA_M,MMA_N)
  clear(sum);
  copy(part_a, held_a);
  copy(part_b, held_b);
  gemm(mma, held_a, held_b, sum);
  copy(sum, part_c);
}

void multiply(half_t const* A, half_t const* B, float* C)
{
  // Rows of 64 elements and 8 of padding: 8 rows of 16 bytes, as one instruction reads them, meet
  // no bank twice.
  auto layout_a = make_layout(make_shape(_128{}, _64{}), make_stride(_72{}, _1{}));
  auto layout_b = make_layout(make_shape(_128{}, _64{}), make_stride(_72{}, _1{}));

  // Without padding, a swizzle does the same: 8 elements move together.
  auto atom = composition(Swizzle<3, 3, 3>{},
                          make_layout(make_shape(_8{}, _64{}), make_stride(_64{}, _1{})));
  auto swizzled = tile_to_shape(atom, make_shape(_128{}, _64{}));

  // 128 threads; each copies 16 bytes at once.
  auto copy_a = make_tiled_copy(Copy_Atom<SM80_CP_ASYNC_CACHEALWAYS<uint128_t>, half_t>{},
                                make_layout(make_shape(_16{}, _8{}), make_stride(_8{}, _1{})),
                                make_layout(make_shape(_1{}, _8{})));
  auto copy_b = copy_a;

  // Two by two instructions, each of 16 x 8 x 16.
  auto mma = make_tiled_mma(MMA_Atom<SM80_16x8x16_F32F16F16F32_TN>{},
                            make_layout(make_shape(_2{}, _2{})));

  multiply_tile<<<1, 128>>>(A, B, C, copy_a, copy_b, mma, layout_a, layout_b);
}
