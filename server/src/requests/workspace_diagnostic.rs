//! `workspace/diagnostic`: the client fetches the findings of all documents.

use std::collections::HashMap;
use std::sync::Arc;

use tower_lsp::jsonrpc::{ErrorCode, Result};
use tower_lsp::lsp_types::{
    Diagnostic, Url, WorkspaceDiagnosticParams, WorkspaceDiagnosticReport,
    WorkspaceDiagnosticReportResult, WorkspaceDocumentDiagnosticReport,
    WorkspaceFullDocumentDiagnosticReport, WorkspaceUnchangedDocumentDiagnosticReport,
};

use super::diagnostic::{Report, findings_of, report};
use crate::session::Session;

/// The findings of every open document, as they were when the request arrived, and those of closed
/// files that the last check of the workspace found (`cute.checkWorkspace`). A document that is being
/// edited is left out: the client fetches it by itself.
///
/// # Errors
/// See [`analyses::of_request`](crate::analyses::of_request).
pub async fn workspace_diagnostic(
    session: &Arc<Session>,
    params: WorkspaceDiagnosticParams,
) -> Result<WorkspaceDiagnosticReportResult> {
    let previous: HashMap<_, _> = params
        .previous_result_ids
        .into_iter()
        .map(|previous| (previous.uri, previous.value))
        .collect();
    let open = session.open_at_arrival();
    let mut documents: Vec<_> = open
        .values()
        .filter(|document| document.is_served())
        .collect();
    documents.sort_by(|a, b| a.uri.cmp(&b.uri));
    let mut items = Vec::new();
    for document in documents {
        let found = match findings_of(session, &document.uri).await {
            Ok(found) => found,
            Err(overtaken) if overtaken.code == ErrorCode::ContentModified => continue,
            Err(other) => return Err(other),
        };
        let version = Some(i64::from(document.version));
        items.push(item(&document.uri, version, found, &previous));
    }
    let checked = session.checked().clone();
    for (uri, found) in checked {
        if !open.contains_key(&uri) {
            items.push(item(&uri, None, found, &previous));
        }
    }
    Ok(WorkspaceDiagnosticReport { items }.into())
}

/// The report on one document; a closed file has no version.
fn item(
    uri: &Url,
    version: Option<i64>,
    found: Vec<Diagnostic>,
    previous: &HashMap<Url, String>,
) -> WorkspaceDocumentDiagnosticReport {
    let uri = uri.clone();
    match report(found, previous.get(&uri).map(String::as_str)) {
        Report::Full(full_document_diagnostic_report) => {
            WorkspaceDocumentDiagnosticReport::from(WorkspaceFullDocumentDiagnosticReport {
                uri,
                version,
                full_document_diagnostic_report,
            })
        }
        Report::Unchanged(unchanged_document_diagnostic_report) => {
            WorkspaceUnchangedDocumentDiagnosticReport {
                uri,
                version,
                unchanged_document_diagnostic_report,
            }
            .into()
        }
    }
}
