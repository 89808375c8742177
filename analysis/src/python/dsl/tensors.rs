//! Pointers and tensors of the DSL: their construction, and their members.

use cute_algebra::{AnyLayout, ComposedLayout, Int, Layout, Swizzle};

use super::super::machine::{Machine, Run};
use super::super::native::{Args, Given, Implementation, Native, implementation, native};
use super::super::value::Py;
use super::words::{self, leaf};
use crate::reason::Reason;
use crate::tensor::{Pointer, Space, Tensor};
use crate::types::Type;
use crate::value::Value;

/// The memory of a name of `AddressSpace`.
fn space_of(name: &str) -> Space {
    match name {
        "gmem" => Space::Global,
        "smem" => Space::Shared,
        "rmem" => Space::Registers,
        "tmem" => Space::TensorMemory,
        _ => Space::Generic,
    }
}

fn space_name(space: Space) -> &'static str {
    match space {
        Space::Global => "gmem",
        Space::Shared => "smem",
        Space::Registers => "rmem",
        Space::TensorMemory => "tmem",
        _ => "generic",
    }
}

/// `_cute.pointer(dtype, space)`
fn pointer(_: &mut Machine<'_>, given: &Given) -> Run<Py> {
    let element = match given.arg(0) {
        Py::Scalar(scalar) => Some(Type::Scalar(*scalar)),
        Py::None => None,
        _ => return Ok(given.takes("a numeric type")),
    };
    let Py::Str(space) = given.arg(1) else {
        return Ok(given.takes("the name of a memory"));
    };
    let pointer = Pointer::generic(element).in_space(space_of(space));
    Ok(Py::Leaf(Value::Pointer(pointer)))
}

/// `_cute.swizzled(pointer, swizzle)`
fn swizzled(_: &mut Machine<'_>, given: &Given) -> Run<Py> {
    match (given.arg(0), given.arg(1)) {
        (Py::Leaf(Value::Pointer(pointer)), Py::Leaf(Value::Swizzle(swizzle))) => {
            let mut pointer = pointer.clone();
            pointer.swizzle = Some(*swizzle);
            Ok(Py::Leaf(Value::Pointer(pointer)))
        }
        (pointer, Py::None) => Ok(pointer.clone()),
        _ => Ok(given.takes("a pointer and a swizzle")),
    }
}

fn recast_ptr(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    let Py::Leaf(Value::Pointer(pointer)) = given.arg(0) else {
        return Ok(given.takes("a pointer"));
    };
    let mut pointer = pointer.clone();
    match given.arg(1) {
        Py::Leaf(Value::Swizzle(swizzle)) => pointer.swizzle = Some(*swizzle),
        Py::None => {}
        _ => return Ok(given.takes("a swizzle")),
    }
    match given.arg(2) {
        Py::Scalar(scalar) => pointer.element = Some(Box::new(Type::Scalar(*scalar))),
        Py::None => {}
        _ => return Ok(given.takes("a numeric type")),
    }
    let _ = machine;
    Ok(Py::Leaf(Value::Pointer(pointer)))
}

fn size_in_bytes(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    if *given.arg(1) == Py::None {
        return Ok(Py::Int(0));
    }
    let Py::Scalar(scalar) = given.arg(0) else {
        return Ok(given.takes("a numeric type"));
    };
    let args = [leaf(machine, given.arg(1))];
    let cosize = words::function(machine, "cosize", &[], &args, given);
    Ok(match cosize {
        Py::Int(elements) => {
            match elements.checked_mul(i64::from(super::numbers::dsl_bits(scalar))) {
                Some(bits) => Py::Int((bits + 7) / 8),
                None => given.takes("a smaller layout"),
            }
        }
        Py::Unknown(reason) => Py::Unknown(reason),
        _ => machine.numbers.symbol("bytes"),
    })
}

/// `_cute.tensor(pointer, layout)`: a swizzle of the layout stays with the layout, a shape is one from left to right.
fn tensor(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    let Py::Leaf(Value::Pointer(pointer)) = given.arg(0) else {
        return Ok(given.takes("a pointer"));
    };
    let layout = leaf(machine, given.arg(1));
    let of_shape = || Some(AnyLayout::Affine(Layout::left(layout.to_shape()?).ok()?));
    Ok(match layout.as_any_layout().or_else(of_shape) {
        Some(layout) => Py::Leaf(Value::Tensor(Box::new(Tensor {
            engine: pointer.clone(),
            layout,
        }))),
        None => given.takes("a layout"),
    })
}

/// `TensorSSA(value, shape, dtype)`: the content of registers, from left to right.
fn in_registers(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    let element = match given.arg(2) {
        Py::Scalar(scalar) => Type::Scalar(*scalar),
        _ => return Ok(given.takes("a numeric type")),
    };
    let shape = leaf(machine, given.arg(1)).to_shape();
    Ok(match shape.and_then(|shape| Layout::left(shape).ok()) {
        Some(layout) => Py::Leaf(Value::Tensor(Box::new(Tensor {
            engine: Pointer::generic(Some(element)).in_space(Space::Registers),
            layout: AnyLayout::Affine(layout),
        }))),
        None => given.takes("a shape"),
    })
}

