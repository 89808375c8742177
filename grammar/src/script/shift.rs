//! The same statements at other places: their text was moved.

use std::sync::Arc;

use super::{
    Alias, Arg, ArgKind, Case, Class, Clause, Comprehension, Expr, ExprKind, FormatPart, Function,
    Handler, Name, Param, Pattern, Stmt, StmtKind,
};
use crate::tree::Span;

/// Something with places.
pub(super) trait Shift {
    /// Adds a number of bytes to each place.
    fn shift(&mut self, by: isize);
}

impl Shift for Span {
    fn shift(&mut self, by: isize) {
        self.start = self.start.saturating_add_signed(by);
        self.end = self.end.saturating_add_signed(by);
    }
}

impl<T: Shift> Shift for Vec<T> {
    fn shift(&mut self, by: isize) {
        for it in self {
            it.shift(by);
        }
    }
}

impl<T: Shift> Shift for Option<T> {
    fn shift(&mut self, by: isize) {
        if let Some(it) = self {
            it.shift(by);
        }
    }
}

impl<T: Shift> Shift for Box<T> {
    fn shift(&mut self, by: isize) {
        (**self).shift(by);
    }
}

impl<T: Shift + Clone> Shift for Arc<T> {
    fn shift(&mut self, by: isize) {
        Arc::make_mut(self).shift(by);
    }
}

impl<A: Shift, B: Shift> Shift for (A, B) {
    fn shift(&mut self, by: isize) {
        self.0.shift(by);
        self.1.shift(by);
    }
}

impl Shift for Name {
    fn shift(&mut self, by: isize) {
        self.span.shift(by);
    }
}

impl Shift for Alias {
    fn shift(&mut self, by: isize) {
        self.path.shift(by);
        self.alias.shift(by);
    }
}

impl Shift for Handler {
    fn shift(&mut self, by: isize) {
        self.kind.shift(by);
        self.name.shift(by);
        self.body.shift(by);
    }
}

impl Shift for Pattern {
    fn shift(&mut self, by: isize) {
        match self {
            Self::Capture(name) => name.shift(by),
            Self::Value(value) => value.shift(by),
            Self::Or(all) | Self::Sequence(all) => all.shift(by),
            Self::Star(name) => name.shift(by),
            Self::Mapping(entries, rest) => {
                entries.shift(by);
                rest.shift(by);
            }
            Self::Class(class, plain, named) => {
                class.shift(by);
                plain.shift(by);
                named.shift(by);
            }
            Self::As(inner, name) => {
                inner.shift(by);
                name.shift(by);
            }
            Self::Any | Self::Unread => {}
        }
    }
}

impl Shift for Case {
    fn shift(&mut self, by: isize) {
        self.pattern.shift(by);
        self.guard.shift(by);
        self.body.shift(by);
    }
}

impl Shift for Param {
    fn shift(&mut self, by: isize) {
        self.name.shift(by);
        self.annotation.shift(by);
        self.default.shift(by);
    }
}

impl Shift for Function {
    fn shift(&mut self, by: isize) {
        self.name.shift(by);
        self.decorators.shift(by);
        self.params.shift(by);
        self.returns.shift(by);
        self.body = self.body.moved(by);
        self.span.shift(by);
    }
}

impl Shift for Class {
    fn shift(&mut self, by: isize) {
        self.name.shift(by);
        self.decorators.shift(by);
        self.bases.shift(by);
        self.body.shift(by);
        self.span.shift(by);
    }
}

impl Shift for Arg {
    fn shift(&mut self, by: isize) {
        if let ArgKind::Named(name) = &mut self.kind {
            name.shift(by);
        }
        self.value.shift(by);
    }
}

