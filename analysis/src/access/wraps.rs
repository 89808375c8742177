//! Offsets that are computed in 32 bits and do not fit, with a CTA and a thread that show it: each number is computed as
//! the program has it and as it is meant.

use std::sync::Arc;

use tree_sitter_cute::tree::Span;

use super::numbers::on_numbers;
use super::terms::{IntKind, Operator, SymbolId, SymbolKind, Term, TermId, Terms};
use super::trials::{Cta, Given};
use super::{AccessSpace, BlockFrom, Met, Walked};
use crate::finding::{Finding, Number, Related, Severity};
use crate::hash::HashMap;

/// The stable name of the rule.
pub(crate) const RULE: &str = "offset-overflow";
/// The number behind the largest `unsigned`.
const BEYOND_UNSIGNED: i128 = 1 << 32;
/// A block of unknown size, as large as one usually is.
const BLOCK: [i64; 3] = [16, 16, 1];
/// Passes of a loop with separate variables that are followed.
const PASSES: i64 = 256;
/// Places that are named with a finding, at most.
const MOST_RELATED: usize = 6;
/// The most CTAs of a grid in each direction (CUDA C++ programming guide, "Technical Specifications").
const MOST_CTAS: [i64; 3] = [(1 << 31) - 1, 65_535, 65_535];

/// A number as the program has it, as it is meant, and the first term of it that did not fit.
#[derive(Debug, Clone, Copy)]
struct Value {
    held: i64,
    exact: i128,
    first: Option<TermId>,
}

impl Value {
    fn of(held: i64) -> Self {
        let exact = i128::from(held);
        Self {
            held,
            exact,
            first: None,
        }
    }

    /// The number, where it is what is meant.
    fn right(self) -> Option<i64> {
        (i128::from(self.held) == self.exact).then_some(self.held)
    }
}

/// One thread at one pass of the loops.
#[derive(Clone)]
struct Point<'t> {
    terms: &'t Terms,
    thread: [i64; 3],
    block: [i64; 3],
    fixed: HashMap<SymbolId, Value>,
    known: HashMap<TermId, Option<Value>>,
}

impl<'t> Point<'t> {
    fn new(terms: &'t Terms, cta: &Cta, (thread, block): ([i64; 3], [i64; 3])) -> Self {
        let fixed = cta
            .iter()
            .map(|(symbol, value)| (*symbol, Value::of(*value)));
        Self {
            terms,
            thread,
            block,
            fixed: fixed.collect(),
            known: HashMap::default(),
        }
    }

    fn fix(&mut self, symbol: SymbolId, value: Value) {
        self.fixed.insert(symbol, value);
        self.known.clear();
    }

    fn value(&mut self, id: TermId) -> Option<Value> {
        let is_known = |id: TermId| self.known.contains_key(&id);
        let needed = self.terms.parts_but(id, is_known);
        for id in needed {
            let value = self.computed(id);
            self.known.insert(id, value);
        }
        self.at(id)
    }

    fn at(&self, id: TermId) -> Option<Value> {
        self.known.get(&id).copied().flatten()
    }

    fn computed(&self, id: TermId) -> Option<Value> {
        let kind = self.terms.kind(id);
        match self.terms.term(id) {
            Term::Number(value) => Some(Value::of(*value)),
            Term::Unknown(_) => None,
            Term::Symbol(symbol) => self.symbol(*symbol),
            Term::Not(inner) => Some(Value::of(i64::from(self.at(*inner)?.right()? == 0))),
            Term::Convert(inner) => {
                let of = self.at(*inner)?;
                if kind.bits < 32 {
                    // The low bits are what is meant.
                    return Some(Value::of(kind.converted(of.right()?)?));
                }
                let held = wrapped(i128::from(of.held), kind)?;
                Some(self.resulting(held, of.exact, of.first, id))
            }
            Term::Select(condition, then, otherwise) => {
                let taken = if self.at(*condition)?.right()? == 0 {
                    otherwise
                } else {
                    then
                };
                self.at(*taken)
            }
            Term::Binary(operator, a, b) => self.binary(id, *operator, (*a, *b), kind),
        }
    }

