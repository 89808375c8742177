//! Values: what a name or an expression of a source is worth, as far as layouts depend on it.

use std::fmt;
use std::sync::Arc;

use cute_algebra::{
    AnyLayout, ComposedLayout, Coord, CoordLeaf, Delta, Int, IntTuple, Layout, Shape, Stride,
    Swizzle, Tiler, Tuple,
};

use cute_hardware::{MmaAtom, SharedLayout, TiledCopy, TiledMma, ValueCopyAtom};

use crate::convention::ForeignSwizzle;
use crate::reason::Reason;
use crate::tensor::{Pointer, Tensor};
use crate::types::{Scalar, Type};

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

/// The order of strides that a tag stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Order {
    /// `LayoutLeft`, `GenColMajor`: the leftmost mode is contiguous.
    Left,
    /// `LayoutRight`, `GenRowMajor`: the rightmost mode is contiguous.
    Right,
}

/// What a name or an expression is worth.
#[derive(Debug, Clone, PartialEq)]
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
    /// A stride that is no integer: a scaled basis `8@1`, an xor stride.
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
    /// What a collective builder of CUTLASS makes or takes.
    Collective(Arc<crate::collective::Collective>),
    /// A pointer, plain or tagged with a memory space.
    Pointer(Pointer),
    /// A run-time number that is no integer of ours: `float alpha`.
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
    /// The result of what returns nothing.
    Nothing,
    /// Not known, and why.
    Unknown(Reason),
}

/// One thread of a tiled copy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ThreadCopy {
    /// The copy.
    pub copy: Arc<TiledCopy>,
    /// The index of the thread.
    pub thread: Int,
}

/// One thread of a tiled MMA.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ThreadMma {
    /// The MMA.
    pub mma: Arc<TiledMma>,
    /// The index of the thread.
    pub thread: Int,
}

/// An object of a class of the source.
#[derive(Debug, Clone, PartialEq)]
pub struct Object {
    /// Its class.
    pub class: crate::types::RecordType,
    /// Its data members in order of declaration.
    pub fields: Vec<(String, Value)>,
}

