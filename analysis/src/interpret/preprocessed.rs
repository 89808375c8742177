//! The macros of a translation unit, in force at its end and at each place before.

use tree_sitter_cute::tree::{Define, Span};

use super::macro_times::Macros;
use crate::hash::{HashMap, HashSet};
use crate::undecided::Undecided;

/// Macros, as far as the unit was read.
#[derive(Debug, Default)]
pub(super) struct Preprocessed<'u> {
    /// The macros in force, with the replacements that are expressions.
    pub(super) macros: Macros<'u>,
    /// Those of them that take no arguments.
    pub(super) object_macros: HashMap<&'u str, &'u Define>,
    /// Those of them that take arguments.
    pub(super) function_macros: HashMap<&'u str, &'u Define>,
    /// All definitions of each macro, `None` where it is undefined, with their places in the order in which they are read.
    pub(super) macro_times: HashMap<&'u str, Vec<(Span, Option<&'u Define>)>>,
    /// The macros that nothing defines and that decide the meaning of a name, where that is requested.
    pub(super) chosen_by: HashMap<&'u str, Vec<Undecided>>,
    /// The names of those whose replacements were looked through for others.
    pub(super) followed_macros: HashSet<Span>,
}
