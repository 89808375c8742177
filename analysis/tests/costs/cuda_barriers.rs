//! Barriers, bulk copies and pipelines of CUDA's own library, and the same in assembly: judged as those of CUTLASS are.

use super::protocol::{found, silent};

const ADD: &str = include_str!("../../../tests/data/kernels/bulk_add.cu");
const RING: &str = include_str!("../../../tests/data/kernels/parity_ring.cu");
const MAP: &str = include_str!("../../../tests/data/kernels/tensor_map.cu");
const LIBRARY: &str = include_str!("../../../tests/data/kernels/ptx_library.cu");
const INLINE: &str = include_str!("../../../tests/data/kernels/ptx_inline.cu");
const ADDRESSES: &str = include_str!("../../../tests/data/kernels/ptx_addresses.cu");
const PIPELINE: &str = include_str!("../../../tests/data/kernels/block_pipeline.cu");
const ROLES: &str = include_str!("../../../tests/data/kernels/barrier_roles.cu");

/// The first lines of what is said.
fn first(text: &str, changes: &[(&str, &str)]) -> Vec<String> {
    let said = found(text, changes).into_iter();
    said.map(|said| said.lines().next().unwrap_or_default().to_owned())
        .collect()
}

/// Whether one thing is said, which begins like this.
#[track_caller]
fn says(text: &str, change: (&str, &str), begin: &str) {
    let said = first(text, &[change]);
    assert!(
        matches!(said.as_slice(), [only] if only.starts_with(begin)),
        "{change:?}: {said:?}"
    );
}

const TOKEN: &str = "  bar.wait(std::move(token));\n";
const VISIBLE: &str = "  __syncthreads();\n  barrier::arrival_token token;\n";
const UNSEEN: &str = "  barrier::arrival_token token;\n";

#[test]
fn barriers_of_cuda_count_arrivals_and_bytes() {
    says(
        ADD,
        ("init(&bar, 128)", "init(&bar, 129)"),
        "arrival-count-mismatch: barrier expects 129 arrivals per phase, but 128 arrive",
    );
    says(
        ADD,
        ("bar, 1, sizeof(tile))", "bar, 1, 2 * sizeof(tile))"),
        "barrier-order: thread 0 waits for the phase of its arrival, which never completes",
    );
    says(
        ADD,
        (TOKEN, ""),
        "barrier-never-waited: nothing waits for bar",
    );
    says(
        ADD,
        (VISIBLE, UNSEEN),
        "barrier-not-visible: 128 threads wait for bar",
    );
    // The number of threads is that of the launch.
    says(
        MAP,
        ("init(&bar, blockDim.x)", "init(&bar, blockDim.x + 1)"),
        "barrier-order: ",
    );
    says(MAP, ("<<<grid, 128>>>", "<<<grid, 256>>>"), "");
}

#[test]
fn tokens_that_are_lost_say_nothing() {
    let count = ("bar, 1, sizeof(tile))", "bar, 1, 2 * sizeof(tile))");
    silent(
        ADD,
        &[
            // A token of another arrival, or of one that is not known.
            &[count, ("std::move(token)", "take(token)")],
            // More arrivals at once.
            &[count, ("bar, 1, ", "bar, arrivals(), ")],
            &[count, ("bar.arrive();", "bar.arrive(1);")],
            // The end of a thread's part.
            &[
                count,
                (
                    "    token = bar.arrive();\n",
                    "    bar.arrive_and_drop();\n",
                ),
            ],
            // A barrier of more threads than these.
            &[
                count,
                (
                    "cuda::barrier<cuda::thread_scope_block>",
                    "cuda::barrier<cuda::thread_scope_device>",
                ),
            ],
        ],
    );
    assert_eq!(
        first(
            ADD,
            &[
                (
                    "  }\n  bar.wait",
                    "  }\n  barrier::arrival_token copy = std::move(token);\n  bar.wait"
                ),
                ("wait(std::move(token))", "wait(std::move(copy))")
            ]
        ),
        Vec::<String>::new()
    );
}

