//! Parsing a text with tree-sitter, anew or from the tree of its text before an edit.

use std::ops::ControlFlow;

use tree_sitter::{InputEdit, ParseOptions, ParseState, Parser, Point, Tree};

/// Parses `text`; `old` is a text and its tree from which it came by editing. `None` when `goes_on`
/// said stop.
///
/// Recovery from errors depends on the parses before, so a text with errors is parsed afresh: its tree depends on the
/// text alone.
pub(crate) fn parse_edited(
    parser: &mut Parser,
    text: &[u8],
    old: Option<(&[u8], &Tree)>,
    goes_on: &mut impl FnMut() -> bool,
) -> Option<Tree> {
    if let Some((before, tree)) = old {
        let Some(edit) = edit_between(before, text) else {
            return Some(tree.clone());
        };
        // What is being typed has mostly an error in the next version, too.
        if tree.root_node().has_error() {
            return parse(parser, text, None, goes_on);
        }
        let mut tree = tree.clone();
        tree.edit(&edit);
        let tree = parse(parser, text, Some(&tree), goes_on)?;
        if !tree.root_node().has_error() {
            return Some(tree);
        }
    }
    parse(parser, text, None, goes_on)
}

/// The tree of `text`, which came by editing from a text with errors, where it has none itself. Only for grammars in which
/// such a tree depends on the text alone.
pub(crate) fn parse_repaired(
    parser: &mut Parser,
    text: &[u8],
    (before, tree): (&[u8], &Tree),
) -> Option<Tree> {
    let mut tree = tree.clone();
    tree.edit(&edit_between(before, text)?);
    let tree = parse(parser, text, Some(&tree), &mut || true)?;
    (!tree.root_node().has_error()).then_some(tree)
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

/// The one edit that turns `old` into `new`; `None` when they are equal.
fn edit_between(old: &[u8], new: &[u8]) -> Option<InputEdit> {
    let start = equal_at_start(old, new);
    if start == old.len() && start == new.len() {
        return None;
    }
    let longest_end = old.len().min(new.len()) - start;
    let [old_rest, new_rest] =
        [old, new].map(|text| text.get(text.len() - longest_end..).unwrap_or_default());
    let end = equal_at_end(old_rest, new_rest);
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

/// Bytes that are compared at one time.
const BLOCK: usize = 64;

/// Number of bytes that two texts share at their starts.
pub(crate) fn equal_at_start(one: &[u8], other: &[u8]) -> usize {
    let blocks = one.chunks_exact(BLOCK).zip(other.chunks_exact(BLOCK));
    let whole = blocks.take_while(|(one, other)| one == other).count() * BLOCK;
    let rest = one.iter().zip(other).skip(whole);
    whole + rest.take_while(|(one, other)| one == other).count()
}

/// Number of bytes that two texts share at their ends.
pub(crate) fn equal_at_end(one: &[u8], other: &[u8]) -> usize {
    let blocks = one.rchunks_exact(BLOCK).zip(other.rchunks_exact(BLOCK));
    let whole = blocks.take_while(|(one, other)| one == other).count() * BLOCK;
    let rest = one.iter().rev().zip(other.iter().rev()).skip(whole);
    whole + rest.take_while(|(one, other)| one == other).count()
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

    #[test]
    fn common_ends_are_counted_to_the_byte() {
        let text = "0123456789".repeat(20);
        for at in [0, 1, 63, 64, 65, 128, 199] {
            let mut other = text.clone().into_bytes();
            other[at] = b'x';
            assert_eq!(equal_at_start(text.as_bytes(), &other), at);
            assert_eq!(equal_at_end(text.as_bytes(), &other), 199 - at);
        }
        assert_eq!(equal_at_start(b"ab", b"abc"), 2);
        assert_eq!(equal_at_end(b"bc", b"abc"), 2);
    }
}
