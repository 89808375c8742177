//! Barriers of a block that some of its threads have left before.

use super::findings;

const RULE: &str = "barrier-after-exit";

/// Findings about a kernel with this body, with this grid and block.
fn said(body: &str, launch: &str) -> Vec<String> {
    let text = format!(
        "__device__ float sum(float x, float* s) {{ s[threadIdx.x] = x; __syncthreads(); return s[0]; }}\n\
         __device__ bool early(int i, int n) {{ if (i >= n) return false; return true; }}\n\
         __global__ void kernel(const float* p, float* q, int n, int m) {{\n  __shared__ float s[256];\n  \
         int i = blockIdx.x * blockDim.x + threadIdx.x;\n{body}\n}}\n\
         void launch(const float* p, float* q, int n, int m) {{ {launch} }}\n"
    );
    findings(&text, RULE)
}

const UP: &str = "kernel<<<(n + 255) / 256, 256>>>(p, q, n, m);";
const BARRIER: &str = "s[threadIdx.x] = 0; __syncthreads(); q[i] = s[0];";

#[test]
fn a_barrier_behind_an_early_return_says_who_has_left() {
    let last = "24 of 256 threads of CTA (3,0,0) have returned before this barrier\nwith n = 1000";
    for exit in [
        "if (i >= n) return;",
        "if (i >= n) { q[0] = 1; return; }",
        "if (i < n) { s[0] = 1; } else { return; }",
        "if (m > 0) { if (i >= n) return; }",
        "bool out = i >= n; if (out) return;",
    ] {
        assert_eq!(
            said(&format!("{exit} {BARRIER}"), UP).len(),
            1,
            "{exit} {BARRIER}"
        );
    }
    assert_eq!(said(&format!("if (i >= n) return; {BARRIER}"), UP), [last]);
    // One for all barriers behind it, and one for a barrier in a function.
    let two = format!("if (i >= n) return; {BARRIER} __syncthreads();");
    assert_eq!(said(&two, UP), [last]);
    assert_eq!(said("if (i >= n) return; q[i] = sum(p[i], s);", UP), [last]);
    // A known number of threads, and a launch that is not seen.
    let warps = format!("if (threadIdx.x >= 128) return; {BARRIER}");
    assert_eq!(
        said(&warps, "kernel<<<4, 256>>>(p, q, n, m);"),
        ["128 of 256 threads of CTA (3,0,0) have returned before this barrier"]
    );
    assert_eq!(said(&format!("if (i >= n) return; {BARRIER}"), "").len(), 1);
    // In every pass of a loop.
    let passes = "for (int k = 0; k < m; ++k) { if (i + k >= n) return; s[threadIdx.x] = 0; __syncthreads(); }";
    assert_eq!(said(passes, UP).len(), 1);
}

#[test]
fn right_twins_of_barriers_behind_a_return() {
    let behind = |exit: &str| format!("{exit} {BARRIER}");
    for body in [
        // The whole block leaves, or stays.
        behind("if (blockIdx.x >= m) return;"),
        behind("if (n < 0) return;"),
        behind("if (blockIdx.x * 256 >= n) return;"),
        behind("if (threadIdx.x >= 256) return;"),
        behind("if (threadIdx.x / 256 > 0) return;"),
        behind("if (i >= n) { return; } else { return; }"),
        // Not known.
        behind("if (p[i] > 0) return;"),
        behind("if (__any_sync(0xffffffff, i >= n)) return;"),
        // Not the kernel is left.
        behind("if (!early(i, n)) q[0] = 1;"),
        behind("for (int k = i; k < n; k += 256) q[k] = 1;"),
        behind("for (int k = 0; k < 4; ++k) { if (i + k >= n) break; q[i + k] = 1; }"),
        // The barrier comes first, or is one of a warp.
        format!("{BARRIER} if (i >= n) return; q[i] = 1;"),
        "if (i >= n) return; __syncwarp(); q[i] = 1;".to_owned(),
        "if (i < n) s[threadIdx.x] = p[i]; __syncthreads(); if (i < n) q[i] = s[0];".to_owned(),
    ] {
        assert_eq!(said(&body, UP), Vec::<String>::new(), "{body}");
    }
    let exit = format!("if (i >= n) return; {BARRIER}");
    for launch in [
        "kernel<<<n / 256, 256>>>(p, q, n, m);",
        "kernel<<<4, 256>>>(p, q, 1024, m);",
        "if (n % 256 != 0) return; kernel<<<(n + 255) / 256, 256>>>(p, q, n, m);",
    ] {
        assert_eq!(said(&exit, launch), Vec::<String>::new(), "{launch}");
    }
    // A block of unknown size may have fewer threads.
    assert_eq!(
        said(&format!("if (threadIdx.x >= 128) return; {BARRIER}"), ""),
        Vec::<String>::new()
    );
}
