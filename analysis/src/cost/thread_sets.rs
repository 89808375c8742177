//! The threads of a CTA that pass the branches around an action.

use std::cell::{Cell, RefCell};

use tree_sitter_cute::Host;
use tree_sitter_cute::tree::{BinaryOp, Expr, ExprKind, Item, ItemKind, Span, UnaryOp};

use super::called::Called;
use super::threads::{Threads, WARP};
use super::{Seen, called};
use crate::hash::HashMap;
use crate::trace::{Action, ActionKind, Way};
use crate::value::Value;
use crate::walk;

/// Threads of a warp group.
const WARP_GROUP: i64 = 128;
/// Variables and calls inside each other that are followed.
const DEPTH: usize = 24;

/// The threads that come to an action; `None` where a condition around it says something else than
/// which threads pass. Conditions for which `is_other` is true are left out.
pub(super) fn coming<'u>(
    seen: &Seen<'_, 'u>,
    action: &Action<'u>,
    is_other: &dyn Fn(&'u Expr) -> bool,
) -> Option<Threads> {
    let all = threads(seen)?;
    if leaves_before(seen, action) {
        return None;
    }
    let mut guards: Vec<(&'u Expr, bool)> = Vec::new();
    for step in &action.path {
        match step.way {
            Way::Loop(_) => {}
            Way::Then(condition) if is_other(condition) => {}
            Way::Then(condition) => guards.push((condition, true)),
            Way::Else => guards.push((condition_of(seen, step.span)?, false)),
            Way::Case(_) | Way::Aside | Way::Lambda => return None,
        }
    }
    passing(seen, all, &guards)
}

/// The threads that come to a place in the function itself; `None` where something else than the index of a thread
/// decides on it.
pub(super) fn coming_to<'u>(seen: &Seen<'_, 'u>, place: Span) -> Option<Threads> {
    let all = threads(seen)?;
    let mut leaves = false;
    walk::items(seen.run.body(), &mut |item| {
        leaves |= matches!(item.kind, ItemKind::Return(_) | ItemKind::Jump(_))
            && item.span.start < place.start;
    });
    if leaves {
        return None;
    }
    let mut guards: Vec<(&'u Expr, bool)> = Vec::new();
    for item in called::around(seen, place) {
        match &item.kind {
            ItemKind::Loop(_) => {}
            ItemKind::If(branch) => {
                let condition = branch.condition.as_ref()?;
                if condition.span.encloses(place) {
                    in_front(condition, place, &mut guards)?;
                } else {
                    let mut then = branch.then.iter();
                    guards.push((condition, then.any(|item| item.span.encloses(place))));
                }
            }
            _ => return None,
        }
    }
    passing(seen, all, &guards)
}

/// All threads that may come to a place in the function itself: branches that are not understood keep none away. None is
/// known where a launch is not.
pub(super) fn at_most(seen: &Seen<'_, '_>, place: Span) -> Threads {
    let all = threads(seen).unwrap_or_default();
    let mut coming: Vec<i64> = (0..all).collect();
    for item in called::around(seen, place) {
        let ItemKind::If(branch) = &item.kind else {
            continue;
        };
        let Some(condition) = &branch.condition else {
            continue;
        };
        let mut then = branch.then.iter();
        let outcome = then.any(|item| item.span.encloses(place));
        if condition.span.encloses(place) {
            continue;
        }
        if let Some(passing) = passing(seen, all, &[(condition, outcome)]) {
            coming.retain(|thread| passing.has(*thread));
        }
    }
    Threads::of(coming)
}

/// The conditions under which a part of a condition is evaluated: the left sides of `&&`.
fn in_front<'u>(
    condition: &'u Expr,
    place: Span,
    guards: &mut Vec<(&'u Expr, bool)>,
) -> Option<()> {
    let mut condition = condition;
    loop {
        match &condition.kind {
            ExprKind::Binary(BinaryOp::And, left, right) => {
                if right.span.encloses(place) {
                    guards.push((left, true));
                    condition = right;
                } else {
                    condition = left;
                }
            }
            ExprKind::Binary(BinaryOp::Or, ..) | ExprKind::Ternary(..) => return None,
            _ => return Some(()),
        }
    }
}

/// The threads for which all of these conditions have their outcomes.
fn passing<'u>(seen: &Seen<'_, 'u>, all: i64, guards: &[(&'u Expr, bool)]) -> Option<Threads> {
    let cells = Cells::default();
    let passing = |elected: i64| -> Option<Vec<i64>> {
        let mut passing = Vec::new();
        for thread in 0..all {
            let asked = Asked {
                seen,
                thread,
                elected,
                cells: &cells,
            };
            let mut comes = true;
            for (condition, outcome) in guards {
                // All are evaluated, so that one that is not understood is never passed over.
                comes &= (asked.value(condition, DEPTH)? != 0) == *outcome;
            }
            if comes {
                passing.push(thread);
            }
        }
        Some(passing)
    };
    let first = passing(0)?;
    // The choice of the elected lane must not matter for the number of lanes.
    if cells.elects.get() {
        for lane in 1..WARP {
            if passing(lane)?.len() != first.len() {
                return None;
            }
        }
    }
    Some(Threads::of(first))
}

