//! Derivations of operations that have steps, on textual operands.

use cute_algebra::explain::{self, Derivation};
use cute_algebra::{Coord, IntTuple, Layout, Parse, Reading, Refusal, Shape, Tiler};

/// A derivation by the operands that it takes. Only plain layouts have one.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Steps {
    /// `coalesce(A)`.
    OfLayout(fn(&Layout) -> Derivation),
    /// `complement(A, shape)`.
    WithShape(fn(&Layout, &Shape) -> Derivation),
    /// `upcast(A, factor)`.
    WithFactor(fn(&Layout, i64) -> Derivation),
    /// `blocked_product(A, B)`.
    WithLayout(fn(&Layout, &Layout) -> Derivation),
    /// `logical_divide(A, tiler)`.
    WithTiler(fn(&Layout, &Tiler) -> Derivation),
    /// `eval(A, coordinate)`.
    AtCoordinate(fn(&Layout, &IntTuple) -> Derivation),
    /// `crd2idx(coordinate, A)`.
    OfCoordinate(fn(&Layout, &IntTuple) -> Derivation),
    /// `slice(coordinate, A)`.
    Slice(fn(&Coord, &Layout) -> Derivation),
}

impl Steps {
    /// The derivation for these operands; nothing for another number of them.
    pub(crate) fn derived(
        self,
        args: &[&str],
        reading: Reading,
    ) -> Result<Option<Derivation>, Refusal> {
        let layout = |text: &str| Layout::parse(text, reading);
        Ok(Some(match (self, args) {
            (Self::OfLayout(f), [a]) => f(&layout(a)?),
            (Self::WithShape(f), [a, shape]) => f(&layout(a)?, &Parse::parse(shape, reading)?),
            (Self::WithFactor(f), [a, factor]) => match factor.trim_start_matches('_').parse() {
                Ok(factor) => f(&layout(a)?, factor),
                Err(_) => return Ok(None),
            },
            (Self::WithLayout(f), [a, b]) => f(&layout(a)?, &layout(b)?),
            (Self::WithTiler(f), [a, tiler]) => f(&layout(a)?, &Tiler::parse(tiler, reading)?),
            (Self::AtCoordinate(f), [a, c]) | (Self::OfCoordinate(f), [c, a]) => {
                f(&layout(a)?, &Parse::parse(c, reading)?)
            }
            (Self::Slice(f), [c, a]) => f(&Parse::parse(c, reading)?, &layout(a)?),
            _ => return Ok(None),
        }))
    }
}

/// `tile_to_shape(block, shape)` in the order of the modes.
pub(crate) fn tile_to_shape(block: &Layout, shape: &Shape) -> Derivation {
    explain::tile_to_shape(block, shape, None)
}
