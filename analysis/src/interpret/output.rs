//! What the evaluation of a file leaves behind.

use std::path::{Path, PathBuf};

use tree_sitter_cute::tree::Span;

use crate::cost::{Budget, Cost, Costs, Note};
use crate::fact::{Fact, Mention, Nominal, Word};
use crate::finding::Finding;
use crate::hash::{HashMap, HashSet};
use crate::sources::{Inclusion, SourceFile};

/// What the evaluation of a file leaves behind.
#[derive(Debug, Clone, Default)]
pub(crate) struct Output {
    pub(crate) facts: Vec<Fact>,
    pub(crate) mentions: Vec<Mention>,
    pub(crate) findings: Vec<Finding>,
    pub(crate) unproved: Vec<Finding>,
    pub(crate) nominals: Vec<Nominal>,
    /// Where what each declared name is initialised with stands, by the span of the name.
    pub(crate) initialisers: HashMap<Span, Span>,
    /// Where the name at a span is declared.
    pub(crate) declarations: HashMap<Span, Span>,
    /// The `#include`s that could not be read.
    pub(crate) inclusions: Vec<Inclusion>,
    /// The other files that were read.
    pub(crate) files: Vec<PathBuf>,
    /// Where they stand in the space of all files.
    pub(super) bases: HashSet<usize>,
    /// The functions and classes of the file that were instantiated, by their names' spans.
    pub(super) instantiated: HashSet<Span>,
    /// Whether something of it tells a line of the file.
    pub(super) names_lines: bool,
    /// The run-time integers that were met: name, and byte of the declaration.
    pub(crate) asked: HashSet<(String, usize)>,
    /// CuTe's functions and instructions where the source names them.
    pub(crate) words: Vec<Word>,
    /// The run-time integers that are known to be multiples.
    pub(crate) multiples: Vec<cute_algebra::symbol::Multiple>,
    /// What lines cost.
    pub(crate) notes: Vec<Note>,
    /// What kernels take.
    pub(crate) budgets: Vec<Budget>,
    /// Steps that were not taken.
    pub(super) steps_left: usize,
}

impl Output {
    /// Puts facts and mentions in the order of the source, outer ones first, each once.
    pub(crate) fn sort(&mut self) {
        self.facts.sort_by_key(|fact| fact.name_span.start);
        self.facts.dedup();
        self.mentions
            .sort_by_key(|mention| (mention.span.start, std::cmp::Reverse(mention.span.end)));
        self.mentions.dedup();
    }

    /// Adds what another island left.
    pub(super) fn append(&mut self, other: Self) {
        self.facts.extend(other.facts);
        self.mentions.extend(other.mentions);
        self.findings.extend(other.findings);
        self.unproved.extend(other.unproved);
        self.nominals.extend(other.nominals);
        self.initialisers.extend(other.initialisers);
        self.declarations.extend(other.declarations);
        self.asked.extend(other.asked);
        self.words.extend(other.words);
        for multiple in other.multiples {
            if !self.multiples.contains(&multiple) {
                self.multiples.push(multiple);
            }
        }
        self.notes.extend(other.notes);
        self.budgets.extend(other.budgets);
    }

    /// Adds what functions cost.
    pub(super) fn append_costs(&mut self, costs: Costs) {
        // A note of a barrier names the lines of its copies.
        self.names_lines |= costs
            .notes
            .iter()
            .any(|note| matches!(note.cost, Cost::Transaction(_)));
        self.notes.extend(costs.notes);
        self.budgets.extend(costs.budgets);
        self.findings.extend(costs.findings);
        self.unproved.extend(costs.preconditions);
    }

    /// Adds what one more translation unit made of the same file.
    pub(super) fn append_unit(&mut self, mut unit: Self) {
        self.instantiated
            .extend(std::mem::take(&mut unit.instantiated));
        self.append(unit);
    }

    /// Adds another file that was read.
    pub(super) fn add_file(&mut self, base: usize, path: &Path) {
        if self.bases.insert(base) {
            self.files.push(path.to_owned());
        }
    }

