//! Tilers: the right operands of composition, divides and products (paper §3.3.5).

use crate::int::Int;
use crate::layout::Layout;
use crate::tuple::Shape;
use core::fmt;

/// A layout, a shape, or a tuple of tilers that apply mode by mode.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Tiler {
    /// `n` is the layout `n:1`.
    Int(Int),
    /// A layout.
    Layout(Layout),
    /// One tiler per mode; modes that are not named are dropped by composition and kept by divides and products.
    Modes(Vec<Tiler>),
    /// `_`: the mode stays as it is.
    Skip,
}

impl Tiler {
    /// The by-mode tiler of a shape: each leaf is `n:1`.
    pub fn of_shape(shape: &Shape) -> Self {
        fn build(view: crate::tuple::TupleView<'_, Int>) -> Tiler {
            match view.as_leaf() {
                Some(int) => Tiler::Int(int.clone()),
                None => Tiler::Modes(view.modes().map(build).collect()),
            }
        }
        build(shape.view())
    }

    /// The number of modes it applies to, when it applies by mode.
    pub fn modes(&self) -> Option<&[Tiler]> {
        match self {
            Tiler::Modes(modes) => Some(modes),
            _ => None,
        }
    }
}

impl From<Layout> for Tiler {
    fn from(layout: Layout) -> Self {
        Tiler::Layout(layout)
    }
}

impl fmt::Display for Tiler {
    /// As CuTe prints it: `(8:1,_,2:1)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Tiler::Int(int) => int.fmt(f),
            Tiler::Layout(layout) => layout.fmt(f),
            Tiler::Skip => f.write_str("_"),
            Tiler::Modes(modes) => {
                f.write_str("(")?;
                for (i, mode) in modes.iter().enumerate() {
                    if i > 0 {
                        f.write_str(",")?;
                    }
                    mode.fmt(f)?;
                }
                f.write_str(")")
            }
        }
    }
}
