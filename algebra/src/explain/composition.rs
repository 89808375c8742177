//! Derivations of compositions (paper §3.3.2, §3.3.3).

use super::coalesce::coalesce_step;
use super::tree::{By, Derivation, Notation, Value};
use crate::int::Int;
use crate::judge::compare_composition;
use crate::layout::{Layout, LayoutView};
use crate::log::{Condition, Log, Step, Watch};
use crate::ops;
use crate::ops::coalesce::{coalesce_extended, coalesce_extended_by};
use crate::ops::composition::composition_logged;
use crate::refusal::Refusal;
use crate::stride::Delta;
use crate::tiler::Tiler;
use crate::witness::Comparison;

/// Explains [`ops::composition`](fn@crate::ops::composition).
pub fn composition(a: &Layout, b: &Layout) -> Derivation {
    let notation = Notation::of([a, b]);
    derive(a.view(), b, notation)
}

/// Explains [`ops::composition_by`]: the same for a tiler, by mode for a tuple.
pub fn composition_by(a: &Layout, tiler: &Tiler) -> Derivation {
    let notation = Notation::with_tiler(a, tiler);
    let result = ops::composition_by(a, tiler);
    let expression = format!("{} o {}", notation.layout(a.view()), notation.tiler(tiler));
    match tiler {
        Tiler::Layout(b) => derive(a.view(), b, notation),
        Tiler::Int(extent) => {
            let b = Layout::single(extent.clone(), Int::ONE);
            let text = format!(
                "{} means {}",
                notation.int(extent),
                notation.layout(b.view())
            );
            let steps = vec![
                Derivation::note(By::Mode, text, notation),
                derive(a.view(), &b, notation),
            ];
            Derivation::of(expression, steps, result, notation)
        }
        Tiler::Modes(tilers) => {
            let steps = a
                .view()
                .modes()
                .zip(tilers)
                .map(|(mode, tiler)| composition_by(&mode.to_layout(), tiler))
                .collect();
            let by_mode = Derivation::note(By::ByMode, "", notation).with_steps(steps);
            Derivation::of(expression, vec![by_mode], result, notation)
        }
        Tiler::Skip => Derivation::of(expression, Vec::new(), result, notation),
    }
}

/// The derivation of `a o b`.
pub(super) fn derive(a: LayoutView<'_>, b: &Layout, notation: Notation) -> Derivation {
    let expression = format!("{} o {}", notation.layout(a), notation.layout(b.view()));
    let result = composition_logged(a, b.view(), &mut Log::silent());
    let mut steps = Vec::new();
    let simpler = simplified(a, b).unwrap_or_else(|_| a.to_layout());
    let rest = format!(" o {}", notation.layout(b.view()));
    steps.extend(coalesce_step(a, &simpler, &rest, notation));
    match b.view().as_leaf() {
        Some((extent, step)) => steps.extend(one_mode(simpler.view(), extent, step, notation)),
        None => steps.push(distributed(simpler.view(), b, notation)),
    }
    if let Ok(result) = &result {
        steps.extend(departure(&a.to_layout(), b, result, notation));
    }
    Derivation::of(expression, steps, result, notation)
}

/// The left operand as the composition uses it: coalesced, under each coordinate that the right one names.
fn simplified(a: LayoutView<'_>, b: &Layout) -> Result<Layout, Refusal> {
    if b.view()
        .steps()
        .iter()
        .any(|step| matches!(step, Delta::Basis(_)))
    {
        coalesce_extended_by(a, ops::coprofile(b)?.view())
    } else {
        coalesce_extended(a)
    }
}

/// `A o (B0, B1, ..) = (A o B0, A o B1, ..)`.
fn distributed(a: LayoutView<'_>, b: &Layout, notation: Notation) -> Derivation {
    let mut steps = Vec::new();
    if a.rank() > 1 {
        steps.push(segregation(b, notation));
        steps.extend(carry(a, b, notation));
    }
    steps.extend(
        b.view()
            .modes()
            .map(|mode| derive(a, &mode.to_layout(), notation)),
    );
    Derivation::note(By::Distribute, "", notation).with_steps(steps)
}

