//! Our own crate: its macros, constructors and operations. The operations have CuTe's names; those that C++ overloads
//! have different names.

use super::super::{Call, Evaluated, Function, entry, lenient};
use super::{Library, call_cute, to_static};
use crate::value::{Order, Value};

fn composition(call: &Call<'_>) -> Evaluated {
    call_cute(call, "composition", &[], call.args)
}

fn coalesce(call: &Call<'_>) -> Evaluated {
    call_cute(call, "coalesce", &[], call.args)
}

fn complement(call: &Call<'_>) -> Evaluated {
    call_cute(call, "complement", &[], call.args)
}

fn filter(call: &Call<'_>) -> Evaluated {
    call_cute(call, "filter", &[], call.args)
}

fn filter_zeros(call: &Call<'_>) -> Evaluated {
    call_cute(call, "filter_zeros", &[], call.args)
}

/// `name(layout, a, b)` is CuTe's `name<a, b>(layout)`.
fn with_constants(call: &Call<'_>, name: &str) -> Evaluated {
    match call.args {
        [layout, Value::Tuple(constants)] => {
            call_cute(call, name, constants, std::slice::from_ref(layout))
        }
        [layout, constants @ ..] => call_cute(call, name, constants, std::slice::from_ref(layout)),
        [] => Err(call.takes("a layout")),
    }
}

fn take(call: &Call<'_>) -> Evaluated {
    with_constants(call, "take")
}

fn group(call: &Call<'_>) -> Evaluated {
    with_constants(call, "group")
}

fn select(call: &Call<'_>) -> Evaluated {
    with_constants(call, "select")
}

fn upcast(call: &Call<'_>) -> Evaluated {
    with_constants(call, "upcast")
}

fn downcast(call: &Call<'_>) -> Evaluated {
    with_constants(call, "downcast")
}

fn recast_layout(call: &Call<'_>) -> Evaluated {
    let bits = |index| {
        let known = call.int(index)?.value();
        known.ok_or_else(|| call.takes("known widths"))
    };
    let (old, new) = (bits(1)?, bits(2)?);
    call.on_layout(|layout| Ok(::cute_algebra::ops::swizzled::recast_any(layout, old, new)?))
}

fn compact(call: &Call<'_>, order: Order) -> Evaluated {
    super::super::layouts::layout_of(call.arg(0)?, &Value::Order(order))
}

fn new_layout(call: &Call<'_>) -> Evaluated {
    super::super::layouts::layout_of(call.arg(0)?, call.arg(1)?)
}

fn left(call: &Call<'_>) -> Evaluated {
    compact(call, Order::Left)
}

fn right(call: &Call<'_>) -> Evaluated {
    compact(call, Order::Right)
}

#[allow(clippy::unnecessary_wraps)] // The signature of all functions of the vocabulary.
fn unit(_: &Call<'_>) -> Evaluated {
    Ok(::cute_algebra::Layout::unit().into())
}

/// `Layout::concat([a.view(), b.view()])`.
fn concat(call: &Call<'_>) -> Evaluated {
    match call.arg(0)? {
        Value::Tuple(modes) => call_cute(call, "make_layout", &[], modes),
        _ => Err(call.takes("layouts")),
    }
}

fn swizzle(call: &Call<'_>) -> Evaluated {
    let constant = |index| {
        let known = call.int(index)?.value();
        known.ok_or_else(|| call.takes("three constants"))
    };
    let swizzle = ::cute_algebra::Swizzle::new(constant(0)?, constant(1)?, constant(2)?)?;
    Ok(Value::Swizzle(swizzle))
}

/// Wrappers of a value that is the same to us: `Tuple::leaf(4)`, `Tiler::Layout(a)`, `Int::fixed(4)`.
fn itself(call: &Call<'_>) -> Evaluated {
    Ok(call.arg(0)?.clone())
}

fn symbol(call: &Call<'_>) -> Evaluated {
    Err(call.not_evaluated())
}

