//! `workspace/didChangeWorkspaceFolders`

use std::sync::Arc;

use tower_lsp::lsp_types::DidChangeWorkspaceFoldersParams;

use super::initialize::read_project_file;
use crate::analyses;
use crate::session::Session;

/// The first folder says what holds for the sources: when it goes, the first that came takes its
/// place.
pub fn did_change_workspace_folders(
    session: &Arc<Session>,
    params: &DidChangeWorkspaceFoldersParams,
) {
    let root = session.root();
    let is_root = |uri: &tower_lsp::lsp_types::Url| uri.to_file_path().ok() == root;
    let stays = root.is_some() && !params.event.removed.iter().any(|it| is_root(&it.uri));
    if stays {
        return;
    }
    let added = params.event.added.first();
    session.move_to(added.and_then(|folder| folder.uri.to_file_path().ok()));
    read_project_file(session);
    analyses::restart(session);
}
