//! Values as values of another type, and one value of two.

use std::sync::Arc;

use super::Walker;
use super::held::{Held, Parts, Pointer, Ty};
use crate::access::terms::{IntKind, TermId};
use crate::access::{AccessSpace, Memory, text};

impl<'u> Walker<'_, 'u> {
    /// `condition ? then : otherwise`.
    pub(super) fn joined(
        &mut self,
        condition: TermId,
        then: Held<'u>,
        otherwise: Held<'u>,
    ) -> Held<'u> {
        if then == otherwise {
            return then;
        }
        match (then, otherwise) {
            (Held::Unset, set) | (set, Held::Unset) => set,
            (Held::Int(then), Held::Int(otherwise)) => {
                let kind = self.kind_of_either(then, otherwise);
                let terms = self.terms();
                let (then, otherwise) = (terms.convert(then, kind), terms.convert(otherwise, kind));
                Held::Int(terms.select(condition, then, otherwise))
            }
            (Held::Pointer(then), Held::Pointer(otherwise)) if then.memory == otherwise.memory => {
                let offset = self
                    .terms()
                    .select(condition, then.offset, otherwise.offset);
                Held::Pointer(Pointer { offset, ..then })
            }
            (Held::Pointer(then), Held::Pointer(otherwise))
                if self.is_one_for_all(condition, &then, &otherwise) =>
            {
                self.either_memory(condition, then, &otherwise)
            }
            // A thread that goes through a null pointer fails in any case.
            (pointer @ Held::Pointer(_), Held::Null) | (Held::Null, pointer @ Held::Pointer(_)) => {
                pointer
            }
            (Held::Parts(then), Held::Parts(otherwise)) => {
                self.joined_parts(condition, then, otherwise)
            }
            (Held::Maybe(then), Held::Maybe(otherwise)) => {
                self.joined_options(condition, *then, *otherwise)
            }
            (Held::View(then), Held::View(otherwise)) => {
                self.joined_views(condition, *then, *otherwise)
            }
            (then @ Held::Other(..), _) => then,
            (then, otherwise) => {
                let ty = then.ty(&self.out.terms);
                let ty = ty.or_else(|| otherwise.ty(&self.out.terms));
                Held::Other("which value it has depends on a condition".into(), ty)
            }
        }
    }

    /// The type of a choice between two numbers. In Rust both have it: a literal without a suffix takes that of the other.
    fn kind_of_either(&self, then: TermId, otherwise: TermId) -> IntKind {
        let terms = &self.out.terms;
        let is_open = |id| terms.kind(id) == IntKind::LONG && terms.as_number(id).is_some();
        let kinds = (terms.kind(then), terms.kind(otherwise));
        match (is_open(then), is_open(otherwise)) {
            _ if kinds.0 == kinds.1 => kinds.0,
            (true, false) if self.it.is_rust() => kinds.1,
            (false, true) if self.it.is_rust() => kinds.0,
            _ => kinds.0.common(kinds.1),
        }
    }

    /// Whether all threads of a block take the same of two pointers to global memory, with pointees of one type.
    fn is_one_for_all(&self, condition: TermId, then: &Pointer, otherwise: &Pointer) -> bool {
        let terms = &self.out.terms;
        let is_global = |pointer: &Pointer| {
            let memory = pointer.memory.as_ref();
            memory.is_some_and(|memory| memory.space == AccessSpace::Global)
        };
        then.target == otherwise.target
            && is_global(then)
            && is_global(otherwise)
            && !terms.varies(condition)
            && terms.unknown_in(condition).is_none()
    }

    /// The memory of one of two pointers, which is the same for all threads; the bytes from its start depend on the condition,
    /// too.
    fn either_memory(&mut self, condition: TermId, then: Pointer, otherwise: &Pointer) -> Held<'u> {
        let offset = self
            .terms()
            .select(condition, then.offset, otherwise.offset);
        let (Some(first), Some(second)) = (&then.memory, &otherwise.memory) else {
            return Held::Pointer(then);
        };
        let condition = text::of(&self.out.terms, condition);
        let memory = Memory {
            name: format!("({condition} ? {} : {})", first.name, second.name).into(),
            space: AccessSpace::Global,
            element: first.element.filter(|_| first.element == second.element),
            extent: None,
            lengths: Arc::default(),
            declared: None,
            align: 1,
            is_dynamic: false,
        };
        Held::Pointer(Pointer {
            memory: Some(Arc::new(memory)),
            offset,
            target: then.target,
            length: None,
        })
    }

    /// The same of two objects, member by member.
    fn joined_parts(
        &mut self,
        condition: TermId,
        then: Parts<'u>,
        mut otherwise: Parts<'u>,
    ) -> Held<'u> {
        let names = |parts: &Parts<'u>| parts.members.keys().copied().collect::<Vec<_>>();
        if then.ty != otherwise.ty || names(&then) != names(&otherwise) {
            let why = "which value it has depends on a condition";
            return Held::Other(why.into(), then.ty);
        }
        for (name, local) in then.members {
            if let Some(other) = otherwise.members.get_mut(name) {
                let held = std::mem::replace(&mut other.held, Held::Null);
                other.held = self.joined(condition, local.held, held);
            }
        }
        Held::Parts(otherwise)
    }

    /// A value as another type.
    pub(super) fn converted(&mut self, held: Held<'u>, ty: &Ty) -> Held<'u> {
        match (held, ty) {
            // An address in shared memory has 32 bits.
            (Held::Int(term), Ty::Int(kind)) if kind.bits == 32 && self.is_in_shared(term) => {
                Held::Int(term)
            }
            (Held::Int(term), Ty::Int(kind)) => Held::Int(self.terms().convert(term, *kind)),
            (Held::Pointer(pointer), Ty::Pointer(target)) => Held::Pointer(Pointer {
                target: deduced(target, &pointer.target),
                ..pointer
            }),
            (Held::Given(part), ty) => self.given_as(part, ty),
            (Held::Other(why, _), Ty::Int(kind)) => Held::Int(self.unknown(&why, *kind)),
            (held, Ty::Auto) => held,
            (Held::Other(why, _), ty) => Held::Other(why, Some(ty.clone())),
            (Held::Parts(parts), ty @ (Ty::Int(_) | Ty::Pointer(_))) => {
                let _ = parts;
                self.converted(Held::Other("a conversion of an object".into(), None), ty)
            }
            (Held::Parts(parts), ty) if is_another_class(&parts, ty) => {
                Held::Other("a conversion of an object".into(), Some(ty.clone()))
            }
            (Held::Pointer(pointer), Ty::Int(kind)) => self.as_number(&pointer, *kind),
            (Held::Int(term), Ty::Pointer(target)) if self.may_be_address(term) => {
                self.as_pointer(term, Ty::clone(target))
            }
            (Held::Int(term), ty @ Ty::Pointer(_)) => {
                let why = self.out.terms.as_unknown(term).cloned();
                let why = why.unwrap_or_else(|| "a number as an address".into());
                Held::Other(why, Some(ty.clone()))
            }
            (Held::Int(_), ty) => Held::Other("it is not an integer".into(), Some(ty.clone())),
            (held, _) => held,
        }
    }
}

/// A pointee as it is declared; of `auto*`, that of the initialiser ([dcl.spec.auto]).
fn deduced(declared: &Ty, of: &Ty) -> Ty {
    match (declared, of) {
        (Ty::Auto, of) => of.clone(),
        (Ty::Pointer(declared), Ty::Pointer(of)) => Ty::Pointer(Box::new(deduced(declared, of))),
        (declared, _) => declared.clone(),
    }
}

/// Whether a type is another class than that of an object.
fn is_another_class(parts: &Parts<'_>, ty: &Ty) -> bool {
    match (parts.instance(), ty.instance()) {
        (Some(own), Some(other)) => own != other,
        _ => false,
    }
}
