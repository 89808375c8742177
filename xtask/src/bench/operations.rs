//! How long an operation takes: the crates' criterion measurements, and the same cases in Python's
//! layout libraries.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result};
use serde::Deserialize;

use crate::measurements::Section;
use crate::place::Place;
use crate::{command, metadata, oracles};

/// Times the cases of a file in other libraries.
const PEERS: &str = "algebra/benches/peers.py";
/// The cases.
const CASES: &str = "algebra/benches/cases.tsv";
/// The libraries, as the script names them.
const LIBRARIES: [&str; 2] = ["pycute", "tensor-layouts"];

/// What `criterion` leaves about one measurement.
#[derive(Deserialize)]
struct Benchmark {
    full_id: String,
}

#[derive(Deserialize)]
struct Estimates {
    median: Estimate,
}

#[derive(Deserialize)]
struct Estimate {
    /// In nanoseconds.
    point_estimate: f64,
    confidence_interval: Interval,
}

#[derive(Deserialize)]
struct Interval {
    lower_bound: f64,
    upper_bound: f64,
}

/// One line of what the script prints.
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
pub(super) fn measured(place: &Place, packages: &[&str]) -> Result<Option<Section>> {
    if !metadata::read(place)?.has_benches() {
        return Ok(None);
    }
    let mut arguments = vec!["bench", "--locked"];
    arguments.extend(packages);
    arguments.extend(["--bench", "*"]);
    command::run(&mut command::cargo(place, &arguments))?;
    let mut ours = BTreeMap::new();
    collect(&place.path("target/criterion"), &mut ours)?;
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

fn row(case: &str, ours: &Estimate, peers: &Peers) -> Vec<String> {
    let Interval {
        lower_bound,
        upper_bound,
    } = ours.confidence_interval;
    let mut cells = vec![
        case.to_owned(),
        nanoseconds(ours.point_estimate),
        format!(
            "{} to {}",
            nanoseconds(lower_bound),
            nanoseconds(upper_bound)
        ),
    ];
    for library in LIBRARIES {
        match peers.get(&(case.to_owned(), library.to_owned())) {
            Some(time) => {
                cells.push(nanoseconds(*time));
                cells.push(format!("{:.0}", time / ours.point_estimate));
            }
            None => cells.extend(["none".to_owned(), "none".to_owned()]),
        }
    }
    cells
}

/// Times the same cases in other libraries.
fn peers(place: &Place) -> Result<Peers> {
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

/// Reads every `new/estimates.json` below a folder: medians by name.
fn collect(folder: &Path, medians: &mut BTreeMap<String, Estimate>) -> Result<()> {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return Ok(());
    };
    for entry in entries {
        let path = entry
            .with_context(|| format!("cannot list {}", folder.display()))?
            .path();
        if path.file_name().is_some_and(|name| name == "new") {
            let Benchmark { full_id } = read(&path.join("benchmark.json"))?;
            let Estimates { median } = read(&path.join("estimates.json"))?;
            medians.insert(full_id, median);
        } else if path.is_dir() {
            collect(&path, medians)?;
        }
    }
    Ok(())
}

fn read<T: for<'a> Deserialize<'a>>(path: &Path) -> Result<T> {
    let text =
        std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    serde_json::from_str(&text).with_context(|| format!("cannot read {}", path.display()))
}

fn nanoseconds(time: f64) -> String {
    match time {
        t if t < 1e3 => format!("{t:.1} ns"),
        t if t < 1e6 => format!("{:.2} us", t / 1e3),
        t => format!("{:.2} ms", t / 1e6),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_printed_in_their_unit() {
        let printed: Vec<String> = [12.34, 12_340.0, 12_340_000.0].map(nanoseconds).into();
        assert_eq!(printed, ["12.3 ns", "12.34 us", "12.34 ms"]);
    }

    #[test]
    fn a_case_has_its_ratio_to_each_library_that_answers() {
        let median = Estimate {
            point_estimate: 100.0,
            confidence_interval: Interval {
                lower_bound: 90.0,
                upper_bound: 110.0,
            },
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
