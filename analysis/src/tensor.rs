//! Tensors and pointers: a layout with the memory that it addresses.

use std::fmt;

use cute_algebra::{AnyLayout, Delta, Swizzle};

use crate::origin::Origin;
use crate::types::Type;
use crate::value::Value;

/// The memory that a pointer points to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Space {
    /// Not tagged: a plain pointer.
    Generic,
    /// Global memory.
    Global,
    /// Shared memory.
    Shared,
    /// Registers.
    Registers,
    /// Tensor memory of Blackwell.
    TensorMemory,
    /// Descriptors of shared memory, which `wgmma` reads.
    WgmmaDescriptors,
    /// Descriptors of shared memory, which `tcgen05.mma` reads.
    UmmaDescriptors,
    /// An array of n elements itself: it converts to a pointer to its first element.
    Array(Option<u64>),
    /// Coordinates rather than memory.
    Coordinates,
}

/// A pointer or iterator: what CuTe calls an engine's begin.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Pointer {
    /// The memory that it points to.
    pub space: Space,
    /// Type of the elements, if it is known.
    pub element: Option<Box<Type>>,
    /// The permutation of address bits of swizzled shared memory.
    pub swizzle: Option<Swizzle>,
    /// Bits of one element where its type is not known.
    pub element_bits: Option<u32>,
    /// The member of an object in memory that it came from.
    pub(crate) origin: Origin,
}

impl Pointer {
    /// A plain pointer.
    pub fn generic(element: Option<Type>) -> Self {
        Self {
            space: Space::Generic,
            element: element.map(Box::new),
            swizzle: None,
            element_bits: None,
            origin: Origin::default(),
        }
    }

    /// An array of elements of a type; its length where that is known.
    pub(crate) fn array(element: Option<Type>, length: Option<u64>) -> Self {
        Self {
            space: Space::Array(length),
            ..Self::generic(element)
        }
    }

    /// Whether it points to memory of a space that is not known.
    pub(crate) fn is_generic(&self) -> bool {
        matches!(self.space, Space::Generic | Space::Array(_))
    }

    /// The same pointer tagged with a memory space.
    #[must_use]
    pub fn in_space(&self, space: Space) -> Self {
        Self {
            space,
            ..self.clone()
        }
    }

    /// Bits of one element.
    pub fn bits(&self) -> Option<u32> {
        let known = self.element.as_ref().and_then(|element| element.bits());
        known.or(self.element_bits)
    }
}

impl Value {
    /// The value of a copy: an array is passed on as a pointer to its first element ([conv.array]).
    #[must_use]
    pub(crate) fn decayed(self) -> Self {
        match self {
            Self::Pointer(pointer) if matches!(pointer.space, Space::Array(_)) => {
                Self::Pointer(pointer.in_space(Space::Generic))
            }
            Self::Pack(values) => Self::Pack(values.into_iter().map(Self::decayed).collect()),
            other => other,
        }
    }
}

impl fmt::Display for Pointer {
    /// As CuTe prints it, the address as `PTR`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self.space {
            Space::Global => "gmem_ptr",
            Space::Shared => "smem_ptr",
            Space::Generic | Space::Array(_) | Space::Registers => "ptr",
            Space::TensorMemory => {
                return match self.bits() {
                    Some(bits) => write!(f, "tmem_[{bits}b](PTR.0000)"),
                    None => f.write_str("tmem_[?](PTR.0000)"),
                };
            }
            Space::WgmmaDescriptors => return f.write_str("GMMA::DescriptorIterator"),
            Space::UmmaDescriptors => return f.write_str("UMMA::DescriptorIterator"),
            Space::Coordinates => return f.write_str("ArithTuple"),
        };
        if let Some(swizzle) = self.swizzle {
            write!(f, "{swizzle}_")?;
        }
        match self.bits() {
            Some(bits) => write!(f, "{name}[{bits}b](PTR)"),
            None => write!(f, "{name}[?](PTR)"),
        }
    }
}

/// A tensor: a pointer and the layout of its elements.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Tensor {
    /// The engine of the elements.
    pub engine: Pointer,
    /// Coordinates to offsets, in elements.
    pub layout: AnyLayout,
}

impl Tensor {
    /// Whether its elements are coordinates rather than memory.
    pub fn is_of_coordinates(&self) -> bool {
        let steps = self.layout.domain().view().steps();
        let is_basis = |step: &Delta| matches!(step, Delta::Basis(_));
        self.engine.space == Space::Coordinates || steps.iter().any(is_basis)
    }

    /// The layout as a separate value.
    pub fn layout_value(&self) -> Value {
        Value::of_layout(self.layout.clone())
    }
}

impl fmt::Display for Tensor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} o {}", self.engine, self.layout_value())
    }
}
