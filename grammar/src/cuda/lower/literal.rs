//! Literals.

use tree_sitter::Node;

use super::{Lowering, child_of_kind, named_children};
use crate::tree::{Expr, ExprKind, UnaryOp};

impl Lowering<'_> {
    pub(super) fn number(&self, node: Node<'_>) -> Expr {
        let text = self.text(node);
        // The grammar takes a sign into the literal; `-1` and `- 1` should look the same.
        let (sign, digits) = match text.split_at_checked(1) {
            Some(("-", digits)) => (Some(UnaryOp::Minus), digits),
            Some(("+", digits)) => (Some(UnaryOp::Plus), digits),
            _ => (None, text),
        };
        let whole = self.span(node);
        let mut place = whole;
        place.start += text.len() - digits.len();
        let literal = Expr::new(number_kind(digits), place);
        match sign {
            Some(sign) => Expr::new(ExprKind::Unary(sign, Box::new(literal)), whole),
            None => literal,
        }
    }

    pub(super) fn user_literal(&mut self, node: Node<'_>) -> Expr {
        let suffix = child_of_kind(node, "literal_suffix").map(|n| self.text(n).to_owned());
        let Some(value) = node.named_child(0) else {
            return self.opaque(node);
        };
        let value = self.expr(value);
        Expr::new(
            ExprKind::UserLiteral(Box::new(value), suffix.unwrap_or_default()),
            self.span(node),
        )
    }

    pub(super) fn character(&self, node: Node<'_>) -> Expr {
        let text = self.text(node);
        let inside = text
            .split_once('\'')
            .and_then(|(_, rest)| rest.strip_suffix('\''));
        let kind = match inside.and_then(character_of) {
            Some(value) => ExprKind::Char(value),
            None => ExprKind::Opaque("char_literal"),
        };
        Expr::new(kind, self.span(node))
    }

    pub(super) fn string(&self, node: Node<'_>) -> Expr {
        let parts = match node.kind() {
            "concatenated_string" => named_children(node),
            _ => vec![node],
        };
        let mut value = String::new();
        for part in parts {
            for content in named_children(part) {
                if matches!(
                    content.kind(),
                    "string_content" | "escape_sequence" | "raw_string_content"
                ) {
                    value.push_str(self.text(content));
                }
            }
        }
        Expr::new(ExprKind::Str(value), self.span(node))
    }
}

/// A literal without its sign.
fn number_kind(text: &str) -> ExprKind {
    let clean: String = text.chars().filter(|c| *c != '\'').collect();
    let lower = clean.to_ascii_lowercase();
    let (radix, digits) = match lower.as_bytes() {
        [b'0', b'x', ..] => (16, lower.get(2..)),
        [b'0', b'b', ..] => (2, lower.get(2..)),
        [b'0', b'0'..=b'7', ..] => (8, lower.get(1..)),
        _ => (10, Some(lower.as_str())),
    };
    let digits = digits.unwrap_or_default();
    let end = digits
        .find(|c: char| !c.is_digit(radix))
        .unwrap_or(digits.len());
    let (digits, suffix) = digits.split_at(end);
    let integer_suffix = suffix.bytes().all(|b| matches!(b, b'u' | b'l' | b'z'));
    match i64::from_str_radix(digits, radix) {
        Ok(value) if integer_suffix => ExprKind::Int(value),
        Err(_) if integer_suffix && !digits.is_empty() => {
            ExprKind::Opaque("integer beyond 64 bits")
        }
        _ => ExprKind::Float(clean),
    }
}

/// The character between single quotes, escapes resolved; `None` for a literal that C++ leaves to the implementation
/// (`'ab'`) or that is unfinished.
fn character_of(text: &str) -> Option<char> {
    let mut chars = text.chars();
    let first = chars.next()?;
    if first != '\\' {
        return chars.next().is_none().then_some(first);
    }
    let escape = chars.next()?;
    let rest = chars.as_str();
    let simple = match escape {
        'n' => '\n',
        't' => '\t',
        'r' => '\r',
        'a' => '\x07',
        'b' => '\x08',
        'f' => '\x0c',
        'v' => '\x0b',
        '\\' | '\'' | '"' | '?' => escape,
        'x' | 'u' | 'U' => return char::from_u32(u32::from_str_radix(rest, 16).ok()?),
        '0'..='7' => {
            return char::from_u32(u32::from_str_radix(text.get(1..)?, 8).ok()?);
        }
        _ => return None,
    };
    rest.is_empty().then_some(simple)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_of_every_radix() {
        for (text, value) in [
            ("128", 128),
            ("0x80", 128),
            ("0b1000'0000", 128),
            ("0200", 128),
            ("1'000ull", 1000),
            ("0", 0),
            ("9223372036854775807", i64::MAX),
        ] {
            assert_eq!(number_kind(text), ExprKind::Int(value), "{text}");
        }
    }

    #[test]
    fn what_is_no_64_bit_integer_is_said_to_be_so() {
        let beyond = number_kind("18446744073709551615u");
        assert_eq!(beyond, ExprKind::Opaque("integer beyond 64 bits"));
        assert_eq!(number_kind("1.5f"), ExprKind::Float("1.5f".into()));
        assert_eq!(number_kind("1e3"), ExprKind::Float("1e3".into()));
        assert_eq!(number_kind("0x"), ExprKind::Float("0x".into()));
    }

    #[test]
    fn characters() {
        assert_eq!(character_of("N"), Some('N'));
        assert_eq!(character_of("\\n"), Some('\n'));
        assert_eq!(character_of("\\x41"), Some('A'));
        assert_eq!(character_of("\\0"), Some('\0'));
        assert_eq!(character_of("ab"), None);
    }
}
