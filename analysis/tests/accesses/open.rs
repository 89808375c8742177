//! What only an instance says: parameters of unknown types, members and extents of classes, arguments of templates that
//! nothing declares.

use super::{analysed, layout_in};

/// The text of each access with its layout, or why it is not known.
fn all(text: &str) -> Vec<String> {
    let accesses = analysed(text, false).accesses;
    let written = accesses.iter().map(|access| access.span.text(text));
    let line = |written| format!("{written}: {}", layout_in(text, written));
    written.map(line).collect()
}

#[test]
fn members_of_an_object_of_an_unknown_type_are_what_they_are_used_as() {
    let text = "
template <class P> __device__ float at(const P& p, int i) { return p.data[i * p.pitch]; }
template <class P> __global__ void kernel(const __grid_constant__ P params, float* out) {
  const float* from = params.from;
  const unsigned pitch = params.sizes.pitch;
  out[threadIdx.x] = from[threadIdx.x * pitch + params.start];
  const auto& part = params.part;
  params.index[threadIdx.x] = part.index[blockIdx.x * 4];
  const int row = params.rows[blockIdx.x];
  out[row * 32 + threadIdx.x] = at(params, threadIdx.x);
  out[*params.count + threadIdx.x] = 1;
  const float* row = params.from + threadIdx.x * 8;
  out[threadIdx.x] = row[1];
  const float* other = params.tables[blockIdx.x] + threadIdx.x * 2;
  out[threadIdx.x] = other[3];
}";
    assert_eq!(
        layout_in(text, "from[threadIdx.x * pitch + params.start]"),
        "256:params.sizes.pitch + params.start"
    );
    assert_eq!(layout_in(text, "params.index[threadIdx.x]"), "256:1 + 0");
    assert_eq!(
        layout_in(text, "part.index[blockIdx.x * 4]"),
        "256:0 + 4*blockIdx.x"
    );
    assert_eq!(
        layout_in(text, "out[row * 32 + threadIdx.x]"),
        "256:1 + 32*params.rows[blockIdx.x]"
    );
    assert_eq!(
        layout_in(text, "p.data[i * p.pitch]"),
        "256:params.pitch + 0"
    );
    // A number that is added to a pointer counts elements.
    assert_eq!(layout_in(text, "row[1]"), "256:8 + 1");
    assert_eq!(layout_in(text, "other[3]"), "256:2 + 3");
    assert_eq!(
        layout_in(text, "out[*params.count + threadIdx.x]"),
        "256:1 + *params.count"
    );
}

#[test]
fn a_member_that_the_kernel_changes_is_not_known() {
    let change = |change: &str| {
        format!(
            "template <class P> __device__ void set(P& p) {{ p.n = threadIdx.x; }}\n\
             template <class P> __device__ void take(P p) {{ p.n = threadIdx.x; }}\n\
             template <class P> __global__ void kernel(P params, float* out) {{\n\
             {change}\nout[threadIdx.x + params.n] = 1;\nout[threadIdx.x + params.m] = 1;\n}}\n"
        )
    };
    let of =
        |text: &str, member: &str| layout_in(text, &format!("out[threadIdx.x + params.{member}]"));
    for (text, n) in [
        (change("params.n = threadIdx.x;"), "the kernel changes it"),
        (change("params.n += 1;"), "the kernel changes it"),
        (change("++params.n;"), "the kernel changes it"),
        (change("set(params);"), "the kernel changes it"),
        // On the way to the next pass.
        (
            change("for (int i = 0; i < 4; ++i) { out[params.n] = 2; params.n = threadIdx.x; }"),
            "the kernel changes it",
        ),
    ] {
        assert_eq!(of(&text, "n"), n, "{text}");
        assert_eq!(of(&text, "m"), "256:1 + params.m", "{text}");
    }
    // Before the change, and by a function that has a copy.
    assert_eq!(of(&change("out[params.n] = 1;"), "n"), "256:1 + params.n");
    // Whole, or by code that is not visible.
    let text = change("params = other();");
    assert!(of(&text, "m").contains("not"), "{}", of(&text, "m"));
    let text = change("hidden(params);");
    assert_eq!(
        of(&text, "m"),
        "a function that is not followed may have changed it"
    );
}

