//! Assumptions about run-time integers, and the symbols that represent these integers.
//!
//! An integer that is assumed to be a multiple is written as a multiple while it is computed with, so that its
//! divisibility takes effect; reported values have its name again.

use std::sync::Arc;

use cute_algebra::symbol::Multiple;
use cute_algebra::{Expression, Int};
use tree_sitter_cute::tree::Span;

use super::Interpreter;
use super::frame::Frame;
use crate::assume::Assumption;
use crate::directive::DirectiveKind;
use crate::hash::HashMap;
use crate::output::Output;
use crate::reason::Reason;
use crate::value::{Truth, Value};

impl<'u> Interpreter<'u> {
    /// The value of an assumption or a fresh symbol for a run-time integer declared as `name`.
    pub(super) fn run_time_integer(
        &mut self,
        name: &str,
        place: Span,
        frame: &mut Frame<'u>,
    ) -> Value {
        if let Some(value) = self.assumed_value(name, place) {
            return Value::Int(Int::dynamic(value));
        }
        let symbol = frame.symbol_name(name);
        Value::Int(self.assumed_symbol(name, &symbol, place))
    }

    /// The place of an assumption about a member: where its object is named, else where the member is declared.
    pub(super) fn assumed_at(&self, name: &str, named: Option<Span>, declared: Span) -> Span {
        named
            .filter(|place| self.facts_about(name, *place).next().is_some())
            .unwrap_or(declared)
    }

    /// The assumed value of a run-time truth value that the source calls `name`: false where 0 is assumed.
    pub(super) fn run_time_truth(&self, name: &str, place: Span) -> Value {
        match self.assumed_value(name, place) {
            Some(value) => Value::Bool(Truth::run_time(value != 0)),
            None => Value::Unknown(Reason::RunTime(format!("`{name}`").into())),
        }
    }

    /// The integer of a symbol that is the same wherever its name is used.
    pub(super) fn shared_symbol(&mut self, name: &str, place: Span) -> Value {
        Value::Int(match self.assumed_value(name, place) {
            Some(value) => Int::dynamic(value),
            None => self.assumed_symbol(name, name, place),
        })
    }

    /// `symbol` with the assumptions about the integer that the source calls `name`: an extent is at least 1 in any
    /// case.
    fn assumed_symbol(&mut self, name: &str, symbol: &str, place: Span) -> Int {
        let (mut least, mut divisor) = (1_i64, 1_i64);
        for fact in self.facts_about(name, place) {
            match fact {
                Assumption::AtLeast { least: bound, .. } => least = least.max(*bound),
                Assumption::Divisible { by, .. } => divisor = common_multiple(divisor, *by),
                Assumption::Equal { .. } => {}
            }
        }
        if divisor > 1
            && let Some(multiple) = Multiple::new(symbol, divisor, least)
        {
            let int = multiple.int();
            if !self.recorder.output.multiples.contains(&multiple) {
                self.recorder.output.multiples.push(multiple);
            }
            return int;
        }
        Int::expression(Expression::symbol(symbol, least))
    }

    /// Assumptions about a run-time integer, the strongest first: those passed with the analysis, then those of a
    /// directive near it.
    fn facts_about<'s>(
        &'s self,
        name: &'s str,
        place: Span,
    ) -> impl Iterator<Item = &'s Assumption> {
        let near = self
            .settings
            .directives
            .iter()
            .rev()
            .filter(move |directive| directive.covers(place.start));
        let directed = near.flat_map(|directive| match &directive.kind {
            DirectiveKind::Assume(facts) => facts.as_slice(),
            _ => &[],
        });
        self.settings
            .assumptions
            .iter()
            .rev()
            .chain(directed.map(|(fact, _)| fact))
            .filter(move |fact| fact.name() == name)
    }

    /// The value that an assumption gives a run-time integer.
    pub(super) fn assumed_value(&self, name: &str, place: Span) -> Option<i64> {
        self.recorder.note_asked(name, place);
        self.facts_about(name, place).find_map(|fact| match fact {
            Assumption::Equal { value, .. } => Some(*value),
            _ => None,
        })
    }
}

/// Values with multiples written by their names, each once.
struct Restored<'o> {
    output: &'o Output,
    known: HashMap<*const Value, Arc<Value>>,
}

impl<'o> Restored<'o> {
    fn of(output: &'o Output) -> Self {
        Self {
            output,
            known: HashMap::default(),
        }
    }

    /// The same value; `value` is not dropped before this.
    fn value(&mut self, value: &Arc<Value>) -> Arc<Value> {
        let entry = self.known.entry(Arc::as_ptr(value));
        let restored = entry.or_insert_with(|| self.output.restored(value).into());
        Arc::clone(restored)
    }
}

impl Output {
    /// Writes multiples by their names in all facts.
    pub(crate) fn restore_facts(&mut self) {
        if self.multiples.is_empty() {
            return;
        }
        let mut facts = std::mem::take(&mut self.facts);
        let mut restored = Restored::of(self);
        for fact in &mut facts {
            fact.value = restored.value(&fact.value);
        }
        self.facts = facts;
    }

    /// Writes multiples by their names in all mentions.
    pub(crate) fn restore_mentions(&mut self) {
        if self.multiples.is_empty() {
            return;
        }
        let mut mentions = std::mem::take(&mut self.mentions);
        let mut restored = Restored::of(self);
        for mention in &mut mentions {
            mention.value = restored.value(&mention.value);
        }
        self.mentions = mentions;
    }

    /// A value with multiples written by their names.
    pub(super) fn restored(&self, value: &Value) -> Value {
        if self.multiples.is_empty() {
            return value.clone();
        }
        value.map_integers(&|int| self.restored_int(int))
    }

    /// An integer with multiples written by their names.
    pub(super) fn restored_int(&self, int: &Int) -> Int {
        if int.as_expression().is_none() {
            return int.clone();
        }
        let multiples = self.multiples.iter();
        multiples.fold(int.clone(), |int, multiple| multiple.restored(&int))
    }
}

/// The least common multiple of two positive numbers; the first where it leaves the range.
fn common_multiple(a: i64, b: i64) -> i64 {
    let (mut x, mut y) = (a, b);
    while y != 0 {
        (x, y) = (y, x % y);
    }
    (a / x.max(1)).checked_mul(b).unwrap_or(a)
}
