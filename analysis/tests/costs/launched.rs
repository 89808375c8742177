//! Kernels on plain pointers as a launch gives them their sizes: arrays, grids, threads, vectors; and tensors whose strides
//! are sizes.

use super::costs_of;

/// The findings about a text with some pieces replaced, by their rules and first lines.
pub(super) fn found(text: &str, changes: &[(&str, &str)]) -> Vec<String> {
    let mut text = text.to_owned();
    for (from, to) in changes {
        assert!(text.contains(from), "{from}");
        text = text.replace(from, to);
    }
    let findings = costs_of(&text).findings.into_iter();
    let told = findings.filter(|finding| finding.severity != cute_analysis::Severity::Information);
    told.map(|finding| {
        let first = finding.message.lines().next().unwrap_or_default();
        format!("{}: {first}", finding.rule)
    })
    .collect()
}

pub(super) fn silent(text: &str, twins: &[&[(&str, &str)]]) {
    for changes in twins {
        assert_eq!(found(text, changes), Vec::<String>::new(), "{changes:?}");
    }
}

/// A product of matrices by tiles in shared memory.
const PRODUCT: &str = "
__global__ void product(float const* A, float const* B, float* C, int M, int N, int K) {
  __shared__ float a[16][16];
  __shared__ float b[16][16];
  int tx = threadIdx.x;
  int ty = threadIdx.y;
  int row = blockIdx.y * 16 + ty;
  int col = blockIdx.x * 16 + tx;
  float sum = 0.0f;
  for (int k = 0; k < K; k += 16) {
    a[ty][tx] = A[row * K + k + tx];
    b[ty][tx] = B[(k + ty) * N + col];
    __syncthreads();
    for (int i = 0; i < 16; ++i) sum += a[ty][i] * b[i][tx];
    __syncthreads();
  }
  C[row * N + col] = sum;
}
void launch(float const* A, float const* B, float* C, int M, int N, int K) {
  dim3 threads(16, 16);
  dim3 grid(N / 16, M / 16);
  product<<<grid, threads>>>(A, B, C, M, N, K);
}
";

const GRID: &str = "grid(N / 16, M / 16)";
const CALL: &str = "  product<<<grid, threads>>>";

#[test]
fn an_array_is_too_small_for_a_loop_that_the_launch_bounds() {
    let short = ("float a[16][16]", "float a[15][16]");
    assert_eq!(
        found(PRODUCT, &[short]),
        [
            "over-run: thread (0,15,0) writes 4 bytes at byte 960 of `a`, which has 960",
            "over-run: thread (0,15,0) reads 4 bytes at byte 960 of `a`, which has 960",
        ]
    );
    silent(
        PRODUCT,
        &[
            &[],
            // Something else decides.
            &[short, ("k < K;", "k < K && A[k] > 0.0f;")],
            // The host compares the sizes.
            &[
                short,
                (CALL, "  if (K != N) return;\n  product<<<grid, threads>>>"),
            ],
        ],
    );
}

#[test]
fn a_block_with_fewer_threads_leaves_elements_unwritten() {
    let half = ("threads(16, 16)", "threads(16, 8)");
    assert_eq!(
        found(PRODUCT, &[half]),
        ["never-written: thread (0,0,0) reads byte 512 of `b`, which no thread writes"]
    );
    silent(
        PRODUCT,
        &[
            // A function that is not followed may write.
            &[
                half,
                (
                    "    __syncthreads();\n    for",
                    "    fill(a, b);\n    __syncthreads();\n    for",
                ),
            ],
            // An address that is not known.
            &[half, ("b[ty][tx] = B", "b[int(A[0])][tx] = B")],
            // Only where something is so.
            &[
                half,
                (
                    "for (int i = 0; i < 16; ++i) sum",
                    "if (A[0] > 0.0f) for (int i = 0; i < 16; ++i) sum",
                ),
            ],
        ],
    );
}

