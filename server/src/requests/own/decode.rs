//! The command `cute.decode`: the subjects of CuTe's assertions in a compiler's log, and where a kernel was stopped.

use std::path::Path;
use std::sync::Arc;

use cute_analysis::{Analysis, Options};
use ropey::Rope;
use serde_json::{Value as Json, json};
use tower_lsp::jsonrpc::{Error, Result};
use tree_sitter_cute::Host;

use crate::analyses;
use crate::decode::{assertions, crashes};
use crate::documents::Source;
use crate::limits::LOG_BYTES;
use crate::presentation::lines::Lines;
use crate::project::{normal, read_text};
use crate::session::Session;

/// One object for each assertion or stopped kernel in `log`, as `decode --format json` prints it. Files are those that
/// are open, or on disk below the folder of the workspace.
///
/// # Errors
/// The argument is not a text, or larger than [`LOG_BYTES`]; else as for any request.
pub async fn decode(session: &Arc<Session>, log: &Json) -> Result<Json> {
    let log = log.as_str().filter(|log| log.len() as u64 <= LOG_BYTES);
    let Some(log) = log.map(str::to_owned) else {
        let message = "the argument is the log of a compiler, as text of up to 64 MB";
        return Err(Error::invalid_params(message));
    };
    let options = Options {
        assume: session.assumptions(),
        ..Options::default()
    };
    let root = session.root().unwrap_or_default();
    let project = session.project_of(&root);
    let overlay = analyses::overlay(&session.documents.now());
    let decoded = session.compute(move |cancel| {
        let mut found = assertions(&log);
        let mut stopped = crashes(&log);
        let with = |file: &str, then: &mut dyn FnMut(&Analysis, &str, &Lines)| {
            let path = normal(&root.join(Path::new(file)));
            let text = overlay.text(&path).map_or_else(|| read_text(&path), Ok);
            let (Ok(text), Some(host)) = (text, Host::of_path(&path)) else {
                return;
            };
            let source = Source {
                path,
                text: Rope::from_str(&text),
                host,
                old: None,
                parsed: None,
            };
            let analysed = source.analyse(&options, &project, overlay.clone(), cancel);
            if let Some(analysed) = analysed {
                let lines = Lines::new(&analysed.text);
                then(&analysed.analysis, &analysed.text, &lines);
            }
        };
        for assertion in &mut found {
            let file = assertion.file.clone();
            with(&file, &mut |analysis, text, lines| {
                assertion.explain(analysis, text, lines);
            });
        }
        for crash in &mut stopped {
            if let Some(file) = crash.file.clone() {
                with(&file, &mut |analysis, text, lines| {
                    crash.explain(analysis, text, lines);
                });
            }
        }
        let mut all: Vec<Json> = found.iter().map(|found| json!(found)).collect();
        all.extend(stopped.iter().map(|stopped| json!(stopped)));
        Json::Array(all)
    });
    decoded.await
}
