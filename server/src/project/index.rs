//! The include relation below a folder.

use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use tree_sitter_cute::{Host, cuda};

use super::answers::Answers;
use super::files::read_text;
use super::flags::Flags;
use super::generated::Generated;
use super::includes::{Target, resolve};
use super::tree::{is_translation_unit, normal, sources_below};

/// Cores that read at most: with more of them they wait for the disk.
const CORES: usize = 16;

/// The include relation below a folder, by the `#include` lines alone.
#[derive(Debug, Default)]
pub(super) struct Index {
    includers: HashMap<PathBuf, BTreeSet<PathBuf>>,
}

/// A file, and one that includes it.
struct Inclusion {
    file: PathBuf,
    includer: PathBuf,
}

/// Includes of a file; nothing where it cannot be read.
fn included_by(
    path: &Path,
    flags: &Flags,
    root: &Path,
    is_there: &dyn Fn(&Path) -> bool,
) -> Vec<Inclusion> {
    let text = read_text(path).unwrap_or_default();
    included_in(&text, path, flags, root, is_there)
}

/// The files that a text at a path includes.
fn included_in(
    text: &str,
    path: &Path,
    flags: &Flags,
    root: &Path,
    is_there: &dyn Fn(&Path) -> bool,
) -> Vec<Inclusion> {
    let includes = cuda::includes(text).into_iter();
    let found =
        includes.filter_map(
            |include| match resolve(&include, path, flags, root, is_there) {
                Target::File(file) => Some(Inclusion {
                    file,
                    includer: path.to_owned(),
                }),
                _ => None,
            },
        );
    found.collect()
}

impl Index {
    /// Reads the `#include` lines of every source below `folder`, a folder of the tree below `root`, on all cores.
    pub(super) fn of(folder: &Path, root: &Path, flags: &Flags) -> Self {
        let sources = sources_below(folder);
        let next = AtomicUsize::new(0);
        let answers = Answers::default();
        let is_there = |path: &Path| answers.is_on_disk(path);
        let read = || {
            let mut found = Vec::new();
            while let Some(source) = sources.get(next.fetch_add(1, Ordering::Relaxed)) {
                let path = normal(source);
                found.extend(included_by(&path, flags, root, &is_there));
            }
            found
        };
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let others = cores.min(CORES).min(sources.len()).saturating_sub(1);
        let mut index = Self::default();
        std::thread::scope(|scope| {
            let others: Vec<_> = (0..others).map(|_| scope.spawn(read)).collect();
            index.add(read());
            for other in others {
                match other.join() {
                    Ok(found) => index.add(found),
                    Err(panic) => std::panic::resume_unwind(panic),
                }
            }
        });
        index
    }

    /// Adds what the files include that scripts write.
    pub(super) fn add_generated(&mut self, generated: &Generated, root: &Path, flags: &Flags) {
        let is_there = |path: &Path| path.is_file() || generated.text(&normal(path)).is_some();
        for (path, text) in generated.files() {
            let includes = cuda::includes(text).into_iter();
            let found = includes.filter_map(|include| {
                let file = match resolve(&include, path, flags, root, &is_there) {
                    Target::File(file) => file,
                    _ => generated.included(path, &include.path.name)?.to_owned(),
                };
                let includer = path.to_owned();
                Some(Inclusion { file, includer })
            });
            self.add(found.collect());
        }
    }

    fn add(&mut self, found: Vec<Inclusion>) {
        for Inclusion { file, includer } in found {
            self.includers.entry(file).or_default().insert(includer);
        }
    }

    /// Whether a file includes others now than when the index was made.
    pub(super) fn differs(&self, path: &Path, root: &Path, flags: &Flags) -> bool {
        if Host::of_path(path) != Some(Host::CudaCpp) {
            return false;
        }
        let is_there = |path: &Path| path.is_file();
        let now = included_by(path, flags, root, &is_there);
        let now: HashSet<&Path> = now.iter().map(|one| one.file.as_path()).collect();
        let before = self
            .includers
            .iter()
            .filter(|(_, includers)| includers.contains(path))
            .map(|(file, _)| file.as_path());
        before.collect::<HashSet<_>>() != now
    }

    /// The translation units that include a file, directly or not; the nearest first.
    pub(super) fn translation_units_of(&self, file: &Path) -> Vec<PathBuf> {
        self.translation_units_and(&Self::default(), file)
    }

    /// The same, with the inclusions of another relation behind those of this one.
    pub(super) fn translation_units_and(&self, more: &Self, file: &Path) -> Vec<PathBuf> {
        let mut seen = HashSet::from([file]);
        let mut next = VecDeque::from([file]);
        let mut units = Vec::new();
        while let Some(file) = next.pop_front() {
            let includers = [&self.includers, &more.includers];
            let includers = includers.into_iter().filter_map(|of| of.get(file));
            for includer in includers.flatten() {
                if !seen.insert(includer) {
                    continue;
                }
                if is_translation_unit(includer) {
                    units.push(includer.clone());
                }
                next.push_back(includer);
            }
        }
        units
    }
}
