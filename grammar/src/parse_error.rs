//! The error for a text that is not an expression.

use std::fmt;

use crate::tree::Span;

/// Why a text could not be read, and where.
///
/// ```
/// # use tree_sitter_cute::cuda;
/// let error = cuda::parse_expression("f(1) 2").unwrap_err();
/// assert_eq!(error.to_string(), "expected a C++ expression or type, found `2` at byte 5");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParseError {
    /// The bytes that do not fit; empty at the end of the text.
    pub span: Span,
    /// The text that would fit there: `a layout`, "`,` or `)`".
    pub expected: String,
    /// The text there; empty at the end of the text.
    pub found: String,
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "expected {}", self.expected)?;
        match self.found.as_str() {
            "" => write!(f, " at the end"),
            found => write!(f, ", found `{found}` at byte {}", self.span.start),
        }
    }
}

impl std::error::Error for ParseError {}
