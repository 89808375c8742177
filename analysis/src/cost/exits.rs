//! The end of a CTA whose shared memory the other CTAs of its cluster still use (CUDA C++ programming guide, "Distributed
//! Shared Memory").

use tree_sitter_cute::tree::{Expr, ExprKind, Span, UnaryOp};

use super::called::{self, Called};
use super::{Costs, Seen, order};
use crate::finding::{Finding, Number, Related, Severity};
use crate::trace::Launch;
use crate::walk;

/// The stable name of the rule.
const RULE: &str = "cluster-exit";
/// Functions that give a place in the shared memory of another CTA.
const REMOTE: &[&str] = &["map_shared_rank", "set_block_rank"];
/// Names of functions that wait for other CTAs, or signal them.
const ORDERS: &[&str] = &[
    "arrive",
    "arrive_and_wait",
    "arrive_barrier",
    "barrier_arrive",
    "barrier_wait",
    "cluster_arrive",
    "cluster_arrive_relaxed",
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
/// Names of functions that query the position of a CTA in its cluster.
const OF_CLUSTERS: &[&str] = &[
    "block_index",
    "block_rank",
    "block_rank_in_cluster",
    "cluster_ctarank",
    "dim_blocks",
    "map_shared_rank",
    "num_blocks",
    "this_cluster",
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
    if is_own || is_alone(seen) {
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
    if order::may_call(seen, Span::new(last.end, end), ORDERS) {
        return None;
    }
    let line = i64::try_from(seen.line(call.span())).ok()?;
    let message =
        "a CTA may exit while this one still uses its shared memory: no cluster barrier follows";
    Some(Finding {
        numbers: vec![("line".to_owned(), Number::Integer(line))],
        related: vec![Related {
            span: call.span(),
            message: "the memory of another CTA".to_owned(),
        }],
        ..seen.finding(RULE, Severity::Error, last, message.to_owned())
    })
}

/// The first use of another CTA's memory, with nothing before it that waits for that CTA.
fn used_first(seen: &Seen<'_, '_>, call: &Called<'_>) -> Option<Finding> {
    let is_own = call.args.last().is_some_and(is_own_rank);
    let declared = seen.declared.initialised_around(call.span());
    let pointers: Vec<Span> = declared.map(|(name, _)| name).collect();
    let mut accesses = Vec::new();
    let mut addresses = Vec::new();
    let mut first: Option<Span> = None;
    walk::expressions(seen.run.body(), &mut |expr| {
        accesses.extend(accessed(expr));
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
    if !accesses.contains(&first) || addresses.contains(&first) {
        return None;
    }
    let start = seen.run.body().first()?.span.start;
    let before = Span::new(start, first.start);
    if is_own || is_alone(seen) || order::may_call_besides(seen, before, ORDERS, OF_CLUSTERS) {
        return None;
    }
    let line = i64::try_from(seen.line(call.span())).ok()?;
    let message =
        "the shared memory of another CTA is used before that runs: no cluster barrier comes first";
    Some(Finding {
        numbers: vec![("line".to_owned(), Number::Integer(line))],
        related: vec![Related {
            span: call.span(),
            message: "the memory of another CTA".to_owned(),
        }],
        ..seen.finding(RULE, Severity::Error, first, message.to_owned())
    })
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
fn is_alone(seen: &Seen<'_, '_>) -> bool {
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
    if order::may_call_besides(seen, behind, ORDERS, OF_PIPELINES) {
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
