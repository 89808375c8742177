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

/// The identity of a version of a file.
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
pub(super) type ReadFile = Result<Arc<SourceFile>, String>;

/// One version of a file; whoever needs it first reads it, the others wait.
#[derive(Debug)]
struct Version {
    stamp: Stamp,
    answer: OnceLock<ReadFile>,
}

/// A file as it is on disk and in an editor: some analyses see one, some the other, and none shall take the place of
/// the other each time.
#[derive(Debug, Default)]
struct Kept {
    disk: Option<Arc<Version>>,
    open: Option<Arc<Version>>,
}

/// The files that were read so far.
#[derive(Debug, Default)]
pub(super) struct Files {
    known: Mutex<FxHashMap<PathBuf, Kept>>,
}

impl Files {
    /// The file at `path`; `open` is its text where an editor has it open.
    ///
    /// Fails, with the reason in words, where it cannot be read or is of another language.
    pub(super) fn get(&self, path: &Path, open: Option<String>, positions: &Positions) -> ReadFile {
        let stamp = match &open {
            Some(text) => match self.on_disk(path, text) {
                Some(same) => return Ok(same),
                None => Stamp::Open(hash_of(text)),
            },
            None => stamp_of(&fs::metadata(path).map_err(|error| error.to_string())?),
        };
        let version = self.version(path, stamp);
        let read = || match open {
            // A file that is being edited has a new text at each key, and mostly it is the file that is analysed
            // itself, which is read already: it is parsed here only where its declarations are requested.
            Some(text) if !is_of_library(path) => {
                Ok(Arc::new(unread(path, text, host_of(path), positions)))
            }
            Some(text) => lowered(path, text, positions),
            None => read_text(path).and_then(|text| lowered(path, text, positions)),
        };
        version.answer.get_or_init(read).clone()
    }

    /// Forgets a file on disk, which changed: its size and time may be the same.
    pub(super) fn forget(&self, path: &Path) {
        if let Some(kept) = self.lock().get_mut(path) {
            kept.disk = None;
        }
    }

    /// The file as it was read from disk, where it has this text. So opening a file changes nothing.
    fn on_disk(&self, path: &Path, text: &str) -> Option<Arc<SourceFile>> {
        let known = self.lock();
        let read = known.get(path)?.disk.as_ref()?.answer.get()?;
        let file = read.as_ref().ok()?;
        (file.text() == text).then(|| Arc::clone(file))
    }

    /// The version with this stamp, which takes the place of another one on disk, or in the editor.
    fn version(&self, path: &Path, stamp: Stamp) -> Arc<Version> {
        let mut known = self.lock();
        let kept = known.entry(path.to_owned()).or_default();
        let place = match stamp {
            Stamp::Disk { .. } => &mut kept.disk,
            Stamp::Open(_) => &mut kept.open,
        };
        if let Some(version) = place
            && version.stamp == stamp
        {
            return Arc::clone(version);
        }
        let version = Arc::new(Version {
            stamp,
            answer: OnceLock::new(),
        });
        *place = Some(Arc::clone(&version));
        version
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, FxHashMap<PathBuf, Kept>> {
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

/// The text of a file; invalid UTF-8 becomes U+FFFD.
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
///
/// Fails for anything but a regular file: a pipe or a device may never end, or give its first byte never.
pub(crate) fn read_bytes(path: &Path) -> io::Result<Vec<u8>> {
    let most = SOURCE_BYTES as u64 + 1;
    if let Some(kind) = other_than_file(&fs::metadata(path)?) {
        return Err(io::Error::other(format!("is {kind}, not a file")));
    }
    let file = File::open(path)?;
    // With room for all of it and a byte more, it is read at once, and the end is seen without another allocation.
    let size = file.metadata().map_or(0, |metadata| metadata.len());
    let mut bytes = Vec::with_capacity(size.min(most) as usize + 1);
    file.take(most).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The header that only the folder of the CUDA runtime has.
const RUNTIME_HEADER: &str = "cuda_runtime_api.h";

/// The kind of thing at a path in the place of a file.
fn other_than_file(metadata: &Metadata) -> Option<&'static str> {
    if metadata.is_file() {
        return None;
    }
    if metadata.is_dir() {
        return Some("a folder");
    }
    Some(special_file(metadata).unwrap_or("something else"))
}

#[cfg(unix)]
fn special_file(metadata: &Metadata) -> Option<&'static str> {
    use std::os::unix::fs::FileTypeExt as _;

    let kind = metadata.file_type();
    [
        (kind.is_fifo(), "a pipe"),
        (kind.is_socket(), "a socket"),
        (kind.is_char_device() || kind.is_block_device(), "a device"),
    ]
    .into_iter()
    .find_map(|(is_one, name)| is_one.then_some(name))
}

#[cfg(not(unix))]
fn special_file(_: &Metadata) -> Option<&'static str> {
    None
}

fn lowered(path: &Path, text: String, positions: &Positions) -> ReadFile {
    let host = host_of(path);
    if host == Host::Python {
        // Modules are read as Python by whoever runs them.
        return Ok(Arc::new(unread(path, text, host, positions)));
    }
    if is_of_library(path) {
        let file = SourceFile::of_library(path, text, host, INCLUDED_PARSE_TIME, positions);
        return Ok(Arc::new(file));
    }
    let budget = Budget::for_at_most(INCLUDED_PARSE_TIME);
    let syntax = Syntax::parse(host, &text, None, budget).map_err(|error| error.to_string())?;
    let unit = syntax.into_unit(&text);
    Ok(Arc::new(SourceFile::other(path, text, unit, positions)))
}

fn host_of(path: &Path) -> Host {
    Host::of_path(path).unwrap_or(Host::CudaCpp)
}

fn unread(path: &Path, text: String, host: Host, positions: &Positions) -> SourceFile {
    SourceFile::unread(path, text, host, INCLUDED_PARSE_TIME, positions)
}

/// Whether a file belongs to CUTLASS's own `include` folder or to that of the CUDA toolkit: names that these declare
/// are looked up in them only where the vocabulary does not know it.
pub(crate) fn is_of_library(path: &Path) -> bool {
    is_of_cutlass(path) || is_of_toolkit(path)
}

/// Whether a file is in the folder of the CUDA runtime's headers, or below it (`include/cccl/cuda/std`).
fn is_of_toolkit(path: &Path) -> bool {
    let folders = path.ancestors().skip(1);
    let mut includes = folders.filter(|folder| folder.ends_with("include"));
    includes.any(|include| include.join(RUNTIME_HEADER).is_file())
}

fn is_of_cutlass(path: &Path) -> bool {
    let names: Vec<_> = path.iter().collect();
    names
        .windows(2)
        .any(|pair| matches!(pair, [include, library] if *include == "include" && (*library == "cutlass" || *library == "cute")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_headers_of_the_toolkit_are_a_library() {
        let folder = tempfile::tempdir().expect("a folder");
        let include = folder.path().join("include");
        fs::create_dir_all(include.join("cccl/cuda/std")).expect("made");
        let inside = include.join("cccl/cuda/std/limits");
        assert!(!is_of_library(&inside));
        fs::write(include.join(RUNTIME_HEADER), "").expect("written");
        assert!(is_of_library(&inside) && is_of_library(&include.join("vector_types.h")));
        assert!(!is_of_library(&folder.path().join("kernel.h")));
    }

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
