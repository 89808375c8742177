//! Macros that no flag and no file decides and that an evaluation depends on: those in the `#if`s of executed bodies
//! and of evaluated classes, and those behind the declarations of names that are used.

use tree_sitter_cute::tree::{Branch, Condition, ExprKind, Item, ItemKind, Span};

use super::preprocessor::{ARCHITECTURE, guards_itself};
use super::program::{Environment, Program};
use super::summary::names_declared_by;
use crate::condition;
use crate::undecided::Undecided;
use crate::words::identifiers;

/// Prefixes of names that belong to the compiler, and to no flag of a user.
const OF_THE_COMPILER: &[&str] = &["__", "_MSC", "_WIN", "_CCCL"];

/// Depth of nested `#if`s that are searched for declarations.
const DEPTH: usize = 8;

impl<'u> Program<'u> {
    /// Notes the macros that the choice between the branches of an `#if` depends on, where it is executed.
    pub(super) fn note_choice(&self, branches: &[Branch]) {
        let Some(environment) = self.environment.filter(|it| it.undecided.are_wanted()) else {
            return;
        };
        for undecided in self.undecided_of(branches) {
            environment.undecided.note(&undecided);
        }
    }

    /// Notes the macros that decide the meaning of a name that is looked up.
    pub(super) fn note_named(&self, name: &str) {
        let Some(environment) = self.environment.filter(|it| it.undecided.are_wanted()) else {
            return;
        };
        for undecided in self.preprocessed.chosen_by.get(name).into_iter().flatten() {
            environment.undecided.note(undecided);
        }
    }

    /// Notes a macro that our own rules of a library ask for.
    pub(super) fn note_asked(&self, name: &str) {
        let Some(environment) = self.environment.filter(|it| it.undecided.are_wanted()) else {
            return;
        };
        let mut found = Vec::new();
        self.add_undecided(name, &[], Span::default(), &mut found);
        for undecided in found {
            environment.undecided.note(&undecided);
        }
    }

    /// Remembers the macros that decide the meanings of names declared in an `#if`, where that is requested.
    pub(super) fn note_declared_by_choice(&mut self, branches: &'u [Branch]) {
        let is_wanted = |it: &Environment<'_>| it.undecided.are_wanted();
        if !self.environment.as_ref().is_some_and(is_wanted) {
            return;
        }
        let undecided = self.undecided_of(branches);
        if undecided.is_empty() {
            return;
        }
        let mut names = Vec::new();
        for branch in branches {
            declared(&branch.items, &mut names, 0);
        }
        for name in names {
            let known = self.preprocessed.chosen_by.entry(name).or_default();
            for each in &undecided {
                if !known.contains(each) {
                    known.push(each.clone());
                }
            }
        }
    }

    /// The macros that nothing defines and on which it depends which branch is compiled.
    fn undecided_of(&self, branches: &[Branch]) -> Vec<Undecided> {
        let mut found: Vec<Undecided> = Vec::new();
        for branch in branches {
            let (names, numbers, asked): (Vec<&str>, Vec<i64>, Span) = match &branch.condition {
                Condition::Else => continue,
                Condition::NotDefined(name) if is_default(branch) => {
                    let given = default_of(&branch.items);
                    let others = given.map(|given| given.wrapping_add(1));
                    (vec![&name.name], others.into_iter().collect(), name.span)
                }
                Condition::NotDefined(_) if guards_itself(branch) => return Vec::new(),
                Condition::Defined(name) | Condition::NotDefined(name) => {
                    (vec![&name.name], Vec::new(), name.span)
                }
                Condition::If(expr) => {
                    let text = self.slice(expr.span);
                    let names = identifiers(text).filter(|name| *name != "defined");
                    (names.collect(), condition::numbers_in(text), expr.span)
                }
            };
            for name in names {
                self.add_undecided(name, &numbers, asked, &mut found);
            }
        }
        found
    }

    fn add_undecided(&self, name: &str, numbers: &[i64], asked: Span, found: &mut Vec<Undecided>) {
        if let Some(behind) = self.preprocessed.chosen_by.get(name) {
            // The macro is defined under a condition itself.
            found.extend(behind.iter().cloned());
            return;
        }
        let is_known =
            self.preprocessed.macros.has(name) || self.preprocessed.macro_times.contains_key(name);
        let is_of_the_compiler = OF_THE_COMPILER.iter().any(|it| name.starts_with(it));
        if is_known || is_of_the_compiler && name != ARCHITECTURE {
            return;
        }
        let mut tried = Vec::new();
        for number in numbers {
            tried.extend([*number, number.saturating_add(1)]);
        }
        if name == ARCHITECTURE {
            tried.retain(|number| *number >= 700);
        } else if tried.is_empty() {
            tried.push(1);
        }
        found.push(Undecided {
            name: name.to_owned(),
            numbers: tried,
            asked,
        });
    }
}

/// Whether a branch gives a macro that no build defines its value, and does nothing else.
fn is_default(branch: &Branch) -> bool {
    guards_itself(branch) && default_of(&branch.items).is_some()
}

/// The number that the only directive of a branch defines a macro as.
fn default_of(items: &[Item]) -> Option<i64> {
    let [
        Item {
            kind: ItemKind::Define(define),
            ..
        },
    ] = items
    else {
        return None;
    };
    let value = define.value.as_ref().filter(|_| define.params.is_none())?;
    match value.kind {
        ExprKind::Int(number) => Some(number),
        _ => None,
    }
}

/// The names that items declare.
fn declared<'u>(items: &'u [Item], names: &mut Vec<&'u str>, depth: usize) {
    for item in items {
        match &item.kind {
            ItemKind::Define(define) => names.push(&define.name.name),
            ItemKind::Conditional(conditional) if depth < DEPTH => {
                for branch in &conditional.branches {
                    declared(&branch.items, names, depth + 1);
                }
            }
            ItemKind::Namespace(namespace) if depth < DEPTH => {
                declared(&namespace.items, names, depth + 1);
            }
            kind => names.extend(names_declared_by(kind)),
        }
    }
}
