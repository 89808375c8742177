//! The runs of a trace: tests, programs, compilers, kernels that nothing makes. A first answer about an edited module needs
//! those alone that made in the version before what is looked at.

use std::ops::Range;
use std::sync::Arc;

use tree_sitter_cute::tree::Span;

use super::machine::Machine;
use super::numbers::Counts;
use crate::shown::Shown;

/// Separates the module that is run from a function or a class in it.
const INSIDE: char = '#';

/// The numbers of symbols at the start of each run, by its name.
pub(super) type Starts = Vec<(Arc<str>, Counts)>;

/// The runs of a trace.
#[derive(Debug, Default)]
pub(super) struct Runs {
    /// The part that is requested first; nothing where all are run.
    wanted: Option<Arc<Shown>>,
    /// The starts of the runs of the version before.
    before: Starts,
    /// The starts of those of this one.
    pub(super) starts: Starts,
    /// The name of the present one; of the statements of the file itself there is none.
    pub(super) present: Arc<str>,
}

impl Runs {
    /// Those that are wanted.
    pub(super) fn of(wanted: Option<Arc<Shown>>, before: Starts) -> Self {
        Self {
            wanted,
            before,
            ..Self::default()
        }
    }

    /// Whether a run is wanted, or one of its module, which needs what it makes.
    fn wants(&self, name: &str) -> bool {
        let is_of = |run: &str| {
            let rest = run.strip_prefix(name);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(INSIDE))
        };
        self.wanted
            .as_ref()
            .is_none_or(|shown| shown.wants_run(&is_of))
    }

    /// The bytes that are looked at, where nothing else says which runs are wanted.
    fn looked_at(&self) -> Option<&Range<usize>> {
        self.wanted.as_ref()?.bytes_looked_at()
    }
}

/// The name of the run of a function or a class of a module; that of the analysed file has no name.
pub(super) fn inside(module: &str, name: &str) -> Arc<str> {
    format!("{module}{INSIDE}{name}").into()
}

impl Machine<'_> {
    /// The name of the run of a module; that of the analysed file has none.
    pub(super) fn module_run(&self, file: usize) -> Arc<str> {
        let source = self.files.get(file).and_then(|file| file.source.as_ref());
        source.map_or_else(Arc::default, |source| {
            source.path().to_string_lossy().into_owned().into()
        })
    }

    /// Begins a run, where it is wanted. Its symbols have the numbers that they have after all runs before it.
    pub(super) fn begins_run(&mut self, name: &str) -> bool {
        let runs = &mut self.record.runs;
        if !runs.wants(name) {
            return false;
        }
        if let Some((_, counts)) = runs.before.iter().find(|(known, _)| **known == *name) {
            self.numbers.raise_to(counts);
        }
        runs.present = name.into();
        let counts = self.numbers.counts();
        runs.starts.push((name.into(), counts));
        true
    }

    /// Whether all functions and methods that are looked at were run, where nothing else says what is wanted.
    pub(super) fn ran_all_looked_at(&self) -> bool {
        self.record.runs.looked_at().is_some_and(|range| {
            let is_seen = |span: Span| span.start <= range.end && range.start <= span.end;
            let mut end = 0;
            self.functions_of_file().all(|function| {
                let span = function.span;
                let is_inner = span.start < end;
                end = end.max(span.end);
                is_inner || !is_seen(span) || self.covered.ran.contains(&span)
            })
        })
    }
}