/// What kind of value it is, by the names that the command line prints.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A layout `shape:stride`.
    Layout,
    /// A swizzle or layout composed with a layout.
    ComposedLayout,
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
    /// A type that is no layout.
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
    /// What kind of value it is.
    pub fn kind(&self) -> Kind {
        match self {
            Self::Int(_) => Kind::Int,
            Self::Bool(_) => Kind::Bool,
            Self::Tuple(_) => Kind::Tuple,
            Self::Layout(_) => Kind::Layout,
            Self::Composed(_) | Self::Shared(_) => Kind::ComposedLayout,
            Self::TiledCopy(_) => Kind::TiledCopy,
            Self::ThrCopy(_) => Kind::ThrCopy,
            Self::TiledMma(_) => Kind::TiledMma,
            Self::ThrMma(_) => Kind::ThrMma,
            Self::CopyAtom(_) => Kind::CopyAtom,
            Self::MmaAtom(_) => Kind::MmaAtom,
            Self::Swizzle(_) | Self::ForeignSwizzle(_) => Kind::Swizzle,
            Self::Tensor(_) => Kind::Tensor,
            Self::Pointer(_) => Kind::Pointer,
            Self::Number(scalar) if scalar.class == crate::types::ScalarClass::Float => Kind::Float,
            Self::Type(_) | Self::Collective(_) => Kind::Type,
            Self::Unknown(_) => Kind::Unknown,
            _ => Kind::Other,
        }
    }

    /// Whether the compiler knows all of it: nothing in it comes at run time.
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
                        cute_algebra::Outer::Swizzle(_) => true,
                        cute_algebra::Outer::Layout(layout) => layout.is_static(),
                    }
            }
            Self::Tensor(tensor) => tensor.layout_value().is_static(),
            Self::Shared(shared) => shared.layout.is_static(),
            Self::TiledCopy(copy) => copy.thread_value_layout().is_static(),
            Self::TiledMma(mma) => mma.thread_layout().is_static(),
            Self::MmaAtom(_)
            | Self::CopyAtom(_)
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
                        cute_algebra::Outer::Swizzle(_) => true,
                        cute_algebra::Outer::Layout(layout) => layout_is_known(layout),
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
    pub(crate) fn into_reported(self) -> Self {
        match self {
            Self::Type(ty) => match ty.as_static() {
                Some(value) if !matches!(value, Self::Type(_)) => value.clone(),
                _ => Self::Type(ty),
            },
            other => other,
        }
    }

    /// The integer, if it is one.
    pub fn as_int(&self) -> Option<&Int> {
        match self {
            Self::Int(int) => Some(int),
            _ => None,
        }
    }

    /// The truth value, if it is known; an integer is true unless it is 0.
    pub fn as_truth(&self) -> Option<bool> {
        match self {
            Self::Bool(truth) => Some(truth.value),
            Self::Int(int) => int.value().map(|value| value != 0),
            _ => None,
        }
    }

    /// The affine or composed layout of a layout or tensor.
    pub fn as_any_layout(&self) -> Option<AnyLayout> {
        match self {
            Self::Layout(layout) => Some(AnyLayout::Affine(Layout::clone(layout))),
            Self::Composed(composed) => Some(AnyLayout::Composed(ComposedLayout::clone(composed))),
            Self::Tensor(tensor) => Some(tensor.layout.clone()),
            // The function of coordinates without the swizzle of addresses.
            Self::Shared(shared) => Some(AnyLayout::Affine(shared.layout.clone())),
            _ => None,
        }
    }

    /// The value of a layout of either kind.
    pub fn of_layout(layout: AnyLayout) -> Self {
        match layout {
            AnyLayout::Affine(layout) => layout.into(),
            AnyLayout::Composed(composed) => composed.into(),
        }
    }

    /// As a tuple of integers: a shape, or a coordinate without `_`.
    pub fn to_shape(&self) -> Option<Shape> {
        self.to_tuple(&|leaf| leaf.as_int().cloned().or_else(|| leaf.part_as_number()))
    }

    /// The compact layout of a tuple of integers, leftmost mode fastest: what the paper means by a
    /// shape in the place of a layout.
    pub fn to_compact_layout(&self) -> Option<Self> {
        Layout::left(self.to_shape()?).ok().map(Self::from)
    }

    /// As a tuple of strides.
    pub fn to_stride(&self) -> Option<Stride> {
        self.to_tuple(&|leaf| match leaf {
            Self::Int(int) => Some(Delta::Int(int.clone())),
            Self::Delta(delta) => Some(delta.clone()),
            other => other.part_as_number().map(Delta::Int),
        })
    }

    /// The reason for what needs the type of an open template parameter.
    pub(crate) fn open_parameter(&self) -> Option<Reason> {
        match self {
            Self::Instance(ty) => match &**ty {
                Type::Parameter(name) | Type::Part(name) => Some(Reason::Unbound(name.clone())),
                _ => None,
            },
            _ => None,
        }
    }

    /// The reason for what depends on the profile of a part of an open template parameter, here or
    /// in a tuple.
    pub(crate) fn open_part(&self) -> Option<Reason> {
        match self {
            Self::Tuple(items) => items.iter().find_map(Self::open_part),
            Self::Instance(ty) if matches!(**ty, Type::Part(_)) => self.open_parameter(),
            _ => None,
        }
    }

    /// The number that a part of an open template parameter stands for where only a number will do.
    pub(crate) fn part_as_number(&self) -> Option<Int> {
        match self {
            Self::Instance(ty) => match &**ty {
                Type::Part(name) => Some(Int::symbol(name)),
                _ => None,
            },
            _ => None,
        }
    }

    /// As a coordinate, in which `_` keeps a mode.
    pub fn to_coord(&self) -> Option<Coord> {
        self.to_tuple(&|leaf| match leaf {
            Self::Int(int) => Some(CoordLeaf::Int(int.clone())),
            Self::Underscore => Some(CoordLeaf::Underscore),
            other => other.part_as_number().map(CoordLeaf::Int),
        })
    }

    /// As what divides or composes a layout: an integer, a layout, or one of them for each mode.
    pub fn to_tiler(&self) -> Option<Tiler> {
        match self {
            Self::Int(int) => Some(Tiler::Int(int.clone())),
            Self::Instance(_) => self.part_as_number().map(Tiler::Int),
            Self::Layout(layout) => Some(Tiler::Layout(Layout::clone(layout))),
            Self::Underscore => Some(Tiler::Skip),
            Self::Tuple(items) => items
                .iter()
                .map(Self::to_tiler)
                .collect::<Option<Vec<_>>>()
                .map(Tiler::Modes),
            _ => None,
        }
    }

    fn to_tuple<T>(&self, leaf: &dyn Fn(&Self) -> Option<T>) -> Option<Tuple<T>>
    where
        T: Clone,
    {
        match self {
            Self::Tuple(items) => {
                let modes: Option<Vec<_>> = items.iter().map(|item| item.to_tuple(leaf)).collect();
                Tuple::group(modes?).ok()
            }
            other => leaf(other).map(Tuple::leaf),
        }
    }

    /// The value of a tuple of integers.
    pub fn of_shape(shape: &IntTuple) -> Self {
        Self::of_view(shape.view(), &|int: &Int| Self::Int(int.clone()))
    }

    /// The value of a tuple of strides.
    pub fn of_stride(stride: &Stride) -> Self {
        Self::of_view(stride.view(), &|delta: &Delta| {
            Self::of_delta(delta.clone())
        })
    }

    /// The value of one stride.
    pub fn of_delta(delta: Delta) -> Self {
        match delta {
            Delta::Int(int) => Self::Int(int),
            other => Self::Delta(other),
        }
    }

    fn of_view<T>(view: cute_algebra::TupleView<'_, T>, leaf: &dyn Fn(&T) -> Self) -> Self {
        match view.as_leaf() {
            Some(found) => leaf(found),
            None => Self::Tuple(view.modes().map(|mode| Self::of_view(mode, leaf)).collect()),
        }
    }

    /// The same value with each run-time integer replaced; `None` where one cannot be reached.
    pub(crate) fn map_run_time(&self, new: &mut dyn FnMut(&Int) -> Int) -> Option<Self> {
        let mut leaf = |int: &Int| {
            if int.is_static() {
                int.clone()
            } else {
                new(int)
            }
        };
        Some(match self {
            Self::Int(int) => Self::Int(leaf(int)),
            Self::Tuple(items) => Self::Tuple(
                items
                    .iter()
                    .map(|item| item.map_run_time(new))
                    .collect::<Option<_>>()?,
            ),
            Self::Layout(layout) => {
                let shape = layout.shape().map(&mut leaf);
                let stride = layout.stride().map(|delta| match delta {
                    Delta::Int(int) => Delta::Int(leaf(int)),
                    other => other.clone(),
                });
                if stride
                    .leaves()
                    .iter()
                    .any(|delta| !delta.is_static() && delta.as_int().is_none())
                {
                    return None;
                }
                Layout::new(shape, stride).ok()?.into()
            }
            Self::Number(_)
            | Self::Pointer(_)
            | Self::Instance(_)
            | Self::Unknown(_)
            | Self::ThrCopy(_)
            | Self::ThrMma(_) => self.clone(),
            other if other.is_static() => other.clone(),
            _ => return None,
        })
    }

    /// The same value with each integer of a layout or a tuple replaced, wherever it stands.
    #[must_use]
    pub(crate) fn map_integers(&self, new: &dyn Fn(&Int) -> Int) -> Self {
        let map_layout = |layout: &Layout| {
            let stride = layout.stride().map(|delta| match delta {
                Delta::Int(int) => Delta::Int(new(int)),
                Delta::Basis(basis) => {
                    let mut basis = cute_algebra::ScaledBasis::clone(basis);
                    basis.value = new(&basis.value);
                    Delta::Basis(Arc::new(basis))
                }
                Delta::Xor(_) => delta.clone(),
            });
            // Shape and stride keep their profiles, so they are still a layout.
            Layout::new(layout.shape().map(new), stride).unwrap_or_else(|_| layout.clone())
        };
        let map_composed = |composed: &ComposedLayout| ComposedLayout {
            offset: composed.offset.map(new),
            inner: map_layout(&composed.inner),
            ..composed.clone()
        };
        match self {
            Self::Int(int) => Self::Int(new(int)),
            Self::Tuple(items) => {
                Self::Tuple(items.iter().map(|item| item.map_integers(new)).collect())
            }
            Self::Layout(layout) => map_layout(layout).into(),
            Self::Composed(composed) => Self::Composed(Arc::new(map_composed(composed))),
            Self::Tensor(tensor) => Self::Tensor(Box::new(Tensor {
                engine: tensor.engine.clone(),
                layout: match &tensor.layout {
                    AnyLayout::Affine(layout) => AnyLayout::Affine(map_layout(layout)),
                    AnyLayout::Composed(composed) => AnyLayout::Composed(map_composed(composed)),
                },
            })),
            other => other.clone(),
        }
    }

    /// The names of the symbols in it.
    pub(crate) fn symbols(&self) -> Vec<Arc<str>> {
        let mut names = Vec::new();
        self.each_int(&mut |int| {
            if let Some(expression) = int.as_expression() {
                names.extend(expression.symbols());
            }
        });
        names
    }

    fn each_int(&self, visit: &mut dyn FnMut(&Int)) {
        match self {
            Self::Int(int) => visit(int),
            Self::Tuple(items) | Self::Pack(items) => {
                for item in items {
                    item.each_int(visit);
                }
            }
            Self::Delta(delta) => visit(&delta.value()),
            Self::Layout(layout) => each_int_of(layout, visit),
            Self::Composed(composed) => {
                each_int_of(&composed.inner, visit);
                composed.offset.leaves().iter().for_each(&mut *visit);
                if let cute_algebra::Outer::Layout(outer) = &composed.outer {
                    each_int_of(outer, visit);
                }
            }
            Self::Tensor(tensor) => tensor.layout_value().each_int(visit),
            Self::Shared(shared) => each_int_of(&shared.layout, visit),
            Self::Object(object) => {
                for (_, field) in &object.fields {
                    field.each_int(visit);
                }
            }
            Self::Type(ty) => {
                if let Type::Of(value) = &**ty {
                    value.each_int(visit);
                }
            }
            _ => {}
        }
    }

    /// Whether both are the same function of the same form when static and run-time integers are
    /// not told apart.
    pub(crate) fn same_numbers(&self, other: &Self) -> bool {
        format!("{self:#}") == format!("{other:#}")
    }
}

