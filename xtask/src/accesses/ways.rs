//! Accesses behind `switch`, through objects that the kernel is given, and through other names of memory.

use super::kernels::Writer;

/// The declarations of a kernel, before it.
const DECLARATIONS: &str = r"struct Params_NAME { const float* in; int lda; };
__device__ static const float* from_NAME(const Params_NAME& p, int r) { return p.in + r * p.lda; }
__device__ static int wider_NAME(Params_NAME p, int r) { p.lda += 3; return r * p.lda; }
struct Store_NAME { float a[40]; int k; float b[64]; };
using Row_NAME = float[24];";

/// The number of forms of [`Writer::way`].
pub(super) const FORMS: i64 = 5;

impl Writer<'_> {
    /// The declarations that a kernel of this name uses.
    pub(super) fn declarations(&mut self, name: &str) {
        for line in DECLARATIONS.lines() {
            self.line(line.replace("NAME", name));
        }
    }

    /// Some lines with an access.
    pub(super) fn way(&mut self, name: &str, form: i64, depth: i64) {
        let index = self.index(2).text;
        let by = self.random.between(1, 40);
        match form {
            0 => self.switched(&index, by, depth),
            1 => {
                let row = self.index(1).text;
                if self.random.one_in(2) {
                    let lvalue = format!("from_{name}(params, {row})[{index}]");
                    self.access_load(lvalue, "params.in");
                } else {
                    let lvalue = format!("params.in[wider_{name}(params, {row}) + {index}]");
                    self.access_load(lvalue, "params.in");
                }
            }
            2 => {
                let pointer = self.name("p");
                let other = self.index(1).text;
                let start = format!("(n > {by} ? in : (const float*)out)");
                if self.random.one_in(2) {
                    self.line(format!(
                        "  const float* {pointer} = n > {by} ? in + {other} : out;"
                    ));
                } else {
                    self.line(format!("  const float* {pointer} = out + {by};"));
                    self.line(format!("  if (n > {by}) {{ {pointer} = in + {other}; }}"));
                }
                self.access_load(format!("{pointer}[{index}]"), &start);
            }
            3 => {
                let object = self.name("o");
                let made = self.random.pick(&[
                    "auto& OBJECT = reinterpret_cast<Store_NAME&>(raw);",
                    "Store_NAME& OBJECT = *reinterpret_cast<Store_NAME*>(smem);",
                ]);
                let made = made.replace("OBJECT", &object).replace("NAME", name);
                self.line(format!("  {made}"));
                self.access(format!("{object}.b[({index}) % 64]"), "raw");
            }
            _ => {
                let rows = self.name("p");
                let row = self.index(1).text;
                if self.random.one_in(2) {
                    self.line(format!(
                        "  Row_{name}* {rows} = reinterpret_cast<Row_{name}*>(smem);"
                    ));
                    self.access(format!("{rows}[{row}][({index}) % 24]"), "raw");
                } else {
                    self.line(format!("  auto* {rows} = in + {row};"));
                    self.access_load(format!("{rows}[{index}]"), "in");
                }
            }
        }
    }

    /// A case that goes on into the next one, and one that is left.
    fn switched(&mut self, index: &str, by: i64, depth: i64) {
        let offset = self.name("w");
        let selects = self.random.pick(&["tid % 5", "n % 3", "warp", "lane"]);
        self.line(format!("  int {offset} = {index};"));
        self.line(format!("  switch ({selects}) {{"));
        self.line(format!("  case 0: {offset} += {by};"));
        self.line("  case 1: {");
        self.access(format!("out[{offset}]"), "out");
        self.line("  }");
        if self.random.one_in(2) {
            self.line("  break;");
        }
        self.line(format!("  case 2: {{ {offset} = {by}; break; }}"));
        if depth == 0 && self.random.one_in(2) {
            self.line("  case 3: return;");
        }
        if self.random.one_in(2) {
            self.line(format!("  default: {offset} += 1;"));
        }
        self.line("  }");
        self.access(format!("out[{offset}]"), "out");
    }
}
