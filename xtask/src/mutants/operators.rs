//! The operators: how a right program becomes a wrong one, by the classes of bugs that cost days. Each works on one node of
//! the syntax tree; the words are those of CuTe, CUTLASS and CUDA.

use tree_sitter_cute::tree::{
    Assignment, BinaryOp, Binding, Expr, ExprKind, Item, ItemKind, Segment, Span, UnaryOp,
};

/// A node where an operator may work.
pub(super) enum Node<'t> {
    Expr(&'t Expr),
    Item(&'t Item),
}

/// A piece of the text, and its replacement.
pub(super) struct Change {
    pub(super) span: Span,
    pub(super) text: String,
}

/// A kind of bug.
pub(super) struct Operator {
    /// The class of the bug.
    pub(super) class: &'static str,
    /// The name of the change.
    pub(super) name: &'static str,
    /// The rules that report it.
    pub(super) rules: &'static [&'static str],
    /// The change of a node; nothing where it does not apply.
    pub(super) change: fn(&Node<'_>, &str) -> Option<Change>,
}

const fn operator(
    class: &'static str,
    name: &'static str,
    rules: &'static [&'static str],
    change: fn(&Node<'_>, &str) -> Option<Change>,
) -> Operator {
    Operator {
        class,
        name,
        rules,
        change,
    }
}

const EXTENT: &[&str] = &["smem-extent", "smem-exceeds-capacity", "over-run"];
const SHARING: &[&str] = &[
    "thread-count-mismatch",
    "launch-bounds",
    "over-run",
    "shared-race",
];
const STAGES: &[&str] = &[
    "stage-out-of-range",
    "stage-order",
    "over-run",
    "smem-extent",
];
const ORDER: &[&str] = &[
    "stage-order",
    "copy-group-wait",
    "async-copy-wait",
    "shared-race",
];
const GROUPS: &[&str] = &["copy-group-wait", "async-copy-wait"];
const OPERANDS: &[&str] = &[
    "swapped-operand",
    "gemm-shape",
    "mma-operand",
    "static-assert-fails",
    "copy-size",
];
const GRID: &[&str] = &[
    "grid-axis",
    "grid-overrun",
    "static-assert-fails",
    "gemm-shape",
];
const PHASES: &[&str] = &["barrier-phase"];
const ARRIVALS: &[&str] = &["arrival-count-mismatch", "barrier-never-arrived"];
const RACES: &[&str] = &[
    "shared-race",
    "proxy-fence",
    "barrier-not-visible",
    "tmem-lifetime",
];

/// All operators.
pub(super) const OPERATORS: &[Operator] = &[
    operator("1 extent", "half of a shared array", EXTENT, half_array),
    operator("1 extent", "half of an array engine", EXTENT, half_engine),
    operator(
        "1 extent",
        "half of the launched bytes",
        EXTENT,
        half_launch,
    ),
    operator("2 sharing", "half of the threads", SHARING, half_block),
    operator(
        "2 sharing",
        "a slice by the CTA",
        &["slice-by-cta"],
        slice_by_cta,
    ),
    operator(
        "2 sharing",
        "operands of gemm swapped",
        OPERANDS,
        swap_operands,
    ),
    operator(
        "2 sharing",
        "the other operand's partition",
        OPERANDS,
        other_operand,
    ),
    operator("3 stages", "an index one further", STAGES, next_stage),
    operator("3 stages", "the wrap one later", STAGES, late_wrap),
    operator("3 stages", "a state of one stage more", STAGES, more_stages),
    operator("3 stages", "a prefetch of one more", STAGES, more_prefetch),
    operator("3 stages", "a barrier one further", STAGES, next_barrier),
    operator("3 stages", "a rest by one more", STAGES, larger_rest),
    operator("3 stages", "begins one further", ORDER, later_start),
    operator(
        "4 grid",
        "coordinates of the CTA swapped",
        GRID,
        swap_coordinates,
    ),
    operator("4 grid", "axes of the grid swapped", GRID, swap_grid),
    operator("4 grid", "floor for ceil", GRID, floor_division),
    operator("4 grid", "the other step", GRID, other_step),
    operator("5 barriers", "one arrival more", ARRIVALS, more_arrivals),
    operator("5 barriers", "no arrival", ARRIVALS, no_arrival),
    operator(
        "5 barriers",
        "no wait",
        &[
            "barrier-never-waited",
            "async-copy-wait",
            "shared-race",
            "proxy-fence",
        ],
        no_barrier_wait,
    ),
    operator("5 barriers", "a phase that never flips", PHASES, no_flip),
    operator("5 barriers", "a constant phase", PHASES, constant_phase),
    operator(
        "5 barriers",
        "no barrier behind the initialisation",
        &["barrier-not-visible"],
        no_cluster_sync,
    ),
    operator(
        "5 barriers",
        "bytes of one tensor twice",
        &["tx-bytes-mismatch"],
        more_bytes,
    ),
    operator(
        "5 barriers",
        "accumulates from the start",
        &["accumulate-flag"],
        always_accumulates,
    ),
    operator(
        "5 barriers",
        "accumulates never",
        &["accumulate-flag"],
        never_accumulates,
    ),
    operator(
        "5 barriers",
        "columns that are not a power of two",
        &["tmem-exceeds-allocation", "tmem-columns"],
        odd_columns,
    ),
    operator(
        "5 barriers",
        "other columns are freed",
        &["tmem-columns"],
        other_columns_freed,
    ),
    operator(
        "6 order",
        "no fence of the proxies",
        &["proxy-fence"],
        no_proxy_fence,
    ),
    operator(
        "6 order",
        "no warpgroup_arrive",
        &["wgmma-arrive"],
        no_warpgroup_arrive,
    ),
    operator(
        "6 order",
        "no warpgroup_wait",
        &["wgmma-wait"],
        no_warpgroup_wait,
    ),
    operator(
        "6 order",
        "no tma_store_wait",
        &["tma-store-wait"],
        no_store_wait,
    ),
    operator("6 order", "a wait for one group less", GROUPS, weaker_wait),
    operator("6 order", "no wait for copies", GROUPS, no_copy_wait),
    operator("6 order", "no group of copies", GROUPS, no_commit),
    operator("7 races", "no __syncthreads", RACES, no_syncthreads),
    operator(
        "8 alignment",
        "a swizzled tile 16 bytes later",
        &["smem-alignment", "smem-extent"],
        later_tile,
    ),
    operator(
        "9 offsets",
        "32 bits for 64",
        &["offset-overflow"],
        narrow_type,
    ),
    operator(
        "9 offsets",
        "a cast to 64 bits less",
        &["offset-overflow"],
        narrow_cast,
    ),
    operator(
        "10 strides",
        "strides swapped",
        &["tma-major", "grid-overrun", "stride-overlap"],
        swap_strides,
    ),
    operator(
        "11 tensor memory",
        "no wait for loads or stores",
        &["tmem-wait"],
        no_tensor_memory_wait,
    ),
    operator(
        "11 tensor memory",
        "columns are never freed",
        &["tmem-lifetime"],
        never_freed,
    ),
    operator(
        "11 tensor memory",
        "the permit given up before the allocation",
        &["tmem-lifetime"],
        early_permit,
    ),
    operator(
        "11 tensor memory",
        "the slice of the next warp",
        &["tmem-lanes"],
        next_warp,
    ),
    operator(
        "11 tensor memory",
        "no arrival of products",
        &["barrier-never-arrived", "arrival-count-mismatch"],
        no_product_arrival,
    ),
    operator(
        "12 collectives",
        "columns by one thread",
        &["divergent-collective"],
        columns_by_one_thread,
    ),
    operator(
        "12 collectives",
        "one thread for all",
        &["divergent-collective", "thread-count-mismatch"],
        one_thread,
    ),
    operator(
        "12 collectives",
        "a barrier of one warp",
        &["divergent-collective"],
        barrier_of_a_warp,
    ),
    operator(
        "13 end of life",
        "no barrier of the cluster",
        &["cluster-exit", "tmem-lifetime", "barrier-not-visible"],
        no_barrier_of_cluster,
    ),
    operator(
        "13 end of life",
        "no wait for the grid before",
        &["grid-dependency"],
        no_grid_wait,
    ),
];

/// The text of a node.
fn text(span: Span, source: &str) -> &str {
    span.text(source)
}

/// A change of an expression to `before`, itself in parentheses and `after`.
fn wrapped(expr: &Expr, source: &str, before: &str, after: &str) -> Change {
    Change {
        span: expr.span,
        text: format!("{before}({}){after}", text(expr.span, source)),
    }
}

/// The text with only its line breaks left: the text behind keeps its line.
fn removed(item: &Item, source: &str) -> Change {
    let breaks: String = text(item.span, source)
        .chars()
        .filter(|c| *c == '\n')
        .collect();
    Change {
        span: item.span,
        text: format!(";{breaks}"),
    }
}

/// A call of a function or method of this name, with its last segment.
fn call<'t>(node: &Node<'t>, names: &[&str]) -> Option<(&'t Segment, &'t Expr, &'t [Expr])> {
    let Node::Expr(expr) = node else { return None };
    of_call(expr, names)
}

