//! `textDocument/signatureHelp`

use std::sync::Arc;

use tower_lsp::jsonrpc::Result;
use tower_lsp::lsp_types::{SignatureHelp, SignatureHelpParams};
use tree_sitter_cute::Host;

use crate::session::Session;
use crate::{analyses, from_proto, presentation, to_proto};

/// The parameters of CuTe's function around a place, and the value of the argument there.
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
        let known = presentation::signature::signatures(&analysed.analysis, &unit, byte);
        if document.host == Some(Host::Python)
            && let Some(found) = presentation::dsl_signature::signature(&analysed.text, byte)
        {
            let value = known.map_or_else(String::new, |known| known.value);
            return Some(to_proto::signature_of_dsl(&found, &value, client));
        }
        Some(to_proto::signature_help(&known?, client))
    };
    session.compute(help).await
}
