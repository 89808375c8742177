//! Lines and columns of a text, as people count them.

use std::ops::Range;

use ropey::Rope;
use tree_sitter_cute::tree::Span;

/// A place in a text: both from 1, the column in Unicode scalar values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct LineColumn {
    /// Line, from 1.
    pub line: usize,
    /// Column, from 1.
    pub column: usize,
}

/// A text that can be requested its lines. A line ends with `\n`, `\r\n` or `\r`.
#[derive(Debug, Clone)]
pub struct Lines {
    rope: Rope,
}

impl Lines {
    /// Finds the lines of a text.
    pub fn new(text: &str) -> Self {
        Self {
            rope: Rope::from_str(text),
        }
    }

    /// The place of a byte; one beyond the end is the end.
    pub fn place(&self, byte: usize) -> LineColumn {
        let byte = byte.min(self.rope.len_bytes());
        let line = self.rope.byte_to_line(byte);
        let column = self.rope.byte_to_char(byte) - self.rope.line_to_char(line);
        LineColumn {
            line: line + 1,
            column: column + 1,
        }
    }

    /// The byte at a place; none where the text has no such line or column.
    pub fn byte(&self, place: LineColumn) -> Option<usize> {
        let line = place.line.checked_sub(1)?;
        let column = place.column.checked_sub(1)?;
        if line >= self.rope.len_lines() || column > self.line(place.line).chars().count() {
            return None;
        }
        Some(
            self.rope
                .char_to_byte(self.rope.line_to_char(line) + column),
        )
    }

    /// A piece of the text as one line of at most `most` characters: blanks and line ends become one blank.
    pub fn piece(&self, span: Span, most: usize) -> String {
        one_line(&self.text(span.start..span.end), most)
    }

    /// The bytes of a range; empty where the text has no such range.
    pub fn text(&self, range: Range<usize>) -> String {
        let end = range.end.min(self.rope.len_bytes());
        let text = self.rope.get_byte_slice(range.start.min(end)..end);
        text.map(|text| text.to_string()).unwrap_or_default()
    }

    /// A line without its end; empty where there is none.
    pub fn line(&self, line: usize) -> String {
        let text = line
            .checked_sub(1)
            .and_then(|index| self.rope.get_line(index));
        text.map(|text| text.to_string().trim_end_matches(['\n', '\r']).to_owned())
            .unwrap_or_default()
    }
}

/// A text as one line of at most `most` characters: blanks and line ends become one blank.
pub fn one_line(text: &str, most: usize) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let whole = words.join(" ");
    if whole.chars().count() <= most {
        return whole;
    }
    let cut: String = whole.chars().take(most.saturating_sub(1)).collect();
    format!("{cut}…")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_characters_from_one() {
        let text = "auto é = 1;\r\nauto 𝕩 = 2;\n";
        let lines = Lines::new(text);
        let byte = text.find("2;").unwrap();
        let place = LineColumn {
            line: 2,
            column: 10,
        };
        assert_eq!(lines.place(byte), place);
        assert_eq!(lines.byte(place), Some(byte));
        assert_eq!(lines.line(1), "auto é = 1;");
    }

    #[test]
    fn places_outside_have_no_byte() {
        let lines = Lines::new("ab\ncd");
        assert_eq!(lines.byte(LineColumn { line: 1, column: 3 }), Some(2));
        assert_eq!(lines.byte(LineColumn { line: 1, column: 4 }), None);
        assert_eq!(lines.byte(LineColumn { line: 0, column: 1 }), None);
        assert_eq!(lines.byte(LineColumn { line: 9, column: 1 }), None);
        assert_eq!(lines.place(99), LineColumn { line: 2, column: 3 });
    }
}
