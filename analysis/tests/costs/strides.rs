//! Strides of matrices that are written: rows must not overlap.

use super::costs_of;
use super::launched::{found, silent};

/// The conditions on the stride of a matrix that a kernel writes.
fn overlaps(strides: &str, copies: &str) -> Vec<String> {
    let text = format!(
        "#include <cute/tensor.hpp>
using namespace cute;
__global__ void store(float* q, int m, int n, int ld) {{
  Tensor mC = make_tensor(make_gmem_ptr(q), make_shape(m, n), make_stride({strides}));
  Tensor gC = local_tile(mC, Shape<_128, _128>{{}}, make_coord(blockIdx.x, blockIdx.y));
  Tensor part = local_partition(gC, Layout<Shape<_16, _16>>{{}}, threadIdx.x);
  Tensor registers = make_tensor_like(part);
  clear(registers);
  {copies}
}}
void launch(float* q, int m, int n, int ld) {{
  store<<<dim3(ceil_div(m, 128), ceil_div(n, 128)), 256>>>(q, m, n, ld);
}}
"
    );
    let needed = costs_of(&text).preconditions.into_iter();
    needed
        .map(|need| need.message)
        .filter(|message| message.contains(">="))
        .collect()
}

#[test]
fn a_matrix_that_is_written_has_rows_that_do_not_overlap() {
    const STORES: &str = "copy(registers, part);";
    assert_eq!(
        overlaps("ld, Int<1>{}", STORES),
        ["ld >= n (elements of mC would overlap)"]
    );
    assert_eq!(
        overlaps("Int<1>{}, ld", STORES),
        ["ld >= m (elements of mC would overlap)"]
    );
    assert_eq!(
        overlaps("n, Int<1>{}", "copy(registers, part);"),
        Vec::<String>::new()
    );
    assert_eq!(
        overlaps("ld, Int<1>{}", "copy(part, registers);"),
        Vec::<String>::new()
    );
    assert_eq!(overlaps("ld, ld", STORES), Vec::<String>::new());
}

/// The warnings about a tensor with this shape and stride.
fn meetings(shape: &str, strides: &str, host: &str) -> Vec<String> {
    let text = format!(
        "#include <cute/tensor.hpp>
using namespace cute;
__global__ void zero(float* q, int b, int m, int n) {{
  Tensor all = make_tensor(make_gmem_ptr(q), make_shape({shape}), make_stride({strides}));
  all(blockIdx.y, blockIdx.x, threadIdx.x) = 0.0f;
}}
void launch(float* q, int b, int m, int n) {{
  {host}
  zero<<<dim3(m, b), 128>>>(q, b, m, n);
}}
"
    );
    let found = costs_of(&text).findings.into_iter();
    found
        .filter(|finding| finding.rule == "overlapping-modes")
        .map(|finding| finding.message)
        .collect()
}

#[test]
fn strides_are_products_of_the_right_extents() {
    assert_eq!(
        meetings("b, m, n", "n * n, n, Int<1>{}", ""),
        ["b = 64, m = 256, n = 128: elements (1,0,0) and (0,128,0) share an address"]
    );
    assert_eq!(meetings("b, m, n", "m, b * m, Int<1>{}", "").len(), 1);
    for (shape, strides, host) in [
        ("b, m, n", "m * n, n, Int<1>{}", ""),
        ("b, m, n", "m * n, Int<1>{}, m", ""),
        ("b, m, n", "n, b * n, Int<1>{}", ""),
        // Padded, broadcast, windows.
        ("b, m, n", "m * n + 8, n, Int<1>{}", ""),
        ("b, m, n", "Int<0>{}, n, Int<1>{}", ""),
        ("b, m, n", "n, n, Int<1>{}", ""),
        ("Int<8>{}, m, n", "Int<1>{}, n, Int<1>{}", ""),
        // Square ones.
        ("b, n, n", "n * n, n, Int<1>{}", ""),
        ("b, m, n", "n * n, n, Int<1>{}", "if (m != n) return;"),
    ] {
        let found = meetings(shape, strides, host);
        assert_eq!(found, Vec::<String>::new(), "({shape}):({strides}) {host}");
    }
}

