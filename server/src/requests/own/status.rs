//! `cute/status`: a notification of ours with the state of a document. It is sent to clients that ask for it by the
//! capability `experimental.cuteStatus`.

use serde::{Deserialize, Serialize};
use tower_lsp::lsp_types::Url;
use tower_lsp::lsp_types::notification::Notification;

use crate::documents::{Analysed, Document};
use crate::presentation::stopped::limits;
use crate::session::Session;

/// The state of a document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Status {
    /// The document.
    pub uri: Url,
    /// Its version.
    pub version: i32,
    /// The state.
    pub state: State,
    /// Number of names with a value; absent while that is being computed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub values: Option<usize>,
    /// The number of findings.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub findings: Option<usize>,
    /// The limits that were reached, in words: the parts of the document that were not evaluated.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub limits: Vec<String>,
}

/// The state of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// It is analysed.
    Analysing,
    /// All is known of this version.
    Ready,
}

/// The notification.
#[derive(Debug)]
pub enum CuteStatus {}

impl Notification for CuteStatus {
    type Params = Status;
    const METHOD: &'static str = "cute/status";
}

/// Says that a version is being analysed.
pub fn analysing(session: &Session, document: &Document) {
    send(session, document, State::Analysing, None);
}

/// Sends the state of a version with an analysis.
pub fn ready(session: &Session, document: &Document, analysed: &Analysed) {
    send(session, document, State::Ready, Some(analysed));
}

fn send(session: &Session, document: &Document, state: State, analysed: Option<&Analysed>) {
    if !session.client().wants_status {
        return;
    }
    let known = |analysed: &Analysed| {
        let facts = analysed.analysis.facts.iter();
        facts.filter(|fact| fact.reason().is_none()).count()
    };
    let status = Status {
        uri: document.uri.clone(),
        version: document.version,
        state,
        values: analysed.map(known),
        findings: analysed.map(|analysed| analysed.analysis.findings.len()),
        limits: analysed.map_or_else(Vec::new, |analysed| limits(&analysed.analysis)),
    };
    session
        .outgoing
        .notify::<CuteStatus>(status, document.uri.as_str());
}
