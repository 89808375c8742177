//! Layouts: a shape and a congruent stride, read as a function from coordinates to offsets (paper §2.4).

use crate::coord;
use crate::int::Int;
use crate::refusal::{Refusal, Rule};
use crate::stride::{Delta, Stride, add_points, carryless_product};
use crate::tuple::{
    IntTuple, LEAF, Leaves, Nodes, Profile, Shape, Tuple, TupleView, checked_rank, first_tree,
    product, rank_of,
};
use crate::verdict::Verdict;
use core::fmt;

/// An element of a layout's codomain: an integer, or a coordinate of `Z^(*,...)`.
pub type Offset = IntTuple;

/// A shape and a congruent stride (paper §2.4).
///
/// Invariants: (1) shape and stride share one profile, so there are as many strides as extents; (2) the profile is within
/// [`crate::limits`]. A rank-0 layout is legal: size 1, prints `():()`.
///
/// ```
/// use cute_algebra::Layout;
/// let layout: Layout = "((_2,_2),_4):((_1,_8),_2)".parse()?;
/// assert_eq!(layout.size()?.value(), Some(16));
/// assert_eq!(layout.eval(3)?.to_string(), "9");
/// # Ok::<(), cute_algebra::Refusal>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Layout {
    profile: Profile,
    shape: Leaves<Int>,
    stride: Leaves<Delta>,
}

/// A borrowed layout: a mode of a larger one, without a copy.
#[derive(Clone, Copy, Debug)]
pub struct LayoutView<'a> {
    pub(crate) nodes: &'a [u16],
    pub(crate) shape: &'a [Int],
    pub(crate) stride: &'a [Delta],
}

impl Layout {
    /// The layout of these extents and steps, which must be congruent.
    pub fn new(shape: Shape, stride: Stride) -> Result<Self, Refusal> {
        if shape.profile != stride.profile {
            return Err(Refusal::uncompilable(
                Rule::NotCongruent,
                "shape and stride are not congruent",
            )
            .with("shape", shape.to_string())
            .with("stride", stride.to_string()));
        }
        Ok(Layout {
            profile: shape.profile,
            shape: shape.leaves,
            stride: stride.leaves,
        })
    }

    /// The layout `shape:stride` of rank 1 and depth 0.
    pub fn single(shape: Int, stride: impl Into<Delta>) -> Self {
        Layout {
            profile: Profile::leaf(),
            shape: smallvec::smallvec![shape],
            stride: smallvec::smallvec![stride.into()],
        }
    }

    /// CuTe's empty answer `_1:_0`.
    pub fn unit() -> Self {
        Layout::single(Int::ONE, Int::ZERO)
    }

    /// The compact layout of this shape whose leftmost extent has stride 1 (column-major, CuTe's default).
    pub fn left(shape: Shape) -> Result<Self, Refusal> {
        let stride = crate::ops::compact::compact_left(shape.view(), &Delta::ONE)?;
        Layout::new(shape, stride)
    }

    /// The compact layout of this shape whose rightmost extent has stride 1 (row-major).
    pub fn right(shape: Shape) -> Result<Self, Refusal> {
        let stride = crate::ops::compact::compact_right(shape.view(), &Delta::ONE)?;
        Layout::new(shape, stride)
    }