#[test]
fn axes_of_a_grid_for_plain_pointers_are_swapped() {
    let swapped = (GRID, "grid(M / 16, N / 16)");
    assert_eq!(
        found(PRODUCT, &[swapped]),
        ["grid-axis: M = 48, N = 32: CTAs (0,0,0) and (2,0,0) both store to `C[32]`"]
    );
    silent(
        PRODUCT,
        &[
            // Both are swapped.
            &[
                swapped,
                ("blockIdx.y", "blockIdx.q"),
                ("blockIdx.x", "blockIdx.y"),
                ("blockIdx.q", "blockIdx.x"),
            ],
            // The host compares them.
            &[
                swapped,
                (CALL, "  if (M != N) return;\n  product<<<grid, threads>>>"),
            ],
            // A second launch.
            &[
                swapped,
                (
                    CALL,
                    "  product<<<dim3(1, 1), threads>>>(A, B, C, M, N, K);\n  product<<<grid, threads>>>",
                ),
            ],
            // A constant is the same whoever stores it.
            &[
                swapped,
                ("C[row * N + col] = sum", "((int*)C)[row * N + col] = 0"),
            ],
            // A separate stride.
            &[
                swapped,
                ("C[row * N + col]", "C[row * ld + col]"),
                ("int K) {\n  __shared__", "int K, int ld) {\n  __shared__"),
                ("int K) {\n  dim3", "int K, int ld) {\n  dim3"),
                ("M, N, K);", "M, N, K, ld);"),
            ],
        ],
    );
}

/// A kernel with two parts of each row.
const PARTS: &str = "
__global__ void merge(float const* p, float* q, int parts, int rows) {
  int at = (blockIdx.y * parts + blockIdx.x) * 64 + threadIdx.x;
  q[at] = 2 * p[at];
}
void launch(float const* p, float* q, int parts, int rows) {
  merge<<<dim3(parts, rows), 64>>>(p, q, parts, rows);
}
";

#[test]
fn numbers_of_ctas_may_be_those_that_a_kernel_counts_on() {
    let swapped = ("dim3(parts, rows)", "dim3(rows, parts)");
    let said = found(PARTS, &[swapped]);
    assert!(
        said.len() == 1 && said.iter().all(|said| said.starts_with("grid-axis: ")),
        "{said:?}"
    );
    silent(
        PARTS,
        &[&[
            (
                "float* q, int parts, int rows) {\n  int",
                "float* q) {\n  int",
            ),
            ("blockIdx.y * parts", "blockIdx.y * 2"),
            ("(p, q, parts, rows);", "(p, q);"),
        ]],
    );
}

/// A convolution with a bound on rows and columns.
const BOUNDED: &str = "
__global__ void scale(float* p, int height, int width) {
  int row = blockIdx.y * 12 + threadIdx.y;
  int col = blockIdx.x * 12 + threadIdx.x;
  if (row < height && col < width) p[row * width + col] *= 2.0f;
}
void launch(float* p, int height, int width) {
  dim3 grid((width + 11) / 12, (height + 11) / 12);
  scale<<<grid, dim3(12, 12)>>>(p, height, width);
}
";

#[test]
fn a_bound_that_no_thread_comes_near_is_of_another_axis() {
    let swapped = (
        "grid((width + 11) / 12, (height + 11) / 12)",
        "grid((height + 11) / 12, (width + 11) / 12)",
    );
    assert_eq!(
        found(BOUNDED, &[swapped]),
        ["grid-axis: height = 36, width = 24: no thread gets beyond index 23 of 36"]
    );
    // Of a row only a quarter is scaled.
    let quarter = ("(width + 11) / 12, (height", "(width + 47) / 48, (height");
    let said = found(BOUNDED, &[quarter]);
    assert!(
        said.len() == 1
            && said
                .iter()
                .all(|said| said.starts_with("thread-count-mismatch: ")),
        "{said:?}"
    );
    silent(
        BOUNDED,
        &[
            &[],
            // A bound in other units: four elements for each thread.
            &[
                ("(width + 11) / 12, (height", "(width + 47) / 48, (height"),
                ("scale(float* p, int", "scale(float4* p, int"),
                (
                    "p[row * width + col] *= 2.0f;",
                    "p[row * width + col] = make_float4(0, 0, 0, 0);",
                ),
                ("launch(float* p", "launch(float4* p"),
            ],
        ],
    );
}

