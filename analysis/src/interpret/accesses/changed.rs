//! The variables that a loop changes, and their values at the heads of its passes.

use std::sync::Arc;

use tree_sitter_cute::tree::{Expr, Loop};

use super::Walker;
use super::held::{Held, Local, Pointer, Ty};
use super::unrolled::Unrolled;
use crate::access::INDEX;
use crate::access::alike::Alike;
use crate::access::terms::{SymbolId, TermId};

/// A variable that a loop changes, or a member of an object that is one.
pub(super) struct Changed<'u> {
    pub(super) name: &'u str,
    pub(super) part: Part<'u>,
    /// It as a person writes it.
    pub(super) written: Arc<str>,
    /// Its value before the loop.
    pub(super) first: Local<'u>,
    /// The symbol that it is at the head of the first walk.
    pub(super) head: Option<(TermId, SymbolId)>,
    /// Its course.
    pub(super) course: Course,
}

/// The part of a variable that a loop changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part<'u> {
    /// All of it.
    Whole,
    /// A member of an object.
    Member(&'u str),
    /// An element of an array.
    Element(usize),
}

/// The course of a variable from pass to pass.
#[derive(Debug, Clone)]
pub(super) enum Course {
    /// It has its value again.
    Same,
    /// It grows by a number that no pass changes, in bytes where it is a pointer.
    Grows(TermId),
    /// It is the same for all threads of the block or of a warp: its next value in terms of the symbol.
    Uniform(TermId, Alike),
    /// It is not followed.
    Lost(Arc<str>),
}

/// The values of variables at the head of a pass.
pub(super) struct Heads<'u> {
    pub(super) values: Vec<Held<'u>>,
    /// The symbols of those that threads change alike: at the head of the first walk, and here.
    pub(super) uniform: Vec<(SymbolId, SymbolId)>,
    /// The counter: its name, first value and step.
    pub(super) counter: Option<(Arc<str>, i64, i64)>,
}