/// Whether the modes of the right operand do not meet, which suffices for distributing over them.
fn segregation(b: &Layout, notation: Notation) -> Derivation {
    let view = b.view();
    let modes: Vec<(&Int, &Delta)> = view.extents().iter().zip(view.steps()).collect();
    for (i, first) in modes.iter().enumerate() {
        for second in modes.iter().skip(i + 1) {
            let (a, b) = (
                notation.mode(first.0, first.1),
                notation.mode(second.0, second.1),
            );
            match are_segregated(*first, *second) {
                Some(true) => {}
                Some(false) => {
                    let text =
                        format!("the images of {a} and {b} overlap, so (23) is not known to hold");
                    return Derivation::note(By::ConditionFails, text, notation);
                }
                None => {
                    let text = format!("whether {a} and {b} overlap depends on run-time numbers");
                    return Derivation::note(By::ConditionFails, text, notation);
                }
            }
        }
    }
    let text = "(23) the modes are segregated: each ends where the next one begins, or before";
    Derivation::note(By::Condition, text, notation)
}

/// Each mode of the right operand is composed with the left one truncated to the part that this mode reaches; the
/// condition fails where those that stay within the first modes of the left operand leave them together (paper §3.3.2
/// assumes that the whole of the right operand stays inside).
fn carry(a: LayoutView<'_>, b: &Layout, notation: Notation) -> Option<Derivation> {
    if !notation.is_plain() {
        return None;
    }
    let last: Vec<i64> = b
        .view()
        .extents()
        .iter()
        .zip(b.view().steps())
        .map(|(extent, step)| last_coordinate(extent, step.as_int()?))
        .collect::<Option<_>>()?;
    let mut product = 1_i64;
    for extent in a.extents().iter().take(a.rank().saturating_sub(1)) {
        product = product.checked_mul(extent.value()?)?;
        let within = last.iter().filter(|last| **last < product);
        let sum = within.copied().try_fold(0_i64, i64::checked_add)?;
        if sum >= product {
            let text = format!(
                "modes that stay below {product} reach {sum} together: (19) does not split into the modes"
            );
            return Some(Derivation::note(By::ConditionFails, text, notation));
        }
    }
    None
}

/// `(extent-1)*step`, where it is known and not negative.
fn last_coordinate(extent: &Int, step: &Int) -> Option<i64> {
    let last = extent.value()?.checked_sub(1)?.checked_mul(step.value()?)?;
    (last >= 0).then_some(last)
}

/// Whether one of two modes ends before the other begins: `s_i*d_i <= d_j` or `s_j*d_j <= d_i`. Modes of different
/// coordinates never meet.
fn are_segregated(first: (&Int, &Delta), second: (&Int, &Delta)) -> Option<bool> {
    let (Some(first_step), Some(second_step)) = (first.1.as_int(), second.1.as_int()) else {
        return Some(first.1.as_basis().is_some() && second.1.as_basis().is_some());
    };
    let ends_before = |extent: &Int, step: &Int, other: &Int| {
        let end = extent.mul(step).ok()?;
        other.less(&end).map(|less| !less)
    };
    match (
        ends_before(first.0, first_step, second_step),
        ends_before(second.0, second_step, first_step),
    ) {
        (Some(true), _) | (_, Some(true)) => Some(true),
        (Some(false), Some(false)) => Some(false),
        _ => None,
    }
}

/// Collects the steps of the operation.
#[derive(Default)]
struct Recorder {
    steps: Vec<Step>,
}

impl Watch for Recorder {
    fn condition(&mut self, _: Condition) {}

    fn step(&mut self, step: Step) {
        self.steps.push(step);
    }
}

/// `a o extent:step` for one mode, `a` coalesced.
fn one_mode(a: LayoutView<'_>, extent: &Int, step: &Delta, notation: Notation) -> Vec<Derivation> {
    let step = match step {
        Delta::Int(step) => step,
        Delta::Basis(basis) => return picked_mode(a, extent, basis, notation),
        Delta::Xor(_) => return Vec::new(),
    };
    if step.is_constant(0) {
        let text = "a step of 0 stays at offset 0";
        return vec![Derivation::note(By::Mode, text, notation)];
    }
    if let Some((_, stride)) = a.as_leaf() {
        let text = format!(
            "a single mode goes on as long as needed: {}*{} is the step of the result",
            notation.delta(stride),
            notation.int(step)
        );
        return vec![Derivation::note(By::Mode, text, notation)];
    }
    let right = Layout::single(extent.clone(), step.clone());
    let mut recorder = Recorder::default();
    let outcome = composition_logged(a, right.view(), &mut Log::to(&mut recorder));
    let mut steps: Vec<Derivation> = Vec::new();
    // CuTe does not use facts that it cannot see at compile time.
    let reached = notation
        .is_plain()
        .then(|| reached_modes(a, extent, step))
        .flatten();
    if let Some(reached) = reached.filter(|reached| *reached < a.rank()) {
        steps.extend(truncated(a, reached, extent, step, notation));
    }
    let modes = reached.unwrap_or(a.rank());
    if notation.is_plain() {
        steps.extend(conditions(a, modes, extent, step, notation));
    }
    let walk = Walk {
        a,
        modes,
        extent,
        step,
        notation,
    };
    steps.extend(walk.divided_out(&recorder.steps));
    steps.push(walk.kept(&recorder.steps, outcome));
    steps
}

