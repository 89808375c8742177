//! The functions that only `cutlass.cute` has, or that take their arguments in their own way.

use cute_algebra::{ComposedLayout, Int, Outer, Rule, Swizzle, ops};

use crate::tensor::{Pointer, Tensor};
use crate::value::{Order, Value};
use crate::vocabulary::python_words::Takes::{Argument, Nothing, Template};
use crate::vocabulary::{
    Call, Evaluated, Function, Header, Problem, Remark, Surroundings, apply, call, entry, function,
    layouts, lenient, python_words,
};

/// `make_swizzle(b, m, s)`: a swizzle that CuTe C++ does not have is the identity `S<0,4,3>` in the DSL (4.8.1, by its
/// print).
fn make_swizzle(call: &Call<'_>) -> Evaluated {
    let numbers: Option<Vec<i64>> = call.args.iter().map(call::number).collect();
    let Some([bits, base, shift]) = numbers.as_deref() else {
        return Err(call.takes("three constants"));
    };
    match Swizzle::new(*bits, *base, *shift) {
        Ok(swizzle) => Ok(Value::Swizzle(swizzle)),
        Err(refusal) => {
            let mut remark = Remark::refused(refusal);
            remark.note = Some("the DSL compiles this and swizzles nothing");
            remark.result = Swizzle::new(0, 4, 3).ok().map(Value::Swizzle);
            Err(Problem::Refused(Box::new(remark)))
        }
    }
}

/// `make_composed_layout(inner, offset, outer)`: `inner(offset + outer(c))`.
fn make_composed_layout(call: &Call<'_>) -> Evaluated {
    let outer = match call.arg(0)? {
        Value::Swizzle(swizzle) => Outer::Swizzle(*swizzle),
        Value::Layout(_) => Outer::Layout(call.layout(0)?),
        _ => return Err(call.takes("a swizzle or a layout")),
    };
    Ok(Value::of_layout(cute_algebra::AnyLayout::Composed(
        ComposedLayout {
            outer,
            offset: call.shape(1)?,
            inner: call.layout(2)?,
        },
    )))
}

/// `make_layout_tv(threads, values)`: the tile, and the layout from a thread and one of its values
/// to an index of the tile.
fn make_layout_tv(call: &Call<'_>) -> Evaluated {
    let (threads, values) = (call.layout(0)?, call.layout(1)?);
    let tile = ops::raked_product(&threads, &values)?;
    let sizes = Value::Tuple(vec![
        Value::Int(threads.size()?),
        Value::Int(values.size()?),
    ]);
    let pairs = match layouts::layout_of(&sizes, &Value::Order(Order::Left))? {
        Value::Layout(layout) => Value::Layout(layout),
        _ => return Err(call.not_evaluated()),
    };
    let inverse = ops::right_inverse(&tile)?;
    let composition = function("composition").ok_or_else(|| call.not_evaluated())?;
    let layout = composition.call(&[], &[inverse.into(), pairs], &mut Vec::new())?;
    let extents = ops::shape_arithmetic::product_each(tile.shape().view())?;
    Ok(Value::Tuple(vec![Value::of_shape(&extents), layout]))
}

/// `recast_layout(new bits, old bits, layout)`.
fn recast_layout(call: &Call<'_>) -> Evaluated {
    let bits = |index| {
        call.int(index)?
            .value()
            .ok_or_else(|| call.takes("known numbers of bits"))
    };
    let (new, old) = (bits(0)?, bits(1)?);
    let layout = call.any_layout(2)?;
    Ok(Value::of_layout(ops::swizzled::recast_any(
        &layout, old, new,
    )?))
}

/// `group_modes(input, begin, end)`; without an end, all modes from the first.
fn group_modes(call: &Call<'_>) -> Evaluated {
    let value = call.arg(0)?;
    let rank = match value.as_any_layout() {
        Some(layout) => layout.rank(),
        None => match value {
            Value::Tuple(items) => items.len(),
            _ => return Err(call.takes("a layout, a tensor or a tuple")),
        },
    };
    let end = match call.args.get(2) {
        Some(_) => call.arg(2)?.clone(),
        None => Value::Int(Int::fixed(i64::try_from(rank).unwrap_or(i64::MAX))),
    };
    other(
        "group_modes",
        &[call.arg(1)?.clone(), end],
        std::slice::from_ref(value),
        call,
    )
}

/// `slice_(src, coord)`: C++ takes the coordinate first.
fn slice(call: &Call<'_>) -> Evaluated {
    match call.arg(0)? {
        tuple @ (Value::Tuple(_) | Value::Int(_)) => {
            other("slice", &[], &[call.arg(1)?.clone(), tuple.clone()], call)
        }
        layout => apply(
            Surroundings::of_dsl(),
            layout,
            std::slice::from_ref(call.arg(1)?),
        ),
    }
}

