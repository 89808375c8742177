//! The log of an operation, on request: conditions that it relies on, and steps.
//!
//! Every operation has a plain form and a `_logged` form. The plain form passes [`Log::silent`], which costs one branch.

use crate::int::Int;
use crate::layout::Layout;
use crate::refusal::{Refusal, Rule};
use crate::stride::Delta;

/// A condition that the result relies on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    /// The rule that is broken when it fails.
    pub rule: Rule,
    /// The number that has to be divided.
    pub dividend: Int,
    /// The number that has to divide it.
    pub divisor: Int,
    /// Whether it holds: `None` when symbols leave it open.
    pub holds: Option<bool>,
    /// Whether CuTe's compiler checks it, which it does when both numbers are static.
    pub checked_by_cute: bool,
}

/// One thing that an operation did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// The step of the right operand passes a whole extent of the left one: it is divided out.
    DivideOut {
        /// The extent that is passed.
        extent: Int,
        /// The step before.
        before: Int,
        /// The step after.
        after: Int,
    },
    /// Part of an extent of the left operand is taken with this step.
    Take {
        /// Number of elements.
        extent: Int,
        /// The step in the result.
        stride: Delta,
        /// Number of elements left to take.
        rest: Int,
    },
    /// The rest goes to the last mode of the left operand, which extends without bound.
    Tail {
        /// Number of elements.
        extent: Int,
        /// The step in the result.
        stride: Delta,
    },
    /// Sorting strides: the mode `extent:stride` is next, and leaves `gap` repetitions before it.
    NextStride {
        /// The extent of the mode.
        extent: Int,
        /// Its step.
        stride: Delta,
        /// Number of copies of the modes before that fit under this step.
        gap: Int,
    },
    /// An operation begins.
    Enter {
        /// Its name.
        operation: &'static str,
        /// Its operands, printed.
        operands: Vec<String>,
    },
    /// The operation that began last is done.
    Leave {
        /// Its result, printed.
        result: String,
    },
}

/// Receives conditions and steps.
pub trait Watch {
    /// A condition that the result relies on.
    fn condition(&mut self, condition: Condition);
    /// Something that was done.
    fn step(&mut self, step: Step);
}

/// Passed down through an operation; silent unless someone watches.
pub struct Log<'w>(Option<&'w mut dyn Watch>);

impl<'w> Log<'w> {
    /// A log without a reader.
    pub fn silent() -> Log<'static> {
        Log(None)
    }

    /// `watch` is told everything.
    pub fn to(watch: &'w mut dyn Watch) -> Self {
        Log(Some(watch))
    }

    #[inline]
    pub(crate) fn condition(&mut self, condition: impl FnOnce() -> Condition) {
        if let Some(watch) = &mut self.0 {
            watch.condition(condition());
        }
    }

    /// The operation that began last ends with this result; a refusal ends all of them.
    #[inline]
    pub(crate) fn leave(&mut self, result: &Result<Layout, Refusal>) {
        if let Ok(result) = result {
            self.step(|| Step::Leave {
                result: result.to_string(),
            });
        }
    }

    #[inline]
    pub(crate) fn step(&mut self, step: impl FnOnce() -> Step) {
        if let Some(watch) = &mut self.0 {
            watch.step(step());
        }
    }
}

impl core::fmt::Debug for Log<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(if self.0.is_some() {
            "Log(watched)"
        } else {
            "Log(silent)"
        })
    }
}

/// Collects the conditions, and nothing else.
#[derive(Clone, Debug, Default)]
pub struct Conditions(pub Vec<Condition>);

impl Watch for Conditions {
    fn condition(&mut self, condition: Condition) {
        self.0.push(condition);
    }

    fn step(&mut self, _: Step) {}
}
