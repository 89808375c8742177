//! Functions of layouts and tuples that differ from those of C++, and the strides that are not numbers.

#![allow(clippy::unnecessary_wraps)] // The functions of a table have one type.

use cute_algebra::{Delta, Int, Swizzle, ops};
use tree_sitter_cute::script::BinaryOp;

use super::super::heap::Object;
use super::super::machine::{Machine, Run};
use super::super::native::{Args, Given, Implementation, Native, implementation, native};
use super::super::value::Py;
use super::words::{call, function, leaf, method};
use crate::reason::Reason;
use crate::tensor::Tensor;
use crate::value::Value;

/// `ceil_div(input, tiler)`: a tile of one number counts all elements of its operand.
fn ceil_div(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    let (input, tiler) = (given.arg(0).clone(), given.arg(1).clone());
    tiles(machine, given, &input, &tiler)
}

fn tiles(machine: &mut Machine<'_>, given: &Given, input: &Py, tiler: &Py) -> Run<Py> {
    if let (Py::Unknown(_), other) | (other, Py::Unknown(_)) = (input, tiler) {
        return Ok(if input.reason().is_some() {
            input.clone()
        } else {
            other.clone()
        });
    }
    match (input, tiler) {
        (_, Py::None) => Ok(input.clone()),
        (Py::Tuple(parts), Py::Tuple(tiles_of)) => {
            if tiles_of.len() > parts.len() {
                return Ok(given.takes("a tiler of no more modes"));
            }
            machine.step(parts.len())?;
            let mut counts = Vec::with_capacity(parts.len());
            for (at, part) in parts.iter().enumerate() {
                let tile = tiles_of.get(at).unwrap_or(&Py::Int(1));
                counts.push(machine.deeper(|machine| tiles(machine, given, part, tile))?);
            }
            Ok(Py::tuple(counts))
        }
        (Py::Tuple(_), _) => {
            let args = Args::of(vec![input.clone()], given.span);
            let size = call(machine, "cutlass.cute.product", args)?;
            tiles(machine, given, &size, tiler)
        }
        (_, Py::Leaf(Value::Layout(_))) => {
            let args = Args::of(vec![tiler.clone()], given.span);
            let size = call(machine, "cutlass.cute.size", args)?;
            tiles(machine, given, input, &size)
        }
        _ => {
            let args = Args::of(vec![input.clone(), tiler.clone()], given.span);
            call(machine, "cutlass.cute.ceil_div", args)
        }
    }
}

/// The parts of a tuple that a projection keeps; the parts that it does not reach are kept.
fn projected(machine: &Machine<'_>, value: &Py, projection: &[Py]) -> Option<Py> {
    let items = match value {
        Py::Tuple(items) => items.to_vec(),
        Py::Object(id) => match machine.heap.get(*id) {
            Object::List(items) => items.clone(),
            _ => return None,
        },
        _ => return None,
    };
    let is_kept = |at: usize| !matches!(projection.get(at), Some(Py::None));
    let kept = items.into_iter().enumerate();
    let kept = kept.filter(|(at, _)| is_kept(*at)).map(|(_, item)| item);
    Some(Py::tuple(kept.collect()))
}

/// `local_tile(input, tiler, coord, proj)`
fn local_tile(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    let mut args = vec![
        given.arg(0).clone(),
        given.arg(1).clone(),
        given.arg(2).clone(),
    ];
    if let Py::Tuple(projection) = given.arg(3) {
        let projection = projection.to_vec();
        let tiler = projected(machine, given.arg(1), &projection);
        let coord = projected(machine, given.arg(2), &projection);
        let (Some(tiler), Some(coord)) = (tiler, coord) else {
            return Ok(given.takes("tuples beside a projection"));
        };
        args[1] = tiler;
        args[2] = coord;
    }
    let (whole, tiler, coord) = (args[0].clone(), args[1].clone(), args[2].clone());
    let args = Args {
        places: given.places.clone(),
        ..Args::of(args, given.span)
    };
    let tile = call(machine, "cutlass.cute.local_tile", args)?;
    // The tile of one mode is written `(None,)`, where C++ asks for `_`, which keeps the parentheses.
    match (&tile, &tiler, &coord) {
        (Py::Leaf(_), Py::Tuple(modes), Py::Tuple(_)) if modes.len() == 1 => {
            let args = Args::of(vec![whole, tiler], given.span);
            let divided = quietly(machine, "cutlass.cute.zipped_divide", args)?;
            let of_tile = Py::tuple(vec![Py::tuple(vec![Py::None]), coord]);
            let args = Args::of(vec![divided, of_tile], given.span);
            quietly(machine, "cutlass.cute.slice_", args)
        }
        _ => Ok(tile),
    }
}

/// Calls a function whose findings another call has given already.
fn quietly(machine: &mut Machine<'_>, name: &str, args: Args) -> Run<Py> {
    let count = machine.findings.len();
    let value = call(machine, name, args)?;
    machine.findings.truncate(count);
    Ok(value)
}

