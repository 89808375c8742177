//! Files that are included: read and lowered once, and again when they change.

use std::fs::{self, File, Metadata};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::SystemTime;

use cute_analysis::{Positions, SourceFile};
use rustc_hash::FxHashMap;
use tree_sitter_cute::limits::SOURCE_BYTES;
use tree_sitter_cute::{Budget, Host, Syntax};

use crate::limits::INCLUDED_PARSE_TIME;

/// What tells one version of a file from another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stamp {
    /// On disk.
    Disk {
        bytes: u64,
        modified: Option<SystemTime>,
    },
    /// In an editor: a hash of its text.
    Open(u64),
}

/// A file as it was read, or why it could not be.
type Answer = Result<Arc<SourceFile>, String>;

/// One version of a file; whoever needs it first reads it, the others wait.
#[derive(Debug)]
struct Version {
    stamp: Stamp,
    answer: OnceLock<Answer>,
}

/// The files that were read so far.
#[derive(Debug, Default)]
pub(super) struct Files {
    known: Mutex<FxHashMap<PathBuf, Arc<Version>>>,
}

impl Files {
    /// The file at `path`; `open` is its text where an editor has it open.
    ///
    /// Fails, with the reason in words, where it cannot be read or is none of ours.
    pub(super) fn get(&self, path: &Path, open: Option<String>, positions: &Positions) -> Answer {
        let stamp = match &open {
            Some(text) => Stamp::Open(hash_of(text)),
            None => stamp_of(&fs::metadata(path).map_err(|error| error.to_string())?),
        };
        let version = self.version(path, stamp);
        let read = || {
            let text = open.map_or_else(|| read_text(path), Ok);
            text.and_then(|text| lowered(path, text, positions))
        };
        version.answer.get_or_init(read).clone()
    }

    /// The version with this stamp, which takes the place of another one.
    fn version(&self, path: &Path, stamp: Stamp) -> Arc<Version> {
        let mut known = self.lock();
        if let Some(version) = known.get(path)
            && version.stamp == stamp
        {
            return Arc::clone(version);
        }
        let version = Arc::new(Version {
            stamp,
            answer: OnceLock::new(),
        });
        known.insert(path.to_owned(), Arc::clone(&version));
        version
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, FxHashMap<PathBuf, Arc<Version>>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn hash_of(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

fn stamp_of(metadata: &Metadata) -> Stamp {
    Stamp::Disk {
        bytes: metadata.len(),
        modified: metadata.modified().ok(),
    }
}

/// The text of a file; what is not UTF-8 stands as U+FFFD.
pub(crate) fn read_text(path: &Path) -> Result<String, String> {
    let bytes = read_bytes(path).map_err(|error| error.to_string())?;
    if bytes.len() > SOURCE_BYTES {
        return Err(format!("it is larger than {SOURCE_BYTES} bytes"));
    }
    Ok(match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
    })
}

/// The bytes of a file, no more than one beyond the largest source.
pub(crate) fn read_bytes(path: &Path) -> io::Result<Vec<u8>> {
    let most = SOURCE_BYTES as u64 + 1;
    let file = File::open(path)?;
    // With room for all of it and a byte more, it is read at once, and the end is seen without another allocation.
    let size = file.metadata().map_or(0, |metadata| metadata.len());
    let mut bytes = Vec::with_capacity(size.min(most) as usize + 1);
    file.take(most).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn lowered(path: &Path, text: String, positions: &Positions) -> Answer {
    let host = Host::of_path(path).unwrap_or(Host::CudaCpp);
    if is_of_library(path) {
        let file = SourceFile::of_library(path, text, host, INCLUDED_PARSE_TIME, positions);
        return Ok(Arc::new(file));
    }
    let budget = Budget::for_at_most(INCLUDED_PARSE_TIME);
    let syntax = Syntax::parse(host, &text, None, budget).map_err(|error| error.to_string())?;
    let unit = syntax.into_unit(&text);
    Ok(Arc::new(SourceFile::other(path, text, unit, positions)))
}

/// Whether a file belongs to CUTLASS's own `include` folder.
pub(crate) fn is_of_library(path: &Path) -> bool {
    let names: Vec<_> = path.iter().collect();
    names
        .windows(2)
        .any(|pair| matches!(pair, [include, library] if *include == "include" && (*library == "cutlass" || *library == "cute")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read_again_when_it_changes_and_shared_while_it_does_not() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.h");
        let (files, positions) = (Files::default(), Positions::default());
        assert!(files.get(&path, None, &positions).is_err());
        fs::write(&path, "int a;").expect("written");
        let first = files.get(&path, None, &positions).expect("read");
        let again = files.get(&path, None, &positions).expect("read");
        assert!(Arc::ptr_eq(&first, &again));
        fs::write(&path, "int a, b;").expect("written");
        let changed = files.get(&path, None, &positions).expect("read");
        assert_eq!(changed.text(), "int a, b;");
        let open = files.get(&path, Some("open".to_owned()), &positions);
        assert_eq!(open.expect("an open text").text(), "open");
    }
}
