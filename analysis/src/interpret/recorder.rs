//! Facts, mentions and findings of an evaluation, of the files in focus.

use std::cell::RefCell;

use tree_sitter_cute::tree::{Expr, Ident, Span};

use super::focus::Focus;
use super::frame::Frame;
use super::labels::Labels;
use crate::fact::{DeclaredValue, Fact, Mention, Nominal, Word, WordKind};
use crate::hash::HashSet;
use crate::output::Output;
use crate::reason::Reason;
use crate::role::Role;
use crate::value::{Room, Value};

/// Assertions that the tried arguments refute.
#[derive(Debug, Default)]
pub(super) struct Refuted {
    /// The conditions of assertions that do not hold.
    pub(super) conditions: Vec<Span>,
    /// The steps that were left at the first one.
    pub(super) steps: Option<usize>,
}

/// Keeps facts about places in focus.
#[derive(Debug)]
pub(super) struct Recorder<'u> {
    pub(super) focus: Focus<'u>,
    /// The calls behind the names of instances.
    pub(super) labels: Labels,
    /// Whether a translation unit is evaluated for the instances that it makes of a header.
    pub(super) of_user: bool,
    /// Whether values of uses of names are kept.
    pub(super) keeps_uses: bool,
    pub(super) output: Output,
    /// The run-time integers that were met; gathered while values are only read.
    asked: RefCell<HashSet<(String, usize)>>,
    /// Room for the values of facts and mentions.
    pub(super) room: Room,
    /// Assertions that the arguments being tried for a template refute; nothing where none are tried.
    pub(super) refuted: Option<Refuted>,
}

/// Records that wait while supposed arguments are tried.
#[derive(Debug)]
pub(super) struct Waiting {
    output: Output,
    asked: HashSet<(String, usize)>,
    room: Room,
}

impl<'u> Recorder<'u> {
    /// Keeps everything; values of uses where `keeps_uses` says so.
    pub(super) fn of_everything(keeps_uses: bool) -> Self {
        Self {
            focus: Focus::everything(),
            labels: Labels::default(),
            of_user: false,
            keeps_uses,
            output: Output::default(),
            asked: RefCell::default(),
            room: Room::KEPT,
            refuted: None,
        }
    }

    /// Begins to try supposed arguments: records of them are apart from all others.
    pub(super) fn begin_attempt(&mut self) -> Waiting {
        self.refuted = Some(Refuted::default());
        Waiting {
            output: std::mem::take(&mut self.output),
            asked: self.asked.take(),
            room: std::mem::replace(&mut self.room, Room::KEPT),
        }
    }

    /// Ends it; gives its records.
    pub(super) fn end_attempt(&mut self, before: Waiting) -> (Output, Refuted) {
        self.asked = RefCell::new(before.asked);
        self.room = before.room;
        let output = std::mem::replace(&mut self.output, before.output);
        (output, self.refuted.take().unwrap_or_default())
    }

    /// Takes all records.
    pub(super) fn take_output(&mut self) -> Output {
        let mut output = std::mem::take(&mut self.output);
        output.asked.extend(self.asked.take());
        output
    }

    /// Whether facts about this place are requested.
    pub(super) fn is_in_focus(&self, span: Span) -> bool {
        self.focus.contains(span)
    }

    /// Whether facts about a place in a function instance are kept. Results of translation units for a header are
    /// instances; the rest of it is evaluated for itself.
    pub(super) fn keeps(&self, span: Span, frame: &Frame<'u>) -> bool {
        frame.mode.recording && self.is_of_instance(span, frame)
    }

    /// Whether a fact about a place would be of an instance that is kept.
    pub(super) fn is_of_instance(&self, span: Span, frame: &Frame<'u>) -> bool {
        !(self.of_user && frame.owner.instance.is_none()) && self.is_in_focus(span)
    }

    /// Notes that a value depends on a run-time integer.
    pub(super) fn note_asked(&self, name: &str, place: Span) {
        let mut asked = self.asked.borrow_mut();
        asked.insert((name.to_owned(), place.start));
    }

    /// Keeps the number that a symbol begins with.
    pub(super) fn nominal(&mut self, name: &Value, value: i64, place: Span) {
        if let Value::Int(symbol) = name
            && symbol.value().is_none()
            && self.is_in_focus(place)
        {
            let nominal = Nominal {
                symbol: self.output.restored_int(symbol).to_string(),
                value,
                span: place,
            };
            if !self.output.nominals.contains(&nominal) {
                self.output.nominals.push(nominal);
            }
        }
    }

    /// Keeps the place where the name at a place is declared.
    pub(super) fn note_declaration(&mut self, name: Span, declared: Span) {
        if self.is_in_focus(name) {
            self.output.declarations.insert(name, declared);
        }
    }

    /// Keeps the place of the initialiser of a declared name; `false` out of focus.
    pub(super) fn note_initialiser(&mut self, name: Span, init: &Expr) -> bool {
        let is_kept = self.is_in_focus(name);
        if is_kept {
            self.output.initialisers.insert(name, init.span);
        }
        is_kept
    }

    /// Notes that a function or class of the focus is instantiated.
    pub(super) fn note_instantiated(&mut self, name: Span) {
        self.output.instantiated.insert(name);
    }

    /// Whether a function or class is instantiated, also by a translation unit that was evaluated before.
    pub(super) fn is_instantiated(&self, name: Span) -> bool {
        self.output.instantiated.contains(&name)
    }

    /// Keeps a fact about a declared name.
    pub(super) fn declare(
        &mut self,
        name: &'u Ident,
        role: Role,
        span: Span,
        value: &Value,
        frame: &Frame<'u>,
    ) {
        if !self.keeps(name.span, frame) {
            return;
        }
        let shared = &mut self.output.shared;
        let kept = shared.value(value.reported(), &mut self.room);
        let beyond = || Value::Unknown(Reason::Limit("values kept for one file")).into();
        let content = DeclaredValue {
            name: shared.name(&name.name),
            role,
            function: frame.owner.function.clone(),
            value: kept.unwrap_or_else(beyond),
            instance: frame.owner.instance.clone(),
        };
        self.output.facts.push(Fact::new(name.span, span, content));
    }

    /// Keeps the place of a word of CuTe for hovers.
    pub(super) fn note_word(&mut self, span: Span, kind: WordKind, frame: &Frame<'u>) {
        if self.keeps_uses && self.keeps(span, frame) {
            self.output.words.push(Word { span, kind });
        }
    }

    /// Keeps the value of an expression for hovers.
    pub(super) fn mention(&mut self, span: Span, value: &Value, frame: &Frame<'u>) {
        if self.keeps_uses
            && value.is_worth_showing()
            && self.keeps(span, frame)
            && let Some(value) = self.output.shared.value(value.reported(), &mut self.room)
        {
            self.output.mentions.push(Mention {
                span,
                value,
                function: frame.owner.function.clone(),
                instance: frame.owner.instance.clone(),
            });
        }
    }
}
