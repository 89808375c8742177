//! The methods of the protocol, each handed to its file under [`requests`](crate::requests).

use std::sync::Arc;

use serde_json::Value;
use tower_lsp::jsonrpc::Result;
use tower_lsp::lsp_types::{
    CodeActionParams, CodeActionResponse, DocumentDiagnosticParams, DocumentDiagnosticReportResult,
    ExecuteCommandParams, Hover, HoverParams, InitializeParams, InitializeResult,
    InitializedParams, InlayHint, InlayHintParams, WorkspaceDiagnosticParams,
    WorkspaceDiagnosticReportResult,
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

    async fn hover(&self, params: HoverParams) -> Result<Option<Hover>> {
        requests::hover::hover(&self.session, params).await
    }

    async fn inlay_hint(&self, params: InlayHintParams) -> Result<Option<Vec<InlayHint>>> {
        requests::inlay_hint::inlay_hint(&self.session, params).await
    }

    async fn inlay_hint_resolve(&self, hint: InlayHint) -> Result<InlayHint> {
        requests::inlay_hint_resolve::inlay_hint_resolve(&self.session, hint).await
    }

    async fn code_action(&self, params: CodeActionParams) -> Result<Option<CodeActionResponse>> {
        requests::code_action::code_action(&self.session, params).await
    }

    async fn diagnostic(
        &self,
        params: DocumentDiagnosticParams,
    ) -> Result<DocumentDiagnosticReportResult> {
        requests::diagnostic::diagnostic(&self.session, params).await
    }

    async fn workspace_diagnostic(
        &self,
        params: WorkspaceDiagnosticParams,
    ) -> Result<WorkspaceDiagnosticReportResult> {
        requests::workspace_diagnostic::workspace_diagnostic(&self.session, params).await
    }

    async fn execute_command(&self, params: ExecuteCommandParams) -> Result<Option<Value>> {
        requests::execute_command::execute_command(&self.session, params).await
    }
}
