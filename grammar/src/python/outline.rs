//! The outline of a file: its statements in the first column, as pieces of text that are parsed each
//! on its own, and its comments.
//!
//! A statement that an edit did not touch keeps its tree, a syntax error stays inside its statement, and the items of
//! one depend on its text alone. Too large a piece (several statements) is harmless.

use super::tokens::{Token, Tokens, first_word, starts_over};
use crate::outline::Part;
use crate::tree::{Comment, Span};
use crate::verbatim::Outline;

/// Words that go on with the statement before them.
const CONTINUE: &[&str] = &["else", "elif", "except", "finally"];

/// Finds the outline of `source`.
pub(super) fn outline(source: &str) -> Outline {
    let mut builder = Builder {
        tokens: Tokens::of(source),
        decorated: false,
        start: 0,
        outline: Outline::default(),
    };
    builder.line();
    while builder.step() {}
    builder.cut(source.len());
    let mut outline = builder.outline;
    outline.parts = (0..outline.pieces.len()).map(Part::Piece).collect();
    outline
}

struct Builder<'t> {
    tokens: Tokens<'t>,
    /// The last statement was a decorator, which belongs to the next.
    decorated: bool,
    /// The start of the current piece.
    start: usize,
    outline: Outline,
}

impl Builder<'_> {
    /// Takes one token or byte; `false` at the end of the text.
    fn step(&mut self) -> bool {
        let start = self.tokens.at;
        match self.tokens.next() {
            Some(Token::Comment) => self.comment(start),
            Some(Token::Newline) => self.line(),
            Some(Token::Other) => {}
            None => return false,
        }
        true
    }

    /// At the start of a line: whether a piece starts there.
    fn line(&mut self) {
        let rest = self.tokens.rest();
        let word = first_word(rest);
        let is_decorator = rest.starts_with('@');
        if self.tokens.open > 0 {
            if !starts_over(rest) {
                return;
            }
            self.tokens.open = 0;
        }
        let starts_statement = match rest.bytes().next() {
            None | Some(b' ' | b'\t' | 0x0c | b'\r' | b'\n' | b'#' | b')' | b']' | b'}') => false,
            Some(_) => !CONTINUE.contains(&word),
        };
        if !starts_statement {
            return;
        }
        if !std::mem::replace(&mut self.decorated, is_decorator) {
            self.cut(self.tokens.at);
        }
    }

    /// Ends the current piece.
    fn cut(&mut self, end: usize) {
        if end > self.start {
            self.outline.pieces.push(Span::new(self.start, end));
            self.start = end;
        }
    }

    /// A comment up to the end of its line.
    fn comment(&mut self, start: usize) {
        let place = Span::new(start, self.tokens.at);
        let line = place.text(self.tokens.text);
        let marks = line.len() - line.trim_start_matches('#').len();
        self.outline.comments.push(Comment {
            span: place,
            content: Span::new(start + marks, place.end),
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(text: &str) -> Vec<&str> {
        let outline = outline(text);
        outline.pieces.iter().map(|span| span.text(text)).collect()
    }

    #[test]
    fn a_statement_in_the_first_column_starts_a_piece() {
        let text = "# head\nimport a\nx = f(\n1)\n\ndef g():\n  return 1\n# tail\n\ny = 2";
        assert_eq!(
            pieces(text),
            [
                "# head\n",
                "import a\n",
                "x = f(\n1)\n\n",
                "def g():\n  return 1\n# tail\n\n",
                "y = 2"
            ]
        );
    }

    #[test]
    fn branches_and_decorators_belong_to_their_statement() {
        let text = "@a\n@_b(1)\ndef f(): pass\nif x:\n  y\nelif z:\n  w\nelse:\n  v\n";
        assert_eq!(
            pieces(text),
            [
                "@a\n@_b(1)\ndef f(): pass\n",
                "if x:\n  y\nelif z:\n  w\nelse:\n  v\n"
            ]
        );
    }

    #[test]
    fn strings_and_continued_lines_hide_what_is_in_them() {
        assert_eq!(
            pieces("'''\ndef f():\n'''\nx = \\\ny\nz = '(\\\n'\n").len(),
            3
        );
        assert_eq!(pieces("x = 'it\nimport a\n").len(), 2);
    }

    #[test]
    fn what_is_unclosed_ends_at_the_next_definition() {
        assert_eq!(
            pieces("x = f(1,\ny = 2\n@cute.jit\ndef g(): pass\n"),
            ["x = f(1,\ny = 2\n", "@cute.jit\ndef g(): pass\n"]
        );
    }

    #[test]
    fn comments_are_found_with_their_content() {
        let text = "x = '#' # (4,8)\r\n## y";
        let comments = outline(text).comments;
        let contents: Vec<_> = comments.iter().map(|c| c.content.text(text)).collect();
        assert_eq!(contents, [" (4,8)", " y"]);
    }
}
