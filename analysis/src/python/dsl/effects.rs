//! The copies, stores, elements and partitions of a kernel that the DSL judges.

#![allow(clippy::unnecessary_wraps)] // The functions of a table have one type.

use cute_algebra::Layout;
use cute_hardware::TiledMma;
use tree_sitter_cute::tree::Span;

use super::super::machine::{Machine, Run};
use super::super::native::{Args, Given, Implementation, Native, implementation, native};
use super::super::refusal::Refusal;
use super::super::value::Py;
use super::words::{call, leaf};
use crate::finding::{Number, Severity};
use crate::tensor::{Space, Tensor};
use crate::types::Type;
use crate::value::Value;
use crate::vocabulary::python::scalar_name;

/// Threads of a warp.
const WARP: i64 = 32;

/// The rules that code of ours may name, and the name of a rule's numbers are those of its page.
const RULES: [&str; 4] = [
    "mma-shape",
    "mma-operand",
    "atom-parameters",
    "argument-type",
];

/// `_cute.refuse(rule, message, **numbers)`: the DSL raises an error.
fn refuse(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    let (Py::Str(rule), Py::Str(message)) = (given.arg(0), given.arg(1)) else {
        return Ok(given.takes("a rule and what is wrong"));
    };
    let Some(rule) = RULES.iter().find(|known| **known == &**rule) else {
        return Ok(given.takes("a rule"));
    };
    let mut refusal = Refusal::error(rule, message.to_string());
    for (name, number) in &given.named {
        refusal = match number {
            Py::Int(number) => refusal.with(name, Number::Integer(*number)),
            Py::Str(text) => refusal.with(name, Number::Text(text.to_string())),
            _ => refusal,
        };
    }
    Err(machine.refuse(refusal))
}

/// The elements of a tensor whose shape is static.
fn static_size(value: &Py) -> Option<i64> {
    match value {
        Py::Leaf(Value::Tensor(tensor)) => tensor.layout.domain().size().ok()?.as_static(),
        _ => None,
    }
}

/// A copy without an atom: both tensors have as many elements.
fn copy(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    let sizes = (static_size(given.arg(0)), static_size(given.arg(1)));
    if let (Some(source), Some(destination)) = sizes
        && source != destination
    {
        let message = format!(
            "the source has {source} elements, but the destination has {destination}\n\
             the DSL: \"'cute.copy' op expects same size in rank 1\""
        );
        let refusal = Refusal::error("copy-size", message)
            .with("source_size", Number::Integer(source))
            .with("destination_size", Number::Integer(destination));
        machine.report(refusal, given.span);
    }
    Ok(Py::None)
}

fn element_of(value: &Py) -> Option<crate::types::Scalar> {
    match value {
        Py::Leaf(Value::Tensor(tensor)) => match tensor.engine.element.as_deref()? {
            Type::Scalar(scalar) => Some(*scalar),
            _ => None,
        },
        _ => None,
    }
}

/// `tensor.store(data)`: the DSL widens floating-point numbers, and never narrows them.
fn store(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    if let (Some(into), Some(data)) = (element_of(given.arg(0)), element_of(given.arg(1)))
        && !into.is_integer()
        && !data.is_integer()
        && data.bits > into.bits
        && let (Some(into), Some(data)) = (scalar_name(&into), scalar_name(&data))
    {
        let message = format!(
            "numbers of `{data}` are stored to a tensor of `{into}`\n\
             the DSL: \"Type mismatch, store {data} (-> {data}) to Tensor with element type {into}\"\n\
             would work: `.to({into})` before"
        );
        let refusal = Refusal::error("store-type", message)
            .with("data_type", Number::Text(data.to_owned()))
            .with("element_type", Number::Text(into.to_owned()));
        machine.report(refusal, given.span);
    }
    Ok(Py::None)
}

/// Reports a static index of a tensor that no element has. `None` in its place takes all of a mode.
pub(super) fn judge_index(machine: &mut Machine<'_>, tensor: &Tensor, index: &Value, span: Span) {
    let shape = Value::of_shape(&tensor.layout.domain().shape());
    let Some((index, extent)) = beyond(&shape, index) else {
        return;
    };
    // An index outside of a coordinate tensor reads no memory: predicates are made so.
    let severity = match tensor.engine.space {
        Space::Coordinates => return,
        _ => Severity::Warning,
    };
    out_of_range(machine, severity, index, extent, span);
}

fn out_of_range(
    machine: &mut Machine<'_>,
    severity: Severity,
    index: i64,
    extent: i64,
    span: Span,
) {
    let message = format!(
        "index {index} is out of range: the mode has {extent} elements\nthe DSL compiles this"
    );
    let refusal = Refusal {
        severity,
        ..Refusal::error("index-out-of-range", message)
    };
    let refusal = refusal
        .with("index", Number::Integer(index))
        .with("extent", Number::Integer(extent));
    machine.report(refusal, span);
}

/// The first index of a coordinate that is known to be none of its mode, and the extent of that mode.
fn beyond(shape: &Value, coord: &Value) -> Option<(i64, i64)> {
    match (shape, coord) {
        (Value::Tuple(shape), Value::Tuple(coord)) if shape.len() == coord.len() => shape
            .iter()
            .zip(coord)
            .find_map(|(shape, coord)| beyond(shape, coord)),
        (shape, Value::Int(index)) => {
            let (index, extent) = (index.as_static()?, product(shape)?);
            (index >= extent || index < 0).then_some((index, extent))
        }
        _ => None,
    }
}

