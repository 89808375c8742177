//! Properties of a layout, tensor or tuple: size, rank, depth, cosize, shape, stride.

use cute_algebra::{AnyLayout, Int, Shape, Tuple, ops};

use super::python_words::Takes::Argument;
use super::tuples::{decided, on_modes, part};
use super::{Call, Evaluated, Function, Header, Makes, Problem, entry, python_words};
use crate::questions;
use crate::questions::{OfTensor, answers};
use crate::types::Type;
use crate::value::{Truth, Value};

/// The argument, or the mode of it that template indices name.
fn subject(call: &Call<'_>) -> Evaluated {
    part(call, call.arg(0)?, &call.indices()?)
}

/// The size of a mode of the value of a template parameter that nothing binds: a symbol.
fn open_size(value: &Value) -> Option<Int> {
    match value {
        Value::Instance(ty) => match &**ty {
            Type::Parameter(name) | Type::Part(name) => {
                let text = match name.strip_prefix("get<") {
                    // size<0>(T) is size(get<0>(T)).
                    Some(_) => format!("size({name})").replace("size(get<", "size<"),
                    None => return Some(Int::symbol(&format!("size({name})"))),
                };
                let closed = text.strip_suffix("))").map(|text| format!("{text})"));
                Some(Int::symbol(&closed.unwrap_or(text)))
            }
            _ => None,
        },
        _ => None,
    }
}

fn size(call: &Call<'_>) -> Evaluated {
    let value = subject(call)?;
    if let Some(open) = open_size(&value) {
        return Ok(Value::Int(open));
    }
    if let Some(layout) = value.as_any_layout() {
        return Ok(Value::Int(layout.size()?));
    }
    let threads = match &value {
        Value::TiledMma(mma) => Some(mma.size()),
        Value::TiledCopy(copy) => Some(copy.size()),
        _ => None,
    };
    if let Some(threads) = threads {
        return threads
            .map(Value::Int)
            .map_err(|refusal| super::tiled::hardware(&refusal));
    }
    match (value.to_shape(), &value) {
        (Some(shape), _) => Ok(Value::Int(shape.size()?)),
        // A truth value is an integer in C++.
        (None, Value::Bool(truth)) => Ok(Value::Int(truth.to_int())),
        (None, _) => Err(call.takes("a layout, a tensor or a shape")),
    }
}

fn rank(call: &Call<'_>) -> Evaluated {
    let value = subject(call)?;
    decided(value.open_parameter())?;
    let rank = match value.as_any_layout() {
        Some(layout) => layout.rank(),
        None => match &value {
            Value::Tuple(items) => items.len(),
            _ => 1,
        },
    };
    fixed(rank)
}

fn depth(call: &Call<'_>) -> Evaluated {
    let value = subject(call)?;
    if let Some(layout) = value.as_any_layout() {
        return fixed(layout.domain().depth());
    }
    decided(value.open_leaf())?;
    fixed(depth_of(&value))
}

fn depth_of(value: &Value) -> usize {
    match value {
        Value::Tuple(items) => 1 + items.iter().map(depth_of).max().unwrap_or(0),
        _ => 0,
    }
}

#[allow(clippy::unnecessary_wraps)] // It ends functions of the vocabulary.
fn fixed(count: usize) -> Evaluated {
    Ok(Value::Int(Int::fixed(count as i64)))
}

fn cosize(call: &Call<'_>) -> Evaluated {
    match call.any_layout(0)? {
        AnyLayout::Affine(_) => match subject(call)? {
            Value::Layout(layout) => Ok(Value::Int(layout.cosize()?)),
            Value::Shared(shared) => Ok(Value::Int(shared.layout.cosize()?)),
            Value::Tensor(tensor) => match tensor.layout.as_affine() {
                Some(layout) => Ok(Value::Int(layout.cosize()?)),
                None => Err(call.not_evaluated()),
            },
            _ => Err(call.takes("a layout")),
        },
        // CuTe: the cosize of the layout inside.
        AnyLayout::Composed(composed) => Ok(Value::Int(composed.inner.cosize()?)),
    }
}

fn shape(call: &Call<'_>) -> Evaluated {
    shape_of_value(subject(call)?).ok_or_else(|| call.takes("a layout, a tensor or a shape"))
}

/// The shape of a layout; that of a shape is itself, and that of a tuple, as a tiler, those of its items.
fn shape_of_value(value: Value) -> Option<Value> {
    if let Some(layout) = value.as_any_layout() {
        return Some(Value::of_shape(&layout.shape()));
    }
    match value {
        value if value.to_shape().is_some() => Some(value),
        Value::Tuple(items) => {
            let items = items.into_iter().map(shape_of_value);
            Some(Value::Tuple(items.collect::<Option<_>>()?))
        }
        _ => None,
    }
}

fn stride(call: &Call<'_>) -> Evaluated {
    match subject(call)?.as_any_layout() {
        Some(AnyLayout::Affine(layout)) => Ok(Value::of_stride(&layout.stride())),
        Some(AnyLayout::Composed(composed)) => Ok(Value::of_stride(&composed.inner.stride())),
        None => Err(call.takes("a layout or a tensor")),
    }
}

