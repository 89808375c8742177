//! Reading ahead: the headers of a file are read on all cores before it is analysed. The analysis itself meets one
//! `#include` after the other.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use cute_analysis::limits::{INCLUDED_BYTES, INCLUDED_FILES};
use cute_analysis::{Included, SourceFile, Sources, Stop};

/// Cores that read ahead at most: with more of them they wait for memory.
const CORES: usize = 16;

/// The files read ahead so far, and the workers.
#[derive(Debug, Default)]
pub(super) struct Ahead {
    /// Files whose includes were read.
    read: Mutex<HashSet<PathBuf>>,
    /// Analyses that run now: each has a core.
    analyses: AtomicUsize,
}

/// An analysis that runs, until it is dropped.
#[derive(Debug)]
pub(super) struct Running<'a>(&'a Ahead);

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.0.analyses.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Ahead {
    /// Notes that an analysis runs.
    pub(super) fn running(&self) -> Running<'_> {
        self.analyses.fetch_add(1, Ordering::Relaxed);
        Running(self)
    }

    /// Forgets the files read, as files changed.
    pub(super) fn forget(&self) {
        locked(&self.read).clear();
    }

    /// Reads the headers that `roots` include, directly or through others, in whatever branch of an `#if` it is, so
    /// that `sources` know it. Nothing is read where other analyses have the cores, as this one may need less.
    pub(super) fn read(
        &self,
        sources: &(impl Sources + Sync),
        roots: impl Iterator<Item = Arc<SourceFile>>,
        stop: &Stop,
    ) {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let others = self.analyses.load(Ordering::Relaxed).saturating_sub(1);
        let cores = cores.saturating_sub(others).min(CORES);
        if cores < 2 {
            return;
        }
        let queue = Queue::default();
        for root in roots {
            self.add(root, &queue);
        }
        // All was read before: no one is called for that.
        if locked(&queue.files).waiting.is_empty() {
            return;
        }
        let read = || {
            while let Some(work) = queue.next(stop) {
                for included in includes_of(&work.file, sources) {
                    self.add(included, &queue);
                }
            }
        };
        std::thread::scope(|scope| {
            for _ in 0..cores {
                scope.spawn(read);
            }
        });
    }

    /// Adds a file to those whose includes are read, unless they were.
    fn add(&self, file: Arc<SourceFile>, queue: &Queue) {
        if !self.was_read(file.path()) {
            queue.add(file);
        }
    }

    /// Whether the includes of a file were read before; they count as read from now on.
    fn was_read(&self, path: &Path) -> bool {
        !locked(&self.read).insert(path.to_owned())
    }
}

/// Files whose includes are to be read.
#[derive(Default)]
struct Queue {
    files: Mutex<Files>,
    changed: Condvar,
}

#[derive(Default)]
struct Files {
    waiting: Vec<Arc<SourceFile>>,
    /// Number of files being worked on.
    working: usize,
    /// Number of files, and their bytes.
    all: usize,
    bytes: usize,
}

/// A file that is worked on, until it is dropped.
struct Work<'q> {
    file: Arc<SourceFile>,
    queue: &'q Queue,
}

impl Drop for Work<'_> {
    fn drop(&mut self) {
        locked(&self.queue.files).working -= 1;
        self.queue.changed.notify_all();
    }
}

impl Queue {
    /// Adds a file, up to the limit of one translation unit.
    fn add(&self, file: Arc<SourceFile>) {
        let mut files = locked(&self.files);
        if files.all < INCLUDED_FILES && files.bytes < INCLUDED_BYTES {
            files.all += 1;
            files.bytes += file.text().len();
            files.waiting.push(file);
            self.changed.notify_one();
        }
    }

