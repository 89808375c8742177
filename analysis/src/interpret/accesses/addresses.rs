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
        if let Some(pointer) = self.place_at_given(&parts, &target) {
            return Held::Pointer(pointer);
        }
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
                lengths: Arc::default(),
                align: 1,
                element,
                ..Memory::clone(of)
            })
        };
        let offset = self.sum(&rest);
        Held::Pointer(Pointer {
            memory: Some(memory),
            offset,
            target,
            length: None,
        })
    }
}

impl Walker<'_, '_> {
    /// Whether a number is made of an address, or of one number that is an address.
    pub(super) fn may_be_address(&self, term: TermId) -> bool {
        self.has_address(term) || self.given_start(&self.out.terms.addends(term)).is_some()
    }

    /// The part of a sum that is a number of 64 bits which the kernel is given, or loads for all threads: the start of memory;
    /// with its name. None where there are several, or an address.
    fn given_start(&self, parts: &[(bool, TermId)]) -> Option<(usize, Arc<str>)> {
        let terms = &self.out.terms;
        let given = |part: TermId| {
            let symbol = terms.symbol(terms.as_symbol(part)?)?;
            let is_start = symbol.kind == SymbolKind::Uniform && terms.kind(part).bits == 64;
            is_start.then(|| Arc::clone(&symbol.name))
        };
        let parts = parts.iter().enumerate();
        let mut starts =
            parts.filter_map(|(index, (negative, part))| Some((index, negative, given(*part)?)));
        let (index, negative, name) = starts.next()?;
        (starts.next().is_none() && !negative).then_some((index, name))
    }

    /// The place at a sum with such a part.
    fn place_at_given(&mut self, parts: &[(bool, TermId)], target: &Ty) -> Option<Pointer> {
        if parts.iter().any(|(_, part)| self.has_address(*part)) {
            return None;
        }
        let (index, name) = self.given_start(parts)?;
        let mut rest = parts.to_vec();
        rest.remove(index);
        let element = self.size(target.innermost());
        let offset = self.sum(&rest);
        Some(Pointer {
            memory: Some(Arc::new(Memory {
                name,
                space: AccessSpace::Global,
                element,
                extent: None,
                lengths: Arc::default(),
                declared: None,
                align: 1,
                is_dynamic: false,
            })),
            offset,
            target: target.clone(),
            length: None,
        })
    }
}

fn pointer_to(target: Ty) -> Ty {
    Ty::Pointer(Box::new(target))
}
