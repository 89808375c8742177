//! Loops of a kernel: a variable that grows by the same in every pass is its first value plus a constant for each pass;
//! one that all threads change alike is a symbol; any other change is Unknown.

use std::sync::Arc;

use tree_sitter_cute::tree::{Expr, Item, Loop, LoopKind};

use super::behind::Passes;
use super::course::{Jumps, Leaving};
use super::held::{Held, Local, Pointer, Ty};
use super::{Scope, Walker};
use crate::access::alike::Alike;
use crate::access::lanes::{Cell, Lanes, Names};
use crate::access::terms::{IntKind, Operator, Repeat, SymbolId, SymbolKind, TermId};
use crate::access::{Guard, INDEX};
use crate::hash::HashMap;

/// Passes that are counted to find out how often a loop with known bounds goes.
const COUNTED: i64 = 1_024;

/// A variable that a loop changes, or a member of an object that is one.
pub(super) struct Changed<'u> {
    pub(super) name: &'u str,
    pub(super) member: Option<&'u str>,
    /// Its value before the loop.
    pub(super) first: Local<'u>,
    /// The symbol that it is at the head of the first walk.
    pub(super) head: Option<(TermId, SymbolId)>,
    /// Its course.
    pub(super) course: Course,
    /// Every pass changes it at its end, and nothing else does.
    pub(super) is_stepped_only: bool,
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

