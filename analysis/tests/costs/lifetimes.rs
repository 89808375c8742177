//! Tensor memory from its allocation to its end, and the ends of CTAs and kernels that others depend on.

use super::protocol::{found, silent};
use super::{changed, costs_of};

const TMEM: &str = include_str!("tmem.cu");
const STORE: &str = include_str!("tmem_store.cu");
const PEERS: &str = include_str!("peers.cu");
const DEPENDENT: &str = include_str!("dependent.cu");
const PIPELINE: &str = include_str!("pipeline.cu");

const LOADED: &str = "      cutlass::arch::fence_view_async_tmem_load();\n";
const STORED: &str = "  cutlass::arch::fence_view_async_tmem_store();\n";

#[test]
fn a_load_is_waited_for_before_its_columns_are_released() {
    assert_eq!(
        found(TMEM, &[(LOADED, "")]),
        [
            "tmem-wait: accumulators is released while line 57 may still load it: no fence_view_async_tmem_load"
        ]
    );
    silent(
        TMEM,
        &[
            // The effects of these are unknown.
            &[(LOADED, "      settle();\n")],
            &[(
                LOADED,
                "      asm volatile(\"tcgen05.wait::ld.sync.aligned;\");\n",
            )],
            // The barrier is not one behind which a product writes.
            &[
                (LOADED, ""),
                ("      wait_barrier(smem.empty, phase);\n", ""),
            ],
        ],
    );
}

#[test]
fn a_store_is_waited_for_before_it_is_read() {
    assert_eq!(
        found(STORE, &[(STORED, "")]),
        [
            "tmem-wait: accumulators is read while line 27 may still store it: no fence_view_async_tmem_store"
        ]
    );
    silent(
        STORE,
        &[
            &[(STORED, "  settle();\n")],
            // Nothing stores.
            &[(STORED, ""), ("  copy(store, registers, into);\n", "")],
        ],
    );
}

#[test]
fn a_warp_reaches_its_own_lanes() {
    let slice = |index: &str| format!("load.get_slice({index})");
    let (right, shifted) = (
        slice("threadIdx.x % 128"),
        slice("(threadIdx.x + 32) % 128"),
    );
    assert_eq!(
        found(TMEM, &[(&right, &shifted)]),
        ["tmem-lanes: warp 4 accesses tensor-memory lanes 32 to 63, but can reach only 0 to 31"]
    );
    silent(
        TMEM,
        &[
            &[(&right, &slice("threadIdx.x - 128"))],
            &[(&right, &slice("place_of(threadIdx.x)"))],
            // Which threads come is not known.
            &[
                (&right, &shifted),
                ("if (threadIdx.x >= 128)", "if (takes_part(threadIdx.x))"),
            ],
        ],
    );
}

const FREE: &str = "    allocator.free(smem.base, 128);\n";

#[test]
fn columns_are_freed_on_every_way() {
    assert_eq!(
        found(TMEM, &[(FREE, "")]),
        [
            "tmem-lifetime: 128 columns of tensor memory are allocated here, but the kernel never frees them"
        ]
    );
    let base = "  accumulators.data() = smem.base;\n";
    let leaving = |condition: &str| format!("{base}  if ({condition}) return;\n");
    assert_eq!(
        found(TMEM, &[(base, &leaving("tiles == 0"))]),
        ["tmem-lifetime: the kernel returns with 128 columns allocated, which line 27 takes"]
    );
    silent(
        TMEM,
        &[
            &[(FREE, "    give_back(smem.base);\n")],
            // The warp that frees them stays.
            &[(base, &leaving("threadIdx.x >= 256"))],
            &[(
                base,
                &format!("{base}  if (tiles == 0) {{ allocator.free(smem.base, 128); return; }}\n"),
            )],
        ],
    );
}

