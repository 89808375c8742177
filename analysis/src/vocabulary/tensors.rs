//! Tensors and pointers: making, tiling, partitioning.

use cute_algebra::judge::Form;
use cute_algebra::{AnyLayout, Layout, Tiler, neighbours, ops};

use super::call::{number, texts};
use super::python_words::Takes::{Argument, Nothing, Template};
use super::slices::{domain_offset, slice, slice_and_offset, slice_function};
use super::{
    Call, Evaluated, Function, Header, Makes, Picture, Problem, entry, judged, lenient,
    python_words,
};
use crate::questions;
use crate::questions::steps::Steps;
use crate::questions::{OfTensor, answers};
use crate::reason::Reason;
use crate::tensor::{Pointer, Space, Tensor};
use crate::trace::ActionKind;
use crate::types::Type;
use crate::value::Value;
use cute_algebra::explain;

/// The layout of arguments: a layout, or a shape with an optional stride.
fn layout_from(call: &Call<'_>, first: usize) -> Result<AnyLayout, Problem> {
    match call.arg(first)? {
        value @ (Value::Layout(_) | Value::Composed(_) | Value::Shared(_)) => {
            value.as_any_layout().ok_or_else(|| call.takes("a layout"))
        }
        shape => {
            let default = Value::Order(crate::value::Order::Left);
            let stride = match call.args.get(first + 1) {
                Some(_) => call.arg(first + 1)?,
                None => &default,
            };
            match super::layouts::layout_of(shape, stride)? {
                Value::Layout(layout) => Ok(AnyLayout::Affine(Layout::clone(&layout))),
                _ => Err(call.takes("a layout or a shape")),
            }
        }
    }
}

fn make_tensor(call: &Call<'_>) -> Evaluated {
    let engine = match (call.args.first(), call.targs) {
        // make_tensor<T>(layout) owns its elements.
        (_, [Value::Type(ty)]) => {
            let layout = layout_from(call, 0)?;
            let engine = Pointer::generic(Some((**ty).clone())).in_space(Space::Registers);
            return Ok(Value::Tensor(Box::new(Tensor { engine, layout })));
        }
        (Some(Value::Pointer(pointer)), _) => pointer.clone(),
        // A pointer whose address is computed at run time is as good as another.
        (
            Some(
                Value::Instance(_)
                | Value::Unknown(
                    Reason::RunTime(_)
                    | Reason::NoBody(_)
                    | Reason::NoMember(..)
                    | Reason::MemberNotEvaluated(..),
                ),
            ),
            _,
        ) => Pointer::generic(None),
        // The coordinate where a tensor of coordinates starts.
        (Some(Value::Tuple(_) | Value::Int(_)), _) => Pointer {
            space: Space::Coordinates,
            ..Pointer::generic(None)
        },
        (Some(Value::Unknown(reason)), _) => return Err(Problem::Unknown(reason.clone())),
        _ => return Err(call.takes("a pointer and a layout")),
    };
    let layout = layout_from(call, 1)?;
    let mut engine = engine;
    if let Some(Value::Shared(shared)) = call.args.get(1) {
        engine.swizzle = (!shared.swizzle.is_identity()).then_some(shared.swizzle);
        engine.element_bits = u32::try_from(shared.element_bits).ok();
    }
    Ok(Value::Tensor(Box::new(Tensor { engine, layout })))
}

fn registers_like(
    call: &Call<'_>,
    make: fn(&Layout) -> Result<Layout, cute_algebra::Refusal>,
) -> Evaluated {
    registers_of(call, make(call.any_layout(0)?.domain())?)
}

fn registers_of(call: &Call<'_>, result: Layout) -> Evaluated {
    let element = match (call.targs, call.arg(0)?) {
        ([Value::Type(ty)], _) => Some((**ty).clone()),
        (_, Value::Tensor(tensor)) => tensor.engine.element.as_deref().cloned(),
        (_, _) => return Ok(result.into()),
    };
    Ok(Value::Tensor(Box::new(Tensor {
        engine: Pointer::generic(element).in_space(Space::Registers),
        layout: AnyLayout::Affine(result),
    })))
}

fn make_tensor_like(call: &Call<'_>) -> Evaluated {
    registers_like(call, ops::make_layout_like)
}

fn make_fragment_like(call: &Call<'_>) -> Evaluated {
    // Of a shape it is `make_layout`.
    if let Value::Int(_) | Value::Tuple(_) = call.arg(0)? {
        return registers_of(call, Layout::left(call.shape(0)?)?);
    }
    registers_like(call, ops::make_fragment_like)
}

