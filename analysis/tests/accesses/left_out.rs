//! Elements that no thread of a launch comes to.

use super::findings;

const RULE: &str = "thread-count-mismatch";

/// Findings about a kernel with this body, launched so.
fn said(body: &str, launch: &str) -> Vec<String> {
    let text = format!(
        "template <class T> struct Pair {{ T x, y; }};\n\
         __global__ void kernel(const float* p, float* q, float4* v, int n, int m) {{\n  {body}\n}}\n\
         void launch(const float* p, float* q, float4* v, int n, int m) {{ {launch} }}\n"
    );
    findings(&text, RULE)
}

fn launched(block: &str) -> String {
    format!("kernel<<<m, {block}>>>(p, q, v, n, m);")
}

#[test]
fn a_step_that_is_larger_than_the_block_leaves_elements_out() {
    let body = "for (int i = threadIdx.x; i < n; i += 256) q[blockIdx.x * n + i] = p[i];";
    assert_eq!(
        said(body, &launched("128")),
        ["the loop steps by 256, but the launch covers only 128 per step: the rest is skipped"]
    );
    // Another loop that leaves out the same.
    let body = "for (int i = threadIdx.x; i < n; i += 256) q[i] = p[i]; \
                for (int i = threadIdx.x; i < n; i += 256) q[i] *= 2;";
    assert_eq!(said(body, &launched("128")).len(), 1);
    // Vectors of four, warps of a block, rows of a block.
    for (body, block) in [
        (
            "for (int i = threadIdx.x * 4; i < n; i += 1024) q[i] = 1;",
            "128",
        ),
        (
            "for (int w = threadIdx.x / 32; w < n; w += 8) q[w * 32 + threadIdx.x % 32] = 1;",
            "128",
        ),
        (
            "for (int y = threadIdx.y; y < 32; y += 8) q[y * n + threadIdx.x] = 1;",
            "dim3(32, 4)",
        ),
    ] {
        assert_eq!(said(body, &launched(block)).len(), 1, "{body}");
    }
}

#[test]
fn right_twins_of_loops_by_threads() {
    for (body, block) in [
        (
            "for (int i = threadIdx.x; i < n; i += 256) q[i] = p[i];",
            "256",
        ),
        (
            "for (int i = threadIdx.x; i < n; i += blockDim.x) q[i] = p[i];",
            "128",
        ),
        // More threads than the step: elements twice, with the same value.
        (
            "for (int i = threadIdx.x; i < n; i += 64) q[i] = p[i];",
            "128",
        ),
        // Unrolled by hand, by an inner loop, or by a second loop.
        (
            "for (int i = threadIdx.x; i < n; i += 256) { q[i] = 1; q[i + 128] = 1; }",
            "128",
        ),
        (
            "for (int i = threadIdx.x; i < n; i += 256) for (int j = 0; j < 2; ++j) q[i + j * 128] = 1;",
            "128",
        ),
        (
            "for (int i = threadIdx.x; i < n; i += 256) q[i] = 1; for (int i = threadIdx.x + 128; i < n; i += 256) q[i] = 1;",
            "128",
        ),
        // The same by a second loop with another offset.
        (
            "for (int i = threadIdx.x; i < n; i += 256) q[i] = 1; for (int i = threadIdx.x; i < n; i += 256) q[i + 128] = 1;",
            "128",
        ),
        // Other threads or CTAs have the rest.
        (
            "for (int i = threadIdx.x; i < n; i += 256) q[threadIdx.y * 128 + i] = 1;",
            "dim3(128, 2)",
        ),
        (
            "for (int i = threadIdx.x; i < n; i += 512) q[blockIdx.x * 128 + i] = 1;",
            "128",
        ),
        (
            "for (int i = blockIdx.x * 128 + threadIdx.x; i < n; i += gridDim.x * 128) q[i] = 1;",
            "128",
        ),
        // Nothing is there.
        (
            "for (int i = threadIdx.x; i < 128; i += 256) q[i] = 1;",
            "128",
        ),
        // Some threads do something else.
        (
            "if (threadIdx.x < 128) for (int i = threadIdx.x; i < n; i += 256) q[i] = 1;",
            "256",
        ),
        // Every second element, by one thread.
        ("for (int i = 0; i < n; i += 2) q[i] = 1;", "1"),
    ] {
        assert_eq!(said(body, &launched(block)), Vec::<String>::new(), "{body}");
    }
    // The block is not known.
    let body = "for (int i = threadIdx.x; i < n; i += 512) q[i] = 1;";
    assert_eq!(said(body, ""), Vec::<String>::new());
}

const GUARDED: &str = "int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) q[i] = p[i];";

#[test]
fn a_launch_with_half_of_the_threads_leaves_elements_out() {
    assert_eq!(
        said(GUARDED, "kernel<<<(n + 255) / 256, 128>>>(p, q, v, n, m);"),
        [
            "the threads of the launch reach 2048 of 4096 elements\n`blockIdx.x*blockDim.x + threadIdx.x` is compared with `n`"
        ]
    );
    let known = "kernel<<<(65536 + 255) / 256, 128>>>(p, q, v, 65536, m);";
    assert_eq!(said(GUARDED, known).len(), 1);
}

#[test]
fn right_twins_of_launches_for_a_size() {
    let half = "kernel<<<(n + 255) / 256, 128>>>(p, q, v, n, m);";
    for (body, launch) in [
        (GUARDED, "kernel<<<(n + 127) / 128, 128>>>(p, q, v, n, m);"),
        // A rest for another kernel, a grid of another size, two launches.
        (GUARDED, "kernel<<<n / 128, 128>>>(p, q, v, n, m);"),
        (GUARDED, "kernel<<<m, 128>>>(p, q, v, n, m);"),
        (
            GUARDED,
            "kernel<<<(n + 255) / 256, 128>>>(p, q, v, n, m); kernel<<<(n + 255) / 256, 128>>>(p + n / 2, q + n / 2, v, n, m);",
        ),
        // Two elements for each thread, a loop, a vector, a part of the size.
        (
            "int i = blockIdx.x * blockDim.x * 2 + threadIdx.x; if (i < n) q[i] = 1; if (i + blockDim.x < n) q[i + blockDim.x] = 1;",
            half,
        ),
        (
            "int i = blockIdx.x * blockDim.x + threadIdx.x; for (; i < n; i += gridDim.x * blockDim.x) q[i] = 1;",
            half,
        ),
        (
            "int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) v[i] = make_float4(0, 0, 0, 0);",
            half,
        ),
        (
            "int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n / 2) q[i] = 1;",
            half,
        ),
        (
            "int i = (blockIdx.x * blockDim.x + threadIdx.x) * 2; if (i < n) q[i] = 1;",
            half,
        ),
        // Groups of 16 elements, compared with the number of elements.
        (
            "int i = blockIdx.x * 128 / 16 + threadIdx.x % 8; if (i < n) q[i] = 1;",
            "kernel<<<(n + 127) / 128, 128>>>(p, q, v, n, m);",
        ),
    ] {
        assert_eq!(said(body, launch), Vec::<String>::new(), "{body} {launch}");
    }
}