impl<'u> Walker<'_, 'u> {
    pub(super) fn walk_loop(&mut self, repeat: &'u Loop) {
        self.scopes.push(Scope::default());
        self.frame
            .scopes
            .push(super::super::frame::Scope::default());
        if repeat.kind == LoopKind::Range {
            if let Some(range) = &repeat.condition {
                self.value(range);
            }
            for item in &repeat.init {
                self.declare_of_range(item);
            }
        } else {
            self.walk_all(&repeat.init);
        }
        let more: Vec<&'u Expr> = repeat.condition.iter().chain(&repeat.step).collect();
        let mut names = super::changes::changed_in(&repeat.body, &more);
        let others = self.elsewhere.changed_in_lambdas.clone();
        for name in others.into_iter().chain(self.own_names()) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        let stepped = super::changes::changed_in(&[], &more);
        let in_body = super::changes::changed_in(&repeat.body, &[]);
        let mut changed: Vec<Changed<'u>> = Vec::new();
        for name in names {
            let Some(first) = self.find(name).cloned() else {
                continue;
            };
            if matches!(
                first.held,
                Held::Place(_) | Held::Lambda(..) | Held::Group(_)
            ) || matches!(first.ty, Ty::Array(..))
            {
                continue;
            }
            let is_stepped_only = stepped.contains(&name) && !in_body.contains(&name);
            let of = |member, first| Changed {
                name,
                member,
                first,
                head: None,
                course: Course::Same,
                is_stepped_only,
            };
            match &first.held {
                Held::Parts(parts) => changed.extend(
                    parts
                        .members
                        .iter()
                        .map(|(member, local)| of(Some(*member), local.clone())),
                ),
                _ => changed.push(of(None, first)),
            }
        }
        let outer_jumps = std::mem::take(&mut self.course.jumps);
        let outer_switch = std::mem::replace(&mut self.course.in_switch, false);
        let guards = self.course.guards.len();
        let around = std::mem::replace(&mut self.course.at_loop, guards);
        let left_outer = std::mem::take(&mut self.course.left);
        self.first_walk(repeat, &mut changed);
        self.course.left.clear();
        self.second_walk(repeat, &changed);
        self.course.left = left_outer;
        let returns_inside =
            self.course.jumps.leaving != Leaving::Nobody && repeat.body.iter().any(returns);
        self.course.jumps = outer_jumps;
        self.course.at_loop = around;
        // A thread that returns in here is in no later pass of the loop around either.
        if returns_inside {
            self.course.jumps.leaving = Leaving::Apart;
        }
        self.course.in_switch = outer_switch;
        self.frame.scopes.pop();
        self.scopes.pop();
    }

    fn declare_of_range(&mut self, item: &'u Item) {
        if let tree_sitter_cute::tree::ItemKind::Binding(binding) = &item.kind
            && let Some(name) = &binding.name
        {
            let held = Held::Other("an element of a range".into(), None);
            self.declare(&name.name, Local::new(held, Ty::Auto));
        }
    }

    /// Walks the loop with symbols for its changing variables, to find their course.
    fn first_walk(&mut self, repeat: &'u Loop, changed: &mut [Changed<'u>]) {
        let mark = self.out.terms.mark();
        for variable in changed.iter_mut() {
            let kind = match &variable.first.held {
                Held::Int(term) => self.out.terms.kind(*term),
                Held::Pointer(_) => INDEX,
                _ => continue,
            };
            let head =
                self.terms()
                    .fresh(&format!("{}?", variable.spoken()), SymbolKind::Head, kind);
            if let Some(symbol) = self.out.terms.as_symbol(head) {
                variable.head = Some((head, symbol));
            }
            self.set_changed(variable, with(&variable.first.held, head));
        }
        let recording = std::mem::replace(&mut self.recording, false);
        let (returns, loops) = (self.returns.len(), self.course.loops.len());
        self.course.loops.push(usize::MAX);
        let before = self.scopes.clone();
        let guards = self.course.guards.len();
        self.pass(repeat);
        // A thread in a pass has been in all before it; only the rest of a pass may be left out.
        let continues = self.course.jumps.continues;
        self.course.guards.truncate(guards);
        let after = std::mem::replace(&mut self.scopes, before);
        self.returns.truncate(returns);
        self.course.loops.truncate(loops);
        self.recording = recording;
        for variable in changed.iter_mut() {
            let end = after
                .iter()
                .rev()
                .find_map(|scope| scope.get(variable.name));
            let end = end.and_then(|local| variable.part(local));
            variable.course = match (variable.head, end) {
                (Some((head, symbol)), Some(end)) => {
                    let differs = continues && !variable.is_stepped_only;
                    self.course(variable, (head, symbol), &end.held, mark, differs)
                }
                (None, Some(end)) if end.held == variable.first.held => Course::Same,
                _ => Course::Lost("a loop changes it".into()),
            };
        }
        self.settle(changed);
    }

    /// The course of a variable, by its value at the end of a pass.
    fn course(
        &mut self,
        variable: &Changed<'u>,
        (head, _): (TermId, SymbolId),
        end: &Held<'u>,
        mark: SymbolId,
        differs: bool,
    ) -> Course {
        let lost =
            || Course::Lost(format!("`{}` changes from pass to pass", variable.spoken()).into());
        let (end, first) = match (end, &variable.first.held) {
            (Held::Int(end), Held::Int(first)) => (*end, *first),
            (Held::Pointer(end), Held::Pointer(first)) if end.memory == first.memory => {
                (end.offset, first.offset)
            }
            _ => return lost(),
        };
        if end == head {
            return Course::Same;
        }
        let mut parts = self.out.terms.addends(end);
        let own = parts
            .iter()
            .position(|(negative, part)| !negative && *part == head);
        if let (Some(own), false) = (own, differs) {
            parts.remove(own);
            let is_fixed = parts.iter().all(|(_, part)| {
                let symbols = self.out.terms.symbols_of(*part);
                symbols
                    .iter()
                    .all(|symbol| self.out.terms.is_older(*symbol, mark))
                    && self.out.terms.unknown_in(*part).is_none()
            });
            if is_fixed {
                let terms = self.terms();
                let mut by = terms.number(0, terms.kind(head));
                for (negative, part) in parts {
                    let operator = if negative {
                        Operator::Sub
                    } else {
                        Operator::Add
                    };
                    by = terms.binary(operator, by, part);
                }
                return Course::Grows(by);
            }
        }
        let terms = &self.out.terms;
        // The address that a member has in a pass has no name to be a symbol by.
        let is_unnamed =
            variable.member.is_some() && matches!(variable.first.held, Held::Pointer(_));
        if let (Some(first), Some(next), false) =
            (terms.alike(first), terms.alike(end), differs || is_unnamed)
        {
            return Course::Uniform(end, first.max(next));
        }
        match terms.unknown_in(end) {
            Some(why) if !terms.varies(end) => Course::Lost(why),
            _ => lost(),
        }
    }

    /// A variable that depends on one which is not followed, or which differs by thread, is not followed either.
    fn settle(&mut self, changed: &mut [Changed<'u>]) {
        loop {
            let alike: HashMap<SymbolId, Option<Alike>> = changed
                .iter()
                .filter_map(|variable| Some((variable.head?.1, self.alike(variable))))
                .collect();
            let mut again = false;
            for variable in changed.iter_mut() {
                let Course::Uniform(next, own) = &variable.course else {
                    continue;
                };
                let (next, own) = (*next, *own);
                let symbols = self.out.terms.symbols_of(next);
                let of_heads = symbols.iter().filter_map(|symbol| alike.get(symbol));
                // Those of no thread are the worst.
                let worst = of_heads
                    .copied()
                    .try_fold(own, |worst, one| Some(worst.max(one?)));
                variable.course = match worst {
                    Some(worst) if worst == own => continue,
                    Some(worst) => Course::Uniform(next, worst),
                    None => {
                        let why = format!("`{}` changes from pass to pass", variable.spoken());
                        Course::Lost(why.into())
                    }
                };
                again = true;
            }
            if !again {
                return;
            }
        }
    }

    /// The threads for which a variable is the same at the head of each pass.
    fn alike(&self, variable: &Changed<'u>) -> Option<Alike> {
        let first = match &variable.first.held {
            Held::Int(term) => *term,
            Held::Pointer(pointer) => pointer.offset,
            _ => return None,
        };
        let terms = &self.out.terms;
        match &variable.course {
            Course::Lost(_) => None,
            Course::Same => terms.alike(first),
            Course::Grows(by) => Some(terms.alike(first)?.max(terms.alike(*by)?)),
            Course::Uniform(_, alike) => Some(*alike),
        }
    }

    /// Walks the loop again, now that the values at its head are known.
    fn second_walk(&mut self, repeat: &'u Loop, changed: &[Changed<'u>]) {
        let index = self.out.loops.len();
        let name = changed.first().map_or("loop", |variable| variable.name);
        let counter_name = counter_of(repeat, changed).unwrap_or(name);
        let trip = self.terms().fresh(
            &format!("{counter_name}.pass"),
            SymbolKind::Trip(index),
            IntKind::LONG,
        );
        let Some(trip_symbol) = self.out.terms.as_symbol(trip) else {
            return;
        };
        let mut counter = None;
        let mut heads = Vec::with_capacity(changed.len());
        let mut uniform: Vec<(SymbolId, SymbolId)> = Vec::new();
        for variable in changed {
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
                        &variable.spoken(),
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
                Course::Lost(why) => self.lost(&variable.first, why),
            };
            heads.push(held.clone());
            self.set_changed(variable, held);
        }
        self.out.loops.push(Repeat {
            trip: trip_symbol,
            condition: None,
            counter,
            followed: Vec::new(),
        });
        self.course.loops.push(index);
        self.course.jumps = Jumps::default();
        let guards = self.course.guards.len();
        let condition = self.pass(repeat);
        let jumps = self.course.jumps;
        self.course.guards.truncate(guards);
        self.course.loops.pop();
        let ends = jumps.leaving != Leaving::Nobody;
        if ends {
            let condition = self.unknown("a loop that may end in its middle", IntKind::BOOL);
            if repeat.body.iter().any(returns) {
                self.course.guards.push(Guard {
                    condition,
                    text: "the loop before does not return".into(),
                    exit: None,
                });
            }
        }
        let followed = self.followed_on(changed, &uniform);
        let torn = self.torn(changed, &heads);
        let goes_on = condition.filter(|_| !ends && repeat.kind != LoopKind::DoWhile);
        if let Some(known) = self.out.loops.get_mut(index) {
            known.condition = goes_on;
            known.followed = followed;
        }
        let passes = self.passes_at_end(
            repeat,
            (condition, goes_on),
            jumps,
            trip_symbol,
            counter_name,
        );
        self.leave(changed, &torn, passes.as_ref());
    }

    /// The number of passes of a loop at its end, from its condition: as it is, and where nothing else ends the loop.
    fn passes_at_end(
        &mut self,
        repeat: &Loop,
        (condition, goes_on): (Option<TermId>, Option<TermId>),
        jumps: Jumps,
        trip: SymbolId,
        counter: &str,
    ) -> Option<Passes> {
        let ends = jumps.leaving != Leaving::Nobody;
        let of_condition = match condition {
            Some(condition) => self.out.terms.alike(condition),
            // `for (;;)`
            None => (ends && repeat.kind == LoopKind::For).then_some(Alike::Block),
        };
        let alike = match jumps.leaving {
            _ if jumps.continues => None,
            Leaving::Nobody => of_condition,
            Leaving::Together(alike) => of_condition.map(|own| own.max(alike)),
            Leaving::Apart => None,
        };
        let trips = goes_on.and_then(|condition| self.count_passes(condition, trip));
        if let Some(trips) = trips {
            let number = self.terms().number(trips, IntKind::LONG);
            return Some(Passes {
                alike: Alike::Block,
                number: Some(number),
            });
        }
        let alike = alike?;
        let number = (!ends).then(|| self.passes_of(counter, alike));
        Some(Passes { alike, number })
    }

    /// The courses of the variables that all threads change alike: the next value of the second walk is in terms of its
    /// symbols.
    fn followed_on(
        &self,
        changed: &[Changed<'u>],
        uniform: &[(SymbolId, SymbolId)],
    ) -> Vec<(SymbolId, TermId, TermId)> {
        let mut followed = Vec::new();
        for variable in changed {
            let end = self.find(variable.name).and_then(|it| variable.part(it));
            let end = end.map(|local| local.held.clone());
            let own = variable
                .head
                .and_then(|(_, head)| uniform.iter().find(|(of, _)| *of == head));
            if let (Course::Uniform(_, Alike::Block), Some((_, symbol))) = (&variable.course, own)
                && let (Some(Held::Int(next)), Held::Int(first)) = (end, &variable.first.held)
            {
                followed.push((*symbol, *first, next));
            }
        }
        followed
    }

    /// One pass: the condition as a truth value, and a guard of the body.
    fn pass(&mut self, repeat: &'u Loop) -> Option<TermId> {
        let mut goes_on = None;
        if let (LoopKind::For | LoopKind::While, Some(condition)) = (repeat.kind, &repeat.condition)
        {
            let term = self.term(condition);
            let truth = self.terms().truth(term);
            goes_on = Some(truth);
            self.push_guard(truth, condition);
        }
        self.walk_block(&repeat.body);
        self.course.ended = false;
        if let (LoopKind::DoWhile, Some(condition)) = (repeat.kind, &repeat.condition) {
            let term = self.term(condition);
            goes_on = Some(self.terms().truth(term));
        }
        if let Some(step) = &repeat.step {
            self.value(step);
        }
        goes_on
    }

    /// The value after this number of passes.
    pub(super) fn grown(&mut self, first: &Held<'u>, by: TermId, passes: TermId) -> Held<'u> {
        match first {
            Held::Int(first) => {
                let terms = self.terms();
                let kind = terms.kind(*first);
                let passes = terms.convert(passes, kind);
                let by = terms.convert(by, kind);
                let distance = terms.binary(Operator::Mul, passes, by);
                let distance = terms.convert(distance, kind);
                let sum = terms.binary(Operator::Add, *first, distance);
                Held::Int(terms.convert(sum, kind))
            }
            Held::Pointer(pointer) => {
                let terms = self.terms();
                let by = terms.convert(by, INDEX);
                let passes = terms.convert(passes, INDEX);
                let distance = terms.binary(Operator::Mul, passes, by);
                let offset = terms.binary(Operator::Add, pointer.offset, distance);
                Held::Pointer(Pointer {
                    offset,
                    ..pointer.clone()
                })
            }
            other => other.clone(),
        }
    }

    /// Number of passes of a loop whose condition depends on nothing else.
    fn count_passes(&self, condition: TermId, trip: SymbolId) -> Option<i64> {
        let symbols = self.out.terms.symbols_of(condition);
        if symbols.iter().any(|symbol| *symbol != trip) {
            return None;
        }
        let names = Names::default();
        for passes in 0..COUNTED {
            let fixed = std::iter::once((trip, passes)).collect();
            let mut lanes = Lanes::new(&self.out.terms, [1; 3], fixed, &names);
            match lanes.column(condition).at(0) {
                Cell::Known(0) => return Some(passes),
                Cell::Known(_) => {}
                Cell::Open(_) | Cell::Unknown(_) => return None,
            }
        }
        None
    }

    pub(super) fn set_changed(&mut self, variable: &Changed<'u>, held: Held<'u>) {
        let held = self.followed(variable.name, held);
        let local = self.find_mut(variable.name);
        let part = match (local, variable.member) {
            (Some(local), Some(member)) => match &mut local.held {
                Held::Parts(parts) => parts.members.get_mut(member),
                _ => None,
            },
            (local, _) => local,
        };
        if let Some(part) = part {
            part.held = held;
        }
    }
}

impl<'u> Changed<'u> {
    /// It as a person writes it.
    pub(super) fn spoken(&self) -> Arc<str> {
        match self.member {
            Some(member) => format!("{}.{member}", self.name).into(),
            None => self.name.into(),
        }
    }

    /// It in the variable of its name.
    pub(super) fn part<'l>(&self, local: &'l Local<'u>) -> Option<&'l Local<'u>> {
        match (&local.held, self.member) {
            (_, None) => Some(local),
            (Held::Parts(parts), Some(member)) => parts.members.get(member),
            (_, Some(_)) => None,
        }
    }
}

/// The variable that the step of a `for` changes.
fn counter_of<'u>(repeat: &'u Loop, changed: &[Changed<'u>]) -> Option<&'u str> {
    let mut found = None;
    let step = repeat.step.as_ref()?;
    crate::walk::subexpressions(step, &mut |expr| {
        if let Some(name) = expr.as_plain_name()
            && found.is_none()
            && changed.iter().any(|variable| variable.name == name)
        {
            found = Some(name);
        }
    });
    found
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

/// Whether a statement may return.
fn returns(item: &Item) -> bool {
    let mut found = false;
    crate::walk::items(std::slice::from_ref(item), &mut |item| {
        found |= matches!(item.kind, tree_sitter_cute::tree::ItemKind::Return(_));
    });
    found
}
