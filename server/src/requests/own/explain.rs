//! `cute/explain`: everything known at a place, by section.

use std::sync::Arc;

use cute_analysis::{Options, explain as derivation};
use serde_json::{Value as Json, json};
use tower_lsp::jsonrpc::Result;

use super::{Subject, WithResults, known};
use crate::expression;
use crate::presentation::detail::{Section, detail, of_value};
use crate::presentation::lines::Lines;
use crate::session::Session;

/// `{"summary", "sections": [{"title", "lines"}]}`; `null` where nothing is known.
///
/// # Errors
/// As [`layout_at`](super::layout_at::layout_at).
pub async fn explain(session: &Arc<Session>, subject: Subject) -> Result<Json> {
    let Some(known) = known(session, &subject).await? else {
        return Ok(Json::Null);
    };
    let chosen = known.chosen(session);
    let options = Options {
        assume: session.assumptions(),
        ..Options::default()
    };
    let explained = session.compute(move |_| match known {
        WithResults::Place { analysed, byte, .. } => {
            let unit = analysed.unit();
            let lines = Lines::new(&analysed.text);
            let found = detail(&analysed.analysis, &unit, &lines, byte, &chosen)?;
            Some((found.hover.plain, found.sections))
        }
        WithResults::Expression { value, .. } => {
            let steps = subject.expression.as_deref().and_then(|text| {
                let parsed = expression::parsed(text).ok()?;
                derivation(&parsed, &options).ok()
            });
            let steps = steps.map(|steps| Section {
                title: "derivation",
                lines: steps.to_string().lines().map(str::to_owned).collect(),
            });
            let rest = of_value(&value)
                .into_iter()
                .map(|(title, lines)| Section { title, lines })
                .filter(|section| !section.lines.is_empty());
            Some((
                format!("{value:#}"),
                steps.into_iter().chain(rest).collect(),
            ))
        }
    });
    match explained.await? {
        Some((summary, sections)) => Ok(json!({"summary": summary, "sections": sections})),
        None => Ok(Json::Null),
    }
}
