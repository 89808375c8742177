//! Accesses through objects: methods are walked, members have values.

use super::{analysed, findings, layout_in};

const CLASSES: &str = "
struct Divider {
  unsigned by;
  __device__ unsigned div(unsigned n) const { return n / by; }
  __device__ void divmod(unsigned n, unsigned& q, unsigned& r) const { q = div(n); r = n - q * by; }
};
struct View {
  float* p; int ld;
  __device__ View(float* q, int l) : p(q), ld(l) {}
  __device__ float& operator()(int r, int c) { return p[r * ld + c]; }
  __device__ float* row(int r) const { return p + r * ld; }
  __device__ void next() { p += 16; }
  __device__ void twice() { next(); this->next(); }
  __device__ void hidden();
};
template <typename T, int N> struct Vector {
  T data[N];
  __device__ void load(const T* from) { for (int i = 0; i < N; ++i) data[i] = from[i]; }
  __device__ T& operator[](int i) { return data[i]; }
};
struct Pair { int q, r; };
__device__ Pair split(int i, int n) { return Pair{i / n, i % n}; }
struct Params { float* x; int n; Divider div; };
struct Storage { float a[32]; float b[64]; __device__ float* second() { return b; } };
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
    layout_in(&source(body), written)
}

#[test]
fn methods_give_numbers_and_places() {
    for (body, written, expected) in [
        (
            "Divider d{8}; unsigned q, r; d.divmod(threadIdx.x, q, r); out[q * 100 + r] = 1;",
            "out[q * 100 + r]",
            "(8,8):(1,100) + 0",
        ),
        (
            "View w(out, 96); w(threadIdx.x, 3) = 2;",
            "w(threadIdx.x, 3)",
            "64:96 + 3",
        ),
        (
            "View w(out, lda); w.next(); w.row(2)[threadIdx.x] = 2;",
            "w.row(2)[threadIdx.x]",
            "64:1 + 2*lda+16",
        ),
        (
            "View w(out, lda); w.twice(); w.p[threadIdx.x] = 2;",
            "w.p[threadIdx.x]",
            "64:1 + 32",
        ),
        (
            "Pair p = split(threadIdx.x, 8); out[p.q * 64 + p.r] = 1;",
            "out[p.q * 64 + p.r]",
            "(8,8):(1,64) + 0",
        ),
        (
            "auto [q, r] = split(threadIdx.x, 8); out[q * 64 + r] = 1;",
            "out[q * 64 + r]",
            "(8,8):(1,64) + 0",
        ),
        (
            "extern __shared__ char raw[]; Storage& s = *reinterpret_cast<Storage*>(raw); s.second()[threadIdx.x] = 1;",
            "s.second()[threadIdx.x]",
            "64:4 + 128",
        ),
        (
            "params.x += blockIdx.x * 64; params.x[threadIdx.x] = 1;",
            "params.x[threadIdx.x]",
            "64:1 + 64*blockIdx.x",
        ),
    ] {
        assert_eq!(layout(body, written), expected, "{body}");
    }
}

#[test]
fn a_parameter_divides() {
    let body = "unsigned q, r; params.div.divmod(threadIdx.x, q, r); out[q * 100 + r] = 1;";
    let found = layout(body, "out[q * 100 + r]");
    assert!(found.starts_with("no layout: "), "{found}");
    assert!(found.contains("params.div.by"), "{found}");
}

#[test]
fn an_object_of_a_thread_is_no_memory() {
    let text = source(
        "Vector<float, 4> v; v.load(in + threadIdx.x * 4); v[2] = 3; out[threadIdx.x] = v[1];",
    );
    let analysis = analysed(&text, false);
    let memory: Vec<_> = analysis
        .accesses
        .iter()
        .map(|it| it.memory.as_str())
        .collect();
    assert_eq!(memory, ["in", "out"], "{:#?}", analysis.accesses);
}

