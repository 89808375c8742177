//! Kernels with one fault, and twins without it: a thread beyond an array, lanes in one bank, two threads that store
//! different values to one place. All threads are computed here, and each finding is compared with them.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::Path;

use anyhow::{Context, Result};
use serde::Deserialize;

use super::judged::Bench;
use crate::programs::Random;

/// Kernels of one source.
const IN_ONE_SOURCE: usize = 40;
/// Tries to find a kernel with the wanted fault, or without one.
const TRIES: usize = 200;

/// A fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    Overrun,
    Conflict,
    Overlap,
}

impl Fault {
    const ALL: [Self; 3] = [Self::Overrun, Self::Conflict, Self::Overlap];

    fn rule(self) -> &'static str {
        match self {
            Self::Overrun => "over-run",
            Self::Conflict => "bank-conflict",
            Self::Overlap => "write-race",
        }
    }
}

/// An index of a thread and a pass, never below 0.
#[derive(Clone, Debug)]
enum Index {
    X,
    Y,
    Pass,
    Number(i64),
    Sum(Box<Self>, Box<Self>),
    Xor(Box<Self>, Box<Self>),
    Times(Box<Self>, i64),
    Over(Box<Self>, i64),
    Rest(Box<Self>, i64),
}

impl Index {
    fn at(&self, thread: Thread) -> i64 {
        match self {
            Self::X => thread.x,
            Self::Y => thread.y,
            Self::Pass => thread.pass,
            Self::Number(number) => *number,
            Self::Sum(a, b) => a.at(thread) + b.at(thread),
            Self::Xor(a, b) => a.at(thread) ^ b.at(thread),
            Self::Times(a, by) => a.at(thread) * by,
            Self::Over(a, by) => a.at(thread) / by,
            Self::Rest(a, by) => a.at(thread) % by,
        }
    }
}

impl fmt::Display for Index {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::X => f.write_str("tx"),
            Self::Y => f.write_str("ty"),
            Self::Pass => f.write_str("j"),
            Self::Number(number) => write!(f, "{number}"),
            Self::Sum(a, b) => write!(f, "({a} + {b})"),
            Self::Xor(a, b) => write!(f, "({a} ^ {b})"),
            Self::Times(a, by) => write!(f, "{a} * {by}"),
            Self::Over(a, by) => write!(f, "({a}) / {by}"),
            Self::Rest(a, by) => write!(f, "({a}) % {by}"),
        }
    }
}

/// A thread at a pass of the loop.
#[derive(Clone, Copy, Debug)]
struct Thread {
    x: i64,
    y: i64,
    pass: i64,
}

/// A kernel with one store.
#[derive(Clone, Debug)]
struct Kernel {
    fault: Fault,
    is_faulty: bool,
    is_rust: bool,
    block: [i64; 2],
    passes: i64,
    /// Threads along x that store.
    active: i64,
    index: Index,
    /// Elements of the array.
    extent: i64,
}

impl Kernel {
    fn threads(&self) -> Vec<Thread> {
        let [width, height] = self.block;
        let mut all = Vec::new();
        for pass in 0..self.passes {
            for y in 0..height {
                all.extend((0..self.active.min(width)).map(|x| Thread { x, y, pass }));
            }
        }
        all
    }

    fn offsets(&self) -> impl Iterator<Item = i64> {
        let index = self.index.clone();
        self.threads().into_iter().map(move |it| index.at(it))
    }

    fn linear(&self, thread: Thread) -> i64 {
        thread.y * self.block[0] + thread.x
    }

    /// Wavefronts of a warp at a pass, and the fewest.
    fn wavefronts(&self, warp: i64, pass: i64) -> (i64, i64) {
        let mut banks: BTreeMap<i64, BTreeSet<i64>> = BTreeMap::new();
        let of_warp = |it: &Thread| it.pass == pass && self.linear(*it) / 32 == warp;
        for thread in self.threads().into_iter().filter(of_warp) {
            let word = self.index.at(thread);
            banks.entry(word % 32).or_default().insert(word);
        }
        let most = banks.values().map(BTreeSet::len).max().unwrap_or(0);
        (most as i64, i64::from(most > 0))
    }

