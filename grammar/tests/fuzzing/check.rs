//! The promises of the parser for any text.

#![allow(clippy::panic)] // A broken promise ends the run.

use tree_sitter_cute::ParseError;
use tree_sitter_cute::notation::{parse, parse_partial, print};
use tree_sitter_cute::tree::{Expr, Ident, Span, Visitor, walk_expr};

/// Writes a value, reads it, and returns what was written.
pub(super) fn what_is_written_is_read_back(value: &Expr) -> String {
    let written = print(value);
    match parse(&written) {
        // The tree's own print shows each choice that was made.
        Ok(read) => assert_eq!(read.to_string(), value.to_string(), "{written}"),
        Err(error) => panic!("{written}: {error}"),
    }
    written
}

/// Whether the text is a value.
pub(super) fn answer_keeps_its_promises(text: &str) -> bool {
    let (partial, errors) = parse_partial(text);
    Spans::check(text, &partial);
    for error in &errors {
        check_error(text, error);
    }
    match parse(text) {
        Ok(value) => {
            assert!(errors.is_empty(), "{text:?}: {errors:?}");
            assert_eq!(value, partial, "{text:?}");
            what_is_written_is_read_back(&value);
            true
        }
        Err(error) => {
            assert!(!errors.is_empty(), "{text:?}: {error}");
            check_error(text, &error);
            false
        }
    }
}

fn check_error(text: &str, error: &ParseError) {
    let Span { start, end } = error.span;
    let covered = text.get(start..end);
    assert_eq!(covered, Some(&*error.found), "{text:?}: {error:?}");
    assert!(!error.expected.is_empty(), "{text:?}: {error:?}");
}

/// Every span is in the text and inside the span around it.
struct Spans<'t> {
    text: &'t str,
    around: Span,
}

impl Spans<'_> {
    fn check(text: &str, expr: &Expr) {
        let around = Span::new(0, text.len());
        Spans { text, around }.expr(expr);
    }

    fn check_span(&self, span: Span) {
        let text = self.text;
        assert!(
            text.get(span.start..span.end).is_some(),
            "{text:?}: {span:?}"
        );
        let around = self.around;
        assert!(around.encloses(span), "{text:?}: {span:?} in {around:?}");
    }
}

impl Visitor for Spans<'_> {
    fn expr(&mut self, expr: &Expr) {
        self.check_span(expr.span);
        let around = std::mem::replace(&mut self.around, expr.span);
        walk_expr(self, expr);
        self.around = around;
    }

    fn ident(&mut self, ident: &Ident) {
        self.check_span(ident.span);
    }
}