    /// The layout whose modes are these layouts: CuTe's `make_layout(a, b, ...)` (paper §3.1).
    pub fn concat<'a>(modes: impl IntoIterator<Item = LayoutView<'a>>) -> Result<Self, Refusal> {
        let mut builder = LayoutBuilder::new();
        let mark = builder.open();
        let mut rank = 0;
        for mode in modes {
            builder.view(mode);
            rank += 1;
        }
        builder.close(mark, rank);
        builder.finish()
    }

    /// A borrowed view of the whole.
    #[inline]
    pub fn view(&self) -> LayoutView<'_> {
        LayoutView {
            nodes: self.profile.nodes(),
            shape: &self.shape,
            stride: &self.stride,
        }
    }

    /// The extents.
    pub fn shape(&self) -> Shape {
        self.view().shape()
    }

    /// The steps.
    pub fn stride(&self) -> Stride {
        self.view().stride()
    }

    /// The extents without a copy.
    pub fn shape_view(&self) -> TupleView<'_, Int> {
        self.view().shape_view()
    }

    /// The steps without a copy.
    pub fn stride_view(&self) -> TupleView<'_, Delta> {
        self.view().stride_view()
    }

    /// The grouping of the modes.
    pub fn profile(&self) -> &Profile {
        &self.profile
    }

    /// The number of modes.
    pub fn rank(&self) -> usize {
        self.profile.rank()
    }

    /// The deepest nesting of modes; 0 for `8:1`.
    pub fn depth(&self) -> usize {
        self.profile.depth()
    }

    /// The number of coordinates: the product of the extents.
    pub fn size(&self) -> Result<Int, Refusal> {
        product(&self.shape)
    }

    /// The size of the span of the image: `1 + sum((s-1)*|d|)` for integers, the product of these over the coordinates of
    /// another codomain. It equals the largest offset plus one when no stride is negative.
    pub fn cosize(&self) -> Result<Int, Refusal> {
        crate::ops::coshape::cosize(self)
    }

    /// Mode `index`.
    pub fn mode(&self, index: usize) -> Result<Layout, Refusal> {
        self.view().mode(index).map(LayoutView::to_layout)
    }

    /// Whether every extent and every step is static.
    pub fn is_static(&self) -> bool {
        self.shape.iter().all(Int::is_static) && self.stride.iter().all(Delta::is_static)
    }

    /// The same layout with every known number static.
    #[must_use]
    pub fn to_fixed(&self) -> Layout {
        Layout {
            profile: self.profile.clone(),
            shape: self.shape.iter().map(Int::to_fixed).collect(),
            stride: self.stride.iter().map(Delta::to_fixed).collect(),
        }
    }

    /// The offset of the coordinate with this colexicographic index (leftmost mode fastest). Beyond the size, the last
    /// mode goes on. Negative indices are refused.
    pub fn eval(&self, index: i64) -> Result<Offset, Refusal> {
        self.view().eval(index)
    }

    /// The offset of a coordinate that is at least weakly congruent with the shape: CuTe's `crd2idx`.
    pub fn eval_coord(&self, coordinate: &IntTuple) -> Result<Offset, Refusal> {
        coord::crd2idx(coordinate.view(), self.shape_view(), self.stride_view())
    }

    /// The offset as a number, for known integer or xor strides: no allocation.
    #[inline]
    pub fn eval_number(&self, index: i64) -> Result<i64, Refusal> {
        self.view().eval_number(index)
    }
}

impl<'a> LayoutView<'a> {
    /// An owned copy.
    pub fn to_layout(self) -> Layout {
        let profile = Profile::from_nodes(self.nodes.into()).unwrap_or_else(|_| Profile::leaf());
        Layout {
            profile,
            shape: self.shape.iter().cloned().collect(),
            stride: self.stride.iter().cloned().collect(),
        }
    }

    /// The extents.
    pub fn shape(self) -> Shape {
        self.shape_view().to_tuple()
    }

    /// The steps.
    pub fn stride(self) -> Stride {
        self.stride_view().to_tuple()
    }

