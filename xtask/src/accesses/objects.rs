//! Accesses through objects: classes whose methods compute offsets, keep pointers and move them.

use super::kernels::Writer;

/// The classes of a kernel, before it.
const CLASSES: &str = r"struct Divider_NAME { unsigned by; __device__ unsigned div(unsigned n) const { return n / by; } __device__ void divmod(unsigned n, unsigned& q, unsigned& r) const { q = div(n); r = n - q * this->by; } };
struct View_NAME { float* p; int ld; __device__ View_NAME(float* q, int l) : p(q + 8), ld(l) {} __device__ float& operator()(int r, int c) { return p[r * ld + c]; } __device__ float* row(int r) const { return p + r * ld; } __device__ void next(int by) { p += by; } __device__ void twice() { next(3); this->next(4); } };
struct Pair_NAME { int q, r; };
template <int D> __device__ static Pair_NAME split_NAME(int i) { return Pair_NAME{i / D, i % D}; }
template <class T, int N> struct Base_NAME { static constexpr int kWidth = N; T* start; int own = 2; };
template <class T, int N> struct Tile_NAME : Base_NAME<T, N> { int extra = 5; __device__ T& at(int i) { return this->start[i * N + this->own + extra]; } __device__ void grow() { this->own += 4; ++extra; } };";

/// The number of forms of [`Writer::object`].
pub(super) const FORMS: i64 = 7;

impl Writer<'_> {
    /// The classes that a kernel of this name uses.
    pub(super) fn classes(&mut self, name: &str) {
        for line in CLASSES.lines() {
            self.line(line.replace("NAME", name));
        }
    }

    /// Some lines with an access through an object.
    pub(super) fn object(&mut self, name: &str, form: i64, depth: i64) {
        let object = self.name("o");
        let by = self.random.between(1, 40);
        let index = self.index(2).text;
        match form {
            0 => {
                let (q, r) = (self.name("q"), self.name("r"));
                self.line(format!("  const Divider_{name} {object}{{{by}u}};"));
                self.line(format!("  unsigned {q}, {r};"));
                self.line(format!("  {object}.divmod({index}, {q}, {r});"));
                self.access(format!("out[{q} * 64 + {r}]"), "out");
            }
            1 => {
                self.line(format!("  View_{name} {object}(out + {index}, lda);"));
                let (row, column) = (self.index(1).text, self.index(1).text);
                if self.random.one_in(2) {
                    self.line(format!(
                        "  if (n > 3) {object}.next({by}); else {object}.ld = {by};"
                    ));
                }
                self.access(format!("{object}({row}, {column})"), "out");
            }
            2 => {
                self.line(format!("  View_{name} {object}{{out, {by}}};"));
                let counter = self.name("m");
                let trips = self.random.between(1, 5);
                let head = format!("for (int {counter} = 0; {counter} < {trips}; ++{counter}) {{");
                self.enter(&counter, &head);
                self.access(format!("{object}.row({index})[{counter}]"), "out");
                if depth < 1 && self.random.one_in(2) {
                    self.statement(name, depth + 1);
                }
                let step = self
                    .random
                    .pick(&["next(lda)", "next(threadIdx.x)", "twice()"]);
                self.line(format!("  {object}.{step};"));
                self.leave();
                self.access(format!("{object}.p[tid]"), "out");
            }
            3 => {
                self.line(format!(
                    "  Pair_{name} {object} = split_{name}<{by}>({index});"
                ));
                if self.random.one_in(2) {
                    self.line(format!("  if (lane < {by}) {object}.q = {by};"));
                }
                self.access(format!("in[{object}.q * 64 + {object}.r]"), "in");
            }
            4 => {
                let (q, r) = (self.name("q"), self.name("r"));
                self.line(format!("  auto [{q}, {r}] = split_{name}<{by}>({index});"));
                self.access(format!("in[{q} * 40 + {r}]"), "in");
            }
            5 => {
                let width = self.random.between(1, 33);
                self.line(format!(
                    "  Tile_{name}<float, {width}> {object}; {object}.start = out;"
                ));
                if self.random.one_in(2) {
                    self.line(format!("  {object}.grow();"));
                }
                self.access(format!("{object}.at({index})"), "out");
            }
            _ => {
                self.line(format!("  int2 {object} = make_int2({index}, {by});"));
                self.line(format!(
                    "  if (tid < 7) {object}.x = {by}; else {object}.y += 3;"
                ));
                self.access(format!("in[{object}.x * 2 + {object}.y]"), "in");
            }
        }
    }
}
