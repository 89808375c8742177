//! Composition (paper §3.3): `R = A o B` with `R(c) = A(B(c))`, and `B` compatible with `R`.
//!
//! Composition is right-distributive over the modes of `B`, so it is computed for one `s:d` at a time: `d` is divided by
//! the extents of `A` that it passes, then `s` elements are taken from the extents that follow. It is refused where CuTe's
//! compiler refuses, for static integers only: *Stride Divisibility* (paper 20), `d % a = 0 or d < a` at each extent
//! `a` that is passed; *Shape Divisibility* (paper 21), the rest of `s` is a multiple of the elements taken from an
//! extent.
//!
//! Linear in the modes of `A` times the leaves of `B`; no allocation up to eight leaves.
//!
//! ```
//! use cute_algebra::{Layout, ops::composition};
//! let a: Layout = "(_10,_2):(_16,_4)".parse()?;
//! let b: Layout = "(_5,_4):(_1,_5)".parse()?;
//! assert_eq!(composition(&a, &b)?.to_string(), "(_5,(_2,_2)):(_16,(_80,_4))");
//! # Ok::<(), cute_algebra::Refusal>(())
//! ```

use crate::int::Int;
use crate::layout::{Layout, LayoutBuilder, LayoutView};
use crate::log::{Condition, Log, Step};
use crate::ops::coalesce::{coalesce_extended, coalesce_extended_by, is_coalesced};
use crate::ops::coshape;
use crate::refusal::{Refusal, Rule};
use crate::stride::Delta;
use crate::tiler::Tiler;
use crate::tuple::LEAF;

/// `A o B` as CuTe computes it.
pub fn composition(a: &Layout, b: &Layout) -> Result<Layout, Refusal> {
    composition_logged(a.view(), b.view(), &mut Log::silent())
}

/// [`composition`], telling `log` its conditions and steps.
pub fn composition_logged(
    a: LayoutView<'_>,
    b: LayoutView<'_>,
    log: &mut Log<'_>,
) -> Result<Layout, Refusal> {
    log.step(|| Step::Enter {
        operation: "composition",
        operands: vec![a.to_string(), b.to_string()],
    });
    let into_coordinates = b.stride.iter().any(|d| matches!(d, Delta::Basis(_)));
    if !into_coordinates && is_coalesced(a)? {
        let result = compose_flat(a, b, log);
        log.leave(&result);
        return result;
    }
    let flat = if into_coordinates {
        coalesce_extended_by(a, coshape::coprofile_view(b)?.view())
    } else {
        coalesce_extended(a)
    };
    // Layouts are large; matched by reference they are not moved.
    let result = match &flat {
        Ok(flat) => compose_flat(flat.view(), b, log),
        Err(refusal) => return Err(refusal.clone()),
    };
    log.leave(&result);
    result
}

/// `A o T` for a tiler: by mode for a tuple, `n:1` for an integer, unchanged for `_`. Modes of `A` that a tuple does not
/// name are dropped, as CuTe does.
pub fn composition_by(a: &Layout, tiler: &Tiler) -> Result<Layout, Refusal> {
    composition_by_logged(a.view(), tiler, &mut Log::silent())
}

/// [`composition_by`], telling `log` its conditions and steps.
pub fn composition_by_logged(
    a: LayoutView<'_>,
    tiler: &Tiler,
    log: &mut Log<'_>,
) -> Result<Layout, Refusal> {
    match tiler {
        Tiler::Skip => Ok(a.to_layout()),
        Tiler::Layout(b) => composition_logged(a, b.view(), log),
        Tiler::Int(extent) => {
            composition_logged(a, Layout::single(extent.clone(), Int::ONE).view(), log)
        }
        Tiler::Modes(modes) => {
            if modes.len() > a.rank() {
                return Err(too_many_modes(
                    "static assertion failed",
                    modes.len(),
                    a.rank(),
                ));
            }
            let mut results = Vec::with_capacity(modes.len());
            for (i, (mode, tiler)) in a.modes().zip(modes).enumerate() {
                results.push(composition_by_logged(mode, tiler, log).map_err(|r| r.inside(i))?);
            }
            Layout::concat(results.iter().map(Layout::view))
        }
    }
}

pub(crate) fn too_many_modes(text: &'static str, tiler: usize, rank: usize) -> Refusal {
    Refusal::asserted(Rule::RankMismatch, text)
        .with("tiler_rank", tiler)
        .with("layout_rank", rank)
}

