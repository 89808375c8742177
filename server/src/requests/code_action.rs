//! `textDocument/codeAction`

use std::ops::Range;
use std::sync::Arc;

use tower_lsp::jsonrpc::Result;
use tower_lsp::lsp_types::{
    CodeActionContext, CodeActionKind, CodeActionOrCommand, CodeActionParams, CodeActionResponse,
    NumberOrString,
};
use tree_sitter_cute::tree::Span;

use crate::session::Session;
use crate::{analyses, from_proto, to_proto};

/// The remedies of the findings in a range.
///
/// # Errors
/// See [`analyses::with_remedies`].
pub async fn code_action(
    session: &Arc<Session>,
    params: CodeActionParams,
) -> Result<Option<CodeActionResponse>> {
    if !wants_quick_fixes(&params.context) {
        return Ok(None);
    }
    let uri = &params.text_document.uri;
    let client = session.client();
    let Some((document, analysed)) = analyses::of_request(session, uri).await? else {
        return Ok(None);
    };
    // Editors ask at every move of the cursor; remedies are proved only where something is wrong.
    let asked = from_proto::bytes(&document.text, params.range, client.encoding);
    if !analysed
        .analysis
        .findings
        .iter()
        .any(|finding| touches(&asked, finding.span))
    {
        return Ok(None);
    }
    let Some((document, analysed)) = analyses::with_remedies(session, uri).await? else {
        return Ok(None);
    };
    let actions = move |_: &_| {
        let mut actions = Vec::new();
        for finding in &analysed.analysis.findings {
            if !touches(&asked, finding.span) {
                continue;
            }
            let range = to_proto::range(&document.text, finding.span, client.encoding);
            let code = NumberOrString::String(finding.rule.to_owned());
            let shown: Vec<_> = params
                .context
                .diagnostics
                .iter()
                .filter(|shown| shown.range == range && shown.code.as_ref() == Some(&code))
                .cloned()
                .collect();
            for remedy in &finding.remedies {
                let action = to_proto::code_action(remedy, shown.clone(), &document, client);
                actions.push(CodeActionOrCommand::CodeAction(action));
            }
        }
        actions
    };
    session.compute(actions).await.map(Some)
}

/// Whether the client asks for quick-fixes, or for everything.
fn wants_quick_fixes(context: &CodeActionContext) -> bool {
    let wanted =
        |kind: &CodeActionKind| *kind == CodeActionKind::EMPTY || *kind == CodeActionKind::QUICKFIX;
    context
        .only
        .as_ref()
        .is_none_or(|only| only.iter().any(wanted))
}

/// Whether a cursor or selection lies at or in a span.
fn touches(asked: &Range<usize>, span: Span) -> bool {
    asked.start <= span.end && span.start <= asked.end
}
