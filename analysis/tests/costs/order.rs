//! Synchronisation required between two accesses: barriers, waits, arrivals.

use super::{changed, costs_of};

const RACE: &str = include_str!("race.cu");
const GROUPS: &str = include_str!("groups.cu");
const PRODUCTS: &str = include_str!("products.cu");

const BARRIER: &str = "  __syncthreads();\n";

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
fn found(text: &str, changes: &[(&str, &str)]) -> Vec<String> {
    assert_eq!(said(text), Vec::<String>::new());
    let mut text = text.to_owned();
    for (from, to) in changes {
        text = changed(&text, from, to);
    }
    said(&text)
}

#[test]
fn a_read_of_what_another_warp_writes_wants_a_barrier() {
    let message = "shared-race: thread 32 writes shared[512], thread 4 reads it, and no barrier is between them";
    assert_eq!(found(RACE, &[(BARRIER, "")]), [message]);
    assert_eq!(
        found(RACE, &[(BARRIER, "  cp_async_wait<0>();\n")]),
        [message]
    );
}

#[test]
fn a_tile_that_is_read_is_not_overwritten_without_a_barrier() {
    let write = "  copy(local_partition(from, columns, threadIdx.x), local_partition(shared, columns, threadIdx.x));\n";
    let read = "  copy(local_partition(shared, rows, threadIdx.x), local_partition(to, rows, threadIdx.x));\n";
    let begin = (
        write,
        &*format!("  for (int k = 0; k < n; ++k) {{\n{write}"),
    );
    let n = ("float* q) {", "float* q, int n) {");
    let call = ("(p, q);", "(p, q, 3);");
    let open = [begin, (read, &*format!("{read}  }}\n")), n, call];
    assert_eq!(
        found(RACE, &open),
        [
            "shared-race: thread 32 overwrites shared[512], which thread 4 may still read: no barrier"
        ]
    );
    let closed = [begin, (read, &*format!("{read}{BARRIER}  }}\n")), n, call];
    assert_eq!(found(RACE, &closed), Vec::<String>::new());
}

#[test]
fn own_elements_and_what_is_not_known_are_silent() {
    for changes in [
        // What the thread wrote itself.
        vec![
            (BARRIER, ""),
            ("shared, rows", "shared, columns"),
            ("to, rows", "to, columns"),
        ],
        // One warp.
        vec![
            (BARRIER, "  __syncwarp();\n"),
            (
                "Int<8>{}, Int<8>{}), LayoutRight",
                "Int<8>{}, Int<4>{}), LayoutRight",
            ),
            (
                "columns = make_layout(make_shape(Int<8>{}, Int<8>{}))",
                "columns = make_layout(make_shape(Int<8>{}, Int<4>{}))",
            ),
            ("<<<1, 64>>>", "<<<1, 32>>>"),
        ],
        // It may have a barrier.
        vec![(BARRIER, "  wait_for_all();\n")],
        vec![(BARRIER, "  asm volatile(\"bar.sync 0;\");\n")],
        // One of two.
        vec![
            (
                "  copy(local_partition(from",
                "  if (q) copy(local_partition(from",
            ),
            (BARRIER, ""),
        ],
        // Threads that are not all.
        vec![
            (BARRIER, ""),
            (
                "  copy(local_partition(shared",
                "  if (threadIdx.x > 3) copy(local_partition(shared",
            ),
        ],
        // A number of threads that is not known.
        vec![
            (BARRIER, ""),
            ("<<<1, 64>>>(p, q);", "<<<1, unsigned(threads)>>>(p, q);"),
            (
                "float* q) {\n  multiply",
                "float* q, int threads) {\n  multiply",
            ),
        ],
    ] {
        assert_eq!(found(RACE, &changes), Vec::<String>::new(), "{changes:?}");
    }
}

