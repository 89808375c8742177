//! Methods that are called: of a class template, only these are instantiated (C++ `[temp.inst]`), so that a false
//! `static_assert` in another method refuses nothing.

use tree_sitter_cute::tree::Function;

use crate::finding::Finding;
use crate::hash::{HashMap, HashSet};

/// A function, and the class instance whose method it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Callee {
    function: *const Function,
    record: Option<usize>,
}

impl Callee {
    pub(super) fn new(function: &Function, record: Option<usize>) -> Self {
        Self {
            function: std::ptr::from_ref(function),
            record,
        }
    }
}

/// The calls of one evaluation.
#[derive(Debug, Default)]
pub(super) struct CallsMade {
    /// Function templates that are called where no template parameter is open.
    for_sure: HashSet<*const Function>,
    /// The functions that are being evaluated, outer ones first.
    underway: Vec<Callee>,
    /// Methods that are evaluated whether or not anything calls them.
    unasked: HashSet<Callee>,
    /// Class instances that are instantiated with all their methods: `template class Pipeline<4>;`.
    whole: HashSet<usize>,
    /// Methods that are called by what is instantiated.
    roots: HashSet<Callee>,
    /// Methods that each of the unasked ones calls.
    calls: HashMap<Callee, HashSet<Callee>>,
    /// Findings of unasked methods, which hold where the method is called.
    waiting: Vec<(Callee, Finding)>,
}

impl CallsMade {
    /// Notes that a function template is called where no template parameter is open.
    pub(super) fn note_for_sure(&mut self, function: &Function) {
        self.for_sure.insert(std::ptr::from_ref(function));
    }

    /// Whether a function template is called where no template parameter is open.
    pub(super) fn is_for_sure(&self, function: &Function) -> bool {
        self.for_sure.contains(&std::ptr::from_ref(function))
    }

    /// Notes that a method of a class template is evaluated whether or not anything calls it.
    pub(super) fn note_unasked(&mut self, method: Callee) {
        self.unasked.insert(method);
    }

    /// Notes an explicit instantiation of a class.
    pub(super) fn note_whole(&mut self, record: usize) {
        self.whole.insert(record);
    }

    /// Begins the body of a function; [`CallsMade::end`] ends it.
    pub(super) fn begin(&mut self, function: Callee) {
        self.underway.push(function);
    }

    pub(super) fn end(&mut self) {
        self.underway.pop();
    }

    /// Notes a call by the function that is being evaluated.
    pub(super) fn note_call(&mut self, callee: Callee) {
        if callee.record.is_none() {
            return;
        }
        match self.waits() {
            Some(caller) => {
                self.calls.entry(caller).or_default().insert(callee);
            }
            None => {
                self.roots.insert(callee);
            }
        }
    }

    /// The method that is being evaluated, where it counts only if something calls it.
    fn waits(&self) -> Option<Callee> {
        let innermost = self.underway.last()?;
        let counts = innermost
            .record
            .is_some_and(|record| self.whole.contains(&record));
        (!counts && self.unasked.contains(innermost)).then_some(*innermost)
    }

    /// Whether what is being evaluated counts only if something calls it.
    pub(super) fn is_waiting(&self) -> bool {
        self.waits().is_some()
    }

    /// Gives a finding back that counts; keeps one that counts only if the method is called.
    pub(super) fn admit(&mut self, finding: Finding) -> Option<Finding> {
        match self.waits() {
            Some(method) => {
                self.waiting.push((method, finding));
                None
            }
            None => Some(finding),
        }
    }

    /// The findings of methods that are called after all.
    pub(super) fn settle(self) -> impl Iterator<Item = Finding> {
        let mut reached = self.roots;
        let mut next: Vec<Callee> = reached.iter().copied().collect();
        while let Some(method) = next.pop() {
            for callee in self.calls.get(&method).into_iter().flatten() {
                if reached.insert(*callee) {
                    next.push(*callee);
                }
            }
        }
        let waiting = self.waiting.into_iter();
        waiting.filter_map(move |(method, finding)| reached.contains(&method).then_some(finding))
    }
}
