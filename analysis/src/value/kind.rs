//! The kind of a value.

use super::Value;
use crate::types::ScalarClass;

/// The kind of a value, by the names that the command line prints.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A layout `shape:stride`.
    Layout,
    /// A swizzle or layout composed with a layout.
    ComposedLayout,
    /// A layout of Triton.
    TritonLayout,
    /// A tensor.
    Tensor,
    /// A tiled copy.
    TiledCopy,
    /// One thread of a tiled copy.
    ThrCopy,
    /// A tiled MMA.
    TiledMma,
    /// One thread of a tiled MMA.
    ThrMma,
    /// A copy atom.
    CopyAtom,
    /// An MMA atom.
    MmaAtom,
    /// A tuple; also `dim3`.
    Tuple,
    /// An integer.
    Int,
    /// A truth value.
    Bool,
    /// A floating-point number.
    Float,
    /// A swizzle function.
    Swizzle,
    /// A pointer.
    Pointer,
    /// A type that is not a layout.
    Type,
    /// Anything else.
    Other,
    /// Not known.
    Unknown,
}

impl Kind {
    /// The stable name: `Layout`, `ComposedLayout`, `Tensor`, `tuple`, `int`, ...
    pub fn name(self) -> &'static str {
        match self {
            Self::Layout => "Layout",
            Self::ComposedLayout => "ComposedLayout",
            Self::TritonLayout => "TritonLayout",
            Self::Tensor => "Tensor",
            Self::TiledCopy => "TiledCopy",
            Self::ThrCopy => "ThrCopy",
            Self::TiledMma => "TiledMMA",
            Self::ThrMma => "ThrMMA",
            Self::CopyAtom => "Copy_Atom",
            Self::MmaAtom => "MMA_Atom",
            Self::Tuple => "tuple",
            Self::Int => "int",
            Self::Bool => "bool",
            Self::Float => "float",
            Self::Swizzle => "Swizzle",
            Self::Pointer => "pointer",
            Self::Type => "type",
            Self::Other => "other",
            Self::Unknown => "Unknown",
        }
    }
}

impl Value {
    /// The kind of the value.
    pub fn kind(&self) -> Kind {
        match self {
            Self::Int(_) => Kind::Int,
            Self::Bool(_) => Kind::Bool,
            Self::Tuple(_) => Kind::Tuple,
            Self::Layout(_) => Kind::Layout,
            Self::Composed(_) | Self::Shared(_) => Kind::ComposedLayout,
            Self::Triton(_) => Kind::TritonLayout,
            Self::TiledCopy(_) => Kind::TiledCopy,
            Self::ThrCopy(_) => Kind::ThrCopy,
            Self::TiledMma(_) => Kind::TiledMma,
            Self::ThrMma(_) => Kind::ThrMma,
            Self::CopyAtom(_) => Kind::CopyAtom,
            Self::MmaAtom(_) => Kind::MmaAtom,
            Self::Swizzle(_) | Self::ForeignSwizzle(_) => Kind::Swizzle,
            Self::Tensor(_) => Kind::Tensor,
            Self::Pointer(_) => Kind::Pointer,
            Self::Number(scalar) if scalar.class == ScalarClass::Float => Kind::Float,
            Self::Type(_) | Self::Collective(_) => Kind::Type,
            Self::Unknown(_) => Kind::Unknown,
            _ => Kind::Other,
        }
    }
}
