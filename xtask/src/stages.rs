//! The stages of `cargo xtask test`: the check of each, their order, and the time of each.
//!
//! Stages that leave a processor idle for most of their time run beside the others; their output is printed when they end.

use std::io::Write as _;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use crate::command::{cargo, program, run, run_counting};
use crate::place::Checkout;
use crate::tally::{Dialect, Tally};
use crate::{
    accesses, conformance, dependencies, driver, generate, install, licences, neovim, oracles,
    others, plain, probes, programs, publishing, seed, vscode, wire_runs, workbench,
};

/// One stage.
#[derive(Clone, Copy)]
pub(crate) struct Stage {
    /// The name that `--only` takes.
    name: &'static str,
    /// Its check, in a line.
    about: &'static str,
    run: fn(&Checkout) -> Result<Tally>,
    /// Whether it runs beside the stages around it.
    beside: bool,
}

const fn stage(
    name: &'static str,
    about: &'static str,
    run: fn(&Checkout) -> Result<Tally>,
) -> Stage {
    Stage {
        name,
        about,
        run,
        beside: false,
    }
}

impl Stage {
    const fn beside(self) -> Self {
        Self {
            beside: true,
            ..self
        }
    }
}

/// The stage that the ones before it prepare, and whose results the ones behind it read.
const MIDDLE: &str = "rust";

/// The stages of `cargo xtask test`, in order: cheap ones first, and stages whose results later ones read before them.
const STAGES: &[Stage] = &[
    stage(
        "fetch",
        "fetch the CUTLASS sources, the headers of CUDA and pycute, pinned by hash",
        fetch,
    )
    .beside(),
    stage("format", "cargo fmt --check", format),
    stage(
        "licences",
        "every package has a licence that deny.toml allows",
        licences::check,
    ),
    stage(
        "dependencies",
        "every dependency has a reason in docs/dependencies.md",
        dependencies::check,
    ),
    stage(
        "grammar",
        "the parsers of CUDA C++ and of the notation are what their grammars generate",
        generate::check,
    ),
    stage(
        "clippy",
        "cargo clippy over all targets, without a warning",
        clippy,
    ),
    stage("rust", "unit, documentation and integration tests", rust),
    stage(
        "programs",
        "random C++ programs: what is known of their variables is what g++ makes them",
        programs::check,
    ),
    stage(
        "accesses",
        "random kernels of plain CUDA: the offsets of all threads are what g++ computes",
        accesses::check,
    ),
    stage(
        "plain",
        "plain loads and stores in the kernels of two packages: 85 % of them are known",
        plain::check,
    ),
    stage(
        "drift",
        "random edits in projects of several files: what the server shows is what a fresh one shows",
        wire_runs::check_drift,
    ),
    stage(
        "oracle",
        "layouts of the examples, of CUTLASS's tutorials and of each operation: each instance is what g++ makes of it",
        probes::check,
    ),
    stage(
        "corpus",
        "tests marked #[ignore] because they read the whole CUTLASS tree, also with the headers of CUDA",
        corpus,
    )
    .beside(),
    stage(
        "ptxas",
        "every kernel and instruction we write, and those of every experiment, assembled by NVIDIA's ptxas",
        ptxas,
    )
    .beside(),
    stage(
        "driver",
        "NVIDIA's driver library without a device, as Debian packages it: the run says so",
        driver::check,
    ),
    stage(
        "conformance",
        "recorded messages, a typed client and SARIF against their official models",
        conformance::check,
    )
    .beside(),
    stage("doc", "cargo doc, without a warning", doc),
    stage(
        "package",
        "each crate as it is published: description, licence, files, versions of dependencies",
        publishing::check,
    ),
    stage(
        "nvim",
        "the Neovim plugin in a real Neovim, with the real server",
        neovim::check,
    ),
    stage(
        "vscode",
        "the VS Code extension: types, unit tests, package",
        vscode::check,
    ),
];

