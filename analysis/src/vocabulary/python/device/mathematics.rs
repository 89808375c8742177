//! Mathematics of the CuTe DSL, and calls of its atoms.

use super::super::objects::{of_dsl, on_objects};
use crate::vocabulary::{Function, Header, Makes, entry, python_words};

/// Mathematics, and calls of atoms.
pub(in crate::vocabulary) const FUNCTIONS: &[Function] = &[
    of_dsl!(
        "cutlass.cute",
        "basic_copy_if",
        "pred src dst",
        "copies the elements whose predicate holds, one by one"
    )
    .makes(Makes::Nothing),
    of_dsl!(
        "cutlass.cute",
        "prefetch",
        "atom src",
        "prefetches the box of a TMA copy into L2"
    )
    .makes(Makes::Nothing),
    of_dsl!(
        "cutlass.cute",
        "copy_atom_call",
        "atom src dst pred= **kwargs",
        "executes a copy atom once"
    )
    .makes(Makes::Nothing),
    of_dsl!(
        "cutlass.cute",
        "mma_atom_call",
        "atom d a b c **kwargs",
        "executes an MMA atom once"
    )
    .makes(Makes::Nothing),
    of_dsl!(
        "cutlass.cute",
        "full_like",
        "a fill_value dtype=",
        "a value of a tensor's shape, filled with a number"
    ),
    of_dsl!(
        "cutlass.cute",
        "zeros_like",
        "a dtype=",
        "a value of a tensor's shape, filled with zeros"
    ),
    of_dsl!(
        "cutlass.cute",
        "ones_like",
        "a dtype=",
        "a value of a tensor's shape, filled with ones"
    ),
    of_dsl!(
        "cutlass.cute",
        "empty_like",
        "a dtype=",
        "a value of a tensor's shape, not yet set"
    ),
    of_dsl!(
        "cutlass.cute.math",
        "exp",
        "a fastmath=",
        "e to the power of each element",
        ("cutlass.cute", "exp", "a fastmath="),
        ("cutlass.cute.arch", "exp", "a")
    ),
    of_dsl!(
        "cutlass.cute.math",
        "exp2",
        "a fastmath=",
        "2 to the power of each element",
        ("cutlass.cute", "exp2", "a fastmath="),
        ("cutlass.cute.arch", "exp2", "a")
    ),
    of_dsl!(
        "cutlass.cute.math",
        "log",
        "a fastmath=",
        "the natural logarithm of each element",
        ("cutlass.cute", "log", "a fastmath=")
    ),
    of_dsl!(
        "cutlass.cute.math",
        "log2",
        "a fastmath=",
        "the logarithm to base 2 of each element",
        ("cutlass.cute", "log2", "a fastmath=")
    ),
    of_dsl!(
        "cutlass.cute.math",
        "log10",
        "a fastmath=",
        "the logarithm to base 10 of each element",
        ("cutlass.cute", "log10", "a fastmath=")
    ),
    of_dsl!(
        "cutlass.cute.math",
        "log1p",
        "a fastmath=",
        "the natural logarithm of one plus each element",
        ("cutlass.cute", "log1p", "a fastmath=")
    ),
    of_dsl!(
        "cutlass.cute.math",
        "sqrt",
        "a fastmath=",
        "the square root of each element",
        ("cutlass.cute", "sqrt", "a fastmath=")
    ),
    of_dsl!(
        "cutlass.cute.math",
        "rsqrt",
        "a fastmath=",
        "one over the square root of each element",
        ("cutlass.cute", "rsqrt", "a fastmath=")
    ),
    of_dsl!(
        "cutlass.cute.math",
        "rcp",
        "a fastmath=",
        "one over each element",
        ("cutlass.cute", "rcp", "a fastmath=")
    ),
    of_dsl!(
        "cutlass.cute.math",
        "tanh",
        "a fastmath=",
        "the hyperbolic tangent of each element",
        ("cutlass.cute", "tanh", "a fastmath=")
    ),
    of_dsl!(
        "cutlass.cute.math",
        "tan",
        "a fastmath=",
        "the tangent of each element",
        ("cutlass.cute", "tan", "a fastmath=")
    ),
    of_dsl!(
        "cutlass.cute.math",
        "sin",
        "a fastmath=",
        "the sine of each element",
        ("cutlass.cute", "sin", "a fastmath=")
    ),
    of_dsl!(
        "cutlass.cute.math",
        "cos",
        "a fastmath=",
        "the cosine of each element",
        ("cutlass.cute", "cos", "a fastmath=")
    ),
    of_dsl!(
        "cutlass.cute.math",
        "sinh",
        "a fastmath=",
        "the hyperbolic sine of each element",
        ("cutlass.cute", "sinh", "a fastmath=")
    ),
    of_dsl!(
        "cutlass.cute.math",
        "cosh",
        "a fastmath=",
        "the hyperbolic cosine of each element",
        ("cutlass.cute", "cosh", "a fastmath=")
    ),
    of_dsl!(
        "cutlass.cute.math",
        "erf",
        "a fastmath=",
        "the error function of each element",
        ("cutlass.cute", "erf", "a fastmath=")
    ),
    of_dsl!(
        "cutlass.cute.math",
        "erfc",
        "a fastmath=",
        "one less the error function of each element",
        ("cutlass.cute", "erfc", "a fastmath=")
    ),
    of_dsl!(
        "cutlass.cute.math",
        "floor",
        "a fastmath=",
        "the largest integer that is not above each element",
        ("cutlass.cute", "floor", "a fastmath=")
    ),
    of_dsl!(
        "cutlass.cute.math",
        "ceil",
        "a fastmath=",
        "the smallest integer that is not below each element",
        ("cutlass.cute", "ceil", "a fastmath=")
    ),
    of_dsl!(
        "cutlass.cute.math",
        "abs",
        "a fastmath=",
        "the absolute value of each element",
        ("cutlass.cute", "abs", "a fastmath=")
    ),
    of_dsl!(
        "cutlass.cute.math",
        "absf",
        "a fastmath=",
        "the absolute value of each floating-point element",
        ("cutlass.cute", "absf", "a fastmath=")
    ),
    of_dsl!(
        "cutlass.cute.math",
        "asin",
        "a fastmath=",
        "the arc sine of each element"
    ),
    of_dsl!(
        "cutlass.cute.math",
        "acos",
        "a fastmath=",
        "the arc cosine of each element"
    ),
    of_dsl!(
        "cutlass.cute.math",
        "atan",
        "a fastmath=",
        "the arc tangent of each element"
    ),
    of_dsl!(
        "cutlass.cute.math",
        "atan2",
        "a b fastmath=",
        "the angle of a point, element by element"
    ),
    of_dsl!(
        "cutlass.cute.math",
        "fma",
        "a b c fastmath=",
        "a times b plus c, rounded once",
        ("cutlass.cute", "fma", "a b c fastmath=")
    ),
    of_dsl!(
        "cutlass.cute.math",
        "clamp",
        "value low high",
        "each element, kept between two bounds",
        ("cutlass.cute", "clamp", "value low high")
    ),
    of_dsl!("cutlass.cute", "neg", "a", "the negative of each element"),
];