#[test]
fn columns_are_freed_behind_their_last_use() {
    let barrier = "  __syncthreads();\n  if (threadIdx.x / 32 == 0) {\n    allocator.release";
    let without = "  if (threadIdx.x / 32 == 0) {\n    allocator.release";
    assert_eq!(
        found(TMEM, &[(barrier, without)]),
        [
            "tmem-lifetime: columns are freed while 128 other threads may still use them on line 57: no barrier"
        ]
    );
    let other = |call: &str| format!("  {call};\n{without}");
    silent(
        TMEM,
        &[
            &[(barrier, &other("cluster_sync()"))],
            &[(barrier, &other("everybody()"))],
            &[(barrier, &other("asm volatile(\"bar.sync 0;\")"))],
        ],
    );
}

#[test]
fn nothing_is_allocated_behind_the_end_of_the_permit() {
    let allocation = "    allocator.allocate(128, &smem.base);\n";
    let late = format!("    allocator.release_allocation_lock();\n{allocation}");
    assert_eq!(
        found(TMEM, &[(allocation, &late)]),
        [
            "tmem-lifetime: columns are allocated after line 27, where the CTA gives up its permit to allocate"
        ]
    );
    // Another warp gives it up.
    let elsewhere = "  if (threadIdx.x / 32 == 1) allocator.release_allocation_lock();\n  if (threadIdx.x / 32 == 0) {\n    allocator.allocate";
    silent(
        TMEM,
        &[&[(
            "  if (threadIdx.x / 32 == 0) {\n    allocator.allocate",
            elsewhere,
        )]],
    );
}

#[test]
fn a_pair_of_ctas_allocates_and_frees_together() {
    let first = "  TMEM::Allocator2Sm allocator{};\n  cluster_sync();\n";
    let message = found(STORE, &[(first, "  TMEM::Allocator2Sm allocator{};\n")]);
    assert_eq!(message.len(), 1, "{message:?}");
    assert!(
        message[0].starts_with(
            "tmem-lifetime: a pair of CTAs allocates 128 columns before both are known to run: no cluster_sync\n1. "
        ),
        "{message:?}"
    );
    let middle = (
        "  cluster_sync();\n  accumulators.data()",
        "  __syncthreads();\n  accumulators.data()",
    );
    let last = (
        "  cluster_sync();\n  if (threadIdx.x < 32) {\n    allocator.free",
        "  __syncthreads();\n  if (threadIdx.x < 32) {\n    allocator.free",
    );
    assert_eq!(
        found(STORE, &[middle, last]),
        [
            "tmem-lifetime: a CTA frees columns while its peer may still allocate them on line 14: no cluster_sync"
        ]
    );
    silent(
        STORE,
        &[
            &[middle],
            &[last],
            // One CTA alone.
            &[(first, "  TMEM::Allocator1Sm allocator{};\n"), middle, last],
            &[(first, "  TMEM::Allocator2Sm allocator{};\n  meet();\n")],
        ],
    );
}

#[test]
fn one_whole_warp_allocates_and_elects() {
    let with = |condition: &str| {
        found(
            TMEM,
            &[(
                "  if (threadIdx.x / 32 == 0) {\n    allocator.allocate",
                &format!("  if ({condition}) {{\n    allocator.allocate"),
            )],
        )
    };
    assert_eq!(
        with("threadIdx.x == 0"),
        [
            "divergent-collective: 1 thread reaches `tcgen05.alloc`, which one whole warp must execute"
        ]
    );
    assert_eq!(
        with("threadIdx.x < 64"),
        [
            "divergent-collective: 64 threads reach `tcgen05.alloc`, which one whole warp must execute"
        ]
    );
    assert_eq!(
        with("threadIdx.x / 32 == 1 && threadIdx.x == 0"),
        [
            "divergent-collective: 0 threads reach `tcgen05.alloc`, which one whole warp must execute"
        ]
    );
    assert_eq!(
        with("cutlass::canonical_warp_idx_sync() == 2"),
        Vec::<String>::new()
    );
    let elected = |condition: &str| {
        let initialised = format!("  if ({condition}) {{\n    initialize_barrier(smem.full");
        found(
            TMEM,
            &[(
                "  if (threadIdx.x == 0) {\n    initialize_barrier(smem.full",
                &initialised,
            )],
        )
    };
    assert_eq!(
        elected("threadIdx.x == 0 && elect_one_sync()"),
        [
            "divergent-collective: 1 thread of warp 0 reaches `elect.sync`, which all 32 must execute"
        ]
    );
    assert_eq!(
        elected("threadIdx.x / 32 == 0 && elect_one_sync()"),
        Vec::<String>::new()
    );
}

