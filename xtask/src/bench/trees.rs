//! Whole trees and cold starts: beside clangd and a compiler on the same file, and over more and more
//! files.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use cute_tests::latency::{Latencies, Subject, first_hints, measure, until_ready};
use cute_tests::load::large_source;

use super::wire::project_with_headers;
use super::{apart, milliseconds};
use crate::measurements::Section;
use crate::place::Checkout;
use crate::{command, oracles, server};

/// The file that is opened cold, in the CUTLASS tree, and the place of the question to clangd.
const SOURCE: &str = "examples/cute/tutorial/hopper/wgmma_tma_sm90.cu";
const HOVER_AT: &str = "sA = make_tensor";
/// Number of starts of a server, or the compiler.
const STARTS: usize = 20;
const STARTS_OF_OTHERS: usize = 5;
/// Files of the smallest generated tree; the others have twice and four times as many.
const FILES: usize = 150;
/// Lines of each of them.
const LINES: usize = 100;
/// Sources of a tree in which all include one header.
const PROJECT: usize = 2_000;

/// Measures the release build, and other available tools.
pub(super) fn measured(place: &Checkout) -> Result<Vec<Section>> {
    let binary = server::build_release(place)?;
    Ok(vec![cold(place, &binary)?, trees(place, &binary)?])
}

fn cold(place: &Checkout, binary: &Path) -> Result<Section> {
    let source = place.oracles().join("cutlass").join(SOURCE);
    let folders = headers(place);
    let mut arguments: Vec<&str> = folders.iter().map(String::as_str).collect();
    arguments.push("lsp");
    let alone = subject(binary, &["lsp"], &source)?;
    let whole = subject(binary, &arguments, &source)?;
    let (ready, alone, whole) = apart(move || {
        let ready = until_ready(&alone, STARTS);
        (
            ready,
            first_hints(&alone, STARTS),
            first_hints(&whole, STARTS),
        )
    })?;
    let middle = Latencies::percentile(&whole, 50);
    let ours = |what: &str, times: &[Duration], percent| {
        row(
            &format!("cute-analyzer, {what}, {percent}th percentile"),
            Latencies::percentile(times, percent),
            None,
        )
    };
    let mut rows = vec![
        ours("ready for requests", &ready, 95),
        ours("file alone, all hints", &alone, 50),
        ours("file alone, all hints", &alone, 95),
        ours("with the headers, all hints", &whole, 50),
        ours("with the headers, all hints", &whole, 95),
    ];
    match oracles::clangd(place) {
        Ok(clangd) => {
            let file = project_with_headers(place, &source)?;
            let arguments = ["--log=error", "--background-index=false"];
            let theirs = subject(&clangd, &arguments, &file)?;
            let theirs = apart(move || measure(&theirs, STARTS_OF_OTHERS, 0).first_hover)?;
            let time = Latencies::percentile(&theirs, 50);
            let what = "clangd with the headers, first hover, 50th percentile";
            rows.push(row(what, time, middle));
        }
        Err(error) => println!("clangd cannot be had here, and is not measured: {error:#}"),
    }
    match compiled(place, &source) {
        Ok(time) => rows.push(row(
            "g++ -fsyntax-only with the headers, to its end, 50th percentile",
            Some(time),
            middle,
        )),
        Err(error) => println!("g++ cannot be had here, and is not measured: {error:#}"),
    }
    Ok(Section {
        name: "Cold start",
        about: format!(
            "From the start of the process to its answer on `{SOURCE}` of CUTLASS 4.2: {STARTS} starts, \
             {STARTS_OF_OTHERS} of the others. All hints are the same without the 70 headers of CUTLASS that \
             the file includes, and with them. clangd 22.1.1 and g++ read the file as C++17 with CUTLASS's \
             include path, without a CUDA toolkit: g++ ends at the first header of it. A ratio is their \
             time over our median with the headers."
        ),
        head: vec!["", "time", "ratio"],
        rows,
    })
}

/// The flags of a compiler that finds CUTLASS's headers.
fn headers(place: &Checkout) -> [String; 3] {
    let cutlass = place.oracles().join("cutlass");
    ["include", "tools/util/include", "examples/common"]
        .map(|folder| format!("-I{}", cutlass.join(folder).display()))
}

fn row(what: &str, time: Option<Duration>, ours: Option<Duration>) -> Vec<String> {
    let ratio = time
        .zip(ours)
        .map(|(time, ours)| format!("{:.1}", time.as_secs_f64() / ours.as_secs_f64()));
    vec![
        what.to_owned(),
        milliseconds(time),
        ratio.unwrap_or_default(),
    ]
}

