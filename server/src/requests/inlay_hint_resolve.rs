//! `inlayHint/resolve`

use std::sync::Arc;

use serde::Deserialize;
use tower_lsp::jsonrpc::{Error, Result};
use tower_lsp::lsp_types::{InlayHint, InlayHintTooltip, Url};

use crate::documents::{Analysed, Document, LookedAt};
use crate::first;
use crate::presentation::recorded;
use crate::session::Session;

/// The data of a hint of ours, so that it is found again.
#[derive(Debug, Deserialize)]
struct Origin {
    uri: Url,
    version: i32,
    offset: usize,
}

/// A hint with its tooltip. A hint of an older version stays as it is: the client is about to ask
/// for new ones.
///
/// # Errors
/// `InvalidParams` for a hint that is not ours; else see [`first::of_request`].
pub async fn inlay_hint_resolve(session: &Arc<Session>, mut hint: InlayHint) -> Result<InlayHint> {
    let origin = hint
        .data
        .clone()
        .and_then(|data| serde_json::from_value::<Origin>(data).ok());
    let Some(origin) = origin else {
        return Err(Error::invalid_params("`data` is not what this server gave"));
    };
    let around = |_: &Document| LookedAt::screen_around(origin.offset);
    let Some(seen) = first::of_request(session, &origin.uri, around).await? else {
        return Ok(hint);
    };
    if seen.document.version != origin.version {
        return Ok(hint);
    }
    let chosen = session.chosen(&origin.uri);
    let shared = session.clone();
    let tooltip = move |_: &_| {
        let Analysed { text, analysis, .. } = &*seen.analysed;
        let whole = 0..text.len();
        let mut hints = seen.hints_in(whole.clone(), &chosen);
        let recorded = shared.recorded(&seen.document, text);
        recorded::add_hints(&mut hints, analysis, text, &whole, &recorded);
        hints
            .into_iter()
            .find(|hint| hint.byte_offset == origin.offset)
            .map(|hint| InlayHintTooltip::String(hint.tooltip))
    };
    hint.tooltip = session.compute(tooltip).await?;
    Ok(hint)
}
