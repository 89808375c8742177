//! Loops with a known number of passes, walked pass by pass: for variables that follow no simpler rule, such as
//! `x = (x ^ 2) + 64`.

use tree_sitter_cute::tree::{Loop, LoopKind};

use super::Walker;
use super::changed::{Changed, Course};
use super::course::Leaving;
use super::held::Held;
use crate::access::terms::{IntKind, Operator, TermId};
use crate::limits;

/// The variables of a loop, pass by pass.
pub(super) struct Unrolled<'u> {
    /// Their values at the head of each pass.
    pub(super) heads: Vec<Vec<Held<'u>>>,
    /// Their values behind the loop.
    pub(super) end: Vec<Held<'u>>,
}

impl<'u> Walker<'_, 'u> {
    /// The variables of a loop pass by pass, where some are not followed otherwise and numbers decide how often it goes.
    pub(super) fn unrolled(
        &mut self,
        repeat: &'u Loop,
        changed: &[Changed<'u>],
    ) -> Option<Unrolled<'u>> {
        let is_lost = |variable: &Changed<'u>| matches!(variable.course, Course::Lost(_));
        let key = std::ptr::from_ref(repeat);
        if !changed.iter().any(is_lost)
            || repeat.kind == LoopKind::Range
            || self.steps.spare == 0
            || self.steps.too_long.contains(&key)
        {
            return None;
        }
        let leaving = std::mem::take(&mut self.course.leaving);
        let given = self.steps.spare.min(limits::ACCESS_UNROLLED_STEPS);
        let steps = std::mem::replace(&mut self.steps.left, given);
        let (found, _) = self.aside(|it| {
            for variable in changed {
                it.set_changed(variable, variable.first.held.clone());
            }
            it.pass_by_pass(repeat, changed)
        });
        let left = std::mem::replace(&mut self.steps.left, steps);
        if left == 0 {
            self.steps.too_long.push(key);
        }
        // Loops inside have taken theirs meanwhile.
        let taken = given.saturating_sub(left);
        self.steps.spare = self.steps.spare.saturating_sub(taken);
        self.course.leaving = leaving;
        found
    }

    fn pass_by_pass(&mut self, repeat: &'u Loop, changed: &[Changed<'u>]) -> Option<Unrolled<'u>> {
        let guards = self.course.guards.len();
        let mut heads = Vec::new();
        loop {
            let values = self.values_of(changed);
            let before = self.condition_before(repeat);
            self.course.guards.truncate(guards);
            let before = match before {
                Some(condition) => self.out.terms.as_number(condition)?,
                None if repeat.kind == LoopKind::DoWhile => 1,
                None => return None,
            };
            if before == 0 {
                return Some(Unrolled { heads, end: values });
            }
            let behind = self.rest_of_pass(repeat);
            self.course.guards.truncate(guards);
            if self.course.leaving != Leaving::Nobody
                || self.steps.left == 0
                || heads.len() >= limits::ACCESS_UNROLLED_PASSES
            {
                return None;
            }
            heads.push(values);
            if let Some(behind) = behind
                && self.out.terms.as_number(behind)? == 0
            {
                let end = self.values_of(changed);
                return Some(Unrolled { heads, end });
            }
        }
    }

    fn values_of(&self, changed: &[Changed<'u>]) -> Vec<Held<'u>> {
        let value = |variable: &Changed<'u>| {
            let why = || Held::Other("it is not followed".into(), None);
            self.now(variable)
                .map_or_else(why, |local| local.held.clone())
        };
        changed.iter().map(value).collect()
    }

    /// The value of a variable at the head of a pass, by the number of the pass.
    pub(super) fn by_pass(
        &mut self,
        unrolled: &Unrolled<'u>,
        variable: usize,
        pass: TermId,
    ) -> Option<Held<'u>> {
        let heads = unrolled.heads.iter();
        let values = heads.map(|head| head.get(variable).cloned());
        let mut values: Vec<Held<'u>> = values.collect::<Option<_>>()?;
        let mut held = values.pop()?;
        let mut last = held.clone();
        while let Some(value) = values.pop() {
            if value != last {
                let terms = self.terms();
                let next = i64::try_from(values.len()).ok()?.checked_add(1)?;
                let next = terms.number(next, IntKind::LONG);
                let is_behind = terms.binary(Operator::LessEqual, next, pass);
                held = self.joined(is_behind, held, value.clone());
                last = value;
            }
        }
        Some(held)
    }
}
