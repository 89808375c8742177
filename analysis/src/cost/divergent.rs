//! Instructions that a whole warp, warp group or CTA executes, behind branches that let only some of its threads pass.

use cute_hardware::copy::CopyOperands;
use tree_sitter_cute::tree::Span;

use super::called::{self, Called};
use super::counts::atom;
use super::thread_sets::{self, asks_for_thread, condition_of};
use super::threads::{Threads, WARP};
use super::{Costs, Seen, uniform};
use crate::finding::{Finding, Number, Severity};
use crate::trace::{Action, ActionKind, Way};
use crate::value::Value;

/// The stable name of the rule.
const RULE: &str = "divergent-collective";
/// Threads of a warp group.
const WARP_GROUP: i64 = 128;
/// Variables and calls inside each other that are followed in a condition.
const DEPTH: usize = 24;

/// Looks at products, copies and barriers of a kernel.
pub(super) fn judge(seen: &Seen<'_, '_>, costs: &mut Costs) {
    let Some(launched) = thread_sets::threads(seen).filter(|_| seen.run.is_kernel()) else {
        return;
    };
    let mut found: Vec<Finding> = Vec::new();
    for action in seen.run.everything() {
        let is_own = action.calls.is_empty() || action.kind == ActionKind::SyncThreads;
        if !action.is_reached() || action.is_uncertain || !is_own {
            continue;
        }
        let is_behind_branch = is_behind_branch(action);
        found.extend(match action.kind {
            ActionKind::AllocateColumns => columns(seen, action, "tcgen05.alloc"),
            ActionKind::FreeColumns => columns(seen, action, "tcgen05.dealloc"),
            _ if !is_behind_branch => None,
            ActionKind::Gemm | ActionKind::Copy | ActionKind::CopyWhere => {
                instruction(seen, action, launched)
            }
            ActionKind::SetRegisters => {
                let coming = thread_sets::coming(seen, action, &|_| false);
                let width = WARP_GROUP;
                coming.and_then(|coming| {
                    divided(seen, action.span(), "setmaxnreg", width, &coming, launched)
                })
            }
            ActionKind::SyncThreads => barrier(seen, action, launched),
            _ => None,
        });
    }
    for called in called::calls(seen.run.body()) {
        found.extend(election(seen, &called, launched));
    }
    for finding in found {
        let is_known = |known: &Finding| known.rule == RULE && known.span == finding.span;
        if !costs.findings.iter().any(is_known) {
            costs.findings.push(finding);
        }
    }
}

/// An allocation or the end of one that more or fewer threads than a warp come to.
fn columns(seen: &Seen<'_, '_>, action: &Action<'_>, name: &str) -> Option<Finding> {
    let coming = thread_sets::coming(seen, action, &|_| false)?;
    let count = coming.count()?;
    if count == WARP && coming.is_in_one_warp() || count == 0 && !is_only_one(seen, action) {
        return None;
    }
    let message = format!(
        "{} `{name}`, which one whole warp must execute",
        reach(count, "")
    );
    Some(finding(seen, action.span(), count, WARP, message))
}

/// An election of a lane that some lanes of a warp do not come to.
fn election(seen: &Seen<'_, '_>, called: &Called<'_>, launched: i64) -> Option<Finding> {
    if called.name != "elect_one_sync" || called.object.is_some() {
        return None;
    }
    let coming = thread_sets::coming_to(seen, called.span())?;
    divided(seen, called.span(), "elect.sync", WARP, &coming, launched)
}

/// An instruction that some threads of a group do not come to, of all that have to execute it together.
fn divided(
    seen: &Seen<'_, '_>,
    place: Span,
    name: &str,
    width: i64,
    coming: &Threads,
    launched: i64,
) -> Option<Finding> {
    let (first, count) = coming.divided_group(width, launched)?;
    let group = if width == WARP { "warp" } else { "warp group" };
    let of_group = format!(" of {group} {}", first / width);
    let message = format!(
        "{} `{name}`, which all {width} must execute",
        reach(count, &of_group)
    );
    Some(finding(seen, place, count, width, message))
}

/// `1 thread of warp 0 reaches`, `64 threads reach`.
fn reach(count: i64, of_group: &str) -> String {
    match count {
        1 => format!("1 thread{of_group} reaches"),
        _ => format!("{count} threads{of_group} reach"),
    }
}

