#include <cute/tensor.hpp>
using namespace cute;

template <class Predicate>
__global__ void load(float const* p, Predicate pred) {
  __shared__ float buffer[2048];
  Tensor shared = make_tensor(make_smem_ptr(buffer), make_shape(Int<128>{}, Int<8>{}), LayoutLeft{});
  Tensor global = make_tensor(make_gmem_ptr(p), make_shape(Int<128>{}, Int<8>{}));
  auto tiled = make_tiled_copy(Copy_Atom<UniversalCopy<float>, float>{}, Layout<Shape<_32, _8>>{}, Layout<Shape<_4, _1>>{});
  auto slice = tiled.get_slice(threadIdx.x);
  copy(tiled, slice.partition_S(global), slice.partition_D(shared));
}

__global__ void multiply(half_t const* a, half_t const* b, float* c) {
  TiledMMA mma = make_tiled_mma(UniversalFMA<float, half_t, half_t>{}, Layout<Shape<_8, _8, _1>>{});
  auto tile = make_layout(make_shape(Int<16>{}, Int<16>{}), LayoutRight{});
  Tensor gA = make_tensor(make_gmem_ptr(a), tile);
  Tensor gB = make_tensor(make_gmem_ptr(b), tile);
  Tensor gC = make_tensor(make_gmem_ptr(c), tile);
  ThrMMA part = mma.get_slice(threadIdx.x);
  Tensor rA = part.partition_fragment_A(gA);
  Tensor rB = part.partition_fragment_B(gB);
  Tensor rC = part.partition_fragment_C(gC);
  clear(rC);
  gemm(mma, rA, rB, rC);
  copy(rC, part.partition_C(gC));
}

void launch(float const* p, half_t const* a, half_t const* b, float* c, int n) {
  load<<<1, 256>>>(p, nullptr);
  multiply<<<1, 64>>>(a, b, c);
}