/// The findings of a kernel that copies a tile by a layout of threads, and of its launch, each with the lines of its places.
fn partitioned(threads: &str, index: &str) -> Vec<(&'static str, String, Vec<usize>)> {
    let text = format!(
        "#include <cute/tensor.hpp>
using namespace cute;
__global__ void scale(float const* p, float* q) {{
  auto threads = make_layout(make_shape(Int<32>{{}}, Int<8>{{}}), make_stride({threads}));
  Tensor from = make_tensor(make_gmem_ptr(p), make_shape(Int<64>{{}}, Int<32>{{}}));
  Tensor to = make_tensor(make_gmem_ptr(q), make_shape(Int<64>{{}}, Int<32>{{}}));
  Tensor part = local_partition(from, threads, {index});
  copy(part, local_partition(to, threads, {index}));
}}
void launch(float const* p, float* q) {{ scale<<<1, 256>>>(p, q); }}
"
    );
    let found = costs_of(&text).findings.into_iter();
    let found = found.filter(|it| matches!(it.rule, "thread-count-mismatch" | "write-race"));
    let line = |place: usize| text.get(..place).unwrap_or_default().matches('\n').count() + 1;
    found
        .map(|finding| {
            let places = finding.related.iter();
            let lines = places.map(|place| line(place.span.start)).collect();
            (finding.rule, finding.message, lines)
        })
        .collect()
}

#[test]
fn a_layout_of_threads_gives_each_part_to_one_thread() {
    let found = partitioned("Int<1>{}, Int<8>{}", "threadIdx.x");
    let text = "the layout (_32,_8):(_1,_8) does not number threads: 0 and 64 take part (0,0), and none takes (8,0)";
    assert_eq!(
        found.first(),
        Some(&("thread-count-mismatch", text.to_owned(), vec![4]))
    );
    assert!(!partitioned("Int<1>{}, Int<1>{}", "threadIdx.x % 256").is_empty());
    for (threads, index) in [
        ("Int<8>{}, Int<1>{}", "threadIdx.x"),
        ("Int<1>{}, Int<32>{}", "threadIdx.x"),
        // Threads that do the same on purpose.
        ("Int<1>{}, Int<0>{}", "threadIdx.x"),
        // Another index may be beyond the block.
        ("Int<1>{}, Int<1>{}", "blockIdx.x"),
    ] {
        assert_eq!(partitioned(threads, index), [], "{threads} {index}");
    }
}

/// The rules of the findings about a store of registers with the lines of their places.
fn stored(strides: &str) -> Vec<(&'static str, Vec<usize>)> {
    let text = format!(
        "#include <cute/tensor.hpp>
using namespace cute;
__global__ void store(float const* p, float* q) {{
  auto strides = make_stride({strides});
  Tensor all = make_tensor(make_gmem_ptr(q), make_layout(make_shape(Int<64>{{}}, Int<64>{{}}), strides));
  Tensor from = make_tensor(make_gmem_ptr(p), make_shape(Int<64>{{}}, Int<64>{{}}));
  auto tiled = make_tiled_copy(Copy_Atom<UniversalCopy<uint128_t>, float>{{}}, Layout<Shape<_16, _16>>{{}}, Layout<Shape<_4, _1>>{{}});
  auto slice = tiled.get_slice(threadIdx.x);
  copy(tiled, slice.partition_S(from), slice.partition_D(all));
}}
void launch(float const* p, float* q) {{ store<<<1, 256>>>(p, q); }}
"
    );
    let line = |place: usize| text.get(..place).unwrap_or_default().matches('\n').count() + 1;
    let found = costs_of(&text).findings.into_iter();
    let found = found.filter(|it| matches!(it.rule, "copy-vector" | "overlapping-store"));
    found
        .map(|finding| {
            let places = finding.related.iter();
            let lines = places.map(|place| line(place.span.start)).collect();
            (finding.rule, lines)
        })
        .collect()
}

#[test]
fn a_finding_about_elements_leads_to_the_strides() {
    assert_eq!(stored("Int<1>{}, Int<64>{}"), []);
    assert_eq!(
        stored("Int<1>{}, Int<32>{}"),
        [("overlapping-store", vec![9, 4])]
    );
    assert_eq!(stored("Int<64>{}, Int<1>{}"), [("copy-vector", vec![9, 4])]);
}

