//! Choices that the conditions on the way to an access decide: `i < n ? i : -1` is `i` behind `if (index < 0) return;`.

use std::collections::BTreeSet;

use super::replaced::Replaced;
use super::terms::{Operator, Term, TermId, Terms};

/// Choices in one term that are looked at.
const CHOICES: usize = 16;

impl Terms {
    /// A term where these conditions hold: of a choice that one of them decides, the part that is left.
    pub(crate) fn where_hold(&mut self, id: TermId, conditions: &[TermId]) -> TermId {
        let is_choice = |part: &TermId| matches!(self.term(*part), Term::Select(..));
        let choices: Vec<TermId> = self.parts_of(id).into_iter().filter(is_choice).collect();
        if choices.is_empty() || choices.len() > CHOICES {
            return id;
        }
        let conditions = self.each_of(conditions);
        let mut decided = Replaced::default();
        for choice in choices {
            if let Some(left) = self.left_of(choice, &conditions) {
                decided.insert(choice, left);
            }
        }
        if decided.is_empty() {
            return id;
        }
        self.with(id, &decided)
    }

    /// The conditions, and all parts of those that hold only together.
    fn each_of(&self, conditions: &[TermId]) -> BTreeSet<TermId> {
        let mut found = BTreeSet::new();
        let mut open = conditions.to_vec();
        while let Some(condition) = open.pop() {
            if !found.insert(condition) {
                continue;
            }
            if let Term::Binary(Operator::Both, one, other) = self.term(condition) {
                open.extend([*one, *other]);
            }
        }
        found
    }

    /// The part of a choice that these conditions leave.
    fn left_of(&mut self, choice: TermId, conditions: &BTreeSet<TermId>) -> Option<TermId> {
        let Term::Select(condition, then, otherwise) = *self.term(choice) else {
            return None;
        };
        let opposite = self.not(condition);
        if conditions.contains(&condition) {
            return Some(then);
        }
        if conditions.contains(&opposite) {
            return Some(otherwise);
        }
        for holding in conditions {
            if !self.parts_of(*holding).contains(&choice) {
                continue;
            }
            let mut fails = |part: TermId| {
                let by = std::iter::once((choice, part)).collect();
                let with = self.with(*holding, &by);
                self.as_number(with) == Some(0)
            };
            if fails(otherwise) {
                return Some(then);
            }
            if fails(then) {
                return Some(otherwise);
            }
        }
        None
    }
}
