//! Tuples: making them, taking parts of them. Layouts and tensors are taken apart by mode.

use std::sync::Arc;

use cute_algebra::{AnyLayout, Int, Layout, ops};

use super::call::number;
use super::{Call, Evaluated, Function, Header, Makes, Problem, entry, lenient, python_words};
use crate::questions;
use crate::questions::{OfTensor, answers};
use crate::reason::Reason;
use crate::tensor::Pointer;
use crate::types::{ScalarClass, Type};
use crate::value::{Room, Value};

#[allow(clippy::unnecessary_wraps)] // The signature of all functions of the vocabulary.
fn make_tuple(call: &Call<'_>) -> Evaluated {
    Ok(Value::Tuple(call.args.to_vec()))
}

fn get(call: &Call<'_>) -> Evaluated {
    let path = call.indices()?;
    part(call, call.arg(0)?, &path)
}

/// The part of a value at a path of modes.
pub(super) fn part(call: &Call<'_>, value: &Value, path: &[usize]) -> Evaluated {
    let mut value = value.clone();
    for index in path {
        value = match &value {
            Value::Tuple(items) | Value::Pack(items) => items
                .get(*index)
                .cloned()
                .ok_or_else(|| call.takes("an index within the rank"))?,
            Value::Layout(_) | Value::Composed(_) | Value::Tensor(_) | Value::Shared(_) => {
                on_modes(&value, |layout| Ok(layout.mode(*index)?))?
            }
            Value::Instance(ty) if matches!(**ty, Type::Parameter(_) | Type::Part(_)) => {
                Value::Instance(Box::new(Type::Part(format!("get<{index}>({ty})").into())))
            }
            // A leaf is a tuple of itself.
            _ if *index == 0 => value,
            _ => return Err(call.takes("an index within the rank")),
        };
    }
    match value {
        Value::Unknown(reason) => Err(Problem::Unknown(reason)),
        value => Ok(value),
    }
}

/// A layout or tensor with its modes changed.
pub(super) fn on_modes(
    value: &Value,
    f: impl FnOnce(&Layout) -> Result<Layout, Problem>,
) -> Evaluated {
    if let Value::Shared(shared) = value {
        let layout = f(&shared.layout)?;
        return Ok(Value::Shared(Arc::new(shared.with_layout(layout))));
    }
    let map = |layout: &AnyLayout| -> Result<AnyLayout, Problem> {
        let inner = f(layout.domain())?;
        Ok(layout.with_domain(inner))
    };
    match value {
        Value::Tensor(tensor) => Ok(Value::Tensor(Box::new(crate::tensor::Tensor {
            engine: tensor.engine.clone(),
            layout: map(&tensor.layout)?,
        }))),
        other => match other.as_any_layout() {
            Some(layout) => Ok(Value::of_layout(map(&layout)?)),
            None => Err(Problem::Unknown(Reason::Construct(
                "this operation on this value",
            ))),
        },
    }
}

fn is_tuple(value: &Value) -> bool {
    !matches!(
        value,
        Value::Layout(_) | Value::Composed(_) | Value::Tensor(_) | Value::Shared(_)
    )
}

/// The elements of a tuple; a leaf is a tuple of itself.
fn items_of(value: &Value) -> Result<Vec<Value>, Problem> {
    decided(value.open_parameter())?;
    Ok(match value {
        Value::Tuple(items) | Value::Pack(items) => items.clone(),
        other => vec![other.clone()],
    })
}

/// An error where a template parameter that nothing binds may be a number or a tuple.
pub(super) fn decided(open: Option<Reason>) -> Result<(), Problem> {
    open.map_or(Ok(()), |reason| Err(Problem::Unknown(reason)))
}

fn select(call: &Call<'_>) -> Evaluated {
    let indices = call.indices()?;
    let value = call.arg(0)?;
    if is_tuple(value) {
        let items: Result<Vec<Value>, Problem> = indices
            .iter()
            .map(|index| part(call, value, &[*index]))
            .collect();
        return Ok(Value::Tuple(items?));
    }
    // Of a layout with a swizzle it makes a tuple: each mode is a layout with a swizzle.
    if is_swizzled(call, value) {
        let modes = indices.iter().map(|index| part(call, value, &[*index]));
        return Ok(Value::Tuple(modes.collect::<Result<_, _>>()?));
    }
    on_modes(value, |layout| Ok(ops::select(layout, &indices)?))
}

