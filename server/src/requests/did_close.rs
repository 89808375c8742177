//! `textDocument/didClose`

use std::sync::Arc;

use tower_lsp::lsp_types::DidCloseTextDocumentParams;

use crate::analyses;
use crate::documents::path_of;
use crate::session::Session;

/// Forgets a document. Documents that depend on it have the file on disk from now on, whose text may be another.
pub fn did_close(session: &Arc<Session>, params: &DidCloseTextDocumentParams) {
    let uri = &params.text_document.uri;
    if session.documents.close(uri) {
        analyses::clear(session, uri);
        analyses::restart_dependents(session, &path_of(uri));
    }
}
