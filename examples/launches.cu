// One kernel, two launches with different traits: each name in the kernel has a value for each, and
// its hover shows both.
#include <cute/tensor.hpp>

using namespace cute;

template <int kM, int kK, class Element_>
struct Traits {
  using Element = Element_;
  static constexpr int kThreads = kM;
  using SmemLayout = Layout<Shape<Int<kM>, Int<kK>>, Stride<Int<kK>, _1>>;
};

template <class Traits>
__global__ void kernel(typename Traits::Element const* source) {
  using Element = typename Traits::Element;
  __shared__ Element memory[cosize_v<typename Traits::SmemLayout>];
  auto tile = make_tensor(make_smem_ptr(memory), typename Traits::SmemLayout{});
  auto mine = local_partition(tile, Layout<Int<Traits::kThreads>>{}, threadIdx.x);
}

void launch(half_t const* halves, float const* floats) {
  kernel<Traits<64, 32, float>><<<1, 64>>>(floats);
  kernel<Traits<128, 64, half_t>><<<1, 128>>>(halves);
}
