//! Expressions in which macros stand whose replacement is no operand of its own: `#define SUM 1 + 2` makes `SUM * 2` 5.
//! The macros are replaced in the text, which is read again.

use super::expand::{Expansion, MacroCall};
use super::fragment;
use super::tokens::{Token, TokenKind, scan};
use crate::limits;
use crate::tree::{Expr, Ident, Shift, Span};

/// A macro as it is defined.
#[derive(Debug, Clone, Copy)]
pub struct MacroText<'t> {
    /// Its parameters; `None` where it is replaced without arguments.
    pub params: Option<&'t [Ident]>,
    /// Whether it takes more arguments than that.
    pub variadic: bool,
    /// Its replacement text.
    pub body: &'t str,
    /// Where that starts.
    pub body_start: usize,
}

/// The expression that `text` is, which starts at `start`, with the macros replaced that `find` knows; `None` where
/// that is no expression. Its spans are those of the source; what several places make up has that of the whole.
///
/// ```
/// # use tree_sitter_cute::cuda::{MacroText, replaced};
/// let sum = MacroText { params: None, variadic: false, body: "1 + 2", body_start: 10 };
/// let expr = replaced("SUM * 2", 50, &|name| (name == "SUM").then_some(sum)).unwrap();
/// assert_eq!(expr.to_string(), "(1 + (2 * 2))");
/// ```
pub fn replaced<'t>(
    text: &str,
    start: usize,
    find: &dyn Fn(&str) -> Option<MacroText<'t>>,
) -> Option<Expr> {
    let whole = Span::new(start, start + text.len());
    let mut replacing = Replacing {
        find,
        active: Vec::new(),
        out: Expansion {
            text: String::new(),
            chunks: Vec::new(),
            whole,
        },
    };
    replacing.expand(text, &|span| Some(span.start + start))?;
    let mut expr = fragment::expression(&replacing.out.text).ok()?;
    let out = replacing.out;
    expr.map_spans(&|span| out.origin(span));
    Some(expr)
}

/// Whether the replacement of a macro without parameters is one operand: nothing that stands beside it can bind a part
/// of it.
pub fn is_operand(body: &str) -> bool {
    outer_tokens(body).all(|(token, _)| match token.kind {
        TokenKind::Punct(byte) => matches!(byte, b':' | b'.' | b'(' | b')' | b'{' | b'}'),
        _ => true,
    })
}

/// The words of a replacement that stand in no brackets.
pub fn outer_words(body: &str) -> impl Iterator<Item = &str> {
    outer_tokens(body)
        .filter(|(token, _)| token.kind == TokenKind::Word)
        .map(|(_, text)| text)
}

/// Whether a text has a word of which something is true.
pub fn mentions(text: &str, is_meant: &dyn Fn(&str) -> bool) -> bool {
    let mut tokens = scan(text).tokens.into_iter();
    tokens.any(|token| token.kind == TokenKind::Word && is_meant(token.span().text(text)))
}

/// The tokens of a text outside of all brackets.
fn outer_tokens(text: &str) -> impl Iterator<Item = (Token, &str)> {
    let mut depth = 0_usize;
    let tokens = scan(text).tokens.into_iter();
    tokens.filter_map(move |token| {
        match token.kind {
            TokenKind::Punct(b'(' | b'[' | b'{') => depth += 1,
            TokenKind::Punct(b')' | b']' | b'}') => depth = depth.saturating_sub(1),
            _ if depth == 0 => return Some((token, token.span().text(text))),
            _ => {}
        }
        None
    })
}

struct Replacing<'f, 't> {
    find: &'f dyn Fn(&str) -> Option<MacroText<'t>>,
    /// The macros inside of whose replacement we are: none is replaced again.
    active: Vec<String>,
    out: Expansion,
}

impl Replacing<'_, '_> {
    /// Adds a text; `origin` says where a part of it comes from.
    fn expand(&mut self, text: &str, origin: &dyn Fn(Span) -> Option<usize>) -> Option<()> {
        if self.active.len() > limits::MACRO_DEPTH {
            return None;
        }
        let tokens = scan(text).tokens;
        let mut at = 0;
        let mut index = 0;
        while let Some(token) = tokens.get(index) {
            index += 1;
            let span = token.span();
            let word = span.text(text);
            if token.kind != TokenKind::Word || self.active.iter().any(|name| name == word) {
                continue;
            }
            let Some(found) = (self.find)(word) else {
                continue;
            };
            let mut end = span.end;
            let expansion = match found.params {
                None => None,
                Some(params) => {
                    let rest = tokens.get(index..)?;
                    if !rest.first().is_some_and(|next| next.is(b'(')) {
                        continue;
                    }
                    let count = closing(rest)? + 1;
                    end = rest.get(count - 1)?.span().end;
                    index += count;
                    let call = MacroCall {
                        params,
                        variadic: found.variadic,
                        body: found.body,
                        body_start: found.body_start,
                        call: text.get(span.start..end)?,
                        call_start: origin(Span::new(span.start, end))
                            .unwrap_or(self.out.whole.start),
                    };
                    Some(call.expanded()?)
                }
            };
            self.add(text, Span::new(at, span.start), origin)?;
            at = end;
            // What is replaced is a token of its own.
            self.out.text.push(' ');
            self.active.push(word.to_owned());
            match &expansion {
                None => self.expand(found.body, &|part| Some(part.start + found.body_start))?,
                Some(expansion) => self.expand(&expansion.text, &|part| {
                    let place = expansion.origin(part);
                    (place != expansion.whole).then_some(place.start)
                })?,
            }
            self.active.pop();
            self.out.text.push(' ');
        }
        self.add(text, Span::new(at, text.len()), origin)
    }

