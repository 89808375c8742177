//! Words of the vocabulary called from Python, and members of values.

use std::sync::Arc;

use cute_algebra::{AnyLayout, ComposedLayout, Delta, Int, Layout, TupleView};
use tree_sitter_cute::tree::Span;

use super::super::heap::Object;
use super::super::machine::{Machine, Run};
use super::super::native::{Args, Given, Implementation, implementation};
use super::super::value::{COORDINATE, Py};
use crate::limits;
use crate::reason::Reason;
use crate::report;
use crate::tensor::Space;
use crate::types::Type;
use crate::value::{Dialect, Truth, Value};
use crate::vocabulary::python::{self as vocabulary, Arguments};
use crate::vocabulary::{self as functions, Problem, Surroundings};

/// A value as the vocabulary takes it.
pub(crate) fn leaf(machine: &Machine<'_>, value: &Py) -> Value {
    leaf_at(machine, value, 0)
}

/// Lists inside lists may lead back to themselves.
fn leaf_at(machine: &Machine<'_>, value: &Py, depth: usize) -> Value {
    if depth > limits::ARGUMENT_DEPTH {
        return Value::Unknown(Reason::Limit("nesting of lists"));
    }
    let leaf = |item: &Py| leaf_at(machine, item, depth + 1);
    match value {
        Py::None | Py::Ellipsis => Value::Underscore,
        Py::Bool(value) => Value::Bool(Truth::fixed(*value)),
        Py::Int(value) => Value::Int(cute_algebra::Int::fixed(*value)),
        Py::Tuple(items) => Value::Tuple(items.iter().map(leaf).collect()),
        Py::Scalar(scalar) => Value::Type(Box::new(Type::Scalar(*scalar))),
        Py::Leaf(value) => value.clone(),
        Py::Whole(int, _) => Value::Int(int.clone()),
        Py::Coordinate => Value::Unknown(coordinate()),
        Py::Unknown(reason) | Py::Open(_, reason) => Value::Unknown(reason.clone()),
        Py::Object(id) => match machine.heap.get(*id) {
            Object::List(items) => Value::Tuple(items.iter().map(leaf).collect()),
            Object::Instance(instance) => match &instance.built_in {
                Some(built_in) => leaf(built_in),
                None => Value::Unknown(Reason::Construct("an object as an argument")),
            },
            Object::Lost(reason) => Value::Unknown(reason.clone()),
            _ => Value::Unknown(Reason::Construct("an object as an argument")),
        },
        _ => Value::Unknown(Reason::Construct("a value of Python as an argument")),
    }
}

/// Why nothing is known of a coordinate as a whole.
pub(crate) fn coordinate() -> Reason {
    Reason::RunTime("a coordinate".into())
}

/// Values as the vocabulary takes them.
pub(crate) fn leaves(machine: &Machine<'_>, values: &[Py]) -> Vec<Value> {
    values.iter().map(|value| leaf(machine, value)).collect()
}

/// Calls a word of the vocabulary of Python.
pub(super) fn call(machine: &mut Machine<'_>, name: &str, args: Args) -> Run<Py> {
    let Some(word) = vocabulary::named(name) else {
        return Ok(Py::not_evaluated(name));
    };
    if name == "cutlass.cute.elem_less" && args.plain.contains(&Py::Coordinate) {
        return Ok(Py::run_time_bool());
    }
    if name == "cutlass.cute.select" {
        let modes = args.named.iter().find(|(name, _)| &**name == "mode");
        let modes = modes.map(|(_, modes)| modes).or(args.plain.get(1));
        if let (Some(of), Some(modes)) = (args.plain.first(), modes) {
            let modes = leaf(machine, modes);
            machine.note_permuted(of, &modes);
        }
    }
    for (name, _) in &args.named {
        if !word.takes(name) {
            let parameters: Vec<&str> = word.parameters().collect();
            machine.no_such_argument(word.name(), name, &parameters, args.span);
        }
    }
    let named: Vec<(String, Value)> = args
        .named
        .iter()
        .map(|(name, value)| (name.to_string(), as_number(leaf(machine, value))))
        .collect();
    let given = Arguments {
        positional: leaves(machine, &args.plain)
            .into_iter()
            .map(as_number)
            .collect(),
        named: named
            .iter()
            .map(|(name, value)| (name.as_str(), value.clone()))
            .collect(),
    };
    let mut remarks = Vec::new();
    let answer = word.call(&given, &mut remarks);
    Ok(machine.answered(answer, remarks, args.span, &args.places))
}

