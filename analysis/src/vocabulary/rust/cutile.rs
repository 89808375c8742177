//! cuTile for Rust: shapes of tiles and tensors. It has no strides; `-1` is a run-time extent.

use super::super::{Call, Evaluated, Function, entry};
use super::{Library, argument, to_static, type_of};
use crate::types::RUN_TIME;
use crate::value::Value;

/// The elements of a shape; `-1` becomes an unknown extent.
fn extents(shape: &Value) -> Value {
    match shape {
        Value::Tuple(items) => Value::Tuple(items.iter().map(extents).collect()),
        Value::Int(int) if int.value() == Some(-1) => {
            Value::Int(::cute_algebra::Int::symbol(RUN_TIME))
        }
        other => to_static(other),
    }
}

#[allow(clippy::unnecessary_wraps)] // The signature of all functions of the vocabulary.
fn const_shape(call: &Call<'_>) -> Evaluated {
    Ok(extents(&Value::Tuple(call.args.to_vec())))
}

/// `Tensor<f32, {[B, -1]}>`: its shape.
fn shaped(call: &Call<'_>) -> Evaluated {
    match call.targs {
        [_, shape, ..] => match extents(&argument(shape)?) {
            shape @ Value::Tuple(_) => Ok(type_of(shape)),
            _ => Err(call.takes("an element and a shape")),
        },
        _ => Err(call.takes("an element and a shape")),
    }
}

/// `tensor.partition(shape)`: the shape of each part.
fn partition(call: &Call<'_>) -> Evaluated {
    Ok(extents(call.arg(1)?))
}

const TYPES: &[Function] = &[
    entry(
        "Tensor",
        "Tensor<T, { [extents] }>",
        "a tensor in global memory, by its shape",
        shaped,
    ),
    entry(
        "Tile",
        "Tile<T, { [extents] }>",
        "a tile in registers, by its shape",
        shaped,
    ),
    entry(
        "Partition",
        "Partition<T, { [extents] }>",
        "a tensor in parts, by the shape of each",
        shaped,
    ),
];

pub(super) static LIBRARY: Library = Library {
    crates: &["cutile"],
    types: TYPES,
    functions: &[],
    methods: &[super::super::lenient(
        "partition",
        "tensor.partition(shape)",
        "the shape of each part",
        partition,
    )],
    macros: &[entry(
        "const_shape",
        "const_shape![extents]",
        "a shape",
        const_shape,
    )],
};
