//! `initialize`

use tower_lsp::lsp_types::{
    ExecuteCommandOptions, InitializeParams, InitializeResult, ServerCapabilities, ServerInfo,
    TextDocumentSyncCapability, TextDocumentSyncKind, TextDocumentSyncOptions,
};

use super::execute_command::FAULTS;
use crate::config::Config;
use crate::log::Level;
use crate::session::{Client, Session};

/// Notes who the client is and says what we can do.
pub fn initialize(session: &Session, params: InitializeParams) -> InitializeResult {
    let client = Client::new(&params.capabilities);
    session.introduce(client);
    match Config::from_json(params.initialization_options.unwrap_or_default()) {
        Ok(config) => {
            session.configure(config);
        }
        Err(reason) => session.log(Level::Error, &reason),
    }
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
        execute_command_provider: session.faults.then(|| ExecuteCommandOptions {
            commands: FAULTS.iter().map(|fault| (*fault).to_owned()).collect(),
            ..ExecuteCommandOptions::default()
        }),
        ..ServerCapabilities::default()
    }
}
