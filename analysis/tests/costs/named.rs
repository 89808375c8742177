//! Named barriers: how many threads come to one, and whether anything waits there.

use super::{changed, costs_of};

const HAND_OVER: &str = r#"
__global__ void hand_over(float const* in, float* out) {
  __shared__ float buffer[128];
  if (threadIdx.x < 128) {
    for (int i = 0; i < 8; ++i) {
      asm volatile("bar.sync 2, 256;" ::: "memory");
      buffer[threadIdx.x] = in[i * 128 + threadIdx.x];
      asm volatile("bar.arrive 1, 256;" ::: "memory");
    }
  } else {
    int const t = threadIdx.x - 128;
    asm volatile("bar.arrive 2, 256;" ::: "memory");
    for (int i = 0; i < 8; ++i) {
      asm volatile("bar.sync 1, 256;" ::: "memory");
      out[i * 128 + t] = buffer[127 - t];
      if (i < 7) asm volatile("bar.arrive 2, 256;" ::: "memory");
    }
  }
}

void launch(float const* in, float* out) {
  hand_over<<<1, 256>>>(in, out);
}
"#;

fn said(text: &str) -> Vec<String> {
    let findings = costs_of(text).findings.into_iter();
    let mut all: Vec<String> = findings
        .map(|finding| format!("{}: {}", finding.rule, finding.message))
        .collect();
    all.sort();
    all
}

#[test]
fn as_many_threads_come_as_a_barrier_counts() {
    assert_eq!(said(HAND_OVER), Vec::<String>::new());
    let text = changed(HAND_OVER, "bar.arrive 1, 256", "bar.arrive 3, 256");
    assert_eq!(
        said(&text),
        [
            "arrival-count-mismatch: named barrier 1 counts 256 threads, but only 128 come to it: it never completes",
            "barrier-never-waited: threads arrive at named barrier 3, but nothing waits for it",
        ]
    );
}

#[test]
fn a_barrier_with_an_unknown_use_is_not_judged() {
    let text = changed(HAND_OVER, "bar.arrive 1, 256", "bar.arrive 3, 256");
    let text = changed(
        &text,
        "    int const t = threadIdx.x - 128;",
        "    int const t = threadIdx.x - 128; other(out);",
    );
    assert_eq!(said(&text), Vec::<String>::new());
}

#[test]
fn a_barrier_is_not_judged_where_assembly_uses_it_in_another_way() {
    let text = changed(HAND_OVER, "bar.arrive 1, 256", "bar.arrive 3, 256");
    for other in [
        // All threads of the CTA wait at it.
        "bar.sync 3;",
        "@p bar.sync 3, 256;",
        "barrier.red.popc.u32 n, 3, 256, p;",
    ] {
        let text = changed(
            &text,
            "    int const t = threadIdx.x - 128;",
            &format!("    int const t = threadIdx.x - 128; asm volatile(\"{other}\");"),
        );
        assert_eq!(said(&text), Vec::<String>::new(), "{other}");
    }
    // A barrier of a cluster has no number.
    let text = changed(
        HAND_OVER,
        "    int const t = threadIdx.x - 128;",
        "    int const t = threadIdx.x - 128; asm volatile(\"barrier.cluster.arrive;\");",
    );
    let text = changed(&text, "bar.arrive 1, 256", "bar.arrive 3, 256");
    assert_eq!(said(&text).len(), 2);
}

const ROLES: &str = r#"
__device__ void meet(int id, int threads) {
  asm volatile("bar.sync %0, %1;" :: "r"(id), "r"(threads) : "memory");
}

__device__ void pass(int id, int threads) {
  asm volatile("bar.arrive %0, %1;" :: "r"(id), "r"(threads) : "memory");
}

constexpr int kThreads = 256;

__global__ void hand_over(float const* in, float* out, int tiles) {
  __shared__ float buffer[128];
  if (threadIdx.x < 128) {
    for (int i = 0; i < tiles; ++i) {
      meet(2, kThreads);
      buffer[threadIdx.x] = in[i * 128 + threadIdx.x];
      pass(1, kThreads);
    }
  } else {
    pass(2, kThreads);
    for (int i = 0; i < tiles; ++i) {
      meet(1, kThreads);
      out[i * 128 + threadIdx.x - 128] = buffer[255 - threadIdx.x];
      if (i < tiles - 1) pass(2, kThreads);
    }
  }
}

void launch(float const* in, float* out, int tiles) {
  hand_over<<<1, 256>>>(in, out, tiles);
}
"#;

/// The first lines of what is said after a change.
fn first(text: &str, from: &str, to: &str) -> Vec<String> {
    let said = said(&changed(text, from, to)).into_iter();
    said.map(|said| said.lines().next().unwrap_or_default().to_owned())
        .collect()
}

#[test]
fn functions_of_one_instruction_are_named_barriers() {
    assert_eq!(said(ROLES), Vec::<String>::new());
    assert_eq!(
        first(ROLES, "meet(1, kThreads)", "meet(3, kThreads)"),
        [
            "arrival-count-mismatch: named barrier 3 counts 256 threads, but only 128 come to it: it never completes",
            "barrier-never-waited: threads arrive at named barrier 1, but nothing waits for it",
        ]
    );
}

