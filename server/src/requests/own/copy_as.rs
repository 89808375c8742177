//! `cute.copyAs`: a layout as text for another program.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Value as Json, json};
use tower_lsp::jsonrpc::Result;

use super::{Subject, known};
use crate::limits::PICTURE_SIDE;
use crate::presentation::picture::{self, Window};
use crate::session::Session;

/// The subject of a copy, and its format.
#[derive(Debug, Clone, Deserialize)]
pub struct Params {
    /// The layout.
    #[serde(flatten)]
    subject: Subject,
    /// In which form.
    format: Format,
    /// The most rows of a picture.
    rows: Option<usize>,
    /// The most columns of a picture.
    columns: Option<usize>,
}

/// The forms of a copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Format {
    /// CuTe's print.
    Cute,
    /// An SVG document.
    Svg,
    /// `TikZ`.
    Tikz,
    /// A picture of characters.
    Text,
}

/// `{"text"}`, of SVG and `TikZ` with the number of `cells`; `null` where nothing is known, or where the value has no
/// picture.
///
/// # Errors
/// As [`layout_at`](super::layout_at::layout_at).
pub async fn copy_as(session: &Arc<Session>, params: Params) -> Result<Json> {
    let Some(known) = known(session, &params.subject).await? else {
        return Ok(Json::Null);
    };
    let Some(value) = known.value(session) else {
        return Ok(Json::Null);
    };
    let dialect = known.dialect();
    let default = Window::default();
    let window = Window {
        rows: params.rows.unwrap_or(default.rows).min(PICTURE_SIDE),
        columns: params.columns.unwrap_or(default.columns).min(PICTURE_SIDE),
        ..default
    };
    let drawn = session.compute(move |_| {
        if params.format == Format::Cute {
            return Some(json!({ "text": dialect.text(&value) }));
        }
        let sheet = picture::of_value(&value, window).ok()?;
        Some(match params.format {
            Format::Svg => json!({"text": picture::to_svg(&sheet), "cells": sheet.cells()}),
            Format::Tikz => json!({"text": picture::to_tikz(&sheet), "cells": sheet.cells()}),
            Format::Text | Format::Cute => {
                json!({ "text": picture::to_text(&sheet, false, picture::WIDEST) })
            }
        })
    });
    Ok(drawn.await?.unwrap_or(Json::Null))
}
