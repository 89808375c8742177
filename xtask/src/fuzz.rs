//! `cargo xtask fuzz`: random texts in the notation, read in release; the figures go to
//! docs/measurements.md.

use anyhow::{Context, Result};
use serde::Deserialize;

use crate::command;
use crate::measurements::{self, Section};
use crate::place::Checkout;

/// The output of the fuzzer (`grammar/examples/fuzz.rs`).
#[derive(Deserialize)]
struct Report {
    cases: u64,
    values: u64,
    bytes: u64,
    seconds: f64,
    slowest_us: u64,
    slowest_bytes: u64,
}

/// Reads `cases` texts; a broken promise ends the run as an error, with the text.
pub(crate) fn run(place: &Checkout, cases: u64, seed: u64) -> Result<()> {
    let mut fuzz = command::example(place, "tree-sitter-cute", "fuzz");
    let printed = command::output(fuzz.args([cases.to_string(), seed.to_string()]))?;
    let report = serde_json::from_str(&printed).context("what the fuzzer prints")?;
    measurements::publish(place, &[section(&report, seed)])
}

fn section(report: &Report, seed: u64) -> Section {
    let rows = [
        ("texts read", report.cases.to_string()),
        ("of them values", report.values.to_string()),
        ("megabytes", (report.bytes / 1_000_000).to_string()),
        ("seconds", format!("{:.1}", report.seconds)),
        ("seed", seed.to_string()),
        (
            "the slowest text",
            format!(
                "{} us for {} bytes",
                report.slowest_us, report.slowest_bytes
            ),
        ),
        ("broken promises", "0".to_owned()),
    ];
    Section {
        name: "Fuzzing of the notation",
        about:
            "`cargo xtask fuzz`: random values, and texts damaged at random; each is read strictly \
                and with holes, and values again as they are written. Promised are an answer \
                without a panic; spans inside the text, the spans around them, and between \
                characters; holes exactly where there are errors; and that what is written is read \
                back as the same tree. A broken promise ends the run. Times are of the clock, with \
                the waiting for a core in them."
                .to_owned(),
        head: vec!["what", "figure"],
        rows: rows
            .into_iter()
            .map(|(what, figure)| vec![what.to_owned(), figure])
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_fuzzer_prints_is_a_table() {
        let printed = r#"{"cases":10,"values":4,"bytes":2000000,"seconds":1.5,"slowest_us":7,"slowest_bytes":90}"#;
        let report = serde_json::from_str(printed).unwrap();
        let rows = section(&report, 3).rows;
        assert!(rows.contains(&vec!["megabytes".to_owned(), "2".to_owned()]));
        assert!(rows.contains(&vec!["seed".to_owned(), "3".to_owned()]));
    }
}
