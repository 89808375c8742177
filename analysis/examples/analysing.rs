//! The time of analyses: `cargo run --release -p cute-analysis --example analysing FILE...`.
//!
//! For each file one line with cells between tabs: the name, its lines, and in microseconds the median
//! of the analysis without and with what functions cost and of the difference, then the 50th, 95th and 99th percentile of an
//! analysis after a space was typed behind a statement in its middle, parsing included.

use std::sync::Arc;
use std::time::{Duration, Instant};

use cute_analysis::{Alone, Memo, Options, SourceFile, analyse, analyse_edited};
use tree_sitter_cute::{Budget, Host, Syntax};

/// Number of analyses of the whole file, each time without costs and with them.
const WHOLE: usize = 41;
/// Number of keystrokes.
const KEYSTROKES: usize = 100;

type Failed = Box<dyn std::error::Error>;

fn main() -> Result<(), Failed> {
    for path in std::env::args().skip(1) {
        let text = std::fs::read_to_string(&path)?;
        let lines = text.lines().count();
        let [without, with, costs] = whole(&path, &text)?;
        let typed = keystrokes(&path, &text)?;
        let typed = [50, 95, 99].map(|percent| percentile(&typed, percent).to_string());
        println!(
            "{path}\t{lines}\t{without}\t{with}\t{costs}\t{}",
            typed.join("\t")
        );
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

/// Medians of an analysis of the whole file without and with costs, and of what they add, in microseconds; parsing is
/// not counted. One is measured right behind the other, so that what else the machine does meets both.
fn whole(path: &str, text: &str) -> Result<[i128; 3], Failed> {
    let syntax = Syntax::parse(Host::CudaCpp, text, None, Budget::unlimited())?;
    let file = SourceFile::analysed(path, text, syntax.lower(text));
    let timed = |costs: bool| {
        let started = Instant::now();
        std::hint::black_box(analyse(&file, &Alone, &options(costs)));
        i128::try_from(started.elapsed().as_micros())
    };
    let mut times: [Vec<i128>; 3] = Default::default();
    // The first one warms up.
    for round in 0..=WHOLE {
        let (without, with) = (timed(false)?, timed(true)?);
        if round > 0 {
            for (times, time) in times.iter_mut().zip([without, with, with - without]) {
                times.push(time);
            }
        }
    }
    Ok(times.map(|mut times| {
        times.sort_unstable();
        times.get(WHOLE / 2).copied().unwrap_or_default()
    }))
}

/// Types a space, or takes it away; sorted.
fn keystrokes(path: &str, text: &str) -> Result<Vec<Duration>, Failed> {
    let middle = text.len() / 2;
    let behind = text.get(middle..).and_then(|rest| rest.find(";\n"));
    let (before, after) = text.split_at(behind.map_or(text.len(), |at| middle + at + 1));
    let typed = [before, " ", after].concat();
    let mut memo = Memo::default();
    let mut syntax = Arc::new(Syntax::parse(
        Host::CudaCpp,
        text,
        None,
        Budget::unlimited(),
    )?);
    let mut times = Vec::new();
    // The first one fills what is kept.
    for round in 0..=KEYSTROKES {
        let text = if round % 2 == 0 { &typed } else { text };
        let started = Instant::now();
        let parsed = Syntax::parse(Host::CudaCpp, text, Some(&syntax), Budget::unlimited())?;
        syntax = Arc::new(parsed);
        let file = SourceFile::parsed(path, text, Arc::clone(&syntax));
        std::hint::black_box(analyse_edited(&file, &Alone, &options(true), &mut memo));
        times.push(started.elapsed());
    }
    times.remove(0);
    times.sort_unstable();
    Ok(times)
}

/// The smallest time, in microseconds, that this percentage of the sorted ones does not exceed.
fn percentile(sorted: &[Duration], percent: usize) -> u128 {
    let rank = (sorted.len() * percent).div_ceil(100).max(1);
    sorted.get(rank - 1).map_or(0, Duration::as_micros)
}
