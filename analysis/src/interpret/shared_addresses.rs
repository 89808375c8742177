//! Numbers that are addresses in shared memory: the pointers that they are made of.

use cute_hardware::multiprocessor::BARRIER_BYTES;
use tree_sitter_cute::tree::{BinaryOp, Expr, ExprKind};

use super::Interpreter;
use super::accesses::changes::assigned_in;
use super::frame::Frame;
use super::names::Meaning;
use crate::addresses::{CONVERSIONS, is_conversion};

/// Numbers that are followed from one to the next.
const FOLLOWED: usize = 8;

impl<'u> Interpreter<'u> {
    /// The pointer whose address a number is: `__cvta_generic_to_shared(pointer)`, also by a function of the source or as
    /// the initialiser of a variable to which nothing else is assigned.
    pub(super) fn pointer_behind(
        &mut self,
        expr: &'u Expr,
        frame: &mut Frame<'u>,
    ) -> Option<&'u Expr> {
        let mut expr = expr;
        for _ in 0..FOLLOWED {
            match &expr.kind {
                ExprKind::Cast(_, _, inner) => expr = inner,
                ExprKind::Construct { args, .. } => match args.as_slice() {
                    [only] => expr = only,
                    _ => return None,
                },
                ExprKind::Name(_) => {
                    let name = expr.as_plain_name()?;
                    let declared = frame.find(name)?.declared;
                    let init = self.computed.written.get(&declared).copied()?;
                    if self.is_assigned_in_run(name, frame) {
                        return None;
                    }
                    expr = init;
                }
                ExprKind::Call(callee, args) => {
                    let (ExprKind::Name(path), [pointer]) = (&callee.kind, args.as_slice()) else {
                        return None;
                    };
                    let name = path.last()?.name.name.as_str();
                    if CONVERSIONS.contains(&name) {
                        return Some(pointer);
                    }
                    let Meaning::Functions(ids) = self.meaning(path, frame) else {
                        return None;
                    };
                    let [id] = ids.as_slice() else { return None };
                    let function = self.program.functions.get(*id)?.function;
                    let converts = is_conversion(function, |span| self.program.slice(span));
                    return converts.then_some(pointer);
                }
                _ => return None,
            }
        }
        None
    }

    /// Whether something is assigned to a name in the function whose actions are recorded.
    fn is_assigned_in_run(&mut self, name: &str, frame: &Frame<'u>) -> bool {
        let run = frame.actions.run;
        let Some(run) = run.and_then(|run| self.computed.reports.runs.get(run)) else {
            return true;
        };
        let mut functions = std::iter::once(run.function).chain(run.bodies.iter().copied());
        let assigned = &mut self.readings.assigned;
        functions.any(|function| {
            let known = assigned.entry(std::ptr::from_ref(function));
            let body = function.body.as_deref().unwrap_or_default();
            let names = known.or_insert_with(|| assigned_in(body).into_iter().collect());
            names.contains(name)
        })
    }
}

/// The index of a barrier behind an address: `stage` in `stage * 8`.
pub(super) fn index_of_bytes(bytes: &Expr) -> Option<&Expr> {
    let ExprKind::Binary(BinaryOp::Mul, one, other) = &bytes.kind else {
        return None;
    };
    let is_barrier = |expr: &Expr| match &expr.kind {
        ExprKind::Int(number) => *number == BARRIER_BYTES,
        ExprKind::Sizeof(of) => {
            let named = of.as_path().and_then(|path| path.last());
            named.is_some_and(|named| named.name.name == "uint64_t")
        }
        _ => false,
    };
    if is_barrier(other) {
        Some(one)
    } else {
        is_barrier(one).then_some(other)
    }
}
