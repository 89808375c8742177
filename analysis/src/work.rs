//! Work of an analysis: the amounts read, declared and evaluated for its result, and the amount known before.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Counts the work of analyses. The default counts nothing, and costs nothing.
///
/// ```
/// # use std::{sync::Arc, time::Duration};
/// # use cute_analysis::{Alone, Options, SourceFile, Work, analyse};
/// # use tree_sitter_cute::{Budget, Host, Syntax};
/// let text = "void f() { auto x = cute::make_layout(8); }";
/// let syntax = Syntax::parse(Host::CudaCpp, text, None, Budget::unlimited()).unwrap();
/// let file = SourceFile::parsed("x.cu", text, Arc::new(syntax));
/// let work = Work::counted(|| Duration::ZERO);
/// let options = Options { work: work.clone(), ..Options::default() };
/// analyse(&file, &Alone, &options);
/// assert_eq!(work.done().functions["f"].count, 1);
/// ```
#[derive(Clone, Default)]
pub struct Work(Option<Arc<Shared>>);

struct Shared {
    clock: Box<dyn Fn() -> Duration + Send + Sync>,
    done: Mutex<Done>,
}

/// The work so far.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Done {
    /// Files whose declarations were put together for a translation unit, once for each unit that includes them.
    pub declared: Amount,
    /// Headers of libraries among them that were parsed, as a name of them was needed.
    pub parsed: Amount,
    /// Translation units and files that were evaluated.
    pub units: Amount,
    /// Function instances that were evaluated, by the name of the function, without their callees.
    pub functions: BTreeMap<String, Amount>,
    /// Lambdas, as the functions.
    pub lambdas: Amount,
    /// Groups of declarations that were known from an earlier version of the file.
    pub reused: usize,
}

/// The amount of work of one kind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Amount {
    /// The number of times.
    pub count: usize,
    /// Bytes of source text.
    pub bytes: usize,
    /// Statements and expressions that were evaluated.
    pub steps: usize,
    /// By the clock that was given.
    pub time: Duration,
}

impl Amount {
    /// Adds another amount.
    pub fn add(&mut self, other: Self) {
        self.count += other.count;
        self.bytes += other.bytes;
        self.steps += other.steps;
        self.time += other.time;
    }
}

impl Done {
    /// All function instances that were evaluated.
    pub fn all_functions(&self) -> Amount {
        let mut all = Amount::default();
        for amount in self.functions.values() {
            all.add(*amount);
        }
        all
    }
}

impl Work {
    /// Counts, and takes times by a clock.
    pub fn counted(clock: impl Fn() -> Duration + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(Shared {
            clock: Box::new(clock),
            done: Mutex::default(),
        })))
    }

    /// The work so far; nothing where nothing is counted.
    pub fn done(&self) -> Done {
        let shared = self.0.as_ref();
        shared.map_or_else(Done::default, |shared| locked(&shared.done).clone())
    }

    /// Whether anything is counted.
    pub(crate) fn is_counted(&self) -> bool {
        self.0.is_some()
    }

    /// The time of now.
    pub(crate) fn now(&self) -> Duration {
        let shared = self.0.as_ref();
        shared.map_or(Duration::ZERO, |shared| (shared.clock)())
    }

    /// Notes something.
    pub(crate) fn note(&self, note: impl FnOnce(&mut Done)) {
        if let Some(shared) = &self.0 {
            note(&mut locked(&shared.done));
        }
    }
}

fn locked(done: &Mutex<Done>) -> MutexGuard<'_, Done> {
    done.lock().unwrap_or_else(PoisonError::into_inner)
}

impl fmt::Debug for Work {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            Some(_) => "Work(counted)",
            None => "Work(not counted)",
        })
    }
}

/// Two are equal that count together.
impl PartialEq for Work {
    fn eq(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (Some(one), Some(two)) => Arc::ptr_eq(one, two),
            (None, None) => true,
            _ => false,
        }
    }
}
