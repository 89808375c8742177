//! The way of control to the statement that is walked.

use tree_sitter_cute::tree::Span;

use super::bodies::Gives;
use crate::access::Guard;

/// Ways by which control leaves the middle of a loop.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Jumps {
    /// The loop may end there.
    pub(super) ends: bool,
    /// It may end there for some threads before others.
    pub(super) ends_apart: bool,
    /// The rest of a pass may be left out.
    pub(super) continues: bool,
}

/// The way of control through the functions, branches and loops around.
#[derive(Debug, Default)]
pub(super) struct Course {
    /// The conditions on the way here.
    pub(super) guards: Vec<Guard>,
    /// The loops around, by their place.
    pub(super) loops: Vec<usize>,
    /// Number of guards on entry to the function.
    pub(super) entry: usize,
    /// Number of loops on entry to the function.
    pub(super) loops_at_entry: usize,
    /// Control does not reach the rest.
    pub(super) ended: bool,
    /// Inside of a `switch` that is inside of the loop.
    pub(super) in_switch: bool,
    /// Ways by which control leaves the middle of the loop.
    pub(super) jumps: Jumps,
    /// The reference that the function gives.
    pub(super) gives: Option<Gives>,
    /// The call in the kernel itself whose function is walked.
    pub(super) site: Option<Span>,
}
