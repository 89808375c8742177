//! `cute/picture`: the picture of a value, or of an operation with its operands.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Value as Json, json};
use tower_lsp::jsonrpc::{Error, Result};

use super::{Known, Subject, known};
use crate::limits::PICTURE_SIDE;
use crate::presentation::picture::{self, Window};
use crate::session::Session;

/// What is to be drawn, and how.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Params {
    /// What is to be drawn.
    #[serde(flatten)]
    subject: Subject,
    /// In which form.
    #[serde(default)]
    format: Format,
    /// At most so many rows.
    rows: Option<usize>,
    /// At most so many columns.
    columns: Option<usize>,
    /// Whether an operation is drawn with its operands.
    #[serde(default)]
    operands: bool,
}

/// The forms of a picture.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// An SVG document.
    #[default]
    Svg,
    /// Characters.
    Text,
    /// `TikZ`.
    Tikz,
    /// The picture as data, as `draw --format json` prints it.
    Json,
}

/// `{"format", "picture"}`; `null` where nothing is known, or what is known has no picture.
///
/// # Errors
/// `InvalidParams` with the reason why an expression has no picture; else as
/// [`layout_at`](super::layout_at::layout_at).
pub async fn picture(session: &Arc<Session>, params: Params) -> Result<Json> {
    let Some(known) = known(session, &params.subject).await? else {
        return Ok(Json::Null);
    };
    let Some(value) = known.value(session) else {
        return Ok(Json::Null);
    };
    let default = Window::default();
    let window = Window {
        rows: params.rows.unwrap_or(default.rows).min(PICTURE_SIDE),
        columns: params.columns.unwrap_or(default.columns).min(PICTURE_SIDE),
    };
    let is_place = matches!(known, Known::Place { .. });
    let drawn = session.compute(move |_| match known {
        Known::Expression {
            operation: Some(operation),
            ..
        } if params.operands => picture::of_operation(&operation, &value, window),
        _ if params.operands => picture::of_swizzled(&value, window),
        _ => picture::of_value(&value, window),
    });
    let sheet = match drawn.await? {
        Ok(sheet) => sheet,
        Err(_) if is_place => return Ok(Json::Null),
        Err(reason) => return Err(Error::invalid_params(reason.to_string())),
    };
    Ok(match params.format {
        Format::Svg => json!({"format": "svg", "picture": picture::to_svg(&sheet)}),
        Format::Text => json!({"format": "text", "picture": picture::to_text(&sheet, false)}),
        Format::Tikz => json!({"format": "tikz", "picture": picture::to_tikz(&sheet)}),
        Format::Json => json!({"format": "json", "picture": sheet}),
    })
}
