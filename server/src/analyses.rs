//! Analyses on their way: the time of computation of a document's two, and the messages after it.
//!
//! The first request for a version starts its analysis, the others wait for the same one. After a
//! pause in typing it is computed in any case, in the background, and its findings are published. An
//! edit cancels all work for the version before it.

use std::path::Path;
use std::sync::Arc;

use cute_analysis::Options;
use ropey::Rope;
use tower_lsp::jsonrpc::Result;
use tower_lsp::lsp_types::PublishDiagnosticsParams;
use tower_lsp::lsp_types::Url;
use tower_lsp::lsp_types::notification::PublishDiagnostics;
use tower_lsp::lsp_types::request::{
    CodeLensRefresh, InlayHintRefreshRequest, WorkspaceDiagnosticRefresh,
};
use tree_sitter_cute::Host;

use crate::documents::{Analysed, Document, LookedAt, Open, Slot, Source};
use crate::limits::{FIRST_REQUEST_PAUSE, TYPING_PAUSE};
use crate::log::Level;
use crate::pool::{Cancel, Stopped};
use crate::project::{Overlay, Project, normal};
use crate::requests::own::status;
use crate::session::Session;
use crate::{first, to_proto};

/// The kind of analysis of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Which {
    /// Values and findings.
    Plain,
    /// The same with proved remedies.
    Remedied,
}

impl Which {
    fn slot(self, document: &Document) -> &Slot {
        match self {
            Self::Plain => &document.known,
            Self::Remedied => &document.remedied,
        }
    }
}

/// The document a request is about, as it was when the request arrived, with its analysis. `None` when it is not open,
/// not ours, out of sync or too large.
///
/// # Errors
/// The errors: a newer edit overtook the request, or the analysis panicked.
pub async fn of_request(
    session: &Arc<Session>,
    uri: &Url,
) -> Result<Option<(Arc<Document>, Arc<Analysed>)>> {
    let Some(document) = session.open_at_arrival().get(uri).cloned() else {
        return Ok(None);
    };
    of_document(session, document).await
}

/// The same for a document of some moment.
///
/// # Errors
/// As [`of_request`].
pub async fn of_document(
    session: &Arc<Session>,
    document: Arc<Document>,
) -> Result<Option<(Arc<Document>, Arc<Analysed>)>> {
    with_analysis(session, document, Which::Plain).await
}

/// As [`of_request`], with proved remedies.
///
/// # Errors
/// As [`of_request`].
pub async fn with_remedies(
    session: &Arc<Session>,
    uri: &Url,
) -> Result<Option<(Arc<Document>, Arc<Analysed>)>> {
    let Some(document) = session.open_at_arrival().get(uri).cloned() else {
        return Ok(None);
    };
    with_analysis(session, document, Which::Remedied).await
}

/// The analysis of a document with another text.
///
/// # Errors
/// As [`of_request`].
pub async fn of_text(
    session: &Arc<Session>,
    document: &Document,
    text: Rope,
) -> Result<Arc<Analysed>> {
    let source = document.source().map(|source| Source {
        text,
        old: None,
        parsed: None,
        ..source
    });
    let options = options(session, &document.uri, Which::Plain);
    let project = session.project_of(&document.path());
    let overlay = overlay(&session.documents.now());
    let analyse = move |cancel: &Cancel| source?.analyse(&options, &project, overlay, cancel);
    match session.compute(analyse).await? {
        Some(analysed) => Ok(Arc::new(analysed)),
        None => Err(session.answer_to(Stopped::Cancelled)),
    }
}

/// Has the client fetch hints and lenses again.
pub fn refresh_shown(session: &Arc<Session>) {
    refresh_hints(session);
    if !session.client().refreshes_lenses {
        return;
    }
    let session = session.clone();
    session.runtime.clone().spawn(async move {
        if let Err(reason) = session.outgoing.ask::<CodeLensRefresh>(()).await {
            let message = format!("lenses may be out of date: {reason}");
            session.log(Level::Warning, &message);
        }
    });
}

/// Why a document is analysed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    /// It was opened, or the settings changed.
    Opened,
    /// It was edited.
    Edited,
    /// A file that it depends on was edited.
    Dependent,
}

