//! The server's log: standard error for who starts it by hand, `window/logMessage` for the editor.
//!
//! Standard error is written by its own thread with a bounded queue. An editor that opens the
//! pipe and never reads it would otherwise stop the thread that logs, and with it the server.

use std::io::Write;
use std::sync::OnceLock;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::Duration;

use crate::limits::LOG_LINES;

/// The importance of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// Something failed.
    Error,
    /// Something is not as expected, with the reaction.
    Warning,
    /// Information for a user.
    Info,
}

impl Level {
    fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Info => "info",
        }
    }
}

enum Entry {
    Line(String),
    Flush(SyncSender<()>),
}

static QUEUE: OnceLock<SyncSender<Entry>> = OnceLock::new();

/// Writes a line to standard error, soon. Lines are dropped when no one reads them.
pub fn stderr(level: Level, message: &str) {
    let line = format!("cute-analyzer: {}: {message}\n", level.name());
    let _ = queue().try_send(Entry::Line(line));
}

/// Sends panics to this log instead of writing to standard error from the panicking thread.
pub fn take_over_panics() {
    std::panic::set_hook(Box::new(|panic| stderr(Level::Error, &panic.to_string())));
}

/// Waits until earlier lines are written, at most for `grace`.
pub fn flush(grace: Duration) {
    let (done, wait) = sync_channel(1);
    if queue().try_send(Entry::Flush(done)).is_ok() {
        let _ = wait.recv_timeout(grace);
    }
}

fn queue() -> &'static SyncSender<Entry> {
    QUEUE.get_or_init(|| {
        let (queue, lines) = sync_channel(LOG_LINES);
        // Without the thread the queue's receiver is gone and lines are dropped: the server can
        // do without its log.
        let _ = std::thread::Builder::new()
            .name("log".into())
            .spawn(move || write(&lines));
        queue
    })
}

fn write(entries: &Receiver<Entry>) {
    for entry in entries {
        match entry {
            Entry::Line(line) => {
                let _ = std::io::stderr().write_all(line.as_bytes());
            }
            Entry::Flush(done) => {
                let _ = done.send(());
            }
        }
    }
}
