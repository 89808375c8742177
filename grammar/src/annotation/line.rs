//! The places in a line where a literal can begin, and the ends of its brackets. Nothing is understood here: candidates
//! are parsed by the notation's own parser.

use std::collections::HashMap;

use crate::tree::{Ident, Span};

/// Bytes of one literal; a longer one is not a comment that a person reads.
const LITERAL_BYTES: usize = 1_024;

/// A line of a comment or string.
pub(super) struct Line<'t> {
    text: &'t str,
    /// The closing position of each parenthesis.
    closes: HashMap<usize, usize>,
}

impl<'t> Line<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        let mut open = Vec::new();
        let mut closes = HashMap::new();
        for (at, byte) in text.bytes().enumerate() {
            match byte {
                b'(' => open.push(at),
                b')' => {
                    if let Some(start) = open.pop() {
                        closes.insert(start, at);
                    }
                }
                _ => {}
            }
        }
        Self { text, closes }
    }

    pub(super) fn text(&self) -> &'t str {
        self.text
    }

    fn byte(&self, at: usize) -> Option<u8> {
        self.text.as_bytes().get(at).copied()
    }

    fn rest(&self, at: usize) -> &'t str {
        self.text.get(at..).unwrap_or_default()
    }

    /// Behind blanks and the marks that begin a line of a documentation comment.
    pub(super) fn start_of_words(&self) -> usize {
        let words = self
            .text
            .trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '*' | '/' | '!' | '#'));
        self.text.len() - words.len()
    }

    /// Behind the word or the character at a place.
    pub(super) fn after_word(&self, at: usize) -> usize {
        let rest = self.rest(at);
        let word = word_length(rest);
        let first = rest.chars().next().map_or(1, char::len_utf8);
        at + word.max(first)
    }

    /// Whether the line says nothing after a place: only a full stop, or its own comment.
    pub(super) fn ends_at(&self, at: usize) -> bool {
        let rest = self.rest(at).trim_start();
        let behind = rest.strip_prefix(['.', ',', ';']).unwrap_or(rest);
        behind.trim_start().is_empty() || rest.starts_with("//")
    }

    /// The name in `name: ` or `name = `, where that is all that is before a place.
    pub(super) fn name_before(&self, at: usize) -> Option<Ident> {
        let start = self.start_of_words();
        let before = self.text.get(start..at)?.trim_end();
        let name = before.strip_suffix([':', '='])?.trim_end();
        let is_name = word_length(name) == name.len()
            && name.starts_with(|c: char| c.is_alphabetic() || c == '_');
        is_name.then(|| Ident {
            name: name.to_owned(),
            span: Span::new(start, start + name.len()),
        })
    }

    /// The end of the longest literal that can begin at a place; `None` where none can.
    pub(super) fn literal_end(&self, at: usize) -> Option<usize> {
        if !self.may_begin(at) {
            return None;
        }
        let end = self.chain_end(at)?;
        let rest = self.rest(end);
        let goes_on = rest.starts_with(|c: char| c.is_alphanumeric() || "_([@".contains(c))
            || rest.strip_prefix(':').is_some_and(|rest| {
                rest.starts_with(|c: char| c.is_alphanumeric() || "_(".contains(c))
            });
        (!goes_on && end - at <= LITERAL_BYTES).then_some(end)
    }

    /// Whether the text before a place lets a literal begin there: no word, call or index that it belongs to, no
    /// ternary, no entry of a map.
    fn may_begin(&self, at: usize) -> bool {
        let before = self.text.get(..at).unwrap_or_default();
        let adjacent = before.chars().next_back().is_none_or(|c| {
            !(c.is_alphanumeric() || matches!(c, '_' | ')' | ']' | '>' | '.' | '\'' | '&' | '@'))
        });
        // `a:_1:_0` may be anything, `a:(4,8):(1,4)` has a name.
        let behind_colon = match self.byte(at) {
            Some(b'(') => before.ends_with("):"),
            _ => before.ends_with(':'),
        };
        adjacent && !behind_colon && !before.trim_end().ends_with(['?', '{'])
    }

    /// `part`, `part o part o part`.
    fn chain_end(&self, at: usize) -> Option<usize> {
        let mut end = self.part_end(at);
        let is_name = self.rest(at).starts_with(|c: char| c.is_ascii_alphabetic());
        let alone_is_none = is_name && !self.is_swizzle(at);
        let mut parts = 1;
        while let Some(next) = end.and_then(|end| self.after_compose(end)) {
            let Some(next_end) = self.part_end(next) else {
                break;
            };
            end = Some(next_end);
            parts += 1;
            if next_end - at > LITERAL_BYTES {
                return None;
            }
        }
        end.filter(|_| parts > 1 || !alone_is_none)
    }

    /// Behind `o` or `∘`, where one follows.
    fn after_compose(&self, at: usize) -> Option<usize> {
        let operator = self.after_blanks(at);
        let rest = self.rest(operator);
        let behind = match rest.strip_prefix('\u{2218}') {
            Some(_) => operator + '\u{2218}'.len_utf8(),
            None if operator > at && word_length(rest) == 1 && rest.starts_with('o') => {
                operator + 1
            }
            None => return None,
        };
        Some(self.after_blanks(behind))
    }

    fn part_end(&self, at: usize) -> Option<usize> {
        if self.rest(at).starts_with(|c: char| c.is_ascii_alphabetic()) {
            return self.head_end(at);
        }
        let end = self.side_end(at)?;
        let colon = self.after_blanks(end);
        if self.byte(colon) != Some(b':') || self.byte(colon + 1) == Some(b':') {
            return Some(end);
        }
        let stride = self.side_end(self.after_blanks(colon + 1));
        Some(stride.unwrap_or(end))
    }

    /// A shape or a stride: a bracket, an integer, a basis.
    fn side_end(&self, at: usize) -> Option<usize> {
        match self.byte(at)? {
            b'(' => Some(self.closes.get(&at)? + 1),
            b'-' | b'_' | b'0'..=b'9' => {
                let digits = self.rest(at).trim_start_matches(['_', '-']);
                let start = self.text.len() - digits.len();
                let length = word_length(digits);
                let end = start + length;
                let number = digits.get(..length)?;
                let is_number = start <= at + 2
                    && length > 0
                    && number.bytes().all(|byte| byte.is_ascii_digit())
                    && !self.is_fraction(end);
                if !is_number {
                    return None;
                }
                Some(self.after_modes(end))
            }
            _ => None,
        }
    }

    /// Behind `@1@0`.
    fn after_modes(&self, mut at: usize) -> usize {
        while self.byte(at) == Some(b'@') {
            let digits = word_length(self.rest(at + 1));
            if digits == 0 {
                break;
            }
            at += 1 + digits;
        }
        at
    }

    fn is_fraction(&self, at: usize) -> bool {
        self.byte(at) == Some(b'.') && self.byte(at + 1).is_some_and(|byte| byte.is_ascii_digit())
    }

    fn is_swizzle(&self, at: usize) -> bool {
        let rest = self.rest(at);
        let word = word_length(rest);
        matches!(rest.get(..word), Some("Sw" | "S" | "Swizzle"))
            && self.byte(at + word) == Some(b'<')
    }

    /// A swizzle, or CuTe's print of an iterator: `smem_ptr[16b](PTR)`, `ArithTuple(0,0)`, `UMMA::DescriptorIterator`.
    fn head_end(&self, at: usize) -> Option<usize> {
        let mut end = at + word_length(self.rest(at));
        if self.is_swizzle(at) {
            end = self.behind(end, '>')?;
            end += word_length(self.rest(end));
        }
        while self.rest(end).starts_with("::") {
            let word = word_length(self.rest(end + 2));
            if word == 0 {
                return None;
            }
            end += 2 + word;
        }
        if self.byte(end) == Some(b'[') {
            end = self.behind(end, ']')?;
        }
        if let Some(close) = self.closes.get(&end) {
            end = close + 1;
        }
        Some(end)
    }

    /// Behind the first such mark in the next few characters.
    fn behind(&self, at: usize, mark: char) -> Option<usize> {
        const NEAR: usize = 32;
        let found = self
            .rest(at)
            .char_indices()
            .take(NEAR)
            .find(|(_, character)| *character == mark)?;
        Some(at + found.0 + mark.len_utf8())
    }

    fn after_blanks(&self, at: usize) -> usize {
        self.text.len() - self.rest(at).trim_start().len()
    }
}

