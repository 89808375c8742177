//! The time of an operation: the crates' criterion measurements, and the same cases in Python's layout libraries.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use serde::Deserialize;

use super::criterion::{self, Measured, nanoseconds};
use crate::measurements::Section;
use crate::place::Checkout;
use crate::{command, metadata, oracles};

/// Times the cases of a file in other libraries.
const PEERS: &str = "algebra/benches/peers.py";
/// The cases.
const CASES: &str = "algebra/benches/cases.tsv";
/// The libraries, as the script names them.
const LIBRARIES: [&str; 2] = ["pycute", "tensor-layouts"];

/// One line of the script's output.
#[derive(Deserialize)]
struct Peer {
    case: String,
    library: String,
    /// Median nanoseconds per operation; none where the library refuses the case.
    ns: Option<f64>,
}

/// Median nanoseconds of other libraries, by case and library.
type Peers = BTreeMap<(String, String), f64>;

/// Runs the benches of these packages (`--workspace`, or `--package` and a name); nothing, when no
/// crate has any.
pub(super) fn measured(place: &Checkout, packages: &[&str]) -> Result<Option<Section>> {
    if !metadata::read(place)?.has_benches() {
        return Ok(None);
    }
    let mut arguments = vec!["bench", "--locked"];
    arguments.extend(packages);
    arguments.extend(["--bench", "*"]);
    command::run(&mut command::cargo(place, &arguments))?;
    let mut ours = criterion::measured(place)?;
    // Benchmarks of reading and of previews are in separate sections.
    ours.retain(|name, measured| {
        measured.bytes.is_none() && !name.starts_with(super::previews::GROUP)
    });
    let peers = peers(place)?;
    Ok(Some(Section {
        name: "Operations",
        about: "Medians of the crates' `criterion` measurements, with their 95 % interval; and of \
                pycute (of CUTLASS 4.2) and tensor-layouts 0.3.2 on the same operands, in processor \
                time on both sides. A ratio is their time over ours; `none` where a library has no \
                such operation or refuses it."
            .to_owned(),
        head: vec![
            "operation",
            "cute-analyzer",
            "interval",
            "pycute",
            "ratio",
            "tensor-layouts",
            "ratio",
        ],
        rows: ours
            .iter()
            .map(|(case, median)| row(case, median, &peers))
            .collect(),
    }))
}

fn row(case: &str, ours: &Measured, peers: &Peers) -> Vec<String> {
    let mut cells = vec![case.to_owned(), nanoseconds(ours.median), ours.interval()];
    for library in LIBRARIES {
        match peers.get(&(case.to_owned(), library.to_owned())) {
            Some(time) => {
                cells.push(nanoseconds(*time));
                cells.push(format!("{:.0}", time / ours.median));
            }
            None => cells.extend(["none".to_owned(), "none".to_owned()]),
        }
    }
    cells
}

/// Times the same cases in other libraries.
fn peers(place: &Checkout) -> Result<Peers> {
    let mut python = command::program(place, "python3");
    python
        .env("PYTHONPATH", oracles::python_path(place)?)
        .args([PEERS, CASES]);
    let mut peers = Peers::new();
    for line in command::output(&mut python)?.lines() {
        let peer: Peer = serde_json::from_str(line).with_context(|| format!("{PEERS}: {line}"))?;
        if let Some(time) = peer.ns {
            peers.insert((peer.case, peer.library), time);
        }
    }
    Ok(peers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_case_has_its_ratio_to_each_library_that_answers() {
        let median = Measured {
            median: 100.0,
            low: 90.0,
            high: 110.0,
            bytes: None,
        };
        let peers = Peers::from([(("c".to_owned(), "pycute".to_owned()), 25_000.0)]);
        assert_eq!(
            row("c", &median, &peers),
            [
                "c",
                "100.0 ns",
                "90.0 ns to 110.0 ns",
                "25.00 us",
                "250",
                "none",
                "none"
            ]
        );
    }
}
