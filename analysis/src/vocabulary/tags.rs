//! CUTLASS's tags and their meanings: memory orders and their strides, shapes of tiles.

use cute_algebra::Int;

use super::names::{argument, type_of};
use super::{Evaluated, Problem};
use crate::matrix_strides::MatrixStrides;
use crate::reason::Reason;
use crate::types::Type;
use crate::value::Value;

/// Names of `cutlass::layout` that are separate types.
const TAGS: &[&str] = &[
    "RowMajor",
    "ColumnMajor",
    "TensorNWC",
    "TensorNHWC",
    "TensorNDHWC",
    "TensorKCS",
    "TensorKCSR",
    "TensorKCSRT",
    "TensorCSK",
    "TensorCSRK",
    "TensorCSRTK",
];

/// Whether the name is a tag of `cutlass::layout`.
pub(super) fn is_tag(name: &str) -> bool {
    TAGS.contains(&name)
}

/// Constants of namespace `cutlass`.
pub(super) fn constant(name: &str) -> Option<i64> {
    Some(match name {
        "NumThreadsPerWarp" | "kWarpSize" => 32,
        "NumThreadsPerWarpGroup" => 128,
        "NumThreadsPerHalfWarp" => 16,
        "NumThreadsPerQuad" | "NumWarpsPerWarpGroup" => 4,
        "NumThreadsPerQuadPair" => 8,
        _ => return None,
    })
}

/// A tag, or a trait of tags with its arguments.
pub(super) fn of(name: &str, args: &[Value]) -> Option<Evaluated> {
    match (name, args) {
        ("TagToStrideA_t" | "TagToStrideC_t" | "TagToStrideA" | "TagToStrideC", [tag]) => {
            Some(strides(tag, name, true))
        }
        ("TagToStrideB_t" | "TagToStrideB", [tag]) => Some(strides(tag, name, false)),
        ("GemmShape" | "GemmCoord", [_, _, _]) => Some(shape(args)),
        _ => None,
    }
}

/// `GemmShape<M, N, K>` as a tuple.
fn shape(args: &[Value]) -> Evaluated {
    let extents = args.iter().map(argument).collect::<Result<Vec<_>, _>>()?;
    Ok(type_of(Value::Tuple(
        extents
            .into_iter()
            .map(|value| match value {
                Value::Int(int) => Value::Int(int.value().map_or(int, Int::fixed)),
                other => other,
            })
            .collect(),
    )))
}

/// The strides (row, column, batch) of a tag. Operand B is `N x K`, so that its rows are columns of
/// the matrix; a pointer to a tag is an array of matrices without a batch.
fn strides(tag: &Value, name: &str, rows_first: bool) -> Evaluated {
    let unsuitable = || Problem::Unknown(Reason::Unsuitable(name.into(), "a layout tag"));
    let ty = match tag {
        Value::Type(ty) => &**ty,
        Value::Unknown(reason) => return Err(Problem::Unknown(reason.clone())),
        _ => return Err(unsuitable()),
    };
    let (ty, is_array) = match ty {
        Type::Pointer(inner) => (&**inner, true),
        other => (other, false),
    };
    match ty {
        Type::Named(name) => {
            let row_major = match &**name {
                "RowMajor" => true,
                "ColumnMajor" => false,
                _ => return Err(unsuitable()),
            };
            let strides = MatrixStrides {
                is_first_contiguous: row_major != rows_first,
                is_array,
            };
            Ok(Value::Type(Box::new(strides.into_type())))
        }
        // A stride or a layout stays one.
        Type::Of(_) => Ok(tag.clone()),
        Type::Parameter(name) => Err(Problem::Unknown(Reason::Unbound(name.clone()))),
        Type::Unknown(reason) => Err(Problem::Unknown(reason.clone())),
        _ => Err(unsuitable()),
    }
}
