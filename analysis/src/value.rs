//! Values: the results of names and expressions of a source, where layouts depend on them.

mod dialect;
mod display;
mod form;
mod integers;
mod kind;
mod room;

use std::sync::Arc;

use cute_algebra::{ComposedLayout, Delta, Int, Layout, Outer, Swizzle};

use cute_hardware::{MmaAtom, SharedLayout, TiledCopy, TiledMma, ValueCopyAtom};

use crate::convention::ForeignSwizzle;
use crate::reason::Reason;
use crate::tensor::{Pointer, Tensor};
use crate::types::{Scalar, Type};
use integers::layout_is_known;

pub use dialect::Dialect;
pub use kind::Kind;
pub(crate) use room::Room;

/// A truth value and whether it is part of the type (`true_type`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Truth {
    /// The value.
    pub value: bool,
    /// Known to the compiler.
    pub fixed: bool,
}

impl Truth {
    /// A run-time truth value.
    pub fn run_time(value: bool) -> Self {
        Self {
            value,
            fixed: false,
        }
    }

    /// A truth value that is part of the type.
    pub fn fixed(value: bool) -> Self {
        Self { value, fixed: true }
    }

    /// The opposite.
    #[must_use]
    #[allow(clippy::should_implement_trait)] // `!truth` would read as a host boolean.
    pub fn not(self) -> Self {
        Self {
            value: !self.value,
            ..self
        }
    }

    /// 0 or 1.
    pub fn to_int(self) -> Int {
        if self.fixed {
            Int::fixed_bool(self.value)
        } else {
            Int::dynamic(i64::from(self.value))
        }
    }
}

/// The order of strides of a tag.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Order {
    /// `LayoutLeft`, `GenColMajor`: the leftmost mode is contiguous.
    Left,
    /// `LayoutRight`, `GenRowMajor`: the rightmost mode is contiguous.
    Right,
}

/// The value of a name or an expression.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Value {
    /// An integer: static `_8`, run-time `8`, or symbolic `M`.
    Int(Int),
    /// A truth value.
    Bool(Truth),
    /// A tuple of any values: a shape, a stride, a coordinate, a tiler.
    Tuple(Vec<Value>),
    /// `_` of a slice or a tiler.
    Underscore,
    /// A stride that is not an integer: a scaled basis `8@1`, an xor stride.
    Delta(Delta),
    /// A layout.
    Layout(Arc<Layout>),
    /// A swizzle or layout composed with an offset and a layout.
    Composed(Arc<ComposedLayout>),
    /// A swizzle function.
    Swizzle(Swizzle),
    /// A swizzle in the convention of another library.
    ForeignSwizzle(Box<ForeignSwizzle>),
    /// `LayoutLeft` or `LayoutRight`.
    Order(Order),
    /// A tensor.
    Tensor(Box<Tensor>),
    /// A layout of shared memory with a swizzle of addresses: `Sw<3,4,3> o smem_ptr[16b](unset) o L`.
    Shared(Arc<SharedLayout>),
    /// A layout of Triton.
    Triton(Arc<crate::triton::TritonLayout>),
    /// An MMA atom.
    MmaAtom(Arc<MmaAtom>),
    /// A copy atom for values of one width.
    CopyAtom(Arc<ValueCopyAtom>),
    /// An MMA atom repeated over threads and values.
    TiledMma(Arc<TiledMma>),
    /// One thread of a tiled MMA.
    ThrMma(Arc<ThreadMma>),
    /// A copy atom repeated over threads and values.
    TiledCopy(Arc<TiledCopy>),
    /// One thread of a tiled copy.
    ThrCopy(Arc<ThreadCopy>),
    /// A product or an argument of a collective builder of CUTLASS.
    Collective(Arc<crate::collective::Collective>),
    /// A pointer, plain or tagged with a memory space.
    Pointer(Pointer),
    /// A run-time number that is not an integer: `float alpha`.
    Number(Scalar),
    /// A type.
    Type(Box<Type>),
    /// An object of which only the type is known.
    Instance(Box<Type>),
    /// An object of a class of the source.
    Object(Arc<Object>),
    /// The values of a parameter pack.
    Pack(Vec<Value>),
    /// A lambda or a function of the source, by its place in the analysis.
    Callable(usize),
    /// A function of the vocabulary, named but not called.
    Function(Arc<str>),
    /// A module of Python, by its whole name.
    Module(Arc<str>),
    /// `threadIdx`, `blockIdx`, ...: three run-time integers.
    Builtin(&'static str),
    /// The result of a function that returns nothing.
    Nothing,
    /// Not known, and why.
    Unknown(Reason),
}

/// One thread of a tiled copy.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ThreadCopy {
    /// The copy.
    pub copy: Arc<TiledCopy>,
    /// The index of the thread.
    pub thread: Int,
}

/// One thread of a tiled MMA.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ThreadMma {
    /// The MMA.
    pub mma: Arc<TiledMma>,
    /// The index of the thread.
    pub thread: Int,
}

/// An object of a class of the source.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Object {
    /// Its class.
    pub class: crate::types::RecordType,
    /// Its data members in order of declaration.
    pub fields: Vec<(String, Value)>,
}

