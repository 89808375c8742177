//! `textDocument/hover`

use std::fmt::Write as _;
use std::sync::Arc;

use cute_analysis::{Analysis, Value};
use tower_lsp::jsonrpc::Result;
use tower_lsp::lsp_types::{Hover, HoverParams, TextDocumentPositionParams};

use crate::client::Client;
use crate::config::{self, Config, When};
use crate::documents::{Document, LookedAt};
use crate::first::Seen;
use crate::limits::HOVER_PICTURE_BYTES;
use crate::presentation::hover::diagnosed::Findings;
use crate::presentation::lines::Lines;
use crate::presentation::picture::{self, Window};
use crate::session::Session;
use crate::{first, from_proto, otherwise, presentation, to_proto};

/// The hover at a place.
///
/// # Errors
/// See [`first::of_request`].
pub async fn hover(session: &Arc<Session>, params: HoverParams) -> Result<Option<Hover>> {
    if !session.config_at_arrival().hover.enable {
        return Ok(None);
    }
    let at = params.text_document_position_params;
    let (client, chosen) = (session.client(), session.chosen(&at.text_document.uri));
    let around = move |document: &Document| {
        let byte = from_proto::byte_offset(&document.text, at.position, client.encoding);
        LookedAt::screen_around(byte)
    };
    let Some(seen) = first::of_request(session, &at.text_document.uri, around).await? else {
        return Ok(None);
    };
    let what_if = otherwise::what_if(session, &seen).await;
    let Seen {
        document,
        analysed,
        is_whole,
        ..
    } = seen;
    let findings = said(&session.config_at_arrival(), client);
    let wants_pictures = client.markdown && session.config_at_arrival().hover.pictures;
    let config = session.config_at_arrival();
    let answers = session.results().in_document(&at.text_document.uri);
    let shared = session.clone();
    let hover = move |_: &_| {
        let offset = from_proto::byte_offset(&document.text, at.position, client.encoding);
        let lines = Lines::new(&analysed.text);
        let hover =
            presentation::hover::hover(&analysed.analysis, &lines, offset, &chosen, findings);
        let recorded = shared.recorded(&document, &analysed.text);
        let analysis = &analysed.analysis;
        let hover = presentation::recorded::added_to(hover, analysis, offset, &recorded);
        let mut hover =
            presentation::otherwise::added_to(hover, analysis, &what_if, &lines, offset, &chosen)?;
        let values = presentation::hover::values_at(&analysed.analysis, offset, &chosen);
        if let Some(value) = values.first() {
            let answers = answers
                .iter()
                .filter(|(key, _)| key.value == value.to_string());
            for (_, report) in answers {
                hover.add(&report.section());
            }
        }
        if !is_whole && !hover.is_of_word {
            hover.add(&[FOLLOWING.to_owned()]);
        }
        let subject = presentation::hover::subject_at(&analysed.analysis, offset, &chosen);
        let subject = subject.as_ref();
        if let Some(value) = subject.filter(|value| wants_pictures && is_pictured(value)) {
            let picture = if client.shows_pictures {
                image(value, values.len() < 2)
            } else {
                characters(value)
            };
            hover.markdown.push_str(&picture.unwrap_or_default());
        }
        let below = std::mem::take(&mut hover.below);
        hover.markdown.push_str(&below);
        let is_drawn =
            subject.is_some_and(|value| !matches!(value, Value::Int(_)) && is_drawn(value));
        let rules = rule_links(&analysed.analysis, offset, client, &config.diagnostics);
        let links = links(&hover, is_drawn, rules, client, &at);
        if !links.is_empty() {
            let _ = write!(hover.markdown, "\n\n{}", links.join(" · "));
        }
        Some(to_proto::hover(hover, &document, client))
    };
    session.compute(hover).await
}

/// The findings in a hover: all, unless the client's own hover has the diagnostics.
fn said(config: &Config, client: Client) -> Findings {
    let are_diagnosed = config.diagnostics.enable && client.hovers_diagnostics;
    match config.hover.findings {
        When::Never => Findings::Silent,
        When::Auto if are_diagnosed => Findings::Undiagnosed,
        When::Always | When::Auto => Findings::All,
    }
}

/// The links of a hover: to the panel, to the pages of rules, to the paper or the header that defines a function, and
/// to the glossary.
fn links(
    hover: &presentation::hover::Hover,
    is_drawn: bool,
    rules: Vec<String>,
    client: Client,
    at: &TextDocumentPositionParams,
) -> Vec<String> {
    let panel = (is_drawn && client.links_panel).then(|| {
        let place = serde_json::to_string(at).unwrap_or_default();
        format!("[Show in panel]({})", to_proto::panel_uri(&place))
    });
    let glossary = client
        .links_glossary
        .then(|| format!("[Glossary]({})", to_proto::GLOSSARY_URI));
    panel
        .into_iter()
        .chain(rules)
        .chain(hover.source.clone())
        .chain(glossary)
        .collect()
}

/// The pages of the rules of the findings at a byte.
fn rule_links(
    analysis: &Analysis,
    byte: usize,
    client: Client,
    config: &config::Diagnostics,
) -> Vec<String> {
    let mut links: Vec<String> = Vec::new();
    for finding in analysis.findings_at(byte) {
        let uri = to_proto::rule_uri(finding.rule, client, config);
        let link = uri.map(|uri| format!("[Rule {}]({uri})", finding.rule));
        links.extend(link.filter(|link| !links.contains(link)));
    }
    links
}

/// Whether a hover has the picture of a value: the grid of a number, or of a tuple of them, says nothing of a layout.
fn is_pictured(value: &Value) -> bool {
    !matches!(value, Value::Int(_) | Value::Tuple(_))
}

/// Whether a value has a picture.
fn is_drawn(value: &Value) -> bool {
    picture::of_value(value, WINDOW).is_ok()
}

/// The picture of a value as an image in Markdown; nothing where there is none, or it would be too large for a hover.
/// The value that is told alone needs no heading with its print.
fn image(value: &Value, is_told_alone: bool) -> Option<String> {
    let mut sheet = picture::of_value(value, WINDOW).ok()?;
    if is_told_alone {
        sheet = sheet.without_print();
    }
    let image = to_proto::data_uri("image/svg+xml", &picture::to_svg_within(&sheet, HEIGHT));
    (image.len() <= HOVER_PICTURE_BYTES).then(|| format!("\n\n![{}]({image})", value.kind().name()))
}

/// The picture in characters, for clients that show no image: a terminal's.
fn characters(value: &Value) -> Option<String> {
    let sheet = picture::of_value(value, WINDOW).ok()?;
    Some(format!(
        "\n\n```text\n{}```",
        picture::to_text(&sheet, false, WIDTH)
    ))
}

/// The note while only the shown instance is known.
const FOLLOWING: &str = "Shows the selected instance; the others are being evaluated.";

/// The widest picture in characters: a hover of a terminal folds longer lines.
const WIDTH: usize = 100;

/// The height of an image below the text, in pixels: VS Code shows 250 of a hover.
const HEIGHT: i64 = 140;

/// The part of a layout that is drawn in a hover: as much as an editor shows of one without scrolling.
const WINDOW: Window = Window {
    rows: 6,
    columns: 12,
    first: (0, 0),
    cells: 6 * 12,
};
