// Each operation on each kind of tensor: the stage `oracle` compares the results with those of g++.
#include <cute/tensor.hpp>
#include <cute/atom/mma_traits_sm90_gmma.hpp>
using namespace cute;

// Operations that all tensors have.
template <class X>
void of_tensors(X const& x) {
  auto whole = layout(x);
  auto rows = layout<0>(x);
  auto of_rows = tensor<0>(x);
  auto flat = flatten(x);
  auto merged = coalesce(x);
  auto dense = filter_zeros(x);
  auto grouped = group_modes<0, 2>(x);
  auto one = take<0, 1>(x);
  auto two = take<0, 2>(x);
  auto by_layout = composition(x, Layout<Shape<_2, _2>, Stride<_2, _4>>{});
  auto by_tile = composition(x, make_tile(Layout<_4>{}, Layout<_4, _2>{}));
  auto by_method = x.compose(Layout<Shape<_2, _2>, Stride<_2, _4>>{});
  auto logical = logical_divide(x, Shape<_4, _4>{});
  auto zipped = zipped_divide(x, Shape<_4, _4>{});
  auto tiled = tiled_divide(x, Shape<_4, _4>{});
  auto tiles = x.tile(Layout<_4>{}, Layout<_4, _2>{});
  auto divided = flat_divide(x, Shape<_4, _4>{});
  auto a_tile = local_tile(x, Shape<_4, _4>{}, make_coord(1, _));
  auto a_part = local_partition(x, Layout<Shape<_2, _2>>{}, 1);
  auto moved = domain_offset(make_coord(2, 1), x);
  auto column = x(_, 1);
  auto row = x(2, _);
  auto all = x(_, _);
  auto by_coordinate = x(make_coord(_, 1));
  auto stepped = local_tile(x, Shape<_4, _4, _2>{}, make_coord(1, _, 0), Step<_1, _1, Underscore>{});
}

// Those whose elements are in memory.
template <class X>
void of_memory(X const& x) {
  auto words = recast<uint32_t>(x);
  auto bytes = recast<uint8_t>(x);
  auto fragment = make_fragment_like(x);
  auto of_floats = make_fragment_like<float>(x);
}

void all(half_t* p) {
  auto global = make_tensor(make_gmem_ptr((float*)nullptr), make_layout(Shape<Shape<_4, _2>, _8>{}, Stride<Stride<_1, _32>, _4>{}));
  auto shared = make_tensor(make_smem_ptr(p), tile_to_shape(GMMA::Layout_K_SW64_Atom<half_t>{}, Shape<_16, _64>{}));
  auto independent = as_position_independent_swizzle_tensor(shared);
  auto coordinates = make_identity_tensor(Shape<_8, Shape<_4, _2>>{});
  auto fragment = make_fragment_like<half_t>(Layout<Shape<_4, Shape<_2, _3>>, Stride<_6, Stride<_1, _2>>>{});
  of_tensors(global);
  of_tensors(shared);
  of_tensors(independent);
  of_tensors(coordinates);
  of_tensors(fragment);
  of_memory(global);
  of_memory(shared);
  of_memory(independent);
  of_memory(fragment);
}