fn memspace(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    let space = match given.arg(0) {
        Py::Leaf(Value::Tensor(tensor)) => tensor.engine.space,
        Py::Leaf(Value::Pointer(pointer)) => pointer.space,
        _ => return Ok(given.takes("a tensor")),
    };
    let module = machine.module("cutlass.cute")?;
    let spaces = machine.attribute(&Py::Object(module), "AddressSpace")?;
    machine.attribute(&spaces, space_name(space))
}

fn same(_: &mut Machine<'_>, given: &Given) -> Run<Py> {
    Ok(given.arg(0).clone())
}

fn nothing(_: &mut Machine<'_>, _: &Given) -> Run<Py> {
    Ok(Py::None)
}

/// The content of a tensor, in registers: its elements are the kernel's.
fn load(_: &mut Machine<'_>, given: &Given) -> Run<Py> {
    match given.arg(0) {
        Py::Leaf(Value::Tensor(tensor)) => {
            let mut loaded = tensor.clone();
            loaded.engine.space = Space::Registers;
            Ok(Py::Leaf(Value::Tensor(loaded)))
        }
        _ => Ok(given.takes("a tensor")),
    }
}

fn to(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    Ok(match (given.arg(0), given.arg(1)) {
        (Py::Leaf(Value::Tensor(tensor)), Py::Scalar(scalar)) => {
            let mut converted = tensor.clone();
            converted.engine.element = Some(Box::new(Type::Scalar(*scalar)));
            Py::Leaf(Value::Tensor(converted))
        }
        (number @ (Py::Leaf(_) | Py::Whole(..)), Py::Scalar(scalar)) => match number.as_int() {
            Some(int) => Py::of_type(int, Some(*scalar)),
            None if scalar.is_integer() => machine.numbers.number("v", Some(*scalar)),
            None => Py::Leaf(Value::Number(*scalar)),
        },
        _ => given.takes("a numeric type"),
    })
}

/// The largest number up to a bound that divides an integer for sure.
fn divisor_of(int: &Int) -> i64 {
    const LARGEST: i64 = 1 << 12;
    if let Some(known) = int.as_static() {
        return known.abs();
    }
    let mut divisor = LARGEST;
    while divisor > 1 {
        let rest = int.rem(&Int::fixed(divisor));
        if rest.is_ok_and(|rest| rest.value() == Some(0)) {
            return divisor;
        }
        divisor /= 2;
    }
    1
}

fn gcd(mut a: i64, mut b: i64) -> i64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// The largest number of elements that are certainly adjacent at a place that is a multiple of that number.
fn max_alignment(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    let args = [leaf(machine, given.arg(0))];
    let flat = words::function(machine, "flatten", &[], &args, given);
    let Py::Leaf(Value::Layout(layout)) = &flat else {
        return Ok(given.takes("a layout"));
    };
    let stride = words::function(machine, "stride", &[], &[leaf(machine, &flat)], given);
    let (Value::Tuple(extents), Value::Tuple(strides)) = (
        tupled(Value::of_shape(&layout.shape())),
        tupled(leaf(machine, &stride)),
    ) else {
        return Ok(given.takes("a layout"));
    };
    let mut modes: Vec<(Int, Int)> = Vec::new();
    for pair in extents.into_iter().zip(strides) {
        match pair {
            (Value::Int(extent), Value::Int(stride)) => modes.push((extent, stride)),
            _ => return Ok(given.takes("a layout of integers")),
        }
    }
    let mut run = 1;
    while let Some(at) = modes
        .iter()
        .position(|(_, stride)| stride.as_static() == Some(run))
    {
        let (extent, _) = modes.remove(at);
        run *= divisor_of(&extent).max(1);
        if extent.as_static().is_none() {
            break;
        }
    }
    let others = modes
        .iter()
        .filter(|(extent, _)| extent.as_static() != Some(1));
    Ok(Py::Int(others.fold(run, |run, (_, stride)| {
        gcd(run, divisor_of(stride))
    })))
}

fn tupled(value: Value) -> Value {
    match value {
        Value::Tuple(_) => value,
        only => Value::Tuple(vec![only]),
    }
}

