//! Accesses behind `switch`, through objects that the kernel is given, and through other names of memory.

use super::{access, analysed};

const CLASSES: &str = "
struct Params { float* x; int n; int ld; };
struct Storage { float a[32]; int k; float b[64]; };
using Row = float[16];
struct Held { using Own = float[4]; Own own; Row row; };
template <typename T, int N> struct Vec { __device__ T& operator[](int i); };
template <> struct Vec<float, 1> { float data; __device__ float& operator[](int i) { return data; } };
template <int N> struct Vec<float, N> { float data[N]; __device__ float& operator[](int i) { return data[i]; } };
template <typename T, int N> struct View { T* data; __device__ T& operator[](int i) { return data[i]; } };
template <typename T> struct View<T, 1> { T* data; __device__ T& operator[](int i) { return *data; } };
__device__ float* row(const Params& p, int r) { return p.x + r * p.ld; }
__device__ int wider(Params p, int r) { p.ld += 4; return r * p.ld; }
__device__ void shift(Params& p) { p.ld += 4; }
__device__ int told(Params& p, int r) { return r * p.ld; }
";

/// A kernel with this body, launched with 64 threads.
fn source(body: &str) -> String {
    format!(
        "{CLASSES}\n__global__ void kernel(Params params, float* in, float* out, int n, int lda) {{\n{body}\n}}\n\
         void launch(Params p, float* a, float* b) {{ kernel<<<4, 64>>>(p, a, b, 37, 96); }}\n"
    )
}

/// `layout + base` of an access, or why it is not known.
fn layout(body: &str, written: &str) -> String {
    super::layout_in(&source(body), written)
}

/// The offset of an access as C++, or why it is not known.
fn offset(body: &str, written: &str) -> String {
    let text = source(body);
    let analysis = analysed(&text, false);
    match &access(&analysis, &text, written).map {
        Ok(map) => map.expression.clone(),
        Err(reason) => reason.clone(),
    }
}

/// The lanes of the worst warp that come to an access.
fn lanes(body: &str, written: &str) -> i64 {
    let text = source(body);
    let analysis = analysed(&text, false);
    let map = access(&analysis, &text, written).map.as_ref().unwrap();
    map.cost.unwrap().lanes
}

#[test]
fn a_case_is_reached_by_its_value_and_from_the_case_before() {
    let falls =
        "switch (threadIdx.x) { case 1: case 2: out[threadIdx.x] = 1; break; default: break; }";
    assert_eq!(lanes(falls, "out[threadIdx.x]"), 2);
    let left = "switch (threadIdx.x % 32) { case 3: return; case 4: break; } out[threadIdx.x] = 1;";
    assert_eq!(lanes(left, "out[threadIdx.x]"), 31);
    let stays =
        "switch (threadIdx.x % 32) { case 3: break; return; case 4: break; } out[threadIdx.x] = 1;";
    assert_eq!(lanes(stays, "out[threadIdx.x]"), 32);
    let others = "switch (threadIdx.x % 4) { case 1: return; default: return; case 2: break; } out[threadIdx.x] = 1;";
    assert_eq!(lanes(others, "out[threadIdx.x]"), 8);
}

#[test]
fn variables_behind_a_switch_have_the_value_of_the_way_there() {
    for (body, expected) in [
        (
            "int i = threadIdx.x; switch (n) { case 1: i += 5; case 2: i += 2; break; case 3: i = 9; break; } out[i] = 1;",
            "((n == 3) ? 9 : ((n == 2) || (n == 1) ? ((n == 1) ? threadIdx.x + 5 : threadIdx.x) + 2 : threadIdx.x))",
        ),
        (
            "int i; switch (n) { case 1: i = 4; break; default: i = threadIdx.x; } out[i] = 1;",
            "((n != 1) ? threadIdx.x : 4)",
        ),
        (
            "int i = !in ? 1 : threadIdx.x; out[i] = 1;",
            "(!(in != nullptr) ? 1 : threadIdx.x)",
        ),
        (
            "auto of = [](const int* p, int j) { return p != nullptr && p ? p[j] : j; }; int i = of(nullptr, threadIdx.x); out[i] = 1;",
            "threadIdx.x",
        ),
        // The value at a `break` under a condition is not kept.
        (
            "int i = 0; switch (n) { case 1: i = 1; if (lda > 3) { i = 2; break; } i = 3; break; } out[i] = 1;",
            "a `switch` may change it",
        ),
    ] {
        assert_eq!(offset(body, "out[i]"), expected, "{body}");
    }
}

