//! Shared memory that one thread writes and another one reads, or overwrites, without a barrier on the way.

use cute_hardware::copy::CopyOperands;
use tree_sitter_cute::tree::{Expr, ExprKind, Span};

use super::counts::atom;
use super::order::{self, Passage};
use super::owners;
use super::partitions::{Part, behind, part};
use super::{Costs, Seen, copied, thread_sets};
use crate::finding::{Finding, Number, Related, Severity};
use crate::tensor::Space;
use crate::trace::{Action, ActionKind};
use crate::value::Value;

/// Functions that make the writes of all threads of a CTA visible to all of them.
pub(super) const BARRIERS: &[&str] = &[
    "__syncthreads",
    "cluster_sync",
    "cluster_wait",
    "wait_barrier",
    "arrive_barrier",
    "cooperative_copy",
    "cooperative_gemm",
];
/// Functions that wait for asynchronous copies of the executing thread.
const WAITS: &[&str] = &["cp_async_wait", "wait_barrier", "arrive_barrier"];
/// The index of a thread, as a value.
const THREAD: &str = "threadIdx.x";
/// Variables and views that are followed from an operand to its memory.
const FOLLOWED: usize = 16;

/// An operand in shared memory of a copy or product that all threads do.
pub(super) struct Access<'s, 'u> {
    action: &'s Action<'u>,
    part: Part<'s, 'u>,
    /// The declaration of the tensor that is laid on the memory.
    memory: Span,
    writes: bool,
    /// Whether it is one stage of several.
    is_staged: bool,
    /// Whether it is a copy that goes on after the call.
    is_asynchronous: bool,
}

/// Looks for accesses of one place by two threads without a barrier between them.
pub(super) fn judge(seen: &Seen<'_, '_>, costs: &mut Costs) {
    if !seen.run.is_kernel() {
        return;
    }
    let Some(threads) = thread_sets::threads(seen) else {
        return;
    };
    let accesses = accesses(seen, threads);
    let mut found: Vec<Finding> = Vec::new();
    for write in accesses.iter().filter(|access| access.writes) {
        for read in accesses.iter().filter(|access| !access.writes) {
            if write.memory == read.memory && !std::ptr::eq(write.action, read.action) {
                found.extend(race(seen, write, read, threads));
                found.extend(unwaited(seen, write, read));
            }
        }
    }
    for finding in found {
        let is_known = |known: &Finding| known.rule == finding.rule && known.span == finding.span;
        if !costs.findings.iter().any(is_known) {
            costs.findings.push(finding);
        }
    }
}

/// The accesses of shared memory by copies and products that all threads come to.
fn accesses<'s, 'u>(seen: &'s Seen<'_, 'u>, threads: i64) -> Vec<Access<'s, 'u>> {
    let mut found = Vec::new();
    for action in &seen.run.actions {
        let operands: Vec<(&'u Expr, bool)> = match (action.kind, action.args) {
            (ActionKind::Copy, [source, destination] | [_, source, destination]) => {
                vec![(source, false), (destination, true)]
            }
            (ActionKind::Gemm, [a, b, _] | [_, a, b, _]) => vec![(a, false), (b, false)],
            _ => continue,
        };
        if !action.is_reached() || action.is_uncertain || copied::is_for_some_threads(seen, action)
        {
            continue;
        }
        for (operand, writes) in operands {
            found.extend(access(seen, action, operand, writes, threads));
        }
    }
    found
}

/// An operand in shared memory that all threads of the CTA share.
pub(super) fn access<'s, 'u>(
    seen: &'s Seen<'_, 'u>,
    action: &'s Action<'u>,
    operand: &'u Expr,
    writes: bool,
    threads: i64,
) -> Option<Access<'s, 'u>> {
    // Registers are a thread's own.
    let index = action
        .args
        .iter()
        .position(|arg| arg.span == operand.span)?;
    match action.values.get(index)? {
        Value::Tensor(tensor)
            if matches!(tensor.engine.space, Space::Shared | Space::WgmmaDescriptors) => {}
        _ => return None,
    }
    let part = part(seen, operand)?;
    let sliced = part.sliced.as_ref()?;
    if part.whole.engine.space != Space::Shared
        || sliced.index.to_string() != THREAD
        || sliced.threads != threads
    {
        return None;
    }
    let whole = match part.action.values.first()? {
        Value::Tensor(_) => part.action.args.first()?,
        _ => part.action.args.last()?,
    };
    let (memory, of_whole) = memory(seen, whole)?;
    let is_asynchronous = action
        .values
        .first()
        .and_then(atom)
        .is_some_and(|atom| matches!(atom.atom.operands, CopyOperands::Async));
    Some(Access {
        action,
        part,
        memory,
        writes,
        is_staged: of_whole || is_indexed(seen, operand),
        is_asynchronous,
    })
}

