//! `workspace/didChangeWorkspaceFolders`

use std::sync::Arc;

use tower_lsp::lsp_types::DidChangeWorkspaceFoldersParams;

use super::initialize::{folder_of, read_project_files};
use crate::analyses;
use crate::session::Session;

/// Folders come and go; each has the rules for its sources, and the first for those outside of all.
pub fn did_change_workspace_folders(
    session: &Arc<Session>,
    params: &DidChangeWorkspaceFoldersParams,
) {
    let before = session.folders();
    let places = |folders: &[tower_lsp::lsp_types::WorkspaceFolder]| -> Vec<_> {
        let places = folders.iter().filter_map(|folder| folder_of(&folder.uri));
        places.collect()
    };
    let removed = places(&params.event.removed);
    let mut folders = before.clone();
    folders.retain(|folder| !removed.contains(folder));
    for folder in places(&params.event.added) {
        if !folders.contains(&folder) {
            folders.push(folder);
        }
    }
    if folders == before {
        return;
    }
    session.move_to(folders);
    read_project_files(session);
    analyses::restart(session);
}
