//! `cute/run`: the address program of a layout, executed and compared with the algebra.

use std::sync::Arc;

use cute_algebra::AnyLayout;
use cute_hardware::Refusal;
use cute_runner::plan::Plan;
use cute_runner::{compare, cpu};
use serde_json::{Value as Json, json};
use tower_lsp::jsonrpc::{Error, Result};

use super::{Subject, known};
use crate::session::Session;

/// What was compared and whether it agrees; `null` where no layout is known. Only a program that we
/// generate is executed, on this processor.
///
/// # Errors
/// `InvalidParams` with the reason why a layout has no program; else as
/// [`layout_at`](super::layout_at::layout_at).
pub async fn run(session: &Arc<Session>, subject: Subject) -> Result<Json> {
    let Some(known) = known(session, &subject).await? else {
        return Ok(Json::Null);
    };
    let value = known.value(session);
    let Some(layout) = value.and_then(|value| value.as_any_layout()) else {
        return Ok(Json::Null);
    };
    let executed = session.compute(move |_| executed(&layout)).await?;
    executed.map_err(|refusal| Error::invalid_params(refusal.message()))
}

fn executed(layout: &AnyLayout) -> std::result::Result<Json, Refusal> {
    let plan = Plan::of_offsets(layout)?;
    let offsets = cpu::offsets(&plan)?;
    let comparison = compare::with_algebra(&plan, &offsets)?;
    Ok(json!({
        "layout": plan.layout().to_string(),
        "device": "cpu",
        "size": plan.size(),
        "compared": comparison.compared,
        "exhaustive": plan.is_exhaustive(),
        "agrees": comparison.difference.is_none(),
        "difference": comparison.difference.map(|difference| json!({
            "coordinate": difference.coordinate,
            "expected": difference.expected,
            "got": difference.got,
        })),
    }))
}
