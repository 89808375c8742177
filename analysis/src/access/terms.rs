//! Address arithmetic as terms over the indices of threads, blocks and loops. Equal terms are one term, so that a value that
//! is used a hundred times is computed once.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::lanes::BEYOND;
use super::numbers::on_numbers;
pub(crate) use super::numbers::{IntKind, Operator};
use crate::hash::HashMap;
use crate::limits;

/// The place of a term.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct TermId(u32);

/// The place of a symbol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct SymbolId(u32);

/// The form of a term.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Term {
    /// A number.
    Number(i64),
    /// A symbol.
    Symbol(SymbolId),
    /// An operator between two terms, which have its type.
    Binary(Operator, TermId, TermId),
    /// A truth value's opposite.
    Not(TermId),
    /// `condition ? then : otherwise`.
    Select(TermId, TermId, TermId),
    /// Another type's value.
    Convert(TermId),
    /// An unknown value, with the reason.
    Unknown(Arc<str>),
}

/// The kind of a symbol.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum SymbolKind {
    /// `threadIdx`, by its axis.
    Thread(usize),
    /// `blockDim`, by its axis.
    BlockSize(usize),
    /// The passes of a loop so far.
    Trip(usize),
    /// A number that is the same for all threads of a block at a time.
    Uniform,
    /// A number that is the same for all lanes of a warp at a time.
    OfWarp,
    /// The value of a variable at the head of a loop, during the first walk of the loop.
    Head,
}

/// The object of a symbol that the kernel is given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Owner {
    pub(super) object: Arc<str>,
    /// The number of its members.
    pub(super) members: usize,
    /// Of the divisor for which the object was made, the members that divide by it: multiplier and shift. None of a member.
    pub(super) divides: Option<[SymbolId; 2]>,
}

/// A symbol.
#[derive(Debug, Clone)]
pub(crate) struct Symbol {
    /// As a person writes it.
    pub(crate) name: Arc<str>,
    /// Its kind.
    pub(crate) kind: SymbolKind,
    /// The least value.
    pub(crate) least: i64,
    /// Whether it is one number wherever it is named: `gridDim.x`, a parameter of the kernel.
    pub(crate) is_lasting: bool,
    /// The object that the kernel is given and whose member it is.
    pub(super) owner: Option<Owner>,
}

/// A loop: its passes are counted by a symbol.
#[derive(Debug, Clone)]
pub(crate) struct Repeat {
    /// The symbol that counts them from 0.
    pub(crate) trip: SymbolId,
    /// Whether there is one more pass, in terms of the counter; `None` where this is known only at run time.
    pub(crate) condition: Option<TermId>,
    /// The counter as the source has it: its name, first value and step, where both are numbers.
    pub(crate) counter: Option<(Arc<str>, i64, i64)>,
    /// Variables that follow a separate rule: symbol, first value, next value in terms of the symbols.
    pub(crate) followed: Vec<(SymbolId, TermId, TermId)>,
}

/// All terms of a kernel.
#[derive(Debug, Clone, Default)]
pub(crate) struct Terms {
    nodes: Vec<(Term, IntKind)>,
    known: HashMap<(Term, IntKind), TermId>,
    symbols: Vec<Symbol>,
    by_name: HashMap<Arc<str>, SymbolId>,
    /// The name of a term in the source: the counter of a loop.
    said: HashMap<TermId, Arc<str>>,
}

impl Terms {
    /// The term with this content and type.
    pub(crate) fn make(&mut self, term: Term, kind: IntKind) -> TermId {
        if let Some(id) = self.known.get(&(term.clone(), kind)) {
            return *id;
        }
        if self.nodes.len() >= limits::ACCESS_TERMS && !matches!(term, Term::Unknown(_)) {
            return self.unknown("its terms are too many", kind);
        }
        let id = TermId(u32::try_from(self.nodes.len()).unwrap_or(u32::MAX));
        self.nodes.push((term.clone(), kind));
        self.known.insert((term, kind), id);
        id
    }

    /// The form of a term.
    pub(crate) fn term(&self, id: TermId) -> &Term {
        const NOTHING: &Term = &Term::Number(0);
        self.nodes.get(id.index()).map_or(NOTHING, |(term, _)| term)
    }

