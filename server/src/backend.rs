//! The methods of the protocol, each handed to its file under [`requests`](crate::requests).

use std::sync::Arc;

use serde_json::Value;
use tower_lsp::jsonrpc::Result;
use tower_lsp::lsp_types::{
    ExecuteCommandParams, InitializeParams, InitializeResult, InitializedParams,
};
use tower_lsp::{ClientSocket, LanguageServer, LspService};

use crate::requests;
use crate::session::Session;

/// The methods of the protocol.
#[derive(Debug)]
pub(crate) struct Backend {
    session: Arc<Session>,
}

impl Backend {
    /// The library's service for these methods.
    pub(crate) fn service(session: Arc<Session>) -> (LspService<Self>, ClientSocket) {
        LspService::new(|_| Self { session })
    }
}

#[tower_lsp::async_trait]
impl LanguageServer for Backend {
    async fn initialize(&self, params: InitializeParams) -> Result<InitializeResult> {
        Ok(requests::initialize::initialize(&self.session, params))
    }

    async fn initialized(&self, _: InitializedParams) {
        requests::initialized::initialized(&self.session);
    }

    async fn shutdown(&self) -> Result<()> {
        Ok(())
    }

    async fn execute_command(&self, params: ExecuteCommandParams) -> Result<Option<Value>> {
        requests::execute_command::execute_command(&self.session, params).await
    }
}
