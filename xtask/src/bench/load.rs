//! The cost of a long day: a large file, two hundred open files, ten thousand edits.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result};
use cute_tests::latency::Latencies;
use cute_tests::load::{Memory, Waits, large_source, memory, waits};

use super::{apart, milliseconds};
use crate::files::files_below;
use crate::measurements::Section;
use crate::place::Checkout;
use crate::server;

/// The file of CUTLASS that is edited.
const SOURCE: &str = "examples/cute/tutorial/sgemm_sm80.cu";
/// The lines of the generated files.
const MIDDLE_LINES: usize = 2_000;
const LINES: usize = 5_000;
/// Number of measurements of each wait.
const ROUNDS: usize = 100;
/// Number of files open at one time.
const FILES: usize = 200;
/// Number of edits.
const EDITS: usize = 10_000;

/// Measures the release build.
pub(super) fn measured(place: &Checkout) -> Result<Vec<Section>> {
    let binary = server::build_release(place)?;
    let cutlass = place.oracles().join("cutlass");
    let source = read(&cutlass.join(SOURCE))?;
    let all = {
        let binary = binary.clone();
        apart(move || {
            let generated = |lines| waits(&binary, &large_source(lines), "parts = ", ROUNDS);
            [
                waits(&binary, &source, "sA = make_tensor", ROUNDS),
                generated(MIDDLE_LINES),
                generated(LINES),
            ]
        })?
    };
    let files = sources(&cutlass.join("examples"))?;
    let used = apart(move || memory(&binary, &files, EDITS))?;
    Ok(vec![waiting(&all), resident(&used)])
}

fn waiting(all: &[Waits; 3]) -> Section {
    type Pick = fn(&Waits) -> &[Duration];
    let quantities: [(&str, Pick); 4] = [
        ("hover", |waits| &waits.hover),
        ("edit to the hints of the file", |waits| {
            &waits.hints_after_edit
        }),
        ("keystroke to the hints of 60 lines", |waits| {
            &waits.shown_hints_after_edit
        }),
        ("edit to the findings of the file", |waits| {
            &waits.findings_after_edit
        }),
    ];
    let mut rows = Vec::new();
    for (what, pick) in quantities {
        for percent in [50, 95, 99] {
            let of = |waits: &Waits| milliseconds(Latencies::percentile(pick(waits), percent));
            let mut row = vec![format!("{what}, {percent}th percentile")];
            row.extend(all.iter().map(of));
            rows.push(row);
        }
    }
    Section {
        name: "Waiting in a large file",
        about: format!(
            "`{SOURCE}` of CUTLASS 4.2 and generated files of {MIDDLE_LINES} and {LINES} lines, over \
             standard input and output: {ROUNDS} hovers, and {ROUNDS} edits each followed by a \
             request for hints or findings."
        ),
        head: vec!["", "sgemm_sm80.cu", "2,000 lines", "5,000 lines"],
        rows,
    }
}

fn resident(memory: &Memory) -> Section {
    let row = |what: &str, bytes: u64| {
        let tenths = bytes / 100_000;
        vec![
            what.to_owned(),
            format!("{}.{} MB", tenths / 10, tenths % 10),
        ]
    };
    Section {
        name: "Memory",
        about: format!(
            "Resident memory of the server: {FILES} sources of CUTLASS's examples open at one time, \
             their findings fetched; then {EDITS} edits of one of them."
        ),
        head: vec!["", "resident"],
        rows: vec![
            row("nothing open", memory.idle),
            row("all files open", memory.open),
            row("after a tenth of the edits", memory.early),
            row("after all edits", memory.late),
        ],
    }
}

/// The texts of [`FILES`] sources below a folder, in the order of their names.
fn sources(folder: &std::path::Path) -> Result<Vec<String>> {
    let paths = files_below(folder, &["cu", "hpp"])?;
    paths.iter().take(FILES).map(read).collect()
}

fn read(path: &PathBuf) -> Result<String> {
    std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
}