#[test]
fn functions_see_the_members_of_an_object_that_the_kernel_is_given() {
    for (body, written, expected) in [
        (
            "float* p = row(params, threadIdx.x); p[3] = 1;",
            "p[3]",
            "64:params.ld + 3",
        ),
        (
            "out[wider(params, threadIdx.x)] = 1;",
            "out[wider(params, threadIdx.x)]",
            "64:params.ld+4 + 0",
        ),
        (
            "Params copy = params; copy.ld = 8; copy.x[threadIdx.x * copy.ld] = 1;",
            "copy.x[threadIdx.x * copy.ld]",
            "64:8 + 0",
        ),
        (
            "shift(params); out[threadIdx.x * params.ld] = 1;",
            "out[threadIdx.x * params.ld]",
            "a function may change it",
        ),
        // What a function may change is not known.
        (
            "shift(params); out[told(params, threadIdx.x)] = 1;",
            "out[told(params, threadIdx.x)]",
            "a function may change it",
        ),
    ] {
        assert_eq!(layout(body, written), expected, "{body}");
    }
}

#[test]
fn other_names_of_memory_are_followed() {
    for (body, written, expected) in [
        (
            "extern __shared__ char raw[]; auto& s = reinterpret_cast<Storage&>(raw); s.b[threadIdx.x] = 1;",
            "s.b[threadIdx.x]",
            "64:4 + 132",
        ),
        (
            "extern __shared__ char raw[]; Storage& s = *reinterpret_cast<Storage*>(raw); out[s.k + threadIdx.x] = 1;",
            "out[s.k + threadIdx.x]",
            "64:1 + s.k",
        ),
        (
            "extern __shared__ char raw[]; Row* rows = reinterpret_cast<Row*>(raw); rows[2][threadIdx.x] = 1;",
            "rows[2][threadIdx.x]",
            "64:4 + 128",
        ),
        (
            "extern __shared__ char raw[]; using Rows = float[4][8]; Rows* rows = reinterpret_cast<Rows*>(raw); rows[1][2][threadIdx.x] = 1;",
            "rows[1][2][threadIdx.x]",
            "64:4 + 192",
        ),
        (
            "extern __shared__ char raw[]; auto* h = reinterpret_cast<Held*>(raw); h->own[threadIdx.x] = h->row[threadIdx.x];",
            "h->row[threadIdx.x]",
            "64:4 + 16",
        ),
        (
            "extern __shared__ char raw[]; int (*rows)[40] = reinterpret_cast<int (*)[40]>(raw); rows[1][threadIdx.x] = 1;",
            "rows[1][threadIdx.x]",
            "64:4 + 160",
        ),
        (
            "auto* p = in + 4; out[0] = p[threadIdx.x];",
            "p[threadIdx.x]",
            "64:1 + 4",
        ),
        (
            "const float* p = n > 3 ? in + 4 : out; float x = p[threadIdx.x];",
            "p[threadIdx.x]",
            "64:1 + 4*(3 < n)",
        ),
        (
            "const float* p = threadIdx.x > 3 ? in + 4 : out; float x = p[threadIdx.x];",
            "p[threadIdx.x]",
            "which value it has depends on a condition",
        ),
        (
            "auto cluster = cooperative_groups::this_cluster(); out[cluster.thread_rank()] = 1;",
            "out[cluster.thread_rank()]",
            "64:1 + 64*%cluster_ctarank",
        ),
        (
            "if (__builtin_expect(n > 3, 1)) out[threadIdx.x] = 1;",
            "out[threadIdx.x]",
            "64:1 + 0",
        ),
    ] {
        assert_eq!(layout(body, written), expected, "{body}");
    }
}

#[test]
fn registers_by_another_name_are_no_accesses() {
    let text = source(
        "float all[2][8]; auto& row = all[1]; row[n % 8] = 2; float x = row[3];\n\
         out[threadIdx.x] = x;",
    );
    let analysis = analysed(&text, false);
    assert_eq!(analysis.accesses.len(), 1, "{:#?}", analysis.accesses);
}

#[test]
fn an_object_that_refers_to_no_memory_is_in_registers() {
    let found = |body: &str| {
        let text =
            format!("{CLASSES}\ntemplate <int N> __global__ void open(float* out) {{ {body} }}\n");
        analysed(&text, false).accesses.len()
    };
    // Which class it is depends on N.
    assert_eq!(found("Vec<float, N> v; v[1] = v[0]; float x = v[2];"), 0);
    assert_ne!(found("View<float, N> w; w[2] = 1;"), 0);
}

/// Sectors or wavefronts of the worst warp, the fewest, and whether an alignment is assumed.
fn cost(body: &str, written: &str) -> (i64, i64, bool) {
    let text = source(body);
    let analysis = analysed(&text, false);
    let map = access(&analysis, &text, written).map.as_ref().unwrap();
    let cost = map.cost.unwrap();
    (cost.count, cost.ideal, cost.is_aligned_by_assumption)
}