/// `A o s:(a*e_i) = A_i o s:a` (paper §3.3.2, the coordinate case).
fn picked_mode(
    a: LayoutView<'_>,
    extent: &Int,
    basis: &crate::stride::ScaledBasis,
    notation: Notation,
) -> Vec<Derivation> {
    let (Ok(mode), Ok(count)) = (a.path(&basis.path), basis.integral()) else {
        return Vec::new();
    };
    let right = Layout::single(extent.clone(), count);
    let path: Vec<String> = basis.path.iter().map(ToString::to_string).collect();
    let text = format!("E<{}> is mode {}", path.join(","), path.join("."));
    vec![
        Derivation::note(By::Coordinate, text, notation)
            .with_steps(vec![derive(mode, &right, notation)]),
    ]
}

/// Number of modes of `a` that the last coordinate `(extent-1)*step` reaches: those whose prefix product it does not
/// stay below.
fn reached_modes(a: LayoutView<'_>, extent: &Int, step: &Int) -> Option<usize> {
    let last = last_coordinate(extent, step)?;
    let mut before = 1_i64;
    let mut reached = 0;
    for extent in a.extents() {
        if last < before && reached > 0 {
            break;
        }
        reached += 1;
        before = before.checked_mul(extent.value()?)?;
    }
    Some(reached)
}

/// Conditions 20 and 21 of the paper at each mode that is reached.
fn conditions(
    a: LayoutView<'_>,
    modes: usize,
    extent: &Int,
    step: &Int,
    notation: Notation,
) -> Option<Derivation> {
    let (count, step) = (extent.value()?, step.value()?);
    if step < 1 {
        return None;
    }
    let mut before = 1_i64;
    let (mut products, mut elements) = (Vec::new(), Vec::new());
    for (mode, extent) in a.extents().iter().take(modes).enumerate() {
        let taken = (before / step).max(1);
        let failure = if before % step != 0 && step % before != 0 {
            format!(
                "(20) fails: {before}, the product of the extents before mode {mode}, and the step {step} do not divide one another"
            )
        } else if count % taken != 0 {
            format!(
                "(21) fails: the modes before mode {mode} give {taken} elements, which does not divide {count}"
            )
        } else {
            products.push(before.to_string());
            elements.push(taken.to_string());
            before = before.checked_mul(extent.value()?)?;
            continue;
        };
        return Some(Derivation::note(By::ConditionFails, failure, notation));
    }
    let text = format!(
        "(20) {step} divides or is a multiple of each of {}; (21) each of {} divides {count}",
        products.join(", "),
        elements.join(", ")
    );
    Some(Derivation::note(By::Condition, text, notation))
}

fn truncated(
    a: LayoutView<'_>,
    reached: usize,
    extent: &Int,
    step: &Int,
    notation: Notation,
) -> Option<Derivation> {
    let kept: Vec<Layout> = a.modes().take(reached).map(LayoutView::to_layout).collect();
    let shorter = match kept.as_slice() {
        [single] => single.clone(),
        several => Layout::concat(several.iter().map(Layout::view)).ok()?,
    };
    let extents: Vec<String> = a
        .extents()
        .iter()
        .take(reached)
        .map(|e| notation.int(e))
        .collect();
    let last = last_coordinate(extent, step)?;
    let size = shorter.size().ok()?;
    let product = if extents.len() > 1 {
        format!("{} = {}", extents.join("*"), notation.int(&size))
    } else {
        extents.join("*")
    };
    let text = format!(
        "the last coordinate, ({}-1)*{} = {last}, is below {product}",
        notation.int(extent),
        notation.int(step)
    );
    let right = notation.mode(extent, &Delta::Int(step.clone()));
    let value = Value::Expression(format!("{} o {right}", notation.layout(shorter.view())));
    Some(Derivation::step(By::Truncate, text, value, notation))
}

/// The walk of `extent:step` along the modes of `a`.
struct Walk<'a> {
    a: LayoutView<'a>,
    /// Number of modes that it reaches.
    modes: usize,
    extent: &'a Int,
    step: &'a Int,
    notation: Notation,
}