const LAST: &str = "  q[at] = part[threadIdx.x] + other[threadIdx.x];\n  cluster.sync();\n";

#[test]
fn a_cta_stays_while_another_one_reads_its_memory() {
    let with =
        |behind: &str| format!("  q[at] = part[threadIdx.x] + other[threadIdx.x];\n{behind}");
    let message = "cluster-exit: a CTA may exit while this one still accesses its shared memory: no cluster barrier follows";
    assert_eq!(found(PEERS, &[(LAST, &with(""))]), [message]);
    assert_eq!(
        found(PEERS, &[(LAST, &with("  __syncthreads();\n"))]),
        [message]
    );
    let first = (
        "  cluster.sync();\n  unsigned peer",
        "  __syncthreads();\n  unsigned peer",
    );
    assert_eq!(
        found(PEERS, &[first]),
        [
            "cluster-exit: no cluster barrier before another CTA's shared memory is accessed: it may not have started"
        ]
    );
    silent(
        PEERS,
        &[
            &[(
                "  cluster.sync();\n  unsigned peer",
                "  meet();\n  unsigned peer",
            )],
            &[(LAST, &with("  cute::cluster_sync();\n"))],
            &[(LAST, &with("  leave_together();\n"))],
            &[(
                LAST,
                &with("  asm volatile(\"barrier.cluster.arrive; barrier.cluster.wait;\");\n"),
            )],
            // Its own memory.
            &[
                (LAST, &with("")),
                ("(part, peer)", "(part, cluster.block_rank())"),
            ],
        ],
    );
}

#[test]
fn a_producer_waits_for_the_consumers_of_its_cluster() {
    let pair = (
        "pipeline(smem.pipeline, params, Shape<_1, _1, _1>{})",
        "pipeline(smem.pipeline, params, Shape<_2, _1, _1>{})",
    );
    let exits = |changes: &[(&str, &str)]| -> Vec<String> {
        let mut text = PIPELINE.to_owned();
        for (from, to) in changes {
            text = changed(&text, from, to);
        }
        let findings = costs_of(&text).findings;
        let exits = findings.into_iter().filter(|it| it.rule == "cluster-exit");
        exits.map(|it| it.message).collect()
    };
    assert_eq!(
        exits(&[pair]),
        [
            "a CTA may exit before its 2 CTAs have released pipeline: no producer_tail, no cluster barrier"
        ]
    );
    let written = "        ++write;\n      }\n";
    let with_tail = format!("{written}      pipeline.producer_tail(write);\n");
    let end = "      ++read;\n    }\n  }\n";
    let right: [&[(&str, &str)]; 4] = [
        &[],
        &[pair, (written, &with_tail)],
        &[pair, (end, &format!("{end}  cluster_sync();\n"))],
        &[pair, (end, &format!("{end}  leave_together();\n"))],
    ];
    for changes in right {
        assert_eq!(exits(changes), Vec::<String>::new(), "{changes:?}");
    }
}

const WAIT: &str = "  cudaGridDependencySynchronize();\n";

