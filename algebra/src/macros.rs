//! Layouts, shapes, strides and tilers as literals, checked when they are compiled.
//!
//! The notation is that of the paper: `layout!((4, 8):(1, 4))`. A leaf is an integer, the name of a
//! constant, or a constant expression in braces: `layout!((ROWS, { 2 * COLUMNS }):(1, ROWS))`.
//!
//! A mistake is a compiler error at the place of the macro:
//!
//! ```compile_fail
//! # use cute_algebra::layout;
//! layout!((4, 8):(1, 4, 2)); // `(4, 8)` and `(1, 4, 2)` do not have the same modes
//! ```
//! ```compile_fail
//! # use cute_algebra::shape;
//! shape!((4, -8)); // an extent of `(4, -8)` is negative
//! ```
//! ```compile_fail
//! # use cute_algebra::layout;
//! layout!((4 8):(1, 4)); // expected `,` or `)`, found `8`
//! ```

use crate::int::Int;
use crate::layout::Layout;
use crate::refusal::Refusal;
use crate::stride::{Delta, Stride};
use crate::tiler::Tiler;
use crate::tuple::{Shape, Tuple};

/// A part of a literal. For the macros only.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// `(`
    Open,
    /// `)`
    Close,
    /// An integer.
    Leaf(i64),
}

/// Refuses to compile a shape and a stride whose modes differ, and a negative extent. For the macros
/// only.
#[doc(hidden)]
#[allow(clippy::panic, reason = "evaluated by the compiler, whose error it is")]
pub const fn check_layout(shape: &[Part], stride: &[Part], modes: &str, extent: &str) {
    check_shape(shape, extent);
    let mut at = 0;
    while at < shape.len() && at < stride.len() {
        match (shape[at], stride[at]) {
            (Part::Open, Part::Open)
            | (Part::Close, Part::Close)
            | (Part::Leaf(_), Part::Leaf(_)) => {}
            _ => panic!("{}", modes),
        }
        at += 1;
    }
    assert!(shape.len() == stride.len(), "{}", modes);
}

/// Refuses to compile a negative extent. For the macros only.
#[doc(hidden)]
#[allow(clippy::panic, reason = "evaluated by the compiler, whose error it is")]
pub const fn check_shape(shape: &[Part], extent: &str) {
    let mut at = 0;
    while at < shape.len() {
        if let Part::Leaf(value) = shape[at]
            && value < 0
        {
            panic!("{}", extent);
        }
        at += 1;
    }
}

/// The tuple of a literal. For the macros only.
#[doc(hidden)]
#[allow(
    clippy::expect_used,
    reason = "the macros write matching brackets, and few of them"
)]
pub fn tuple<T>(parts: &[Part], leaf: impl Fn(Int) -> T) -> Tuple<T> {
    let mut open: Vec<Vec<Tuple<T>>> = vec![Vec::new()];
    for part in parts {
        let done = match part {
            Part::Open => {
                open.push(Vec::new());
                continue;
            }
            Part::Close => Tuple::group(open.pop().unwrap_or_default()).expect("a small tuple"),
            Part::Leaf(value) => Tuple::leaf(leaf(Int::fixed(*value))),
        };
        if let Some(around) = open.last_mut() {
            around.push(done);
        }
    }
    let mut whole = open.pop().unwrap_or_default();
    whole.pop().expect("one value")
}

/// The shape of a literal. For the macros only.
#[doc(hidden)]
pub fn shape(parts: &[Part]) -> Shape {
    tuple(parts, |extent| extent)
}

/// The stride of a literal. For the macros only.
#[doc(hidden)]
pub fn stride(parts: &[Part]) -> Stride {
    tuple(parts, Delta::Int)
}

/// The layout of a literal whose parts were checked. For the macros only.
#[doc(hidden)]
#[allow(
    clippy::expect_used,
    reason = "shape and stride were compared by the compiler"
)]
pub fn layout(extents: &[Part], steps: &[Part]) -> Layout {
    Layout::new(shape(extents), stride(steps)).expect("a checked layout")
}

/// The compact layout of a shape that was checked. For the macros only.
///
/// # Panics
/// Where the size leaves the range of 64-bit integers.
#[doc(hidden)]
pub fn compact(extents: &[Part]) -> Layout {
    let size: Result<Layout, Refusal> = Layout::left(shape(extents));
    #[allow(clippy::expect_used, reason = "documented")]
    size.expect("a size within 64 bits")
}

/// One mode of a tiler. For the macros only.
#[doc(hidden)]
pub fn tiler(extents: &[Part]) -> Tiler {
    Tiler::of_shape(&shape(extents))
}