/// `layout!(shape : stride)`; a shape alone has its leftmost mode contiguous.
fn layout_macro(call: &Call<'_>) -> Evaluated {
    match call.args {
        [layout @ (Value::Layout(_) | Value::Composed(_))] => Ok(layout.clone()),
        [shape @ (Value::Tuple(_) | Value::Int(_))] => {
            super::super::layouts::layout_of(&to_static(shape), &Value::Order(Order::Left))
        }
        _ => Err(call.takes("a shape and a stride")),
    }
}

fn one_value(call: &Call<'_>) -> Evaluated {
    match call.args {
        [value] => Ok(value.clone()),
        _ => Err(call.takes("one value")),
    }
}

const FUNCTIONS: &[Function] = &[
    entry(
        "composition_by",
        "composition_by(A, tiler)",
        "the composition mode by mode",
        composition,
    ),
    entry(
        "compose_swizzle",
        "compose_swizzle(swizzle, offset, A)",
        "a swizzle over a layout",
        composition,
    ),
    entry(
        "compose_swizzles",
        "compose_swizzles(a, b)",
        "one swizzle after another",
        composition,
    ),
    entry(
        "coalesce_by",
        "coalesce_by(A, profile)",
        "coalesced mode by mode",
        coalesce,
    ),
    entry(
        "complement_default",
        "complement_default(A)",
        "the complement in the layout's own cosize",
        complement,
    ),
    entry(
        "filter_by",
        "filter_by(A, profile)",
        "filtered mode by mode",
        filter,
    ),
    entry(
        "filter_zeros_by",
        "filter_zeros_by(A, profile)",
        "modes of stride 0 get extent 1",
        filter_zeros,
    ),
    entry("take", "take(A, begin, end)", "a range of modes", take).assembled(),
    entry(
        "group",
        "group(A, begin, end)",
        "a range of modes as one",
        group,
    )
    .assembled(),
    entry("select", "select(A, modes)", "some modes", select).assembled(),
    entry(
        "upcast",
        "upcast(A, n)",
        "the layout of elements n times as wide",
        upcast,
    )
    .by_law("downcast_then_upcast_is_the_same_function"),
    entry(
        "downcast",
        "downcast(A, n)",
        "the layout of elements n times as narrow",
        downcast,
    )
    .by_law("downcast_then_upcast_is_the_same_function"),
    entry(
        "recast_layout",
        "recast_layout(A, old, new)",
        "the layout of elements of another width",
        recast_layout,
    )
    .by_law("downcast_then_upcast_is_the_same_function"),
    entry(
        "Layout::new",
        "Layout::new(shape, stride)",
        "a layout of a shape and a stride",
        new_layout,
    ),
    entry(
        "Layout::single",
        "Layout::single(extent, stride)",
        "a layout of one mode",
        new_layout,
    ),
    entry(
        "Layout::left",
        "Layout::left(shape)",
        "a compact layout, leftmost mode contiguous",
        left,
    ),
    entry(
        "Layout::right",
        "Layout::right(shape)",
        "a compact layout, rightmost mode contiguous",
        right,
    ),
    entry(
        "Layout::unit",
        "Layout::unit()",
        "the layout of one element",
        unit,
    ),
    entry(
        "Layout::concat",
        "Layout::concat(modes)",
        "the layout of these modes",
        concat,
    ),
    entry(
        "Swizzle::new",
        "Swizzle::new(bits, base, shift)",
        "a swizzle",
        swizzle,
    ),
    entry(
        "ComposedLayout::swizzled",
        "ComposedLayout::swizzled(swizzle, A)",
        "a swizzle over a layout",
        composition,
    ),
    entry(
        "Tuple::leaf",
        "Tuple::leaf(x)",
        "a tuple of one leaf",
        itself,
    ),
    entry(
        "Tuple::flat",
        "Tuple::flat(leaves)",
        "a tuple of leaves",
        itself,
    ),
    entry(
        "Tuple::group",
        "Tuple::group(modes)",
        "a tuple of tuples",
        itself,
    ),
    entry(
        "Shape::leaf",
        "Shape::leaf(x)",
        "a shape of one extent",
        itself,
    ),
    entry(
        "Shape::flat",
        "Shape::flat(extents)",
        "a shape of extents",
        itself,
    ),
    entry(
        "Stride::leaf",
        "Stride::leaf(x)",
        "a stride of one step",
        itself,
    ),
    entry(
        "Stride::flat",
        "Stride::flat(steps)",
        "a stride of steps",
        itself,
    ),
    entry(
        "Stride::from",
        "Stride::from(shape)",
        "a stride of integers",
        itself,
    ),
    entry(
        "IntTuple::leaf",
        "IntTuple::leaf(x)",
        "an integer as a tuple",
        itself,
    ),
    entry(
        "IntTuple::flat",
        "IntTuple::flat(leaves)",
        "a tuple of integers",
        itself,
    ),
    entry("Int::fixed", "Int::fixed(n)", "a constant", itself),
    entry("Int::from", "Int::from(n)", "a constant", itself),
    entry(
        "Int::dynamic",
        "Int::dynamic(n)",
        "a run-time number",
        itself,
    ),
    lenient(
        "Int::symbol",
        "Int::symbol(name)",
        "a number that is not known",
        symbol,
    ),
    entry(
        "Delta::Int",
        "Delta::Int(n)",
        "an integer as a stride",
        itself,
    ),
    entry(
        "Delta::from",
        "Delta::from(n)",
        "an integer as a stride",
        itself,
    ),
    entry(
        "Tiler::Int",
        "Tiler::Int(n)",
        "an integer as a tiler",
        itself,
    ),
    entry(
        "Tiler::Layout",
        "Tiler::Layout(A)",
        "a layout as a tiler",
        itself,
    ),
    entry(
        "Tiler::from",
        "Tiler::from(A)",
        "a layout as a tiler",
        itself,
    ),
    entry(
        "Tiler::Modes",
        "Tiler::Modes(tilers)",
        "a tiler for each mode",
        itself,
    ),
    entry(
        "Tiler::of_shape",
        "Tiler::of_shape(shape)",
        "an extent for each mode",
        itself,
    ),
];

