//! Numbers of layouts that a run cannot do without.

use cute_algebra::{AnyLayout, Int, Rule, Verdict};
use cute_hardware::Refusal;

/// A refusal of ours, of something that CuTe has no say in.
pub(crate) fn refusal(rule: Rule) -> Refusal {
    Refusal::new(rule.into(), Verdict::Accepts)
}

/// An extent that has to be known.
pub(crate) fn known(int: &Int) -> Result<i64, Refusal> {
    int.value()
        .ok_or_else(|| refusal(Rule::NotProvable).with("size", int))
}

/// The offset of a coordinate, in elements, as a number.
pub(crate) fn offset(layout: &AnyLayout, coordinate: i64) -> Result<i64, Refusal> {
    let offset = layout.eval(coordinate)?;
    offset
        .as_leaf()
        .and_then(Int::value)
        .ok_or_else(|| refusal(Rule::Unsupported).with("offset", offset.to_string()))
}