/// Publishes the findings of a new version: at once for one that was just opened, else after a pause in typing.
pub fn publish_later(session: &Arc<Session>, document: Arc<Document>, cause: Cause) {
    if document.host.is_none() {
        return;
    }
    if !document.is_served() {
        session
            .documents
            .if_newest(&document, || clear(session, &document.uri));
        return;
    }
    let session = session.clone();
    session.runtime.clone().spawn(async move {
        if cause != Cause::Opened {
            tokio::time::sleep(TYPING_PAUSE).await;
        }
        let mut is_newest = false;
        session.documents.if_newest(&document, || {
            is_newest = true;
            status::analysing(&session, &document);
        });
        if is_newest && let Ok(known) = analysed(&session, &document, Which::Plain, true).await {
            publish(&session, &document, &known);
            if cause == Cause::Dependent || document.early.has_failed() {
                refresh_shown(&session);
                refresh_diagnostics(&session);
            } else if first::has_changed(&session, &document, &known) {
                refresh_hints(&session);
            }
        }
    });
}

/// Analyses again the documents that depend on a file whose text changed, on disk or in the editor; nothing else.
pub fn restart_dependents(session: &Arc<Session>, path: &Path) {
    for document in session.documents.now().values() {
        if document.note_change(path) {
            restart_one(session, document);
        }
    }
}

/// Analyses a document again, as a file that it depends on has changed; not one that is not the newest version any
/// more.
fn restart_one(session: &Arc<Session>, document: &Arc<Document>) {
    let again = Arc::new(document.unanalysed());
    if session.documents.replace(document, Arc::clone(&again)) {
        publish_later(session, again, Cause::Dependent);
    }
}

/// Analyses every open document again, as the settings have changed.
pub fn restart(session: &Arc<Session>) {
    for document in session.documents.now().values() {
        let again = Arc::new(document.unanalysed());
        session.documents.put(again.clone());
        publish_later(session, again, Cause::Opened);
    }
    refresh_shown(session);
    refresh_diagnostics(session);
}

/// Takes back the published findings of a document.
pub fn clear(session: &Session, uri: &Url) {
    if session.client().pulls_diagnostics {
        return;
    }
    let params = PublishDiagnosticsParams::new(uri.clone(), Vec::new(), None);
    send_findings(session, params);
}

async fn with_analysis(
    session: &Arc<Session>,
    document: Arc<Document>,
    which: Which,
) -> Result<Option<(Arc<Document>, Arc<Analysed>)>> {
    if document.source().is_none() {
        return Ok(None);
    }
    session.turn().await;
    match analysed(session, &document, which, false).await {
        Ok(analysed) => Ok(Some((document, analysed))),
        Err(stopped) => Err(session.answer_to(stopped)),
    }
}

/// Waits for an analysis, which the first who waits starts: in the background, if there was no request for it.
async fn analysed(
    session: &Arc<Session>,
    document: &Arc<Document>,
    which: Which,
    in_background: bool,
) -> std::result::Result<Arc<Analysed>, Stopped> {
    let start = |cancel| {
        let (session, document) = (session.clone(), document.clone());
        session.runtime.clone().spawn(async move {
            let result = compute(&session, &document, which, in_background, cancel).await;
            if let Err(Stopped::Panicked(message)) = &result {
                let name = &document.uri;
                session.log(
                    Level::Error,
                    &format!("panic in the analysis of {name}: {message}"),
                );
            }
            let is_there = result.is_ok();
            which.slot(&document).fill(result);
            if is_there && which == Which::Plain {
                document.forget_before();
            }
            if is_there && document.was_overtaken() {
                restart_one(&session, &document);
            }
            if is_there && which == Which::Plain {
                read_builds(&session, &document);
            }
        });
    };
    which.slot(document).wait(start).await
}

/// Has the scripts and packages that say how sources are compiled evaluated behind the first analysis of a source of C++,
/// and analyses open documents again where that may have changed values.
fn read_builds(session: &Arc<Session>, document: &Document) {
    if document.host != Some(Host::CudaCpp) {
        return;
    }
    let (session, path) = (session.clone(), document.path());
    let project = session.project_of(&path);
    session.runtime.clone().spawn(async move {
        for read in [Project::read_macros, Project::read_packages] {
            let (project, path) = (project.clone(), path.clone());
            let work = move |_: &Cancel| read(&project, &path);
            let done = session.pool.run_in_background(Cancel::default(), work);
            if done.await == Ok(true) {
                restart_sources(&session);
            }
        }
    });
}

/// Analyses the open sources of C++ again.
fn restart_sources(session: &Arc<Session>) {
    for document in session.documents.now().values() {
        if document.host == Some(Host::CudaCpp) {
            restart_one(session, document);
        }
    }
}

