//! `textDocument/codeAction`

use std::ops::Range;
use std::sync::Arc;

use cute_analysis::{About, Analysis, Edit, Finding, Rule};
use serde_json::json;
use tower_lsp::jsonrpc::Result;
use tower_lsp::lsp_types::{
    CodeActionContext, CodeActionKind, CodeActionOrCommand, CodeActionParams, CodeActionResponse,
    CodeActionTriggerKind, NumberOrString,
};
use tree_sitter_cute::Host;
use tree_sitter_cute::tree::Span;

use super::execute_command::{ADD_INSTANCE, COPY_AS};
use crate::presentation::assertions::assertions;
use crate::presentation::{findings, hover, notes, supposed, written_out};
use crate::session::Session;
use crate::{analyses, from_proto, presentation, to_proto};

/// The remedies of the findings in a range, and other ways to write the declaration there.
///
/// # Errors
/// See [`analyses::with_remedies`].
pub async fn code_action(
    session: &Arc<Session>,
    params: CodeActionParams,
) -> Result<Option<CodeActionResponse>> {
    let mut actions = Vec::new();
    if wants(&params.context, &CodeActionKind::QUICKFIX) {
        actions.extend(remedies(session, &params).await?);
        actions.extend(instance(session, &params).await?);
        actions.extend(asked_instance(session, &params).await?);
    }
    if is_asked_for(&params.context, &to_proto::FIX_ALL) {
        actions.extend(fix_all(session, &params).await?);
    }
    // Editors request the actions behind a light bulb at every move of the cursor; rewrites are proved only on a user's
    // request.
    if params.context.trigger_kind != Some(CodeActionTriggerKind::AUTOMATIC) {
        actions.extend(rewrites(session, &params).await?);
        if wants(&params.context, &to_proto::COPY) {
            actions.extend(copies(session, &params).await?);
        }
    }
    Ok((!actions.is_empty()).then_some(actions))
}

