//! How long analyses take: `cargo run --release -p cute-analysis --example analysing FILE...`.
//!
//! For each file one line with cells between tabs: the name, its lines, and in microseconds the median
//! of the analysis without and with what functions cost, then the 50th, 95th and 99th percentile of an
//! analysis after a space was typed behind a statement in its middle, parsing included.

use std::time::{Duration, Instant};

use cute_analysis::{Alone, Memo, Options, SourceFile, analyse, analyse_edited};
use tree_sitter_cute::{Budget, Host, Syntax};

/// How often the whole file is analysed.
const WHOLE: usize = 11;
/// How many keystrokes are made.
const KEYSTROKES: usize = 100;

type Failed = Box<dyn std::error::Error>;

fn main() -> Result<(), Failed> {
    for path in std::env::args().skip(1) {
        let text = std::fs::read_to_string(&path)?;
        let lines = text.lines().count();
        let without = whole(&path, &text, false)?;
        let with = whole(&path, &text, true)?;
        let typed = keystrokes(&path, &text)?;
        let typed = [50, 95, 99].map(|percent| percentile(&typed, percent).to_string());
        println!("{path}\t{lines}\t{without}\t{with}\t{}", typed.join("\t"));
    }
    Ok(())
}

fn options(costs: bool) -> Options {
    Options {
        remedies: false,
        costs,
        ..Options::default()
    }
}

/// The median of an analysis of the whole file, parsing not counted.
fn whole(path: &str, text: &str, costs: bool) -> Result<u128, Failed> {
    let syntax = Syntax::parse(Host::CudaCpp, text, None, Budget::unlimited())?;
    let file = SourceFile::analysed(path, text, syntax.lower(text));
    let mut times: Vec<Duration> = (0..WHOLE)
        .map(|_| {
            let started = Instant::now();
            std::hint::black_box(analyse(&file, &Alone, &options(costs)));
            started.elapsed()
        })
        .collect();
    times.sort_unstable();
    Ok(percentile(&times, 50))
}

/// Types a space, or takes it away; sorted.
fn keystrokes(path: &str, text: &str) -> Result<Vec<Duration>, Failed> {
    let middle = text.len() / 2;
    let behind = text.get(middle..).and_then(|rest| rest.find(";\n"));
    let (before, after) = text.split_at(behind.map_or(text.len(), |at| middle + at + 1));
    let typed = [before, " ", after].concat();
    let mut memo = Memo::default();
    let mut syntax = Syntax::parse(Host::CudaCpp, text, None, Budget::unlimited())?;
    let mut times = Vec::new();
    // The first one fills what is kept.
    for round in 0..=KEYSTROKES {
        let text = if round % 2 == 0 { &typed } else { text };
        let started = Instant::now();
        syntax = Syntax::parse(Host::CudaCpp, text, Some(&syntax), Budget::unlimited())?;
        let file = SourceFile::analysed(path, text, syntax.lower(text));
        std::hint::black_box(analyse_edited(&file, &Alone, &options(true), &mut memo));
        times.push(started.elapsed());
    }
    times.remove(0);
    times.sort_unstable();
    Ok(times)
}

/// The smallest time, in microseconds, that so many of the sorted ones do not exceed.
fn percentile(sorted: &[Duration], percent: usize) -> u128 {
    let rank = (sorted.len() * percent).div_ceil(100).max(1);
    sorted.get(rank - 1).map_or(0, Duration::as_micros)
}