/// A division or product whose tiles and rests are separate modes: the DSL opens tuples of one mode, too, which C++
/// keeps.
fn opened(
    machine: &mut Machine<'_>,
    given: &Given,
    (name, zipped): (&str, &str),
    opens_first: bool,
) -> Run<Py> {
    let args = Args {
        places: given.places.clone(),
        ..Args::of(vec![given.arg(0).clone(), given.arg(1).clone()], given.span)
    };
    let value = call(machine, name, args.clone())?;
    if !matches!(value, Py::Leaf(_)) {
        return Ok(value);
    }
    let Py::Leaf(pair) = quietly(machine, zipped, args)? else {
        return Ok(value);
    };
    let layout = match &pair {
        Value::Tensor(tensor) => Some(tensor.layout.clone()),
        other => other.as_any_layout(),
    };
    let opened = layout.and_then(|layout| {
        let opened = layout.map_domain(|pair| ops::open_pair(pair, opens_first, true));
        opened.ok()
    });
    Ok(match (opened, pair) {
        (Some(layout), Value::Tensor(tensor)) => Py::Leaf(Value::Tensor(Box::new(Tensor {
            engine: tensor.engine.clone(),
            layout,
        }))),
        (Some(layout), _) => Py::Leaf(Value::of_layout(layout)),
        (None, _) => value,
    })
}

fn tiled_divide(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    let names = ("cutlass.cute.tiled_divide", "cutlass.cute.zipped_divide");
    opened(machine, given, names, false)
}

fn flat_divide(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    let names = ("cutlass.cute.flat_divide", "cutlass.cute.zipped_divide");
    opened(machine, given, names, true)
}

fn tiled_product(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    let names = ("cutlass.cute.tiled_product", "cutlass.cute.zipped_product");
    opened(machine, given, names, false)
}

fn flat_product(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    let names = ("cutlass.cute.flat_product", "cutlass.cute.zipped_product");
    opened(machine, given, names, true)
}

/// `E(mode)`: the unit of a mode, or of a mode inside of one.
fn basis(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    Ok(scaled(machine, given, &Py::Int(1), given.arg(0)))
}

/// `ScaledBasis(value, mode)`
fn scaled_basis(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    Ok(scaled(machine, given, given.arg(0), given.arg(1)))
}

fn scaled(machine: &Machine<'_>, given: &Given, value: &Py, mode: &Py) -> Py {
    let path = match leaf(machine, mode) {
        Value::Tuple(modes) => modes,
        mode => vec![mode],
    };
    let path: Option<Vec<u16>> = path
        .iter()
        .map(|mode| mode.as_int()?.value().and_then(|at| u16::try_from(at).ok()))
        .collect();
    match (value.as_int(), path) {
        (Some(value), Some(path)) if path.is_empty() => Py::of_value(Value::Int(value)),
        (Some(value), Some(path)) => Py::Leaf(Value::Delta(Delta::basis(value, path))),
        _ => given.takes("a number and known modes"),
    }
}

/// The number before a basis.
fn basis_value(_: &mut Machine<'_>, given: &Given) -> Run<Py> {
    Ok(match given.arg(0) {
        Py::Leaf(Value::Delta(delta)) => match delta {
            Delta::Basis(basis) => Py::of_value(Value::Int(basis.value.clone())),
            _ => given.takes("a basis of one mode"),
        },
        other => other.clone(),
    })
}

/// A basis times a number; `None` where an operand is not a basis.
pub(super) fn product(op: BinaryOp, left: &Py, right: &Py) -> Option<Py> {
    let ((Py::Leaf(Value::Delta(delta)), other) | (other, Py::Leaf(Value::Delta(delta)))) =
        (left, right)
    else {
        return None;
    };
    let product = match (op, other.as_int()) {
        (BinaryOp::Mul, Some(factor)) => delta.scale(&factor).ok(),
        _ => None,
    };
    Some(match product {
        Some(delta) => Py::Leaf(Value::Delta(delta)),
        None => Py::Unknown(Reason::Construct("an operator on a basis")),
    })
}

/// `appended_ones(layout or tensor, up_to_rank, in_front)`: modes of extent 1 and stride 0.
fn appended_ones(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    let value = given.arg(0).clone();
    let (layout, engine) = match &value {
        Py::Leaf(Value::Tensor(tensor)) => (
            Py::Leaf(Value::of_layout(tensor.layout.clone())),
            Some(tensor.engine.clone()),
        ),
        _ => (value.clone(), None),
    };
    let one = function(
        machine,
        "make_layout",
        &[],
        &[Value::Int(Int::fixed(1)), Value::Int(Int::ZERO)],
        given,
    );
    let mut args = vec![layout, one];
    if *given.arg(1) != Py::None {
        args.push(given.arg(1).clone());
    }
    let name = match given.arg(2) {
        Py::Bool(true) => "cutlass.cute.prepend",
        _ => "cutlass.cute.append",
    };
    let extended = call(machine, name, Args::of(args, given.span))?;
    Ok(match (engine, &extended) {
        (Some(engine), Py::Leaf(value)) => match value.as_any_layout() {
            Some(layout) => Py::Leaf(Value::Tensor(Box::new(crate::tensor::Tensor {
                engine,
                layout,
            }))),
            None => extended,
        },
        _ => extended,
    })
}

