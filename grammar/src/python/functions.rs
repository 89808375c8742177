//! Large bodies of functions, which are parsed apart from the text around them: a key in one costs that body, and the body
//! of a function that nothing calls is not parsed.
//!
//! They are found by their indentation, as Python finds them. An error in one stays in it.

use std::borrow::Cow;

use super::tokens::{Token, Tokens, starts_over};
use crate::limits::PYTHON_BODY_BYTES;
use crate::tree::Span;

/// The width of a tab.
const TAB: usize = 8;

/// A function with a large body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LargeFunction {
    /// The place of its `def`, where parsing can begin.
    pub(crate) head: usize,
    /// Its statements, from the first byte to the last.
    pub(crate) body: Span,
}

/// The functions with large bodies in a text, in order. Functions in such a body belong to it.
pub(crate) fn large_functions(text: &str) -> Vec<LargeFunction> {
    let mut finder = Finder {
        tokens: Tokens::of(text),
        end: 0,
        state: State::Outside,
        found: Vec::new(),
    };
    finder.line();
    while finder.step() {}
    finder.close();
    finder.found
}

impl LargeFunction {
    /// The lines of its body in a text, with the blanks before the first.
    pub(super) fn lines(&self, text: &str) -> Span {
        let before = text.get(..self.body.start).unwrap_or_default();
        let blanks = before.len() - before.trim_end_matches(is_blank).len();
        Span::new(self.body.start - blanks, self.body.end)
    }
}

/// Whether a character is part of an indentation.
fn is_blank(it: char) -> bool {
    matches!(it, ' ' | '\t' | '\x0c')
}

/// The first statement of the lines of a body.
pub(super) fn first_statement(text: &str, lines: Span) -> usize {
    let inside = lines.text(text);
    lines.start + inside.len() - inside.trim_start_matches(is_blank).len()
}

/// A text with an empty tuple in the place of each body; lines stay as they are.
pub(crate) fn without(
    text: Cow<'_, [u8]>,
    bodies: impl IntoIterator<Item = Span>,
) -> Cow<'_, [u8]> {
    let mut text = text;
    for body in bodies {
        let inside = text.to_mut().get_mut(body.start..body.end);
        let inside = inside.unwrap_or_default();
        let first = inside.iter().position(|byte| !is_blank(char::from(*byte)));
        let Some([first, inner @ .., last]) = first.and_then(|at| inside.get_mut(at..)) else {
            continue;
        };
        (*first, *last) = (b'(', b')');
        for byte in inner.iter_mut().filter(|byte| **byte != b'\n') {
            *byte = b' ';
        }
    }
    text
}

/// The part of a function that is read.
#[derive(Debug, Clone, Copy)]
enum State {
    Outside,
    /// From `def` to the `:` behind its parameters.
    Head {
        start: usize,
        indent: usize,
    },
    /// Behind the `:`, before the first statement.
    Colon {
        start: usize,
        indent: usize,
    },
    Body {
        start: usize,
        indent: usize,
        first: usize,
    },
}

struct Finder<'t> {
    tokens: Tokens<'t>,
    /// The end of the last token that is not a comment or a blank.
    end: usize,
    state: State,
    found: Vec<LargeFunction>,
}

