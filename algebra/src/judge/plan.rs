//! A comparison in plain numbers.
//!
//! Where every extent and every step is a known number, the functions that are compared are sums of digits times steps,
//! in each coordinate of one codomain. A [`Plan`] is their representation as such: it walks along the coordinates without
//! an allocation, and says at which of them both functions surely agree. All else, a difference as well as a negative
//! index or a sum that may be too large, is left to the evaluation, so that nothing which is told depends on a plan.

use super::definition::Part;
use crate::layout::{Layout, LayoutView};
use crate::proof::step_in_one_codomain;
use crate::stride::Delta;
use smallvec::SmallVec;

/// Largest sum of the magnitudes of the terms of one layout.
const REACH: i64 = 1 << 56;
/// Most layouts that are added, and most coordinates that index one of them: whatever the order, nothing overflows.
const LAYOUTS: usize = 16;
const COORDINATES: usize = 4;
/// Largest index in a path: the points of the codomain stay far below the limits of a tuple.
const MODES: u16 = 64;

/// A number for each coordinate of a codomain.
type Point = SmallVec<[i64; 4]>;

/// The coordinates of a codomain by their paths; the integers have a single one, of empty path.
struct Axes<'a>(SmallVec<[&'a [u16]; 4]>);

impl<'a> Axes<'a> {
    /// Those in which the layouts step; `None` where they are many, or not all offsets can be added.
    fn of(layouts: &[LayoutView<'a>]) -> Option<Self> {
        if !step_in_one_codomain(layouts) {
            return None;
        }
        let mut paths: SmallVec<[&[u16]; 4]> = SmallVec::new();
        for step in layouts.iter().flat_map(|layout| layout.stride) {
            if let Delta::Basis(basis) = step
                && !paths.contains(&&*basis.path)
            {
                if paths.len() == COORDINATES || basis.path.iter().any(|index| *index >= MODES) {
                    return None;
                }
                paths.push(&basis.path);
            }
        }
        if paths.is_empty() {
            paths.push(&[]);
        }
        Some(Axes(paths))
    }

    fn origin(&self) -> Point {
        smallvec::smallvec![0; self.0.len()]
    }

    fn find(&self, path: &[u16]) -> Option<usize> {
        self.0.iter().position(|axis| *axis == path)
    }

    /// The distance of a step, and its coordinate.
    fn locate(&self, step: &Delta) -> Option<(i64, usize)> {
        match step {
            Delta::Int(int) => Some((int.value()?, 0)),
            Delta::Basis(basis) => Some((basis.value.value()?, self.find(&basis.path)?)),
            Delta::Xor(_) => None,
        }
    }
}

/// An extent, and the summand of a step along it in one coordinate of the codomain.
struct Mode {
    extent: i64,
    step: i64,
    axis: usize,
}

/// A layout as a list of modes.
struct Modes {
    modes: SmallVec<[Mode; 8]>,
    /// The largest value of the last digit.
    furthest: i64,
}

impl Modes {
    fn of(layout: LayoutView<'_>, axes: &Axes<'_>) -> Option<Self> {
        let mut modes: SmallVec<[Mode; 8]> = SmallVec::new();
        let mut size = 1_i64;
        for (extent, step) in layout.shape.iter().zip(layout.stride) {
            let extent = extent.value().filter(|extent| *extent > 0)?;
            size = size.checked_mul(extent)?;
            let (step, axis) = axes.locate(step)?;
            modes.push(Mode { extent, step, axis });
        }
        let mut room = REACH;
        for mode in modes.iter().rev().skip(1) {
            room -= (mode.extent - 1).checked_mul(mode.step.checked_abs()?)?;
            if room < 0 {
                return None;
            }
        }
        let last = modes
            .last()
            .map_or(Some(0), |mode| mode.step.checked_abs())?;
        Some(Modes {
            modes,
            furthest: room.checked_div(last).unwrap_or(i64::MAX),
        })
    }