impl Walk<'_> {
    /// The modes that are reached, with the steps of the operation at each of them.
    fn visited<'s>(&self, steps: &'s [Step]) -> Vec<((Int, Delta), &'s Step)> {
        let done = steps.iter().filter(|step| {
            matches!(
                step,
                Step::DivideOut { .. } | Step::Take { .. } | Step::Tail { .. }
            )
        });
        let view = self.a;
        let modes: Vec<(Int, Delta)> = view
            .extents()
            .iter()
            .cloned()
            .zip(view.steps().iter().cloned())
            .collect();
        let mut visited = Vec::new();
        for (index, step) in done.enumerate() {
            let index = if matches!(step, Step::Tail { .. }) {
                modes.len().saturating_sub(1)
            } else {
                index
            };
            if let Some(mode) = modes.get(index) {
                visited.push((mode.clone(), step));
            }
        }
        visited
    }

    /// The rest of each mode after the step went past or through it.
    fn divided_out(&self, steps: &[Step]) -> Option<Derivation> {
        if self.step.is_constant(1) {
            return None;
        }
        let n = self.notation;
        let mut left = self.step.clone();
        let mut sentences = Vec::new();
        let mut extents = Vec::new();
        let mut strides = Vec::new();
        for ((extent, stride), done) in self.visited(steps).into_iter().take(self.modes) {
            let mode = n.mode(&extent, &stride);
            if let Step::DivideOut { after, .. } = done {
                let skip = format!(
                    "{} passes all of {mode}: {}/{} = {} remains",
                    n.int(&left),
                    n.int(&left),
                    n.int(&extent),
                    n.int(after)
                );
                sentences.push(skip);
                extents.push("1".to_owned());
                strides.push("X".to_owned());
                left = after.clone();
                continue;
            }
            let (every, count) = (
                stride.scale(&left).ok()?,
                extent.ceil_div(&left.abs().ok()?).ok()?,
            );
            if !left.is_constant(1) {
                let ordinal = ordinal(&n.int(&left));
                sentences.push(format!(
                    "{ordinal} element of {mode}: {}",
                    n.mode(&count, &every)
                ));
            }
            extents.push(n.int(&count));
            strides.push(n.delta(&every));
            left = left
                .abs()
                .and_then(|size| size.ceil_div(&extent)?.mul(&left.signum()?))
                .ok()?;
        }
        let lines = sentences
            .into_iter()
            .map(|s| Derivation::note(By::Mode, s, n))
            .collect();
        let one = n.mode(self.extent, &Delta::Int(Int::ONE));
        let value = Value::Expression(format!(
            "({}):({}) o {one}",
            extents.join(","),
            strides.join(",")
        ));
        let text = format!("{} element", ordinal(&n.int(self.step)));
        Some(Derivation::step(By::DivideOut, text, value, n).with_steps(lines))
    }

    /// The derivation of the way in which the extent is filled.
    fn kept(&self, steps: &[Step], outcome: Result<Layout, Refusal>) -> Derivation {
        let n = self.notation;
        let mut sentences = Vec::new();
        for (_, done) in self.visited(steps) {
            match done {
                Step::Take {
                    extent,
                    stride,
                    rest,
                } if rest.is_constant(1) => {
                    sentences.push(format!("take {}: nothing remains", n.mode(extent, stride)));
                }
                Step::Take {
                    extent,
                    stride,
                    rest,
                } => {
                    sentences.push(format!(
                        "take {}: a factor of {} remains",
                        n.mode(extent, stride),
                        n.int(rest)
                    ));
                }
                Step::Tail { extent, stride } => {
                    sentences.push(format!("take {}", n.mode(extent, stride)));
                }
                _ => {}
            }
        }
        let lines = sentences
            .into_iter()
            .map(|s| Derivation::note(By::Mode, s, n))
            .collect();
        let text = format!("the first {} elements", n.int(self.extent));
        Derivation::step(By::Keep, text, outcome, n).with_steps(lines)
    }
}

/// `every 3rd`, `every`.
fn ordinal(number: &str) -> String {
    let ends = |digit: char, teen: &str| number.ends_with(digit) && !number.ends_with(teen);
    let suffix = if ends('1', "11") {
        "st"
    } else if ends('2', "12") {
        "nd"
    } else if ends('3', "13") {
        "rd"
    } else {
        "th"
    };
    format!("every {number}{suffix}")
}

/// The first coordinate at which CuTe's result is not `A(B(c))`.
fn departure(a: &Layout, b: &Layout, result: &Layout, notation: Notation) -> Option<Derivation> {
    match compare_composition(a, b, result) {
        Comparison::Departs(witness) => {
            let text = format!(
                "at coordinate {} the functions give {:#}, CuTe's result {:#}",
                witness.coordinate, witness.expected, witness.got
            );
            Some(Derivation::note(By::Departure, text, notation))
        }
        Comparison::Holds(_) => None,
    }
}