/// The literal with additions of a person to the notation overwritten by blanks: labels of modes, as in `(MMA=4, k)`,
/// and addresses that are sums, as in `ptr[16b](A + offset)`. `None` where there is neither. Positions stay.
pub(super) fn without_additions(literal: &str) -> Option<String> {
    let mut plain = String::with_capacity(literal.len());
    let mut word = 0;
    let mut found = false;
    let mut in_address = false;
    let mut characters = literal.chars().peekable();
    let mut previous = ' ';
    while let Some(character) = characters.next() {
        let is_word = character.is_ascii_alphanumeric() || character == '_';
        if is_word {
            word += 1;
        }
        let is_label =
            character == '=' && word > 0 && previous != '=' && characters.peek() != Some(&'=');
        in_address &= character != ')';
        if in_address {
            plain.extend(std::iter::repeat_n(' ', character.len_utf8()));
            found = true;
        } else if is_label {
            let kept = plain.len() - word;
            plain.truncate(kept);
            plain.extend(std::iter::repeat_n(' ', word + 1));
            found = true;
        } else {
            in_address = character == '(' && plain.ends_with("b]");
            plain.push(character);
        }
        if !is_word {
            word = 0;
        }
        previous = character;
    }
    found.then_some(plain)
}

/// Bytes of the name or number at the beginning of a text.
fn word_length(text: &str) -> usize {
    text.find(|c: char| !(c.is_alphanumeric() || c == '_'))
        .unwrap_or(text.len())
}