/// A layout, checked when it is compiled: `layout!(shape : stride)`. A shape alone has its leftmost
/// mode contiguous.
///
/// ```
/// use cute_algebra::layout;
///
/// const ROWS: usize = 128;
/// assert_eq!(layout!((4, (2, 2)):(1, (8, 4))).to_string(), "(_4,(_2,_2)):(_1,(_8,_4))");
/// assert_eq!(layout!((ROWS, { ROWS / 4 }):({ ROWS / 4 }, 1)).to_string(), "(_128,_32):(_32,_1)");
/// assert_eq!(layout!((4, 8)).to_string(), "(_4,_8):(_1,_4)");
/// assert_eq!(layout!(4:-1).to_string(), "_4:_-1");
/// ```
#[macro_export]
macro_rules! layout {
    ($shape:tt) => {{
        const {
            $crate::macros::check_shape(
                $crate::__cute_parts!(list [] $shape),
                concat!("an extent of `", stringify!($shape), "` is negative"),
            )
        };
        $crate::macros::compact($crate::__cute_parts!(list [] $shape))
    }};
    ($shape:tt : $($stride:tt)+) => {{
        const {
            $crate::macros::check_layout(
                $crate::__cute_parts!(list [] $shape),
                $crate::__cute_parts!(list [] $($stride)+),
                concat!(
                    "`", stringify!($shape), "` and `", stringify!($($stride)+),
                    "` do not have the same modes"
                ),
                concat!("an extent of `", stringify!($shape), "` is negative"),
            )
        };
        $crate::macros::layout(
            $crate::__cute_parts!(list [] $shape),
            $crate::__cute_parts!(list [] $($stride)+),
        )
    }};
    ($($other:tt)*) => {
        compile_error!("expected `shape : stride`, as in `layout!((4, 8):(1, 4))`")
    };
}

/// A shape, checked when it is compiled.
///
/// ```
/// use cute_algebra::shape;
///
/// assert_eq!(shape!((8, (2, 2))).to_string(), "(_8,(_2,_2))");
/// assert_eq!(shape!(64).to_string(), "_64");
/// ```
#[macro_export]
macro_rules! shape {
    ($($shape:tt)+) => {{
        const {
            $crate::macros::check_shape(
                $crate::__cute_parts!(list [] $($shape)+),
                concat!("an extent of `", stringify!($($shape)+), "` is negative"),
            )
        };
        $crate::macros::shape($crate::__cute_parts!(list [] $($shape)+))
    }};
}

/// A stride of integers, checked when it is compiled.
///
/// ```
/// use cute_algebra::{Layout, shape, stride};
///
/// let rows = Layout::new(shape!((8, 4)), stride!((4, -1)))?;
/// assert_eq!(rows.to_string(), "(_8,_4):(_4,_-1)");
/// # Ok::<(), cute_algebra::Refusal>(())
/// ```
#[macro_export]
macro_rules! stride {
    ($($stride:tt)+) => {
        $crate::macros::stride($crate::__cute_parts!(list [] $($stride)+))
    };
}

/// A tiler, checked when it is compiled: an extent, a layout, a shape, or one of them for each mode in
/// `<...>` or `[...; ...]`; `_` leaves a mode as it is.
///
/// ```
/// use cute_algebra::ops::logical_divide;
/// use cute_algebra::{layout, tiler};
///
/// assert_eq!(tiler!(<4:1, _, (2, 2):(1, 4)>).to_string(), "(_4:_1,_,(_2,_2):(_1,_4))");
/// assert_eq!(tiler!([4:1; 8:2]).to_string(), "(_4:_1,_8:_2)");
/// let tiles = logical_divide(&layout!((8, 8):(8, 1)), &tiler!(<4, 2>))?;
/// assert_eq!(tiles.to_string(), "((_4,_2),(_2,_4)):((_8,_32),(_1,_2))");
/// # Ok::<(), cute_algebra::Refusal>(())
/// ```
#[macro_export]
macro_rules! tiler {
    (< $($modes:tt)+) => { $crate::__cute_modes!([] $($modes)+) };
    ([ $($modes:tt)+ ]) => { $crate::__cute_modes!([] $($modes)+ >) };
    ($shape:tt : $($stride:tt)+) => {
        $crate::Tiler::Layout($crate::layout!($shape : $($stride)+))
    };
    ($shape:tt) => {{
        const {
            $crate::macros::check_shape(
                $crate::__cute_parts!(list [] $shape),
                concat!("an extent of `", stringify!($shape), "` is negative"),
            )
        };
        $crate::macros::tiler($crate::__cute_parts!(list [] $shape))
    }};
}

