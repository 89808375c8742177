//! The rank of a tensor that no visible code makes, by the modes of it that its function names.

use std::collections::BTreeSet;
use std::sync::Arc;

use tree_sitter_cute::script::{Expr, ExprKind, Function as Code, Stmt, StmtKind, Used, uses};
use tree_sitter_cute::tree::Span;

use super::machine::Machine;
use super::value::Py;
use crate::limits;
use crate::reason::Reason;
use crate::value::Value;

/// Modes that are enough to tell a rank.
const TELLING: usize = 2;

/// The number of modes of a parameter: as many as `b, s, h, d = q.shape` unpacks, else those up to the last of
/// `q.shape[2]`, `q.stride[3]`, where at most one before it is named nowhere. What follows another binding of the name is of
/// another tensor.
pub(super) fn rank_of_use(code: &Code, name: &str) -> Option<usize> {
    let mut seen = Seen {
        name,
        end: code.span.end,
        unpacked: None,
    };
    seen.statements(&code.body, 0);
    if seen.unpacked.is_some() {
        return seen.unpacked;
    }
    let within = Span::new(code.span.start, seen.end);
    let mut modes = BTreeSet::new();
    uses(&code.body, within, &mut |used| {
        if let Used::Mode(tensor, mode) = used
            && tensor == name
        {
            modes.insert(mode);
        }
    });
    let rank = modes.last()? + 1;
    (modes.len() >= TELLING && modes.len() + 1 >= rank).then_some(rank)
}

/// The statements of a function about one of its parameters.
struct Seen<'n> {
    name: &'n str,
    /// The end of the first statement that binds the name anew.
    end: usize,
    /// Number of names that its shape is unpacked to before that.
    unpacked: Option<usize>,
}

impl Seen<'_> {
    fn statements(&mut self, stmts: &[Stmt], depth: usize) {
        if depth > limits::ARGUMENT_DEPTH {
            return;
        }
        for stmt in stmts {
            if stmt.span.start >= self.end {
                return;
            }
            self.statement(stmt, depth);
        }
    }

    fn statement(&mut self, stmt: &Stmt, depth: usize) {
        match &stmt.kind {
            StmtKind::Assign(targets, value) => {
                self.unpacks(targets, value);
                if targets.iter().any(|target| self.binds(target)) {
                    self.end = stmt.span.end;
                }
            }
            StmtKind::Annotated { target, .. } | StmtKind::Augmented(target, ..)
                if self.binds(target) =>
            {
                self.end = stmt.span.end;
            }
            StmtKind::If(_, body, orelse)
            | StmtKind::While(_, body, orelse)
            | StmtKind::For { body, orelse, .. } => {
                self.statements(body, depth + 1);
                self.statements(orelse, depth + 1);
            }
            StmtKind::With(_, body) | StmtKind::Try { body, .. } => {
                self.statements(body, depth + 1);
            }
            _ => {}
        }
    }

    fn unpacks(&mut self, targets: &[Expr], value: &Expr) {
        let ExprKind::Attribute(of, member) = &value.kind else {
            return;
        };
        let ([target], "shape") = (targets, &*member.text) else {
            return;
        };
        if let (ExprKind::Tuple(parts), true) = (&target.kind, self.is_it(of)) {
            let is_starred = |part: &Expr| matches!(part.kind, ExprKind::Starred(_));
            if !parts.iter().any(is_starred) {
                self.unpacked.get_or_insert(parts.len());
            }
        }
    }

    fn is_it(&self, expr: &Expr) -> bool {
        matches!(&expr.kind, ExprKind::Name(name) if **name == *self.name)
    }

    fn binds(&self, target: &Expr) -> bool {
        match &target.kind {
            ExprKind::Tuple(parts) | ExprKind::List(parts) => {
                parts.iter().any(|part| self.is_it(part))
            }
            _ => self.is_it(target),
        }
    }
}

impl Machine<'_> {
    /// Keeps that all modes of a parameter are put in another order, as `select(mQ, mode=[1, 3, 2, 0])` does.
    pub(super) fn note_permuted(&mut self, of: &Py, modes: &Value) {
        let (Some(Reason::Parameter(name)), Value::Tuple(modes)) = (of.reason(), modes) else {
            return;
        };
        let numbers = modes.iter().filter_map(|mode| match mode {
            Value::Int(mode) => usize::try_from(mode.as_static()?).ok(),
            _ => None,
        });
        let numbers: BTreeSet<usize> = numbers.collect();
        let rank = modes.len();
        let is_order = numbers.len() == rank && numbers.last().is_some_and(|last| last + 1 == rank);
        // The first modes in their order are a part: there may be more.
        let is_part = modes.iter().enumerate().all(|(at, mode)| match mode {
            Value::Int(mode) => usize::try_from(mode.as_static().unwrap_or(-1)) == Ok(at),
            _ => false,
        });
        if is_order && !is_part && rank >= TELLING {
            self.note_rank(&Arc::clone(name), rank);
        }
    }

    /// Keeps that each mode of a parameter has an index: `mQ[None, None, head, batch]`.
    pub(super) fn note_indexed(&mut self, of: &Py, index: &Py) {
        if let (Py::Open(_, Reason::Parameter(name)), Py::Tuple(items)) = (of, index)
            && items.len() >= TELLING
            && items.contains(&Py::None)
        {
            self.note_rank(&Arc::clone(name), items.len());
        }
    }

    /// Of one parameter the first counts: later ones may be of another tensor that is made of it.
    fn note_rank(&mut self, name: &Arc<str>, rank: usize) {
        let known = &mut self.errors.ranks;
        if self.record.supposed.is_some() && known.iter().all(|(other, _)| other != name) {
            known.push((Arc::clone(name), rank));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tree_sitter_cute::script::Script;

    fn rank(body: &str) -> Option<usize> {
        let text = format!("def f(q, k):\n{body}\n");
        let script = Script::read(&text);
        match &script.body.first()?.kind {
            StmtKind::Function(code) => rank_of_use(code, "q"),
            _ => None,
        }
    }

    #[test]
    fn modes_that_a_function_names_tell_a_rank() {
        assert_eq!(rank("    b, s, h, d = q.shape"), Some(4));
        assert_eq!(rank("    if k:\n        b, s, d = q.shape"), Some(3));
        assert_eq!(rank("    x = (q.shape[1], q.stride[0])"), Some(2));
        // Mode 3 is a broadcast one.
        let five = "    q = make(q.iterator, (q.shape[1], q.shape[4], q.stride[2], q.stride[0]))";
        assert_eq!(rank(five), Some(5));
        let later = format!("{five}\n    x = q.shape[7]");
        assert_eq!(rank(&later), Some(5));
        // One mode, a distant one, one of another tensor, part of a shape, and a bound name say nothing.
        assert_eq!(rank("    x = q.shape[0]"), None);
        assert_eq!(rank("    x = q.shape[0] + q.shape[5]"), None);
        assert_eq!(rank("    x = k.shape[0] + k.shape[1]"), None);
        assert_eq!(rank("    b, *rest = q.shape"), None);
        assert_eq!(rank("    q = k\n    x = q.shape[0] + q.shape[1]"), None);
    }
}