fn layout(call: &Call<'_>) -> Evaluated {
    match subject(call)? {
        Value::Tensor(tensor) => Ok(tensor.layout_value()),
        value @ (Value::Layout(_) | Value::Composed(_) | Value::Shared(_)) => Ok(value),
        _ => Err(call.takes("a tensor or a layout")),
    }
}

fn coshape(call: &Call<'_>) -> Evaluated {
    match subject(call)?.as_any_layout() {
        Some(AnyLayout::Affine(layout)) => Ok(Value::of_shape(&ops::coshape(&layout)?)),
        _ => Err(call.takes("a layout")),
    }
}

fn tensor(call: &Call<'_>) -> Evaluated {
    let indices = call.indices()?;
    let value = call.arg(0)?;
    match (value, indices.as_slice()) {
        (Value::Tensor(_), []) => Ok(value.clone()),
        (Value::Tensor(_), [index]) => on_modes(value, |layout| Ok(layout.mode(*index)?)),
        _ => Err(call.takes("a tensor")),
    }
}

fn is_static(call: &Call<'_>) -> Evaluated {
    let value = call.arg(0)?;
    decided(value.open_leaf())?;
    Ok(Value::Bool(Truth::fixed(value.is_static())))
}

fn profiles(call: &Call<'_>) -> Result<(Tuple<()>, Tuple<()>), Problem> {
    Ok((profile(call, 0)?, profile(call, 1)?))
}

fn profile(call: &Call<'_>, index: usize) -> Result<Tuple<()>, Problem> {
    let value = call.arg(index)?;
    if let Some(layout) = value.as_any_layout() {
        return Ok(layout.shape().map(|_| ()));
    }
    value
        .to_stride()
        .map(|stride| stride.map(|_| ()))
        .ok_or_else(|| call.takes("shapes or layouts"))
}

fn congruent(call: &Call<'_>) -> Evaluated {
    let (a, b) = profiles(call)?;
    Ok(Value::Bool(Truth::fixed(a.is_congruent(&b))))
}

fn weakly_congruent(call: &Call<'_>) -> Evaluated {
    let (a, b) = profiles(call)?;
    Ok(Value::Bool(Truth::fixed(
        a.view().is_weakly_congruent(b.view()),
    )))
}

fn compatible(call: &Call<'_>) -> Evaluated {
    let (a, b) = (shape_of(call, 0)?, shape_of(call, 1)?);
    truth(&ops::shape_arithmetic::compatible(a.view(), b.view())?)
}

fn evenly_divides(call: &Call<'_>) -> Evaluated {
    let (a, b) = (shape_of(call, 0)?, shape_of(call, 1)?);
    truth(&ops::shape_arithmetic::evenly_divides(a.view(), b.view())?)
}

/// The pairs of extents that are equal where `evenly_divides(shape, tiler)` holds, also of run-time sizes.
pub(crate) fn tiled_extents(operands: &[Value]) -> Option<Vec<(Int, Int)>> {
    let [shape, tiler] = operands else {
        return None;
    };
    let (shape, tiler) = (any_shape(shape)?, any_shape(tiler)?);
    ops::shape_arithmetic::tiled_extents(shape.view(), tiler.view()).ok()?
}

fn shape_of(call: &Call<'_>, index: usize) -> Result<Shape, Problem> {
    any_shape(call.arg(index)?).ok_or_else(|| call.takes("a tuple of integers"))
}

/// A shape, or the shape of a layout or tensor.
fn any_shape(value: &Value) -> Option<Shape> {
    match value.as_any_layout() {
        Some(layout) => Some(layout.shape()),
        None => value.to_shape(),
    }
}

/// `decltype(x)::value`: a constant as a number.
fn static_value(call: &Call<'_>) -> Evaluated {
    match call.arg(0)? {
        Value::Int(int) => Ok(Value::Int(int.to_dynamic())),
        Value::Bool(truth) => Ok(Value::Bool(Truth::run_time(truth.value))),
        _ => Err(call.takes("an integral constant")),
    }
}

fn truth(int: &Int) -> Evaluated {
    match int.value() {
        Some(value) => Ok(Value::Bool(Truth {
            value: value != 0,
            fixed: int.is_static(),
        })),
        None => Err(Problem::Unknown(crate::reason::Reason::RunTime(
            "this condition".into(),
        ))),
    }
}

