//! The way of control to the statement that is walked.

use tree_sitter_cute::tree::Span;

use super::Scope;
use super::bodies::Gives;
use crate::access::Guard;
use crate::access::alike::Alike;

/// The threads that leave a loop in its middle, from those that leave at the same pass to those that do not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(super) enum Leaving {
    /// None.
    #[default]
    Nobody,
    /// All of a block or of a warp at the same pass.
    Together(Alike),
    /// Some of a warp before others.
    Apart,
}

/// Ways by which control leaves the middle of a loop.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Jumps {
    /// The loop may end there.
    pub(super) leaving: Leaving,
    /// The rest of a pass may be left out.
    pub(super) continues: bool,
}

/// The way of control through the functions, branches and loops around.
#[derive(Debug, Default)]
pub(super) struct Course<'u> {
    /// The conditions on the way here.
    pub(super) guards: Vec<Guard>,
    /// The loops around, by their place.
    pub(super) loops: Vec<usize>,
    /// Number of guards on entry to the function.
    pub(super) entry: usize,
    /// Number of guards on entry to the innermost loop: its threads are those behind them.
    pub(super) at_loop: usize,
    /// Number of loops on entry to the function.
    pub(super) loops_at_entry: usize,
    /// Control does not reach the rest.
    pub(super) ended: bool,
    /// Inside of a `switch` that is inside of the loop.
    pub(super) in_switch: bool,
    /// Ways by which control leaves the middle of the loop.
    pub(super) jumps: Jumps,
    /// The variables where it leaves the loop.
    pub(super) left: Vec<Vec<Scope<'u>>>,
    /// The reference that the function gives.
    pub(super) gives: Option<Gives>,
    /// The call in the kernel itself whose function is walked.
    pub(super) site: Option<Span>,
}
