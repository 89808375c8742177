//! Output beside the text: hovers and hints.

use std::fmt::Write as _;

use serde_json::json;
use tower_lsp::lsp_types::{self, InlayHintLabel, MarkupKind};

use super::place::{position, range};
use crate::client::Client;
use crate::documents::Document;
use crate::presentation::hints::label::Hint;
use crate::presentation::hover::Hover;

/// A hover in the form that the client shows.
pub fn hover(hover: Hover, document: &Document, client: Client) -> lsp_types::Hover {
    let (kind, value) = if client.markdown {
        (MarkupKind::Markdown, hover.markdown)
    } else {
        (MarkupKind::PlainText, hover.plain)
    };
    lsp_types::Hover {
        contents: lsp_types::HoverContents::Markup(lsp_types::MarkupContent { kind, value }),
        range: Some(range(&document.text, hover.span, client.encoding)),
    }
}

/// A text as a URI that holds it: `data:image/svg+xml,%3Csvg...`.
pub fn data_uri(media_type: &str, content: &str) -> String {
    format!("data:{media_type},{}", encoded(content))
}

/// A link that a client turns into its own command: to show the layout at a place, given as JSON, in its panel.
pub fn panel_uri(place: &str) -> String {
    format!("cute:panel?{}", encoded(place))
}

/// A link that a client turns into its own command: to open the glossary.
pub const GLOSSARY_URI: &str = "cute:glossary";

/// A text in which only those characters are left as they are that need no escape in a URI.
fn encoded(content: &str) -> String {
    let mut uri = String::new();
    for byte in content.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' | b':' => {
                uri.push(char::from(byte));
            }
            other => {
                let _ = write!(uri, "%{other:02X}");
            }
        }
    }
    uri
}

/// A hint. A client that asks for tooltips when it needs them finds it again by `data`.
pub fn inlay_hint(
    hint: Hint,
    document: &Document,
    client: Client,
    max_length: usize,
) -> lsp_types::InlayHint {
    let data = json!({
        "uri": document.uri, "version": document.version, "offset": hint.byte_offset,
    });
    let label = hint.label(max_length);
    let tooltip = lsp_types::InlayHintTooltip::String(hint.tooltip);
    lsp_types::InlayHint {
        position: position(&document.text, hint.byte_offset, client.encoding),
        label: InlayHintLabel::String(label),
        kind: Some(lsp_types::InlayHintKind::TYPE),
        text_edits: None,
        tooltip: (!client.resolves_tooltips).then_some(tooltip),
        padding_left: Some(true),
        padding_right: None,
        data: Some(data),
    }
}
