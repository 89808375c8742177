//! Phases of barriers, the flag that products add by, and the two proxies to shared memory.

use super::{changed, costs_of};

const PRODUCT: &str = include_str!("tensor_memory.cu");
const WARP_GROUP: &str = include_str!("products.cu");
const STORE: &str = include_str!("store.cu");
const FILL: &str = include_str!("fill.cu");

fn said(text: &str) -> Vec<String> {
    let analysis = costs_of(text);
    let findings = analysis.findings.iter();
    findings
        .map(|finding| {
            assert!(!finding.numbers.is_empty(), "{}", finding.message);
            format!("{}: {}", finding.rule, finding.message)
        })
        .collect()
}

/// Findings of a source after changes; without them there are none.
pub(super) fn found(text: &str, changes: &[(&str, &str)]) -> Vec<String> {
    assert_eq!(said(text), Vec::<String>::new());
    let mut text = text.to_owned();
    for (from, to) in changes {
        text = changed(&text, from, to);
    }
    said(&text)
}

#[track_caller]
pub(super) fn silent(text: &str, all: &[&[(&str, &str)]]) {
    for changes in all {
        assert_eq!(found(text, changes), Vec::<String>::new(), "{changes:?}");
    }
}

const FLIP: (&str, &str) = ("    phase ^= 1;\n", "");
const ARRIVAL: &str = "      cutlass::arch::umma_arrive(&smem.done);\n";
const WAIT: &str = "    wait_barrier(smem.done, phase);\n";

#[test]
fn a_phase_that_never_flips_is_found() {
    let message =
        "barrier-phase: each iteration waits for phase 0 of done: every other wait returns at once";
    assert_eq!(found(PRODUCT, &[FLIP]), [message]);
    assert_eq!(
        found(PRODUCT, &[(WAIT, "    wait_barrier(smem.done, 0);\n")]),
        [message]
    );
    // Its value is unknown, but it stays.
    assert_eq!(
        found(
            PRODUCT,
            &[
                FLIP,
                (
                    "int phase = 0;\n",
                    "int phase = 0;\n  if (tiles > 3) phase = 1;\n"
                )
            ]
        ),
        [
            "barrier-phase: each iteration waits for one phase of done: every other wait returns at once"
        ]
    );
}

#[test]
fn two_phases_in_a_pass_are_not_one_that_stays() {
    let both = "    wait_barrier(smem.done, 0);\n    wait_barrier(smem.done, 1);\n";
    // Nothing arrives for the second phase.
    let said = found(PRODUCT, &[FLIP, (WAIT, both)]);
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(
        said[0].starts_with("barrier-order: thread 0 waits for phase 1, which never completes\n"),
        "{said:?}"
    );
}

#[test]
fn a_phase_is_silent_where_it_may_be_right() {
    silent(
        PRODUCT,
        &[
            // It completes once.
            &[FLIP, ("k < tiles", "k < 1")],
            &[
                FLIP,
                (
                    ARRIVAL,
                    "      if (k == 0) cutlass::arch::umma_arrive(&smem.done);\n",
                ),
            ],
            // The loop is left.
            &[
                FLIP,
                (
                    WAIT,
                    "    wait_barrier(smem.done, phase);\n    if (tiles == 3) break;\n",
                ),
            ],
            // Another thread may arrive.
            &[
                FLIP,
                (
                    WAIT,
                    "    wait_barrier(smem.done, phase);\n    more(&smem.done);\n",
                ),
            ],
            // Another barrier in each pass.
            &[
                FLIP,
                ("uint64_t done;", "uint64_t done[8];"),
                (
                    "initialize_barrier(smem.done, 1);",
                    "initialize_barrier(smem.done[0], 1);",
                ),
                (
                    ARRIVAL,
                    "      cutlass::arch::umma_arrive(&smem.done[k]);\n",
                ),
                (WAIT, "    wait_barrier(smem.done[k], phase);\n"),
            ],
        ],
    );
}

#[test]
fn a_barrier_without_arrivals_is_found() {
    assert_eq!(
        found(PRODUCT, &[(ARRIVAL, "")]),
        [
            "barrier-never-arrived: nothing arrives at done, which expects 1 arrival: the wait never ends"
        ]
    );
    silent(
        PRODUCT,
        &[
            // A fresh barrier has completed the phase before its first one.
            &[(ARRIVAL, ""), (WAIT, "    wait_barrier(smem.done, 1);\n")],
            // Whoever is given the barrier may arrive.
            &[(ARRIVAL, "      finish(&smem.done);\n")],
            &[(
                ARRIVAL,
                "      asm volatile(\"mbarrier.arrive.shared.b64 _, [%0];\" :: \"r\"(0));\n",
            )],
        ],
    );
}

