//! Statements of a kernel of the DSL as those of the tree of C++.

use std::sync::Arc;

use tree_sitter_cute::script::{ArgKind, Expr, ExprKind, Function, Stmt, StmtKind};
use tree_sitter_cute::tree::{
    self, Assignment, Binding, Ident, If, Item, ItemKind, Jump, Loop, LoopKind, Reference, Role,
    Span, Specifiers, StructuredBinding,
};

use super::super::entries::Shown;
use super::super::machine::Machine;
use super::super::observed::Observed;
use super::calls::Done;
use super::expressions::operator;
use crate::hash::{HashMap, HashSet};
use crate::value::Value;

/// A kernel on its way from the one tree to the other.
pub(super) struct Lowering<'d> {
    pub(super) observed: &'d Observed,
    pub(super) activation: usize,
    /// The values of names, by the places where they are bound.
    pub(super) values: HashMap<Span, &'d super::super::value::Py>,
    /// The declaration of each name so far.
    names: HashMap<Arc<str>, Span>,
    /// Names that are bound at one place only.
    once: HashSet<Arc<str>>,
    declarations: Vec<(Span, Span)>,
    pub(super) acts: HashMap<Span, Done>,
}

/// A lowered kernel.
pub(super) struct Lowered {
    pub(super) params: Vec<Binding>,
    pub(super) items: Vec<Item>,
    /// The declaration of the name at a place.
    pub(super) declarations: Vec<(Span, Span)>,
    /// The actions of its calls, by their places.
    pub(super) acts: HashMap<Span, Done>,
}

impl<'d> Lowering<'d> {
    /// Lowers the function of a call.
    pub(super) fn of(
        machine: &'d Machine<'_>,
        kernel: &'d Shown<'_>,
        function: &Function,
    ) -> Lowered {
        let bindings = kernel.call.bindings.iter();
        let mut bound: HashMap<Arc<str>, usize> = HashMap::default();
        count_bound(&function.body, &mut bound);
        let mut lowering = Self {
            observed: &machine.kernel.observed,
            activation: kernel.at,
            values: bindings.map(|it| (it.span, &it.value)).collect(),
            names: HashMap::default(),
            once: bound
                .into_iter()
                .filter(|(_, count)| *count == 1)
                .map(|(name, _)| name)
                .collect(),
            declarations: Vec::new(),
            acts: HashMap::default(),
        };
        let params = function
            .params
            .iter()
            .map(|param| lowering.declared(&param.name.text, param.name.span, Role::Param, None))
            .collect();
        let items = lowering.block(&function.body);
        Lowered {
            params,
            items,
            declarations: lowering.declarations,
            acts: lowering.acts,
        }
    }

    /// The declaration of a name that is used at a place, if the kernel has one.
    pub(super) fn declaration(&mut self, name: &str, used: Span) -> Option<Span> {
        let declared = self.names.get(name).copied()?;
        self.declarations.push((used, declared));
        Some(declared)
    }