fn of_call<'t>(expr: &'t Expr, names: &[&str]) -> Option<(&'t Segment, &'t Expr, &'t [Expr])> {
    let ExprKind::Call(callee, args) = &expr.kind else {
        return None;
    };
    let segment = match &callee.kind {
        ExprKind::Name(path) => path.last()?,
        ExprKind::Member { member, .. } => member,
        _ => return None,
    };
    names
        .contains(&segment.name.name.as_str())
        .then_some((segment, expr, args.as_slice()))
}

/// A statement that calls one of these functions is removed.
fn without(node: &Node<'_>, source: &str, names: &[&str]) -> Option<Change> {
    let Node::Item(item) = node else { return None };
    let ItemKind::Expr(expr) = &item.kind else {
        return None;
    };
    of_call(expr, names)?;
    Some(removed(item, source))
}

fn binding<'t>(node: &Node<'t>) -> Option<&'t Binding> {
    match node {
        Node::Item(item) => match &item.kind {
            ItemKind::Binding(binding) => Some(binding),
            _ => None,
        },
        Node::Expr(_) => None,
    }
}

/// The last segment of a name, with its template arguments.
fn named<'t>(expr: &'t Expr, names: &[&str]) -> Option<&'t [Expr]> {
    let segment = expr.as_path()?.last()?;
    let is_one = names.contains(&segment.name.name.as_str());
    is_one.then_some(segment.args.as_deref()).flatten()
}

