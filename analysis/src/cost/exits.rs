//! The end of a CTA whose shared memory the other CTAs of its cluster still use (CUDA C++ programming guide, "Distributed
//! Shared Memory").

use tree_sitter_cute::tree::{BinaryOp, Expr, ExprKind, ItemKind, Span, UnaryOp};

use super::called::{self, Called};
use super::{Costs, Seen, order};
use crate::cuda_functions::{ATOMICS, is_alone};
use crate::finding::{Finding, Number, Related, Severity};
use crate::ptx;
use crate::trace::Launch;
use crate::walk;

/// The stable name of the rule.
const RULE: &str = "cluster-exit";
/// The messages about a use behind the last barrier, and before the first one.
const BEHIND: &str =
    "a CTA may exit while this one still accesses its shared memory: no cluster barrier follows";
const BEFORE: &str =
    "no cluster barrier before another CTA's shared memory is accessed: it may not have started";
/// Functions that give a place in the shared memory of another CTA.
const REMOTE: &[&str] = &["map_shared_rank", "set_block_rank"];
/// Names of functions that wait for other CTAs, or signal them.
const ORDERS: &[&str] = &[
    "arrive",
    "arrive_and_wait",
    "arrive_barrier",
    "barrier_arrive",
    "barrier_wait",
    "cluster_sync",
    "cluster_wait",
    "producer_tail",
    "sync",
    "test_wait",
    "try_wait",
    "try_wait_barrier",
    "wait",
    "wait_barrier",
];
/// Functions that arrive at the barrier of the cluster: without a wait, they keep no CTA from going on.
const ARRIVES: &[&str] = &["cluster_arrive", "cluster_arrive_relaxed"];
/// The instruction that they are (PTX ISA, "barrier.cluster").
const ARRIVAL: &str = "barrier.cluster.arrive";
/// Names of functions that query the position of a CTA in its cluster.
const OF_CLUSTERS: &[&str] = &[
    "block_index",
    "block_rank",
    "block_rank_in_cluster",
    "cluster_ctarank",
    "dim_blocks",
    "dim_threads",
    "thread_rank",
    "num_threads",
    "this_thread_block",
    "map_shared_rank",
    "num_blocks",
    "group_index",
    "size",
    "this_cluster",
    "this_grid",
    "thread_index",
];
/// Methods of pipelines and states that tell other CTAs nothing of the end, or nothing that this CTA waits for.
const OF_PIPELINES: &[&str] = &[
    "advance",
    "consumer_release",
    "consumer_test_wait",
    "consumer_try_wait",
    "consumer_wait",
    "count",
    "producer_acquire",
    "producer_commit",
    "producer_get_barrier",
    "producer_try_acquire",
];

/// Judges the accesses of a kernel to the memory of other CTAs.
pub(super) fn judge(seen: &Seen<'_, '_>, costs: &mut Costs) {
    if !seen.run.is_kernel() {
        return;
    }
    let calls = called::calls(seen.run.body());
    let mut found: Vec<Finding> = Vec::new();
    for call in &calls {
        if REMOTE.contains(&call.name) {
            found.extend(used_last(seen, call));
            found.extend(used_first(seen, call));
        }
    }
    found.extend(used_in_assembly(seen));
    for (pipeline, ctas) in &seen.run.remote_pipelines {
        found.extend(no_tail(seen, *pipeline, *ctas, &calls));
    }
    for finding in found {
        let is_known = |known: &Finding| known.rule == RULE && known.span == finding.span;
        if !costs.findings.iter().any(is_known) {
            costs.findings.push(finding);
        }
    }
}

