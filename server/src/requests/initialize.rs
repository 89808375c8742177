//! `initialize`

use std::path::PathBuf;
use std::sync::Arc;

use serde_json::Value;
use tower_lsp::lsp_types::{
    CodeActionKind, CodeActionOptions, CodeActionProviderCapability, CodeLensOptions,
    CompletionOptions, DiagnosticOptions, DiagnosticServerCapabilities, ExecuteCommandOptions,
    HoverProviderCapability, InitializeParams, InitializeResult, InlayHintOptions,
    InlayHintServerCapabilities, OneOf, SemanticTokensFullOptions, SemanticTokensOptions,
    SemanticTokensServerCapabilities, ServerCapabilities, ServerInfo, SignatureHelpOptions,
    TextDocumentSyncCapability, TextDocumentSyncKind, TextDocumentSyncOptions,
    TextDocumentSyncSaveOptions, Url, WorkDoneProgressOptions, WorkspaceFoldersServerCapabilities,
    WorkspaceServerCapabilities,
};

use super::configuration;
use super::execute_command;
use crate::client::Client;
use crate::log::Level;
use crate::parent;
use crate::project::normal;
use crate::project_file::ProjectFile;
use crate::session::{Session, Workspace};
use crate::to_proto;

/// Notes who the client is and announces our capabilities.
pub fn initialize(session: &Arc<Session>, params: InitializeParams) -> InitializeResult {
    let client = Client::new(&params.capabilities);
    session.introduce(client);
    if let Some(id) = params.process_id {
        parent::watch(session, id);
    }
    session.move_to(folders(&params));
    let options = params.initialization_options.unwrap_or_default();
    session.enter(Workspace {
        is_trusted: options.get("trusted") != Some(&Value::Bool(false)),
    });
    read_project_files(session);
    configuration::read(session, options);
    // VS Code takes the tokens of one server only, and those of the language are clangd's.
    let shows_one = params
        .client_info
        .as_ref()
        .is_some_and(|info| info.name.starts_with("Visual Studio Code"));
    let mut capabilities = capabilities(session, client);
    if shows_one {
        capabilities.semantic_tokens_provider = None;
    }
    InitializeResult {
        capabilities,
        server_info: Some(ServerInfo {
            name: env!("CARGO_PKG_NAME").to_owned(),
            version: Some(env!("CARGO_PKG_VERSION").to_owned()),
        }),
    }
}

/// Takes over the settings of the workspace's projects for their sources. A file with a mistake changes nothing.
pub fn read_project_files(session: &Session) {
    let folders = session.folders();
    for folder in &folders {
        match ProjectFile::nearest(folder) {
            Ok(file) => session.adopt(Some(folder), file),
            Err(mistake) => session.log(Level::Error, &mistake),
        }
    }
    if folders.is_empty() {
        session.adopt(None, ProjectFile::default());
    }
}

/// The folders of the workspace.
#[allow(deprecated, reason = "older clients say `rootUri` only")]
fn folders(params: &InitializeParams) -> Vec<PathBuf> {
    let folders = params.workspace_folders.as_deref().unwrap_or_default();
    let mut uris: Vec<&Url> = folders.iter().map(|folder| &folder.uri).collect();
    if uris.is_empty() {
        uris.extend(&params.root_uri);
    }
    uris.into_iter().filter_map(folder_of).collect()
}

/// The path of a folder of the workspace, if it is on disk.
pub fn folder_of(uri: &Url) -> Option<PathBuf> {
    Some(normal(&uri.to_file_path().ok()?))
}

fn capabilities(session: &Session, client: Client) -> ServerCapabilities {
    ServerCapabilities {
        position_encoding: Some(client.encoding.kind()),
        text_document_sync: Some(TextDocumentSyncCapability::Options(
            TextDocumentSyncOptions {
                open_close: Some(true),
                change: Some(TextDocumentSyncKind::INCREMENTAL),
                save: Some(TextDocumentSyncSaveOptions::Supported(true)),
                ..TextDocumentSyncOptions::default()
            },
        )),
        hover_provider: Some(HoverProviderCapability::Simple(true)),
        inlay_hint_provider: Some(OneOf::Right(InlayHintServerCapabilities::Options(
            InlayHintOptions {
                resolve_provider: Some(true),
                ..InlayHintOptions::default()
            },
        ))),
        code_action_provider: Some(CodeActionProviderCapability::Options(CodeActionOptions {
            code_action_kinds: Some(vec![
                CodeActionKind::QUICKFIX,
                CodeActionKind::REFACTOR_INLINE,
                CodeActionKind::REFACTOR_REWRITE,
                to_proto::FIX_ALL,
                to_proto::COPY,
            ]),
            ..CodeActionOptions::default()
        })),
        diagnostic_provider: Some(DiagnosticServerCapabilities::Options(DiagnosticOptions {
            identifier: Some(env!("CARGO_PKG_NAME").to_owned()),
            inter_file_dependencies: true,
            workspace_diagnostics: true,
            ..DiagnosticOptions::default()
        })),
        document_symbol_provider: Some(OneOf::Left(true)),
        signature_help_provider: Some(SignatureHelpOptions {
            trigger_characters: Some(vec!["(".to_owned(), ",".to_owned()]),
            ..SignatureHelpOptions::default()
        }),
        completion_provider: Some(CompletionOptions {
            trigger_characters: Some(vec!["<".to_owned()]),
            ..CompletionOptions::default()
        }),
        semantic_tokens_provider: Some(SemanticTokensServerCapabilities::SemanticTokensOptions(
            SemanticTokensOptions {
                legend: to_proto::token_legend(),
                full: Some(SemanticTokensFullOptions::Bool(true)),
                ..SemanticTokensOptions::default()
            },
        )),
        code_lens_provider: Some(CodeLensOptions {
            resolve_provider: None,
        }),
        workspace: Some(WorkspaceServerCapabilities {
            workspace_folders: Some(WorkspaceFoldersServerCapabilities {
                supported: Some(true),
                change_notifications: Some(OneOf::Left(true)),
            }),
            file_operations: None,
        }),
        execute_command_provider: Some(ExecuteCommandOptions {
            commands: execute_command::commands(session.settings.faults),
            work_done_progress_options: WorkDoneProgressOptions {
                work_done_progress: Some(true),
            },
        }),
        ..ServerCapabilities::default()
    }
}
