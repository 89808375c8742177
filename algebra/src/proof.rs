//! Theorems that decide a question about layouts without visiting coordinates, and small searches where none does.

use crate::int::Int;
use crate::layout::{Layout, LayoutView};
use crate::ops;
use crate::ops::coalesce::coalesce_extended;
use crate::stride::Delta;
use crate::tuple::LEAF;
use std::collections::HashMap;

/// Whether `r = a o b` follows from the digits that the modes of `b` occupy in the mixed radix of `a`'s extents.
///
/// Theorem. Write each mode `s:d` of `b` in that radix. If `d` is a multiple of the extents it passes, and `s` elements
/// fill whole digits or stay inside one (paper, conditions 20 and 21), the mode moves in each digit by multiples of one
/// step. If, in each digit but the last, the largest movements of all modes add up to less than the extent, then no sum
/// `b(c)` carries (paper, 22 and 23), so `a` is linear on the image of `b`, and the composition is the sum of its modes.
///
/// The strides of `a` are only scaled and added, so they may be symbols, or steps in the coordinates of one codomain;
/// not xor strides, of which two times one is 0.
///
/// `true` is a proof for every coordinate; `false` says nothing. Linear in the modes of `a` times those of `b`.
pub fn is_composition(a: LayoutView<'_>, b: LayoutView<'_>, r: LayoutView<'_>) -> bool {
    if !step_in_one_codomain(&[a, r]) {
        return false;
    }
    let Ok(a) = coalesce_extended(a) else {
        return false;
    };
    let Some(digits) = Digits::of(a.view()) else {
        return false;
    };
    digits.proves(b, r).unwrap_or(false)
}

/// Whether the offsets of these layouts are all integers, or all of them coordinates of one codomain: then they add. A
/// coordinate that is itself split into others would not, nor a run-time integer and a coordinate.
pub(crate) fn step_in_one_codomain(layouts: &[LayoutView<'_>]) -> bool {
    let steps = || layouts.iter().flat_map(|layout| layout.stride);
    if steps().all(|step| step.as_int().is_some()) {
        return true;
    }
    let has_coordinates =
        |layout: &LayoutView<'_>| layout.stride.iter().any(|d| d.as_basis().is_some());
    let adds = |step: &Delta| match step {
        Delta::Int(int) => int.is_constant(0),
        Delta::Basis(basis) => basis.denominator == 1 && !basis.path.is_empty(),
        Delta::Xor(_) => false,
    };
    if !layouts.iter().all(has_coordinates) || !steps().all(adds) {
        return false;
    }
    let mut paths: Vec<&[u16]> = steps()
        .filter_map(Delta::as_basis)
        .map(|basis| &*basis.path)
        .collect();
    paths.sort_unstable();
    paths.dedup();
    // A path that begins with another one is right behind it.
    paths
        .iter()
        .zip(paths.iter().skip(1))
        .all(|(path, next)| !next.starts_with(path))
}

/// The extents of the left operand as a mixed radix, and the value of a step in each digit.
struct Digits<'a> {
    extents: Vec<i64>,
    strides: &'a [Delta],
}

impl<'a> Digits<'a> {
    fn of(a: LayoutView<'a>) -> Option<Self> {
        let extents = a.shape.iter().map(Int::value).collect::<Option<Vec<_>>>()?;
        Some(Digits {
            extents,
            strides: a.stride,
        })
    }

    fn proves(&self, b: LayoutView<'_>, r: LayoutView<'_>) -> Option<bool> {
        let mut moved = vec![0_i64; self.extents.len()];
        let mut stack = vec![(b, r)];
        while let Some((b, r)) = stack.pop() {
            if let Some((extent, step)) = b.as_leaf() {
                let expected =
                    self.decompose(extent.value()?, step.as_int()?.value()?, &mut moved)?;
                if !same_function(&expected, r)? {
                    return Some(false);
                }
            } else if b.nodes.first() == Some(&LEAF) || b.rank() != r.rank() || r.is_leaf() {
                return None;
            } else {
                stack.extend(b.modes().zip(r.modes()));
            }
        }
        let bounded = self.extents.len().checked_sub(1)?;
        Some(
            moved
                .iter()
                .zip(&self.extents)
                .take(bounded)
                .all(|(moved, extent)| moved < extent),
        )
    }

