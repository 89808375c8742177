//! `textDocument/hover`

use std::sync::Arc;

use cute_analysis::{Analysis, Value};
use tower_lsp::jsonrpc::Result;
use tower_lsp::lsp_types::{Hover, HoverParams};

use crate::limits::HOVER_PICTURE_BYTES;
use crate::presentation::picture::{self, Window};
use crate::session::Session;
use crate::{analyses, from_proto, presentation, to_proto};

/// What is known at a place.
///
/// # Errors
/// See [`analyses::of_request`].
pub async fn hover(session: &Arc<Session>, params: HoverParams) -> Result<Option<Hover>> {
    if !session.config_at_arrival().hover.enable {
        return Ok(None);
    }
    let at = params.text_document_position_params;
    let Some((document, analysed)) = analyses::of_request(session, &at.text_document.uri).await?
    else {
        return Ok(None);
    };
    let (client, chosen) = (session.client(), session.chosen());
    let shows_pictures = client.shows_pictures && session.config_at_arrival().hover.pictures;
    let answers = session.results().in_document(&at.text_document.uri);
    let hover = move |_: &_| {
        let offset = from_proto::byte_offset(&document.text, at.position, client.encoding);
        let mut hover = presentation::hover::hover(&analysed.analysis, offset, &chosen)?;
        if let Some(value) = value_at(&analysed.analysis, offset) {
            let answers = answers
                .iter()
                .filter(|(key, _)| key.value == value.to_string());
            for (_, report) in answers {
                hover.add(&report.section());
            }
        }
        if let Some(picture) = picture(&analysed.analysis, offset).filter(|_| shows_pictures) {
            hover.markdown.push_str(&picture);
        }
        Some(to_proto::hover(hover, &document, client))
    };
    session.compute(hover).await
}

/// The picture of the value at a byte (in the first instance) as an image that stands in Markdown;
/// nothing where there is none, or it would be too large for a hover.
fn picture(analysis: &Analysis, byte: usize) -> Option<String> {
    let value = value_at(analysis, byte)?;
    let sheet = picture::of_value(value, WINDOW).ok()?;
    let image = to_proto::data_uri("image/svg+xml", &picture::to_svg(&sheet));
    (image.len() <= HOVER_PICTURE_BYTES).then(|| format!("\n\n![{}]({image})", value.kind().name()))
}

/// The value at a byte, in the first instance.
fn value_at(analysis: &Analysis, byte: usize) -> Option<&Value> {
    match analysis.facts_at(byte).first() {
        Some(fact) => Some(&fact.value),
        None => analysis.mentions_at(byte).first().map(|seen| &seen.value),
    }
}

/// How much of a layout is drawn in a hover: what an editor shows of one without scrolling.
const WINDOW: Window = Window {
    rows: 6,
    columns: 12,
};