async fn remedies(
    session: &Arc<Session>,
    params: &CodeActionParams,
) -> Result<Vec<CodeActionOrCommand>> {
    let uri = &params.text_document.uri;
    let client = session.client();
    let Some((document, analysed)) = analyses::of_request(session, uri).await? else {
        return Ok(Vec::new());
    };
    // Editors ask at every move of the cursor; remedies are proved only where something is wrong.
    let asked = from_proto::bytes(&document.text, params.range, client.encoding);
    if touched(&analysed.analysis, &asked).is_empty() {
        return Ok(Vec::new());
    }
    let Some((document, analysed)) = analyses::with_remedies(session, uri).await? else {
        return Ok(Vec::new());
    };
    let diagnostics = params.context.diagnostics.clone();
    let actions = move |_: &_| {
        let mut actions = Vec::new();
        for finding in touched(&analysed.analysis, &asked) {
            let range = to_proto::range(&document.text, finding.span, client.encoding);
            let code = NumberOrString::String(finding.rule.to_owned());
            let shown: Vec<_> = diagnostics
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
    session.compute(actions).await
}

/// Adds an instance of the template whose parameters keep the layout at the beginning of the range from being known.
async fn instance(
    session: &Arc<Session>,
    params: &CodeActionParams,
) -> Result<Option<CodeActionOrCommand>> {
    let uri = &params.text_document.uri;
    let Some((document, analysed)) = analyses::of_request(session, uri).await? else {
        return Ok(None);
    };
    let client = session.client();
    let byte = from_proto::byte_offset(&document.text, params.range.start, client.encoding);
    let found = hover::template_to_instantiate(&analysed.analysis, byte);
    let action = found.map(|template| {
        let title = match template.instance() {
            (instance, true) => format!("Add the instance {instance}"),
            _ => format!("Add an instance of {template}"),
        };
        let kind = CodeActionKind::QUICKFIX;
        let action = to_proto::command_action(&title, kind, ADD_INSTANCE, json!(template));
        CodeActionOrCommand::CodeAction(action)
    });
    Ok(action)
}

/// Asks in a comment for the instance that is supposed of the template, where that makes the layout known.
async fn asked_instance(
    session: &Arc<Session>,
    params: &CodeActionParams,
) -> Result<Option<CodeActionOrCommand>> {
    let uri = &params.text_document.uri;
    let Some((document, analysed)) = analyses::of_request(session, uri).await? else {
        return Ok(None);
    };
    let client = session.client();
    let byte = from_proto::byte_offset(&document.text, params.range.start, client.encoding);
    let (analysis, text) = (&analysed.analysis, &analysed.text);
    let proposed = match document.host {
        Some(Host::CudaCpp) => supposed::instantiation(analysis, text, byte),
        Some(Host::Python) => supposed::object(analysis, text, byte),
        _ => None,
    };
    let Some(proposed) = proposed else {
        return Ok(None);
    };
    let Some(edited) = document.with_replaced(proposed.edit.span, &proposed.edit.new_text) else {
        return Ok(None);
    };
    let after = analyses::of_text(session, &document, edited).await?;
    let holds = proposed.holds(&analysed.analysis, &after.analysis);
    Ok(holds.then(|| {
        let action = to_proto::rewrite(&proposed, &document, client);
        CodeActionOrCommand::CodeAction(action)
    }))
}

/// The rewrites of the declaration at the beginning of the range that hold when they are tried.
async fn rewrites(
    session: &Arc<Session>,
    params: &CodeActionParams,
) -> Result<Vec<CodeActionOrCommand>> {
    let uri = &params.text_document.uri;
    let Some((document, analysed)) = analyses::of_request(session, uri).await? else {
        return Ok(Vec::new());
    };
    let client = session.client();
    let asked = from_proto::bytes(&document.text, params.range, client.encoding);
    let byte = asked.start;
    let (analysis, text) = (&analysed.analysis, &analysed.text);
    let mut proposed = presentation::rewrites::rewrites(analysis, text, byte);
    if let Some(host) = document.host {
        proposed.extend(notes::assumptions(analysis, text, &asked, host));
        proposed.extend(notes::truths(analysis, text, byte, host));
        proposed.extend(notes::description(analysis, text, byte, host));
        match host {
            Host::CudaCpp => {
                let unit = analysed.unit();
                proposed.extend(written_out::rewrites(analysis, &unit, text, byte));
                proposed.extend(presentation::as_cute::rewrite(analysis, &unit, byte));
                proposed.extend(presentation::as_tile::rewrite(analysis, &unit, text, byte));
                proposed.extend(assertions(analysis, &unit, text, &asked));
            }
            Host::Rust => {
                let unit = analysed.unit();
                proposed.extend(presentation::rewrites::rust_assertion(
                    analysis, &unit, text, byte,
                ));
            }
            Host::Python => {
                proposed.extend(presentation::rewrites::python_assertion(
                    analysis, text, byte,
                ));
            }
        }
    }
    let mut actions = Vec::new();
    for rewrite in proposed {
        if !wants(&params.context, &to_proto::rewrite_kind(rewrite.kind)) {
            continue;
        }
        let edit = &rewrite.edit;
        let Some(edited) = document.with_replaced(edit.span, &edit.new_text) else {
            continue;
        };
        let after = analyses::of_text(session, &document, edited).await?;
        if rewrite.holds(&analysed.analysis, &after.analysis) {
            let action = to_proto::rewrite(&rewrite, &document, client);
            actions.push(CodeActionOrCommand::CodeAction(action));
        }
    }
    Ok(actions)
}

/// The corrections of all comments of the document, where all of them together hold.
async fn fix_all(
    session: &Arc<Session>,
    params: &CodeActionParams,
) -> Result<Option<CodeActionOrCommand>> {
    let uri = &params.text_document.uri;
    let Some((document, analysed)) = analyses::with_remedies(session, uri).await? else {
        return Ok(None);
    };
    let stale = |finding: &&Finding| Rule::is_about(finding.rule, About::Comment);
    let findings = analysed.analysis.findings.iter().filter(stale);
    let before = findings.clone().count();
    let edits: Vec<Edit> = findings
        .filter_map(|finding| finding.remedies.first())
        .flat_map(|remedy| remedy.edits.clone())
        .collect();
    if edits.is_empty() {
        return Ok(None);
    }
    let Some(edited) = document.with_edits(&edits) else {
        return Ok(None);
    };
    let after = analyses::of_text(session, &document, edited).await?;
    let left = after.analysis.findings.iter().filter(stale).count();
    let others = |analysis: &Analysis| analysis.findings.iter().filter(|f| !stale(f)).count();
    let holds =
        left + edits.len() <= before && others(&after.analysis) <= others(&analysed.analysis);
    let action = to_proto::fix_all(&edits, &document, session.client());
    Ok(holds.then_some(CodeActionOrCommand::CodeAction(action)))
}

/// The layout at the beginning of the range as text for other programs.
async fn copies(
    session: &Arc<Session>,
    params: &CodeActionParams,
) -> Result<Vec<CodeActionOrCommand>> {
    let uri = &params.text_document.uri;
    let Some((document, analysed)) = analyses::of_request(session, uri).await? else {
        return Ok(Vec::new());
    };
    let client = session.client();
    let byte = from_proto::byte_offset(&document.text, params.range.start, client.encoding);
    let facts = analysed.analysis.facts_at(byte);
    let mentions = analysed.analysis.mentions_at(byte);
    let value = match (facts.first(), mentions.first()) {
        (Some(fact), _) => &fact.value,
        (None, Some(mention)) => &mention.value,
        (None, None) => return Ok(Vec::new()),
    };
    if value.as_any_layout().is_none() {
        return Ok(Vec::new());
    }
    let copy = |(title, format): (&str, &str)| {
        let argument = json!({
            "textDocument": {"uri": uri},
            "position": params.range.start,
            "format": format,
        });
        let action = to_proto::command_action(title, to_proto::COPY, COPY_AS, argument);
        CodeActionOrCommand::CodeAction(action)
    };
    let forms = [
        ("Copy the layout as CuTe prints it", "cute"),
        ("Copy the picture as SVG", "svg"),
        ("Copy the picture as TikZ", "tikz"),
    ];
    Ok(forms.into_iter().map(copy).collect())
}

/// Whether the client names a kind: an action for a whole document is not offered at each place.
fn is_asked_for(context: &CodeActionContext, kind: &CodeActionKind) -> bool {
    context.only.is_some() && wants(context, kind)
}

/// Whether the client asks for a kind, for one that it belongs to, or for everything.
fn wants(context: &CodeActionContext, kind: &CodeActionKind) -> bool {
    let belongs = |wanted: &CodeActionKind| {
        let (wanted, kind) = (wanted.as_str(), kind.as_str());
        wanted.is_empty()
            || kind == wanted
            || kind
                .strip_prefix(wanted)
                .is_some_and(|rest| rest.starts_with('.'))
    };
    context
        .only
        .as_ref()
        .is_none_or(|only| only.iter().any(belongs))
}

/// The findings in a range, and those in the declaration of the name at its beginning.
fn touched<'a>(analysis: &'a Analysis, asked: &Range<usize>) -> Vec<&'a Finding> {
    let named = analysis.facts_at(asked.start);
    let declared = named
        .first()
        .map(|fact| findings::in_declaration(analysis, fact.name_span))
        .unwrap_or_default();
    let is_touched = |finding: &&Finding| {
        touches(asked, finding.span) || declared.iter().any(|other| std::ptr::eq(*other, *finding))
    };
    analysis.findings.iter().filter(is_touched).collect()
}

/// Whether a cursor or selection is at or in a span.
fn touches(asked: &Range<usize>, span: Span) -> bool {
    asked.start <= span.end && span.start <= asked.end
}
