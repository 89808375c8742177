//! The macros of a translation unit, in force at its end and at each place before.

use tree_sitter_cute::tree::{Define, Expr, ExprKind, Item, ItemKind, Span};

use super::macro_times::Macros;
use crate::arena::Arena;
use crate::hash::{HashMap, HashSet};
use crate::undecided::Undecided;

/// Macros of the part that was read so far.
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

/// The expansion of a call of a macro.
#[derive(Debug, Clone, Copy)]
pub(super) enum Expansion<'u> {
    Expression(&'u Expr),
    Statements(&'u [Item]),
    Neither,
}

impl<'u> Expansion<'u> {
    /// Statements, which are kept in an arena, in the place of a call.
    pub(super) fn of_statements(arena: &'u Arena, items: Vec<Item>, call: Span) -> Option<Self> {
        match &arena.item(Item::new(ItemKind::Block(items), call)).kind {
            ItemKind::Block(items) => Some(Self::Statements(items)),
            _ => None,
        }
    }
}

/// Expansions of calls of macros, by their places and those of the macros' names.
pub(super) type Expansions<'u> = HashMap<(Span, Span), Expansion<'u>>;

/// Whether a replacement that a flag gives is a number or a truth value: it names nothing, so that its missing place in a file
/// does not matter.
pub(super) fn is_literal(replacement: &Expr) -> bool {
    matches!(replacement.kind, ExprKind::Int(_) | ExprKind::Bool(_))
}
