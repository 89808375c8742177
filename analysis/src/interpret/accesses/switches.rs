//! `switch`: a case is reached by its value, and from the case before it, which did not leave. An arm of Rust's `match` is
//! reached where its condition holds, and that of no arm before it.

use tree_sitter_cute::tree::{Item, ItemKind, Jump, Switch};

use super::{Scope, Walker};
use crate::access::Guard;
use crate::access::terms::{IntKind, Operator, TermId};

/// The ends of the cases that were walked.
#[derive(Default)]
struct Ends<'u> {
    /// The conditions of the way into the next case from the one before, and the variables there.
    falls: Option<(TermId, Vec<Scope<'u>>)>,
    /// The conditions and variables of the ways that go on behind the `switch`.
    behind: Vec<(TermId, Vec<Scope<'u>>)>,
    /// The conditions of the threads that are not behind it.
    left: Vec<Guard>,
}

impl<'u> Walker<'_, 'u> {
    pub(super) fn walk_switch(&mut self, switch: &'u Switch) {
        let condition = switch.condition.as_ref();
        let condition =
            condition.map(|condition| (self.term(condition), self.text(condition.span)));
        let (value, text) = match condition {
            Some((value, text)) => (Some(value), text),
            None => (None, String::new()),
        };
        // In Rust, a `break` in an arm of a `match` leaves the loop around.
        let has_breaks = !self.it.is_rust();
        let outer = std::mem::replace(&mut self.course.in_switch, has_breaks);
        let mut otherwise = if has_breaks {
            self.otherwise(switch, value)
        } else {
            self.terms().number(1, IntKind::BOOL)
        };
        for item in &switch.before {
            match &item.kind {
                ItemKind::Binding(binding) if binding.init.is_none() => self.walk(item),
                // A macro that is not visible may have cases.
                ItemKind::Expr(_) | ItemKind::Conditional(_) => self.unseen(),
                _ => {}
            }
        }
        let before = self.scopes.clone();
        let mut ends = Ends::default();
        for case in &switch.cases {
            let own = match (value, &case.value) {
                // An arm is taken where none before it is.
                (_, Some(pattern)) if !has_breaks => {
                    let matches = self.term(pattern);
                    let terms = self.terms();
                    let matches = terms.truth(matches);
                    let own = terms.binary(Operator::Both, otherwise, matches);
                    let not = terms.not(matches);
                    otherwise = terms.binary(Operator::Both, otherwise, not);
                    own
                }
                (Some(value), Some(case)) => {
                    let case = self.term(case);
                    self.terms().binary(Operator::Equal, value, case)
                }
                _ => otherwise,
            };
            self.scopes.clone_from(&before);
            let enters = match ends.falls.take() {
                Some((falls, scopes)) => {
                    self.merge(falls, scopes);
                    self.terms().binary(Operator::Either, own, falls)
                }
                None => own,
            };
            if self.out.terms.as_number(enters) != Some(0) {
                self.walk_case(&case.body, (enters, &text), &mut ends);
            }
        }
        self.course.in_switch = outer;
        ends.behind.extend(ends.falls.take());
        let has_default = switch.cases.iter().any(|case| case.value.is_none());
        self.leave_switch(has_default, before, ends);
        // A `break` under a condition leaves the variables as they are there.
        if has_breaks && switch.cases.iter().any(|case| breaks_in_middle(&case.body)) {
            for case in &switch.cases {
                self.forget_changed(&case.body, "a `switch` may change it");
            }
        }
    }

    /// Walks the statements of a case that threads enter under a condition.
    fn walk_case(&mut self, body: &'u [Item], (enters, text): (TermId, &str), ends: &mut Ends<'u>) {
        let depth = self.course.guards.len();
        self.course.guards.push(Guard {
            condition: enters,
            text: text.into(),
            exit: None,
        });
        self.walk_block(body);
        let ended = std::mem::replace(&mut self.course.ended, false);
        let own = self.course.guards.split_off(depth + 1);
        self.course.guards.truncate(depth);
        let scopes = self.scopes.clone();
        let goes_on = own.iter().fold(enters, |all, guard| {
            self.terms().binary(Operator::Both, all, guard.condition)
        });
        let has_breaks = self.course.in_switch;
        let breaks_inside = has_breaks && breaks_in_middle(body);
        if !ended && has_breaks {
            ends.falls = Some((goes_on, scopes));
        } else if !ended || breaks_inside || has_breaks && ends_in_break(body) == Some(true) {
            ends.behind.push((goes_on, scopes));
        } else {
            let not = self.terms().not(goes_on);
            ends.left.push(guard_of(not, text));
        }
        // Of those that left before its end, some may be behind the `switch`.
        if !breaks_inside {
            let not = self.terms().not(enters);
            for guard in own {
                let stays = self.terms().binary(Operator::Either, not, guard.condition);
                ends.left.push(guard_of(stays, text));
            }
        } else if body.iter().any(leaves_switch) {
            let unknown = self.unknown("a case that may end in its middle", IntKind::BOOL);
            ends.left.push(guard_of(unknown, text));
        }
    }

    /// The variables and conditions behind a `switch`.
    fn leave_switch(&mut self, has_default: bool, before: Vec<Scope<'u>>, ends: Ends<'u>) {
        let mut behind = ends.behind.into_iter();
        // Of a `switch` with a default, one of its ways is the only one where the others are not.
        let first = if has_default { behind.next() } else { None };
        self.course.ended = has_default && first.is_none();
        self.scopes = match first {
            Some((_, scopes)) => scopes,
            None => before,
        };
        for (condition, scopes) in behind {
            self.merge(condition, scopes);
        }
        self.course.guards.extend(ends.left);
    }

    /// Whether none of the cases of a `switch` is meant.
    fn otherwise(&mut self, switch: &'u Switch, value: Option<TermId>) -> TermId {
        let mut truth = self.terms().number(1, IntKind::BOOL);
        for case in switch.cases.iter().filter_map(|case| case.value.as_ref()) {
            let Some(value) = value else {
                return self.unknown("the default of a `switch`", IntKind::BOOL);
            };
            let case = self.term(case);
            let terms = self.terms();
            let other = terms.binary(Operator::NotEqual, value, case);
            truth = terms.binary(Operator::Both, truth, other);
        }
        truth
    }
}

