//! Making layouts.

use cute_algebra::{Delta, Int, IntTuple, Layout, Tuple, ops};

use super::python_words::Takes::Argument;
use super::{Call, Evaluated, Function, Header, Makes, Problem, entry, form, python_words};
use crate::questions;
use crate::questions::answers;
use crate::questions::steps::Steps;
use crate::value::{Order, Value};
use cute_algebra::explain;

fn make_layout(call: &Call<'_>) -> Evaluated {
    match call.args {
        // make_layout(layout...): the layouts are its modes.
        [Value::Layout(_), ..] => {
            let modes: Vec<Layout> = (0..call.args.len())
                .map(|index| call.layout(index))
                .collect::<Result<_, _>>()?;
            Ok(Layout::concat(modes.iter().map(Layout::view))?.into())
        }
        [shape] => compact(shape, Order::Left, call),
        [shape, Value::Order(order)] => compact(shape, *order, call),
        [shape, stride] => layout_of(shape, stride),
        _ => Err(call.takes("a shape and a stride, or layouts")),
    }
}

fn compact(shape: &Value, order: Order, call: &Call<'_>) -> Evaluated {
    let shape = shape
        .to_shape()
        .ok_or_else(|| call.takes("a shape of integers"))?;
    Ok(Value::from(match order {
        Order::Left => Layout::left(shape)?,
        Order::Right => Layout::right(shape)?,
    }))
}

/// A layout of a shape and a stride; as in CuTe, a stride may be coarser than the shape.
pub(super) fn layout_of(shape: &Value, stride: &Value) -> Evaluated {
    let unsuitable = |takes| {
        Problem::Unknown(crate::reason::Reason::Unsuitable(
            "make_layout".into(),
            takes,
        ))
    };
    for value in [shape, stride] {
        if let Value::Unknown(reason) = value {
            return Err(Problem::Unknown(reason.clone()));
        }
    }
    if let Value::Order(order) = stride {
        let shape = shape
            .to_shape()
            .ok_or_else(|| unsuitable("a shape of integers"))?;
        return Ok(Value::from(match order {
            Order::Left => Layout::left(shape)?,
            Order::Right => Layout::right(shape)?,
        }));
    }
    let shape = shape
        .to_shape()
        .ok_or_else(|| unsuitable("a shape of integers"))?;
    let stride = stride
        .to_stride()
        .ok_or_else(|| unsuitable("a stride of integers"))?;
    Ok(Layout::new(shape, stride)?.into())
}

/// The modes of a stride that modes of a shape have.
pub(super) fn without_excess(shape: &Value, stride: &Value) -> Option<Value> {
    match (shape, stride) {
        (Value::Tuple(shape), Value::Tuple(stride)) if shape.len() <= stride.len() => {
            let modes = shape.iter().zip(stride);
            let modes: Option<Vec<Value>> = modes
                .map(|(shape, stride)| without_excess(shape, stride))
                .collect();
            modes.map(Value::Tuple)
        }
        (Value::Tuple(_), _) | (_, Value::Tuple(_)) => None,
        (_, stride) => Some(stride.clone()),
    }
}

fn ordered(call: &Call<'_>) -> Evaluated {
    let order = match call.arg(1)? {
        Value::Order(order) => return compact(call.arg(0)?, *order, call),
        _ => call.shape(1)?,
    };
    Ok(Value::from(ops::make_ordered_layout(
        &call.shape(0)?,
        &order,
    )?))
}

fn like(call: &Call<'_>) -> Evaluated {
    match call.arg(0)?.as_any_layout() {
        Some(layout) => Ok(ops::make_layout_like(layout.domain())?.into()),
        None => Err(call.takes("a layout")),
    }
}

fn identity(call: &Call<'_>) -> Evaluated {
    Ok(ops::make_identity_layout(&call.shape(0)?)?.into())
}

