//! Layouts that are not one shape and stride: `outer o offset o inner`, with a swizzle or a layout outside.

use crate::int::Int;
use crate::layout::{Layout, Offset};
use crate::refusal::{Refusal, Rule};
use crate::stride::add_points;
use crate::swizzle::Swizzle;
use crate::tuple::{IntTuple, Shape, Tuple};
use core::fmt;

/// The function that is applied last.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Outer {
    /// A swizzle of the offset.
    Swizzle(Swizzle),
    /// A layout that maps the offset further.
    Layout(Layout),
}

/// `outer(offset + inner(c))`: CuTe's `ComposedLayout`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ComposedLayout {
    /// The function applied last.
    pub outer: Outer,
    /// The summand between the two; an integer beside a swizzle.
    pub offset: IntTuple,
    /// The layout that defines domain and shape.
    pub inner: Layout,
}

impl ComposedLayout {
    /// `swizzle o 0 o inner`.
    pub fn swizzled(swizzle: Swizzle, inner: Layout) -> Self {
        ComposedLayout {
            outer: Outer::Swizzle(swizzle),
            offset: Tuple::leaf(Int::ZERO),
            inner,
        }
    }

    /// The same outer function and offset over another inner layout.
    #[must_use]
    pub fn with_inner(&self, inner: Layout) -> Self {
        ComposedLayout {
            outer: self.outer.clone(),
            offset: self.offset.clone(),
            inner,
        }
    }

    /// The swizzle, when the outer function is one.
    pub fn swizzle(&self) -> Option<Swizzle> {
        match self.outer {
            Outer::Swizzle(swizzle) => Some(swizzle),
            Outer::Layout(_) => None,
        }
    }

    /// The extents: those of the inner layout.
    pub fn shape(&self) -> Shape {
        self.inner.shape()
    }

    /// The number of coordinates.
    pub fn size(&self) -> Result<Int, Refusal> {
        self.inner.size()
    }

    /// The offset of the coordinate with this colexicographic index.
    pub fn eval(&self, index: i64) -> Result<Offset, Refusal> {
        let inner = add_points(self.offset.view(), self.inner.eval(index)?.view())?;
        self.apply_outer(&inner)
    }
}

impl fmt::Display for Outer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Outer::Swizzle(swizzle) => swizzle.fmt(f),
            Outer::Layout(layout) => layout.fmt(f),
        }
    }
}

impl fmt::Display for ComposedLayout {
    /// As CuTe prints it: `Sw<3,4,3> o _0 o (_8,_64):(_64,_1)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.outer.fmt(f)?;
        f.write_str(" o ")?;
        self.offset.fmt(f)?;
        f.write_str(" o ")?;
        self.inner.fmt(f)
    }
}

/// Any layout: one shape and stride, or a composition that is not.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum AnyLayout {
    /// One shape and stride.
    Affine(Layout),
    /// `outer o offset o inner`.
    Composed(ComposedLayout),
}

impl AnyLayout {
    /// The layout that has the domain: itself, or the inner one.
    pub fn domain(&self) -> &Layout {
        match self {
            AnyLayout::Affine(layout) => layout,
            AnyLayout::Composed(composed) => &composed.inner,
        }
    }

    /// The layout, when it is one shape and stride.
    pub fn as_affine(&self) -> Option<&Layout> {
        match self {
            AnyLayout::Affine(layout) => Some(layout),
            AnyLayout::Composed(_) => None,
        }
    }

    /// The same outer functions over another domain layout.
    #[must_use]
    pub fn with_domain(&self, inner: Layout) -> Self {
        match self {
            AnyLayout::Affine(_) => AnyLayout::Affine(inner),
            AnyLayout::Composed(composed) => AnyLayout::Composed(composed.with_inner(inner)),
        }
    }

    /// Applies an operation that CuTe applies to the inner layout of a composed one.
    pub fn map_domain(
        &self,
        f: impl FnOnce(&Layout) -> Result<Layout, Refusal>,
    ) -> Result<Self, Refusal> {
        f(self.domain()).map(|inner| self.with_domain(inner))
    }

    /// The extents.
    pub fn shape(&self) -> Shape {
        self.domain().shape()
    }

    /// The number of modes.
    pub fn rank(&self) -> usize {
        self.domain().rank()
    }

    /// The number of coordinates.
    pub fn size(&self) -> Result<Int, Refusal> {
        self.domain().size()
    }

    /// The offset of the coordinate with this colexicographic index.
    pub fn eval(&self, index: i64) -> Result<Offset, Refusal> {
        match self {
            AnyLayout::Affine(layout) => layout.eval(index),
            AnyLayout::Composed(composed) => composed.eval(index),
        }
    }
}

impl From<Layout> for AnyLayout {
    fn from(layout: Layout) -> Self {
        AnyLayout::Affine(layout)
    }
}

impl From<ComposedLayout> for AnyLayout {
    fn from(composed: ComposedLayout) -> Self {
        AnyLayout::Composed(composed)
    }
}

impl fmt::Display for AnyLayout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AnyLayout::Affine(layout) => layout.fmt(f),
            AnyLayout::Composed(composed) => composed.fmt(f),
        }
    }
}

impl ComposedLayout {
    /// The offset of a coordinate that is at least weakly congruent with the shape.
    pub fn eval_coord(&self, coordinate: &IntTuple) -> Result<Offset, Refusal> {
        let inner = add_points(
            self.offset.view(),
            self.inner.eval_coord(coordinate)?.view(),
        )?;
        self.apply_outer(&inner)
    }

    /// The layout that begins at a coordinate of this one: CuTe's `domain_offset`.
    ///
    /// ```
    /// use cute_algebra::{ComposedLayout, IntTuple, Swizzle};
    /// let whole = ComposedLayout::swizzled(Swizzle::new(2, 1, 3)?, "(_8,_8):(_8,_1)".parse()?);
    /// let coordinate: IntTuple = "(_2,_1)".parse()?;
    /// assert_eq!(whole.beginning_at(&coordinate)?.to_string(), "Sw<2,1,3> o _17 o (_8,_8):(_8,_1)");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// Errors: those of [`Layout::eval_coord`], of the inner layout.
    pub fn beginning_at(&self, coordinate: &IntTuple) -> Result<Self, Refusal> {
        let start = self.inner.eval_coord(coordinate)?;
        Ok(Self {
            offset: add_points(self.offset.view(), start.view())?,
            ..self.clone()
        })
    }

    /// The outer function alone.
    fn apply_outer(&self, inner: &IntTuple) -> Result<Offset, Refusal> {
        match &self.outer {
            Outer::Layout(outer) => outer.eval_coord(inner),
            Outer::Swizzle(swizzle) => match inner.as_leaf() {
                Some(offset) => swizzle.apply_int(offset).map(Tuple::leaf),
                None => Err(Refusal::uncompilable(
                    Rule::UnlikeCodomains,
                    "a swizzle needs an integer offset",
                )
                .with("offset", inner.to_string())),
            },
        }
    }
}

impl AnyLayout {
    /// The offset of a coordinate that is at least weakly congruent with the shape.
    pub fn eval_coord(&self, coordinate: &IntTuple) -> Result<Offset, Refusal> {
        match self {
            AnyLayout::Affine(layout) => layout.eval_coord(coordinate),
            AnyLayout::Composed(composed) => composed.eval_coord(coordinate),
        }
    }
}
