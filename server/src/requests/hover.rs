//! `textDocument/hover`

use std::sync::Arc;

use tower_lsp::jsonrpc::Result;
use tower_lsp::lsp_types::{Hover, HoverParams};

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
    let hover = move |_: &_| {
        let offset = from_proto::byte_offset(&document.text, at.position, client.encoding);
        let hover = presentation::hover::hover(&analysed.analysis, offset, &chosen)?;
        Some(to_proto::hover(hover, &document, client))
    };
    session.compute(hover).await
}
