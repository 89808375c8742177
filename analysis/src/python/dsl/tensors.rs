//! Pointers and tensors of the DSL: their construction, and their members.

use cute_algebra::symbol::Multiple;
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

/// A number of the run that is a multiple of a divisor.
pub(super) fn symbol(machine: &mut Machine<'_>, name: &str, divisor: &Py) -> Py {
    let fresh = machine.numbers.symbol(name);
    let (Some(divisor), Py::Leaf(Value::Int(int))) = (divisor.as_index(), &fresh) else {
        return fresh;
    };
    match Multiple::new(&int.to_string(), divisor, 1) {
        Some(multiple) if divisor > 1 => Py::Leaf(Value::Int(multiple.int())),
        _ => Py::Leaf(Value::Int(Int::symbol(&int.to_string()))),
    }
}

fn sym_int(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    let name = match given.arg(2) {
        Py::Str(name) => name.to_string(),
        _ => "n".to_owned(),
    };
    Ok(symbol(machine, &name, given.arg(1)))
}

/// `_cute.symbol(name, divisor)`
fn named_symbol(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    match given.arg(0) {
        Py::Str(name) => Ok(symbol(machine, &name.clone(), given.arg(1))),
        _ => Ok(given.takes("a name")),
    }
}

/// The extents of lists inside lists, as `torch.tensor` finds them.
fn nested_shape(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    let mut shape = Vec::new();
    let mut at = given.arg(0).clone();
    while shape.len() <= crate::limits::ARGUMENT_DEPTH {
        let items = match &at {
            Py::Tuple(_) | Py::Object(_) => machine.iterate(&at)?,
            Py::Unknown(reason) => Err(reason.clone()),
            _ => break,
        };
        match items {
            Ok(items) => {
                shape.push(Py::Int(i64::try_from(items.len()).unwrap_or_default()));
                match items.into_iter().next() {
                    Some(first) => at = first,
                    None => break,
                }
            }
            Err(reason) => return Ok(Py::Unknown(reason)),
        }
    }
    Ok(Py::tuple(shape))
}

/// A number of a tensor of the program; one that is not known here has a symbol.
fn extent(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    Ok(match given.arg(0) {
        Py::Unknown(_) => machine.numbers.symbol("n"),
        known => known.clone(),
    })
}

