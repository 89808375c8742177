//! A file, put together from its lowered pieces.

use std::borrow::Cow;

use crate::limits;
use crate::outline::{BranchParts, Part};
use crate::tree::{
    Branch, Comment, Condition, Conditional, Expr, ExprKind, Item, ItemKind, Namespace, Shift,
    Span, Unit,
};

/// A piece of a file, lowered; spans count from the start of the piece.
#[derive(Debug, Clone, Default)]
pub(crate) struct LoweredPiece {
    pub(crate) items: Vec<Item>,
    pub(crate) errors: Vec<Span>,
    pub(crate) nodes: usize,
    pub(crate) truncated: bool,
}

/// The source of lowered pieces.
pub(crate) trait LoweredPieces {
    /// A piece, and where it is in the file.
    fn lowered_piece(&self, index: usize) -> Option<(Span, Cow<'_, LoweredPiece>)>;

    /// Whether the items of a piece are requested.
    fn is_wanted(&self, _: usize) -> bool {
        true
    }
}

/// The file whose pieces nest as `parts` say, at most [`LEVELS`](crate::outline::LEVELS) deep.
pub(crate) fn file(parts: &[Part], pieces: &impl LoweredPieces, comments: Vec<Comment>) -> Unit {
    let mut file = File {
        pieces,
        nodes: 0,
        unit: Unit {
            comments,
            ..Unit::default()
        },
    };
    let mut items = Vec::new();
    file.parts_into(parts, &mut items);
    let mut unit = file.unit;
    unit.items = items;
    unit.errors.sort_unstable();
    unit
}

struct File<'p, P> {
    pieces: &'p P,
    /// Nodes of the pieces so far.
    nodes: usize,
    /// Receives errors and whether a limit was reached.
    unit: Unit,
}

impl<P: LoweredPieces> File<'_, P> {
    fn parts_into(&mut self, parts: &[Part], items: &mut Vec<Item>) {
        for part in parts {
            match part {
                Part::Piece(piece) => items.append(&mut self.piece(*piece)),
                Part::Namespace {
                    names,
                    inline,
                    span,
                    parts,
                } => {
                    let mut inner = Vec::new();
                    self.parts_into(parts, &mut inner);
                    let namespace = Namespace {
                        names: names.clone(),
                        inline: *inline,
                        items: inner,
                    };
                    items.push(Item::new(ItemKind::Namespace(namespace), *span));
                }
                Part::Conditional { span, branches } => {
                    let branches = branches.iter().map(|branch| self.branch(branch)).collect();
                    let conditional = ItemKind::Conditional(Conditional { branches });
                    items.push(Item::new(conditional, *span));
                }
            }
        }
    }

    fn branch(&mut self, branch: &BranchParts) -> Branch {
        let condition = match branch.condition {
            Some(piece) => self.condition(piece),
            None => Condition::Else,
        };
        let mut items = Vec::new();
        self.parts_into(&branch.parts, &mut items);
        Branch { condition, items }
    }

    /// The condition of a line that was parsed as an `#if` group by itself.
    fn condition(&mut self, piece: usize) -> Condition {
        let lowered = self.piece(piece).into_iter().next().map(|item| item.kind);
        let branch = match lowered {
            Some(ItemKind::Conditional(conditional)) => conditional.branches.into_iter().next(),
            _ => None,
        };
        branch.map_or_else(
            || {
                let unread = ExprKind::Opaque("preproc_if");
                let place = self.pieces.lowered_piece(piece).map(|(span, _)| span);
                Condition::If(Expr::new(unread, place.unwrap_or_default()))
            },
            |branch| branch.condition,
        )
    }

    /// The items of one piece, at their places in the file.
    fn piece(&mut self, index: usize) -> Vec<Item> {
        let Some((span, piece)) = self.pieces.lowered_piece(index) else {
            return Vec::new();
        };
        self.nodes += piece.nodes;
        self.unit.truncated |= piece.truncated || self.nodes > limits::NODES;
        self.unit.errors.extend(piece.errors.iter().map(|error| {
            let mut error = *error;
            error.shift(span.start);
            error
        }));
        if self.nodes > limits::NODES || !self.pieces.is_wanted(index) {
            return Vec::new();
        }
        let mut items = piece.into_owned().items;
        items.shift(span.start);
        items
    }
}
