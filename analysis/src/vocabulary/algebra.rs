//! The layout algebra: composition, complement, coalescing, inverses, recasts.

use std::sync::Arc;

use cute_algebra::ops::swizzled;
use cute_algebra::{
    AnyLayout, ComposedLayout, IntTuple, Layout, Refusal, Tiler, judge, neighbours, ops,
};
use cute_hardware::SharedLayout;

use super::call::{Blamed, number, texts};
use super::{Answer, Call, Function, Problem, entry, judged};
use crate::value::Value;

fn composition(call: &Call<'_>) -> Answer {
    match (call.arg(0)?, call.arg(1)?) {
        (Value::Swizzle(first), Value::Swizzle(second)) => {
            Ok(Value::Swizzle(swizzled::compose_swizzles(*first, *second)?))
        }
        (Value::Swizzle(swizzle), Value::Layout(inner)) => {
            let none = IntTuple::leaf(cute_algebra::Int::ZERO);
            let layout = swizzled::compose_swizzle(*swizzle, none, Layout::clone(inner));
            Ok(Value::of_layout(layout))
        }
        // composition(swizzle, offset, layout)
        (Value::Swizzle(swizzle), Value::Int(offset)) => {
            let offset = IntTuple::leaf(offset.clone());
            let layout = swizzled::compose_swizzle(*swizzle, offset, call.layout(2)?);
            Ok(Value::of_layout(layout))
        }
        (Value::Layout(layout), Value::Swizzle(swizzle)) => Ok(Value::of_layout(
            swizzled::compose_layout_with_swizzle(layout, *swizzle)?,
        )),
        (_, Value::Composed(right)) => {
            let right = AnyLayout::Composed(ComposedLayout::clone(right));
            call.on_layout(|left| Ok(swizzled::compose_any(left, &right)?))
        }
        (Value::Layout(_) | Value::Tensor(_) | Value::Composed(_) | Value::Shared(_), _) => {
            let tiler = call.tiler(1)?;
            call.on_layout(|left| {
                let legal = || texts(&neighbours::of_composition(left.domain(), &tiler));
                let blamed = match tiler {
                    Tiler::Layout(_) => Blamed::RIGHT_OF_COMPOSITION,
                    _ => 1.into(),
                };
                call.judged(judged::composition(left, &tiler), blamed, &legal)
            })
        }
        _ => Err(call.takes("layouts, swizzles or tilers")),
    }
}

/// An operation on an affine layout.
fn on_affine(call: &Call<'_>, f: impl FnOnce(&Layout) -> Result<Layout, Refusal>) -> Answer {
    Ok(f(&call.layout(0)?)?.into())
}

/// An operation that for a composed layout or tensor works on the layout inside.
fn on_domain(call: &Call<'_>, f: impl FnOnce(&Layout) -> Result<Layout, Refusal>) -> Answer {
    call.on_layout(|layout| Ok(layout.with_domain(f(layout.domain())?)))
}

fn complement(call: &Call<'_>) -> Answer {
    let cotarget = match call.args.get(1) {
        None => None,
        Some(Value::Layout(cotarget)) => Some(IntTuple::leaf(cotarget.size()?)),
        Some(_) => Some(call.shape(1)?),
    };
    let judged = judge::complement(&call.layout(0)?, cotarget.as_ref());
    Ok(Value::of_layout(call.judged(judged, 0, &Vec::new)?))
}

fn coalesce(call: &Call<'_>) -> Answer {
    if call.args.get(1).is_none() {
        on_domain(call, ops::coalesce)
    } else {
        let profile = call.shape(1)?;
        on_domain(call, |layout| ops::coalesce_by(layout, &profile))
    }
}

fn filter(call: &Call<'_>) -> Answer {
    if call.args.get(1).is_none() {
        on_domain(call, ops::filter)
    } else {
        let profile = call.shape(1)?;
        on_domain(call, |layout| ops::filter_by(layout, &profile))
    }
}

fn filter_zeros(call: &Call<'_>) -> Answer {
    if call.args.get(1).is_none() {
        on_domain(call, ops::filter_zeros)
    } else {
        let profile = call.shape(1)?;
        on_domain(call, |layout| {
            ops::filter::filter_zeros_by(layout, &profile)
        })
    }
}

fn right_inverse(call: &Call<'_>) -> Answer {
    let judged = judge::right_inverse(&call.any_layout(0)?);
    Ok(Value::of_layout(call.judged(judged, 0, &Vec::new)?))
}

fn left_inverse(call: &Call<'_>) -> Answer {
    let judged = judge::left_inverse(&call.any_layout(0)?);
    Ok(Value::of_layout(call.judged(judged, 0, &Vec::new)?))
}

fn nullspace(call: &Call<'_>) -> Answer {
    on_affine(call, ops::nullspace)
}

