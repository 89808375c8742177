//! Distribute a number of elements over a static shape, as evenly as divisors allow.
//!
//! Law: the result is increasing, its size divides the number, and it can be composed with the shape. Linear.

use crate::int::Int;
use crate::layout::Layout;
use crate::ops::coalesce::coalesce;
use crate::ops::compact::compact_left;
use crate::refusal::{Refusal, Rule};
use crate::stride::Delta;
use crate::tuple::{IntTuple, Shape, Tuple};

/// From each extent of `shape` the greatest common divisor with the rest of `count`.
///
/// `domain_distribute((15,14), 6) = (3,2):(1,15)`.
pub fn domain_distribute(shape: &Shape, count: &Int) -> Result<Layout, Refusal> {
    if !count.is_static() || !shape.is_static() {
        return Err(
            Refusal::asserted(Rule::NeedsStaticStrides, "static assertion failed")
                .with("shape", shape.to_string())
                .with("count", count),
        );
    }
    let flat = shape.flatten()?;
    let mut rest = count.clone();
    let mut extents = Vec::with_capacity(flat.leaves().len());
    for extent in flat.leaves() {
        let taken = extent.gcd(&rest)?;
        rest = rest.div(&taken)?;
        extents.push(taken);
    }
    let shares: IntTuple = Tuple::new(flat.profile().clone(), extents)?;
    let stride = compact_left(flat.view(), &Delta::ONE)?;
    coalesce(&Layout::new(shares, stride)?)
}
