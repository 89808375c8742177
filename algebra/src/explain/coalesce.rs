//! Derivations of coalesced layouts (paper §3.2).

use super::tree::{By, Derivation, Notation};
use crate::layout::{Layout, LayoutView};
use crate::ops;

/// Explains [`ops::coalesce`](fn@crate::ops::coalesce): each pair of neighbours, and whether it merges.
pub fn coalesce(layout: &Layout) -> Derivation {
    let notation = Notation::of([layout]);
    let expression = format!("coalesce({})", notation.layout(layout.view()));
    Derivation::of(
        expression,
        neighbours(layout.view(), notation),
        ops::coalesce(layout),
        notation,
    )
}

/// Explains [`ops::filter`](fn@crate::ops::filter): the modes that repeat offsets, then the neighbours that merge.
pub fn filter(layout: &Layout) -> Derivation {
    let notation = Notation::of([layout]);
    let expression = format!("filter({})", notation.layout(layout.view()));
    let mut steps = Vec::new();
    if let Ok(without_zeros) = ops::filter_zeros(layout) {
        if without_zeros != *layout {
            steps.push(Derivation::step(
                By::Filter,
                "an extent of stride 0 repeats one offset and becomes 1",
                without_zeros.clone(),
                notation,
            ));
        }
        steps.extend(neighbours(without_zeros.view(), notation));
    }
    Derivation::of(expression, steps, ops::filter(layout), notation)
}

/// The step that makes a left operand simpler, when it does.
pub(super) fn coalesce_step(
    layout: LayoutView<'_>,
    simpler: &Layout,
    rest: &str,
    notation: Notation,
) -> Option<Derivation> {
    if simpler.view().extents() == layout.extents() && simpler.view().steps() == layout.steps() {
        return None;
    }
    let value = super::Value::Expression(format!("{}{rest}", notation.layout(simpler.view())));
    let step = Derivation::step(By::Coalesce, "", value, notation);
    Some(step.with_steps(neighbours(layout, notation)))
}

/// A sentence for each extent of 1 and each pair of neighbours.
fn neighbours(layout: LayoutView<'_>, notation: Notation) -> Vec<Derivation> {
    let mut sentences = Vec::new();
    let mut previous: Option<Layout> = None;
    for (extent, step) in layout.extents().iter().zip(layout.steps()) {
        let mode = notation.mode(extent, step);
        if extent.is_constant(1) {
            sentences.push(format!("{mode} has one element and is dropped"));
            continue;
        }
        let single = Layout::single(extent.clone(), step.clone());
        let Some(before) = previous.take() else {
            previous = Some(single);
            continue;
        };
        let left = notation.layout(before.view());
        if let Some(both) = merged(&before, &single) {
            let right = notation.layout(both.view());
            let why = equation(&before, &single, "=", notation);
            sentences.push(format!("{left} and {mode} are {right}: {why}"));
            previous = Some(both);
        } else {
            let why = equation(&before, &single, "is not", notation);
            sentences.push(format!("{left} and {mode} stay: {why}"));
            previous = Some(single);
        }
    }
    sentences
        .into_iter()
        .map(|sentence| Derivation::note(By::Mode, sentence, notation))
        .collect()
}

/// The result of the operation for two neighbours, when it is one mode.
fn merged(before: &Layout, next: &Layout) -> Option<Layout> {
    let pair = Layout::concat([before.view(), next.view()]).ok()?;
    let both = ops::coalesce(&pair).ok()?;
    both.view().is_leaf().then_some(both)
}

/// `4*1 = 4`, or `4*1 is not 5`.
fn equation(before: &Layout, next: &Layout, relation: &str, notation: Notation) -> String {
    match (before.view().as_leaf(), next.view().as_leaf()) {
        (Some((extent, step)), Some((_, other))) => {
            format!(
                "{}*{} {relation} {}",
                notation.int(extent),
                notation.delta(step),
                notation.delta(other)
            )
        }
        _ => String::new(),
    }
}