fn make_identity_tensor(call: &Call<'_>) -> Evaluated {
    let layout = ops::make_identity_layout(&call.shape(0)?)?;
    Ok(Value::Tensor(Box::new(Tensor {
        engine: Pointer {
            space: Space::Coordinates,
            ..Pointer::generic(None)
        },
        layout: AnyLayout::Affine(layout),
    })))
}

/// Marks of a projection: `_1` keeps the mode, `X` leaves it out.
fn kept_modes(call: &Call<'_>, projection: &Value) -> Result<Vec<bool>, Problem> {
    match projection {
        Value::Tuple(items) => items
            .iter()
            .map(|item| match item {
                Value::Underscore => Ok(false),
                Value::Int(_) => Ok(true),
                _ => Err(call.takes("a projection of `_1` and `X`")),
            })
            .collect(),
        _ => Err(call.takes("a projection of `_1` and `X`")),
    }
}

/// The parts of a tuple that a projection keeps.
fn projected(call: &Call<'_>, value: &Value, kept: &[bool]) -> Evaluated {
    match value {
        Value::Tuple(items) if items.len() == kept.len() => Ok(Value::Tuple(
            items
                .iter()
                .zip(kept)
                .filter(|(_, keep)| **keep)
                .map(|(item, _)| item.clone())
                .collect(),
        )),
        Value::Layout(layout) if layout.rank() == kept.len() => {
            let modes: Vec<usize> = kept
                .iter()
                .enumerate()
                .filter(|(_, keep)| **keep)
                .map(|(index, _)| index)
                .collect();
            Ok(ops::select(layout, &modes)?.into())
        }
        _ => Err(call.takes("a projection of the same rank")),
    }
}

/// `local_tile(tensor, tiler, coord[, projection])`: the tile at a coordinate of the rests.
fn local_tile(call: &Call<'_>) -> Evaluated {
    let (mut tiler, mut coord) = (call.arg(1)?.clone(), unknown_as_run_time(call, 2)?);
    if let Some(projection) = call.args.get(3) {
        let kept = kept_modes(call, projection)?;
        tiler = projected(call, &tiler, &kept)?;
        coord = projected(call, &coord, &kept)?;
    }
    inner_partition(call, &tiler, &coord)
}

fn inner_partition_function(call: &Call<'_>) -> Evaluated {
    inner_partition(call, call.arg(1)?, &unknown_as_run_time(call, 2)?)
}

/// A coordinate's numbers do not matter to the layout of a tile; only where its `_` are does.
fn unknown_as_run_time(call: &Call<'_>, index: usize) -> Evaluated {
    fn known(value: &Value) -> Option<Value> {
        match value {
            Value::Unknown(Reason::RunTime(_)) => {
                Some(Value::Int(cute_algebra::Int::coordinate("?")))
            }
            Value::Unknown(_) => None,
            Value::Tuple(items) => items
                .iter()
                .map(known)
                .collect::<Option<_>>()
                .map(Value::Tuple),
            other => Some(other.clone()),
        }
    }
    let value = call
        .args
        .get(index)
        .ok_or_else(|| call.takes("a coordinate"))?;
    match known(value) {
        Some(value) => Ok(value),
        None => call
            .arg(index)
            .cloned()
            .and_then(|_| Err(call.takes("a known coordinate"))),
    }
}

/// Tiles first: `zipped_divide(tensor, tiler)((_,_), coord)`.
fn inner_partition(call: &Call<'_>, tiler: &Value, coord: &Value) -> Evaluated {
    let parts = tiler.to_tiler().ok_or_else(|| call.takes("a tiler"))?;
    call.on_layout(|layout| {
        let divided = divide(call, layout, &parts)?;
        let coord = match coord {
            Value::Tuple(_) => append_underscores(coord, rests(&divided)?),
            // An index counts all tiles.
            index => index.clone(),
        };
        let whole = Value::Tuple(vec![underscores(&divided, 0)?, coord]);
        slice(call, &divided, &whole)
    })
}

/// Rests first: `zipped_divide(tensor, tiler)(coord, (_,_))`.
fn outer_partition(call: &Call<'_>, tiler: &Value, coord: &Value) -> Evaluated {
    let parts = tiler.to_tiler().ok_or_else(|| call.takes("a tiler"))?;
    call.on_layout(|layout| {
        let divided = divide(call, layout, &parts)?;
        let tile_rank = divided.domain().mode(0)?.rank();
        let coord = match coord {
            // An index of threads is a coordinate of the whole tile.
            Value::Tuple(_) => append_underscores(coord, tile_rank),
            index => index.clone(),
        };
        let whole = Value::Tuple(vec![coord, underscores(&divided, 1)?]);
        slice(call, &divided, &whole)
    })
}

