//! The integers on the way of a thread: counters, stages, and sizes that have assumed values.

use tree_sitter_cute::tree::{BinaryOp, Expr, ExprKind, ItemKind, Loop, Path, Span, UnaryOp};

use super::super::thread_sets::{self, on_numbers};
use super::super::{rings, sizes};
use super::Thread;
use crate::role::Role;
use crate::vocabulary;
impl<'u> Thread<'_, '_, 'u> {
    /// The value of an expression; its assignments are made.
    pub(super) fn number(&mut self, expr: &'u Expr, depth: usize) -> Option<i64> {
        let depth = depth.checked_sub(1)?;
        self.steps = self.steps.checked_sub(1)?;
        if let Some(number) = self.seen.constant(expr) {
            return Some(number);
        }
        match &expr.kind {
            ExprKind::Int(number) | ExprKind::Static(number) => Some(*number),
            ExprKind::Bool(truth) => Some(i64::from(*truth)),
            ExprKind::Cast(_, _, inner) => self.number(inner, depth),
            ExprKind::Construct { ty, args, .. } => match args.as_slice() {
                [only] => self.number(only, depth),
                [] => static_number(ty),
                _ => None,
            },
            ExprKind::Name(_) => self.variable(expr),
            ExprKind::Unary(op, inner) => match op {
                UnaryOp::Not => Some(i64::from(self.number(inner, depth)? == 0)),
                UnaryOp::Minus => self.number(inner, depth)?.checked_neg(),
                UnaryOp::PreIncrement
                | UnaryOp::PreDecrement
                | UnaryOp::PostIncrement
                | UnaryOp::PostDecrement => {
                    let declared = self.seen.variable(inner)?;
                    if let Some(turn) = self.states.get_mut(&declared) {
                        turn.advance();
                        return None;
                    }
                    let before = self.numbers.get(&declared).copied()?;
                    let more = matches!(op, UnaryOp::PreIncrement | UnaryOp::PostIncrement);
                    let after = before.checked_add(if more { 1 } else { -1 })?;
                    self.numbers.insert(declared, after);
                    let is_before = matches!(op, UnaryOp::PostIncrement | UnaryOp::PostDecrement);
                    Some(if is_before { before } else { after })
                }
                _ => None,
            },
            ExprKind::Binary(op, left, right) => {
                let left = self.number(left, depth)?;
                match (op, left) {
                    (BinaryOp::And, 0) => return Some(0),
                    (BinaryOp::Or, truth) if truth != 0 => return Some(1),
                    _ => {}
                }
                on_numbers(*op, left, self.number(right, depth)?)
            }
            ExprKind::Ternary(condition, then, otherwise) => {
                let taken = if self.number(condition, depth)? == 0 {
                    otherwise
                } else {
                    then
                };
                self.number(taken, depth)
            }
            ExprKind::Assign(assignment) => {
                self.assign(assignment).ok()?;
                self.number(&assignment.target, depth)
            }
            ExprKind::Member { object, member, .. }
                if object.as_plain_name() == Some("threadIdx") =>
            {
                let part = self.part?;
                Some(if member.name.name == "x" {
                    part.thread
                } else {
                    0
                })
            }
            ExprKind::Member { object, member, .. }
                if object.as_plain_name() == Some("blockDim") && self.part.is_some() =>
            {
                match member.name.name.as_str() {
                    "x" => thread_sets::threads(self.seen),
                    // Of launches along x only.
                    _ => thread_sets::threads(self.seen).map(|_| 1),
                }
            }
            ExprKind::Call(callee, args) => self.call(callee, args, depth),
            _ => None,
        }
    }

    /// `state.index()`, `state.phase()`, and `state.advance(n)`.
    pub(super) fn of_state(
        &mut self,
        object: &Expr,
        method: &str,
        args: &'u [Expr],
        depth: usize,
    ) -> Option<i64> {
        let declared = self.seen.variable(object)?;
        let turn = self.states.get(&declared).copied()?;
        match (method, args) {
            ("index", []) => Some(turn.index),
            ("phase", []) => Some(turn.phase),
            ("advance", [steps]) => {
                let steps = self.number(steps, depth)?;
                let turn = self.states.get_mut(&declared)?;
                for _ in 0..steps.clamp(0, 64) {
                    turn.advance();
                }
                None
            }
            _ => None,
        }
    }

    /// The counter of `for (int t = blockIdx.x; t < tiles; t += gridDim.x)`: a CTA takes as many passes as the sizes want.
    pub(super) fn strides_by_grid(&self, repeat: &Loop) -> Option<Span> {
        let [init] = repeat.init.as_slice() else {
            return None;
        };
        let ItemKind::Binding(counter) = &init.kind else {
            return None;
        };
        let (name, first) = (counter.name.as_ref()?, counter.init.as_ref()?);
        let ExprKind::Assign(step) = &repeat.step.as_ref()?.kind else {
            return None;
        };
        let is_own = step.target.as_plain_name() == Some(name.name.as_str());
        let strides = is_own
            && step.op == Some(BinaryOp::Add)
            && is_axis_of(first, "blockIdx")
            && is_axis_of(&step.value, "gridDim");
        (self.part.is_some() && strides).then_some(name.span)
    }

