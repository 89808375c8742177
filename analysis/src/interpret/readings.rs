//! Results of reading declarations: they depend on the sources alone, and hold for the whole evaluation.

use std::rc::Rc;

use tree_sitter_cute::tree::Function;

use super::ids::RecordId;
use super::mutation::Untraceable;
use super::preprocessed::Expansions;
use super::records::Members;
use super::switches::Spliced;
use crate::hash::{HashMap, HashSet};
use crate::vocabulary::rust::Library;
use crate::words::WordSet;

/// Each of them is read at the first request.
#[derive(Debug, Default)]
pub(super) struct Readings<'u> {
    /// The members of classes, by declaration.
    pub(super) class_members: HashMap<RecordId, Rc<Members<'u>>>,
    /// The names that functions change in ways that cannot be followed.
    pub(super) untraceable: HashMap<*const Function, Rc<Untraceable<'u>>>,
    /// The variables of which functions assign a part, or all.
    pub(super) assigned: HashMap<*const Function, HashSet<&'u str>>,
    /// Expansions of calls of macros, by their places and those of the macros' names.
    pub(super) expansions: Expansions<'u>,
    /// Switches whose cases macros make.
    pub(super) switches: Spliced<'u>,
    /// The functions of files that announce bytes to barriers, by the base of the file.
    pub(super) announcing: HashMap<usize, WordSet>,
    /// The names that lead to the focus.
    pub(super) leading: Option<WordSet>,
    /// The crates whose words the sources use.
    pub(super) libraries: Vec<&'static Library>,
}
