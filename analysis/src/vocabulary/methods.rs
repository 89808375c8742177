//! Methods of layouts and tensors; the object is the first argument.

use cute_algebra::coord::{crd2idx_colex, idx2crd_stride};
use cute_algebra::{ComposedLayout, IntTuple, Outer};

use super::{Call, Evaluated, Function, Header, Makes, Problem, entry, lenient, python_words};
use crate::value::Value;

/// Calls the function of the same meaning.
fn forward(call: &Call<'_>, name: &'static str) -> Evaluated {
    match super::function(name) {
        Some(function) => {
            let mut remarks = Vec::new();
            let answer = function.call(call.targs, call.args, &mut remarks);
            for remark in remarks {
                call.remark(remark);
            }
            answer
        }
        None => Err(call.not_evaluated()),
    }
}

fn layout(call: &Call<'_>) -> Evaluated {
    forward(call, "layout")
}

fn shape(call: &Call<'_>) -> Evaluated {
    forward(call, "shape")
}

fn stride(call: &Call<'_>) -> Evaluated {
    forward(call, "stride")
}

fn size(call: &Call<'_>) -> Evaluated {
    forward(call, "size")
}

fn get(call: &Call<'_>) -> Evaluated {
    match (call.arg(0)?, call.targs) {
        // `vector.data().get()`
        (pointer @ Value::Pointer(_), []) => Ok(pointer.clone()),
        _ => forward(call, "get"),
    }
}

fn compose(call: &Call<'_>) -> Evaluated {
    match call.args {
        [_, _] => forward(call, "composition"),
        // Several arguments are one tiler.
        [object, tilers @ ..] => {
            let args = [object.clone(), Value::Tuple(tilers.to_vec())];
            match super::function("composition") {
                Some(function) => function.call(&[], &args, &mut Vec::new()),
                None => Err(call.not_evaluated()),
            }
        }
        [] => Err(call.takes("an object")),
    }
}

fn data(call: &Call<'_>) -> Evaluated {
    match call.arg(0)? {
        Value::Tensor(tensor) => Ok(Value::Pointer(tensor.engine.clone())),
        pointer @ Value::Pointer(_) => Ok(pointer.clone()),
        _ => Err(call.takes("a tensor")),
    }
}

/// A part of `a o offset o b`.
fn composed<'c>(call: &'c Call<'_>) -> Result<&'c ComposedLayout, Problem> {
    match call.arg(0)? {
        Value::Composed(composed) => Ok(composed),
        _ => Err(call.takes("a composed layout")),
    }
}

fn layout_a(call: &Call<'_>) -> Evaluated {
    if let Value::Shared(shared) = call.arg(0)? {
        return Ok(Value::Swizzle(shared.swizzle));
    }
    Ok(match &composed(call)?.outer {
        Outer::Swizzle(swizzle) => Value::Swizzle(*swizzle),
        Outer::Layout(layout) => Value::from(layout.clone()),
    })
}

fn layout_b(call: &Call<'_>) -> Evaluated {
    if let Value::Shared(shared) = call.arg(0)? {
        return Ok(shared.layout.clone().into());
    }
    Ok(Value::from(composed(call)?.inner.clone()))
}

/// The tag of a layout of shared memory is its offset.
fn offset(call: &Call<'_>) -> Evaluated {
    if let Value::Shared(shared) = call.arg(0)? {
        return Ok(super::shared::flag_of(shared));
    }
    Ok(Value::of_shape(&composed(call)?.offset))
}

/// `object.tile(tiler...)`: several arguments are one tiler.
fn tile(call: &Call<'_>) -> Evaluated {
    let (object, tiler) = match call.args {
        [object, tiler] => (object, tiler.clone()),
        [object, tilers @ ..] if !tilers.is_empty() => (object, Value::Tuple(tilers.to_vec())),
        _ => return Err(call.takes("an object and a tiler")),
    };
    match super::function("tiled_divide") {
        Some(function) => function.call(&[], &[object.clone(), tiler], &mut Vec::new()),
        None => Err(call.not_evaluated()),
    }
}

fn with_shape(call: &Call<'_>) -> Evaluated {
    let layout = call.arg(0)?;
    let shape = match call.args {
        [_, shape] => shape.clone(),
        [_, shape @ ..] => Value::Tuple(shape.to_vec()),
        [] => return Err(call.takes("a shape")),
    };
    let args = [
        layout.clone(),
        match super::layouts::layout_of(&shape, &Value::Order(crate::value::Order::Left))? {
            Value::Layout(tile) => Value::Layout(tile),
            _ => return Err(call.takes("a shape")),
        },
    ];
    match super::function("composition") {
        Some(function) => function.call(&[], &args, &mut Vec::new()),
        None => Err(call.not_evaluated()),
    }
}

/// The coordinate of an index in the codomain of a layout.
fn hierarchical(call: &Call<'_>) -> Result<(IntTuple, IntTuple), Problem> {
    let layout = call.layout(0)?;
    let index = call.arg(1)?.as_int();
    let index = IntTuple::leaf(index.cloned().ok_or_else(|| call.takes("an index"))?);
    let shape = layout.shape();
    let coord = idx2crd_stride(index.view(), shape.view(), layout.stride().view())?;
    Ok((coord, shape))
}

