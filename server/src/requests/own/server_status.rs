//! The command `cute.serverStatus`: the documents of the server, for a report of a problem, and for the cost of an
//! edit.

use std::sync::Arc;

use serde::Serialize;
use serde_json::Value as Json;
use tower_lsp::jsonrpc::{Error, Result};
use tower_lsp::lsp_types::Url;

use crate::session::Session;

/// The documents of the server.
#[derive(Debug, Serialize)]
struct ServerStatus {
    version: &'static str,
    folders: Vec<String>,
    documents: Vec<DocumentStatus>,
}

/// An open document.
#[derive(Debug, Serialize)]
struct DocumentStatus {
    uri: Url,
    version: i32,
    /// Whether it is analysed: it is one of our languages, in sync, and not too large.
    served: bool,
    /// Number of its analyses since it was opened.
    analyses: usize,
}

/// The documents as they are when the command arrives, in the order of their names.
///
/// # Errors
/// None that a client can cause.
#[allow(clippy::unused_async, reason = "handlers are asynchronous")]
pub async fn server_status(session: &Arc<Session>) -> Result<Json> {
    let open = session.open_at_arrival();
    let mut documents: Vec<_> = open
        .values()
        .map(|document| DocumentStatus {
            uri: document.uri.clone(),
            version: document.version,
            served: document.source().is_some(),
            analyses: document.analyses(),
        })
        .collect();
    documents.sort_by(|a, b| a.uri.cmp(&b.uri));
    let folders = session.folders();
    let status = ServerStatus {
        version: env!("CARGO_PKG_VERSION"),
        folders: folders.iter().map(|it| it.display().to_string()).collect(),
        documents,
    };
    serde_json::to_value(status).map_err(|_| Error::internal_error())
}