/// The last use of another CTA's memory, with nothing behind it that keeps that CTA alive.
fn used_last(seen: &Seen<'_, '_>, call: &Called<'_>) -> Option<Finding> {
    let is_own = call.args.last().is_some_and(is_own_rank);
    if is_own || is_alone_in_cluster(seen) {
        return None;
    }
    let declared = seen.declared.initialised_around(call.span());
    let pointers: Vec<Span> = declared.map(|(name, _)| name).collect();
    let mut last = call.span();
    walk::expressions(seen.run.body(), &mut |expr| {
        let is_pointer = matches!(expr.kind, ExprKind::Name(_))
            && seen
                .variable(expr)
                .is_some_and(|variable| pointers.contains(&variable));
        if is_pointer && expr.span.start > last.start {
            last = expr.span;
        }
    });
    let end = seen.run.body().last()?.span.end;
    // Behind the statement that it is in: a barrier in the same one may come first.
    if may_order(seen, Span::new(last.end, end), OF_CLUSTERS) {
        return None;
    }
    told(seen, call.span(), last, BEHIND)
}

/// A finding about a use of memory that is taken at a place.
fn told(seen: &Seen<'_, '_>, taken: Span, used: Span, message: &str) -> Option<Finding> {
    let line = i64::try_from(seen.line(taken)).ok()?;
    Some(Finding {
        numbers: vec![("line".to_owned(), Number::Integer(line))],
        related: vec![Related {
            span: taken,
            message: "the memory of another CTA".to_owned(),
        }],
        ..seen.finding(RULE, Severity::Error, used, message.to_owned())
    })
}

/// Whether something in a piece of the source may wait for other CTAs, or signal them.
fn may_order(seen: &Seen<'_, '_>, piece: Span, harmless: &[&str]) -> bool {
    let mut known: Vec<&str> = [harmless, ATOMICS, &["asm"]].concat();
    let mut is_ordered = false;
    walk::expressions(seen.run.body(), &mut |expr| {
        if !piece.encloses(expr.span) {
            return;
        }
        if walk::is_assembly(expr) {
            let is_here = seen.file.contains(expr.span);
            is_ordered |= !is_here || ptx_may_order(seen.written(expr.span));
        }
        if let Some(called) = Called::of(expr).filter(|called| called.object.is_none()) {
            let looks_only = called.args.iter().all(|arg| !is_address(arg));
            let arrives =
                ARRIVES.contains(&called.name) && seen.declared.functions(called.name).is_empty();
            if arrives || is_alone(called.name) || looks_only && is_only_ptx(seen, called.name) {
                known.push(called.name);
            }
        }
    });
    // A loop that reads what others write waits for them.
    walk::items(seen.run.body(), &mut |item| {
        if let ItemKind::Loop(repeat) = &item.kind
            && piece.encloses(item.span)
        {
            is_ordered |= repeat.condition.as_ref().is_none_or(reads);
        }
    });
    is_ordered || order::may_call_besides(seen, piece, ORDERS, &known)
}

/// Whether an expression reads memory, or calls something.
fn reads(expr: &Expr) -> bool {
    let mut found = false;
    walk::subexpressions(expr, &mut |part| {
        found |= matches!(
            part.kind,
            ExprKind::Index(..) | ExprKind::Call(..) | ExprKind::Unary(UnaryOp::Deref, _)
        );
    });
    found
}

/// Whether an argument is an address, through which a function may do more than is seen.
fn is_address(arg: &Expr) -> bool {
    matches!(arg.kind, ExprKind::Unary(UnaryOp::AddressOf, _))
}

/// Whether the functions of a name are assembly that orders nothing, and nothing else.
fn is_only_ptx(seen: &Seen<'_, '_>, name: &str) -> bool {
    let functions = seen.declared.functions(name);
    !functions.is_empty()
        && functions.iter().all(|function| {
            let Some(body) = function.body.as_deref() else {
                return false;
            };
            let mut is_only = true;
            walk::expressions(body, &mut |expr| {
                if walk::is_assembly(expr) {
                    let is_here = seen.file.contains(expr.span);
                    is_only &= is_here && !ptx_may_order(seen.written(expr.span));
                } else if let Some(called) = Called::of(expr) {
                    is_only &= is_alone(called.name);
                }
            });
            is_only
        })
}

/// Whether assembly may wait for other threads, or signal them (PTX ISA, "Parallel Synchronization and Communication
/// Instructions").
fn ptx_may_order(text: &str) -> bool {
    let template = ptx::template(text);
    let orders = |name: &str| {
        let words = ["bar", "arrive", "wait", "sync", "call", "fence", "commit"];
        words.iter().any(|word| name.contains(word)) && !name.starts_with(ARRIVAL)
    };
    template.is_empty() || ptx::names(&template).any(orders)
}

