//! Tensor memory between its asynchronous loads, stores and products, and from its allocation to its end
//! (PTX ISA, "tcgen05").

use cute_hardware::copy::CopyOperands;
use tree_sitter_cute::tree::{Expr, ItemKind, Span};

use super::called::{self, Called};
use super::counts::atom;
use super::partitions::{behind, part};
use super::thread_sets::{self, Asked, asks_for_thread};
use super::threads::{Threads, WARP};
use super::{Costs, Seen, order, regions, rings};
use crate::finding::{Finding, Number, Related, Severity};
use crate::tensor::Space;
use crate::trace::{Action, ActionKind, Way};
use crate::types::Type;
use crate::value::Value;
use crate::walk;

/// Loads and stores that are not waited for.
const WAIT_RULE: &str = "tmem-wait";
/// Columns between their allocation and their end.
const LIFETIME_RULE: &str = "tmem-lifetime";
/// Lanes that a warp cannot reach.
const LANES_RULE: &str = "tmem-lanes";

/// `tcgen05.wait::ld`.
const WAIT_LOADS: &[&str] = &["fence_view_async_tmem_load"];
/// `tcgen05.wait::st`.
const WAIT_STORES: &[&str] = &["fence_view_async_tmem_store"];
/// Functions that order the CTAs of a pair.
const CLUSTER: &[&str] = &[
    "cluster_arrive",
    "cluster_arrive_relaxed",
    "cluster_sync",
    "cluster_wait",
];
/// Functions that order the threads of a CTA.
const THREADS: &[&str] = &[
    "__syncthreads",
    "cluster_arrive",
    "cluster_arrive_relaxed",
    "cluster_sync",
    "cluster_wait",
];
/// Warps that have the lanes of tensor memory among them.
const WARPS: i64 = 4;
/// Variables that are followed from a part to its tensor.
const FOLLOWED: usize = 16;
/// Variables and calls inside each other that are followed in a condition.
const DEPTH: usize = 24;

/// Looks at tensor memory in a kernel.
pub(super) fn judge(seen: &Seen<'_, '_>, costs: &mut Costs) {
    if !seen.run.is_kernel() {
        return;
    }
    let mut found: Vec<Finding> = Vec::new();
    let accesses = accesses(seen);
    for access in &accesses {
        found.extend(match access.kind {
            Kind::Load => released(seen, access),
            Kind::Store => used(seen, access, &accesses),
        });
        found.extend(foreign_lanes(seen, access));
    }
    for allocation in seen.run.reached(ActionKind::AllocateColumns) {
        if !allocation.is_uncertain && allocation.calls.is_empty() {
            found.extend(never_freed(seen, allocation));
            found.extend(left_before_free(seen, allocation));
            found.extend(permit_given_up(seen, allocation));
            found.extend(pair_not_ordered(seen, allocation));
        }
    }
    for free in seen.run.reached(ActionKind::FreeColumns) {
        if !free.is_uncertain && free.calls.is_empty() {
            found.extend(freed_while_read(seen, free, &accesses));
            found.extend(pair_freed(seen, free));
        }
    }
    for finding in found {
        let is_known = |known: &Finding| known.rule == finding.rule && known.span == finding.span;
        if !costs.findings.iter().any(is_known) {
            costs.findings.push(finding);
        }
    }
}

/// The direction of a transfer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// `tcgen05.ld`.
    Load,
    /// `tcgen05.st`.
    Store,
}

/// A copy between tensor memory and registers.
struct Access<'s, 'u> {
    action: &'s Action<'u>,
    kind: Kind,
    /// The part of tensor memory, as it is written.
    operand: &'u Expr,
    /// The declaration of the tensor that it is a part of.
    tensor: Span,
}