/// `make_cute_packed_stride(Stride<..>{}, shape)`: the stride type of a GEMM operand filled for a packed (M, K, L)
/// tensor: the extents before the one unit stride give the others. A stride of two modes has no batch.
fn packed_stride(call: &Call<'_>) -> Evaluated {
    let (stride, shape) = (call.arg(0)?, call.shape(1)?);
    let (Value::Tuple(steps), [first, second, batch]) = (stride, shape.leaves()) else {
        return Err(call.not_evaluated());
    };
    let is_one = |value: &Value| value.as_int().and_then(Int::as_static) == Some(1);
    let (row, leading) = match steps.as_slice() {
        [unit, open] | [unit, open, _] if is_one(unit) && !open.is_static() => (false, first),
        [open, unit] | [open, unit, _] if is_one(unit) && !open.is_static() => (true, second),
        _ => return Err(call.not_evaluated()),
    };
    let leading = leading.to_dynamic();
    let batched = if batch.value() == Some(1) {
        Int::dynamic(0)
    } else {
        // One matrix has the stride 0: `batch > 1 ? first * second : 0`.
        let several = batch.to_dynamic().sub(&Int::dynamic(1))?;
        let several = several.min(&Int::dynamic(1))?.max(&Int::dynamic(0))?;
        first.mul(second)?.mul(&several)?.to_dynamic()
    };
    let unit = Value::Int(Int::ONE);
    let leading = Value::Int(leading);
    let mut strides = if row {
        vec![leading, unit]
    } else {
        vec![unit, leading]
    };
    if let Some(last) = steps.get(2) {
        strides.push(if last.is_static() {
            last.clone()
        } else {
            Value::Int(batched)
        });
    }
    Ok(Value::Tuple(strides))
}

fn compact_col(call: &Call<'_>) -> Evaluated {
    let stride = ops::compact::compact_left(call.shape(0)?.view(), &first_step(call)?)?;
    Ok(Value::of_stride(&stride))
}

/// The step of the contiguous mode: 1 unless it is given.
fn first_step(call: &Call<'_>) -> Result<Delta, Problem> {
    match call.args.len() {
        0 | 1 => Ok(Delta::Int(Int::ONE)),
        _ => Ok(Delta::Int(call.int(1)?.clone())),
    }
}

fn compact_row(call: &Call<'_>) -> Evaluated {
    let stride = ops::compact::compact_right(call.shape(0)?.view(), &first_step(call)?)?;
    Ok(Value::of_stride(&stride))
}

fn idx2crd(call: &Call<'_>) -> Evaluated {
    let (index, shape) = (call.shape(0)?, call.shape(1)?);
    let coord: IntTuple = match call.args.get(2) {
        None => cute_algebra::coord::idx2crd(index.view(), shape.view())?,
        Some(stride) => {
            let stride: Tuple<Delta> = stride.to_stride().ok_or_else(|| call.takes("a stride"))?;
            cute_algebra::coord::idx2crd_stride(index.view(), shape.view(), stride.view())?
        }
    };
    Ok(Value::of_shape(&coord))
}

fn crd2crd(call: &Call<'_>) -> Evaluated {
    let (coord, from, to) = (call.shape(0)?, call.shape(1)?, call.shape(2)?);
    let coord = cute_algebra::coord::crd2crd(coord.view(), from.view(), to.view())?;
    Ok(Value::of_shape(&coord))
}

fn crd2idx(call: &Call<'_>) -> Evaluated {
    let (coord, shape) = (call.shape(0)?, call.shape(1)?);
    match call.args.get(2) {
        None => Ok(Value::Int(cute_algebra::coord::crd2idx_colex(
            coord.view(),
            shape.view(),
        )?)),
        Some(stride) => {
            let stride = stride.to_stride().ok_or_else(|| call.takes("a stride"))?;
            let offset = cute_algebra::coord::crd2idx(coord.view(), shape.view(), stride.view())?;
            Ok(Value::of_shape(&offset))
        }
    }
}

