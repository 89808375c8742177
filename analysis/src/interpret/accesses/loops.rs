//! Loops of a kernel: a variable that grows by the same in every pass is its first value plus a constant for each pass;
//! one that all threads change alike is a symbol; any other change is Unknown.

use tree_sitter_cute::tree::{Expr, Item, ItemKind, Loop, LoopKind};

use super::behind::Passes;
use super::changed::{Changed, Course, Part, counter_of, number_of, with};
use super::course::{Leaving, Way};
use super::held::{Held, Local, Pointer, Ty};
use super::rust::views::View;
use super::unrolled::Unrolled;
use super::{Scope, Walker};
use crate::access::alike::Alike;
use crate::access::lanes::{Cell, Lanes, Names};
use crate::access::terms::{IntKind, Operator, Repeat, SymbolId, SymbolKind, Term, TermId};
use crate::access::{Guard, INDEX};
use crate::hash::HashMap;

/// Passes that are counted to find out how often a loop with known bounds goes.
const COUNTED: i64 = 1_024;

impl<'u> Walker<'_, 'u> {
    pub(super) fn walk_loop(&mut self, repeat: &'u Loop) {
        self.scopes.push(Scope::default());
        self.frame
            .scopes
            .push(super::super::frame::Scope::default());
        let mut over = None;
        if repeat.kind == LoopKind::Range {
            if let Some(range) = &repeat.condition {
                over = self.iterated(range).zip(Some(range));
            }
            for item in &repeat.init {
                self.declare_of_range(item);
            }
        } else {
            self.walk_all(&repeat.init);
            if self.it.is_rust() {
                self.type_of_counter(repeat);
            }
        }
        let mut changed = self.changed_by(repeat);
        let leaving_outer = std::mem::take(&mut self.course.leaving);
        let outer_switch = std::mem::replace(&mut self.course.in_switch, false);
        let guards = self.course.guards.len();
        let around = std::mem::replace(&mut self.course.at_loop, guards);
        let left_outer = std::mem::take(&mut self.course.left);
        self.first_walk(repeat, &mut changed);
        let is_left = self.course.leaving != Leaving::Nobody;
        let unrolled = self.unrolled(repeat, &changed);
        self.second_walk(repeat, (&changed, is_left), (unrolled.as_ref(), over));
        self.course.left = left_outer;
        let returns_inside =
            self.course.leaving != Leaving::Nobody && repeat.body.iter().any(returns);
        self.course.leaving = leaving_outer;
        self.course.at_loop = around;
        // A thread that returns in here is in no later pass of the loop around either.
        if returns_inside {
            self.course.leaving = Leaving::Apart;
        }
        self.course.in_switch = outer_switch;
        self.frame.scopes.pop();
        self.scopes.pop();
    }

    pub(super) fn declare_of_range(&mut self, item: &'u Item) {
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
                    .fresh(&format!("{}?", variable.written), SymbolKind::Head, kind);
            if let Some(symbol) = self.out.terms.as_symbol(head) {
                variable.head = Some((head, symbol));
            }
            self.set_changed(variable, with(&variable.first.held, head));
        }
        let (_, after) = self.aside(|it| it.pass(repeat));
        let end_of = |variable: &Changed<'u>| {
            let mut scopes = after.iter().rev();
            let end = scopes.find_map(|scope| scope.get(variable.name));
            end.and_then(|local| variable.part(local))
        };
        // What has its value again is that value in the changes of others.
        let mut same = HashMap::default();
        for variable in changed.iter() {
            let terms = (
                number_of(&variable.first.held),
                end_of(variable).and_then(|end| number_of(&end.held)),
            );
            if let (Some((head, symbol)), (Some(first), Some(end))) = (variable.head, terms)
                && head == end
            {
                same.insert(symbol, first);
            }
        }
        for variable in changed.iter_mut() {
            let end = end_of(variable);
            variable.course = match (variable.head, end) {
                (Some((head, _)), Some(end)) => {
                    let mut end = end.held.clone();
                    if let Some(term) = number_of(&end).filter(|term| *term != head) {
                        let term = self.terms().replaced(term, &same);
                        end = with(&end, term);
                    }
                    self.course(variable, head, &end, mark)
                }
                (None, Some(end)) if end.held == variable.first.held => Course::Same,
                _ => Course::Lost("a loop changes it".into()),
            };
        }
        self.settle(changed);
    }

    /// Walks a loop without keeping anything of it: the result, and the variables behind.
    pub(super) fn aside<T>(&mut self, walk: impl FnOnce(&mut Self) -> T) -> (T, Vec<Scope<'u>>) {
        let recording = std::mem::replace(&mut self.recording, false);
        let (returns, guards) = (self.returns.len(), self.course.guards.len());
        self.course.loops.push(usize::MAX);
        let before = self.scopes.clone();
        let result = walk(self);
        let after = std::mem::replace(&mut self.scopes, before);
        self.course.loops.pop();
        self.course.guards.truncate(guards);
        self.course.left.clear();
        self.returns.truncate(returns);
        self.recording = recording;
        (result, after)
    }

    /// The course of a variable, by its value at the end of a pass.
    fn course(
        &mut self,
        variable: &Changed<'u>,
        head: TermId,
        end: &Held<'u>,
        mark: SymbolId,
    ) -> Course {
        let lost =
            || Course::Lost(format!("`{}` changes from pass to pass", variable.written).into());
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
        let terms = &self.out.terms;
        let kind = terms.kind(head);
        // A sum in a wider type, as a number of the variable's: both are the same modulo the narrower one.
        let mut sum = end;
        while let Term::Convert(wider) = terms.term(sum)
            && terms.kind(*wider).bits > kind.bits
            && terms.kind(sum) == kind
        {
            sum = *wider;
        }
        let mut parts = terms.addends(sum);
        let is_head = |part: TermId| {
            part == head
                || (sum != end && matches!(terms.term(part), Term::Convert(of) if *of == head))
        };
        let own = parts
            .iter()
            .position(|(negative, part)| !negative && is_head(*part));
        if let Some(own) = own {
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
                let mut by = terms.number(0, kind);
                for (negative, part) in parts {
                    let part = if sum == end {
                        part
                    } else {
                        terms.convert(part, kind)
                    };
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
            variable.part != Part::Whole && matches!(variable.first.held, Held::Pointer(_));
        if let (Some(first), Some(next), false) = (terms.alike(first), terms.alike(end), is_unnamed)
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
                        let why = format!("`{}` changes from pass to pass", variable.written);
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
        let first = number_of(&variable.first.held)?;
        let terms = &self.out.terms;
        match &variable.course {
            Course::Lost(_) => None,
            Course::Same => terms.alike(first),
            Course::Grows(by) => Some(terms.alike(first)?.max(terms.alike(*by)?)),
            Course::Uniform(_, alike) => Some(*alike),
        }
    }

    /// Walks the loop again, now that the values at its head are known.
    fn second_walk(
        &mut self,
        repeat: &'u Loop,
        (changed, is_left): (&[Changed<'u>], bool),
        (unrolled, over): (Option<&Unrolled<'u>>, Option<(View, &'u Expr)>),
    ) {
        let index = self.out.loops.len();
        let name = match &over {
            Some(_) => name_of_range(repeat),
            None => changed.first().map(|variable| variable.name),
        };
        let name = name.unwrap_or("loop");
        let counter_name = match &over {
            Some(_) => name,
            None => counter_of(repeat, changed).unwrap_or(name),
        };
        let trip = self.terms().fresh(
            &format!("{counter_name}.pass"),
            SymbolKind::Trip(index),
            IntKind::LONG,
        );
        let Some(trip_symbol) = self.out.terms.as_symbol(trip) else {
            return;
        };
        let heads = self.heads_of(changed, unrolled, (trip, counter_name));
        self.out.loops.push(Repeat {
            trip: trip_symbol,
            condition: None,
            counter: heads.counter,
            followed: Vec::new(),
        });
        self.course.loops.push(index);
        self.course.leaving = Leaving::default();
        let guards = self.course.guards.len();
        // Inside of the first walk of a loop around, the body is not needed again.
        let walks_body = self.recording || is_left || repeat.kind == LoopKind::DoWhile;
        let of_range = over.and_then(|(over, range)| {
            let text = self.text(range.span);
            let condition = self.goes_on(&over, trip, &text);
            self.declare_elements((over, trip), range, &repeat.init);
            condition
        });
        let condition = if walks_body {
            self.pass(repeat)
        } else {
            self.condition_before(repeat)
        };
        let condition = condition.or(of_range);
        let leaving = self.course.leaving;
        self.course.guards.truncate(guards);
        self.course.loops.pop();
        let ends = leaving != Leaving::Nobody;
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
        let followed = if walks_body {
            self.followed_on(changed, &heads.uniform)
        } else {
            Vec::new()
        };
        let torn = self.torn(changed, &heads.values);
        let goes_on = condition.filter(|_| !ends && repeat.kind != LoopKind::DoWhile);
        if let Some(known) = self.out.loops.get_mut(index) {
            known.condition = goes_on;
            known.followed = followed;
        }
        let passes = self.passes_at_end(
            repeat,
            (condition, goes_on),
            leaving,
            trip_symbol,
            counter_name,
        );
        self.leave(changed, &torn, passes.as_ref());
        if let Some(unrolled) = unrolled {
            for (variable, held) in changed.iter().zip(&unrolled.end) {
                self.set_changed(variable, held.clone());
            }
        }
    }

    /// The number of passes of a loop at its end, from its condition: as it is, and where nothing else ends the loop.
    fn passes_at_end(
        &mut self,
        repeat: &Loop,
        (condition, goes_on): (Option<TermId>, Option<TermId>),
        leaving: Leaving,
        trip: SymbolId,
        counter: &str,
    ) -> Option<Passes> {
        let ends = leaving != Leaving::Nobody;
        let of_condition = match condition {
            Some(condition) => self.out.terms.alike(condition),
            // `for (;;)`
            None => (ends && repeat.kind == LoopKind::For).then_some(Alike::Block),
        };
        let alike = match leaving {
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
            let end = self.now(variable).map(|local| local.held.clone());
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
        let before = self.condition_before(repeat);
        let behind = self.rest_of_pass(repeat);
        before.or(behind)
    }

    /// The condition before the body of a pass: it becomes a guard.
    pub(super) fn condition_before(&mut self, repeat: &'u Loop) -> Option<TermId> {
        let (LoopKind::For | LoopKind::While, Some(condition)) = (repeat.kind, &repeat.condition)
        else {
            return None;
        };
        let term = self.term(condition);
        let truth = self.terms().truth(term);
        self.push_guard(truth, condition);
        Some(truth)
    }

    /// The body, the condition behind it in a `do` loop, and the step.
    pub(super) fn rest_of_pass(&mut self, repeat: &'u Loop) -> Option<TermId> {
        let guards = self.course.guards.len();
        let at_pass = std::mem::replace(&mut self.course.at_pass, guards);
        let outer = std::mem::take(&mut self.course.continued);
        self.walk_block(&repeat.body);
        self.course.at_pass = at_pass;
        let continued = std::mem::replace(&mut self.course.continued, outer);
        self.meet_continued(continued);
        let mut behind = None;
        if let (LoopKind::DoWhile, Some(condition)) = (repeat.kind, &repeat.condition) {
            let term = self.term(condition);
            behind = Some(self.terms().truth(term));
        }
        if let Some(step) = &repeat.step {
            self.value(step);
        }
        behind
    }

    /// The variables behind the body of a loop, to which its `continue`s lead, too.
    fn meet_continued(&mut self, mut continued: Vec<Way<'u>>) {
        let ended = std::mem::replace(&mut self.course.ended, false);
        if ended && let Some((_, mut scopes)) = continued.pop() {
            scopes.truncate(self.scopes.len());
            self.scopes = scopes;
        }
        for (condition, scopes) in continued {
            self.merge(condition, scopes);
        }
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
}

/// Whether a statement may return.
fn returns(item: &Item) -> bool {
    let mut found = false;
    crate::walk::items(std::slice::from_ref(item), &mut |item| {
        found |= matches!(item.kind, tree_sitter_cute::tree::ItemKind::Return(_));
    });
    found
}

/// The first name of `for x in range`.
fn name_of_range(repeat: &Loop) -> Option<&str> {
    repeat.init.iter().find_map(|item| match &item.kind {
        ItemKind::Binding(binding) => Some(binding.name.as_ref()?.name.as_str()),
        _ => None,
    })
}