impl<'u> Walker<'_, 'u> {
    /// The variables that a loop changes.
    pub(super) fn changed_by(&self, repeat: &'u Loop) -> Vec<Changed<'u>> {
        let more: Vec<&'u Expr> = repeat.condition.iter().chain(&repeat.step).collect();
        let mut names = super::changes::changed_in(&repeat.body, &more);
        let others = self.elsewhere.changed_in_lambdas.clone();
        let arrays = self.indexed_in(&repeat.body, &more);
        for name in others.into_iter().chain(self.own_names()).chain(arrays) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        let mut changed: Vec<Changed<'u>> = Vec::new();
        for name in names {
            let Some(first) = self.find(name).cloned() else {
                continue;
            };
            if first.is_constant {
                continue;
            }
            let of = |part, written: String, first| Changed {
                name,
                part,
                written: written.into(),
                first,
                head: None,
                course: Course::Same,
            };
            match &first.held {
                _ if matches!(first.ty, Ty::Array(..)) => {
                    let content = first.content.iter();
                    changed.extend(content.flat_map(|content| content.named(name)).map(
                        |(index, written, local)| of(Part::Element(index), written, local.clone()),
                    ));
                }
                Held::Pointed(_) | Held::Lambda(..) | Held::Group(_) => {}
                Held::Parts(parts) => {
                    changed.extend(parts.members.iter().map(|(member, local)| {
                        let written = format!("{name}.{member}");
                        of(Part::Member(member), written, local.clone())
                    }));
                }
                _ => changed.push(of(Part::Whole, name.to_owned(), first)),
            }
        }
        changed
    }

    /// Gives the variables that a loop changes their values at the head of a pass.
    pub(super) fn heads_of(
        &mut self,
        changed: &[Changed<'u>],
        unrolled: Option<&Unrolled<'u>>,
        (trip, counter_name): (TermId, &str),
    ) -> Heads<'u> {
        let mut counter = None;
        let mut heads = Vec::with_capacity(changed.len());
        let mut uniform: Vec<(SymbolId, SymbolId)> = Vec::new();
        for (place, variable) in changed.iter().enumerate() {
            let held = match &variable.course {
                Course::Same => variable.first.held.clone(),
                Course::Grows(by) => {
                    let by = *by;
                    let head = self.grown(&variable.first.held, by, trip);
                    let number = |held: &Held<'u>| match held {
                        Held::Int(term) => self.out.terms.as_number(*term),
                        _ => None,
                    };
                    if variable.name == counter_name
                        && let (Some(first), Some(by)) =
                            (number(&variable.first.held), self.out.terms.as_number(by))
                    {
                        counter = Some((Arc::from(variable.name), first, by));
                        if let Held::Int(head) = &head {
                            self.out.terms.say(*head, variable.name);
                        }
                    }
                    head
                }
                Course::Uniform(_, alike) => {
                    let kind = match &variable.first.held {
                        Held::Int(term) => self.out.terms.kind(*term),
                        _ => INDEX,
                    };
                    // As an argument of a kernel, it is an extent, a stride or an index.
                    let symbol = self.terms().fresh_from(
                        &variable.written,
                        alike.kind(),
                        kind,
                        super::LEAST,
                    );
                    if let (Some(symbol), Some((_, head))) =
                        (self.out.terms.as_symbol(symbol), variable.head)
                    {
                        uniform.push((head, symbol));
                    }
                    with(&variable.first.held, symbol)
                }
                Course::Lost(why) => {
                    let by_pass = unrolled.and_then(|unrolled| self.by_pass(unrolled, place, trip));
                    by_pass.unwrap_or_else(|| self.lost(&variable.first, why))
                }
            };
            heads.push(held.clone());
            self.set_changed(variable, held);
        }
        Heads {
            values: heads,
            uniform,
            counter,
        }
    }

    /// A variable that a loop changes, as it is now.
    pub(super) fn now(&self, variable: &Changed<'u>) -> Option<&Local<'u>> {
        variable.part(self.find(variable.name)?)
    }

    pub(super) fn set_changed(&mut self, variable: &Changed<'u>, held: Held<'u>) {
        let held = self.followed(variable.name, held);
        let local = self.find_mut(variable.name);
        let part = match (local, variable.part) {
            (Some(local), Part::Member(member)) => match &mut local.held {
                Held::Parts(parts) => parts.members.get_mut(member),
                _ => None,
            },
            (Some(local), Part::Element(index)) => match &mut local.content {
                Some(content) => content.elements.get_mut(index),
                None => None,
            },
            (local, _) => local,
        };
        if let Some(part) = part {
            part.held = held;
        }
    }
}

impl<'u> Changed<'u> {
    /// It in the variable of its name.
    pub(super) fn part<'l>(&self, local: &'l Local<'u>) -> Option<&'l Local<'u>> {
        match (&local.held, self.part) {
            (_, Part::Whole) => Some(local),
            (Held::Parts(parts), Part::Member(member)) => parts.members.get(member),
            (_, Part::Member(_)) => None,
            (_, Part::Element(index)) => local.content.as_ref()?.elements.get(index),
        }
    }
}

/// The variable that counts the passes of a loop: the first of its step, or of its condition, that changes in it.
pub(super) fn counter_of<'u>(repeat: &'u Loop, changed: &[Changed<'u>]) -> Option<&'u str> {
    let mut found = None;
    let parts = [repeat.step.as_ref(), repeat.condition.as_ref()];
    for part in parts.into_iter().flatten() {
        crate::walk::subexpressions(part, &mut |expr| {
            if let Some(name) = expr.as_plain_name()
                && found.is_none()
                && changed.iter().any(|variable| variable.name == name)
            {
                found = Some(name);
            }
        });
    }
    found
}

/// The number that a value is; of a pointer, the bytes from the start of its memory.
pub(super) fn number_of(held: &Held<'_>) -> Option<TermId> {
    match held {
        Held::Int(term) => Some(*term),
        Held::Pointer(pointer) => Some(pointer.offset),
        _ => None,
    }
}

pub(super) fn with<'u>(held: &Held<'u>, term: TermId) -> Held<'u> {
    match held {
        Held::Int(_) => Held::Int(term),
        Held::Pointer(pointer) => Held::Pointer(Pointer {
            offset: term,
            ..pointer.clone()
        }),
        other => other.clone(),
    }
}
