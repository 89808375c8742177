//! The layout algebra: composition, complement, coalescing, inverses, recasts.

use std::sync::Arc;

use cute_algebra::ops::swizzled;
use cute_algebra::{
    AnyLayout, ComposedLayout, IntTuple, Layout, Outer, Refusal, Tiler, judge, neighbours, ops,
};
use cute_hardware::SharedLayout;

use super::call::{Blamed, number, texts};
use super::python_words::Takes::Argument;
use super::{
    Call, Evaluated, Function, Header, Makes, Picture, Problem, entry, form, judged, python_words,
    shared,
};
use crate::questions;
use crate::questions::steps::Steps;
use crate::questions::{OfTensor, answers};
use crate::types::Type;
use crate::value::Value;
use cute_algebra::explain;

fn composition(call: &Call<'_>) -> Evaluated {
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
        // composition(swizzle, smem_ptr_flag_bits<16>{}, layout)
        (Value::Swizzle(swizzle), Value::Instance(tag)) => {
            let shared = match &**tag {
                Type::Named(flag) => shared::flagged(*swizzle, flag, &call.layout(2)?),
                _ => None,
            };
            shared.ok_or_else(|| call.takes("layouts, swizzles or tilers"))
        }
        // composition(layout, offset, layout)
        (Value::Layout(outer), offset) if call.args.len() == 3 => {
            let offset = offset.to_shape().ok_or_else(|| call.takes("an offset"))?;
            let composed = ComposedLayout {
                outer: Outer::Layout(Layout::clone(outer)),
                offset,
                inner: call.layout(2)?,
            };
            Ok(Value::of_layout(AnyLayout::Composed(composed)))
        }
        (Value::Layout(layout), Value::Swizzle(swizzle)) => Ok(Value::of_layout(
            swizzled::compose_layout_with_swizzle(layout, *swizzle)?,
        )),
        (Value::Composed(_) | Value::Shared(_), _) if call.args.len() == 3 => {
            Err(call.not_evaluated())
        }
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
fn on_affine(call: &Call<'_>, f: impl FnOnce(&Layout) -> Result<Layout, Refusal>) -> Evaluated {
    Ok(f(&call.layout(0)?)?.into())
}

/// An operation that for a composed layout or tensor works on the layout inside.
fn on_domain(call: &Call<'_>, f: impl FnOnce(&Layout) -> Result<Layout, Refusal>) -> Evaluated {
    call.on_layout(|layout| Ok(layout.with_domain(f(layout.domain())?)))
}

fn complement(call: &Call<'_>) -> Evaluated {
    let cotarget = match call.args.get(1) {
        None => None,
        Some(Value::Layout(cotarget)) => Some(IntTuple::leaf(cotarget.size()?)),
        Some(_) => Some(call.shape(1)?),
    };
    let judged = judge::complement(&call.layout(0)?, cotarget.as_ref());
    Ok(Value::of_layout(call.judged(judged, 0, &Vec::new)?))
}

fn coalesce(call: &Call<'_>) -> Evaluated {
    if call.args.get(1).is_none() {
        on_domain(call, ops::coalesce)
    } else {
        let profile = call.shape(1)?;
        on_domain(call, |layout| ops::coalesce_by(layout, &profile))
    }
}

fn filter(call: &Call<'_>) -> Evaluated {
    if call.args.get(1).is_none() {
        on_domain(call, ops::filter)
    } else {
        let profile = call.shape(1)?;
        on_domain(call, |layout| ops::filter_by(layout, &profile))
    }
}

fn filter_zeros(call: &Call<'_>) -> Evaluated {
    if call.args.get(1).is_none() {
        on_domain(call, ops::filter_zeros)
    } else {
        let profile = call.shape(1)?;
        on_domain(call, |layout| {
            ops::filter::filter_zeros_by(layout, &profile)
        })
    }
}

fn right_inverse(call: &Call<'_>) -> Evaluated {
    let judged = judge::right_inverse(&call.any_layout(0)?);
    Ok(Value::of_layout(call.judged(judged, 0, &Vec::new)?))
}

fn left_inverse(call: &Call<'_>) -> Evaluated {
    let judged = judge::left_inverse(&call.any_layout(0)?);
    Ok(Value::of_layout(call.judged(judged, 0, &Vec::new)?))
}

fn nullspace(call: &Call<'_>) -> Evaluated {
    on_affine(call, ops::nullspace)
}

fn max_common_layout(call: &Call<'_>) -> Evaluated {
    let common = swizzled::max_common_layout_any(&call.any_layout(0)?, &call.any_layout(1)?)?;
    Ok(common.into())
}

fn max_common_vector(call: &Call<'_>) -> Evaluated {
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
) -> Evaluated {
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

fn upcast(call: &Call<'_>) -> Evaluated {
    let factor = factor(call)?;
    match call.arg(0)? {
        Value::Swizzle(swizzle) => Ok(Value::Swizzle(swizzled::upcast_swizzle(swizzle, factor)?)),
        _ => recast(call, (1, factor), |layout| {
            swizzled::upcast_any(layout, factor)
        }),
    }
}

fn downcast(call: &Call<'_>) -> Evaluated {
    let factor = factor(call)?;
    match call.arg(0)? {
        Value::Swizzle(swizzle) => Ok(Value::Swizzle(swizzled::downcast_swizzle(swizzle, factor)?)),
        _ => recast(call, (factor, 1), |layout| {
            swizzled::downcast_any(layout, factor)
        }),
    }
}

fn recast_layout(call: &Call<'_>) -> Evaluated {
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
        "Layout composition(layout, tiler)",
        "R with R(c) = layout(tiler(c)) for every coordinate c of tiler",
        composition,
    )
    .judged()
    .takes(&["layout", "tiler"])
    .section("§3.3")
    .rust(&["cute_algebra"])
    .header(Header::Cute("layout.hpp"))
    .makes(Makes::Layout)
    .drawn(Picture::Composition)
    .by_steps(Steps::WithTiler(explain::composition_by))
    .asked(answers(2, 3, questions::algebra::composition).of_tensor(OfTensor::Changed))
    .python(&[python_words::word(
        "composition",
        &[("lhs", Argument), ("rhs", Argument)],
    )]),
    entry(
        "complement",
        "Layout complement(layout, cotarget)",
        "the offsets below the target that the layout leaves out",
        complement,
    )
    .takes(&["layout", "cotarget"])
    .section("§3.5")
    .rust(&["cute_algebra"])
    .header(Header::Cute("layout.hpp"))
    .makes(Makes::Layout)
    .drawn(Picture::Complement)
    .by_steps(Steps::WithShape(explain::complement))
    .asked(answers(1, 2, questions::algebra::complement))
    .python(&[python_words::word(
        "complement",
        &[("input", Argument), ("cotarget", Argument)],
    )])
    .by_law("complement_is_disjoint_and_ordered"),
    entry(
        "coalesce",
        "Layout coalesce(A, profile)",
        "the same offsets, each mode of the profile coalesced separately",
        coalesce,
    )
    .forms(&[
        form(
            &["layout"],
            "the same offsets with as few modes as possible",
        ),
        form(
            &["layout", "profile"],
            "the same offsets, each mode of the profile coalesced separately",
        ),
    ])
    .section("§3.2")
    .rust(&["cute_algebra"])
    .header(Header::Cute("layout.hpp"))
    .makes(Makes::Argument)
    .by_steps(Steps::OfLayout(explain::coalesce))
    .asked(answers(1, 2, questions::modes::coalesce).of_tensor(OfTensor::Changed))
    .python(&[python_words::word("coalesce", python_words::PROFILED)])
    .by_law("coalesce_keeps_the_function"),
    entry(
        "filter",
        "Layout filter(layout)",
        "without modes of stride 0 or extent 1, coalesced",
        filter,
    )
    .takes(&["layout"])
    .rust(&["cute_algebra"])
    .header(Header::Cute("layout.hpp"))
    .makes(Makes::Argument)
    .by_steps(Steps::OfLayout(explain::filter))
    .asked(answers(1, 2, questions::modes::filter).of_tensor(OfTensor::Changed))
    .python(&[python_words::word("filter", python_words::UNARY)])
    .by_law("filter_keeps_the_image"),
    entry(
        "filter_zeros",
        "Layout filter_zeros(layout)",
        "modes of stride 0 get extent 1; the hierarchy is kept",
        filter_zeros,
    )
    .takes(&["layout"])
    .rust(&["cute_algebra"])
    .header(Header::Cute("layout.hpp"))
    .makes(Makes::Argument)
    .asked(answers(1, 2, questions::modes::filter_zeros).of_tensor(OfTensor::Changed))
    .python(&[python_words::word("filter_zeros", python_words::PROFILED)])
    .assembled(),
    entry(
        "right_inverse",
        "Layout right_inverse(layout)",
        "R with layout(R(k)) = k for every k below size(R)",
        right_inverse,
    )
    .judged()
    .takes(&["layout"])
    .section("§3.4.1")
    .rust(&["cute_algebra"])
    .header(Header::Cute("layout.hpp"))
    .makes(Makes::Layout)
    .by_steps(Steps::OfLayout(explain::right_inverse))
    .asked(answers(1, 1, questions::algebra::right_inverse))
    .python(&[python_words::word("right_inverse", python_words::UNARY)]),
    entry(
        "left_inverse",
        "Layout left_inverse(layout)",
        "L with L(layout(i)) = i for every index i",
        left_inverse,
    )
    .judged()
    .takes(&["layout"])
    .section("§3.4.3")
    .rust(&["cute_algebra"])
    .header(Header::Cute("layout.hpp"))
    .makes(Makes::Layout)
    .by_steps(Steps::OfLayout(explain::left_inverse))
    .asked(answers(1, 1, questions::algebra::left_inverse))
    .python(&[python_words::word("left_inverse", python_words::UNARY)]),
    entry(
        "nullspace",
        "Layout nullspace(A)",
        "the coordinates that all have offset 0",
        nullspace,
    )
    .takes(&["A"])
    .rust(&["cute_algebra"])
    .header(Header::Cute("layout.hpp"))
    .asked(answers(1, 1, questions::algebra::nullspace))
    .python(&[python_words::word("nullspace", python_words::UNARY)]),
    entry(
        "max_common_layout",
        "Layout max_common_layout(a, b)",
        "the longest run of elements that is contiguous in both",
        max_common_layout,
    )
    .takes(&["a", "b"])
    .rust(&["cute_algebra"])
    .header(Header::Cute("layout.hpp"))
    .by_steps(Steps::WithLayout(explain::max_common_layout))
    .asked(answers(2, 2, questions::algebra::max_common_layout))
    .python(&[python_words::word("max_common_layout", python_words::PAIR)]),
    entry(
        "max_common_vector",
        "auto max_common_vector(a, b)",
        "the number of elements contiguous in both",
        max_common_vector,
    )
    .takes(&["a", "b"])
    .section("§3.4.2")
    .rust(&["cute_algebra"])
    .header(Header::Cute("layout.hpp"))
    .by_steps(Steps::WithLayout(explain::max_common_vector))
    .asked(answers(2, 2, questions::algebra::max_common_vector))
    .python(&[python_words::word("max_common_vector", python_words::PAIR)]),
    entry(
        "upcast",
        "Layout upcast<N>(layout)",
        "the same memory seen as larger elements",
        upcast,
    )
    .takes(&["layout"])
    .header(Header::Cute("layout.hpp"))
    .makes(Makes::Argument)
    .by_steps(Steps::WithFactor(explain::upcast))
    .asked(answers(2, 2, questions::algebra::upcast))
    .by_law("downcast_then_upcast_is_the_same_function"),
    entry(
        "downcast",
        "Layout downcast<N>(layout)",
        "the same memory seen as smaller elements",
        downcast,
    )
    .takes(&["layout"])
    .header(Header::Cute("layout.hpp"))
    .makes(Makes::Argument)
    .by_steps(Steps::WithFactor(explain::downcast))
    .asked(answers(2, 2, questions::algebra::downcast))
    .by_law("downcast_then_upcast_is_the_same_function"),
    entry(
        "recast_layout",
        "Layout recast_layout<Old,New>(layout)",
        "the same memory seen as elements of another width",
        recast_layout,
    )
    .takes(&["layout"])
    .header(Header::Cute("layout.hpp"))
    .makes(Makes::Argument)
    .asked(answers(3, 3, questions::algebra::recast_layout))
    .by_law("downcast_then_upcast_is_the_same_function"),
];
