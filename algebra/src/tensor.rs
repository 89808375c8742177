//! Tensors (paper §2.5): an accessor and a layout. `T(c)` is the element at `e + L(c)`.
//!
//! An [`Accessor`] is anything to which an offset of the layout's codomain can be added: a pointer into a memory space, a
//! counting iterator, or the origin of a coordinate tensor. Elements are never read here; a tensor knows where they are.
//!
//! The base address of a pointer is unknown: CuTe's `PTR`, `unset` and any hexadecimal number are read alike and
//! printed as `PTR`. The offset that slicing adds to it is kept, in elements, and printed behind it:
//! `gmem_ptr[16b](PTR+24)`.

use crate::composed::AnyLayout;
use crate::coord::Coord;
use crate::int::Int;
use crate::layout::Offset;
use crate::ops::swizzled_slice::slice_and_offset_any;
use crate::refusal::{Refusal, Rule};
use crate::stride::add_points;
use crate::swizzle::Swizzle;
use crate::tuple::{IntTuple, Shape, Tuple};
use core::fmt;

/// The memory that a pointer points to, as CuTe tags it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Space {
    /// No tag: `ptr`, which owning register tensors print too.
    Plain,
    /// Global memory: `gmem_ptr`.
    Global,
    /// Shared memory: `smem_ptr`.
    Shared,
    /// Registers: `rmem_ptr`.
    Registers,
    /// Tensor memory of Blackwell: `tmem_`.
    TensorMemory,
}

impl Space {
    /// The prefix that CuTe prints before the `[`.
    pub(crate) fn prefix(self) -> &'static str {
        match self {
            Space::Plain => "ptr",
            Space::Global => "gmem_ptr",
            Space::Shared => "smem_ptr",
            Space::Registers => "rmem_ptr",
            Space::TensorMemory => "tmem_",
        }
    }

    /// The text that CuTe prints for an unknown address.
    fn address(self) -> &'static str {
        match self {
            Space::TensorMemory => "PTR.0000",
            _ => "PTR",
        }
    }
}

/// A pointer to elements of one width.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Pointer {
    /// The memory that it points to.
    pub space: Space,
    /// Bits of one element, at least 1.
    pub element_bits: u32,
    /// The permutation of the address in bytes that swizzled shared memory has.
    pub swizzle: Option<Swizzle>,
    /// The distance from its base, in elements.
    pub offset: Int,
}

impl Pointer {
    /// A pointer at its base.
    pub fn new(space: Space, element_bits: u32) -> Self {
        Pointer {
            space,
            element_bits,
            swizzle: None,
            offset: Int::ZERO,
        }
    }

    /// The address of an element in bytes from the base, swizzled where the pointer is.
    ///
    /// The base is taken to be aligned to the period of the swizzle. Refused with [`Rule::NotDivisible`] for an element of
    /// less than a byte that does not begin at one.
    pub fn byte_address(&self, element: &Int) -> Result<Int, Refusal> {
        let element = element.add(&self.offset)?;
        let bits = i64::from(self.element_bits);
        let bytes = if bits % 8 == 0 {
            element.mul(&Int::fixed(bits / 8))?
        } else {
            element.mul(&Int::fixed(bits))?.div_exact(&Int::fixed(8))?
        };
        match self.swizzle {
            Some(swizzle) => swizzle.apply_int(&bytes),
            None => Ok(bytes),
        }
    }
}

/// The base that the offsets of a layout are added to.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Accessor {
    /// Memory.
    Pointer(Pointer),
    /// The integers: the element at offset `k` is `k` (paper Figure 5, `{0}`).
    Counting(Int),
    /// A point of a coordinate space: CuTe's `ArithTuple(0,0)`.
    Coordinates(IntTuple),
}

impl Accessor {
    /// The accessor moved by an offset of its codomain.
    ///
    /// Refused with [`Rule::UnlikeCodomains`] for coordinates added to a pointer or a counter.
    pub fn advanced(&self, by: &Offset) -> Result<Self, Refusal> {
        let integer = || {
            by.as_leaf().ok_or_else(|| {
                Refusal::uncompilable(Rule::UnlikeCodomains, "no match for operator+")
                    .with("accessor", self.to_string())
                    .with("offset", by.to_string())
            })
        };
        Ok(match self {
            Accessor::Pointer(pointer) => Accessor::Pointer(Pointer {
                offset: pointer.offset.add(integer()?)?,
                ..pointer.clone()
            }),
            Accessor::Counting(start) => Accessor::Counting(start.add(integer()?)?),
            Accessor::Coordinates(origin) => {
                Accessor::Coordinates(add_points(origin.view(), by.view())?)
            }
        })
    }

