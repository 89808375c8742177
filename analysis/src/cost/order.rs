//! Synchronisation between two actions in the order of the program: barriers, waits, and calls of unknown effect.

use tree_sitter_cute::tree::{Condition, Expr, ExprKind, Item, ItemKind, Span};

use super::called::Called;
use super::thread_sets::asks_for_thread;
use super::{Seen, named, rings};
use crate::cuda_functions::is_alone;
use crate::ptx;
use crate::trace::{Action, ActionKind, Step, Way};
use crate::value::Value;
use crate::vocabulary;
use crate::walk;

/// The way from one action to another: pieces of the source, all of which are passed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Passage(Vec<Span>);

/// The way from one action to a later one; nothing where a branch decides whether both are passed.
pub(super) fn forward(from: &Action<'_>, to: &Action<'_>) -> Option<Passage> {
    if !are_both_passed(from, to) || from.span().end > to.span().start {
        return None;
    }
    Some(Passage(vec![Span::new(from.span().end, to.span().start)]))
}

/// The way from one action around a loop to another one, or to itself, in its next pass.
pub(super) fn around(from: &Action<'_>, to: &Action<'_>) -> Option<Passage> {
    let repeat = innermost_loop(from, to)?;
    are_both_passed(from, to).then(|| {
        Passage(vec![
            Span::new(from.span().end, repeat.end),
            Span::new(repeat.start, to.span().start),
        ])
    })
}

/// The way of a thread that does both from one action to a later one: branches that only choose threads do not matter.
pub(super) fn forward_of_a_thread(
    seen: &Seen<'_, '_>,
    from: &Action<'_>,
    to: &Action<'_>,
) -> Option<Passage> {
    if !are_passed_by_a_thread(seen, from, to) || from.span().end > to.span().start {
        return None;
    }
    Some(Passage(vec![Span::new(from.span().end, to.span().start)]))
}

/// The way of such a thread around a loop.
pub(super) fn around_of_a_thread(
    seen: &Seen<'_, '_>,
    from: &Action<'_>,
    to: &Action<'_>,
) -> Option<Passage> {
    let repeat = innermost_loop(from, to)?;
    are_passed_by_a_thread(seen, from, to).then(|| {
        Passage(vec![
            Span::new(from.span().end, repeat.end),
            Span::new(repeat.start, to.span().start),
        ])
    })
}

/// Whether some thread comes to both actions, whatever the sizes are.
fn are_passed_by_a_thread(seen: &Seen<'_, '_>, one: &Action<'_>, other: &Action<'_>) -> bool {
    let common = one
        .path
        .iter()
        .zip(&other.path)
        .take_while(|(one, other)| one == other)
        .count();
    let rest = |action: &Action<'_>| {
        action.path.iter().skip(common).all(|step| match step.way {
            Way::Loop(_) => true,
            Way::Then(condition) => asks_for_thread(seen, condition, DEPTH),
            _ => false,
        })
    };
    let alone = |one: &Action<'_>, other: &Action<'_>| {
        // Roles of warps that do one of two things each.
        let chosen = |action: &Action<'_>| {
            let steps = action.path.iter().skip(common);
            steps
                .filter(|step| matches!(step.way, Way::Then(_)))
                .count()
        };
        chosen(one) == 0 || chosen(other) == 0
    };
    rest(one) && rest(other) && alone(one, other) && one.calls.is_empty() && other.calls.is_empty()
}

/// The innermost loop around two actions that may go more than once.
pub(super) fn innermost_loop(one: &Action<'_>, other: &Action<'_>) -> Option<Span> {
    let common = one.path.iter().zip(&other.path);
    let common = common.take_while(|(one, other)| one.span == other.span);
    let mut loops = common.filter_map(|(step, _)| match step.way {
        Way::Loop(Some(0 | 1)) => None,
        Way::Loop(_) => Some(step.span),
        _ => None,
    });
    let first = loops.next()?;
    Some(loops.last().unwrap_or(first))
}

