//! The executor that is always there: it interprets the plan's program on this machine's processor.

use cute_algebra::{Rule, Verdict};
use cute_hardware::Refusal;

use crate::plan::Plan;

/// The offset of every index that the plan visits, in its order.
///
/// Errors: `Overflow`, with the index whose offset leaves the range of 64-bit integers.
pub fn offsets(plan: &Plan) -> Result<Vec<i64>, Refusal> {
    plan.indices()
        .map(|index| {
            plan.program().run(&[index]).ok_or_else(|| {
                Refusal::new(Rule::Overflow.into(), Verdict::Accepts).with("coordinate", index)
            })
        })
        .collect()
}