    /// Whether the threads do what the fault is.
    fn has_fault(&self) -> bool {
        match self.fault {
            Fault::Overrun => self.offsets().any(|offset| offset >= self.extent),
            Fault::Conflict => {
                let warps = (self.block[0] * self.block[1] + 31) / 32;
                (0..self.passes).any(|pass| {
                    (0..warps).any(|warp| {
                        let (count, least) = self.wavefronts(warp, pass);
                        count > least
                    })
                })
            }
            Fault::Overlap => {
                let mut places = BTreeSet::new();
                let threads = self.threads().into_iter();
                threads
                    .map(|thread| (thread.pass, self.index.at(thread)))
                    .any(|place| !places.insert(place))
            }
        }
    }

    /// Whether what is said of it is so.
    fn is_true(&self, said: &Finding) -> bool {
        let threads = self.threads();
        match self.fault {
            Fault::Overrun => {
                let (Some(thread), Some(byte)) = (said.thread("thread"), said.number("byte"))
                else {
                    return false;
                };
                byte >= 4 * self.extent && self.is_at(&threads, thread, byte / 4)
            }
            Fault::Conflict => {
                let numbers = (said.number("wavefronts"), said.number("without_conflicts"));
                let warp = said.message.split("in warp ").nth(1);
                let warp = warp.and_then(|rest| rest.split(';').next()?.parse().ok());
                let (Some(warp), (Some(count), Some(least))) = (warp, numbers) else {
                    return false;
                };
                (0..self.passes).any(|pass| self.wavefronts(warp, pass) == (count, least))
            }
            Fault::Overlap => {
                let place = said.text("offset").and_then(|it| it.parse().ok());
                let both = (said.thread("first_thread"), said.thread("second_thread"));
                let (Some(place), (Some(first), Some(second))) = (place, both) else {
                    return false;
                };
                first != second
                    && self.is_at(&threads, first, place)
                    && self.is_at(&threads, second, place)
            }
        }
    }

    fn is_at(&self, threads: &[Thread], (x, y): (i64, i64), place: i64) -> bool {
        let mut threads = threads.iter();
        threads.any(|it| (it.x, it.y) == (x, y) && self.index.at(*it) == place)
    }

    /// Its source; the store has a separate line.
    fn text(&self, name: &str) -> String {
        let ([width, height], active) = (self.block, self.active);
        let (passes, index, extent) = (self.passes, &self.index, self.extent);
        let value = format!("ty * {width} + tx");
        if self.is_rust {
            let store = match self.fault {
                Fault::Overlap => {
                    format!("unsafe {{ *c.get_unchecked_mut({index}) = ({value}) as u32; }}")
                }
                _ => format!("unsafe {{ S[{index}] = 0; }}"),
            };
            return format!(
                "#[kernel]\n#[launch_contract(block = ({width}, {height}, 1))]\npub fn {name}(mut c: DisjointSlice<u32>) {{\n\
                 static mut S: SharedArray<u32, {extent}> = SharedArray::UNINIT;\n\
                 let (tx, ty) = (thread::threadIdx_x() as usize, thread::threadIdx_y() as usize);\n\
                 for j in 0..{passes}usize {{ if tx < {active} {{\n{store}\n}} }}\n}}\n"
            );
        }
        let store = match self.fault {
            Fault::Overlap => format!("c[{index}] = {value};"),
            _ => format!("s[{index}] = 0;"),
        };
        format!(
            "__global__ void {name}(unsigned* c) {{\n__shared__ unsigned s[{extent}];\n\
             unsigned tx = threadIdx.x, ty = threadIdx.y;\n\
             for (unsigned j = 0; j < {passes}; ++j) {{ if (tx < {active}) {{\n{store}\n}} }}\n}}\n\
             void run_{name}(unsigned* c) {{ {name}<<<1, dim3({width}, {height})>>>(c); }}\n"
        )
    }
}

