//! Random kernels without CuTe: subscripts of threads, blocks and loops.

use super::{kept, objects, warps, ways};
use crate::programs::Random;

/// A line of a kernel, as the tool reads it and as the compiler of the truth does.
#[derive(Clone, Debug)]
pub(super) struct Line {
    pub(super) text: String,
    /// The access that is in it, where there is one.
    pub(super) access: Option<Accessed>,
    /// The text that only the truth has behind it.
    pub(super) truth: String,
}

/// An access of a line.
#[derive(Clone, Debug)]
pub(super) struct Accessed {
    /// The expression as the source has it, an lvalue.
    pub(super) lvalue: String,
    /// The start of its memory.
    pub(super) start: String,
    /// The loops around it, the innermost first.
    pub(super) loops: Vec<String>,
}

/// A kernel.
#[derive(Clone, Debug)]
pub(super) struct Kernel {
    pub(super) lines: Vec<Line>,
    pub(super) block: [i64; 3],
}

/// A number in the source: its text and the most that it can be; the least is 0.
#[derive(Clone)]
pub(super) struct Number {
    pub(super) text: String,
    pub(super) most: i64,
}

/// The most that an index may come to: all arithmetic stays within 31 bits.
const MOST: i64 = 1 << 20;

pub(super) struct Writer<'r> {
    pub(super) random: &'r mut Random,
    lines: Vec<Line>,
    numbers: Vec<Number>,
    /// Loops around, the outermost first.
    loops: Vec<String>,
    names: usize,
    /// Whether rows of the block are whole warps.
    has_whole_rows: bool,
}

/// Writes a random kernel under a name.
pub(super) fn kernel(random: &mut Random, name: &str) -> Kernel {
    let blocks: [[i64; 3]; 8] = [
        [32, 1, 1],
        [128, 1, 1],
        [256, 1, 1],
        [32, 8, 1],
        [16, 16, 1],
        [64, 4, 1],
        [8, 8, 4],
        [96, 2, 1],
    ];
    let block = blocks[random.between(0, 7) as usize];
    let mut writer = Writer {
        random,
        lines: Vec::new(),
        numbers: Vec::new(),
        loops: Vec::new(),
        names: 0,
        has_whole_rows: block[0] % 32 == 0,
    };
    writer.kernel(name, block);
    Kernel {
        lines: writer.lines,
        block,
    }
}

