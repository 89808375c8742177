// Each operation on each kind of layout: the stage `oracle` compares the results with those of g++.
#include <cute/tensor.hpp>
#include <cute/atom/mma_traits_sm90_gmma.hpp>
using namespace cute;

// Operations that all layouts have.
template <class X>
void of_layouts(X const& x) {
  auto whole = layout(x);
  auto rows = layout<0>(x);
  auto columns = layout<1>(x);
  auto first = get<0>(x);
  auto flat = flatten(x);
  auto merged = coalesce(x);
  auto merged_by_mode = coalesce(x, Step<_1, _1>{});
  auto dense = filter_zeros(x);
  auto one = take<0, 1>(x);
  auto two = take<0, 2>(x);
  auto grouped = group<0, 2>(x);
  auto by_layout = composition(x, Layout<Shape<_2, _2>, Stride<_2, _4>>{});
  auto by_tile = composition(x, make_tile(Layout<_4>{}, Layout<_4, _2>{}));
  auto by_method = x.compose(Layout<Shape<_2, _2>, Stride<_2, _4>>{});
  auto logical = logical_divide(x, Shape<_4, _4>{});
  auto of_one_mode = logical_divide(x, make_tile(Layout<_4, _2>{}, _));
  auto zipped = zipped_divide(x, Shape<_4, _4>{});
  auto tiled = tiled_divide(x, Shape<_4, _4>{});
  auto tiles = x.tile(Layout<_4>{}, Layout<_4, _2>{});
  auto divided = flat_divide(x, Shape<_4, _4>{});
  auto square = x.with_shape(_8{}, _8{});
  auto oblong = x.with_shape(make_shape(_4{}, _16{}));
  auto column = x(_, 1);
  auto row = x(2, _);
  auto all = x(_, _);
  auto by_coordinate = x(make_coord(_, 1));
  auto static_column = x(_, _0{});
  auto sliced = slice(make_coord(_, 1), x);
  auto a_tile = zipped_divide(x, Shape<_4, _4>{})(_, 0);
  auto coordinates = make_identity_layout(shape(x));
  auto ordered = make_ordered_layout(shape(x), Step<_2, _1>{});
}

// Those whose strides are numbers.
template <class X>
void of_numbers(X const& x) {
  auto longer = append<4>(x);
  auto shifted = prepend<4>(x);
  auto with_mode = append(x, Layout<_3, _64>{});
  auto swapped = select<1, 0>(x);
  auto dense = filter(x);
  auto wider = upcast<2>(x);
  auto narrower = downcast<2>(x);
  auto of_words = recast_layout<half_t, uint32_t>(x);
  auto of_bytes = recast_layout<half_t, uint8_t>(x);
  auto inverse = right_inverse(x);
  auto like = make_layout_like(x);
  auto common = max_common_layout(x, x);
  auto twice = make_layout(x, x);
  auto turned = make_layout(layout<1>(x), layout<0>(x));
  auto compact = make_layout(shape(x), LayoutRight{});
  auto extended = make_layout(append(shape(x), _3{}), append(stride(x), _128{}));
}

// Those whose numbers are all static.
template <class X>
void of_types(X const& x) {
  auto product = logical_product(x, Layout<_2, _1>{});
  auto zipped = zipped_product(x, Layout<_2, _1>{});
  auto blocked = blocked_product(x, Layout<Shape<_2, _2>>{});
  auto raked = raked_product(x, Layout<Shape<_2, _2>>{});
  auto wide = tile_to_shape(x, Shape<_128, _128>{});
  auto deep = tile_to_shape(x, Shape<_128, _128, _4>{});
  auto by_rows = tile_to_shape(x, Shape<_128, _128>{}, Step<_2, _1>{});
  auto wider = upcast<2>(x);
  auto narrower = downcast<2>(x);
}

// Those with a swizzle.
template <class X>
void of_swizzles(X const& x) {
  auto inner = x.layout_b();
  auto again = composition(x.layout_a(), x.offset(), prepend(x.layout_b()));
  auto plain = get_nonswizzle_portion(x);
}

// A layout of offsets that another layout takes on.
void of_two() {
  auto outer = Layout<Shape<_4, _4>, Stride<_4, _1>>{};
  auto inner = Layout<Shape<_2, _2>, Stride<_1, _4>>{};
  auto both = composition(outer, _3{}, inner);
  auto flat = coalesce(inner);
  auto offset = both.offset();
  auto count = size(both);
}

void all() {
  auto plain = make_layout(Shape<Shape<_4, _2>, _8>{}, Stride<Stride<_1, _32>, _4>{});
  auto dynamic = make_layout(make_shape(make_shape(_4{}, 2), _8{}), make_stride(make_stride(_1{}, 32), _4{}));
  auto swizzled = composition(Swizzle<2, 1, 3>{}, _0{}, Layout<Shape<_8, _8>, Stride<_8, _1>>{});
  auto by_k = tile_to_shape(GMMA::Layout_K_SW64_Atom<half_t>{}, Shape<_16, _64>{});
  auto by_mn = tile_to_shape(GMMA::Layout_MN_SW128_Atom<float_e4m3_t>{}, Shape<_128, _16>{});
  auto interleaved = tile_to_shape(GMMA::Layout_K_INTER_Atom<half_t>{}, Shape<_16, _32>{});
  auto coordinates = make_identity_layout(Shape<_8, Shape<_4, _2>>{});
  of_layouts(plain);
  of_layouts(dynamic);
  of_layouts(swizzled);
  of_layouts(by_k);
  of_layouts(by_mn);
  of_layouts(interleaved);
  of_layouts(coordinates);
  of_numbers(plain);
  of_numbers(dynamic);
  of_types(plain);
  of_types(swizzled);
  of_types(by_k);
  of_types(by_mn);
  of_types(interleaved);
  of_swizzles(swizzled);
  of_swizzles(by_k);
  of_swizzles(by_mn);
  of_swizzles(interleaved);
}
