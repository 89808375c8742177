//! Shared memory between the two proxies: threads write it, TMA and the tensor core read it (PTX ISA, "Async proxy").

mod unordered;

use std::sync::Arc;

use cute_hardware::copy::CopyOperands;
use cute_hardware::tma::instruction::TmaKind;
use tree_sitter_cute::tree::{Expr, ExprKind, ItemKind, Span, UnaryOp};

use super::counts::{atom, size};
use super::partitions::part;
use super::{Costs, Seen, called, order, races, rings};
use crate::finding::{Finding, Number, Related, Severity};
use crate::origin::{Index, Place, Root};
use crate::tensor::{Space, Tensor};
use crate::trace::{Action, ActionKind, Step, Way};
use crate::value::Value;
use crate::vocabulary::number;
use crate::walk;

/// Functions that make the writes of a thread visible to the asynchronous proxy.
const FENCES: &[&str] = &[
    "tma_store_fence",
    "fence_view_async_shared",
    "fence_proxy_async",
    "fence_proxy_async_shared_cta",
    "fence_proxy",
    "fence_barrier_init",
];

/// Functions that wait until TMA has read the shared memory that it stores.
const WAITS: &[&str] = &[
    "cp_async_bulk_wait_group",
    "cp_async_bulk_wait_group_read",
    "tma_store_wait",
];

/// Functions that wait for a phase of a barrier, which TMA completes.
const PHASES: &[&str] = &[
    "arrive_and_wait",
    "consumer_try_wait",
    "consumer_wait",
    "test_wait",
    "test_wait_barrier",
    "try_wait",
    "try_wait_barrier",
    "wait",
    "wait_barrier",
    "wait_parity",
];

/// The use of a tensor in shared memory by an action.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Use {
    /// Threads write it.
    Written,
    /// TMA stores it to global memory.
    Stored,
    /// TMA fills it.
    Filled,
    /// Threads read it.
    Read,
    /// The tensor core reads it by a descriptor.
    Multiplied,
}

/// A use of shared memory.
struct Access<'s, 'u> {
    action: &'s Action<'u>,
    place: Arc<Place>,
    kind: Use,
    /// Its bytes, where they are known.
    bytes: Option<i64>,
}

/// Looks at all copies and products of a kernel.
pub(super) fn judge(seen: &Seen<'_, '_>, costs: &mut Costs) {
    if !seen.run.is_kernel() {
        return;
    }
    let stores = element_stores(seen);
    let accesses = accesses(seen, &stores);
    let mut found: Vec<Finding> = Vec::new();
    for first in &accesses {
        for second in &accesses {
            if !are_one(&first.place, &second.place) {
                continue;
            }
            if first.kind == Use::Written && second.kind == Use::Stored {
                found.extend(unordered::judge(seen, first, second));
            }
            if !is_one(seen, &first.place) {
                // Of one tensor, whose place differs from pass to pass at most.
                if first.kind == Use::Written && is_only_tensor(seen, &first.place) {
                    found.extend(not_fenced(seen, first, second, Passes::Same));
                }
                continue;
            }
            match (first.kind, second.kind) {
                (Use::Written, Use::Stored | Use::Multiplied) => {
                    found.extend(not_fenced(seen, first, second, Passes::All));
                }
                (Use::Stored, Use::Written | Use::Filled) => {
                    found.extend(not_waited(seen, first, second));
                }
                (Use::Filled, Use::Read | Use::Multiplied) => {
                    found.extend(not_arrived(seen, first, second));
                }
                _ => {}
            }
        }
    }
    for store in accesses.iter().filter(|access| access.kind == Use::Stored) {
        let span = store.action.span();
        let names_it = |known: &Finding| known.related.iter().any(|place| place.span == span);
        // An access that overwrites it comes before the end.
        if !found.iter().any(names_it) {
            found.extend(unfinished(seen, store));
        }
    }
    for finding in found {
        let is_known = |known: &Finding| known.rule == finding.rule && known.span == finding.span;
        if !costs.findings.iter().any(is_known) {
            costs.findings.push(finding);
        }
    }
}