fn method(call: &Call<'_>, name: &str) -> Evaluated {
    call_cute(call, name, &[], call.args)
}

fn shape(call: &Call<'_>) -> Evaluated {
    method(call, "shape")
}

fn stride(call: &Call<'_>) -> Evaluated {
    method(call, "stride")
}

fn size(call: &Call<'_>) -> Evaluated {
    method(call, "size")
}

fn cosize(call: &Call<'_>) -> Evaluated {
    method(call, "cosize")
}

fn rank(call: &Call<'_>) -> Evaluated {
    method(call, "rank")
}

fn depth(call: &Call<'_>) -> Evaluated {
    method(call, "depth")
}

const METHODS: &[Function] = &[
    entry("shape", "layout.shape()", "the extents", shape),
    entry("stride", "layout.stride()", "the steps", stride),
    entry(
        "size",
        "layout.size()",
        "how many coordinates there are",
        size,
    ),
    entry(
        "cosize",
        "layout.cosize()",
        "one more than the largest offset",
        cosize,
    ),
    entry("rank", "layout.rank()", "how many modes there are", rank),
    entry("depth", "layout.depth()", "how deep the modes nest", depth),
];

pub(super) static LIBRARY: Library = Library {
    crates: &["cute_algebra"],
    types: &[],
    functions: FUNCTIONS,
    methods: METHODS,
    macros: &[
        entry(
            "layout",
            "layout!(shape : stride)",
            "a layout, checked when it is compiled",
            layout_macro,
        )
        .assembled(),
        entry(
            "shape",
            "shape!(extents)",
            "a shape, checked when it is compiled",
            one_value,
        ),
        entry(
            "stride",
            "stride!(steps)",
            "a stride, checked when it is compiled",
            one_value,
        ),
        entry(
            "tiler",
            "tiler!(<tilers>)",
            "a tiler, checked when it is compiled",
            one_value,
        ),
    ],
};
