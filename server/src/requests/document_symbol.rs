//! `textDocument/documentSymbol`

use std::sync::Arc;

use tower_lsp::jsonrpc::Result;
use tower_lsp::lsp_types::{DocumentSymbolParams, DocumentSymbolResponse};

use crate::session::Session;
use crate::{analyses, presentation, to_proto};

/// The layouts of a document, by function.
///
/// # Errors
/// See [`analyses::of_request`].
pub async fn document_symbol(
    session: &Arc<Session>,
    params: DocumentSymbolParams,
) -> Result<Option<DocumentSymbolResponse>> {
    let uri = &params.text_document.uri;
    let Some((document, analysed)) = analyses::of_request(session, uri).await? else {
        return Ok(None);
    };
    let (client, chosen) = (session.client(), session.chosen(uri));
    let symbols = move |_: &_| {
        let symbols = presentation::symbols::symbols(&analysed.analysis, &chosen);
        to_proto::symbols(symbols, &document, client)
    };
    session.compute(symbols).await.map(Some)
}
