//! Tuples as a whole: comparing, replacing, zipping, slicing; and numbers of their leaves.

use cute_algebra::{Int, IntTuple, Layout, ops};

use super::tuples::decided;
use super::{Call, Evaluated, Function, Header, Problem, entry, lenient, python_words};
use crate::questions;
use crate::questions::answers;
use crate::reason::Reason;
use crate::value::{Truth, Value};

fn items<'v>(call: &Call<'_>, value: &'v Value) -> Result<&'v [Value], Problem> {
    match value {
        Value::Tuple(items) | Value::Pack(items) => Ok(items),
        Value::Unknown(reason) => Err(Problem::Unknown(reason.clone())),
        _ => Err(call.takes("a tuple")),
    }
}

fn front(call: &Call<'_>) -> Evaluated {
    outermost(call, <[Value]>::first)
}

fn back(call: &Call<'_>) -> Evaluated {
    outermost(call, <[Value]>::last)
}

/// The element of a tuple, of that element, and so on, down to a leaf.
fn outermost(call: &Call<'_>, element: fn(&[Value]) -> Option<&Value>) -> Evaluated {
    let mut found = call.arg(0)?;
    while let Value::Tuple(items) = found {
        found = element(items).ok_or_else(|| call.takes("an element"))?;
    }
    Ok(found.clone())
}

fn one_index(call: &Call<'_>) -> Result<usize, Problem> {
    match call.indices()?.as_slice() {
        [index] => Ok(*index),
        _ => Err(call.takes("one index")),
    }
}

fn remove(call: &Call<'_>) -> Evaluated {
    let mut kept = items(call, call.arg(0)?)?.to_vec();
    let index = one_index(call)?;
    if index > kept.len() {
        return Err(call.takes("an index within the rank"));
    }
    // Behind the last element there is nothing to remove.
    if index < kept.len() {
        kept.remove(index);
    }
    Ok(Value::Tuple(kept))
}

fn insert(call: &Call<'_>) -> Evaluated {
    let mut all = items(call, call.arg(0)?)?.to_vec();
    let index = one_index(call)?;
    if index > all.len() {
        return Err(call.takes("an index within the rank"));
    }
    all.insert(index, call.arg(1)?.clone());
    Ok(Value::Tuple(all))
}

fn replace_front(call: &Call<'_>) -> Evaluated {
    replaced(call, <[Value]>::first_mut)
}

fn replace_back(call: &Call<'_>) -> Evaluated {
    replaced(call, <[Value]>::last_mut)
}

fn replaced(call: &Call<'_>, place: fn(&mut [Value]) -> Option<&mut Value>) -> Evaluated {
    let new = call.arg(1)?.clone();
    match call.arg(0)? {
        Value::Tuple(items) => {
            let mut items = items.clone();
            if let Some(slot) = place(&mut items) {
                *slot = new;
            }
            Ok(Value::Tuple(items))
        }
        _ => Ok(new),
    }
}

fn repeat_like(call: &Call<'_>) -> Evaluated {
    fn like(guide: &Value, x: &Value) -> Value {
        match guide {
            Value::Tuple(items) => Value::Tuple(items.iter().map(|item| like(item, x)).collect()),
            _ => x.clone(),
        }
    }
    let guide = call.arg(0)?;
    decided(guide.open_leaf())?;
    Ok(like(guide, call.arg(1)?))
}

fn product_like(call: &Call<'_>) -> Evaluated {
    fn like(call: &Call<'_>, value: &Value, guide: &Value) -> Evaluated {
        match (value, guide) {
            (Value::Tuple(items), Value::Tuple(guides)) if items.len() == guides.len() => items
                .iter()
                .zip(guides)
                .map(|(item, guide)| like(call, item, guide))
                .collect::<Result<_, _>>()
                .map(Value::Tuple),
            (_, Value::Tuple(_)) => Err(call.takes("a tuple of the profile of its guide")),
            (value, _) => {
                let shape = value
                    .to_shape()
                    .ok_or_else(|| call.takes("a tuple of integers"))?;
                Ok(Value::Int(shape.size()?))
            }
        }
    }
    let guide = call.arg(1)?;
    decided(guide.open_leaf())?;
    like(call, call.arg(0)?, guide)
}

