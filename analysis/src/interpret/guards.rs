//! Conditions that the host checks before it launches a kernel: `if (m % 128) return;`, `assert(..)`, `throw`,
//! `TORCH_CHECK(..)`, in the function that launches or in those that call it.

use std::sync::Arc;

use cute_algebra::Int;
use tree_sitter_cute::tree::{BinaryOp, Expr, ExprKind, Function, If, Item, ItemKind, UnaryOp};

use super::Interpreter;
use super::bound::Bound;
use super::frame::Frame;
use super::inherited::only_symbol;
use super::names::Meaning;
use super::overloads::{Asked, Selection};
use super::site::Site;
use crate::held::{AtCall, Comparison, Held};
use crate::limits;
use crate::value::Value;
use crate::vocabulary;
use crate::walk;

/// Functions that do not come back.
const ENDS: &[&str] = &[
    "exit",
    "_exit",
    "_Exit",
    "quick_exit",
    "abort",
    "terminate",
    "__trap",
    "__builtin_trap",
    "__builtin_unreachable",
];

/// Parts of names of macros that end the program where their first argument is false.
const CHECKS: &[&str] = &["CHECK", "ASSERT", "REQUIRE", "ENFORCE", "VERIFY", "EXPECTS"];

/// Endings of names of such macros that compare two arguments.
const COMPARING: &[(&str, BinaryOp)] = &[
    ("_EQ", BinaryOp::Eq),
    ("_NE", BinaryOp::Ne),
    ("_LT", BinaryOp::Lt),
    ("_LE", BinaryOp::Le),
    ("_GT", BinaryOp::Gt),
    ("_GE", BinaryOp::Ge),
];

/// Conditions that are looked into: inside one another, and names that mean others.
const DEPTH: usize = 16;