/// Tiles and rests. Tiles that reach beyond the tensor, or have another form than required, get a remark; run-time
/// numbers are a requirement of the whole call ([`crate::cost`]).
fn divide(call: &Call<'_>, layout: &AnyLayout, tiler: &Tiler) -> Result<AnyLayout, Problem> {
    let legal = || texts(&neighbours::of_divide(layout.domain(), tiler));
    let judged = judged::divide(layout, tiler, Form::Zipped);
    Ok(call.settled(judged, 1, &legal)?.0)
}

fn rests(divided: &AnyLayout) -> Result<usize, Problem> {
    Ok(divided.domain().mode(1)?.rank())
}

fn underscores(divided: &AnyLayout, mode: usize) -> Evaluated {
    Ok(match divided.domain().mode(mode)?.rank() {
        1 => Value::Underscore,
        rank => Value::Tuple(vec![Value::Underscore; rank]),
    })
}

fn append_underscores(coord: &Value, rank: usize) -> Value {
    match coord {
        Value::Tuple(items) => {
            let mut items = items.clone();
            while items.len() < rank {
                items.push(Value::Underscore);
            }
            Value::Tuple(items)
        }
        other => other.clone(),
    }
}

fn outer_partition_function(call: &Call<'_>) -> Evaluated {
    outer_partition(call, call.arg(1)?, &unknown_as_run_time(call, 2)?)
}

/// `local_partition(tensor, threads, index[, projection])`: the part of a tensor for one thread of a layout of threads.
fn local_partition(call: &Call<'_>) -> Evaluated {
    let mut threads = call.layout(1)?;
    let index = unknown_as_run_time(call, 2)?;
    if index.as_int().is_none() {
        return Err(call.takes("the index of a thread"));
    }
    if let Some(projection) = call.args.get(3) {
        let kept = kept_modes(call, projection)?;
        threads = match projected(call, &Value::from(threads), &kept)? {
            Value::Layout(layout) => Layout::clone(&layout),
            _ => return Err(call.takes("a layout of threads")),
        };
    }
    // Only the shape of the threads decides the layout: each thread has one coordinate in it.
    let products: Vec<Value> = threads
        .view()
        .modes()
        .map(|mode| Ok(Value::Int(mode.size()?)))
        .collect::<Result<_, Problem>>()?;
    let coord = vec![Value::Int(cute_algebra::Int::coordinate("thread")); products.len()];
    outer_partition(call, &Value::Tuple(products), &Value::Tuple(coord))
}

/// Bits of a type given as a template argument, or of a number of bits.
pub(super) fn bits_of(value: &Value) -> Option<u32> {
    match value {
        Value::Type(ty) => match &**ty {
            Type::Of(inner) => number(inner).and_then(|bits| u32::try_from(bits).ok()),
            ty => ty.bits(),
        },
        Value::Int(_) => number(value).and_then(|bits| u32::try_from(bits).ok()),
        _ => None,
    }
}

fn recast(call: &Call<'_>) -> Evaluated {
    let (Value::Tensor(tensor), [target @ Value::Type(ty)]) = (call.arg(0)?, call.targs) else {
        return Err(call.takes("a tensor and a type"));
    };
    let (Some(old), Some(new)) = (tensor.engine.bits(), bits_of(target)) else {
        return Err(call.takes("types of known size"));
    };
    let layout = ops::swizzled::recast_any(&tensor.layout, i64::from(old), i64::from(new))?;
    Ok(Value::Tensor(Box::new(Tensor {
        engine: Pointer::generic(Some((**ty).clone())).in_space(tensor.engine.space),
        layout,
    })))
}