#[test]
fn loops_move_members() {
    let body = "View w(out, 96); for (int i = 0; i < 4; ++i) { w.p[threadIdx.x] = 2; w.next(); }\n\
                w.row(0)[threadIdx.x] = 5;";
    assert_eq!(layout(body, "w.p[threadIdx.x]"), "(64,4):(1,16) + 0");
    assert_eq!(layout(body, "w.row(0)[threadIdx.x]"), "64:1 + 64");
}

/// A value that only one way of control sets is not the value behind both.
#[test]
fn branches_join_members() {
    for (body, written, wrong) in [
        (
            "int2 y = make_int2(1, 2); if (n > 3) y.x = 2; out[y.x * 32 + threadIdx.x] = 1;",
            "out[y.x * 32 + threadIdx.x]",
            ["64:1 + 64", "64:1 + 32"],
        ),
        (
            "View w(out, 96); if (n > 3) w.next(); w.p[threadIdx.x] = 1;",
            "w.p[threadIdx.x]",
            ["64:1 + 0", "64:1 + 16"],
        ),
    ] {
        let found = layout(body, written);
        assert!(!wrong.contains(&found.as_str()), "{body}: {found}");
        assert!(found.contains('n'), "{body}: {found}");
    }
}

#[test]
fn what_is_not_seen_may_change_an_object() {
    for (body, written) in [
        (
            "View w(out, 96); w.hidden(); w.p[threadIdx.x] = 1;",
            "w.p[threadIdx.x]",
        ),
        (
            "View w(out, 96); unknown(w); w.p[threadIdx.x] = 1;",
            "w.p[threadIdx.x]",
        ),
        (
            "View w(out, 96); float*& p = w.p; p += n; w.p[threadIdx.x] = 1;",
            "w.p[threadIdx.x]",
        ),
    ] {
        let found = layout(body, written);
        assert!(!found.starts_with("64:"), "{body}: {found}");
    }
}

#[test]
fn an_object_beyond_its_array_is_found() {
    let body = "__shared__ float tile[512]; View w(tile, 8); w(threadIdx.x, 0) = 1;";
    assert_eq!(findings(&source(body), "over-run"), Vec::<String>::new());
    let beyond = body.replace("tile[512]", "tile[500]");
    assert_eq!(findings(&source(&beyond), "over-run").len(), 1);
}

const LAUNCH: &str = "void launch(float* p) { k<<<1, 64>>>(p); }\n";

#[test]
fn a_variable_of_a_class_without_a_name_has_members() {
    let kernel = "template <class S> __device__ void zero(S& s, int i) { s.histo.data[i] = 0; }
        __global__ void k(float* out) {
          struct Items { int indices[64]; float logits[64]; };
          struct Histogram { typename Unseen<3>::Temp scan; int data[64]; };
          __shared__ union { Items items; Histogram histo; } all;
          __shared__ struct { int first[32]; float second[64]; } two;
          all.items.logits[threadIdx.x] = 1;
          two.second[threadIdx.x] = 1;
          zero(all, threadIdx.x);
        }\n";
    let text = format!("{kernel}{LAUNCH}");
    for (written, expected) in [
        ("all.items.logits[threadIdx.x]", "64:1 + 64"),
        ("two.second[threadIdx.x]", "64:1 + 32"),
        // What is before the array has a size that is not known.
        ("s.histo.data[i]", "64:4 + offsetof(Histogram, data)"),
    ] {
        assert_eq!(layout_in(&text, written), expected, "{written}");
    }
}

