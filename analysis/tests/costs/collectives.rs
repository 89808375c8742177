//! Instructions of whole warps, and tiles of whole grids.

use super::protocol::{found, silent};

const PRODUCTS: &str = include_str!("products.cu");
const GROUPS: &str = include_str!("groups.cu");
const GRID: &str = include_str!("grid.cu");

#[test]
fn a_swizzled_tile_begins_where_its_pattern_does() {
    let second = ("buffer + 64 * 64)", "buffer + 64 * 64 + 64)");
    let buffer = |alignment: &str| format!("alignas({alignment}) half_t buffer[2 * 64 * 64 + 64]");
    let static_array = "alignas(128) half_t buffer[2 * 64 * 64]";
    let aligned = buffer("1024");
    let message = "smem-alignment: the tile begins at byte 8320: its swizzle of 128 bytes needs a multiple of 1024";
    assert_eq!(
        found(PRODUCTS, &[second, (static_array, &aligned)]),
        [message]
    );
    let declared = "  __shared__ alignas(128) half_t buffer[2 * 64 * 64];\n";
    let dynamic =
        "  extern __shared__ char bytes[];\n  half_t* buffer = reinterpret_cast<half_t*>(bytes);\n";
    let launch = ("<<<1, 128>>>", "<<<1, 128, 16512>>>");
    assert_eq!(
        found(PRODUCTS, &[second, (declared, dynamic), launch]),
        [message]
    );
    let undeclared = buffer("128");
    let with_static = format!("  __shared__ int count;\n{dynamic}");
    let plain = [
        ("SW128_Atom", "INTER_Atom"),
        (static_array, &*aligned),
        second,
    ];
    silent(
        PRODUCTS,
        &[
            &[second, (static_array, &undeclared)],
            &[second, (declared, &with_static), launch],
            &plain,
            // The pattern of 32 bytes begins anew every 256.
            &[
                ("SW128_Atom", "SW32_Atom"),
                (
                    static_array,
                    "alignas(1024) half_t buffer[2 * 64 * 64 + 128]",
                ),
                ("buffer + 64 * 64)", "buffer + 64 * 64 + 128)"),
            ],
        ],
    );
}

const GEMM: &str = "  gemm(mma, rA, rB, rC);\n";

#[test]
fn a_product_of_a_warp_group_wants_all_of_its_threads() {
    let with = |condition: &str| {
        let guarded = format!("  if ({condition}) gemm(mma, rA, rB, rC);\n");
        found(PRODUCTS, &[(GEMM, &guarded)])
    };
    assert_eq!(
        with("threadIdx.x == 0"),
        [
            "divergent-collective: 1 thread of warp group 0 reaches `wgmma.mma_async`, which all 128 must execute"
        ]
    );
    assert_eq!(with("threadIdx.x / 32 < 2").len(), 1);
    assert_eq!(with("cute::elect_one_sync()").len(), 1);
    assert_eq!(
        with("threadIdx.x == 500"),
        ["divergent-collective: no thread reaches `wgmma.mma_async`, which all 128 must execute"]
    );
    for condition in [
        "threadIdx.x / 128 == 0",
        "threadIdx.x < 128",
        "q != nullptr",
        "threadIdx.x == 0 && q != nullptr",
    ] {
        assert_eq!(with(condition), Vec::<String>::new(), "{condition}");
    }
    silent(
        PRODUCTS,
        &[
            // Some threads are gone.
            &[(
                GEMM,
                "  if (threadIdx.x > 200) return;\n  if (threadIdx.x == 0) gemm(mma, rA, rB, rC);\n",
            )],
            // How many threads there are is not known.
            &[
                (GEMM, "  if (threadIdx.x == 0) gemm(mma, rA, rB, rC);\n"),
                (
                    "float* q) {\n  multiply<<<1, 128>>>",
                    "float* q, int n) {\n  multiply<<<1, n>>>",
                ),
            ],
        ],
    );
}