    /// The composition with one mode `s:d`, as pairs of extent and stride; adds its largest movement to each digit.
    fn decompose(&self, s: i64, d: i64, moved: &mut [i64]) -> Option<Vec<(i64, Delta)>> {
        if s < 1 || d < 0 {
            return None;
        }
        if d == 0 || s == 1 {
            return Some(vec![(s, Delta::ZERO)]);
        }
        let mut modes = Vec::new();
        let (mut rest, mut step) = (s, d);
        let last = self.extents.len().checked_sub(1)?;
        for ((i, &extent), stride) in self.extents.iter().enumerate().zip(self.strides) {
            if extent < 1 {
                return None;
            }
            if i < last && step % extent == 0 {
                step /= extent;
                continue;
            }
            let reach = (rest - 1).checked_mul(step)?;
            let fits = i == last || reach < extent;
            let taken = if fits {
                rest
            } else if step < extent && extent % step == 0 {
                extent / step
            } else {
                return None;
            };
            if rest % taken != 0 {
                return None;
            }
            let digit = moved.get_mut(i)?;
            *digit = digit.checked_add((taken - 1).checked_mul(step)?)?;
            modes.push((taken, stride.scale(&Int::fixed(step)).ok()?.to_fixed()));
            rest /= taken;
            step = 1;
            if rest == 1 {
                break;
            }
        }
        Some(modes)
    }
}

/// Whether a flat mode list and a layout are the same function, by comparing them with neighbours merged.
fn same_function(expected: &[(i64, Delta)], r: LayoutView<'_>) -> Option<bool> {
    let found = r
        .shape
        .iter()
        .zip(r.stride)
        .map(|(s, d)| Some((s.value()?, d.to_fixed())))
        .collect::<Option<Vec<_>>>()?;
    Some(merged(expected)? == merged(&found)?)
}

/// The modes with neighbours merged; strides have their known numbers static, so that equal ones are equal in form.
fn merged(modes: &[(i64, Delta)]) -> Option<Vec<(i64, Delta)>> {
    let mut merged: Vec<(i64, Delta)> = Vec::with_capacity(modes.len());
    for (extent, stride) in modes {
        if *extent == 1 {
            continue;
        }
        match merged.last_mut() {
            Some((s, d)) if d.scale(&Int::fixed(*s)).is_ok_and(|next| next == *stride) => {
                *s = s.checked_mul(*extent)?;
            }
            _ => merged.push((*extent, stride.clone())),
        }
    }
    Some(merged)
}

/// Two coordinates with the same offset, the smaller second coordinate first, among the first `budget` coordinates.
pub fn first_collision(layout: &Layout, budget: u64) -> Option<(i64, i64, i64)> {
    let size = layout
        .size()
        .ok()?
        .value()?
        .min(i64::try_from(budget).unwrap_or(i64::MAX));
    let mut seen = HashMap::new();
    for coordinate in 0..size {
        let offset = layout.eval_number(coordinate).ok()?;
        if let Some(first) = seen.insert(offset, coordinate) {
            return Some((first, coordinate, offset));
        }
    }
    None
}

/// The distance from the refused number within which a legal one is searched.
pub(crate) const NEIGHBOURS: i64 = 64;

/// Right operands near `b` whose composition with `a` CuTe accepts and the definition confirms: one extent or one stride
/// of one mode is changed, the smallest changes first.
pub fn legal_right_operands(a: &Layout, b: &Layout) -> Vec<Layout> {
    let mut legal = Vec::new();
    let view = b.view();
    for distance in 1..=NEIGHBOURS {
        for leaf in 0..view.shape.len() {
            for (extent, stride) in [(0, -distance), (0, distance), (-distance, 0), (distance, 0)] {
                if let Some(candidate) = neighbour(b, leaf, extent, stride)
                    && ops::composition(a, &candidate)
                        .is_ok_and(|r| is_composition(a.view(), candidate.view(), r.view()))
                {
                    legal.push(candidate);
                }
                if legal.len() == 3 {
                    return legal;
                }
            }
        }
    }
    legal
}

/// The layout with one extent and one stride moved; `None` unless both stay positive.
fn neighbour(b: &Layout, leaf: usize, extent: i64, stride: i64) -> Option<Layout> {
    let (mut shape, mut strides) = (b.shape(), b.stride());
    let moved = |number: &Int, by: i64| {
        number
            .value()?
            .checked_add(by)
            .filter(|n| *n > 0)
            .map(Int::fixed)
    };
    let s = shape.leaves.get_mut(leaf)?;
    *s = moved(s, extent)?;
    let d = strides.leaves.get_mut(leaf)?;
    *d = Delta::Int(moved(d.as_int()?, stride)?);
    Layout::new(shape, strides).ok()
}