    /// The value of a name that is bound at one place only.
    pub(super) fn only_value(&self, name: &str) -> Option<&'d super::super::value::Py> {
        let declared = self.names.get(name).filter(|_| self.once.contains(name))?;
        self.values.get(declared).copied()
    }

    fn declared(
        &mut self,
        name: &Arc<str>,
        span: Span,
        role: Role,
        init: Option<tree::Expr>,
    ) -> Binding {
        self.names.insert(Arc::clone(name), span);
        self.declarations.push((span, span));
        Binding {
            role,
            name: Some(Ident {
                name: name.to_string(),
                span,
            }),
            tparams: Vec::new(),
            special_args: None,
            scope: None,
            ty: None,
            reference: Reference::None,
            init,
            specifiers: Specifiers::default(),
            alignas: Vec::new(),
            bits: None,
            span,
        }
    }

    fn block(&mut self, stmts: &[Stmt]) -> Vec<Item> {
        let mut items = Vec::new();
        for stmt in stmts {
            crate::stack::with_room(|| self.statement(stmt, &mut items));
        }
        items
    }

    fn statement(&mut self, stmt: &Stmt, items: &mut Vec<Item>) {
        let span = stmt.span;
        match &stmt.kind {
            StmtKind::Expr(expr) => {
                if !matches!(expr.kind, ExprKind::Str(_)) {
                    let lowered = self.expr(expr);
                    items.push(Item::new(ItemKind::Expr(lowered), span));
                }
            }
            StmtKind::Assign(targets, value) => match targets.as_slice() {
                [target] => self.assignment(target, value, span, items),
                _ => items.push(unread(span)),
            },
            StmtKind::Annotated {
                target,
                value: Some(value),
                ..
            } => self.assignment(target, value, span, items),
            StmtKind::Augmented(target, op, value) => {
                let (target, value) = (self.expr(target), self.expr(value));
                match operator(*op) {
                    Some(op) => items.push(assigned(Some(op), target, value, span)),
                    None => items.push(unread(span)),
                }
            }
            StmtKind::If(test, body, orelse) => self.branch(test, body, orelse, span, items),
            StmtKind::While(test, body, orelse) if orelse.is_empty() => {
                let condition = self.expr(test);
                let body = self.block(body);
                items.push(looped(
                    LoopKind::While,
                    Vec::new(),
                    Some(condition),
                    None,
                    body,
                    span,
                ));
            }
            StmtKind::For {
                target,
                iterable,
                body,
                orelse,
            } if orelse.is_empty() => {
                let item = self.counted(target, iterable, body, span);
                items.push(item.unwrap_or_else(|| unread(span)));
            }
            StmtKind::With(contexts, body) => match contexts.as_slice() {
                // `with cute.arch.elect_one():`
                [(context, None)] if self.is_election(context) => {
                    let condition = super::expressions::called(
                        "elect_one_sync",
                        context.span,
                        Vec::new(),
                        context.span,
                    );
                    let then = self.block(body);
                    items.push(chosen(condition, then, None, span));
                }
                _ => items.push(unread(span)),
            },
            StmtKind::Return(_) => items.push(Item::new(ItemKind::Return(None), span)),
            StmtKind::Break => items.push(Item::new(ItemKind::Jump(Jump::Break), span)),
            StmtKind::Continue => items.push(Item::new(ItemKind::Jump(Jump::Continue), span)),
            StmtKind::Annotated { value: None, .. }
            | StmtKind::Pass
            | StmtKind::Assert(..)
            | StmtKind::Import(_)
            | StmtKind::ImportFrom { .. }
            | StmtKind::Function(_) => {}
            _ => items.push(unread(span)),
        }
    }

    fn branch(
        &mut self,
        test: &Expr,
        body: &[Stmt],
        orelse: &[Stmt],
        span: Span,
        items: &mut Vec<Item>,
    ) {
        // The trace has taken one of the two.
        if let Some(truth) = self.observed.number(self.activation, test.span) {
            let taken = self.block(if truth == 0 { orelse } else { body });
            items.push(Item::new(ItemKind::Block(taken), span));
            return;
        }
        let condition = self.expr(test);
        let then = self.block(body);
        let otherwise = match orelse {
            [] => None,
            orelse => Some(self.block(orelse)),
        };
        items.push(chosen(condition, then, otherwise, span));
    }

    fn assignment(&mut self, target: &Expr, value: &Expr, span: Span, items: &mut Vec<Item>) {
        let init = self.expr(value);
        match &target.kind {
            ExprKind::Name(name) => match self.names.get(name) {
                Some(_) => {
                    let target = self.expr(target);
                    items.push(assigned(None, target, init, span));
                }
                None => {
                    let binding = self.declared(name, target.span, Role::Var, Some(init));
                    items.push(Item::new(ItemKind::Binding(Box::new(binding)), span));
                }
            },
            ExprKind::Tuple(targets) | ExprKind::List(targets) => {
                let mut names = Vec::new();
                for target in targets {
                    let ExprKind::Name(name) = &target.kind else {
                        items.push(unread(span));
                        return;
                    };
                    let is_new = self.once.contains(name) || &**name == "_";
                    if !is_new {
                        items.push(unread(span));
                        return;
                    }
                    self.names.insert(Arc::clone(name), target.span);
                    self.declarations.push((target.span, target.span));
                    names.push(Ident {
                        name: name.to_string(),
                        span: target.span,
                    });
                }
                let binding = StructuredBinding {
                    names,
                    members: Vec::new(),
                    init: Some(init),
                    reference: Reference::None,
                    specifiers: Specifiers::default(),
                };
                items.push(Item::new(
                    ItemKind::StructuredBinding(Box::new(binding)),
                    span,
                ));
            }
            _ => {
                let target = self.expr(target);
                items.push(assigned(None, target, init, span));
            }
        }
    }

    /// `for i in cutlass.range(first, end, step)`
    fn counted(
        &mut self,
        target: &Expr,
        iterable: &Expr,
        body: &[Stmt],
        span: Span,
    ) -> Option<Item> {
        let (ExprKind::Name(name), ExprKind::Call(callee, args)) = (&target.kind, &iterable.kind)
        else {
            return None;
        };
        let written = match &callee.kind {
            ExprKind::Name(name) => name,
            ExprKind::Attribute(_, name) => &name.text,
            _ => return None,
        };
        if !matches!(&**written, "range" | "range_constexpr" | "range_dynamic") {
            return None;
        }
        let mut bounds: Vec<&Expr> = Vec::new();
        for arg in args {
            match &arg.kind {
                ArgKind::Plain => bounds.push(&arg.value),
                // The compiler prefetches for the loop.
                ArgKind::Named(name) if &*name.text == "prefetch_stages" => return None,
                ArgKind::Named(_) => {}
                _ => return None,
            }
        }
        let number = |value: i64| tree::Expr::new(tree::ExprKind::Int(value), target.span);
        let (first, end, step) = match bounds.as_slice() {
            [end] => (number(0), self.expr(end), number(1)),
            [first, end] => (self.expr(first), self.expr(end), number(1)),
            [first, end, step] => (self.expr(first), self.expr(end), self.expr(step)),
            _ => return None,
        };
        if !matches!(step.kind, tree::ExprKind::Int(step) if step > 0) {
            return None;
        }
        let binding = self.declared(name, target.span, Role::Var, Some(first));
        let counter = |lowering: &mut Self| lowering.expr(target);
        let condition = tree::Expr::new(
            tree::ExprKind::Binary(tree::BinaryOp::Lt, Box::new(counter(self)), Box::new(end)),
            iterable.span,
        );
        let advance = tree::Expr::new(
            tree::ExprKind::Assign(Box::new(Assignment {
                op: Some(tree::BinaryOp::Add),
                target: counter(self),
                value: step,
            })),
            target.span,
        );
        let body = self.block(body);
        let init = vec![Item::new(ItemKind::Binding(Box::new(binding)), target.span)];
        Some(looped(
            LoopKind::For,
            init,
            Some(condition),
            Some(advance),
            body,
            span,
        ))
    }

    /// The tensor or layout that a name is.
    pub(super) fn is_sliced(&self, name: &str) -> bool {
        let declared = self.names.get(name);
        let value = declared.and_then(|declared| self.values.get(declared));
        matches!(
            value,
            Some(super::super::value::Py::Leaf(
                Value::Tensor(_) | Value::Layout(_)
            ))
        )
    }
}

