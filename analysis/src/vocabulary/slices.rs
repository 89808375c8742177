//! Layouts and tensors at coordinates: their offsets, the slices that `_` keeps, and tensors that begin at a coordinate.

use std::sync::Arc;

use cute_algebra::{AnyLayout, ComposedLayout, CoordLeaf, IntTuple, Layout, ops};
use cute_hardware::SharedLayout;

use super::{Call, Evaluated, Problem, Surroundings};
use crate::reason::Reason;
use crate::tensor::Tensor;
use crate::value::Value;

/// `value(args)`.
pub(super) fn apply(surroundings: Surroundings, value: &Value, args: &[Value]) -> Evaluated {
    let call = Call::new("()", &[], args);
    for arg in args {
        if let Value::Unknown(reason) = arg {
            return Err(Problem::Unknown(reason.clone()));
        }
    }
    let coord = match args {
        [only] => only.clone(),
        several => Value::Tuple(several.to_vec()),
    };
    match value {
        Value::Tensor(tensor) => {
            if !has_underscore(&coord) {
                return Err(Problem::Unknown(Reason::RunTime(
                    "an element of a tensor".into(),
                )));
            }
            let with_engine = |layout| {
                Value::Tensor(Box::new(Tensor {
                    engine: tensor.engine.clone(),
                    layout,
                }))
            };
            slice(&call, &tensor.layout, &coord)
                .map(with_engine)
                .map_err(|problem| problem.of_first(with_engine))
        }
        Value::Layout(layout) if has_underscore(&coord) => Ok(Value::of_layout(slice(
            &call,
            &AnyLayout::Affine(Layout::clone(layout)),
            &coord,
        )?)),
        Value::Composed(composed) if has_underscore(&coord) => Ok(Value::of_layout(slice(
            &call,
            &AnyLayout::Composed(ComposedLayout::clone(composed)),
            &coord,
        )?)),
        Value::Shared(shared) if has_underscore(&coord) => {
            slice_of_shared(&call, surroundings, shared, &coord)
        }
        Value::Layout(layout) => {
            let coord: IntTuple = coord.to_shape().ok_or_else(|| call.takes("a coordinate"))?;
            Ok(Value::of_shape(&layout.eval_coord(&coord)?))
        }
        Value::Composed(composed) => {
            let coord: IntTuple = coord.to_shape().ok_or_else(|| call.takes("a coordinate"))?;
            Ok(Value::of_shape(&composed.eval_coord(&coord)?))
        }
        Value::Swizzle(swizzle) => match coord.as_int() {
            Some(int) => match int.value() {
                Some(offset) if int.is_static() => {
                    Ok(Value::Int(cute_algebra::Int::fixed(swizzle.apply(offset))))
                }
                Some(offset) => Ok(Value::Int(cute_algebra::Int::dynamic(
                    swizzle.apply(offset),
                ))),
                None => Err(Problem::Unknown(Reason::RunTime(
                    "a swizzled offset".into(),
                ))),
            },
            None => Err(call.takes("an offset")),
        },
        _ => Err(Problem::Unknown(Reason::Construct("a call of this value"))),
    }
}

/// The first version of CUTLASS in which a slice at a static 0 keeps the tag of a layout of shared memory.
const KEEPS_TAG: (u32, u32) = (4, 7);

/// A slice of a layout of shared memory (`slice_and_offset` of `cute/pointer_flagged.hpp`): its tag, an offset, is lost, and the
/// swizzle permutes offsets of elements, as its numbers say. Later versions keep the tag where the slice begins at a static 0. The
/// DSL keeps it, and the start of the slice is not part of the layout.
fn slice_of_shared(
    call: &Call<'_>,
    surroundings: Surroundings,
    shared: &SharedLayout,
    coord: &Value,
) -> Evaluated {
    let inner = AnyLayout::Affine(shared.layout.clone());
    let keeps_tag = surroundings.other_cutlass >= Some(KEEPS_TAG);
    if surroundings.is_of_dsl || !has_number(coord) {
        return match slice(call, &inner, coord)? {
            AnyLayout::Affine(layout) => Ok(Value::Shared(Arc::new(shared.with_layout(layout)))),
            AnyLayout::Composed(_) => Err(call.not_evaluated()),
        };
    }
    if keeps_tag {
        let coord = coord.to_coord().ok_or_else(|| call.takes("a coordinate"))?;
        let (layout, offset) = ops::slice_and_offset(&coord, &shared.layout)?;
        let offset = offset.as_leaf().ok_or_else(|| call.not_evaluated())?;
        if offset.is_constant(0) {
            return Ok(Value::Shared(Arc::new(shared.with_layout(layout))));
        }
        let offset = IntTuple::leaf(offset.clone());
        let layout = ops::swizzled::compose_swizzle(shared.swizzle, offset, layout);
        return Ok(Value::of_layout(layout));
    }
    slice(call, &without_tag(shared), coord).map(Value::of_layout)
}

/// A layout of shared memory whose swizzle permutes offsets of elements.
fn without_tag(shared: &SharedLayout) -> AnyLayout {
    let none = IntTuple::leaf(cute_algebra::Int::ZERO);
    match shared.swizzle.bits() {
        0 => AnyLayout::Affine(shared.layout.clone()),
        _ => ops::swizzled::compose_swizzle(shared.swizzle, none, shared.layout.clone()),
    }
}

/// Whether a coordinate fixes a mode, or a part of one.
fn has_number(value: &Value) -> bool {
    match value {
        Value::Underscore => false,
        Value::Tuple(items) => items.iter().any(has_number),
        _ => true,
    }
}