/// `cute.assume(value, divby)`
fn assume(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    match (given.arg(0), given.arg(1).as_index()) {
        (Py::Leaf(Value::Int(int)), Some(divisor)) if divisor > 1 => {
            if int
                .rem(&Int::fixed(divisor))
                .is_ok_and(|rest| rest.value() == Some(0))
            {
                return Ok(given.arg(0).clone());
            }
            let name = match int.as_expression() {
                Some(_) => int.to_string(),
                None => "n".to_owned(),
            };
            Ok(symbol(machine, &name, given.arg(1)))
        }
        (value, _) => Ok(value.clone()),
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

/// The number of a mode of a shape or stride, or a tuple of such.
fn at_run_time(machine: &mut Machine<'_>, value: &Value, name: &str) -> Value {
    match value {
        Value::Tuple(items) => Value::Tuple(
            items
                .iter()
                .map(|item| at_run_time(machine, item, name))
                .collect(),
        ),
        Value::Int(int) if int.is_static() => match machine.numbers.symbol(name) {
            Py::Leaf(value) => value,
            _ => value.clone(),
        },
        other => other.clone(),
    }
}

/// `tensor.mark_layout_dynamic(leading_dim)`: all extents and all strides but the leading one are known only at run
/// time.
fn mark_layout_dynamic(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    let Py::Leaf(Value::Tensor(tensor)) = given.arg(0) else {
        return Ok(given.takes("a tensor"));
    };
    let AnyLayout::Affine(layout) = &tensor.layout else {
        return Ok(given.takes("a tensor without a swizzle"));
    };
    let (extents, stride) = (Value::of_shape(&layout.shape()), stride_of(machine, given));
    let leading = leading_mode(&extents, &stride, given.arg(1));
    let shape = at_run_time(machine, &extents, "n");
    let strides = match &stride {
        Value::Tuple(strides) => strides.iter(),
        only => std::slice::from_ref(only).iter(),
    };
    let strides = strides.enumerate().map(|(mode, step)| match step {
        Value::Int(int) if int.is_constant(0) => step.clone(),
        Value::Int(int) if int.is_constant(1) && leading.is_none_or(|at| at == mode) => {
            step.clone()
        }
        step => at_run_time(machine, step, "stride"),
    });
    let strides: Vec<Value> = strides.collect();
    let stride = match stride {
        Value::Tuple(_) => Value::Tuple(strides),
        _ => strides.into_iter().next().unwrap_or(stride),
    };
    let made = words::function(machine, "make_layout", &[], &[shape, stride], given);
    Ok(with_layout(tensor, made))
}

/// The mode whose stride stays 1: the one that is named, else the only one with stride 1 and more than one element. Nothing
/// where that does not select one.
fn leading_mode(extents: &Value, strides: &Value, named: &Py) -> Option<usize> {
    if let Some(mode) = named.as_index() {
        return usize::try_from(mode).ok();
    }
    let (Value::Tuple(extents), Value::Tuple(strides)) = (extents, strides) else {
        return None;
    };
    let is = |value: &Value, number| matches!(value, Value::Int(int) if int.is_constant(number));
    let units = (0..strides.len()).filter(|mode| is(&strides[*mode], 1));
    let units: Vec<usize> = units.collect();
    let longer = units.iter().copied();
    let longer = longer.filter(|mode| extents.get(*mode).is_some_and(|extent| !is(extent, 1)));
    match (units.as_slice(), longer.collect::<Vec<usize>>().as_slice()) {
        ([only], _) | (_, [only]) => Some(*only),
        _ => None,
    }
}

fn stride_of(machine: &mut Machine<'_>, given: &Given) -> Value {
    let args = [leaf(machine, given.arg(0))];
    let stride = words::function(machine, "stride", &[], &args, given);
    leaf(machine, &stride)
}

/// `tensor.mark_compact_shape_dynamic(mode, stride_order, divisibility)`
fn mark_compact_shape_dynamic(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    let Py::Leaf(Value::Tensor(tensor)) = given.arg(0) else {
        return Ok(given.takes("a tensor"));
    };
    let AnyLayout::Affine(layout) = &tensor.layout else {
        return Ok(given.takes("a tensor without a swizzle"));
    };
    let (Value::Tuple(mut extents), Value::Tuple(strides)) =
        (Value::of_shape(&layout.shape()), stride_of(machine, given))
    else {
        return Ok(given.takes("a tensor of several modes"));
    };
    let Some(mode) = given
        .arg(1)
        .as_index()
        .and_then(|mode| usize::try_from(mode).ok())
    else {
        return Ok(given.takes("a mode"));
    };
    if mode >= extents.len() {
        return Ok(given.takes("a mode of the tensor"));
    }
    // The order of strides as it is, where it is not given: the smallest first.
    let mut order: Vec<usize> = (0..extents.len()).collect();
    match machine.iterate(given.arg(2))? {
        Ok(given_order) => {
            let found: Option<Vec<usize>> = given_order
                .iter()
                .map(|at| at.as_index().and_then(|at| usize::try_from(at).ok()))
                .collect();
            match found {
                Some(found) if found.len() == extents.len() => {
                    order = found.into_iter().rev().collect();
                }
                _ => return Ok(given.takes("an order of the modes")),
            }
        }
        Err(_) => {
            let size = |at: &usize| match &strides[*at] {
                Value::Int(int) => int.value().unwrap_or(i64::MAX),
                _ => i64::MAX,
            };
            order.sort_by_key(size);
            // Strides without a number are in order where each is a multiple of the one before it.
            let is_multiple = |pair: &[usize]| match (&strides[pair[0]], &strides[pair[1]]) {
                (Value::Int(one), Value::Int(other)) => {
                    (one.value().is_some() || other.value().is_none())
                        && (one.value().is_some()
                            || other.rem(one).is_ok_and(|rest| rest.value() == Some(0)))
                }
                _ => false,
            };
            let open = |at: &&usize| size(at) == i64::MAX;
            if order.iter().filter(open).count() > 1 && !order.windows(2).all(is_multiple) {
                return Ok(given.takes("an order of the modes"));
            }
        }
    }
    let divisor = match given.arg(3) {
        Py::None => Py::Int(1),
        divisor => divisor.clone(),
    };
    let extent = symbol(machine, "n", &divisor);
    extents[mode] = leaf(machine, &extent);
    let mut compact = strides.clone();
    let mut step = Int::ONE;
    for at in order {
        let Some(place) = compact.get_mut(at) else {
            return Ok(given.takes("an order of the modes"));
        };
        let Value::Int(extent) = &extents[at] else {
            return Ok(given.takes("a tensor without nested modes"));
        };
        *place = Value::Int(step.clone());
        step = match step.mul(extent) {
            Ok(step) => step,
            Err(_) => return Ok(given.takes("a smaller tensor")),
        };
    }
    let args = [Value::Tuple(extents), Value::Tuple(compact)];
    let made = words::function(machine, "make_layout", &[], &args, given);
    Ok(with_layout(tensor, made))
}

fn with_layout(tensor: &Tensor, layout: Py) -> Py {
    match &layout {
        Py::Leaf(value) => match value.as_any_layout() {
            Some(layout) => Py::Leaf(Value::Tensor(Box::new(Tensor {
                engine: tensor.engine.clone(),
                layout,
            }))),
            None => layout,
        },
        _ => layout,
    }
}

/// The mode with stride 1, the first one where there are several.
fn leading_dim(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    let stride = stride_of(machine, given);
    Ok(match unit_mode(&stride) {
        Some(path) => match path.as_slice() {
            [only] => only.clone(),
            _ => Py::tuple(path),
        },
        None => Py::None,
    })
}

/// The mode of stride 1, as a path from the outermost mode to the innermost.
fn unit_mode(stride: &Value) -> Option<Vec<Py>> {
    match stride {
        Value::Int(int) => (int.as_static() == Some(1)).then(Vec::new),
        Value::Tuple(items) => items.iter().zip(0..).find_map(|(item, at)| {
            let mut path = unit_mode(item)?;
            path.insert(0, Py::Int(at));
            Some(path)
        }),
        _ => None,
    }
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

fn to(_: &mut Machine<'_>, given: &Given) -> Run<Py> {
    Ok(match (given.arg(0), given.arg(1)) {
        (Py::Leaf(Value::Tensor(tensor)), Py::Scalar(scalar)) => {
            let mut converted = tensor.clone();
            converted.engine.element = Some(Box::new(Type::Scalar(*scalar)));
            Py::Leaf(Value::Tensor(converted))
        }
        (Py::Leaf(_), Py::Scalar(scalar)) => match scalar.is_integer() && scalar.name != "bool" {
            true => given.arg(0).clone(),
            false => Py::Leaf(Value::Number(*scalar)),
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
    native("_cute.symbol", "name divisor=", named_symbol),
    native("_cute.extent", "number", extent),
    native("_cute.nested_shape", "data", nested_shape),
    native("_cute.not_evaluated", "name", |_, given| {
        Ok(match given.arg(0) {
            Py::Str(name) => Py::not_evaluated(name),
            _ => given.takes("a name"),
        })
    }),
    native("_cute.tensor", "pointer layout", tensor),
];

pub(super) static FUNCTIONS: &[Implementation] = &[
    implementation("cutlass.cute.sym_int", sym_int),
    implementation("cutlass.cute.sym_int32", sym_int),
    implementation("cutlass.cute.sym_int64", sym_int),
    implementation("cutlass.cute.assume", assume),
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
    implementation("Tensor.leading_dim", leading_dim),
    implementation("Layout.max_alignment", max_alignment),
    implementation("Tensor.memspace", memspace),
    // The value of MLIR is what it is the value of.
    implementation("Tensor.value", same),
    implementation("Layout.value", same),
    implementation("ComposedLayout.value", same),
    implementation("Tensor.mark_layout_dynamic", mark_layout_dynamic),
    implementation(
        "Tensor.mark_compact_shape_dynamic",
        mark_compact_shape_dynamic,
    ),
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
