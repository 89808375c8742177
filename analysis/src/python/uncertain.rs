//! The branch that is run, where it is not known whether the trace takes it.

use super::written::Branch;

/// Branches that are run and that the trace may not take.
#[derive(Debug, Default)]
pub(crate) struct Uncertain {
    depth: usize,
    branch: Branch,
    /// Branches that were run so far.
    count: usize,
}

impl Uncertain {
    /// Whether the trace is sure to run the same code.
    pub(crate) fn is_certain(&self) -> bool {
        self.depth == 0
    }

    /// The innermost branch.
    pub(super) fn branch(&self) -> Branch {
        self.branch
    }

    /// Enters a branch; gives the one around it.
    pub(super) fn enter(&mut self) -> Branch {
        self.depth += 1;
        self.count += 1;
        std::mem::replace(&mut self.branch, self.count)
    }

    /// Leaves a branch for the one around it.
    pub(super) fn leave(&mut self, around: Branch) {
        self.depth = self.depth.saturating_sub(1);
        self.branch = around;
    }
}
