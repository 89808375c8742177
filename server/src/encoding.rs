//! The unit of the column of a position.

use tower_lsp::lsp_types::PositionEncodingKind;

/// The unit of a column, as agreed with the client.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Encoding {
    /// Bytes.
    Utf8,
    /// UTF-16 code units, which every client understands.
    #[default]
    Utf16,
    /// Unicode scalar values.
    Utf32,
}

impl Encoding {
    /// The one of the client's offers that costs us least. An offer is in the client's order of
    /// preference, but any of them is fine with it.
    pub fn choose(offered: &[PositionEncodingKind]) -> Self {
        if offered.contains(&PositionEncodingKind::UTF8) {
            Self::Utf8
        } else if offered.contains(&PositionEncodingKind::UTF16) || offered.is_empty() {
            Self::Utf16
        } else if offered.contains(&PositionEncodingKind::UTF32) {
            Self::Utf32
        } else {
            Self::Utf16
        }
    }

    /// Its name in the protocol.
    pub fn kind(self) -> PositionEncodingKind {
        match self {
            Self::Utf8 => PositionEncodingKind::UTF8,
            Self::Utf16 => PositionEncodingKind::UTF16,
            Self::Utf32 => PositionEncodingKind::UTF32,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cheapest_offered_encoding_is_chosen() {
        let (utf8, utf16, utf32) = (
            PositionEncodingKind::UTF8,
            PositionEncodingKind::UTF16,
            PositionEncodingKind::UTF32,
        );
        assert_eq!(Encoding::choose(&[]), Encoding::Utf16);
        assert_eq!(Encoding::choose(&[utf16.clone(), utf8]), Encoding::Utf8);
        assert_eq!(Encoding::choose(&[utf32.clone(), utf16]), Encoding::Utf16);
        assert_eq!(Encoding::choose(&[utf32]), Encoding::Utf32);
    }
}
