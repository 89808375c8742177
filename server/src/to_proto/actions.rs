//! Edits and commands that are offered, as code actions.

use cute_analysis::{Edit, Remedy};
use tower_lsp::lsp_types::{self, OptionalVersionedTextDocumentIdentifier};

use super::place::range;
use crate::client::Client;
use crate::documents::Document;
use crate::presentation::rewrites::{self, Rewrite};

/// Corrects all comments of a document at once, as editors do when they save.
pub const FIX_ALL: lsp_types::CodeActionKind = lsp_types::CodeActionKind::new("source.fixAll.cute");

/// A layout as text for another program.
pub const COPY: lsp_types::CodeActionKind = lsp_types::CodeActionKind::new("refactor.copy.cute");

/// A remedy of a finding. `shown` are the client's diagnostics that it removes.
pub fn code_action(
    remedy: &Remedy,
    shown: Vec<lsp_types::Diagnostic>,
    document: &Document,
    client: Client,
) -> lsp_types::CodeAction {
    let edit = workspace_edit(&remedy.edits, document, client);
    lsp_types::CodeAction {
        title: remedy.title.clone(),
        kind: Some(lsp_types::CodeActionKind::QUICKFIX),
        diagnostics: Some(shown),
        edit: Some(edit),
        is_preferred: remedy.preferred.then_some(true),
        ..lsp_types::CodeAction::default()
    }
}

/// All corrections of comments as one action.
pub fn fix_all(edits: &[Edit], document: &Document, client: Client) -> lsp_types::CodeAction {
    lsp_types::CodeAction {
        title: format!("Correct all {} layout comments", edits.len()),
        kind: Some(FIX_ALL),
        edit: Some(workspace_edit(edits, document, client)),
        ..lsp_types::CodeAction::default()
    }
}

/// A rewrite that holds.
pub fn rewrite(rewrite: &Rewrite, document: &Document, client: Client) -> lsp_types::CodeAction {
    let edits = std::slice::from_ref(&rewrite.edit);
    lsp_types::CodeAction {
        title: rewrite.title.clone(),
        kind: Some(rewrite_kind(rewrite.kind)),
        edit: Some(workspace_edit(edits, document, client)),
        ..lsp_types::CodeAction::default()
    }
}

/// The protocol's name for the kind of a rewrite.
pub fn rewrite_kind(kind: rewrites::Kind) -> lsp_types::CodeActionKind {
    match kind {
        rewrites::Kind::Inline => lsp_types::CodeActionKind::REFACTOR_INLINE,
        rewrites::Kind::Instantiate => lsp_types::CodeActionKind::QUICKFIX,
        rewrites::Kind::AsCute
        | rewrites::Kind::Coalesce
        | rewrites::Kind::Pin
        | rewrites::Kind::Assert
        | rewrites::Kind::Assume
        | rewrites::Kind::Decide
        | rewrites::Kind::Describe
        | rewrites::Kind::Infer => lsp_types::CodeActionKind::REFACTOR_REWRITE,
    }
}

/// An action that runs a command at a place of a document.
pub fn command_action(
    title: &str,
    kind: lsp_types::CodeActionKind,
    command: &str,
    argument: serde_json::Value,
) -> lsp_types::CodeAction {
    lsp_types::CodeAction {
        title: title.to_owned(),
        kind: Some(kind),
        command: Some(lsp_types::Command {
            title: title.to_owned(),
            command: command.to_owned(),
            arguments: Some(vec![argument]),
        }),
        ..lsp_types::CodeAction::default()
    }
}

/// Edits of a document, for the version that they were made for where the client can say so.
fn workspace_edit(edits: &[Edit], document: &Document, client: Client) -> lsp_types::WorkspaceEdit {
    let edits = edits.iter().map(|edit| lsp_types::TextEdit {
        range: range(&document.text, edit.span, client.encoding),
        new_text: edit.new_text.clone(),
    });
    if client.versioned_edits {
        let edit = lsp_types::TextDocumentEdit {
            text_document: OptionalVersionedTextDocumentIdentifier {
                uri: document.uri.clone(),
                version: Some(document.version),
            },
            edits: edits.map(lsp_types::OneOf::Left).collect(),
        };
        lsp_types::WorkspaceEdit {
            document_changes: Some(lsp_types::DocumentChanges::Edits(vec![edit])),
            ..lsp_types::WorkspaceEdit::default()
        }
    } else {
        lsp_types::WorkspaceEdit::new([(document.uri.clone(), edits.collect())].into())
    }
}