    /// The extents without a copy.
    #[inline]
    pub fn shape_view(self) -> TupleView<'a, Int> {
        TupleView {
            nodes: self.nodes,
            leaves: self.shape,
        }
    }

    /// The steps without a copy.
    #[inline]
    pub fn stride_view(self) -> TupleView<'a, Delta> {
        TupleView {
            nodes: self.nodes,
            leaves: self.stride,
        }
    }

    /// The extents of the flattened layout.
    #[inline]
    pub fn extents(self) -> &'a [Int] {
        self.shape
    }

    /// The steps of the flattened layout.
    #[inline]
    pub fn steps(self) -> &'a [Delta] {
        self.stride
    }

    /// Whether it is a single extent with a single step.
    #[inline]
    pub fn is_leaf(self) -> bool {
        self.nodes.first() == Some(&LEAF)
    }

    /// The extent and the step, when it is a single one.
    #[inline]
    pub fn as_leaf(self) -> Option<(&'a Int, &'a Delta)> {
        if self.is_leaf() {
            Some((self.shape.first()?, self.stride.first()?))
        } else {
            None
        }
    }

    /// The number of modes.
    #[inline]
    pub fn rank(self) -> usize {
        rank_of(self.nodes)
    }

    /// The product of the extents.
    pub fn size(self) -> Result<Int, Refusal> {
        product(self.shape)
    }

    /// The modes from left to right; a leaf is its only mode.
    pub fn modes(self) -> LayoutModes<'a> {
        let nodes = if self.is_leaf() {
            self.nodes
        } else {
            self.nodes.get(1..).unwrap_or_default()
        };
        LayoutModes {
            rest: LayoutView { nodes, ..self },
        }
    }

    /// Mode `index`, or a refusal when there is none.
    pub fn mode(self, index: usize) -> Result<LayoutView<'a>, Refusal> {
        self.modes().nth(index).ok_or_else(|| {
            Refusal::uncompilable(Rule::NoSuchMode, "Index out of range")
                .with("index", index)
                .with("rank", self.rank())
        })
    }

    /// The mode at `path`, outermost index first.
    pub fn path(self, path: &[u16]) -> Result<LayoutView<'a>, Refusal> {
        path.iter()
            .try_fold(self, |layout, &index| layout.mode(usize::from(index)))
    }

    /// See [`Layout::eval_number`].
    pub fn eval_number(self, index: i64) -> Result<i64, Refusal> {
        let mut rest = non_negative(index)?;
        let mut offset = 0_i64;
        let last = self.shape.len().wrapping_sub(1);
        for (i, (extent, step)) in self.shape.iter().zip(self.stride).enumerate() {
            let digit = if i == last {
                rest
            } else {
                take_digit(&mut rest, extent)?
            };
            offset = match step {
                Delta::Int(step) => {
                    let step = step.value().ok_or_else(|| unknown(step))?;
                    digit
                        .checked_mul(step)
                        .and_then(|d| offset.checked_add(d))
                        .ok_or_else(|| {
                            Refusal::overflow("offset")
                                .with("coordinate", index)
                                .with("stride", step)
                        })?
                }
                Delta::Xor(bits) => offset ^ carryless_product(digit, *bits)?,
                Delta::Basis(_) => {
                    return Err(Refusal::uncompilable(
                        Rule::UnlikeCodomains,
                        "offsets are coordinates, not numbers",
                    ));
                }
            };
        }
        Ok(offset)
    }

    /// See [`Layout::eval`].
    pub fn eval(self, index: i64) -> Result<Offset, Refusal> {
        if self
            .stride
            .iter()
            .all(|d| !matches!(d, Delta::Basis(_)) && d.value().value().is_some())
        {
            return self
                .eval_number(index)
                .map(|n| Tuple::leaf(Int::dynamic(n)));
        }
        let mut rest = non_negative(index)?;
        let mut offset = Tuple::leaf(Int::ZERO);
        let last = self.shape.len().wrapping_sub(1);
        for (i, (extent, step)) in self.shape.iter().zip(self.stride).enumerate() {
            let digit = if i == last {
                rest
            } else {
                take_digit(&mut rest, extent)?
            };
            let point = step.scale(&Int::dynamic(digit))?.to_point()?;
            offset = add_points(offset.view(), point.view())?;
        }
        Ok(offset)
    }
}

fn non_negative(index: i64) -> Result<i64, Refusal> {
    if index < 0 {
        return Err(Refusal::new(Rule::NegativeStride, Verdict::Accepts).with("coordinate", index));
    }
    Ok(index)
}

