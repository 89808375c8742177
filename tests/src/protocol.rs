//! The few types of the Language Server Protocol that the checks look at. They are written anew
//! here, from the specification, so that a mistake in the server's own types shows.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A place in a text, zero-based; the unit of a column was negotiated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Position {
    /// The line.
    pub line: u32,
    /// The column.
    pub character: u32,
}

impl Position {
    /// The place at `line` and `character`.
    pub fn new(line: u32, character: u32) -> Self {
        Self { line, character }
    }

    /// The place of a byte offset when columns count UTF-16 code units.
    pub fn of_offset(text: &str, offset: usize) -> Self {
        let before = text.get(..offset).expect("an offset between characters");
        let mut line = 0;
        let mut start = 0;
        for (at, byte) in before.bytes().enumerate() {
            let crlf = byte == b'\r' && text.as_bytes().get(at + 1) == Some(&b'\n');
            if byte == b'\n' || (byte == b'\r' && !crlf) {
                line += 1;
                start = at + 1;
            }
        }
        let character = before
            .get(start..)
            .expect("a line start")
            .encode_utf16()
            .count() as u32;
        Self { line, character }
    }
}

/// A range of a text; the end is exclusive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Range {
    /// Its start.
    pub start: Position,
    /// Its end.
    pub end: Position,
}

/// One change of a `didChange`; without a range it is the whole text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Change {
    /// The replaced range.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub range: Option<Range>,
    /// The new text.
    pub text: String,
}

/// The answer to a hover.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Hover {
    /// The content.
    pub contents: Markup,
    /// The range that it is about.
    pub range: Option<Range>,
}

/// Text for display.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Markup {
    /// `markdown` or `plaintext`.
    pub kind: String,
    /// The text.
    pub value: String,
}

/// An inlay hint.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct InlayHint {
    /// The place where it is shown.
    pub position: Position,
    /// The label.
    pub label: Value,
    /// Whatever else there is; `inlayHint/resolve` needs all of it.
    #[serde(flatten)]
    pub rest: serde_json::Map<String, Value>,
}

/// A finding.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Diagnostic {
    /// The range that it is about.
    pub range: Range,
    /// 1 error, 2 warning, 3 information, 4 hint.
    pub severity: Option<u8>,
    /// The rule.
    pub code: Option<String>,
    /// The source of the diagnostic.
    pub source: Option<String>,
    /// The finding.
    pub message: String,
    /// Whatever else there is.
    #[serde(flatten)]
    pub rest: serde_json::Map<String, Value>,
}

/// The parameters of `textDocument/publishDiagnostics`.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Published {
    /// The document.
    pub uri: String,
    /// Its version.
    pub version: Option<i32>,
    /// All of its findings.
    pub diagnostics: Vec<Diagnostic>,
}

/// The `error` of an answer.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct ResponseError {
    /// As the specification numbers them.
    pub code: i64,
    /// In words.
    pub message: String,
}

/// The parameters of `window/logMessage`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct LogMessage {
    /// 1 error, 2 warning, 3 information, 4 log.
    #[serde(rename = "type")]
    pub level: u8,
    /// The line.
    pub message: String,
}
