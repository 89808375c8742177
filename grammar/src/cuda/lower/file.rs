//! A file, put together from its pieces.

use tree_sitter::Tree;

use super::{Lowering, Place, Texts, error_spans};
use crate::cuda::outline::{BranchParts, Part};
use crate::cuda::prepass::Prepared;
use crate::tree::{
    Branch, Condition, Conditional, Expr, ExprKind, Item, ItemKind, Namespace, Span,
};

/// A file's text and the trees of its pieces.
pub(super) struct File<'t> {
    pub(super) source: &'t str,
    pub(super) prepared: &'t Prepared,
    pub(super) trees: &'t [Tree],
}

impl File<'_> {
    /// Errors of all pieces, in source order.
    pub(super) fn errors(&self) -> Vec<Span> {
        let pieces = self.prepared.outline.pieces.iter().zip(self.trees);
        let mut errors: Vec<Span> = pieces
            .flat_map(|(piece, tree)| {
                let base = piece.span.start;
                let in_file = move |span: Span| Span::new(base + span.start, base + span.end);
                error_spans(tree).into_iter().map(in_file)
            })
            .collect();
        errors.sort_unstable();
        errors
    }
}

impl<'t> Lowering<'t> {
    /// Appends the items of `parts`.
    pub(super) fn parts_into(&mut self, parts: &[Part], file: &File<'t>, items: &mut Vec<Item>) {
        for part in parts {
            if self.truncated {
                return;
            }
            match part {
                Part::Piece(piece) => items.append(&mut self.piece(*piece, file)),
                Part::Namespace {
                    names,
                    inline,
                    span,
                    parts,
                } => {
                    let mut inner = Vec::new();
                    let lowered = self.descend_into_item(|l| l.parts_into(parts, file, &mut inner));
                    let namespace = Namespace {
                        names: names.clone(),
                        inline: *inline,
                        items: inner,
                    };
                    items
                        .extend(lowered.map(|()| Item::new(ItemKind::Namespace(namespace), *span)));
                }
                Part::Conditional { span, branches } => {
                    let branches = self.descend_into_item(|lowering| {
                        branches
                            .iter()
                            .map(|branch| lowering.branch_of(branch, file))
                            .collect()
                    });
                    items.extend(branches.map(|branches| {
                        Item::new(ItemKind::Conditional(Conditional { branches }), *span)
                    }));
                }
            }
        }
    }

    fn branch_of(&mut self, branch: &BranchParts, file: &File<'t>) -> Branch {
        let condition = match branch.condition {
            Some(piece) => self.condition_of(piece, file),
            None => Condition::Else,
        };
        let mut items = Vec::new();
        self.parts_into(&branch.parts, file, &mut items);
        Branch { condition, items }
    }

    /// The condition of a line that was parsed as an `#if` group of its own.
    fn condition_of(&mut self, piece: usize, file: &File<'t>) -> Condition {
        let lowered = self
            .piece(piece, file)
            .into_iter()
            .next()
            .map(|item| item.kind);
        let conditional = match lowered {
            Some(ItemKind::Conditional(conditional)) => conditional.branches.into_iter().next(),
            _ => None,
        };
        let place = file
            .prepared
            .outline
            .pieces
            .get(piece)
            .map(|piece| piece.span);
        conditional.map_or_else(
            || {
                let unread = ExprKind::Opaque("preproc_if");
                Condition::If(Expr::new(unread, place.unwrap_or_default()))
            },
            |branch| branch.condition,
        )
    }

    /// The items of one piece.
    fn piece(&mut self, piece: usize, file: &File<'t>) -> Vec<Item> {
        let Some((piece, tree)) = file
            .prepared
            .outline
            .pieces
            .get(piece)
            .zip(file.trees.get(piece))
        else {
            return Vec::new();
        };
        let range = piece.span.start..piece.span.end;
        self.texts = Texts {
            source: file.source.get(range.clone()).unwrap_or_default(),
            prepared: file.prepared.text.get(range).unwrap_or_default(),
            prefix: 0,
            base: piece.span.start,
        };
        self.items(tree.root_node(), Place::Namespace)
    }
}