impl Shift for Stmt {
    fn shift(&mut self, by: isize) {
        self.span.shift(by);
        match &mut self.kind {
            StmtKind::Expr(value) => value.shift(by),
            StmtKind::Assert(first, second) => {
                first.shift(by);
                second.shift(by);
            }
            StmtKind::Raise(first, second) => {
                first.shift(by);
                second.shift(by);
            }
            StmtKind::Assign(targets, value) => {
                targets.shift(by);
                value.shift(by);
            }
            StmtKind::Annotated {
                target,
                annotation,
                value,
            } => {
                target.shift(by);
                annotation.shift(by);
                value.shift(by);
            }
            StmtKind::Augmented(target, _, value) => {
                target.shift(by);
                value.shift(by);
            }
            StmtKind::Return(value) => value.shift(by),
            StmtKind::Delete(targets) => targets.shift(by),
            StmtKind::Global(names) | StmtKind::Nonlocal(names) => names.shift(by),
            StmtKind::Import(aliases) => aliases.shift(by),
            StmtKind::ImportFrom { module, names, .. } => {
                module.shift(by);
                names.shift(by);
            }
            StmtKind::If(test, body, orelse) | StmtKind::While(test, body, orelse) => {
                test.shift(by);
                body.shift(by);
                orelse.shift(by);
            }
            StmtKind::For {
                target,
                iterable,
                body,
                orelse,
            } => {
                target.shift(by);
                iterable.shift(by);
                body.shift(by);
                orelse.shift(by);
            }
            StmtKind::With(items, body) => {
                items.shift(by);
                body.shift(by);
            }
            StmtKind::Try {
                body,
                handlers,
                orelse,
                finally,
            } => {
                body.shift(by);
                handlers.shift(by);
                orelse.shift(by);
                finally.shift(by);
            }
            StmtKind::Function(function) => function.shift(by),
            StmtKind::Class(class) => class.shift(by),
            StmtKind::Match(subject, cases) => {
                subject.shift(by);
                cases.shift(by);
            }
            StmtKind::Pass | StmtKind::Break | StmtKind::Continue | StmtKind::Unread => {}
        }
    }
}

impl Shift for Expr {
    fn shift(&mut self, by: isize) {
        self.span.shift(by);
        match &mut self.kind {
            ExprKind::Format(parts) => parts.shift(by),
            ExprKind::Tuple(items) | ExprKind::List(items) | ExprKind::Set(items) => {
                items.shift(by);
            }
            ExprKind::Dict(entries) => entries.shift(by),
            ExprKind::Unary(_, inner) | ExprKind::Starred(inner) => inner.shift(by),
            ExprKind::Binary(_, left, right)
            | ExprKind::Logical(_, left, right)
            | ExprKind::Subscript(left, right) => {
                left.shift(by);
                right.shift(by);
            }
            ExprKind::Compare(first, others) => {
                first.shift(by);
                for (_, other) in others {
                    other.shift(by);
                }
            }
            ExprKind::Call(callee, args) => {
                callee.shift(by);
                args.shift(by);
            }
            ExprKind::Attribute(object, name) => {
                object.shift(by);
                name.shift(by);
            }
            ExprKind::Slice(parts) => {
                for part in parts {
                    part.shift(by);
                }
            }
            ExprKind::Conditional(of) => {
                of.test.shift(by);
                of.then.shift(by);
                of.orelse.shift(by);
            }
            ExprKind::Lambda(function) => function.shift(by),
            ExprKind::Comprehension(of) => of.shift(by),
            ExprKind::Walrus(name, value) => {
                name.shift(by);
                value.shift(by);
            }
            ExprKind::Yield(value) => value.shift(by),
            ExprKind::YieldFrom(items) => items.shift(by),
            ExprKind::Name(_)
            | ExprKind::Int(_)
            | ExprKind::LargeInt
            | ExprKind::Float(_)
            | ExprKind::Str(_)
            | ExprKind::None
            | ExprKind::Bool(_)
            | ExprKind::Ellipsis
            | ExprKind::Unread => {}
        }
    }
}

impl Shift for Comprehension {
    fn shift(&mut self, by: isize) {
        self.element.shift(by);
        self.value.shift(by);
        for clause in &mut self.clauses {
            match clause {
                Clause::For(target, iterable) => {
                    target.shift(by);
                    iterable.shift(by);
                }
                Clause::If(test) => test.shift(by),
            }
        }
    }
}

impl Shift for FormatPart {
    fn shift(&mut self, by: isize) {
        match self {
            Self::Text(_) => {}
            Self::Value(value) => value.shift(by),
            Self::Formatted(of) => {
                of.value.shift(by);
                of.spec.shift(by);
            }
        }
    }
}
