//! Plain loads and stores of shared memory without a barrier between them.

use super::{analysed, findings};

const TRANSPOSE: &str = include_str!("../../../tests/data/kernels/transpose_padded.cu");
const REDUCE: &str = include_str!("../../../tests/data/kernels/block_reduce.cu");
const SCAN: &str = include_str!("../../../tests/data/kernels/scan.cu");
const TILES: &str = include_str!("../../../tests/data/kernels/sgemm_shared.cu");
const BUFFERS: &str = include_str!("../../../tests/data/kernels/sgemm_double_buffer.cu");
const FLASH: &str = include_str!("../../../tests/data/kernels/flash_minimal.cu");
const ROWS: &str = include_str!("../../../tests/data/kernels/sgemm_tiled.cu");

/// Errors and warnings, each with its rule.
fn said(text: &str) -> Vec<String> {
    let analysis = analysed(text, false);
    let findings = analysis.findings.iter();
    findings
        .map(|finding| format!("{}: {}", finding.rule, finding.message))
        .collect()
}

/// What is said of a source without its barrier of that number, counted from 0.
fn without_barrier(text: &str, number: usize) -> Vec<String> {
    assert_eq!(said(text), Vec::<String>::new());
    let (at, barrier) = text.match_indices("__syncthreads();").nth(number).unwrap();
    said(&format!("{};{}", &text[..at], &text[at + barrier.len()..]))
}

#[test]
fn a_barrier_that_is_missing_is_found_with_two_threads_and_a_byte() {
    assert_eq!(
        without_barrier(TRANSPOSE, 0),
        [
            "shared-race: thread (0,1,0) writes byte 132 of `tile`, thread (1,0,0) reads it: no barrier"
        ]
    );
    for (text, barriers) in [
        (TILES, 2),
        (BUFFERS, 2),
        (REDUCE, 3),
        (SCAN, 5),
        (ROWS, 2),
        (FLASH, 2),
    ] {
        for number in 0..barriers {
            let found = without_barrier(text, number);
            assert!(
                !found.is_empty() && found.iter().all(|said| said.starts_with("shared-race: ")),
                "barrier {number}: {found:?}"
            );
        }
    }
}

/// A kernel of 64 threads with this body.
fn kernel(body: &str) -> String {
    format!(
        "__global__ void kernel(const float* in, float* out, int n) {{\n  __shared__ float s[64];\n  __shared__ int flag;\n  \
         int t = threadIdx.x;\n{body}\n}}\nvoid launch(float* a, float* b, int n) {{ kernel<<<4, 64>>>(a, b, n); }}\n"
    )
}

#[test]
fn what_is_ordered_or_not_known_is_silent() {
    let right = [
        // Own data, and data of the own warp.
        "s[t] = in[t]; out[t] = s[t];",
        "s[t] = in[t]; __syncwarp(); out[t] = s[t ^ 1];",
        // Other barriers, and functions of which nothing is known.
        "s[t] = in[t]; settle(); out[t] = s[63 - t];",
        "s[t] = in[t]; asm volatile(\"bar.sync 0;\"); out[t] = s[63 - t];",
        "s[t] = in[t]; block.sync(); out[t] = s[63 - t];",
        "if (t < 32) s[t] = in[t]; if (__syncthreads_or(t < n)) out[t] = s[63 - t];",
        // Other elements, and other threads.
        "s[t] = in[t]; if (t >= 64) out[t] = s[63 - t];",
        // Equal values by several threads.
        "flag = 1; out[t] = flag;",
        // Atomics and volatile flags.
        "atomicAdd(&s[t], 1.0f); out[t] = s[63 - t];",
        "volatile float* v = s; v[t] = in[t]; out[t] = v[63 - t];",
        // What only the data says.
        "if (in[t] > 0) s[t] = in[t]; out[t] = s[63 - t];",
        "s[t] = in[t]; out[t] = s[int(in[t])];",
        // A loop that all threads go through in step.
        "for (int k = 0; k < n; ++k) { s[t] = in[k * 64 + t]; __syncthreads(); out[t] += s[63 - t]; __syncthreads(); }",
        // Two conditions that do not hold together.
        "if (blockIdx.x == 0) s[t] = in[t]; if (blockIdx.x == 1) out[t] = s[63 - t];",
    ];
    for body in right {
        assert_eq!(said(&kernel(body)), Vec::<String>::new(), "{body}");
    }
    // Without a launch it is not known how many threads there are.
    let text = kernel("s[t] = in[t]; out[t] = s[63 - t];");
    assert_eq!(said(&text).len(), 1, "{text}");
    let alone = text.split("void launch").next().unwrap();
    assert_eq!(said(alone), Vec::<String>::new());
}

