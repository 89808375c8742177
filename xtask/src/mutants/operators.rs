//! The operators: how a right program becomes a wrong one, by the classes of bugs that cost days. Each works on one node of
//! the syntax tree; the words are those of CuTe, CUTLASS and CUDA.

mod grid;
mod memory;
mod order;
mod stages;
mod words;

use tree_sitter_cute::tree::{Expr, Item, Span};

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
    "never-written",
    "arrival-count-mismatch",
    "barrier-order",
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
    "too-few-values",
];
const GRID: &[&str] = &[
    "grid-axis",
    "grid-overrun",
    "static-assert-fails",
    "gemm-shape",
];
const TAILS: &[&str] = &["grid-overrun", "ragged-store", "over-run"];
const PHASES: &[&str] = &["barrier-phase", "barrier-order"];
const ARRIVALS: &[&str] = &[
    "arrival-count-mismatch",
    "barrier-never-arrived",
    "barrier-order",
];
const RACES: &[&str] = &[
    "shared-race",
    "barrier-order",
    "proxy-fence",
    "barrier-not-visible",
    "tmem-lifetime",
];

/// All operators.
pub(super) const OPERATORS: &[Operator] = &[
    operator(
        "1 extent",
        "half of a shared array",
        EXTENT,
        memory::half_array,
    ),
    operator(
        "1 extent",
        "half of an array engine",
        EXTENT,
        memory::half_engine,
    ),
    operator(
        "1 extent",
        "half of the launched bytes",
        EXTENT,
        memory::half_launch,
    ),
    operator(
        "1 extent",
        "half of a member array",
        EXTENT,
        memory::half_member,
    ),
    operator(
        "1 extent",
        "a row less of a shared array",
        EXTENT,
        memory::shorter_array,
    ),
    operator(
        "1 extent",
        "elements for bytes",
        EXTENT,
        memory::elements_for_bytes,
    ),
    operator(
        "2 sharing",
        "half of the threads",
        SHARING,
        memory::half_block,
    ),
    operator(
        "2 sharing",
        "half of the threads of a launch",
        SHARING,
        memory::half_launched_threads,
    ),
    operator(
        "2 sharing",
        "a slice by the CTA",
        &["slice-by-cta"],
        memory::slice_by_cta,
    ),
    operator(
        "2 sharing",
        "operands of gemm swapped",
        OPERANDS,
        memory::swap_operands,
    ),
    operator(
        "2 sharing",
        "the other operand's partition",
        OPERANDS,
        memory::other_operand,
    ),
    operator(
        "3 stages",
        "an index one further",
        STAGES,
        stages::next_stage,
    ),
    operator("3 stages", "the wrap one later", STAGES, stages::late_wrap),
    operator(
        "3 stages",
        "a state of one stage more",
        STAGES,
        stages::more_stages,
    ),
    operator(
        "3 stages",
        "a prefetch of one more",
        STAGES,
        stages::more_prefetch,
    ),
    operator(
        "3 stages",
        "a barrier one further",
        STAGES,
        stages::next_barrier,
    ),
    operator(
        "3 stages",
        "a rest by one more",
        STAGES,
        stages::larger_rest,
    ),
    operator("3 stages", "begins one further", ORDER, stages::later_start),
    operator(
        "4 grid",
        "coordinates of the CTA swapped",
        GRID,
        grid::swap_coordinates,
    ),
    operator("4 grid", "axes of the grid swapped", GRID, grid::swap_grid),
    operator("4 grid", "floor for ceil", GRID, grid::floor_division),
    operator("4 grid", "the other step", GRID, grid::other_step),
    operator(
        "4 grid",
        "no predicate for the last tile",
        TAILS,
        grid::no_predicate,
    ),
    operator(
        "5 barriers",
        "one arrival more",
        ARRIVALS,
        order::more_arrivals,
    ),
    operator("5 barriers", "no arrival", ARRIVALS, order::no_arrival),
    operator(
        "5 barriers",
        "no wait",
        &[
            "barrier-never-waited",
            "async-copy-wait",
            "shared-race",
            "proxy-fence",
            "barrier-order",
        ],
        order::no_barrier_wait,
    ),
    operator(
        "5 barriers",
        "a phase that never flips",
        PHASES,
        order::no_flip,
    ),
    operator(
        "5 barriers",
        "a constant phase",
        PHASES,
        order::constant_phase,
    ),
    operator(
        "5 barriers",
        "no barrier behind the initialisation",
        &[
            "barrier-not-visible",
            "shared-race",
            "cluster-exit",
            "tmem-lifetime",
        ],
        order::no_cluster_sync,
    ),
    operator(
        "5 barriers",
        "bytes of one tensor twice",
        &["tx-bytes-mismatch", "barrier-order"],
        order::more_bytes,
    ),
    operator(
        "5 barriers",
        "accumulates from the start",
        &["accumulate-flag"],
        order::always_accumulates,
    ),
    operator(
        "5 barriers",
        "accumulates never",
        &["accumulate-flag"],
        order::never_accumulates,
    ),
    operator(
        "5 barriers",
        "columns that are not a power of two",
        &["tmem-exceeds-allocation", "tmem-columns"],
        stages::odd_columns,
    ),
    operator(
        "5 barriers",
        "other columns are freed",
        &["tmem-columns"],
        stages::other_columns_freed,
    ),
    operator(
        "6 order",
        "no fence of the proxies",
        &["proxy-fence"],
        order::no_proxy_fence,
    ),
    operator(
        "6 order",
        "no warpgroup_arrive",
        &["wgmma-arrive"],
        order::no_warpgroup_arrive,
    ),
    operator(
        "6 order",
        "no warpgroup_wait",
        &["wgmma-wait"],
        order::no_warpgroup_wait,
    ),
    operator(
        "6 order",
        "no tma_store_wait",
        &["tma-store-wait"],
        order::no_store_wait,
    ),
    operator(
        "6 order",
        "a wait for one group less",
        GROUPS,
        order::weaker_wait,
    ),
    operator("6 order", "no wait for copies", GROUPS, order::no_copy_wait),
    operator("6 order", "no group of copies", GROUPS, order::no_commit),
    operator("7 races", "no __syncthreads", RACES, order::no_syncthreads),
    operator(
        "8 alignment",
        "a swizzled tile 16 bytes later",
        &["smem-alignment", "smem-extent"],
        memory::later_tile,
    ),
    operator(
        "8 alignment",
        "16 bytes before a tile",
        &["smem-alignment"],
        memory::bytes_in_front,
    ),
    operator(
        "8 alignment",
        "rows of a vector access longer by one",
        &["smem-alignment"],
        memory::longer_rows,
    ),
    operator(
        "9 offsets",
        "32 bits for 64",
        &["offset-overflow"],
        memory::narrow_type,
    ),
    operator(
        "9 offsets",
        "a cast to 64 bits less",
        &["offset-overflow"],
        memory::narrow_cast,
    ),
    operator(
        "10 strides",
        "strides swapped",
        &[
            "tma-major",
            "grid-overrun",
            "copy-vector",
            "overlapping-store",
            "overlapping-modes",
            "thread-count-mismatch",
            "not-injective",
        ],
        memory::swap_strides,
    ),
    operator(
        "10 strides",
        "a stride that is too small",
        &[
            "overlapping-store",
            "over-run",
            "not-injective",
            "write-race",
            "thread-count-mismatch",
            "tma-major",
        ],
        memory::small_stride,
    ),
    operator(
        "11 tensor memory",
        "no wait for loads or stores",
        &["tmem-wait"],
        order::no_tensor_memory_wait,
    ),
    operator(
        "11 tensor memory",
        "columns are never freed",
        &["tmem-lifetime"],
        order::never_freed,
    ),
    operator(
        "11 tensor memory",
        "the permit given up before the allocation",
        &["tmem-lifetime"],
        order::early_permit,
    ),
    operator(
        "11 tensor memory",
        "the slice of the next warp",
        &["tmem-lanes"],
        order::next_warp,
    ),
    operator(
        "11 tensor memory",
        "no arrival of products",
        &["barrier-never-arrived", "arrival-count-mismatch"],
        order::no_product_arrival,
    ),
    operator(
        "12 collectives",
        "columns by one thread",
        &["divergent-collective"],
        order::columns_by_one_thread,
    ),
    operator(
        "12 collectives",
        "one thread for all",
        &["divergent-collective", "thread-count-mismatch"],
        order::one_thread,
    ),
    operator(
        "12 collectives",
        "a barrier of one warp",
        &["divergent-collective"],
        order::barrier_of_a_warp,
    ),
    operator(
        "13 end of life",
        "no barrier of the cluster",
        &[
            "cluster-exit",
            "tmem-lifetime",
            "barrier-not-visible",
            "shared-race",
            // `sync` of a named barrier.
            "arrival-count-mismatch",
            "barrier-order",
        ],
        order::no_barrier_of_cluster,
    ),
    operator(
        "13 end of life",
        "no wait for the grid before",
        &["grid-dependency"],
        order::no_grid_wait,
    ),
];
