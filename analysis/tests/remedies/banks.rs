//! Bank conflicts of plain arrays: padding, and columns that are xored with their rows.

use cute_analysis::{Judged, Options};
use tree_sitter_cute::Host;

use super::{applied, remedied};
use crate::support::analysed;

fn options(host: Host) -> Options {
    Options {
        host,
        memory: Judged::All,
        accesses: true,
        ..Options::default()
    }
}

/// A kernel with an array of shared memory, launched with 32 x 32 threads.
fn kernel(declared: &str, store: &str, load: &str) -> String {
    format!(
        "__global__ void turned(const float* in, float* out, int n) {{\n  \
         {declared}\n  int tx = threadIdx.x, ty = threadIdx.y;\n  \
         {store} = in[ty * 32 + tx];\n  __syncthreads();\n  out[ty * 32 + tx] = {load};\n}}\n\
         void run(float* a, float* b) {{ turned<<<1, dim3(32, 32), 4096>>>(a, b, 1); }}\n"
    )
}

fn titles(text: &str) -> Vec<String> {
    let found = remedied(text, "bank-conflict", &options(Host::CudaCpp));
    found.into_iter().map(|(title, _)| title).collect()
}

#[test]
fn a_turned_tile_is_padded_or_xored() {
    let text = kernel("__shared__ float s[32][32];", "s[ty][tx]", "s[tx][ty]");
    let found = remedied(&text, "bank-conflict", &options(Host::CudaCpp));
    let padded = kernel("__shared__ float s[32][33];", "s[ty][tx]", "s[tx][ty]");
    let xored = kernel(
        "__shared__ float s[32][32];",
        "s[ty][tx ^ ty % 32]",
        "s[tx][ty ^ tx % 32]",
    );
    assert_eq!(
        found,
        [
            ("Pad the rows of `s`: 32 → 33 elements".to_owned(), padded),
            (
                "Xor the columns of `s` with their rows: Swizzle<5,0,5>".to_owned(),
                xored
            ),
        ]
    );
}

#[test]
fn the_launch_requests_as_many_bytes_as_a_padded_tile_has() {
    let text = kernel(
        "extern __shared__ float s[];",
        "s[ty * 32 + tx]",
        "s[tx * 32 + ty]",
    );
    let found = remedied(&text, "bank-conflict", &options(Host::CudaCpp));
    let padded = kernel(
        "extern __shared__ float s[];",
        "s[ty * 33 + tx]",
        "s[tx * 33 + ty]",
    )
    .replace("4096", "4096 + 4096 / 32");
    assert_eq!(found.first().map(|(_, text)| text), Some(&padded));
    assert_eq!(found.len(), 2);
}

#[test]
fn a_subscript_that_is_not_written_by_rows_is_padded_as_a_whole() {
    let text = kernel(
        "__shared__ float s[1024]; int at = threadIdx.x * 32 + threadIdx.y;",
        "s[ty * 32 + tx]",
        "s[at]",
    );
    let found = remedied(&text, "bank-conflict", &options(Host::CudaCpp));
    let padded = kernel(
        "__shared__ float s[1056]; int at = threadIdx.x * 32 + threadIdx.y;",
        "s[ty * 33 + tx]",
        "s[at + at / 32]",
    );
    assert_eq!(found.first().map(|(_, text)| text), Some(&padded));
}

#[test]
fn vectors_stay_aligned() {
    let text = "__global__ void k(const float4* in, float4* out) {\n  \
                __shared__ float s[32][32];\n  \
                *reinterpret_cast<float4*>(&s[threadIdx.x / 8][threadIdx.x % 8 * 4]) = in[threadIdx.x];\n  \
                __syncthreads();\n  \
                out[threadIdx.x] = *reinterpret_cast<float4*>(&s[threadIdx.x % 32][threadIdx.x / 32 * 4]);\n}\n\
                void run(float4* a, float4* b) { k<<<1, 256>>>(a, b); }\n";
    assert_eq!(
        titles(text),
        [
            "Pad the rows of `s`: 32 → 36 elements",
            "Xor the columns of `s` with their rows: Swizzle<3,2,3>"
        ]
    );
}

#[test]
fn stages_have_padded_rows() {
    let text = kernel(
        "__shared__ float s[2][32][32];",
        "s[n & 1][ty][tx]",
        "s[n & 1][tx][ty]",
    );
    let found = titles(&text);
    assert_eq!(
        found.first().map(String::as_str),
        Some("Pad the rows of `s`: 32 → 33 elements")
    );
}