/// Whether assembly reads or writes the shared memory of another CTA, and is done with it: what arrives at a barrier of
/// that CTA keeps it waiting.
fn ptx_uses(text: &str) -> bool {
    let words = text.split(|c: char| c.is_whitespace() || c == '"' || c == ';');
    words.into_iter().any(|word| {
        let begins = ["ld.", "st.", "atom.", "red."];
        begins.iter().any(|begin| word.starts_with(begin))
            && word.contains("shared::cluster")
            && !word.contains(".async")
    })
}

/// Assembly in the kernel, and calls of functions of the file that have some, by their text.
fn in_assembly<'u>(seen: &Seen<'_, 'u>, is_one: &dyn Fn(&str) -> bool) -> Vec<&'u Expr> {
    let has = |expr: &Expr| {
        walk::is_assembly(expr) && seen.file.contains(expr.span) && is_one(seen.written(expr.span))
    };
    let mut found = Vec::new();
    walk::expressions(seen.run.body(), &mut |expr| {
        let mut is_call = false;
        if let Some(called) = Called::of(expr).filter(|called| called.object.is_none())
            && let [only] = seen.declared.functions(called.name)
        {
            walk::expressions(only.body.as_deref().unwrap_or_default(), &mut |inner| {
                is_call |= has(inner);
            });
        }
        if has(expr) || is_call {
            found.push(expr);
        }
    });
    found
}

/// Uses of another CTA's memory in assembly, with nothing around them that keeps that CTA alive.
fn used_in_assembly(seen: &Seen<'_, '_>) -> Vec<Finding> {
    let uses = in_assembly(seen, &ptx_uses);
    let taken = in_assembly(seen, &|text| text.contains("mapa"));
    let is_of_others = !taken.is_empty() && taken.iter().all(|expr| takes_another(seen, expr));
    let (Some(first), Some(last), true) = (uses.first(), uses.last(), is_of_others) else {
        return Vec::new();
    };
    let (Some(begin), Some(end), Some(place)) = (
        seen.run.body().first(),
        seen.run.body().last(),
        taken.first(),
    ) else {
        return Vec::new();
    };
    if is_alone_in_cluster(seen) {
        return Vec::new();
    }
    let mut found = Vec::new();
    if !may_order(seen, Span::new(last.span.end, end.span.end), OF_CLUSTERS) {
        found.extend(told(seen, place.span, last.span, BEHIND));
    }
    if !may_order(
        seen,
        Span::new(begin.span.start, first.span.start),
        OF_CLUSTERS,
    ) {
        found.extend(told(seen, place.span, first.span, BEFORE));
    }
    found
}

/// Whether an address is taken in another CTA than that of the thread: of a number, of arithmetic, or of a counter.
fn takes_another(seen: &Seen<'_, '_>, mapping: &Expr) -> bool {
    let ExprKind::Call(_, args) = &mapping.kind else {
        return false;
    };
    let is_other = |expr: &Expr| {
        matches!(
            expr.kind,
            ExprKind::Int(_)
                | ExprKind::Binary(
                    BinaryOp::Add | BinaryOp::BitXor | BinaryOp::Rem | BinaryOp::Sub,
                    ..
                )
        )
    };
    args.last().is_some_and(|rank| match &rank.kind {
        ExprKind::Name(_) => {
            let declared = seen.variable(rank);
            let init = declared.and_then(|declared| seen.initialiser(declared));
            init.is_some_and(is_other)
        }
        _ => is_other(rank),
    })
}