/// A truth value of Python is an integer where one is taken.
fn as_number(value: Value) -> Value {
    match value {
        Value::Bool(Truth { value, fixed: true }) => {
            Value::Int(cute_algebra::Int::fixed(i64::from(value)))
        }
        Value::Tuple(items) => Value::Tuple(items.into_iter().map(as_number).collect()),
        other => other,
    }
}

/// Calls a function of CuTe's own tables.
pub(crate) fn function(
    machine: &mut Machine<'_>,
    name: &str,
    targs: &[Value],
    args: &[Value],
    given: &Given,
) -> Py {
    let Some(function) = functions::function(name) else {
        return Py::not_evaluated(name);
    };
    let mut remarks = Vec::new();
    let surroundings = Surroundings::of_dsl();
    let answer = function.call_in(surroundings, targs, args, &mut remarks);
    machine.answered(answer, remarks, given.span, &given.places)
}

/// Calls a method of CuTe's own tables; the object is the first argument.
pub(crate) fn method(
    machine: &mut Machine<'_>,
    name: &str,
    targs: &[Value],
    args: &[Value],
    given: &Given,
) -> Py {
    let Some(function) = functions::method(name) else {
        return Py::not_evaluated(name);
    };
    let mut remarks = Vec::new();
    let answer = function.call(targs, args, &mut remarks);
    machine.answered(answer, remarks, given.span, &given.places)
}

impl Machine<'_> {
    /// The value of an answer of the vocabulary; its remarks become findings.
    pub(crate) fn answered(
        &mut self,
        answer: Result<Value, Problem>,
        remarks: Vec<functions::Remark>,
        span: Span,
        places: &[Span],
    ) -> Py {
        let value = match answer {
            // The DSL does not know a number of the run that could be no other: `ceil_div(1, n)`.
            Ok(value @ (Value::Layout(_) | Value::Composed(_) | Value::Tensor(_)))
                if has_number(&value, is_known_of_run) =>
            {
                Py::of_value(self.without_numbers(value, is_known_of_run))
            }
            Ok(value) => Py::of_value(value),
            Err(Problem::Unknown(reason)) => Py::Unknown(reason),
            // Its numbers of the run are those of coordinate 0.
            Err(Problem::ForFirst(value)) => Py::of_value(self.without_numbers(*value, is_of_run)),
            Err(Problem::Refused(remark)) => {
                let reason = remark.reason();
                let result = remark.result.clone();
                self.remark(*remark, span, places);
                match result {
                    Some(value) => Py::of_value(value),
                    None => {
                        self.note_refused(span);
                        Py::Unknown(reason)
                    }
                }
            }
        };
        for remark in remarks {
            self.remark(remark, span, places);
        }
        value
    }

    /// A value with a symbol for each of these numbers of the run.
    fn without_numbers(&mut self, value: Value, which: Which) -> Value {
        match value {
            Value::Int(int) => Value::Int(self.without_number(int, which)),
            Value::Tuple(items) => Value::Tuple(
                items
                    .into_iter()
                    .map(|item| self.without_numbers(item, which))
                    .collect(),
            ),
            Value::Layout(layout) => {
                Value::Layout(Arc::new(self.layout_without_numbers(&layout, which)))
            }
            Value::Composed(composed) => {
                let composed = self.composed_without_numbers(&composed, which);
                Value::Composed(Arc::new(composed))
            }
            Value::Tensor(mut tensor) => {
                tensor.layout = match tensor.layout {
                    AnyLayout::Affine(layout) => {
                        AnyLayout::Affine(self.layout_without_numbers(&layout, which))
                    }
                    AnyLayout::Composed(composed) => {
                        AnyLayout::Composed(self.composed_without_numbers(&composed, which))
                    }
                };
                Value::Tensor(tensor)
            }
            other => other,
        }
    }

    /// The start of a swizzled part decides the form of its slices.
    fn composed_without_numbers(
        &mut self,
        composed: &ComposedLayout,
        which: Which,
    ) -> ComposedLayout {
        ComposedLayout {
            outer: composed.outer.clone(),
            offset: composed
                .offset
                .map(|int| self.without_number(int.clone(), which)),
            inner: self.layout_without_numbers(&composed.inner, which),
        }
    }

    fn layout_without_numbers(&mut self, layout: &Layout, which: Which) -> Layout {
        let shape = layout
            .shape()
            .map(|int| self.without_number(int.clone(), which));
        let stride = layout.stride().map(|step| match step {
            Delta::Int(int) => Delta::Int(self.without_number(int.clone(), which)),
            other => other.clone(),
        });
        Layout::new(shape, stride).unwrap_or_else(|_| layout.clone())
    }

    fn without_number(&mut self, int: Int, which: Which) -> Int {
        if !which(&int) {
            return int;
        }
        let divisor = Py::Int(int.value().unwrap_or(1));
        match super::extents::symbol(self, "v", &divisor) {
            Py::Leaf(Value::Int(symbol)) => symbol,
            _ => int,
        }
    }

    fn remark(&mut self, remark: functions::Remark, span: Span, places: &[Span]) {
        if self.is_certain() && !report::is_unproved(&remark) {
            let operands: Vec<report::Operand> = places
                .iter()
                .map(|place| report::Operand {
                    span: *place,
                    name: identifier(self.focus.slice(*place)),
                })
                .collect();
            let mut found = report::finding(&remark, span, &operands);
            found.message = Dialect::Dsl.of_notation(&found.message);
            self.findings.push(found);
        }
    }
}