#[test]
fn a_cost_that_depends_on_where_another_warp_begins_is_under_an_assumption() {
    let chosen = |start: &str| {
        format!("float* p = n > 25 ? in + {start} : in; out[threadIdx.x] = p[threadIdx.x % 16];")
    };
    let written = "p[threadIdx.x % 16]";
    assert_eq!(
        cost(&chosen("(threadIdx.x / 32) * 31"), written),
        (2, 2, true)
    );
    // Each warp begins at a multiple of 128 bytes, whatever is chosen.
    assert_eq!(
        cost(&chosen("(threadIdx.x / 32) * 32"), written),
        (2, 2, false)
    );
    // The start is known: the worst warp is the one that is not aligned.
    let known = "float* p = in + (threadIdx.x / 32) * 31; out[threadIdx.x] = p[threadIdx.x % 16];";
    assert_eq!(cost(known, written), (3, 2, false));
}

#[test]
fn a_condition_on_the_way_decides_a_choice() {
    for (body, expected) in [
        (
            "int at = threadIdx.x < n ? threadIdx.x * lda : -1; if (at < 0) return; out[at] = 1;",
            "64:lda + 0",
        ),
        (
            "int at = threadIdx.x < n ? threadIdx.x : -1; if (at >= 0 && n > 3) out[at] = 1;",
            "64:1 + 0",
        ),
        (
            "int at; if (threadIdx.x < n) at = threadIdx.x; else at = -1; if (at == -1) return; out[at] = 1;",
            "64:1 + 0",
        ),
        (
            "unsigned m = threadIdx.x < n ? lda : 0; if (threadIdx.x < m) { int at = threadIdx.x + m; out[at] = 1; }",
            "64:1 + lda",
        ),
        (
            "int at = threadIdx.x < n ? threadIdx.x : -1; if (at < 0 || at >= lda) return; out[at] = 1;",
            "64:1 + 0",
        ),
        // Both parts may be 0 or more.
        (
            "int at = threadIdx.x < n ? threadIdx.x : lda; if (at >= 0) out[at] = 1;",
            "((threadIdx.x < n) ? threadIdx.x : lda)",
        ),
        // The condition is about another number.
        (
            "int at = threadIdx.x < n ? threadIdx.x : -1; if (lda < 0) return; out[at] = 1;",
            "((threadIdx.x < n) ? threadIdx.x : 4294967295)",
        ),
        // It is changed between the condition and the access.
        (
            "int at = threadIdx.x < n ? threadIdx.x : -1; if (at < 0) return; at = threadIdx.x < lda ? threadIdx.x : -1; out[at] = 1;",
            "((threadIdx.x < lda) ? threadIdx.x : 4294967295)",
        ),
    ] {
        let found = if expected.starts_with("((") {
            offset(body, "out[at]")
        } else {
            layout(body, "out[at]")
        };
        assert_eq!(found, expected, "{body}");
    }
}

#[test]
fn a_sum_that_reads_as_a_cast_is_an_index() {
    let text = "namespace ns { using Index = unsigned; struct Q { static constexpr int v = 5; }; }
        __global__ void kernel(float* out, int n) {
          out[threadIdx.x * (ns::Q::v) + 1] = 1;
          out[(ns::Index) + threadIdx.x] = 2;
        }
        void launch(float* out) { kernel<<<4, 64>>>(out, 3); }";
    assert_eq!(
        super::layout_in(text, "out[threadIdx.x * (ns::Q::v) + 1]"),
        "64:5 + 1"
    );
    assert_eq!(
        super::layout_in(text, "out[(ns::Index) + threadIdx.x]"),
        "64:1 + 0"
    );
}

#[test]
fn the_elements_of_a_thread_are_accesses() {
    let kernel = |threads: &str| {
        format!(
            "#include <cute/tensor.hpp>
using namespace cute;
__global__ void kernel(float* out, int n) {{
  auto rows = make_layout(make_shape(Int<64>{{}}, Int<32>{{}}), make_stride(Int<32>{{}}, Int<1>{{}}));
  Tensor all = make_tensor(make_gmem_ptr(out), rows);
  auto threads = {threads};
  Tensor mine = local_partition(all, threads, threadIdx.x);
  for (int i = 0; i < size<0>(mine); ++i)
    for (int j = 0; j < size<1>(mine); ++j)
      mine(i, j) = 1;
}}
void launch(float* out) {{ kernel<<<1, 64>>>(out, 3); }}
"
        )
    };
    let of = |threads: &str| super::layout_in(&kernel(threads), "mine(i, j)");
    assert_eq!(
        of("make_layout(make_shape(Int<4>{}, Int<16>{}), make_stride(Int<16>{}, Int<1>{}))"),
        "((16,4),2,16):((1,32),16,128) + 0"
    );
    assert_eq!(
        of("Layout<Shape<_4, _16>>{}"),
        "((4,16),2,16):((32,1),16,128) + 0"
    );
    // Three threads do not divide 64 rows.
    assert!(of("make_layout(make_shape(Int<3>{}, Int<16>{}))").contains("not followed"));
}