fn swapped(one: &Expr, other: &Expr, source: &str) -> Option<Change> {
    let between = source.get(one.span.end..other.span.start)?;
    let (one_text, other_text) = (text(one.span, source), text(other.span, source));
    (one_text != other_text).then(|| Change {
        span: one.span.to(other.span),
        text: format!("{other_text}{between}{one_text}"),
    })
}

/// `blockIdx.x`.
fn special(expr: &Expr, variable: &str) -> bool {
    match &expr.kind {
        ExprKind::Member { object, .. } => object.as_plain_name() == Some(variable),
        _ => false,
    }
}

fn half_array(node: &Node<'_>, source: &str) -> Option<Change> {
    let binding = binding(node)?;
    let ExprKind::Array(_, Some(count)) = &binding.ty.as_ref()?.kind else {
        return None;
    };
    binding
        .specifiers
        .shared
        .then(|| wrapped(count, source, "", " / 2"))
}

fn half_engine(node: &Node<'_>, source: &str) -> Option<Change> {
    let binding = binding(node)?;
    let args = named(binding.ty.as_ref()?, &["ArrayEngine", "array_aligned"])?;
    Some(wrapped(args.get(1)?, source, "", " / 2"))
}

fn half_launch(node: &Node<'_>, source: &str) -> Option<Change> {
    match node {
        Node::Expr(expr) => match &expr.kind {
            ExprKind::Launch { config, .. } => {
                let bytes = config.get(2)?;
                (!matches!(bytes.kind, ExprKind::Int(0)))
                    .then(|| wrapped(bytes, source, "", " / 2"))
            }
            _ => None,
        },
        Node::Item(_) => {
            let binding = binding(node)?;
            named_type(binding, "ClusterLaunchParams")?;
            let Some(ExprKind::Braced(parts) | ExprKind::Construct { args: parts, .. }) =
                binding.init.as_ref().map(|init| &init.kind)
            else {
                return None;
            };
            Some(wrapped(parts.get(3)?, source, "", " / 2"))
        }
    }
}