fn accesses<'s, 'u>(seen: &'s Seen<'_, 'u>) -> Vec<Access<'s, 'u>> {
    let copies = seen.run.reached(ActionKind::Copy);
    let copies = copies.filter(|copy| !copy.is_uncertain && copy.calls.is_empty());
    copies
        .filter_map(|action| {
            let [_, source, destination] = action.args else {
                return None;
            };
            let (kind, operand) = match atom(action.values.first()?)?.atom.operands {
                CopyOperands::TensorMemoryLoad(_) => (Kind::Load, source),
                CopyOperands::TensorMemoryStore(_) => (Kind::Store, destination),
                _ => return None,
            };
            Some(Access {
                action,
                kind,
                operand,
                tensor: tensor(seen, operand)?,
            })
        })
        .collect()
}

/// The declaration of the tensor in tensor memory that an expression is, or is a part of.
fn tensor(seen: &Seen<'_, '_>, expr: &Expr) -> Option<Span> {
    let mut declared = seen.variable(expr)?;
    for _ in 0..FOLLOWED {
        let Some(init) = seen.initialiser(declared) else {
            break;
        };
        let part = Called::of(init).filter(|called| {
            called.object.is_some() && called.name.starts_with("partition_")
                || called.object.is_none()
        });
        let Some(of) = part.and_then(|called| called.args.first()) else {
            break;
        };
        let is_memory = seen
            .variable(of)
            .and_then(|declared| rings::value_of(seen, declared))
            .is_some_and(is_in_tensor_memory);
        match seen.variable(of).filter(|_| is_memory) {
            Some(next) => declared = next,
            None => break,
        }
    }
    rings::value_of(seen, declared)
        .is_some_and(is_in_tensor_memory)
        .then_some(declared)
}

fn is_in_tensor_memory(value: &Value) -> bool {
    matches!(value, Value::Tensor(tensor) if tensor.engine.space == Space::TensorMemory)
}

/// A barrier at which a thread says that tensor memory may be overwritten, behind a load that nothing waits for.
fn released(seen: &Seen<'_, '_>, load: &Access<'_, '_>) -> Option<Finding> {
    let waits_later = seen.bodies().flat_map(called::calls).any(|called| {
        WAIT_LOADS.contains(&called.name) && called.span().start > load.action.span().start
    });
    if waits_later {
        return None;
    }
    let arrival = seen.run.actions.iter().find(|action| {
        action.kind == ActionKind::Arrive
            && action.is_reached()
            && !action.is_uncertain
            && order::forward_of_a_thread(seen, load.action, action)
                .is_some_and(|way| !way.may_pass(seen, WAIT_LOADS))
            && writer_behind(seen, action, load.tensor).is_some()
    })?;
    let writer = writer_behind(seen, arrival, load.tensor)?;
    let name = seen.written(load.tensor);
    let line = line_of(seen, load.action.span());
    let message = format!(
        "{name} is released while line {line} may still load it: no fence_view_async_tmem_load"
    );
    Some(Finding {
        numbers: vec![("line".to_owned(), Number::Integer(line))],
        related: vec![
            related(load.action.span(), "loaded here"),
            related(writer.span(), "written after the wait for this barrier"),
        ],
        ..seen.finding(WAIT_RULE, Severity::Error, arrival.span(), message)
    })
}

/// A product or store that overwrites a tensor behind a wait for the barrier of an arrival.
fn writer_behind<'s, 'u>(
    seen: &'s Seen<'_, 'u>,
    arrival: &Action<'u>,
    tensor_of_load: Span,
) -> Option<&'s Action<'u>> {
    let barrier = arrival.barrier.as_ref()?;
    let mut waits = seen.run.reached(ActionKind::WaitBarrier).filter(|wait| {
        wait.barrier
            .as_ref()
            .is_some_and(|place| place.array() == barrier.array())
    });
    waits.find_map(|wait| {
        let mut writers = seen.run.reached(ActionKind::Gemm);
        writers.find(|gemm| {
            let written = gemm.args.last().and_then(|written| tensor(seen, written));
            let is_in_the_role = wait
                .path
                .iter()
                .zip(&gemm.path)
                .all(|(one, other)| one == other)
                && wait.path.len() <= gemm.path.len();
            written == Some(tensor_of_load)
                && is_in_the_role
                && wait.span().start < gemm.span().start
        })
    })
}