impl Writer<'_> {
    pub(super) fn line(&mut self, text: impl Into<String>) {
        self.with_truth(text, "");
    }

    fn with_truth(&mut self, text: impl Into<String>, truth: &str) {
        self.lines.push(Line {
            text: text.into(),
            access: None,
            truth: truth.to_owned(),
        });
    }

    pub(super) fn name(&mut self, stem: &str) -> String {
        self.names += 1;
        format!("{stem}{}", self.names)
    }

    fn kernel(&mut self, name: &str, block: [i64; 3]) {
        let [x, y, z] = block;
        let padded = 32 + self.random.between(0, 9);
        self.line(format!("constexpr int kPad_{name} = {padded};"));
        self.classes(name);
        self.declarations(name);
        let rows = self.random.between(16, 64);
        self.line(format!("#define ROWS_{name} {rows}"));
        self.line(format!(
            "template <int W> __device__ __forceinline__ static int at_{name}(int r, int c = 3) {{ return r * W + c; }}"
        ));
        self.line(format!(
            "static __device__ int wrapped_{name}(int i, int n) {{ if (i < n) return i; return i - n; }}"
        ));
        self.line(format!(
            "__global__ void {name}(const float* __restrict__ in, float* out, const int* indices, int n, int lda, Params_{name} params) {{"
        ));
        self.line("  extern __shared__ float4 raw[];");
        self.line(format!(
            "  __shared__ float tile[ROWS_{name}][kPad_{name}]; __shared__ float cube[4][8][33];"
        ));
        self.line("  float* smem = reinterpret_cast<float*>(raw); float* second = smem + 1056;");
        let unsigned = self.random.one_in(3);
        let ty = if unsigned { "unsigned" } else { "int" };
        self.line(format!("  const {ty} tid = threadIdx.x;"));
        self.numbers.push(number("tid", x - 1));
        self.numbers.push(number("threadIdx.x", x - 1));
        if y > 1 {
            self.line("  int ty = threadIdx.y;");
            self.numbers.push(number("ty", y - 1));
            self.line("  const int flat = ty * blockDim.x + threadIdx.x;");
            self.numbers.push(number("flat", x * y - 1));
        }
        if z > 1 {
            self.numbers.push(number("threadIdx.z", z - 1));
        }
        self.line("  int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;");
        self.numbers.push(number("lane", 31));
        self.numbers.push(number("warp", x / 32));
        for _ in 0..self.random.between(1, 3) {
            self.local();
        }
        if self.random.one_in(3) {
            let threads = self.random.between(1, x);
            self.line(format!("  if (tid >= {threads}) return;"));
        }
        for _ in 0..self.random.between(2, 4) {
            self.statement(name, 0);
        }
        self.line("}");
    }

    /// A variable with a random value.
    fn local(&mut self) {
        let value = self.index(3);
        let name = self.name("v");
        let ty = self
            .random
            .pick(&["int", "const int", "unsigned", "size_t", "auto", "long"]);
        self.line(format!("  {ty} {name} = {};", value.text));
        self.numbers.push(Number {
            text: name,
            most: value.most,
        });
    }

    /// An expression that is never below 0.
    pub(super) fn index(&mut self, depth: i64) -> Number {
        if depth == 0 || self.random.one_in(5) {
            let which = self.random.between(0, self.numbers.len() as i64) as usize;
            if let Some(known) = self.numbers.get(which) {
                return known.clone();
            }
            let value = self.random.between(0, 40);
            return number(&value.to_string(), value);
        }
        let left = self.index(depth - 1);
        let text = &left.text;
        let power = 1 << self.random.between(0, 6);
        let any = self.random.between(1, 40);
        match self.random.between(0, 12) {
            0 | 1 => {
                let right = self.index(depth - 1);
                bounded(
                    &format!("({text} + {})", right.text),
                    left.most + right.most,
                )
            }
            2 | 3 => bounded(&format!("{text} * {any}"), left.most * any),
            4 => bounded(&format!("{text} / {any}"), left.most / any),
            5 => bounded(&format!("{text} % {any}"), (any - 1).min(left.most)),
            6 => {
                let by = self.random.between(0, 5);
                bounded(&format!("({text} >> {by})"), left.most >> by)
            }
            7 => bounded(&format!("({text} & {})", power - 1), power - 1),
            8 => {
                let right = self.index(depth - 1);
                let most = (left.most | right.most) as u64 + 1;
                bounded(
                    &format!("({text} ^ {})", right.text),
                    most.next_power_of_two() as i64 - 1,
                )
            }
            9 => {
                let by = self.random.between(0, 4);
                bounded(&format!("({text} << {by})"), left.most << by)
            }
            10 if self.random.one_in(4) => bounded(&format!("min(int({text}), n)"), left.most),
            10 => bounded(&format!("min(int({text}), {any})"), any.min(left.most)),
            11 => {
                let right = self.index(depth - 1);
                let threshold = self.random.between(1, 33);
                bounded(
                    &format!("(tid < {threshold} ? int({text}) : int({}))", right.text),
                    left.most.max(right.most),
                )
            }
            _ => bounded(&format!("({text} | {})", power - 1), left.most + power),
        }
    }

    /// An access: a load or a store.
    pub(super) fn access(&mut self, lvalue: String, start: &str) {
        let is_read = lvalue.starts_with("in[") || lvalue.contains("float4");
        let text = if !is_read && self.random.one_in(2) {
            format!("  {lvalue} = 1.0f;")
        } else {
            let name = self.name("f");
            format!("  auto {name} = {lvalue};")
        };
        self.lines.push(Line {
            text,
            access: Some(Accessed {
                lvalue,
                start: start.to_owned(),
                loops: self.loops.iter().rev().cloned().collect(),
            }),
            truth: String::new(),
        });
    }

    /// One or two lines with an access.
    pub(super) fn statement(&mut self, name: &str, depth: i64) {
        let kinds = if depth < 2 { 15 } else { 9 };
        if self.random.one_in(4) {
            let form = self.random.between(0, objects::FORMS - 1);
            return self.object(name, form, depth);
        }
        if self.random.one_in(5) {
            let form = self.random.between(0, ways::FORMS - 1);
            return self.way(name, form, depth);
        }
        if self.random.one_in(6) {
            let form = self.random.between(0, kept::FORMS - 1);
            return self.kept(form);
        }
        // In other blocks few numbers of a warp are known.
        let rarely = if self.has_whole_rows { 6 } else { 40 };
        if self.random.one_in(rarely) {
            let form = self.random.between(0, warps::FORMS - 1);
            return self.of_warp(form);
        }
        match self.random.between(0, kinds) {
            0 | 1 => {
                let index = self.index(3).text;
                self.access(format!("in[blockIdx.x * 64 + {index}]"), "in");
            }
            2 => {
                let (row, column) = (self.index(2).text, self.index(2).text);
                self.access(format!("tile[{row}][{column}]"), "tile");
            }
            3 => {
                let (row, column) = (self.index(1).text, self.index(2).text);
                self.access(
                    format!("out[(blockIdx.y * 16 + {row}) * lda + {column}]"),
                    "out",
                );
            }
            4 => {
                let (row, column) = (self.index(2).text, self.index(1).text);
                self.access(
                    format!("second[(({row}) ^ (({column}) & 7)) * 64 + {column}]"),
                    "raw",
                );
            }
            5 => {
                let index = self.index(2).text;
                self.access(format!("reinterpret_cast<float4*>(smem)[{index}]"), "raw");
            }
            6 => {
                let index = self.index(2).text;
                let row = self.name("row");
                self.line(format!("  const int {row} = indices[blockIdx.x];"));
                self.access(format!("in[{row} * lda + {index}]"), "in");
            }
            7 => {
                let (row, column) = (self.index(2).text, self.index(1).text);
                self.access(format!("smem[at_{name}<33>({row}, {column})]"), "raw");
            }
            8 => {
                let index = self.index(2);
                let limit = self.random.between(1, index.most.max(1));
                self.access(
                    format!("out[wrapped_{name}({}, {limit})]", index.text),
                    "out",
                );
            }
            9 => {
                let (a, b, c) = (self.index(1).text, self.index(1).text, self.index(2).text);
                self.access(format!("cube[({a}) & 3][({b}) & 7][{c}]"), "cube");
            }
            10..=12 => self.counted(name, depth),
            13 => self.moving(name, depth),
            14 => self.halving(name, depth),
            _ => self.guarded(name, depth),
        }
    }

    fn counted(&mut self, name: &str, depth: i64) {
        let counter = self.name("j");
        let trips = self.random.between(1, 6);
        let step = [1, 2, 4, 8][self.random.between(0, 3) as usize];
        let (head, most) = match self.random.between(0, 3) {
            0 => {
                let first = self.random.between(0, 5);
                let end = first + trips * step;
                (
                    format!(
                        "for (int {counter} = {first}; {counter} < {end}; {counter} += {step}) {{"
                    ),
                    end,
                )
            }
            1 => (
                format!("for (int {counter} = 0; {counter} < n; {counter} += {step}) {{"),
                64,
            ),
            2 => (
                format!("for (int {counter} = tid; {counter} < 300; {counter} += blockDim.x) {{"),
                300,
            ),
            _ => (
                format!(
                    "#pragma unroll\nfor (int {counter} = 0; {counter} < {trips}; ++{counter}) {{"
                ),
                trips,
            ),
        };
        self.enter(&counter, &head);
        self.numbers.push(number(&counter, most));
        self.statement(name, depth + 1);
        self.numbers.retain(|known| known.text != counter);
        self.leave();
    }

    /// A loop whose pass is counted for the truth.
    pub(super) fn enter(&mut self, counter: &str, head: &str) {
        self.with_truth("  ", &format!("long {counter}_pass = -1;"));
        let mut parts: Vec<&str> = head.split('\n').collect();
        let last = parts.pop().unwrap_or_default();
        for part in parts {
            self.line(part);
        }
        self.with_truth(format!("  {last}"), &format!("++{counter}_pass;"));
        self.loops.push(counter.to_owned());
    }

    pub(super) fn leave(&mut self) {
        let counter = self.loops.pop().unwrap_or_default();
        let truth = format!("const long {counter}_passes = {counter}_pass + 1;");
        self.with_truth("  }", &truth);
    }

    /// A pointer that moves on in each pass.
    fn moving(&mut self, name: &str, depth: i64) {
        let (pointer, counter) = (self.name("p"), self.name("k"));
        let first = self.index(2).text;
        self.line(format!("  const float* {pointer} = in + {first};"));
        let step = self.random.pick(&["4", "lda", "8 * lda", "blockDim.x"]);
        let trips = self.random.between(2, 4);
        let head = if self.random.one_in(2) {
            format!("for (int {counter} = 0; {counter} < {trips}; ++{counter}) {{")
        } else {
            format!("for (int {counter} = 0; {counter} < lda; {counter} += 16) {{")
        };
        self.enter(&counter, &head);
        let index = self.index(1).text;
        self.access_load(format!("{pointer}[{index}]"), "in");
        if depth < 1 && self.random.one_in(2) {
            self.statement(name, depth + 1);
        }
        self.line(format!("  {pointer} += {step};"));
        self.leave();
    }

    pub(super) fn access_load(&mut self, lvalue: String, start: &str) {
        let name = self.name("f");
        self.lines.push(Line {
            text: format!("  auto {name} = {lvalue};"),
            access: Some(Accessed {
                lvalue,
                start: start.to_owned(),
                loops: self.loops.iter().rev().cloned().collect(),
            }),
            truth: String::new(),
        });
    }

    fn halving(&mut self, name: &str, depth: i64) {
        let counter = self.name("s");
        let head =
            format!("for (int {counter} = blockDim.x / 2; {counter} > 0; {counter} >>= 1) {{");
        self.enter(&counter, &head);
        self.line(format!("  if (tid < {counter}) {{"));
        self.access_load(format!("smem[tid + {counter}]"), "raw");
        if depth < 1 && self.random.one_in(2) {
            self.statement(name, depth + 1);
        }
        self.line("  }");
        self.leave();
    }

    fn guarded(&mut self, name: &str, depth: i64) {
        let condition = match self.random.between(0, 3) {
            0 => format!("lane < {}", self.random.between(1, 32)),
            1 => "blockIdx.x * 32 + tid < n".to_owned(),
            2 => "warp == 0".to_owned(),
            _ => format!("tid % {} == 0", self.random.between(2, 5)),
        };
        let offset = self.name("w");
        let (a, b) = (self.index(2).text, self.index(2).text);
        self.line(format!("  int {offset} = {a};"));
        self.line(format!("  if ({condition}) {{"));
        self.line(format!("  {offset} = {b};"));
        self.statement(name, depth + 1);
        self.line("  }");
        self.access(format!("out[{offset}]"), "out");
    }
}

pub(super) fn number(text: &str, most: i64) -> Number {
    Number {
        text: text.to_owned(),
        most: most.max(0),
    }
}

/// An expression whose value stays small.
pub(super) fn bounded(text: &str, most: i64) -> Number {
    if most <= MOST / 64 {
        number(&format!("({text})"), most)
    } else {
        number(&format!("(({text}) % 1024)"), 1023)
    }
}
