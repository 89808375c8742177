//! The tokens of a Rust source, to the extent that its outline depends on them: words, brackets, `;`.

use crate::tree::{Comment, Span};

/// A token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Token {
    /// A keyword or identifier.
    Word(Span),
    /// Punctuation that is one byte, brackets among it.
    Mark(u8, usize),
    /// A literal or lifetime.
    Literal(usize),
}

impl Token {
    /// Its start.
    pub(super) fn start(self) -> usize {
        match self {
            Self::Word(span) => span.start,
            Self::Mark(_, at) | Self::Literal(at) => at,
        }
    }
}

/// Reads a source from its start.
pub(super) struct Scanner<'t> {
    bytes: &'t [u8],
    at: usize,
    /// The comments passed so far.
    pub(super) comments: Vec<Comment>,
}

impl<'t> Scanner<'t> {
    pub(super) fn new(source: &'t str) -> Self {
        Self {
            bytes: source.as_bytes(),
            at: 0,
            comments: Vec::new(),
        }
    }

    /// Just after the last token.
    pub(super) fn offset(&self) -> usize {
        self.at
    }

    fn byte(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    /// The first byte of the next token, without moving on; 0 at the end.
    pub(super) fn peek(&self) -> u8 {
        let mut ahead = Self {
            bytes: self.bytes,
            at: self.at,
            comments: Vec::new(),
        };
        ahead.skip_blanks();
        ahead.byte(0)
    }

    /// The next token.
    pub(super) fn next(&mut self) -> Option<Token> {
        self.skip_blanks();
        let start = self.at;
        let first = *self.bytes.get(start)?;
        if is_word(first) {
            while is_word(self.byte(0)) {
                self.at += 1;
            }
            return Some(if self.literal_prefix(start) {
                Token::Literal(start)
            } else {
                Token::Word(Span::new(start, self.at))
            });
        }
        match first {
            b'"' => {
                self.quoted(b'"');
                Some(Token::Literal(start))
            }
            b'\'' => {
                self.character_or_lifetime();
                Some(Token::Literal(start))
            }
            mark => {
                self.at += 1;
                Some(Token::Mark(mark, start))
            }
        }
    }

    fn skip_blanks(&mut self) {
        loop {
            match (self.byte(0), self.byte(1)) {
                (b' ' | b'\n' | b'\t' | b'\r', _) => self.at += 1,
                (b'/', b'/') => self.line_comment(),
                (b'/', b'*') => self.block_comment(),
                _ => return,
            }
        }
    }

    fn line_comment(&mut self) {
        let start = self.at;
        let rest = self.bytes.get(start..).unwrap_or_default();
        let length = rest.iter().position(|byte| *byte == b'\n');
        self.at = length.map_or(self.bytes.len(), |length| start + length);
        let mut end = self.at;
        if end > start + 2 && self.bytes.get(end - 1) == Some(&b'\r') {
            end -= 1;
        }
        let mark = if matches!(self.bytes.get(start + 2), Some(b'/' | b'!')) {
            3
        } else {
            2
        };
        self.comments.push(Comment {
            span: Span::new(start, end),
            content: Span::new((start + mark).min(end), end),
        });
    }

    /// Block comments nest.
    fn block_comment(&mut self) {
        let start = self.at;
        let mark = if matches!(self.byte(2), b'*' | b'!') && self.byte(3) != b'/' {
            3
        } else {
            2
        };
        self.at += 2;
        let mut depth = 1;
        while depth > 0 && self.at < self.bytes.len() {
            match (self.byte(0), self.byte(1)) {
                (b'/', b'*') => {
                    depth += 1;
                    self.at += 2;
                }
                (b'*', b'/') => {
                    depth -= 1;
                    self.at += 2;
                }
                _ => self.at += 1,
            }
        }
        self.at = self.at.min(self.bytes.len());
        let inside = if depth == 0 { self.at - 2 } else { self.at };
        self.comments.push(Comment {
            span: Span::new(start, self.at),
            content: Span::new((start + mark).min(inside), inside),
        });
    }

    /// Whether the word from `start` begins a literal (`b"`, `r#"`, `b'`), which is then passed. A
    /// word that starts with a digit is one.
    fn literal_prefix(&mut self, start: usize) -> bool {
        let word = self.bytes.get(start..self.at).unwrap_or_default();
        match (word, self.byte(0)) {
            (b"b" | b"c", b'"') => self.quoted(b'"'),
            (b"b", b'\'') => self.quoted(b'\''),
            (b"r" | b"br" | b"cr", b'"' | b'#') => {
                let rest = self.bytes.get(self.at..).unwrap_or_default();
                let hashes = rest.iter().take_while(|byte| **byte == b'#').count();
                if self.byte(hashes) != b'"' {
                    return false;
                }
                self.raw(hashes);
            }
            _ => return word.first().is_some_and(u8::is_ascii_digit),
        }
        true
    }

    /// From `#"` to the same number of hashes after a quote.
    fn raw(&mut self, hashes: usize) {
        let content = self.at + hashes + 1;
        let mut close = vec![b'"'];
        close.resize(hashes + 1, b'#');
        let rest = self.bytes.get(content..).unwrap_or_default();
        let end = rest.windows(close.len()).position(|window| window == close);
        self.at = end.map_or(self.bytes.len(), |end| content + end + close.len());
    }

    /// From a quote to the next that no backslash precedes.
    fn quoted(&mut self, quote: u8) {
        self.at += 1;
        while self.at < self.bytes.len() {
            match self.byte(0) {
                b'\\' => self.at += 2,
                byte if byte == quote => {
                    self.at += 1;
                    return;
                }
                _ => self.at += 1,
            }
        }
        self.at = self.bytes.len();
    }

    /// `'x'`, `'\n'`, or the lifetime `'x`.
    fn character_or_lifetime(&mut self) {
        if self.byte(1) == b'\\' {
            self.quoted(b'\'');
            return;
        }
        let length = match self.byte(1) {
            0..0x80 => 1,
            0x80..0xe0 => 2,
            0xe0..0xf0 => 3,
            _ => 4,
        };
        if self.byte(1 + length) == b'\'' {
            self.at += 2 + length;
            return;
        }
        self.at += 1;
        while is_word(self.byte(0)) {
            self.at += 1;
        }
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<&str> {
        let mut scanner = Scanner::new(text);
        std::iter::from_fn(|| scanner.next())
            .filter_map(|token| match token {
                Token::Word(span) => Some(span.text(text)),
                _ => None,
            })
            .collect()
    }

    #[test]
    fn literals_hide_what_is_inside() {
        let text = r##"a "b\"c" r#"d " e"# 'f' '\'' &'g h b"i" b'j' r#k /* l /* m */ n */ o // p"##;
        assert_eq!(words(text), ["a", "h", "r", "k", "o"]);
    }

    #[test]
    fn comments_are_found_with_their_content() {
        let text = "/// doc\n//! inner\n/* a /* b */ */ x /** c */ /**/ /* open";
        let mut scanner = Scanner::new(text);
        while scanner.next().is_some() {}
        let contents: Vec<_> = scanner
            .comments
            .iter()
            .map(|c| c.content.text(text))
            .collect();
        assert_eq!(
            contents,
            [" doc", " inner", " a /* b */ ", " c ", "", " open"]
        );
    }
}
