//! Slicing a swizzled layout: the swizzle stays only where the rest of the layout still reaches both groups of its bits.
//!
//! The exchanged bits that the indices fix go into the offset, bit by bit static or run-time. If the layout that is
//! left moves in one group only, the swizzle is plain addition there and the result is a normal layout.

use crate::composed::{AnyLayout, ComposedLayout, Outer};
use crate::coord::{Coord, CoordLeaf, idx2crd};
use crate::int::Int;
use crate::layout::{Layout, Offset};
use crate::mixed;
use crate::ops::composition::composition;
use crate::ops::slice::{dice, indices, slice, slice_and_offset};
use crate::ops::swizzled::{Projections, compose_swizzle};
use crate::refusal::{Refusal, Rule};
use crate::stride::{Delta, add_points};
use crate::swizzle::Swizzle;
use crate::tuple::{IntTuple, Tuple};
use crate::verdict::Verdict;

/// The slice of any layout, without its offset.
pub fn slice_any(coord: &Coord, layout: &AnyLayout) -> Result<AnyLayout, Refusal> {
    slice_and_offset_any(coord, layout).map(|(slice, _)| slice)
}

/// The slice of any layout and the offset of its first element. A composed layout keeps its offset inside.
pub fn slice_and_offset_any(
    coord: &Coord,
    layout: &AnyLayout,
) -> Result<(AnyLayout, Offset), Refusal> {
    let composed = match layout {
        AnyLayout::Affine(layout) => {
            return slice_and_offset(coord, layout)
                .map(|(slice, offset)| (AnyLayout::Affine(slice), offset));
        }
        AnyLayout::Composed(composed) => composed,
    };
    let zero = || Tuple::leaf(Int::ZERO);
    match &composed.outer {
        Outer::Layout(_) => {
            let (inner, offset) = slice_and_offset(coord, &composed.inner)?;
            let offset = add_points(composed.offset.view(), offset.view())?;
            let sliced = ComposedLayout {
                outer: composed.outer.clone(),
                offset,
                inner,
            };
            Ok((AnyLayout::Composed(sliced), zero()))
        }
        Outer::Swizzle(swizzle) => {
            if coord
                .leaves()
                .iter()
                .all(|leaf| *leaf == CoordLeaf::Underscore)
            {
                let inner = slice(coord, &composed.inner)?;
                return Ok((
                    compose_swizzle(*swizzle, composed.offset.clone(), inner),
                    zero(),
                ));
            }
            slice_swizzled(coord, *swizzle, &composed.offset, &composed.inner)
        }
    }
}

fn slice_swizzled(
    coord: &Coord,
    swizzle: Swizzle,
    offset: &IntTuple,
    layout: &Layout,
) -> Result<(AnyLayout, Offset), Refusal> {
    let projections = Projections::new(swizzle)?;
    let kept = slice(coord, layout)?;
    let fixed = dice(coord, layout)?;
    let fixed_coord = indices(coord)?;
    let untouched = composition(&projections.untouched, &fixed)?.eval_coord(&fixed_coord)?;
    let exchanged = composition(&projections.only_exchanged, &fixed)?;
    let offset = offset.as_leaf().ok_or_else(|| {
        Refusal::uncompilable(Rule::UnlikeCodomains, "a swizzle needs an integer offset")
            .with("offset", offset.to_string())
    })?;
    let offset = add_bits(offset, &exchanged, &fixed_coord)?;
    let kept_exchanged = composition(&projections.only_exchanged, &kept)?;
    let last = kept_exchanged.size()?.sub(&Int::ONE)?;
    let active = kept_exchanged.eval_coord(&Tuple::leaf(last))?;
    let meets_itself = active
        .as_leaf()
        .and_then(Int::as_static)
        .is_some_and(|bits| bits & !swizzle.apply(bits) != 0);
    // An unknown offset gives strides of unknown sign; the composed form is the same function.
    if meets_itself || offset.value().is_none() {
        return Ok((
            compose_swizzle(swizzle, Tuple::leaf(offset), kept),
            untouched,
        ));
    }
    let additive = additive_form(swizzle, &offset)?;
    let swizzled = swizzle.apply_int(&offset)?;
    let start = add_points(Tuple::leaf(swizzled).view(), untouched.view())?;
    Ok((AnyLayout::Affine(composition(&additive, &kept)?), start))
}

