//! A `switch` whose cases macros and `#if` make: `#define CASE(n) case n: ...`.

use tree_sitter_cute::tree::{Expr, Item, ItemKind, Span, Switch, SwitchCase};

use super::Interpreter;
use super::frame::Frame;
use crate::walk::inner_items;

/// Spliced switches, by their places and those of the macros' names and branches that make their cases.
pub(super) type Spliced<'u> = crate::hash::HashMap<(Span, Vec<Span>), &'u Switch>;

/// Statements of a `switch` that are looked at, those in expansions of macros included.
const LOOKED_AT: usize = 4096;

/// The cases of a `switch` as they are met.
struct Cases<'u> {
    /// Statements that may still be looked at.
    left: usize,
    /// The macros and branches whose statements are looked at: a macro is not replaced inside of itself.
    within: Vec<Span>,
    before: Vec<&'u Item>,
    labelled: Vec<(Option<&'u Expr>, Vec<&'u Item>)>,
    /// The names of the macros and the places of the branches of `#if` that make cases.
    made_by: Vec<Span>,
}

impl<'u> Interpreter<'u> {
    /// A `switch` with the cases that macros make of its statements and those under `#if`: the `switch` itself where
    /// there are none. Cases in loops and blocks inside of it stay where they are, without a value that selects.
    pub(super) fn with_made_cases(
        &mut self,
        switch: &'u Switch,
        place: Span,
        frame: &Frame<'u>,
    ) -> &'u Switch {
        let Some(arena) = self
            .program
            .environment
            .filter(|_| self.settings.is_cpp())
            .map(|environment| environment.arena)
        else {
            return switch;
        };
        let mut cases = Cases {
            left: LOOKED_AT,
            within: Vec::new(),
            before: Vec::new(),
            labelled: Vec::new(),
            made_by: Vec::new(),
        };
        self.collect_cases(&switch.before, &mut cases, frame);
        for case in &switch.cases {
            cases.labelled.push((case.value.as_ref(), Vec::new()));
            self.collect_cases(&case.body, &mut cases, frame);
        }
        if cases.made_by.is_empty() {
            return switch;
        }
        let key = (place, std::mem::take(&mut cases.made_by));
        if let Some(known) = self.readings.switches.get(&key) {
            return known;
        }
        let whole = cases.into_switch(switch.condition.clone());
        let item = arena.item(Item::new(ItemKind::Switch(Box::new(whole)), place));
        let ItemKind::Switch(whole) = &item.kind else {
            return switch;
        };
        self.readings.switches.insert(key, whole);
        whole
    }

    fn collect_cases(&mut self, items: &'u [Item], cases: &mut Cases<'u>, frame: &Frame<'u>) {
        for item in items {
            match &item.kind {
                ItemKind::Switch(part) if part.condition.is_none() => {
                    for case in &part.cases {
                        cases.labelled.push((case.value.as_ref(), Vec::new()));
                        self.collect_cases(&case.body, cases, frame);
                    }
                }
                _ => match self.made_of(item, cases, frame) {
                    Some((by, made))
                        if has_case(item) || self.make_cases(by, made, cases, frame) =>
                    {
                        cases.made_by.push(by);
                        cases.within.push(by);
                        self.collect_cases(made, cases, frame);
                        cases.within.pop();
                    }
                    _ => cases.last().push(item),
                },
            }
        }
    }

    /// Whether statements that a macro or branch makes are cases, or make some.
    fn make_cases(
        &mut self,
        by: Span,
        items: &'u [Item],
        cases: &mut Cases<'u>,
        frame: &Frame<'u>,
    ) -> bool {
        cases.within.push(by);
        let found = items.iter().any(|item| {
            has_case(item)
                || self
                    .made_of(item, cases, frame)
                    .is_some_and(|(by, made)| self.make_cases(by, made, cases, frame))
        });
        cases.within.pop();
        found
    }

    /// The statements that a macro or the one branch of `#if` that is compiled puts in the place of an item, with what
    /// tells them from those of another macro.
    fn made_of(
        &mut self,
        item: &'u Item,
        cases: &mut Cases<'u>,
        frame: &Frame<'u>,
    ) -> Option<(Span, &'u [Item])> {
        cases.left = cases.left.checked_sub(1)?;
        match &item.kind {
            ItemKind::Expr(expr) => {
                let by = self.macro_called(expr, frame)?.name.span;
                let made = self.statements_of(expr, frame);
                Some((by, made.filter(|_| !cases.within.contains(&by))?))
            }
            ItemKind::Conditional(conditional) => {
                let defined = frame.macros.defined();
                let items = self
                    .program
                    .surely_compiled(&conditional.branches, defined)?;
                Some((items.first().map_or(item.span, |first| first.span), items))
            }
            _ => None,
        }
    }
}

impl<'u> Cases<'u> {
    /// The statements of the last case.
    fn last(&mut self) -> &mut Vec<&'u Item> {
        match self.labelled.last_mut() {
            Some((_, body)) => body,
            None => &mut self.before,
        }
    }

    fn into_switch(self, condition: Option<Expr>) -> Switch {
        let copied = |items: Vec<&'u Item>| items.into_iter().cloned().collect();
        Switch {
            condition,
            before: copied(self.before),
            cases: self
                .labelled
                .into_iter()
                .map(|(value, body)| SwitchCase {
                    value: value.cloned(),
                    body: copied(body),
                })
                .collect(),
        }
    }
}

/// Whether an item is a case of a `switch` around it, or a branch of `#if` has some.
fn has_case(item: &Item) -> bool {
    match &item.kind {
        ItemKind::Switch(part) => part.condition.is_none(),
        ItemKind::Conditional(conditional) => {
            let mut branches = conditional.branches.iter();
            branches.any(|branch| branch.items.iter().any(has_case))
        }
        _ => false,
    }
}

/// Whether statements have cases of a `switch` around them, at any depth.
pub(super) fn have_cases(items: &[Item]) -> bool {
    items.iter().any(|item| {
        let mut found = has_case(item);
        if !matches!(item.kind, ItemKind::Switch(_)) {
            inner_items(item, &mut |inner| found |= have_cases(inner));
        }
        found
    })
}
