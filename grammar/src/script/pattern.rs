//! The patterns of `case`.

use tree_sitter::Node;

use super::{Expr, ExprKind, Pattern, Reader, UnaryOp, children, span};

impl Reader<'_> {
    /// One pattern.
    pub(super) fn pattern(&mut self, node: Node<'_>) -> Pattern {
        self.descend(|reader| reader.pattern_kind(node))
            .unwrap_or(Pattern::Unread)
    }

    /// The patterns that a node consists of: the tree has no node for `_` and none for the sign of a number.
    fn parts(&mut self, node: Node<'_>) -> Vec<Pattern> {
        let mut parts = Vec::new();
        let mut is_negative = false;
        for child in node.children(&mut node.walk()) {
            match child.kind() {
                "_" => parts.push(Pattern::Any),
                "-" => is_negative = true,
                _ if !child.is_named() || child.is_extra() => {}
                _ if std::mem::take(&mut is_negative) => {
                    let number = Box::new(self.expr(child));
                    parts.push(Pattern::Value(Expr {
                        kind: ExprKind::Unary(UnaryOp::Minus, number),
                        span: span(child),
                    }));
                }
                _ => parts.push(self.pattern(child)),
            }
        }
        parts
    }

    fn pattern_kind(&mut self, node: Node<'_>) -> Pattern {
        let has_comma = || {
            node.children(&mut node.walk())
                .any(|child| child.kind() == ",")
        };
        match node.kind() {
            "case_pattern" => {
                let mut parts = self.parts(node);
                parts.pop().unwrap_or(Pattern::Unread)
            }
            "union_pattern" => Pattern::Or(self.parts(node)),
            "list_pattern" => Pattern::Sequence(self.parts(node)),
            "tuple_pattern" => {
                let is_sequence = has_comma();
                let mut parts = self.parts(node);
                match parts.pop() {
                    Some(only) if parts.is_empty() && !is_sequence => only,
                    last => {
                        parts.extend(last);
                        Pattern::Sequence(parts)
                    }
                }
            }
            "splat_pattern" => Pattern::Star(children(node).first().map(|it| self.name(*it))),
            "as_pattern" => match children(node).as_slice() {
                [inner, name] => {
                    let inner = Box::new(self.pattern(*inner));
                    Pattern::As(inner, self.name(*name))
                }
                _ => Pattern::Unread,
            },
            "dict_pattern" => self.mapping(node),
            "class_pattern" => self.of_class(node),
            "identifier" => Pattern::Capture(self.name(node)),
            "dotted_name" => match children(node).as_slice() {
                [name] => Pattern::Capture(self.name(*name)),
                _ => Pattern::Value(self.dotted_value(node)),
            },
            "complex_pattern" | "keyword_pattern" => Pattern::Unread,
            _ => Pattern::Value(self.expr(node)),
        }
    }

    /// `{key: pattern, **rest}`
    fn mapping(&mut self, node: Node<'_>) -> Pattern {
        let (mut entries, mut rest, mut key) = (Vec::new(), None, None);
        for part in self.parts(node) {
            match (key.take(), part) {
                (Some(key), pattern) => entries.push((key, pattern)),
                (None, Pattern::Value(value)) => key = Some(value),
                (None, Pattern::Star(name)) => rest = name,
                (None, _) => return Pattern::Unread,
            }
        }
        match key {
            None => Pattern::Mapping(entries, rest),
            Some(_) => Pattern::Unread,
        }
    }

    /// `Class(a, name=b)`
    fn of_class(&mut self, node: Node<'_>) -> Pattern {
        let mut parts = children(node).into_iter();
        let Some(class) = parts.next() else {
            return Pattern::Unread;
        };
        let class = self.dotted_value(class);
        let (mut plain, mut named) = (Vec::new(), Vec::new());
        for part in parts {
            let keyword = children(part)
                .into_iter()
                .find(|inner| inner.kind() == "keyword_pattern");
            let Some(keyword) = keyword else {
                plain.push(self.pattern(part));
                continue;
            };
            let name = children(keyword).first().map(|name| self.name(*name));
            match (name, self.parts(keyword).pop()) {
                (Some(name), Some(pattern)) => named.push((name, pattern)),
                _ => return Pattern::Unread,
            }
        }
        Pattern::Class(class, plain, named)
    }

    /// `a.b.c`
    fn dotted_value(&mut self, node: Node<'_>) -> Expr {
        if node.kind() != "dotted_name" {
            return self.expr(node);
        }
        let mut names = self.dotted(node).into_iter();
        let Some(first) = names.next() else {
            return self.expr(node);
        };
        let mut value = Expr {
            kind: ExprKind::Name(first.text),
            span: first.span,
        };
        for name in names {
            value = Expr {
                kind: ExprKind::Attribute(Box::new(value), name),
                span: span(node),
            };
        }
        value
    }
}
