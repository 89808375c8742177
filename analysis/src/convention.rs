//! Notations of a swizzle in libraries other than CuTe: the bit from which the shift counts, and the unit.

use std::fmt;

use cute_algebra::Swizzle;

/// The way in which a library's `Swizzle<B,M,S>` is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Convention {
    /// `cuda-oxide`: `S` is the position of the source bits, counted from bit 0; elements.
    CudaOxide,
    /// `CubeCL`: `S` counts from `M` as in CuTe; bytes.
    CubeCl,
}

impl Convention {
    /// The library.
    pub fn library(self) -> &'static str {
        match self {
            Self::CudaOxide => "cuda-oxide",
            Self::CubeCl => "CubeCL",
        }
    }

    /// The bit from which the shift counts, and the unit of the offsets.
    pub fn meaning(self) -> &'static str {
        match self {
            Self::CudaOxide => "absolute shift, elements",
            Self::CubeCl => "relative shift, bytes",
        }
    }

    /// Whether offsets are bytes; else they are elements.
    pub fn is_in_bytes(self) -> bool {
        self == Self::CubeCl
    }

    /// CuTe's shift for what the library calls `shift`.
    pub(crate) fn relative_shift(self, base: i64, shift: i64) -> Option<i64> {
        match self {
            Self::CudaOxide => shift.checked_sub(base),
            Self::CubeCl => Some(shift),
        }
    }
}

/// A swizzle as a library other than CuTe writes it, and the same function in CuTe's convention.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ForeignSwizzle {
    /// Its convention.
    pub convention: Convention,
    /// `B`, `M` and `S` as written.
    pub written: [i64; 3],
    /// CuTe's swizzle that permutes the same offsets, in the unit of the convention.
    pub swizzle: Swizzle,
}

impl fmt::Display for ForeignSwizzle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.swizzle)?;
        if self.convention.is_in_bytes() {
            f.write_str(" on bytes")?;
        }
        Ok(())
    }
}
