//! Barriers in all orders of the threads.

use super::protocol::{found, silent};
use super::{costs_of, tutorial};

const PASS: &str = include_str!("pingpong.cu");
const ROLES: &str = include_str!("../../../tests/data/kernels/hopper_roles.cu");
const PIPELINE: &str = include_str!("../../../tests/data/kernels/hopper_pipeline.cu");
const INSTRUCTIONS: &str = include_str!("instructions.cu");

/// The first lines of what is said.
fn first(changes: &[(&str, &str)]) -> Vec<String> {
    let said = found(PASS, changes).into_iter();
    said.map(|said| said.lines().next().unwrap_or_default().to_owned())
        .collect()
}

#[test]
fn threads_that_wait_for_each_other_are_found_with_their_steps() {
    let late = ("int phase = 1;", "int phase = 0;");
    let said = found(PASS, &[late]);
    assert_eq!(said.len(), 1, "{said:?}");
    let lines: Vec<&str> = said[0].lines().collect();
    assert_eq!(
        lines[0],
        "barrier-order: thread 0 waits for phase 0, which never completes"
    );
    assert!(
        lines.last().unwrap().starts_with("with 7 tiles, "),
        "{said:?}"
    );
    // The consumer begins one phase early.
    assert_eq!(
        first(&[(
            "      arrive_barrier(empty);\n",
            "      if (k > 0) arrive_barrier(empty);\n"
        )])
        .len(),
        1
    );
}

#[test]
fn what_is_not_followed_is_silent() {
    let late = ("int phase = 1;", "int phase = 0;");
    silent(
        PASS,
        &[
            &[
                late,
                (
                    "      arrive_barrier(full);\n",
                    "      arrive_barrier(full);\n      settle();\n",
                ),
            ],
            &[
                late,
                ("if (threadIdx.x < 32)", "if (takes_part(threadIdx.x))"),
            ],
            &[late, ("<<<1, 64>>>", "<<<1, threads>>>")],
            &[
                late,
                (
                    "      wait_barrier(empty, phase);\n",
                    "      while (!try_wait_barrier(empty, phase)) {}\n",
                ),
            ],
        ],
    );
}

/// CUTLASS 4.2 copies tiles behind the last one, for which nothing waits: version 4.7 no longer does.
#[test]
fn copies_that_nobody_waits_for_are_found_in_the_tutorial() {
    let analysis = costs_of(&tutorial("hopper/wgmma_tma_sm90.cu"));
    let said = analysis
        .findings
        .iter()
        .filter(|it| it.rule == "barrier-order");
    let mut first: Vec<&str> = said
        .map(|it| it.message.lines().next().unwrap_or_default())
        .collect();
    first.dedup();
    assert_eq!(
        first,
        ["a bulk copy is still in flight when the last thread exits"]
    );
}

/// The first line of what `barrier-order` says, and its last two: the last step and the bound.
fn order(text: &str, changes: &[(&str, &str)]) -> Vec<String> {
    let said = found(text, changes).into_iter();
    let said = said.filter(|said| said.starts_with("barrier-order: "));
    said.map(|said| {
        let lines: Vec<&str> = said.lines().collect();
        assert!(lines.len() > 2, "{said}");
        lines[0].to_owned()
    })
    .collect()
}

const RELEASE: &str = "      EmptyBarrier::arrive(&smem.empty_barrier[stage]);\n";

#[test]
fn a_stage_that_is_filled_while_others_read_it_is_found_in_some_order() {
    let overwritten = "barrier-order: a stage is filled while line 69 may still read it: no order";
    // The consumers say too early that they have read it.
    let early = [
        (RELEASE, ""),
        (
            "      warpgroup_arrive();\n",
            "      EmptyBarrier::arrive(&smem.empty_barrier[stage]);\n      warpgroup_arrive();\n",
        ),
    ];
    assert_eq!(order(ROLES, &early), [overwritten]);
    // They never say so.
    assert_eq!(found(ROLES, &[(RELEASE, "")]).len(), 1);
}

#[test]
fn pipelines_of_cutlass_are_followed() {
    let release = "      pipeline.consumer_release(read);\n";
    let said = order(PIPELINE, &[(release, "")]);
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(said[0].contains("never completes"), "{said:?}");
    let wait = "      pipeline.consumer_wait(read);\n";
    let said = order(PIPELINE, &[(wait, "")]);
    assert_eq!(said.len(), 1, "{said:?}");
    // An advance that is missing.
    let said = order(PIPELINE, &[("      ++read;\n", "")]);
    assert_eq!(said.len(), 1, "{said:?}");
}

