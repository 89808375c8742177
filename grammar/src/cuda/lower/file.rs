//! A file, put together from its pieces.

use super::lower_piece;
use crate::cuda::outline::{BranchParts, Part};
use crate::cuda::parse::ParsedPiece;
use crate::cuda::prepass::Prepared;
use crate::tree::{
    Branch, Condition, Conditional, Expr, ExprKind, Item, ItemKind, Namespace, Unit,
};

/// Lowers a file from its pieces; those that were lowered before are taken over.
pub(crate) fn lower(source: &str, prepared: &Prepared, pieces: &[ParsedPiece]) -> Unit {
    let mut unit = Unit {
        comments: prepared.comments.clone(),
        pieces: prepared
            .outline
            .pieces
            .iter()
            .map(|piece| piece.span)
            .collect(),
        ..Unit::default()
    };
    let mut items = Vec::new();
    let mut file = File {
        source,
        prepared,
        pieces,
        nodes: 0,
        unit: &mut unit,
    };
    file.parts_into(&prepared.outline.parts, &mut items);
    unit.items = items;
    unit.errors.sort_unstable();
    unit
}

struct File<'t> {
    source: &'t str,
    prepared: &'t Prepared,
    pieces: &'t [ParsedPiece],
    /// Nodes of the pieces so far.
    nodes: usize,
    /// Receives errors and whether a limit was reached.
    unit: &'t mut Unit,
}

impl File<'_> {
    /// Appends the items of `parts`. They nest at most [`LEVELS`](crate::cuda::outline::LEVELS)
    /// deep.
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
                    let (names, inline) = (names.clone(), *inline);
                    let namespace = Namespace {
                        names,
                        inline,
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

    /// The condition of a line that was parsed as an `#if` group of its own.
    fn condition(&mut self, piece: usize) -> Condition {
        let lowered = self.piece(piece).into_iter().next().map(|item| item.kind);
        let branch = match lowered {
            Some(ItemKind::Conditional(conditional)) => conditional.branches.into_iter().next(),
            _ => None,
        };
        let place = self
            .prepared
            .outline
            .pieces
            .get(piece)
            .map(|piece| piece.span);
        branch.map_or_else(
            || {
                let unread = ExprKind::Opaque("preproc_if");
                Condition::If(Expr::new(unread, place.unwrap_or_default()))
            },
            |branch| branch.condition,
        )
    }

    /// The items of one piece, at their places in the file.
    fn piece(&mut self, index: usize) -> Vec<Item> {
        let outline = &self.prepared.outline;
        let Some((piece, parsed)) = outline.pieces.get(index).zip(self.pieces.get(index)) else {
            return Vec::new();
        };
        let source = piece.span.text(self.source);
        let text = self.prepared.text_of(*piece);
        let lowered = parsed
            .lowered
            .get_or_init(|| lower_piece(&parsed.tree, source, &text));
        lowered.items_at(piece.span.start, &mut self.nodes, self.unit)
    }
}
