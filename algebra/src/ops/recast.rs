//! Recast: the same memory seen as larger or smaller elements (`upcast`, `downcast`, `recast_layout`).
//!
//! Upcast by `n`: the stride-1 mode shrinks by `n`, other strides are divided. Downcast is the reverse and needs a static
//! stride 1. Refused: static strides that `n` neither divides nor is divided by. Linear.

use crate::int::Int;
use crate::layout::{Layout, LayoutBuilder, LayoutView};
use crate::ops::coalesce::coalesce;
use crate::ops::divide::logical_divide;
use crate::ops::inverse::right_inverse;
use crate::refusal::{Refusal, Rule};
use crate::stride::{Delta, ScaledBasis};
use crate::symbol::gcd;
use crate::tiler::Tiler;
use crate::tuple::LEAF;
use std::sync::Arc;

/// Elements `n` times as large.
pub fn upcast(layout: &Layout, n: i64) -> Result<Layout, Refusal> {
    at_leaves(layout.view(), |extent, step| upcast_leaf(extent, step, n))
}

/// Elements `n` times as small.
pub fn downcast(layout: &Layout, n: i64) -> Result<Layout, Refusal> {
    if !layout.view().steps().iter().any(|step| step.is_constant(1)) {
        return Err(Refusal::asserted(
            Rule::DowncastNotAdjacent,
            "Downcast requires adjacent elements",
        )
        .with("factor", n)
        .with("stride", layout.stride().to_string()));
    }
    at_leaves(layout.view(), |extent, step| {
        if step.is_constant(1) || step.is_constant(-1) {
            Ok((extent.mul(&Int::fixed(n))?, step.clone()))
        } else {
            Ok((extent.clone(), step.scale(&Int::fixed(n))?))
        }
    })
}

/// Elements of `new_bits` where elements of `old_bits` were.
pub fn recast_layout(layout: &Layout, old_bits: i64, new_bits: i64) -> Result<Layout, Refusal> {
    let (up, down) = ratio(old_bits, new_bits)?;
    match (up, down) {
        (1, 1) => Ok(layout.clone()),
        (1, down) => downcast(layout, down),
        (up, 1) => upcast(layout, up),
        (up, down) => downcast(&upcast(layout, up)?, down),
    }
}

/// `new / old` in lowest terms.
pub(crate) fn ratio(old_bits: i64, new_bits: i64) -> Result<(i64, i64), Refusal> {
    if old_bits <= 0 || new_bits <= 0 {
        return Err(
            Refusal::uncompilable(Rule::DivisionByZero, "an element has at least one bit")
                .with("old_bits", old_bits)
                .with("new_bits", new_bits),
        );
    }
    let shared = gcd(old_bits, new_bits).max(1);
    Ok((new_bits / shared, old_bits / shared))
}

fn at_leaves(
    layout: LayoutView<'_>,
    f: impl Fn(&Int, &Delta) -> Result<(Int, Delta), Refusal>,
) -> Result<Layout, Refusal> {
    let mut builder = LayoutBuilder::new();
    let mut leaves = layout.shape.iter().zip(layout.stride);
    for &node in layout.nodes {
        if node != LEAF {
            let mark = builder.open();
            builder.close(mark, usize::from(node));
        } else if let Some((extent, step)) = leaves.next() {
            let (extent, step) = f(extent, step)?;
            builder.leaf(extent, step);
        }
    }
    builder.finish()
}

fn upcast_leaf(extent: &Int, step: &Delta, n: i64) -> Result<(Int, Delta), Refusal> {
    if step.is_constant(0) {
        return Ok((extent.clone(), step.clone()));
    }
    let factor = Int::fixed(n);
    let Some(stride) = step.as_int() else {
        return upcast_unlike_leaf(extent, step, &factor);
    };
    let Some(value) = stride.as_static() else {
        // CuTe assumes that run-time strides are larger than n and divisible.
        return Ok((extent.clone(), Delta::Int(stride.div(&factor)?)));
    };
    if value.checked_rem(n) != Some(0) && n.checked_rem(value) != Some(0) {
        return Err(
            Refusal::asserted(Rule::NotDivisible, "Divisibility condition")
                .with("stride", value)
                .with("factor", n),
        );
    }
    let magnitude = stride.abs()?;
    let extent = extent.ceil_div(&factor.ceil_div(&magnitude)?)?;
    let stride = stride.signum()?.mul(&magnitude.ceil_div(&factor)?)?;
    Ok((extent, Delta::Int(stride)))
}

/// A basis is divided exactly; xor strides have no such quotient.
fn upcast_unlike_leaf(extent: &Int, step: &Delta, factor: &Int) -> Result<(Int, Delta), Refusal> {
    match step {
        Delta::Basis(basis) => {
            let value = basis.integral()?.div_exact(factor)?;
            Ok((
                extent.clone(),
                Delta::Basis(Arc::new(ScaledBasis::new(
                    value,
                    basis.path.iter().copied(),
                ))),
            ))
        }
        _ => Err(
            Refusal::uncompilable(Rule::Unsupported, "no match for upcast")
                .with("stride", step.to_string()),
        ),
    }
}

/// The largest `n` by which [`upcast`] accepts the static part of the layout.
pub fn max_alignment(layout: &Layout) -> Result<Int, Refusal> {
    let flat = coalesce(layout)?;
    let known = at_leaves(flat.view(), |extent, step| {
        let extent = if extent.is_static() {
            extent.clone()
        } else {
            Int::ONE
        };
        let step = if step.is_static() {
            step.clone()
        } else {
            Delta::ZERO
        };
        Ok((extent, step))
    })?;
    let permuted = logical_divide(&known, &Tiler::Layout(right_inverse(&known)?))?;
    let mut alignment = permuted.mode(0)?.size()?;
    for step in permuted.mode(1)?.view().steps() {
        alignment = alignment.gcd(&step.value())?;
    }
    Ok(alignment)
}
