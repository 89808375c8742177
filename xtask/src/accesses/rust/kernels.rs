//! Random kernels in Rust, in the spelling of `cuda-oxide`: subscripts of threads, blocks and loops.

use super::super::kernels::{Number, bounded, number};
use crate::programs::Random;

/// A line of a kernel, as the tool reads it and as rustc does.
#[derive(Clone, Debug)]
pub(super) struct Line {
    pub(super) text: String,
    /// The same for rustc. An access calls `seen(LINE, offset, names)` instead; `LINE` is its line in the source.
    pub(super) truth: String,
    pub(super) access: Option<Accessed>,
}

/// The names that an access may be told with.
#[derive(Clone, Debug)]
pub(super) struct Accessed {
    /// The integers that have names there, in the order in which the truth passes them.
    pub(super) names: Vec<String>,
    /// The loops around it, the innermost first; `NAME_pass` is among the names.
    pub(super) loops: Vec<String>,
}

/// A kernel.
#[derive(Clone, Debug)]
pub(in crate::accesses) struct Kernel {
    pub(super) name: String,
    pub(super) lines: Vec<Line>,
    pub(super) block: [i64; 3],
}

/// Bytes of an element.
const ELEMENT: i64 = 4;
/// Elements of a row that `index_2d` counts by.
const ROW: i64 = 64;

struct Writer<'r> {
    random: &'r mut Random,
    block: [i64; 3],
    lines: Vec<Line>,
    /// Numbers of type `usize`.
    numbers: Vec<Number>,
    /// The names that an access may speak of.
    names: Vec<String>,
    /// Loops around, the outermost first.
    loops: Vec<String>,
    made: usize,
}

/// Writes a random kernel under a name.
pub(in crate::accesses) fn kernel(random: &mut Random, name: &str) -> Kernel {
    let blocks: [[i64; 3]; 6] = [
        [32, 1, 1],
        [128, 1, 1],
        [256, 1, 1],
        [32, 8, 1],
        [16, 16, 1],
        [8, 8, 4],
    ];
    let block = blocks[random.between(0, 5) as usize];
    let mut writer = Writer {
        random,
        block,
        lines: Vec::new(),
        numbers: Vec::new(),
        names: vec!["n".to_owned(), "lda".to_owned()],
        loops: Vec::new(),
        made: 0,
    };
    writer.kernel(name);
    Kernel {
        name: name.to_owned(),
        lines: writer.lines,
        block,
    }
}