    /// Adds what could not be read, each once.
    pub(super) fn add_inclusions(&mut self, inclusions: impl IntoIterator<Item = Inclusion>) {
        for inclusion in inclusions {
            if !self.inclusions.contains(&inclusion) {
                self.inclusions.push(inclusion);
            }
        }
    }

    /// Takes out the part that is about one file.
    pub(super) fn take_part(&mut self, file: &SourceFile) -> Self {
        fn of<T>(all: &mut Vec<T>, is_here: impl Fn(&T) -> bool) -> Vec<T> {
            all.extract_if(.., |one| is_here(one)).collect()
        }
        let here = |span: Span| file.contains(span);
        let spans = |all: &HashMap<Span, Span>| {
            let own = all.iter().filter(|(name, _)| here(**name));
            own.map(|(name, of)| (*name, *of)).collect()
        };
        Self {
            facts: of(&mut self.facts, |fact| here(fact.name_span)),
            mentions: of(&mut self.mentions, |mention| here(mention.span)),
            findings: of(&mut self.findings, |finding| here(finding.span)),
            unproved: of(&mut self.unproved, |finding| here(finding.span)),
            nominals: of(&mut self.nominals, |nominal| here(nominal.span)),
            initialisers: spans(&self.initialisers),
            declarations: spans(&self.declarations),
            instantiated: self.instantiated.extract_if(|name| here(*name)).collect(),
            asked: self
                .asked
                .extract_if(|(_, byte)| here(Span::new(*byte, *byte)))
                .collect(),
            words: of(&mut self.words, |word| here(word.span)),
            multiples: self.multiples.clone(),
            notes: of(&mut self.notes, |note| here(note.anchor)),
            budgets: of(&mut self.budgets, |budget| here(budget.span)),
            ..Self::default()
        }
    }

    /// Gives the instances other names.
    pub(super) fn rename_instances(&mut self, renamed: &mut dyn FnMut(&str) -> String) {
        let facts = self.facts.iter_mut().map(|fact| &mut fact.instance);
        let mentions = self
            .mentions
            .iter_mut()
            .map(|mention| &mut mention.instance);
        let findings = self.findings.iter_mut().chain(&mut self.unproved);
        let findings = findings.map(|finding| &mut finding.instance);
        let notes = self.notes.iter_mut().map(|note| &mut note.instance);
        let budgets = self.budgets.iter_mut().map(|budget| &mut budget.instance);
        let all = facts.chain(mentions).chain(findings).chain(notes);
        for name in all.chain(budgets).flatten() {
            *name = renamed(name);
        }
    }

    /// All of it at its new place: `to` says where a byte is now, `None` where it is no more.
    pub(super) fn moved(mut self, to: &dyn Fn(usize) -> Option<usize>) -> Option<Self> {
        let at = |span: Span| {
            let start = to(span.start)?;
            Some(Span::new(start, start + span.len()))
        };
        for fact in &mut self.facts {
            fact.name_span = at(fact.name_span)?;
            fact.span = at(fact.span)?;
        }
        for mention in &mut self.mentions {
            mention.span = at(mention.span)?;
        }
        for word in &mut self.words {
            word.span = at(word.span)?;
        }
        for nominal in &mut self.nominals {
            nominal.span = at(nominal.span)?;
        }
        for finding in self.findings.iter_mut().chain(&mut self.unproved) {
            finding.span = at(finding.span)?;
            for related in &mut finding.related {
                related.span = at(related.span)?;
            }
        }
        for spans in [&mut self.initialisers, &mut self.declarations] {
            *spans = std::mem::take(spans)
                .into_iter()
                .map(|(name, of)| Some((at(name)?, at(of)?)))
                .collect::<Option<_>>()?;
        }
        self.instantiated = std::mem::take(&mut self.instantiated)
            .into_iter()
            .map(at)
            .collect::<Option<_>>()?;
        for note in &mut self.notes {
            *note = note.moved(&at)?;
        }
        for budget in &mut self.budgets {
            *budget = budget.moved(&at)?;
        }
        self.asked = std::mem::take(&mut self.asked)
            .into_iter()
            .map(|(name, byte)| Some((name, to(byte)?)))
            .collect::<Option<_>>()?;
        Some(self)
    }
}
