//! Offsets in 32 bits that do not fit, in any form in which an address may be computed.

use super::findings;

const RULE: &str = "offset-overflow";

/// Kernels of which each has a launch that makes an index too large, but for one change each.
const KERNELS: &str = r"
__device__ int place(int row, int column, int width) { return row * width + column; }
__global__ void rows(float* p, int m, int n) {
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < m && column < n) p[row * n + column] = 0;
}
__global__ void pointers(float* p, int n) {
  float* row = p + blockIdx.x * n;
  for (int i = threadIdx.x; i < n; i += blockDim.x) row[i] = 0;
}
__global__ void batches(float* p, int batch, int width) {
  int b = blockIdx.z;
  float* own = p + b * batch;
  own[threadIdx.y * width + threadIdx.x] = 0;
}
__global__ void helpers(float* p, int n) {
  p[place(blockIdx.x, threadIdx.x, n)] = 0;
}
void launch(float* p) {
  int m = 65536, n = 65536;
  dim3 block(16, 16), grid(n / 16, m / 16);
  rows<<<grid, block>>>(p, m, n);
  pointers<<<2 * m, 256>>>(p, n);
  batches<<<dim3(1, 1, 4096), block>>>(p, 1024 * 1024, 1024);
  helpers<<<m, 256>>>(p, n);
}
";

fn said(changes: &[(&str, &str)]) -> Vec<String> {
    let mut text = KERNELS.to_owned();
    for (from, to) in changes {
        assert!(text.contains(from), "{from}");
        text = text.replace(from, to);
    }
    findings(&text, RULE)
}

#[test]
fn an_index_that_wraps_around_has_a_witness() {
    assert_eq!(
        said(&[]),
        [
            "the index reaches 4294901760, but an int holds 2147483647 at most: it wraps around\nCTA (4095,4095,0), thread (15,15,0)",
            "the index reaches 8589869056, but an unsigned holds 4294967295 at most: it wraps around\nCTA (131071,0,0), thread (255,0,0)",
            "the index reaches 4293918720, but an int holds 2147483647 at most: it wraps around\nCTA (0,0,4095), thread (15,15,0)",
            "the index reaches 4294901760, but an int holds 2147483647 at most: it wraps around\nCTA (65535,0,0), thread (255,0,0)",
        ]
    );
}

#[test]
fn right_twins_of_large_indices() {
    let wide = [
        ("p[row * n + column]", "p[size_t(row) * n + column]"),
        ("p + blockIdx.x * n;", "p + (size_t)blockIdx.x * n;"),
        ("int b = blockIdx.z;", "long long b = blockIdx.z;"),
        (
            "int place(int row, int column",
            "long long place(long long row, int column",
        ),
    ];
    assert_eq!(said(&wide), Vec::<String>::new());
    let other = |change: (&'static str, &'static str)| {
        let mut changes = wide.to_vec();
        changes.push(change);
        changes
    };
    for change in [
        // A parameter of 64 bits.
        (
            "void batches(float* p, int batch",
            "void batches(float* p, int64_t batch",
        ),
        // Sizes that fit.
        ("int m = 65536, n = 65536;", "int m = 1024, n = 1024;"),
        ("int m = 65536, n = 65536;", "int m = rows(), n = 65536;"),
    ] {
        assert_eq!(said(&other(change)), Vec::<String>::new(), "{change:?}");
    }
}

#[test]
fn sums_that_are_meant_to_begin_anew() {
    for body in [
        // A hash, a generator of numbers, a rest.
        "p[(threadIdx.x * 2654435761u) >> 20] = 0;",
        "unsigned s = threadIdx.x; s = s * 1664525u + 1013904223u; p[s & 1023] = 0;",
        "p[(blockIdx.x * 2654435761u) % n] = 0;",
        "p[(unsigned char)(blockIdx.x * 65537u * threadIdx.x)] = 0;",
        // One before the start, which a condition leaves out.
        "unsigned i = threadIdx.x - 1u; if (i < n) p[i] = 0;",
        "p[threadIdx.x + 1 + -1u] = 0;",
        // It comes back.
        "int i = blockIdx.x * 65536 * 2; i -= blockIdx.x * 65536; p[i - blockIdx.x * 65536] = 0;",
        // Nobody comes so far.
        "int i = blockIdx.x * n; if (blockIdx.x < 100) p[i] = 0;",
        "if ((long long)blockIdx.x * n + threadIdx.x < 1000) p[blockIdx.x * n + threadIdx.x] = 0;",
        "for (int b = 0; b < 4; ++b) if (b * 1000 < n) p[b * 65536 + threadIdx.x] = 0;",
        // What is loaded may be small.
        "p[table[blockIdx.x] * n] = 0;",
    ] {
        let text = format!(
            "__global__ void k(float* p, const int* table, unsigned n) {{ {body} }}\n\
             void launch(float* p, int* t) {{ k<<<131072, 256>>>(p, t, 65536u); }}"
        );
        assert_eq!(findings(&text, RULE), Vec::<String>::new(), "{body}");
    }
}

#[test]
fn assumed_sizes_are_bounds() {
    let kernel = |facts: &str| {
        format!(
            "__global__ void k(float* p, int m, int n) {{\n  // cute: assume {facts}\n  int row = blockIdx.y * blockDim.y + threadIdx.y;\n  int column = blockIdx.x * blockDim.x + threadIdx.x;\n  if (row >= m || column >= n) return;\n  p[row * n + column] = 0;\n}}\n"
        )
    };
    assert_eq!(
        findings(&kernel("m=65536, n=65536"), RULE),
        [
            "the index reaches 4293918720, but an int holds 2147483647 at most: it wraps around\nits conditions let threads get this far"
        ]
    );
    assert_eq!(
        findings(&kernel("m=4096, n=65536"), RULE),
        Vec::<String>::new()
    );
    assert_eq!(findings(&kernel("n=65536"), RULE), Vec::<String>::new());
    // A launch says how far it goes.
    let launched = |grid: &str| {
        format!(
            "{}void launch(float* p, int m, int n) {{ k<<<{grid}, dim3(16, 16)>>>(p, m, n); }}\n",
            kernel("m=65536, n=65536")
        )
    };
    assert_eq!(findings(&launched("dim3(n / 16, m / 16)"), RULE).len(), 1);
    assert_eq!(
        findings(&launched("dim3(n / 16, 16)"), RULE),
        Vec::<String>::new()
    );
}