/// Whether a loop takes the same number of passes in each thread, judged by its header.
pub(super) fn is_same_for_all(seen: &Seen<'_, '_>, action: &Action<'_>) -> bool {
    action.loops().into_iter().all(|(span, _)| {
        let mut depends = false;
        for body in seen.bodies() {
            walk::items(body, &mut |item| {
                let ItemKind::Loop(repeat) = &item.kind else {
                    return;
                };
                if item.span != span {
                    return;
                }
                for part in repeat.condition.iter().chain(&repeat.step) {
                    depends |= asks_for_thread(seen, part, DEPTH);
                }
                for item in &repeat.init {
                    if let ItemKind::Binding(binding) = &item.kind
                        && let Some(init) = &binding.init
                    {
                        depends |= asks_for_thread(seen, init, DEPTH);
                    }
                }
            });
        }
        !depends
    })
}

/// Whether a value is made from the index of a thread.
pub(super) fn asks_for_thread(seen: &Seen<'_, '_>, expr: &Expr, depth: usize) -> bool {
    let Some(depth) = depth.checked_sub(1) else {
        return true;
    };
    // A static result is the same for all, whatever it is the size of.
    if seen.constant(expr).is_some() {
        return false;
    }
    let mut asks = Called::of(expr).is_some_and(|called| called.name == "thread_rank")
        || indices(seen).iter().any(|(name, ..)| is_call(expr, name))
        || is_call(expr, "elect_one_sync");
    if let ExprKind::Name(_) = &expr.kind {
        asks |= expr.as_plain_name() == Some("threadIdx")
            || seen
                .variable(expr)
                .is_some_and(|declared| seen.is_ambiguous(declared));
        if let Some(init) = seen
            .variable(expr)
            .and_then(|declared| seen.initialiser(declared))
            .filter(|init| init.span != expr.span)
        {
            asks |= asks_for_thread(seen, init, depth);
        }
    }
    let mut parts = Vec::new();
    walk::children(expr, &mut |part| parts.push(part));
    if let ExprKind::Lambda(lambda) = &expr.kind {
        walk::expressions(&lambda.body, &mut |part| parts.push(part));
    }
    // Only variables count as nested.
    asks || parts
        .into_iter()
        .any(|part| asks_for_thread(seen, part, depth + 1))
}

/// Functions of the libraries that give an index of the thread: the divisor, and the modulus.
const INDICES: &[(&str, i64, Option<i64>)] = &[
    ("canonical_warp_idx_sync", WARP, None),
    ("canonical_warp_idx", WARP, None),
    ("canonical_warp_group_idx", WARP_GROUP, None),
    (
        "canonical_warp_idx_in_warp_group",
        WARP,
        Some(WARP_GROUP / WARP),
    ),
    ("canonical_lane_idx", 1, Some(WARP)),
    ("canonical_thread_idx_in_warp_group", 1, Some(WARP_GROUP)),
];