#[test]
fn a_barrier_of_the_cta_wants_all_threads() {
    const BARRIER: &str = "  __syncthreads();\n";
    let with = |barrier: &str| found(GROUPS, &[(BARRIER, barrier)]);
    assert_eq!(
        with("  if (threadIdx.x < 32) __syncthreads();\n"),
        ["divergent-collective: 32 of 256 threads reach this barrier, which waits for all of them"]
    );
    // A condition that all threads have alike does not matter.
    for barrier in [
        "  for (int i = 0; i < 3; ++i) { if (i == 2) { if (threadIdx.x < 32) __syncthreads(); } }\n",
        "  int last = 3;\n  if (blockIdx.x < last) { if (threadIdx.x < 32) __syncthreads(); }\n",
    ] {
        assert_eq!(with(barrier).len(), 1, "{barrier}");
    }
    for barrier in [
        // Which threads come is not known.
        "  int last = 3;\n  last += threadIdx.x;\n  if (last < 4) { if (threadIdx.x < 32) __syncthreads(); }\n",
        "  for (int i = threadIdx.x; i < 3; ++i) { if (i == 2) { if (threadIdx.x < 32) __syncthreads(); } }\n",
        "  if (threadIdx.x < 32) { __syncthreads(); } else { __syncthreads(); }\n",
        "  if (threadIdx.x < 256) __syncthreads();\n",
        "  if (blockIdx.x == 0) __syncthreads();\n",
        "  for (int i = 0; i < 3; ++i) __syncthreads();\n",
    ] {
        assert_eq!(with(barrier), Vec::<String>::new(), "{barrier}");
    }
}

const AXES: &str = "grid(ceil_div(m, 128), ceil_div(n, 64));";
const SWAPPED: (&str, &str) = (AXES, "grid(ceil_div(n, 64), ceil_div(m, 128));");
const FLOOR: (&str, &str) = (AXES, "grid(ceil_div(m, 128), n / 64);");
const LAUNCH: &str = "  zero<<<grid, 128>>>(out);\n";

#[test]
fn axes_that_are_swapped_leave_tiles_without_a_cta() {
    assert_eq!(
        found(GRID, &[SWAPPED]),
        ["grid-axis: m = 256, n = 64: blockIdx.x indexes 2 tiles of m, the grid has 1"]
    );
    let tile =
        "Tensor tile = local_tile(out, Shape<_128, _64>{}, make_coord(blockIdx.x, blockIdx.y));";
    let other =
        "Tensor tile = local_tile(out, Shape<_128, _64>{}, make_coord(blockIdx.y, blockIdx.x));";
    assert_eq!(found(GRID, &[(tile, other)]).len(), 1);
    let places =
        "make_identity_tensor(shape(out)), Shape<_128, _64>{}, make_coord(blockIdx.x, blockIdx.y)";
    let other_places =
        "make_identity_tensor(shape(out)), Shape<_128, _64>{}, make_coord(blockIdx.y, blockIdx.x)";
    let computed_places = "make_identity_tensor(shape(out)), Shape<_128, _64>{}, make_coord(blockIdx.x / 2 % 3, blockIdx.y)";
    let computed = "Tensor tile = local_tile(out, Shape<_128, _64>{}, make_coord(blockIdx.x / 2 % 3, blockIdx.y));";
    silent(
        GRID,
        &[
            // Both are swapped.
            &[SWAPPED, (tile, other), (places, other_places)],
            // The host knows.
            &[
                SWAPPED,
                (
                    LAUNCH,
                    "  if (m != n) return;\n  zero<<<grid, 128>>>(out);\n",
                ),
            ],
            // An index that is computed.
            &[
                (tile, computed),
                (places, computed_places),
                (AXES, "grid(ceil_div(n, 64), ceil_div(n, 64));"),
            ],
            // Another tile of the tensor.
            &[
                SWAPPED,
                (places, other_places),
                (
                    tile,
                    &format!(
                        "{tile}\n  Tensor rest = local_tile(out, Shape<_128, _64>{{}}, make_coord(blockIdx.y, blockIdx.x));"
                    ),
                ),
            ],
            // Another launch.
            &[
                SWAPPED,
                (
                    LAUNCH,
                    "  zero<<<grid, 128>>>(out);\n  zero<<<dim3(3, 4), 128>>>(out);\n",
                ),
            ],
            // One extent for both.
            &[
                ("make_shape(m, n)", "make_shape(m, m)"),
                (AXES, "grid(ceil_div(m, 128), ceil_div(m, 64));"),
            ],
        ],
    );
}