fn guard_of(condition: TermId, text: &str) -> Guard {
    Guard {
        condition,
        text: text.into(),
        exit: None,
    }
}

/// Whether the statement by which a case always ends is a `break`.
fn ends_in_break(body: &[Item]) -> Option<bool> {
    body.iter().find_map(|item| match &item.kind {
        ItemKind::Jump(jump) => Some(matches!(jump, Jump::Break)),
        ItemKind::Return(_) => Some(false),
        ItemKind::Block(items) => ends_in_break(items),
        _ => None,
    })
}

/// Whether a case has a `break` under a condition.
fn breaks_in_middle(body: &[Item]) -> bool {
    body.iter().any(|item| match &item.kind {
        ItemKind::Jump(_) => false,
        ItemKind::Block(items) => breaks_in_middle(items),
        _ => breaks(item),
    })
}

/// Whether a statement may leave the `switch` around it by a `break`: not one of a loop or `switch` inside.
fn breaks(item: &Item) -> bool {
    match &item.kind {
        ItemKind::Jump(jump) => matches!(jump, Jump::Break),
        ItemKind::Block(items) => items.iter().any(breaks),
        ItemKind::If(branch) => {
            let mut all = branch.then.iter().chain(branch.otherwise.iter().flatten());
            all.any(breaks)
        }
        ItemKind::Conditional(conditional) => conditional
            .branches
            .iter()
            .any(|branch| branch.items.iter().any(breaks)),
        _ => false,
    }
}

/// Whether a statement may leave more than the `switch`: the function, or a pass of a loop around.
fn leaves_switch(item: &Item) -> bool {
    let mut found = false;
    crate::walk::items(std::slice::from_ref(item), &mut |item| {
        found |= match item.kind {
            ItemKind::Return(_) => true,
            ItemKind::Jump(jump) => !matches!(jump, Jump::Break),
            _ => false,
        };
    });
    found
}