#[test]
fn pipelines_of_which_something_is_not_known_are_silent() {
    let release = ("      pipeline.consumer_release(read);\n", "");
    silent(
        PIPELINE,
        &[
            &[
                release,
                (
                    "params.num_consumers = 128;",
                    "params.num_consumers = consumers();",
                ),
            ],
            &[release, ("Shape<_1, _1, _1>{});", "Shape<_2, _1, _1>{});")],
            &[release, ("dim3 block(256);", "dim3 block(threads);")],
        ],
    );
}

#[test]
fn functions_that_are_one_instruction_on_a_barrier_are_that() {
    let stuck = "barrier-order: thread 0 waits for phase 0, which never completes";
    let signal = ("      signal(&empty);\n", "");
    for change in [("int phase = 1;", "int phase = 0;"), signal] {
        assert_eq!(order(INSTRUCTIONS, &[change]), [stuck], "{change:?}");
    }
    // Another instruction, or several of them, are something else.
    silent(
        INSTRUCTIONS,
        &[
            &[
                signal,
                (
                    "mbarrier.arrive.shared::cta.b64 _, [%0];",
                    "mbarrier.arrive.noComplete.shared::cta.b64 _, [%0], 1;",
                ),
            ],
            &[
                signal,
                (
                    "mbarrier.arrive.shared::cta.b64 _, [%0];",
                    "mapa.shared::cluster.u32 %0, %0, 0; mbarrier.arrive.shared::cta.b64 _, [%0];",
                ),
            ],
        ],
    );
}

#[test]
fn barriers_with_methods_are_followed() {
    let methods = [
        (
            "alignas(8) uint64_t full_barrier",
            "alignas(8) FullBarrier full_barrier",
        ),
        (
            "alignas(8) uint64_t empty_barrier",
            "alignas(8) EmptyBarrier empty_barrier",
        ),
        (
            "FullBarrier::init(&smem.full_barrier[i], 1)",
            "smem.full_barrier[i].init(1)",
        ),
        (
            "EmptyBarrier::init(&smem.empty_barrier[i], 128)",
            "smem.empty_barrier[i].init(128)",
        ),
        (
            "FullBarrier::arrive_and_expect_tx(&smem.full_barrier[stage], (64",
            "smem.full_barrier[stage].arrive_and_expect_tx((64",
        ),
        (
            "FullBarrier::wait(&smem.full_barrier[stage], phase)",
            "smem.full_barrier[stage].wait(phase)",
        ),
        (
            "EmptyBarrier::arrive(&smem.empty_barrier[stage])",
            "smem.empty_barrier[stage].arrive()",
        ),
    ];
    let wait = "        EmptyBarrier::wait(&smem.empty_barrier[stage], phase ^ 1);\n";
    let right = (wait, "        smem.empty_barrier[stage].wait(phase ^ 1);\n");
    let with = |change: (&'static str, &'static str)| {
        let mut changes = methods.to_vec();
        changes.push(change);
        found(ROLES, &changes)
    };
    assert_eq!(with(right), Vec::<String>::new());
    let rule = |said: Vec<String>| -> Vec<String> {
        said.into_iter()
            .filter_map(|said| Some(said.split_once(':')?.0.to_owned()))
            .collect()
    };
    assert_eq!(rule(with((wait, ""))), ["barrier-order"]);
    let early = (wait, "        smem.empty_barrier[stage].wait(phase);\n");
    assert_eq!(rule(with(early)), ["barrier-order"]);
}

#[test]
fn parameters_of_a_cluster_launch_in_braces_change_no_variable() {
    let text = r"
#include <cute/tensor.hpp>
#include <cutlass/cluster_launch.hpp>
using namespace cute;

__global__ void turn(int tiles) {
  __shared__ uint64_t full;
  if (threadIdx.x == 0) {
    initialize_barrier(full, 1);
  }
  __syncthreads();
  for (int tile = 0; tile < tiles; ++tile) {
    if (threadIdx.x == 0) {
      arrive_barrier(full);
    }
    wait_barrier(full, tile % 2);
    __syncthreads();
  }
}

void launch(int tiles) {
  dim3 grid(8);
  dim3 block(128);
  dim3 cluster(2);
  cutlass::ClusterLaunchParams params{grid, block, cluster, 0};
  cutlass::launch_kernel_on_cluster(params, (void const*)&turn, tiles);
}
";
    silent(text, &[&[]]);
    let said = found(
        text,
        &[("initialize_barrier(full, 1)", "initialize_barrier(full, 2)")],
    );
    assert!(
        matches!(said.as_slice(), [only] if only.starts_with("arrival-count-mismatch")),
        "{said:?}"
    );
}