/// Whether a number is to be a symbol.
type Which = fn(&Int) -> bool;

fn is_of_run(int: &Int) -> bool {
    !int.is_static()
}

/// Whether a number of the run is known although it is not a constant.
fn is_known_of_run(int: &Int) -> bool {
    is_of_run(int) && int.value().is_some()
}

/// Whether the layout of a value has such a number.
fn has_number(value: &Value, which: Which) -> bool {
    let in_layout = |layout: &Layout| {
        let extents = layout.view();
        extents.extents().iter().any(which)
            || extents.steps().iter().any(|step| match step {
                Delta::Int(int) => which(int),
                _ => false,
            })
    };
    let of_any = |layout: &AnyLayout| match layout {
        AnyLayout::Affine(layout) => in_layout(layout),
        AnyLayout::Composed(composed) => in_layout(&composed.inner),
    };
    match value {
        Value::Layout(layout) => in_layout(layout),
        Value::Composed(composed) => in_layout(&composed.inner),
        Value::Tensor(tensor) => of_any(&tensor.layout),
        _ => false,
    }
}

/// A piece of source that is a name and nothing else.
fn identifier(text: &str) -> Option<String> {
    let is_name = text.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && text.chars().all(|c| c.is_alphanumeric() || c == '_');
    is_name.then(|| text.to_owned())
}

/// `value[index]`
pub(super) fn element(machine: &mut Machine<'_>, value: &Value, index: &Py, span: Span) -> Run<Py> {
    let whole = match value {
        Value::Tensor(tensor) => whole_modes(index, tensor.layout.shape().view()),
        _ => None,
    };
    let index = whole.as_ref().unwrap_or(index);
    let index_value = leaf(machine, index);
    if let Value::Unknown(reason) = &index_value {
        return Ok(Py::Unknown(reason.clone()));
    }
    match value {
        Value::Layout(_) | Value::Composed(_) | Value::Shared(_) => {
            let args = Args::of(
                vec![Py::Leaf(value.clone()), Py::tuple(vec![index.clone()])],
                span,
            );
            call(machine, "cutlass.cute.get", args)
        }
        Value::Tensor(tensor) => {
            super::effects::judge_index(machine, tensor, &index_value, span);
            let slices = |value: &Value| has_underscore(value);
            if !slices(&index_value) {
                // One element: a number of the tensor's type, or a coordinate, whose origin is the kernel's.
                if tensor.is_of_coordinates() {
                    return Ok(Py::Coordinate);
                }
                return Ok(match &tensor.engine.element {
                    Some(element) => match &**element {
                        Type::Scalar(scalar) if scalar.is_integer() && scalar.name != "bool" => {
                            machine.numbers.number("element", Some(*scalar))
                        }
                        Type::Scalar(scalar) => Py::Leaf(Value::Number(*scalar)),
                        _ => Py::Unknown(Reason::RunTime("an element of a tensor".into())),
                    },
                    None => Py::Unknown(Reason::RunTime("an element of a tensor".into())),
                });
            }
            let args = Args::of(vec![Py::Leaf(value.clone()), index.clone()], span);
            call(machine, "cutlass.cute.slice_", args)
        }
        // A part of the coordinate where a tensor of coordinates starts.
        Value::Pointer(pointer) if pointer.space == Space::Coordinates => {
            Ok(machine.numbers.symbol(COORDINATE))
        }
        _ => Ok(Py::Unknown(Reason::Construct("an element of this value"))),
    }
}