/// Whether two places are one, or one of them is a row of the array that the other one is.
fn are_one(one: &Place, other: &Place) -> bool {
    let is_row = |place: &Place| place.path.iter().all(|member| member.starts_with('['));
    one.array() == other.array()
        || one.root == other.root
            && (one.path.is_empty() || other.path.is_empty())
            && is_row(one)
            && is_row(other)
}

/// Whether all tensors of an array begin at the same byte of it: others may be parts that have nothing in common. The
/// row of a counter is another one in another pass.
fn is_one(seen: &Seen<'_, '_>, place: &Place) -> bool {
    if matches!(place.index, Some(Index::Variable(_) | Index::Other(_))) {
        return false;
    }
    let mut laid = laid_on(seen, place);
    let first = laid.next().map(|(laid, _)| &laid.address);
    laid.all(|(other, _)| other.address.is_some() && Some(&other.address) == first)
}

/// The actions that lay tensors on an array, or on memory that may be it.
fn laid_on<'s, 'u>(
    seen: &'s Seen<'_, 'u>,
    place: &Place,
) -> impl Iterator<Item = (&'s Action<'u>, &'s Tensor)> {
    seen.run
        .reached(ActionKind::Lay)
        .filter_map(|laid| match &laid.result {
            Value::Tensor(tensor) => {
                let origin = tensor.engine.origin.0.as_ref();
                let may_be = origin.is_none_or(|other| other.array() == place.array());
                may_be.then_some((laid, &**tensor))
            }
            _ => None,
        })
}

/// Whether one tensor alone is laid on an array, all of which it may be or a row of it.
fn is_only_tensor(seen: &Seen<'_, '_>, place: &Place) -> bool {
    laid_on(seen, place).count() == 1
}

/// The array in shared memory of which an expression is an element.
fn array_of(seen: &Seen<'_, '_>, element: &Expr) -> Option<Place> {
    let ExprKind::Index(base, _) = &element.kind else {
        return None;
    };
    match &base.kind {
        ExprKind::Index(array, row) => row_of(seen, array, row),
        _ => whole_array(seen, base),
    }
}

/// A row of an array in shared memory, by its index as it is written.
fn row_of(seen: &Seen<'_, '_>, array: &Expr, index: &[Expr]) -> Option<Place> {
    let whole = whole_array(seen, array)?;
    Some(whole.member(&format!("[{}]", index.first()?)))
}

/// The array in shared memory that a name is.
fn whole_array(seen: &Seen<'_, '_>, name: &Expr) -> Option<Place> {
    name.as_plain_name()?;
    let root = Root::Variable(seen.variable(name)?);
    let mut shared = seen.run.shared.iter();
    shared
        .any(|object| object.root == root)
        .then(|| Place::of(root))
}

/// `tensor(i) = x` and `array[i] = x` of shared memory, as actions of the threads that come there.
fn element_stores<'u>(seen: &Seen<'_, 'u>) -> Vec<(Action<'u>, Arc<Place>)> {
    let mut found = Vec::new();
    walk::expressions(seen.run.body(), &mut |expr| {
        let ExprKind::Assign(assignment) = &expr.kind else {
            return;
        };
        if let (Some(place), Some(path)) =
            (array_of(seen, &assignment.target), path_to(seen, expr.span))
        {
            found.push((Action::of_element(expr, path), Arc::new(place)));
        }
        let ExprKind::Call(target, _) = &assignment.target.kind else {
            return;
        };
        let declared = target.as_plain_name().and_then(|_| seen.variable(target));
        let value = declared.and_then(|declared| rings::value_of(seen, declared));
        let Some(Value::Tensor(tensor)) = value else {
            return;
        };
        if let (Some(place), Some(path)) = (place(tensor, Use::Written), path_to(seen, expr.span)) {
            let action = Action::of_element(expr, path);
            found.push((action, place));
        }
    });
    found
}

