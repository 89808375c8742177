// Elementwise sums by tiled copies, one with a predicate for the last tile.
#include <cute/tensor.hpp>

using namespace cute;

template <class Tensor_, class Copy>
__global__ void add(Tensor_ a, Tensor_ b, Tensor_ c, Copy tiled_copy) {
  Tensor gA = a(make_coord(_, _), blockIdx.x, blockIdx.y);
  Tensor gB = b(make_coord(_, _), blockIdx.x, blockIdx.y);
  Tensor gC = c(make_coord(_, _), blockIdx.x, blockIdx.y);
  auto thread = tiled_copy.get_slice(threadIdx.x);
  Tensor tA = thread.partition_S(gA);
  Tensor tB = thread.partition_S(gB);
  Tensor tC = thread.partition_D(gC);
  Tensor rA = make_fragment_like(tA);
  Tensor rB = make_fragment_like(tB);
  copy(tiled_copy, tA, rA);
  copy(tiled_copy, tB, rB);
  for (int i = 0; i < size(rA); ++i) rA(i) = rA(i) + rB(i);
  copy(tiled_copy, rA, tC);
}

template <class Tiler, class Copy>
__global__ void scale(float const* p, float* q, int m, int n, int64_t ld, Tiler tiler, Copy tiled_copy) {
  Tensor in = make_tensor(make_gmem_ptr(p), make_shape(m, n), make_stride(ld, Int<1>{}));
  Tensor out = make_tensor(make_gmem_ptr(q), make_shape(m, n), make_stride(ld, Int<1>{}));
  Tensor places = make_identity_tensor(shape(in));
  auto coord = make_coord(blockIdx.x, blockIdx.y);
  Tensor gI = local_tile(in, tiler, coord);
  Tensor gO = local_tile(out, tiler, coord);
  Tensor gP = local_tile(places, tiler, coord);
  auto thread = tiled_copy.get_thread_slice(threadIdx.x);
  Tensor tI = thread.partition_S(gI);
  Tensor tO = thread.partition_D(gO);
  Tensor tP = thread.partition_S(gP);
  Tensor pred = make_tensor<bool>(shape(tI));
  for (int i = 0; i < size(pred); ++i) pred(i) = elem_less(tP(i), shape(in));
  Tensor r = make_fragment_like(tO);
  clear(r);
  copy_if(tiled_copy, pred, tI, r);
  for (int i = 0; i < size(r); ++i) r(i) = 2 * r(i);
  copy_if(tiled_copy, pred, r, tO);
}

void launch(float const* a, float const* b, float* c, int m, int n) {
  auto shape = make_shape(m, n);
  auto stride = make_stride(n, Int<1>{});
  auto block = make_shape(Int<64>{}, Int<128>{});
  Tensor A = tiled_divide(make_tensor(make_gmem_ptr(a), shape, stride), block);
  Tensor B = tiled_divide(make_tensor(make_gmem_ptr(b), shape, stride), block);
  Tensor C = tiled_divide(make_tensor(make_gmem_ptr(c), shape, stride), block);
  auto vectors = make_tiled_copy(Copy_Atom<UniversalCopy<uint128_t>, float>{},
                                 make_layout(make_shape(Int<8>{}, Int<32>{}), LayoutRight{}),
                                 make_layout(make_shape(Int<1>{}, Int<4>{})));
  auto scalars = make_tiled_copy(Copy_Atom<UniversalCopy<float>, float>{},
                                 make_layout(make_shape(Int<8>{}, Int<32>{}), LayoutRight{}),
                                 make_layout(make_shape(Int<1>{}, Int<1>{})));
  dim3 block_dim(256);
  dim3 grid(size<1>(A), size<2>(A));
  add<<<grid, block_dim>>>(A, B, C, vectors);
  dim3 rounded(ceil_div(m, 64), ceil_div(n, 128));
  scale<<<rounded, block_dim>>>(a, c, m, n, n, block, scalars);
}