/// The stages of `cargo xtask test --editors`, which install large editors and build the packages.
const EDITOR_STAGES: &[Stage] = &[
    stage(
        "install",
        "the wheel in an empty environment; from it to the first hint on CUTLASS in a minute",
        install::check,
    ),
    stage(
        "others",
        "Helix and Emacs as docs/editors.md configures them; Neovim in a terminal, and a newer one",
        others::check,
    ),
    stage(
        "page",
        "the page of a layout, driven in a real browser",
        workbench::check_page,
    ),
    stage(
        "workbench",
        "the extension in a real VS Code, seen through a browser",
        workbench::check,
    ),
];

/// Prints every stage with its check.
pub(crate) fn list() {
    for stage in STAGES {
        println!("{:<14}{}", stage.name, stage.about);
    }
    for stage in EDITOR_STAGES {
        println!("{:<14}{} (--editors)", stage.name, stage.about);
    }
}

/// The stages of these names, in the order of the list; all of one kind, when no name is given.
pub(crate) fn chosen(names: &[String], editors: bool) -> Result<Vec<Stage>> {
    if names.is_empty() {
        return Ok(if editors { EDITOR_STAGES } else { STAGES }.to_vec());
    }
    let all = || STAGES.iter().chain(EDITOR_STAGES);
    if let Some(unknown) = names
        .iter()
        .find(|name| !all().any(|stage| stage.name == **name))
    {
        bail!("there is no stage `{unknown}`; `cargo xtask test --list` prints all");
    }
    Ok(all()
        .filter(|stage| names.iter().any(|name| name == stage.name))
        .copied()
        .collect())
}