/// The branches and loops around a place of the function; nothing within others.
fn path_to<'u>(seen: &Seen<'_, 'u>, place: Span) -> Option<Vec<Step<'u>>> {
    let steps = called::around(seen, place).into_iter().map(|item| {
        let way = match &item.kind {
            ItemKind::Loop(_) => Way::Loop(None),
            ItemKind::If(branch) => {
                let mut then = branch.then.iter();
                if !then.any(|item| item.span.encloses(place)) {
                    return None;
                }
                Way::Then(branch.condition.as_ref()?)
            }
            _ => return None,
        };
        Some(Step {
            span: item.span,
            way,
            within: None,
        })
    });
    steps.collect()
}

/// All uses of shared memory whose place is known.
fn accesses<'s, 'u>(
    seen: &'s Seen<'_, 'u>,
    stores: &'s [(Action<'u>, Arc<Place>)],
) -> Vec<Access<'s, 'u>> {
    let mut found: Vec<Access<'s, 'u>> = stores
        .iter()
        .map(|(action, place)| Access {
            action,
            place: Arc::clone(place),
            kind: Use::Written,
            bytes: None,
        })
        .collect();
    for action in &seen.run.actions {
        if !action.is_reached() || action.is_uncertain {
            continue;
        }
        let of_bulk = match action.kind {
            ActionKind::BulkStore => Some(Use::Stored),
            ActionKind::BulkCopy => Some(Use::Filled),
            _ => None,
        };
        if let Some(kind) = of_bulk {
            found.extend(array_of_bulk(seen, action).map(|place| Access {
                action,
                place,
                kind,
                bytes: None,
            }));
            continue;
        }
        let uses = match (action.kind, action.values.as_slice()) {
            (ActionKind::Copy, [source, destination]) => {
                vec![(source, Some(Use::Read)), (destination, Some(Use::Written))]
            }
            (ActionKind::Copy, [operation, source, destination]) => {
                of_copy(operation, source, destination)
            }
            (ActionKind::Gemm, [_, a, b, _]) => {
                vec![(a, Some(Use::Multiplied)), (b, Some(Use::Multiplied))]
            }
            _ => continue,
        };
        for (value, kind) in uses {
            if let (Some(kind), Value::Tensor(tensor)) = (kind, value)
                && let Some(place) = place(tensor, kind).or_else(|| {
                    let is_it = |other: &Value| std::ptr::eq(other, value);
                    let index = action.values.iter().position(is_it)?;
                    laid(seen, tensor, kind, action.args.get(index)?)
                })
            {
                found.push(Access {
                    action,
                    place,
                    kind,
                    bytes: bytes(tensor),
                });
            }
        }
    }
    found
}

/// The array in shared memory that a bulk copy is about, besides its barrier.
fn array_of_bulk(seen: &Seen<'_, '_>, copy: &Action<'_>) -> Option<Arc<Place>> {
    let operands = copy.args.iter().map(|operand| match &operand.kind {
        ExprKind::Unary(UnaryOp::AddressOf, inner) => inner,
        _ => operand,
    });
    let place = operands
        .into_iter()
        .find_map(|operand| match &operand.kind {
            // A row of an array, or its first element.
            ExprKind::Index(array, row) => match &array.kind {
                ExprKind::Index(..) => array_of(seen, operand),
                _ => row_of(seen, array, row),
            },
            _ => whole_array(seen, operand),
        })?;
    let is_whole = || {
        let mut shared = seen.run.shared.iter();
        let object = shared.find(|object| object.root == place.root)?;
        let size = i64::try_from(object.layout.as_ref().ok()?.size).ok()?;
        // A tensor map says nothing of bytes.
        Some(
            copy.values
                .first()
                .and_then(number)
                .is_none_or(|bytes| bytes == size),
        )
    };
    (!place.path.is_empty() || is_whole() == Some(true)).then(|| Arc::new(place))
}

