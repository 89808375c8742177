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
