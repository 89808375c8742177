//! Conditions that the host checks before a launch count for the findings about the grid.

use cute_analysis::{Analysis, Options};

use crate::support::analysed;

/// A kernel whose CTAs store whole tiles of 128, on a grid that is rounded up to pairs of CTAs.
fn launched(checks: &str, caller: &str) -> String {
    format!(
        "using namespace cute;
template <class Tensor_> __global__ void zero(Tensor_ out) {{
  Tensor tile = local_tile(out, Shape<_128>{{}}, make_coord(blockIdx.x));
  Tensor part = local_partition(tile, Layout<_32>{{}}, threadIdx.x);
  Tensor zeros = make_tensor_like(part);
  clear(zeros);
  copy(zeros, part);
}}
bool fits(int rows) {{ return rows % 256 == 0; }}
template <class T> int launch(T* p, int n, int other) {{
  {checks}
  Tensor out = make_tensor(make_gmem_ptr(p), make_shape(n), make_stride(Int<1>{{}}));
  dim3 grid(round_up(ceil_div(n, 128), 2));
  zero<<<grid, 32>>>(out);
  return 0;
}}
int main(int argc, char** argv) {{
  float* p = nullptr;
  int m = atoi(argv[1]);
  {caller}
}}
"
    )
}

fn rules(analysis: &Analysis) -> Vec<&'static str> {
    analysis.findings.iter().map(|found| found.rule).collect()
}

fn found(checks: &str, caller: &str) -> Vec<&'static str> {
    rules(&analysed(&launched(checks, caller), &Options::default()))
}

const CALL: &str = "launch(p, m, 4);";

#[test]
fn a_check_before_the_launch_silences_what_it_excludes() {
    for check in [
        "if (n % 256 != 0) return 1;",
        "if (n % 256) { return 1; }",
        "if (n % 256 != 0 || other % 128 != 0) return 1;",
        "if (n & 1 || n % 256 != 0) { printf(\"no\"); exit(1); }",
        "if (n % 256 != 0) throw std::runtime_error(\"no\");",
        "if (n % 256 != 0) { std::abort(); }",
        "if (!(n % 256 == 0)) return 1;",
        "if (n % 256 == 0) {} else { return 1; }",
        "assert(n % 256 == 0);",
        "assert(n % 256 == 0 && \"whole pairs of tiles\");",
        "TORCH_CHECK(n % 256 == 0, \"no\", n);",
        "CHECK_EQ(n % 256, 0);",
        "if (not evenly_divides(make_shape(n, other), make_shape(_256{}, _128{}))) return 1;",
        "auto tiler = make_shape(_128{}, make_shape(_256{}, _1{}));
         if (!evenly_divides(make_shape(other, make_shape(n, 4)), tiler)) { return 1; }",
        "FLASHINFER_CHECK(n % 512 == 0);",
        "if (!fits(n)) return 1;",
        "bool const ok = n % 256 == 0; if (!ok) return 1;",
        "{ if (n % 256) return 1; }",
        "if (!is_supported(n)) return 1;",
    ] {
        assert_eq!(found(check, CALL), [""; 0], "{check}");
    }
}

#[test]
fn a_check_that_excludes_nothing_of_it_does_not() {
    for check in [
        "",
        "if (n % 128 != 0) return 1;",
        "if (other % 256 != 0) return 1;",
        "if (not evenly_divides(make_shape(other, n), make_shape(_256{}, _128{}))) return 1;",
        "auto tiler = make_shape(_256{}, _64{}); if (not evenly_divides(make_shape(other, n), tiler)) return 1;",
        "if (n % 256 != 0) printf(\"slow\");",
        "if (other > 3) { if (n % 256 != 0) return 1; }",
        "if (n <= 0) return 1;",
        "assert(n % 256 == 0 || other == 1);",
        "for (int i = 0; i < other; ++i) { if (n % 256) break; }",
        "if (cudaMalloc(&p, n * sizeof(T)) != cudaSuccess) return 1;",
        "CUDA_CHECK(cudaMalloc(&p, n * sizeof(T)));",
    ] {
        assert_eq!(found(check, CALL), ["grid-overrun"], "{check}");
    }
    // Without a guard against it, the last tile is stored whole; that may be meant.
    assert_eq!(found("", "launch(p, m, 4);").len(), 1);
}

#[test]
fn a_grid_with_a_fixed_number_of_ctas_says_nothing_of_other_sizes() {
    // Another function may have changed the size since the grid was made.
    let text = launched("", CALL)
        .replace(
            "float* p = nullptr;",
            "float* p = nullptr; int n = 65536; dim3 grid(n / 128); library(n);",
        )
        .replace(
            CALL,
            "auto all = make_tensor(make_gmem_ptr(p), make_shape(n), make_stride(Int<1>{})); zero<<<grid, 32>>>(all);",
        );
    assert_eq!(rules(&analysed(&text, &Options::default())), [""; 0]);
}

#[test]
fn a_check_of_every_caller_counts() {
    assert_eq!(
        found("", "if (m % 256) return 1;\n launch(p, m, 4);"),
        [""; 0]
    );
    assert_eq!(found("", "if (m % 256 == 0) { launch(p, m, 4); }"), [""; 0]);
    assert_eq!(
        found(
            "",
            "if (m % 256 == 0) { launch(p, m, 4); } else { launch(p, 3, m); }"
        ),
        ["grid-overrun"]
    );
    assert_eq!(
        found(
            "",
            "launch(p, m, 4);\n if (m % 256) return 1;\n launch(p, m, 4);"
        ),
        ["grid-overrun"]
    );
    // It is checked of another number than the one that is handed on.
    assert_eq!(
        found("", "if (m % 256) return 1;\n launch(p, argc, m);"),
        ["grid-overrun"]
    );
}

#[test]
fn assert_is_nothing_without_debugging() {
    let text = launched("assert(n % 256 == 0);", CALL);
    let release = format!("#define NDEBUG\n{text}");
    assert_eq!(
        rules(&analysed(&release, &Options::default())),
        ["grid-overrun"]
    );
}

#[test]
fn what_is_assumed_silences_only_what_it_excludes() {
    let with = |fact: &str| {
        let options = Options {
            assume: fact.parse().into_iter().collect(),
            ..Options::default()
        };
        let analysis = analysed(&launched("", CALL), &options);
        rules(&analysis)
    };
    assert_eq!(with("n % 128 == 0"), ["grid-overrun"]);
    assert_eq!(with("n % 256 == 0"), [""; 0]);
    assert_eq!(with("n >= 100000"), ["grid-overrun"]);
}

#[test]
fn preconditions_say_what_the_finding_says() {
    let analysis = analysed(&launched("", CALL), &Options::default());
    let needs: Vec<&str> = analysis
        .preconditions
        .iter()
        .map(|need| need.message.as_str())
        .collect();
    assert!(
        needs.iter().any(|need| need.starts_with("n % 256 == 0")),
        "{needs:?}"
    );
    assert!(
        !needs.iter().any(|need| need.starts_with("n % 128 == 0")),
        "{needs:?}"
    );
}
