//! The speed of reading sources and the notation: criterion measurements of a number of bytes.

use std::collections::BTreeMap;

use anyhow::Result;

use super::criterion::{self, Measured};
use crate::command;
use crate::measurements::Section;
use crate::place::Checkout;

/// Runs the benches of the grammar.
pub(super) fn measured(place: &Checkout) -> Result<Section> {
    let arguments = ["bench", "--locked", "--package", "tree-sitter-cute"];
    command::run(command::cargo(place, &arguments).args(["--bench", "*"]))?;
    let mut ours = criterion::measured(place)?;
    ours.retain(|_, measured| measured.bytes.is_some());
    Ok(section(&ours))
}

fn section(ours: &BTreeMap<String, Measured>) -> Section {
    Section {
        name: "Reading",
        about: "Medians of `criterion` measurements in processor time, with their 95 % interval. `open` parses and \
                lowers a source of 5,000 lines; `keystroke` does so after a line was typed in its \
                middle, from what was known before. Values of the notation are read from one line \
                of 1,000 layouts; its tree-sitter tree is what editors colour."
            .to_owned(),
        head: vec!["what", "time", "interval", "MB/s"],
        rows: ours
            .iter()
            .map(|(name, measured)| row(name, measured))
            .collect(),
    }
}

fn row(name: &str, measured: &Measured) -> Vec<String> {
    let speed = match measured.bytes {
        // A keystroke does not read the whole text: its speed would say nothing.
        Some(bytes) if !name.contains("keystroke") => {
            format!("{:.1}", bytes / measured.median * 1e3)
        }
        _ => String::new(),
    };
    vec![
        name.to_owned(),
        criterion::nanoseconds(measured.median),
        measured.interval(),
        speed,
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn speed_is_bytes_over_time_where_all_are_read() {
        let measured = Measured {
            median: 2_000.0,
            low: 1_900.0,
            high: 2_100.0,
            bytes: Some(50_000.0),
        };
        assert_eq!(
            row("notation/values", &measured),
            [
                "notation/values",
                "2.00 us",
                "1.90 us to 2.10 us",
                "25000.0"
            ]
        );
        assert_eq!(row("rust/keystroke", &measured)[3], "");
    }
}