    /// Its type.
    pub(crate) fn kind(&self, id: TermId) -> IntKind {
        self.nodes
            .get(id.index())
            .map_or(IntKind::INT, |(_, kind)| *kind)
    }

    /// Notes the name of a term in the source.
    pub(crate) fn say(&mut self, id: TermId, name: &str) {
        self.said.insert(id, name.into());
    }

    /// The name of a term in the source.
    pub(crate) fn said(&self, id: TermId) -> Option<&str> {
        self.said.get(&id).map(|name| &**name)
    }

    /// An unknown value.
    pub(crate) fn unknown(&mut self, why: &str, kind: IntKind) -> TermId {
        self.make(Term::Unknown(why.into()), kind)
    }

    /// A number of a type.
    pub(crate) fn number(&mut self, value: i64, kind: IntKind) -> TermId {
        self.make(Term::Number(value), kind)
    }

    /// The number that a term is.
    pub(crate) fn as_number(&self, id: TermId) -> Option<i64> {
        match self.term(id) {
            Term::Number(value) => Some(*value),
            _ => None,
        }
    }

    /// Why a term is not known, where it is not known at all.
    pub(crate) fn as_unknown(&self, id: TermId) -> Option<&Arc<str>> {
        match self.term(id) {
            Term::Unknown(why) => Some(why),
            _ => None,
        }
    }

    /// A symbol that is the same wherever it is named.
    pub(crate) fn shared(
        &mut self,
        name: &str,
        kind: SymbolKind,
        ty: IntKind,
        least: i64,
    ) -> TermId {
        let id = if let Some(id) = self.by_name.get(name) {
            *id
        } else {
            let id = self.push(name.into(), kind, least, true);
            self.by_name.insert(name.into(), id);
            id
        };
        self.make(Term::Symbol(id), ty)
    }

    /// A new symbol; its name is changed where it is taken.
    pub(crate) fn fresh(&mut self, name: &str, kind: SymbolKind, ty: IntKind) -> TermId {
        let least = if matches!(kind, SymbolKind::Trip(_)) {
            0
        } else {
            ty.least()
        };
        self.fresh_from(name, kind, ty, least)
    }

    /// As [`fresh`](Self::fresh), at least so much.
    pub(crate) fn fresh_from(
        &mut self,
        name: &str,
        kind: SymbolKind,
        ty: IntKind,
        least: i64,
    ) -> TermId {
        let mut own: Arc<str> = name.into();
        let mut count = 1;
        while self.by_name.contains_key(&own) {
            count += 1;
            own = format!("{name}'{count}").into();
        }
        let id = self.push(Arc::clone(&own), kind, least, false);
        self.by_name.insert(own, id);
        self.make(Term::Symbol(id), ty)
    }

    fn push(&mut self, name: Arc<str>, kind: SymbolKind, least: i64, is_lasting: bool) -> SymbolId {
        let id = SymbolId(u32::try_from(self.symbols.len()).unwrap_or(u32::MAX));
        self.symbols.push(Symbol {
            name,
            kind,
            least,
            is_lasting,
            owner: None,
        });
        id
    }

    /// The symbol of a name.
    pub(crate) fn named(&self, name: &str) -> Option<SymbolId> {
        self.by_name.get(name).copied()
    }

    /// Number of symbols: later ones are at this place and behind.
    pub(crate) fn mark(&self) -> SymbolId {
        SymbolId(u32::try_from(self.symbols.len()).unwrap_or(u32::MAX))
    }

    /// A symbol.
    pub(crate) fn symbol(&self, id: SymbolId) -> Option<&Symbol> {
        self.symbols
            .get(usize::try_from(id.0).unwrap_or(usize::MAX))
    }

    /// Says whose member a symbol is.
    pub(super) fn own(&mut self, id: SymbolId, owner: Owner) {
        let index = usize::try_from(id.0).unwrap_or(usize::MAX);
        if let Some(symbol) = self.symbols.get_mut(index) {
            symbol.owner = Some(owner);
        }
    }

    /// Whether a symbol was there at a mark, or is one number wherever it is named.
    pub(crate) fn is_older(&self, symbol: SymbolId, mark: SymbolId) -> bool {
        symbol < mark || self.symbol(symbol).is_some_and(|symbol| symbol.is_lasting)
    }

