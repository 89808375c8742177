//! Leaves of tuples, before the kind of their tuple is known.

use crate::coord::CoordLeaf;
use crate::int::Int;
use crate::stride::{Delta, ScaledBasis};
use std::sync::Arc;

/// A leaf before the kind of its tuple is known.
pub(super) enum Leaf {
    Int(Int),
    Basis(ScaledBasis),
    Xor(i64),
    Underscore,
}

impl Leaf {
    pub(super) fn text(&self) -> String {
        match self {
            Leaf::Int(int) => int.to_string(),
            Leaf::Basis(basis) => basis.to_string(),
            Leaf::Xor(bits) => format!("f{bits}"),
            Leaf::Underscore => "_".to_owned(),
        }
    }
}

/// A leaf of a tuple of some kind.
pub(super) trait FromLeaf: Sized {
    const WANTED: &'static str;
    fn from_leaf(leaf: Leaf) -> Result<Self, Leaf>;
}

impl FromLeaf for Int {
    const WANTED: &'static str = "an integer";
    fn from_leaf(leaf: Leaf) -> Result<Self, Leaf> {
        match leaf {
            Leaf::Int(int) => Ok(int),
            // Among extents and coordinates `f5` is a symbol.
            Leaf::Xor(bits) => Ok(Int::symbol(&format!("f{bits}"))),
            other => Err(other),
        }
    }
}

impl FromLeaf for Delta {
    const WANTED: &'static str = "a stride";
    fn from_leaf(leaf: Leaf) -> Result<Self, Leaf> {
        match leaf {
            Leaf::Int(int) => Ok(Delta::Int(int)),
            Leaf::Basis(basis) => Ok(Delta::Basis(Arc::new(basis))),
            Leaf::Xor(bits) => Ok(Delta::Xor(bits)),
            Leaf::Underscore => Err(Leaf::Underscore),
        }
    }
}

impl FromLeaf for CoordLeaf {
    const WANTED: &'static str = "an index or `_`";
    fn from_leaf(leaf: Leaf) -> Result<Self, Leaf> {
        match leaf {
            Leaf::Underscore => Ok(CoordLeaf::Underscore),
            other => Int::from_leaf(other).map(CoordLeaf::Int),
        }
    }
}
