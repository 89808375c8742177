//! `textDocument/codeLens`

use std::sync::Arc;

use serde_json::json;
use tower_lsp::jsonrpc::Result;
use tower_lsp::lsp_types::{CodeLens, CodeLensParams, Command};
use tree_sitter_cute::tree::Span;

use super::execute_command::SELECT_INSTANCE;
use crate::presentation::instances::{self, Instances};
use crate::session::Session;
use crate::{analyses, to_proto};

/// Over a function with several instances: which one is shown; a click shows the next.
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
    let lenses = instances::of(&analysed.analysis, &chosen)
        .into_iter()
        .map(|found| {
            let span = Span::new(found.byte, found.byte);
            CodeLens {
                range: to_proto::range(&document.text, span, client.encoding),
                command: Some(shown(&found)),
                data: None,
            }
        })
        .collect();
    Ok(Some(lenses))
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