    /// The symbol that a term is.
    pub(crate) fn as_symbol(&self, id: TermId) -> Option<SymbolId> {
        match self.term(id) {
            Term::Symbol(symbol) => Some(*symbol),
            _ => None,
        }
    }

    /// The value of `left operator right`.
    pub(crate) fn binary(&mut self, operator: Operator, left: TermId, right: TermId) -> TermId {
        for side in [left, right] {
            if matches!(self.term(side), Term::Unknown(_)) && !operator.is_truth() {
                return side;
            }
        }
        if operator == Operator::And
            && let Some(masked) = self.without_low_bits(left, right)
        {
            return masked;
        }
        let (left, right, kind) = match operator {
            Operator::Both | Operator::Either => {
                let (left, right) = (self.truth(left), self.truth(right));
                (left, right, IntKind::BOOL)
            }
            // The result has the type of the left operand.
            Operator::Shl | Operator::Shr => {
                let kind = self.kind(left).promoted();
                (self.convert(left, kind), right, kind)
            }
            _ => {
                let kind = self.kind(left).common(self.kind(right));
                let (left, right) = (self.convert(left, kind), self.convert(right, kind));
                (
                    left,
                    right,
                    if operator.is_truth() {
                        IntKind::BOOL
                    } else {
                        kind
                    },
                )
            }
        };
        if let (Some(a), Some(b)) = (self.as_number(left), self.as_number(right)) {
            let of = self.kind(left);
            match on_numbers(operator, a, b, of) {
                Some(value) => return self.number(value, kind),
                // Its number is told where it is an index.
                None if matches!(operator, Operator::Add | Operator::Sub | Operator::Mul) => {}
                // It exceeds the numbers that are followed; its bits are known all the same.
                None if operator == Operator::Shl
                    && of == IntKind::UNSIGNED_LONG
                    && (0..64).contains(&b) => {}
                None => return self.unknown("its arithmetic overflows", kind),
            }
        }
        // Terms that are not known may be one term and two numbers.
        if left == right && self.unknown_in(left).is_none() {
            match operator {
                Operator::Less | Operator::NotEqual => return self.number(0, kind),
                Operator::Equal | Operator::LessEqual => return self.number(1, kind),
                _ => {}
            }
        }
        // No unsigned number is below 0.
        if operator == Operator::Less && !self.kind(left).signed && self.as_number(right) == Some(0)
        {
            return self.number(0, kind);
        }
        if operator == Operator::Shr
            && let Some(quotient) = self.fast_quotient(left, right)
        {
            return quotient;
        }
        match (operator, self.as_number(left), self.as_number(right)) {
            (Operator::Add | Operator::Or | Operator::Xor | Operator::Either, Some(0), _) => {
                return right;
            }
            (
                Operator::Add
                | Operator::Sub
                | Operator::Or
                | Operator::Either
                | Operator::Xor
                | Operator::Shl
                | Operator::Shr,
                _,
                Some(0),
            )
            | (Operator::Mul | Operator::Div | Operator::Both, _, Some(1)) => return left,
            (Operator::Mul | Operator::Both, Some(1), _) => return right,
            (Operator::Either, Some(1), _) | (Operator::Either, _, Some(1)) => {
                return self.number(1, kind);
            }
            (Operator::Mul | Operator::And | Operator::Both, Some(0), _)
            | (Operator::Mul | Operator::And | Operator::Both, _, Some(0)) => {
                return self.number(0, kind);
            }
            (Operator::Sub | Operator::Xor, _, _) if left == right => return self.number(0, kind),
            // `n - n / d * d`
            (Operator::Sub, _, _) => {
                if let Some(divisor) = self.divisor_of_rest(left, right) {
                    let rest = self.binary(Operator::Rem, left, divisor);
                    return self.convert(rest, kind);
                }
            }
            _ => {}
        }
        self.make(Term::Binary(operator, left, right), kind)
    }

    /// `~x`.
    pub(crate) fn complement(&mut self, id: TermId) -> TermId {
        let kind = self.kind(id).promoted();
        let id = self.convert(id, kind);
        if let (IntKind::UNSIGNED_LONG, Some(value)) = (kind, self.as_number(id)) {
            // Beyond 63 bits: as a mask it is of use all the same.
            let mask = self.number(!value, IntKind::LONG);
            return self.make(Term::Convert(mask), kind);
        }
        let ones = self.number(-1, IntKind::LONG);
        let ones = self.convert(ones, kind);
        self.binary(Operator::Xor, id, ones)
    }

