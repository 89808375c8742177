//! `textDocument/signatureHelp`

use std::sync::Arc;

use tower_lsp::jsonrpc::Result;
use tower_lsp::lsp_types::{SignatureHelp, SignatureHelpParams};

use crate::session::Session;
use crate::{analyses, from_proto, presentation, to_proto};

/// The parameters of CuTe's function around a place, and what the argument there is worth.
///
/// # Errors
/// See [`analyses::of_request`].
pub async fn signature_help(
    session: &Arc<Session>,
    params: SignatureHelpParams,
) -> Result<Option<SignatureHelp>> {
    let at = params.text_document_position_params;
    let Some((document, analysed)) = analyses::of_request(session, &at.text_document.uri).await?
    else {
        return Ok(None);
    };
    let client = session.client();
    let help = move |_: &_| {
        let byte = from_proto::byte_offset(&document.text, at.position, client.encoding);
        let unit = analysed.unit();
        let found = presentation::signature::signatures(&analysed.analysis, &unit, byte)?;
        Some(to_proto::signature_help(&found, client))
    };
    session.compute(help).await
}
