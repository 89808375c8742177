//! `textDocument/inlayHint`

use std::sync::Arc;

use tower_lsp::jsonrpc::Result;
use tower_lsp::lsp_types::{InlayHint, InlayHintParams};

use cute_analysis::Analysis;

use crate::documents::Document;
use crate::first::{Timely, in_time};
use crate::pool::Cancel;
use crate::presentation::recorded;
use crate::session::Session;
use crate::{from_proto, to_proto};

/// The hints in a range.
///
/// # Errors
/// See [`in_time`].
pub async fn inlay_hint(
    session: &Arc<Session>,
    params: InlayHintParams,
) -> Result<Option<Vec<InlayHint>>> {
    let config = session.config_at_arrival();
    if !config.hints.enable {
        return Ok(None);
    }
    let uri = &params.text_document.uri;
    let (client, chosen) = (session.client(), session.chosen(uri));
    let asked = move |document: &Document| {
        let asked = from_proto::bytes(&document.text, params.range, client.encoding);
        asked.start..asked.end
    };
    let Some(found) = in_time(session, uri, asked).await? else {
        return Ok(None);
    };
    let shared = session.clone();
    // All workers may be busy with work that the late hints do not wait for.
    let needs_no_worker = matches!(found, Timely::Late(_));
    let hints = move |_: &Cancel| {
        let document = match &found {
            Timely::Known(seen) => &seen.document,
            Timely::Late(late) => &late.document,
        };
        let asked = asked(document);
        let (text, nothing) = (document.text.to_string(), Analysis::default());
        let (mut hints, analysis) = match &found {
            Timely::Known(seen) => (
                seen.shown_hints_in(asked.clone(), &chosen),
                &seen.analysed.analysis,
            ),
            Timely::Late(late) => (late.shown_hints_in(&text, asked.clone(), &chosen), &nothing),
        };
        let recorded = shared.recorded(document, &text);
        recorded::add_hints(&mut hints, analysis, &text, &asked, &recorded);
        hints
            .into_iter()
            .filter_map(|hint| hint.of_classes(|class| config.hints.shows(class)))
            .filter(|hint| (asked.start..=asked.end).contains(&hint.byte_offset))
            .map(|hint| to_proto::inlay_hint(hint, document, client, config.hints.max_length))
            .collect()
    };
    if needs_no_worker {
        return Ok(Some(hints(&Cancel::default())));
    }
    session.compute(hints).await.map(Some)
}