/// A kernel with dynamic shared memory.
const DYNAMIC: &str = "
__global__ void sort(unsigned* keys) {
  extern __shared__ unsigned own[];
  own[threadIdx.x] = keys[threadIdx.x];
  __syncthreads();
  keys[threadIdx.x] = own[511 - threadIdx.x];
}
void launch(unsigned* keys, int bytes) {
  sort<<<1, 512, 512 * sizeof(unsigned)>>>(keys);
}
";

#[test]
fn dynamic_shared_memory_has_the_bytes_of_the_launch() {
    let bytes = "512 * sizeof(unsigned)";
    assert_eq!(
        found(DYNAMIC, &[(bytes, "512")]),
        [
            "over-run: thread (128,0,0) writes 4 bytes at byte 512 of `own`, which has 512",
            "over-run: thread (0,0,0) reads 4 bytes at byte 2044 of `own`, which has 512",
        ]
    );
    silent(DYNAMIC, &[&[], &[(bytes, "bytes")]]);
}

/// Vectors in a plain array.
const VECTORS: &str = "
__global__ void load(float const* p, float* q, int n) {
  __shared__ float tile[8][128];
  int row = threadIdx.x / 32;
  int col = threadIdx.x % 32 * 4;
  *reinterpret_cast<float4*>(&tile[row][col]) = *reinterpret_cast<float4 const*>(&p[row * n + col]);
  __syncthreads();
  q[threadIdx.x] = tile[threadIdx.x / 128][threadIdx.x % 128];
}
void launch(float const* p, float* q, int n) {
  load<<<1, 256>>>(p, q, n);
}
";

#[test]
fn vectors_at_odd_rows_are_misaligned() {
    assert_eq!(
        found(VECTORS, &[("tile[8][128]", "tile[8][129]")]),
        [
            "smem-alignment: accesses aligned to 16 bytes begin at bytes 0 and 516 of `tile`: one is not"
        ]
    );
    silent(
        VECTORS,
        &[
            &[],
            &[("tile[8][128]", "tile[8][132]")],
            // Each element for itself.
            &[
                ("tile[8][128]", "tile[8][129]"),
                (
                    "*reinterpret_cast<float4*>(&tile[row][col]) = *reinterpret_cast<float4 const*>(&p[row * n + col]);",
                    "for (int i = 0; i < 4; ++i) tile[row][col + i] = p[row * n + col + i];",
                ),
            ],
        ],
    );
}

