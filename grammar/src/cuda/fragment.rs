//! C++ expressions outside of any file: on the command line, in the replacement of a macro.

use tree_sitter::{Node, Tree};

use super::lower::{self, Texts};
use super::{outline, parser, prepass, tokens};
use crate::limits;
use crate::parse_error::ParseError;
use crate::tree::{Expr, Item, ItemKind, Shift, Span};

/// Declarations in which an expression, or failing that a type, is complete.
const FRAMES: [(&str, &str); 2] = [("auto x = ", " ;"), ("using x = ", " ;")];

/// Replacements of macros longer than this are code, not constants.
const LONGEST_REPLACEMENT: usize = 512;

/// Reads `text`, which is at `base` in its file; `None` when it is not an expression.
pub(super) fn expression_at(text: &str, base: usize) -> Option<Expr> {
    if text.is_empty() || text.len() > LONGEST_REPLACEMENT {
        return None;
    }
    FRAMES
        .iter()
        .find_map(|frame| read(text, *frame, base).ok())
}

/// Reads a C++ expression or type; see [`parse_expression`](super::parse_expression).
pub(super) fn expression(text: &str) -> Result<Expr, ParseError> {
    if text.len() > limits::SOURCE_BYTES {
        return Err(ParseError {
            span: Span::new(limits::SOURCE_BYTES, text.len()),
            expected: format!("at most {} bytes", limits::SOURCE_BYTES),
            found: format!("{} bytes", text.len()),
        });
    }
    let [as_value, as_type] = FRAMES;
    read(text, as_value, 0).or_else(|error| read(text, as_type, 0).map_err(|_| error))
}

/// Reads statements; `None` where brackets in them have no partners.
pub(super) fn statements(text: &str) -> Option<Vec<Item>> {
    const FRAME: &str = "void x() {";
    if !outline::brackets_match(&tokens::scan(text).tokens) {
        return None;
    }
    let source = [FRAME, text, "\n}"].concat();
    let prepared = prepass::prepare(&source);
    let tree = parser()?.parse(&prepared.text, None)?;
    let piece = lower::lower_piece(&tree, &source, &prepared.text, &[]);
    let mut items = match piece.items.into_iter().next()?.kind {
        ItemKind::Function(function) => function.body?,
        _ => return None,
    };
    let inside = |offset: usize| offset.saturating_sub(FRAME.len()).min(text.len());
    items.map_spans(&|span| Span::new(inside(span.start), inside(span.end)));
    Some(items)
}

fn read(text: &str, (open, close): (&str, &str), base: usize) -> Result<Expr, ParseError> {
    let source = [open, text, close].concat();
    let prepared = prepass::prepare(&source);
    let tree = parser().and_then(|mut parser| parser.parse(&prepared.text, None));
    let Some(tree) = tree else {
        return Err(unexpected(text, Span::default()));
    };
    let inside = |span: Span| {
        let place = |offset: usize| offset.saturating_sub(open.len()).min(text.len());
        Span::new(place(span.start), place(span.end))
    };
    if let Some(error) = lower::error_spans(&tree).first() {
        return Err(unexpected(text, inside(*error)));
    }
    match only_value(&tree) {
        Some(value) if is_whole(value, open.len(), text) => {
            let texts = Texts {
                source: &source,
                prepared: &prepared.text,
                prefix: open.len(),
                base,
            };
            Ok(lower::lower_expression(value, texts))
        }
        Some(value) => {
            let rest = Span::new(
                inside(Span::new(value.end_byte(), value.end_byte())).end,
                text.len(),
            );
            Err(unexpected(text, rest))
        }
        None => Err(unexpected(text, Span::new(0, text.len()))),
    }
}

/// The value of the only declarator of the only declaration.
fn only_value(tree: &Tree) -> Option<Node<'_>> {
    let root = tree.root_node();
    let declaration = root
        .named_child(0)
        .filter(|_| root.named_child_count() == 1)?;
    if declaration.kind() == "alias_declaration" {
        return declaration.child_by_field_name("type");
    }
    let mut cursor = declaration.walk();
    let mut declarators = declaration.children_by_field_name("declarator", &mut cursor);
    let declarator = declarators
        .next()
        .filter(|d| d.kind() == "init_declarator")?;
    if declarators.next().is_some() {
        return None;
    }
    declarator.child_by_field_name("value")
}

fn is_whole(value: Node<'_>, prefix: usize, text: &str) -> bool {
    let blank = text.len() - text.trim_start().len();
    value.start_byte() == prefix + blank && value.end_byte() == prefix + text.trim_end().len()
}

fn unexpected(text: &str, span: Span) -> ParseError {
    let found = span.text(text).trim();
    let expected = match found {
        "" => "the rest of the expression",
        _ => "a C++ expression or type",
    };
    ParseError {
        span,
        expected: expected.to_owned(),
        found: shortened(found),
    }
}

/// At most as many characters as a message can show.
fn shortened(found: &str) -> String {
    const SHOWN: usize = 40;
    match found.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}...", found.get(..end).unwrap_or_default()),
        None => found.to_owned(),
    }
}
