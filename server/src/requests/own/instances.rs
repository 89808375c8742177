//! `cute/instances`: the functions of a document that have several instances.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Value as Json, json};
use tower_lsp::jsonrpc::Result;
use tower_lsp::lsp_types::{Position, TextDocumentIdentifier};

use crate::presentation::instances;
use crate::session::Session;
use crate::{analyses, from_proto, to_proto};

/// A document, and where the cursor is in it.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Params {
    text_document: TextDocumentIdentifier,
    /// The cursor.
    position: Option<Position>,
}

/// `[{"function", "instances", "labels", "chosen", "position", "here"}]`; `here` is true of the function at the cursor.
///
/// # Errors
/// See [`analyses::of_request`].
pub async fn instances(session: &Arc<Session>, params: Params) -> Result<Json> {
    let uri = &params.text_document.uri;
    let Some((document, analysed)) = analyses::of_request(session, uri).await? else {
        return Ok(json!([]));
    };
    let encoding = session.client().encoding;
    let here = params.position.and_then(|position| {
        let byte = from_proto::byte_offset(&document.text, position, encoding);
        instances::function_at(&analysed.analysis, byte)
    });
    let found = instances::of(&analysed.analysis, &session.chosen(uri));
    let found: Vec<Json> = found
        .into_iter()
        .map(|found| {
            let position = to_proto::position(&document.text, found.byte, encoding);
            let mut answer = json!(&found);
            answer["position"] = json!(position);
            answer["here"] = json!(here == Some(found.function.as_str()));
            answer
        })
        .collect();
    Ok(json!(found))
}
