//! Derivations of complements (paper §3.5).

use super::tree::{By, Derivation, Notation, Value};
use crate::coverage::Coverage;
use crate::int::Int;
use crate::layout::{Layout, LayoutView};
use crate::log::{Condition, Log, Step, Watch};
use crate::ops;
use crate::ops::complement::complement_logged;
use crate::stride::Delta;
use crate::tuple::Shape;

/// Explains [`ops::complement`](fn@crate::ops::complement): the modes by stride, the gap before each, the mode that
/// covers the rest, and whether both together cover the cotarget exactly.
pub fn complement(layout: &Layout, cotarget: &Shape) -> Derivation {
    derive(layout.view(), cotarget, Notation::of([layout]))
}

#[derive(Default)]
struct Gaps(Vec<(Int, Delta, Int)>);

impl Watch for Gaps {
    fn condition(&mut self, _: Condition) {}

    fn step(&mut self, step: Step) {
        if let Step::NextStride {
            extent,
            stride,
            gap,
        } = step
        {
            self.0.push((extent, stride, gap));
        }
    }
}

/// The derivation of the complement of `layout` in `cotarget`.
pub(super) fn derive(layout: LayoutView<'_>, cotarget: &Shape, notation: Notation) -> Derivation {
    let n = notation;
    let expression = format!("complement({}, {})", n.layout(layout), n.tuple(cotarget));
    let mut gaps = Gaps::default();
    let result = complement_logged(layout, cotarget, &mut Log::to(&mut gaps));
    let mut steps = Vec::new();
    if let Ok(filtered) = ops::filter(&layout.to_layout())
        && (filtered.view().extents() != layout.extents()
            || filtered.view().steps() != layout.steps())
    {
        steps.push(Derivation::step(By::Filter, "", filtered, n));
    }
    let mut sentences = Vec::new();
    let mut reached = Int::ONE;
    for (extent, stride, gap) in gaps.0 {
        let mode = n.mode(&extent, &stride);
        let (step, room) = (n.delta(&stride), n.int(&reached));
        sentences.push(if gap.is_constant(1) {
            format!("{mode} starts at {step}, where the modes before it end: no gap")
        } else {
            format!(
                "before {mode} there is room for {step}/{room} = {} copies: {}:{room}",
                n.int(&gap),
                n.int(&gap)
            )
        });
        reached = match stride.scale(&extent) {
            Ok(Delta::Int(end)) => end,
            _ => break,
        };
    }
    if let Ok(result) = &result
        && let (Ok(target), Ok(_)) = (cotarget.size(), result.size())
        && let Ok(copies) = target.ceil_div(&reached)
    {
        sentences.push(format!(
            "up to {} there is room for {} copies of {}",
            n.int(&target),
            n.int(&copies),
            n.int(&reached)
        ));
    }
    let lines = sentences
        .into_iter()
        .map(|s| Derivation::note(By::Mode, s, n))
        .collect();
    steps.push(Derivation::note(By::Sort, "", n).with_steps(lines));
    if let Ok(result) = &result
        && let Some(target) = cotarget.size().ok().and_then(|target| target.value())
        && let Ok(coverage) = Coverage::of_pair(&layout.to_layout(), result, target)
    {
        steps.push(Derivation::note(
            By::Coverage,
            format!("the layout and its complement: {coverage}"),
            n,
        ));
    }
    Derivation::of(expression, steps, Value::from(result), n)
}
