//! `textDocument/didClose`

use std::sync::Arc;

use tower_lsp::lsp_types::DidCloseTextDocumentParams;

use crate::analyses;
use crate::session::Session;

/// Forgets a document.
pub fn did_close(session: &Arc<Session>, params: &DidCloseTextDocumentParams) {
    let uri = &params.text_document.uri;
    if session.documents.close(uri) {
        analyses::clear(session, uri);
    }
}
