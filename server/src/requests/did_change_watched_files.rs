//! `workspace/didChangeWatchedFiles`

use std::sync::Arc;

use serde_json::{Value, json};
use tower_lsp::lsp_types::{DidChangeWatchedFilesParams, FileChangeType};

use super::initialize::read_project_files;
use crate::analyses;
use crate::project::normal;
use crate::project_file::NAME;
use crate::session::Session;

/// The files whose changes on disk matter, as glob patterns.
pub fn watchers() -> Value {
    json!({ "watchers": [
        { "globPattern": "**/*.{cu,cuh,c,cc,cpp,cxx,h,hh,hpp,hxx,inl,inc}" },
        { "globPattern": "**/{compile_commands.json,.clangd,cute-analyzer.toml}" },
    ]})
}

/// Files changed on disk: what depends on them is analysed again. Which files there are, or how
/// they are compiled, may have changed for all.
pub fn did_change_watched_files(session: &Arc<Session>, params: &DidChangeWatchedFilesParams) {
    session.forget_files();
    let flags = |path: &std::path::Path| {
        path.file_name()
            .is_some_and(|name| name == "compile_commands.json" || name == ".clangd")
    };
    let mut all = false;
    let is_project_file = |path: &std::path::Path| path.file_name() == Some(NAME.as_ref());
    for change in &params.changes {
        let Ok(path) = change.uri.to_file_path() else {
            continue;
        };
        // What was found in a closed file holds no more.
        if session.checked().remove(&change.uri).is_some() {
            analyses::clear(session, &change.uri);
        }
        if is_project_file(&path) {
            read_project_files(session);
            all = true;
        }
        all |= change.typ != FileChangeType::CHANGED || flags(&path);
        analyses::restart_dependents(session, &normal(&path));
    }
    if all {
        analyses::restart(session);
    }
}