/// Copies by CUDA's pipeline functions.
const PIPELINE: &str = "
__global__ void sum(float const* in, float* out, int tiles) {
  __shared__ alignas(16) float stage[2][1024];
  float sum = 0.0f;
  __pipeline_memcpy_async(&stage[0][threadIdx.x * 4], &in[threadIdx.x * 4], 16);
  __pipeline_commit();
  for (int t = 0; t < tiles; ++t) {
    if (t + 1 < tiles) {
      __pipeline_memcpy_async(&stage[(t + 1) % 2][threadIdx.x * 4], &in[(t + 1) * 1024 + threadIdx.x * 4], 16);
    }
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    for (int i = 0; i < 4; ++i) sum += stage[t % 2][i * 256 + threadIdx.x];
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}
void launch(float const* in, float* out, int tiles) {
  sum<<<1, 256>>>(in, out, tiles);
}
";

#[test]
fn copies_of_the_pipeline_functions_write_their_bytes() {
    let one = found(PIPELINE, &[("stage[2][1024]", "stage[1][1024]")]);
    assert!(
        one.iter().any(|told| told.starts_with("over-run: ")),
        "{one:?}"
    );
    let raced = found(
        PIPELINE,
        &[("threadIdx.x];\n    __syncthreads();", "threadIdx.x];")],
    );
    assert!(
        raced.iter().any(|told| told.starts_with("shared-race: ")),
        "{raced:?}"
    );
    silent(PIPELINE, &[&[]]);
}

/// A kernel that divides a tensor of its parameters, whose names are those of the sizes of the launch.
const NAMED: &str = "#include <cute/tensor.hpp>
using namespace cute;
__global__ void zero(float* p, int m, int n) {
  Tensor out = make_tensor(make_gmem_ptr(p), make_shape(m, n), make_stride(n, Int<1>{}));
  Tensor tile = local_tile(out, Shape<_128, _64>{}, make_coord(blockIdx.x, blockIdx.y));
  Tensor part = local_partition(tile, Layout<Shape<_32, _4>>{}, threadIdx.x);
  Tensor zeros = make_tensor_like(part);
  clear(zeros);
  copy(zeros, part);
}
void launch(float* p, int m, int n) {
  dim3 grid(m / 128, n / 64);
  zero<<<grid, 128>>>(p, m, n);
}
";

#[test]
fn extents_of_parameters_are_those_of_the_launch() {
    let coordinate = (
        "make_coord(blockIdx.x, blockIdx.y)",
        "make_coord(blockIdx.y, blockIdx.x)",
    );
    assert_eq!(
        found(NAMED, &[coordinate]),
        ["grid-axis: m = 256, n = 64: blockIdx.y indexes 2 tiles of m, the grid has 1"]
    );
    silent(
        NAMED,
        &[
            &[],
            // The kernel's names are others than the host's: the first one is the second one there.
            &[
                coordinate,
                (
                    "(float* p, int m, int n) {\n  Tensor",
                    "(float* p, int n, int m) {\n  Tensor",
                ),
                (
                    "make_shape(m, n), make_stride(n, Int<1>{})",
                    "make_shape(n, m), make_stride(m, Int<1>{})",
                ),
                (
                    "make_coord(blockIdx.y, blockIdx.x)",
                    "make_coord(blockIdx.x, blockIdx.y)",
                ),
            ],
            // Nothing is known of the argument.
            &[coordinate, ("(p, m, n);\n}", "(p, rows(), n);\n}")],
        ],
    );
}

#[test]
fn parts_of_a_divided_tensor_are_tiles_of_a_cta() {
    let divided = "#include <cute/tensor.hpp>
using namespace cute;
template <class Tiles>
__global__ void zero(Tiles tiles) {
  Tensor tile = tiles(make_coord(_, _), blockIdx.x, blockIdx.y);
  Tensor part = local_partition(tile, Layout<Shape<_32, _4>>{}, threadIdx.x);
  Tensor zeros = make_tensor_like(part);
  clear(zeros);
  copy(zeros, part);
}
void launch(float* p, int m, int n) {
  Tensor out = make_tensor(make_gmem_ptr(p), make_shape(m, n), make_stride(n, Int<1>{}));
  Tensor tiles = tiled_divide(out, make_shape(Int<128>{}, Int<64>{}));
  dim3 grid(size<1>(tiles), size<2>(tiles));
  zero<<<grid, 128>>>(tiles);
}
";
    let axes = (
        "size<1>(tiles), size<2>(tiles)",
        "size<2>(tiles), size<1>(tiles)",
    );
    assert_eq!(
        found(divided, &[axes]),
        ["grid-axis: m = 129, n = 1: blockIdx.x indexes 2 tiles of m, the grid has 1"]
    );
    silent(
        divided,
        &[
            &[],
            &[axes, ("blockIdx.x, blockIdx.y", "blockIdx.y, blockIdx.x")],
        ],
    );
}

#[test]
fn a_mode_with_its_own_extent_as_its_stride_overlaps() {
    let strides = ("make_stride(n, Int<1>{})", "make_stride(Int<1>{}, n)");
    assert_eq!(
        found(NAMED, &[strides]),
        ["overlapping-modes: m = 128, n = 64: elements (64,0) and (0,1) share an address"]
    );
    silent(
        NAMED,
        &[
            &[("make_stride(n, Int<1>{})", "make_stride(Int<1>{}, m)")],
            // The host compares them.
            &[
                strides,
                ("  zero<<<grid", "  if (m > n) return;\n  zero<<<grid"),
            ],
            // One size for both.
            &[
                strides,
                ("(p, m, n);\n}", "(p, m, m);\n}"),
                ("n / 64", "m / 64"),
            ],
            // A separate stride.
            &[
                ("make_stride(n, Int<1>{})", "make_stride(Int<1>{}, ld)"),
                (
                    "int m, int n) {\n  Tensor",
                    "int m, int n, int ld) {\n  Tensor",
                ),
                ("int m, int n) {\n  dim3", "int m, int n, int ld) {\n  dim3"),
                ("(p, m, n);\n}", "(p, m, n, ld);\n}"),
            ],
        ],
    );
}

/// Rows in shared memory, of a number that the launch gives.
const ROWS: &str = "
__global__ void rows(float const* in, float* out, int n) {
  __shared__ float row[1024];
  for (int i = threadIdx.x; i < n; i += 256) row[i] = in[blockIdx.x * n + i];
  __syncthreads();
  float sum = 0.0f;
  for (int i = 0; i < n; ++i) sum += row[i];
  __syncthreads();
  if (threadIdx.x < n) row[threadIdx.x] = sum;
  row[n - 1] = sum;
  out[blockIdx.x * 256 + threadIdx.x] = sum;
}
void launch(float const* in, float* out, int m, int n) {
  rows<<<m, 256>>>(in, out, n);
}
";

#[test]
fn sizes_that_an_array_asks_of_its_callers_are_not_judged() {
    silent(
        ROWS,
        &[
            &[],
            &[("row[1024]", "row[16]")],
            // Elements that only some sizes leave out.
            &[("i += 256) row[i]", "i += 256) row[n - 1 - i]")],
        ],
    );
    let short = found(
        ROWS,
        &[
            ("row[1024]", "row[16]"),
            ("if (threadIdx.x < n) row", "row"),
        ],
    );
    assert_eq!(
        short,
        ["over-run: thread (16,0,0) writes 4 bytes at byte 64 of `row`, which has 64"]
    );
}

/// The titles of the fixes of the findings about a text.
fn fixes(text: &str) -> Vec<String> {
    let analysis = super::analysed(text, &cute_analysis::Options::default());
    let findings = analysis.findings.into_iter();
    let remedies = findings.flat_map(|finding| finding.remedies);
    remedies.map(|remedy| remedy.title).collect()
}

#[test]
fn axes_and_strides_are_swapped_back() {
    let grid = PRODUCT.replace(GRID, "grid(M / 16, N / 16)");
    assert_eq!(fixes(&grid), ["Swap `M / 16` and `N / 16`"]);
    let coordinate = NAMED.replace("(blockIdx.x, blockIdx.y)", "(blockIdx.y, blockIdx.x)");
    assert_eq!(fixes(&coordinate), ["Swap `m / 128` and `n / 64`"]);
    let strides = NAMED.replace("make_stride(n, Int<1>{})", "make_stride(Int<1>{}, n)");
    assert_eq!(fixes(&strides), ["Swap `Int<1>{}` and `n`"]);
}

const CONFIGURATION: &str = include_str!("../../../tests/data/kernels/launch_config.cu");

#[test]
fn a_configuration_says_how_many_threads_and_bytes_there_are() {
    let bytes = ("kThreads * sizeof(float);", "kThreads * sizeof(float) / 2;");
    assert_eq!(
        found(CONFIGURATION, &[bytes]),
        [
            "over-run: thread (128,0,0) writes 4 bytes at byte 512 of `partial`, which has 512",
            "over-run: thread (0,0,0) reads 4 bytes at byte 512 of `partial`, which has 512"
        ]
    );
    let threads = (
        "first.blockDim = dim3(kThreads);",
        "first.blockDim = dim3(kThreads / 2);",
    );
    assert_eq!(
        found(CONFIGURATION, &[threads]),
        [
            "thread-count-mismatch: the loop steps by 256, but the launch covers only 128 per step: the rest is skipped"
        ]
    );
    let set = "  first.dynamicSmemBytes = ";
    silent(
        CONFIGURATION,
        &[
            &[],
            // Another function may change it, or it is not always so.
            &[bytes, (set, "  fill(&first);\n  first.dynamicSmemBytes = ")],
            &[bytes, (set, "  if (rows > 3) first.dynamicSmemBytes = ")],
            &[bytes, ("first = {};", "first = other;")],
        ],
    );
}

/// Two tiles that take turns: the next one is loaded while this one is multiplied.
#[test]
fn the_tiles_of_a_ring_are_written_as_a_whole() {
    const RING: &str = include_str!("../../../tests/data/kernels/sgemm_double_buffer.cu");
    let half = ("threads(16, 16)", "threads(8, 16)");
    assert_eq!(
        found(RING, &[half]),
        ["never-written: thread (0,0,0) reads byte 32 of `sA`, which no thread writes"]
    );
    silent(
        RING,
        &[
            &[],
            // Not every pass takes the other tile.
            &[half, ("int next = cur ^ 1;", "int next = int(A[t]);")],
            // The columns of the other threads are loaded, too.
            &[
                half,
                (
                    "sA[next][ty][tx] = A[row * K + (t + 1) * TILE + tx];",
                    "sA[next][ty][tx] = A[row * K + (t + 1) * TILE + tx];\n      sA[next][ty][tx + 8] = A[row * K + (t + 1) * TILE + tx + 8];",
                ),
                (
                    "sB[next][ty][tx] = B[((t + 1) * TILE + ty) * N + col];",
                    "sB[next][ty][tx] = B[((t + 1) * TILE + ty) * N + col];\n      sB[next][ty][tx + 8] = B[((t + 1) * TILE + ty) * N + col + 8];",
                ),
                (
                    "  sA[0][ty][tx] = A[row * K + tx];",
                    "  sA[0][ty][tx] = A[row * K + tx];\n  sA[0][ty][tx + 8] = A[row * K + tx + 8];\n  sB[0][ty][tx + 8] = B[ty * N + col + 8];",
                ),
            ],
        ],
    );
}

/// A launch in clusters.
const CLUSTERS: &str = "
#include <cutlass/cluster_launch.hpp>
__global__ void zero(float* p) {
  p[blockIdx.x * 4 + blockIdx.y] = 0.f;
}
void launch(float* p, int n) {
  dim3 grid(5, 4, 1);
  dim3 block(128);
  dim3 cluster(2, 1, 1);
  cutlass::ClusterLaunchParams params{grid, block, cluster, 0};
  cutlass::launch_kernel_on_cluster(params, (void const*)&zero, p);
}
";

#[test]
fn a_grid_has_whole_clusters() {
    let message = |ctas, axis, cluster| {
        format!(
            "cluster-grid: {ctas} CTAs along {axis} are not a multiple of the cluster's {cluster}: the launch fails"
        )
    };
    assert_eq!(found(CLUSTERS, &[]), [message(5, "x", 2)]);
    let along_y = ("cluster(2, 1, 1)", "cluster(1, 3, 1)");
    assert_eq!(found(CLUSTERS, &[along_y]), [message(4, "y", 3)]);
    silent(
        CLUSTERS,
        &[
            &[("grid(5,", "grid(6,")],
            &[("grid(5,", "grid(n,")],
            &[("grid(5,", "grid((n + 1) / 2 * 2,")],
            &[("cluster(2, 1, 1)", "cluster(1, 1, 1)")],
            &[("cluster(2, 1, 1)", "cluster(n, 1, 1)")],
        ],
    );
}
