#include <cute/tensor.hpp>
using namespace cute;

template <class Tensor_>
__global__ void zero(Tensor_ out) {
  Tensor tile = local_tile(out, Shape<_128, _64>{}, make_coord(blockIdx.x, blockIdx.y));
  Tensor places = local_tile(make_identity_tensor(shape(out)), Shape<_128, _64>{}, make_coord(blockIdx.x, blockIdx.y));
  Tensor part = local_partition(tile, Layout<Shape<_32, _4>>{}, threadIdx.x);
  Tensor mine = local_partition(places, Layout<Shape<_32, _4>>{}, threadIdx.x);
  for (int i = 0; i < size(part); ++i) {
    if (elem_less(mine(i), shape(out))) {
      part(i) = 0.0f;
    }
  }
}

void launch(float* p, int m, int n) {
  Tensor out = make_tensor(make_gmem_ptr(p), make_shape(m, n), make_stride(n, Int<1>{}));
  dim3 grid(ceil_div(m, 128), ceil_div(n, 64));
  zero<<<grid, 128>>>(out);
}