/// `zip(t0, t1, ...)`, `zip((t0, t1, ...))`: tuples of the elements at one place.
fn zip(call: &Call<'_>) -> Evaluated {
    if let [Value::Layout(a), Value::Layout(b)] = call.args {
        return Ok(Value::from(ops::zip::zip(a, b)?));
    }
    if let [Value::Layout(layout)] = call.args {
        let layout = Layout::clone(layout);
        let part = |part: Value| zip(&Call::new("zip", &[], &[part]));
        let shape = part(Value::of_shape(&layout.shape()))?;
        let stride = part(Value::of_stride(&layout.stride()))?;
        return super::layouts::layout_of(&shape, &stride);
    }
    let rows: Vec<&[Value]> = match call.args {
        [all] => items(call, all)?
            .iter()
            .map(|row| items(call, row))
            .collect::<Result<_, _>>()?,
        several => several
            .iter()
            .map(|row| items(call, row))
            .collect::<Result<_, _>>()?,
    };
    let rank = rows.first().map_or(0, |row| row.len());
    if rows.iter().any(|row| row.len() != rank) {
        return Err(call.takes("tuples of one rank"));
    }
    let column = |index: usize| {
        Value::Tuple(
            rows.iter()
                .filter_map(|row| row.get(index).cloned())
                .collect(),
        )
    };
    Ok(Value::Tuple((0..rank).map(column).collect()))
}

/// The elements and the other operand are constants: their comparison decides at compile time.
fn find(call: &Call<'_>) -> Evaluated {
    let (tuple, wanted) = (call.arg(0)?, call.arg(1)?);
    decided(tuple.open_leaf())?;
    let elements = match tuple {
        Value::Tuple(items) => items.as_slice(),
        one => std::slice::from_ref(one),
    };
    let wanted = wanted.as_int().and_then(Int::as_static);
    let constant = |value: &Value| value.as_int().and_then(Int::as_static);
    let known: Option<Vec<i64>> = elements.iter().map(constant).collect();
    let (Some(wanted), Some(known)) = (wanted, known) else {
        return Err(call.takes("a tuple of constants and a constant"));
    };
    let index = known.iter().position(|element| *element == wanted);
    let index = i64::try_from(index.unwrap_or(known.len())).unwrap_or(i64::MAX);
    Ok(Value::Int(Int::fixed(index)))
}

fn flatten_to_tuple(call: &Call<'_>) -> Evaluated {
    fn into(value: &Value, flat: &mut Vec<Value>) {
        match value {
            Value::Tuple(items) => items.iter().for_each(|item| into(item, flat)),
            leaf => flat.push(leaf.clone()),
        }
    }
    let value = call.arg(0)?;
    decided(value.open_leaf())?;
    let mut flat = Vec::new();
    into(value, &mut flat);
    Ok(Value::Tuple(flat))
}

fn unflatten(call: &Call<'_>) -> Evaluated {
    fn shaped<'v>(profile: &Value, leaves: &mut impl Iterator<Item = &'v Value>) -> Option<Value> {
        match profile {
            Value::Tuple(items) => items
                .iter()
                .map(|item| shaped(item, leaves))
                .collect::<Option<_>>()
                .map(Value::Tuple),
            _ => leaves.next().cloned(),
        }
    }
    let flat = items(call, call.arg(0)?)?;
    shaped(call.arg(1)?, &mut flat.iter()).ok_or_else(|| call.takes("as many elements as leaves"))
}

fn ints(call: &Call<'_>, index: usize) -> Result<IntTuple, Problem> {
    call.shape(index)
}

fn sum(call: &Call<'_>) -> Evaluated {
    let tuple = ints(call, 0)?;
    let mut all = Int::ZERO;
    for leaf in tuple.leaves() {
        all = all.add(leaf)?;
    }
    Ok(Value::Int(all))
}

fn inner_product(call: &Call<'_>) -> Evaluated {
    let (a, b) = (ints(call, 0)?, ints(call, 1)?);
    if !a.is_congruent(&b) {
        return Err(call.takes("tuples of one profile"));
    }
    let mut all = Int::ZERO;
    for (x, y) in a.leaves().iter().zip(b.leaves()) {
        all = all.add(&x.mul(y)?)?;
    }
    Ok(Value::Int(all))
}

/// Whether every element of argument `a` is less than that of argument `b`; decided where all
/// numbers are known. As in CuTe the other comparisons are this one with its arguments exchanged,
/// its result negated, or both.
fn elementwise(call: &Call<'_>, a: usize, b: usize) -> Result<Truth, Problem> {
    let (a, b) = (call.arg(a)?, call.arg(b)?);
    let fixed = a.is_static() && b.is_static();
    let run_time = || Problem::Unknown(Reason::RunTime("this condition".into()));
    let (Some(x), Some(y)) = (a.to_shape(), b.to_shape()) else {
        return Err(run_time());
    };
    if !x.is_congruent(&y) {
        return Err(call.takes("coordinates of one profile"));
    }
    let mut value = true;
    for (x, y) in x.leaves().iter().zip(y.leaves()) {
        let (Some(x), Some(y)) = (x.value(), y.value()) else {
            return Err(run_time());
        };
        value &= x < y;
    }
    Ok(Truth { value, fixed })
}