fn make_layout_like(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    let args = [match leaf(machine, given.arg(0)) {
        Value::Tensor(tensor) => Value::of_layout(tensor.layout.clone()),
        other => other,
    }];
    Ok(function(machine, "make_layout_like", &[], &args, given))
}

/// Only the running kernel compares coordinates.
fn elem_less(_: &mut Machine<'_>, given: &Given) -> Run<Py> {
    Ok(given.unknown().unwrap_or_else(Py::run_time_bool))
}

/// The mode with stride 1 and more than one element; the first, as the DSL looks for it.
fn leading(shape: &Value, stride: &Value, path: &mut Vec<i64>) -> bool {
    match (shape, stride) {
        (Value::Tuple(shapes), Value::Tuple(strides)) => {
            for (at, (shape, stride)) in shapes.iter().zip(strides).enumerate() {
                path.push(i64::try_from(at).unwrap_or_default());
                if leading(shape, stride, path) {
                    return true;
                }
                path.pop();
            }
            false
        }
        (shape, Value::Int(stride)) => {
            let is_one = |value: &Value| value.as_int().is_some_and(|int| int.is_constant(1));
            stride.is_constant(1) && !is_one(shape)
        }
        _ => false,
    }
}

/// `leading_dim(shape, stride)`: a mode, the path to one inside of others, or `None`.
fn leading_of(shape: &Value, stride: &Value) -> Py {
    for value in [shape, stride] {
        if let Value::Unknown(reason) = value {
            return Py::Unknown(reason.clone());
        }
    }
    let mut path = Vec::new();
    if !leading(shape, stride, &mut path) {
        return Py::None;
    }
    match path.as_slice() {
        [] => Py::Int(0),
        [mode] => Py::Int(*mode),
        path => Py::tuple(path.iter().map(|mode| Py::Int(*mode)).collect()),
    }
}

fn leading_dim(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    let (shape, stride) = (leaf(machine, given.arg(0)), leaf(machine, given.arg(1)));
    Ok(leading_of(&shape, &stride))
}

/// The coordinate of an index: the quotients are the kernel's where the index is.
fn coordinate(machine: &mut Machine<'_>, given: &Given, name: &str) -> Py {
    let args = [leaf(machine, given.arg(0)), leaf(machine, given.arg(1))];
    method(machine, name, &[], &args, given)
}

pub(super) static NATIVES: &[Native] = &[
    native("_cute.basis_value", "e", basis_value),
    native(
        "_cute.appended_ones",
        "t up_to_rank in_front",
        appended_ones,
    ),
];

pub(super) static FUNCTIONS: &[Implementation] = &[
    implementation("cutlass.cute.ceil_div", ceil_div),
    implementation("cutlass.cute.local_tile", local_tile),
    implementation("cutlass.cute.tiled_divide", tiled_divide),
    implementation("cutlass.cute.flat_divide", flat_divide),
    implementation("cutlass.cute.tiled_product", tiled_product),
    implementation("cutlass.cute.flat_product", flat_product),
    implementation("cutlass.cute.E", basis),
    implementation("cutlass.cute.ScaledBasis", scaled_basis),
    implementation("cutlass.cute.make_layout_like", make_layout_like),
    implementation("cutlass.cute.leading_dim", leading_dim),
    implementation("cutlass.cute.elem_less", elem_less),
];

/// The swizzle of a pointer, as its type has it.
fn swizzle_type(_: &mut Machine<'_>, given: &Given) -> Run<Py> {
    Ok(match given.arg(0) {
        Py::Leaf(Value::Pointer(pointer)) => match pointer.swizzle {
            Some(swizzle) => Py::Leaf(Value::Swizzle(swizzle)),
            None => Py::Unknown(Reason::Construct("the swizzle of this pointer")),
        },
        _ => given.takes("a pointer"),
    })
}

/// A parameter of a swizzle.
fn of_swizzle(given: &Given, parameter: impl Fn(Swizzle) -> i64) -> Py {
    match given.arg(0) {
        Py::Leaf(Value::Swizzle(swizzle)) => Py::Int(parameter(*swizzle)),
        _ => given.takes("a swizzle"),
    }
}

pub(super) static MEMBERS: &[Implementation] = &[
    implementation("Pointer.swizzle_type", swizzle_type),
    implementation("Swizzle.num_bits", |_, given| {
        Ok(of_swizzle(given, Swizzle::bits))
    }),
    implementation("Swizzle.num_base", |_, given| {
        Ok(of_swizzle(given, Swizzle::base))
    }),
    implementation("Swizzle.num_shift", |_, given| {
        Ok(of_swizzle(given, Swizzle::shift))
    }),
    implementation("Layout.get_flat_coord", |machine, given| {
        Ok(coordinate(machine, given, "get_flat_coord"))
    }),
    implementation("Layout.get_hier_coord", |machine, given| {
        Ok(coordinate(machine, given, "get_hier_coord"))
    }),
];
