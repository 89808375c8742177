//! The way of control to the statement that is walked.

use tree_sitter_cute::tree::Span;

use super::Scope;
use super::bodies::Gives;
use crate::access::Guard;
use crate::access::alike::Alike;
use crate::access::terms::TermId;

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

/// Variables where control leaves the rest of a pass, with the condition under which it does.
pub(super) type Way<'u> = (TermId, Vec<Scope<'u>>);

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
    /// The threads that leave the loop in its middle.
    pub(super) leaving: Leaving,
    /// The variables where they leave it.
    pub(super) left: Vec<Vec<Scope<'u>>>,
    /// Number of guards on entry to the body of the innermost loop.
    pub(super) at_pass: usize,
    /// The ways from the middle of the body to the next pass, `continue`.
    pub(super) continued: Vec<Way<'u>>,
    /// The reference that the function gives.
    pub(super) gives: Option<Gives>,
    /// The call in the kernel itself whose function is walked.
    pub(super) site: Option<Span>,
}