pub(super) const FUNCTIONS: &[Function] = &[
    entry(
        "make_layout",
        "Layout make_layout(shape, stride)",
        "the function from coordinates of the shape to offsets",
        make_layout,
    )
    .forms(&[
        form(&["shape"], "the compact layout, leftmost mode fastest"),
        form(
            &["shape", "stride"],
            "the function from coordinates of the shape to offsets",
        ),
    ])
    .section("§2.4")
    .header(Header::Cute("layout.hpp"))
    .makes(Makes::Layout)
    .asked(answers(1, 2, questions::layouts::make_layout))
    .python(&[python_words::word(
        "make_layout",
        &[("shape", Argument), ("stride", Argument)],
    )])
    .assembled(),
    entry(
        "make_ordered_layout",
        "Layout make_ordered_layout(shape, order)",
        "a compact layout whose modes are fastest in the given order",
        ordered,
    )
    .takes(&["shape", "order"])
    .rust(&["cute_algebra"])
    .header(Header::Cute("layout.hpp"))
    .makes(Makes::Layout)
    .asked(answers(2, 2, questions::layouts::make_ordered_layout))
    .python(&[python_words::word(
        "make_ordered_layout",
        &[("shape", Argument), ("order", Argument)],
    )])
    .by_law("ordered_layouts_are_compact"),
    entry(
        "make_layout_like",
        "Layout make_layout_like(layout)",
        "a compact layout ordered as the strides are; stride 0 stays 0",
        like,
    )
    .takes(&["layout"])
    .rust(&["cute_algebra"])
    .header(Header::Cute("layout.hpp"))
    .makes(Makes::Layout)
    .asked(answers(1, 1, questions::layouts::make_layout_like))
    .python(&[python_words::on_objects(
        "cutlass.cute",
        "make_layout_like",
        "input",
    )])
    .made_of("make_ordered_layout"),
    entry(
        "make_identity_layout",
        "Layout make_identity_layout(shape)",
        "each coordinate is its own offset: strides are unit coordinates",
        identity,
    )
    .takes(&["shape"])
    .section("§3.3.1")
    .rust(&["cute_algebra"])
    .header(Header::Cute("layout.hpp"))
    .makes(Makes::Layout)
    .asked(answers(1, 1, questions::layouts::make_identity_layout))
    .python(&[python_words::word(
        "make_identity_layout",
        &[("shape", Argument)],
    )])
    .assembled(),
    entry(
        "make_cute_packed_stride",
        "Stride make_cute_packed_stride(Stride{}, shape)",
        "the strides of a packed tensor",
        packed_stride,
    )
    .takes(&["Stride", "shape"])
    .header(Header::Tools("packed_stride.hpp")),
    entry(
        "compact_col_major",
        "Stride compact_col_major(shape[, first])",
        "strides with the leftmost mode contiguous",
        compact_col,
    )
    .takes(&["shape", "first"])
    .header(Header::Cute("stride.hpp")),
    entry(
        "compact_row_major",
        "Stride compact_row_major(shape[, first])",
        "strides with the rightmost mode contiguous",
        compact_row,
    )
    .takes(&["shape", "first"])
    .header(Header::Cute("stride.hpp")),
    entry(
        "idx2crd",
        "Coord idx2crd(index, shape)",
        "the coordinate of an index, leftmost mode fastest",
        idx2crd,
    )
    .takes(&["index", "shape"])
    .section("§2.2.2")
    .header(Header::Cute("stride.hpp"))
    .asked(answers(2, 3, questions::coordinates::idx2crd))
    .python(&[python_words::word(
        "idx2crd",
        &[("idx", Argument), ("shape", Argument)],
    )]),
    entry(
        "crd2crd",
        "Coord crd2crd(coord, from, to)",
        "the coordinate of the second shape with the same index",
        crd2crd,
    )
    .takes(&["coord", "from", "to"])
    .header(Header::Cute("stride.hpp"))
    .asked(answers(3, 3, questions::coordinates::crd2crd)),
    entry(
        "crd2idx",
        "auto crd2idx(coordinate, shape, stride)",
        "the inner product of a coordinate with the strides",
        crd2idx,
    )
    .takes(&["coordinate", "shape", "stride"])
    .section("§2.2.2")
    .header(Header::Cute("stride.hpp"))
    .by_steps(Steps::OfCoordinate(explain::evaluate))
    .asked(answers(2, 3, questions::coordinates::crd2idx)),
];
