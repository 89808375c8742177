//! NVIDIA's `cute-rs`: layouts as types. Its swizzles are CuTe's, in elements.

use std::sync::Arc;

use cute_hardware::SharedLayout;
use cute_hardware::tma::TensorMapSwizzle;

use super::super::tensors::bits_of;
use super::super::{Call, Evaluated, Function, Problem, Remark, entry, lenient};
use super::{Library, argument, as_cute, call_cute, not_evaluated, type_of};
use crate::reason::Reason;
use crate::tensor::{Pointer, Tensor};
use crate::types::Type;
use crate::value::{Order, Value};

fn integer(call: &Call<'_>) -> Evaluated {
    as_cute("Int", call.targs)
}

fn tuple(call: &Call<'_>) -> Evaluated {
    as_cute("Shape", call.targs)
}

fn layout(call: &Call<'_>) -> Evaluated {
    as_cute("Layout", call.targs)
}

fn swizzle(call: &Call<'_>) -> Evaluated {
    as_cute("Swizzle", call.targs)
}

fn composed(call: &Call<'_>) -> Evaluated {
    as_cute("ComposedLayout", call.targs)
}

/// A compact layout of extents that are constants.
fn compact(call: &Call<'_>, order: Order) -> Evaluated {
    let extents = call.targs.iter().map(argument).collect::<Result<_, _>>()?;
    super::super::layouts::layout_of(&Value::Tuple(extents), &Value::Order(order)).map(type_of)
}

fn row_major(call: &Call<'_>) -> Evaluated {
    compact(call, Order::Right)
}

fn col_major(call: &Call<'_>) -> Evaluated {
    compact(call, Order::Left)
}

/// The layout of shared memory of a type and a layout, with the swizzle of its elements as one of
/// byte addresses.
fn shared_layout(
    call: &Call<'_>,
    element: &Value,
    layout: &Value,
) -> Result<SharedLayout, Problem> {
    let Some(bits) = bits_of(element).map(i64::from) else {
        argument(element)?;
        return Err(call.takes("an element of known size"));
    };
    let (elements, inner) = match argument(layout)? {
        Value::Layout(layout) => {
            let shared = SharedLayout::plain(bits, cute_algebra::Layout::clone(&layout));
            return shared.map_err(|refusal| {
                Problem::Unknown(Reason::refused(refusal.rule.name(), &refusal))
            });
        }
        Value::Composed(composed) => match composed.swizzle() {
            Some(swizzle) => (swizzle, composed.inner.clone()),
            None => return Err(call.takes("a layout")),
        },
        _ => return Err(call.takes("a layout")),
    };
    // One element is 2^k bytes: the swizzle moves up by k.
    let bytes = match bits {
        8 => elements,
        16.. => cute_algebra::ops::swizzled::downcast_swizzle(&elements, bits / 8)?,
        _ => cute_algebra::ops::swizzled::upcast_swizzle(&elements, 8 / bits)?,
    };
    Ok(SharedLayout::new(bytes, bits, inner))
}

fn tile(call: &Call<'_>) -> Evaluated {
    match call.targs {
        [element, layout, ..] => {
            let shared = shared_layout(call, element, layout)?;
            Ok(type_of(Value::Shared(Arc::new(shared))))
        }
        _ => Err(call.takes("an element and a layout")),
    }
}

/// `SharedTensor<Elem, Acc, SmemL, Major>`.
fn shared_tensor(call: &Call<'_>) -> Evaluated {
    match call.targs {
        [element, _, layout, ..] => {
            let shared = shared_layout(call, element, layout)?;
            Ok(type_of(Value::Shared(Arc::new(shared))))
        }
        _ => Err(call.takes("an element, an accumulator and a layout")),
    }
}

/// A tile that TMA fills: its swizzle has to be one of TMA's.
fn checked(call: &Call<'_>) -> Result<SharedLayout, Problem> {
    let [element, layout, ..] = call.targs else {
        return Err(call.takes("an element and a layout"));
    };
    let shared = shared_layout(call, element, layout)?;
    if let Err(refusal) = TensorMapSwizzle::of_swizzle(shared.swizzle) {
        call.remark(Remark::not_encodable(&shared, &refusal));
    }
    Ok(shared)
}

fn tma_desc(call: &Call<'_>) -> Evaluated {
    Ok(type_of(Value::Shared(Arc::new(checked(call)?))))
}

fn make_tma_desc(call: &Call<'_>) -> Evaluated {
    Ok(Value::Shared(Arc::new(checked(call)?)))
}

/// `Tensor::from_slice(a)`: contiguous, as long as the slice.
#[allow(clippy::unnecessary_wraps)] // The signature of all functions of the vocabulary.
fn from_slice(_: &Call<'_>) -> Evaluated {
    let layout =
        cute_algebra::Layout::single(cute_algebra::Int::symbol("len"), cute_algebra::Int::ONE);
    Ok(Value::Tensor(Box::new(Tensor {
        engine: Pointer::generic(None),
        layout: layout.into(),
    })))
}