fn elem_less(call: &Call<'_>) -> Evaluated {
    Ok(Value::Bool(elementwise(call, 0, 1)?))
}

fn elem_leq(call: &Call<'_>) -> Evaluated {
    Ok(Value::Bool(elementwise(call, 1, 0)?.not()))
}

fn elem_gtr(call: &Call<'_>) -> Evaluated {
    Ok(Value::Bool(elementwise(call, 1, 0)?))
}

fn elem_geq(call: &Call<'_>) -> Evaluated {
    Ok(Value::Bool(elementwise(call, 0, 1)?.not()))
}

/// The parts of a tuple where a coordinate has `_` (`kept`), or where it has none.
fn chosen(
    call: &Call<'_>,
    coord: &Value,
    value: &Value,
    kept: bool,
) -> Result<Vec<Value>, Problem> {
    match coord {
        Value::Tuple(coords) => {
            let values = items(call, value)?;
            if values.len() != coords.len() {
                return Err(call.takes("a coordinate of the same rank"));
            }
            let mut parts = Vec::new();
            for (coord, value) in coords.iter().zip(values) {
                parts.extend(chosen(call, coord, value, kept)?);
            }
            Ok(parts)
        }
        Value::Underscore if kept => Ok(vec![value.clone()]),
        Value::Underscore => Ok(Vec::new()),
        _ if kept => Ok(Vec::new()),
        _ => Ok(vec![value.clone()]),
    }
}

/// `slice(coord, tuple)`.
pub(super) fn slice_tuple(call: &Call<'_>, coord: &Value, value: &Value) -> Evaluated {
    match coord {
        Value::Underscore => Ok(value.clone()),
        coord => chosen(call, coord, value, true).map(Value::Tuple),
    }
}

/// `dice(coord, x)`: the modes that `slice` leaves out.
fn dice(call: &Call<'_>) -> Evaluated {
    let coord = call.arg(0)?;
    match (coord, call.arg(1)?) {
        (Value::Tuple(_), value @ Value::Tuple(_)) => {
            chosen(call, coord, value, false).map(Value::Tuple)
        }
        (coord, Value::Layout(layout)) => {
            let coord = coord.to_coord().ok_or_else(|| call.takes("a coordinate"))?;
            Ok(Value::from(ops::dice(&coord, layout)?))
        }
        (Value::Underscore, _) => Ok(Value::Tuple(Vec::new())),
        (Value::Int(_), value) => Ok(value.clone()),
        _ => Err(call.not_evaluated()),
    }
}

fn compact_order(call: &Call<'_>) -> Evaluated {
    let layout = ops::make_ordered_layout(&call.shape(0)?, &call.shape(1)?)?;
    Ok(Value::of_stride(&layout.stride()))
}

/// `conditional_return<B>(a, b)`, `conditional_return(b, x, y)`.
fn conditional_return(call: &Call<'_>) -> Evaluated {
    let (([condition], [then, otherwise]) | ([], [condition, then, otherwise])) =
        (call.targs, call.args)
    else {
        return Err(call.takes("a condition and two values"));
    };
    let decided = match condition {
        Value::Unknown(reason) => return Err(Problem::Unknown(reason.clone())),
        Value::Type(_) => super::names::argument(condition)?.as_truth(),
        other => other.as_truth(),
    };
    let value = match decided {
        Some(true) => then,
        Some(false) => otherwise,
        None if then == otherwise => then,
        None => {
            return Err(Problem::Unknown(Reason::RunTime(
                "the side that is returned".into(),
            )));
        }
    };
    match value {
        Value::Unknown(reason) => Err(Problem::Unknown(reason.clone())),
        value => Ok(value.clone()),
    }
}

