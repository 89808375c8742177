//! The methods of the protocol, each handed to its file under [`requests`](crate::requests).

use std::sync::Arc;

use serde_json::Value;
use tower_lsp::jsonrpc::Result;
use tower_lsp::lsp_types::{
    CodeActionParams, CodeActionResponse, CodeLens, CodeLensParams, CompletionParams,
    CompletionResponse, DocumentDiagnosticParams, DocumentDiagnosticReportResult,
    DocumentSymbolParams, DocumentSymbolResponse, ExecuteCommandParams, Hover, HoverParams,
    InitializeParams, InitializeResult, InitializedParams, InlayHint, InlayHintParams,
    SemanticTokensParams, SemanticTokensResult, SignatureHelp, SignatureHelpParams,
    WorkDoneProgressCancelParams, WorkspaceDiagnosticParams, WorkspaceDiagnosticReportResult,
};
use tower_lsp::{ClientSocket, LanguageServer, LspService};

use crate::requests::{self, own};
use crate::session::Session;

/// The methods of the protocol.
#[derive(Debug)]
pub(crate) struct Backend {
    session: Arc<Session>,
}

impl Backend {
    /// The library's service for these methods.
    pub(crate) fn service(session: Arc<Session>) -> (LspService<Self>, ClientSocket) {
        LspService::build(|_| Self { session })
            .custom_method("cute/layoutAt", Self::layout_at)
            .custom_method("cute/picture", Self::picture)
            .custom_method("cute/explain", Self::explain)
            .custom_method("cute/run", Self::run)
            .custom_method("cute/instances", Self::instances)
            .custom_method("cute/selectInstance", Self::select_instance)
            .custom_method(
                "window/workDoneProgress/cancel",
                Self::work_done_progress_cancel,
            )
            .finish()
    }
}

/// our own Requests.
impl Backend {
    async fn layout_at(&self, params: own::Subject) -> Result<Value> {
        own::layout_at::layout_at(&self.session, params).await
    }

    async fn picture(&self, params: own::picture::Params) -> Result<Value> {
        own::picture::picture(&self.session, params).await
    }

    async fn explain(&self, params: own::Subject) -> Result<Value> {
        own::explain::explain(&self.session, params).await
    }

    async fn run(&self, params: own::run::Params) -> Result<Value> {
        own::run::run(&self.session, params).await
    }

    async fn instances(&self, params: own::instances::Params) -> Result<Value> {
        own::instances::instances(&self.session, params).await
    }

    #[allow(clippy::unused_async, reason = "the library's form of a method")]
    async fn work_done_progress_cancel(&self, params: WorkDoneProgressCancelParams) {
        own::check_workspace::cancel(&self.session, &params);
    }

    async fn select_instance(&self, params: own::select_instance::Params) -> Result<Value> {
        own::select_instance::select_instance(&self.session, params).await
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

    async fn document_symbol(
        &self,
        params: DocumentSymbolParams,
    ) -> Result<Option<DocumentSymbolResponse>> {
        requests::document_symbol::document_symbol(&self.session, params).await
    }

    async fn signature_help(&self, params: SignatureHelpParams) -> Result<Option<SignatureHelp>> {
        requests::signature_help::signature_help(&self.session, params).await
    }

    async fn semantic_tokens_full(
        &self,
        params: SemanticTokensParams,
    ) -> Result<Option<SemanticTokensResult>> {
        requests::semantic_tokens::semantic_tokens(&self.session, params).await
    }

    async fn completion(&self, params: CompletionParams) -> Result<Option<CompletionResponse>> {
        requests::completion::completion(&self.session, params).await
    }

    async fn code_lens(&self, params: CodeLensParams) -> Result<Option<Vec<CodeLens>>> {
        requests::code_lens::code_lens(&self.session, params).await
    }

    async fn execute_command(&self, params: ExecuteCommandParams) -> Result<Option<Value>> {
        requests::execute_command::execute_command(&self.session, params).await
    }
}
