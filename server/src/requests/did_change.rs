//! `textDocument/didChange`

use std::sync::Arc;

use tower_lsp::lsp_types::{DidChangeTextDocumentParams, Url};

use crate::analyses::{self, Cause};
use crate::documents::{Document, OutOfSync, Sync};
use crate::log::Level;
use crate::session::Session;

/// Applies edits to a document.
pub fn did_change(session: &Arc<Session>, params: DidChangeTextDocumentParams) {
    let uri = params.text_document.uri;
    let Some(document) = session.documents.get(&uri) else {
        session.log(Level::Error, &format!("{uri} was changed, but is not open"));
        return;
    };
    let next = document.changed(
        params.text_document.version,
        &params.content_changes,
        session.client().encoding,
    );
    replace(session, &document, next);
}

/// Notes that an edit could not be applied. Later edits would be applied to the wrong text.
pub fn not_applied(session: &Arc<Session>, uri: Option<&str>, reason: String) {
    let document = uri
        .and_then(|uri| Url::parse(uri).ok())
        .and_then(|uri| session.documents.get(&uri));
    if let Some(document) = document {
        replace(
            session,
            &document,
            document.lost(OutOfSync::Unreadable(reason)),
        );
    }
}

fn replace(session: &Arc<Session>, before: &Document, next: Document) {
    match (&before.sync, &next.sync) {
        (Sync::Same, Sync::Lost(reason)) => session.log(
            Level::Error,
            &format!(
                "{} is out of sync: {reason}. It is not served until its whole text is sent \
                 (close and open it)",
                next.uri
            ),
        ),
        (Sync::Lost(_), Sync::Same) => {
            session.log(Level::Info, &format!("{} is in sync again", next.uri));
        }
        _ => {}
    }
    let next = Arc::new(next);
    session.documents.put(next.clone());
    let path = next.path();
    analyses::publish_later(session, next, Cause::Edited);
    analyses::restart_dependents(session, &path);
}