#[test]
fn a_wait_waits_for_a_group() {
    let wait = "cp_async_wait<0>();";
    assert_eq!(
        found(GROUPS, &[(wait, "cp_async_wait<1>();")]),
        [
            "copy-group-wait: cp_async_wait<1> waits for no copy: only 1 group is committed before it"
        ]
    );
    let fence = ("  cp_async_fence();\n", "");
    assert_eq!(
        found(GROUPS, &[fence, (wait, "cp_async_wait<1>();")]),
        [
            "copy-group-wait: cp_async_wait<1> waits for no copy: only 0 groups are committed before it"
        ]
    );
    assert_eq!(
        found(GROUPS, &[(wait, "cp_async_wait(Int<1>{});")]).len(),
        1
    );
    for changes in [
        // It waits for copies without a group, too.
        vec![fence],
        // Two groups, of which one is waited for; empty ones count.
        vec![
            ("cp_async_fence();", "cp_async_fence(); cp_async_fence();"),
            (wait, "cp_async_wait<1>();"),
        ],
        vec![
            (
                "cp_async_fence();",
                "for (int i = 0; i < 3; ++i) { cp_async_fence(); }",
            ),
            (wait, "cp_async_wait<2>();"),
        ],
        // What is called may close groups.
        vec![("cp_async_fence();", "close_group();")],
        // The compiler chooses the instruction.
        vec![
            fence,
            (
                "SM80_CP_ASYNC_CACHEALWAYS<uint128_t>",
                "UniversalCopy<uint128_t>",
            ),
        ],
    ] {
        assert_eq!(found(GROUPS, &changes), Vec::<String>::new(), "{changes:?}");
    }
}

#[test]
fn asynchronous_copies_are_waited_for() {
    let wait = "  cp_async_wait<0>();\n";
    assert_eq!(
        found(GROUPS, &[(wait, "")]),
        [
            "async-copy-wait: shared is read while its asynchronous copies may not have arrived: nothing waits for them"
        ]
    );
    assert_eq!(
        found(GROUPS, &[(wait, "  wait_for_all();\n")]),
        Vec::<String>::new()
    );
    let chosen = (
        "SM80_CP_ASYNC_CACHEALWAYS<uint128_t>",
        "UniversalCopy<uint128_t>",
    );
    assert_eq!(found(GROUPS, &[(wait, ""), chosen]), Vec::<String>::new());
}

#[test]
fn products_of_a_warp_group_are_started_and_waited_for() {
    let (arrive, wait) = ("  warpgroup_arrive();\n", "  warpgroup_wait<0>();\n");
    assert_eq!(
        found(PRODUCTS, &[(arrive, "")]),
        [
            "wgmma-arrive: no warpgroup_arrive orders the 128 accumulator bytes of a thread before the MMA"
        ]
    );
    assert_eq!(
        found(PRODUCTS, &[(wait, "")]),
        ["wgmma-wait: rC is read while the MMA on line 18 may still write it: no warpgroup_wait"]
    );
    // An element, in a separate loop.
    let (copy, element) = (
        "  copy(rC, tCgC);\n",
        "  for (int i = 0; i < size(rC); ++i) {\n    tCgC(i) = rC(i) * 2.0f;\n  }\n",
    );
    assert_eq!(found(PRODUCTS, &[(copy, element)]), Vec::<String>::new());
    assert_eq!(
        found(PRODUCTS, &[(wait, ""), (copy, element)]),
        ["wgmma-wait: rC is read while the MMA on line 18 may still write it: no warpgroup_wait"]
    );
    for changes in [[(arrive, "  begin();\n")], [(wait, "  finish();\n")]] {
        assert_eq!(
            found(PRODUCTS, &changes),
            Vec::<String>::new(),
            "{changes:?}"
        );
    }
}

#[test]
fn a_wait_is_for_groups_of_products_that_are_closed() {
    let commit = "  warpgroup_commit_batch();\n";
    assert_eq!(
        found(PRODUCTS, &[(commit, "")]),
        ["wgmma-wait: no warpgroup_commit_batch: this does not wait for the MMA of line 18"]
    );
    assert_eq!(
        found(PRODUCTS, &[("warpgroup_wait<0>", "warpgroup_wait<1>")]),
        ["wgmma-wait: rC is read while the MMA on line 18 may still write it: no warpgroup_wait"]
    );
    let more = "  warpgroup_commit_batch();\n  warpgroup_commit_batch();\n";
    assert_eq!(
        found(
            PRODUCTS,
            &[(commit, more), ("warpgroup_wait<0>", "warpgroup_wait<1>")]
        ),
        Vec::<String>::new()
    );
}