/// The effects of a copy by an operation on its tensors.
fn of_copy<'v>(
    operation: &'v Value,
    source: &'v Value,
    destination: &'v Value,
) -> Vec<(&'v Value, Option<Use>)> {
    let Some(atom) = atom(operation) else {
        return Vec::new();
    };
    match atom.atom.operands {
        CopyOperands::Tma(TmaKind::Store | TmaKind::Im2colStore | TmaKind::Reduce(_)) => {
            vec![(source, Some(Use::Stored))]
        }
        CopyOperands::Tma(TmaKind::Load | TmaKind::MulticastLoad) => {
            vec![(destination, Some(Use::Filled))]
        }
        CopyOperands::OfTheCompiler
        | CopyOperands::Async
        | CopyOperands::Load
        | CopyOperands::MatrixStore => {
            vec![(source, Some(Use::Read)), (destination, Some(Use::Written))]
        }
        CopyOperands::MatrixLoad => vec![(source, Some(Use::Read))],
        _ => Vec::new(),
    }
}

/// The place of a tensor's shared memory.
fn place(tensor: &Tensor, kind: Use) -> Option<Arc<Place>> {
    let is_right = match kind {
        Use::Multiplied => matches!(
            tensor.engine.space,
            Space::WgmmaDescriptors | Space::UmmaDescriptors
        ),
        _ => tensor.engine.space == Space::Shared,
    };
    tensor.engine.origin.0.clone().filter(|_| is_right)
}

/// The tensor of shared memory that an operand is a view of, where the memory is an array.
fn laid<'u>(
    seen: &Seen<'_, 'u>,
    tensor: &Tensor,
    kind: Use,
    operand: &'u Expr,
) -> Option<Arc<Place>> {
    let is_right = match kind {
        Use::Multiplied => matches!(
            tensor.engine.space,
            Space::WgmmaDescriptors | Space::UmmaDescriptors
        ),
        _ => tensor.engine.space == Space::Shared,
    };
    // The part of a thread, `slice.partition_A(tensor)`, is of the same memory.
    let of_part = || races::memory(seen, part(seen, operand)?.action.args.first()?);
    let (memory, _) = races::memory(seen, operand)
        .or_else(of_part)
        .filter(|_| is_right)?;
    match rings::value_of(seen, memory) {
        Some(Value::Tensor(laid)) if laid.engine.origin.0.is_some() => laid.engine.origin.0.clone(),
        _ => Some(Arc::new(Place::of(Root::Variable(memory)))),
    }
}

fn bytes(tensor: &Tensor) -> Option<i64> {
    Some(size(tensor)?.checked_mul(i64::from(tensor.engine.bits()?))? / 8)
}

/// The passes of a loop in which two actions are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Passes {
    /// One pass.
    Same,
    /// One pass, or two that follow each other.
    All,
}

/// Whether nothing of these names is passed between two actions, in this pass of a loop or in the next one.
fn is_open(
    seen: &Seen<'_, '_>,
    (from, to): (&Action<'_>, &Action<'_>),
    names: &[&str],
    passes: Passes,
) -> bool {
    let is_around =
        |_: &order::Passage| passes == Passes::All && from.span().start > to.span().start;
    let ways = [
        order::forward_of_a_thread(seen, from, to),
        order::around_of_a_thread(seen, from, to).filter(is_around),
    ];
    ways.into_iter()
        .flatten()
        .any(|way| !way.may_pass(seen, names))
}

/// A write of threads that the asynchronous proxy reads, with no fence on the way.
fn not_fenced(
    seen: &Seen<'_, '_>,
    write: &Access<'_, '_>,
    read: &Access<'_, '_>,
    passes: Passes,
) -> Option<Finding> {
    let is_read = matches!(read.kind, Use::Stored | Use::Multiplied);
    if !is_read || !is_open(seen, (write.action, read.action), FENCES, passes) {
        return None;
    }
    let name = name_of(seen, &write.place)?;
    let reader = match read.kind {
        Use::Stored => "TMA stores",
        _ => "the tensor core reads",
    };
    let written = seen.line(write.action.span());
    let message = format!("{reader} {name}, which threads write on line {written}: no proxy fence");
    Some(finding(
        seen,
        "proxy-fence",
        read.action,
        (write, "written here"),
        message,
    ))
}

