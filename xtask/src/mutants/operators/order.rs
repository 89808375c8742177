//! The order of threads and the hardware: arrivals, waits, fences, flags.

use tree_sitter_cute::tree::{Assignment, BinaryOp, Expr, ExprKind, Item, ItemKind, Segment};

use super::words::{call, of_call, removed, text, without, wrapped};
use super::{Change, Node};

pub(super) fn more_arrivals(node: &Node<'_>, source: &str) -> Option<Change> {
    let (_, _, args) = call(node, &["initialize_barrier", "init", "mbarrier_init"])?;
    let count = args.last().filter(|_| args.len() == 2)?;
    Some(wrapped(count, source, "", " + 1"))
}

pub(super) fn no_arrival(node: &Node<'_>, source: &str) -> Option<Change> {
    without(
        node,
        source,
        &[
            "arrive_barrier",
            "arrive",
            "mbarrier_arrive",
            "consumer_release",
            "producer_commit",
            "umma_arrive",
            "umma_arrive_multicast",
            "umma_arrive_2x1SM",
            "umma_arrive_multicast_2x1SM",
        ],
    )
}

pub(super) fn no_barrier_wait(node: &Node<'_>, source: &str) -> Option<Change> {
    without(
        node,
        source,
        &[
            "wait_barrier",
            "wait",
            "wait_parity",
            "mbarrier_wait",
            "consumer_wait",
            "producer_acquire",
        ],
    )
}

pub(super) fn no_flip(node: &Node<'_>, source: &str) -> Option<Change> {
    let Node::Item(item) = node else { return None };
    let ItemKind::Expr(expr) = &item.kind else {
        return None;
    };
    let ExprKind::Assign(assignment) = &expr.kind else {
        return None;
    };
    let Assignment { op, value, .. } = assignment.as_ref();
    let flips = *op == Some(BinaryOp::BitXor) && matches!(value.kind, ExprKind::Int(1));
    flips.then(|| removed(item, source))
}

pub(super) fn constant_phase(node: &Node<'_>, _source: &str) -> Option<Change> {
    let words = ["wait_barrier", "wait", "wait_parity", "mbarrier_wait"];
    let (segment, _, args) = call(node, &words)?;
    let arguments = if segment.name.name == "wait_parity" {
        1
    } else {
        2
    };
    let phase = args.last().filter(|_| args.len() == arguments)?;
    (!matches!(phase.kind, ExprKind::Int(_))).then(|| Change {
        span: phase.span,
        text: "0".to_owned(),
    })
}

pub(super) fn no_cluster_sync(node: &Node<'_>, source: &str) -> Option<Change> {
    without(node, source, &["cluster_sync"])
}

pub(super) fn more_bytes(node: &Node<'_>, source: &str) -> Option<Change> {
    let words = [
        "set_barrier_transaction_bytes",
        "arrive_and_expect_tx",
        "barrier_arrive_tx",
        "mbarrier_arrive_expect_tx",
        "mbarrier_expect_tx",
    ];
    let (_, _, args) = call(node, &words)?;
    Some(wrapped(args.last()?, source, "", " * 2"))
}

/// `mma.accumulate_ = ScaleOut::..`, with the name of the value.
fn accumulate<'t>(node: &Node<'t>) -> Option<(&'t Item, &'t Segment)> {
    let Node::Item(item) = node else { return None };
    let ItemKind::Expr(Expr {
        kind: ExprKind::Assign(assignment),
        ..
    }) = &item.kind
    else {
        return None;
    };
    let ExprKind::Member { member, .. } = &assignment.target.kind else {
        return None;
    };
    let value = assignment.value.as_path()?.last()?;
    (member.name.name == "accumulate_").then_some((*item, value))
}

pub(super) fn always_accumulates(node: &Node<'_>, _source: &str) -> Option<Change> {
    let (_, value) = accumulate(node)?;
    (value.name.name == "Zero").then(|| Change {
        span: value.name.span,
        text: "One".to_owned(),
    })
}

pub(super) fn never_accumulates(node: &Node<'_>, source: &str) -> Option<Change> {
    let (item, value) = accumulate(node)?;
    (value.name.name == "One").then(|| removed(item, source))
}

pub(super) fn no_proxy_fence(node: &Node<'_>, source: &str) -> Option<Change> {
    without(
        node,
        source,
        &[
            "tma_store_fence",
            "fence_view_async_shared",
            "fence_proxy_async",
            "fence_proxy_async_shared_cta",
            "fence_proxy",
        ],
    )
}

pub(super) fn no_warpgroup_arrive(node: &Node<'_>, source: &str) -> Option<Change> {
    without(node, source, &["warpgroup_arrive"])
}

pub(super) fn no_warpgroup_wait(node: &Node<'_>, source: &str) -> Option<Change> {
    without(node, source, &["warpgroup_wait"])
}

pub(super) fn no_store_wait(node: &Node<'_>, source: &str) -> Option<Change> {
    without(
        node,
        source,
        &[
            "tma_store_wait",
            "cp_async_bulk_wait_group",
            "cp_async_bulk_wait_group_read",
        ],
    )
}