fn is_behind_branch(action: &Action<'_>) -> bool {
    let mut steps = action.path.iter();
    steps.any(|step| matches!(step.way, Way::Then(_) | Way::Else))
}

/// An instruction that some threads of a warp or warp group do not come to.
fn instruction(seen: &Seen<'_, '_>, action: &Action<'_>, launched: i64) -> Option<Finding> {
    let (name, width) = collective(action.values.first()?)?;
    let coming = thread_sets::coming(seen, action, &|_| false)?;
    if action.kind == ActionKind::Gemm && coming.count() == Some(0) && is_only_one(seen, action) {
        let message = format!("no thread reaches `{name}`, which all {width} must execute");
        return Some(finding(seen, action.span(), 0, width, message));
    }
    divided(seen, action.span(), &name, width, &coming, launched)
}

/// Whether nothing else does the same: where no thread comes to it, nothing does it.
fn is_only_one(seen: &Seen<'_, '_>, action: &Action<'_>) -> bool {
    let mut others = seen.run.everything();
    !others.any(|other| other.kind == action.kind && other.span() != action.span())
}

/// The instruction that all threads of a warp or warp group issue, and the number of these threads.
fn collective(value: &Value) -> Option<(String, i64)> {
    let (mnemonic, threads) = match value {
        Value::TiledMma(mma) => product(mma.atom())?,
        Value::ThrMma(thread) => product(thread.mma.atom())?,
        value => {
            let atom = &atom(value)?.atom;
            let is_of_warp = matches!(
                atom.operands,
                CopyOperands::MatrixLoad
                    | CopyOperands::MatrixStore
                    | CopyOperands::MatrixMove
                    | CopyOperands::TensorMemoryLoad(_)
                    | CopyOperands::TensorMemoryStore(_)
            );
            (atom.mnemonic.as_ref().filter(|_| is_of_warp)?, WARP)
        }
    };
    // The modifiers are on the page of the instruction.
    let short: Vec<&str> = mnemonic.split('.').take(2).collect();
    Some((short.join("."), threads))
}

/// The instruction of a product, and its threads; nothing where one thread or 8 of them issue it.
fn product(atom: &cute_hardware::MmaAtom) -> Option<(&String, i64)> {
    let threads = atom.thread_id.size().ok()?.value()?;
    let mnemonic = &atom.instruction.as_ref()?.mnemonic;
    (atom.tcgen05.is_none() && matches!(threads, WARP | WARP_GROUP)).then_some((mnemonic, threads))
}

/// A barrier of all threads that some of them do not come to.
fn barrier(seen: &Seen<'_, '_>, action: &Action<'_>, launched: i64) -> Option<Finding> {
    // The others may come to another one.
    let mut others = seen.run.everything();
    let is_paired = others.any(|other| {
        other.kind == ActionKind::SyncThreads
            && other.span() != action.span()
            && other
                .path
                .iter()
                .any(|step| asks(seen, step.span, step.way))
    });
    // A condition that is the same for all threads keeps all of them away, or none.
    let coming = thread_sets::coming(seen, action, &|condition| {
        uniform::is_uniform(seen, condition, DEPTH)
    })?;
    let count = coming
        .count()
        .filter(|count| *count > 0 && *count < launched)?;
    let message =
        format!("{count} of {launched} threads reach this barrier, which waits for all of them");
    (!is_paired).then(|| finding(seen, action.span(), count, launched, message))
}

/// Whether a branch lets some threads pass, or may do so.
fn asks(seen: &Seen<'_, '_>, span: Span, way: Way<'_>) -> bool {
    match way {
        Way::Then(condition) => asks_for_thread(seen, condition, DEPTH),
        Way::Else => {
            condition_of(seen, span).is_none_or(|condition| asks_for_thread(seen, condition, DEPTH))
        }
        Way::Loop(_) | Way::Aside => false,
        Way::Case(_) | Way::Lambda => true,
    }
}

fn finding(
    seen: &Seen<'_, '_>,
    place: Span,
    coming: i64,
    threads: i64,
    message: String,
) -> Finding {
    Finding {
        numbers: vec![
            ("coming".to_owned(), Number::Integer(coming)),
            ("threads".to_owned(), Number::Integer(threads)),
        ],
        ..seen.finding(RULE, Severity::Error, place, message)
    }
}
