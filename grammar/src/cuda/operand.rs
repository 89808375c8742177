//! Whether the text beside a macro binds a part of its replacement: `#define SUM 1 + 2` makes `SUM * 2` 5.

use super::tokens::{Token, TokenKind, scan};

/// Whether the replacement of a macro without parameters is one operand: nothing that is beside it can bind a part
/// of it.
pub fn is_operand(body: &str) -> bool {
    outer_tokens(body).all(|(token, _)| match token.kind {
        TokenKind::Punct(byte) => matches!(byte, b':' | b'.' | b'(' | b')' | b'{' | b'}'),
        _ => true,
    })
}

/// The words of a replacement that are in no brackets.
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

#[cfg(test)]
mod tests {
    use super::is_operand;

    #[test]
    fn an_operand_has_no_operators_outside_of_brackets() {
        for body in ["4", "(1 + 2)", "f(1 + 2)", "a::b", "x.y", "Int<4>{}"] {
            let expected = body != "Int<4>{}";
            assert_eq!(is_operand(body), expected, "{body}");
        }
        assert!(!is_operand("1 + 2") && !is_operand("-1") && !is_operand("a ? b : c"));
    }
}
