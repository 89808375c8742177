//! `workspace/didChangeWatchedFiles`

use std::sync::Arc;

use serde_json::{Value, json};
use tower_lsp::lsp_types::{
    DidChangeWatchedFilesParams, DidSaveTextDocumentParams, FileChangeType,
};

use tree_sitter_cute::Host;

use super::initialize::read_project_files;
use crate::analyses;
use crate::project::normal;
use crate::project_file::NAME;
use crate::recorded::{FOLDER, is_recording};
use crate::session::Session;

/// The files whose changes on disk matter, as glob patterns.
pub fn watchers() -> Value {
    let endings: Vec<&str> = Host::endings().collect();
    json!({ "watchers": [
        { "globPattern": format!("**/*.{{{}}}", endings.join(",")) },
        { "globPattern": format!("**/{FOLDER}/*.json") },
        { "globPattern": "**/{compile_commands.json,.clangd,cute-analyzer.toml}" },
    ]})
}

/// Files changed on disk: documents that depend on them are analysed again. Where files came or went, or include others
/// than before, or are compiled in another way, that may be everything.
pub fn did_change_watched_files(session: &Arc<Session>, params: &DidChangeWatchedFilesParams) {
    let mut all = false;
    let mut has_recorded = false;
    let mut changed = Vec::new();
    for change in &params.changes {
        let Ok(path) = change.uri.to_file_path() else {
            continue;
        };
        // The findings of a closed file hold no more.
        if session.checked().remove(&change.uri).is_some() {
            analyses::clear(session, &change.uri);
        }
        let is = |name: &str| path.file_name() == Some(name.as_ref());
        if is(NAME) {
            read_project_files(session);
            all = true;
        }
        let path = normal(&path);
        if is_recording(&path) {
            has_recorded = true;
            continue;
        }
        all |= session.note_file(&path);
        all |= change.typ != FileChangeType::CHANGED;
        all |= is("compile_commands.json") || is(".clangd");
        changed.push(path);
    }
    if has_recorded {
        analyses::refresh_shown(session);
    }
    if all {
        session.forget_files();
        return analyses::restart(session);
    }
    for path in changed {
        // Of a file that is open the editor's text counts.
        if !session.is_open(&path) {
            analyses::restart_dependents(session, &path);
        }
    }
}

/// A document was saved: where clients do not watch files, that is how a changed `#include` is noticed.
pub fn did_save(session: &Arc<Session>, params: &DidSaveTextDocumentParams) {
    let Ok(path) = params.text_document.uri.to_file_path() else {
        return;
    };
    if session.note_file(&normal(&path)) {
        session.forget_files();
        analyses::restart(session);
    }
}
