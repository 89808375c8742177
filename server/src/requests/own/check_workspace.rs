//! The command `cute.checkWorkspace`: the findings of all sources of the workspace, open or not.
//!
//! A client that shows progress of a server's own work gets it so, and the command is answered at once;
//! from another one the request stays open until all is checked. Findings are published file by file;
//! a client that fetches them gets those of closed files by `workspace/diagnostic`. They stay until the
//! file is opened or changes.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;

use serde::Serialize;
use serde_json::Value as Json;
use tokio::task::JoinSet;
use tower_lsp::jsonrpc::{Error, Result};
use tower_lsp::lsp_types::notification::PublishDiagnostics;
use tower_lsp::lsp_types::request::WorkDoneProgressCreate;
use tower_lsp::lsp_types::{
    Diagnostic, DiagnosticSeverity, ProgressToken, PublishDiagnosticsParams, Url,
    WorkDoneProgressCancelParams, WorkDoneProgressCreateParams,
};

use crate::analyses::{self, Which};
use crate::documents::Document;
use crate::limits::BACKGROUND_WORKERS;
use crate::log::Level;
use crate::pool::{Cancel, CancelOnDrop};
use crate::progress::Progress;
use crate::project::{read_text, workspace_sources};
use crate::session::Session;
use crate::to_proto;

/// The findings in a workspace.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Tally {
    files: usize,
    errors: usize,
    warnings: usize,
}

/// Checks the sources below the folders of the workspace; those that are open are checked anyway.
/// A new check ends one that is under way.
///
/// # Errors
/// `InvalidParams` where no folder is open.
pub async fn check_workspace(session: &Arc<Session>, token: Option<ProgressToken>) -> Result<Json> {
    let folders = session.folders();
    if folders.is_empty() {
        return Err(Error::invalid_params("no folder is open"));
    }
    let (number, cancel) = session.begin_check();
    if token.is_some() || !session.client().creates_progress {
        let _when_dropped = CancelOnDrop(cancel.clone());
        let tally = check(session, folders, token, &cancel).await;
        return serde_json::to_value(tally).map_err(|_| Error::internal_error());
    }
    let session = Arc::clone(session);
    session.runtime.clone().spawn(async move {
        let token = ProgressToken::String(token_of(number));
        let params = WorkDoneProgressCreateParams {
            token: token.clone(),
        };
        let created = session.outgoing.ask::<WorkDoneProgressCreate>(params).await;
        let tally = check(&session, folders, created.ok().map(|()| token), &cancel).await;
        session.log(Level::Info, &format!("the workspace is checked: {tally:?}"));
    });
    Ok(Json::Null)
}

/// `window/workDoneProgress/cancel`: the client's user has seen enough.
pub fn cancel(session: &Session, params: &WorkDoneProgressCancelParams) {
    let ProgressToken::String(token) = &params.token else {
        return;
    };
    session.cancel_check(|number| token_of(number) == *token);
}

/// The name of the progress of a check.
fn token_of(number: u64) -> String {
    format!("cute.checkWorkspace/{number}")
}

async fn check(
    session: &Arc<Session>,
    folders: Vec<PathBuf>,
    token: Option<ProgressToken>,
    cancel: &Cancel,
) -> Tally {
    let outgoing = Arc::clone(&session.outgoing);
    let progress = token.map(|token| Progress::begun(outgoing, token, "Checking layouts"));
    let mut tally = Tally::default();
    let listed = session
        .pool
        .run(cancel.clone(), move |_| sources_of(&folders))
        .await;
    let files = listed.unwrap_or_default();
    let all = files.len() as u64;
    let mut waiting = files.into_iter();
    let mut under_way = JoinSet::new();
    let mut done = 0;
    loop {
        // One of the background workers is left for edits meanwhile.
        while under_way.len() + 1 < BACKGROUND_WORKERS && !cancel.is_cancelled() {
            let Some(path) = waiting.next() else { break };
            under_way.spawn(of_closed(Arc::clone(session), path, cancel.clone()));
        }
        let Some(checked) = under_way.join_next().await else {
            break;
        };
        done += 1;
        if let Some(progress) = &progress {
            progress.report(done, all);
        }
        if let Ok(Some((uri, found))) = checked
            && !is_open(session, &uri)
        {
            tally.count(&found);
            keep(session, uri, found);
        }
    }
    analyses::refresh_diagnostics(session);
    tally
}

fn is_open(session: &Session, uri: &Url) -> bool {
    session.documents.now().contains_key(uri)
}

/// The findings of a file; `None` where it is open, or as [`findings`].
async fn of_closed(
    session: Arc<Session>,
    path: PathBuf,
    cancel: Cancel,
) -> Option<(Url, Vec<Diagnostic>)> {
    let uri = Url::from_file_path(&path).ok()?;
    if is_open(&session, &uri) {
        return None;
    }
    let found = findings(&session, &path, &uri, &cancel).await?;
    Some((uri, found))
}

/// The sources below folders; one that is in another has its sources once.
fn sources_of(folders: &[PathBuf]) -> Vec<PathBuf> {
    let mut seen = HashSet::new();
    let all = folders.iter().flat_map(|folder| workspace_sources(folder));
    all.filter(|path| seen.insert(path.clone())).collect()
}

/// The findings of a closed file; `None` where it cannot be read, or the check was cancelled.
async fn findings(
    session: &Arc<Session>,
    path: &std::path::Path,
    uri: &Url,
    cancel: &Cancel,
) -> Option<Vec<Diagnostic>> {
    let options = analyses::options(session, uri, Which::Plain);
    let (project, file) = (session.project_of(path), session.project_file_of(path));
    let overlay = analyses::overlay(&session.documents.now());
    let (client, config) = (session.client(), session.config());
    let (path, uri) = (path.to_owned(), uri.clone());
    let work = move |cancel: &Cancel| {
        project.read_macros(&path);
        project.read_packages(&path);
        let document = Document::new(uri, "", 0, &read_text(&path).ok()?);
        let analysed = document
            .source()?
            .analyse(&options, &project, overlay, cancel)?;
        let findings = file.rules.applied(analysed.analysis.findings);
        let settings = &config.diagnostics;
        let shown = || to_proto::diagnostics(&findings, &document, client, settings);
        Some(if settings.enable { shown() } else { Vec::new() })
    };
    let done = session.pool.run_in_background(cancel.clone(), work).await;
    done.ok().flatten()
}

/// Remembers the findings of a closed file, and publishes them where the client does not fetch them.
fn keep(session: &Session, uri: Url, found: Vec<Diagnostic>) {
    let is_news = session
        .checked()
        .insert(uri.clone(), found.clone())
        .as_ref()
        != Some(&found);
    if is_news && !session.client().pulls_diagnostics {
        let subject = uri.to_string();
        let params = PublishDiagnosticsParams::new(uri, found, None);
        session
            .outgoing
            .notify::<PublishDiagnostics>(params, &subject);
    }
}

impl Tally {
    fn count(&mut self, found: &[Diagnostic]) {
        let of = |severity| {
            let all = found.iter().filter(|one| one.severity == Some(severity));
            all.count()
        };
        self.files += 1;
        self.errors += of(DiagnosticSeverity::ERROR);
        self.warnings += of(DiagnosticSeverity::WARNING);
    }
}