/// `offset ^ bits(layout(coord))`, where each mode of the layout contributes its own bits.
fn add_bits(offset: &Int, layout: &Layout, coord: &IntTuple) -> Result<Int, Refusal> {
    let digits = idx2crd(coord.view(), layout.shape_view())?;
    if digits.leaves().iter().any(|digit| digit.value().is_none()) {
        return add_symbolic_bits(offset, layout, &digits);
    }
    let mut bits: Option<Int> = None;
    let view = layout.view();
    for ((extent, step), digit) in view
        .extents()
        .iter()
        .zip(view.steps())
        .zip(digits.leaves())
        .rev()
    {
        let part = mode_bits(extent, step, digit)?;
        bits = Some(match bits {
            None => part,
            Some(rest) => mixed::xor(&part, &rest)?,
        });
    }
    mixed::xor(offset, &bits.unwrap_or(Int::ZERO))
}

/// The bits that one mode can set: all below its extent, at its stride.
fn mode_mask(extent: &Int, step: &Delta) -> Result<i64, Refusal> {
    let (Some(extent), Some(step)) = (extent.as_static(), step.as_int().and_then(Int::as_static))
    else {
        return Err(Refusal::uncompilable(
            Rule::NeedsStaticStrides,
            "the value is not usable in a constant expression",
        )
        .with("shape", extent)
        .with("stride", step.to_string()));
    };
    let whole = extent
        .checked_mul(step)
        .ok_or_else(|| Refusal::overflow("mask"))?;
    if whole != 0 && (whole < 0 || whole.count_ones() != 1) {
        return Err(
            Refusal::asserted(Rule::NotDivisible, "Requires pow2 shape*stride.")
                .with("shape", extent)
                .with("stride", step),
        );
    }
    Ok((extent - 1) * step)
}

fn mode_bits(extent: &Int, step: &Delta, digit: &Int) -> Result<Int, Refusal> {
    let mask = mode_mask(extent, step)?;
    mixed::from_coordinate(&step.scale(digit)?.value(), mask)
}

/// With unknown coordinates: a sum equals the xor as long as no two modes share a bit.
fn add_symbolic_bits(offset: &Int, layout: &Layout, digits: &IntTuple) -> Result<Int, Refusal> {
    let view = layout.view();
    let mut sum = offset.clone();
    let Some(mut used) = offset.value() else {
        return Err(Refusal::new(Rule::NotProvable, Verdict::Accepts).with("offset", offset));
    };
    for ((extent, step), digit) in view.extents().iter().zip(view.steps()).zip(digits.leaves()) {
        let mask = mode_mask(extent, step)?;
        if used & mask != 0 {
            return Err(Refusal::new(Rule::NotProvable, Verdict::Accepts)
                .with("coordinate", digit)
                .with("mask", mask));
        }
        used |= mask;
        sum = sum.add(&step.scale(digit)?.value())?;
    }
    Ok(sum)
}

/// The swizzle as a normal layout of bits, right for offsets that add to `offset` in one of the two groups only.
fn additive_form(swizzle: Swizzle, offset: &Int) -> Result<Layout, Refusal> {
    let lowest = |mask: i64| mask & mask.wrapping_neg();
    let (target, source) = (lowest(swizzle.target_mask()), lowest(swizzle.source_mask()));
    let target_steps = || strides(offset, source, (target, -target), swizzle.bits());
    let source_steps = || {
        strides(
            offset,
            target,
            (source + target, source - target),
            swizzle.bits(),
        )
    };
    let (low, high) = if target < source {
        (target_steps()?, source_steps()?)
    } else {
        (source_steps()?, target_steps()?)
    };
    let (bits, base, distance) = (swizzle.bits(), swizzle.base(), swizzle.shift().abs());
    let power = |e: i64| 1_i64 << e;
    let mut modes: Vec<(i64, Int)> = vec![(power(base), Int::ONE)];
    modes.extend(low.into_iter().map(|step| (2, step)));
    modes.push((power(distance - bits), Int::fixed(power(base + bits))));
    modes.extend(high.into_iter().map(|step| (2, step)));
    modes.push((1, Int::fixed(power(base + bits + distance))));
    let shape = Tuple::flat(modes.iter().map(|(extent, _)| Int::fixed(*extent)))?;
    let stride = Tuple::flat(modes.into_iter().map(|(_, step)| Delta::Int(step)))?;
    Layout::new(shape, stride)
}

/// For each of `bits` bits: `clear * 2^i` where bit `i` of the partner group is 0 in the offset, `set * 2^i` where it is 1.
fn strides(
    offset: &Int,
    partner: i64,
    (clear, set): (i64, i64),
    bits: i64,
) -> Result<Vec<Int>, Refusal> {
    (0..bits)
        .map(|i| {
            let bit = mixed::and(offset, &Int::fixed(partner << i))?;
            let step = if bit.value() == Some(0) { clear } else { set };
            Ok(if bit.is_static() {
                Int::fixed(step << i)
            } else {
                Int::dynamic(step << i)
            })
        })
        .collect()
}
