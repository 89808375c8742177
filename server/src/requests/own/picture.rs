//! `cute/picture`: the picture of a value, or of an operation with its operands.

use std::sync::Arc;

use cute_analysis::{Options, Value};
use serde::Deserialize;
use serde_json::{Value as Json, json};
use tower_lsp::jsonrpc::{Error, Result};

use super::{Derived, Subject, WithResults, known};
use crate::encoding::Encoding;
use crate::limits::PICTURE_SIDE;
use crate::presentation::page::{self, Document};
use crate::presentation::picture::{self, NotDrawable, Window};
use crate::session::Session;

/// The subject of a drawing, and its format.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Params {
    /// The subject of the drawing.
    #[serde(flatten)]
    subject: Subject,
    /// In which form.
    #[serde(default)]
    format: Format,
    /// At most this many rows.
    rows: Option<usize>,
    /// At most this many columns.
    columns: Option<usize>,
    /// The first row that is drawn.
    #[serde(default)]
    first_row: usize,
    /// The first column that is drawn.
    #[serde(default)]
    first_column: usize,
    /// Whether an operation is drawn with its operands.
    #[serde(default)]
    operands: bool,
    /// Whether a value without a picture is answered by the reason instead of `null`.
    #[serde(default)]
    reasons: bool,
    /// The nonce of the script in the content security policy of a page; letters and digits.
    nonce: Option<String>,
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
    /// Characters with ANSI colours.
    Ansi,
    /// `TikZ`.
    Tikz,
    /// The picture as data, as `draw --format json` prints it.
    Json,
    /// The page that `draw -o x.html` writes.
    Html,
    /// The content of that page, as data: its message `{"sheet": ...}` has it show another.
    Page,
}

impl Format {
    /// The part that is drawn without a request of the client: of a scrollable picture, all within reason.
    fn window(self) -> Window {
        match self {
            Self::Html | Self::Page => Window::page(),
            _ => Window::default(),
        }
    }
}

/// `{"format", "picture"}`, with the number of `cells` for a copy; `null` where nothing is known, or where the value
/// has no picture, which is `{"name", "reason"}` for a client that requests reasons.
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
    let default = params.format.window();
    let most = |side: usize| side.max(PICTURE_SIDE);
    let window = Window {
        rows: params.rows.unwrap_or(default.rows).min(most(default.rows)),
        columns: params
            .columns
            .unwrap_or(default.columns)
            .min(most(default.columns)),
        first: (params.first_row, params.first_column),
        ..default
    };
    let encoding = session.client().encoding;
    let is_place = matches!(known, WithResults::Place { .. });
    let name = (is_place && params.reasons).then(|| known.name(&params.subject, &value));
    let options = Options {
        assume: session.assumptions(),
        ..Options::default()
    };
    let drawn =
        session.compute(move |_| drawn(&known, &value, &params, window, encoding, &options));
    match drawn.await? {
        Ok(answer) => Ok(answer),
        Err(reason) => match name {
            Some(name) => Ok(json!({"name": name, "reason": reason.in_source()})),
            None if is_place => Ok(Json::Null),
            None => Err(Error::invalid_params(reason.to_string())),
        },
    }
}

fn drawn(
    known: &WithResults,
    value: &Value,
    params: &Params,
    window: Window,
    encoding: Encoding,
    options: &Options,
) -> std::result::Result<Json, NotDrawable> {
    let derived = if params.operands {
        known.operation(&params.subject, value, options)
    } else {
        Derived::default()
    };
    let sheet = match &derived.operation {
        Some(operation) => picture::of_operation(operation, value, window),
        None if params.operands => picture::of_swizzled(value, window),
        None => picture::of_value(value, window),
    };
    let sheet = sheet?;
    Ok(match params.format {
        Format::Svg => {
            json!({"format": "svg", "cells": sheet.cells(), "picture": picture::to_svg(&sheet)})
        }
        Format::Text => {
            json!({"format": "text", "picture": picture::to_text(&sheet, false, picture::WIDEST)})
        }
        Format::Ansi => {
            json!({"format": "ansi", "picture": picture::to_text(&sheet, true, picture::WIDEST)})
        }
        Format::Tikz => {
            json!({"format": "tikz", "cells": sheet.cells(), "picture": picture::to_tikz(&sheet)})
        }
        Format::Json => json!({"format": "json", "picture": sheet}),
        Format::Html | Format::Page => {
            let name = known.name(&params.subject, value);
            let mut document = Document::new(&sheet, value, name);
            let title = derived.operation.is_some().then_some(sheet.title.as_str());
            if let Some(text) = known.pasted_as(&params.subject, value, title) {
                document.pasted_as(text);
            }
            document.declared(|layout| known.declaration(layout, encoding));
            let (copies, here) = known.copies(value, encoding);
            document.copied(&sheet, value, &copies, here);
            if let Some(derivation) = derived.derivation {
                document.derive(&derivation);
            }
            if params.format == Format::Page {
                return Ok(json!({"format": "page", "picture": document}));
            }
            let documents = [document];
            let page = match &params.nonce {
                Some(nonce) => page::render(&documents, nonce),
                None => page::nonce_of(&documents).and_then(|own| page::render(&documents, &own)),
            };
            let page = page.map_err(|error| NotDrawable::Unsuitable(error.to_string()))?;
            json!({"format": "html", "picture": page})
        }
    })
}
