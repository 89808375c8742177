//! The folder of recordings, and those that were read.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use super::file::Recording;
use crate::limits::RECORDINGS;

/// The folder of recordings, in the folder where the command was recorded.
pub const FOLDER: &str = ".cute-analyzer/recorded";

/// The identity of a version of a file.
type Stamp = (u64, Option<SystemTime>);

/// A version of a recording, or the reason why it is not one.
type Read = Result<Arc<Recording>, String>;

/// Recordings that were read; each is read again when it changed on disk.
#[derive(Debug, Default)]
pub struct Recordings {
    known: Mutex<HashMap<PathBuf, (Stamp, Read)>>,
}

impl Recordings {
    /// The newest recording in which a source ran. It is looked for beside the source, in the folders above
    /// it, and in `others`; `remark` is told, once, of files that are not recordings.
    pub fn about(
        &self,
        source: &Path,
        others: &[PathBuf],
        remark: &dyn Fn(&str),
    ) -> Option<Arc<Recording>> {
        let above = source.ancestors().skip(1);
        let mut folders: Vec<PathBuf> = above
            .chain(others.iter().map(|other| &**other))
            .map(|folder| folder.join(FOLDER))
            .filter(|folder| folder.is_dir())
            .collect();
        folders.sort();
        folders.dedup();
        let mut files: Vec<_> = folders.iter().flat_map(|folder| newest(folder)).collect();
        files.sort_by_key(|(_, (_, modified))| std::cmp::Reverse(*modified));
        files.truncate(RECORDINGS);
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.retain(|path, _| path.exists());
        files.into_iter().find_map(|(path, stamp)| {
            let fresh = known.get(&path).filter(|(read, _)| *read == stamp);
            let recording = if let Some((_, read)) = fresh {
                read.clone()
            } else {
                let read = Recording::read(&path).map(Arc::new);
                if let Err(reason) = &read {
                    remark(&format!("{} is not read: {reason}", path.display()));
                }
                known.insert(path, (stamp, read.clone()));
                read
            };
            let ran = |recording: &Arc<Recording>| recording.paths().any(|path| path == source);
            recording.ok().filter(ran)
        })
    }
}

/// Whether a file is a recording, by its place.
pub fn is_recording(path: &Path) -> bool {
    let folder = path.parent().is_some_and(|folder| folder.ends_with(FOLDER));
    folder && path.extension().is_some_and(|ending| ending == "json")
}

/// The files of a folder of recordings, the newest first, no more than are read.
pub fn newest(folder: &Path) -> Vec<(PathBuf, Stamp)> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<(PathBuf, Stamp)> = entries
        .map(|entry| entry.path())
        .filter(|path| is_recording(path))
        .filter_map(|path| {
            let metadata = fs::metadata(&path).ok().filter(fs::Metadata::is_file)?;
            Some((path, (metadata.len(), metadata.modified().ok())))
        })
        .collect();
    files.sort_by_key(|(_, (_, modified))| std::cmp::Reverse(*modified));
    files.truncate(RECORDINGS);
    files
}