/// The elements of a tuple where a coordinate has `None`, those of inner tuples among them.
fn kept(machine: &mut Machine<'_>, value: &Py, coord: &Py, into: &mut Vec<Py>) -> Run<bool> {
    if *coord == Py::None {
        into.push(value.clone());
        return Ok(true);
    }
    if coord.as_int().is_some() {
        return Ok(true);
    }
    let (Ok(values), Ok(coords)) = (machine.iterate(value)?, machine.iterate(coord)?) else {
        return Ok(false);
    };
    if values.len() != coords.len() {
        return Ok(false);
    }
    for (value, coord) in values.iter().zip(&coords) {
        if !kept(machine, value, coord, into)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// `cute.slice_(src, coord)`, of a tuple, too.
fn slice(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    let (src, coord) = (given.arg(0).clone(), given.arg(1).clone());
    if let Py::Tuple(_) = &src {
        let mut items = Vec::new();
        return Ok(match kept(machine, &src, &coord, &mut items)? {
            true => Py::tuple(items),
            false => given.takes("a coordinate of the tuple"),
        });
    }
    let args = Args {
        plain: vec![src, coord],
        span: given.span,
        places: given.places.clone(),
        ..Args::default()
    };
    let is_swizzled = matches!(given.arg(0), Py::Leaf(Value::Composed(_)));
    let part = words::call(machine, "cutlass.cute.slice_", args)?;
    Ok(match (is_swizzled, part) {
        (true, Py::Leaf(Value::Layout(layout))) => still_swizzled(&layout),
        (_, part) => part,
    })
}

/// The rest of a slice of a swizzled layout, where the swizzle went into its strides: the DSL keeps one that swizzles
/// nothing.
fn still_swizzled(layout: &Layout) -> Py {
    match Swizzle::new(0, 4, 3) {
        Ok(nothing) => Py::Leaf(Value::of_layout(AnyLayout::Composed(
            ComposedLayout::swizzled(nothing, layout.clone()),
        ))),
        Err(_) => Py::Unknown(Reason::Construct("a slice of this layout")),
    }
}

fn part(given: &Given, name: &str) -> Py {
    let Py::Leaf(Value::Composed(composed)) = given.arg(0) else {
        return Py::Unknown(Reason::Construct("a part of this layout"));
    };
    match name {
        "outer" => Py::of_value(Value::from(composed.inner.clone())),
        "inner" => match &composed.outer {
            cute_algebra::Outer::Swizzle(swizzle) => Py::Leaf(Value::Swizzle(*swizzle)),
            cute_algebra::Outer::Layout(layout) => Py::of_value(Value::from(Layout::clone(layout))),
        },
        _ => Py::of_value(Value::of_shape(&composed.offset)),
    }
}

pub(super) static NATIVES: &[Native] = &[
    native("_cute.pointer", "dtype space", pointer),
    native("_cute.swizzled", "pointer swizzle=", swizzled),
    native("_cute.not_evaluated", "name", |_, given| {
        Ok(match given.arg(0) {
            Py::Str(name) => Py::not_evaluated(name),
            _ => given.takes("a name"),
        })
    }),
    native("_cute.tensor", "pointer layout", tensor),
];

pub(super) static FUNCTIONS: &[Implementation] = &[
    implementation("cutlass.cute.recast_ptr", recast_ptr),
    implementation("cutlass.cute.slice_", slice),
    implementation("cutlass.cute.TensorSSA", in_registers),
    implementation(
        "cutlass.cute.nvgpu.tcgen05.make_umma_smem_desc",
        |_, given| {
            Ok(match given.arg(0) {
                Py::Leaf(Value::Pointer(pointer)) => {
                    Py::Leaf(Value::Pointer(pointer.in_space(Space::UmmaDescriptors)))
                }
                _ => given.takes("a pointer"),
            })
        },
    ),
    implementation("cutlass.cute.size_in_bytes", size_in_bytes),
];

pub(super) static MEMBERS: &[Implementation] = &[
    implementation("Layout.max_alignment", max_alignment),
    implementation("Tensor.memspace", memspace),
    // The value of MLIR is what it is the value of.
    implementation("Tensor.value", same),
    implementation("Layout.value", same),
    implementation("ComposedLayout.value", same),
    implementation("Tensor.load", load),
    implementation("Tensor.ir_value", same),
    implementation("Tensor.fill", nothing),
    implementation("Tensor.to", to),
    implementation("Tensor.reduce", |_, given| {
        let Py::Leaf(Value::Tensor(tensor)) = given.arg(0) else {
            return Ok(given.takes("a tensor"));
        };
        Ok(match tensor.engine.element.as_deref() {
            Some(Type::Scalar(scalar)) => Py::Leaf(Value::Number(*scalar)),
            _ => given.takes("a tensor of numbers"),
        })
    }),
    implementation("Pointer.memspace", memspace),
    // A member of its type is a member of it.
    implementation("Pointer.type", same),
    implementation("Pointer.align", same),
    implementation("Pointer.toint", |machine, _| {
        Ok(machine.numbers.symbol("address"))
    }),
    implementation("Integer.to", to),
    implementation("Integer.ir_value", same),
    implementation("Numeric.to", to),
    implementation("Numeric.ir_value", same),
    implementation("ComposedLayout.outer", |_, given| Ok(part(given, "outer"))),
    implementation("ComposedLayout.inner", |_, given| Ok(part(given, "inner"))),
    implementation("ComposedLayout.offset", |_, given| {
        Ok(part(given, "offset"))
    }),
];