    /// `Stages::value` of an alias or template parameter that is a number.
    pub(super) fn static_member(&self, expr: &Expr) -> Option<i64> {
        let [class, member] = expr.as_path()?.segments.as_slice() else {
            return None;
        };
        let (run, mut facts) = (self.seen.run, self.seen.output.facts.iter());
        let fact = facts.find(|fact| {
            let is_own = fact.function.as_deref() == Some(run.function.name.name.as_str())
                && fact.instance.as_deref() == run.instance.as_deref();
            *fact.name == *class.name.name
                && matches!(fact.role, Role::Alias | Role::TParam)
                && (is_own || fact.function.is_none())
        })?;
        (member.name.name == "value").then(|| fact.value.as_int()?.value())?
    }

    pub(super) fn variable(&mut self, expr: &'u Expr) -> Option<i64> {
        if let Some(number) = self.static_member(expr) {
            return Some(number);
        }
        let declared = self.seen.variable(expr)?;
        if let Some(number) = self.numbers.get(&declared) {
            return Some(*number);
        }
        // A value that was followed and is lost is unknown.
        if self.seen.is_assigned(declared, 0..usize::MAX) {
            return None;
        }
        let int = rings::value_of(self.seen, declared)?.as_int()?;
        let number = match int.value() {
            Some(known) => known,
            None => self.of_size(int)?,
        };
        self.numbers.insert(declared, number);
        Some(number)
    }

    /// A number for a run-time value: nothing for the index of a thread or CTA.
    pub(super) fn of_size(&mut self, int: &cute_algebra::Int) -> Option<i64> {
        let symbols = int.as_expression()?.symbols();
        let [symbol] = symbols.as_slice() else {
            return None;
        };
        let is_index = symbol.contains("threadIdx") || symbol.contains("blockIdx");
        // Two sizes may depend on each other: one loop counts tiles, the other elements.
        if self.part.is_some() {
            let sized = self.sized.get_or_insert_with(|| int.clone());
            if sized != int {
                return None;
            }
        }
        if is_index {
            return None;
        }
        sizes::assumed(self.seen, int, self.size)
    }

    pub(super) fn call(&mut self, callee: &'u Expr, args: &'u [Expr], depth: usize) -> Option<i64> {
        if let ExprKind::Member { object, member, .. } = &callee.kind {
            let method = member.name.name.as_str();
            if let (Some(part), []) = (self.part, args)
                && thread_sets::is_block(self.seen, object)
            {
                return match method {
                    "thread_rank" => Some(part.thread),
                    "size" | "num_threads" => thread_sets::threads(self.seen),
                    _ => None,
                };
            }
            return self.of_state(object, method, args, depth);
        }
        if let (Some(part), Some(last)) = (self.part, callee.as_path().and_then(Path::last)) {
            let index = thread_sets::index_of(&last.name.name, part.thread);
            if index.is_some() {
                return index;
            }
        }
        let segment = callee.as_path()?.last()?;
        match (segment.name.name.as_str(), args) {
            ("size", [tensor]) => {
                let declared = self.seen.variable(tensor)?;
                tensor.as_plain_name()?;
                let value = rings::value_of(self.seen, declared)?;
                let layout = value.as_any_layout()?;
                let domain = layout.domain();
                let size = match segment.args.as_deref() {
                    None => domain.size().ok()?,
                    Some([mode]) => {
                        let mode = usize::try_from(self.number(mode, depth)?).ok()?;
                        domain.mode(mode).ok()?.size().ok()?
                    }
                    Some(_) => return None,
                };
                match (size.value(), self.part) {
                    (Some(known), _) => Some(known),
                    (None, None) => Some(self.size),
                    (None, Some(_)) => self.of_size(&size),
                }
            }
            ("min", [one, other]) => Some(self.number(one, depth)?.min(self.number(other, depth)?)),
            ("max", [one, other]) => Some(self.number(one, depth)?.max(self.number(other, depth)?)),
            ("int", [only]) => self.number(only, depth),
            _ => None,
        }
    }
}

/// `blockIdx.x`.
fn is_axis_of(expr: &Expr, of: &str) -> bool {
    match &expr.kind {
        ExprKind::Member { object, .. } => object.as_plain_name() == Some(of),
        ExprKind::Cast(_, _, inner) => is_axis_of(inner, of),
        _ => false,
    }
}

/// `Int<3>` and `_3` as a number.
fn static_number(ty: &Expr) -> Option<i64> {
    let segment = ty.as_path()?.last()?;
    let name = segment.name.name.as_str();
    match segment.args.as_deref() {
        Some([only]) if matches!(name, "Int" | "C") => match only.kind {
            ExprKind::Int(number) => Some(number),
            _ => None,
        },
        None if vocabulary::is_type_name(name) => name.strip_prefix('_')?.parse().ok(),
        _ => None,
    }
}