#[test]
fn arguments_of_templates_that_nothing_declares_are_constants() {
    let text = "
template <int N, class T> __device__ void put(T* tile, float* rest) {
  constexpr int dim = N * 2;
  rest[threadIdx.x * dim] = 1;
}
template <int N, class T, class Traits> __global__ void kernel(T* in, float* out) {
  extern __shared__ char smem[];
  T* tile = (T*)smem;
  float* rest = (float*)(smem + 4 * N * sizeof(T));
  tile[threadIdx.x] = in[threadIdx.x];
  out[blockIdx.x * Traits::rows + threadIdx.x] = 1;
  put<N>(tile, rest);
}
void launch(float* a, float* b) { kernel<HEAD / sizeof(Type), Type, Traits<Type>><<<4, 32>>>(a, b); }
";
    assert_eq!(layout_in(text, "tile[threadIdx.x]"), "32:sizeof(T) + 0");
    assert_eq!(
        layout_in(text, "out[blockIdx.x * Traits::rows + threadIdx.x]"),
        "32:1 + Traits::rows*blockIdx.x"
    );
    assert_eq!(all(text).len(), 4);
    // A name that is not an argument of a template may be anything.
    let text = "__global__ void kernel(float* out) { out[threadIdx.x * HEAD] = 1; }";
    assert_eq!(
        layout_in(text, "out[threadIdx.x * HEAD]"),
        "`HEAD` is not declared in any file read"
    );
}

#[test]
fn members_of_unknown_types_and_extents_have_symbols_for_their_sizes() {
    let text = "
template <class T, int N> struct Storage { T x[N]; T y[2][N * 4]; float z[64]; };
template <class T, int N> __global__ void kernel(const T* in) {
  __shared__ Storage<T, N> s;
  s.x[threadIdx.x] = in[threadIdx.x];
  s.y[1][threadIdx.x] = in[threadIdx.x];
  s.z[threadIdx.x] = 1;
}";
    assert_eq!(
        all(text),
        [
            "s.x[threadIdx.x]: 256:sizeof(T) + offsetof(Storage<T,N>, x)",
            "in[threadIdx.x]: 256:1 + 0",
            "s.y[1][threadIdx.x]: 256:sizeof(T) + Storage<T,N>::(N * 4)*sizeof(T)+offsetof(Storage<T,N>, y)",
            "in[threadIdx.x]: 256:1 + 0",
            "s.z[threadIdx.x]: 256:4 + offsetof(Storage<T,N>, z)",
        ]
    );
}

#[test]
fn a_class_in_shared_memory_that_only_an_instance_has() {
    let text = "
template <class K> __device__ void scale(typename K::Storage* s, float* out) {
  s->scales[threadIdx.x / 4] = out[threadIdx.x];
}
template <class K> __global__ void kernel(float* out) {
  extern __shared__ char smem[];
  auto* s = reinterpret_cast<typename K::Storage*>(smem);
  scale<K>(s, out);
  Wrapped<K::mode> tile(s->tile);
}";
    assert_eq!(
        all(text),
        [
            "s->scales[threadIdx.x / 4]: (4,64):(0,sizeof(K::Storage::scales[0])) + offsetof(K::Storage, scales)",
            "out[threadIdx.x]: 256:1 + 0"
        ]
    );
}

#[test]
fn elements_of_objects_in_registers_are_no_accesses() {
    let text = "
template <class T, int N> struct Vec { __device__ T& operator[](int i); };
template <int N> struct Vec<float, N> { float4 data[N / 4]; __device__ float& operator[](int i) { return ((float*)data)[i]; } };
template <> struct Vec<float, 1> { float data; __device__ float& operator[](int i) { return (&data)[i]; } };
template <int N> struct State { Vec<float, N> o; float m; };
template <int N> __device__ void add(State<N>& state, const Vec<float, N>& q) {
  for (int i = 0; i < N; ++i) state.o[i] = state.o[i] + q[i];
}
template <int N> __global__ void kernel(float* out) {
  Vec<float, N> v;
  State<N> state;
  add<N>(state, v);
  out[threadIdx.x] = state.m;
}";
    assert_eq!(all(text), ["out[threadIdx.x]: 256:1 + 0"]);
}

