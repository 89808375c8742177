//! Terms with other terms in place of some parts.

use super::terms::{SymbolId, Term, TermId, Terms};
use crate::hash::HashMap;

/// The terms that take the place of others.
pub(super) type Replaced = HashMap<TermId, TermId>;

/// The term that takes the place of a part, where the parts before have become others; nothing where it stays.
type Replacement<'r> = dyn Fn(&Terms, TermId, &Replaced) -> Option<TermId> + 'r;

impl Terms {
    /// A term with other terms in place of symbols.
    pub(crate) fn replaced(&mut self, id: TermId, by: &HashMap<SymbolId, TermId>) -> TermId {
        self.rebuilt(id, &|terms, part, _| {
            let symbol = terms.as_symbol(part)?;
            by.get(&symbol).copied()
        })
    }

    /// A term with others in place of some parts. What takes the place of a part may have replaced parts, too.
    pub(super) fn with(&mut self, id: TermId, by: &Replaced) -> TermId {
        self.rebuilt(id, &|_, part, new| {
            let other = by.get(&part)?;
            Some(new.get(other).copied().unwrap_or(*other))
        })
    }

    /// A term made anew from its parts. `other` gives what takes the place of a part; it is told what those before have
    /// become.
    fn rebuilt(&mut self, id: TermId, other: &Replacement<'_>) -> TermId {
        let mut new: Replaced = HashMap::default();
        for part in self.parts_of(id) {
            let now = |id: &TermId| new.get(id).copied().unwrap_or(*id);
            let kind = self.kind(part);
            if let Some(other) = other(self, part, &new) {
                let made = self.convert(other, kind);
                new.insert(part, made);
                continue;
            }
            let made = match self.term(part).clone() {
                Term::Binary(operator, a, b) => self.binary(operator, now(&a), now(&b)),
                Term::Select(condition, then, otherwise) => {
                    self.select(now(&condition), now(&then), now(&otherwise))
                }
                // A number that has no place in our integers stays as it is.
                Term::Convert(inner) if now(&inner) == inner => part,
                Term::Convert(inner) => self.convert(now(&inner), kind),
                Term::Not(inner) => self.not(now(&inner)),
                Term::Symbol(_) | Term::Number(_) | Term::Unknown(_) => part,
            };
            new.insert(part, made);
        }
        new.get(&id).copied().unwrap_or(id)
    }
}