    fn binary(
        &self,
        id: TermId,
        operator: Operator,
        (a, b): (TermId, TermId),
        kind: IntKind,
    ) -> Option<Value> {
        let of = self.terms.kind(a);
        let is_negative = |id: TermId| {
            let number = self.terms.as_number(id);
            kind == IntKind::UNSIGNED && number.is_some_and(|number| number > largest(IntKind::INT))
        };
        // `x + -1u`
        let steps_back = operator == Operator::Add && (is_negative(a) || is_negative(b));
        let (a, b) = (self.at(a), self.at(b));
        let truth = |value: Option<Value>| value.and_then(Value::right);
        match operator {
            Operator::Both if truth(a) == Some(0) || truth(b) == Some(0) => {
                return Some(Value::of(0));
            }
            Operator::Either if truth(a) == Some(1) || truth(b) == Some(1) => {
                return Some(Value::of(1));
            }
            _ => {}
        }
        let (a, b) = (a?, b?);
        let on = |a: i128, b: i128| match operator {
            Operator::Add => a.checked_add(b),
            Operator::Sub => a.checked_sub(b),
            Operator::Mul => a.checked_mul(b),
            Operator::Shl if (0..32).contains(&b) => a.checked_mul(1 << b),
            _ => None,
        };
        let is_sum = matches!(
            operator,
            Operator::Add | Operator::Sub | Operator::Mul | Operator::Shl
        );
        if !is_sum || operator == Operator::Shl && b.right().is_none() {
            // Of a number that wraps around only a rest or the high bits may be meant.
            return on_numbers(operator, a.right()?, b.right()?, of).map(Value::of);
        }
        let exact = on(a.exact, b.exact)?;
        let exact = if steps_back {
            exact - BEYOND_UNSIGNED
        } else {
            exact
        };
        let held = wrapped(on(i128::from(a.held), i128::from(b.held))?, kind)?;
        Some(self.resulting(held, exact, a.first.or(b.first), id))
    }

    fn symbol(&self, id: SymbolId) -> Option<Value> {
        if let Some(value) = self.fixed.get(&id) {
            return Some(*value);
        }
        let of = |numbers: [i64; 3], axis: usize| numbers.get(axis).copied().map(Value::of);
        match self.terms.symbol(id)?.kind {
            SymbolKind::Thread(axis) => of(self.thread, axis),
            SymbolKind::BlockSize(axis) => of(self.block, axis),
            SymbolKind::Trip(_) | SymbolKind::Uniform | SymbolKind::OfWarp | SymbolKind::Head => {
                None
            }
        }
    }

    /// A number with the first term in it that did not fit. Arithmetic of unsigned numbers makes it right again, but not that
    /// of signed ones: C++ leaves their overflow undefined.
    fn resulting(&self, held: i64, exact: i128, first: Option<TermId>, id: TermId) -> Value {
        let is_undefined = |id: &TermId| {
            self.terms.kind(*id).signed && matches!(self.terms.term(*id), Term::Binary(..))
        };
        let is_right = i128::from(held) == exact;
        let first = if is_right {
            first.filter(is_undefined)
        } else {
            Some(first.unwrap_or(id))
        };
        Value { held, exact, first }
    }

    /// Whether the thread comes to an access.
    fn comes_to(&mut self, met: &Met) -> bool {
        met.guards.iter().all(|guard| {
            let value = self.value(guard.condition).and_then(Value::right);
            value.is_some_and(|value| value != 0)
        })
    }
}

/// The number of a type that stays of a number.
fn wrapped(value: i128, kind: IntKind) -> Option<i64> {
    if kind.bits >= 64 {
        return i64::try_from(value).ok();
    }
    let modulus = 1_i128.checked_shl(kind.bits)?;
    let rest = value.rem_euclid(modulus);
    let signed = if kind.signed && rest >= modulus / 2 {
        rest - modulus
    } else {
        rest
    };
    i64::try_from(signed).ok()
}