impl Value {
    /// Whether the compiler knows all of it: nothing in it is a run-time value.
    pub fn is_static(&self) -> bool {
        match self {
            Self::Int(int) => int.is_static(),
            Self::Bool(truth) => truth.fixed,
            Self::Tuple(items) | Self::Pack(items) => items.iter().all(Self::is_static),
            Self::Delta(delta) => delta.is_static(),
            Self::Layout(layout) => layout.is_static(),
            Self::Composed(composed) => {
                composed.inner.is_static()
                    && composed.offset.is_static()
                    && match &composed.outer {
                        Outer::Swizzle(_) => true,
                        Outer::Layout(layout) => layout.is_static(),
                    }
            }
            Self::Tensor(tensor) => tensor.layout_value().is_static(),
            Self::Shared(shared) => shared.layout.is_static(),
            Self::TiledCopy(copy) => copy.thread_value_layout().is_static(),
            Self::TiledMma(mma) => mma.thread_layout().is_static(),
            Self::MmaAtom(_)
            | Self::CopyAtom(_)
            | Self::Triton(_)
            | Self::Collective(_)
            | Self::Underscore
            | Self::Swizzle(_)
            | Self::ForeignSwizzle(_)
            | Self::Order(_)
            | Self::Type(_)
            | Self::Callable(_)
            | Self::Function(_)
            | Self::Module(_)
            | Self::Nothing => true,
            _ => false,
        }
    }

    /// Whether every number in it is known, statically or at run time.
    pub fn is_known(&self) -> bool {
        match self {
            Self::Unknown(_) => false,
            Self::Int(int) => int.value().is_some(),
            Self::Tuple(items) | Self::Pack(items) => items.iter().all(Self::is_known),
            Self::Delta(delta) => delta.value().value().is_some(),
            Self::Layout(layout) => layout_is_known(layout),
            Self::Composed(composed) => {
                layout_is_known(&composed.inner)
                    && composed
                        .offset
                        .leaves()
                        .iter()
                        .all(|int| int.value().is_some())
                    && match &composed.outer {
                        Outer::Swizzle(_) => true,
                        Outer::Layout(layout) => layout_is_known(layout),
                    }
            }
            Self::Tensor(tensor) => tensor.layout_value().is_known(),
            Self::Shared(shared) => layout_is_known(&shared.layout),
            Self::TiledCopy(copy) => layout_is_known(copy.thread_value_layout()),
            Self::ThrCopy(thread) => layout_is_known(thread.copy.thread_value_layout()),
            Self::TiledMma(mma) => layout_is_known(mma.thread_layout()),
            Self::ThrMma(thread) => layout_is_known(thread.mma.thread_layout()),
            Self::Type(ty) => match &**ty {
                Type::Of(value) => value.is_known(),
                Type::Parameter(_) | Type::Part(_) | Type::Unknown(_) | Type::Placeholder => false,
                _ => true,
            },
            Self::Instance(ty) => !matches!(**ty, Type::Part(_)),
            _ => true,
        }
    }

    /// [`open_parameter`](Self::open_parameter) of the first leaf of a tuple that has one: it may be a number or a tuple.
    pub(crate) fn open_leaf(&self) -> Option<Reason> {
        match self {
            Self::Tuple(items) | Self::Pack(items) => items.iter().find_map(Self::open_leaf),
            leaf => leaf.open_parameter(),
        }
    }

    /// Whether a hover or a hint has something to say of it.
    pub(crate) fn is_worth_showing(&self) -> bool {
        match self {
            Self::Tuple(items) => !items.is_empty(),
            Self::Type(ty) => ty.as_static().is_some_and(Self::is_worth_showing),
            Self::Int(_)
            | Self::Delta(_)
            | Self::Layout(_)
            | Self::Composed(_)
            | Self::Swizzle(_)
            | Self::ForeignSwizzle(_)
            | Self::Shared(_)
            | Self::Triton(_)
            | Self::MmaAtom(_)
            | Self::CopyAtom(_)
            | Self::TiledMma(_)
            | Self::ThrMma(_)
            | Self::TiledCopy(_)
            | Self::ThrCopy(_)
            | Self::Tensor(_) => true,
            _ => false,
        }
    }

    /// A static class type is reported as the value that all its objects have.
    pub(crate) fn reported(&self) -> &Self {
        match self {
            Self::Type(ty) => match ty.as_static() {
                Some(value) if !matches!(value, Self::Type(_)) => value,
                _ => self,
            },
            other => other,
        }
    }

    /// The reason for an operation that needs the type of an open template parameter.
    pub(crate) fn open_parameter(&self) -> Option<Reason> {
        match self {
            Self::Instance(ty) => match &**ty {
                Type::Parameter(name) | Type::Part(name) => Some(Reason::Unbound(name.clone())),
                _ => None,
            },
            _ => None,
        }
    }

    /// The reason for an operation that needs the profile of a part of an open template parameter, here or in a tuple.
    pub(crate) fn open_part(&self) -> Option<Reason> {
        match self {
            Self::Tuple(items) => items.iter().find_map(Self::open_part),
            Self::Instance(ty) if matches!(**ty, Type::Part(_)) => self.open_parameter(),
            _ => None,
        }
    }

    /// The number of a part of an open template parameter, where only a number will do.
    pub(crate) fn part_as_number(&self) -> Option<Int> {
        match self {
            Self::Instance(ty) => match &**ty {
                Type::Part(name) => Some(Int::symbol(name)),
                _ => None,
            },
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_small() {
        // Evaluation keeps many of them on the stack.
        assert!(size_of::<Value>() <= 56, "{}", size_of::<Value>());
    }
}