fn get_hier_coord(call: &Call<'_>) -> Evaluated {
    Ok(Value::of_shape(&hierarchical(call)?.0))
}

fn get_flat_coord(call: &Call<'_>) -> Evaluated {
    let (coord, shape) = hierarchical(call)?;
    if shape.is_leaf() {
        return Ok(Value::of_shape(&coord));
    }
    let modes: Vec<Value> = coord
        .modes()
        .zip(shape.modes())
        .map(|(coord, shape)| Ok(Value::Int(crd2idx_colex(coord, shape)?)))
        .collect::<Result<_, Problem>>()?;
    Ok(Value::Tuple(modes))
}

fn get_1d_coord(call: &Call<'_>) -> Evaluated {
    let (coord, shape) = hierarchical(call)?;
    Ok(Value::Int(crd2idx_colex(coord.view(), shape.view())?))
}

pub(super) const FUNCTIONS: &[Function] = &[
    entry(
        "layout",
        "auto layout<I...>() const",
        "the layout of a tensor",
        layout,
    )
    .header(Header::Cute("layout.hpp"))
    .makes(Makes::Argument)
    .python(&[python_words::on_objects("Tensor", "layout", "self")])
    .assembled(),
    entry("shape", "auto shape<I...>() const", "the extents", shape)
        .header(Header::Cute("int_tuple.hpp"))
        .python(&[
            python_words::on_objects("Layout", "shape", "self"),
            python_words::on_objects("ComposedLayout", "shape", "self"),
            python_words::on_objects("Tensor", "shape", "self"),
        ]),
    entry("stride", "auto stride<I...>() const", "the steps", stride)
        .header(Header::Cute("layout.hpp"))
        .python(&[
            python_words::on_objects("Layout", "stride", "self"),
            python_words::on_objects("Tensor", "stride", "self"),
        ]),
    entry(
        "size",
        "auto size<I...>() const",
        "how many coordinates there are",
        size,
    )
    .header(Header::Cute("int_tuple.hpp"))
    .python(&[
        python_words::on_objects("TiledCopy", "size", "self"),
        python_words::on_objects("TiledMma", "size", "self"),
    ]),
    lenient("get", "auto get<I>() const", "the mode of an index", get)
        .header(Header::Cute("int_tuple.hpp"))
        .makes(Makes::Argument)
        .assembled(),
    entry(
        "compose",
        "auto compose(tiler...) const",
        "the composition with a layout or tiler",
        compose,
    )
    .takes(&["tiler..."])
    .header(Header::Cute("layout.hpp"))
    .makes(Makes::Argument)
    .made_of("composition"),
    entry("data", "auto data() const", "the pointer of a tensor", data)
        .header(Header::Cute("tensor_impl.hpp"))
        .python(&[python_words::on_objects("Tensor", "iterator", "self")]),
    entry(
        "begin",
        "auto begin() const",
        "the pointer to the first element",
        data,
    )
    .header(Header::Cute("tensor_impl.hpp")),
    entry(
        "layout_a",
        "auto layout_a() const",
        "the function of a composed layout that is applied last",
        layout_a,
    )
    .header(Header::Cute("layout_composed.hpp"))
    .python(&[python_words::on_objects("ComposedLayout", "inner", "self")]),
    entry(
        "offset",
        "auto offset() const",
        "the summand of a composed layout",
        offset,
    )
    .header(Header::Cute("layout_composed.hpp"))
    .python(&[python_words::on_objects("ComposedLayout", "offset", "self")]),
    entry(
        "layout_b",
        "auto layout_b() const",
        "the layout of a composed layout that is applied first",
        layout_b,
    )
    .header(Header::Cute("layout_composed.hpp"))
    .python(&[python_words::on_objects("ComposedLayout", "outer", "self")]),
    entry(
        "tile",
        "auto tile(tiler...) const",
        "the layout or tensor divided into tiles: the first mode is the tile",
        tile,
    )
    .takes(&["tiler..."])
    .header(Header::Cute("layout.hpp"))
    .makes(Makes::Layout)
    .made_of("tiled_divide"),
    entry(
        "with_shape",
        "auto with_shape(shape...) const",
        "the same function seen through another shape",
        with_shape,
    )
    .takes(&["shape..."])
    .header(Header::Cute("layout.hpp")),
    entry(
        "get_hier_coord",
        "Coord get_hier_coord(index) const",
        "the coordinate that has this offset",
        get_hier_coord,
    )
    .takes(&["index"])
    .header(Header::Cute("layout.hpp"))
    .python(&[python_words::on_objects(
        "Layout",
        "get_hier_coord",
        "self idx",
    )]),
    entry(
        "get_flat_coord",
        "Coord get_flat_coord(index) const",
        "the coordinate that has this offset, one index for each mode",
        get_flat_coord,
    )
    .takes(&["index"])
    .header(Header::Cute("layout.hpp"))
    .python(&[python_words::on_objects(
        "Layout",
        "get_flat_coord",
        "self idx",
    )]),
    entry(
        "get_1d_coord",
        "auto get_1d_coord(index) const",
        "the index of the coordinate that has this offset",
        get_1d_coord,
    )
    .takes(&["index"])
    .header(Header::Cute("layout.hpp")),
];
