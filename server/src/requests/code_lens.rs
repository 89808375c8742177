//! `textDocument/codeLens`

use std::sync::Arc;

use cute_analysis::{Analysis, Annotation};
use serde_json::{Value, json};
use tower_lsp::jsonrpc::Result;
use tower_lsp::lsp_types::{CodeLens, CodeLensParams, Command, Url};
use tree_sitter_cute::tree::Span;

use super::execute_command::{ADD_INSTANCE, EXPLAIN, PICTURE, RUN, SELECT_INSTANCE, USE_SIZES};
use super::own::run::permitted;
use crate::presentation::lenses::{Action, Lens, lenses};
use crate::run::orders;
use crate::run::report::Report;
use crate::run::results::Results;
use crate::session::Session;
use crate::{analyses, to_proto};

/// The shown instance, the missing arguments of a template, the sizes of `main`, the actions on a layout. Over a layout
/// that a comment orders to be run: the order, or the answer; a click runs it.
///
/// # Errors
/// See [`analyses::of_request`].
pub async fn code_lens(
    session: &Arc<Session>,
    params: CodeLensParams,
) -> Result<Option<Vec<CodeLens>>> {
    if !session.config_at_arrival().lenses.enable {
        return Ok(None);
    }
    let uri = &params.text_document.uri;
    let Some((document, analysed)) = analyses::of_request(session, uri).await? else {
        return Ok(None);
    };
    let (client, chosen) = (session.client(), session.chosen(uri));
    let sizes = session.sizes(uri);
    let place_of = |byte: usize| {
        let place = Span::new(byte, byte);
        to_proto::range(&document.text, place, client.encoding)
    };
    let mut shown: Vec<CodeLens> = lenses(&analysed.analysis, &chosen, &sizes)
        .into_iter()
        .map(|lens| {
            let range = place_of(lens.byte);
            let place = json!({
                "textDocument": {"uri": uri},
                "position": range.start,
            });
            CodeLens {
                range,
                command: Some(command(lens, place)),
                data: None,
            }
        })
        .collect();
    if permitted(session).is_ok() {
        let analysis = &analysed.analysis;
        let results = session.results();
        for annotation in &analysis.orders {
            let range = place_of(annotation.line.start);
            let command = Command {
                title: title(annotation, analysis, uri, &results),
                command: RUN.to_owned(),
                arguments: Some(vec![json!({"uri": uri, "line": range.start.line})]),
            };
            shown.push(CodeLens {
                range,
                command: Some(command),
                data: None,
            });
        }
    }
    Ok(Some(shown))
}

/// The answers to an order, a wrong one first; without answers the order.
fn title(annotation: &Annotation, analysis: &Analysis, uri: &Url, results: &Results) -> String {
    let ordered = orders::of(annotation, analysis);
    let mut answers: Vec<&Report> = ordered
        .iter()
        .filter_map(|one| results.of(uri, &one.key))
        .collect();
    answers.sort_by_key(|report| report.agrees);
    match answers.as_slice() {
        [] => format!("Run: {}", orders::kind(&annotation.order)),
        [only] => only.lens(),
        [first, others @ ..] => format!("{} and {} more", first.lens(), others.len()),
    }
}

/// The command of a click; `place` is that of the lens.
fn command(lens: Lens, mut place: Value) -> Command {
    let (command, argument) = match lens.action {
        Action::SelectInstance { function, instance } => (
            SELECT_INSTANCE,
            json!({"function": function, "instance": instance}),
        ),
        Action::AddInstance(template) => (ADD_INSTANCE, json!(template)),
        Action::UseSizes(sizes) => {
            let sizes: Vec<String> = sizes.iter().map(ToString::to_string).collect();
            place["sizes"] = json!(sizes);
            (USE_SIZES, place)
        }
        Action::Explain => (EXPLAIN, place),
        Action::Picture => (PICTURE, place),
    };
    Command {
        title: lens.title,
        command: command.to_owned(),
        arguments: Some(vec![argument]),
    }
}
