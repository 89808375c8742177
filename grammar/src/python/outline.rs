//! The outline of a file: its statements in the first column, as pieces of text that are parsed each
//! on its own, and its comments.
//!
//! A statement that an edit did not touch keeps its tree, a syntax error stays inside its statement, and the items of
//! one depend on its text alone. Too large a piece (several statements) is harmless.

use crate::outline::Part;
use crate::tree::{Comment, Span};
use crate::verbatim::Outline;

/// Words that go on with the statement before them.
const CONTINUE: &[&str] = &["else", "elif", "except", "finally"];

/// Words that start a statement and are in no expression: in the first column they end unclosed brackets before them.
const START_OVER: &[&str] = &[
    "def", "class", "import", "while", "with", "try", "return", "raise", "assert", "del",
];

/// Finds the outline of `source`.
pub(super) fn outline(source: &str) -> Outline {
    let mut builder = Builder {
        source,
        bytes: source.as_bytes(),
        at: 0,
        open: 0,
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
    source: &'t str,
    bytes: &'t [u8],
    at: usize,
    /// Number of open brackets.
    open: usize,
    /// The last statement was a decorator, which belongs to the next.
    decorated: bool,
    /// The start of the current piece.
    start: usize,
    outline: Outline,
}

impl Builder<'_> {
    fn byte(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    /// Takes one token or byte; `false` at the end of the text.
    fn step(&mut self) -> bool {
        if self.at >= self.bytes.len() {
            return false;
        }
        match (self.byte(0), self.byte(1)) {
            (b'#', _) => self.comment(),
            (quote @ (b'"' | b'\''), _) => self.string(quote),
            (b'\\', b'\n') => self.at += 2,
            (b'\\', b'\r') if self.byte(2) == b'\n' => self.at += 3,
            (b'\n', _) => {
                self.at += 1;
                self.line();
            }
            (byte, _) => {
                self.at += 1;
                match byte {
                    b'(' | b'[' | b'{' => self.open += 1,
                    b')' | b']' | b'}' => self.open = self.open.saturating_sub(1),
                    _ => {}
                }
            }
        }
        true
    }

    /// At the start of a line: whether a piece starts there.
    fn line(&mut self) {
        let rest = self.source.get(self.at..).unwrap_or_default();
        let length = rest
            .bytes()
            .take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
            .count();
        let word = rest.get(..length).unwrap_or_default();
        let is_decorator = rest.starts_with('@');
        if self.open > 0 {
            // `@ x` may multiply matrices, `@x` does not.
            let is_written_as_one = rest.as_bytes().get(1).is_some_and(|byte| *byte != b' ');
            if !(is_decorator && is_written_as_one || START_OVER.contains(&word)) {
                return;
            }
            self.open = 0;
        }
        let starts_statement = match rest.bytes().next() {
            None | Some(b' ' | b'\t' | 0x0c | b'\r' | b'\n' | b'#' | b')' | b']' | b'}') => false,
            Some(_) => !CONTINUE.contains(&word),
        };
        if !starts_statement {
            return;
        }
        if !std::mem::replace(&mut self.decorated, is_decorator) {
            self.cut(self.at);
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
    fn comment(&mut self) {
        let start = self.at;
        let rest = self.source.get(start..).unwrap_or_default();
        let line = rest.lines().next().unwrap_or_default();
        let marks = line.len() - line.trim_start_matches('#').len();
        self.at = start + line.len();
        self.outline.comments.push(Comment {
            span: Span::new(start, self.at),
            content: Span::new(start + marks, self.at),
        });
    }

    /// A string: one in three quotes may go on to the end of the text, others end with their line.
    fn string(&mut self, quote: u8) {
        let is_long = self.byte(1) == quote && self.byte(2) == quote;
        self.at += if is_long { 3 } else { 1 };
        while self.at < self.bytes.len() {
            match self.byte(0) {
                b'\\' => self.at += 1,
                b'\n' if !is_long => return,
                byte if byte == quote && !is_long => {
                    self.at += 1;
                    return;
                }
                byte if byte == quote && self.byte(1) == quote && self.byte(2) == quote => {
                    self.at += 3;
                    return;
                }
                _ => {}
            }
            self.at += 1;
        }
        self.at = self.bytes.len();
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
