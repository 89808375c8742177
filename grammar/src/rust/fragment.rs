//! Rust expressions outside of any file: on the command line, in the brackets of a macro.

use std::cell::RefCell;

use tree_sitter::{Node, Parser, Tree};

use super::lower::{self, Fragment, Inside, Statements, Texts};
use crate::nodes::named_children;
use crate::parse_error::ParseError;
use crate::tree::{Expr, Span};
use crate::{limits, nodes};

/// The item in which a list of expressions is complete: the arguments of a call.
const FRAME: (&str, &str) = ("const X: X = x(", "\n);");

/// Reads the comma-separated expressions of `text`, which is at `base` in its file; `None` for any other text.
pub(super) fn expressions_at(text: &str, base: usize, inside: Inside) -> Option<Fragment> {
    let source = [FRAME.0, text, FRAME.1].concat();
    let tree = parsed(&source)?;
    if tree.root_node().has_error() {
        return None;
    }
    let arguments = arguments_of(tree.root_node())?;
    let texts = Texts {
        source: &source,
        prefix: FRAME.0.len(),
        base,
    };
    Some(lower::expressions(
        &named_children(arguments),
        texts,
        inside,
    ))
}

/// The block in which statements are complete.
const BLOCK: (&str, &str) = ("fn f() {", "\n}");

/// Reads the statements of `text`, which is at `base` in its file; `None` for any other text.
pub(super) fn statements_at(text: &str, base: usize, inside: Inside) -> Option<Statements> {
    let source = [BLOCK.0, text, BLOCK.1].concat();
    let tree = parsed(&source)?;
    if tree.root_node().has_error() {
        return None;
    }
    let body = tree.root_node().named_child(0)?;
    let body = body.child_by_field_name("body")?;
    let texts = Texts {
        source: &source,
        prefix: BLOCK.0.len(),
        base,
    };
    Some(lower::statements(body, texts, inside))
}

/// Reads a Rust expression; see [`parse_expression`](super::parse_expression).
pub(super) fn expression(text: &str) -> Result<Expr, ParseError> {
    let error = |span: Span| ParseError {
        span,
        expected: "a Rust expression".to_owned(),
        found: span.text(text).trim().chars().take(40).collect(),
    };
    if text.len() > limits::SOURCE_BYTES {
        return Err(error(Span::new(limits::SOURCE_BYTES, text.len())));
    }
    let read = expressions_at(text, 0, Inside::default());
    match read.map(|read| <[Expr; 1]>::try_from(read.exprs)) {
        Some(Ok([expr])) => Ok(expr),
        Some(Err(several)) => Err(error(
            several.get(1).map_or(Span::default(), |second| second.span),
        )),
        None => Err(error(first_error(text))),
    }
}

/// The place where the parser stumbles.
fn first_error(text: &str) -> Span {
    let source = [FRAME.0, text, FRAME.1].concat();
    let tree = parsed(&source);
    let spans = tree.map(|tree| nodes::error_spans(&tree, |_| false));
    let place = |at: usize| at.saturating_sub(FRAME.0.len()).min(text.len());
    spans
        .and_then(|spans| spans.first().copied())
        .map_or(Span::new(text.len(), text.len()), |span| {
            Span::new(place(span.start), place(span.end))
        })
}

thread_local! {
    /// A file may have thousands of macro calls; making a parser for each takes longer than parsing.
    static PARSER: RefCell<Option<Parser>> = RefCell::new(super::parser());
}

fn parsed(source: &str) -> Option<Tree> {
    PARSER.with_borrow_mut(|parser| parser.as_mut()?.parse(source, None))
}

fn arguments_of(root: Node<'_>) -> Option<Node<'_>> {
    let constant = root
        .named_child(0)
        .filter(|_| root.named_child_count() == 1)?;
    constant
        .child_by_field_name("value")?
        .child_by_field_name("arguments")
}
