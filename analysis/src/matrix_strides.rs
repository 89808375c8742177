//! The strides of a matrix in memory, as CUTLASS's `TagToStride` types spell them (`cutlass/layout/matrix.h`,
//! `cutlass/detail/layout.hpp`).

use cute_algebra::Int;

use crate::types::{RUN_TIME, Type};
use crate::value::Value;

/// The contiguous mode of a matrix, and whether the type is that of an array of matrices.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct MatrixStrides {
    /// Mode 0 (M of A, N of B) has stride 1; else mode 1 (K) has.
    pub(crate) is_first_contiguous: bool,
    /// An array of matrices is a pointer to strides, and has no stride of a batch.
    pub(crate) is_array: bool,
}

impl MatrixStrides {
    /// The type of the strides (mode 0, mode 1, batch); run-time strides are open.
    pub(crate) fn into_type(self) -> Type {
        let open = || Value::Int(Int::symbol(RUN_TIME));
        let one = || Value::Int(Int::ONE);
        let batch = if self.is_array {
            Value::Int(Int::ZERO)
        } else {
            open()
        };
        let strides = Type::Of(Box::new(Value::Tuple(if self.is_first_contiguous {
            vec![one(), open(), batch]
        } else {
            vec![open(), one(), batch]
        })));
        if self.is_array {
            Type::Pointer(Box::new(strides))
        } else {
            strides
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_major_a_is_contiguous_along_k() {
        let of = |is_first_contiguous, is_array| {
            let strides = MatrixStrides {
                is_first_contiguous,
                is_array,
            };
            Value::Type(Box::new(strides.into_type())).to_string()
        };
        assert_eq!(of(false, false), "(?,_1,?)");
        assert_eq!(of(true, false), "(_1,?,?)");
        assert_eq!(of(true, true), "(_1,?,_0)*");
    }
}