/// The largest number of a type.
fn largest(kind: IntKind) -> i64 {
    let bits = if kind.signed {
        kind.bits.saturating_sub(1)
    } else {
        kind.bits
    };
    1_i64
        .checked_shl(bits)
        .map_or(i64::MAX, |beyond| beyond.wrapping_sub(1))
}

/// A term that does not fit, with its number, and who comes to it.
struct Overflow {
    at: TermId,
    reached: i64,
    witness: String,
}

/// Looks at the addresses in global memory of all CTAs that are farthest.
pub(super) fn overflows(
    walked: &Walked,
    met: &[Met],
    block: Option<([i64; 3], BlockFrom)>,
    given: &[Given],
    instance: Option<&str>,
) -> Vec<Finding> {
    let mut found: Vec<Finding> = Vec::new();
    for met in met.iter().chain(&walked.pointers) {
        let Ok((memory, address)) = &met.address else {
            continue;
        };
        if memory.space != AccessSpace::Global {
            continue;
        }
        let overflow = if given.is_empty() {
            where_conditions_allow(walked, met, *address, block)
        } else {
            let mut launches = given.iter();
            launches.find_map(|launch| at_launch(walked, met, *address, block, launch))
        };
        let finding = overflow.map(|overflow| told(walked, met, &overflow, instance));
        found.extend(
            finding.filter(|new| !found.iter().any(|known: &Finding| known.span == new.span)),
        );
    }
    found
}

/// An overflow in one of the last CTAs of a launch.
fn at_launch(
    walked: &Walked,
    met: &Met,
    address: TermId,
    block: Option<([i64; 3], BlockFrom)>,
    launch: &Given,
) -> Option<Overflow> {
    let (block, _) = block?;
    let last = block.map(|extent| extent - 1);
    let threads = [last, [0; 3], [last[0], 0, 0]];
    for (cta, index) in launch.last_ctas(&walked.terms, &walked.assumed) {
        for thread in threads {
            let point = Point::new(&walked.terms, &cta, (thread, block));
            if let Some((at, reached)) = beyond(walked, met, address, &point) {
                let [x, y, z] = index;
                let [tx, ty, tz] = thread;
                let witness = format!("\nCTA ({x},{y},{z}), thread ({tx},{ty},{tz})");
                return Some(Overflow {
                    at,
                    reached,
                    witness,
                });
            }
        }
    }
    None
}

/// An overflow in the last CTA that comes to an access under conditions with known bounds: a launch of any size gets there.
fn where_conditions_allow(
    walked: &Walked,
    met: &Met,
    address: TermId,
    block: Option<([i64; 3], BlockFrom)>,
) -> Option<Overflow> {
    let terms = &walked.terms;
    let block = block.map_or(BLOCK, |(block, _)| block);
    let mut cta = Cta::new();
    for axis in ["x", "y", "z"] {
        cta.extend(
            terms
                .named(&format!("blockIdx.{axis}"))
                .map(|symbol| (symbol, 0)),
        );
    }
    let comes = |cta: &Cta| {
        let mut point = Point::new(terms, cta, ([0; 3], block));
        walk_loops(walked, met, &mut point, false)?;
        point.comes_to(met).then_some(())
    };
    comes(&cta)?;
    let mut is_bounded = false;
    for (axis, most) in ["x", "y", "z"].into_iter().zip(MOST_CTAS) {
        let Some(symbol) = terms.named(&format!("blockIdx.{axis}")) else {
            continue;
        };
        let mut with = |index: i64| {
            cta.insert(symbol, index);
            comes(&cta).is_some()
        };
        let last = last_that(most - 1, &mut with);
        // Without a condition nothing says how far the grid goes.
        let own = last.filter(|last| *last < most - 1).unwrap_or(0);
        is_bounded |= own > 0;
        cta.insert(symbol, own);
    }
    let point = Point::new(terms, &cta, ([0; 3], block));
    let (at, reached) = beyond(walked, met, address, &point).filter(|_| is_bounded)?;
    Some(Overflow {
        at,
        reached,
        witness: "\nits conditions let threads get this far".to_owned(),
    })
}