/// A finding of the tool.
#[derive(Debug, Deserialize)]
struct Finding {
    line: usize,
    rule: String,
    severity: String,
    message: String,
    #[serde(default)]
    numbers: BTreeMap<String, serde_json::Value>,
}

impl Finding {
    fn number(&self, name: &str) -> Option<i64> {
        self.numbers.get(name)?.as_i64()
    }

    fn text(&self, name: &str) -> Option<&str> {
        self.numbers.get(name)?.as_str()
    }

    /// `(x,y,z)`.
    fn thread(&self, name: &str) -> Option<(i64, i64)> {
        let text = self.text(name)?.trim_matches(['(', ')']);
        let mut parts = text.split(',').map(|part| part.parse().ok());
        Some((parts.next()??, parts.next()??))
    }
}

/// The results for all kernels.
#[derive(Debug, Default)]
pub(super) struct Judged {
    /// Faults that were said, with a true witness.
    pub(super) found: u64,
    /// Faults of which nothing was said.
    pub(super) missed: Vec<String>,
    /// Twins of which nothing was said.
    pub(super) silent: u64,
    /// Findings that are untrue.
    pub(super) untrue: Vec<String>,
}

/// Writes and judges as many kernels with each fault, and as many twins.
pub(super) fn judge(bench: &Bench, of_each: u64, seed: u64) -> Result<Judged> {
    let mut kernels = Vec::new();
    for (stream, fault) in (0..).zip(Fault::ALL) {
        for index in 0..of_each {
            let mut random = Random::new(seed, 1 << 32 | stream << 16 | index);
            for is_faulty in [true, false] {
                kernels.extend(kernel(&mut random, fault, is_faulty, index % 2 == 1));
            }
        }
    }
    let (in_rust, in_cuda): (Vec<Kernel>, Vec<Kernel>) =
        kernels.into_iter().partition(|kernel| kernel.is_rust);
    let mut all = Judged::default();
    for (kernels, ending) in [(&in_cuda, "cu"), (&in_rust, "rs")] {
        for (index, batch) in kernels.chunks(IN_ONE_SOURCE).enumerate() {
            let path = bench.folder.join(format!("faults-{index}.{ending}"));
            judge_batch(bench, batch, &path, &mut all)?;
        }
    }
    Ok(all)
}

fn judge_batch(bench: &Bench, kernels: &[Kernel], path: &Path, all: &mut Judged) -> Result<()> {
    let mut text = String::from(if kernels.iter().any(|kernel| kernel.is_rust) {
        "use cuda_device::{DisjointSlice, SharedArray, kernel, launch_contract, thread};\n"
    } else {
        "#include <cuda_runtime.h>\n"
    });
    let mut starts = Vec::new();
    for (index, kernel) in kernels.iter().enumerate() {
        starts.push(text.lines().count() + 1);
        text += &kernel.text(&format!("k{index}"));
    }
    std::fs::write(path, &text).context("writing kernels")?;
    let mut said: BTreeMap<usize, Vec<Finding>> = BTreeMap::new();
    for line in bench
        .said(&["check", "--all", "--format", "json"], path)?
        .lines()
    {
        let Ok(finding) = serde_json::from_str::<Finding>(line) else {
            continue;
        };
        let kernel = starts.partition_point(|start| *start <= finding.line);
        said.entry(kernel.saturating_sub(1))
            .or_default()
            .push(finding);
    }
    for (index, kernel) in kernels.iter().enumerate() {
        let findings = said.remove(&index).unwrap_or_default();
        let rule = kernel.fault.rule();
        let of_rule: Vec<&Finding> = findings.iter().filter(|it| it.rule == rule).collect();
        let place = format!("{}:{}", path.display(), starts.get(index).unwrap_or(&0));
        let warns = |it: &&Finding| it.severity != "information";
        if kernel.is_faulty {
            match of_rule.as_slice() {
                [] => all.missed.push(format!("{place}: {rule}")),
                [first, ..] if kernel.is_true(first) => all.found += 1,
                [first, ..] => all.untrue.push(format!("{place}: {}", first.message)),
            }
        } else if let Some(first) = of_rule.first().copied().or(findings.iter().find(warns)) {
            all.untrue.push(format!("{place}: {}", first.message));
        } else {
            all.silent += 1;
        }
    }
    Ok(())
}

