//! Literals.

use tree_sitter::Node;

use super::Lowering;
use crate::tree::{Expr, ExprKind, Ident, Path, Qualifier, Segment, Span};

impl Lowering<'_> {
    /// `128`, `0x80_u32`, `1_000usize`.
    pub(super) fn integer(&self, node: Node<'_>) -> ExprKind {
        integer_value(self.text(node)).map_or(ExprKind::Opaque("integer_literal"), ExprKind::Int)
    }

    /// The type that the suffix of an integer names: of `4usize`.
    pub(super) fn suffix(&self, node: Node<'_>) -> Option<Expr> {
        let (text, span) = (self.text(node), self.span(node));
        let digits = text
            .find(['i', 'u'])
            .filter(|_| node.kind() == "integer_literal")?;
        let place = Span::new(span.start + digits, span.end);
        let name = Ident {
            name: text.get(digits..)?.to_owned(),
            span: place,
        };
        let path = Path {
            qualifier: Qualifier::None,
            segments: vec![Segment { name, args: None }],
        };
        Some(Expr::new(ExprKind::Name(path), place))
    }

    pub(super) fn character(&self, node: Node<'_>) -> ExprKind {
        let text = self.text(node);
        let inside = text
            .split_once('\'')
            .and_then(|(_, rest)| rest.strip_suffix('\''));
        let mut characters = inside.unwrap_or_default().chars();
        match (characters.next(), characters.next()) {
            (Some(value), None) => ExprKind::Char(value),
            _ => ExprKind::Opaque("char_literal"),
        }
    }

    /// The text between the quotes, escapes as written.
    pub(super) fn string(&self, node: Node<'_>) -> ExprKind {
        let text = self.text(node);
        let inside = text
            .split_once('"')
            .and_then(|(_, rest)| rest.rsplit_once('"'));
        ExprKind::Str(inside.map_or("", |(inside, _)| inside).to_owned())
    }
}

fn integer_value(text: &str) -> Option<i64> {
    let (radix, digits) = match text.get(..2) {
        Some("0x") => (16, &text[2..]),
        Some("0o") => (8, &text[2..]),
        Some("0b") => (2, &text[2..]),
        _ => (10, text),
    };
    // The suffix, `u32` or `isize`, starts with a letter that is not a digit of any radix.
    let end = digits.find(['i', 'u']).unwrap_or(digits.len());
    let digits: String = digits.get(..end)?.chars().filter(|c| *c != '_').collect();
    i64::from_str_radix(&digits, radix).ok()
}

#[cfg(test)]
mod tests {
    use super::integer_value;

    #[test]
    fn integers_in_all_spellings() {
        for (text, value) in [
            ("128", Some(128)),
            ("0x80_u32", Some(128)),
            ("0b1000_0000", Some(128)),
            ("1_000usize", Some(1000)),
            ("0xffff_ffff_ffff_ffff", None),
            ("8i64", Some(8)),
        ] {
            assert_eq!(integer_value(text), value, "{text}");
        }
    }
}
