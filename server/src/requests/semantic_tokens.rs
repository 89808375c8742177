//! `textDocument/semanticTokens/full`: the layouts in comments. The tokens of the language belong to
//! its own server.

use std::sync::Arc;

use tower_lsp::jsonrpc::Result;
use tower_lsp::lsp_types::{SemanticTokensParams, SemanticTokensResult};

use crate::presentation::literals;
use crate::session::Session;
use crate::{analyses, to_proto};

/// The tokens of a document.
///
/// # Errors
/// See [`analyses::of_request`].
pub async fn semantic_tokens(
    session: &Arc<Session>,
    params: SemanticTokensParams,
) -> Result<Option<SemanticTokensResult>> {
    let uri = &params.text_document.uri;
    let Some((document, analysed)) = analyses::of_request(session, uri).await? else {
        return Ok(None);
    };
    let encoding = session.client().encoding;
    let tokens = session.compute(move |_| {
        let unit = analysed.unit();
        let found = literals::tokens(&unit.comments, &analysed.text);
        to_proto::semantic_tokens(&found, &document.text, encoding)
    });
    Ok(Some(SemanticTokensResult::Tokens(tokens.await?)))
}