/// The next use of tensor memory that a store writes, with nothing that waits for the store.
fn used(
    seen: &Seen<'_, '_>,
    store: &Access<'_, '_>,
    accesses: &[Access<'_, '_>],
) -> Option<Finding> {
    let is_later = |action: &Action<'_>| {
        order::forward_of_a_thread(seen, store.action, action)
            .is_some_and(|way| !way.may_pass(seen, WAIT_STORES))
    };
    let products = seen.run.reached(ActionKind::Gemm).filter(|gemm| {
        let mut operands = gemm.args.iter().skip(1);
        !gemm.is_uncertain
            && gemm.calls.is_empty()
            && operands.any(|operand| tensor(seen, operand) == Some(store.tensor))
    });
    let loads = accesses
        .iter()
        .filter(|access| access.kind == Kind::Load && access.tensor == store.tensor)
        .map(|access| access.action);
    let mut users: Vec<&Action<'_>> = products
        .chain(loads)
        .filter(|user| is_later(user))
        .collect();
    users.sort_by_key(|user| user.span().start);
    let user = users.first()?;
    let name = seen.written(store.tensor);
    let line = line_of(seen, store.action.span());
    let message = format!(
        "{name} is read while line {line} may still store it: no fence_view_async_tmem_store"
    );
    Some(Finding {
        numbers: vec![("line".to_owned(), Number::Integer(line))],
        related: vec![related(store.action.span(), "stored here")],
        ..seen.finding(WAIT_RULE, Severity::Error, user.span(), message)
    })
}

/// A slice of tensor memory that a warp takes whose lanes belong to another one.
fn foreign_lanes<'u>(seen: &Seen<'_, 'u>, access: &Access<'_, 'u>) -> Option<Finding> {
    let part = part(seen, access.operand)?;
    let slice = called::Called::of(part.action.call)?.object?;
    let taken = sliced_at(seen, slice)?;
    let [index] = taken.args else { return None };
    let threads = thread_sets::coming(seen, access.action, &|_| false)?;
    let wrong = threads.iter().find_map(|thread| {
        let slice = Asked::number(seen, thread, index)?;
        let (lanes, own) = (slice / WARP % WARPS, thread / WARP % WARPS);
        (slice >= 0 && lanes != own).then_some((thread / WARP, lanes, own))
    });
    let (warp, lanes, own) = wrong?;
    let (first, last) = (lanes * WARP, lanes * WARP + WARP - 1);
    let message = format!(
        "warp {warp} accesses tensor-memory lanes {first} to {last}, but can reach only {} to {}",
        own * WARP,
        own * WARP + WARP - 1
    );
    Some(Finding {
        numbers: vec![
            ("warp".to_owned(), Number::Integer(warp)),
            ("first_lane".to_owned(), Number::Integer(first)),
            ("first_own_lane".to_owned(), Number::Integer(own * WARP)),
        ],
        related: vec![related(taken.span(), "sliced here")],
        ..seen.finding(LANES_RULE, Severity::Error, access.action.span(), message)
    })
}

/// The call `copy.get_slice(index)` that a slice comes from.
fn sliced_at<'u>(seen: &Seen<'_, 'u>, slice: &'u Expr) -> Option<Called<'u>> {
    let mut slice = slice;
    for _ in 0..FOLLOWED {
        if let Some(called) = Called::of(slice)
            && matches!(called.name, "get_slice" | "get_thread_slice")
        {
            return Some(called);
        }
        slice = behind(seen, slice)?;
    }
    None
}

/// Columns that are allocated and that nothing gives back.
fn never_freed(seen: &Seen<'_, '_>, allocation: &Action<'_>) -> Option<Finding> {
    let is_freed = seen
        .run
        .everything()
        .any(|action| action.kind == ActionKind::FreeColumns);
    let last = seen.run.body().last()?.span.end;
    let behind = Span::new(allocation.span().end, last);
    if is_freed || order::may_call(seen, behind, &["free"]) {
        return None;
    }
    let (what, numbers) = columns(seen, allocation);
    let message =
        format!("{what} of tensor memory are allocated here, but the kernel never frees them");
    Some(Finding {
        numbers,
        ..seen.finding(LIFETIME_RULE, Severity::Error, allocation.span(), message)
    })
}