async fn compute(
    session: &Arc<Session>,
    document: &Arc<Document>,
    which: Which,
    in_background: bool,
    cancel: Cancel,
) -> std::result::Result<Arc<Analysed>, Stopped> {
    let Some(mut source) = document.source() else {
        return Err(Stopped::Cancelled);
    };
    if which == Which::Plain
        && let Some(carried) = first::carried(session, document).await?
    {
        return Ok(carried);
    }
    // The shown instances come first.
    if which == Which::Plain && document.may_come_in_part() {
        if in_background && document.early.bytes_shown().is_empty() {
            tokio::time::sleep(FIRST_REQUEST_PAUSE).await;
        }
        for bytes in document.early.bytes_shown() {
            let first = first::shown(session, document, LookedAt::bytes(bytes)).await?;
            let syntax = first.and_then(|first| first.syntax().cloned());
            source.parsed = source.parsed.or(syntax);
        }
    }
    let options = options(session, &document.uri, which);
    let path = document.path();
    let (project, file) = (session.project_of(&path), session.project_file_of(&path));
    let overlay = overlay(&session.documents.now());
    document.count_analysis();
    let work = move |cancel: &Cancel| {
        let mut analysed = source.analyse(&options, &project, overlay, cancel)?;
        let findings = std::mem::take(&mut analysed.analysis.findings);
        analysed.analysis.findings = file.rules.applied(findings);
        Some(Arc::new(analysed))
    };
    let analysed = if in_background {
        session.pool.run_in_background(cancel, work).await?
    } else {
        session.pool.run(cancel, work).await?
    };
    analysed.ok_or(Stopped::Cancelled)
}

/// The options of an analysis of a document.
pub fn options(session: &Session, uri: &Url, which: Which) -> Options {
    Options {
        assume: session.assumptions_in(uri),
        remedies: which == Which::Remedied,
        memory: session.config().judged(),
        accesses: session.config().accesses.enable,
        ..Options::default()
    }
}

/// The texts that are open.
pub fn overlay(open: &Open) -> Overlay {
    let served = open.values().filter(|document| document.is_served());
    Overlay::of(served.filter_map(|document| {
        let path = document.uri.to_file_path().ok()?;
        Some((normal(&path), document.text.clone()))
    }))
}

fn publish(session: &Arc<Session>, document: &Arc<Document>, known: &Analysed) {
    if !session.client().pulls_diagnostics {
        push_diagnostics(session, document, known);
    }
    session
        .documents
        .if_newest(document, || status::ready(session, document, known));
}

/// Sends the findings of a document to a client that does not fetch them itself. (One that does
/// would show those that are sent beside those that it fetched.)
fn push_diagnostics(session: &Session, document: &Arc<Document>, known: &Analysed) {
    let config = &session.config().diagnostics;
    let diagnostics = if config.enable {
        let findings = &known.analysis.findings;
        to_proto::diagnostics(findings, document, session.client(), config)
    } else {
        Vec::new()
    };
    let version = Some(document.version);
    let params = PublishDiagnosticsParams::new(document.uri.clone(), diagnostics, version);
    session
        .documents
        .if_newest(document, || send_findings(session, params));
}

/// Sends findings to the client: those of a notebook cell by cell.
fn send_findings(session: &Session, params: PublishDiagnosticsParams) {
    let said = serde_json::to_value(&params).unwrap_or_default();
    let Some(cells) = session.notebooks.of_cells(&said) else {
        let subject = params.uri.to_string();
        return session
            .outgoing
            .notify::<PublishDiagnostics>(params, &subject);
    };
    for (uri, said) in cells {
        if let Ok(params) = serde_json::from_value(said) {
            session.outgoing.notify::<PublishDiagnostics>(params, &uri);
        }
    }
}

/// Has the client fetch the findings of all documents again.
pub fn refresh_diagnostics(session: &Arc<Session>) {
    if !session.client().refreshes_diagnostics {
        return;
    }
    let session = session.clone();
    session.runtime.clone().spawn(async move {
        if let Err(reason) = session.outgoing.ask::<WorkspaceDiagnosticRefresh>(()).await {
            let message = format!("findings may be out of date: {reason}");
            session.log(Level::Warning, &message);
        }
    });
}

/// Has the client fetch all hints again.
pub fn refresh_hints(session: &Arc<Session>) {
    if !session.client().refreshes_hints {
        return;
    }
    let session = session.clone();
    session.runtime.clone().spawn(async move {
        if let Err(reason) = session.outgoing.ask::<InlayHintRefreshRequest>(()).await {
            session.log(
                Level::Warning,
                &format!("hints may be out of date: {reason}"),
            );
        }
    });
}
