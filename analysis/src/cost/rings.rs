//! Counters that go round: which numbers the index of a stage takes.
//!
//! Only a value that is certainly taken counts: the last number of a loop that is known to get there, of a
//! `PipelineState` that is advanced in a loop, of a variable that is counted up and put back to 0.

use cute_algebra::Int;
use tree_sitter_cute::tree::{BinaryOp, Expr, ExprKind, ItemKind, Span, UnaryOp};

use super::Seen;
use super::thread_sets::{condition_of, on_numbers};
use crate::held::at;
use crate::trace::{Action, Way};
use crate::value::Value;
use crate::walk;

/// Variables that are followed from one to the next.
const DEPTH: usize = 16;
/// Stages that are looked at, at most.
const LONGEST: i64 = 64;

/// The largest number that an index takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Reach {
    /// The number.
    pub(super) last: i64,
    /// The declaration of the counter.
    pub(super) counter: Span,
    /// The place where it is set back, or the loop that counts it.
    pub(super) turn: Option<Span>,
}

/// A variable, and its summand: `pipe + 1`.
pub(super) fn variable_and_more(seen: &Seen<'_, '_>, expr: &Expr) -> Option<(Span, i64)> {
    match &expr.kind {
        ExprKind::Name(_) => {
            expr.as_plain_name()?;
            Some((seen.variable(expr)?, 0))
        }
        ExprKind::Binary(op @ (BinaryOp::Add | BinaryOp::Sub), counted, more) => {
            counted.as_plain_name()?;
            let more = number_of(seen, more)?;
            let more = if *op == BinaryOp::Sub {
                more.checked_neg()?
            } else {
                more
            };
            Some((seen.variable(counted)?, more))
        }
        _ => None,
    }
}

/// The largest value, at an action, of the variable that an index is, or of the index itself.
pub(super) fn reach<'u>(
    seen: &Seen<'_, 'u>,
    action: &Action<'u>,
    value: &Value,
    index: Option<Span>,
) -> Option<Reach> {
    let reach = of_state(seen, value)
        .or_else(|| index.and_then(|declared| of_variable(seen, action, declared)))?;
    let guarded = action.path.iter().any(|step| match step.way {
        Way::Then(condition) => mentions(seen, condition, reach.counter),
        Way::Else => condition_of(seen, step.span)
            .is_none_or(|condition| mentions(seen, condition, reach.counter)),
        Way::Loop(_) => false,
        Way::Case(_) | Way::Aside | Way::Lambda => true,
    });
    (!guarded).then_some(reach)
}

/// `state.index()` of a state that a loop advances.
fn of_state(seen: &Seen<'_, '_>, value: &Value) -> Option<Reach> {
    let symbol = value.as_int()?.to_string();
    let state = seen
        .run
        .states
        .iter()
        .find(|state| state.symbol == symbol)?;
    let mut advances = false;
    walk::expressions(seen.run.body(), &mut |expr| {
        let advanced = match &expr.kind {
            ExprKind::Unary(UnaryOp::PreIncrement | UnaryOp::PostIncrement, target) => target,
            ExprKind::Call(callee, _) => match &callee.kind {
                ExprKind::Member { object, member, .. } if member.name.name == "advance" => object,
                _ => return,
            },
            _ => return,
        };
        advances |=
            is_name_of(seen, advanced, state.declared) && goes_on(seen, expr.span, state.stages);
    });
    advances.then_some(Reach {
        last: state.stages - 1,
        counter: state.declared,
        turn: None,
    })
}

fn of_variable(seen: &Seen<'_, '_>, action: &Action<'_>, declared: Span) -> Option<Reach> {
    let counter = seen
        .run
        .counters
        .iter()
        .find(|counter| counter.declared == declared);
    if let Some(counter) = counter {
        let around = action
            .path
            .iter()
            .find(|step| step.span == counter.repeat)?;
        let is_left = leaves(seen, around.span);
        return (!is_left && writes(seen, declared, 0)?.len() == 1).then_some(Reach {
            last: counter.last,
            counter: declared,
            turn: None,
        });
    }
    if let Some(reach) = value_of(seen, declared).and_then(|value| of_state(seen, value)) {
        return (!seen.is_assigned(declared, 0..usize::MAX)).then_some(reach);
    }
    let (last, turn) = round(seen, declared, DEPTH)?;
    Some(Reach {
        last,
        counter: declared,
        turn: Some(turn),
    })
}