fn named_type(binding: &Binding, name: &str) -> Option<()> {
    let segment = binding.ty.as_ref()?.as_path()?.last()?;
    (segment.name.name == name).then_some(())
}

/// The arguments of a variable of type `dim3` whose name contains one of these.
fn dim3_args<'t>(binding: &'t Binding, names: &[&str]) -> Option<&'t [Expr]> {
    let name = binding.name.as_ref()?.name.to_lowercase();
    if !names.iter().any(|part| name.contains(part)) {
        return None;
    }
    named_type(binding, "dim3")?;
    match &binding.init.as_ref()?.kind {
        ExprKind::Construct { args, .. } | ExprKind::Call(_, args) | ExprKind::Braced(args) => {
            Some(args)
        }
        _ => None,
    }
}

fn half_block(node: &Node<'_>, source: &str) -> Option<Change> {
    let args = dim3_args(binding(node)?, &["block", "thread"])?;
    Some(wrapped(args.first()?, source, "", " / 2"))
}

fn slice_by_cta(node: &Node<'_>, _source: &str) -> Option<Change> {
    let words = ["get_slice", "get_thread_slice", "local_partition"];
    let (_, _, args) = call(node, &words)?;
    let index = args.iter().find(|arg| special(arg, "threadIdx"))?;
    Some(Change {
        span: index.span,
        text: "blockIdx.x".to_owned(),
    })
}

fn swap_operands(node: &Node<'_>, source: &str) -> Option<Change> {
    let (_, _, args) = call(node, &["gemm"])?;
    match args {
        [_, a, b, _] => swapped(a, b, source),
        _ => None,
    }
}

fn other_operand(node: &Node<'_>, _source: &str) -> Option<Change> {
    let (segment, _, _) = call(
        node,
        &["partition_A", "make_fragment_A", "partition_fragment_A"],
    )?;
    let stem = segment.name.name.strip_suffix('A')?;
    Some(Change {
        span: segment.name.span,
        text: format!("{stem}B"),
    })
}

/// The index of a slice `tensor(_, _, stage)` that is a variable.
fn next_stage(node: &Node<'_>, source: &str) -> Option<Change> {
    let Node::Expr(expr) = node else { return None };
    let ExprKind::Call(callee, args) = &expr.kind else {
        return None;
    };
    callee.as_plain_name()?;
    let (last, rest) = args.split_last()?;
    let is_slice = !rest.is_empty() && rest.iter().all(|arg| arg.as_plain_name() == Some("_"));
    let name = last.as_plain_name()?;
    (is_slice && (name.contains("pipe") || name.contains("stage")))
        .then(|| wrapped(last, source, "", " + 1"))
}

fn late_wrap(node: &Node<'_>, source: &str) -> Option<Change> {
    let Node::Expr(expr) = node else { return None };
    let ExprKind::Ternary(condition, zero, _) = &expr.kind else {
        return None;
    };
    let ExprKind::Binary(BinaryOp::Eq, _, last) = &condition.kind else {
        return None;
    };
    matches!(zero.kind, ExprKind::Int(0)).then(|| wrapped(last, source, "", " + 1"))
}

