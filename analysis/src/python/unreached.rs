//! Names that an error of a trace leaves without a value: those bound behind it, with the place where the trace ended.

use std::sync::Arc;

use tree_sitter_cute::script::{Expr, ExprKind, Stmt, StmtKind};
use tree_sitter_cute::tree::Span;

use super::ended::Ended;
use super::machine::{Machine, Stop};
use super::statements::declaration_of;
use crate::fact::{DeclaredValue, Fact};
use crate::hash::HashSet;
use crate::reason::Reason;
use crate::role::Role;
use crate::value::Value;

/// The place of a statement that an error ends: of an assertion its test, of a block its head.
fn place_of(stmt: &Stmt) -> Span {
    match &stmt.kind {
        StmtKind::Assert(test, _) => test.span,
        _ => declaration_of(stmt),
    }
}

impl Machine<'_> {
    /// Remembers the innermost statement that an error ends, until something goes on behind it.
    pub(super) fn note_end(&mut self, stmt: &Stmt, is_error: bool) {
        match (is_error, self.frames.last()) {
            (true, Some(frame)) => {
                let file = frame.file;
                self.errors.raised_at.get_or_insert((file, stmt.span));
                self.errors.trail.push(file, place_of(stmt));
            }
            (true, None) => {}
            (false, _) => {
                self.errors.raised_at = None;
                self.errors.trail.clear();
            }
        }
    }

    /// Keeps that an error ended a function of the file, where nothing is sure to take it.
    pub(super) fn note_ended(&mut self, function: &Arc<str>, body: &[Stmt], stop: &Stop) {
        let Stop::Raised(_, why) = stop else {
            return;
        };
        let is_known = self.errors.ended.iter().any(|it| it.function == *function);
        if self.errors.tries > 0 || !self.uncertain.is_certain() || is_known {
            return;
        }
        let reason = Reason::Ended(self.place_of_end().into(), why.in_full().into());
        self.errors.ended.push(Ended {
            function: Arc::clone(function),
            body: body.into(),
            reason,
        });
    }

    /// The place where the error was raised: `gemm.py:12`.
    fn place_of_end(&self) -> String {
        let Some((file, span)) = self.errors.raised_at else {
            return self.focus.name();
        };
        let place = self.place(file, span);
        match self.files.get(file).and_then(|file| file.source.as_ref()) {
            Some(source) => format!("{}:{}", source.name(), source.line(place)),
            None => format!("{}:{}", self.focus.name(), self.focus.line(span)),
        }
    }
}

/// The names that no call has bound because an error ended the function before.
pub(super) fn facts(machine: &Machine<'_>) -> Vec<Fact> {
    let bindings = machine
        .record
        .activations
        .iter()
        .flat_map(|it| &it.bindings);
    let bound: HashSet<Span> = bindings.map(|binding| binding.span).collect();
    let mut facts = Vec::new();
    for ended in &machine.errors.ended {
        let mut targets = Vec::new();
        of_statements(&ended.body, &mut targets);
        let left = targets.into_iter().filter(|it| !bound.contains(&it.span));
        facts.extend(left.map(|target| {
            let content = DeclaredValue {
                name: target.name,
                role: Role::Var,
                function: (!ended.function.is_empty()).then(|| Arc::clone(&ended.function)),
                value: Arc::new(Value::Unknown(ended.reason.clone())),
                instance: None,
            };
            Fact::new(target.span, target.declaration, content)
        }));
    }
    facts
}

/// A name that a statement binds.
pub(super) struct Target {
    pub(super) name: Arc<str>,
    pub(super) span: Span,
    pub(super) declaration: Span,
}

pub(super) fn of_statements(stmts: &[Stmt], targets: &mut Vec<Target>) {
    for stmt in stmts {
        match &stmt.kind {
            StmtKind::Assign(all, _) => {
                for target in all {
                    of_target(target, stmt.span, targets);
                }
            }
            StmtKind::Annotated {
                target,
                value: Some(_),
                ..
            } => of_target(target, stmt.span, targets),
            StmtKind::If(_, body, orelse) | StmtKind::While(_, body, orelse) => {
                of_statements(body, targets);
                of_statements(orelse, targets);
            }
            StmtKind::For {
                target,
                body,
                orelse,
                ..
            } => {
                of_target(target, target.span, targets);
                of_statements(body, targets);
                of_statements(orelse, targets);
            }
            StmtKind::With(_, body) => of_statements(body, targets),
            StmtKind::Try { body, orelse, .. } => {
                of_statements(body, targets);
                of_statements(orelse, targets);
            }
            _ => {}
        }
    }
}

pub(super) fn of_target(target: &Expr, declaration: Span, targets: &mut Vec<Target>) {
    match &target.kind {
        ExprKind::Name(name) => targets.push(Target {
            name: Arc::clone(name),
            span: target.span,
            declaration,
        }),
        ExprKind::Attribute(object, name) => {
            if matches!(&object.kind, ExprKind::Name(this) if &**this == "self") {
                targets.push(Target {
                    name: format!("self.{}", name.text).into(),
                    span: target.span,
                    declaration,
                });
            }
        }
        ExprKind::Tuple(items) | ExprKind::List(items) => {
            for item in items {
                of_target(item, declaration, targets);
            }
        }
        ExprKind::Starred(inner) => of_target(inner, declaration, targets),
        _ => {}
    }
}