pub(super) fn weaker_wait(node: &Node<'_>, source: &str) -> Option<Change> {
    let (segment, _, _) = call(node, &["cp_async_wait"])?;
    let open = segment.args.as_ref()?.first()?;
    Some(wrapped(open, source, "(", " + 1)"))
}

pub(super) fn no_copy_wait(node: &Node<'_>, source: &str) -> Option<Change> {
    without(node, source, &["cp_async_wait", "__pipeline_wait_prior"])
}

pub(super) fn no_commit(node: &Node<'_>, source: &str) -> Option<Change> {
    without(node, source, &["cp_async_fence", "__pipeline_commit"])
}

pub(super) fn no_syncthreads(node: &Node<'_>, source: &str) -> Option<Change> {
    without(node, source, &["__syncthreads"])
}

pub(super) fn barrier_of_a_warp(node: &Node<'_>, source: &str) -> Option<Change> {
    let Node::Item(item) = node else { return None };
    let ItemKind::Expr(expr) = &item.kind else {
        return None;
    };
    of_call(expr, &["__syncthreads"])?;
    Some(Change {
        span: item.span,
        text: format!("if (threadIdx.x < 32) {{ {} }}", text(item.span, source)),
    })
}

/// `gemm(mma, a, b, c, d)`.
const OPERANDS_OF_GEMM: usize = 5;

pub(super) fn one_thread(node: &Node<'_>, source: &str) -> Option<Change> {
    let Node::Item(item) = node else { return None };
    let ItemKind::Expr(expr) = &item.kind else {
        return None;
    };
    let (_, _, args) = of_call(expr, &["gemm"])?;
    // The host's function of that name has more, and one thread issues `tcgen05.mma`.
    let is_right = source.contains("SM100_MMA") || source.contains("tcgen05");
    (args.len() <= OPERANDS_OF_GEMM && !is_right).then(|| Change {
        span: item.span,
        text: format!("if (threadIdx.x == 0) {{ {} }}", text(item.span, source)),
    })
}

pub(super) fn no_tensor_memory_wait(node: &Node<'_>, source: &str) -> Option<Change> {
    without(
        node,
        source,
        &["fence_view_async_tmem_load", "fence_view_async_tmem_store"],
    )
}

pub(super) fn never_freed(node: &Node<'_>, source: &str) -> Option<Change> {
    let Node::Item(item) = node else { return None };
    let ItemKind::Expr(expr) = &item.kind else {
        return None;
    };
    let (_, _, args) = of_call(expr, &["free"])?;
    (args.len() == 2).then(|| removed(item, source))
}

pub(super) fn early_permit(node: &Node<'_>, source: &str) -> Option<Change> {
    let (_, call, args) = call(node, &["allocate"])?;
    let ExprKind::Call(callee, _) = &call.kind else {
        return None;
    };
    let ExprKind::Member { object, .. } = &callee.kind else {
        return None;
    };
    let allocator = text(object.span, source);
    (args.len() == 2).then(|| Change {
        span: call.span,
        text: format!(
            "{allocator}.release_allocation_lock(); {}",
            text(call.span, source)
        ),
    })
}

/// The slice of a copy between tensor memory and registers.
pub(super) fn next_warp(node: &Node<'_>, source: &str) -> Option<Change> {
    let (_, call, args) = call(node, &["get_slice"])?;
    let ExprKind::Call(callee, _) = &call.kind else {
        return None;
    };
    let ExprKind::Member { object, .. } = &callee.kind else {
        return None;
    };
    let name = object.as_plain_name()?;
    let is_of_tensor_memory = source.contains(&format!("{name} = make_tmem_copy"));
    let [index] = args else { return None };
    let index_text = text(index.span, source);
    (is_of_tensor_memory && index_text.contains("threadIdx.x")).then(|| Change {
        span: index.span,
        text: format!("({index_text} + 32) % 128"),
    })
}

pub(super) fn no_product_arrival(node: &Node<'_>, source: &str) -> Option<Change> {
    without(
        node,
        source,
        &[
            "umma_arrive",
            "umma_arrive_2x1SM",
            "umma_arrive_multicast",
            "umma_arrive_multicast_2x1SM",
        ],
    )
}

pub(super) fn columns_by_one_thread(node: &Node<'_>, source: &str) -> Option<Change> {
    let Node::Item(item) = node else { return None };
    let ItemKind::Expr(expr) = &item.kind else {
        return None;
    };
    let (_, _, args) = of_call(expr, &["allocate", "free"])?;
    (args.len() == 2).then(|| Change {
        span: item.span,
        text: format!("if (threadIdx.x == 0) {{ {} }}", text(item.span, source)),
    })
}

pub(super) fn no_barrier_of_cluster(node: &Node<'_>, source: &str) -> Option<Change> {
    without(node, source, &["sync", "cluster_sync", "producer_tail"])
}

pub(super) fn no_grid_wait(node: &Node<'_>, source: &str) -> Option<Change> {
    without(
        node,
        source,
        &["cudaGridDependencySynchronize", "wait_on_dependent_grids"],
    )
}