impl Finder<'_> {
    /// Takes one token; `false` at the end of the text.
    fn step(&mut self) -> bool {
        let at = self.tokens.at;
        match self.tokens.next() {
            None => return false,
            Some(Token::Comment) => {}
            Some(Token::Newline) => self.line(),
            Some(Token::Other) => {
                let token = self.tokens.text.as_bytes().get(at).copied().unwrap_or(b' ');
                if !token.is_ascii_whitespace() {
                    self.token(token);
                    self.end = self.tokens.at;
                }
            }
        }
        true
    }

    fn token(&mut self, token: u8) {
        match self.state {
            State::Head { start, indent } if token == b':' && self.tokens.open == 0 => {
                self.state = State::Colon { start, indent };
            }
            // The body is on the line of its head.
            State::Colon { .. } => self.state = State::Outside,
            _ => {}
        }
    }

    /// At the start of a line.
    fn line(&mut self) {
        let rest = self.tokens.rest();
        let mut indent = 0;
        let mut blanks = 0;
        for byte in rest.bytes() {
            match byte {
                b' ' => indent += 1,
                b'\t' => indent += TAB - indent % TAB,
                0x0c => indent = 0,
                _ => break,
            }
            blanks += 1;
        }
        let (line, first) = (
            rest.get(blanks..).unwrap_or_default(),
            self.tokens.at + blanks,
        );
        if line.starts_with(['#', '\r', '\n']) || line.is_empty() {
            return;
        }
        if self.tokens.open > 0 {
            let is_outer = match self.state {
                State::Outside => false,
                State::Head { indent: of, .. }
                | State::Colon { indent: of, .. }
                | State::Body { indent: of, .. } => indent <= of,
            };
            if !is_outer || !starts_over(line) {
                return;
            }
            self.tokens.open = 0;
        }
        match self.state {
            State::Colon { start, indent: of } if indent > of => {
                self.state = State::Body {
                    start,
                    indent: of,
                    first,
                };
                return;
            }
            State::Body { indent: of, .. } if indent > of => return,
            _ => self.close(),
        }
        let is_function = line
            .strip_prefix("async")
            .map_or(line, |rest| rest.trim_start_matches([' ', '\t']))
            .strip_prefix("def")
            .is_some_and(|rest| rest.starts_with([' ', '\t']));
        if is_function {
            self.state = State::Head {
                start: first,
                indent,
            };
        }
    }

    /// Ends the function that is read.
    fn close(&mut self) {
        let state = std::mem::replace(&mut self.state, State::Outside);
        if let State::Body { start, first, .. } = state
            && self.end.saturating_sub(first) >= PYTHON_BODY_BYTES
        {
            self.found.push(LargeFunction {
                head: start,
                body: Span::new(first, self.end),
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first and the last line of each body.
    fn bodies(text: &str) -> Vec<(&str, &str)> {
        let found = large_functions(text);
        let ends = |it: &LargeFunction| {
            let lines: Vec<&str> = it.body.text(text).lines().collect();
            let first = lines.first().copied().unwrap_or_default();
            (first, lines.last().copied().unwrap_or_default())
        };
        found.iter().map(ends).collect()
    }

    #[test]
    fn bodies_are_found_by_their_indentation() {
        let long = "        y = f(\n    x)\n".repeat(PYTHON_BODY_BYTES / 16);
        let text = format!(
            "class K:\n    @jit\n    def f(self, x: T = {{1: 2}}) -> Dict[a, b]:  # note\n        # more\n        \
             a = 1\n{long}        def inner():\n            return 1\n        return 'a\\\nb'\n    # behind\n\n    \
             def short(self): return 2\n    async def g(self,\n  x):\n{long}x = 1\n"
        );
        assert_eq!(bodies(&text), [("a = 1", "b'"), ("y = f(", "    x)")]);
        let found = large_functions(&text);
        let heads: Vec<_> = found.iter().filter_map(|it| text.get(it.head..)).collect();
        assert!(
            heads
                .iter()
                .all(|it| it.starts_with("def f") || it.starts_with("async def g"))
        );
    }

    #[test]
    fn an_open_bracket_ends_with_the_function() {
        let long = "    y = 1\n".repeat(PYTHON_BODY_BYTES / 8);
        let text = format!("def f():\n{long}    z = g(\ndef h():\n{long}");
        assert_eq!(
            bodies(&text),
            [("y = 1", "    z = g("), ("y = 1", "    y = 1")]
        );
        let lines = large_functions(&text).into_iter().map(|it| it.lines(&text));
        let left = without(Cow::Borrowed(text.as_bytes()), lines);
        assert_eq!(left.len(), text.len());
        let left = String::from_utf8_lossy(&left).replace(['\n', ' '], "");
        assert_eq!(left, "deff():()defh():()");
    }
}