#[test]
fn each_instance_has_rows_of_its_own() {
    let text = "template <int BM> __global__ void k(const float* in, float* out) {\n  \
                __shared__ float s[8][BM];\n  \
                s[threadIdx.x % 8][threadIdx.x / 8] = in[threadIdx.x];\n  __syncthreads();\n  \
                out[threadIdx.x] = s[threadIdx.x / BM][threadIdx.x % BM];\n}\n\
                void run(float* a, float* b) { k<32><<<1, 256>>>(a, b); k<64><<<1, 512>>>(a, b); }\n";
    let before = analysed(text, &options(Host::CudaCpp));
    let conflicts = before
        .findings
        .iter()
        .filter(|it| it.rule == "bank-conflict");
    for finding in conflicts {
        let first = &finding.remedies[0];
        assert!(
            applied(text, &first.edits).contains("s[8][BM + 4]"),
            "{finding:#?}"
        );
    }
}

#[test]
fn rust_has_the_same() {
    let text = "use cuda_device::{kernel, thread, DisjointSlice, SharedArray};\n\
                const SIDE: usize = 32;\n#[kernel]\n\
                pub fn turned(a: &[f32], mut c: DisjointSlice<f32>) {\n    \
                static mut S: SharedArray<f32, { SIDE * SIDE }> = SharedArray::UNINIT;\n    \
                let (tx, ty) = (thread::threadIdx_x() as usize, thread::threadIdx_y() as usize);\n    \
                unsafe { S[ty * SIDE + tx] = a[ty * SIDE + tx]; }\n    thread::sync_threads();\n    \
                unsafe { *c.get_unchecked_mut(ty * SIDE + tx) = S[tx * SIDE + ty]; }\n}\n\
                fn main() {\n    let square = LaunchConfig { grid_dim: (1, 1, 1), block_dim: (32, 32, 1), shared_mem_bytes: 0 };\n    \
                module.turned(&stream, square, &a, &mut c).unwrap();\n}\n";
    let found = remedied(text, "bank-conflict", &options(Host::Rust));
    assert_eq!(found.len(), 2);
    let padded = text
        .replace("{ SIDE * SIDE }", "{ SIDE * SIDE + 32 }")
        .replace("S[ty * SIDE + tx]", "S[ty * (SIDE + 1) + tx]")
        .replace("S[tx * SIDE + ty]", "S[tx * (SIDE + 1) + ty]");
    assert_eq!(found[0].1, padded);
}

#[test]
fn nothing_is_offered_where_an_element_would_be_lost() {
    let tile = "__shared__ float s[32][32];";
    // The address is passed on; a column goes beyond its row; the offset of an access is not known.
    let helper = "__device__ float get(const float* p, int i) { return p[i]; }\n";
    let passed = kernel(tile, "s[ty][tx]", "get(&s[0][0], tx * 32 + ty)");
    assert_eq!(titles(&format!("{helper}{passed}")), [""; 0]);
    assert_eq!(
        titles(&kernel(tile, "s[0][ty * 32 + tx]", "s[tx][ty]")),
        [""; 0]
    );
    let loaded = kernel(tile, "s[ty][int(in[tx])]", "s[tx][ty]");
    assert_eq!(titles(&loaded), [""; 0]);
    // Another kernel has the array, too.
    let turn = |kernels: &str| {
        format!(
            "__device__ void turn(const float* in, float* out) {{\n  __shared__ float s[32][32];\n  \
             int tx = threadIdx.x, ty = threadIdx.y;\n  s[ty][tx] = in[ty * 32 + tx];\n  __syncthreads();\n  \
             out[ty * 32 + tx] = s[tx][ty];\n}}\n\
             __global__ void one(const float* in, float* out) {{ turn(in, out); }}\n{kernels}"
        )
    };
    let alone = turn("void run(float* a, float* b) { one<<<1, dim3(32, 32)>>>(a, b); }\n");
    assert_eq!(titles(&alone).len(), 2);
    let both = turn(
        "__global__ void two(const float* in, float* out) { turn(in, out); }\n\
         void run(float* a, float* b) { one<<<1, dim3(32, 32)>>>(a, b); two<<<1, dim3(8, 8)>>>(a, b); }\n",
    );
    let found = analysed(&both, &options(Host::CudaCpp)).findings;
    let conflicts = found.iter().filter(|it| it.rule == "bank-conflict");
    assert!(conflicts.clone().count() > 0, "{found:#?}");
    assert!(
        conflicts.clone().all(|it| it.remedies.is_empty()),
        "{found:#?}"
    );
    // The launch is not written here as one.
    let elsewhere = kernel(
        "extern __shared__ float s[];",
        "s[ty * 32 + tx]",
        "s[tx * 32 + ty]",
    ) + "void set() { cudaFuncSetAttribute(turned, cudaFuncAttributeMaxDynamicSharedMemorySize, 4096); }\n";
    let found = titles(&elsewhere);
    assert!(
        found.iter().all(|title| title.starts_with("Xor")),
        "{found:?}"
    );
}