/// The largest number up to `most` for which something holds that holds for all before.
fn last_that(most: i64, holds: &mut dyn FnMut(i64) -> bool) -> Option<i64> {
    let (mut low, mut high) = (0, 1);
    while high <= most && holds(high) {
        low = high;
        high = high.checked_mul(2)?;
    }
    if high > most && holds(most) {
        return Some(most);
    }
    let mut high = high.min(most);
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if holds(middle) {
            low = middle;
        } else {
            high = middle;
        }
    }
    Some(low)
}

/// The part of an address that does not fit at the first or last passes of the loops around, with its number.
fn beyond(walked: &Walked, met: &Met, address: TermId, point: &Point<'_>) -> Option<(TermId, i64)> {
    for is_last in [true, false] {
        let mut point = point.clone();
        if walk_loops(walked, met, &mut point, is_last).is_none() || !point.comes_to(met) {
            continue;
        }
        let Some(first) = point.value(address).and_then(|address| address.first) else {
            continue;
        };
        let reached = i64::try_from(point.at(first)?.exact).ok()?;
        if reached > largest(walked.terms.kind(first)) {
            return Some((first, reached));
        }
    }
    None
}

/// Goes to the first or last pass of all loops around an access; nothing where the thread has none, or that is not known.
fn walk_loops(walked: &Walked, met: &Met, point: &mut Point<'_>, is_last: bool) -> Option<()> {
    for index in &met.loops {
        let repeat = walked.loops.get(*index)?;
        let condition = repeat.condition?;
        point.fix(repeat.trip, Value::of(0));
        for (symbol, first, _) in &repeat.followed {
            let first = point.value(*first)?;
            point.fix(*symbol, first);
        }
        let goes_on = |point: &mut Point<'_>| {
            let value = point.value(condition).and_then(Value::right);
            value.map(|value| value != 0)
        };
        if !goes_on(point)? {
            return None;
        }
        if !is_last {
            continue;
        }
        if repeat.followed.is_empty() {
            let mut at = |trip: i64| {
                point.fix(repeat.trip, Value::of(trip));
                goes_on(point).unwrap_or(false)
            };
            let last = last_that(i64::from(i32::MAX), &mut at)?;
            point.fix(repeat.trip, Value::of(last));
            continue;
        }
        for trip in 1..PASSES {
            let mut next = point.clone();
            let own = repeat.followed.iter();
            let own: Option<Vec<(SymbolId, Value)>> = own
                .map(|(symbol, _, following)| Some((*symbol, point.value(*following)?)))
                .collect();
            for (symbol, value) in own? {
                next.fix(symbol, value);
            }
            next.fix(repeat.trip, Value::of(trip));
            if goes_on(&mut next) != Some(true) {
                break;
            }
            *point = next;
        }
    }
    Some(())
}

fn told(walked: &Walked, met: &Met, overflow: &Overflow, instance: Option<&str>) -> Finding {
    let (terms, origins) = (&walked.terms, &walked.origins);
    let kind = terms.kind(overflow.at);
    let written = origins.of(overflow.at);
    let is_here = |span: &Span| walked.body.is_some_and(|body| body.encloses(*span));
    let span = written
        .map(|(whole, _)| whole)
        .filter(is_here)
        .unwrap_or(met.span);
    let name = match (kind.signed, origins.is_rust) {
        (true, false) => "an int",
        (false, false) => "an unsigned",
        (true, true) => "an i32",
        (false, true) => "a u32",
    };
    let (reached, largest) = (overflow.reached, largest(kind));
    let message = format!(
        "the index reaches {reached}, but {name} holds {largest} at most: it wraps around{}",
        overflow.witness
    );
    let is_converted = matches!(terms.term(overflow.at), Term::Convert(_));
    let computed = if is_converted {
        "converted to 32 bits"
    } else {
        "computed in 32 bits"
    };
    let mut related = Vec::new();
    let mut add = |span: Span, message: &str| {
        related.push(Related {
            span,
            message: message.to_owned(),
        });
    };
    if let Some((_, factor)) = written {
        add(factor, computed);
    }
    for place in origins.declared_with(terms, overflow.at) {
        add(place, "declared here");
    }
    if span != met.span {
        add(met.span, "the access");
    }
    Finding {
        numbers: vec![
            ("offset".to_owned(), Number::Integer(reached)),
            ("largest".to_owned(), Number::Integer(largest)),
        ],
        related,
        instance: instance.map(str::to_owned),
        ..Finding::new(RULE, Severity::Error, span, message)
    }
}

