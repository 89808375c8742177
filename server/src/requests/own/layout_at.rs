//! `cute/layoutAt`: the value at a place, as data.

use std::sync::Arc;

use serde_json::{Value as Json, json};
use tower_lsp::jsonrpc::Result;

use super::{Subject, WithResults, known};
use crate::presentation::hover::diagnosed::Findings;
use crate::presentation::hover::hover;
use crate::presentation::lines::Lines;
use crate::presentation::{abbreviation, meaning};
use crate::session::Session;
use crate::to_proto;

/// Kind, print and meaning of the value; `null` where no layout is known.
///
/// # Errors
/// `InvalidParams` for a subject that is not valid; else see [`of_request`](crate::analyses::of_request).
pub async fn layout_at(session: &Arc<Session>, subject: Subject) -> Result<Json> {
    let Some(known) = known(session, &subject).await? else {
        return Ok(Json::Null);
    };
    let Some(value) = known.value(session) else {
        return Ok(Json::Null);
    };
    let mut answer = json!({
        "kind": value.kind().name(),
        "value": known.dialect().text(&value),
        "label": abbreviation::label(&value, known.dialect()),
        "static": value.is_static(),
        "meaning": meaning::of(&value),
    });
    if let WithResults::Place {
        document,
        analysed,
        byte,
    } = &known
    {
        // A place without a hover is of no interest here either.
        let (analysis, chosen) = (&analysed.analysis, session.chosen(&document.uri));
        let lines = Lines::new(&analysed.text);
        let Some(shown) = hover(analysis, &lines, *byte, &chosen, Findings::All) else {
            return Ok(Json::Null);
        };
        let encoding = session.client().encoding;
        answer["range"] = json!(to_proto::range(&document.text, shown.span, encoding));
    }
    Ok(answer)
}