/// The first use of another CTA's memory, with nothing before it that waits for that CTA.
fn used_first(seen: &Seen<'_, '_>, call: &Called<'_>) -> Option<Finding> {
    let is_own = call.args.last().is_some_and(is_own_rank);
    let declared = seen.declared.initialised_around(call.span());
    let pointers: Vec<Span> = declared.map(|(name, _)| name).collect();
    let mut accesses = Vec::new();
    let mut addresses = Vec::new();
    let mut changed = Vec::new();
    let mut first: Option<Span> = None;
    walk::expressions(seen.run.body(), &mut |expr| {
        accesses.extend(accessed(expr));
        if let Some(atomic) = Called::of(expr).filter(|called| ATOMICS.contains(&called.name)) {
            changed.extend(atomic.args.first().and_then(pointer_in));
        }
        if let ExprKind::Unary(UnaryOp::AddressOf, inner) = &expr.kind {
            addresses.extend(accessed(inner));
        }
        let is_pointer = matches!(expr.kind, ExprKind::Name(_))
            && seen
                .variable(expr)
                .is_some_and(|variable| pointers.contains(&variable));
        if is_pointer && expr.span.start > call.span().end && first.is_none() {
            first = Some(expr.span);
        }
    });
    // Without a name it is used where it is taken. Keeping or moving an address does not use it.
    let first = first.or_else(|| pointers.is_empty().then(|| call.span()))?;
    let is_used = accesses.contains(&first) && !addresses.contains(&first);
    if !is_used && !changed.contains(&first) {
        return None;
    }
    let start = seen.run.body().first()?.span.start;
    let before = Span::new(start, first.start);
    if is_own || is_alone_in_cluster(seen) || may_order(seen, before, OF_CLUSTERS) {
        return None;
    }
    told(seen, call.span(), first, BEFORE)
}

/// The pointer in the address that an atomic function is given: `p`, `p + i`, `&p[i]`.
fn pointer_in(address: &Expr) -> Option<Span> {
    match &address.kind {
        ExprKind::Name(_) => Some(address.span),
        ExprKind::Cast(_, _, inner) => pointer_in(inner),
        ExprKind::Binary(BinaryOp::Add, pointer, _) => pointer_in(pointer),
        ExprKind::Unary(UnaryOp::AddressOf, element) => accessed(element),
        _ => None,
    }
}

/// The pointer of `*pointer` and `pointer[i]`.
fn accessed(expr: &Expr) -> Option<Span> {
    match &expr.kind {
        ExprKind::Unary(UnaryOp::Deref, pointer) | ExprKind::Index(pointer, _) => {
            Some(pointer.span)
        }
        _ => None,
    }
}

/// Whether a launch has clusters of one CTA.
fn is_alone_in_cluster(seen: &Seen<'_, '_>) -> bool {
    let is_one = |launch: &Launch| {
        let cluster = launch.cluster.as_ref().and_then(super::budget::three);
        cluster == Some([1, 1, 1])
    };
    seen.run.launches.iter().any(is_one)
}

/// Whether a rank is that of the CTA itself.
fn is_own_rank(rank: &Expr) -> bool {
    Called::of(rank).is_some_and(|called| {
        matches!(
            called.name,
            "block_rank" | "block_rank_in_cluster" | "cluster_ctarank"
        )
    })
}

/// A producer that leaves while consumers of other CTAs still arrive at its barriers.
fn no_tail(
    seen: &Seen<'_, '_>,
    pipeline: Span,
    ctas: i64,
    calls: &[Called<'_>],
) -> Option<Finding> {
    let of_it = |name: &str| {
        calls.iter().rev().find(|called| {
            called.name == name
                && called
                    .object
                    .is_some_and(|object| seen.variable(object) == Some(pipeline))
        })
    };
    let acquire = of_it("producer_acquire")?;
    let release = of_it("consumer_release")?;
    let end = seen.run.body().last()?.span.end;
    let first = acquire.span().end.min(release.span().end);
    let behind = Span::new(first, end);
    if order::may_call_besides(seen, behind, &[ORDERS, ARRIVES].concat(), OF_PIPELINES) {
        return None;
    }
    let name = seen.written(pipeline);
    let message = format!(
        "a CTA may exit before its {ctas} CTAs have released {name}: no producer_tail, no cluster barrier"
    );
    Some(Finding {
        numbers: vec![("ctas".to_owned(), Number::Integer(ctas))],
        related: vec![Related {
            span: release.span(),
            message: "arrives in other CTAs, too".to_owned(),
        }],
        ..seen.finding(RULE, Severity::Error, acquire.span(), message)
    })
}