/// Whether a value is a layout with a swizzle of C++, which fewer functions know as a layout than the DSL has it.
fn is_swizzled(call: &Call<'_>, value: &Value) -> bool {
    !call.surroundings.is_of_dsl && matches!(value, Value::Composed(_) | Value::Shared(_))
}

fn take(call: &Call<'_>) -> Evaluated {
    let &[begin, end] = call.indices()?.as_slice() else {
        return Err(call.takes("the first mode and the one after the last"));
    };
    let value = call.arg(0)?;
    if is_tuple(value) {
        return match items_of(value)?.get(begin..end) {
            Some(items) => Ok(Value::Tuple(items.to_vec())),
            None => Err(call.takes("modes within the rank")),
        };
    }
    on_modes(value, |layout| Ok(ops::take(layout, begin, end)?))
}

/// `group<B,E>(x)`: a tensor is a leaf here, which becomes a tuple of itself; `group_modes` groups its modes.
fn group_of_tuple(call: &Call<'_>) -> Evaluated {
    match (call.arg(0)?, call.targs) {
        (tensor @ Value::Tensor(_), [begin, end]) if !call.surroundings.is_of_dsl => {
            Ok(if number(begin) == number(end) {
                tensor.clone()
            } else {
                Value::Tuple(vec![tensor.clone()])
            })
        }
        _ => group(call),
    }
}

fn group(call: &Call<'_>) -> Evaluated {
    let (begin, end) = match call.targs {
        // `group<B,-1>`: to the last mode.
        [_, last] if number(last) == Some(-1) => {
            let &[begin] = call.first_indices(1)?.as_slice() else {
                return Err(call.takes("the first mode and the one after the last"));
            };
            (begin, None)
        }
        _ => match call.indices()?.as_slice() {
            &[begin, end] => (begin, Some(end)),
            _ => return Err(call.takes("the first mode and the one after the last")),
        },
    };
    let value = call.arg(0)?;
    if is_tuple(value) {
        let mut items = items_of(value)?;
        let end = end.unwrap_or(items.len());
        if begin > end || end > items.len() {
            return Err(call.takes("modes within the rank"));
        }
        // Of no modes none is made.
        if begin < end {
            let grouped = items.splice(begin..end, []).collect();
            items.insert(begin, Value::Tuple(grouped));
        }
        return Ok(Value::Tuple(items));
    }
    on_modes(value, |layout| {
        let end = end.unwrap_or(layout.rank());
        Ok(ops::group(layout, begin, end)?)
    })
}

fn flatten(call: &Call<'_>) -> Evaluated {
    let value = call.arg(0)?;
    if is_tuple(value) {
        decided(value.open_leaf())?;
        let mut flat = Vec::new();
        flatten_into(value, &mut flat);
        return Ok(match value {
            Value::Tuple(_) => Value::Tuple(flat),
            leaf => leaf.clone(),
        });
    }
    on_modes(value, |layout| Ok(ops::flatten(layout)?))
}

fn flatten_into(value: &Value, flat: &mut Vec<Value>) {
    match value {
        Value::Tuple(items) => items.iter().for_each(|item| flatten_into(item, flat)),
        leaf => flat.push(leaf.clone()),
    }
}

fn append(call: &Call<'_>) -> Evaluated {
    extend(call, true)
}

fn prepend(call: &Call<'_>) -> Evaluated {
    extend(call, false)
}