/// The same of `cuda_device`, in Rust. Launches with more than one thread along y or z are not looked at.
const INDICES_OF_RUST: &[(&str, i64, Option<i64>)] = &[
    ("threadIdx_x", 1, None),
    ("threadIdx_y", 1, Some(1)),
    ("threadIdx_z", 1, Some(1)),
    ("lane_id", 1, Some(WARP)),
    ("warp_id", WARP, None),
];

/// Those of the language of a kernel.
fn indices(seen: &Seen<'_, '_>) -> &'static [(&'static str, i64, Option<i64>)] {
    match Host::of_path(seen.file.path()) {
        Some(Host::Rust) => INDICES_OF_RUST,
        _ => INDICES,
    }
}

/// The result of a function of the libraries in a thread, where its warp elects the first lane.
pub(super) fn index_of(name: &str, thread: i64) -> Option<i64> {
    if name == "elect_one_sync" {
        return Some(i64::from(thread % WARP == 0));
    }
    let (_, by, rest) = INDICES.iter().find(|(known, ..)| *known == name)?;
    let index = thread / by;
    Some(rest.map_or(index, |rest| index % rest))
}

/// The threads of a CTA in classes that come to the same branches; nothing where a condition on threads is not
/// understood. The first lane of each warp is the one that it elects. Branches around some more places count, too.
pub(super) fn classes(seen: &Seen<'_, '_>, also: &[Span]) -> Option<Vec<Threads>> {
    let all = threads(seen)?;
    let cells = Cells::default();
    let conditions = deciding(seen, also);
    Threads::of((0..all).collect()).apart(|thread| {
        let asked = Asked {
            seen,
            thread,
            elected: 0,
            cells: &cells,
        };
        let mut outcome = Vec::new();
        asked.route(seen.run.body(), &conditions, &mut outcome)?;
        Some(outcome)
    })
}

/// The conditions on threads that decide on an action or on one of these places, or on the way to one.
fn deciding(seen: &Seen<'_, '_>, also: &[Span]) -> Vec<Span> {
    let actions = seen
        .run
        .everything()
        .filter(|action| does_something(action.kind));
    let places = actions.filter_map(|action| action.chain().next());
    let places: Vec<Span> = places.chain(also.iter().copied()).collect();
    let mut found = Vec::new();
    walk::items(seen.run.body(), &mut |item| {
        let ItemKind::If(branch) = &item.kind else {
            return;
        };
        let mut decides = places.iter().any(|place| item.span.encloses(*place));
        walk::items(std::slice::from_ref(item), &mut |inner| {
            decides |= matches!(inner.kind, ItemKind::Return(_) | ItemKind::Jump(_));
        });
        let condition = branch.condition.as_ref().filter(|_| decides);
        found.extend(
            condition
                .filter(|condition| asks_for_thread(seen, condition, DEPTH))
                .map(|condition| condition.span),
        );
    });
    found
}

/// Whether an action copies, computes, waits or signals: the others only give values.
fn does_something(kind: ActionKind) -> bool {
    !matches!(
        kind,
        ActionKind::CtaSlice
            | ActionKind::Fragment
            | ActionKind::Lay
            | ActionKind::LocalTile
            | ActionKind::MakeTma
            | ActionKind::MulticastMask
            | ActionKind::Partition
            | ActionKind::Slice
            | ActionKind::ThreadSlice
            | ActionKind::TmaPartition
    )
}

/// Values computed once for all threads.
#[derive(Default)]
struct Cells {
    /// Whether a lane is elected anywhere.
    elects: Cell<bool>,
    /// Whether each variable is assigned to after its declaration.
    assigned: RefCell<HashMap<Span, bool>>,
}

/// The evaluation for one thread, with the lane that each warp elects.
pub(super) struct Asked<'s, 'a, 'u> {
    seen: &'s Seen<'a, 'u>,
    thread: i64,
    elected: i64,
    cells: &'s Cells,
}

impl<'u> Asked<'_, '_, 'u> {
    /// The value of an expression in a thread, where no lane is elected on the way to it.
    pub(super) fn number(seen: &Seen<'_, 'u>, thread: i64, expr: &'u Expr) -> Option<i64> {
        let cells = Cells::default();
        let asked = Asked {
            seen,
            thread,
            elected: 0,
            cells: &cells,
        };
        let number = asked.value(expr, DEPTH)?;
        (!cells.elects.get()).then_some(number)
    }