/// The modes of a tiler up to `>`.
#[doc(hidden)]
#[macro_export]
macro_rules! __cute_modes {
    ([$($out:tt)*] >) => { $crate::Tiler::Modes(vec![$($out)*]) };
    ([$($out:tt)*] , $($rest:tt)*) => { $crate::__cute_modes!([$($out)*] $($rest)*) };
    ([$($out:tt)*] ; $($rest:tt)*) => { $crate::__cute_modes!([$($out)*] $($rest)*) };
    ([$($out:tt)*] _ $($rest:tt)*) => {
        $crate::__cute_modes!([$($out)* $crate::Tiler::Skip,] $($rest)*)
    };
    ([$($out:tt)*] $shape:tt : $stride:literal $($rest:tt)*) => {
        $crate::__cute_modes!([$($out)* $crate::tiler!($shape : $stride),] $($rest)*)
    };
    ([$($out:tt)*] $shape:tt : $stride:tt $($rest:tt)*) => {
        $crate::__cute_modes!([$($out)* $crate::tiler!($shape : $stride),] $($rest)*)
    };
    ([$($out:tt)*] $shape:tt $($rest:tt)*) => {
        $crate::__cute_modes!([$($out)* $crate::tiler!($shape),] $($rest)*)
    };
    ([$($out:tt)*]) => { compile_error!("expected `>` at the end of a tiler") };
}

/// The parts of a literal as an array. In state `list` a value is awaited, in state `next` a comma or the end; `@` is a
/// closing parenthesis.
#[doc(hidden)]
#[macro_export]
macro_rules! __cute_parts {
    (list [$($out:tt)*] ($($inner:tt)*) $($rest:tt)*) => {
        $crate::__cute_parts!(list [$($out)* $crate::macros::Part::Open,] $($inner)* @ $($rest)*)
    };
    (list [$($out:tt)*] @ $($rest:tt)*) => {
        $crate::__cute_parts!(next [$($out)* $crate::macros::Part::Close,] $($rest)*)
    };
    (list [$($out:tt)*] $leaf:literal $($rest:tt)*) => {
        $crate::__cute_parts!(next [$($out)* $crate::macros::Part::Leaf($leaf),] $($rest)*)
    };
    (list [$($out:tt)*] $leaf:ident $($rest:tt)*) => {
        $crate::__cute_parts!(next [$($out)* $crate::macros::Part::Leaf($leaf as i64),] $($rest)*)
    };
    (list [$($out:tt)*] { $leaf:expr } $($rest:tt)*) => {
        $crate::__cute_parts!(next [$($out)* $crate::macros::Part::Leaf(($leaf) as i64),] $($rest)*)
    };
    (list [$($out:tt)*] $other:tt $($rest:tt)*) => {
        compile_error!(concat!(
            "expected an integer, a constant, `{ an expression }` or `(`, found `", stringify!($other), "`"
        ))
    };
    (list [$($out:tt)*]) => { compile_error!("expected an integer or a tuple") };
    (next [$($out:tt)*] , $($rest:tt)+) => { $crate::__cute_parts!(list [$($out)*] $($rest)+) };
    (next [$($out:tt)*] @ $($rest:tt)*) => {
        $crate::__cute_parts!(next [$($out)* $crate::macros::Part::Close,] $($rest)*)
    };
    (next [$($out:tt)*]) => { &[$($out)*] };
    (next [$($out:tt)*] $other:tt $($rest:tt)*) => {
        compile_error!(concat!("expected `,` or `)`, found `", stringify!($other), "`"))
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHAPE: &[Part] = &[Part::Open, Part::Leaf(4), Part::Leaf(8), Part::Close];

    #[test]
    #[should_panic(expected = "other modes")]
    fn a_stride_with_other_modes_does_not_compile() {
        let stride = [Part::Open, Part::Leaf(1), Part::Close];
        check_layout(SHAPE, &stride, "other modes", "negative");
    }

    #[test]
    #[should_panic(expected = "negative")]
    fn a_negative_extent_does_not_compile() {
        check_shape(&[Part::Open, Part::Leaf(-4), Part::Close], "negative");
    }

    #[test]
    fn what_is_right_compiles() {
        check_layout(SHAPE, SHAPE, "other modes", "negative");
        assert_eq!(layout(SHAPE, SHAPE).to_string(), "(_4,_8):(_4,_8)");
        assert_eq!(shape(&[Part::Open, Part::Close]).to_string(), "()");
    }
}