fn unread(span: Span) -> Item {
    Item::new(ItemKind::Opaque("a statement of Python"), span)
}

fn assigned(op: Option<tree::BinaryOp>, target: tree::Expr, value: tree::Expr, span: Span) -> Item {
    let assignment = Assignment { op, target, value };
    let assigned = tree::Expr::new(tree::ExprKind::Assign(Box::new(assignment)), span);
    Item::new(ItemKind::Expr(assigned), span)
}

fn chosen(
    condition: tree::Expr,
    then: Vec<Item>,
    otherwise: Option<Vec<Item>>,
    span: Span,
) -> Item {
    let branch = If {
        constexpr: false,
        init: Vec::new(),
        condition: Some(condition),
        then,
        otherwise,
    };
    Item::new(ItemKind::If(Box::new(branch)), span)
}

fn looped(
    kind: LoopKind,
    init: Vec<Item>,
    condition: Option<tree::Expr>,
    step: Option<tree::Expr>,
    body: Vec<Item>,
    span: Span,
) -> Item {
    let repeat = Loop {
        kind,
        init,
        condition,
        step,
        body,
    };
    Item::new(ItemKind::Loop(Box::new(repeat)), span)
}

/// Counts the places where statements bind each name.
fn count_bound(stmts: &[Stmt], bound: &mut HashMap<Arc<str>, usize>) {
    for stmt in stmts {
        match &stmt.kind {
            StmtKind::Assign(targets, _) => {
                for target in targets {
                    count_target(target, bound);
                }
            }
            StmtKind::Annotated { target, .. } | StmtKind::Augmented(target, ..) => {
                count_target(target, bound);
            }
            StmtKind::For {
                target,
                body,
                orelse,
                ..
            } => {
                count_target(target, bound);
                count_bound(body, bound);
                count_bound(orelse, bound);
            }
            StmtKind::If(_, body, orelse) | StmtKind::While(_, body, orelse) => {
                count_bound(body, bound);
                count_bound(orelse, bound);
            }
            StmtKind::With(_, body) | StmtKind::Try { body, .. } => count_bound(body, bound),
            _ => {}
        }
    }
}

fn count_target(target: &Expr, bound: &mut HashMap<Arc<str>, usize>) {
    match &target.kind {
        ExprKind::Name(name) => *bound.entry(Arc::clone(name)).or_default() += 1,
        ExprKind::Tuple(items) | ExprKind::List(items) => {
            for item in items {
                count_target(item, bound);
            }
        }
        ExprKind::Starred(inner) => count_target(inner, bound),
        _ => {}
    }
}