    /// Adds the offset of an index to a point; `None` where it is not known to be one.
    fn add(&self, index: i64, to: &mut Point) -> Option<()> {
        let Some((last, bounded)) = self.modes.split_last() else {
            return Some(());
        };
        if index < 0 {
            return None;
        }
        let mut rest = index;
        for mode in bounded {
            *to.get_mut(mode.axis)? += rest % mode.extent * mode.step;
            rest /= mode.extent;
        }
        if rest > self.furthest {
            return None;
        }
        *to.get_mut(last.axis)? += rest * last.step;
        Some(())
    }
}

/// A layout at one coordinate after the other.
struct Walk {
    modes: Modes,
    digits: Point,
    point: Point,
}

impl Walk {
    fn along(layout: LayoutView<'_>, axes: &Axes<'_>) -> Option<Self> {
        let modes = Modes::of(layout, axes)?;
        Some(Walk {
            digits: smallvec::smallvec![0; modes.modes.len()],
            point: axes.origin(),
            modes,
        })
    }

    /// The offset; `None` where it may be too large.
    fn point(&self) -> Option<&Point> {
        let last = self.digits.last().copied().unwrap_or(0);
        (last <= self.modes.furthest).then_some(&self.point)
    }

    fn advance(&mut self) {
        let last = self.digits.len().wrapping_sub(1);
        for ((i, mode), digit) in self.modes.modes.iter().enumerate().zip(&mut self.digits) {
            let Some(coordinate) = self.point.get_mut(mode.axis) else {
                return;
            };
            *digit += 1;
            *coordinate = coordinate.wrapping_add(mode.step);
            if i == last || *digit < mode.extent {
                return;
            }
            *coordinate = coordinate.wrapping_sub(mode.extent.wrapping_mul(mode.step));
            *digit = 0;
        }
    }
}

/// `a(b(x))`: for each coordinate of the codomain of `b`, the modes of `a` that it is an index of.
struct Composed {
    inner: Modes,
    outer: SmallVec<[Modes; 2]>,
    index: Point,
}

impl Composed {
    fn of(a: LayoutView<'_>, b: LayoutView<'_>, axes: &Axes<'_>) -> Option<Self> {
        let inner_axes = Axes::of(&[b])?;
        let whole = Modes::of(a, axes)?;
        let outer: SmallVec<[Modes; 2]> = if inner_axes.0.as_slice() == [&[] as &[u16]] {
            std::iter::once(whole).collect()
        } else {
            let at = |path: &&[u16]| Modes::of(mode_at(a, path)?, axes);
            inner_axes.0.iter().map(at).collect::<Option<_>>()?
        };
        Some(Composed {
            inner: Modes::of(b, &inner_axes)?,
            index: inner_axes.origin(),
            outer,
        })
    }

    fn add(&mut self, x: i64, to: &mut Point) -> Option<()> {
        self.index.fill(0);
        self.inner.add(x, &mut self.index)?;
        let mut each = self.outer.iter().zip(&self.index);
        each.try_for_each(|(outer, index)| outer.add(*index, to))
    }
}

/// The mode at a path, where each step of it goes into a group.
fn mode_at<'a>(layout: LayoutView<'a>, path: &[u16]) -> Option<LayoutView<'a>> {
    path.iter().try_fold(layout, |layout, index| {
        let index = usize::from(*index);
        (!layout.is_leaf()).then(|| layout.modes().nth(index))?
    })
}

/// The function of a part, in numbers.
enum Function {
    Same(Modes),
    Composition(Composed),
    Product {
        block: Modes,
        size: i64,
        copies: Composed,
    },
}

impl Function {
    fn of(part: &Part, axes: &Axes<'_>) -> Option<Self> {
        Some(match part {
            Part::Same(layout) => Function::Same(Modes::of(layout.view(), axes)?),
            Part::Composition { a, b } => {
                Function::Composition(Composed::of(a.view(), b.view(), axes)?)
            }
            Part::Product { block, free, grid } => Function::Product {
                size: block.size().ok()?.value()?,
                block: Modes::of(block.view(), axes)?,
                copies: Composed::of(free.view(), grid.view(), axes)?,
            },
        })
    }

    fn add(&mut self, x: i64, to: &mut Point) -> Option<()> {
        match self {
            Function::Same(modes) => modes.add(x, to),
            Function::Composition(composed) => composed.add(x, to),
            Function::Product {
                block,
                size,
                copies,
            } => {
                block.add(x % *size, to)?;
                copies.add(x / *size, to)
            }
        }
    }
}

