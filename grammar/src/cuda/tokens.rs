//! The tokens of a C++ source, as coarse as the pre-pass needs them: words, literals, single
//! punctuation bytes and whole preprocessor lines. Comments are found on the way.

use crate::tree::{Comment, Span};

/// The kind of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TokenKind {
    /// An identifier or keyword.
    Word,
    /// A number, string or character literal.
    Literal,
    /// One byte of punctuation.
    Punct(u8),
    /// A preprocessor line with its continuation lines, without its last line end.
    Directive,
}

/// A token and its place. Offsets are 32 bits wide, because a source is at most
/// [`limits::SOURCE_BYTES`](crate::limits::SOURCE_BYTES) long.
#[derive(Debug, Clone, Copy)]
pub(super) struct Token {
    pub(super) kind: TokenKind,
    start: u32,
    end: u32,
}

impl Token {
    pub(super) fn span(self) -> Span {
        Span::new(self.start as usize, self.end as usize)
    }

    /// A token without text.
    pub(super) fn empty(kind: TokenKind) -> Self {
        Self {
            kind,
            start: 0,
            end: 0,
        }
    }

    pub(super) fn is(self, punct: u8) -> bool {
        self.kind == TokenKind::Punct(punct)
    }
}

/// Tokens and comments of one source, each in source order.
#[derive(Debug, Default)]
pub(super) struct Scan {
    pub(super) tokens: Vec<Token>,
    pub(super) comments: Vec<Comment>,
}

/// Splits `text` into tokens in one pass. Never fails: an open token ends with the text (block comments, raw strings)
/// or with the line (other literals).
pub(super) fn scan(text: &str) -> Scan {
    let mut scanner = Scanner {
        bytes: text.as_bytes(),
        at: 0,
        line_start: true,
        scan: Scan::default(),
    };
    while scanner.step() {}
    scanner.scan
}

struct Scanner<'t> {
    bytes: &'t [u8],
    at: usize,
    /// Only white space and comments since the last line end.
    line_start: bool,
    scan: Scan,
}