/// An index with each `:` and `...` replaced by the whole modes that it means, as in packages that let one write them;
/// nothing where it has none.
fn whole_modes(index: &Py, shape: TupleView<'_, Int>) -> Option<Py> {
    match index {
        Py::Ellipsis => Some(Py::tuple(vec![Py::None; shape.rank()])),
        Py::Slice(parts) if **parts == [Py::None, Py::None, Py::None] => Some(Py::None),
        Py::Tuple(items) => {
            let is_rest = |item: &&Py| **item == Py::Ellipsis;
            let rest = match items.iter().filter(is_rest).count() {
                0 => 0,
                1 => (shape.rank() + 1).checked_sub(items.len())?,
                _ => return Some(Py::Unknown(Reason::Construct("an index with two `...`"))),
            };
            let mut found = Vec::new();
            for item in items.iter() {
                let mode = shape.get(found.len());
                match item {
                    Py::Ellipsis => found.extend(vec![Py::None; rest]),
                    item => {
                        let whole = mode.and_then(|mode| whole_modes(item, mode));
                        found.push(whole.unwrap_or_else(|| item.clone()));
                    }
                }
            }
            (found[..] != items[..]).then(|| Py::tuple(found))
        }
        _ => None,
    }
}

fn has_underscore(value: &Value) -> bool {
    match value {
        Value::Underscore => true,
        Value::Tuple(items) => items.iter().any(has_underscore),
        _ => false,
    }
}

fn through(machine: &mut Machine<'_>, given: &Given, name: &str) -> Run<Py> {
    let args = [leaf(machine, given.arg(0))];
    Ok(function(machine, name, &[], &args, given))
}

fn layout(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    through(machine, given, "layout")
}

fn shape(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    through(machine, given, "shape")
}

fn stride(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    through(machine, given, "stride").map(of_open_type)
}

/// Strides that only the running kernel has may have 32 bits or 64.
fn of_open_type(value: Py) -> Py {
    match value {
        Py::Leaf(Value::Int(int)) => Py::Whole(int, None),
        Py::Tuple(items) => Py::tuple(items.iter().cloned().map(of_open_type).collect()),
        other => other,
    }
}

fn element_type(_: &mut Machine<'_>, given: &Given) -> Run<Py> {
    let element = match given.arg(0) {
        Py::Leaf(Value::Tensor(tensor)) => &tensor.engine.element,
        Py::Leaf(Value::Pointer(pointer)) => &pointer.element,
        _ => return Ok(given.takes("a tensor")),
    };
    Ok(match element.as_deref() {
        Some(Type::Scalar(scalar)) => Py::Scalar(*scalar),
        _ => Py::Unknown(Reason::RunTime("the type of elements".into())),
    })
}

fn iterator(_: &mut Machine<'_>, given: &Given) -> Run<Py> {
    Ok(match given.arg(0) {
        Py::Leaf(Value::Tensor(tensor)) => Py::Leaf(Value::Pointer(tensor.engine.clone())),
        _ => given.takes("a tensor"),
    })
}

/// Attributes of layouts, tensors and pointers: those with `self` alone are read, the others called.
pub(super) static MEMBERS: &[Implementation] = &[
    implementation("Layout.shape", shape),
    implementation("Layout.stride", stride),
    implementation("ComposedLayout.shape", shape),
    implementation("Tensor.layout", layout),
    implementation("Tensor.shape", shape),
    implementation("Tensor.stride", stride),
    implementation("Tensor.element_type", element_type),
    implementation("Tensor.dtype", element_type),
    implementation("Tensor.iterator", iterator),
    implementation("Pointer.dtype", element_type),
    implementation("Pointer.value_type", element_type),
];