fn has_underscore(value: &Value) -> bool {
    match value {
        Value::Underscore => true,
        Value::Tuple(items) => items.iter().any(has_underscore),
        _ => false,
    }
}

/// The modes that `_` keeps. A slice of a swizzled layout is known where its coordinates are.
pub(super) fn slice(
    call: &Call<'_>,
    layout: &AnyLayout,
    coord: &Value,
) -> Result<AnyLayout, Problem> {
    let coord = coord.to_coord().ok_or_else(|| call.takes("a coordinate"))?;
    let known = coord.leaves().iter().all(|leaf| match leaf {
        CoordLeaf::Int(int) => int.value().is_some(),
        CoordLeaf::Underscore => true,
    });
    let from_first = with_known_offset(layout);
    if from_first.is_none() && (known || layout.as_affine().is_some()) {
        return Ok(ops::swizzled_slice::slice_any(&coord, layout)?);
    }
    let layout = from_first.as_ref().unwrap_or(layout);
    let first = coord.map(|leaf| match leaf {
        CoordLeaf::Int(int) if int.value().is_none() => {
            CoordLeaf::Int(cute_algebra::Int::dynamic(0))
        }
        other => other.clone(),
    });
    let sliced = ops::swizzled_slice::slice_any(&first, layout)?;
    if Value::of_layout(sliced.clone()).is_static() {
        Ok(sliced)
    } else {
        Err(Problem::ForFirst(Box::new(Value::of_layout(sliced))))
    }
}

/// A swizzled layout that begins at an offset of which nothing is known, as if it began at 0.
fn with_known_offset(layout: &AnyLayout) -> Option<AnyLayout> {
    let AnyLayout::Composed(composed) = layout else {
        return None;
    };
    let is_open = composed.swizzle().is_some()
        && composed
            .offset
            .as_leaf()
            .is_some_and(|offset| offset.value().is_none());
    is_open.then(|| {
        AnyLayout::Composed(ComposedLayout {
            offset: cute_algebra::Tuple::leaf(cute_algebra::Int::dynamic(0)),
            ..ComposedLayout::clone(composed)
        })
    })
}

pub(super) fn slice_function(call: &Call<'_>) -> Evaluated {
    let coord = call.arg(0)?;
    match call.arg(1)? {
        value @ (Value::Tuple(_) | Value::Int(_)) => {
            super::tuple_algorithms::slice_tuple(call, coord, value)
        }
        value @ (Value::Layout(_) | Value::Composed(_) | Value::Shared(_) | Value::Tensor(_)) => {
            apply(call.surroundings, value, std::slice::from_ref(coord))
        }
        _ => Err(call.takes("a coordinate and a layout")),
    }
}

/// The modes that the coordinate keeps, and the offset of the others. A swizzle needs to know them.
pub(super) fn slice_and_offset(call: &Call<'_>) -> Evaluated {
    let coord = call.arg(0)?.to_coord();
    let coord = coord.ok_or_else(|| call.takes("a coordinate and a layout"))?;
    let layout = match call.arg(1)? {
        Value::Shared(shared) if !call.surroundings.is_of_dsl => {
            if call.surroundings.other_cutlass >= Some(KEEPS_TAG) {
                let slice = slice_of_shared(call, call.surroundings, shared, call.arg(0)?)?;
                let none = Value::Int(cute_algebra::Int::ZERO);
                return Ok(Value::Tuple(vec![slice, none]));
            }
            without_tag(shared)
        }
        _ => call.any_layout(1)?,
    };
    let is_open = |leaf: &CoordLeaf| matches!(leaf, CoordLeaf::Int(int) if int.value().is_none());
    if layout.as_affine().is_none() && coord.leaves().iter().any(is_open) {
        return Err(call.not_evaluated());
    }
    let (slice, offset) = ops::swizzled_slice::slice_and_offset_any(&coord, &layout)?;
    Ok(Value::Tuple(vec![
        Value::of_layout(slice),
        Value::of_shape(&offset),
    ]))
}

/// `domain_offset(coordinate, x)`: a tensor that begins at the coordinate; of a layout, the layout and the offset of its start. A
/// layout with a swizzle takes the start into itself.
pub(super) fn domain_offset(call: &Call<'_>) -> Evaluated {
    let coord = || {
        let coord: Option<IntTuple> = call.arg(0)?.to_shape();
        coord.ok_or_else(|| call.takes("a coordinate and a tensor"))
    };
    let pair = |layout: Value, offset: Value| Ok(Value::Tuple(vec![layout, offset]));
    let nothing = Value::Int(cute_algebra::Int::ZERO);
    match call.arg(1)? {
        Value::Tensor(tensor) => match &tensor.layout {
            AnyLayout::Affine(_) => Ok(Value::Tensor(tensor.clone())),
            AnyLayout::Composed(composed) => Ok(Value::Tensor(Box::new(Tensor {
                engine: tensor.engine.clone(),
                layout: AnyLayout::Composed(composed.beginning_at(&coord()?)?),
            }))),
        },
        Value::Layout(layout) => {
            let offset = layout.eval_coord(&coord()?)?;
            pair(Value::Layout(layout.clone()), Value::of_shape(&offset))
        }
        Value::Composed(composed) => {
            let moved = composed.beginning_at(&coord()?)?;
            pair(Value::of_layout(AnyLayout::Composed(moved)), nothing)
        }
        Value::Shared(shared) => {
            let whole = ComposedLayout::swizzled(shared.swizzle, shared.layout.clone());
            let moved = whole.beginning_at(&coord()?)?;
            pair(Value::of_layout(AnyLayout::Composed(moved)), nothing)
        }
        _ => Err(call.takes("a coordinate and a tensor")),
    }
}