#[test]
fn what_the_next_pass_of_a_loop_overwrites_is_found() {
    let body = "for (int k = 0; k < n; ++k) { s[t] = in[k * 64 + t]; __syncthreads(); out[t] += s[63 - t]; }";
    assert_eq!(
        said(&kernel(body)),
        [
            "shared-race: thread (0,0,0) overwrites byte 0 of `s` that thread (63,0,0) may still read: no barrier"
        ]
    );
}

/// What is said of a value that one thread stores and all threads load, in a kernel that is launched like this.
fn broadcast(between: &str, host: &str) -> Vec<String> {
    said(&format!(
        "#include <algorithm>\n__global__ void scale(const float* in, float* out, int n) {{\n  __shared__ float s;\n  \
         if (threadIdx.x == 0) s = 1.0f / in[blockIdx.x];\n{between}\n  \
         for (int i = threadIdx.x; i < n; i += blockDim.x) out[blockIdx.x * n + i] *= s;\n}}\n\
         void launch(float* a, float* b, int n) {{ {host} }}\n"
    ))
}

#[test]
fn blocks_of_sizes_that_the_host_gives_race_too() {
    let race =
        "shared-race: thread (0,0,0) writes byte 0 of `s`, thread (32,0,0) reads it: no barrier";
    for (host, with) in [
        (
            "scale<<<4, std::min(n, 1024)>>>(a, b, n);",
            ", with n = 4096",
        ),
        (
            "dim3 block(n); scale<<<4, block>>>(a, b, n);",
            ", with n = 1024",
        ),
        (
            "if (n % 48 != 0 || n > 512) return; scale<<<4, n / 2>>>(a, b, n);",
            "",
        ),
    ] {
        let found: Vec<String> = match with {
            "" => Vec::new(),
            with => vec![format!("{race}{with}")],
        };
        assert_eq!(broadcast("", host), found, "{host}");
        assert_eq!(broadcast("__syncthreads();", host), Vec::<String>::new());
    }
    // One warp, and blocks that nothing says.
    for host in [
        "if (n > 32) return; scale<<<4, n>>>(a, b, n);",
        "scale<<<4, std::min(n, 32)>>>(a, b, n);",
        "",
    ] {
        assert_eq!(broadcast("", host), Vec::<String>::new(), "{host}");
    }
}

#[test]
fn a_loop_may_go_on_while_a_size_of_its_bound_is_large() {
    let body = "for (int k = t; k < n * 7 + t; k += 7) { s[t] = in[k]; __syncthreads(); out[k] = s[63 - t]; }";
    let found = said(&kernel(body));
    assert_eq!(found.len(), 1, "{found:?}");
    let ordered = body.replace("s[t] =", "__syncthreads(); s[t] =");
    assert_eq!(said(&kernel(&ordered)), Vec::<String>::new());
    // The bound is not larger, however large the size is.
    let once =
        "for (int k = n + t; k < n; k += 7) { s[t] = in[k]; __syncthreads(); out[k] = s[63 - t]; }";
    assert_eq!(said(&kernel(once)), Vec::<String>::new());
}

/// The message of `write-race` for a kernel of 64 threads with this body.
fn lost(body: &str) -> Vec<String> {
    let found = said(&kernel(body)).into_iter();
    let races = found.filter_map(|said| said.strip_prefix("write-race: ").map(str::to_owned));
    races.collect()
}

