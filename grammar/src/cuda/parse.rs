//! Parsing of a file's pieces: those of the last version that did not change are taken over.

use std::borrow::Cow;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, OnceLock};

use tree_sitter::Tree;

use super::prepass::Prepared;
use crate::incremental::parse_edited;
use crate::lowered::LoweredPiece;

/// A file as it was parsed before: its text and the trees of its pieces.
type Earlier<'t> = (&'t Prepared, &'t [ParsedPiece]);

/// A parsed piece. Versions of a file share the pieces that they have in common, and what those
/// were lowered to.
#[derive(Debug, Clone)]
pub(super) struct ParsedPiece {
    pub(super) tree: Tree,
    /// Hash of the source text, which says more than what the parser saw.
    source: u64,
    /// Filled when the piece is first lowered.
    pub(super) lowered: Arc<OnceLock<LoweredPiece>>,
}

/// The trees of the pieces of `prepared`, in order; `None` when `goes_on` said stop.
///
/// What comes out for a piece depends on its text alone.
pub(super) fn parse_pieces(
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
                    let edited = earlier.edited(index);
                    parse_edited(&mut parser, &text, edited, &mut goes_on)?
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

    /// The text from which this one came by editing, and its tree. Only where the number of pieces is
    /// the same can they be paired.
    fn edited(&self, index: usize) -> Option<(&[u8], &'t Tree)> {
        let (old, piece) = self
            .in_order
            .get(index)
            .filter(|_| self.in_order.len() == self.count)?;
        Some((old, &piece.tree))
    }
}