/// The time that the compiler takes to read the file; that it has errors without the toolkit does not matter.
fn compiled(place: &Checkout, source: &Path) -> Result<Duration> {
    let mut times = Vec::new();
    for _ in 0..STARTS_OF_OTHERS {
        let mut compiler = command::program(place, "g++");
        compiler
            .args(["-fsyntax-only", "-std=c++17", "-xc++"])
            .args(headers(place))
            .arg(source)
            .stderr(Stdio::null());
        let started = Instant::now();
        compiler.status().context("g++ does not start")?;
        times.push(started.elapsed());
    }
    times.sort_unstable();
    Latencies::percentile(&times, 50).context("nothing was measured")
}

fn trees(place: &Checkout, binary: &Path) -> Result<Section> {
    let folder = place.path("target/bench-trees");
    let mut rows = Vec::new();
    let mut checked = |what: String, flags: &[String], folder: &Path| -> Result<()> {
        let run = check(place, binary, flags, folder)?;
        rows.push(vec![
            what,
            format!("{:.2} s", run.time.as_secs_f64()),
            format!("{} MB", run.peak / 1_000_000),
        ]);
        Ok(())
    };
    let examples = place.oracles().join("cutlass/examples");
    let flags = headers(place);
    checked("CUTLASS's examples, files alone".to_owned(), &[], &examples)?;
    checked(
        "CUTLASS's examples with its headers".to_owned(),
        &flags,
        &examples,
    )?;
    for times in [1, 2, 4] {
        let tree = folder.join(format!("apart-{times}"));
        let text = large_source(LINES);
        write_tree(&tree, FILES * times, |_| text.clone())?;
        checked(
            format!("{} generated files of {LINES} lines", FILES * times),
            &[],
            &tree,
        )?;
    }
    let tree = folder.join("project");
    write_tree(&tree, PROJECT, |index| {
        let mut text = "#include \"tile.h\"\n".to_owned();
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "void f{index}() {{ auto x = tile(cute::Int<{}>{{}}); }}",
            1 + index % 64
        );
        text
    })?;
    let header = "#pragma once\nusing namespace cute;\ntemplate <class N> auto tile(N n) {\n  \
                  auto shape = make_shape(n, _8{});\n  return make_layout(shape);\n}\n";
    let path = tree.join("tile.h");
    std::fs::write(&path, header).with_context(|| format!("cannot write {}", path.display()))?;
    checked(
        format!("{PROJECT} generated files that include one header"),
        &[],
        &tree,
    )?;
    Ok(Section {
        name: "Whole trees",
        about:
            "`check` of all sources of a folder: from the start of the process to its end, and the \
                most memory that was resident."
                .to_owned(),
        head: vec!["", "time", "memory"],
        rows,
    })
}

fn write_tree(folder: &Path, files: usize, text: impl Fn(usize) -> String) -> Result<()> {
    if folder.exists() {
        std::fs::remove_dir_all(folder)
            .with_context(|| format!("cannot remove {}", folder.display()))?;
    }
    std::fs::create_dir_all(folder)
        .with_context(|| format!("cannot create {}", folder.display()))?;
    // its own project, so that nothing above it belongs to it.
    let mark = folder.join(".clangd");
    std::fs::write(&mark, "").with_context(|| format!("cannot write {}", mark.display()))?;
    for index in 0..files {
        let path = folder.join(format!("f{index}.cu"));
        std::fs::write(&path, text(index))
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(())
}

/// The cost of one `check`.
struct Run {
    time: Duration,
    /// Bytes.
    peak: u64,
}

fn check(place: &Checkout, binary: &Path, flags: &[String], folder: &Path) -> Result<Run> {
    let mut analyzer = command::program(place, binary);
    analyzer
        .args(flags)
        .arg("check")
        .arg(folder)
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let started = Instant::now();
    let mut child = analyzer.spawn().context("cute-analyzer does not start")?;
    let mut peak = 0;
    while child.try_wait().context("cute-analyzer is lost")?.is_none() {
        peak = peak_of(child.id()).unwrap_or_default().max(peak);
        std::thread::sleep(Duration::from_millis(5));
    }
    Ok(Run {
        time: started.elapsed(),
        peak,
    })
}

/// The most bytes of a process that were resident so far.
fn peak_of(process: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024)
}

fn subject(binary: &Path, arguments: &[&str], file: &Path) -> Result<Subject> {
    let text =
        std::fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    Ok(Subject {
        binary: PathBuf::from(binary),
        arguments: arguments.iter().map(|&it| it.to_owned()).collect(),
        language: "cuda-cpp".to_owned(),
        text,
        file: file.to_owned(),
        hover_at: HOVER_AT.to_owned(),
    })
}
