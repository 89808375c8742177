//! A parsed source: parsed anew after each edit at the cost of the edit, lowered on demand.

use std::fmt;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use tree_sitter::{InputEdit, ParseOptions, ParseState, Point, Tree};

use crate::cuda::{self, Prepared};
use crate::tree::Unit;
use crate::{Host, limits};

/// How long a parse may take. Asked often (about every 5 microseconds), so the answer must be fast.
pub struct Budget<'a>(Option<Box<dyn FnMut() -> bool + 'a>>);

impl<'a> Budget<'a> {
    /// No bound but the size of the source.
    pub fn unlimited() -> Self {
        Self(None)
    }

    /// Goes on while `goes_on` says so: for cancelling from another thread.
    pub fn while_true(goes_on: impl FnMut() -> bool + 'a) -> Self {
        Self(Some(Box::new(goes_on)))
    }

    /// Goes on for this long.
    pub fn for_at_most(time: Duration) -> Self {
        let start = Instant::now();
        Self::while_true(move || start.elapsed() < time)
    }

    fn goes_on(&mut self) -> bool {
        self.0.as_mut().is_none_or(|goes_on| goes_on())
    }
}

/// Why a source was not parsed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotParsed {
    /// It has more bytes than [`limits::SOURCE_BYTES`]; this many.
    TooLarge(usize),
    /// The budget was spent.
    OutOfTime,
}

impl fmt::Display for NotParsed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLarge(bytes) => write!(
                f,
                "the source has {bytes} bytes; sources of up to {} bytes are read",
                limits::SOURCE_BYTES
            ),
            Self::OutOfTime => write!(f, "parsing was stopped before its end"),
        }
    }
}

impl std::error::Error for NotParsed {}

/// A parsed source. Cheap to clone next to what it holds: the text the parser saw, and a tree that
/// clones share.
#[derive(Debug, Clone)]
pub struct Syntax {
    host: Host,
    tree: Tree,
    prepared: Prepared,
}

impl Syntax {
    /// Parses `text`. With the syntax of an earlier version of it in `old`, only what an edit
    /// touched is parsed again; the edit is found by comparing the texts, so any number of edits
    /// may lie between. Bad source is no error: see [`Unit::errors`].
    ///
    /// # Errors
    /// The source is too large, or the budget was spent; then there is no partial result.
    ///
    /// ```
    /// # use tree_sitter_cute::{Budget, Host, Syntax};
    /// let old = Syntax::parse(Host::CudaCpp, "auto x = _8{};", None, Budget::unlimited()).unwrap();
    /// let text = "auto x = _16{};";
    /// let new = Syntax::parse(Host::CudaCpp, text, Some(&old), Budget::unlimited()).unwrap();
    /// assert_eq!(new.lower(text).items.len(), 1);
    /// ```
    pub fn parse(
        host: Host,
        text: &str,
        old: Option<&Self>,
        mut budget: Budget<'_>,
    ) -> Result<Self, NotParsed> {
        if text.len() > limits::SOURCE_BYTES {
            return Err(NotParsed::TooLarge(text.len()));
        }
        let Host::CudaCpp = host;
        let prepared = cuda::prepare(text);
        let old_tree = match old.filter(|old| old.host == host) {
            Some(old) => match edit_between(&old.prepared.text, &prepared.text) {
                Some(edit) => {
                    let mut tree = old.tree.clone();
                    tree.edit(&edit);
                    Some(tree)
                }
                // What the parser sees has not changed.
                None => {
                    return Ok(Self {
                        host,
                        tree: old.tree.clone(),
                        prepared,
                    });
                }
            },
            None => None,
        };
        let incremental = match old_tree {
            Some(old_tree) => Some(parsed(&prepared.text, Some(&old_tree), &mut budget)?),
            None => None,
        };
        // Recovery from errors depends on what was parsed before, so that two ways to the same
        // text would be read differently. A text with errors is therefore always read afresh.
        let tree = match incremental.filter(|tree| !tree.root_node().has_error()) {
            Some(tree) => tree,
            None => parsed(&prepared.text, None, &mut budget)?,
        };
        Ok(Self {
            host,
            tree,
            prepared,
        })
    }

    /// The language it was parsed as.
    pub fn host(&self) -> Host {
        self.host
    }

    /// Lowers the tree; `text` is the text that was parsed.
    pub fn lower(&self, text: &str) -> Unit {
        cuda::lower(&self.tree, text, &self.prepared)
    }
}

fn parsed(text: &[u8], old: Option<&Tree>, budget: &mut Budget<'_>) -> Result<Tree, NotParsed> {
    let mut progress = |_: &ParseState| {
        if budget.goes_on() {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    };
    let tree = cuda::parser().and_then(|mut parser| {
        parser.parse_with_options(
            &mut |offset, _| text.get(offset..).unwrap_or_default(),
            old,
            Some(ParseOptions::new().progress_callback(&mut progress)),
        )
    });
    tree.ok_or(NotParsed::OutOfTime)
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

    #[test]
    fn a_source_one_byte_over_the_limit_is_refused() {
        let text = " ".repeat(limits::SOURCE_BYTES + 1);
        let parse = |text| Syntax::parse(Host::CudaCpp, text, None, Budget::unlimited()).err();
        assert_eq!(
            parse(&text),
            Some(NotParsed::TooLarge(limits::SOURCE_BYTES + 1))
        );
        assert_eq!(parse(&text[1..]), None);
    }

    #[test]
    fn a_spent_budget_stops_the_parse() {
        let text = "auto x = f(1);\n".repeat(10_000);
        let stopped = Syntax::parse(Host::CudaCpp, &text, None, Budget::while_true(|| false));
        assert_eq!(stopped.err(), Some(NotParsed::OutOfTime));
    }
}
