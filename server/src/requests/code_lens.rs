//! `textDocument/codeLens`

use std::sync::Arc;

use cute_analysis::{Analysis, Annotation};
use serde_json::json;
use tower_lsp::jsonrpc::Result;
use tower_lsp::lsp_types::{CodeLens, CodeLensParams, Command, Url};
use tree_sitter_cute::tree::Span;

use super::execute_command::{RUN, SELECT_INSTANCE};
use super::own::run::permitted;
use crate::presentation::instances::{self, Instances};
use crate::run::orders;
use crate::run::report::Report;
use crate::run::results::Results;
use crate::session::Session;
use crate::{analyses, to_proto};

/// Over a function with several instances: which one is shown; a click shows the next. Over a layout that a comment orders to
/// be run: the order, or the answer; a click runs it.
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
    let (client, chosen) = (session.client(), session.chosen());
    let lens = |byte: usize, command: Command| {
        let span = Span::new(byte, byte);
        CodeLens {
            range: to_proto::range(&document.text, span, client.encoding),
            command: Some(command),
            data: None,
        }
    };
    let mut lenses: Vec<CodeLens> = instances::of(&analysed.analysis, &chosen)
        .into_iter()
        .map(|found| lens(found.byte, shown(&found)))
        .collect();
    if permitted(session).is_ok() {
        let analysis = &analysed.analysis;
        let results = session.results();
        for annotation in &analysis.orders {
            let line = to_proto::position(&document.text, annotation.line.start, client.encoding);
            let title = title(annotation, analysis, uri, &results);
            let command = Command {
                title,
                command: RUN.to_owned(),
                arguments: Some(vec![json!({"uri": uri, "line": line.line})]),
            };
            lenses.push(lens(annotation.line.start, command));
        }
    }
    Ok(Some(lenses))
}

/// The answers to an order, a wrong one first; without answers what is ordered.
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

fn shown(found: &Instances) -> Command {
    let count = found.instances.len();
    let at = |index: usize| found.instances.get(index % count.max(1));
    let name = at(found.chosen).map(String::as_str).unwrap_or_default();
    Command {
        title: format!(
            "{}: instance {} of {count}: {name}",
            found.function,
            found.chosen + 1
        ),
        command: SELECT_INSTANCE.to_owned(),
        arguments: Some(vec![json!({
            "function": found.function,
            "instance": at(found.chosen + 1),
        })]),
    }
}