/// The places of the source that terms come from.
#[derive(Debug, Clone, Default)]
pub(crate) struct Origins {
    /// An expression, and the factor of it that decides on the type.
    written: HashMap<TermId, (Span, Span)>,
    /// Variables, by their values.
    declared: Vec<(TermId, Span)>,
    /// Integers that the kernel is given.
    parameters: Vec<SymbolId>,
    /// Whether types have the names of Rust.
    is_rust: bool,
}

impl Origins {
    /// The places of a source in Rust, or in C++.
    pub(crate) fn of_language(is_rust: bool) -> Self {
        Self {
            is_rust,
            ..Self::default()
        }
    }

    /// Notes the expression of a term, and its first operand.
    pub(crate) fn note(&mut self, term: TermId, whole: Span, factor: Span) {
        self.written.entry(term).or_insert((whole, factor));
    }

    /// Notes a variable with this value.
    pub(crate) fn declare(&mut self, term: TermId, name: Span) {
        if !self.declared.contains(&(term, name)) {
            self.declared.push((term, name));
        }
    }

    /// The variables with this value.
    pub(crate) fn named(&self, term: TermId) -> impl Iterator<Item = Span> {
        let declared = self.declared.iter();
        declared
            .filter(move |(known, _)| *known == term)
            .map(|(_, name)| *name)
    }

    /// Notes an integer that the kernel is given.
    pub(crate) fn give(&mut self, symbol: SymbolId) {
        self.parameters.push(symbol);
    }

    /// Whether a symbol is an integer that the kernel is given.
    pub(crate) fn is_parameter(&self, symbol: SymbolId) -> bool {
        self.parameters.contains(&symbol)
    }

    /// The places that an offset comes from: its variables, and what loops give them for the next pass.
    pub(super) fn leading_to(&self, walked: &Walked, offset: TermId) -> Vec<Related> {
        let terms = &walked.terms;
        let symbols = terms.symbols_of(offset);
        let followed = walked.loops.iter().flat_map(|repeat| &repeat.followed);
        let own = followed.filter(|(symbol, ..)| symbols.contains(symbol));
        let mut found: Vec<Related> = Vec::new();
        let mut add = |span: Span, message: &str| {
            if found.len() < MOST_RELATED && found.iter().all(|known| known.span != span) {
                found.push(Related {
                    span,
                    message: message.to_owned(),
                });
            }
        };
        for (_, _, following) in own {
            let next = terms.parts_of(*following);
            let written = next.iter().filter_map(|part| self.of(*part));
            written.for_each(|(whole, _)| add(whole, "counted here"));
        }
        for part in terms.parts_of(offset) {
            if terms.as_number(part).is_none() && terms.as_symbol(part).is_none() {
                let declared = self.declared.iter().filter(|(value, _)| *value == part);
                declared.for_each(|(_, name)| add(*name, "declared here"));
            }
        }
        found
    }

    fn of(&self, term: TermId) -> Option<(Span, Span)> {
        self.written.get(&term).copied()
    }

    /// The variables that a term is made of, or that have its value.
    fn declared_with(&self, terms: &Terms, term: TermId) -> Vec<Span> {
        let parts = terms.parts_of(term);
        let mut found: Vec<Span> = Vec::new();
        for (value, name) in &self.declared {
            let is_number = terms.as_number(*value).is_some();
            let is_part = parts.contains(value) && !is_number || *value == term;
            if is_part && !found.contains(name) {
                found.push(*name);
            }
        }
        found
    }
}

/// Parameters whose values are assumed, by their names.
pub(crate) type Assumed = Vec<(Arc<str>, i64)>;
