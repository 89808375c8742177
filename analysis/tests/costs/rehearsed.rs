//! Stages of shared memory in the order of a thread: what has not arrived, what others may not see, what is lost.

use super::protocol::{found, silent};

const STAGES: &str = include_str!("multistage.cu");

const TURNED: &str = include_str!("transposed.cu");

const WAIT: &str = "    cp_async_wait<1>();\n";
const BARRIER: &str = "    __syncthreads();\n";
const PREFETCHED: &str = "pipe < MAX - 1";
const IN_LOOP: &str = "stages(_, _, _, pipe_write));\n    cp_async_fence();\n";

#[test]
fn a_wait_that_leaves_the_stage_open_is_found() {
    let message = "copy-group-wait: cp_async_wait<2> does not wait for stage 0 of shared, which is read next\none group is committed after it";
    assert_eq!(
        found(STAGES, &[(WAIT, "    cp_async_wait<2>();\n")]),
        [message]
    );
    // Without a separate group a copy joins the next one.
    let said = found(STAGES, &[(IN_LOOP, "stages(_, _, _, pipe_write));\n")]);
    assert!(
        said.iter()
            .all(|said| said
                .starts_with("copy-group-wait: cp_async_wait<1> does not wait for stage")),
        "{said:?}"
    );
    assert!(!said.is_empty());
    let said = found(STAGES, &[(WAIT, "")]);
    assert!(
        said.contains(&"async-copy-wait: stage 0 of shared is read before its asynchronous copy has arrived: no wait".to_owned()),
        "{said:?}"
    );
}

#[test]
fn a_stage_that_other_warps_fill_wants_a_barrier() {
    let said = found(STAGES, &[(BARRIER, "")]);
    assert!(
        said.iter().all(|said| said.starts_with("shared-race: ")) && said.len() == 2,
        "{said:?}"
    );
    // The barrier behind the read is too late for what is read, and before the wait it is too early.
    let early = "    __syncthreads();\n    cp_async_wait<1>();\n";
    let both = "    cp_async_wait<1>();\n    __syncthreads();\n";
    assert_eq!(found(STAGES, &[(both, early)]).len(), 1);
}

#[test]
fn a_tile_that_is_overwritten_unread_is_found() {
    assert_eq!(
        found(STAGES, &[(PREFETCHED, "pipe < MAX")]),
        ["stage-order: stage 2 of shared is overwritten before anything reads what line 21 copied"]
    );
    // A wrong start is read before it has arrived.
    let said = found(STAGES, &[("int pipe_read = 0", "int pipe_read = 1")]);
    assert!(
        said.len() == 1 && said.iter().all(|said| said.starts_with("copy-group-wait")),
        "{said:?}"
    );
}

#[test]
fn right_orders_and_what_is_not_known_are_silent() {
    let open = (WAIT, "    cp_async_wait<2>();\n");
    silent(
        STAGES,
        &[
            // All of them are waited for.
            &[(WAIT, "    cp_async_wait<0>();\n")],
            &[
                (WAIT, "    cp_async_wait<0>();\n"),
                (IN_LOOP, "stages(_, _, _, pipe_write));\n"),
            ],
            // An empty group behind each.
            &[
                open,
                (
                    "  int pipe_read = 0;",
                    "  cp_async_fence();\n  int pipe_read = 0;",
                ),
                (
                    IN_LOOP,
                    "stages(_, _, _, pipe_write));\n    cp_async_fence();\n    cp_async_fence();\n",
                ),
            ],
            // The last tile once more.
            &[(
                "  int pipe_read = 0;",
                "  copy(tiled, source(_, _, _, next), stages(_, _, _, 2));\n  int pipe_read = 0;",
            )],
            // A branch on what is in memory, a function with unknown effects.
            &[
                open,
                (
                    WAIT,
                    "    if (p[k] > 0.0f) { cp_async_wait<1>(); } else { cp_async_wait<0>(); }\n",
                ),
            ][1..],
            &[
                open,
                ("  int pipe_read = 0;", "  finish();\n  int pipe_read = 0;"),
            ],
            &[
                open,
                (
                    "  int pipe_read = 0;",
                    "  asm volatile(\"cp.async.wait_all;\");\n  int pipe_read = 0;",
                ),
            ],
            // A stage that is not known.
            &[
                open,
                ("    pipe_write = pipe_read;", "    pipe_write = int(p[k]);"),
            ],
        ],
    );
}

#[test]
fn numbers_with_qualified_names_are_followed() {
    let traits = (
        "using namespace cute;\n",
        "using namespace cute;\ntemplate <int N>\nstruct Traits { static constexpr int kStages = N; using Tile = Layout<Shape<_128, _8, Int<N>>>; };\nusing Own = Traits<3>;\n",
    );
    let (prefetch, write, read) = (
        ("pipe < MAX - 1", "pipe < Own::kStages - 1"),
        ("pipe_write = MAX - 1", "pipe_write = Own::kStages - 1"),
        ("% MAX;", "% Own::kStages;"),
    );
    let count = ("auto MAX = size<3>(stages);\n", "\n");
    let named = [traits, prefetch, write, read, count];
    silent(STAGES, &[&named]);
    let wrong = |change: (&'static str, &'static str)| {
        let mut changes = named.to_vec();
        changes.push(change);
        found(STAGES, &changes)
    };
    assert_eq!(
        wrong((WAIT, "    cp_async_wait<Own::kStages - 1>();\n")),
        [
            "copy-group-wait: cp_async_wait<2> does not wait for stage 0 of shared, which is read next\none group is committed after it"
        ]
    );
    let said = wrong(("% Own::kStages;", "% (Own::kStages + 1);"));
    assert!(
        said.iter()
            .any(|said| said.starts_with("stage-out-of-range")),
        "{said:?}"
    );
    // Static results of functions are numbers, too.
    let direct = [
        ("pipe < MAX - 1", "pipe < size<3>(stages) - 1"),
        ("pipe_write = MAX - 1", "pipe_write = size<2>(shared) - 1"),
        ("% MAX;", "% size<3>(stages);"),
        count,
    ];
    silent(STAGES, &[&direct]);
    let mut late = direct.to_vec();
    late.push((WAIT, ""));
    assert!(!found(STAGES, &late).is_empty());
}

#[test]
fn a_tensor_of_the_same_memory_is_the_same_stage() {
    let said = found(TURNED, &[("    cp_async_wait<0>();\n", "")]);
    assert_eq!(
        said,
        ["async-copy-wait: shared is read before its asynchronous copy has arrived: no wait"]
    );
    let barrier = "target(_, _, _, k));\n    __syncthreads();\n";
    let said = found(TURNED, &[(barrier, "target(_, _, _, k));\n")]);
    assert!(
        said.len() == 1 && said.iter().all(|said| said.starts_with("shared-race: ")),
        "{said:?}"
    );
    silent(
        TURNED,
        &[
            // Nothing of it is read, but of what begins before it.
            &[
                (
                    "other.data() + size(other)",
                    "other.data() + size(other) / 2",
                ),
                ("shared.data(), columns", "other.data(), columns"),
            ],
        ],
    );
}
