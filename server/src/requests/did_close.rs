//! `textDocument/didClose`

use std::sync::Arc;

use tower_lsp::lsp_types::DidCloseTextDocumentParams;

use crate::session::Session;

/// Forgets a document.
pub fn did_close(session: &Arc<Session>, params: &DidCloseTextDocumentParams) {
    session.documents.close(&params.text_document.uri);
}
