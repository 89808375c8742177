//! A wrong program made small: lines are dropped as long as it stays wrong.

use super::source::Program;
use super::truth::Bench;

/// Times that all lines are tried.
const ROUNDS: usize = 3;

/// The smallest program found in which a value is still wrong.
pub(super) fn shrunk(bench: &Bench, program: &Program, index: usize) -> Program {
    let name = format!("shrink-{index}");
    let mut small = program.clone();
    for _ in 0..ROUNDS {
        let before = small.lines.len();
        let mut at = small.lines.len();
        while at > 0 {
            at -= 1;
            let mut fewer = small.clone();
            fewer.lines.remove(at);
            if is_wrong(bench, &fewer, &name) {
                small = fewer;
            }
            at = at.min(small.lines.len());
        }
        if small.lines.len() == before {
            break;
        }
    }
    small
}

fn is_wrong(bench: &Bench, program: &Program, name: &str) -> bool {
    let programs = std::slice::from_ref(program);
    // A program whose values are all unknown to the tool is not compiled.
    let Ok(said) = bench.said(programs, name) else {
        return false;
    };
    if said.values().all(Option::is_none) {
        return false;
    }
    let Ok(truth) = bench.truth(programs, name) else {
        return false;
    };
    said.iter().any(|(line, value)| {
        value.is_some_and(|value| truth.values.get(line).is_some_and(|known| *known != value))
    })
}
