//! Progress of a long piece of work (`$/progress`).

use std::cell::Cell;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tower_lsp::lsp_types::notification::Progress as ProgressNotice;
use tower_lsp::lsp_types::{
    ProgressParams, ProgressParamsValue, ProgressToken, WorkDoneProgress, WorkDoneProgressBegin,
    WorkDoneProgressEnd, WorkDoneProgressReport,
};

use crate::transport::outgoing::Outgoing;

/// The interval of progress reports.
const INTERVAL: Duration = Duration::from_millis(200);

/// Tells the client how far something is; its end, when it is dropped.
#[derive(Debug)]
pub struct Progress {
    outgoing: Arc<Outgoing>,
    token: ProgressToken,
    last: Cell<Instant>,
}

impl Progress {
    /// Says that it begins.
    pub fn begun(outgoing: Arc<Outgoing>, token: ProgressToken, title: &str) -> Self {
        let progress = Self {
            outgoing,
            token,
            last: Cell::new(Instant::now()),
        };
        progress.say(
            WorkDoneProgress::Begin(WorkDoneProgressBegin {
                title: title.to_owned(),
                cancellable: Some(true),
                percentage: Some(0),
                message: None,
            }),
            "begin",
        );
        progress
    }

    /// Says how much is done, not too often.
    pub fn report(&self, done: u64, of: u64) {
        if self.last.get().elapsed() < INTERVAL {
            return;
        }
        self.last.set(Instant::now());
        let percentage = done.saturating_mul(100) / of.max(1);
        self.say(
            WorkDoneProgress::Report(WorkDoneProgressReport {
                percentage: u32::try_from(percentage).ok(),
                ..WorkDoneProgressReport::default()
            }),
            "report",
        );
    }

    /// An unsent report is replaced by a newer one, the others are not.
    fn say(&self, value: WorkDoneProgress, kind: &str) {
        let params = ProgressParams {
            token: self.token.clone(),
            value: ProgressParamsValue::WorkDone(value),
        };
        let token = match &self.token {
            ProgressToken::Number(number) => number.to_string(),
            ProgressToken::String(text) => text.clone(),
        };
        self.outgoing
            .notify::<ProgressNotice>(params, &format!("{kind} {token}"));
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.say(
            WorkDoneProgress::End(WorkDoneProgressEnd { message: None }),
            "end",
        );
    }
}
