//! Tokens of the notation.

use crate::tree::Span;

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Token<'t> {
    /// A decimal or hexadecimal integer without sign.
    Integer(i64),
    /// A name; `_` alone and `_8` have tokens of their own.
    Name(&'t str),
    /// `_8`, `_-1`
    Static(i64),
    /// `_`
    Underscore,
    /// A basis vector `e1`, or with its coefficient `6e1`: coefficient, mode.
    BasisVector(Option<i64>, usize),
    /// The infix `o` or `∘`; a lone `o` is a name where an operand is due.
    Compose(&'t str),
    /// `⊘` or `(/)`
    Divide,
    /// `⊗` or `(*)`
    Product,
    /// `::`
    Scope,
    /// Any other single character.
    Mark(char),
    /// An integer that does not fit 64 bits.
    TooLarge(&'t str),
    /// The end of the text.
    End,
}

/// A token with its place.
#[derive(Debug, Clone, Copy)]
pub(super) struct Placed<'t> {
    pub(super) token: Token<'t>,
    pub(super) span: Span,
}

/// Reads the token at or after `at`.
pub(super) fn next(text: &str, at: usize) -> Placed<'_> {
    let rest = text.get(at..).unwrap_or_default();
    let start = at + (rest.len() - rest.trim_start().len());
    let rest = rest.trim_start();
    let (token, length) = token(rest);
    Placed {
        token,
        span: Span::new(start, start + length),
    }
}

fn token(rest: &str) -> (Token<'_>, usize) {
    let Some(first) = rest.chars().next() else {
        return (Token::End, 0);
    };
    match first {
        '0'..='9' => number(rest),
        '_' => underscore(rest),
        'a'..='z' | 'A'..='Z' => {
            let word = prefix(rest, is_name_char);
            (name(word), word.len())
        }
        '\u{2218}' => (
            Token::Compose(prefix(rest, |c| c == first)),
            first.len_utf8(),
        ),
        '\u{2298}' => (Token::Divide, first.len_utf8()),
        '\u{2297}' => (Token::Product, first.len_utf8()),
        '(' if rest.starts_with("(/)") => (Token::Divide, 3),
        '(' if rest.starts_with("(*)") => (Token::Product, 3),
        ':' if rest.starts_with("::") => (Token::Scope, 2),
        _ => (Token::Mark(first), first.len_utf8()),
    }
}

fn is_name_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

fn prefix(text: &str, belongs: impl Fn(char) -> bool) -> &str {
    let end = text.find(|c| !belongs(c)).unwrap_or(text.len());
    text.get(..end).unwrap_or_default()
}

fn name(word: &str) -> Token<'_> {
    if word == "o" {
        return Token::Compose(word);
    }
    match word.strip_prefix('e').map(str::parse) {
        Some(Ok(mode)) if !word.contains('_') => Token::BasisVector(None, mode),
        _ => Token::Name(word),
    }
}

fn number(rest: &str) -> (Token<'_>, usize) {
    if let Some(digits) = rest.strip_prefix("0x").or(rest.strip_prefix("0X")) {
        let digits = prefix(digits, |c| c.is_ascii_hexdigit());
        let length = digits.len() + 2;
        let whole = prefix(rest, is_name_char);
        return match i64::from_str_radix(digits, 16) {
            Ok(value) => (Token::Integer(value), length),
            Err(_) => (Token::TooLarge(whole), length),
        };
    }
    let digits = prefix(rest, |c| c.is_ascii_digit());
    let Ok(value) = digits.parse() else {
        return (Token::TooLarge(digits), digits.len());
    };
    let word = prefix(rest, is_name_char);
    let mode = word
        .get(digits.len()..)
        .and_then(|rest| rest.strip_prefix('e'))
        .map(str::parse);
    match mode {
        Some(Ok(mode)) => (Token::BasisVector(Some(value), mode), word.len()),
        _ => (Token::Integer(value), digits.len()),
    }
}

fn underscore(rest: &str) -> (Token<'_>, usize) {
    let word = prefix(rest, is_name_char);
    let after = rest.get(1..).unwrap_or_default();
    let sign = usize::from(word.len() == 1 && after.starts_with('-'));
    let digits = prefix(after.get(sign..).unwrap_or_default(), |c| {
        c.is_ascii_digit()
    });
    let length = 1 + sign + digits.len();
    if digits.is_empty() {
        let is_name = word.bytes().any(|b| b != b'_');
        let token = if is_name {
            Token::Name(word)
        } else {
            Token::Underscore
        };
        return (token, if is_name { word.len() } else { 1 });
    }
    if length < word.len() {
        return (Token::Name(word), word.len());
    }
    match rest.get(1..length).map(str::parse) {
        Some(Ok(value)) => (Token::Static(value), length),
        _ => (Token::TooLarge(digits), length),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &str) -> Vec<Token<'_>> {
        let mut tokens = Vec::new();
        let mut at = 0;
        loop {
            let placed = next(text, at);
            if placed.token == Token::End {
                return tokens;
            }
            tokens.push(placed.token);
            at = placed.span.end;
        }
    }

    #[test]
    fn underscores_are_slices_static_integers_or_names() {
        assert_eq!(
            tokens("_ _8 _-1 _x _8x"),
            [
                Token::Underscore,
                Token::Static(8),
                Token::Static(-1),
                Token::Name("_x"),
                Token::Name("_8x")
            ]
        );
    }

    #[test]
    fn basis_vectors_and_names_that_begin_with_e() {
        assert_eq!(
            tokens("e0 6e1 elem e E"),
            [
                Token::BasisVector(None, 0),
                Token::BasisVector(Some(6), 1),
                Token::Name("elem"),
                Token::Name("e"),
                Token::Name("E")
            ]
        );
    }

    #[test]
    fn the_operators_in_both_spellings() {
        use Token::{Compose, Divide, Product};
        assert_eq!(
            tokens("o \u{2218} \u{2298} \u{2297} (/) (*)"),
            [
                Compose("o"),
                Compose("\u{2218}"),
                Divide,
                Product,
                Divide,
                Product
            ]
        );
    }

    #[test]
    fn integers_beyond_64_bits_are_told_apart() {
        assert_eq!(tokens("9223372036854775807"), [Token::Integer(i64::MAX)]);
        assert_eq!(
            tokens("9223372036854775808"),
            [Token::TooLarge("9223372036854775808")]
        );
        assert_eq!(tokens("0x10"), [Token::Integer(16)]);
    }
}