#[test]
fn elements_of_an_array_that_the_kernel_is_given() {
    let text = "
__global__ void kernel(const std::array<int, 8> starts, float* out) {
  out[starts[2] + threadIdx.x] = 1;
  for (int r = 0; r < 8; ++r) out[starts[r] * 32 + threadIdx.x] = 1;
  out[starts[threadIdx.x % 8]] = 1;
}
void launch(std::array<int, 8> a, float* b) { kernel<<<4, 32>>>(a, b); }";
    assert_eq!(
        layout_in(text, "out[starts[2] + threadIdx.x]"),
        "32:1 + starts[2]"
    );
    assert_eq!(
        layout_in(text, "out[starts[r] * 32 + threadIdx.x]"),
        "32:1 + 32*starts[r]"
    );
    assert_eq!(
        layout_in(text, "out[starts[threadIdx.x % 8]]"),
        "which element of `starts` it is differs by thread"
    );
}

#[test]
fn a_counter_that_grows_in_a_wider_type() {
    let text = "
template <class T> __global__ void kernel(float* out, int n) {
  constexpr auto each = sizeof(unsigned) / sizeof(T);
  for (int i = threadIdx.x * each; i < n; i += 32 * each) out[i] = 1;
}
void launch(float* a) { kernel<Half><<<4, 32>>>(a, 1024); }";
    assert_eq!(
        layout_in(text, "out[i]"),
        "32:4/sizeof(T) + 32*i.pass*(4/sizeof(T))"
    );
}

#[test]
fn divisors_of_the_library_divide_as_their_number_does() {
    let text = "
struct Divisor {
  __device__ void divmod(unsigned n, unsigned& q, unsigned& r) const { q = n / by; r = n - q * d; }
  cuda::fast_mod_div<unsigned> by;
  unsigned d;
};
struct Params { float* out; Divisor heads; };
__global__ void kernel(Params p) {
  unsigned q, r;
  p.heads.divmod(blockIdx.x, q, r);
  p.out[q * 64 + threadIdx.x] = 1;
}
void launch(Params p) { kernel<<<4, 32>>>(p); }";
    assert_eq!(
        layout_in(text, "p.out[q * 64 + threadIdx.x]"),
        "32:1 + 64*((blockIdx.x) / (p.heads.by))"
    );
}

#[test]
fn words_of_cutlass_and_tuples() {
    let text = "
template <class P> __device__ auto block(const P& p, int i) { return std::tuple(p.q[i], p.r[i]); }
template <int S, class P> __global__ void kernel(P p, float* in) {
  __shared__ float tile[4096];
  cutlass::PipelineState<S> state;
  tile[state.index() * 64 + threadIdx.x] =
      in[cutlass::canonical_warp_idx_sync() * 32 + cutlass::canonical_lane_idx()];
  auto [a, b] = block(p, blockIdx.x);
  tile[a * 32 + threadIdx.x] = 1;
}";
    assert_eq!(
        all(text),
        [
            "p.q[i]: 256:0 + blockIdx.x",
            "p.r[i]: 256:0 + blockIdx.x",
            "tile[state.index() * 64 + threadIdx.x]: 256:1 + 64*state.index()",
            "in[cutlass::canonical_warp_idx_sync() * 32 + cutlass::canonical_lane_idx()]: 256:1 + 0",
            "tile[a * 32 + threadIdx.x]: 256:1 + 32*p.q[i]",
        ]
    );
}

#[test]
fn a_pointer_in_the_object_of_a_method_is_a_variable() {
    let text = "
template <class T> struct Base { T* start; };
template <class T> struct Tile : Base<T> { __device__ T& at(int i) { return this->start[i * 4]; } };
__global__ void kernel(float* out) { Tile<float> tile; tile.start = out; tile.at(threadIdx.x) = 1; }";
    assert_eq!(all(text), ["tile.at(threadIdx.x): 256:4 + 0"]);
}

#[test]
fn a_function_of_the_source_with_the_name_of_a_word_is_followed() {
    let text = "
__device__ int canonical_lane_idx() { return threadIdx.x * 2; }
__global__ void kernel(float* out) { out[canonical_lane_idx()] = 1; }";
    assert_eq!(all(text), ["out[canonical_lane_idx()]: 256:2 + 0"]);
}