#[test]
fn rings_of_barriers_are_followed_by_their_parity() {
    let stuck = "barrier-order: thread 0 waits for phase";
    says(
        RING,
        ("init(&full[s], 1);", "init(&full[s], 2);"),
        "arrival-count-mismatch: ",
    );
    says(
        RING,
        ("      auto token = empty[stage].arrive();\n", ""),
        "barrier-order: ",
    );
    says(
        RING,
        ("wait_parity(phase ^ 1)", "wait_parity(phase)"),
        stuck,
    );
    says(
        RING,
        ("      full[stage].wait_parity(phase);\n", ""),
        "barrier-never-waited: nothing waits for full",
    );
    // A wait that returns at once, and comes too late from then on.
    says(
        RING,
        (
            "full[stage].wait_parity(phase)",
            "full[stage].wait_parity(phase ^ 1)",
        ),
        "barrier-order: thread 0 waits for phase 0, which never completes",
    );
    says(
        RING,
        ("        empty[stage].wait_parity(phase ^ 1);\n", ""),
        "barrier-order: a stage is filled while line 41 may still read it",
    );
    // The warp that copies is not launched.
    says(
        RING,
        ("<<<1, kConsumers + 32>>>", "<<<1, kConsumers>>>"),
        "barrier-order: ",
    );
}

#[test]
fn functions_of_ptx_and_loops_of_trials_are_waits() {
    let flip = ("    parity ^= 1;\n", "");
    assert_eq!(
        first(LIBRARY, &[flip]).len(),
        1,
        "{:?}",
        first(LIBRARY, &[flip])
    );
    says(
        LIBRARY,
        (
            "&bar, sizeof(tile));\n    }\n",
            "&bar, 2 * sizeof(tile));\n    }\n",
        ),
        "barrier-order: ",
    );
    says(
        LIBRARY,
        ("    ptx::fence_proxy_async(ptx::space_shared);\n", ""),
        "proxy-fence: TMA stores tile, which threads write on line 27: no proxy fence",
    );
    silent(
        LIBRARY,
        &[
            // A loop that does more than try.
            &[flip, ("parity)) {\n", "parity)) {\n      backoff();\n")],
            // The barrier of another CTA.
            &[
                flip,
                (
                    "ptx::space_shared, &bar, sizeof",
                    "ptx::space_cluster, &bar, sizeof",
                ),
            ],
        ],
    );
}

#[test]
fn assembly_in_a_kernel_is_what_it_says() {
    assert_eq!(first(INLINE, &[("    phase ^= 1;\n", "")]).len(), 1);
    says(
        INLINE,
        ("    __syncthreads();\n  }\n", "  }\n"),
        "barrier-order: a stage is read while the copy of line 21 may still fill it",
    );
    silent(
        INLINE,
        &[
            // A predicate decides, or other instructions come with it.
            &[
                ("    phase ^= 1;\n", ""),
                (
                    "\"mbarrier.arrive.expect_tx",
                    "\"@p mbarrier.arrive.expect_tx",
                ),
            ],
            &[
                ("    phase ^= 1;\n", ""),
                ("@P1 bra DONE;", "@P1 bra DONE;\\n\\tbar.sync 1;"),
            ],
        ],
    );
}

#[test]
fn addresses_in_shared_memory_may_be_numbers() {
    let arrival = "      if (threadIdx.x % 32 == 0) mbarrier_arrive(smem_u32(&empty[stage]));\n";
    says(ADDRESSES, (arrival, ""), "barrier-order: ");
    says(
        ADDRESSES,
        (
            "mbarrier_init(smem_u32(&empty[s]), 4)",
            "mbarrier_init(smem_u32(&empty[s]), 5)",
        ),
        "arrival-count-mismatch: ",
    );
    says(
        ADDRESSES,
        ("      mbarrier_wait(smem_u32(&full[stage]), phase);\n", ""),
        "barrier-never-waited: nothing waits for full",
    );
    // An address that is moved on may be any barrier.
    silent(
        ADDRESSES,
        &[&[
            (arrival, ""),
            (
                "  return static_cast<uint32_t>(__cvta_generic_to_shared(ptr));",
                "  return static_cast<uint32_t>(__cvta_generic_to_shared(ptr)) + 8;",
            ),
        ]],
    );
}

