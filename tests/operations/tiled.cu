// The methods of tiled copies and MMAs on layouts and tensors, and elements in lists of types: the stage `oracle` compares the
// results with those of g++.
#include <cute/tensor.hpp>
#include <cute/atom/mma_traits_sm80.hpp>
#include <cute/atom/mma_traits_sm90_gmma.hpp>
using namespace cute;

// A tiled MMA with all of a tile.
template <class M, class A, class B, class C>
void of_mma(M const& mma, A const& a, B const& b, C const& c) {
  auto threads_of_a = mma.thrfrg_A(a);
  auto threads_of_b = mma.thrfrg_B(b);
  auto threads_of_c = mma.thrfrg_C(c);
  auto shape_of_a = shape(mma.thrfrg_A(a));
  auto ordered = make_ordered_layout(shape(mma.thrfrg_A(a)), Step<_1, _0>{});
}

// Where each thread has elements of a tile.
template <class M>
void of_tiles(M const& mma) {
  auto layout_of_a = mma.get_layoutA_TV();
  auto layout_of_b = mma.get_layoutB_TV();
  auto layout_of_c = mma.get_layoutC_TV();
  auto threads = mma.get_thr_layout_vmnk();
  auto back = right_inverse(mma.thrfrg_A(make_layout(Shape<_128, _64>{}))).with_shape(Shape<_128, _64>{});
}

// A tiled copy with all of a tile.
template <class C, class X>
void of_copy(C copy, X const& x) {
  auto read = copy.tidfrg_S(x);
  auto written = copy.tidfrg_D(x);
  auto source = copy.get_layoutS_TV();
  auto destination = copy.get_layoutD_TV();
}

// The elements of a list of types.
template <class T>
struct Elements {
  using First = tuple_element_t<0, T>;
  using Second = tuple_element_t<1, T>;
  using Tile = Layout<Shape<Int<sizeof_bits_v<First>>, Int<sizeof_bits_v<Second>>>>;
  static void run() {
    auto tile = Tile{};
  }
};

// The pointer of a constant, and of another.
template <class T> constexpr int points(T*) { return 1; }
template <class T> constexpr int points(T const*) { return 2; }

// A tensor that is made from its type alone.
template <class T>
void of_type(T tensor = T{}) {
  auto rows = layout<0>(tensor);
  auto tiles = zipped_divide(tensor, Shape<_4>{});
}

int main() {
  auto plain = make_tiled_mma(SM80_16x8x16_F32F16F16F32_TN{}, Layout<Shape<_2, _2>>{}, Tile<_32, _32, _16>{});
  auto warpgroups = make_tiled_mma(SM90_64x64x16_F32F16F16_RS<GMMA::Major::K, GMMA::Major::K>{}, Layout<Shape<_2, _1, _1>>{});
  half_t* p = nullptr;
  auto a = make_layout(Shape<_128, _64>{});
  auto b = make_layout(Shape<_64, _64>{}, LayoutRight{});
  auto c = make_layout(Shape<_128, _64>{}, LayoutRight{});
  auto shared = make_tensor(make_smem_ptr(p), a);
  auto swizzled = make_tensor(make_smem_ptr(p), tile_to_shape(GMMA::Layout_K_SW128_Atom<half_t>{}, Shape<_128, _64>{}));
  of_mma(plain, a, b, c);
  of_mma(plain, shared, b, c);
  of_mma(warpgroups, a, b, c);
  of_mma(warpgroups, swizzled, b, c);
  of_tiles(plain);
  of_tiles(warpgroups);
  auto words = make_tiled_copy(Copy_Atom<UniversalCopy<uint128_t>, half_t>{}, Layout<Shape<_16, _8>, Stride<_8, _1>>{}, Layout<Shape<_1, _8>>{});
  auto matrices = make_tiled_copy_A(Copy_Atom<SM75_U32x4_LDSM_N, half_t>{}, plain);
  of_copy(words, a);
  of_copy(words, shared);
  of_copy(matrices, a);
  of_copy(matrices, swizzled);
  Elements<cute::tuple<uint8_t, half_t>>::run();
  Elements<cute::tuple<int4b_t, float>>::run();
  Elements<cute::tuple<float, int32_t>>::run();
  auto constant = make_layout(Int<points(static_cast<half_t const*>(nullptr))>{});
  auto variable = make_layout(Int<points(static_cast<half_t*>(nullptr))>{});
  auto columns = make_layout(Shape<_4, Shape<_2, _1>>{}, compact_col_major(Shape<_4, Shape<_2, _1>>{}, Int<64>{}));
  auto rows = make_layout(Shape<_4, Shape<_2, _1>>{}, compact_row_major(Shape<_4, Shape<_2, _1>>{}, Int<64>{}));
  of_type(make_tensor(p, make_layout(make_shape(64), make_stride(_1{}))));
}
