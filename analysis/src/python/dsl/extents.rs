//! Extents and strides of the DSL that are known only at run time, and what is known of them.

use cute_algebra::symbol::Multiple;
use cute_algebra::{AnyLayout, Int};

use super::super::machine::{Machine, Run};
use super::super::native::{Given, Implementation, Native, implementation, native};
use super::super::value::Py;
use super::words::{self, leaf};
use crate::tensor::Tensor;
use crate::value::Value;

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
        (Py::Leaf(Value::Int(int)) | Py::Whole(int, _), Some(divisor)) if divisor > 1 => {
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
            let made = symbol(machine, &name, given.arg(1));
            Ok(match (given.arg(0), made) {
                (Py::Whole(_, ty), Py::Leaf(Value::Int(int))) => Py::Whole(int, *ty),
                (_, made) => made,
            })
        }
        (value, _) => Ok(value.clone()),
    }
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

pub(super) static NATIVES: &[Native] = &[
    native("_cute.symbol", "name divisor=", named_symbol),
    native("_cute.extent", "number", extent),
    native("_cute.nested_shape", "data", nested_shape),
];

pub(super) static FUNCTIONS: &[Implementation] = &[
    implementation("cutlass.cute.sym_int", sym_int),
    implementation("cutlass.cute.sym_int32", sym_int),
    implementation("cutlass.cute.sym_int64", sym_int),
    implementation("cutlass.cute.assume", assume),
];

pub(super) static MEMBERS: &[Implementation] = &[
    implementation("Tensor.leading_dim", leading_dim),
    implementation("Tensor.mark_layout_dynamic", mark_layout_dynamic),
    implementation(
        "Tensor.mark_compact_shape_dynamic",
        mark_compact_shape_dynamic,
    ),
];