#[test]
fn sizes_that_the_launch_excludes_are_no_example() {
    let found = |host: &str| {
        let text = format!(
            "#include <cute/tensor.hpp>
using namespace cute;
__global__ void zero(float* q, int m, int n) {{
  Tensor all = make_tensor(make_gmem_ptr(q), make_shape(m, n), make_stride(Int<1>{{}}, n));
  all(blockIdx.x, threadIdx.x) = 0.0f;
}}
void launch(float* q, int m, int n) {{
  {host}
  zero<<<m, 128>>>(q, m, n);
}}
"
        );
        let found = costs_of(&text).findings.into_iter();
        let found = found.filter(|finding| finding.rule == "overlapping-modes");
        found
            .map(|finding| finding.message)
            .collect::<Vec<String>>()
    };
    assert_eq!(
        found(""),
        ["m = 128, n = 64: elements (64,0) and (0,1) share an address"]
    );
    assert_eq!(
        found("if (m % 256 != 0) return;"),
        ["m = 512, n = 256: elements (256,0) and (0,1) share an address"]
    );
    for host in ["if (m > n) return;", "if (m > 100) return;"] {
        assert_eq!(found(host), Vec::<String>::new(), "{host}");
    }
}

const VIEWS: &str = include_str!("../../../tests/data/kernels/strided_views.cu");

/// The number for each row in `fill_heads`, with rows of a length.
const ROWS: &str = "Tensor all = make_tensor(make_gmem_ptr(out), make_shape(Int<128>{}, Int<64>{}), make_stride(Int<64>{}, Int<1>{}));";

/// What a loop over the elements of a thread stores.
#[test]
fn elements_that_are_stored_one_by_one_have_a_place_each() {
    let short = ROWS.replace("make_stride(Int<64>{}", "make_stride(Int<32>{}");
    let short = (ROWS, &*short);
    let store = "    mine(i) = 1.0f * threadIdx.x;";
    let message = "overlapping-store: elements (1,0) and (0,32) of the destination share an address: one value is lost";
    assert_eq!(found(VIEWS, &[short]), [message]);
    // Of another tensor.
    let from = "  Tensor mine = local_partition(all, make_layout(make_shape(Int<128>{}, Int<1>{})), threadIdx.x);";
    let with = |stride: &str| {
        format!(
            "  Tensor rest = make_tensor(make_gmem_ptr(out + heads), make_shape(Int<128>{{}}, Int<64>{{}}), make_stride(Int<{stride}>{{}}, Int<1>{{}}));\n  \
             Tensor other = local_partition(rest, make_layout(make_shape(Int<128>{{}}, Int<1>{{}})), threadIdx.x);\n{from}"
        )
    };
    let read = (store, "    mine(i) = 2.0f * other(i);");
    assert_eq!(found(VIEWS, &[short, (from, &with("64")), read]), [message]);
    silent(
        VIEWS,
        &[
            &[("all", "all")],
            // One value, or one for each element in memory.
            &[short, (store, "    mine(i) = 1.0f;")],
            &[short, (store, "    mine(i) = mine(i) * 2.0f;")],
            &[short, (store, "    mine(i) = 1.0f * (threadIdx.x / 128);")],
            &[short, (store, "    mine(i) = 0.0f * threadIdx.x;")],
            &[short, (from, &with("32")), read],
            // Not all elements, or not by all threads.
            &[short, ("i < size(mine); ++i", "i < 32; ++i")],
            &[
                short,
                (store, "    if (heads > i) mine(i) = 1.0f * threadIdx.x;"),
            ],
        ],
    );
}

/// Passes of a loop that no barrier keeps apart.
#[test]
fn passes_without_a_barrier_store_to_different_places() {
    const GATHER: &str = "
__global__ void gather(float const* in, float* out) {
  for (int k = 0; k < 4; ++k) {
    out[k * 128 + threadIdx.x] = in[k * 128 + threadIdx.x];
  }
}
void launch(float const* in, float* out) { gather<<<1, 128>>>(in, out); }
";
    let short = ("out[k * 128 +", "out[k * 64 +");
    assert_eq!(
        found(GATHER, &[short]),
        [
            "write-race: threads (64,0,0) and (0,0,0) store `in[64]` and `in[128]` to `out[64]`: one is lost"
        ]
    );
    let store = "in[k * 128 + threadIdx.x];";
    silent(
        GATHER,
        &[
            &[("out", "out")],
            &[
                short,
                (store, "in[k * 128 + threadIdx.x];\n    __syncthreads();"),
            ],
            // Of the same element, by the same thread, or by one warp.
            &[short, (store, "in[k * 64 + threadIdx.x];")],
            &[
                ("out[k * 128 +", "out["),
                (store, "in[k * 128 + threadIdx.x];"),
            ],
            &[
                ("out[k * 128 +", "out[k * 16 +"),
                ("<<<1, 128>>>", "<<<1, 32>>>"),
            ],
        ],
    );
}
