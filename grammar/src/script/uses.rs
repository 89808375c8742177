//! The names and attributes that a function uses, and its loops.

use super::{Clause, Comprehension, Expr, ExprKind, FormatPart, Pattern, Stmt, StmtKind};
use crate::tree::Span;

/// Something that a function has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Used<'s> {
    /// A name, read or bound.
    Name(&'s str, Span),
    /// An attribute, by its name.
    Member(&'s str, Span),
    /// A loop.
    Loop(Span),
    /// A mode of the shape or the strides of what a name is bound to, by its number: `q.shape[2]`.
    Mode(&'s str, usize),
}

/// Visits the names and loops of the statements in a part of a source, of the functions inside of them too.
pub fn uses<'s>(stmts: &'s [Stmt], within: Span, visit: &mut impl FnMut(Used<'s>)) {
    // Sources may be as deep as they are long.
    let mut open: Vec<Part<'s>> = stmts.iter().rev().map(Part::Stmt).collect();
    while let Some(part) = open.pop() {
        match part {
            Part::Stmt(stmt) => {
                if stmt.span.start < within.end && stmt.span.end > within.start {
                    of_stmt(stmt, within, &mut open, visit);
                }
            }
            Part::Expr(expr) => {
                match &expr.kind {
                    _ if !within.encloses(expr.span) => {}
                    ExprKind::Name(name) => visit(Used::Name(name, expr.span)),
                    ExprKind::Attribute(_, name) => visit(Used::Member(&name.text, name.span)),
                    ExprKind::Subscript(object, index) => {
                        if let Some((name, mode)) = mode_of(object, index) {
                            visit(Used::Mode(name, mode));
                        }
                    }
                    _ => {}
                }
                of_expr(expr, &mut open);
            }
        }
    }
}

/// The name and the number of `name.shape[number]`.
fn mode_of<'s>(object: &'s Expr, index: &Expr) -> Option<(&'s str, usize)> {
    let (ExprKind::Attribute(of, member), ExprKind::Int(mode)) = (&object.kind, &index.kind) else {
        return None;
    };
    match &of.kind {
        ExprKind::Name(name) if matches!(&*member.text, "shape" | "stride") => {
            Some((name, usize::try_from(*mode).ok()?))
        }
        _ => None,
    }
}

enum Part<'s> {
    Stmt(&'s Stmt),
    Expr(&'s Expr),
}

fn of_stmt<'s>(
    stmt: &'s Stmt,
    within: Span,
    open: &mut Vec<Part<'s>>,
    visit: &mut impl FnMut(Used<'s>),
) {
    let is_loop = matches!(stmt.kind, StmtKind::For { .. } | StmtKind::While(..));
    if is_loop && within.encloses(stmt.span) {
        visit(Used::Loop(stmt.span));
    }
    match &stmt.kind {
        StmtKind::Expr(expr) => open.push(Part::Expr(expr)),
        StmtKind::Assert(expr, message) => {
            open.push(Part::Expr(expr));
            open.extend(message.iter().map(Part::Expr));
        }
        StmtKind::Return(expr) => open.extend(expr.iter().map(Part::Expr)),
        StmtKind::Raise(error, cause) => {
            open.extend(error.iter().chain(cause).map(Part::Expr));
        }
        StmtKind::Assign(targets, value) => {
            open.extend(targets.iter().map(Part::Expr));
            open.push(Part::Expr(value));
        }
        StmtKind::Annotated { target, value, .. } => {
            open.push(Part::Expr(target));
            open.extend(value.iter().map(Part::Expr));
        }
        StmtKind::Augmented(target, _, value) => {
            open.extend([Part::Expr(target), Part::Expr(value)]);
        }
        StmtKind::Delete(targets) => open.extend(targets.iter().map(Part::Expr)),
        StmtKind::If(test, body, orelse) | StmtKind::While(test, body, orelse) => {
            open.push(Part::Expr(test));
            open.extend(body.iter().chain(orelse).map(Part::Stmt));
        }
        StmtKind::For {
            target,
            iterable,
            body,
            orelse,
        } => {
            open.extend([Part::Expr(target), Part::Expr(iterable)]);
            open.extend(body.iter().chain(orelse).map(Part::Stmt));
        }
        StmtKind::With(items, body) => {
            for (context, target) in items {
                open.push(Part::Expr(context));
                open.extend(target.iter().map(Part::Expr));
            }
            open.extend(body.iter().map(Part::Stmt));
        }
        StmtKind::Try {
            body,
            handlers,
            orelse,
            finally,
        } => {
            let handled = handlers.iter().flat_map(|handler| &handler.body);
            let all = body.iter().chain(handled).chain(orelse).chain(finally);
            open.extend(all.map(Part::Stmt));
        }
        StmtKind::Function(function) => open.extend(function.body.iter().map(Part::Stmt)),
        StmtKind::Class(class) => open.extend(class.body.iter().map(Part::Stmt)),
        StmtKind::Match(subject, cases) => {
            open.push(Part::Expr(subject));
            for case in cases {
                of_pattern(&case.pattern, open);
                open.extend(case.guard.iter().map(Part::Expr));
                open.extend(case.body.iter().map(Part::Stmt));
            }
        }
        StmtKind::Pass
        | StmtKind::Break
        | StmtKind::Continue
        | StmtKind::Global(_)
        | StmtKind::Nonlocal(_)
        | StmtKind::Import(_)
        | StmtKind::ImportFrom { .. }
        | StmtKind::Unread => {}
    }
}

/// Visits an expression and the expressions inside of it, those of lambdas not among them.
pub fn each_part<'s>(expr: &'s Expr, visit: &mut impl FnMut(&'s Expr)) {
    let mut open = vec![Part::Expr(expr)];
    while let Some(part) = open.pop() {
        if let Part::Expr(expr) = part {
            visit(expr);
            of_expr(expr, &mut open);
        }
    }
}

/// The values in an f-string.
fn of_format<'s>(parts: &'s [FormatPart], open: &mut Vec<Part<'s>>) {
    for part in parts {
        match part {
            FormatPart::Text(_) => {}
            FormatPart::Value(value) => open.push(Part::Expr(value)),
            FormatPart::Formatted(of) => {
                open.push(Part::Expr(&of.value));
                of_format(&of.spec, open);
            }
        }
    }
}

/// The values that a pattern compares with.
fn of_pattern<'s>(pattern: &'s Pattern, open: &mut Vec<Part<'s>>) {
    match pattern {
        Pattern::Value(value) => open.push(Part::Expr(value)),
        Pattern::Or(all) | Pattern::Sequence(all) => {
            for inner in all {
                of_pattern(inner, open);
            }
        }
        Pattern::Mapping(entries, _) => {
            for (key, inner) in entries {
                open.push(Part::Expr(key));
                of_pattern(inner, open);
            }
        }
        Pattern::Class(class, plain, named) => {
            open.push(Part::Expr(class));
            let named = named.iter().map(|(_, inner)| inner);
            for inner in plain.iter().chain(named) {
                of_pattern(inner, open);
            }
        }
        Pattern::As(inner, _) => of_pattern(inner, open),
        Pattern::Any | Pattern::Capture(_) | Pattern::Star(_) | Pattern::Unread => {}
    }
}

