//! `cute/run` and the command `cute.run`: a layout run on a machine and compared with the algebra.
//!
//! Nothing runs but on such a request, nothing in a workspace that is not trusted, and only our generated code.

use std::sync::Arc;
use std::time::Duration;

use cute_analysis::Value;
use cute_hardware::descriptor::Generation;
use cute_runner::fragments::Direction;
use cute_runner::product::Role;
use cute_runner::watch::{Limited, Stop};
use serde::Deserialize;
use serde_json::{Value as Json, json};
use tower_lsp::jsonrpc::{Error, Result};
use tower_lsp::lsp_types::{ProgressToken, Url};

use super::{Subject as Asked, WithResults, known};
use crate::limits::RUN_TIME;
use crate::log::Level;
use crate::progress::Progress;
use crate::run::device::{Device, Performer};
use crate::run::orders::{self, ELEMENT_BITS, Key};
use crate::run::question::{Question, Subject};
use crate::run::report::Report;
use crate::run::{history, words};
use crate::session::Session;
use crate::transport::message::error;
use crate::transport::outgoing::REQUEST_FAILED;
use crate::{analyses, to_proto};

/// The subject of a run, and its options.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Params {
    #[serde(flatten)]
    asked: Asked,
    /// The experiment.
    #[serde(default)]
    experiment: Experiment,
    /// Bits of an element, where the layout does not say.
    element_bits: Option<u16>,
    /// The device; else that of the settings.
    device: Option<Device>,
    /// Under which progress is reported.
    work_done_token: Option<ProgressToken>,
}

/// The experiments that need nothing but one layout, by the names of the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Experiment {
    #[default]
    Offsets,
    Banks,
    Tma,
    Ldmatrix,
    Stmatrix,
    Wgmma,
    Tcgen05,
}

impl Experiment {
    fn question(self) -> Question {
        match self {
            Self::Offsets => Question::Offsets(None),
            Self::Banks => Question::Banks,
            Self::Tma => Question::Tma(None),
            Self::Ldmatrix => Question::Fragments(Direction::Load),
            Self::Stmatrix => Question::Fragments(Direction::Store),
            Self::Wgmma => Question::Identity(Generation::Wgmma, Role::A),
            Self::Tcgen05 => Question::Identity(Generation::Tcgen05, Role::A),
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Offsets => "offsets",
            Self::Banks => "banks",
            Self::Tma => "tma",
            Self::Ldmatrix => "ldmatrix",
            Self::Stmatrix => "stmatrix",
            Self::Wgmma => "wgmma",
            Self::Tcgen05 => "tcgen05",
        }
    }
}

/// A line of a document, on which a comment orders something to be run, or the one behind it.
#[derive(Debug, Clone, Deserialize)]
pub struct Line {
    uri: Url,
    line: u32,
}

/// Whether anything may be run.
///
/// # Errors
/// Why nothing may.
pub fn permitted(session: &Session) -> Result<()> {
    let refused = |reason: &str| Err(error(REQUEST_FAILED, reason.to_owned()));
    if session
        .workspace()
        .is_some_and(|workspace| !workspace.is_trusted)
    {
        return refused("running a layout needs a trusted workspace");
    }
    if !session.config_at_arrival().run.enable {
        return refused("the setting `cute-analyzer.run.enable` forbids runs");
    }
    Ok(())
}

/// The comparison, whether it agrees, and figures; `null` where no layout is known.
///
/// # Errors
/// `InvalidParams` with the reason why a layout cannot be run; `RequestFailed` where runs are not permitted or did not end
/// well; else as [`layout_at`](super::layout_at::layout_at).
pub async fn run(session: &Arc<Session>, params: Params) -> Result<Json> {
    permitted(session)?;
    let Some(known) = known(session, &params.asked).await? else {
        return Ok(Json::Null);
    };
    let Some(value) = known.value(session) else {
        return Ok(Json::Null);
    };
    let bits = params.element_bits.map_or(ELEMENT_BITS, i64::from);
    let Ok(subject) = Subject::of(&value, bits) else {
        return Ok(Json::Null);
    };
    let asked = (subject, params.experiment.question());
    let report = performed(session, asked, params.device, params.work_done_token).await?;
    if let WithResults::Place { document, .. } = &known {
        keep(
            session,
            &document.uri,
            key(params.experiment, &value),
            &report,
        );
        analyses::refresh_shown(session);
    }
    serde_json::to_value(report).map_err(|_| Error::internal_error())
}