#[test]
fn roles_that_wait_for_each_other_never_end() {
    for (from, to) in [
        // Nobody begins.
        ("    pass(2, kThreads);\n", ""),
        // One tile is not handed back.
        (
            "    for (int i = 0; i < tiles; ++i) {\n      meet(2",
            "    for (int i = 0; i < tiles + 1; ++i) {\n      meet(2",
        ),
    ] {
        let said = first(ROLES, from, to);
        assert!(
            matches!(said.as_slice(), [only] if only.starts_with("barrier-order: threads")
                && only.contains("named barrier")),
            "{said:?}"
        );
    }
}

#[test]
fn parts_of_warps_and_uneven_loops_are_not_followed() {
    let begun = changed(ROLES, "    pass(2, kThreads);\n", "");
    for (from, to) in [
        ("threadIdx.x < 128", "threadIdx.x < 120"),
        (
            "int i = 0; i < tiles",
            "int i = threadIdx.x / 64; i < tiles",
        ),
        ("meet(2, kThreads)", "meet(in[0], kThreads)"),
        (
            "  __shared__ float buffer[128];",
            "  __shared__ float buffer[128]; other(out);",
        ),
    ] {
        let said = first(&begun, from, to);
        assert!(
            !said.iter().any(|said| said.starts_with("barrier-order")),
            "{said:?}"
        );
    }
}

#[test]
fn a_cta_has_sixteen_named_barriers_of_whole_warps() {
    let text = ROLES
        .replace("meet(1,", "meet(16,")
        .replace("pass(1,", "pass(16,");
    let said = said(&text);
    assert!(
        said.iter()
            .any(|said| said
                == "named-barrier: a CTA does not have a named barrier 16: it has 0 to 15"),
        "{said:?}"
    );
    let text = ROLES.replace("kThreads = 256", "kThreads = 250");
    let said = self::said(&text);
    assert!(
        said.iter().any(|said| said
            == "named-barrier: named barrier 2 counts 250 threads: not a multiple of the 32 of a warp"),
        "{said:?}"
    );
}

#[test]
fn groups_meet_at_barriers_by_their_own_numbers() {
    let text = r"
#include <cutlass/arch/barrier.h>

__global__ void halves(float const* in, float* out) {
  __shared__ float buffer[256];
  int const group = threadIdx.x / 128;
  buffer[threadIdx.x] = in[threadIdx.x];
  cutlass::arch::NamedBarrier::sync(128, group + 1);
  out[threadIdx.x] = buffer[group * 128 + 127 - threadIdx.x % 128];
}

void launch(float const* in, float* out) {
  halves<<<1, 256>>>(in, out);
}
";
    assert_eq!(said(text), Vec::<String>::new());
    assert_eq!(
        first(text, "sync(128, group + 1)", "sync(256, group + 1)"),
        [
            "arrival-count-mismatch: named barrier 1 counts 256 threads, but only 128 come to it: it never completes",
            "arrival-count-mismatch: named barrier 2 counts 256 threads, but only 128 come to it: it never completes"
        ]
    );
}

#[test]
fn the_class_of_cutlass_says_how_many_barriers_it_keeps() {
    let text = r"
namespace cutlass {
namespace arch {
enum class ReservedNamedBarriers { EpilogueBarrier = 1, LastBarrier = 7, FirstUserBarrier = LastBarrier + 1 };
class NamedBarrier {
 public:
  NamedBarrier(uint32_t num_threads, uint32_t id);
  void sync() const;
  static void sync(uint32_t num_threads, uint32_t id);
  static const uint32_t ReservedNamedBarrierCount = static_cast<uint32_t>(ReservedNamedBarriers::FirstUserBarrier);
};
}
}

__global__ void reverse(float const* in, float* out) {
  __shared__ float buffer[256];
  buffer[threadIdx.x] = in[threadIdx.x];
  cutlass::arch::NamedBarrier::sync(256, 7);
  out[threadIdx.x] = buffer[255 - threadIdx.x];
}

void launch(float const* in, float* out) {
  reverse<<<1, 256>>>(in, out);
}
";
    assert_eq!(said(text), Vec::<String>::new());
    let expected = [
        "named-barrier: a CTA does not have a named barrier 8: it has 0 to 7, and CUTLASS keeps 8 of 16",
    ];
    assert_eq!(first(text, "(256, 7)", "(256, 8)"), expected);
    let object = changed(
        text,
        "cutlass::arch::NamedBarrier::sync(256, 7);",
        "cutlass::arch::NamedBarrier bar(256, 8); bar.sync();",
    );
    assert_eq!(said(&object), expected);
    // Without the header nobody knows.
    let (_, kernel) = text.split_at(text.find("__global__").expect("the kernel"));
    assert_eq!(first(kernel, "(256, 7)", "(256, 8)"), Vec::<String>::new());
}
