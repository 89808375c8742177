//! `initialize`

use std::sync::Arc;

use tower_lsp::lsp_types::{
    CodeActionKind, CodeActionOptions, CodeActionProviderCapability, DiagnosticOptions,
    DiagnosticServerCapabilities, ExecuteCommandOptions, HoverProviderCapability, InitializeParams,
    InitializeResult, InlayHintOptions, InlayHintServerCapabilities, OneOf, ServerCapabilities,
    ServerInfo, TextDocumentSyncCapability, TextDocumentSyncKind, TextDocumentSyncOptions,
};

use super::configuration;
use super::execute_command::FAULTS;
use crate::parent;
use crate::session::{Client, Session};

/// Notes who the client is and says what we can do.
pub fn initialize(session: &Arc<Session>, params: InitializeParams) -> InitializeResult {
    let client = Client::new(&params.capabilities);
    session.introduce(client);
    if let Some(id) = params.process_id {
        parent::watch(session, id);
    }
    configuration::read(session, params.initialization_options.unwrap_or_default());
    InitializeResult {
        capabilities: capabilities(session, client),
        server_info: Some(ServerInfo {
            name: env!("CARGO_PKG_NAME").to_owned(),
            version: Some(env!("CARGO_PKG_VERSION").to_owned()),
        }),
    }
}

fn capabilities(session: &Session, client: Client) -> ServerCapabilities {
    ServerCapabilities {
        position_encoding: Some(client.encoding.kind()),
        text_document_sync: Some(TextDocumentSyncCapability::Options(
            TextDocumentSyncOptions {
                open_close: Some(true),
                change: Some(TextDocumentSyncKind::INCREMENTAL),
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
            code_action_kinds: Some(vec![CodeActionKind::QUICKFIX]),
            ..CodeActionOptions::default()
        })),
        diagnostic_provider: Some(DiagnosticServerCapabilities::Options(DiagnosticOptions {
            identifier: Some(env!("CARGO_PKG_NAME").to_owned()),
            inter_file_dependencies: true,
            workspace_diagnostics: true,
            ..DiagnosticOptions::default()
        })),
        execute_command_provider: session.settings.faults.then(|| ExecuteCommandOptions {
            commands: FAULTS.iter().map(|fault| (*fault).to_owned()).collect(),
            ..ExecuteCommandOptions::default()
        }),
        ..ServerCapabilities::default()
    }
}