/// The last number of `counter % N`, where a loop counts up from 0 that may take that number of passes.
fn rest_of_counter(seen: &Seen<'_, '_>, declared: Span, init: &Expr) -> Option<i64> {
    let ExprKind::Binary(BinaryOp::Rem, counter, number) = &init.kind else {
        return None;
    };
    counter.as_plain_name()?;
    let counter = seen.variable(counter)?;
    let number = number_of(seen, number).or_else(|| period(value_of(seen, declared)?.as_int()?))?;
    let mut counts = false;
    walk::items(seen.run.body(), &mut |item| {
        let ItemKind::Loop(repeat) = &item.kind else {
            return;
        };
        let is_its_own = repeat.init.iter().any(|item| item.span.encloses(counter));
        counts |= is_its_own && item.span.encloses(init.span) && goes_on(seen, init.span, number);
    });
    let starts = matches!(seen.initialiser(counter)?.kind, ExprKind::Int(0));
    let steps = writes(seen, counter, DEPTH)?;
    let is_counted = matches!(steps.as_slice(), [(Write::Step, _)]);
    (counts && starts && is_counted && number > 0).then_some(number - 1)
}

/// The number of which an expression is the rest: 3 for `k % 3`.
fn period(int: &Int) -> Option<i64> {
    let symbols = int.as_expression()?.symbols();
    let [symbol] = symbols.as_slice() else {
        return None;
    };
    let number = (1..=LONGEST).find(|number| at(int, symbol, *number) == Some(0))?;
    let is_rest = (0..3 * number).all(|value| at(int, symbol, value) == Some(value % number));
    is_rest.then_some(number)
}

/// The effect of an assignment on a counter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Write {
    /// One more.
    Step,
    /// A number that it begins with.
    Start(i64),
    /// Back to 0 where it has come to a number.
    Back(i64),
    /// One more, or back to 0 after this number.
    Round(i64),
}

/// The last number of a variable that is counted up and put back to 0, and where it is put back.
fn round(seen: &Seen<'_, '_>, declared: Span, depth: usize) -> Option<(i64, Span)> {
    let depth = depth.checked_sub(1)?;
    let init = seen.initialiser(declared)?;
    if let Some(last) = rest_of_counter(seen, declared, init) {
        return Some((last, init.span));
    }
    let start = number_of(seen, init)?;
    let writes = writes(seen, declared, depth)?;
    let mut last: Option<(i64, Span)> = None;
    let mut steps = false;
    let mut puts_back = false;
    for (write, span) in &writes {
        let found = match write {
            Write::Step => {
                steps = true;
                continue;
            }
            Write::Start(number) => {
                if *number < 0 {
                    return None;
                }
                continue;
            }
            Write::Back(number) => {
                puts_back = true;
                number - 1
            }
            Write::Round(number) => *number,
        };
        if last.is_some_and(|(known, _)| known != found) || !goes_on(seen, *span, found + 1) {
            return None;
        }
        last = Some((found, *span));
    }
    let (last, turn) = last?;
    // A counter that is put back has to be counted up by itself; one that goes round has not.
    (steps == puts_back && (0..=last).contains(&start)).then_some((last, turn))
}