/// `a` coalesced (flat under each coordinate of the codomain of `b`), composed with each leaf of `b`.
fn compose_flat(
    a: LayoutView<'_>,
    b: LayoutView<'_>,
    log: &mut Log<'_>,
) -> Result<Layout, Refusal> {
    let mut builder = LayoutBuilder::new();
    let mut leaves = b.shape.iter().zip(b.stride);
    let mut index = 0;
    for &node in b.nodes {
        if node != LEAF {
            let mark = builder.open();
            builder.close(mark, usize::from(node));
            continue;
        }
        if let Some((extent, step)) = leaves.next() {
            compose_leaf(a, extent, step, &mut builder, log).map_err(|r| r.inside(index))?;
            index += 1;
        }
    }
    builder.finish()
}

/// `a o extent:step` for one leaf of the right operand.
fn compose_leaf(
    a: LayoutView<'_>,
    extent: &Int,
    step: &Delta,
    out: &mut LayoutBuilder,
    log: &mut Log<'_>,
) -> Result<(), Refusal> {
    match step {
        Delta::Basis(basis) => {
            let mode = a.path(&basis.path)?;
            compose_leaf(mode, extent, &Delta::Int(basis.integral()?), out, log)
        }
        step if step.is_constant(0) => {
            out.leaf(extent.clone(), step.clone());
            Ok(())
        }
        Delta::Xor(_) => compose_xor_leaf(a, extent, step, out),
        Delta::Int(step) => match a.as_leaf() {
            Some((_, stride)) => {
                let stride = stride.scale(step)?;
                log.step(|| Step::Tail {
                    extent: extent.clone(),
                    stride: stride.clone(),
                });
                out.leaf(extent.clone(), stride);
                Ok(())
            }
            None => compose_integer_leaf(a, extent, step, out, log),
        },
    }
}

/// An xor step on the right is kept by the identity, which is all that composition of unlike sums allows.
fn compose_xor_leaf(
    a: LayoutView<'_>,
    extent: &Int,
    step: &Delta,
    out: &mut LayoutBuilder,
) -> Result<(), Refusal> {
    if a.as_leaf().is_some_and(|(_, stride)| stride.is_constant(1)) {
        out.leaf(extent.clone(), step.clone());
        return Ok(());
    }
    Err(Refusal::uncompilable(
        Rule::UnlikeCodomains,
        "an xor stride needs a left operand that is linear over xor",
    )
    .with("stride", step.to_string()))
}

/// The general case: walk along the modes of `a`, first past those that `step` skips, then through those it takes from.
fn compose_integer_leaf(
    a: LayoutView<'_>,
    extent: &Int,
    step: &Int,
    out: &mut LayoutBuilder,
    log: &mut Log<'_>,
) -> Result<(), Refusal> {
    let (Some((_, passed)), Some(last)) = (a.shape.split_last(), a.stride.last()) else {
        return Err(Refusal::uncompilable(
            Rule::RankMismatch,
            "composition with a rank-0 layout",
        ));
    };
    if a.nodes.len() != a.shape.len() + 1 {
        return Err(
            Refusal::uncompilable(Rule::NotCongruent, "no match for operator%")
                .with("left", a.to_string()),
        );
    }
    let mark = out.open();
    let mut taken_modes = 0;
    let mut rest = extent.clone();
    let mut step = step.clone();
    for (current, current_stride) in passed.iter().zip(a.stride) {
        let (available, next) = pass_extent(current, &step, log)?;
        if available.is_constant(1) || rest.is_constant(1) {
            log.step(|| Step::DivideOut {
                extent: current.clone(),
                before: step,
                after: next.clone(),
            });
        } else {
            let (taken, left) = take_elements(&available, &rest, log)?;
            let taken_stride = current_stride.scale(&step)?;
            log.step(|| Step::Take {
                extent: taken.clone(),
                stride: taken_stride.clone(),
                rest: left.clone(),
            });
            rest = left;
            out.leaf(taken, taken_stride);
            taken_modes += 1;
        }
        step = next;
    }
    if taken_modes == 0 || !rest.is_constant(1) {
        let tail = last.scale(&step)?;
        log.step(|| Step::Tail {
            extent: rest.clone(),
            stride: tail.clone(),
        });
        out.leaf(rest, tail);
        taken_modes += 1;
    }
    out.close_unwrapped(mark, taken_modes);
    Ok(())
}

