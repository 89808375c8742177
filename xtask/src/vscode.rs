//! The VS Code extension: compiled, tested as far as it needs no editor, and packaged.

use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::command::{output, program, run, run_counting};
use crate::place::Place;
use crate::tally::{Dialect, Tally};

const EXTENSION: &str = "editors/vscode";
/// The oldest Node.js that the pinned tools run on.
const NODE: u32 = 20;

/// Installs the pinned packages, then compiles, tests and packages.
pub(crate) fn check(place: &Place) -> Result<Tally> {
    check_node(place)?;
    install(place)?;
    run(&mut npm(place, &["run", "--silent", "check"])).context("the type check")?;
    let mut tally = Tally::PASSED;
    tally += run_counting(&mut npm(place, &["run", "--silent", "test"]), Dialect::Tap)?;
    run(&mut npm(place, &["run", "--silent", "package"])).context("packaging")?;
    tally += Tally::PASSED;
    Ok(tally)
}

fn check_node(place: &Place) -> Result<()> {
    let version = output(program(place, "node").arg("--version"))
        .with_context(|| format!("Node.js {NODE} or later is needed, with npm"))?;
    let major = version.trim().trim_start_matches('v').split('.').next();
    match major.and_then(|digits| digits.parse::<u32>().ok()) {
        Some(major) if major >= NODE => Ok(()),
        _ => bail!(
            "Node.js {NODE} or later is needed; this is {}",
            version.trim()
        ),
    }
}

/// `npm ci`, unless what is installed is what the lock file says already.
fn install(place: &Place) -> Result<()> {
    let folder = place.path(EXTENSION);
    let lock = std::fs::read(folder.join("package-lock.json")).context("package-lock.json")?;
    let stamp = folder.join("node_modules/.installed-lock.json");
    if std::fs::read(&stamp).is_ok_and(|installed| installed == lock) {
        return Ok(());
    }
    run(&mut npm(
        place,
        &["ci", "--ignore-scripts", "--no-audit", "--no-fund"],
    ))?;
    std::fs::write(&stamp, &lock).with_context(|| format!("cannot write {}", stamp.display()))
}

fn npm(place: &Place, arguments: &[&str]) -> Command {
    let mut command = program(place, "npm");
    command.current_dir(place.path(EXTENSION)).args(arguments);
    command
}