impl Scanner<'_> {
    fn byte(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    fn done(&self) -> bool {
        self.at >= self.bytes.len()
    }

    fn push(&mut self, kind: TokenKind, start: usize) {
        let (start, end) = (start as u32, self.at as u32);
        self.scan.tokens.push(Token { kind, start, end });
        self.line_start = false;
    }

    /// Takes one token, comment or white-space byte; `false` at the end of the text.
    fn step(&mut self) -> bool {
        if self.done() {
            return false;
        }
        let start = self.at;
        match (self.byte(0), self.byte(1)) {
            (b'\n', _) => {
                self.at += 1;
                self.line_start = true;
            }
            (b' ' | b'\t' | b'\r' | 0x0b | 0x0c, _) => self.at += 1,
            (b'\\', b'\n') => self.at += 2,
            (b'\\', b'\r') if self.byte(2) == b'\n' => self.at += 3,
            (b'/', b'/') => self.line_comment(),
            (b'/', b'*') => self.block_comment(),
            (b'#', _) if self.line_start => {
                self.directive();
                self.push(TokenKind::Directive, start);
            }
            (b'"', _) => {
                self.quoted(b'"');
                self.push(TokenKind::Literal, start);
            }
            (b'\'', _) => {
                self.quoted(b'\'');
                self.push(TokenKind::Literal, start);
            }
            (b'0'..=b'9', _) | (b'.', b'0'..=b'9') => {
                self.number();
                self.push(TokenKind::Literal, start);
            }
            (byte, _) if is_word_byte(byte) => self.word(),
            (byte, _) => {
                self.at += 1;
                self.push(TokenKind::Punct(byte), start);
            }
        }
        true
    }

    /// A word, or the literal that starts with an encoding prefix (`R"(..)"`, `L'x'`).
    fn word(&mut self) {
        let start = self.at;
        while is_word_byte(self.byte(0)) {
            self.at += 1;
        }
        let word = &self.bytes[start..self.at];
        let kind = match (word, self.byte(0)) {
            (b"R" | b"LR" | b"uR" | b"UR" | b"u8R", b'"') => {
                self.raw_string();
                TokenKind::Literal
            }
            (b"L" | b"u" | b"U" | b"u8", quote @ (b'"' | b'\'')) => {
                self.quoted(quote);
                TokenKind::Literal
            }
            _ => TokenKind::Word,
        };
        self.push(kind, start);
    }

    fn number(&mut self) {
        loop {
            let byte = self.byte(0);
            let exponent_sign = matches!(byte, b'+' | b'-')
                && matches!(
                    self.bytes.get(self.at.wrapping_sub(1)),
                    Some(b'e' | b'E' | b'p' | b'P')
                )
                && !self.is_hexadecimal_without_exponent();
            let separator = byte == b'\'' && is_word_byte(self.byte(1));
            if !(is_word_byte(byte) || byte == b'.' || exponent_sign || separator) {
                return;
            }
            self.at += 1;
        }
    }

    /// Whether the `e` just passed is a digit of a hexadecimal number (`0x1e+2` is a sum).
    fn is_hexadecimal_without_exponent(&self) -> bool {
        let digits = self.bytes[..self.at]
            .iter()
            .rev()
            .take_while(|b| is_word_byte(**b))
            .count();
        let number = &self.bytes[self.at - digits..self.at];
        matches!(number, [b'0', b'x' | b'X', ..]) && !matches!(number.last(), Some(b'p' | b'P'))
    }

    fn quoted(&mut self, quote: u8) {
        self.at += 1;
        while !self.done() {
            match self.byte(0) {
                b'\\' => self.at += 2,
                b'\n' => break,
                byte => {
                    self.at += 1;
                    if byte == quote {
                        break;
                    }
                }
            }
        }
        self.at = self.at.min(self.bytes.len());
    }

    fn raw_string(&mut self) {
        let open = self.at + 1;
        // The standard allows at most 16 bytes of delimiter.
        let delimiter = self.bytes[open..].iter().take(17).position(|b| *b == b'(');
        let Some(delimiter) = delimiter else {
            return self.quoted(b'"');
        };
        let mut close = vec![b')'];
        close.extend_from_slice(&self.bytes[open..open + delimiter]);
        close.push(b'"');
        let content = open + delimiter;
        let found = self.bytes[content..]
            .windows(close.len())
            .position(|w| w == close);
        self.at = found.map_or(self.bytes.len(), |found| content + found + close.len());
    }

    fn line_comment(&mut self) {
        let start = self.at;
        while !self.done() && self.byte(0) != b'\n' {
            let continued = self.byte(0) == b'\\';
            self.at += 1;
            if continued {
                self.skip_line_end();
            }
        }
        let mut end = self.at;
        if end > start + 2 && self.bytes[end - 1] == b'\r' {
            end -= 1;
        }
        let content = Span::new(start + 2, end);
        self.scan.comments.push(Comment {
            span: Span::new(start, end),
            content,
        });
    }

    fn block_comment(&mut self) {
        let start = self.at;
        let content = start + 2;
        let found = self.bytes[content..].windows(2).position(|w| w == b"*/");
        let inside = found.map_or(self.bytes.len(), |found| content + found);
        self.at = (inside + 2).min(self.bytes.len());
        self.scan.comments.push(Comment {
            span: Span::new(start, self.at),
            content: Span::new(content, inside),
        });
    }

    fn skip_line_end(&mut self) {
        if self.byte(0) == b'\r' && self.byte(1) == b'\n' {
            self.at += 1;
        }
        if self.byte(0) == b'\n' {
            self.at += 1;
        }
    }

    fn directive(&mut self) {
        while !self.done() {
            match (self.byte(0), self.byte(1)) {
                (b'\n', _) => break,
                (b'\\', _) => {
                    self.at += 1;
                    self.skip_line_end();
                }
                (b'/', b'/') => self.line_comment(),
                (b'/', b'*') => self.block_comment(),
                (b'"', _) => self.quoted(b'"'),
                _ => self.at += 1,
            }
        }
    }
}

/// Bytes of identifiers: letters, digits, `_`, `$`, and every byte of a non-ASCII character.
pub(super) fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || byte >= 0x80
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> Vec<&str> {
        scan(text)
            .tokens
            .iter()
            .map(|token| token.span().text(text))
            .collect()
    }

    fn comments(text: &str) -> Vec<&str> {
        scan(text)
            .comments
            .iter()
            .map(|comment| comment.content.text(text))
            .collect()
    }

    #[test]
    fn literals_hide_what_is_inside() {
        assert_eq!(texts(r#"f("/*", '"', 1'000, R"x(")")x")"#).len(), 10);
        assert_eq!(comments(r#""//" '//' R"(/*)""#), Vec::<&str>::new());
    }

    #[test]
    fn numbers_take_signs_of_exponents_only() {
        assert_eq!(
            texts("1e-3 0x1e+2 0x1p-2 8_c"),
            ["1e-3", "0x1e", "+", "2", "0x1p-2", "8_c"]
        );
    }

    #[test]
    fn directives_end_with_their_logical_line() {
        let text = "#define A 1 \\\n + 2 // why\nint x; # y";
        assert_eq!(
            texts(text)[..4],
            ["#define A 1 \\\n + 2 // why", "int", "x", ";"]
        );
        assert_eq!(comments(text), [" why"]);
    }

    #[test]
    fn comments_are_found_with_their_content() {
        assert_eq!(
            comments("a // (M,K)\r\nb /* c */ /* open"),
            [" (M,K)", " c ", " open"]
        );
    }

    #[test]
    fn what_is_not_closed_ends_with_line_or_text() {
        assert_eq!(texts("\"ab\ncd"), ["\"ab", "cd"]);
        assert_eq!(texts("R\"(ab\ncd"), ["R\"(ab\ncd"]);
        assert_eq!(texts("'\\"), ["'\\"]);
    }
}