/// Whether control that comes to one of two actions comes to the other one, too: only loops are around each alone.
fn are_both_passed(one: &Action<'_>, other: &Action<'_>) -> bool {
    let common = one
        .path
        .iter()
        .zip(&other.path)
        .take_while(|(one, other)| one == other)
        .count();
    let is_loop = |step: &Step<'_>| matches!(step.way, Way::Loop(_));
    let rest = |action: &Action<'_>| action.path.iter().skip(common).all(is_loop);
    rest(one) && rest(other) && one.calls.is_empty() && other.calls.is_empty()
}

impl Passage {
    /// Whether a place is on the way.
    pub(super) fn has(&self, place: Span) -> bool {
        self.0.iter().any(|piece| piece.encloses(place))
    }

    /// The span that all of the way is in.
    pub(super) fn around(&self) -> Span {
        let mut pieces = self.0.iter().copied();
        let first = pieces.next().unwrap_or_default();
        pieces.fold(first, Span::to)
    }

    /// Whether a function of these names is called on the way, or anything of unknown effect.
    pub(super) fn may_pass(&self, seen: &Seen<'_, '_>, names: &[&str]) -> bool {
        self.0.iter().any(|piece| may_call(seen, *piece, names))
    }
}

/// Variables inside each other that are followed in a condition.
const DEPTH: usize = 24;

/// Functions and methods of the libraries that neither wait nor order anything between threads.
const HARMLESS: &[&str] = &[
    "PipelineState",
    "aligned_size_t",
    "allocate",
    "block_rank_in_cluster",
    "canonical_lane_idx",
    "canonical_warp_group_idx",
    "canonical_warp_idx",
    "canonical_warp_idx_in_warp_group",
    "canonical_warp_idx_sync",
    "cluster_ctarank",
    "cp_async_bulk_commit_group",
    "cp_async_bulk_wait_group",
    "cp_async_bulk_wait_group_read",
    "elect_one_sync",
    "fence_barrier_init",
    "fence_mbarrier_init",
    "fence_proxy",
    "fence_proxy_async",
    "fence_proxy_async_shared_cta",
    "fence_view_async_shared",
    "fence_view_async_tmem_load",
    "fence_view_async_tmem_store",
    "free",
    "get_tma_tensor",
    "index",
    "make_pipeline",
    "make_producer_start_state",
    "move",
    "n32_t",
    "num_threads",
    "phase",
    "prefetch_tma_descriptor",
    "printf",
    "release_allocation_lock",
    "this_thread_block",
    "thread",
    "thread0",
    "thread_rank",
    "umma_arrive",
    "umma_arrive_2x1SM",
    "umma_arrive_multicast",
    "umma_arrive_multicast_2x1SM",
    "warpgroup_reg_alloc",
    "warpgroup_reg_dealloc",
    "with",
];

/// Methods of the barriers in shared memory and of the pipelines made of them.
const OF_BARRIERS: &[&str] = &[
    "arrive",
    "arrive_and_wait",
    "arrive_and_expect_tx",
    "consumer_release",
    "consumer_try_wait",
    "consumer_wait",
    "init",
    "producer_acquire",
    "producer_commit",
    "producer_get_barrier",
    "producer_tail",
    "producer_try_acquire",
    "try_wait",
    "wait",
    "wait_parity",
];

/// Whether a function of these names, or one that may call it, is called in a piece of the source.
pub(super) fn may_call(seen: &Seen<'_, '_>, piece: Span, names: &[&str]) -> bool {
    may_call_besides(seen, piece, names, &[])
}

/// The same, where functions of some more names are known not to matter.
pub(super) fn may_call_besides(
    seen: &Seen<'_, '_>,
    piece: Span,
    names: &[&str],
    harmless: &[&str],
) -> bool {
    let is_known = |expr: &Expr| {
        let called = Called::of(expr);
        called
            .is_some_and(|called| harmless.contains(&called.name) && !names.contains(&called.name))
    };
    may_call_unless(seen, piece, names, &is_known)
}

