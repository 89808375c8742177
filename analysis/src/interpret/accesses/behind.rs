//! The values of variables behind a loop.

use super::Walker;
use super::changed::{Changed, Course, with};
use super::held::Held;
use crate::access::INDEX;
use crate::access::alike::Alike;
use crate::access::terms::{IntKind, SymbolKind, TermId};

/// The number of passes of a loop at its end.
pub(super) struct Passes {
    /// The threads that have it alike.
    pub(super) alike: Alike,
    /// The number; nothing where the loop may end in the middle of a pass: a variable may have changed once more than another.
    pub(super) number: Option<TermId>,
}

impl<'u> Walker<'_, 'u> {
    /// For each variable, whether it may have another value where the loop ends in the middle of a pass than at the head and
    /// at the end of a pass.
    pub(super) fn torn(&self, changed: &[Changed<'u>], heads: &[Held<'u>]) -> Vec<bool> {
        let is_torn = |(variable, head): (&Changed<'u>, &Held<'u>)| {
            let end = self.now(variable);
            self.course.left.iter().any(|scopes| {
                // The variables of the loop itself may have the same name.
                let around = scopes.get(..self.scopes.len()).unwrap_or_default();
                let mut around = around.iter().rev();
                let held = around.find_map(|scope| scope.get(variable.name));
                let Some(held) = held.and_then(|local| variable.part(local)) else {
                    return true;
                };
                let is_known = held.held == *head || end.is_some_and(|end| end.held == held.held);
                !is_known && !self.is_as_uniform(variable, &held.held)
            })
        };
        changed.iter().zip(heads).map(is_torn).collect()
    }

    /// Whether a value of a variable is the same for as many threads as those at the heads of passes.
    fn is_as_uniform(&self, variable: &Changed<'u>, held: &Held<'u>) -> bool {
        let (Course::Uniform(_, alike), Held::Int(term)) = (&variable.course, held) else {
            return false;
        };
        self.out.terms.alike(*term).is_some_and(|own| own <= *alike)
    }

    /// A number of passes that the threads have alike.
    pub(super) fn passes_of(&mut self, name: &str, alike: Alike) -> TermId {
        let kind = match alike {
            Alike::Block => SymbolKind::Trip(usize::MAX),
            Alike::Warp => SymbolKind::OfWarp,
        };
        self.terms()
            .fresh_from(&format!("{name}.passes"), kind, IntKind::LONG, 0)
    }

    /// Sets the values of variables after the loop; nothing is known of how often threads of a warp went through it where there
    /// are no `passes`.
    pub(super) fn leave(
        &mut self,
        changed: &[Changed<'u>],
        torn: &[bool],
        passes: Option<&Passes>,
    ) {
        for (variable, torn) in changed.iter().zip(torn) {
            let held = match (&variable.course, passes) {
                _ if *torn => {
                    let why = format!(
                        "the loop before ends in the middle of a change of `{}`",
                        variable.written
                    );
                    self.lost(&variable.first, &why)
                }
                (Course::Same, _) => variable.first.held.clone(),
                (Course::Grows(by), Some(passes)) => {
                    let own = || self.passes_of(variable.name, passes.alike);
                    let passes = passes.number.unwrap_or_else(own);
                    self.grown(&variable.first.held, *by, passes)
                }
                (Course::Uniform(_, own), Some(passes)) => {
                    let kind = match &variable.first.held {
                        Held::Int(term) => self.out.terms.kind(*term),
                        _ => INDEX,
                    };
                    let symbol_kind = passes.alike.max(*own).kind();
                    let symbol =
                        self.terms()
                            .fresh_from(&variable.written, symbol_kind, kind, super::LEAST);
                    with(&variable.first.held, symbol)
                }
                (Course::Lost(why), _) => self.lost(&variable.first, why),
                (_, None) => {
                    let why = format!(
                        "how often the loop before changes `{}` differs by thread",
                        variable.written
                    );
                    self.lost(&variable.first, &why)
                }
            };
            self.set_changed(variable, held);
        }
    }
}