#[test]
fn a_barrier_that_nobody_waits_for_is_found() {
    assert_eq!(
        found(PRODUCT, &[(WAIT, "")]),
        ["barrier-never-waited: nothing waits for done, which signals that MMAs have completed"]
    );
    silent(
        PRODUCT,
        &[
            &[(WAIT, "    finish(&smem.done);\n")],
            &[(
                WAIT,
                "    asm volatile(\"mbarrier.try_wait.shared.b64 p, [%0], 0;\" :: \"r\"(0));\n",
            )],
            &[(WAIT, "    while (!try_wait_barrier(smem.done, phase)) {}\n")],
            // Only threads arrive.
            &[
                (WAIT, ""),
                (ARRIVAL, "      arrive_barrier(smem.done);\n"),
                ("(smem.done, 1)", "(smem.done, 32)"),
            ],
        ],
    );
}

#[test]
fn a_barrier_is_initialised_before_others_wait() {
    const SYNC: (&str, &str) = ("  __syncthreads();\n", "");
    assert_eq!(
        found(PRODUCT, &[SYNC]),
        [
            "barrier-not-visible: 128 threads wait for done, which 1 initialise on line 25: no barrier between"
        ]
    );
    // A role of other warps waits.
    let role = (
        WAIT,
        "    if (threadIdx.x >= 64) { wait_barrier(smem.done, phase); }\n",
    );
    assert_eq!(
        found(PRODUCT, &[SYNC, role]),
        [
            "barrier-not-visible: 64 threads wait for done, which 1 initialise on line 25: no barrier between"
        ]
    );
    silent(
        PRODUCT,
        &[
            &[role],
            // The warp that initialises it.
            &[
                SYNC,
                (
                    WAIT,
                    "    if (threadIdx.x < 32) { wait_barrier(smem.done, phase); }\n",
                ),
            ],
            &[("  __syncthreads();\n", "  cluster_sync();\n")],
            &[("  __syncthreads();\n", "  everybody();\n")],
            &[("  __syncthreads();\n", "  asm volatile(\"bar.sync 0;\");\n")],
            // Those that wait are those that initialise it.
            &[SYNC, ("<<<1, 128>>>", "<<<1, 32>>>")],
            &[
                SYNC,
                (
                    WAIT,
                    "    if (threadIdx.x == 0) wait_barrier(smem.done, phase);\n",
                ),
            ],
            &[
                SYNC,
                (
                    "  if (threadIdx.x == 0) {\n    initialize",
                    "  {\n    initialize",
                ),
            ],
        ],
    );
}

#[test]
fn a_condition_of_the_cta_lets_all_threads_wait() {
    const SYNC: (&str, &str) = ("  __syncthreads();\n", "");
    let leading = (
        WAIT,
        "    if (blockIdx.x == 0) { wait_barrier(smem.done, phase); }\n",
    );
    assert_eq!(
        found(PRODUCT, &[SYNC, leading]),
        [
            "barrier-not-visible: 128 threads wait for done, which 1 initialise on line 25: no barrier between"
        ]
    );
    silent(PRODUCT, &[&[leading]]);
}

#[test]
fn the_address_of_tensor_memory_is_read_behind_a_barrier() {
    let (begin, barrier) = (
        "  if (threadIdx.x == 0) {\n    initialize",
        "  __syncthreads();\n  accumulators.data() = smem.base;\n  if (threadIdx.x == 0) {\n    initialize",
    );
    let with = |between: &str| {
        let allocation = "  TMEM::Allocator1Sm allocator{};\n  if (first_warp) {\n    allocator.allocate(512, &smem.base);\n  }\n";
        format!(
            "{allocation}{between}{}",
            barrier.trim_start_matches("  __syncthreads();\n")
        )
    };
    // What is allocated is freed.
    let free = (
        "  }\n}\n\nvoid launch",
        "  }\n  if (first_warp) { allocator.free(smem.base, 512); }\n}\n\nvoid launch",
    );
    let (without, right, unknown) = (
        with(""),
        with("  __syncthreads();\n"),
        with("  everybody();\n"),
    );
    assert_eq!(
        found(PRODUCT, &[(begin, &without), free]),
        [
            "shared-race: 128 threads read the address that 32 write on line 26: no barrier orders them"
        ]
    );
    silent(
        PRODUCT,
        &[
            &[(begin, &right), free],
            &[(begin, &unknown), free],
            // The same warp reads it.
            &[
                (
                    begin,
                    &without.replace(
                        "accumulators.data() = smem.base;",
                        "if (first_warp) { accumulators.data() = smem.base; }",
                    ),
                ),
                free,
            ],
        ],
    );
}