#[test]
fn elements_that_several_threads_copy_to_one_place_are_lost() {
    assert_eq!(
        lost("out[t / 2] = in[t];"),
        ["threads (0,0,0) and (1,0,0) store `in[0]` and `in[1]` to `out[0]`: one is lost"]
    );
    assert_eq!(
        lost("for (int i = 0; i < 4; ++i) out[t % 32 * 4 + i] = in[n + t * 4 + i];"),
        ["threads (0,0,0) and (32,0,0) store `in[n]` and `in[n+128]` to `out[0]`: one is lost"]
    );
    for right in [
        "out[t] = in[t];",
        // The same element.
        "out[t / 2] = in[t / 2];",
        "s[t % 32] = in[t % 32]; __syncthreads(); out[t] = s[t % 32];",
        // One thread of each two.
        "if (t % 2 == 0) out[t / 2] = in[t];",
        // Only the running program knows who comes.
        "if (in[t] > 0) out[0] = in[t];",
        // Sums, and values that are computed.
        "out[t / 2] += in[t];",
        "out[t / 2] = in[t] + in[t ^ 1];",
    ] {
        assert_eq!(lost(right), Vec::<String>::new(), "{right}");
    }
}

#[test]
fn elements_of_a_tensor_whose_modes_overlap_are_lost() {
    let kernel = |stride: &str| {
        format!(
            "#include <cute/tensor.hpp>
using namespace cute;
__global__ void kernel(float const* in, float* out) {{
  Tensor from = make_tensor(make_gmem_ptr(in), make_shape(Int<8>{{}}, Int<8>{{}}));
  Tensor to = make_tensor(make_gmem_ptr(out), make_shape(Int<8>{{}}, Int<8>{{}}), make_stride({stride}, Int<1>{{}}));
  to(threadIdx.x / 8, threadIdx.x % 8) = from(threadIdx.x / 8, threadIdx.x % 8);
}}
void launch(float* a, float* b) {{ kernel<<<1, 64>>>(a, b); }}
"
        )
    };
    assert_eq!(said(&kernel("Int<8>{}")), Vec::<String>::new());
    assert_eq!(
        said(&kernel("Int<1>{}")),
        [
            "write-race: threads (1,0,0) and (8,0,0) store `in[8]` and `in[1]` to `out[1]`: one is lost"
        ]
    );
}

#[test]
fn a_barrier_of_another_pass_of_a_loop_orders() {
    let kernel = |passes: &str, before: &str, behind: &str| {
        format!(
            "__global__ void kernel(float* out, int n) {{\n  \
               __shared__ float s[64];\n  float v = 0;\n  \
               {before}\n  \
               for (int l = 0; l < {passes}; l++) {{\n{behind}\n  }}\n  \
               s[threadIdx.x] = v;\n  out[threadIdx.x] = v;\n}}\n\
             void launch(float* o, int n) {{ kernel<<<1, 64>>>(o, n); }}\n"
        )
    };
    let written = "s[threadIdx.x] = 1; __syncthreads();";
    let found = |passes: &str, body: &str| findings(&kernel(passes, written, body), "shared-race");
    let read = "v += s[63 - threadIdx.x];";
    for (passes, body) in [
        (
            "2",
            format!("if (l == 1) {{ __syncthreads(); }} if (l == 0) {{ {read} }}"),
        ),
        (
            "3",
            format!("if (l > 0) __syncthreads(); if (l < 2) {{ {read} }}"),
        ),
        (
            "2",
            format!("if (n > 4) __syncthreads(); if (l < 1) {{ {read} }}"),
        ),
        ("4", format!("__syncthreads(); if (l != 3) {{ {read} }}")),
        ("2", format!("{read} __syncthreads();")),
    ] {
        assert!(
            found(passes, &body).is_empty(),
            "{body}: {:?}",
            found(passes, &body)
        );
    }
    for (passes, body) in [
        (
            "2",
            format!("if (l == 1) {{ __syncthreads(); }} if (l == 1) {{ {read} }}"),
        ),
        (
            "3",
            format!("if (l == 1) __syncthreads(); if (l > 0) {{ {read} }}"),
        ),
        ("4", format!("__syncthreads(); {read}")),
        ("n", format!("__syncthreads(); {read}")),
    ] {
        assert_eq!(
            found(passes, &body).len(),
            1,
            "{body}: {:?}",
            found(passes, &body)
        );
    }
    // The same for a read in the loop of what is written in front of it.
    let found = |body: &str| findings(&kernel("2", "s[threadIdx.x] = 1;", body), "shared-race");
    let ends = format!("if (l == 1) {{ {read} }} __syncthreads();");
    assert!(found(&ends).is_empty(), "{:?}", found(&ends));
    let begins = format!("if (l == 0) {{ {read} }} __syncthreads();");
    assert_eq!(found(&begins).len(), 1);
}