/// A part with where it was evaluated last: the coordinates of most parts change seldom.
struct Placed {
    function: Function,
    /// The coordinate of the arranged coordinates that is its own; none where it never moves.
    axis: Option<usize>,
    at: i64,
    value: Option<Point>,
}

/// A comparison of a sum of parts with a result, in plain numbers.
pub(super) struct Plan {
    parts: Vec<Placed>,
    arranged: Walk,
    result: Walk,
    sum: Point,
}

impl Plan {
    /// `None` where something is not a known number, or where offsets do not add.
    pub(super) fn of(parts: &[Part], arranged: &Layout, result: &Layout) -> Option<Self> {
        let mut layouts: SmallVec<[LayoutView<'_>; 8]> = smallvec::smallvec![result.view()];
        for part in parts {
            match part {
                Part::Same(layout) | Part::Composition { a: layout, .. } => {
                    layouts.push(layout.view());
                }
                Part::Product { block, free, .. } => layouts.extend([block.view(), free.view()]),
            }
        }
        if layouts.len() > LAYOUTS {
            return None;
        }
        let axes = Axes::of(&layouts)?;
        let places = Axes::of(&[arranged.view()])?;
        let placed = |(p, part): (usize, &Part)| {
            let mut function = Function::of(part, &axes)?;
            let mut value = axes.origin();
            let value = function.add(0, &mut value).map(|()| value);
            Some(Placed {
                function,
                axis: places.find(&[u16::try_from(p).ok()?]),
                at: 0,
                value,
            })
        };
        // Each coordinate belongs to a part.
        let is_place = |path: &&[u16]| matches!(path, [p] if usize::from(*p) < parts.len());
        if !places.0.iter().all(is_place) {
            return None;
        }
        Some(Plan {
            parts: parts
                .iter()
                .enumerate()
                .map(placed)
                .collect::<Option<_>>()?,
            arranged: Walk::along(arranged.view(), &places)?,
            result: Walk::along(result.view(), &axes)?,
            sum: axes.origin(),
        })
    }

    /// Whether both functions surely agree at the next coordinate, the first of which is 0.
    pub(super) fn next_agrees(&mut self) -> bool {
        let agrees = self.agrees().unwrap_or(false);
        self.arranged.advance();
        self.result.advance();
        agrees
    }

    fn agrees(&mut self) -> Option<bool> {
        let places = self.arranged.point()?;
        self.sum.fill(0);
        for part in &mut self.parts {
            let x = part.axis.and_then(|axis| places.get(axis)).copied();
            let x = x.unwrap_or(0);
            if x != part.at {
                let mut value = self.sum.clone();
                value.fill(0);
                part.at = x;
                part.value = part.function.add(x, &mut value).map(|()| value);
            }
            for (sum, value) in self.sum.iter_mut().zip(part.value.as_ref()?) {
                *sum += value;
            }
        }
        Some(&self.sum == self.result.point()?)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may panic")]
mod tests {
    use super::super::definition::{Definition, collect_compositions, eval_composition};
    use super::super::{Form, compare_composition_within};
    use super::*;
    use crate::int::Int;
    use crate::ops;
    use crate::stride::Stride;
    use crate::text::{Parse, Reading};
    use crate::tiler::Tiler;
    use crate::witness::compare;
    use proptest::prelude::*;

    const BUDGET: u64 = 3_000;

    fn layout(text: &str) -> Layout {
        Layout::parse(text, Reading::Plain).unwrap()
    }

    /// Up to four modes, the first two of which may be grouped.
    fn layouts(
        extent: impl Strategy<Value = i64>,
        step: impl Strategy<Value = Delta>,
    ) -> impl Strategy<Value = Layout> {
        (
            proptest::collection::vec((extent, step), 1..5),
            any::<bool>(),
        )
            .prop_map(|(modes, grouped)| {
                let each = modes
                    .iter()
                    .map(|(extent, step)| Layout::single(Int::fixed(*extent), step.clone()));
                let mut each: Vec<Layout> = each.collect();
                if grouped && each.len() > 2 {
                    let pair = Layout::concat(each.iter().take(2).map(Layout::view)).unwrap();
                    each.splice(..2, [pair]);
                }
                match each.as_slice() {
                    [only] if grouped => only.clone(),
                    _ => Layout::concat(each.iter().map(Layout::view)).unwrap(),
                }
            })
    }

    /// Steps that are positive, zero, negative, or so large that sums overflow.
    fn number() -> impl Strategy<Value = i64> {
        prop_oneof![
            12 => -9_i64..60,
            1 => prop::sample::select(vec![1 << 40, 1 << 55, -(1 << 60), i64::MAX, i64::MIN]),
        ]
    }

    fn integers() -> impl Strategy<Value = Layout> {
        let step = prop_oneof![
            9 => number().prop_map(Delta::fixed),
            1 => (0_i64..9).prop_map(|n| Delta::Int(Int::dynamic(n))),
        ];
        layouts(1_i64..9, step)
    }

    fn coordinates() -> impl Strategy<Value = Layout> {
        let paths: Vec<Vec<u16>> = vec![vec![0], vec![1], vec![2], vec![1, 0], vec![1, 1]];
        let basis = (number(), prop::sample::select(paths))
            .prop_map(|(value, path)| Delta::basis(Int::fixed(value), path));
        let step = prop_oneof![
            2 => Just(Delta::ZERO),
            1 => Just(Delta::Int(Int::dynamic(0))),
            20 => basis,
        ];
        layouts(1_i64..9, step)
    }

    /// A layout that is likely a valid right operand.
    fn operand() -> impl Strategy<Value = Layout> {
        layouts(1_i64..7, (0_i64..25).prop_map(Delta::fixed))
    }

    /// A result with one of its steps replaced by another of them.
    fn disturbed(result: &Layout, by: (usize, usize)) -> Layout {
        let mut stride: Stride = result.stride();
        let count = stride.leaves.len().max(1);
        if let Some(other) = stride.leaves.get(by.0 % count).cloned()
            && let Some(step) = stride.leaves.get_mut(by.1 % count)
        {
            *step = other;
        }
        Layout::new(result.shape(), stride).unwrap()
    }

    fn check_composition(a: &Layout, b: &Layout, result: &Layout) -> Result<(), TestCaseError> {
        if crate::proof::is_composition(a.view(), b.view(), result.view()) {
            return Ok(());
        }
        let size = b.size().ok().and_then(|size| size.value());
        let slow = compare(
            size,
            BUDGET,
            &|c| eval_composition(a.view(), b.view(), c),
            &|c| result.eval(c),
        );
        let planned = compare_composition_within(a, b, result, BUDGET);
        prop_assert_eq!(planned, slow, "{} o {} = {}", a, b, result);
        Ok(())
    }

    fn check_definition(
        definition: &Definition,
        arranged: &Layout,
        result: &Layout,
    ) -> Result<(), TestCaseError> {
        let mut plan = Plan::of(&definition.parts, arranged, result);
        let planned = definition.compare_at_coordinates(arranged, result, &mut || {
            plan.as_mut().is_some_and(Plan::next_agrees)
        });
        let slow = definition.compare_at_coordinates(arranged, result, &mut || false);
        prop_assert_eq!(planned, slow, "{} as {}", result, arranged);
        Ok(())
    }

    fn check_all(a: &Layout, tiler: &Tiler, by: (usize, usize)) -> Result<(), TestCaseError> {
        let forms = [Form::Logical, Form::Zipped, Form::Tiled, Form::Flat];
        let divided = Definition::of_divide(a.view(), tiler).ok();
        let multiplied = Definition::of_product(a.view(), tiler).ok();
        for (definition, logical) in [
            (divided, ops::logical_divide(a, tiler)),
            (multiplied, ops::logical_product(a, tiler)),
        ] {
            let (Some(definition), Ok(logical)) = (definition, logical) else {
                continue;
            };
            if logical
                .size()
                .ok()
                .and_then(|size| size.value())
                .is_none_or(|size| size > 4_000)
            {
                continue;
            }
            for form in forms {
                if let (Ok(arranged), Ok(result)) = (
                    form.arrange(&definition.coordinates, tiler),
                    form.arrange(&logical, tiler),
                ) {
                    check_definition(&definition, &arranged, &result)?;
                    check_definition(&definition, &arranged, &disturbed(&result, by))?;
                }
            }
        }
        let mut parts = Vec::new();
        if let (Ok(arranged), Ok(result)) = (
            collect_compositions(a.view(), tiler, &mut parts),
            ops::composition_by(a, tiler),
        ) {
            let coordinates = arranged.clone();
            let definition = Definition { parts, coordinates };
            check_definition(&definition, &arranged, &result)?;
            check_definition(&definition, &arranged, &disturbed(&result, by))?;
        }
        Ok(())
    }

    fn tiler() -> impl Strategy<Value = Tiler> {
        let one = prop_oneof![
            1 => Just(Tiler::Skip),
            4 => (1_i64..6).prop_map(|extent| Tiler::Int(Int::fixed(extent))),
            4 => operand().prop_map(Tiler::Layout),
        ];
        let modes = proptest::collection::vec(one.clone(), 1..3).prop_map(Tiler::Modes);
        prop_oneof![one, modes]
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn a_planned_composition_is_judged_as_without_a_plan(
            a in prop_oneof![integers(), coordinates()],
            b in prop_oneof![3 => operand(), 1 => integers(), 1 => coordinates()],
            other in prop_oneof![integers(), coordinates()],
            by in any::<(usize, usize)>(),
        ) {
            if let Ok(result) = ops::composition(&a, &b) {
                check_composition(&a, &b, &result)?;
                check_composition(&a, &b, &disturbed(&result, by))?;
            }
            check_composition(&a, &b, &other)?;
            check_composition(&a, &b, &b)?;
            let identity = ops::make_identity_layout(&a.shape()).unwrap();
            check_composition(&a, &identity, &a)?;
            check_composition(&a, &identity, &disturbed(&a, by))?;
        }

        #[test]
        fn planned_divisions_and_products_are_judged_as_without_a_plan(
            a in prop_oneof![integers(), operand(), coordinates()],
            tiler in tiler(),
            by in any::<(usize, usize)>(),
        ) {
            check_all(&a, &tiler, by)?;
        }
    }

    /// The evaluation is never used where both agree.
    #[test]
    fn what_holds_is_seen_from_the_plan_alone() {
        for (a, b, result) in [
            ("(4,6):(6,1)", "(2,2):(2,8)", "(2,2):(12,2)"),
            ("(8,8):(1@1,1@0)", "(4,2):(1@1,2@0)", "(4,2):(1@0,2@1)"),
            ("(4,8):(-8,1)", "(4,8):(1@0,1@1)", "(4,8):(-8,1)"),
            (
                "((2,3),4):((1@0,2@1),7@0)",
                "(3,4):(2,6)",
                "(3,4):(2@1,7@0)",
            ),
            ("(4,8):(0,5)", "(2,8):(0,4)", "(2,8):(0,5)"),
        ] {
            let [a, b, result] = [a, b, result].map(layout);
            let size = b.size().unwrap().value().unwrap();
            let along = Layout::single(Int::fixed(size), Delta::basis(Int::ONE, [0]));
            let part = Part::Composition {
                a: a.clone(),
                b: b.clone(),
            };
            let mut plan = Plan::of(&[part], &along, &result).unwrap();
            for c in 0..size {
                assert!(plan.next_agrees(), "{a} o {b} at {c}");
            }
        }
    }

    #[test]
    fn what_may_overflow_or_is_not_known_has_no_plan() {
        let plan = |a: &str, b: &str, result: &str| {
            let [a, b, result] = [a, b, result].map(layout);
            let along = Layout::single(Int::fixed(8), Delta::basis(Int::ONE, [0]));
            Plan::of(&[Part::Composition { a, b }], &along, &result).is_some()
        };
        assert!(plan("8:1", "8:1", "8:1"));
        for (a, b, result) in [
            ("(4,2):(36028797018963968,1)", "8:1", "8:1"),
            ("8:M", "8:1", "8:1"),
            ("8:1", "K:1", "8:1"),
            ("8:f1", "8:1", "8:1"),
            ("8:1@0", "8:1", "8:1"),
            ("(4,2):(1@0,1@1@0)", "8:1", "8:1@0"),
        ] {
            assert!(!plan(a, b, result), "{a} o {b} = {result}");
        }
    }
}
