//! The definition that a judged result is compared with, taken apart into one function per mode.

use super::plan::Plan;
use crate::int::Int;
use crate::layout::{Layout, LayoutView, Offset};
use crate::limits;
use crate::ops;
use crate::proof;
use crate::refusal::Refusal;
use crate::stride::{Delta, add_points};
use crate::tiler::Tiler;
use crate::tuple::{IntTuple, Tuple};
use crate::witness::{Checked, Comparison, compare_unless};

/// A function that one mode of a result has to have.
pub(super) enum Part {
    /// `a(b(x))`.
    Composition { a: Layout, b: Layout },
    /// `block(x % size) + free(grid(x / size))`.
    Product {
        block: Layout,
        free: Layout,
        grid: Layout,
    },
    /// `layout(x)`.
    Same(Layout),
}

impl Part {
    /// The offset of a coordinate, and whether it was read beyond the domain of `a`.
    fn eval(&self, x: i64) -> Result<(Offset, bool), Refusal> {
        match self {
            Part::Same(layout) => layout.eval(x).map(|offset| (offset, false)),
            Part::Composition { a, b } => eval_composition(a.view(), b.view(), x),
            Part::Product { block, free, grid } => {
                let size = block.size()?.value().filter(|s| *s > 0).unwrap_or(1);
                let (copy, outside) = eval_composition(free.view(), grid.view(), x / size)?;
                Ok((
                    add_points(block.eval(x % size)?.view(), copy.view())?,
                    outside,
                ))
            }
        }
    }

    /// Whether a theorem says that CuTe's composition is right here.
    fn is_proved(&self) -> bool {
        match self {
            Part::Same(_) => true,
            Part::Composition { a, b } => ops::composition(a, b)
                .is_ok_and(|r| proof::is_composition(a.view(), b.view(), r.view())),
            Part::Product { free, grid, .. } => ops::composition(free, grid)
                .is_ok_and(|r| proof::is_composition(free.view(), grid.view(), r.view())),
        }
    }
}

/// `a(b(x))`, and whether `b(x)` is outside of the domain of `a`.
pub(super) fn eval_composition(
    a: LayoutView<'_>,
    b: LayoutView<'_>,
    x: i64,
) -> Result<(Offset, bool), Refusal> {
    let inner = b.eval(x)?;
    if let Some(index) = inner.as_leaf().and_then(Int::value) {
        let outside = a
            .size()?
            .value()
            .is_some_and(|size| index >= size || index < 0);
        Ok((a.eval(index)?, outside))
    } else {
        let padded = pad_with_zeros(&inner, a)?;
        let outside = crate::coord::is_inside(padded.view(), a.shape_view())? == Some(false);
        let offset = crate::coord::crd2idx(padded.view(), a.shape_view(), a.stride_view())?;
        Ok((offset, outside))
    }
}

/// A point of a codomain as a coordinate of `a`: coordinates that it does not name are 0.
fn pad_with_zeros(point: &IntTuple, a: LayoutView<'_>) -> Result<IntTuple, Refusal> {
    if point.is_leaf() || a.is_leaf() {
        return Ok(point.clone());
    }
    let zero = Tuple::leaf(Int::ZERO);
    let modes = a.modes().enumerate().map(|(i, mode)| match point.get(i) {
        Some(p) => pad_with_zeros(&p.to_tuple(), mode),
        None => Ok(zero.clone()),
    });
    Tuple::group(modes.collect::<Result<Vec<_>, _>>()?)
}

/// The parts of a result, and the places of the coordinates of each part in it.
pub(super) struct Definition {
    pub(super) parts: Vec<Part>,
    /// Maps a coordinate of the logical result to the coordinate `x_p` of each part `p`, as `x_p@p`.
    pub(super) coordinates: Layout,
}

impl Definition {
    /// A divide: mode 0 of each pair is `A o T`, mode 1 is `A o T*`.
    pub(super) fn of_divide(layout: LayoutView<'_>, tiler: &Tiler) -> Result<Self, Refusal> {
        let mut parts = Vec::new();
        let coordinates = collect_parts(layout, tiler, &mut parts, &|mode, tile| {
            let target = ops::coalesce(&mode.to_layout())?.shape();
            let rest = ops::complement(tile, &target)?;
            let split = Layout::concat([tile.view(), rest.view()])?;
            let sizes = (tile.size()?, rest.size()?);
            Ok((
                Part::Composition {
                    a: mode.to_layout(),
                    b: split,
                },
                sizes,
            ))
        })?;
        Ok(Definition { parts, coordinates })
    }

    /// A product: mode 0 of each pair is the block, mode 1 is `A* o T`.
    pub(super) fn of_product(layout: LayoutView<'_>, tiler: &Tiler) -> Result<Self, Refusal> {
        let mut parts = Vec::new();
        let coordinates = collect_parts(layout, tiler, &mut parts, &|mode, grid| {
            let block = mode.to_layout();
            let target = block.size()?.mul(&grid.cosize()?)?;
            let free = ops::complement(&block, &Tuple::leaf(target))?;
            let sizes = (block.size()?, grid.size()?);
            Ok((
                Part::Product {
                    block,
                    free,
                    grid: grid.clone(),
                },
                sizes,
            ))
        })?;
        Ok(Definition { parts, coordinates })
    }

