//! The history of runs: one line of JSON for each, in a file, and only when that is requested.

use std::fs::OpenOptions;
use std::io::{self, Write as _};
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::json;

use super::report::Report;

/// The file in the first folder of a workspace.
pub const FILE: &str = ".cute-analyzer-runs.jsonl";

/// Adds a report to a history, with the time as seconds since 1970 (UTC).
///
/// # Errors
/// The file cannot be written.
pub fn append(file: &Path, report: &Report) -> io::Result<()> {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    let line = json!({
        "unix_time": since.map_or(0, |since| since.as_secs()),
        "report": report,
    });
    let mut history = OpenOptions::new().create(true).append(true).open(file)?;
    // One call, so that lines of several processes do not mix.
    history.write_all(format!("{line}\n").as_bytes())
}