/// `rest % extent`, leaving `rest / extent`.
fn take_digit(rest: &mut i64, extent: &Int) -> Result<i64, Refusal> {
    let extent = extent.value().ok_or_else(|| unknown(extent))?;
    match (rest.checked_rem(extent), rest.checked_div(extent)) {
        (Some(digit), Some(quotient)) => {
            *rest = quotient;
            Ok(digit)
        }
        _ => Err(Refusal::new(Rule::DivisionByZero, Verdict::Traps).with("extent", extent)),
    }
}

#[cold]
fn unknown(int: &Int) -> Refusal {
    Refusal::new(Rule::NotProvable, Verdict::Accepts).with("unknown", int)
}

/// The modes of a layout, from left to right.
#[derive(Clone, Debug)]
pub struct LayoutModes<'a> {
    rest: LayoutView<'a>,
}

impl<'a> Iterator for LayoutModes<'a> {
    type Item = LayoutView<'a>;

    fn next(&mut self) -> Option<LayoutView<'a>> {
        let rest = self.rest;
        if rest.nodes.is_empty() {
            return None;
        }
        let (nodes, leaves) = first_tree(rest.nodes);
        let (own, nodes) = rest.nodes.split_at_checked(nodes)?;
        let (own_shape, shape) = rest.shape.split_at_checked(leaves)?;
        let (own_stride, stride) = rest.stride.split_at_checked(leaves)?;
        self.rest = LayoutView {
            nodes,
            shape,
            stride,
        };
        Some(LayoutView {
            nodes: own,
            shape: own_shape,
            stride: own_stride,
        })
    }
}

impl fmt::Display for Layout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.view().fmt(f)
    }
}

impl fmt::Display for LayoutView<'_> {
    /// As CuTe prints it: `((_2,_2),_4):((_1,_8),_2)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.shape_view().fmt(f)?;
        f.write_str(":")?;
        self.stride_view().fmt(f)
    }
}

/// Builds a layout node by node, in preorder.
#[derive(Debug)]
pub(crate) struct LayoutBuilder {
    nodes: Nodes,
    shape: Leaves<Int>,
    stride: Leaves<Delta>,
    too_wide: bool,
}

impl LayoutBuilder {
    pub(crate) fn new() -> Self {
        LayoutBuilder {
            nodes: Nodes::new(),
            shape: Leaves::new(),
            stride: Leaves::new(),
            too_wide: false,
        }
    }

    /// Opens a group; the mark goes to [`LayoutBuilder::close`].
    pub(crate) fn open(&mut self) -> usize {
        self.nodes.push(0);
        self.nodes.len() - 1
    }

    pub(crate) fn close(&mut self, mark: usize, rank: usize) {
        match (checked_rank(rank), self.nodes.get_mut(mark)) {
            (Ok(rank), Some(node)) => *node = rank,
            _ => self.too_wide = true,
        }
    }

    /// [`LayoutBuilder::close`] of a group of leaves; a group of one becomes that leaf.
    pub(crate) fn close_unwrapped(&mut self, mark: usize, rank: usize) {
        if rank == 1 {
            self.nodes.remove(mark);
        } else {
            self.close(mark, rank);
        }
    }

    #[inline]
    pub(crate) fn leaf(&mut self, shape: Int, stride: Delta) {
        self.nodes.push(LEAF);
        self.shape.push(shape);
        self.stride.push(stride);
    }

    pub(crate) fn view(&mut self, view: LayoutView<'_>) {
        self.nodes.extend_from_slice(view.nodes);
        self.shape.extend(view.shape.iter().cloned());
        self.stride.extend(view.stride.iter().cloned());
    }

    pub(crate) fn finish(self) -> Result<Layout, Refusal> {
        if self.too_wide {
            return Err(Refusal::limit("rank", crate::limits::RANK));
        }
        Ok(Layout {
            profile: Profile::from_nodes(self.nodes)?,
            shape: self.shape,
            stride: self.stride,
        })
    }
}
