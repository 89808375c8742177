//! The executor that is always there: it interprets the plan's program on this machine's processor.

use cute_algebra::Rule;

use crate::numbers::refusal;
use crate::plan::Plan;
use crate::watch::{Stop, Watch, step};

/// The offset of every index that the plan visits, in its order.
///
/// Errors: `Overflow`, with the index whose offset leaves the range of 64-bit integers; the end by the watch.
pub fn offsets(plan: &Plan, watch: &dyn Watch) -> Result<Vec<i64>, Stop> {
    (0..)
        .zip(plan.indices())
        .map(|(done, index)| {
            step(watch, done, plan.visited())?;
            let offset = plan.program().run(&[index]);
            offset.ok_or_else(|| refusal(Rule::Overflow).with("coordinate", index).into())
        })
        .collect()
}