    /// The outcomes of these conditions where the thread comes to them; nothing where one is not understood.
    fn route(&self, items: &'u [Item], asked: &[Span], outcome: &mut Vec<i64>) -> Option<()> {
        for item in items {
            match &item.kind {
                ItemKind::If(branch) => {
                    let otherwise = branch.otherwise.as_deref().unwrap_or_default();
                    let condition = branch.condition.as_ref();
                    let is_asked = |condition: &&Expr| asked.contains(&condition.span);
                    if let Some(condition) = condition.filter(is_asked) {
                        let truth = i64::from(self.value(condition, DEPTH)? != 0);
                        outcome.push(truth);
                        let taken = if truth == 0 { otherwise } else { &branch.then };
                        self.route(taken, asked, outcome)?;
                    } else {
                        self.route(&branch.then, asked, outcome)?;
                        self.route(otherwise, asked, outcome)?;
                    }
                }
                ItemKind::Loop(repeat) => self.route(&repeat.body, asked, outcome)?,
                ItemKind::Block(items) => self.route(items, asked, outcome)?,
                _ => {
                    let mut inside: Vec<&'u Expr> = Vec::new();
                    walk::items(std::slice::from_ref(item), &mut |item| {
                        if let ItemKind::If(branch) = &item.kind {
                            inside.extend(&branch.condition);
                        }
                    });
                    inside.retain(|condition| asked.contains(&condition.span));
                    for condition in inside {
                        outcome.push(self.value(condition, DEPTH)?);
                    }
                }
            }
        }
        Some(())
    }

    /// The value of an expression in the thread; a truth value is 0 or 1.
    fn value(&self, expr: &'u Expr, depth: usize) -> Option<i64> {
        let depth = depth.checked_sub(1)?;
        if let Some(number) = self.seen.constant(expr) {
            return Some(number);
        }
        match &expr.kind {
            ExprKind::Int(value) => Some(*value),
            ExprKind::Bool(value) => Some(i64::from(*value)),
            ExprKind::Cast(_, _, inner) => self.value(inner, depth),
            ExprKind::Construct { args, .. } => match args.as_slice() {
                [only] => self.value(only, depth),
                _ => None,
            },
            ExprKind::Name(_) => {
                let declared = self.seen.variable(expr)?;
                if self.is_assigned(declared) {
                    return None;
                }
                self.value(self.seen.initialiser(declared)?, depth)
            }
            ExprKind::Member { object, member, .. }
                if object.as_plain_name() == Some("threadIdx") =>
            {
                match member.name.name.as_str() {
                    "x" => Some(self.thread),
                    // Launches with more than one thread along y or z are not looked at.
                    "y" | "z" => Some(0),
                    _ => None,
                }
            }
            ExprKind::Unary(UnaryOp::Not, inner) => Some(i64::from(self.value(inner, depth)? == 0)),
            ExprKind::Binary(op, left, right) => {
                on_numbers(*op, self.value(left, depth)?, self.value(right, depth)?)
            }
            ExprKind::Call(_, args) => self.call(expr, args, depth),
            _ => None,
        }
    }

    fn is_assigned(&self, declared: Span) -> bool {
        let known = self.cells.assigned.borrow().get(&declared).copied();
        known.unwrap_or_else(|| {
            let assigned = self.seen.is_assigned(declared, 0..usize::MAX);
            self.cells.assigned.borrow_mut().insert(declared, assigned);
            assigned
        })
    }

    fn call(&self, call: &'u Expr, args: &'u [Expr], depth: usize) -> Option<i64> {
        if is_call(call, "elect_one_sync") {
            self.cells.elects.set(true);
            return Some(i64::from(self.thread % WARP == self.elected));
        }
        let known = indices(self.seen);
        if let Some((_, by, rest)) = known.iter().find(|(name, ..)| is_call(call, name)) {
            let index = self.thread / by;
            return Some(rest.map_or(index, |rest| index % rest));
        }
        if let Some(called) = Called::of(call)
            && let ("thread_rank", Some(object)) = (called.name, called.object)
            && is_block(self.seen, object)
        {
            return Some(self.thread);
        }
        // The value of one lane, in all lanes of its warp.
        if let ([_, given, lane], true) = (args, is_call(call, "__shfl_sync")) {
            let lane = self.value(lane, depth)?;
            let sender = Asked {
                thread: self.thread / WARP * WARP + lane,
                ..*self
            };
            return (0..WARP)
                .contains(&lane)
                .then(|| sender.value(given, depth))?;
        }
        None
    }
}