/// A random kernel with a fault, or without it.
fn kernel(random: &mut Random, fault: Fault, is_faulty: bool, is_rust: bool) -> Option<Kernel> {
    const BLOCKS: [[i64; 2]; 5] = [[32, 1], [128, 1], [32, 8], [16, 16], [64, 4]];
    for _ in 0..TRIES {
        let block = BLOCKS[random.between(0, 4) as usize];
        let index = match fault {
            Fault::Overrun => any(random, 3),
            Fault::Conflict => tile(random, block),
            Fault::Overlap => place(random, block),
        };
        let mut kernel = Kernel {
            fault,
            is_faulty,
            is_rust,
            block,
            passes: random.between(1, 4),
            active: if random.one_in(3) {
                random.between(1, block[0])
            } else {
                block[0]
            },
            index,
            extent: 0,
        };
        let most = kernel.offsets().max()?;
        if most > 8_000 {
            continue;
        }
        kernel.extent = most + 1;
        if fault == Fault::Overrun && is_faulty {
            kernel.extent = (most + 1 - random.between(1, 8)).max(1);
        }
        if kernel.has_fault() == is_faulty {
            return Some(kernel);
        }
    }
    None
}

/// Any index.
fn any(random: &mut Random, depth: i64) -> Index {
    if depth == 0 {
        return match random.between(0, 3) {
            0 => Index::Y,
            1 => Index::Pass,
            2 => Index::Number(random.between(0, 40)),
            _ => Index::X,
        };
    }
    let a = Box::new(any(random, depth - 1));
    match random.between(0, 5) {
        0 | 1 => Index::Sum(a, Box::new(any(random, depth - 1))),
        2 => Index::Times(a, random.between(1, 33)),
        3 => Index::Over(a, random.between(1, 9)),
        4 => Index::Rest(a, random.between(1, 64)),
        _ => Index::Xor(a, Box::new(any(random, depth - 1))),
    }
}

/// An element of a tile: rows of some length, read by rows or by columns, with or without a swizzle.
fn tile(random: &mut Random, [width, height]: [i64; 2]) -> Index {
    let flat = sum(times(Index::Y, width), Index::X);
    let (row, column) = match random.between(0, 3) {
        0 => (Index::Y, Index::X),
        1 => (Index::X, Index::Y),
        2 => (rest(flat.clone(), 32), over(flat, 32)),
        _ => (over(flat.clone(), height.max(8)), rest(flat, height.max(8))),
    };
    let length = [32, 33, 36, 64, 65, 16, 17][random.between(0, 6) as usize];
    let column = if random.one_in(3) {
        Index::Xor(Box::new(column), Box::new(rest(row.clone(), 32)))
    } else {
        column
    };
    sum(times(row, length), column)
}

/// A place for each thread, or for some of them.
fn place(random: &mut Random, [width, height]: [i64; 2]) -> Index {
    let flat = sum(times(Index::Y, width), Index::X);
    let by = random.between(1, 6);
    match random.between(0, 6) {
        0 => sum(times(Index::X, height), Index::Y),
        1 => sum(times(Index::Y, width - random.between(0, 1)), Index::X),
        2 => over(flat, by),
        3 => times(flat, by),
        4 => rest(flat, random.between(16, width * height)),
        5 => Index::Xor(Box::new(flat), Box::new(Index::Pass)),
        _ => sum(
            times(rest(flat.clone(), by), width * height),
            over(flat, by),
        ),
    }
}

fn sum(a: Index, b: Index) -> Index {
    Index::Sum(Box::new(a), Box::new(b))
}

fn times(a: Index, by: i64) -> Index {
    Index::Times(Box::new(a), by)
}

fn over(a: Index, by: i64) -> Index {
    Index::Over(Box::new(a), by)
}

fn rest(a: Index, by: i64) -> Index {
    Index::Rest(Box::new(a), by)
}
