//! Tokens of the notation.

use super::look_alike;
use crate::tree::Span;

/// The kind of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Token<'t> {
    /// A decimal or hexadecimal integer without sign.
    Integer(i64),
    /// A name; `_` alone and `_8` have their own tokens.
    Name(&'t str),
    /// `_8`, `_-1`
    Static(i64),
    /// `_`
    Underscore,
    /// A basis vector `e1`, or with its coefficient `6e1`: coefficient, mode.
    BasisVector(i64, usize),
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
    /// A character that is not of the notation and looks like this mark of it.
    LookAlike(char),
    /// An integer that does not fit 64 bits.
    TooLarge,
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
    let start = skip_space(text, at);
    let (token, length) = match text.as_bytes().get(start) {
        None => (Token::End, 0),
        Some(b'0'..=b'9') => number(text, start),
        Some(b'_') => underscore(text, start),
        Some(byte) if byte.is_ascii_alphabetic() => {
            let word = run(text, start, is_name_byte);
            (name(word), word.len())
        }
        Some(byte) if byte.is_ascii() => mark(text, start, *byte),
        Some(_) => beyond_ascii(text.get(start..).unwrap_or_default()),
    };
    Placed {
        token,
        span: Span::new(start, start + length),
    }
}

/// The start of the next token.
fn skip_space(text: &str, at: usize) -> usize {
    let mut start = at;
    while let Some(byte) = text.as_bytes().get(start) {
        if matches!(byte, b' ' | b'\t'..=b'\r') {
            start += 1;
        } else if byte.is_ascii() {
            break;
        } else {
            match text.get(start..).and_then(|rest| rest.chars().next()) {
                Some(space) if space.is_whitespace() => start += space.len_utf8(),
                _ => break,
            }
        }
    }
    start
}

fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// The bytes from `start` on that belong together.
fn run(text: &str, start: usize, belongs: impl Fn(u8) -> bool) -> &str {
    let rest = text.get(start..).unwrap_or_default();
    let end = rest.bytes().position(|byte| !belongs(byte));
    rest.get(..end.unwrap_or(rest.len())).unwrap_or_default()
}

fn name(word: &str) -> Token<'_> {
    if word == "o" {
        return Token::Compose(word);
    }
    match word.strip_prefix('e').filter(|mode| is_number(mode)) {
        // As for any integer, 64 bits with a sign are the limit.
        Some(mode) => match decimal(mode, 0).0.map(usize::try_from) {
            Some(Ok(mode)) => Token::BasisVector(1, mode),
            _ => Token::TooLarge,
        },
        None => Token::Name(word),
    }
}

/// Whether there are digits, and nothing else.
pub(super) fn is_number(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit())
}

/// The digits from `start` on: their value, if 64 bits hold it, and how many there are.
fn decimal(text: &str, start: usize) -> (Option<i64>, usize) {
    let mut value = Some(0_i64);
    let mut length = 0;
    while let Some(digit @ b'0'..=b'9') = text.as_bytes().get(start + length) {
        value = value
            .and_then(|value| value.checked_mul(10))
            .and_then(|value| value.checked_add(i64::from(digit - b'0')));
        length += 1;
    }
    (value, length)
}

fn number(text: &str, start: usize) -> (Token<'_>, usize) {
    let (value, length) = decimal(text, start);
    let token = value.map_or(Token::TooLarge, Token::Integer);
    match text.as_bytes().get(start + length) {
        Some(b'x' | b'X') if (value, length) == (Some(0), 1) => {
            let digits = run(text, start + 2, |byte| byte.is_ascii_hexdigit());
            if digits.is_empty() {
                return (token, length);
            }
            let value = i64::from_str_radix(digits, 16);
            (
                value.map_or(Token::TooLarge, Token::Integer),
                digits.len() + 2,
            )
        }
        Some(b'e') => {
            let (mode, digits) = decimal(text, start + length + 1);
            let mode = mode.and_then(|mode| usize::try_from(mode).ok());
            match (value, mode) {
                _ if digits == 0 => (token, length),
                (Some(value), Some(mode)) => (Token::BasisVector(value, mode), length + 1 + digits),
                _ => (Token::TooLarge, length + 1 + digits),
            }
        }
        _ => (token, length),
    }
}

fn underscore(text: &str, start: usize) -> (Token<'_>, usize) {
    let word = run(text, start, is_name_byte);
    let sign = usize::from(word.len() == 1 && text.as_bytes().get(start + 1) == Some(&b'-'));
    let digits = run(text, start + 1 + sign, |byte| byte.is_ascii_digit());
    let length = 1 + sign + digits.len();
    if digits.is_empty() {
        let is_name = word.bytes().any(|byte| byte != b'_');
        return if is_name {
            (Token::Name(word), word.len())
        } else {
            (Token::Underscore, 1)
        };
    }
    if length < word.len() {
        return (Token::Name(word), word.len());
    }
    let value = text.get(start + 1..start + length).map(str::parse);
    match value {
        Some(Ok(value)) => (Token::Static(value), length),
        _ => (Token::TooLarge, length),
    }
}

/// Punctuation.
fn mark(text: &str, start: usize, byte: u8) -> (Token<'_>, usize) {
    let rest = text.as_bytes().get(start..).unwrap_or_default();
    match rest {
        [b'(', b'/', b')', ..] => (Token::Divide, 3),
        [b'(', b'*', b')', ..] => (Token::Product, 3),
        [b':', b':', ..] => (Token::Scope, 2),
        _ => (Token::Mark(char::from(byte)), 1),
    }
}

fn beyond_ascii(rest: &str) -> (Token<'_>, usize) {
    let Some(first) = rest.chars().next() else {
        return (Token::End, 0);
    };
    let length = first.len_utf8();
    let token = match first {
        '\u{2218}' => Token::Compose(rest.get(..length).unwrap_or_default()),
        '\u{2298}' => Token::Divide,
        '\u{2297}' => Token::Product,
        _ => look_alike::mark(first).map_or(Token::Mark(first), Token::LookAlike),
    };
    (token, length)
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
            tokens("e0 6e1 elem e E 6e"),
            [
                Token::BasisVector(1, 0),
                Token::BasisVector(6, 1),
                Token::Name("elem"),
                Token::Name("e"),
                Token::Name("E"),
                Token::Integer(6),
                Token::Name("e")
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
        for text in [
            "9223372036854775808",
            "e9223372036854775808",
            "1e9223372036854775808",
        ] {
            assert_eq!(tokens(text), [Token::TooLarge]);
        }
        assert_eq!(tokens("_-9223372036854775808"), [Token::Static(i64::MIN)]);
        assert_eq!(tokens("0x10"), [Token::Integer(16)]);
    }

    #[test]
    fn white_space_of_any_script_is_free() {
        assert_eq!(tokens("\u{a0}4\u{3000}\u{2003}\n"), [Token::Integer(4)]);
    }
}
