//! Derivations of inverses (paper §3.4).

use super::coalesce::coalesce_step;
use super::tree::{By, Derivation, Notation};
use crate::int::Int;
use crate::layout::{Layout, LayoutView};
use crate::ops;
use crate::refusal::Refusal;
use crate::stride::Delta;

/// Explains [`ops::right_inverse`]: the modes by stride, as long as each begins where the ones before it end.
pub fn right_inverse(layout: &Layout) -> Derivation {
    let notation = Notation::of([layout]);
    let result = ops::right_inverse(layout);
    let contiguous = |modes: &[Mode]| {
        let mut reached = Some(1_i64);
        modes
            .iter()
            .map(|mode| match (mode.step, reached) {
                (Some(step), Some(end)) if step == end => {
                    reached = mode
                        .extent
                        .value()
                        .and_then(|extent| step.checked_mul(extent));
                    let text = format!(
                        "{} begins at {end}: offsets go on with coordinate step {}",
                        mode.text, mode.before
                    );
                    Derivation::note(By::Mode, text, notation)
                }
                (Some(step), Some(end)) => {
                    let text = format!(
                        "{} begins at {step}, not at {end}: it is left out",
                        mode.text
                    );
                    Derivation::note(By::Mode, text, notation)
                }
                _ => Derivation::note(
                    By::Mode,
                    format!("{} has a run-time stride: it is left out", mode.text),
                    notation,
                ),
            })
            .collect()
    };
    explain("right_inverse", layout, result, notation, contiguous)
}

/// Explains [`ops::left_inverse`]: the modes by stride, each reached by dividing the offset by its stride.
pub fn left_inverse(layout: &Layout) -> Derivation {
    let notation = Notation::of([layout]);
    let result = ops::left_inverse(layout);
    let divided = |modes: &[Mode]| {
        let sentence = |mode: &Mode| match mode.step {
            Some(0) => format!(
                "{} repeats offsets: any of its coordinates will do",
                mode.text
            ),
            Some(step) => format!(
                "{} is found by dividing the offset by {step}: coordinate step {}",
                mode.text, mode.before
            ),
            None => format!("{} has a run-time stride", mode.text),
        };
        modes
            .iter()
            .map(|mode| Derivation::note(By::Mode, sentence(mode), notation))
            .collect()
    };
    explain("left_inverse", layout, result, notation, divided)
}

/// A mode of the coalesced layout.
struct Mode {
    text: String,
    extent: Int,
    step: Option<i64>,
    /// The product of the extents before it, printed: the step of its coordinate.
    before: String,
}

fn explain(
    name: &str,
    layout: &Layout,
    result: Result<Layout, Refusal>,
    notation: Notation,
    sentences: impl Fn(&[Mode]) -> Vec<Derivation>,
) -> Derivation {
    let expression = format!("{name}({})", notation.layout(layout.view()));
    let mut steps = Vec::new();
    if let Ok(coalesced) = ops::coalesce(layout) {
        steps.extend(coalesce_step(layout.view(), &coalesced, "", notation));
        let mut modes = modes(coalesced.view(), notation);
        modes.sort_by_key(|mode| mode.step);
        steps.push(Derivation::note(By::Sort, "", notation).with_steps(sentences(&modes)));
    }
    Derivation::of(expression, steps, result, notation)
}

fn modes(layout: LayoutView<'_>, notation: Notation) -> Vec<Mode> {
    let mut before = Int::ONE;
    let mut modes = Vec::new();
    for (extent, step) in layout.extents().iter().zip(layout.steps()) {
        modes.push(Mode {
            text: notation.mode(extent, step),
            extent: extent.clone(),
            step: match step {
                Delta::Int(step) => step.as_static(),
                _ => None,
            },
            before: notation.int(&before),
        });
        before = match extent.mul(&before) {
            Ok(product) => product,
            Err(_) => break,
        };
    }
    modes
}
