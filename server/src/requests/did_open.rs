//! `textDocument/didOpen`

use std::sync::Arc;

use tower_lsp::lsp_types::DidOpenTextDocumentParams;

use crate::analyses::{self, Cause};
use crate::documents::Document;
use crate::limits::FILE_BYTES;
use crate::log::Level;
use crate::session::Session;

/// Opens a document, or opens it again with the editor's text.
pub fn did_open(session: &Arc<Session>, params: DidOpenTextDocumentParams) {
    let item = params.text_document;
    let document = Document::new(item.uri, &item.language_id, item.version, &item.text);
    if !document.is_served() {
        let bytes = document.text.len_bytes();
        session.log(
            Level::Warning,
            &format!(
                "{}: {bytes} bytes; files beyond {FILE_BYTES} bytes are not analysed",
                document.uri
            ),
        );
    }
    let document = Arc::new(document);
    session.checked().remove(&document.uri);
    session.documents.put(document.clone());
    let path = document.path();
    analyses::publish_later(session, document, Cause::Opened);
    analyses::restart_dependents(session, &path);
}
