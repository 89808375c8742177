//! Reads random texts in the notation: `cargo run --release --example fuzz -- CASES SEED`. Prints
//! what it has seen as one object of JSON. `cargo xtask fuzz` runs it and keeps the figures.

#[path = "../tests/fuzzing/mod.rs"]
mod fuzzing;

use std::process::ExitCode;
use std::time::Instant;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let mut number = || arguments.next()?.parse().ok();
    let (Some(cases), Some(seed)) = (number(), number()) else {
        eprintln!("usage: fuzz CASES SEED");
        return ExitCode::from(2);
    };
    let start = Instant::now();
    let report = fuzzing::run(seed, cases);
    println!(
        "{{\"cases\":{},\"values\":{},\"bytes\":{},\"seconds\":{:.1},\"slowest_us\":{},\"slowest_bytes\":{}}}",
        report.cases,
        report.values,
        report.bytes,
        start.elapsed().as_secs_f64(),
        report.slowest.0.as_micros(),
        report.slowest.1,
    );
    ExitCode::SUCCESS
}