/// A source of TMA that is overwritten before TMA has read it.
fn not_waited(
    seen: &Seen<'_, '_>,
    store: &Access<'_, '_>,
    write: &Access<'_, '_>,
) -> Option<Finding> {
    if !is_open(seen, (store.action, write.action), WAITS, Passes::All) {
        return None;
    }
    let name = name_of(seen, &write.place)?;
    let stored = seen.line(store.action.span());
    let message = format!(
        "{name} is overwritten while TMA may still read it for line {stored}: no tma_store_wait"
    );
    Some(finding(
        seen,
        "tma-store-wait",
        write.action,
        (store, "stored here"),
        message,
    ))
}

/// A store that may still read shared memory when the CTA ends and gives it away.
fn unfinished(seen: &Seen<'_, '_>, store: &Access<'_, '_>) -> Option<Finding> {
    let action = store.action;
    let is_plain = |step: &Step<'_>| {
        matches!(step.way, Way::Then(_) | Way::Else | Way::Loop(_)) && step.within.is_none()
    };
    if !action.calls.is_empty() || !action.path.iter().all(is_plain) {
        return None;
    }
    let end = seen.run.body().last()?.span.end;
    let behind = Span::new(action.span().end, end);
    // A wait at the top of a loop may come behind the store, and keeps the memory from being overwritten at least.
    let waits_inside = |(repeat, _): &(Span, Option<i64>)| order::may_call(seen, *repeat, WAITS);
    if order::may_call(seen, behind, WAITS) || action.loops().iter().any(waits_inside) {
        return None;
    }
    let name = name_of(seen, &store.place)?;
    let line = i64::try_from(seen.line(action.span())).ok()?;
    Some(Finding {
        numbers: vec![("line".to_owned(), Number::Integer(line))],
        ..seen.finding(
            "tma-store-wait",
            Severity::Error,
            action.span(),
            format!(
                "the CTA ends while TMA may still read {name}: no tma_store_wait behind the store"
            ),
        )
    })
}

/// A destination of TMA that is read with no wait for a barrier on the way.
fn not_arrived(
    seen: &Seen<'_, '_>,
    fill: &Access<'_, '_>,
    read: &Access<'_, '_>,
) -> Option<Finding> {
    let way = order::forward_of_a_thread(seen, fill.action, read.action)?;
    if way.may_pass(seen, PHASES) {
        return None;
    }
    let name = name_of(seen, &read.place)?;
    let filled = seen.line(fill.action.span());
    let message = format!("{name} is read while TMA may still fill it for line {filled}: no wait");
    Some(finding(
        seen,
        "async-copy-wait",
        read.action,
        (fill, "filled here"),
        message,
    ))
}

/// The variable that a place is.
fn name_of_root(seen: &Seen<'_, '_>, place: &Place) -> Option<Arc<str>> {
    match &place.root {
        crate::origin::Root::Variable(declared)
        | crate::origin::Root::Byte {
            named: declared, ..
        } => Some(seen.written(*declared).into()),
        crate::origin::Root::Record(_) => None,
    }
}

/// The name of the memory of an access: the last member on the way to it, or the variable.
fn name_of(seen: &Seen<'_, '_>, place: &Place) -> Option<Arc<str>> {
    let members = place.path.iter().rev();
    let mut members = members.filter(|member| !member.starts_with('['));
    members
        .next()
        .cloned()
        .or_else(|| name_of_root(seen, place))
}

fn finding(
    seen: &Seen<'_, '_>,
    rule: &'static str,
    at: &Action<'_>,
    (other, what): (&Access<'_, '_>, &str),
    message: String,
) -> Finding {
    let line = i64::try_from(seen.line(other.action.span())).unwrap_or_default();
    let mut numbers = vec![("line".to_owned(), Number::Integer(line))];
    numbers.extend(
        other
            .bytes
            .map(|bytes| ("bytes".to_owned(), Number::Integer(bytes))),
    );
    Finding {
        numbers,
        related: vec![Related {
            span: other.action.span(),
            message: what.to_owned(),
        }],
        ..seen.finding(rule, Severity::Error, at.span(), message)
    }
}