fn key(experiment: Experiment, value: &Value) -> Key {
    Key {
        kind: experiment.name().to_owned(),
        samples: None,
        value: value.to_string(),
        destination: None,
    }
}

/// Runs all that is ordered on a line; the answers, one for each layout and instance.
///
/// # Errors
/// As [`run`].
pub async fn ordered(
    session: &Arc<Session>,
    line: Line,
    token: Option<ProgressToken>,
) -> Result<Json> {
    permitted(session)?;
    let Some((document, analysed)) = analyses::of_request(session, &line.uri).await? else {
        return Ok(Json::Null);
    };
    let encoding = session.client().encoding;
    let line_of = |byte: usize| to_proto::position(&document.text, byte, encoding).line;
    let analysis = &analysed.analysis;
    let mut reports = Vec::new();
    for annotation in &analysis.orders {
        let lines = line_of(annotation.span.start)..=line_of(annotation.line.start);
        if !lines.contains(&line.line) {
            continue;
        }
        for one in orders::of(annotation, analysis) {
            let refused =
                |reason: String| Error::invalid_params(format!("{}: {reason}", one.title()));
            let asked = one.asked.clone().map_err(refused)?;
            let report = performed(session, asked, None, token.clone()).await?;
            keep(session, &line.uri, one.key.clone(), &report);
            reports.push(json!({"name": one.name, "instance": one.instance, "report": report}));
        }
    }
    analyses::refresh_shown(session);
    Ok(json!(reports))
}

/// Remembers an answer, and writes it down where that is requested.
fn keep(session: &Session, uri: &Url, key: Key, report: &Report) {
    session.results().keep(uri.clone(), key, report.clone());
    let root = session.root();
    if let Some(root) = root.filter(|_| session.config_at_arrival().run.history)
        && let Err(error) = history::append(&root.join(history::FILE), report)
    {
        session.log(Level::Warning, &format!("{}: {error}", history::FILE));
    }
}

async fn performed(
    session: &Arc<Session>,
    (subject, question): (Subject, Question),
    device: Option<Device>,
    token: Option<ProgressToken>,
) -> Result<Report> {
    let settings = session.config_at_arrival().run.clone();
    let limit = Duration::from_secs(settings.time_limit).min(RUN_TIME);
    // A client that asks for a GPU wants an answer: without one it comes from the CPU, and says why.
    let device = match device.unwrap_or(settings.device) {
        Device::Cpu => Device::Cpu,
        Device::Auto | Device::Cuda => Device::Auto,
    };
    let outgoing = session.outgoing.clone();
    let performed = session.compute(move |cancel| {
        let progress = token.map(|token| Progress::begun(outgoing, token, "Running a layout"));
        let watch = |done: u64, of: u64| {
            if cancel.is_cancelled() {
                return Err(Stop::Cancelled);
            }
            if let Some(progress) = &progress {
                progress.report(done, of);
            }
            Ok(())
        };
        let limited = Limited::new(&watch, limit);
        let experiment = question.of(&subject, &limited);
        let experiment = experiment.map_err(|stop| Error::invalid_params(stop.to_string()))?;
        let words = words::of(&experiment);
        Performer::new(device, limit)
            .perform(&words, &|watch| question.of(&subject, watch), &watch)
            .map_err(|unanswered| error(REQUEST_FAILED, unanswered.message))
    });
    performed.await?
}