#[test]
fn a_dependent_kernel_reads_behind_its_wait() {
    let message =
        "grid-dependency: q is read before griddepcontrol.wait: scale may still write it on line 7";
    assert_eq!(found(DEPENDENT, &[(WAIT, "")]), [message]);
    let late = (
        "  r[at] = q[at] + 1;\n",
        "  r[at] = q[at] + 1;\n  cudaGridDependencySynchronize();\n",
    );
    assert_eq!(found(DEPENDENT, &[(WAIT, ""), late]), [message]);
    silent(
        DEPENDENT,
        &[
            &[(WAIT, "  asm volatile(\"griddepcontrol.wait;\");\n")],
            &[(WAIT, "  cutlass::arch::wait_on_dependent_grids();\n")],
            &[(WAIT, "  settle();\n")],
            // It does not begin early.
            &[
                (WAIT, ""),
                (
                    "cudaLaunchAttributeProgrammaticStreamSerialization",
                    "cudaLaunchAttributePriority",
                ),
            ],
            &[
                (WAIT, ""),
                ("  cudaTriggerProgrammaticLaunchCompletion();\n", ""),
            ],
            // Something else is read.
            &[(WAIT, ""), ("&config, shift, q, r", "&config, shift, p, r")],
            // The host waits between the two.
            &[
                (WAIT, ""),
                (
                    "  cudaLaunchKernelEx",
                    "  cudaDeviceSynchronize();\n  cudaLaunchKernelEx",
                ),
            ],
            // Two streams.
            &[(WAIT, ""), ("<<<64, 256>>>", "<<<64, 256, 0, other>>>")],
        ],
    );
}

#[test]
fn a_helper_lets_the_next_kernel_begin() {
    let helper = (
        "using namespace cute;\n",
        "using namespace cute;\nnamespace pdl { __device__ void let_go() { asm volatile(\"griddepcontrol.launch_dependents;\"); } }\n",
    );
    let trigger = (
        "  cudaTriggerProgrammaticLaunchCompletion();\n",
        "  pdl::let_go();\n",
    );
    let waiting = (
        "namespace pdl {",
        "namespace pdl { __device__ void settle() { asm volatile(\"griddepcontrol.wait;\"); }",
    );
    let said = found(DEPENDENT, &[helper, trigger, (WAIT, "")]);
    assert_eq!(said.len(), 1, "{said:?}");
    let other = (
        "using namespace cute;\n",
        "using namespace cute;\nnamespace pdl { __device__ void let_go() { asm volatile(\"griddepcontrol.wait;\"); } }\n",
    );
    silent(
        DEPENDENT,
        &[
            &[helper, trigger],
            // Functions that wait.
            &[helper, trigger, (WAIT, "  pdl::wait();\n")],
            &[helper, waiting, trigger, (WAIT, "  pdl::settle();\n")],
            &[other, trigger, (WAIT, "")],
        ],
    );
}

#[test]
fn a_kernel_in_assembly_begins_early_too() {
    let trigger = (
        "  cudaTriggerProgrammaticLaunchCompletion();\n",
        "  asm volatile(\"griddepcontrol.launch_dependents;\");\n",
    );
    let behind = (
        "  r[at] = q[at] + 1;\n",
        "  float x = q[at];\n  asm volatile(\"griddepcontrol.wait;\" ::: \"memory\");\n  r[at] = x + 1;\n",
    );
    let message =
        "grid-dependency: q is read before griddepcontrol.wait: scale may still write it on line 7";
    assert_eq!(found(DEPENDENT, &[(WAIT, ""), trigger, behind]), [message]);
    let loaded = |read: &str| {
        let body = format!("  {read}\n  cudaGridDependencySynchronize();\n  r[at] = x + 1;\n");
        found(DEPENDENT, &[(WAIT, ""), ("  r[at] = q[at] + 1;\n", &body)])
    };
    assert_eq!(loaded("float x = __ldg(q + at);"), [message]);
    assert_eq!(
        loaded("float const* row = q + 4; float x = row[at];"),
        [message]
    );
    // It points elsewhere.
    let other = "float const* row = q; row = r; float x = row[at];";
    assert_eq!(loaded(other), Vec::<String>::new());
    assert_eq!(
        loaded("float x = 0; float const* row = q + 4;"),
        Vec::<String>::new()
    );
    silent(
        DEPENDENT,
        &[
            &[trigger],
            &[
                trigger,
                (WAIT, "  asm volatile(\"griddepcontrol.wait;\");\n"),
            ],
        ],
    );
}

