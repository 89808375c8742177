//! Values as values of another type, and one value of two.

use super::Walker;
use super::held::{Held, Pointer, Ty};
use crate::access::terms::TermId;

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
            (Held::Int(then), Held::Int(otherwise)) => {
                let terms = self.terms();
                let kind = if terms.kind(then) == terms.kind(otherwise) {
                    terms.kind(then)
                } else {
                    terms.kind(then).common(terms.kind(otherwise))
                };
                let (then, otherwise) = (terms.convert(then, kind), terms.convert(otherwise, kind));
                Held::Int(terms.select(condition, then, otherwise))
            }
            (Held::Pointer(then), Held::Pointer(otherwise)) if then.memory == otherwise.memory => {
                let offset = self
                    .terms()
                    .select(condition, then.offset, otherwise.offset);
                Held::Pointer(Pointer { offset, ..then })
            }
            // A thread that goes through a null pointer fails in any case.
            (pointer @ Held::Pointer(_), Held::Null) | (Held::Null, pointer @ Held::Pointer(_)) => {
                pointer
            }
            (then @ (Held::Pointer(_) | Held::Int(_)), _) => {
                let ty = then.ty(&self.out.terms);
                Held::Other("which value it has depends on a condition".into(), ty)
            }
            (then, _) => then,
        }
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
                target: Ty::clone(target),
                ..pointer
            }),
            (Held::Other(why, _), Ty::Int(kind)) => Held::Int(self.unknown(&why, *kind)),
            (held, Ty::Auto) => held,
            (Held::Other(why, _), ty) => Held::Other(why, Some(ty.clone())),
            (Held::Pointer(pointer), Ty::Int(kind)) => self.as_number(&pointer, *kind),
            (Held::Int(term), Ty::Pointer(target)) if self.has_address(term) => {
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