fn of_expr<'s>(expr: &'s Expr, open: &mut Vec<Part<'s>>) {
    match &expr.kind {
        ExprKind::Tuple(items) | ExprKind::List(items) | ExprKind::Set(items) => {
            open.extend(items.iter().map(Part::Expr));
        }
        ExprKind::Dict(entries) => {
            for (key, value) in entries {
                open.extend(key.iter().map(Part::Expr));
                open.push(Part::Expr(value));
            }
        }
        ExprKind::Unary(_, inner)
        | ExprKind::Attribute(inner, _)
        | ExprKind::Starred(inner)
        | ExprKind::Walrus(_, inner) => open.push(Part::Expr(inner)),
        ExprKind::Binary(_, left, right)
        | ExprKind::Logical(_, left, right)
        | ExprKind::Subscript(left, right) => {
            open.extend([Part::Expr(left), Part::Expr(right)]);
        }
        ExprKind::Compare(first, others) => {
            open.push(Part::Expr(first));
            open.extend(others.iter().map(|(_, other)| Part::Expr(other)));
        }
        ExprKind::Call(callee, args) => {
            open.push(Part::Expr(callee));
            open.extend(args.iter().map(|arg| Part::Expr(&arg.value)));
        }
        ExprKind::Slice(parts) => {
            open.extend(parts.iter().flatten().map(|part| Part::Expr(part)));
        }
        ExprKind::Conditional(of) => {
            open.extend([&of.then, &of.test, &of.orelse].map(Part::Expr));
        }
        ExprKind::Lambda(function) => open.extend(function.body.iter().map(Part::Stmt)),
        ExprKind::Comprehension(of) => of_comprehension(of, open),
        ExprKind::Format(parts) => of_format(parts, open),
        ExprKind::YieldFrom(items) => open.push(Part::Expr(items)),
        ExprKind::Yield(value) => open.extend(value.iter().map(|value| Part::Expr(value))),
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

fn of_comprehension<'s>(of: &'s Comprehension, open: &mut Vec<Part<'s>>) {
    open.push(Part::Expr(&of.element));
    open.extend(of.value.iter().map(Part::Expr));
    for clause in &of.clauses {
        match clause {
            Clause::For(target, iterable) => {
                open.extend([Part::Expr(target), Part::Expr(iterable)]);
            }
            Clause::If(test) => open.push(Part::Expr(test)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::script::Script;

    #[test]
    fn names_and_loops_of_a_function_are_visited_and_those_of_others_not() {
        let text = "x = 1\ndef f(a):\n    for i in range(a):\n        b = [j * x for j in a if j]\n    return f'{b}', lambda: a.c(k=b)\n";
        let script = Script::read(text);
        let start = text.find("def").unwrap_or_default();
        let (mut names, mut loops) = (Vec::new(), Vec::new());
        uses(
            &script.body,
            Span::new(start, text.len()),
            &mut |used| match used {
                Used::Name(name, span) => names.push((span.start, name)),
                Used::Loop(span) => loops.push(span.text(text).lines().next()),
                Used::Member(name, _) => assert_eq!(name, "c"),
                Used::Mode(..) => {}
            },
        );
        names.sort_unstable();
        let names: Vec<&str> = names.into_iter().map(|(_, name)| name).collect();
        let wanted = "i range a b j x j a j b a b";
        assert_eq!(names, wanted.split(' ').collect::<Vec<_>>());
        assert_eq!(loops, [Some("for i in range(a):")]);
    }

    #[test]
    fn modes_of_a_name_are_visited_by_their_numbers() {
        let text =
            "a = (q.shape[1], q.stride[0], q.shape[-1], q.other[5], f(q).shape[2], q.shape[n])\n";
        let script = Script::read(text);
        let mut modes = Vec::new();
        uses(&script.body, Span::new(0, text.len()), &mut |used| {
            if let Used::Mode(name, mode) = used {
                modes.push((name, mode));
            }
        });
        modes.sort_unstable();
        assert_eq!(modes, [("q", 0), ("q", 1)]);
    }
}
