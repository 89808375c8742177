//! The instances of functions that were reported for declarations that are evaluated together, and their actions.

use std::sync::Arc;

use tree_sitter_cute::tree::Function;

use super::bound::Bound;
use super::calls_made::CallsMade;
use super::deferrals::Deferrals;
use super::ids::FunctionId;
use super::inherited::Guards;
use super::site::Caller;
use crate::deferred::Deferred;
use crate::finding::Finding;
use crate::hash::{HashMap, HashSet};
use crate::limits;
use crate::trace::{Launch, Run};

/// An instance that a name denotes.
#[derive(Debug)]
pub(super) struct Naming {
    pub(super) id: FunctionId,
    pub(super) bound: Bound,
    pub(super) place: Arc<str>,
    pub(super) caller: Caller,
    pub(super) deferred: Arc<Deferred>,
}

/// Actions of a reported instance, and the conditions that its callers have checked.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Reported {
    pub(super) run: Option<usize>,
    pub(super) guards: Option<usize>,
}

/// A function, whether the call may not be instantiated, and the arguments.
pub(super) type FunctionKey = (FunctionId, bool, Bound);

/// A generic method, its class instance, whether the call may not be instantiated, and the arguments.
pub(super) type MethodKey = (*const Function, Option<usize>, bool, Bound);

/// The reports on functions so far; an attempt with supposed arguments has its own.
#[derive(Debug)]
pub(super) struct Reports<'u> {
    functions: HashMap<FunctionKey, Reported>,
    methods: HashSet<MethodKey>,
    /// Number of kept instances of each function.
    counts: HashMap<FunctionId, usize>,
    pub(super) calls_made: CallsMade,
    pub(super) guards: Guards,
    /// Instances that are named and not yet evaluated.
    pub(super) namings: Vec<Naming>,
    /// Evaluations that were deferred.
    pub(super) deferrals: Deferrals,
    /// Actions of functions.
    pub(super) runs: Vec<Run<'u>>,
    /// The launch whose kernel is being called.
    pub(super) launch: Option<Launch>,
    /// The steps that are left for the accesses of kernels.
    pub(super) access_steps: usize,
}

impl Default for Reports<'_> {
    fn default() -> Self {
        Self {
            functions: HashMap::default(),
            methods: HashSet::default(),
            counts: HashMap::default(),
            calls_made: CallsMade::default(),
            guards: Guards::default(),
            namings: Vec::new(),
            deferrals: Deferrals::default(),
            runs: Vec::new(),
            launch: None,
            access_steps: limits::ACCESS_STEPS_TOGETHER,
        }
    }
}

impl<'u> Reports<'u> {
    /// The report on a function instance, if it began before.
    pub(super) fn of(&self, key: &FunctionKey) -> Option<Reported> {
        self.functions.get(key).copied()
    }

    /// Keeps the report on a function instance, or that it begins.
    pub(super) fn keep(&mut self, key: FunctionKey, reported: Reported) {
        self.functions.insert(key, reported);
    }

    /// Whether an instance of a function is reported whose arguments fulfil a condition.
    pub(super) fn has_called(&self, id: FunctionId, is_it: impl Fn(&Bound) -> bool) -> bool {
        let mut all = self.functions.keys();
        all.any(|(called, _, bound)| *called == id && is_it(bound))
    }

    /// Counts an instance of a function; `false` where `quota` of them are kept already.
    pub(super) fn count(&mut self, id: FunctionId, quota: usize) -> bool {
        let count = self.counts.entry(id).or_default();
        let has_room = *count < quota;
        *count += usize::from(has_room);
        has_room
    }

    /// Whether an instance of a function is kept.
    pub(super) fn has_counted(&self, id: FunctionId) -> bool {
        self.counts.contains_key(&id)
    }

    /// The functions of which instances are kept.
    pub(super) fn counted(&self) -> impl Iterator<Item = FunctionId> {
        self.counts.keys().copied()
    }

    /// Whether an instance of a generic method is reported.
    pub(super) fn has_method(&self, key: &MethodKey) -> bool {
        self.methods.contains(key)
    }

    /// Notes that an instance of a generic method is reported.
    pub(super) fn note_method(&mut self, key: MethodKey) {
        self.methods.insert(key);
    }

    /// The class instances of which instances of a generic method are reported, one for each instance of the method.
    pub(super) fn classes_of_method(
        &self,
        method: &Function,
    ) -> impl Iterator<Item = Option<usize>> {
        let all = self.methods.iter();
        all.filter(move |(reported, ..)| std::ptr::eq(*reported, method))
            .map(|(_, class, ..)| *class)
    }

    /// The actions that a frame is recorded in.
    pub(super) fn run_mut(&mut self, run: Option<usize>) -> Option<&mut Run<'u>> {
        self.runs.get_mut(run?)
    }

    /// The findings of methods that turned out to be called; the calls are forgotten.
    pub(super) fn settle_calls(&mut self) -> impl Iterator<Item = Finding> + use<> {
        std::mem::take(&mut self.calls_made).settle()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instances_of_a_function_are_counted_up_to_a_quota() {
        let mut reports = Reports::default();
        assert!(!reports.has_counted(3));
        assert!(reports.count(3, 2) && reports.count(3, 2) && !reports.count(3, 2));
        assert!(reports.has_counted(3) && reports.counted().eq([3]));
    }

    #[test]
    fn a_report_is_found_by_its_arguments() {
        let bound = |tparams| Bound {
            tparams,
            params: Vec::new(),
        };
        let mut reports = Reports::default();
        let key = (1, false, bound(Vec::new()));
        assert!(reports.of(&key).is_none());
        let kept = Reported {
            run: Some(7),
            guards: None,
        };
        reports.keep(key.clone(), kept);
        assert_eq!(reports.of(&key).and_then(|it| it.run), Some(7));
        assert!(reports.has_called(1, |bound| bound.tparams.is_empty()));
        assert!(!reports.has_called(2, |_| true));
    }
}
