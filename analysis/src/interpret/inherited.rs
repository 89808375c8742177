//! Conditions that the callers of function instances have checked, in symbols of the instances.

use std::sync::Arc;

use cute_algebra::Int;

use super::bound::Bound;
use crate::held::{AtCall, CallerGuards, Held, Inherited};
use crate::trace::Run;
use crate::value::Value;

/// Callers of callers whose checks are looked at.
const DEPTH: usize = 16;

/// Conditions that the callers of function instances have checked, by the numbers of the instances.
#[derive(Debug, Default)]
pub(super) struct Guards(Vec<CallerGuards>);

impl Guards {
    /// Keeps the checks of the first caller of an instance whose parameters have these symbols; gives its number.
    pub(super) fn add(
        &mut self,
        at: &AtCall,
        bound: &Bound,
        symbols: Vec<Option<Arc<str>>>,
    ) -> usize {
        let held = self.translated(at, bound, &symbols);
        self.0.push(CallerGuards { held, symbols });
        self.0.len() - 1
    }

    /// Forgets checks of an instance that a later caller has not made.
    pub(super) fn retain_also_at(&mut self, guards: Option<usize>, at: &AtCall, bound: &Bound) {
        let Some(index) = guards else { return };
        let Some(symbols) = self.0.get(index).map(|known| known.symbols.clone()) else {
            return;
        };
        let now = self.translated(at, bound, &symbols);
        if let Some(known) = self.0.get_mut(index) {
            known
                .held
                .retain(|held| now.iter().any(|other| other.held == held.held));
        }
    }

    /// The conditions at a call, in symbols of the parameters of the callee.
    fn translated(
        &self,
        at: &AtCall,
        bound: &Bound,
        symbols: &[Option<Arc<str>>],
    ) -> Vec<Inherited> {
        let name_of = |name: &str| {
            let mut params = bound.params.iter().zip(symbols);
            params.find_map(|(given, symbol)| match given {
                Some(Value::Int(int)) if only_symbol(int).as_deref() == Some(name) => {
                    symbol.clone()
                }
                _ => None,
            })
        };
        let own = at.held.iter().filter_map(|held| {
            Some(Inherited {
                held: held.renamed(&name_of)?,
                from: None,
            })
        });
        let inherited = at.guards.and_then(|guards| {
            let known = &self.0.get(guards)?.held;
            Some(known.iter().filter_map(move |known| {
                Some(Inherited {
                    held: known.held.renamed(&name_of)?,
                    from: Some((guards, known.held.clone())),
                })
            }))
        });
        own.chain(inherited.into_iter().flatten()).collect()
    }

    /// Adds the checks of all callers to the launches, now that all of them are known.
    pub(super) fn settle_launches(&self, runs: &mut [Run<'_>]) {
        for run in runs {
            for launch in &mut run.launches {
                let checked = self.checked_by_callers(launch.guards);
                launch.held.extend(checked);
            }
        }
    }

    fn checked_by_callers(&self, guards: Option<usize>) -> Vec<Held> {
        let known = guards.and_then(|guards| self.0.get(guards));
        let held = known.into_iter().flat_map(|known| &known.held);
        held.filter(|inherited| self.still_holds(inherited, DEPTH))
            .map(|inherited| inherited.held.clone())
            .collect()
    }

    /// Whether no caller was found later that has not checked it.
    fn still_holds(&self, inherited: &Inherited, depth: usize) -> bool {
        let Some((guards, held)) = &inherited.from else {
            return true;
        };
        let Some(depth) = depth.checked_sub(1) else {
            return false;
        };
        let known = self.0.get(*guards).map(|known| &known.held);
        known.is_some_and(|known| {
            known
                .iter()
                .any(|other| other.held == *held && self.still_holds(other, depth))
        })
    }
}

/// The symbol that an integer is.
pub(super) fn only_symbol(int: &Int) -> Option<Arc<str>> {
    let symbols = int.as_expression()?.symbols();
    match symbols.as_slice() {
        [only] if int.to_string() == **only => Some(Arc::clone(only)),
        _ => None,
    }
}
