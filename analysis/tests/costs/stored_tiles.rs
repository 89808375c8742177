//! Tiles that one thread stores by TMA while others may still write them.

use super::protocol::{found, silent};

const STORE: &str = include_str!("store.cu");
const GROUPS: &str = include_str!("../../../tests/data/kernels/hopper_store.cu");

const BEFORE: (&str, &str) = (
    "    tma_store_fence();\n    __syncthreads();\n",
    "    tma_store_fence();\n",
);
const BEHIND: (&str, &str) = ("    }\n    __syncthreads();\n", "    }\n");

#[test]
fn a_tile_is_stored_behind_a_barrier() {
    assert_eq!(
        found(STORE, &[BEFORE]),
        [
            "shared-race: thread 32 writes buffer, TMA stores it for thread 0, and no barrier is between them"
        ]
    );
    // The thread that stores waits, the others do not.
    assert_eq!(
        found(STORE, &[BEHIND]),
        [
            "shared-race: thread 32 overwrites buffer, which TMA may still read for thread 0: no barrier"
        ]
    );
}

#[test]
fn right_twins_of_stored_tiles() {
    silent(
        STORE,
        &[
            // One warp.
            &[
                BEFORE,
                (
                    "Int<4>{}, Int<32>{}), LayoutRight",
                    "Int<1>{}, Int<32>{}), LayoutRight",
                ),
                ("<<<1, 128>>>", "<<<1, 32>>>"),
            ],
            // Another function may have a barrier.
            &[(
                "    __syncthreads();\n    if",
                "    wait_for_others();\n    if",
            )],
            &[(
                "    __syncthreads();\n    if",
                "    cutlass::arch::NamedBarrier::sync(128, 1);\n    if",
            )],
            &[(
                "    __syncthreads();\n    if",
                "    asm volatile(\"bar.sync 1, 128;\");\n    if",
            )],
            // One pass.
            &[BEHIND, ("k < tiles", "k < 1")],
            // The same thread writes.
            &[
                (
                    "    copy(local_partition(from(_, _, k), threads, threadIdx.x), local_partition(shared, threads, threadIdx.x));",
                    "    if (threadIdx.x == 0) copy(from(_, _, k), shared);",
                ),
                BEFORE,
                BEHIND,
            ],
            // The launch is not visible.
            &[
                BEFORE,
                BEHIND,
                (
                    "  store<<<1, 128>>>(p, atom, tiles);\n",
                    "  start(store<decltype(atom)>, p, atom, tiles);\n",
                ),
            ],
            // Another tensor begins elsewhere in the array: what is stored may be another part.
            &[
                BEFORE,
                BEHIND,
                (
                    "  Tensor from =",
                    "  Tensor part = make_tensor(make_smem_ptr(buffer + 512), make_layout(Int<512>{}));\n  clear(part(threadIdx.x));\n  Tensor from =",
                ),
            ],
        ],
    );
}

const FENCE: &str = "  tma_store_fence();\n";
const BARRIER: &str = "  cutlass::arch::NamedBarrier::sync(128, group + 1);\n";

#[test]
fn rows_of_an_array_of_tiles_are_followed() {
    assert_eq!(
        found(GROUPS, &[(FENCE, "")]),
        ["proxy-fence: TMA stores tile, which threads write on line 27: no proxy fence"]
    );
    assert_eq!(
        found(GROUPS, &[(BARRIER, "")]),
        [
            "shared-race: thread 32 writes tile, TMA stores it for thread 0, and no barrier is between them"
        ]
    );
    assert_eq!(
        found(GROUPS, &[("    tma_store_wait<0>();\n", "")]),
        [
            "tma-store-wait: the CTA ends while TMA may still read tile: no tma_store_wait behind the store"
        ]
    );
}

#[test]
fn each_warp_may_store_its_own_row() {
    let of_warps = [
        ("threadIdx.x / 128", "threadIdx.x / 32"),
        ("threadIdx.x % 128", "threadIdx.x % 32"),
        ("kRows = 128", "kRows = 64"),
        ("tile[2][kRows", "tile[8][kRows"),
        (
            "make_shape(Int<8>{}, Int<16>{})",
            "make_shape(Int<2>{}, Int<16>{})",
        ),
        (BARRIER, "  __syncwarp();\n"),
    ];
    silent(GROUPS, &[&of_warps]);
    // A row that changes may be that of another warp.
    let changing = ("  const int group", "  int group");
    silent(GROUPS, &[&[(BARRIER, ""), changing]]);
}

#[test]
fn each_warp_may_have_an_object() {
    const OBJECT: &str =
        "  extern __shared__ char bytes[];\n  Shared& smem = *reinterpret_cast<Shared*>(bytes);\n";
    for (object, tile) in [
        ("  __shared__ Shared all[8];\n", "all[group].tile[0]"),
        (
            "  __shared__ Shared all[8];\n  Shared& smem = all[threadIdx.x / 32];\n",
            "smem.tile[0]",
        ),
        (
            "  __shared__ Shared all[8];\n  Shared* smem = all + threadIdx.x / 32;\n",
            "smem->tile[0]",
        ),
        (
            "  __shared__ Shared all[8];\n  const int none = 0;\n  Shared& smem = all[threadIdx.x / 32];\n",
            "smem.tile[none]",
        ),
    ] {
        silent(
            GROUPS,
            &[&[
                (OBJECT, object),
                ("threadIdx.x / 128", "threadIdx.x / 32"),
                ("threadIdx.x % 128", "threadIdx.x % 32"),
                ("kRows = 128", "kRows = 16"),
                ("kColumns = 64", "kColumns = 32"),
                (
                    "make_shape(Int<8>{}, Int<16>{})",
                    "make_shape(Int<2>{}, Int<16>{})",
                ),
                ("smem.tile[group]", tile),
                (BARRIER, "  __syncwarp();\n"),
            ]],
        );
    }
}
