//! The tokens that lines and blocks depend on: strings, comments, brackets and the ends of lines.

/// Words that start a statement and are in no expression: where a block ends they end unclosed brackets before them.
const START_OVER: &[&str] = &[
    "def", "class", "import", "while", "with", "try", "return", "raise", "assert", "del",
];

/// A token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Token {
    /// From `#` up to the end of the line.
    Comment,
    /// The end of a line that no `\\` continues; brackets may be open.
    Newline,
    /// A string, or a byte.
    Other,
}

/// A reader of tokens.
#[derive(Debug)]
pub(crate) struct Tokens<'t> {
    pub(crate) text: &'t str,
    /// The end of the last token.
    pub(crate) at: usize,
    /// Number of open brackets.
    pub(crate) open: usize,
}

impl<'t> Tokens<'t> {
    pub(crate) fn of(text: &'t str) -> Self {
        Self {
            text,
            at: 0,
            open: 0,
        }
    }

    /// The text behind the last token.
    pub(crate) fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn byte(&self, ahead: usize) -> u8 {
        let bytes = self.text.as_bytes();
        bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    /// Takes the next token; `None` at the end of the text.
    pub(crate) fn next(&mut self) -> Option<Token> {
        if self.at >= self.text.len() {
            return None;
        }
        match (self.byte(0), self.byte(1)) {
            (b'#', _) => {
                let line = self.rest().lines().next().unwrap_or_default();
                self.at += line.len();
                return Some(Token::Comment);
            }
            (quote @ (b'"' | b'\''), _) => self.string(quote),
            (b'\\', b'\n') => self.at += 2,
            (b'\\', b'\r') if self.byte(2) == b'\n' => self.at += 3,
            (b'\n', _) => {
                self.at += 1;
                return Some(Token::Newline);
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
        Some(Token::Other)
    }

    /// A string: one in three quotes may go on to the end of the text, others end with their line.
    fn string(&mut self, quote: u8) {
        let is_long = self.byte(1) == quote && self.byte(2) == quote;
        self.at += if is_long { 3 } else { 1 };
        while self.at < self.text.len() {
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
        self.at = self.text.len();
    }
}

/// The word that a text begins with.
pub(crate) fn first_word(text: &str) -> &str {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let length = text.bytes().take_while(is_part).count();
    text.get(..length).unwrap_or_default()
}

/// Whether a text begins a statement although a bracket before it is open.
pub(crate) fn starts_over(text: &str) -> bool {
    // `@ x` may multiply matrices, `@x` does not.
    let is_decorator =
        text.starts_with('@') && text.as_bytes().get(1).is_some_and(|byte| *byte != b' ');
    is_decorator || START_OVER.contains(&first_word(text))
}