    /// Compares a result whose coordinates are arranged like `arranged`.
    pub(super) fn compare_with(&self, arranged: &Layout, result: &Layout) -> Comparison {
        if self.parts.iter().all(Part::is_proved) {
            return Comparison::Holds(Checked::ByTheorem);
        }
        let mut plan = Plan::of(&self.parts, arranged, result);
        self.compare_at_coordinates(arranged, result, &mut || {
            plan.as_mut().is_some_and(Plan::next_agrees)
        })
    }

    /// Compares both functions, passing over the coordinates at which they are known to agree.
    pub(super) fn compare_at_coordinates(
        &self,
        arranged: &Layout,
        result: &Layout,
        agrees: &mut dyn FnMut() -> bool,
    ) -> Comparison {
        let size = result.size().ok().and_then(|size| size.value());
        let expected = |c: i64| {
            let point = arranged.eval(c)?;
            let mut sum = Tuple::leaf(Int::ZERO);
            let mut outside = false;
            for (p, part) in self.parts.iter().enumerate() {
                let x = point
                    .get(p)
                    .and_then(|x| x.as_leaf().and_then(Int::value))
                    .unwrap_or(0);
                let (offset, beyond) = part.eval(x)?;
                sum = add_points(sum.view(), offset.view())?;
                outside |= beyond;
            }
            Ok((sum, outside))
        };
        compare_unless(size, limits::BUDGET, agrees, &expected, &|c| result.eval(c))
    }
}

type SplitMode<'a> = &'a dyn Fn(LayoutView<'_>, &Layout) -> Result<(Part, (Int, Int)), Refusal>;

/// Collects the parts of a by-mode operation, and builds the layout of their coordinates.
fn collect_parts(
    layout: LayoutView<'_>,
    tiler: &Tiler,
    parts: &mut Vec<Part>,
    split: SplitMode<'_>,
) -> Result<Layout, Refusal> {
    let tile = match tiler {
        Tiler::Skip => return untouched(layout, parts),
        Tiler::Int(extent) => Layout::single(extent.clone(), Int::ONE),
        Tiler::Layout(tile) => tile.clone(),
        Tiler::Modes(tilers) => {
            let mut modes = Vec::with_capacity(layout.rank());
            for (mode, tiler) in layout.modes().zip(tilers) {
                modes.push(collect_parts(mode, tiler, parts, split)?);
            }
            for mode in layout.modes().skip(tilers.len()) {
                modes.push(untouched(mode, parts)?);
            }
            return Layout::concat(modes.iter().map(Layout::view));
        }
    };
    let path = part_path(parts)?;
    let (part, (first, second)) = split(layout, &tile)?;
    parts.push(part);
    let shape = Tuple::flat([first.clone(), second])?;
    let stride = Tuple::flat([Delta::basis(Int::ONE, [path]), Delta::basis(first, [path])])?;
    Layout::new(shape, stride)
}

fn untouched(layout: LayoutView<'_>, parts: &mut Vec<Part>) -> Result<Layout, Refusal> {
    let path = part_path(parts)?;
    parts.push(Part::Same(layout.to_layout()));
    let start = Delta::basis(Int::ONE, [path]);
    Layout::new(
        layout.shape(),
        ops::compact::compact_left(layout.shape_view(), &start)?,
    )
}

fn part_path(parts: &[Part]) -> Result<u16, Refusal> {
    u16::try_from(parts.len()).map_err(|_| Refusal::limit("rank", limits::RANK))
}

/// The parts of a by-mode composition, and the layout of their coordinates.
pub(super) fn collect_compositions(
    a: LayoutView<'_>,
    tiler: &Tiler,
    parts: &mut Vec<Part>,
) -> Result<Layout, Refusal> {
    let b = match tiler {
        Tiler::Skip => return untouched(a, parts),
        Tiler::Int(extent) => Layout::single(extent.clone(), Int::ONE),
        Tiler::Layout(b) => b.clone(),
        Tiler::Modes(tilers) => {
            let modes = a
                .modes()
                .zip(tilers)
                .map(|(mode, tiler)| collect_compositions(mode, tiler, parts));
            let modes = modes.collect::<Result<Vec<_>, _>>()?;
            return Layout::concat(modes.iter().map(Layout::view));
        }
    };
    let start = Delta::basis(Int::ONE, [part_path(parts)?]);
    let domain = Layout::new(
        b.shape(),
        ops::compact::compact_left(b.shape_view(), &start)?,
    )?;
    parts.push(Part::Composition {
        a: a.to_layout(),
        b,
    });
    Ok(domain)
}