/// `512 columns`, or `columns` where the number is not known.
fn columns(seen: &Seen<'_, '_>, allocation: &Action<'_>) -> (String, Vec<(String, Number)>) {
    match regions::columns_of_allocation(allocation) {
        Some(columns) => (
            format!("{columns} columns"),
            vec![("columns".to_owned(), Number::Integer(columns))],
        ),
        None => (
            "columns".to_owned(),
            vec![(
                "line".to_owned(),
                Number::Integer(line_of(seen, allocation.span())),
            )],
        ),
    }
}

/// A `return` that all threads take, between the allocation of columns and where they are freed.
fn left_before_free(seen: &Seen<'_, '_>, allocation: &Action<'_>) -> Option<Finding> {
    let frees: Vec<&Action<'_>> = seen.run.reached(ActionKind::FreeColumns).collect();
    let last = frees.iter().map(|free| free.span().start).max()?;
    let mut leaves: Option<Span> = None;
    walk::items(seen.run.body(), &mut |item| {
        let is_between = (allocation.span().end..last).contains(&item.span.start);
        if matches!(item.kind, ItemKind::Return(_)) && is_between && leaves.is_none() {
            leaves = Some(item.span);
        }
    });
    let leaves = leaves?;
    let is_for_all = called::around(seen, leaves)
        .into_iter()
        .all(|item| match &item.kind {
            ItemKind::If(branch) => branch.condition.as_ref().is_some_and(|condition| {
                !branch.constexpr && !asks_for_thread(seen, condition, DEPTH)
            }),
            ItemKind::Loop(_) => true,
            _ => false,
        });
    let between = Span::new(allocation.span().end, leaves.start);
    let is_freed_before = frees.iter().any(|free| free.span().start < leaves.start);
    if !is_for_all || is_freed_before || order::may_call(seen, between, &["free"]) {
        return None;
    }
    let (what, numbers) = columns(seen, allocation);
    let line = line_of(seen, allocation.span());
    let message = format!("the kernel returns with {what} allocated, which line {line} takes");
    Some(Finding {
        numbers,
        related: vec![related(allocation.span(), "allocated here")],
        ..seen.finding(LIFETIME_RULE, Severity::Error, leaves, message)
    })
}

/// An allocation behind the end of the permit to allocate.
fn permit_given_up(seen: &Seen<'_, '_>, allocation: &Action<'_>) -> Option<Finding> {
    let given_up = called::calls(seen.run.body()).into_iter().find(|called| {
        called.name == "release_allocation_lock"
            && called::is_on_the_way(seen, called.span(), allocation.span())
    })?;
    let line = line_of(seen, given_up.span());
    let message = format!(
        "columns are allocated after line {line}, where the CTA gives up its permit to allocate"
    );
    Some(Finding {
        numbers: vec![("line".to_owned(), Number::Integer(line))],
        related: vec![related(given_up.span(), "given up here")],
        ..seen.finding(LIFETIME_RULE, Severity::Error, allocation.span(), message)
    })
}

/// Whether an allocation, or the end of one, is of a pair of CTAs.
fn is_of_pair(seen: &Seen<'_, '_>, action: &Action<'_>) -> bool {
    let object = Called::of(action.call).and_then(|called| called.object);
    let declared = object.and_then(|object| seen.variable(object));
    let value = declared.and_then(|declared| rings::value_of(seen, declared));
    matches!(value, Some(Value::Instance(ty))
        if matches!(&**ty, Type::Named(name) if &**name == "TMEM::Allocator2Sm"))
}

