//! The code of a C++ source: its tokens without the comments and white space between them.

use super::tokens::{Scan, Token, TokenKind, scan};
use crate::tree::Comment;

/// The tokens and comments of a text.
pub(crate) struct Code<'t> {
    text: &'t str,
    scan: Scan,
}

impl<'t> Code<'t> {
    /// Reads a text.
    pub(crate) fn of(text: &'t str) -> Self {
        let scan = scan(text);
        Self { text, scan }
    }

    /// Its comments, in source order; those inside of preprocessor lines are part of these.
    pub(crate) fn comments(&self) -> &[Comment] {
        &self.scan.comments
    }

    /// Whether it has the same tokens as another text, and they touch where they touch there: `> >` is not `>>`.
    pub(crate) fn is_that_of(&self, other: &Self) -> bool {
        let (own, others) = (&self.scan.tokens, &other.scan.tokens);
        own.len() == others.len()
            && own.iter().zip(others).all(|(one, other_token)| {
                one.kind == other_token.kind
                    && one.span().text(self.text) == other_token.span().text(other.text)
            })
            && own
                .windows(2)
                .zip(others.windows(2))
                .all(|(one, other)| touch(one) == touch(other))
    }
}

/// Whether two bytes of punctuation are side by side.
fn touch(pair: &[Token]) -> bool {
    match pair {
        [one, other] => {
            let both = [one, other].map(|token| matches!(token.kind, TokenKind::Punct(_)));
            both == [true, true] && one.span().end == other.span().start
        }
        _ => false,
    }
}