#[test]
fn a_grid_that_is_rounded_down_leaves_the_last_tile_of_a_kernel_with_predicates() {
    assert_eq!(
        found(GRID, &[FLOOR]),
        ["grid-axis: n = 65: 1 CTA of 64 covers only 64, so the last tile has no CTA"]
    );
    silent(
        GRID,
        &[
            &[
                FLOOR,
                (
                    LAUNCH,
                    "  if (n % 64 != 0) return;\n  zero<<<grid, 128>>>(out);\n",
                ),
            ],
            &[
                FLOOR,
                (
                    LAUNCH,
                    "  zero<<<grid, 128>>>(out);\n  if (n % 64) zero<<<dim3(m, 1), 128>>>(out);\n",
                ),
            ],
            // Without predicates, and along both axes.
            &[
                FLOOR,
                ("ceil_div(m, 128)", "m / 128"),
                (
                    "  Tensor places = local_tile(make_identity_tensor(shape(out)), Shape<_128, _64>{}, make_coord(blockIdx.x, blockIdx.y));\n",
                    "",
                ),
                (
                    "  Tensor mine = local_partition(places, Layout<Shape<_32, _4>>{}, threadIdx.x);\n",
                    "",
                ),
                (
                    "    if (elem_less(mine(i), shape(out))) {\n      part(i) = 0.0f;\n    }\n",
                    "    part(i) = 0.0f;\n",
                ),
            ],
        ],
    );
}

#[test]
fn a_grid_that_is_rounded_down_along_one_axis_only_leaves_tiles() {
    let without = [
        (
            "  Tensor places = local_tile(make_identity_tensor(shape(out)), Shape<_128, _64>{}, make_coord(blockIdx.x, blockIdx.y));\n",
            "",
        ),
        (
            "  Tensor mine = local_partition(places, Layout<Shape<_32, _4>>{}, threadIdx.x);\n",
            "",
        ),
        (
            "    if (elem_less(mine(i), shape(out))) {\n      part(i) = 0.0f;\n    }\n",
            "    part(i) = 0.0f;\n",
        ),
    ];
    let floor = [&without[..], &[FLOOR]].concat();
    assert_eq!(
        found(GRID, &floor),
        ["grid-axis: n = 65: 1 CTA of 64 covers only 64, so the last tile has no CTA"]
    );
    let checked = (
        LAUNCH,
        "  if (n % 64 != 0) return;\n  zero<<<grid, 128>>>(out);\n",
    );
    silent(GRID, &[&without, &[&floor[..], &[checked]].concat()]);
}

#[test]
fn a_tile_of_several_ctas_is_indexed_by_their_quotient() {
    let pair = ("make_coord(blockIdx.x, ", "make_coord(blockIdx.x / 2, ");
    let both = [
        (
            "  Tensor tile = local_tile(out, Shape<_128, _64>{}, make_coord(blockIdx.x, ",
            "  Tensor tile = local_tile(out, Shape<_128, _64>{}, make_coord(blockIdx.x / 2, ",
        ),
        pair,
        ("ceil_div(m, 128)", "2 * ceil_div(m, 128)"),
    ];
    assert_eq!(
        found(
            GRID,
            &[
                &both[..],
                &[(
                    "2 * ceil_div(m, 128), ceil_div(n, 64)",
                    "2 * ceil_div(n, 64), ceil_div(m, 128)"
                )]
            ]
            .concat()
        )
        .len(),
        1
    );
    silent(GRID, &[&both]);
}
