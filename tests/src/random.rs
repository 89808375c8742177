//! Repeatable chance, and places in a text.

use std::ops::Range;

/// Pieces of sources that begin or end something.
pub const PIECES: [&str; 24] = [
    "(",
    ")",
    "<",
    ">",
    "{",
    "}",
    "[",
    "]",
    ";",
    ",",
    "::",
    "\"",
    "'",
    "/*",
    "*/",
    "//",
    "#if 0\n",
    "#endif\n",
    "template <",
    "auto x = ",
    "Int<4>{}",
    "é",
    "😀",
    "\r",
];

/// A small generator of repeatable random numbers (xorshift).
#[derive(Debug, Clone)]
pub struct Random(u64);

impl Random {
    /// The numbers that belong to a seed.
    pub fn new(seed: u64) -> Self {
        // Nearby seeds shall not begin alike.
        let mixed = (seed ^ 0x9E37_79B9_7F4A_7C15).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        Self((mixed ^ (mixed >> 29)) | 1)
    }

    /// A number below a bound; 0 where nothing is below it.
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0 >> 11) % bound.max(1) as u64) as usize
    }

    /// One of these; `None` where there is none.
    pub fn one_of<'a, T>(&mut self, of: &'a [T]) -> Option<&'a T> {
        of.get(self.below(of.len()))
    }
}

/// The last character boundary up to an offset that is not between `\r` and `\n`.
pub fn boundary(text: &str, near: usize) -> usize {
    (0..=near.min(text.len()))
        .rev()
        .find(|at| {
            text.is_char_boundary(*at)
                && !(text[..*at].ends_with('\r') && text[*at..].starts_with('\n'))
        })
        .expect("0 is one")
}

/// The ranges of tokens: words, numbers, and single characters besides blanks.
pub fn tokens(text: &str) -> Vec<Range<usize>> {
    let mut tokens: Vec<Range<usize>> = Vec::new();
    let mut was_word = false;
    for (at, character) in text.char_indices() {
        let end = at + character.len_utf8();
        let is_word = character.is_alphanumeric() || character == '_';
        match tokens.last_mut() {
            Some(last) if is_word && was_word && last.end == at => last.end = end,
            _ if character.is_whitespace() => {}
            _ => tokens.push(at..end),
        }
        was_word = is_word;
    }
    tokens
}

/// The ranges of lines, their line breaks included.
pub fn lines(text: &str) -> Vec<Range<usize>> {
    let mut start = 0;
    let lines = text.split_inclusive('\n').map(|line| {
        let range = start..start + line.len();
        start = range.end;
        range
    });
    lines.collect()
}