pub(super) const FUNCTIONS: &[Function] = &[
    entry(
        "slice",
        "auto slice(coordinate, layout)",
        "the modes where the coordinate has `_`, at the other coordinates",
        slice_function,
    )
    .takes(&["coordinate", "layout"])
    .section("§2.5.1")
    .header(Header::Cute("layout.hpp"))
    .drawn(Picture::Slice)
    .by_steps(Steps::Slice(explain::slice))
    .asked(
        answers(2, 2, questions::coordinates::slice)
            .of_tensor(OfTensor::Own(questions::tensors::slice)),
    )
    .by_law("a_slice_and_its_offset_are_the_layout"),
    entry(
        "slice_and_offset",
        "tuple slice_and_offset(coordinate, layout)",
        "the modes where the coordinate has `_`, and the offset of the other ones",
        slice_and_offset,
    )
    .takes(&["coordinate", "layout"])
    .section("§2.5.1")
    .header(Header::Cute("layout.hpp"))
    .asked(answers(2, 2, questions::coordinates::slice_and_offset)),
    lenient(
        "make_tensor",
        "Tensor make_tensor(pointer, layout)",
        "memory seen through a layout",
        make_tensor,
    )
    .takes(&["pointer", "layout"])
    .section("§2.5")
    .header(Header::Cute("tensor_impl.hpp"))
    .makes(Makes::Layout)
    .does(ActionKind::Fragment)
    .python(&[python_words::word(
        "make_tensor",
        &[("iterator", Argument), ("layout", Argument)],
    )])
    .assembled(),
    entry(
        "make_tensor_like",
        "Tensor make_tensor_like(x)",
        "a compact tensor in registers of the same shape and order",
        make_tensor_like,
    )
    .takes(&["x"])
    .header(Header::Cute("tensor_impl.hpp"))
    .makes(Makes::Layout)
    .does(ActionKind::Fragment)
    .made_of("make_ordered_layout"),
    entry(
        "make_fragment_like",
        "Tensor make_fragment_like(tensor)",
        "a tensor in registers with the shape of another, compact",
        make_fragment_like,
    )
    .takes(&["tensor"])
    .header(Header::Cute("tensor_impl.hpp"))
    .makes(Makes::Layout)
    .asked(answers(1, 1, questions::layouts::make_fragment_like))
    .does(ActionKind::Fragment)
    .python(&[
        python_words::word(
            "make_fragment_like",
            &[("src", Argument), ("dtype", Template)],
        )
        .on_objects("src dtype="),
        python_words::word(
            "make_rmem_tensor_like",
            &[("src", Argument), ("dtype", Template)],
        )
        .on_objects("src dtype="),
    ])
    .made_of("make_ordered_layout"),
    entry(
        "make_identity_tensor",
        "Tensor make_identity_tensor(shape)",
        "a tensor whose elements are its coordinates",
        make_identity_tensor,
    )
    .takes(&["shape"])
    .section("§2.5")
    .header(Header::Cute("tensor_impl.hpp"))
    .makes(Makes::Layout)
    .python(&[python_words::word(
        "make_identity_tensor",
        &[("shape", Argument)],
    )])
    .assembled(),
    lenient(
        "local_tile",
        "Tensor local_tile(tensor, tiler, coordinate)",
        "one tile of a tensor, by its coordinate among the tiles",
        local_tile,
    )
    .takes(&["tensor", "tiler", "coordinate"])
    .section("§3.5.2")
    .header(Header::Cute("tensor_impl.hpp"))
    .makes(Makes::Layout)
    .does(ActionKind::LocalTile)
    .python(&[python_words::word(
        "local_tile",
        &[
            ("input", Argument),
            ("tiler", Argument),
            ("coord", Argument),
            ("proj", Argument),
        ],
    )
    .on_objects("input tiler coord proj=")])
    .made_of("zipped_divide"),
    lenient(
        "inner_partition",
        "Tensor inner_partition(tensor, tiler, coord)",
        "the tile at a coordinate",
        inner_partition_function,
    )
    .takes(&["tensor", "tiler", "coord"])
    .header(Header::Cute("tensor_impl.hpp")),
    lenient(
        "outer_partition",
        "Tensor outer_partition(tensor, tiler, coord)",
        "one element of every tile",
        outer_partition_function,
    )
    .takes(&["tensor", "tiler", "coord"])
    .header(Header::Cute("tensor_impl.hpp")),
    lenient(
        "local_partition",
        "Tensor local_partition(tensor, threads, index)",
        "the elements of one thread, where a layout of threads tiles the tensor",
        local_partition,
    )
    .takes(&["tensor", "threads", "index"])
    .section("§3.3.4")
    .header(Header::Cute("tensor_impl.hpp"))
    .makes(Makes::Layout)
    .does(ActionKind::Partition)
    .python(&[python_words::word(
        "local_partition",
        &[
            ("target", Argument),
            ("tiler", Argument),
            ("index", Argument),
            ("proj", Nothing),
        ],
    )])
    .made_of("zipped_divide"),
    lenient(
        "domain_offset",
        "Tensor domain_offset(coordinate, tensor)",
        "the tensor that begins at the coordinate",
        domain_offset,
    )
    .takes(&["coordinate", "tensor"])
    .header(Header::Cute("tensor_impl.hpp"))
    .makes(Makes::Argument)
    .python(&[python_words::word(
        "domain_offset",
        &[("coord", Argument), ("tensor", Argument)],
    )])
    .assembled(),
    entry(
        "recast",
        "Tensor recast<T>(tensor)",
        "the same memory seen as elements of another type",
        recast,
    )
    .takes(&["tensor"])
    .header(Header::Cute("tensor_impl.hpp"))
    .makes(Makes::Argument)
    .by_law("downcast_then_upcast_is_the_same_function"),
];