/// The same, where some calls are known not to matter.
pub(super) fn may_call_unless(
    seen: &Seen<'_, '_>,
    piece: Span,
    names: &[&str],
    is_known: &dyn Fn(&Expr) -> bool,
) -> bool {
    let mut found = false;
    let mut left_out: Vec<Span> = Vec::new();
    walk::items(seen.run.body(), &mut |item| {
        let is_left_out = left_out.iter().any(|span| span.encloses(item.span));
        if let ItemKind::Conditional(conditional) = &item.kind {
            let never = conditional.branches.iter().filter(|branch| {
                matches!(&branch.condition, Condition::If(expr) if matches!(expr.kind, ExprKind::Int(0)))
            });
            left_out.extend(never.flat_map(|branch| branch.items.iter().map(|item| item.span)));
        }
        let is_here = piece.encloses(item.span) && !is_left_out;
        found |= is_here && matches!(item.kind, ItemKind::Opaque(_));
    });
    walk::expressions(seen.run.body(), &mut |expr| {
        let is_left_out = || left_out.iter().any(|span| span.encloses(expr.span));
        found |= piece.encloses(expr.span)
            && is_call_of(seen, expr, names)
            && !is_known(expr)
            && !is_left_out();
    });
    found
}

/// Names by which the fences and waits of stores are looked for.
const OF_STORES: [&str; 2] = ["tma_store_fence", "tma_store_wait"];

/// Whether something is done at a barrier that waits for nothing, and is looked for by no one.
fn is_signal(seen: &Seen<'_, '_>, expr: &Expr, names: &[&str]) -> bool {
    let ExprKind::Call(callee, _) = &expr.kind else {
        return false;
    };
    let named = callee.as_path().and_then(|path| path.last());
    let is_wanted = named.is_some_and(|name| names.contains(&name.name.name.as_str()));
    let mut actions = seen.run.everything();
    // To wait at a barrier is neither a wait for stores nor a fence.
    let is_wait = |kind: ActionKind| {
        kind == ActionKind::WaitBarrier && OF_STORES.iter().any(|it| names.contains(it))
    };
    !is_wanted
        && !names.contains(&"__syncthreads")
        && actions.any(|action| {
            action.span() == expr.span
                && (is_wait(action.kind)
                    || matches!(
                        action.kind,
                        ActionKind::InitBarrier
                            | ActionKind::Arrive
                            | ActionKind::ArriveAndExpect
                            | ActionKind::Expect
                            | ActionKind::BulkCopy
                            | ActionKind::BulkStore
                    ))
        })
}

/// Whether anything of unknown effect is called in some statements, besides what is known.
pub(super) fn calls_besides(
    seen: &Seen<'_, '_>,
    body: &[Item],
    is_known: &dyn Fn(&Expr) -> bool,
) -> bool {
    let mut found = false;
    walk::items(body, &mut |item| {
        found |= matches!(item.kind, ItemKind::Opaque(_));
    });
    walk::expressions(body, &mut |expr| {
        found |= is_call_of(seen, expr, &[]) && !is_known(expr);
    });
    found
}

/// Whether a name is one of a library that does not matter for some others.
fn is_harmless(name: &str, names: &[&str]) -> bool {
    HARMLESS.contains(&name)
        || is_alone(name)
        || (!orders_threads(names) && OF_BARRIERS.contains(&name))
}

/// Whether barriers of threads are among what is looked for.
fn orders_threads(names: &[&str]) -> bool {
    names.contains(&"__syncthreads")
}

