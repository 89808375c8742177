//! Other arguments for the sides of an `if` that no run takes: a supposed object is made once more with an argument
//! that the test of the `if` names.

use tree_sitter_cute::script::{Stmt, StmtKind};
use tree_sitter_cute::tree::Span;

use super::choices::Changes;
use super::clues::Clues;
use super::heap::Object;
use super::machine::Machine;
use super::trials::Subject;
use super::unreached::{Target, of_statements};
use crate::hash::{HashMap, HashSet};

/// Variants of one object that are kept: each takes the time of its kernel.
const VARIANTS: usize = 6;
/// Variants that are tried.
const TRIED: usize = 12;
/// Values of one argument that are tried for one test.
const VALUES: usize = 2;
/// The part of the steps that are left which the variants of one object may take.
const SHARE: usize = 2;

/// A name without a value.
pub(super) struct Gap {
    /// Whether a call has bound it.
    is_reached: bool,
    /// The tests around it, the outermost first.
    tests: Vec<Span>,
}

/// The places of names that calls have bound, and of those that have a value in one.
struct Bound {
    reached: HashSet<Span>,
    known: HashSet<Span>,
}

impl Machine<'_> {
    /// The names of the class of a kernel, and of its bases in the file, that no call gives a value.
    pub(super) fn gaps(&self, subject: &Subject) -> Vec<Gap> {
        let mut gaps = Vec::new();
        let Subject::Kernel { class, .. } = subject else {
            return gaps;
        };
        let (Object::Class(class), Some(file)) = (self.heap.get(*class), self.files.first()) else {
            return gaps;
        };
        let all = class
            .order
            .iter()
            .filter_map(|id| match self.heap.get(*id) {
                Object::Class(class) if class.module == file.module => Some(&class.name),
                _ => None,
            });
        let names: Vec<_> = all.collect();
        let bound = self.bound_places();
        for stmt in &file.script.body {
            if let StmtKind::Class(code) = &stmt.kind
                && names.contains(&&code.name.text)
            {
                for stmt in &code.body {
                    if let StmtKind::Function(function) = &stmt.kind {
                        add_gaps(&function.body, &mut Vec::new(), &bound, &mut gaps);
                    }
                }
            }
        }
        gaps
    }

    fn bound_places(&self) -> Bound {
        let mut bound = Bound {
            reached: HashSet::default(),
            known: HashSet::default(),
        };
        let all = self.record.activations.iter();
        for binding in all.flat_map(|call| &call.bindings) {
            bound.reached.insert(binding.span);
            if binding.value.reason().is_none() {
                bound.known.insert(binding.span);
            }
        }
        bound
    }

    /// Runs variants of a supposed object that give values to names which have none.
    pub(super) fn run_variants(&mut self, subject: &Subject, settled: &Changes) {
        let bound = self.bound_in(0);
        let mut tried: Vec<Changes> = Vec::new();
        self.try_variants(
            |machine| {
                let gaps = machine.gaps(subject);
                let next = machine.next_variant(subject, settled, &gaps, &bound, &tried)?;
                tried.push(next.clone());
                Some(next)
            },
            subject,
            |machine| usize::MAX - machine.gaps(subject).len(),
        );
    }

    /// Runs variants of a kernel of another file that run functions of the analysed one which nothing has run.
    pub(super) fn run_variants_of_user(&mut self, subject: &Subject, settled: &Changes) {
        let parameters = self.parameters(subject, settled);
        let flags = parameters.iter().filter(|it| it.is_flag());
        let mut all = flags.filter_map(|it| it.changes(settled, &[]).into_iter().next());
        self.try_variants(
            |machine| all.next().filter(|_| machine.has_functions_left()),
            subject,
            Self::functions_run,
        );
    }

    /// Runs variants of a subject, and keeps those that reach more than was reached before.
    fn try_variants(
        &mut self,
        mut next: impl FnMut(&mut Self) -> Option<Changes>,
        subject: &Subject,
        reached: impl Fn(&Self) -> usize,
    ) {
        let least = self.budget.steps - self.budget.steps / SHARE;
        let (mut tried, mut kept) = (0, 0);
        while kept < VARIANTS && tried < TRIED && self.budget.steps > least {
            let Some(changes) = next(self) else {
                return;
            };
            tried += 1;
            let known = reached(self);
            let before = self.begin();
            let outer = std::mem::replace(&mut self.record.is_variant, true);
            self.suppose_of(subject, changes);
            self.record.is_variant = outer;
            if reached(self) > known {
                self.keep_tried(before);
                kept += 1;
            } else {
                self.take_back(before);
            }
        }
    }

    /// The change that the tests around most of the names that nothing reaches name.
    fn next_variant(
        &mut self,
        subject: &Subject,
        settled: &Changes,
        gaps: &[Gap],
        bound: &[Target],
        tried: &[Changes],
    ) -> Option<Changes> {
        let mut weights: HashMap<Span, usize> = HashMap::default();
        let unreached = gaps.iter().filter(|gap| !gap.is_reached);
        for test in unreached.flat_map(|gap| &gap.tests) {
            *weights.entry(*test).or_default() += 1;
        }
        let mut tests: Vec<(Span, usize)> = weights.into_iter().collect();
        tests.sort_unstable_by_key(|(test, count)| (usize::MAX - count, test.start));
        let parameters = self.parameters(subject, settled);
        for (test, _) in tests {
            let mut clues = Clues::default();
            self.follow_words(0, test, bound, &mut clues);
            let numbers = clues.numbers();
            for word in &clues.words {
                let named = parameters.iter().filter(|it| *it.name == **word);
                let mut changes =
                    named.flat_map(|it| it.changes(settled, &numbers).into_iter().take(VALUES));
                if let Some(new) = changes.find(|it| !tried.contains(it)) {
                    return Some(new);
                }
            }
        }
        None
    }
}

/// Adds the names of statements whose places are not known, with the tests around them.
fn add_gaps(stmts: &[Stmt], tests: &mut Vec<Span>, bound: &Bound, gaps: &mut Vec<Gap>) {
    for stmt in stmts {
        match &stmt.kind {
            StmtKind::If(test, body, orelse) => {
                tests.push(test.span);
                add_gaps(body, tests, bound, gaps);
                add_gaps(orelse, tests, bound, gaps);
                tests.pop();
            }
            StmtKind::For { body, orelse, .. }
            | StmtKind::While(_, body, orelse)
            | StmtKind::Try { body, orelse, .. } => {
                add_gaps(body, tests, bound, gaps);
                add_gaps(orelse, tests, bound, gaps);
            }
            StmtKind::With(_, body) => add_gaps(body, tests, bound, gaps),
            StmtKind::Function(function) => add_gaps(&function.body, tests, bound, gaps),
            _ => {
                let mut targets = Vec::new();
                of_statements(std::slice::from_ref(stmt), &mut targets);
                let open = targets.iter().filter(|it| !bound.known.contains(&it.span));
                gaps.extend(open.map(|it| Gap {
                    is_reached: bound.reached.contains(&it.span),
                    tests: tests.clone(),
                }));
            }
        }
    }
}