/// `append<N>(x, y)` adds y until the rank is N; without N it adds y once.
fn extend(call: &Call<'_>, at_end: bool) -> Evaluated {
    let rank = match call.indices()?.as_slice() {
        [] => None,
        [rank] => Some(*rank),
        _ => return Err(call.takes("at most one template argument")),
    };
    let value = call.arg(0)?;
    if is_tuple(value) {
        let mut items = items_of(value)?;
        let added = call.arg(1)?;
        let wanted = rank.unwrap_or(items.len() + 1);
        if rank.is_some_and(|rank| rank < items.len()) {
            return Err(call.takes("a rank of at least the tuple's"));
        }
        if rank == Some(1) && !matches!(value, Value::Tuple(_)) {
            return Ok(value.clone());
        }
        while items.len() < wanted {
            let place = if at_end { items.len() } else { 0 };
            items.insert(place, added.clone());
        }
        return Ok(Value::Tuple(items));
    }
    let added = match call.args.get(1) {
        Some(Value::Underscore | Value::Int(_)) if rank == Some(1) => return Ok(value.clone()),
        // A value that is not a layout makes a tuple of both, the layout as one element of it.
        Some(other @ (Value::Underscore | Value::Int(_))) => {
            let mut items = vec![other.clone(); rank.unwrap_or(2).saturating_sub(1)];
            let place = if at_end { 0 } else { items.len() };
            items.insert(place, value.clone());
            return Ok(Value::Tuple(items));
        }
        // So does a layout beside a tensor or a layout with a swizzle.
        Some(other)
            if rank.is_none()
                && !call.surroundings.is_of_dsl
                && !matches!(value, Value::Layout(_)) =>
        {
            let mut both = vec![value.clone(), other.clone()];
            if !at_end {
                both.reverse();
            }
            return Ok(Value::Tuple(both));
        }
        Some(_) => call.layout(1)?,
        None => Layout::unit(),
    };
    on_modes(value, |layout| {
        let wanted = rank.unwrap_or(layout.rank() + 1);
        Ok(if at_end {
            ops::append_to_rank(layout, wanted, &added)?
        } else {
            ops::prepend_to_rank(layout, wanted, &added)?
        })
    })
}

fn replace(call: &Call<'_>) -> Evaluated {
    let &[index] = call.indices()?.as_slice() else {
        return Err(call.takes("one mode"));
    };
    let value = call.arg(0)?;
    if is_tuple(value) {
        let mut items = items_of(value)?;
        let new = call.arg(1)?.clone();
        return match items.get_mut(index) {
            Some(slot) => {
                *slot = new;
                Ok(Value::Tuple(items))
            }
            None => Err(call.takes("a mode within the rank")),
        };
    }
    // CuTe knows neither a tensor nor a layout with a swizzle as a tuple here.
    if !call.surroundings.is_of_dsl && !matches!(value, Value::Layout(_)) {
        return match index {
            0 => call.arg(1).cloned(),
            _ => Err(call.takes("a tuple or a layout")),
        };
    }
    let new = call.layout(1)?;
    on_modes(value, |layout| Ok(ops::replace(layout, index, &new)?))
}

fn repeat(call: &Call<'_>) -> Evaluated {
    let &[count] = call.indices()?.as_slice() else {
        return Err(call.takes("a count as template argument"));
    };
    let value = call.arg(0)?.clone();
    Ok(match count {
        1 => value,
        _ => Room::repeated(&[value], count),
    })
}

fn tuple_cat(call: &Call<'_>) -> Evaluated {
    let mut items = Vec::new();
    for index in 0..call.args.len() {
        match call.arg(index)? {
            Value::Tuple(more) => items.extend(more.iter().cloned()),
            _ => return Err(call.takes("tuples")),
        }
    }
    Ok(Value::Tuple(items))
}

fn reverse(call: &Call<'_>) -> Evaluated {
    match call.arg(0)? {
        Value::Tuple(items) => Ok(Value::Tuple(items.iter().rev().cloned().collect())),
        // A value that is not a tuple stays.
        number @ Value::Int(_) => Ok(number.clone()),
        _ => Err(call.takes("a tuple or an integer")),
    }
}

fn unwrap(call: &Call<'_>) -> Evaluated {
    let mut value = call.arg(0)?;
    while let Value::Tuple(items) = value
        && let [only] = items.as_slice()
    {
        value = only;
    }
    decided(value.open_parameter())?;
    Ok(value.clone())
}

fn wrap(call: &Call<'_>) -> Evaluated {
    Ok(Value::Tuple(items_of(call.arg(0)?)?))
}

/// `make_int_sequence<3>`-like values are not tuples of CuTe; `declval<T>()` is a value of T.
fn declval(call: &Call<'_>) -> Evaluated {
    match call.targs {
        [Value::Type(ty)] => match &**ty {
            Type::Of(value) => Ok((**value).clone()),
            Type::Scalar(scalar) if scalar.is_integer() || scalar.class == ScalarClass::Char => {
                Ok(Value::Int(Int::symbol("declval")))
            }
            Type::Scalar(scalar) if scalar.class == ScalarClass::Float => {
                Ok(Value::Number(*scalar))
            }
            Type::Pointer(element) => {
                Ok(Value::Pointer(Pointer::generic(Some((**element).clone()))))
            }
            Type::Array(element, length) => {
                let element = Some((**element).clone());
                Ok(Value::Pointer(Pointer::array(element, *length)))
            }
            Type::Record(_) => Ok(Value::Instance(ty.clone())),
            _ => Err(call.not_evaluated()),
        },
        [Value::Unknown(reason)] => Err(Problem::Unknown(reason.clone())),
        _ => Err(call.takes("a type as template argument")),
    }
}