/// All that is assigned to a variable; `None` where something of it is not understood.
fn writes(seen: &Seen<'_, '_>, declared: Span, depth: usize) -> Option<Vec<(Write, Span)>> {
    let mut found = Vec::new();
    let mut understood = true;
    let body = seen.run.body();
    walk::expressions(body, &mut |expr| {
        let is_it = |target: &Expr| is_name_of(seen, target, declared);
        let write = match &expr.kind {
            ExprKind::Unary(UnaryOp::PreIncrement | UnaryOp::PostIncrement, target)
                if is_it(target) =>
            {
                Some(Write::Step)
            }
            ExprKind::Unary(
                UnaryOp::PreDecrement | UnaryOp::PostDecrement | UnaryOp::AddressOf,
                target,
            ) if is_it(target) => None,
            ExprKind::Assign(assignment) if is_it(&assignment.target) => {
                assigned(seen, assignment.op, &assignment.value, declared, depth)
            }
            ExprKind::Lambda(lambda) => {
                let mut inside = false;
                walk::expressions(&lambda.body, &mut |expr| inside |= is_it(expr));
                if !inside {
                    return;
                }
                None
            }
            // A function may be given the variable itself.
            ExprKind::Call(callee, args) if args.iter().any(is_it) => {
                let slices = seen.variable(callee).is_some();
                if slices || callee.as_path().is_none() {
                    return;
                }
                None
            }
            _ => return,
        };
        match write {
            Some(write) => found.push((write, expr.span)),
            None => understood = false,
        }
    });
    // `if (v == N) { v = 0; }`
    walk::items(body, &mut |item| {
        let ItemKind::If(branch) = &item.kind else {
            return;
        };
        let Some(condition) = branch.condition.as_ref() else {
            return;
        };
        let Some(number) = comes_to(seen, condition, declared) else {
            return;
        };
        let then = branch.then.iter().map(|item| item.span);
        for inside in then {
            for (write, span) in &mut found {
                if *write == Write::Start(0) && inside.encloses(*span) {
                    (*write, *span) = (Write::Back(number), condition.span);
                }
            }
        }
    });
    understood.then_some(found)
}

/// The effect of `v = value` or `v op= value`.
fn assigned(
    seen: &Seen<'_, '_>,
    op: Option<BinaryOp>,
    value: &Expr,
    declared: Span,
    depth: usize,
) -> Option<Write> {
    match op {
        Some(BinaryOp::Add) => (number_of(seen, value)? == 1).then_some(Write::Step),
        Some(BinaryOp::Rem) => Some(Write::Back(number_of(seen, value)?)),
        Some(BinaryOp::BitXor) => (number_of(seen, value)? == 1).then_some(Write::Round(1)),
        Some(_) => None,
        None => match &value.kind {
            ExprKind::Binary(BinaryOp::BitXor, left, right) => (is_name_of(seen, left, declared)
                && number_of(seen, right)? == 1)
                .then_some(Write::Round(1)),
            ExprKind::Binary(BinaryOp::Rem, next, number) => {
                let number = number_of(seen, number)?;
                (is_next(seen, next, declared)).then_some(Write::Round(number - 1))
            }
            ExprKind::Ternary(condition, then, otherwise) => {
                let (number, other) = match (comes_to(seen, condition, declared), &condition.kind) {
                    (Some(number), _) if number_of(seen, then) == Some(0) => (number, otherwise),
                    (None, ExprKind::Binary(BinaryOp::Lt, counted, bound))
                        if number_of(seen, otherwise) == Some(0) =>
                    {
                        (before(seen, counted, bound, declared)?, then)
                    }
                    _ => return None,
                };
                if is_name_of(seen, other, declared) {
                    return Some(Write::Back(number));
                }
                is_next(seen, other, declared).then_some(Write::Round(number))
            }
            _ => {
                if let Some(number) = number_of(seen, value) {
                    return Some(Write::Start(number));
                }
                // Where another counter was.
                value.as_plain_name()?;
                round(seen, seen.variable(value)?, depth).map(|(last, _)| Write::Round(last))
            }
        },
    }
}

/// The number at which `v == N`, `v + 1 == N` or `++v == N` holds of the variable; for a counter incremented in the
/// condition, its number at that time.
fn comes_to(seen: &Seen<'_, '_>, condition: &Expr, declared: Span) -> Option<i64> {
    match &condition.kind {
        ExprKind::Binary(BinaryOp::Eq | BinaryOp::Ge, counted, bound) => {
            before(seen, counted, bound, declared)
        }
        _ => None,
    }
}

/// The number of the variable where `counted` has come to `bound`.
fn before(seen: &Seen<'_, '_>, counted: &Expr, bound: &Expr, declared: Span) -> Option<i64> {
    let bound = number_of(seen, bound)?;
    match &counted.kind {
        ExprKind::Unary(UnaryOp::PreIncrement, target) if is_name_of(seen, target, declared) => {
            Some(bound)
        }
        _ if is_name_of(seen, counted, declared) => Some(bound),
        _ if is_next(seen, counted, declared) => bound.checked_sub(1),
        _ => None,
    }
}