/// Number of elements `step` apart that begin inside `extent`, and the step that is left behind it:
/// `ceil(extent / |step|)` and `ceil(|step| / extent) * sign(step)`.
fn pass_extent(extent: &Int, step: &Int, log: &mut Log<'_>) -> Result<(Int, Int), Refusal> {
    // Both static and positive, the common case: one of the quotients is 1, and no division is needed for it.
    if let (Some(a), Some(d)) = (extent.as_static(), step.as_static())
        && a > 0
        && d > 0
    {
        let quotients = if d == 1 {
            (extent.clone(), Int::ONE)
        } else if d < a {
            (Int::fixed((a - 1) / d + 1), Int::ONE)
        } else {
            let quotient = d / a;
            if quotient * a != d {
                return Err(stride_refusal(a, d));
            }
            (Int::ONE, Int::fixed(quotient))
        };
        log.condition(|| Condition {
            rule: Rule::StrideDivisibility,
            dividend: step.clone(),
            divisor: extent.clone(),
            holds: Some(true),
            checked_by_cute: true,
        });
        return Ok(quotients);
    }
    check_stride(extent, step, log)?;
    let magnitude = step.abs()?;
    let available = extent.ceil_div(&magnitude)?;
    let next = magnitude.ceil_div(extent)?.mul(&step.signum()?)?;
    Ok((available, next))
}

/// The part of `rest` elements that is taken where `available` are there, and the rest.
fn take_elements(available: &Int, rest: &Int, log: &mut Log<'_>) -> Result<(Int, Int), Refusal> {
    if let (Some(n), Some(r)) = (available.as_static(), rest.as_static())
        && n > 0
        && r > 0
        && n >= r
    {
        return Ok((rest.clone(), Int::ONE));
    }
    let taken = available.min(rest)?;
    check_shape(&taken, rest, log)?;
    let left = rest.div(&taken)?;
    Ok((taken, left))
}

#[cold]
fn stride_refusal(extent: i64, step: i64) -> Refusal {
    Refusal::asserted(Rule::StrideDivisibility, "Stride Divisibility Condition")
        .with("stride", step)
        .with("shape", extent)
        .with("remainder", step % extent)
}

/// CuTe's weak form of condition (20): `step % extent = 0 or step < extent`, checked where both are static.
fn check_stride(extent: &Int, step: &Int, log: &mut Log<'_>) -> Result<(), Refusal> {
    if let (Some(a), Some(d)) = (extent.as_static(), step.as_static()) {
        let Some(remainder) = d.checked_rem(a) else {
            return step.rem(extent).map(|_| ());
        };
        if remainder != 0 && d >= a {
            return Err(stride_refusal(a, d));
        }
    }
    log.condition(|| Condition {
        rule: Rule::StrideDivisibility,
        dividend: step.clone(),
        divisor: extent.clone(),
        holds: match step.rem(extent).ok().and_then(|r| r.equals(&Int::ZERO)) {
            Some(true) => Some(true),
            divides => match step.less(extent) {
                Some(true) => Some(true),
                Some(false) => divides,
                None => None,
            },
        },
        checked_by_cute: extent.is_static() && step.is_static(),
    });
    Ok(())
}

/// CuTe's form of condition (21): `rest % taken = 0`, checked where both are static.
fn check_shape(taken: &Int, rest: &Int, log: &mut Log<'_>) -> Result<(), Refusal> {
    if let (Some(t), Some(r)) = (taken.as_static(), rest.as_static()) {
        let Some(remainder) = r.checked_rem(t) else {
            return rest.rem(taken).map(|_| ());
        };
        if remainder != 0 {
            return Err(
                Refusal::asserted(Rule::ShapeDivisibility, "Shape Divisibility Condition")
                    .with("shape", r)
                    .with("available", t)
                    .with("remainder", remainder),
            );
        }
    }
    log.condition(|| Condition {
        rule: Rule::ShapeDivisibility,
        dividend: rest.clone(),
        divisor: taken.clone(),
        holds: rest.rem(taken).ok().and_then(|r| r.equals(&Int::ZERO)),
        checked_by_cute: taken.is_static() && rest.is_static(),
    });
    Ok(())
}
