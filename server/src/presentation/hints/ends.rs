//! The lines and statements of a text, by their bytes.

/// The end of the statement whose last declarator ends at a byte: behind its `;`.
pub(in crate::presentation) fn end_of_statement(text: &str, declared_to: usize) -> usize {
    let rest = text.get(declared_to..).unwrap_or_default();
    match rest.trim_start().strip_prefix(';') {
        Some(behind) => text.len() - behind.len(),
        None => declared_to,
    }
}

/// The start of the line that holds a byte.
pub(in crate::presentation) fn start_of_line(text: &str, byte: usize) -> usize {
    let before = text.get(..byte).unwrap_or_default();
    before.rfind(['\n', '\r']).map_or(0, |end| end + 1)
}

/// The end of the line that holds a byte, without blanks at its end.
pub(in crate::presentation) fn end_of_line(text: &str, byte: usize) -> usize {
    let rest = text.get(byte..).unwrap_or_default();
    let line = rest.split(['\n', '\r']).next().unwrap_or_default();
    byte + line.trim_end().len()
}