/// Whether an object is the group of all threads of the CTA: `cooperative_groups::this_thread_block()`.
pub(super) fn is_block(seen: &Seen<'_, '_>, object: &Expr) -> bool {
    let init = seen
        .variable(object)
        .and_then(|declared| seen.initialiser(declared));
    let called = Called::of(init.unwrap_or(object));
    called.is_some_and(|called| called.name == "this_thread_block" && called.args.is_empty())
}

/// The result of an operator on two numbers.
pub(super) fn on_numbers(op: BinaryOp, left: i64, right: i64) -> Option<i64> {
    let truth = |truth: bool| Some(i64::from(truth));
    match op {
        BinaryOp::Add => left.checked_add(right),
        BinaryOp::Sub => left.checked_sub(right),
        BinaryOp::Mul => left.checked_mul(right),
        BinaryOp::Div => left.checked_div(right),
        BinaryOp::Rem => left.checked_rem(right),
        BinaryOp::Eq => truth(left == right),
        BinaryOp::Ne => truth(left != right),
        BinaryOp::Lt => truth(left < right),
        BinaryOp::Le => truth(left <= right),
        BinaryOp::Gt => truth(left > right),
        BinaryOp::Ge => truth(left >= right),
        BinaryOp::And => truth(left != 0 && right != 0),
        BinaryOp::Or => truth(left != 0 || right != 0),
        BinaryOp::BitAnd => Some(left & right),
        BinaryOp::BitOr => Some(left | right),
        BinaryOp::BitXor => Some(left ^ right),
        _ => None,
    }
}

/// Whether the function may be left, in some threads, before control comes to an action.
pub(super) fn leaves_before(seen: &Seen<'_, '_>, action: &Action<'_>) -> bool {
    let called = action.calls.iter().map(|call| call.function);
    let functions = std::iter::once(seen.run.function).chain(called);
    functions.zip(action.chain()).any(|(function, at)| {
        let mut leaves = false;
        walk::items(function.body.as_deref().unwrap_or_default(), &mut |item| {
            leaves |= matches!(item.kind, ItemKind::Return(_) | ItemKind::Jump(_))
                && item.span.start < at.start;
        });
        leaves
    })
}

/// The condition of the `if` at a place.
pub(super) fn condition_of<'u>(seen: &Seen<'_, 'u>, span: Span) -> Option<&'u Expr> {
    let mut found = None;
    for body in seen.bodies() {
        walk::items(body, &mut |item| {
            if let ItemKind::If(branch) = &item.kind
                && item.span == span
            {
                found = branch.condition.as_ref();
            }
        });
    }
    found
}

/// Whether an expression is a call of a function of this name.
fn is_call(expr: &Expr, name: &str) -> bool {
    match &expr.kind {
        ExprKind::Call(callee, _) => callee
            .as_path()
            .and_then(|path| path.last())
            .is_some_and(|segment| segment.name.name == name),
        _ => false,
    }
}

/// The threads of a CTA, along x only, where all launches agree.
pub(super) fn threads(seen: &Seen<'_, '_>) -> Option<i64> {
    let along_x = |block: &Value| {
        let [x, y, z] = super::budget::three(block)?;
        (y == 1 && z == 1).then_some(x)
    };
    let mut launches = seen
        .run
        .launches
        .iter()
        .map(|launch| along_x(&launch.block));
    // A contract of Rust allows no other block.
    if let (true, Some(only)) = (seen.run.launches.is_empty(), &seen.run.bounds.only) {
        return along_x(only);
    }
    let first = launches.next()??;
    launches.all(|other| other == Some(first)).then_some(first)
}