impl From<Layout> for Value {
    fn from(layout: Layout) -> Self {
        Self::Layout(Arc::new(layout))
    }
}

impl From<ComposedLayout> for Value {
    fn from(composed: ComposedLayout) -> Self {
        Self::Composed(Arc::new(composed))
    }
}

fn layout_is_known(layout: &Layout) -> bool {
    let mut known = true;
    each_int_of(layout, &mut |int| known &= int.value().is_some());
    known
}

fn each_int_of(layout: &Layout, visit: &mut dyn FnMut(&Int)) {
    layout.shape_view().leaves().iter().for_each(&mut *visit);
    for delta in layout.stride_view().leaves() {
        visit(&delta.value());
    }
}

impl fmt::Display for Value {
    /// As CuTe prints it; the alternate form leaves the underscores of static integers out.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Int(int) => int.fmt(f),
            Self::Bool(truth) => write!(f, "{}", truth.value),
            Self::Tuple(items) | Self::Pack(items) => {
                f.write_str("(")?;
                for (index, item) in items.iter().enumerate() {
                    if index > 0 {
                        f.write_str(",")?;
                    }
                    item.fmt(f)?;
                }
                f.write_str(")")
            }
            Self::Underscore => f.write_str("_"),
            Self::Delta(delta) => delta.fmt(f),
            Self::Layout(layout) => layout.fmt(f),
            Self::Composed(composed) => composed.fmt(f),
            Self::Swizzle(swizzle) => swizzle.fmt(f),
            Self::ForeignSwizzle(foreign) => foreign.fmt(f),
            Self::Order(Order::Left) => f.write_str("LayoutLeft"),
            Self::Order(Order::Right) => f.write_str("LayoutRight"),
            Self::Tensor(tensor) => tensor.fmt(f),
            Self::Pointer(pointer) => pointer.fmt(f),
            Self::Collective(collective) => collective.fmt(f),
            Self::Shared(shared) => shared.fmt(f),
            Self::MmaAtom(atom) => f.write_str(&atom.name),
            Self::CopyAtom(atom) => atom.source.fmt(f),
            Self::TiledMma(mma) => mma.thread_layout().fmt(f),
            Self::ThrMma(thread) => thread.mma.thread_layout().fmt(f),
            Self::TiledCopy(copy) => copy.thread_value_layout().fmt(f),
            Self::ThrCopy(thread) => thread.copy.thread_value_layout().fmt(f),
            Self::Number(scalar) => f.write_str(scalar.name),
            Self::Type(ty) | Self::Instance(ty) => ty.fmt(f),
            Self::Object(object) => f.write_str(&object.class.name),
            Self::Callable(_) => f.write_str("function"),
            Self::Function(name) | Self::Module(name) => f.write_str(name),
            Self::Builtin(name) => f.write_str(name),
            Self::Nothing => f.write_str("void"),
            Self::Unknown(_) => f.write_str("?"),
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