/// `v + 1`
fn is_next(seen: &Seen<'_, '_>, expr: &Expr, declared: Span) -> bool {
    match &expr.kind {
        ExprKind::Binary(BinaryOp::Add, left, right) => {
            is_name_of(seen, left, declared) && number_of(seen, right) == Some(1)
        }
        _ => false,
    }
}

fn is_name_of(seen: &Seen<'_, '_>, expr: &Expr, declared: Span) -> bool {
    expr.as_plain_name().is_some() && seen.variable(expr) == Some(declared)
}

/// The value of a variable in this instance.
pub(super) fn value_of<'s>(seen: &'s Seen<'_, '_>, declared: Span) -> Option<&'s Value> {
    let places = seen.declared.facts_of(declared);
    let facts = || places.iter().filter_map(|at| seen.output.facts.get(*at));
    let own = facts().find(|fact| fact.instance.as_deref() == seen.run.instance.as_deref());
    // A constant outside of functions.
    let global = || facts().find(|fact| fact.function.is_none());
    own.or_else(global).map(|fact| &*fact.value)
}

/// A number that is the same wherever it is written.
pub(super) fn number_of(seen: &Seen<'_, '_>, expr: &Expr) -> Option<i64> {
    if let Some(number) = seen.constant(expr) {
        return Some(number);
    }
    match &expr.kind {
        ExprKind::Int(number) | ExprKind::Static(number) => Some(*number),
        ExprKind::Cast(_, _, inner) => number_of(seen, inner),
        ExprKind::Binary(op, left, right) => {
            on_numbers(*op, number_of(seen, left)?, number_of(seen, right)?)
        }
        ExprKind::Name(_) => {
            let declared = seen.variable(expr)?;
            if seen.is_assigned(declared, 0..usize::MAX) {
                return None;
            }
            value_of(seen, declared)?.as_int()?.value()
        }
        _ => None,
    }
}

/// Whether an expression is made from a variable.
fn mentions(seen: &Seen<'_, '_>, expr: &Expr, counter: Span) -> bool {
    let mut followed = vec![counter];
    let mut open = vec![expr];
    while let Some(expr) = open.pop() {
        let mut found = false;
        walk::subexpressions(expr, &mut |part| {
            let declared = part.as_plain_name().and_then(|_| seen.variable(part));
            found |= declared == Some(counter);
            if let Some(declared) = declared
                && !followed.contains(&declared)
            {
                followed.push(declared);
                open.extend(seen.initialiser(declared));
            }
        });
        if found {
            return true;
        }
    }
    false
}

/// Whether a place is in a loop that may take this number of passes.
fn goes_on(seen: &Seen<'_, '_>, place: Span, passes: i64) -> bool {
    let mut found = false;
    walk::items(seen.run.body(), &mut |item| {
        if matches!(item.kind, ItemKind::Loop(_)) && item.span.encloses(place) {
            let known = seen
                .run
                .counters
                .iter()
                .find(|counter| counter.repeat == item.span);
            found |= known.is_none_or(|counter| counter.trips >= passes);
        }
    });
    found
}

/// Whether a loop may be left, or a pass of it cut short.
fn leaves(seen: &Seen<'_, '_>, repeat: Span) -> bool {
    let mut found = false;
    walk::items(seen.run.body(), &mut |item| {
        found |= repeat.encloses(item.span)
            && matches!(item.kind, ItemKind::Return(_) | ItemKind::Jump(_));
    });
    found
}

/// The place of the condition of a loop.
pub(super) fn condition_of_loop(seen: &Seen<'_, '_>, repeat: Span) -> Option<Span> {
    let mut found = None;
    walk::items(seen.run.body(), &mut |item| {
        if let ItemKind::Loop(of_it) = &item.kind
            && item.span == repeat
        {
            found = of_it.condition.as_ref().map(|condition| condition.span);
        }
    });
    found
}