/// A stage that ran: its name, its result and its time.
type Row = (&'static str, Tally, Duration);

/// Runs the stages, each even if an earlier one failed, and prints the sums.
pub(crate) fn run_all(place: &Checkout, stages: &[Stage]) -> Tally {
    let mut rows = Vec::new();
    for phase in stages.chunk_by(|a, b| a.name != MIDDLE && b.name != MIDDLE) {
        let (beside, in_order): (Vec<&Stage>, Vec<&Stage>) =
            phase.iter().partition(|stage| stage.beside);
        if in_order.is_empty() {
            rows.extend(beside.into_iter().map(|stage| timed(place, stage)));
            continue;
        }
        thread::scope(|scope| {
            let second = scope.spawn(|| beside.into_iter().map(captured).collect::<Vec<Row>>());
            rows.extend(in_order.into_iter().map(|stage| timed(place, stage)));
            rows.extend(second.join().unwrap_or_default());
        });
    }
    summarise(&rows)
}

fn timed(place: &Checkout, stage: &Stage) -> Row {
    println!("\n==== {}: {}", stage.name, stage.about);
    let start = Instant::now();
    let tally = (stage.run)(place).unwrap_or_else(|error| {
        println!("error: {error:#}");
        Tally::FAILED
    });
    let time = start.elapsed();
    println!("---- {}: {tally}, {}", stage.name, seconds(time));
    (stage.name, tally, time)
}

/// Runs a stage as a process; its output is printed as a whole.
fn captured(stage: &Stage) -> Row {
    let start = Instant::now();
    let output = std::env::current_exe().and_then(|program| {
        let mut task = Command::new(program);
        task.args(["test", "--only", stage.name]).output()
    });
    let tally = match output {
        Ok(output) => {
            let mut out = std::io::stdout().lock();
            let written = out.write_all(&[output.stdout.as_slice(), &output.stderr].concat());
            let text = String::from_utf8_lossy(&output.stdout);
            let last = text.lines().next_back().and_then(Tally::of_line);
            match last.filter(|_| written.is_ok()) {
                Some(tally) if output.status.success() || tally.failed > 0 => tally,
                _ => Tally::FAILED,
            }
        }
        Err(error) => {
            println!("error: stage {}: {error}", stage.name);
            Tally::FAILED
        }
    };
    (stage.name, tally, start.elapsed())
}

fn summarise(rows: &[Row]) -> Tally {
    let mut total = Tally::default();
    println!("\n==== summary");
    for (name, tally, time) in rows {
        let verdict = if tally.failed == 0 { "ok" } else { "FAILED" };
        println!("{name:<14}{verdict:<8}{:>8}  {tally}", seconds(*time));
        total += *tally;
    }
    println!("{total}");
    total
}

fn seconds(time: Duration) -> String {
    format!("{:.1} s", time.as_secs_f64())
}

fn fetch(place: &Checkout) -> Result<Tally> {
    oracles::fetch(place)?;
    Ok(Tally::PASSED)
}

/// Makes sure of a part of the tool-chain that a minimal installation lacks.
fn component(place: &Checkout, subcommand: &str, component: &str) -> Result<()> {
    let mut version = cargo(place, &[subcommand, "--version"]);
    let version = version.stdout(Stdio::null()).stderr(Stdio::null());
    if version.status().is_ok_and(|status| status.success()) {
        return Ok(());
    }
    run(program(place, "rustup").args(["component", "add", component]))
        .with_context(|| format!("`cargo {subcommand}` is needed"))
}

fn format(place: &Checkout) -> Result<Tally> {
    component(place, "fmt", "rustfmt")?;
    run(&mut cargo(place, &["fmt", "--all", "--check"]))?;
    Ok(Tally::PASSED)
}

fn clippy(place: &Checkout) -> Result<Tally> {
    component(place, "clippy", "clippy")?;
    let mut clippy = cargo(
        place,
        &["clippy", "--locked", "--workspace", "--all-targets"],
    );
    run(clippy.args(["--", "-D", "warnings"]))?;
    Ok(Tally::PASSED)
}

fn rust(place: &Checkout) -> Result<Tally> {
    let mut tests = cargo(
        place,
        &["test", "--locked", "--workspace", "--no-fail-fast"],
    );
    // The stage `conformance` judges the messages of the server in these tests.
    tests
        .env(conformance::RECORD, conformance::fresh_record(place)?)
        .envs(seed::of_tree(place));
    run_counting(&mut tests, Dialect::Libtest)
}

fn corpus(place: &Checkout) -> Result<Tally> {
    let arguments = [
        "test",
        "--locked",
        "--workspace",
        "--no-fail-fast",
        "--lib",
        "--bins",
    ];
    run_counting(
        cargo(place, &arguments).args(["--tests", "--", "--ignored", "--nocapture"]),
        Dialect::Libtest,
    )
}

fn ptxas(place: &Checkout) -> Result<Tally> {
    let tools = oracles::cuda_tools(place)?;
    let mut tests = cargo(
        place,
        &["test", "--locked", "--workspace", "--test", "ptxas"],
    );
    tests
        .args(["--", "--nocapture", "--test-threads", "1"])
        .env("CUTE_CUDA_TOOLS", tools);
    run_counting(&mut tests, Dialect::Libtest)
}

fn doc(place: &Checkout) -> Result<Tally> {
    run(
        cargo(place, &["doc", "--locked", "--workspace", "--no-deps"])
            .env("RUSTDOCFLAGS", "-D warnings"),
    )?;
    Ok(Tally::PASSED)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(stages: &[Stage]) -> Vec<&str> {
        stages.iter().map(|stage| stage.name).collect()
    }

    #[test]
    fn chosen_stages_keep_the_order_of_the_list() {
        let both = chosen(&["workbench".into(), "rust".into(), "fetch".into()], false).unwrap();
        assert_eq!(names(&both), ["fetch", "rust", "workbench"]);
    }

    #[test]
    fn without_names_the_editors_are_separate() {
        assert_eq!(names(&chosen(&[], false).unwrap()), names(STAGES));
        assert_eq!(names(&chosen(&[], true).unwrap()), names(EDITOR_STAGES));
    }

    #[test]
    fn the_stages_behind_the_tests_of_rust_read_their_results() {
        let beside = |stage: &&Stage| stage.beside;
        let names: Vec<&str> = STAGES
            .iter()
            .filter(beside)
            .map(|stage| stage.name)
            .collect();
        assert_eq!(names, ["fetch", "corpus", "ptxas", "conformance"]);
        let at = |name: &str| STAGES.iter().position(|stage| stage.name == name);
        assert!(at("fetch") < at(MIDDLE) && at(MIDDLE) < at("conformance"));
    }

    #[test]
    fn an_unknown_stage_is_an_error_that_names_it() {
        let error = chosen(&["rsut".into()], false).err().unwrap().to_string();
        assert!(error.contains("`rsut`"), "{error}");
    }
}
