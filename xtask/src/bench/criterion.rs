//! The files of `criterion` in `target/criterion`.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result};
use serde::Deserialize;

use crate::place::Checkout;

/// One measurement, in nanoseconds.
pub(super) struct Measured {
    pub(super) median: f64,
    /// The ends of its 95 % interval.
    pub(super) low: f64,
    pub(super) high: f64,
    /// Number of bytes read, where the measurement is of bytes.
    pub(super) bytes: Option<f64>,
}

impl Measured {
    pub(super) fn interval(&self) -> String {
        format!("{} to {}", nanoseconds(self.low), nanoseconds(self.high))
    }
}

#[derive(Deserialize)]
struct Benchmark {
    full_id: String,
    throughput: Option<Throughput>,
}

#[derive(Deserialize)]
struct Throughput {
    #[serde(rename = "Bytes")]
    bytes: Option<f64>,
}

#[derive(Deserialize)]
struct Estimates {
    median: Estimate,
}

#[derive(Deserialize)]
struct Estimate {
    point_estimate: f64,
    confidence_interval: Interval,
}

#[derive(Deserialize)]
struct Interval {
    lower_bound: f64,
    upper_bound: f64,
}

/// All measurements, by name.
pub(super) fn measured(place: &Checkout) -> Result<BTreeMap<String, Measured>> {
    let mut all = BTreeMap::new();
    collect(&place.path("target/criterion"), &mut all)?;
    Ok(all)
}

/// Reads every `new/estimates.json` below a folder.
fn collect(folder: &Path, all: &mut BTreeMap<String, Measured>) -> Result<()> {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return Ok(());
    };
    for entry in entries {
        let path = entry
            .with_context(|| format!("cannot list {}", folder.display()))?
            .path();
        if path.file_name().is_some_and(|name| name == "new") {
            let Benchmark {
                full_id,
                throughput,
            } = read(&path.join("benchmark.json"))?;
            let Estimates { median } = read(&path.join("estimates.json"))?;
            let interval = median.confidence_interval;
            let measured = Measured {
                median: median.point_estimate,
                low: interval.lower_bound,
                high: interval.upper_bound,
                bytes: throughput.and_then(|throughput| throughput.bytes),
            };
            all.insert(full_id, measured);
        } else if path.is_dir() {
            collect(&path, all)?;
        }
    }
    Ok(())
}

fn read<T: for<'a> Deserialize<'a>>(path: &Path) -> Result<T> {
    let text =
        std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    serde_json::from_str(&text).with_context(|| format!("cannot read {}", path.display()))
}

pub(super) fn nanoseconds(time: f64) -> String {
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
    fn what_is_counted_in_elements_has_no_bytes() {
        let bytes = |json: &str| {
            let read: Benchmark = serde_json::from_str(json).unwrap();
            read.throughput.and_then(|throughput| throughput.bytes)
        };
        assert_eq!(
            bytes(r#"{"full_id":"a","throughput":{"Elements":4}}"#),
            None
        );
        assert_eq!(bytes(r#"{"full_id":"a","throughput":null}"#), None);
        assert_eq!(
            bytes(r#"{"full_id":"a","throughput":{"Bytes":4}}"#),
            Some(4.0)
        );
    }
}