impl Writer<'_> {
    /// A line that both read.
    fn line(&mut self, text: impl Into<String>) {
        let text = text.into();
        self.two(text.clone(), text);
    }

    fn two(&mut self, text: impl Into<String>, truth: impl Into<String>) {
        self.lines.push(Line {
            text: text.into(),
            truth: truth.into(),
            access: None,
        });
    }

    fn fresh(&mut self, stem: &str) -> String {
        self.made += 1;
        format!("{stem}{}", self.made)
    }

    fn knows(&mut self, text: &str, most: i64) {
        self.numbers.push(number(text, most));
    }

    fn kernel(&mut self, name: &str) {
        let [x, y, z] = self.block;
        self.line(format!(
            "fn at_{name}<const W: usize>(r: usize, c: usize) -> usize {{ r * W + c }}"
        ));
        self.line(format!(
            "fn wrapped_{name}(i: usize, n: usize) -> usize {{ if i < n {{ return i; }} i - n }}"
        ));
        self.line(format!(
            "fn below_{name}(x: usize, n: usize) -> Option<usize> {{ if x < n {{ Some(x) }} else {{ None }} }}"
        ));
        self.two(
            format!(
                "#[derive(Clone, Copy)] struct Tile_{name} {{ start: *const f32, row: usize }} impl Tile_{name} {{ fn new(start: *const f32, row: usize) -> Self {{ Self {{ start, row }} }} fn place(&self, r: usize, c: usize) -> *const f32 {{ unsafe {{ self.start.add(r * self.row + c) }} }} fn next(&mut self, by: usize) {{ self.start = unsafe {{ self.start.add(by) }}; self.row += 1; }} }}"
            ),
            format!(
                "#[derive(Clone, Copy)] struct Tile_{name} {{ start: usize, row: usize }} impl Tile_{name} {{ fn new(start: usize, row: usize) -> Self {{ Self {{ start, row }} }} fn place(&self, r: usize, c: usize) -> usize {{ self.start + r * self.row + c }} fn next(&mut self, by: usize) {{ self.start += by; self.row += 1; }} }}"
            ),
        );
        self.two(
            format!(
                "#[kernel] pub fn {name}(n: usize, lda: usize, a: &[f32], indices: &[u32], mut c: DisjointSlice<f32, thread::Index2D<{ROW}>>, mut d: DisjointSlice<f32>) {{"
            ),
            format!("#[unsafe(no_mangle)] pub extern \"C\" fn {name}(n: usize, lda: usize) {{"),
        );
        self.two(
            "  static mut TILE: SharedArray<f32, 8192> = SharedArray::UNINIT;",
            "",
        );
        self.line("  let tid = thread::threadIdx_x() as usize;");
        self.knows("tid", x - 1);
        self.names.push("tid".to_owned());
        if y > 1 {
            self.line("  let (tx, ty) = (thread::threadIdx_x(), thread::threadIdx_y());");
            self.knows("(tx as usize)", x - 1);
            self.knows("(ty as usize)", y - 1);
            self.line("  let flat = (ty * thread::blockDim_x() + tx) as usize;");
            self.knows("flat", x * y - 1);
            self.names.push("flat".to_owned());
        }
        if z > 1 {
            self.knows("(thread::threadIdx_z() as usize)", z - 1);
        }
        self.line("  let (lane, warp) = (tid & 31, tid >> 5);");
        self.knows("lane", 31);
        self.knows("warp", x / 32);
        self.names.push("lane".to_owned());
        self.names.push("warp".to_owned());
        for _ in 0..self.random.between(1, 3) {
            self.local();
        }
        if self.random.one_in(4) {
            let threads = self.random.between(1, x);
            self.line(format!("  if tid >= {threads} {{ return; }}"));
        }
        for _ in 0..self.random.between(2, 4) {
            self.statement(name, 0);
        }
        self.line("}");
    }

    /// A variable with a random value.
    fn local(&mut self) {
        let value = self.index(3);
        let name = self.fresh("v");
        let (ty, text) = match self.random.between(0, 4) {
            0 => (": usize", value.text),
            1 => ("", value.text),
            2 => (": u32", format!("({}) as u32", value.text)),
            3 => (": i32", format!("({}) as i32", value.text)),
            _ => (": u64", format!("({}) as u64", value.text)),
        };
        self.line(format!("  let {name}{ty} = {text};"));
        self.names.push(name.clone());
        let text = match ty {
            ": usize" | "" => name,
            _ => format!("({name} as usize)"),
        };
        self.numbers.push(Number {
            text,
            most: value.most,
        });
    }

    /// An expression of type `usize`.
    fn index(&mut self, depth: i64) -> Number {
        if depth == 0 || self.random.one_in(5) {
            let which = self.random.between(0, self.numbers.len() as i64) as usize;
            if let Some(known) = self.numbers.get(which) {
                return known.clone();
            }
            let value = self.random.between(0, 40);
            return number(&format!("{value}usize"), value);
        }
        let left = self.index(depth - 1);
        let text = &left.text;
        let power = 1 << self.random.between(0, 6);
        let any = self.random.between(1, 40);
        match self.random.between(0, 18) {
            0 | 1 => {
                let right = self.index(depth - 1);
                let most = left.most + right.most;
                bounded(&format!("({text} + {})", right.text), most)
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
                let most = most.next_power_of_two() as i64 - 1;
                bounded(&format!("({text} ^ {})", right.text), most)
            }
            9 => {
                let by = self.random.between(0, 4);
                bounded(&format!("({text} << {by})"), left.most << by)
            }
            10 => bounded(&format!("({text}).min({any})"), any.min(left.most)),
            11 => {
                let right = self.index(depth - 1);
                let threshold = self.random.between(1, 33);
                bounded(
                    &format!(
                        "(if tid < {threshold} {{ {text} }} else {{ {} }})",
                        right.text
                    ),
                    left.most.max(right.most),
                )
            }
            12 => {
                let (one, two) = (self.index(depth - 1), self.index(0));
                bounded(
                    &format!(
                        "(match tid & 3 {{ 0 => {text}, 1 | 3 => {}, _ => {} }})",
                        one.text, two.text
                    ),
                    left.most.max(one.most).max(two.most),
                )
            }
            13 => {
                let bits = self.random.between(1, 3);
                let base = self.random.between(0, 2);
                let from = base + bits + self.random.between(0, 3);
                let most = (left.most as u64 + 1).next_power_of_two() as i64 - 1;
                bounded(
                    &format!("Swizzle::<{bits}, {base}, {from}>::apply({text})"),
                    most.max((1 << (bits + base)) - 1),
                )
            }
            14 => bounded(&format!("({text}).saturating_sub({any})"), left.most),
            15 => bounded(&format!("({text}).div_ceil({any})"), left.most / any + 1),
            16 => bounded(&format!("({text}).rem_euclid({any})"), any - 1),
            17 => {
                let right = self.index(depth - 1);
                let most = left.most.max(right.most);
                bounded(&format!("({text}).abs_diff({})", right.text), most)
            }
            _ => bounded(&format!("({text} | {})", power - 1), left.most + power),
        }
    }

    /// The truth of an access to an element.
    fn seen(&self, element: &str) -> (String, Accessed) {
        let mut names = self.names.clone();
        names.extend(self.loops.iter().map(|it| format!("{it}_pass")));
        let numbers: Vec<String> = names.iter().map(|it| format!("{it} as i64")).collect();
        let truth = format!(
            "seen(LINE, ({element}) as i64 * {ELEMENT}, &[{}]);",
            numbers.join(", ")
        );
        let access = Accessed {
            names,
            loops: self.loops.iter().rev().cloned().collect(),
        };
        (truth, access)
    }

    /// A line with an access to an element of some memory.
    fn access(&mut self, text: String, element: &str) {
        let (truth, access) = self.seen(element);
        self.lines.push(Line {
            text,
            truth,
            access: Some(access),
        });
    }

    fn statement(&mut self, name: &str, depth: i64) {
        if self.random.one_in(5) {
            return match self.random.between(0, 2) {
                0 => self.through_object(name),
                1 => self.through_option(name),
                _ => self.over_slice(),
            };
        }
        let kinds = if depth < 2 { 18 } else { 11 };
        let index = self.index(3).text;
        match self.random.between(0, kinds) {
            0 | 1 => {
                let element = format!("thread::blockIdx_x() as usize * 64 + {index}");
                let value = self.fresh("f");
                self.access(format!("  let {value} = a[{element}];"), &element);
            }
            2 | 3 => self.access(format!("  unsafe {{ TILE[{index}] = 1.0; }}"), &index),
            4 => {
                let value = self.fresh("f");
                let column = self.index(1).text;
                let element = format!("at_{name}::<33>({index}, {column})");
                self.access(
                    format!("  let {value} = unsafe {{ TILE[{element}] }};"),
                    &element,
                );
            }
            5 => {
                let element = format!("(thread::blockIdx_y() as usize * 16 + {index}) * lda");
                self.access(
                    format!("  unsafe {{ *c.get_unchecked_mut({element}) = 1.0; }}"),
                    &element,
                );
            }
            6 => {
                let row = self.fresh("row");
                self.two(
                    format!("  let {row} = indices[thread::blockIdx_x() as usize] as usize;"),
                    format!("  let {row} = loaded(thread::blockIdx_x() as usize);"),
                );
                self.names.push(row.clone());
                let element = format!("{row} * lda + {index}");
                let value = self.fresh("f");
                self.access(format!("  let {value} = a[{element}];"), &element);
                self.names.pop();
            }
            7 => {
                let limit = self.random.between(1, 300);
                let element = format!("wrapped_{name}({index}, {limit})");
                self.access(
                    format!("  unsafe {{ *c.get_unchecked_mut({element}) = 1.0; }}"),
                    &element,
                );
            }
            8 => {
                let value = self.fresh("f");
                self.access(
                    format!("  let {value} = unsafe {{ *a.as_ptr().add({index}) }};"),
                    &index,
                );
            }
            9 => {
                let (left, right) = (self.fresh("l"), self.fresh("r"));
                let other = self.index(2).text;
                self.line(format!("  let ({left}, {right}) = ({index}, {other});"));
                let element = format!("{left} * 40 + {right}");
                let value = self.fresh("f");
                self.access(format!("  let {value} = a[{element}];"), &element);
            }
            10 => self.own_element(),
            11 => self.part_of_slice(&index),
            12 | 13 => self.counted(name, depth),
            14 => self.stepping(name, depth),
            15 => self.moving(name, depth),
            16 => self.halving(name, depth),
            _ => self.guarded(name, depth),
        }
    }

    /// A struct that has a pointer, and moves it.
    fn through_object(&mut self, name: &str) {
        let tile = self.fresh("t");
        let (first, row) = (self.index(2).text, self.random.between(1, 70));
        self.two(
            format!(
                "  let mut {tile} = Tile_{name}::new(unsafe {{ a.as_ptr().add({first}) }}, {row});"
            ),
            format!("  let mut {tile} = Tile_{name}::new({first}, {row});"),
        );
        if self.random.one_in(2) {
            let by = self.index(1).text;
            self.line(format!("  {tile}.next({by});"));
        }
        let (down, across) = (self.index(1).text, self.index(2).text);
        let value = self.fresh("f");
        self.access(
            format!("  let {value} = unsafe {{ *{tile}.place({down}, {across}) }};"),
            &format!("{tile}.place({down}, {across})"),
        );
    }

    /// An option that a function gives.
    fn through_option(&mut self, name: &str) {
        let (index, limit) = (self.index(2), self.random.between(1, 40));
        let option = format!("below_{name}({}, {limit})", index.text);
        let value = self.fresh("f");
        if self.random.one_in(2) {
            let at = self.fresh("at");
            self.line(format!("  if let Some({at}) = {option} {{"));
            self.access(
                format!("  let {value} = a[{at} * 3];"),
                &format!("{at} * 3"),
            );
            self.line("  }");
        } else {
            let way = self.random.pick(&[
                "unwrap_or(7)",
                "map(|v| v * 5 + 1).unwrap_or(2)",
                "map_or(4, |v| v + 40)",
                "and_then(|v| if v > 3 { Some(v - 3) } else { None }).unwrap_or_default()",
            ]);
            let element = format!("{option}.{way}");
            self.access(format!("  let {value} = a[{element}];"), &element);
        }
    }

    /// The elements of a slice, one after the other.
    fn over_slice(&mut self) {
        let (counter, element) = (self.fresh("j"), self.fresh("e"));
        self.two("  ", format!("  let mut {counter}_pass = -1i64;"));
        self.two(
            format!("  for ({counter}, {element}) in a.iter().enumerate() {{"),
            format!("  for {counter} in 0..40usize {{ {counter}_pass += 1;"),
        );
        self.loops.push(counter.clone());
        self.names.push(counter.clone());
        let value = self.fresh("f");
        self.access(format!("  let {value} = *{element};"), &counter);
        self.knows(&counter, 39);
        let index = self.index(1).text;
        self.access(format!("  unsafe {{ TILE[{index}] = 1.0; }}"), &index);
        self.names.retain(|known| *known != counter);
        self.numbers.retain(|known| known.text != counter);
        self.leave();
    }

    /// The element that a thread of a grid has for itself.
    fn own_element(&mut self) {
        let column = "thread::blockIdx_x() as usize * thread::blockDim_x() as usize + tid";
        let row = "(thread::blockIdx_y() * thread::blockDim_y() + thread::threadIdx_y()) as usize";
        let at = self.fresh("at");
        if self.block[1] == 1 && self.random.one_in(2) {
            self.two(format!("  let {at} = thread::index_1d();"), "");
            let out = self.fresh("o");
            self.two(format!("  if let Some({out}) = d.get_mut({at}) {{"), "  {");
            self.access(format!("  *{out} = 1.0;"), column);
        } else {
            self.two(
                format!("  if let Some({at}) = thread::index_2d::<{ROW}>() {{"),
                format!("  if {column} < {ROW} {{"),
            );
            let element = format!("{row} * {ROW} + {column}");
            let out = self.fresh("o");
            self.two(format!("  if let Some({out}) = c.get_mut({at}) {{"), "");
            self.access(format!("  *{out} = 1.0;"), &element);
            self.two("  }", "");
        }
        self.line("  }");
    }

    /// A part of a slice that begins somewhere.
    fn part_of_slice(&mut self, first: &str) {
        let (part, start) = (self.fresh("s"), self.fresh("b"));
        self.line(format!("  let {start} = {first};"));
        self.two(format!("  let {part} = &a[{start}..];"), "");
        let index = self.index(2).text;
        let value = self.fresh("f");
        self.access(
            format!("  let {value} = {part}[{index}];"),
            &format!("{start} + {index}"),
        );
    }

    /// A loop over a range, whose steps are counted.
    fn counted(&mut self, name: &str, depth: i64) {
        let counter = self.fresh("j");
        let trips = self.random.between(1, 6);
        let step = [1, 2, 4, 8][self.random.between(0, 3) as usize];
        let (head, most) = match self.random.between(0, 3) {
            0 => {
                let first = self.random.between(0, 5);
                let end = first + trips * step;
                let range = format!("({first}usize..{end}).step_by({step})");
                (format!("for {counter} in {range} {{"), end)
            }
            1 => (format!("for {counter} in 0..n {{"), 64),
            2 => (format!("for {counter} in 0..={trips}usize {{"), trips),
            _ => (format!("for {counter} in 0..{trips}usize {{"), trips),
        };
        self.enter(&counter, &head);
        self.knows(&counter, most);
        self.names.push(counter.clone());
        self.statement(name, depth + 1);
        self.names.retain(|known| *known != counter);
        self.numbers.retain(|known| known.text != counter);
        self.leave();
    }

    /// `while i < n { ..; i += 32; }`.
    fn stepping(&mut self, name: &str, depth: i64) {
        let counter = self.fresh("i");
        let first = ["tid", "0usize", "lane"][self.random.between(0, 2) as usize];
        let step =
            ["32", "lda", "(thread::blockDim_x() as usize)"][self.random.between(0, 2) as usize];
        self.line(format!("  let mut {counter} = {first};"));
        self.enter(&counter, &format!("while {counter} < 300 {{"));
        self.knows(&counter, 300);
        self.names.push(counter.clone());
        self.statement(name, depth + 1);
        self.line(format!("  {counter} += {step};"));
        self.names.retain(|known| *known != counter);
        self.numbers.retain(|known| known.text != counter);
        self.leave();
    }

    /// A loop whose pass is counted for the truth.
    fn enter(&mut self, counter: &str, head: &str) {
        self.two("  ", format!("  let mut {counter}_pass = -1i64;"));
        self.two(
            format!("  {head}"),
            format!("  {head} {counter}_pass += 1;"),
        );
        self.loops.push(counter.to_owned());
    }

    fn leave(&mut self) {
        self.loops.pop();
        self.line("  }");
    }

    /// A pointer that moves on in each pass.
    fn moving(&mut self, name: &str, depth: i64) {
        let (pointer, counter) = (self.fresh("p"), self.fresh("k"));
        let first = self.index(2).text;
        self.two(
            format!("  let mut {pointer} = unsafe {{ a.as_ptr().add({first}) }};"),
            format!("  let mut {pointer} = {first};"),
        );
        let step = ["4", "lda", "8 * lda", "32"][self.random.between(0, 3) as usize];
        let trips = self.random.between(2, 4);
        self.enter(&counter, &format!("for {counter} in 0..{trips}usize {{"));
        self.names.push(counter.clone());
        let index = self.index(1).text;
        let value = self.fresh("f");
        self.access(
            format!("  let {value} = unsafe {{ *{pointer}.add({index}) }};"),
            &format!("{pointer} + {index}"),
        );
        if depth < 1 && self.random.one_in(2) {
            self.statement(name, depth + 1);
        }
        self.two(
            format!("  {pointer} = unsafe {{ {pointer}.add({step}) }};"),
            format!("  {pointer} += {step};"),
        );
        self.names.retain(|known| *known != counter);
        self.leave();
    }

    fn halving(&mut self, name: &str, depth: i64) {
        let counter = self.fresh("s");
        self.line(format!(
            "  let mut {counter} = thread::blockDim_x() as usize / 2;"
        ));
        self.enter(&counter, &format!("while {counter} > 0 {{"));
        self.names.push(counter.clone());
        self.line(format!("  if tid < {counter} {{"));
        let value = self.fresh("f");
        self.access(
            format!("  let {value} = unsafe {{ TILE[tid + {counter}] }};"),
            &format!("tid + {counter}"),
        );
        if depth < 1 && self.random.one_in(2) {
            self.statement(name, depth + 1);
        }
        self.line("  }");
        let step = [">>= 1", "/= 2"][self.random.between(0, 1) as usize];
        self.line(format!("  {counter} {step};"));
        self.names.retain(|known| *known != counter);
        self.leave();
    }

    fn guarded(&mut self, name: &str, depth: i64) {
        let condition = match self.random.between(0, 4) {
            0 => format!("lane < {}", self.random.between(1, 32)),
            1 => "thread::blockIdx_x() as usize * 32 + tid < n".to_owned(),
            2 => "warp == 0".to_owned(),
            3 => format!("(2..{}).contains(&tid)", self.random.between(3, 32)),
            _ => format!("tid % {} == 0", self.random.between(2, 5)),
        };
        let offset = self.fresh("w");
        let (first, second) = (self.index(2).text, self.index(2).text);
        self.line(format!("  let mut {offset} = {first};"));
        self.line(format!("  if {condition} {{"));
        self.line(format!("  {offset} = {second};"));
        self.statement(name, depth + 1);
        self.line("  }");
        self.access(
            format!("  unsafe {{ *c.get_unchecked_mut({offset}) = 1.0; }}"),
            &offset,
        );
    }
}
