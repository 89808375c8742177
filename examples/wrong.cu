// Five mistakes, one per function: what cute-analyzer says about each, and why it is a mistake.
//
//   cargo run --release -- check examples
//
// Every mistake is in the last statement of its function.

#include <cute/tensor.hpp>

using namespace cute;

// 1. Refused by the compiler.
//
// `columns` has 4 rows; a step of 6 leaves the first mode half-way through its second round
// (6 is not a multiple of 4), so the result would not be a layout.
// nvcc: "Stride Divisibility Condition".
void refused_composition()
{
  auto columns = make_layout(make_shape(Int<4>{}, Int<3>{}), make_stride(Int<3>{}, Int<1>{}));
  auto every_sixth = make_layout(Int<3>{}, Int<6>{});
  auto picked = composition(columns, every_sixth);
}

// 2. Compiles, and is wrong.
//
// The two modes of `b` overlap: they reach 0, 2, 4 and 3, 5, 7. CuTe composes each alone and adds
// the results up, which is right only when no carry happens between the modes of `a`. Here it
// does: coordinate 5 is 2*2 + 1*3 = 7, and a(7) = 1 + 7 = 8; the composed layout answers 7.
void wrong_composition()
{
  auto a = make_layout(make_shape(Int<6>{}, Int<2>{}), make_stride(Int<1>{}, Int<7>{}));
  auto b = make_layout(make_shape(Int<3>{}, Int<2>{}), make_stride(Int<2>{}, Int<3>{}));
  auto r = composition(a, b);
}

// 3. Compiles, and covers more than there is.
//
// 10 rows in tiles of 4 make 3 tiles, 12 rows; 8 columns in tiles of 5 make 2 tiles, 10 columns.
// The result has 120 elements where the matrix has 80: right only with a predicate around every
// access.
void over_covering_divide()
{
  auto matrix = make_layout(make_shape(Int<10>{}, Int<8>{}));
  auto tiles = logical_divide(matrix, make_tile(Int<4>{}, Int<5>{}));
}

// 4. A layout that meets itself has no complement.
//
// Strides 1 and 2 over 4 x 4 coordinates: (2,0) and (0,1) both go to offset 2.
// nvcc: "Non-injective Layout detected in complement."
void complement_of_overlapping()
{
  auto overlapping = make_layout(make_shape(Int<4>{}, Int<4>{}), make_stride(Int<1>{}, Int<2>{}));
  auto rest = complement(overlapping, Int<32>{});
}

// 5. A swizzle whose bits overlap.
//
// Swizzle<B,M,S> xors B bits at position M with the B bits S above them; with S < B the two groups
// share bits. nvcc: "abs(SShift) must be more than BBits."
void illegal_swizzle()
{
  auto rows = make_layout(make_shape(Int<8>{}, Int<64>{}), make_stride(Int<64>{}, Int<1>{}));
  auto swizzled = composition(Swizzle<3, 4, 2>{}, rows);
}
