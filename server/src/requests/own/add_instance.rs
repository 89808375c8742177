//! `cute.addInstance`: an instance of a template, written into the project file for its user to
//! complete. No one has to edit a header that is not theirs.

use std::path::Path;
use std::sync::Arc;

use ropey::Rope;
use serde::Deserialize;
use serde_json::Value as Json;
use tower_lsp::jsonrpc::{Error, Result};
use tower_lsp::lsp_types::request::{ApplyWorkspaceEdit, ShowDocument};
use tower_lsp::lsp_types::{
    ApplyWorkspaceEditParams, CreateFile, CreateFileOptions, DocumentChangeOperation,
    DocumentChanges, OneOf, OptionalVersionedTextDocumentIdentifier, Position, Range, ResourceOp,
    ShowDocumentParams, TextDocumentEdit, TextEdit, Url, WorkspaceEdit,
};

use crate::encoding::Encoding;
use crate::log::Level;
use crate::project::read_text;
use crate::project_file::{self, NAME};
use crate::session::Session;
use crate::to_proto;

/// A template.
#[derive(Debug, Clone, Deserialize)]
pub struct Params {
    function: String,
    #[serde(default)]
    parameters: Vec<String>,
    /// The known arguments; the parameters where nothing is known.
    #[serde(default)]
    arguments: Vec<String>,
}

/// Asks the client to add a line to the project file of the workspace.
///
/// # Errors
/// `InvalidRequest` without a workspace, or where the client cannot make the file.
#[allow(clippy::unused_async, reason = "handlers are asynchronous")]
pub async fn add_instance(session: &Arc<Session>, params: Params) -> Result<Json> {
    let Some(root) = session.root() else {
        return Err(refused("the workspace has no project file"));
    };
    let file = root.join(NAME);
    let present = read_text(&file).ok();
    if present.is_none() && !session.client().creates_files {
        return Err(refused("the client cannot make cute-analyzer.toml"));
    }
    let arguments = match params.arguments.as_slice() {
        [] => &params.parameters,
        _ => &params.arguments,
    };
    let instance = format!("{}<{}>", params.function, arguments.join(", "));
    let Some(edit) = edit(&file, present.as_deref(), &instance) else {
        return Err(refused("the project file has no URI"));
    };
    let session = session.clone();
    // No answer to the client may depend on one from it.
    session.runtime.clone().spawn(async move {
        let params = ApplyWorkspaceEditParams {
            label: Some("Add an instance".to_owned()),
            edit,
        };
        match session.outgoing.ask::<ApplyWorkspaceEdit>(params).await {
            Ok(answer) if answer.applied => show(&session, &file).await,
            Ok(answer) => {
                let reason = answer.failure_reason.unwrap_or_default();
                session.log(Level::Warning, &format!("no instance was added: {reason}"));
            }
            Err(reason) => {
                session.log(Level::Warning, &format!("no instance was added: {reason}"));
            }
        }
    });
    Ok(Json::Null)
}

/// Opens the project file, where the client can: the new text is to be completed.
async fn show(session: &Session, file: &Path) {
    let Some(uri) = Url::from_file_path(file)
        .ok()
        .filter(|_| session.client().shows_documents)
    else {
        return;
    };
    let params = ShowDocumentParams {
        uri,
        external: None,
        take_focus: Some(true),
        selection: None,
    };
    if let Err(reason) = session.outgoing.ask::<ShowDocument>(params).await {
        session.log(Level::Warning, &format!("{NAME} was not opened: {reason}"));
    }
}

fn refused(reason: &'static str) -> Error {
    Error {
        message: reason.into(),
        ..Error::invalid_request()
    }
}

/// The edit that adds an instance to the list of a project file, or begins the file with it.
fn edit(file: &Path, present: Option<&str>, instance: &str) -> Option<WorkspaceEdit> {
    let uri = Url::from_file_path(file).ok()?;
    let (place, new_text) = insertion(present.unwrap_or_default(), instance);
    let text = TextDocumentEdit {
        text_document: OptionalVersionedTextDocumentIdentifier {
            uri: uri.clone(),
            version: None,
        },
        edits: vec![OneOf::Left(TextEdit {
            range: Range::new(place, place),
            new_text,
        })],
    };
    let mut operations = Vec::new();
    if present.is_none() {
        operations.push(DocumentChangeOperation::Op(ResourceOp::Create(
            CreateFile {
                uri,
                options: Some(CreateFileOptions {
                    overwrite: None,
                    ignore_if_exists: Some(true),
                }),
                annotation_id: None,
            },
        )));
    }
    operations.push(DocumentChangeOperation::Edit(text));
    Some(WorkspaceEdit {
        document_changes: Some(DocumentChanges::Operations(operations)),
        ..WorkspaceEdit::default()
    })
}

/// The place for an instance: in the list that is there, else before everything, as keys of the file have to be before
/// its tables.
fn insertion(text: &str, instance: &str) -> (Position, String) {
    let place = |byte: usize| to_proto::position(&Rope::from_str(text), byte, Encoding::default());
    match project_file::instance_list(text) {
        // Behind the bracket.
        Some(list) => (place(list.start + 1), format!("\"{instance}\", ")),
        None => (
            Position::new(0, 0),
            format!("instances = [\"{instance}\"]\n"),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_instance_goes_into_the_list_that_is_there() {
        let begun = "# ours\ninstances = [\"tile<64>\"]\n[rules]\n";
        assert_eq!(
            insertion(begun, "tile<K>"),
            (Position::new(1, 13), "\"tile<K>\", ".to_owned())
        );
        assert_eq!(
            insertion("[rules]\n", "tile<K>"),
            (
                Position::new(0, 0),
                "instances = [\"tile<K>\"]\n".to_owned()
            )
        );
    }
}
