//! Barriers that are reached through pointers into shared memory, with instructions in assembly.

use super::protocol::{found, silent};

const RING: &str = include_str!("ptx_ring.cu");
const VARIABLES: &str = include_str!("instructions.cu");
const COUNT: &str = "begin(&empty[s], CONSUMERS);";
const ARRIVAL: &str = "      arrive(&empty[stage]);\n";
const VISIBLE: &str = "  __syncthreads();\n";

/// The rules and the first lines of what is said.
fn first(changes: &[(&str, &str)]) -> Vec<String> {
    let said = found(RING, changes).into_iter();
    said.map(|said| said.lines().next().unwrap_or_default().to_owned())
        .collect()
}

#[test]
fn arrivals_at_pointers_are_counted() {
    assert_eq!(
        first(&[(COUNT, "begin(&empty[s], CONSUMERS / 32);")]),
        [
            "arrival-count-mismatch: barrier expects 8 arrivals per phase, but 256 arrive: its phases advance early"
        ]
    );
}

#[test]
fn variables_are_barriers_of_their_own() {
    let count = ("init_barrier(&empty, 32)", "init_barrier(&empty, 16)");
    assert_eq!(
        found(VARIABLES, &[count]),
        [
            "arrival-count-mismatch: barrier expects 16 arrivals per phase, but 32 arrive: its phases advance early"
        ]
    );
    // Where a pointer points is not known: its arrivals may be those of another one.
    let unknown = first(&[
        (COUNT, "begin(&empty[s], CONSUMERS / 32);"),
        ("full + STAGES;", "full + tiles;"),
    ]);
    assert!(
        unknown.iter().all(|said| !said.starts_with("arrival-")),
        "{unknown:?}"
    );
}

#[test]
fn waits_that_never_end_are_found() {
    let announced = "announce(&full[stage], TILE * sizeof(float));";
    for changes in [
        (ARRIVAL, ""),
        ("phase ^ 1);", "phase);"),
        (
            announced,
            "announce(&full[stage], 2 * TILE * sizeof(float));",
        ),
    ] {
        let said = first(&[changes]);
        assert!(
            said.len() == 1 && said.iter().all(|said| said.contains("never completes")),
            "{changes:?}: {said:?}"
        );
    }
}

#[test]
fn barriers_are_initialised_before_others_wait() {
    let said = first(&[(VISIBLE, "")]);
    assert!(
        said.iter()
            .any(|said| said.starts_with("barrier-not-visible: ")),
        "{said:?}"
    );
}

#[test]
fn pointers_to_one_barrier_are_one() {
    let same = (
        "uint64_t* empty = full + STAGES;",
        "uint64_t* empty = full + STAGES;\n  uint64_t* released = empty;",
    );
    silent(
        RING,
        &[
            &[same, (ARRIVAL, "      arrive(&released[stage]);\n")],
            // It may wait for something.
            &[
                (ARRIVAL, ""),
                (
                    "    float sum = 0.f;\n",
                    "    float sum = 0.f;\n    asm volatile(\"bar.sync 1, 256;\");\n",
                ),
            ],
        ],
    );
}
