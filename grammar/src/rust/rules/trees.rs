//! Tokens of Rust, with what is in brackets as one tree.

use std::borrow::Cow;

use super::super::scan::{Scanner, Token};
use crate::assembled::Origin;
use crate::limits::DEPTH;
use crate::tree::Span;

/// A token.
#[derive(Debug, Clone)]
pub(super) struct Leaf<'t> {
    pub(super) text: Cow<'t, str>,
    kind: Kind,
    /// Its position; `None` for one that is in no source.
    pub(super) origin: Option<Origin>,
    /// The text before it, behind the token before it.
    pub(super) gap: &'t str,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Word,
    Mark,
    Literal,
}

impl<'t> Leaf<'t> {
    /// A token that is in no source.
    fn made(text: &'static str) -> Self {
        Self {
            text: Cow::Borrowed(text),
            kind: Kind::Mark,
            origin: None,
            gap: "",
        }
    }

    /// Whether it is directly behind another: the two are one mark, such as `=>`.
    fn touches(&self, before: &Leaf<'t>) -> bool {
        Origin::follows(self.origin, before.origin) && self.gap.is_empty()
    }
}

/// A token, or what is in brackets.
#[derive(Debug, Clone)]
pub(super) enum Tree<'t> {
    Leaf(Leaf<'t>),
    Group {
        open: Leaf<'t>,
        inner: Vec<Tree<'t>>,
        close: Leaf<'t>,
    },
}

impl<'t> Tree<'t> {
    /// Trees in parentheses: an expression that is an operand.
    pub(super) fn in_parentheses(inner: Vec<Self>) -> Self {
        Self::Group {
            open: Leaf::made("("),
            inner,
            close: Leaf::made(")"),
        }
    }

    /// Whether it is a mark of one byte.
    pub(super) fn is_mark(&self, mark: &str) -> bool {
        matches!(self, Self::Leaf(leaf) if leaf.kind == Kind::Mark && leaf.text == mark)
    }

    /// The name or keyword that it is.
    pub(super) fn word(&self) -> Option<&str> {
        match self {
            Self::Leaf(leaf) if leaf.kind == Kind::Word => Some(&leaf.text),
            _ => None,
        }
    }

    pub(super) fn is_literal(&self) -> bool {
        match self {
            Self::Leaf(leaf) => {
                leaf.kind == Kind::Literal && !leaf.text.starts_with('\'')
                    || matches!(self.word(), Some("true" | "false"))
                    || leaf.kind == Kind::Literal && leaf.text.ends_with('\'')
            }
            Self::Group { .. } => false,
        }
    }

    pub(super) fn is_lifetime(&self) -> bool {
        matches!(self, Self::Leaf(leaf)
            if leaf.kind == Kind::Literal && leaf.text.starts_with('\'') && !self.is_literal())
    }

    /// Whether it is something in braces.
    pub(super) fn is_block(&self) -> bool {
        matches!(self, Self::Group { open, .. } if open.text == "{")
    }

    /// Whether it is directly behind another: the two are one mark, such as `=>`.
    pub(super) fn touches(&self, before: &Self) -> bool {
        matches!((self, before), (Self::Leaf(own), Self::Leaf(before)) if own.touches(before))
    }

    /// Whether another is the same token.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        matches!((self, other), (Self::Leaf(own), Self::Leaf(other)) if own.text == other.text)
    }

    /// Gives every token to `take`, in order.
    pub(super) fn leaves<'a>(&'a self, take: &mut impl FnMut(&'a Leaf<'t>)) {
        match self {
            Self::Leaf(leaf) => take(leaf),
            Self::Group { open, inner, close } => {
                take(open);
                for tree in inner {
                    tree.leaves(take);
                }
                take(close);
            }
        }
    }

    /// Whether one of its words is among some.
    pub(super) fn names_one_of(&self, names: &[&str]) -> bool {
        let mut found = false;
        self.leaves(&mut |leaf| found |= leaf.kind == Kind::Word && names.contains(&&*leaf.text));
        found
    }
}

/// The tokens of a text that is at a place; `None` where its brackets have no partners.
pub(super) fn trees(text: &str, start: usize) -> Option<Vec<Tree<'_>>> {
    let mut scanner = Scanner::new(text);
    let mut open: Vec<(Leaf<'_>, Vec<Tree<'_>>)> = Vec::new();
    let mut trees = Vec::new();
    let mut end = 0;
    for number in 0.. {
        let Some(token) = scanner.next() else { break };
        let span = Span::new(token.start(), scanner.offset());
        let leaf = Leaf {
            text: Cow::Borrowed(span.text(text)),
            kind: match token {
                Token::Word(_) => Kind::Word,
                Token::Mark(..) => Kind::Mark,
                Token::Literal(_) => Kind::Literal,
            },
            origin: Some(Origin {
                text: start,
                number,
                start: start + span.start,
            }),
            gap: Span::new(end, span.start).text(text),
        };
        end = span.end;
        match token {
            Token::Mark(b'(' | b'[' | b'{', _) => {
                if open.len() >= DEPTH / 4 {
                    return None;
                }
                open.push((leaf, std::mem::take(&mut trees)));
            }
            Token::Mark(close @ (b')' | b']' | b'}'), _) => {
                let (opening, outer) = open.pop()?;
                let expected = match &*opening.text {
                    "(" => b')',
                    "[" => b']',
                    _ => b'}',
                };
                if close != expected {
                    return None;
                }
                let inner = std::mem::replace(&mut trees, outer);
                trees.push(Tree::Group {
                    open: opening,
                    inner,
                    close: leaf,
                });
            }
            _ => trees.push(Tree::Leaf(leaf)),
        }
    }
    open.is_empty().then_some(trees)
}

/// The names that a body binds: those of `let`, of `for` and of closures.
pub(super) fn bound_names<'a>(body: &'a [Tree<'_>]) -> Vec<&'a str> {
    let mut names = Vec::new();
    // Whether the tokens are those of a pattern, and whether the next name is a parameter of the macro.
    let (mut binds, mut is_parameter) = (false, false);
    for tree in body {
        match tree.word() {
            Some("let" | "for" | "mut" | "ref") => binds = true,
            Some("in") => binds = false,
            Some(_) if is_parameter => {}
            Some(name) if binds => names.push(name),
            Some(_) => {}
            None => {
                if tree.is_mark("=") || tree.is_mark(";") || tree.is_mark(":") {
                    binds = false;
                } else if tree.is_mark("|") {
                    binds = !binds;
                } else if let Tree::Group { inner, .. } = tree {
                    if binds {
                        let words = inner.iter().filter_map(Tree::word);
                        names.extend(words);
                    }
                    names.extend(bound_names(inner));
                    if tree.is_block() {
                        binds = false;
                    }
                }
            }
        }
        is_parameter = tree.is_mark("$");
    }
    names
}