    /// The distance from its base: elements, or a point.
    pub fn offset(&self) -> Offset {
        match self {
            Accessor::Pointer(Pointer { offset, .. }) | Accessor::Counting(offset) => {
                Tuple::leaf(offset.clone())
            }
            Accessor::Coordinates(origin) => origin.clone(),
        }
    }
}

/// An accessor and the layout of its elements (paper §2.5, Definition of a tensor).
///
/// ```
/// use cute_algebra::Tensor;
/// // Paper, Figure 5: the slice A(2,_) of a 6x12 tensor.
/// let a: Tensor = "{0} o ((3,2),((2,3),2)):((4,1),((2,15),100))".parse()?;
/// let row = a.slice(&"(2,_)".parse()?)?;
/// assert_eq!(row.to_string(), "counting_iter(8) o (((2,3),2)):(((2,15),100))");
/// # Ok::<(), cute_algebra::Refusal>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Tensor {
    /// The accessor of the elements.
    pub accessor: Accessor,
    /// From coordinates to offsets, in elements.
    pub layout: AnyLayout,
}

impl Tensor {
    /// An accessor over a layout.
    pub fn new(accessor: Accessor, layout: impl Into<AnyLayout>) -> Self {
        Tensor {
            accessor,
            layout: layout.into(),
        }
    }

    /// The extents.
    pub fn shape(&self) -> Shape {
        self.layout.shape()
    }

    /// The place of the element of a coordinate: `e + L(c)`, in elements from the base, or a point (paper §2.5).
    pub fn at(&self, coordinate: &IntTuple) -> Result<Offset, Refusal> {
        let offset = self.layout.eval_coord(coordinate)?;
        Ok(self.accessor.advanced(&offset)?.offset())
    }

    /// The byte of memory at which the element of a coordinate begins, from an aligned base.
    ///
    /// Refused where there is no memory, and where [`Pointer::byte_address`] is.
    pub fn byte_address(&self, coordinate: &IntTuple) -> Result<Int, Refusal> {
        let offset = self.layout.eval_coord(coordinate)?;
        match (&self.accessor, offset.as_leaf()) {
            (Accessor::Pointer(pointer), Some(element)) => pointer.byte_address(element),
            _ => Err(
                Refusal::uncompilable(Rule::UnlikeCodomains, "the pointer has no address")
                    .with("accessor", self.accessor.to_string())
                    .with("offset", offset.to_string()),
            ),
        }
    }

    /// The sub-tensor under the `_` of a coordinate (paper §2.5.1): the accessor moves by the offset of the indices,
    /// the layout keeps the rest. Law: `T.slice(c).at(x) = T.at(c with x for _)`.
    pub fn slice(&self, coordinate: &Coord) -> Result<Tensor, Refusal> {
        let (layout, offset) = slice_and_offset_any(coordinate, &self.layout)?;
        Ok(Tensor {
            accessor: self.accessor.advanced(&offset)?,
            layout,
        })
    }

    /// The same elements under another layout.
    #[must_use]
    pub fn with_layout(&self, layout: impl Into<AnyLayout>) -> Self {
        Tensor::new(self.accessor.clone(), layout)
    }
}

impl fmt::Display for Pointer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(swizzle) = self.swizzle {
            write!(f, "{swizzle}_")?;
        }
        let (prefix, address) = (self.space.prefix(), self.space.address());
        write!(f, "{prefix}[{}b]({address}", self.element_bits)?;
        if !self.offset.is_constant(0) {
            f.write_str("+")?;
            self.offset.fmt(f)?;
        }
        f.write_str(")")
    }
}

impl fmt::Display for Accessor {
    /// As CuTe prints it, the base address as `PTR`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Accessor::Pointer(pointer) => pointer.fmt(f),
            Accessor::Counting(start) => {
                f.write_str("counting_iter(")?;
                start.fmt(f)?;
                f.write_str(")")
            }
            Accessor::Coordinates(origin) => {
                f.write_str("ArithTuple")?;
                origin.fmt(f)
            }
        }
    }
}

impl fmt::Display for Tensor {
    /// As CuTe prints it: `gmem_ptr[16b](PTR) o (_128,_64):(_64,_1)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.accessor.fmt(f)?;
        f.write_str(" o ")?;
        self.layout.fmt(f)
    }
}