impl<'u> Interpreter<'u> {
    /// Runs the branches of an `if` whose condition is not known, each with its conditions; afterwards that holds
    /// without which control had left.
    pub(super) fn guarded(
        &mut self,
        branch: &'u If,
        frame: &mut Frame<'u>,
        run: &mut dyn FnMut(&mut Self, bool, &mut Frame<'u>),
    ) {
        let condition = branch.condition.as_ref();
        let held = condition.and_then(|condition| self.condition_held(condition, frame));
        let before = frame.checked.held.len();
        frame.checked.held.extend(held.clone());
        run(self, true, frame);
        frame.checked.held.truncate(before);
        let not = |held: Held| Held::Not(Box::new(held));
        let otherwise = branch.otherwise.as_deref();
        if otherwise.is_some() {
            frame.checked.held.extend(held.clone().map(not));
            run(self, false, frame);
            frame.checked.held.truncate(before);
        }
        if self.leaves(&branch.then) {
            frame.checked.held.extend(held.map(not));
        } else if otherwise.is_some_and(|otherwise| self.leaves(otherwise)) {
            frame.checked.held.extend(held);
        }
    }

    /// Whether control does not come to the end of some statements.
    fn leaves(&self, items: &[Item]) -> bool {
        items.iter().any(|item| match &item.kind {
            ItemKind::Return(_) | ItemKind::Jump(_) => true,
            ItemKind::Opaque(kind) => *kind == "throw_statement",
            ItemKind::Block(items) => self.leaves(items),
            ItemKind::If(branch) => {
                let otherwise = branch.otherwise.as_deref();
                self.leaves(&branch.then)
                    && otherwise.is_some_and(|otherwise| self.leaves(otherwise))
            }
            ItemKind::Expr(expr) => self.ends(expr),
            _ => false,
        })
    }

    /// Whether a call does not come back: `std::abort()`, `TORCH_CHECK(false, ..)`.
    fn ends(&self, expr: &Expr) -> bool {
        let ExprKind::Call(callee, args) = &expr.kind else {
            return false;
        };
        let name = callee.as_path().and_then(|path| path.last());
        name.is_some_and(|name| {
            let name = name.name.name.as_str();
            ENDS.contains(&name)
                || (self.is_check(name) && args.first().is_some_and(is_literally_false))
        })
    }

    /// Whether a name is that of a macro that ends the program where its argument is false.
    fn is_check(&self, name: &str) -> bool {
        if name == "assert" {
            return self.program.is_defined("NDEBUG") != Some(true);
        }
        let is_macro = |name: &str| !name.contains(|letter: char| letter.is_ascii_lowercase());
        is_macro(name) && CHECKS.iter().any(|check| name.contains(check))
    }

    /// Notes the conditions after a statement that checks them: `assert(m % 128 == 0)`.
    pub(super) fn note_check(&mut self, expr: &'u Expr, frame: &mut Frame<'u>) {
        let ExprKind::Call(callee, args) = &expr.kind else {
            return;
        };
        let Some(name) = callee.as_plain_name() else {
            return;
        };
        if !self.follows_guards(frame) || !self.is_check(name) {
            return;
        }
        let compared = COMPARING.iter().find(|(end, _)| name.ends_with(end));
        let held = match (compared, args.as_slice()) {
            (Some((_, op)), [left, right, ..]) => self.quietly(frame, |it, frame| {
                Some(it.compared_held(*op, left, right, frame))
            }),
            (_, [condition, ..]) => self.condition_held(condition, frame),
            _ => None,
        };
        frame.checked.held.extend(held);
    }

    /// Whether checks matter here: only host code launches kernels.
    fn follows_guards(&self, frame: &Frame<'u>) -> bool {
        self.settings.looks_for.costs
            && self.settings.is_cpp()
            && frame.mode.recording
            && frame.checked.held.len() < limits::GUARDS
    }

    /// The facts about numbers in a condition.
    fn condition_held(&mut self, condition: &'u Expr, frame: &mut Frame<'u>) -> Option<Held> {
        if !self.follows_guards(frame) {
            return None;
        }
        if changes_something(condition) {
            return None;
        }
        self.quietly(frame, |it, frame| it.held(condition, frame, DEPTH))
    }

    /// Evaluates something again, without facts of it.
    fn quietly(
        &mut self,
        frame: &mut Frame<'u>,
        evaluate: impl FnOnce(&mut Self, &mut Frame<'u>) -> Option<Held>,
    ) -> Option<Held> {
        let recording = frame.mode.pause();
        let run = frame.actions.run.take();
        let held = evaluate(self, frame);
        frame.mode.recording = recording;
        frame.actions.run = run;
        held
    }

    fn held(&mut self, expr: &'u Expr, frame: &mut Frame<'u>, depth: usize) -> Option<Held> {
        let depth = depth.checked_sub(1)?;
        match &expr.kind {
            ExprKind::Unary(UnaryOp::Not, inner) => {
                let inner = self.held(inner, frame, depth)?;
                return Some(Held::Not(Box::new(inner)));
            }
            ExprKind::Binary(op @ (BinaryOp::And | BinaryOp::Or), left, right) => {
                let nothing = || Held::About(Vec::new());
                let parts = [left, right].map(|part| self.held(part, frame, depth));
                let parts = parts.map(|part| part.unwrap_or_else(nothing)).to_vec();
                return Some(match op {
                    BinaryOp::And => Held::All(parts),
                    _ => Held::Any(parts),
                });
            }
            ExprKind::Binary(op, left, right) if is_comparison(*op) => {
                return Some(self.compared_held(*op, left, right, frame));
            }
            ExprKind::Call(callee, args) => {
                if let Some(expansion) = self.expansion(expr, callee, frame) {
                    return self.held(expansion, frame, depth);
                }
                if let Some(held) = self.called_held(callee, args, frame, depth) {
                    return Some(held);
                }
            }
            _ => {}
        }
        match self.eval(expr, frame) {
            Value::Int(int) => Some(Held::Compared(Comparison::Unequal, int, Int::fixed(0))),
            Value::Bool(truth) if truth.value => Some(Held::All(Vec::new())),
            Value::Bool(_) => Some(Held::Any(Vec::new())),
            _ => {
                // A truth value with a name: `bool fits = m % 128 == 0;`
                let variable = expr.as_plain_name().and_then(|name| frame.find(name));
                let init =
                    variable.and_then(|variable| self.computed.written.get(&variable.declared));
                let name = expr.as_plain_name().unwrap_or_default();
                match init.copied() {
                    Some(init) if !frame.changes.untraceable.changed.contains(name) => {
                        self.held(init, frame, depth)
                    }
                    _ => Some(self.about(expr, frame)),
                }
            }
        }
    }

    fn compared_held(
        &mut self,
        op: BinaryOp,
        left: &'u Expr,
        right: &'u Expr,
        frame: &mut Frame<'u>,
    ) -> Held {
        let values = (self.eval(left, frame), self.eval(right, frame));
        let (Value::Int(a), Value::Int(b)) = values else {
            let parts = [left, right].map(|part| self.about(part, frame));
            return Held::Any(parts.to_vec());
        };
        match op {
            BinaryOp::Eq => Held::Compared(Comparison::Equal, a, b),
            BinaryOp::Ne => Held::Compared(Comparison::Unequal, a, b),
            BinaryOp::Lt => Held::Compared(Comparison::Less, a, b),
            BinaryOp::Le => Held::Compared(Comparison::LessOrEqual, a, b),
            BinaryOp::Gt => Held::Compared(Comparison::Less, b, a),
            _ => Held::Compared(Comparison::LessOrEqual, b, a),
        }
    }

    /// The condition of a function of the source whose body returns one expression, `fits(m)`, or of
    /// `evenly_divides(shape, tiler)`.
    fn called_held(
        &mut self,
        callee: &'u Expr,
        args: &'u [Expr],
        frame: &mut Frame<'u>,
        depth: usize,
    ) -> Option<Held> {
        let path = callee.as_path()?;
        let ids = match self.meaning(path, frame) {
            Meaning::Functions(ids) => ids,
            Meaning::Vocabulary(segment) if segment.name.name == "evenly_divides" => {
                let extents = vocabulary::tiled_extents(&self.eval_all(args, frame))?;
                let equal = |(a, b)| Held::Compared(Comparison::Equal, a, b);
                return Some(Held::All(extents.into_iter().map(equal).collect()));
            }
            _ => return None,
        };
        let explicit = self.template_arguments(path.last(), frame);
        let values = self.eval_all(args, frame);
        let arguments = self.arguments_of(args, &values, frame);
        let asked = Asked {
            explicit: &explicit,
            values: &values,
            arguments: &arguments,
            constant: None,
        };
        let Selection::One(chosen) = self.overload(&self.named_functions(&ids), None, &asked)
        else {
            return None;
        };
        let (function, bound) = (chosen.function, chosen.bound);
        let [item] = function.body.as_deref()? else {
            return None;
        };
        let ItemKind::Return(Some(result)) = &item.kind else {
            return None;
        };
        let site = Site {
            module: chosen.module,
            record: None,
            this: None,
        };
        let mut inner = self.function_frame(function, &site, frame.steps);
        self.bind_plainly(function, &bound, &mut inner);
        let held = self.held(result, &mut inner, depth);
        frame.steps = inner.steps;
        held
    }

    /// Parameters with the very values that a call gives them.
    fn bind_plainly(&mut self, function: &'u Function, bound: &Bound, frame: &mut Frame<'u>) {
        self.template_scope(&function.tparams, &bound.tparams, frame);
        for (param, given) in function.params.iter().zip(&bound.params) {
            self.declare_parameter(param, given.clone(), frame);
        }
    }

    /// A condition on the numbers in an expression, of unknown content. The driver's results for them say nothing.
    fn about(&mut self, expr: &'u Expr, frame: &mut Frame<'u>) -> Held {
        let mut names: Vec<&'u Expr> = Vec::new();
        gather_names(expr, &mut names);
        let mut symbols: Vec<Arc<str>> = Vec::new();
        for name in names {
            if let Value::Int(int) = self.eval(name, frame) {
                symbols.extend(Value::Int(int).symbols());
            }
        }
        Held::About(symbols)
    }

    /// Keeps the checks of the first caller of an instance, in symbols of the instance.
    pub(super) fn inherit(
        &mut self,
        at: &AtCall,
        function: &'u Function,
        bound: &Bound,
        frame: &mut Frame<'u>,
    ) {
        let symbols = function.params.iter().map(|param| {
            let name = param.name.as_ref()?;
            let Value::Int(int) = &frame.find(&name.name)?.value else {
                return None;
            };
            only_symbol(int)
        });
        let symbols: Vec<Option<Arc<str>>> = symbols.collect();
        let guards = &mut self.computed.reports.guards;
        frame.checked.guards = Some(guards.add(at, bound, symbols));
    }
}

/// Whether an expression assigns, so that it is something else when it is evaluated again.
fn changes_something(expr: &Expr) -> bool {
    use UnaryOp::{PostDecrement, PostIncrement, PreDecrement, PreIncrement};
    let mut changes = false;
    walk::subexpressions(expr, &mut |part| {
        changes |= matches!(
            part.kind,
            ExprKind::Assign(_)
                | ExprKind::Unary(
                    PreIncrement | PreDecrement | PostIncrement | PostDecrement,
                    _
                )
        );
    });
    changes
}

fn is_comparison(op: BinaryOp) -> bool {
    matches!(
        op,
        BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge
    )
}

/// `false`, `false && "why"`, `0`.
fn is_literally_false(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Bool(value) => !value,
        ExprKind::Int(value) => *value == 0,
        ExprKind::Binary(BinaryOp::And, left, _) => is_literally_false(left),
        _ => false,
    }
}

/// The names in an expression, but for those that are given to the driver or to an allocator.
fn gather_names<'u>(expr: &'u Expr, names: &mut Vec<&'u Expr>) {
    if let ExprKind::Call(callee, _) = &expr.kind {
        let name = callee.as_path().and_then(|path| path.last());
        let name = name.map_or("", |name| name.name.name.as_str());
        let is_of_driver = name.strip_prefix("cu").is_some_and(|rest| {
            rest.starts_with("da") || rest.starts_with(|letter: char| letter.is_ascii_uppercase())
        });
        if is_of_driver || name.ends_with("alloc") {
            return;
        }
    }
    match &expr.kind {
        ExprKind::Name(_) | ExprKind::Member { .. } => names.push(expr),
        _ => walk::children(expr, &mut |child| gather_names(child, names)),
    }
}