/// Columns of a pair of CTAs that are allocated before the other CTA is known to run.
fn pair_not_ordered(seen: &Seen<'_, '_>, allocation: &Action<'_>) -> Option<Finding> {
    let first = seen.run.body().first()?.span.start;
    let before = Span::new(first, allocation.span().start);
    if !is_of_pair(seen, allocation) || order::may_call(seen, before, CLUSTER) {
        return None;
    }
    let (what, mut numbers) = columns(seen, allocation);
    let line = line_of(seen, allocation.span());
    if numbers.iter().all(|(name, _)| name != "line") {
        numbers.push(("line".to_owned(), Number::Integer(line)));
    }
    let message = format!(
        "a pair of CTAs allocates {what} before both are known to run: no cluster_sync\n\
         1. CTA 0 of the pair begins and comes to line {line}: its warp allocates for both CTAs\n\
         2. CTA 1 has not begun: its shared memory, which the allocation writes to, is not its own yet\n\
         3. CTA 1 begins and allocates: which of the two writes its threads read is not decided"
    );
    Some(Finding {
        numbers,
        ..seen.finding(LIFETIME_RULE, Severity::Error, allocation.span(), message)
    })
}

/// Columns of a pair that one CTA frees while the other one may still allocate.
fn pair_freed(seen: &Seen<'_, '_>, free: &Action<'_>) -> Option<Finding> {
    let allocations: Vec<&Action<'_>> = seen.run.reached(ActionKind::AllocateColumns).collect();
    let [allocation] = allocations.as_slice() else {
        return None;
    };
    let between = Span::new(allocation.span().end, free.span().start);
    let is_ordered = order::may_call(seen, between, CLUSTER)
        || seen.run.everything().any(|action| {
            // The other CTA may arrive, or its copies or products do.
            matches!(action.kind, ActionKind::WaitBarrier) && between.encloses(action.span())
        });
    if !is_of_pair(seen, free) || free.span().start < allocation.span().end || is_ordered {
        return None;
    }
    let line = line_of(seen, allocation.span());
    let message = format!(
        "a CTA frees columns while its peer may still allocate them on line {line}: no cluster_sync"
    );
    Some(Finding {
        numbers: vec![("line".to_owned(), Number::Integer(line))],
        related: vec![related(allocation.span(), "allocated here")],
        ..seen.finding(LIFETIME_RULE, Severity::Error, free.span(), message)
    })
}

/// Columns that one warp frees while others may still load them.
fn freed_while_read(
    seen: &Seen<'_, '_>,
    free: &Action<'_>,
    accesses: &[Access<'_, '_>],
) -> Option<Finding> {
    let by = thread_sets::coming(seen, free, &|_| false).filter(Threads::is_in_one_warp)?;
    let (load, count) = accesses.iter().rev().find_map(|access| {
        let reading = thread_sets::coming(seen, access.action, &|_| false)?;
        let others = reading.iter().filter(|thread| !by.has(*thread)).count();
        let way = is_forward(seen, access.action, free)?;
        let is_open = others > 0 && !order::may_call(seen, way, THREADS);
        is_open.then_some((access, i64::try_from(others).ok()?))
    })?;
    let line = line_of(seen, load.action.span());
    let message = format!(
        "columns are freed while {count} other threads may still use them on line {line}: no barrier"
    );
    Some(Finding {
        numbers: vec![
            ("threads".to_owned(), Number::Integer(count)),
            ("line".to_owned(), Number::Integer(line)),
        ],
        related: vec![related(load.action.span(), "used here")],
        ..seen.finding(LIFETIME_RULE, Severity::Error, free.span(), message)
    })
}

/// The piece of the source from one action to a later one that is in no loop with it.
fn is_forward(seen: &Seen<'_, '_>, from: &Action<'_>, to: &Action<'_>) -> Option<Span> {
    let is_later = from.span().end <= to.span().start;
    let roles = |action: &Action<'_>| {
        let mut steps = action.path.iter();
        steps.all(|step| match step.way {
            Way::Loop(_) => true,
            Way::Then(condition) => asks_for_thread(seen, condition, DEPTH),
            _ => false,
        })
    };
    (is_later && roles(from) && roles(to)).then(|| Span::new(from.span().end, to.span().start))
}

fn line_of(seen: &Seen<'_, '_>, span: Span) -> i64 {
    i64::try_from(seen.line(span)).unwrap_or_default()
}

fn related(span: Span, message: &str) -> Related {
    Related {
        span,
        message: message.to_owned(),
    }
}