/// `make_int_tuple<N>(t, n, init)`: the first `n` elements of `t`, then `init`; they are known only at run time.
fn make_int_tuple(call: &Call<'_>) -> Evaluated {
    let &[count] = call.indices()?.as_slice() else {
        return Err(call.takes("a count as template argument"));
    };
    let element = Value::Unknown(Reason::RunTime("an element of an array".into()));
    match count {
        0 => Err(call.takes("a count of at least 1")),
        1 => Ok(element),
        _ => Ok(Value::Tuple(vec![element; count])),
    }
}

fn make_basis(call: &Call<'_>) -> Evaluated {
    let shape = call.shape(0)?;
    Ok(Value::of_stride(&ops::make_basis_like(&shape)?))
}

pub(super) const FUNCTIONS: &[Function] = &[
    lenient(
        "make_tuple",
        "tuple make_tuple(x...)",
        "a tuple of its arguments",
        make_tuple,
    )
    .takes(&["x..."])
    .header(Header::Cute("container/tuple.hpp")),
    lenient(
        "make_int_tuple",
        "IntTuple make_int_tuple<N>(t, n, init)",
        "the first n elements of t, and init for the others of N",
        make_int_tuple,
    )
    .takes(&["t", "n", "init"])
    .header(Header::Cute("int_tuple.hpp")),
    lenient("make_shape", "Shape make_shape(...)", "a shape", make_tuple)
        .takes(&["..."])
        .section("§2.2")
        .header(Header::Cute("layout.hpp")),
    lenient(
        "make_stride",
        "Stride make_stride(...)",
        "a stride",
        make_tuple,
    )
    .takes(&["..."])
    .section("§2.3")
    .header(Header::Cute("layout.hpp")),
    lenient(
        "make_coord",
        "Coord make_coord(...)",
        "a coordinate",
        make_tuple,
    )
    .takes(&["..."])
    .section("§2.2.2")
    .header(Header::Cute("layout.hpp")),
    lenient(
        "make_tile",
        "Tile make_tile(...)",
        "a tiler by mode",
        make_tuple,
    )
    .takes(&["..."])
    .section("§3.3.5")
    .header(Header::Cute("layout.hpp")),
    lenient(
        "make_step",
        "Step make_step(s...)",
        "a projection: `X` leaves a mode out",
        make_tuple,
    )
    .takes(&["s..."])
    .header(Header::Cute("layout.hpp")),
    lenient(
        "make_arithmetic_tuple",
        "ArithmeticTuple make_arithmetic_tuple(x...)",
        "a tuple that adds by element",
        make_tuple,
    )
    .takes(&["x..."])
    .header(Header::Cute("numeric/arithmetic_tuple.hpp")),
    lenient("get", "auto get<I...>(x)", "one mode", get)
        .takes(&["x"])
        .header(Header::Cute("int_tuple.hpp"))
        .makes(Makes::Argument)
        .asked(answers(2, 2, questions::modes::get))
        .python(&[python_words::word("get", python_words::OF_MODES)])
        .assembled(),
    lenient(
        "select",
        "auto select<I...>(layout)",
        "some modes, in the given order",
        select,
    )
    .takes(&["layout"])
    .header(Header::Cute("layout.hpp"))
    .makes(Makes::Argument)
    .asked(answers(2, usize::MAX, questions::modes::select).of_tensor(OfTensor::Changed))
    .python(&[python_words::word("select", python_words::OF_MODES)])
    .assembled(),
    lenient("take", "auto take<B,E>(layout)", "modes B to E-1", take)
        .takes(&["layout"])
        .header(Header::Cute("layout.hpp"))
        .makes(Makes::Argument)
        .asked(answers(3, 3, questions::modes::take).of_tensor(OfTensor::Changed))
        .assembled(),
    lenient(
        "group",
        "auto group<B,E>(x)",
        "a range of modes becomes one mode",
        group_of_tuple,
    )
    .takes(&["x"])
    .header(Header::Cute("algorithm/tuple_algorithms.hpp"))
    .makes(Makes::Argument)
    .asked(answers(3, 3, questions::modes::group).of_tensor(OfTensor::Changed))
    .assembled(),
    lenient(
        "group_modes",
        "auto group_modes<B,E>(layout)",
        "modes B to E-1 as one nested mode",
        group,
    )
    .takes(&["layout"])
    .header(Header::Cute("tensor_impl.hpp"))
    .makes(Makes::Argument)
    .asked(answers(3, 3, questions::modes::group).of_tensor(OfTensor::Changed))
    .assembled(),
    lenient(
        "flatten",
        "auto flatten(layout)",
        "the same leaves without hierarchy",
        flatten,
    )
    .takes(&["layout"])
    .section("§2.1")
    .rust(&["cute_algebra"])
    .header(Header::Cute("layout.hpp"))
    .makes(Makes::Argument)
    .asked(answers(1, 1, questions::modes::flatten).of_tensor(OfTensor::Changed))
    .python(&[python_words::word("flatten", python_words::UNARY)])
    .assembled(),
    lenient(
        "append",
        "auto append<N>(x, y)",
        "a mode after the last one; up to a rank, modes 1:0",
        append,
    )
    .takes(&["x", "y"])
    .header(Header::Cute("algorithm/tuple_algorithms.hpp"))
    .makes(Makes::Argument)
    .asked(answers(1, 2, questions::modes::append))
    .python(&[python_words::word("append", python_words::TILER_TO_RANK)
        .on_objects("input elem= up_to_rank=")])
    .assembled(),
    lenient(
        "prepend",
        "auto prepend<N>(x, y)",
        "a mode before the first one; up to a rank, modes 1:0",
        prepend,
    )
    .takes(&["x", "y"])
    .header(Header::Cute("algorithm/tuple_algorithms.hpp"))
    .makes(Makes::Argument)
    .asked(answers(1, 2, questions::modes::prepend))
    .python(&[python_words::word("prepend", python_words::TILER_TO_RANK)
        .on_objects("input elem= up_to_rank=")])
    .assembled(),
    entry(
        "replace",
        "auto replace<I>(x, y)",
        "one mode replaced",
        replace,
    )
    .takes(&["x", "y"])
    .header(Header::Cute("algorithm/tuple_algorithms.hpp"))
    .asked(answers(3, 3, questions::modes::replace)),
    entry(
        "repeat",
        "auto repeat<N>(x)",
        "a tuple of N times x",
        repeat,
    )
    .takes(&["x"])
    .header(Header::Cute("algorithm/tuple_algorithms.hpp")),
    entry(
        "tuple_cat",
        "auto tuple_cat(t...)",
        "one tuple of the elements of all",
        tuple_cat,
    )
    .takes(&["t..."])
    .header(Header::Cute("algorithm/tuple_algorithms.hpp")),
    entry(
        "reverse",
        "auto reverse(t)",
        "the elements from the last to the first",
        reverse,
    )
    .takes(&["t"])
    .header(Header::Cute("algorithm/tuple_algorithms.hpp")),
    entry(
        "unwrap",
        "auto unwrap(t)",
        "the only element of tuples of one",
        unwrap,
    )
    .takes(&["t"])
    .header(Header::Cute("algorithm/tuple_algorithms.hpp"))
    .makes(Makes::Argument)
    .assembled(),
    entry(
        "wrap",
        "auto wrap(x)",
        "a tuple of x unless it is one",
        wrap,
    )
    .takes(&["x"])
    .header(Header::Cute("algorithm/tuple_algorithms.hpp")),
    lenient(
        "declval",
        "T declval<T>()",
        "a value of a type, for `decltype`",
        declval,
    )
    .header(Header::Cute("util/type_traits.hpp")),
    entry(
        "make_basis_like",
        "auto make_basis_like(shape)",
        "the unit stride of each mode of a shape",
        make_basis,
    )
    .takes(&["shape"])
    .header(Header::Cute("numeric/arithmetic_tuple.hpp"))
    .asked(answers(1, 1, questions::layouts::make_basis_like)),
];