fn more_stages(node: &Node<'_>, source: &str) -> Option<Change> {
    let Node::Expr(expr) = node else { return None };
    let args = named(expr, &["PipelineState"])?;
    Some(wrapped(args.first()?, source, "(", " + 1)"))
}

/// `for (int k = 0; k < MAX - 1; ++k)` goes once more.
fn more_prefetch(node: &Node<'_>, source: &str) -> Option<Change> {
    let Node::Item(item) = node else { return None };
    let ItemKind::Loop(repeat) = &item.kind else {
        return None;
    };
    let ExprKind::Binary(BinaryOp::Lt, index, bound) = &repeat.condition.as_ref()?.kind else {
        return None;
    };
    let name = index.as_plain_name()?;
    (name.contains("pipe") || name.contains("stage")).then(|| wrapped(bound, source, "", " + 1"))
}

/// `(i + 1) % N` goes to N.
fn larger_rest(node: &Node<'_>, source: &str) -> Option<Change> {
    let Node::Expr(expr) = node else { return None };
    let ExprKind::Binary(BinaryOp::Rem, counted, number) = &expr.kind else {
        return None;
    };
    let counted = text(counted.span, source);
    let is_stage = ["stage", "pipe", "read", "write"]
        .iter()
        .any(|word| counted.contains(word));
    (is_stage && !counted.contains("thread")).then(|| wrapped(number, source, "(", " + 1)"))
}

/// `int stage = 0` begins with 1.
fn later_start(node: &Node<'_>, _source: &str) -> Option<Change> {
    let binding = binding(node)?;
    let name = binding.name.as_ref()?.name.as_str();
    let init = binding.init.as_ref()?;
    let is_stage = (name.contains("pipe") || name.contains("stage")) && name.contains("read");
    matches!(init.kind, ExprKind::Int(0))
        .then(|| Change {
            span: init.span,
            text: "1".to_owned(),
        })
        .filter(|_| is_stage)
}

/// `Step<_1, X, _1>` for `Step<X, _1, _1>` of a tile.
fn other_step(node: &Node<'_>, _source: &str) -> Option<Change> {
    let (_, _, args) = call(node, &["local_tile"])?;
    let step = args.get(3)?;
    let path = match &step.kind {
        ExprKind::Construct { ty, .. } => ty.as_path()?,
        _ => return None,
    };
    let marks = path.last()?.args.as_deref()?;
    let [first, second, third] = marks else {
        return None;
    };
    let is_of_both = first.to_string() == second.to_string();
    (!is_of_both).then(|| Change {
        span: step.span,
        text: format!("Step<{second}, {first}, {third}>{{}}"),
    })
}

fn odd_columns(node: &Node<'_>, source: &str) -> Option<Change> {
    let (_, _, args) = call(node, &["allocate"])?;
    match args {
        [columns, _] => Some(wrapped(columns, source, "", " - 32")),
        _ => None,
    }
}

fn other_columns_freed(node: &Node<'_>, source: &str) -> Option<Change> {
    let (_, _, args) = call(node, &["free"])?;
    match args {
        [_, columns] => Some(wrapped(columns, source, "", " / 2")),
        _ => None,
    }
}

fn next_barrier(node: &Node<'_>, source: &str) -> Option<Change> {
    let Node::Expr(expr) = node else { return None };
    let ExprKind::Unary(UnaryOp::AddressOf, element) = &expr.kind else {
        return None;
    };
    let ExprKind::Index(array, indices) = &element.kind else {
        return None;
    };
    let is_barrier = text(array.span, source).contains("bar");
    let index = indices.first().filter(|_| is_barrier)?;
    Some(wrapped(index, source, "", " + 1"))
}

fn swap_coordinates(node: &Node<'_>, source: &str) -> Option<Change> {
    let (_, _, args) = call(node, &["make_coord"])?;
    match args {
        [x, y, ..] if special(x, "blockIdx") && special(y, "blockIdx") => swapped(x, y, source),
        _ => None,
    }
}