    /// The number that a term is, or the number below 0 that it is converted from.
    fn as_mask(&self, id: TermId) -> Option<i64> {
        match self.term(id) {
            Term::Convert(inner) if self.kind(id) == IntKind::UNSIGNED_LONG => {
                self.as_number(*inner).filter(|value| *value < 0)
            }
            _ => self.as_number(id),
        }
    }

    /// `x & ~127` of an unsigned number of 64 bits: the mask is kept as a number below 0.
    fn without_low_bits(&mut self, left: TermId, right: TermId) -> Option<TermId> {
        let kind = self.kind(left).common(self.kind(right));
        let (of, mask) = match (self.as_mask(left), self.as_mask(right)) {
            (None, Some(mask)) => (left, mask),
            (Some(mask), None) => (right, mask),
            _ => return None,
        };
        if kind != IntKind::UNSIGNED_LONG || mask >= 0 {
            return None;
        }
        let of = self.convert(of, kind);
        let mask = self.number(mask, IntKind::LONG);
        Some(self.make(Term::Binary(Operator::And, of, mask), kind))
    }

    /// A term as another type.
    pub(crate) fn convert(&mut self, id: TermId, kind: IntKind) -> TermId {
        if self.kind(id) == kind {
            return id;
        }
        if kind == IntKind::BOOL {
            return self.truth(id);
        }
        match self.term(id).clone() {
            Term::Number(value) => match kind.converted(value) {
                Some(value) => self.number(value, kind),
                None => self.unknown(BEYOND, kind),
            },
            Term::Unknown(why) => self.make(Term::Unknown(why), kind),
            _ => self.make(Term::Convert(id), kind),
        }
    }

    /// The truth of a number: other than 0.
    pub(crate) fn truth(&mut self, id: TermId) -> TermId {
        if self.kind(id) == IntKind::BOOL {
            return id;
        }
        let zero = self.number(0, self.kind(id));
        self.binary(Operator::NotEqual, id, zero)
    }

    /// The opposite of a truth value.
    pub(crate) fn not(&mut self, id: TermId) -> TermId {
        let id = self.truth(id);
        match self.term(id) {
            Term::Number(value) => {
                let opposite = i64::from(*value == 0);
                self.number(opposite, IntKind::BOOL)
            }
            Term::Not(inner) => *inner,
            Term::Unknown(_) => id,
            _ => self.make(Term::Not(id), IntKind::BOOL),
        }
    }

    /// `condition ? then : otherwise`, both of one type.
    pub(crate) fn select(&mut self, condition: TermId, then: TermId, otherwise: TermId) -> TermId {
        if then == otherwise {
            return then;
        }
        let condition = self.truth(condition);
        if let Some(quotient) = self.quotient_by_one_or_more(condition, then, otherwise) {
            return quotient;
        }
        if self.kind(then) == IntKind::BOOL && self.kind(otherwise) == IntKind::BOOL {
            match (self.as_number(then), self.as_number(otherwise)) {
                (Some(1), Some(0)) => return condition,
                (Some(0), Some(1)) => return self.not(condition),
                _ => {}
            }
        }
        match self.term(condition).clone() {
            Term::Number(0) => otherwise,
            Term::Number(_) => then,
            Term::Unknown(why) => {
                let kind = self.kind(then);
                self.make(Term::Unknown(why), kind)
            }
            _ => {
                let kind = self.kind(then);
                let otherwise = self.convert(otherwise, kind);
                self.make(Term::Select(condition, then, otherwise), kind)
            }
        }
    }

    /// The symbols in a term.
    pub(crate) fn symbols_of(&self, id: TermId) -> BTreeSet<SymbolId> {
        let symbols = self.inside(id).into_iter().filter_map(|term| match term {
            Term::Symbol(symbol) => Some(*symbol),
            _ => None,
        });
        symbols.collect()
    }