/// The declaration of the tensor that an operand is a view of, and whether the operand is a slice of it.
pub(super) fn memory<'u>(seen: &Seen<'_, 'u>, operand: &'u Expr) -> Option<(Span, bool)> {
    let mut expr = operand;
    let mut is_slice = false;
    for _ in 0..FOLLOWED {
        is_slice |= is_slice_of_one(seen, expr);
        let laid =
            |action: &&Action<'_>| action.kind == ActionKind::Lay && action.span() == expr.span;
        if seen.run.actions.iter().any(|action| laid(&action)) {
            let name = seen.declared.initialised_by(expr.span)?;
            return Some((name, is_slice));
        }
        expr = behind(seen, expr)?;
    }
    None
}

/// Whether an operand, or the part that it is a view of, is taken at an index.
fn is_indexed<'u>(seen: &Seen<'_, 'u>, operand: &'u Expr) -> bool {
    let mut expr = operand;
    for _ in 0..FOLLOWED {
        if is_slice_of_one(seen, expr) {
            return true;
        }
        match behind(seen, expr) {
            Some(next) => expr = next,
            None => return false,
        }
    }
    true
}

/// `tensor(_, _, i)`.
fn is_slice_of_one(seen: &Seen<'_, '_>, expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Call(callee, args) if seen.variable(callee).is_some() => {
            args.iter().any(|arg| arg.as_plain_name() != Some("_"))
        }
        _ => false,
    }
}

/// The order of a write and a read of one place without a barrier between them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Clash {
    /// A written value is read.
    Read,
    /// A read value is overwritten, in this pass of a loop or in the next one.
    Overwritten,
}

/// A write and a read of one element by threads of two warps, with no barrier on the way.
fn race(
    seen: &Seen<'_, '_>,
    write: &Access<'_, '_>,
    read: &Access<'_, '_>,
    threads: i64,
) -> Option<Finding> {
    told(seen, write, read, clash(seen, write, read)?, threads)
}

/// The same, where it is known that no barrier is on the way.
pub(super) fn told(
    seen: &Seen<'_, '_>,
    write: &Access<'_, '_>,
    read: &Access<'_, '_>,
    clash: Clash,
    threads: i64,
) -> Option<Finding> {
    let both = owners::shared(&write.part, &read.part, threads)?;
    let (writer, reader, offset) = (both.first, both.second, both.offset);
    let name = seen.written(write.memory);
    let message = match clash {
        Clash::Read => format!(
            "thread {writer} writes {name}[{offset}], thread {reader} reads it, and no barrier is between them"
        ),
        Clash::Overwritten => format!(
            "thread {writer} overwrites {name}[{offset}], which thread {reader} may still read: no barrier"
        ),
    };
    let (at, other, what) = match clash {
        Clash::Read => (read.action.span(), write.action.span(), "written here"),
        Clash::Overwritten => (write.action.span(), read.action.span(), "read here"),
    };
    Some(Finding {
        numbers: vec![
            ("writer".to_owned(), Number::Integer(writer)),
            ("reader".to_owned(), Number::Integer(reader)),
            ("element".to_owned(), Number::Integer(offset)),
        ],
        related: vec![Related {
            span: other,
            message: what.to_owned(),
        }],
        ..seen.finding("shared-race", Severity::Error, at, message)
    })
}

fn clash(seen: &Seen<'_, '_>, write: &Access<'_, '_>, read: &Access<'_, '_>) -> Option<Clash> {
    let (from, to) = (write.action, read.action);
    let is_open =
        |passage: Option<Passage>| passage.is_some_and(|passage| !passage.may_pass(seen, BARRIERS));
    if write.is_staged || read.is_staged {
        // The stage that is read is unknown: only a loop without any barrier lets no stage be complete.
        let repeat = order::innermost_loop(from, to)?;
        let is_open = order::around(from, to).is_some() && !order::may_call(seen, repeat, BARRIERS);
        return is_open.then_some(Clash::Read);
    }
    if is_open(order::forward(from, to))
        || is_open(order::around(from, to).filter(|_| is_behind(from, to)))
    {
        return Some(Clash::Read);
    }
    let is_overwritten = is_open(order::forward(to, from))
        || is_open(order::around(to, from).filter(|_| is_behind(to, from)));
    is_overwritten.then_some(Clash::Overwritten)
}

/// Whether an action is behind another one.
fn is_behind(one: &Action<'_>, other: &Action<'_>) -> bool {
    one.span().start > other.span().start
}

/// Asynchronous copies into memory that is read without any wait for them.
fn unwaited(seen: &Seen<'_, '_>, write: &Access<'_, '_>, read: &Access<'_, '_>) -> Option<Finding> {
    if !write.is_asynchronous {
        return None;
    }
    let passage = order::forward(write.action, read.action)?;
    // A later pass of a loop may wait for the copy of an earlier one.
    if passage.may_pass(seen, WAITS) || !read.action.loops().is_empty() {
        return None;
    }
    let message = format!(
        "{} is read while its asynchronous copies may not have arrived: nothing waits for them",
        seen.written(write.memory)
    );
    let line = i64::try_from(seen.line(write.action.span())).ok()?;
    Some(Finding {
        numbers: vec![("line".to_owned(), Number::Integer(line))],
        related: vec![Related {
            span: write.action.span(),
            message: "copied here".to_owned(),
        }],
        ..seen.finding(
            "async-copy-wait",
            Severity::Error,
            read.action.span(),
            message,
        )
    })
}