#[test]
fn pipelines_of_a_block_are_their_barriers() {
    says(
        PIPELINE,
        ("    pipe.consumer_release();\n", ""),
        "barrier-order: ",
    );
    says(
        PIPELINE,
        ("    pipe.consumer_wait();\n", ""),
        "barrier-order: a stage is read while the copy of line 20 may still fill it",
    );
    says(
        PIPELINE,
        ("      pipe.producer_commit();\n", ""),
        "barrier-order: ",
    );
    let release = ("    pipe.consumer_release();\n", "");
    silent(
        PIPELINE,
        &[
            // Roles of threads, one thread each, and a state that is not seen.
            &[
                release,
                (
                    "make_pipeline(block, &state)",
                    "make_pipeline(block, &state, role)",
                ),
            ],
            &[release, ("make_pipeline(block, &state)", "make_pipeline()")],
            &[
                release,
                (
                    "make_pipeline(block, &state)",
                    "make_pipeline(block, state_of(block))",
                ),
            ],
        ],
    );
}

#[test]
fn roles_may_be_functions() {
    says(
        ROLES,
        ("bar + threadIdx.x, 128", "bar + threadIdx.x, 129"),
        "barrier-order: ",
    );
    let said = first(
        ROLES,
        &[(
            "  if (threadIdx.x < 4) init(bar + threadIdx.x, 128);\n  __syncthreads();\n",
            "  if (threadIdx.x < 4) init(bar + threadIdx.x, 128);\n",
        )],
    );
    assert_eq!(said, Vec::<String>::new());
    // A second call of a function, or threads that go different ways through one.
    let count = ("bar + threadIdx.x, 128", "bar + threadIdx.x, 129");
    silent(
        ROLES,
        &[
            &[
                count,
                (
                    "    producer(bar, bar + 2, buffer, in, tiles);\n",
                    "    producer(bar, bar + 2, buffer, in, tiles);\n    producer(bar, bar + 2, buffer, in, tiles);\n",
                ),
            ],
            &[
                count,
                (
                    "    ready[t % 2].arrive_and_wait();\n",
                    "    if (threadIdx.x % 2) ready[t % 2].arrive_and_wait();\n",
                ),
            ],
        ],
    );
}

#[test]
fn bulk_stores_read_by_the_other_proxy() {
    says(
        ADD,
        ("  ptx::fence_proxy_async(ptx::space_shared);\n", ""),
        "proxy-fence: TMA stores tile, which threads write on line 27: no proxy fence",
    );
    says(
        MAP,
        (
            "  cde::fence_proxy_async_shared_cta();\n  __syncthreads();\n",
            "  __syncthreads();\n",
        ),
        "proxy-fence: TMA stores tile",
    );
    says(
        LIBRARY,
        (
            "      ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());\n",
            "",
        ),
        "tma-store-wait: tile is overwritten while TMA may still read it for line 31",
    );
    let fence = ("  ptx::fence_proxy_async(ptx::space_shared);\n", "");
    silent(
        ADD,
        &[
            // A part of the array, and another array.
            &[
                fence,
                (
                    "kLength, tile, sizeof(tile));\n    ptx::cp_async_bulk_commit",
                    "kLength, tile, 512);\n    ptx::cp_async_bulk_commit",
                ),
            ],
            &[
                fence,
                (
                    "kLength, tile, sizeof(tile));\n    ptx::cp_async_bulk_commit",
                    "kLength, other(), sizeof(tile));\n    ptx::cp_async_bulk_commit",
                ),
            ],
        ],
    );
}

/// Headers whose namespaces are opened by macros that nothing here defines.
#[test]
fn an_alias_is_meant_where_a_class_of_its_name_is_in_a_namespace_of_a_macro() {
    let text = ADD.replacen(
        "using barrier",
        "LIBRARY_BEGIN_NAMESPACE\n\
         template <class Completion> class barrier {\n\
          public:\n\
           barrier(long count);\n\
         };\n\
         LIBRARY_END_NAMESPACE\n\
         using barrier",
        1,
    );
    says(
        &text,
        ("init(&bar, 128)", "init(&bar, 129)"),
        "arrival-count-mismatch: barrier expects 129 arrivals per phase, but 128 arrive",
    );
}