/// `crd2idx(coord, layout)`.
fn crd2idx(call: &Call<'_>) -> Evaluated {
    match call.arg(1)? {
        layout @ (Value::Layout(_) | Value::Composed(_)) => apply(
            Surroundings::of_dsl(),
            layout,
            std::slice::from_ref(call.arg(0)?),
        ),
        shape => other("crd2idx", &[], &[call.arg(0)?.clone(), shape.clone()], call),
    }
}

/// A function of CuTe's tables.
fn other(name: &str, targs: &[Value], args: &[Value], call: &Call<'_>) -> Evaluated {
    match function(name) {
        Some(function) => function.call(targs, args, &mut Vec::new()),
        None => Err(call.not_evaluated()),
    }
}

fn same(call: &Call<'_>) -> Evaluated {
    call.arg(0).cloned()
}

/// `recast_tensor(tensor, dtype)`: of one element, whose stride is 0, CuTe C++ has no smaller ones; the DSL
/// gives the first of them.
fn recast_tensor(call: &Call<'_>) -> Evaluated {
    let answer = other("recast", call.targs, call.args, call);
    let (Err(Problem::Refused(remark)), Value::Tensor(tensor), [Value::Type(element)]) =
        (&answer, call.arg(0)?, call.targs)
    else {
        return answer;
    };
    let domain = tensor.layout.domain();
    let is_one_element = domain.size().is_ok_and(|size| size.value() == Some(1))
        && domain
            .stride_view()
            .leaves()
            .iter()
            .all(|step| step.is_constant(0));
    if remark.refusal.rule != Rule::DowncastNotAdjacent || !is_one_element {
        return answer;
    }
    Ok(Value::Tensor(Box::new(Tensor {
        engine: Pointer::generic(Some((**element).clone())).in_space(tensor.engine.space),
        layout: tensor.layout.clone(),
    })))
}

/// `make_rmem_tensor(layout or shape, dtype)`: a tensor that owns its elements.
fn make_rmem_tensor(call: &Call<'_>) -> Evaluated {
    let layout = match call.arg(0)?.as_any_layout() {
        Some(layout) => layout,
        None => match layouts::layout_of(call.arg(0)?, &Value::Order(Order::Left))? {
            Value::Layout(layout) => cute_algebra::AnyLayout::Affine((*layout).clone()),
            _ => return Err(call.takes("a layout or a shape")),
        },
    };
    let element = match call.args.get(1) {
        Some(Value::Type(ty)) => Some((**ty).clone()),
        _ => None,
    };
    let engine = Pointer::generic(element).in_space(crate::tensor::Space::Registers);
    Ok(Value::Tensor(Box::new(Tensor { engine, layout })))
}

/// `len(tuple)`.
fn length(call: &Call<'_>) -> Evaluated {
    match call.arg(0)? {
        Value::Tuple(items) => Ok(Value::Int(Int::fixed(
            i64::try_from(items.len()).unwrap_or(i64::MAX),
        ))),
        _ => Err(call.takes("a tuple")),
    }
}

fn tuple(call: &Call<'_>) -> Evaluated {
    match call.arg(0)? {
        items @ Value::Tuple(_) => Ok(items.clone()),
        _ => Err(call.takes("a tuple or a list")),
    }
}

/// The three coordinates of a built-in variable of CUDA.
#[allow(clippy::unnecessary_wraps)] // It ends functions of the vocabulary.
fn coordinates(name: &str, counts_from: fn(&str) -> Int) -> Evaluated {
    let axes = ["x", "y", "z"].map(|axis| Value::Int(counts_from(&format!("{name}.{axis}"))));
    Ok(Value::Tuple(axes.to_vec()))
}

fn thread_idx(_: &Call<'_>) -> Evaluated {
    coordinates("threadIdx", Int::coordinate)
}

fn block_idx(_: &Call<'_>) -> Evaluated {
    coordinates("blockIdx", Int::coordinate)
}

fn block_dim(_: &Call<'_>) -> Evaluated {
    coordinates("blockDim", Int::symbol)
}

fn grid_dim(_: &Call<'_>) -> Evaluated {
    coordinates("gridDim", Int::symbol)
}