pub(super) const FUNCTIONS: &[Function] = &[
    lenient("front", "auto front(t)", "the first leaf", front)
        .takes(&["t"])
        .header(Header::Cute("algorithm/tuple_algorithms.hpp")),
    lenient("back", "auto back(t)", "the last leaf", back)
        .takes(&["t"])
        .header(Header::Cute("algorithm/tuple_algorithms.hpp")),
    lenient(
        "remove",
        "auto remove<I>(t)",
        "the tuple without element I",
        remove,
    )
    .takes(&["t"])
    .header(Header::Cute("algorithm/tuple_algorithms.hpp")),
    lenient(
        "insert",
        "auto insert<I>(t, x)",
        "the tuple with x before element I",
        insert,
    )
    .takes(&["t", "x"])
    .header(Header::Cute("algorithm/tuple_algorithms.hpp")),
    lenient(
        "replace_front",
        "auto replace_front(t, x)",
        "replaces the first element by x",
        replace_front,
    )
    .takes(&["t", "x"])
    .header(Header::Cute("algorithm/tuple_algorithms.hpp")),
    lenient(
        "replace_back",
        "auto replace_back(t, x)",
        "replaces the last element by x",
        replace_back,
    )
    .takes(&["t", "x"])
    .header(Header::Cute("algorithm/tuple_algorithms.hpp")),
    entry(
        "repeat_like",
        "auto repeat_like(t, x)",
        "the profile of t with x in every leaf",
        repeat_like,
    )
    .takes(&["t", "x"])
    .header(Header::Cute("algorithm/tuple_algorithms.hpp")),
    entry(
        "product_like",
        "auto product_like(t, guide)",
        "the size of each part that the guide names",
        product_like,
    )
    .takes(&["t", "guide"])
    .header(Header::Cute("int_tuple.hpp"))
    .asked(answers(2, 2, questions::shapes::product_like)),
    lenient(
        "zip",
        "auto zip(t...)",
        "tuples of the elements at one place",
        zip,
    )
    .takes(&["t..."])
    .header(Header::Cute("algorithm/tuple_algorithms.hpp"))
    .asked(answers(2, 2, questions::modes::zip)),
    lenient(
        "find",
        "auto find(t, x)",
        "the index of the first element that equals x, else the rank",
        find,
    )
    .takes(&["t", "x"])
    .header(Header::Cute("algorithm/tuple_algorithms.hpp")),
    lenient(
        "flatten_to_tuple",
        "auto flatten_to_tuple(x)",
        "the leaves, as a tuple even of one",
        flatten_to_tuple,
    )
    .takes(&["x"])
    .header(Header::Cute("algorithm/tuple_algorithms.hpp")),
    entry(
        "unflatten",
        "auto unflatten(flat, profile)",
        "the elements in the profile of another tuple",
        unflatten,
    )
    .takes(&["flat", "profile"])
    .header(Header::Cute("algorithm/tuple_algorithms.hpp"))
    .asked(answers(2, 2, questions::modes::unflatten)),
    entry("sum", "auto sum(t)", "the sum of all integers", sum)
        .takes(&["t"])
        .header(Header::Cute("int_tuple.hpp")),
    entry(
        "inner_product",
        "auto inner_product(a, b)",
        "the sum of the products of the leaves",
        inner_product,
    )
    .takes(&["a", "b"])
    .header(Header::Cute("int_tuple.hpp")),
    entry(
        "elem_less",
        "bool elem_less(a, b)",
        "whether every element is less",
        elem_less,
    )
    .takes(&["a", "b"])
    .header(Header::Cute("int_tuple.hpp"))
    .python(&[python_words::on_objects(
        "cutlass.cute",
        "elem_less",
        "lhs rhs",
    )]),
    entry(
        "elem_leq",
        "bool elem_leq(a, b)",
        "whether not every element is greater",
        elem_leq,
    )
    .takes(&["a", "b"])
    .header(Header::Cute("int_tuple.hpp")),
    entry(
        "elem_gtr",
        "bool elem_gtr(a, b)",
        "whether every element is greater",
        elem_gtr,
    )
    .takes(&["a", "b"])
    .header(Header::Cute("int_tuple.hpp")),
    entry(
        "elem_geq",
        "bool elem_geq(a, b)",
        "whether not every element is less",
        elem_geq,
    )
    .takes(&["a", "b"])
    .header(Header::Cute("int_tuple.hpp")),
    lenient(
        "dice",
        "auto dice(coord, x)",
        "the modes that the coordinate does not keep with _",
        dice,
    )
    .takes(&["coord", "x"])
    .header(Header::Cute("underscore.hpp"))
    .asked(answers(2, 2, questions::coordinates::dice)),
    entry(
        "compact_order",
        "Stride compact_order(shape, order)",
        "compact strides that grow in the given order",
        compact_order,
    )
    .takes(&["shape", "order"])
    .header(Header::Cute("stride.hpp")),
    lenient(
        "conditional_return",
        "auto conditional_return<B>(a, b)",
        "the first value if B, else the second",
        conditional_return,
    )
    .takes(&["a", "b"])
    .header(Header::Cute("numeric/integral_constant.hpp")),
];