/// Whether the functions of a name that the file has only compute: nothing that they call waits, copies or orders.
fn only_computes(seen: &Seen<'_, '_>, name: &str, depth: usize) -> bool {
    let Some(depth) = depth.checked_sub(1) else {
        return false;
    };
    let computes = |expr: &Expr| match &expr.kind {
        ExprKind::Opaque(_) | ExprKind::Macro(_) | ExprKind::Lambda(_) => false,
        ExprKind::Call(..) if walk::is_assembly(expr) => {
            let template = ptx::template(seen.written(expr.span));
            seen.file.contains(expr.span)
                && !template.is_empty()
                && ptx::names(&template).all(ptx::computes)
        }
        ExprKind::Call(..) => Called::of(expr).is_some_and(|called| {
            let is_known = is_alone(called.name) || only_computes(seen, called.name, depth);
            called.object.is_none() && is_known
        }),
        _ => true,
    };
    let functions = seen.declared.functions(name);
    !functions.is_empty()
        && functions.iter().all(|function| {
            let body = function.body.as_deref();
            let mut is_only_that = body.is_some();
            walk::items(body.unwrap_or_default(), &mut |item| {
                is_only_that &= !matches!(item.kind, ItemKind::Opaque(_));
            });
            walk::expressions(body.unwrap_or_default(), &mut |expr| {
                is_only_that &= computes(expr);
            });
            is_only_that
        })
}

/// Whether the methods of a name that the file has only call functions without effects here.
fn only_looks(seen: &Seen<'_, '_>, name: &str, names: &[&str]) -> bool {
    let methods = seen.declared.functions(name);
    !methods.is_empty()
        && methods.iter().all(|method| {
            let mut matters = method.body.is_none();
            walk::expressions(method.body.as_deref().unwrap_or_default(), &mut |expr| {
                let calls_itself = Called::of(expr).is_some_and(|called| called.name == name);
                matters |= calls_itself || is_call_of(seen, expr, names);
            });
            !matters
        })
}

/// Whether assembly may do more than compute: fences order nothing between threads, but they are looked for by some.
fn may_matter(seen: &Seen<'_, '_>, assembly: &Expr, names: &[&str]) -> bool {
    if !seen.file.contains(assembly.span) {
        return true;
    }
    let template = ptx::template(seen.written(assembly.span));
    let fences_matter = names.iter().any(|name| name.contains("fence"));
    let is_harmless = |name: &str| ptx::computes(name) || (!fences_matter && ptx::is_fence(name));
    template.is_empty() || !ptx::names(&template).all(is_harmless)
}

fn is_call_of(seen: &Seen<'_, '_>, expr: &Expr, names: &[&str]) -> bool {
    if is_signal(seen, expr, names) {
        return false;
    }
    match &expr.kind {
        ExprKind::Opaque(_) | ExprKind::Macro(_) | ExprKind::Lambda(_) => true,
        ExprKind::Call(..) if walk::is_assembly(expr) => may_matter(seen, expr, names),
        ExprKind::Call(callee, _) => match &callee.kind {
            // A slice, unless it is a lambda.
            ExprKind::Name(_) if seen.variable(callee).is_some() => {
                let declared = seen.variable(callee);
                let value = declared.and_then(|declared| rings::value_of(seen, declared));
                if matches!(value, Some(Value::Tensor(_) | Value::Layout(_))) {
                    return false;
                }
                let init = declared.and_then(|declared| seen.initialiser(declared));
                init.is_none_or(|init| matches!(init.kind, ExprKind::Lambda(_)))
            }
            ExprKind::Name(path) if named::calls::class_of(path).is_some() => {
                orders_threads(names)
                    || path
                        .last()
                        .is_none_or(|last| names.contains(&last.name.name.as_str()))
            }
            ExprKind::Name(path) => path.last().is_none_or(|segment| {
                let name = segment.name.name.as_str();
                let is_known =
                    vocabulary::function(name).is_some() || vocabulary::is_type_name(name);
                names.contains(&name)
                    || !(is_known || is_harmless(name, names) || only_computes(seen, name, DEPTH))
            }),
            ExprKind::Member { member, .. } => {
                let name = member.name.name.as_str();
                let is_known = vocabulary::method(name).is_some();
                names.contains(&name)
                    || !(is_known || is_harmless(name, names) || only_looks(seen, name, names))
            }
            _ => true,
        },
        _ => false,
    }
}
