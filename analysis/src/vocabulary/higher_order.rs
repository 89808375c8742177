//! Functions that call a function given to them. The interpreter calls it; here are their names.

use super::{Answer, Call, Function, lenient};

fn by_interpreter(call: &Call<'_>) -> Answer {
    Err(call.not_evaluated())
}

pub(super) const FUNCTIONS: &[Function] = &[
    lenient(
        "transform",
        "auto transform(t, f)",
        "The tuple of f of each element; a tensor is changed in place.",
        by_interpreter,
    ),
    lenient(
        "transform_layout",
        "Layout transform_layout(t, f)",
        "The layout whose modes are f of each element.",
        by_interpreter,
    ),
    lenient(
        "transform_leaf",
        "auto transform_leaf(t, f)",
        "The profile of t with f of each leaf.",
        by_interpreter,
    ),
    lenient(
        "transform_apply",
        "auto transform_apply(t, f, g)",
        "g of f of each element.",
        by_interpreter,
    ),
    lenient(
        "filter_tuple",
        "auto filter_tuple(t, f)",
        "The tuples that f makes of each element, as one.",
        by_interpreter,
    ),
    lenient(
        "for_each",
        "void for_each(t, f)",
        "Calls f with each element.",
        by_interpreter,
    ),
    lenient(
        "for_each_leaf",
        "void for_each_leaf(t, f)",
        "Calls f with each leaf.",
        by_interpreter,
    ),
    lenient(
        "fold",
        "auto fold(t, v, f)",
        "f(...f(f(v, t0), t1)..., tn).",
        by_interpreter,
    ),
    lenient(
        "fold_first",
        "auto fold_first(t, f)",
        "The fold that begins with the first element.",
        by_interpreter,
    ),
    lenient(
        "apply",
        "auto apply(t, f)",
        "f of the elements as its arguments.",
        by_interpreter,
    ),
    lenient(
        "any_of",
        "bool any_of(t, f)",
        "Whether f holds of an element.",
        by_interpreter,
    ),
    lenient(
        "all_of",
        "bool all_of(t, f)",
        "Whether f holds of every element.",
        by_interpreter,
    ),
    lenient(
        "none_of",
        "bool none_of(t, f)",
        "Whether f holds of no element.",
        by_interpreter,
    ),
    lenient(
        "find_if",
        "auto find_if(t, f)",
        "The index of the first element of which f holds, else the rank.",
        by_interpreter,
    ),
];