/// The elements of a static shape.
fn product(shape: &Value) -> Option<i64> {
    match shape {
        Value::Int(extent) => extent.as_static(),
        Value::Tuple(modes) => modes
            .iter()
            .try_fold(1_i64, |size, mode| size.checked_mul(product(mode)?)),
        _ => None,
    }
}

/// `cute.crd2idx(coord, layout)`
fn index_of(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    let (coord, layout) = (leaf(machine, given.arg(0)), leaf(machine, given.arg(1)));
    let shape = match &layout {
        Value::Tuple(_) | Value::Int(_) => Some(layout.clone()),
        other => other
            .as_any_layout()
            .map(|it| Value::of_shape(&it.domain().shape())),
    };
    if let Some((index, extent)) = shape.and_then(|shape| beyond(&shape, &coord)) {
        out_of_range(machine, Severity::Information, index, extent, given.span);
    }
    let args = Args {
        places: given.places.clone(),
        ..Args::of(vec![given.arg(0).clone(), given.arg(1).clone()], given.span)
    };
    call(machine, "cutlass.cute.crd2idx", args)
}

/// `cute.append(input, elem, up_to_rank)`: a mode of a layout is a layout.
fn extended(machine: &mut Machine<'_>, given: &Given, name: &'static str) -> Run<Py> {
    let is_layout = matches!(given.arg(0), Py::Leaf(value) if value.as_any_layout().is_some());
    let class = match given.arg(1) {
        Py::Int(_) => Some("int"),
        Py::Tuple(_) => Some("tuple"),
        _ => None,
    };
    if let (true, Some(class)) = (is_layout, class) {
        let function = name.rsplit('.').next().unwrap_or(name);
        let message = format!(
            "`{function}` takes a layout as a mode of a layout, not {}\n\
             the DSL: \"Input type of elem (<class '{class}'>) is not accepted!\"",
            if class == "int" {
                "an integer"
            } else {
                "a tuple"
            }
        );
        let refusal = Refusal::error("argument-type", message)
            .with("argument", Number::Text("elem".to_owned()))
            .with("function", Number::Text(function.to_owned()));
        let reason = refusal.reason();
        machine.report(refusal, given.span);
        return Ok(Py::Unknown(reason));
    }
    let mut args = vec![given.arg(0).clone()];
    args.extend(
        (1..3)
            .filter(|at| given.has(*at))
            .map(|at| given.arg(at).clone()),
    );
    let named = match (given.has(1), given.has(2)) {
        (false, true) => vec![("up_to_rank".into(), args.pop().unwrap_or(Py::None))],
        _ => Vec::new(),
    };
    let args = Args {
        places: given.places.clone(),
        named,
        ..Args::of(args, given.span)
    };
    call(machine, name, args)
}

/// Reports a partition whose tiles do not divide the modes of the tensor, and so reach beyond it.
pub(super) fn judge_partition(
    machine: &mut Machine<'_>,
    mma: &TiledMma,
    modes: [usize; 2],
    tensor: &Tensor,
    span: Span,
) {
    // The part of a CTA of a pair in a tile is smaller than the tile of their MMA.
    let threads = mma.atom().thread_id.size().ok();
    if threads
        .and_then(|threads| threads.as_static())
        .is_none_or(|count| count < WARP)
    {
        return;
    }
    let domain = tensor.layout.domain();
    let mut whole = (1_i64, 1_i64);
    let mut words = Vec::new();
    for (at, mode) in modes.into_iter().enumerate() {
        let extents = (extent_of(domain, at), tile_of(mma, mode));
        let (Some(extent), Some(tile)) = extents else {
            return;
        };
        let Some(covered) = extent.checked_add(tile - 1).map(|sum| sum / tile * tile) else {
            return;
        };
        words.push(format!("mode {at}: {extent} in tiles of {tile}"));
        whole = match (whole.0.checked_mul(covered), whole.1.checked_mul(extent)) {
            (Some(covered), Some(size)) => (covered, size),
            _ => return,
        };
    }
    let (covered, size) = whole;
    if covered <= size {
        return;
    }
    let message = format!(
        "the tiles cover {covered} elements, but the tensor has only {size}\n{}\nthe DSL compiles this",
        words.join("; ")
    );
    let refusal = Refusal {
        // Predicates are made of coordinates outside of a tensor.
        severity: match tensor.is_of_coordinates() {
            true => Severity::Information,
            false => Severity::Warning,
        },
        ..Refusal::error("over-covers", message)
    };
    let refusal = refusal
        .with("covered", Number::Integer(covered))
        .with("size", Number::Integer(size));
    machine.report(refusal, span);
}

fn extent_of(layout: &Layout, mode: usize) -> Option<i64> {
    layout.mode(mode).ok()?.size().ok()?.as_static()
}

fn tile_of(mma: &TiledMma, mode: usize) -> Option<i64> {
    let size = mma.tile_size(mode).ok()?;
    size.as_static().filter(|tile| *tile > 0)
}

pub(super) static NATIVES: &[Native] = &[native("_cute.refuse", "rule message **named", refuse)];

pub(super) static FUNCTIONS: &[Implementation] = &[
    implementation("cutlass.cute.autovec_copy", copy),
    implementation("cutlass.cute.basic_copy", copy),
    implementation("cutlass.cute.crd2idx", index_of),
    implementation("cutlass.cute.append", |machine, given| {
        extended(machine, given, "cutlass.cute.append")
    }),
    implementation("cutlass.cute.prepend", |machine, given| {
        extended(machine, given, "cutlass.cute.prepend")
    }),
];

pub(super) static MEMBERS: &[Implementation] = &[implementation("Tensor.store", store)];
