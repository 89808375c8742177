// The layouts of a small tiled GEMM: what the tests in `edited.rs` edit.
#include <cute/tensor.hpp>

using namespace cute;

template <class Shape, class Stride>
auto transposed(Layout<Shape, Stride> const& layout)
{
  return make_layout(reverse(layout.shape()), reverse(layout.stride()));
}

void tiled(int M, int N, int K)
{
  auto shape = make_shape(M, N, K);
  auto dA = make_stride(Int<1>{}, M);
  auto bM = Int<128>{};
  auto bK = Int<8>{};
  auto cta = make_shape(bM, Int<128>{}, bK);

  auto sA = make_layout(make_shape(bM, bK));                 // (é) m-major
  auto sB = make_layout(make_shape(Int<128>{}, bK), LayoutRight{});
  auto tA = make_layout(make_shape(Int<32>{}, Int<8>{}));
  auto tC = Layout<Shape<_16, _16>, Stride<_1, _16>>{};

  auto parts = logical_divide(sA, make_tile(Int<32>{}, Int<8>{}));
  auto zipped = zipped_divide(sA, make_tile(Int<32>{}, Int<8>{}));
  auto picked = composition(sA, Layout<_64, _2>{});
  auto rest = complement(Layout<_4, _2>{}, Int<24>{});
  auto flat = coalesce(Layout<Shape<_2, Shape<_1, _6>>, Stride<_1, Stride<_6, _2>>>{});
  auto product = logical_product(Layout<Shape<_2, _2>, Stride<_4, _1>>{}, Layout<_6, _1>{});
  using Atom = Layout<Shape<_8, _64>, Stride<_64, _1>>;
  auto swizzled = composition(Swizzle<3, 4, 3>{}, Atom{});
}