pub(super) const FUNCTIONS: &[Function] = &[
    entry(
        "size",
        "auto size<I...>(layout)",
        "the number of coordinates",
        size,
    )
    .takes(&["layout"])
    .section("§2.2")
    .header(Header::Cute("int_tuple.hpp"))
    .asked(answers(1, 1, questions::inquiries::size).of_tensor(OfTensor::Layout))
    .python(&[python_words::word("size", python_words::OF_MODES)]),
    entry(
        "rank",
        "auto rank<I...>(tuple)",
        "the number of modes",
        rank,
    )
    .takes(&["tuple"])
    .section("§2.1")
    .header(Header::Cute("int_tuple.hpp"))
    .asked(answers(1, 1, questions::inquiries::rank).of_tensor(OfTensor::Layout))
    .python(&[python_words::word("rank", python_words::OF_MODES)]),
    entry(
        "depth",
        "auto depth<I...>(tuple)",
        "the depth of nesting; 0 for an integer",
        depth,
    )
    .takes(&["tuple"])
    .section("§2.1")
    .header(Header::Cute("int_tuple.hpp"))
    .asked(answers(1, 1, questions::inquiries::depth).of_tensor(OfTensor::Layout))
    .python(&[python_words::word("depth", python_words::UNARY)]),
    entry(
        "cosize",
        "auto cosize<I...>(layout)",
        "the largest offset plus 1: the elements a buffer needs",
        cosize,
    )
    .takes(&["layout"])
    .section("§2.4.1")
    .rust(&["cute_algebra"])
    .header(Header::Cute("layout.hpp"))
    .asked(answers(1, 1, questions::inquiries::cosize).of_tensor(OfTensor::Layout))
    .python(&[python_words::word("cosize", python_words::OF_MODES)]),
    entry("shape", "auto shape<I...>(x)", "the extents", shape)
        .takes(&["x"])
        .header(Header::Cute("int_tuple.hpp"))
        .asked(answers(1, 1, questions::inquiries::shape).of_tensor(OfTensor::Layout))
        .python(&[python_words::word("shape", python_words::OF_MODES)]),
    entry("stride", "auto stride<I...>(x)", "the steps", stride)
        .takes(&["x"])
        .header(Header::Cute("layout.hpp"))
        .asked(answers(1, 1, questions::inquiries::stride).of_tensor(OfTensor::Layout)),
    entry(
        "layout",
        "auto layout<I...>(tensor)",
        "the layout of a tensor or of one of its modes",
        layout,
    )
    .takes(&["tensor"])
    .header(Header::Cute("layout.hpp"))
    .makes(Makes::Argument)
    .asked(
        answers(1, 1, questions::modes::layout)
            .of_tensor(OfTensor::Own(questions::tensors::itself)),
    )
    .assembled(),
    entry(
        "coshape",
        "auto coshape(layout)",
        "1 + sum of (extent-1)*|stride|, for each coordinate of the codomain",
        coshape,
    )
    .takes(&["layout"])
    .rust(&["cute_algebra"])
    .header(Header::Cute("layout.hpp"))
    .asked(answers(1, 1, questions::inquiries::coshape).of_tensor(OfTensor::Layout)),
    entry(
        "tensor",
        "auto tensor<I>(tensor)",
        "the tensor of one mode",
        tensor,
    )
    .takes(&["tensor"])
    .header(Header::Cute("tensor_impl.hpp"))
    .makes(Makes::Argument)
    .assembled(),
    entry(
        "CUTE_STATIC_V",
        "constexpr auto CUTE_STATIC_V(x)",
        "the number that a constant is",
        static_value,
    )
    .takes(&["x"])
    .header(Header::Cute("config.hpp")),
    entry(
        "is_static",
        "bool is_static(x)",
        "whether the compiler knows all of it",
        is_static,
    )
    .takes(&["x"])
    .header(Header::Cute("numeric/integral_constant.hpp"))
    .python(&[python_words::word("is_static", &[("x", Argument)])]),
    entry(
        "congruent",
        "bool congruent(a, b)",
        "whether both have the same profile",
        congruent,
    )
    .takes(&["a", "b"])
    .section("§2.1")
    .header(Header::Cute("int_tuple.hpp"))
    .asked(answers(2, 2, questions::shapes::congruent))
    .python(&[python_words::word("is_congruent", python_words::PAIR)]),
    entry(
        "weakly_congruent",
        "bool weakly_congruent(a, b)",
        "whether the profile of the left is refined by that of the right",
        weakly_congruent,
    )
    .takes(&["a", "b"])
    .section("§2.1")
    .header(Header::Cute("int_tuple.hpp"))
    .asked(answers(2, 2, questions::shapes::weakly_congruent))
    .python(&[python_words::word(
        "is_weakly_congruent",
        python_words::PAIR,
    )]),
    entry(
        "compatible",
        "bool compatible(a, b)",
        "whether every coordinate of the left shape is one of the right shape",
        compatible,
    )
    .takes(&["a", "b"])
    .section("§2.2.1")
    .header(Header::Cute("int_tuple.hpp"))
    .asked(answers(2, 2, questions::shapes::compatible)),
    entry(
        "evenly_divides",
        "bool evenly_divides(shape, tiler)",
        "whether the right shape divides the left one, mode by mode",
        evenly_divides,
    )
    .takes(&["shape", "tiler"])
    .header(Header::Cute("int_tuple.hpp"))
    .asked(answers(2, 2, questions::shapes::evenly_divides)),
];
