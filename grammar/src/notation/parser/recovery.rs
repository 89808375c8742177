//! Going on behind an error.

use super::bracket::{Bracket, kind_of};
use super::{Binding, Due, Form, Parser, Pending};
use crate::notation::lexer::Token;
use crate::parse_error::ParseError;
use crate::tree::Span;

impl Parser<'_> {
    /// Goes on behind an error: at the next separator or closing mark that belongs to an open
    /// bracket. A missing operand leaves a hole.
    pub(super) fn recovered(&mut self, error: ParseError, due: Due, start: usize) -> Due {
        self.record(error);
        self.skip();
        if matches!(due, Due::Operand | Due::Name) {
            let end = self.taken;
            self.push_hole(Span::new(start.min(end), end));
        }
        self.close_what_cannot_go_on();
        Due::Operator(Form::Plain)
    }

    fn skip(&mut self) {
        let mut nested = 0_usize;
        loop {
            match self.next.token {
                Token::End => return,
                Token::Mark('(' | '[' | '{') => nested += 1,
                Token::Mark(')' | ']' | '}') if nested > 0 => nested -= 1,
                Token::Mark(mark) if nested == 0 && self.goes_on_at(mark) => return,
                _ => {}
            }
            self.take();
        }
    }

    /// Whether the mark separates in the innermost bracket, or closes any.
    fn goes_on_at(&self, mark: char) -> bool {
        let is_open = |kind: usize| self.open.get(kind).is_some_and(|count| *count > 0);
        kind_of(mark).is_some_and(is_open)
            || self
                .innermost()
                .is_some_and(|bracket| bracket.separates(mark))
    }

    fn innermost(&self) -> Option<&Bracket> {
        self.pending.iter().rev().find_map(|pending| match pending {
            Pending::Open(open) => Some(&open.bracket),
            Pending::Operator(_) => None,
        })
    }

    /// Closes brackets inside the one that the next mark closes; all of them at the end.
    fn close_what_cannot_go_on(&mut self) {
        while let Some(bracket) = self.innermost() {
            let goes_on = match self.next.token {
                Token::Mark(mark) => bracket.closing() == mark || bracket.separates(mark),
                Token::End => false,
                _ => true,
            };
            if goes_on {
                return;
            }
            let end = self.taken;
            if let Err(error) = self.reduce(Binding::Infix).and_then(|()| self.close(end)) {
                self.record(error);
                return;
            }
        }
    }
}