    /// Why something in a term is not known.
    pub(crate) fn unknown_in(&self, id: TermId) -> Option<Arc<str>> {
        self.inside(id).into_iter().find_map(|term| match term {
            Term::Unknown(why) => Some(Arc::clone(why)),
            _ => None,
        })
    }

    /// The forms of a term and of all that it is made of, each once.
    fn inside(&self, id: TermId) -> Vec<&Term> {
        let parts = self.parts_of(id);
        parts.into_iter().map(|id| self.term(id)).collect()
    }

    /// A term and all terms that it is made of.
    pub(crate) fn parts_of(&self, id: TermId) -> BTreeSet<TermId> {
        self.parts_but(id, |_| false)
    }

    /// The same without the terms that are known, and what only those are made of. A term is made after its parts, so
    /// that each comes behind its own.
    pub(crate) fn parts_but(
        &self,
        id: TermId,
        is_known: impl Fn(TermId) -> bool,
    ) -> BTreeSet<TermId> {
        let mut seen = BTreeSet::new();
        let mut open = vec![id];
        while let Some(id) = open.pop() {
            if is_known(id) || !seen.insert(id) {
                continue;
            }
            match self.term(id) {
                Term::Binary(_, a, b) => open.extend([*a, *b]),
                Term::Select(a, b, c) => open.extend([*a, *b, *c]),
                Term::Convert(inner) | Term::Not(inner) => open.push(*inner),
                Term::Number(_) | Term::Symbol(_) | Term::Unknown(_) => {}
            }
        }
        seen
    }

    /// A term and the parts of its sums, products and choices, each after its own parts.
    pub(crate) fn arithmetic_of(&self, id: TermId) -> BTreeSet<TermId> {
        let mut seen = BTreeSet::new();
        let mut open = vec![id];
        while let Some(id) = open.pop() {
            if !seen.insert(id) {
                continue;
            }
            match self.term(id) {
                Term::Binary(Operator::Add | Operator::Sub | Operator::Mul, a, b)
                | Term::Select(_, a, b) => open.extend([*a, *b]),
                Term::Convert(inner) if self.keeps_value(id, *inner) => open.push(*inner),
                _ => {}
            }
        }
        seen
    }

    /// Whether a conversion is one between types of 64 bits, beyond which no address goes.
    pub(crate) fn keeps_value(&self, converted: TermId, inner: TermId) -> bool {
        self.kind(converted).bits == 64 && self.kind(inner).bits == 64
    }

    /// Whether threads of a block differ in a term.
    pub(crate) fn varies(&self, id: TermId) -> bool {
        self.symbols_of(id).into_iter().any(|symbol| {
            self.symbol(symbol).is_some_and(|symbol| {
                matches!(symbol.kind, SymbolKind::Thread(_) | SymbolKind::OfWarp)
            })
        })
    }

    /// Whether the size of a block is in a term.
    pub(crate) fn is_of_block(&self, id: TermId) -> bool {
        self.symbols_of(id).into_iter().any(|symbol| {
            self.symbol(symbol)
                .is_some_and(|symbol| matches!(symbol.kind, SymbolKind::BlockSize(_)))
        })
    }

    /// The parts of a sum, each with whether it is subtracted. Conversions between types of one width, or to a wider signed
    /// one, change no part where nothing wraps.
    pub(crate) fn addends(&self, id: TermId) -> Vec<(bool, TermId)> {
        let mut parts = Vec::new();
        let mut open = vec![(false, id)];
        while let Some((negative, id)) = open.pop() {
            match self.term(id) {
                Term::Binary(Operator::Add, a, b) => {
                    open.extend([(negative, *b), (negative, *a)]);
                }
                Term::Binary(Operator::Sub, a, b) => {
                    open.extend([(!negative, *b), (negative, *a)]);
                }
                Term::Convert(inner)
                    if self.kind(*inner).bits >= 32
                        && (self.kind(id).bits == self.kind(*inner).bits
                            || (self.kind(*inner).signed
                                && self.kind(id).bits > self.kind(*inner).bits)) =>
                {
                    open.push((negative, *inner));
                }
                _ => parts.push((negative, id)),
            }
        }
        parts
    }
}

impl TermId {
    /// Its place.
    pub(crate) fn index(self) -> usize {
        usize::try_from(self.0).unwrap_or(usize::MAX)
    }
}