#[test]
fn the_first_product_begins_with_zero_and_the_others_add() {
    let one = "        mma.accumulate_ = UMMA::ScaleOut::One;\n";
    assert_eq!(
        found(PRODUCT, &[("ScaleOut::Zero", "ScaleOut::One")]),
        [
            "accumulate-flag: the MMA adds to 65536 uninitialised bytes of accumulators: accumulate_ is One"
        ]
    );
    assert_eq!(
        found(PRODUCT, &[(one, "")]),
        ["accumulate-flag: each of 4 MMAs overwrites accumulators: accumulate_ is never One"]
    );
    silent(
        PRODUCT,
        &[
            // One product.
            &[(one, ""), ("block < size<2>(rA)", "block < 1")],
            // It depends.
            &[
                (one, ""),
                (
                    "UMMA::ScaleOut::Zero",
                    "tiles > 1 ? UMMA::ScaleOut::Zero : UMMA::ScaleOut::One",
                ),
            ],
            // Others may set the flag or the accumulators.
            &[(
                "ScaleOut::Zero;\n",
                "ScaleOut::One;\n  prepare(accumulators);\n",
            )],
            &[(one, "        prepare(mma);\n")],
            // Each pass has its own accumulators.
            &[(
                one,
                "        accumulators.data() = smem.base + 64 * block;\n",
            )],
        ],
    );
}

#[test]
fn a_slice_that_a_loop_makes_is_another_one_in_each_pass() {
    let cleared = |text: &str| format!("  mma.accumulate_ = GMMA::ScaleOut::Zero;\n{text}");
    let product = "  gemm(mma, rA, rB, rC);\n";
    let in_blocks = |outside: &str, inside: &str| {
        format!(
            "{outside}  for (int k = 0; k < size<2>(rA); ++k) {{\n    {inside}\n    gemm(mma, rA(_, _, k), rB(_, _, k), one);\n  }}\n"
        )
    };
    let one = "auto one = rC;";
    let outside = cleared(&in_blocks(&format!("  {one}\n"), ""));
    assert_eq!(
        found(WARP_GROUP, &[("  clear(rC);\n", ""), (product, &outside)]),
        ["accumulate-flag: each of 4 MMAs overwrites one: accumulate_ is never One"]
    );
    let inside = cleared(&in_blocks("", one));
    silent(WARP_GROUP, &[&[("  clear(rC);\n", ""), (product, &inside)]]);
}

#[test]
fn registers_are_set_before_products_add_to_them() {
    let clear = "  clear(rC);\n";
    let message = "accumulate-flag: the MMA adds to 128 uninitialised bytes of rC";
    assert_eq!(found(WARP_GROUP, &[(clear, "")]), [message]);
    let flag = |value: &str| format!("  mma.accumulate_ = GMMA::ScaleOut::{value};\n");
    assert_eq!(found(WARP_GROUP, &[(clear, &flag("One"))]), [message]);
    let in_blocks = "  for (int k = 0; k < size<2>(rA); ++k) {\n    gemm(mma, rA(_, _, k), rB(_, _, k), rC);\n  }\n";
    assert_eq!(
        found(
            WARP_GROUP,
            &[
                (clear, &flag("Zero")),
                ("  gemm(mma, rA, rB, rC);\n", in_blocks)
            ]
        ),
        ["accumulate-flag: each of 4 MMAs overwrites rC: accumulate_ is never One"]
    );
    silent(
        WARP_GROUP,
        &[
            &[(clear, &flag("Zero"))],
            &[(clear, "  fill(rC, 1.0f);\n")],
            &[(clear, "  copy(tCgC, rC);\n")],
            &[(
                clear,
                "  for (int i = 0; i < size(rC); ++i) rC(i) = 0.0f;\n",
            )],
            &[(clear, "  prepare(rC);\n")],
            &[(
                clear,
                "  Tensor all = make_tensor(rC.data(), rC.layout());\n  clear(all);\n",
            )],
            &[
                (clear, ""),
                ("gemm(mma, rA", "gemm(mma.with(GMMA::ScaleOut::Zero), rA"),
            ],
        ],
    );
}

const FENCE: &str = "    tma_store_fence();\n";
const STORED: &str = "      tma_store_wait<0>();\n";

#[test]
fn a_store_by_tma_wants_a_fence_and_a_wait() {
    assert_eq!(
        found(STORE, &[(FENCE, "")]),
        ["proxy-fence: TMA stores buffer, which threads write on line 14: no proxy fence"]
    );
    assert_eq!(
        found(STORE, &[(STORED, "")]),
        [
            "tma-store-wait: buffer is overwritten while TMA may still read it for line 18: no tma_store_wait"
        ]
    );
    // The buffer is filled once: the CTA ends while it is read.
    assert_eq!(
        found(STORE, &[(STORED, ""), ("k < tiles", "k < 1")]),
        [
            "tma-store-wait: the CTA ends while TMA may still read buffer: no tma_store_wait behind the store"
        ]
    );
}

