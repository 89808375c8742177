//! Places: bytes of a text as positions of the protocol.

use ropey::Rope;
use tower_lsp::lsp_types;
use tree_sitter_cute::tree::Span;

use crate::encoding::Encoding;

/// The position of a byte offset. One behind the text means its end, one inside of a character its
/// beginning, and one between `\r` and `\n` the end of the line.
pub fn position(text: &Rope, offset: usize, encoding: Encoding) -> lsp_types::Position {
    let offset = offset.min(text.len_bytes());
    let located = text.try_byte_to_char(offset).and_then(|mut character| {
        if character > 0
            && text.get_char(character - 1) == Some('\r')
            && text.get_char(character) == Some('\n')
        {
            character -= 1;
        }
        let line = text.try_char_to_line(character)?;
        let start = text.try_line_to_char(line)?;
        let column = match encoding {
            Encoding::Utf8 => text.try_char_to_byte(character)? - text.try_char_to_byte(start)?,
            Encoding::Utf16 => {
                text.try_char_to_utf16_cu(character)? - text.try_char_to_utf16_cu(start)?
            }
            Encoding::Utf32 => character - start,
        };
        Ok((line, column))
    });
    // The offset was limited to the text, so the conversions succeed.
    let (line, column) = located.unwrap_or((0, 0));
    lsp_types::Position::new(line as u32, column as u32)
}

/// The range of a span of the text.
pub fn range(text: &Rope, span: Span, encoding: Encoding) -> lsp_types::Range {
    lsp_types::Range::new(
        position(text, span.start, encoding),
        position(text, span.end, encoding),
    )
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::from_proto::byte_offset;

    #[test]
    fn no_position_lies_inside_a_line_break_or_a_character() {
        let text = Rope::from_str("é\r\n😀");
        assert_eq!(
            position(&text, 3, Encoding::Utf16),
            lsp_types::Position::new(0, 1)
        );
        assert_eq!(
            position(&text, 6, Encoding::Utf16),
            lsp_types::Position::new(1, 0)
        );
        assert_eq!(
            position(&text, 99, Encoding::Utf16),
            lsp_types::Position::new(1, 2)
        );
    }

    proptest! {
        #[test]
        fn a_position_leads_back_to_its_offset(
            text in "[a-cé😀𝛼\u{2028}\u{c}\r\n]{0,40}",
            at in 0_usize..200,
        ) {
            let rope = Rope::from_str(&text);
            let offset = (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at));
            let offset = offset.unwrap_or(0);
            let inside_break = offset > 0
                && text.get(offset - 1..offset) == Some("\r")
                && text.get(offset..=offset) == Some("\n");
            prop_assume!(!inside_break);
            for encoding in [Encoding::Utf8, Encoding::Utf16, Encoding::Utf32] {
                let position = position(&rope, offset, encoding);
                prop_assert_eq!(byte_offset(&rope, position, encoding), offset);
            }
        }
    }
}