/// A histogram that is spread over a cluster, and a value that is read with instructions of PTX.
const SPREAD: &str = r#"
#include <cooperative_groups.h>
__global__ void count(int const* in, int* out, int n) {
  extern __shared__ int bins[];
  auto cluster = cooperative_groups::this_cluster();
  bins[threadIdx.x] = 0;
  cluster.sync();
  for (int i = threadIdx.x; i < n; i += 64) {
    int* there = cluster.map_shared_rank(bins, in[i] / 64);
    atomicAdd(there + in[i] % 64, 1);
  }
  cluster.sync();
  atomicAdd(&out[threadIdx.x], bins[threadIdx.x]);
}
__global__ void ask(float* p) {
  __shared__ float part[128];
  part[threadIdx.x] = p[threadIdx.x];
  asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;");
  unsigned own = static_cast<unsigned>(__cvta_generic_to_shared(part + threadIdx.x));
  unsigned there;
  float value;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(own), "r"(1));
  asm volatile("ld.shared::cluster.f32 %0, [%1];" : "=f"(value) : "r"(there));
  p[threadIdx.x] = value;
  asm volatile("barrier.cluster.arrive.aligned;");
  asm volatile("barrier.cluster.wait.aligned;");
}
void launch(int const* in, int* out, float* p, int n) {
  count<<<2, 64, 256>>>(in, out, n);
  ask<<<2, 128>>>(p);
}
"#;

#[test]
fn atomics_and_instructions_use_the_memory_of_another_cta() {
    let early = "cluster-exit: no cluster barrier before another CTA's shared memory is accessed: it may not have started";
    let late = "cluster-exit: a CTA may exit while this one still accesses its shared memory: no cluster barrier follows";
    let first = "  bins[threadIdx.x] = 0;\n  cluster.sync();\n";
    let second = "  }\n  cluster.sync();\n";
    assert_eq!(
        found(
            SPREAD,
            &[(first, "  bins[threadIdx.x] = 0;\n  __syncthreads();\n")]
        ),
        [early]
    );
    assert_eq!(
        found(SPREAD, &[(second, "  }\n  __syncthreads();\n")]),
        [late]
    );
    // The position of a thread in the grid orders nothing.
    assert_eq!(
        found(
            SPREAD,
            &[(
                first,
                "  bins[threadIdx.x] = cooperative_groups::this_grid().thread_rank() * 0;\n"
            )]
        ),
        [early]
    );
    let begin =
        "  asm volatile(\"barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;\");\n";
    let end = "  asm volatile(\"barrier.cluster.arrive.aligned;\");\n  asm volatile(\"barrier.cluster.wait.aligned;\");\n";
    assert_eq!(found(SPREAD, &[(end, "")]), [late]);
    assert_eq!(found(SPREAD, &[(begin, "  __syncthreads();\n")]), [early]);
    // Who arrives without a wait goes on.
    let arrival = "  asm volatile(\"barrier.cluster.arrive.aligned;\");\n";
    assert_eq!(found(SPREAD, &[(end, arrival)]), [late]);
    assert_eq!(
        found(SPREAD, &[(begin, "  cute::cluster_arrive();\n")]),
        [early]
    );
    silent(
        SPREAD,
        &[
            &[(end, "  cute::cluster_sync();\n")],
            &[(end, "  cute::cluster_arrive();\n  cute::cluster_wait();\n")],
            &[(end, "  leave();\n")],
            &[(begin, "  meet();\n")],
            // Whose memory it is is not known.
            &[(end, ""), ("\"r\"(1));", "\"r\"(rank_of(p)));")],
            // Whoever gets it waits for it.
            &[
                (end, ""),
                (
                    "ld.shared::cluster.f32 %0, [%1];",
                    "st.async.shared::cluster.f32 [%1], %0;",
                ),
            ],
        ],
    );
}
