//! Parsing of a file's pieces: those of the last version that did not change are taken over.

use std::borrow::Cow;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::ControlFlow;
use std::sync::{Arc, OnceLock};

use tree_sitter::{InputEdit, ParseOptions, ParseState, Parser, Point, Tree};

use super::lower::LoweredPiece;
use super::prepass::Prepared;

/// A file as it was parsed before: its text and the trees of its pieces.
type Earlier<'t> = (&'t Prepared, &'t [ParsedPiece]);

/// A parsed piece. Versions of a file share the pieces that they have in common, and what those
/// were lowered to.
#[derive(Debug, Clone)]
pub(crate) struct ParsedPiece {
    pub(super) tree: Tree,
    /// Hash of the source text, which says more than what the parser saw.
    source: u64,
    /// Filled when the piece is first lowered.
    pub(super) lowered: Arc<OnceLock<LoweredPiece>>,
}

/// The trees of the pieces of `prepared`, in order; `None` when `goes_on` said stop.
///
/// What comes out for a piece depends on its text alone: recovery from errors depends on what was
/// parsed before, so a piece with errors is always parsed afresh.
pub(crate) fn parse_pieces(
    source: &str,
    prepared: &Prepared,
    earlier: Option<Earlier<'_>>,
    mut goes_on: impl FnMut() -> bool,
) -> Option<Vec<ParsedPiece>> {
    let mut parser = super::parser()?;
    let pieces = &prepared.outline.pieces;
    let earlier = EarlierPieces::new(earlier, pieces.len());
    let mut parsed = Vec::with_capacity(pieces.len());
    for (index, piece) in pieces.iter().enumerate() {
        // A short piece is parsed before the parser asks.
        if !goes_on() {
            return None;
        }
        let text = prepared.text_of(*piece);
        let source = hash_of(piece.span.text(source));
        parsed.push(match earlier.same(&text) {
            Some(same) if same.source == source => same.clone(),
            same => {
                let tree = if let Some(same) = same {
                    same.tree.clone()
                } else {
                    let edited = earlier.edited(index, &text);
                    changed(&mut parser, &text, edited, &mut goes_on)?
                };
                ParsedPiece {
                    tree,
                    source,
                    lowered: Arc::default(),
                }
            }
        });
    }
    Some(parsed)
}

fn hash_of(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

/// A piece that is not as it was, with the tree of what it was before the edit.
fn changed(
    parser: &mut Parser,
    text: &[u8],
    old: Option<Tree>,
    goes_on: &mut impl FnMut() -> bool,
) -> Option<Tree> {
    if let Some(old) = old {
        let tree = parse(parser, text, Some(&old), goes_on)?;
        if !tree.root_node().has_error() {
            return Some(tree);
        }
    }
    parse(parser, text, None, goes_on)
}

fn parse(
    parser: &mut Parser,
    text: &[u8],
    old: Option<&Tree>,
    goes_on: &mut impl FnMut() -> bool,
) -> Option<Tree> {
    let mut progress = |_: &ParseState| {
        if goes_on() {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    };
    parser.parse_with_options(
        &mut |offset, _| text.get(offset..).unwrap_or_default(),
        old,
        Some(ParseOptions::new().progress_callback(&mut progress)),
    )
}

/// The pieces of the version before.
struct EarlierPieces<'t> {
    by_text: HashMap<Cow<'t, [u8]>, &'t ParsedPiece>,
    in_order: Vec<(Cow<'t, [u8]>, &'t ParsedPiece)>,
    /// How many pieces there are now.
    count: usize,
}

impl<'t> EarlierPieces<'t> {
    fn new(earlier: Option<Earlier<'t>>, count: usize) -> Self {
        let in_order: Vec<_> = earlier
            .into_iter()
            .flat_map(|(prepared, pieces)| {
                let texts = prepared
                    .outline
                    .pieces
                    .iter()
                    .map(|piece| prepared.text_of(*piece));
                texts.zip(pieces)
            })
            .collect();
        let by_text = in_order
            .iter()
            .map(|(text, piece)| (text.clone(), *piece))
            .collect();
        Self {
            by_text,
            in_order,
            count,
        }
    }

    /// The piece of an equal text.
    fn same(&self, text: &[u8]) -> Option<&'t ParsedPiece> {
        self.by_text.get(text).copied()
    }

    /// The tree of the text from which this one came by editing, edited likewise. Only where the
    /// number of pieces is the same can they be paired.
    fn edited(&self, index: usize, text: &[u8]) -> Option<Tree> {
        let (old, piece) = self
            .in_order
            .get(index)
            .filter(|_| self.in_order.len() == self.count)?;
        let mut tree = piece.tree.clone();
        tree.edit(&edit_between(old, text)?);
        Some(tree)
    }
}

/// The one edit that turns `old` into `new`; `None` when they are equal.
fn edit_between(old: &[u8], new: &[u8]) -> Option<InputEdit> {
    let start = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    if start == old.len() && start == new.len() {
        return None;
    }
    let longest_end = old.len().min(new.len()) - start;
    let end = old.iter().rev().zip(new.iter().rev()).take(longest_end);
    let end = end.take_while(|(a, b)| a == b).count();
    let (old_end, new_end) = (old.len() - end, new.len() - end);
    Some(InputEdit {
        start_byte: start,
        old_end_byte: old_end,
        new_end_byte: new_end,
        start_position: point_at(old, start),
        old_end_position: point_at(old, old_end),
        new_end_position: point_at(new, new_end),
    })
}

/// Row and byte column of an offset; rows end with `\n` only.
fn point_at(text: &[u8], offset: usize) -> Point {
    let before = text.get(..offset).unwrap_or_default();
    let row = before.split(|byte| *byte == b'\n').count() - 1;
    let line = before
        .iter()
        .rposition(|byte| *byte == b'\n')
        .map_or(0, |end| end + 1);
    Point {
        row,
        column: offset - line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_edit_between_two_texts_is_the_smallest_range() {
        let edit = edit_between(b"a\nbcd\ne", b"a\nbxyd\ne").unwrap();
        assert_eq!(
            (edit.start_byte, edit.old_end_byte, edit.new_end_byte),
            (3, 4, 5)
        );
        assert_eq!(edit.start_position, Point { row: 1, column: 1 });
        assert_eq!(edit.new_end_position, Point { row: 1, column: 3 });
        assert!(edit_between(b"same", b"same").is_none());
    }

    #[test]
    fn repeated_text_does_not_overlap_the_edit() {
        let edit = edit_between(b"aa", b"aaa").unwrap();
        assert_eq!(
            (edit.start_byte, edit.old_end_byte, edit.new_end_byte),
            (2, 2, 3)
        );
        let edit = edit_between(b"aaa", b"a").unwrap();
        assert_eq!(
            (edit.start_byte, edit.old_end_byte, edit.new_end_byte),
            (1, 3, 1)
        );
    }
}
