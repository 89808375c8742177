//! Values in the forms that the algebra takes and gives: shapes, strides, coordinates, tilers, layouts.

use std::sync::Arc;

use cute_algebra::{
    AnyLayout, ComposedLayout, Coord, CoordLeaf, Delta, Int, IntTuple, Layout, Shape, Stride,
    Tiler, Tuple, TupleView,
};

use super::Value;

impl Value {
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
            Self::Triton(layout) => Some(layout.cute.layout.clone()),
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

    /// The compact layout of a tuple of integers, leftmost mode fastest: the paper's meaning of a shape in the place of
    /// a layout.
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

    /// As a coordinate, in which `_` keeps a mode.
    pub fn to_coord(&self) -> Option<Coord> {
        self.to_tuple(&|leaf| match leaf {
            Self::Int(int) => Some(CoordLeaf::Int(int.clone())),
            Self::Underscore => Some(CoordLeaf::Underscore),
            other => other.part_as_number().map(CoordLeaf::Int),
        })
    }

    /// A value that divides or composes a layout: an integer, a layout, or one of them for each mode.
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

    /// The value of a tiler: `_` leaves a mode as it is.
    pub(crate) fn of_tiler(tiler: &Tiler) -> Self {
        match tiler {
            Tiler::Skip => Self::Underscore,
            Tiler::Int(int) => Self::Int(int.clone()),
            Tiler::Layout(layout) => layout.clone().into(),
            Tiler::Modes(modes) => Self::Tuple(modes.iter().map(Self::of_tiler).collect()),
        }
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

    fn of_view<T>(view: TupleView<'_, T>, leaf: &dyn Fn(&T) -> Self) -> Self {
        match view.as_leaf() {
            Some(found) => leaf(found),
            None => Self::Tuple(view.modes().map(|mode| Self::of_view(mode, leaf)).collect()),
        }
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
