//! `cute.useSizes`: a document evaluated with the sizes that its `main` starts with.

use std::sync::Arc;

use cute_analysis::Assumption;
use serde::Deserialize;
use serde_json::Value as Json;
use tower_lsp::jsonrpc::{Error, Result};
use tower_lsp::lsp_types::TextDocumentIdentifier;

use crate::analyses;
use crate::session::Session;

/// A document and sizes.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Params {
    text_document: TextDocumentIdentifier,
    /// As after `--assume`; none evaluates with names again.
    #[serde(default)]
    sizes: Vec<String>,
}

/// Evaluates the document again, and has hints and lenses fetched again.
///
/// # Errors
/// `InvalidParams` for a size that cannot be read.
#[allow(clippy::unused_async, reason = "handlers are asynchronous")]
pub async fn use_sizes(session: &Arc<Session>, params: Params) -> Result<Json> {
    let mut sizes: Vec<Assumption> = Vec::new();
    for text in &params.sizes {
        let refused = |error| Error::invalid_params(format!("`{text}`: {error}"));
        sizes.push(text.parse().map_err(refused)?);
    }
    session.use_sizes(&params.text_document.uri, sizes);
    analyses::restart(session);
    analyses::refresh_shown(session);
    Ok(Json::Null)
}