fn max_common_layout(call: &Call<'_>) -> Answer {
    let common = swizzled::max_common_layout_any(&call.any_layout(0)?, &call.any_layout(1)?)?;
    Ok(common.into())
}

fn max_common_vector(call: &Call<'_>) -> Answer {
    let vector = swizzled::max_common_vector_any(&call.any_layout(0)?, &call.any_layout(1)?)?;
    Ok(Value::Int(vector))
}

/// The one known template argument.
fn factor(call: &Call<'_>) -> Result<i64, Problem> {
    match call.targs {
        [value] => number(value).ok_or_else(|| call.takes("a known template argument")),
        _ => Err(call.takes("one template argument")),
    }
}

/// A layout of elements of another width, `old` bits by `new` bits: one of shared memory has the width of its elements, too
/// (`cute/pointer_flagged.hpp`).
fn recast(
    call: &Call<'_>,
    (old, new): (i64, i64),
    of: impl FnOnce(&AnyLayout) -> Result<AnyLayout, Refusal>,
) -> Answer {
    let recast = call.on_layout(|layout| Ok(of(layout)?))?;
    let Value::Shared(shared) = &recast else {
        return Ok(recast);
    };
    let bits = shared.element_bits.checked_mul(new);
    match bits.filter(|bits| shared.sparsity == 1 && old > 0 && bits % old == 0) {
        Some(bits) => Ok(Value::Shared(Arc::new(SharedLayout {
            element_bits: bits / old,
            ..SharedLayout::clone(shared)
        }))),
        None => Err(call.not_evaluated()),
    }
}

fn upcast(call: &Call<'_>) -> Answer {
    let factor = factor(call)?;
    match call.arg(0)? {
        Value::Swizzle(swizzle) => Ok(Value::Swizzle(swizzled::upcast_swizzle(swizzle, factor)?)),
        _ => recast(call, (1, factor), |layout| {
            swizzled::upcast_any(layout, factor)
        }),
    }
}

fn downcast(call: &Call<'_>) -> Answer {
    let factor = factor(call)?;
    match call.arg(0)? {
        Value::Swizzle(swizzle) => Ok(Value::Swizzle(swizzled::downcast_swizzle(swizzle, factor)?)),
        _ => recast(call, (factor, 1), |layout| {
            swizzled::downcast_any(layout, factor)
        }),
    }
}

fn recast_layout(call: &Call<'_>) -> Answer {
    let bits: Vec<i64> = call
        .targs
        .iter()
        .map(|value| super::tensors::bits_of(value).map(i64::from))
        .collect::<Option<_>>()
        .ok_or_else(|| call.takes("two types of known size"))?;
    match bits.as_slice() {
        [old, new] => recast(call, (*old, *new), |layout| {
            swizzled::recast_any(layout, *old, *new)
        }),
        _ => Err(call.takes("two types as template arguments")),
    }
}

pub(super) const FUNCTIONS: &[Function] = &[
    entry(
        "composition",
        "Layout composition(A, B)",
        "The layout of A(B(c)).",
        composition,
    ),
    entry(
        "complement",
        "Layout complement(A, cotarget)",
        "The offsets below the cotarget that A leaves out.",
        complement,
    ),
    entry(
        "coalesce",
        "Layout coalesce(A, profile)",
        "The same function with fewer modes.",
        coalesce,
    ),
    entry(
        "filter",
        "Layout filter(A, profile)",
        "Without modes of stride 0 or extent 1, coalesced.",
        filter,
    ),
    entry(
        "filter_zeros",
        "Layout filter_zeros(A)",
        "Modes of stride 0 get extent 1.",
        filter_zeros,
    ),
    entry(
        "right_inverse",
        "Layout right_inverse(A)",
        "The largest R with A(R(i)) = i.",
        right_inverse,
    ),
    entry(
        "left_inverse",
        "Layout left_inverse(A)",
        "An L with L(A(i)) = i.",
        left_inverse,
    ),
    entry(
        "nullspace",
        "Layout nullspace(A)",
        "The coordinates that A maps to 0.",
        nullspace,
    ),
    entry(
        "max_common_layout",
        "Layout max_common_layout(A, B)",
        "The largest layout contiguous in both.",
        max_common_layout,
    ),
    entry(
        "max_common_vector",
        "auto max_common_vector(A, B)",
        "How many elements are contiguous in both.",
        max_common_vector,
    ),
    entry(
        "upcast",
        "Layout upcast<N>(A)",
        "The layout of elements N times as wide.",
        upcast,
    ),
    entry(
        "downcast",
        "Layout downcast<N>(A)",
        "The layout of elements N times as narrow.",
        downcast,
    ),
    entry(
        "recast_layout",
        "Layout recast_layout<Old,New>(A)",
        "The layout of elements of another type.",
        recast_layout,
    ),
];