#[test]
fn parts_of_a_thread_are_of_the_memory_of_their_tensor() {
    const ASYNC: &str = include_str!("../../../tests/data/kernels/wgmma_cp_async.cu");
    let said = found(
        ASYNC,
        &[("    cutlass::arch::fence_view_async_shared();\n", "")],
    );
    assert!(
        matches!(said.as_slice(), [only] if only.starts_with("proxy-fence: the tensor core reads")),
        "{said:?}"
    );
}

#[test]
fn a_store_is_waited_for_before_the_cta_ends() {
    let once = ("k < tiles", "k < 1");
    silent(
        STORE,
        &[
            &[(STORED, "      finish();\n"), once],
            &[(STORED, "    }\n    {\n      tma_store_wait<0>();\n"), once],
            // The loop is left behind the wait at its top.
            &[
                (STORED, ""),
                (
                    "k < tiles; ++k) {\n",
                    "; ++k) {\n    tma_store_wait<0>();\n    if (k == tiles) break;\n",
                ),
            ],
        ],
    );
}

#[test]
fn fences_of_every_name_and_what_is_not_known_are_silent() {
    silent(
        STORE,
        &[
            &[(FENCE, "    cutlass::arch::fence_view_async_shared();\n")],
            &[(FENCE, "    fence_proxy_async();\n")],
            &[(
                FENCE,
                "    asm volatile(\"fence.proxy.async.shared::cta;\");\n",
            )],
            &[(FENCE, "    publish();\n")],
            &[(STORED, "      finish();\n")],
            &[(
                STORED,
                "      asm volatile(\"cp.async.bulk.wait_group.read 0;\");\n",
            )],
            // Whoever writes does not store.
            &[
                (FENCE, ""),
                (
                    "    copy(local_partition(from",
                    "    if (threadIdx.x > 3) copy(local_partition(from",
                ),
            ],
        ],
    );
}

#[test]
fn what_tma_fills_is_waited_for() {
    let wait = "  wait_barrier(smem.full, 0);\n";
    let said = found(FILL, &[(wait, "  __syncthreads();\n")]);
    assert!(
        said.contains(
            &"async-copy-wait: tile is read while TMA may still fill it for line 24: no wait"
                .to_owned()
        ),
        "{said:?}"
    );
    silent(
        FILL,
        &[
            &[(
                wait,
                "  while (!ClusterBarrier::try_wait(&smem.full, 0)) { }\n",
            )],
            &[(wait, "  finish(&smem.full);\n")],
        ],
    );
}

#[test]
fn columns_are_a_power_of_two_and_freed_as_they_were_taken() {
    const COLUMNS: &str = "
#include <cute/tensor.hpp>
using namespace cute;
__global__ void take(int n) {
  __shared__ uint32_t base;
  TMEM::Allocator1Sm allocator{};
  if (threadIdx.x < 32) allocator.allocate(256, &base);
  __syncthreads();
  if (threadIdx.x < 32) allocator.free(base, 256);
}
void launch(int n) { take<<<1, 128>>>(n); }
";
    let taken = "allocate(256,";
    assert_eq!(
        found(COLUMNS, &[("free(base, 256)", "free(base, 128)")]),
        ["tmem-columns: 128 columns are freed, but 256 were allocated"]
    );
    for odd in [
        "allocate(TMEM::Allocator1Sm::Sm100TmemCapacityColumns - 32,",
        // Not a conversion of -32.
        "allocate((TMEM::Allocator1Sm::Sm100TmemCapacityColumns) - 32,",
    ] {
        assert_eq!(
            found(
                COLUMNS,
                &[(taken, odd), ("free(base, 256)", "free(base, 480)")]
            ),
            [
                "tmem-columns: 480 columns are requested, but only powers of two from 32 up can be allocated"
            ]
        );
    }
    silent(
        COLUMNS,
        &[
            &[(taken, "allocate(n,")],
            &[(taken, "allocate(n,"), ("free(base, 256)", "free(base, n)")],
            // All columns of sm_107.
            &[
                (taken, "allocate(576,"),
                ("free(base, 256)", "free(base, 576)"),
            ],
            // Two allocations.
            &[
                (
                    "allocator.allocate(256, &base);",
                    "{ allocator.allocate(128, &base); allocator.allocate(256, &base); }",
                ),
                ("free(base, 256)", "free(base, 128)"),
            ],
            // All threads have a pointer to the address.
            &[(
                "  __syncthreads();",
                "  uint32_t* pointer = &base;\n  __syncthreads();",
            )],
        ],
    );
}