fn swap_grid(node: &Node<'_>, source: &str) -> Option<Change> {
    match dim3_args(binding(node)?, &["grid"])? {
        [x, y, ..] => swapped(x, y, source),
        _ => None,
    }
}

fn floor_division(node: &Node<'_>, source: &str) -> Option<Change> {
    let args = dim3_args(binding(node)?, &["grid"])?;
    let (span, size, tile) = args.iter().find_map(|arg| {
        let mut arg = arg;
        if let Some((_, _, [inner])) = of_call(arg, &["size", "int"]) {
            arg = inner;
        }
        match of_call(arg, &["ceil_div"])? {
            (_, call, [size, tile]) => Some((call.span, size, tile)),
            _ => None,
        }
    })?;
    Some(Change {
        span,
        text: format!(
            "({}) / ({})",
            text(size.span, source),
            text(tile.span, source)
        ),
    })
}

fn more_arrivals(node: &Node<'_>, source: &str) -> Option<Change> {
    let (_, _, args) = call(node, &["initialize_barrier", "init"])?;
    let count = args.last().filter(|_| args.len() == 2)?;
    Some(wrapped(count, source, "", " + 1"))
}

fn no_arrival(node: &Node<'_>, source: &str) -> Option<Change> {
    without(
        node,
        source,
        &[
            "arrive_barrier",
            "arrive",
            "umma_arrive",
            "umma_arrive_multicast",
            "umma_arrive_2x1SM",
            "umma_arrive_multicast_2x1SM",
        ],
    )
}

fn no_barrier_wait(node: &Node<'_>, source: &str) -> Option<Change> {
    without(node, source, &["wait_barrier", "wait"])
}

