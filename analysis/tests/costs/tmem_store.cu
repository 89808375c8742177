#include <cute/tensor.hpp>
using namespace cute;

__global__ void scale(float* q) {
  __shared__ uint32_t base;
  TiledMMA mma = make_tiled_mma(SM100_MMA_F16BF16_SS<half_t, half_t, float, 128, 128, UMMA::Major::K, UMMA::Major::K>{});
  Tensor gC = make_tensor(make_gmem_ptr(q), make_layout(make_shape(Int<128>{}, Int<128>{}), LayoutRight{}));
  ThrMMA slice = mma.get_slice(0);
  Tensor gD = slice.partition_C(gC);
  Tensor accumulators = slice.make_fragment_C(gD);
  TMEM::Allocator2Sm allocator{};
  cluster_sync();
  if (threadIdx.x < 32) {
    allocator.allocate(128, &base);
  }
  cluster_sync();
  accumulators.data() = base;
  TiledCopy store = make_tmem_copy(SM100_TMEM_STORE_32dp32b32x{}, accumulators);
  ThrCopy giving = store.get_slice(threadIdx.x);
  Tensor into = giving.partition_D(accumulators);
  TiledCopy load = make_tmem_copy(SM100_TMEM_LOAD_32dp32b32x{}, accumulators);
  ThrCopy taking = load.get_slice(threadIdx.x);
  Tensor from = taking.partition_S(accumulators);
  Tensor to = taking.partition_D(gD);
  Tensor registers = make_tensor<float>(shape(to));
  copy(to, registers);
  copy(store, registers, into);
  cutlass::arch::fence_view_async_tmem_store();
  copy(load, from, registers);
  cutlass::arch::fence_view_async_tmem_load();
  copy(registers, to);
  cluster_sync();
  if (threadIdx.x < 32) {
    allocator.free(base, 128);
  }
}

void launch(float* q) {
  scale<<<2, 128>>>(q);
}
