//! The client's values as ours.

use std::ops::Range;

use ropey::Rope;
use tower_lsp::lsp_types;

use crate::documents::OutOfSync;
use crate::encoding::Encoding;

/// The byte offset of a position in a request. As the protocol says, a column behind the end of
/// the line means that end; a line behind the last one means the end of the text; and half of a
/// character means the whole one.
pub fn byte_offset(text: &Rope, position: lsp_types::Position, encoding: Encoding) -> usize {
    match locate(text, position, encoding) {
        Located::At(offset) | Located::Inside(offset) => offset,
        Located::Behind => text.len_bytes(),
    }
}

/// The bytes of a range in a request.
pub fn bytes(text: &Rope, range: lsp_types::Range, encoding: Encoding) -> Range<usize> {
    byte_offset(text, range.start, encoding)..byte_offset(text, range.end, encoding)
}

/// The byte range of an edit.
///
/// # Errors
/// A range that no editor with the same text can mean: begins behind the end of the text, ends
/// before it begins, or cuts a character in two. The text then differs from the editor's.
pub fn edited_bytes(
    text: &Rope,
    range: lsp_types::Range,
    encoding: Encoding,
) -> Result<Range<usize>, OutOfSync> {
    let whole_characters = |position| match locate(text, position, encoding) {
        Located::At(offset) => Ok(Some(offset)),
        Located::Behind => Ok(None),
        Located::Inside(_) => Err(OutOfSync::CutsCharacter {
            position: one_based(position),
        }),
    };
    let start = whole_characters(range.start)?.ok_or(OutOfSync::BehindEnd {
        position: one_based(range.start),
        lines: text.len_lines(),
    })?;
    // "Replace all to the end" is written with any line behind the last by some editors.
    let end = whole_characters(range.end)?.unwrap_or(text.len_bytes());
    if end < start {
        return Err(OutOfSync::Reversed {
            start: one_based(range.start),
        });
    }
    Ok(start..end)
}

/// A position in a text.
enum Located {
    At(usize),
    /// In the middle of the character that begins here.
    Inside(usize),
    /// On a line behind the last one.
    Behind,
}

fn locate(text: &Rope, position: lsp_types::Position, encoding: Encoding) -> Located {
    let line = position.line as usize;
    let Some(chars) = line_chars(text, line) else {
        // The line behind the last, at its beginning, is the end of the text.
        return Located::Behind;
    };
    let column = position.character as usize;
    let found = match encoding {
        Encoding::Utf8 => text.try_char_to_byte(chars.start).and_then(|start| {
            let end = text.try_char_to_byte(chars.end)?;
            let wanted = start.saturating_add(column).min(end);
            let character = text.try_byte_to_char(wanted)?;
            Ok((character, text.try_char_to_byte(character)? == wanted))
        }),
        Encoding::Utf16 => text.try_char_to_utf16_cu(chars.start).and_then(|start| {
            let end = text.try_char_to_utf16_cu(chars.end)?;
            let wanted = start.saturating_add(column).min(end);
            let character = text.try_utf16_cu_to_char(wanted)?;
            Ok((character, text.try_char_to_utf16_cu(character)? == wanted))
        }),
        Encoding::Utf32 => Ok((chars.start.saturating_add(column).min(chars.end), true)),
    };
    match found.and_then(|(character, whole)| Ok((text.try_char_to_byte(character)?, whole))) {
        Ok((offset, true)) => Located::At(offset),
        Ok((offset, false)) => Located::Inside(offset),
        Err(_) => Located::Behind,
    }
}

/// The characters of a line without its line break.
fn line_chars(text: &Rope, line: usize) -> Option<Range<usize>> {
    if line >= text.len_lines() {
        return None;
    }
    let start = text.try_line_to_char(line).ok()?;
    let mut end = text.try_line_to_char(line + 1).ok()?;
    for line_break in ['\n', '\r'] {
        if end > start && text.get_char(end - 1) == Some(line_break) {
            end -= 1;
        }
    }
    Some(start..end)
}

fn one_based(position: lsp_types::Position) -> (u64, u64) {
    (
        u64::from(position.line) + 1,
        u64::from(position.character) + 1,
    )
}

#[cfg(test)]
mod tests {
    use tower_lsp::lsp_types::{Position, Range};

    use super::*;

    const TEXT: &str = "aé😀b\r\nx\ry\u{2028}z\u{c}\n";

    #[test]
    fn columns_count_units_of_the_encoding() {
        let text = Rope::from_str(TEXT);
        for (encoding, column_of_b) in [
            (Encoding::Utf8, 7),
            (Encoding::Utf16, 4),
            (Encoding::Utf32, 3),
        ] {
            let offset = byte_offset(&text, Position::new(0, column_of_b), encoding);
            assert_eq!(TEXT.get(offset..=offset), Some("b"), "{encoding:?}");
        }
    }

    #[test]
    fn only_the_three_line_breaks_of_the_protocol_end_a_line() {
        let text = Rope::from_str(TEXT);
        assert_eq!(text.len_lines(), 4);
        let z = byte_offset(&text, Position::new(2, 2), Encoding::Utf16);
        assert_eq!(TEXT.get(z..=z), Some("z"));
    }

    #[test]
    fn a_column_behind_the_line_means_its_end_and_a_line_behind_the_text_means_its_end() {
        let text = Rope::from_str(TEXT);
        for encoding in [Encoding::Utf8, Encoding::Utf16, Encoding::Utf32] {
            assert_eq!(byte_offset(&text, Position::new(0, 99), encoding), 8);
            assert_eq!(
                byte_offset(&text, Position::new(3, 0), encoding),
                TEXT.len()
            );
            assert_eq!(
                byte_offset(&text, Position::new(99, 0), encoding),
                TEXT.len()
            );
            assert_eq!(byte_offset(&text, Position::new(1, u32::MAX), encoding), 11);
        }
    }

    #[test]
    fn an_edit_range_must_be_possible() {
        let text = Rope::from_str(TEXT);
        let edited = |start: (u32, u32), end: (u32, u32)| {
            let range = Range::new(Position::new(start.0, start.1), Position::new(end.0, end.1));
            edited_bytes(&text, range, Encoding::Utf16)
        };
        assert_eq!(edited((0, 2), (0, 4)), Ok(3..7));
        assert_eq!(edited((0, 0), (99, 0)), Ok(0..TEXT.len()));
        assert_eq!(
            edited((0, 3), (0, 4)),
            Err(OutOfSync::CutsCharacter { position: (1, 4) })
        );
        assert_eq!(
            edited((0, 2), (0, 1)),
            Err(OutOfSync::Reversed { start: (1, 3) })
        );
        assert_eq!(
            edited((4, 0), (4, 0)),
            Err(OutOfSync::BehindEnd {
                position: (5, 1),
                lines: 4
            })
        );
    }
}
