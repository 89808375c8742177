//! `textDocument/diagnostic`: the client fetches the findings of a document.

use std::sync::Arc;

use tower_lsp::jsonrpc::{Error, ErrorCode, Result};
use tower_lsp::lsp_types::{
    Diagnostic, DiagnosticServerCancellationData, DocumentDiagnosticParams,
    DocumentDiagnosticReport, DocumentDiagnosticReportResult, FullDocumentDiagnosticReport,
    RelatedFullDocumentDiagnosticReport, RelatedUnchangedDocumentDiagnosticReport,
    UnchangedDocumentDiagnosticReport,
};

use crate::session::Session;
use crate::transport::message::error;
use crate::{analyses, to_proto};

/// LSP's `ServerCancelled`: the client may ask again.
const SERVER_CANCELLED: ErrorCode = ErrorCode::ServerError(-32802);

/// The findings of a document, or that they are those of the report that the client has.
///
/// # Errors
/// `ServerCancelled` with the wish to be asked again when an edit came meanwhile, so that the client keeps the shown
/// ones until then; else see [`analyses::of_request`].
pub async fn diagnostic(
    session: &Arc<Session>,
    params: DocumentDiagnosticParams,
) -> Result<DocumentDiagnosticReportResult> {
    let items = match findings_of(session, &params.text_document.uri).await {
        Ok(items) => items,
        Err(overtaken) if overtaken.code == ErrorCode::ContentModified => return Err(ask_again()),
        Err(other) => return Err(other),
    };
    let report = match report(items, params.previous_result_id.as_deref()) {
        Report::Full(full_document_diagnostic_report) => {
            DocumentDiagnosticReport::from(RelatedFullDocumentDiagnosticReport {
                related_documents: None,
                full_document_diagnostic_report,
            })
        }
        Report::Unchanged(unchanged_document_diagnostic_report) => {
            DocumentDiagnosticReport::from(RelatedUnchangedDocumentDiagnosticReport {
                related_documents: None,
                unchanged_document_diagnostic_report,
            })
        }
    };
    Ok(report.into())
}

/// All findings, or that nothing has changed.
pub(super) enum Report {
    Full(FullDocumentDiagnosticReport),
    Unchanged(UnchangedDocumentDiagnosticReport),
}

/// A report is named after its contents: equal findings have the same name in every version.
pub(super) fn report(items: Vec<Diagnostic>, previous: Option<&str>) -> Report {
    let name = to_proto::fingerprint(&items);
    if previous == Some(name.as_str()) {
        Report::Unchanged(UnchangedDocumentDiagnosticReport { result_id: name })
    } else {
        Report::Full(FullDocumentDiagnosticReport {
            result_id: Some(name),
            items,
        })
    }
}

/// The findings of an open document as the client shows them; none of one that is not served.
pub(super) async fn findings_of(
    session: &Arc<Session>,
    uri: &tower_lsp::lsp_types::Url,
) -> Result<Vec<Diagnostic>> {
    let config = session.config_at_arrival();
    if !config.diagnostics.enable {
        return Ok(Vec::new());
    }
    let Some((document, settled)) = analyses::of_request(session, uri).await? else {
        return Ok(Vec::new());
    };
    Ok(to_proto::diagnostics(
        &settled.analysis.findings,
        &document,
        session.client(),
        &config.diagnostics,
    ))
}

fn ask_again() -> Error {
    let data = DiagnosticServerCancellationData {
        retrigger_request: true,
    };
    Error {
        data: serde_json::to_value(data).ok(),
        ..error(SERVER_CANCELLED, "the document was edited meanwhile")
    }
}
