//! `cute/selectInstance`: which instance of a function hints and hovers show.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::Value as Json;
use tower_lsp::jsonrpc::Result;
use tower_lsp::lsp_types::TextDocumentIdentifier;

use crate::analyses;
use crate::session::Session;

/// A function and one of its instances.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Params {
    /// The function.
    pub function: String,
    /// The instance, as `cute/instances` names it; absent or `null` for the first.
    #[serde(default)]
    pub instance: Option<String>,
    /// The document in which it is shown; absent for all.
    #[serde(default)]
    pub text_document: Option<TextDocumentIdentifier>,
}

/// Chooses the instance, and has hints and lenses fetched again.
///
/// # Errors
/// None: an instance that does not exist shows the first.
#[allow(clippy::unused_async, reason = "handlers are asynchronous")]
pub async fn select_instance(session: &Arc<Session>, params: Params) -> Result<Json> {
    let document = params.text_document.map(|document| document.uri);
    session.choose(&params.function, params.instance, document.as_ref());
    analyses::refresh_shown(session);
    Ok(Json::Null)
}
