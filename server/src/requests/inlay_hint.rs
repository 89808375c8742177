//! `textDocument/inlayHint`

use std::sync::Arc;

use tower_lsp::jsonrpc::Result;
use tower_lsp::lsp_types::{InlayHint, InlayHintParams};

use crate::session::Session;
use crate::{analyses, from_proto, presentation, to_proto};

/// The hints in a range.
///
/// # Errors
/// See [`analyses::of_request`].
pub async fn inlay_hint(
    session: &Arc<Session>,
    params: InlayHintParams,
) -> Result<Option<Vec<InlayHint>>> {
    let config = session.config_at_arrival();
    if !config.hints.enable {
        return Ok(None);
    }
    let uri = &params.text_document.uri;
    let Some((document, analysed)) = analyses::of_request(session, uri).await? else {
        return Ok(None);
    };
    let (client, chosen) = (session.client(), session.chosen());
    let hints = move |_: &_| {
        let asked = from_proto::bytes(&document.text, params.range, client.encoding);
        let (start, end) = (asked.start, asked.end);
        presentation::hints::hints_in(&analysed.analysis, &analysed.text, start..end, &chosen)
            .into_iter()
            .filter(|hint| config.hints.shows(hint.class))
            .filter(|hint| (asked.start..=asked.end).contains(&hint.byte_offset))
            .map(|hint| to_proto::inlay_hint(hint, &document, client, config.hints.max_length))
            .collect()
    };
    session.compute(hints).await.map(Some)
}