fn no_flip(node: &Node<'_>, source: &str) -> Option<Change> {
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

fn constant_phase(node: &Node<'_>, _source: &str) -> Option<Change> {
    let (_, _, args) = call(node, &["wait_barrier", "wait"])?;
    let phase = args.get(1).filter(|_| args.len() == 2)?;
    (!matches!(phase.kind, ExprKind::Int(_))).then(|| Change {
        span: phase.span,
        text: "0".to_owned(),
    })
}

fn no_cluster_sync(node: &Node<'_>, source: &str) -> Option<Change> {
    without(node, source, &["cluster_sync"])
}

fn more_bytes(node: &Node<'_>, source: &str) -> Option<Change> {
    let words = ["set_barrier_transaction_bytes", "arrive_and_expect_tx"];
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

fn always_accumulates(node: &Node<'_>, _source: &str) -> Option<Change> {
    let (_, value) = accumulate(node)?;
    (value.name.name == "Zero").then(|| Change {
        span: value.name.span,
        text: "One".to_owned(),
    })
}

fn never_accumulates(node: &Node<'_>, source: &str) -> Option<Change> {
    let (item, value) = accumulate(node)?;
    (value.name.name == "One").then(|| removed(item, source))
}

fn no_proxy_fence(node: &Node<'_>, source: &str) -> Option<Change> {
    without(
        node,
        source,
        &[
            "tma_store_fence",
            "fence_view_async_shared",
            "fence_proxy_async",
            "fence_proxy",
        ],
    )
}

fn no_warpgroup_arrive(node: &Node<'_>, source: &str) -> Option<Change> {
    without(node, source, &["warpgroup_arrive"])
}

fn no_warpgroup_wait(node: &Node<'_>, source: &str) -> Option<Change> {
    without(node, source, &["warpgroup_wait"])
}

fn no_store_wait(node: &Node<'_>, source: &str) -> Option<Change> {
    without(node, source, &["tma_store_wait"])
}

fn weaker_wait(node: &Node<'_>, source: &str) -> Option<Change> {
    let (segment, _, _) = call(node, &["cp_async_wait"])?;
    let open = segment.args.as_ref()?.first()?;
    Some(wrapped(open, source, "(", " + 1)"))
}

fn no_copy_wait(node: &Node<'_>, source: &str) -> Option<Change> {
    without(node, source, &["cp_async_wait"])
}

fn no_commit(node: &Node<'_>, source: &str) -> Option<Change> {
    without(node, source, &["cp_async_fence"])
}

fn no_syncthreads(node: &Node<'_>, source: &str) -> Option<Change> {
    without(node, source, &["__syncthreads"])
}

/// A tile that the tensor core reads by a swizzled layout.
fn later_tile(node: &Node<'_>, source: &str) -> Option<Change> {
    let (_, _, args) = call(node, &["make_smem_ptr"])?;
    let [pointer] = args else { return None };
    let is_swizzled = ["_SW128_Atom", "_SW64_Atom", "_SW32_Atom"]
        .iter()
        .any(|atom| source.contains(atom));
    is_swizzled.then(|| wrapped(pointer, source, "", " + 8"))
}

fn swap_strides(node: &Node<'_>, source: &str) -> Option<Change> {
    let (_, _, args) = call(node, &["make_stride"])?;
    match args {
        [one, other] => swapped(one, other, source),
        _ => None,
    }
}

fn barrier_of_a_warp(node: &Node<'_>, source: &str) -> Option<Change> {
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

fn one_thread(node: &Node<'_>, source: &str) -> Option<Change> {
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

/// A factor, offset or stride that is declared with 64 bits.
fn narrow_type(node: &Node<'_>, _source: &str) -> Option<Change> {
    let binding = binding(node)?;
    let ty = binding.ty.as_ref()?;
    binding.init.as_ref()?;
    // A `size_t` counts bytes on the host.
    let is_wide = ty.as_path()?.last()?.name.name == "int64_t";
    is_wide.then(|| Change {
        span: ty.span,
        text: "int".to_owned(),
    })
}

/// `static_cast<int64_t>(x)` and `int64_t(x)`.
fn narrow_cast(node: &Node<'_>, source: &str) -> Option<Change> {
    let Node::Expr(expr) = node else { return None };
    let (ty, inner) = match &expr.kind {
        ExprKind::Cast(_, ty, inner) => (ty, &**inner),
        ExprKind::Construct { ty, args, .. } => (ty, args.first()?),
        _ => return None,
    };
    let is_wide = matches!(
        ty.as_path()?.last()?.name.name.as_str(),
        "int64_t" | "size_t" | "ptrdiff_t"
    );
    is_wide.then(|| Change {
        span: expr.span,
        text: format!("({})", text(inner.span, source)),
    })
}

fn no_tensor_memory_wait(node: &Node<'_>, source: &str) -> Option<Change> {
    without(
        node,
        source,
        &["fence_view_async_tmem_load", "fence_view_async_tmem_store"],
    )
}

fn never_freed(node: &Node<'_>, source: &str) -> Option<Change> {
    let Node::Item(item) = node else { return None };
    let ItemKind::Expr(expr) = &item.kind else {
        return None;
    };
    let (_, _, args) = of_call(expr, &["free"])?;
    (args.len() == 2).then(|| removed(item, source))
}

fn early_permit(node: &Node<'_>, source: &str) -> Option<Change> {
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
fn next_warp(node: &Node<'_>, source: &str) -> Option<Change> {
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

fn no_product_arrival(node: &Node<'_>, source: &str) -> Option<Change> {
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

fn columns_by_one_thread(node: &Node<'_>, source: &str) -> Option<Change> {
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

fn no_barrier_of_cluster(node: &Node<'_>, source: &str) -> Option<Change> {
    without(node, source, &["sync", "cluster_sync", "producer_tail"])
}

fn no_grid_wait(node: &Node<'_>, source: &str) -> Option<Change> {
    without(
        node,
        source,
        &["cudaGridDependencySynchronize", "wait_on_dependent_grids"],
    )
}