    /// Adds a part of a text as it is, token by token: each may come from another place.
    fn add(
        &mut self,
        text: &str,
        part: Span,
        origin: &dyn Fn(Span) -> Option<usize>,
    ) -> Option<()> {
        let inside = part.text(text);
        if self.out.text.len() + inside.len() > limits::MACRO_BYTES {
            return None;
        }
        let mut at = 0;
        for token in scan(inside).tokens {
            let span = token.span();
            self.out.text += inside.get(at..span.start)?;
            match origin(Span::new(part.start + span.start, part.start + span.end)) {
                Some(start) => self.out.take(inside, start - span.start.min(start), span),
                None => self.out.text += span.text(inside),
            }
            at = span.end;
        }
        self.out.text += inside.get(at..)?;
        Some(())
    }
}

/// The place of the parenthesis that closes the first of some tokens.
fn closing(tokens: &[Token]) -> Option<usize> {
    let mut depth = 0_usize;
    for (index, token) in tokens.iter().enumerate() {
        match token.kind {
            TokenKind::Punct(b'(') => depth += 1,
            TokenKind::Punct(b')') => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(index);
                }
            }
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ident(name: &str) -> Ident {
        Ident {
            name: name.to_owned(),
            span: Span::default(),
        }
    }

    fn read(text: &str) -> Option<String> {
        let one = [ident("x")];
        let two = [ident("x"), ident("y")];
        let text_of = |params, body| MacroText {
            params,
            variadic: false,
            body,
            body_start: 0,
        };
        let find = |name: &str| {
            Some(match name {
                "SUM" => text_of(None, "1 + 2"),
                "ALIAS" => text_of(None, "SUM"),
                "LOOP" => text_of(None, "LOOP + 1"),
                "NEGATIVE" => text_of(None, "-1"),
                "SAME" => text_of(Some(one.as_slice()), "x"),
                "PRODUCT" => text_of(Some(two.as_slice()), "x * y"),
                "PASTE" => text_of(Some(two.as_slice()), "x##y"),
                _ => return None,
            })
        };
        replaced(text, 100, &find).map(|expr| expr.to_string())
    }

    #[test]
    fn replacements_are_read_with_what_stands_beside_them() {
        for (text, expected) in [
            ("SUM * 2", "(1 + (2 * 2))"),
            ("2 * SUM", "((2 * 1) + 2)"),
            ("(SUM) * 2", "((1 + 2) * 2)"),
            ("ALIAS * 2", "(1 + (2 * 2))"),
            ("2 - NEGATIVE", "(2 - -1)"),
            ("2 -NEGATIVE", "(2 - -1)"),
            ("SAME(1 + 2) * 3", "(1 + (2 * 3))"),
            ("PRODUCT(SUM, SAME(SUM))", "((1 + (2 * 1)) + 2)"),
            ("LOOP * 2", "(LOOP + (1 * 2))"),
            ("f(SUM) * 2", "(f((1 + 2)) * 2)"),
            ("PASTE(a, b) + 1", "(ab + 1)"),
            ("SAME + 1", "(SAME + 1)"),
        ] {
            assert_eq!(read(text).as_deref(), Some(expected), "{text}");
        }
        assert_eq!(read("PRODUCT(1)"), None);
    }

    #[test]
    fn spans_are_those_of_the_source() {
        let sum = MacroText {
            params: None,
            variadic: false,
            body: "1 + a",
            body_start: 10,
        };
        let expr = replaced("b * SUM", 50, &|name| (name == "SUM").then_some(sum));
        let expr = expr.expect("an expression");
        assert_eq!(expr.span, Span::new(50, 57));
        let crate::tree::ExprKind::Binary(_, left, right) = &expr.kind else {
            panic!("{expr}");
        };
        assert_eq!(right.span, Span::new(14, 15));
        assert_eq!(left.span, Span::new(50, 57));
    }

    #[test]
    fn an_operand_has_no_operators_outside_of_brackets() {
        for body in ["4", "(1 + 2)", "f(1 + 2)", "a::b", "x.y", "Int<4>{}"] {
            let expected = body != "Int<4>{}";
            assert_eq!(is_operand(body), expected, "{body}");
        }
        assert!(!is_operand("1 + 2") && !is_operand("-1") && !is_operand("a ? b : c"));
    }
}
