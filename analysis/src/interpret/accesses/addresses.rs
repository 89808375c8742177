//! Addresses as numbers: `(reinterpret_cast<uintptr_t>(p) + 127) & ~127`, which is a pointer again later.

use std::sync::Arc;

use super::Walker;
use super::held::{Held, Pointer, Ty};
use crate::access::terms::{IntKind, Operator, SymbolKind, TermId};
use crate::access::{AccessSpace, INDEX, Memory, text};

impl<'u> Walker<'_, 'u> {
    /// The number that an address is: a symbol for the start of the memory, and the bytes from there.
    pub(super) fn as_number(&mut self, pointer: &Pointer, kind: IntKind) -> Held<'u> {
        let is_wide = |memory: &Memory| {
            kind.bits == 64 || kind.bits == 32 && memory.space == AccessSpace::Shared
        };
        let Some(memory) = pointer.memory.as_ref().filter(|memory| is_wide(memory)) else {
            return Held::Int(self.unknown("an address as a number", kind));
        };
        let start =
            self.terms()
                .shared(&format!("&{}", memory.name), SymbolKind::Uniform, INDEX, 0);
        let Some(symbol) = self.out.terms.as_symbol(start) else {
            return Held::Int(self.unknown("an address as a number", kind));
        };
        // Of two arrays with one name, only the first is followed.
        let known = self
            .addresses
            .entry(symbol)
            .or_insert_with(|| Arc::clone(memory));
        if known != memory {
            return Held::Int(self.unknown("an address as a number", kind));
        }
        let terms = self.terms();
        let sum = terms.binary(Operator::Add, start, pointer.offset);
        Held::Int(if kind.bits == 64 {
            terms.convert(sum, kind)
        } else {
            sum
        })
    }

    /// Whether a number is made of an address in shared memory.
    pub(super) fn is_in_shared(&self, term: TermId) -> bool {
        let symbols = self.out.terms.symbols_of(term);
        symbols.iter().any(|symbol| {
            let memory = self.addresses.get(symbol);
            memory.is_some_and(|memory| memory.space == AccessSpace::Shared)
        })
    }

    /// Whether a number is made of an address.
    pub(super) fn has_address(&self, term: TermId) -> bool {
        let symbols = self.out.terms.symbols_of(term);
        symbols
            .iter()
            .any(|symbol| self.addresses.contains_key(symbol))
    }

    /// A sum of parts, each with whether it is subtracted.
    fn sum(&mut self, parts: &[(bool, TermId)]) -> TermId {
        let terms = self.terms();
        let zero = terms.number(0, INDEX);
        parts.iter().fold(zero, |sum, (negative, part)| {
            let operator = if *negative {
                Operator::Sub
            } else {
                Operator::Add
            };
            let part = terms.convert(*part, INDEX);
            terms.binary(operator, sum, part)
        })
    }

    /// The address that a number is: the memory and the bytes from its start, or separate memory that begins at the
    /// number, where that is the same for all threads.
    pub(super) fn as_pointer(&mut self, term: TermId, target: Ty) -> Held<'u> {
        let parts = self.out.terms.addends(term);
        let (starts, rest): (Vec<_>, Vec<_>) = parts
            .iter()
            .copied()
            .partition(|(_, part)| self.has_address(*part));
        let start = self.sum(&starts);
        let whole = self.out.terms.as_symbol(start);
        let element = self.size(target.innermost());
        let memory = if let Some(memory) = whole.and_then(|symbol| self.addresses.get(&symbol)) {
            Arc::clone(memory)
        } else {
            let terms = &self.out.terms;
            let first = terms.symbols_of(start).into_iter();
            let of: Vec<_> = first
                .filter_map(|symbol| self.addresses.get(&symbol))
                .collect();
            let ([of], false, None) = (of.as_slice(), terms.varies(start), terms.unknown_in(start))
            else {
                return Held::Other("a number as an address".into(), Some(pointer_to(target)));
            };
            Arc::new(Memory {
                name: text::of(terms, start).into(),
                extent: None,
                element,
                ..Memory::clone(of)
            })
        };
        let offset = self.sum(&rest);
        Held::Pointer(Pointer {
            memory: Some(memory),
            offset,
            target,
        })
    }
}

fn pointer_to(target: Ty) -> Ty {
    Ty::Pointer(Box::new(target))
}