#[test]
fn constants_of_the_source_are_known_or_one_number_of_the_build() {
    let constants = "#define SPACE inner
        namespace SPACE { constexpr int rows = 16; __device__ int twice(int i) { return 2 * i; } }
        struct A { int a[5]; };
        constexpr size_t kBytes = (sizeof(A) + 127) & ~size_t(127);
        #if defined(CUDART_VERSION) && CUDART_VERSION >= 12090
        constexpr int kEach = 16;
        #else
        constexpr int kEach = 8;
        #endif
        __global__ void k(float* out) {
          using namespace inner;
          out[rows * threadIdx.x] = 1;
          out[twice(threadIdx.x)] = 1;
          out[SPACE::twice(3) + threadIdx.x] = 1;
          out[kBytes + threadIdx.x] = 1;
          out[kEach * threadIdx.x] = 1;
        }\n";
    let text = format!("{constants}{LAUNCH}");
    for (written, expected) in [
        ("out[rows * threadIdx.x]", "64:16 + 0"),
        ("out[twice(threadIdx.x)]", "64:2 + 0"),
        ("out[SPACE::twice(3) + threadIdx.x]", "64:1 + 6"),
        ("out[kBytes + threadIdx.x]", "64:1 + 128"),
        ("out[kEach * threadIdx.x]", "64:kEach + 0"),
    ] {
        assert_eq!(layout_in(&text, written), expected, "{written}");
    }
}

#[test]
fn a_type_that_is_an_integer_in_every_instance_holds_its_numbers() {
    let text = "template <typename Traits> __global__ void rows(float* out, int n) {
  using index_t = typename Traits::index_t;
  const index_t tid = threadIdx.x;
  const index_t lane = tid % 32;
  index_t at = tid / 32 * n + lane;
  for (int i = 0; i < 4; ++i) {
    out[at] = 1;
    at += 8 * n;
  }
}
";
    assert_eq!(layout_in(text, "out[at]"), "((32,8),4):((1,n),8*n) + 0");
    // Without an operator of integers, the type may be `float`.
    let any = text.replace("tid % 32", "tid * 32");
    let any = any.replace("out[at]", "out[(int)at]");
    assert_eq!(layout_in(&any, "out[(int)at]"), "it is not an integer");
    // It is another type in another function.
    let apart = "template <typename T> __device__ int low(int x) { T v = x; return v % 8; }
template <typename T> __global__ void rows(float* out) {
  T v = threadIdx.x;
  out[low<int>(threadIdx.x) + (int)(v * 2)] = 1;
}
";
    let stored = layout_in(apart, "out[low<int>(threadIdx.x) + (int)(v * 2)]");
    assert_eq!(stored, "it is not an integer");
}

#[test]
fn an_object_that_the_kernel_is_given_is_called() {
    let text =
        "struct Split { int width; __device__ void operator()(int &row, int &column, int n) const {
                  row = n / width; column = n % width; } };
         __global__ void f(float *out, Split split) {
           int row, column; split(row, column, threadIdx.x * 4); out[row * 100 + column] = 1; }
         void run() { f<<<1, 64>>>(nullptr, Split{32}); }";
    assert_eq!(
        super::layout_in(text, "out[row * 100 + column]"),
        "(8,8):(4,100) + 0"
    );
}

#[test]
fn an_object_that_the_kernel_is_given_may_change() {
    let text = "struct Rows { int width; __device__ void widen() { width += 1; }
                  __device__ int at(int row) const { return row * width; } };
         __global__ void f(float *out, Rows rows) {
           out[rows.at(threadIdx.x)] = 1; rows.widen();
           out[rows.at(threadIdx.x) + 1] = 2; out[threadIdx.x * rows.width + 2] = 3; }
         void run(Rows rows) { f<<<1, 64>>>(nullptr, rows); }";
    let of = |written: &str| super::layout_in(text, written);
    assert_eq!(of("out[rows.at(threadIdx.x)]"), "64:rows.width + 0");
    assert_eq!(
        of("out[rows.at(threadIdx.x) + 1]"),
        "`rows.at(threadIdx.x)` is not followed"
    );
    assert_eq!(
        of("out[threadIdx.x * rows.width + 2]"),
        "a method that is not followed may have changed it"
    );
}