/// Functions that only the DSL has, or that take their arguments in another way.
pub(in crate::vocabulary) const FUNCTIONS: &[Function] = &[
    entry(
        "python.make_swizzle",
        "Swizzle python.make_swizzle(b, m, s)",
        "a swizzle of three constants",
        make_swizzle,
    )
    .header(Header::Python)
    .python(&[python_words::word(
        "make_swizzle",
        &[("b", Argument), ("m", Argument), ("s", Argument)],
    )]),
    entry(
        "python.make_composed_layout",
        "ComposedLayout python.make_composed_layout(inner, offset, outer)",
        "the function inner(offset + outer(c))",
        make_composed_layout,
    )
    .header(Header::Python)
    .python(&[python_words::word(
        "make_composed_layout",
        &[
            ("inner", Argument),
            ("offset", Argument),
            ("outer", Argument),
        ],
    )])
    .assembled(),
    entry(
        "python.make_layout_tv",
        "tuple python.make_layout_tv(thr_layout, val_layout)",
        "a tile, and the layout of its threads and values",
        make_layout_tv,
    )
    .header(Header::Python)
    .python(&[python_words::word(
        "make_layout_tv",
        &[("thr_layout", Argument), ("val_layout", Argument)],
    )])
    .made_of("raked_product"),
    entry(
        "python.recast_layout",
        "Layout python.recast_layout(new_type_bits, old_type_bits, src_layout)",
        "the layout of elements of another width",
        recast_layout,
    )
    .header(Header::Python)
    .python(&[python_words::word(
        "recast_layout",
        &[
            ("new_type_bits", Argument),
            ("old_type_bits", Argument),
            ("src_layout", Argument),
        ],
    )])
    .by_law("downcast_then_upcast_is_the_same_function"),
    entry(
        "python.recast_tensor",
        "Tensor python.recast_tensor(src, dtype)",
        "the same memory as elements of another type",
        recast_tensor,
    )
    .header(Header::Python)
    .python(&[python_words::word(
        "recast_tensor",
        &[("src", Argument), ("dtype", Template)],
    )])
    .by_law("downcast_then_upcast_is_the_same_function"),
    entry(
        "python.group_modes",
        "auto python.group_modes(input, begin, end)",
        "makes the modes from begin up to end one mode",
        group_modes,
    )
    .header(Header::Python)
    .python(&[python_words::word(
        "group_modes",
        &[("input", Argument), ("begin", Argument), ("end", Argument)],
    )])
    .assembled(),
    entry(
        "python.slice",
        "auto python.slice(src, coord)",
        "the modes that None keeps",
        slice,
    )
    .header(Header::Python)
    .python(&[
        python_words::word("slice_", &[("src", Argument), ("coord", Argument)])
            .on_objects("src coord"),
    ])
    .by_law("a_slice_and_its_offset_are_the_layout"),
    entry(
        "python.crd2idx",
        "auto python.crd2idx(coord, layout)",
        "the index of a coordinate",
        crd2idx,
    )
    .header(Header::Python)
    .python(&[
        python_words::word("crd2idx", &[("coord", Argument), ("layout", Argument)])
            .on_objects("coord layout"),
    ]),
    entry("python.same", "auto python.same(x)", "its argument", same)
        .header(Header::Python)
        .python(&[
            python_words::word("assume", &[("src", Argument), ("divby", Nothing)])
                .on_objects("src divby="),
            python_words::word("const_expr", &[("expression", Argument)])
                .on_objects("value")
                .of("cutlass"),
            python_words::word("int", &[("x", Argument)]).of("builtins"),
        ])
        .assembled(),
    entry(
        "python.make_rmem_tensor",
        "Tensor python.make_rmem_tensor(layout_or_shape, dtype)",
        "a tensor in registers",
        make_rmem_tensor,
    )
    .header(Header::Python)
    .python(&[
        python_words::word(
            "make_rmem_tensor",
            &[("layout_or_shape", Argument), ("dtype", Argument)],
        ),
        python_words::word(
            "make_fragment",
            &[("layout_or_shape", Argument), ("dtype", Argument)],
        ),
    ])
    .assembled(),
    entry(
        "python.len",
        "int python.len(x)",
        "how many elements there are",
        length,
    )
    .header(Header::Python)
    .python(&[python_words::word("len", &[("x", Argument)]).of("builtins")]),
    lenient(
        "python.tuple",
        "tuple python.tuple(x)",
        "the elements as a tuple",
        tuple,
    )
    .header(Header::Python)
    .python(&[
        python_words::word("tuple", &[("x", Argument)]).of("builtins"),
        python_words::word("list", &[("x", Argument)]).of("builtins"),
    ]),
    entry(
        "python.thread_idx",
        "tuple python.thread_idx()",
        "the index of the thread in its block",
        thread_idx,
    )
    .header(Header::Python)
    .python(&[python_words::word("thread_idx", &[]).of("cutlass.cute.arch")]),
    entry(
        "python.block_idx",
        "tuple python.block_idx()",
        "the index of the block",
        block_idx,
    )
    .header(Header::Python)
    .python(&[python_words::word("block_idx", &[]).of("cutlass.cute.arch")]),
    entry(
        "python.block_dim",
        "tuple python.block_dim()",
        "how many threads a block has",
        block_dim,
    )
    .header(Header::Python)
    .python(&[python_words::word("block_dim", &[]).of("cutlass.cute.arch")]),
    entry(
        "python.grid_dim",
        "tuple python.grid_dim()",
        "how many blocks there are",
        grid_dim,
    )
    .header(Header::Python)
    .python(&[python_words::word("grid_dim", &[]).of("cutlass.cute.arch")]),
];