    /// The next file, once there is one; `None` when no one can find another one, or it is time to stop.
    fn next(&self, stop: &Stop) -> Option<Work<'_>> {
        let mut files = locked(&self.files);
        loop {
            if stop.is_wanted() {
                return None;
            }
            if let Some(file) = files.waiting.pop() {
                files.working += 1;
                return Some(Work { file, queue: self });
            }
            if files.working == 0 {
                return None;
            }
            let changed = self.changed.wait(files);
            files = changed.unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// The files that a file includes.
pub(super) fn includes_of(
    file: &SourceFile,
    sources: &impl Sources,
) -> impl Iterator<Item = Arc<SourceFile>> {
    let includes = file.surface().includes();
    includes.filter_map(move |include| match sources.include(file, include) {
        Included::File(file) => Some(file),
        _ => None,
    })
}

fn locked<T>(queue: &Mutex<T>) -> MutexGuard<'_, T> {
    queue.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use cute_analysis::{Positions, Predefined};
    use tree_sitter_cute::tree::Include;
    use tree_sitter_cute::{Budget, Host, Syntax};

    use super::*;

    /// Files by name, and which of them were requested.
    struct Texts {
        all: Vec<Arc<SourceFile>>,
        asked: Mutex<Vec<String>>,
    }

    impl Texts {
        fn of(texts: &[(&str, &str)]) -> Self {
            let positions = Positions::default();
            let file = |(name, text): &(&str, &str)| {
                let syntax = Syntax::parse(Host::CudaCpp, text, None, Budget::unlimited());
                let unit = syntax.expect("parsed").into_unit(text);
                Arc::new(SourceFile::other(*name, *text, unit, &positions))
            };
            Self {
                all: texts.iter().map(file).collect(),
                asked: Mutex::default(),
            }
        }

        fn first(&self) -> impl Iterator<Item = Arc<SourceFile>> {
            self.all.first().cloned().into_iter()
        }

        fn asked(&self) -> Vec<String> {
            let mut asked = std::mem::take(&mut *locked(&self.asked));
            asked.sort();
            asked
        }
    }

    impl Sources for Texts {
        fn include(&self, _: &SourceFile, include: &Include) -> Included {
            let name = &include.path.name;
            locked(&self.asked).push(name.clone());
            let found = self.all.iter().find(|file| file.path() == Path::new(name));
            found.map_or(Included::Known, |file| Included::File(Arc::clone(file)))
        }

        fn users(&self, _: &SourceFile) -> Vec<Arc<SourceFile>> {
            Vec::new()
        }

        fn predefined(&self, _: &SourceFile) -> Vec<Predefined> {
            Vec::new()
        }
    }

    const TEXTS: [(&str, &str); 4] = [
        ("a.h", "#include \"b.h\"\n#if X\n#include \"c.h\"\n#endif\n"),
        ("b.h", "#include \"c.h\"\n#include \"gone.h\"\n"),
        ("c.h", "#include \"a.h\"\n"),
        ("d.h", "#include \"a.h\"\n"),
    ];

    #[test]
    fn each_file_that_is_included_is_read_once() {
        let (texts, ahead) = (Texts::of(&TEXTS), Ahead::default());
        if std::thread::available_parallelism().map_or(1, usize::from) < 2 {
            return;
        }
        ahead.read(&texts, texts.first(), &Stop::default());
        // Each `#include` of a, b and c, and of nothing else.
        assert_eq!(texts.asked(), ["a.h", "b.h", "c.h", "c.h", "gone.h"]);
        ahead.read(&texts, texts.first(), &Stop::default());
        assert!(texts.asked().is_empty());
        ahead.forget();
        ahead.read(&texts, texts.first(), &Stop::default());
        assert_eq!(texts.asked().len(), 5);
    }

    #[test]
    fn nothing_is_read_where_others_have_the_cores_or_it_is_to_stop() {
        let (texts, ahead) = (Texts::of(&TEXTS), Ahead::default());
        let others: Vec<_> = (0..=CORES * 64).map(|_| ahead.running()).collect();
        ahead.read(&texts, texts.first(), &Stop::default());
        assert!(texts.asked().is_empty());
        drop(others);
        ahead.read(&texts, texts.first(), &Stop::when(|| true));
        assert!(texts.asked().is_empty());
    }
}