/// `tensor.zipped_divide::<4>()`: the generic arguments are the tiler.
fn divided(call: &Call<'_>, function: &str) -> Evaluated {
    let tiler = call.targs.iter().map(argument);
    let tiler: Vec<Value> = tiler.collect::<Result<_, _>>()?;
    let tiler = match <[Value; 1]>::try_from(tiler) {
        Ok([only]) => only,
        Err(several) => Value::Tuple(several),
    };
    call_cute(call, function, &[], &[call.arg(0)?.clone(), tiler])
}

fn zipped_divide(call: &Call<'_>) -> Evaluated {
    divided(call, "zipped_divide")
}

fn logical_divide(call: &Call<'_>) -> Evaluated {
    divided(call, "logical_divide")
}

/// `tiles.slice(i)`: the tile of an index.
fn slice(call: &Call<'_>) -> Evaluated {
    let index = match call.args.get(1) {
        Some(Value::Int(int)) => Value::Int(int.clone()),
        Some(Value::Unknown(_)) | None => Value::Int(cute_algebra::Int::symbol("tile")),
        Some(other) => other.clone(),
    };
    super::super::apply(
        super::super::Surroundings::default(),
        call.arg(0)?,
        &[Value::Underscore, index],
    )
}

fn layout_of(call: &Call<'_>) -> Evaluated {
    Ok(match call.arg(0)? {
        Value::Type(ty) => match &**ty {
            Type::Of(value) => (**value).clone(),
            _ => return Err(call.takes("a layout")),
        },
        other => other.clone(),
    })
}

const TYPES: &[Function] = &[
    entry("C", "C<N>", "a constant integer", integer),
    entry("T1", "T1<A>", "a tuple of one mode", tuple),
    entry("T2", "T2<A, B>", "a tuple of two modes", tuple),
    entry("T3", "T3<A, B, C>", "a tuple of three modes", tuple),
    entry("T4", "T4<A, B, C, D>", "a tuple of four modes", tuple),
    entry("T5", "T5<A, B, C, D, E>", "a tuple of five modes", tuple),
    entry(
        "L",
        "L<Shape, Stride>",
        "a layout of a shape and a stride",
        layout,
    ),
    entry(
        "RowMajor",
        "RowMajor<R, C>",
        "a compact layout, columns contiguous",
        row_major,
    ),
    entry(
        "ColMajor",
        "ColMajor<R, C>",
        "a compact layout, rows contiguous",
        col_major,
    ),
    entry(
        "Contiguous1D",
        "Contiguous1D<N>",
        "a compact layout of one mode",
        col_major,
    ),
    entry(
        "Swizzle",
        "Swizzle<B, M, S>",
        "CuTe's swizzle, in elements",
        swizzle,
    ),
    entry(
        "Composed",
        "Composed<Swizzle, OFFSET, Layout>",
        "a swizzle over a layout",
        composed,
    ),
    entry(
        "SmemTile",
        "SmemTile<T, Layout>",
        "a tile of shared memory",
        tile,
    ),
    entry(
        "SharedTensor",
        "SharedTensor<T, Acc, Layout, Major>",
        "an operand in shared memory",
        shared_tensor,
    ),
    entry(
        "TmaDesc",
        "TmaDesc<T, Layout>",
        "the tile of shared memory that TMA fills",
        tma_desc,
    ),
    lenient(
        "Sm100TiledMma",
        "Sm100TiledMma<A, B, C, M, N>",
        "an MMA over a tile",
        not_evaluated,
    ),
    lenient(
        "TiledCopy",
        "TiledCopy<..>",
        "a copy over a tile",
        not_evaluated,
    ),
    lenient(
        "CpAsync",
        "CpAsync<BYTES>",
        "an asynchronous copy",
        not_evaluated,
    ),
    lenient(
        "TmaLoadPipeline",
        "TmaLoadPipeline<STAGES, A, B>",
        "a pipeline of TMA loads",
        not_evaluated,
    ),
];

pub(super) static LIBRARY: Library = Library {
    crates: &["cute_rs"],
    types: TYPES,
    functions: &[
        lenient(
            "make_tma_desc_2d",
            "make_tma_desc_2d::<T, Layout>(pointer, rows, cols, ld)",
            "the tile of shared memory that TMA fills",
            make_tma_desc,
        ),
        lenient(
            "Tensor::from_slice",
            "Tensor::from_slice(slice)",
            "a contiguous tensor as long as the slice",
            from_slice,
        ),
    ],
    methods: &[
        entry(
            "zipped_divide",
            "tensor.zipped_divide::<N>()",
            "tiles in mode 0, their number in mode 1",
            zipped_divide,
        ),
        entry(
            "logical_divide",
            "tensor.logical_divide::<N>()",
            "each mode split into (tile, rest)",
            logical_divide,
        ),
        lenient("slice", "tiles.slice(index)", "the tile of an index", slice)
            .by_law("a_slice_and_its_offset_are_the_layout"),
        entry("layout", "tensor.layout()", "the layout", layout_of).assembled(),
    ],
    macros: &[],
};
