//! Functions that call a function given to them. The interpreter calls it; here are their names.

use super::{Call, Evaluated, Function, Header, lenient};

fn by_interpreter(call: &Call<'_>) -> Evaluated {
    Err(call.not_evaluated())
}

pub(super) const FUNCTIONS: &[Function] = &[
    lenient(
        "transform",
        "auto transform(t, f)",
        "the tuple of f of each element; a tensor is changed in place",
        by_interpreter,
    )
    .takes(&["t", "f"])
    .header(Header::Cute("algorithm/tuple_algorithms.hpp")),
    lenient(
        "transform_layout",
        "Layout transform_layout(t, f)",
        "the layout whose modes are f of each element",
        by_interpreter,
    )
    .takes(&["t", "f"])
    .header(Header::Cute("layout.hpp")),
    lenient(
        "transform_leaf",
        "auto transform_leaf(t, f)",
        "the profile of t with f of each leaf",
        by_interpreter,
    )
    .takes(&["t", "f"])
    .header(Header::Cute("algorithm/tuple_algorithms.hpp")),
    lenient(
        "transform_apply",
        "auto transform_apply(t, f, g)",
        "g of f of each element",
        by_interpreter,
    )
    .takes(&["t", "f", "g"])
    .header(Header::Cute("algorithm/tuple_algorithms.hpp")),
    lenient(
        "filter_tuple",
        "auto filter_tuple(t, f)",
        "the tuples that f makes of each element, as one",
        by_interpreter,
    )
    .takes(&["t", "f"])
    .header(Header::Cute("algorithm/tuple_algorithms.hpp")),
    lenient(
        "for_each",
        "void for_each(t, f)",
        "calls f with each element",
        by_interpreter,
    )
    .takes(&["t", "f"])
    .header(Header::Cute("algorithm/tuple_algorithms.hpp")),
    lenient(
        "for_each_leaf",
        "void for_each_leaf(t, f)",
        "calls f with each leaf",
        by_interpreter,
    )
    .takes(&["t", "f"])
    .header(Header::Cute("algorithm/tuple_algorithms.hpp")),
    lenient(
        "fold",
        "auto fold(t, v, f)",
        "f(...f(f(v, t0), t1)..., tn)",
        by_interpreter,
    )
    .takes(&["t", "v", "f"])
    .header(Header::Cute("algorithm/tuple_algorithms.hpp")),
    lenient(
        "fold_first",
        "auto fold_first(t, f)",
        "the fold that begins with the first element",
        by_interpreter,
    )
    .takes(&["t", "f"])
    .header(Header::Cute("algorithm/tuple_algorithms.hpp")),
    lenient(
        "apply",
        "auto apply(t, f)",
        "f of the elements as its arguments",
        by_interpreter,
    )
    .takes(&["t", "f"])
    .header(Header::Cute("algorithm/tuple_algorithms.hpp")),
    lenient(
        "any_of",
        "bool any_of(t, f)",
        "whether f holds of an element",
        by_interpreter,
    )
    .takes(&["t", "f"])
    .header(Header::Cute("algorithm/tuple_algorithms.hpp")),
    lenient(
        "all_of",
        "bool all_of(t, f)",
        "whether f holds of every element",
        by_interpreter,
    )
    .takes(&["t", "f"])
    .header(Header::Cute("algorithm/tuple_algorithms.hpp")),
    lenient(
        "none_of",
        "bool none_of(t, f)",
        "whether f holds of no element",
        by_interpreter,
    )
    .takes(&["t", "f"])
    .header(Header::Cute("algorithm/tuple_algorithms.hpp")),
    lenient(
        "find_if",
        "auto find_if(t, f)",
        "the index of the first element of which f holds, else the rank",
        by_interpreter,
    )
    .takes(&["t", "f"])
    .header(Header::Cute("algorithm/tuple_algorithms.hpp")),
];
