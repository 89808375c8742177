//! The VS Code extension: compiled, tested as far as it needs no editor, and packaged.

use std::path::{Path, PathBuf};
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
    install(place, EXTENSION)?;
    run(&mut npm(place, EXTENSION, &["run", "--silent", "check"])).context("the type check")?;
    let mut tally = Tally::PASSED;
    tally += run_counting(
        &mut npm(place, EXTENSION, &["run", "--silent", "test"]),
        Dialect::Tap,
    )?;
    package(place, None)?;
    tally += Tally::PASSED;
    Ok(tally)
}

/// Makes the `.vsix`: with a server inside for this platform, or without one for all.
pub(crate) fn package(place: &Place, server: Option<&Path>) -> Result<PathBuf> {
    install(place, EXTENSION)?;
    let inside = place.path(EXTENSION).join("server");
    let name = if server.is_some() {
        "cute-analyzer-with-server"
    } else {
        "cute-analyzer"
    };
    let file = place
        .path(EXTENSION)
        .join("dist")
        .join(name)
        .with_extension("vsix");
    let mut vsce = npm(
        place,
        EXTENSION,
        &["run", "--silent", "package", "--", "--out"],
    );
    vsce.arg(&file);
    if let Some(server) = server {
        std::fs::create_dir_all(&inside)
            .with_context(|| format!("cannot create {}", inside.display()))?;
        let name = server.file_name().context("the server has no file name")?;
        std::fs::copy(server, inside.join(name))
            .with_context(|| format!("cannot copy {}", server.display()))?;
        vsce.args(["--target", platform()?]);
    }
    let packaged = run(&mut vsce).context("packaging");
    if server.is_some() {
        std::fs::remove_dir_all(&inside)
            .with_context(|| format!("cannot remove {}", inside.display()))?;
    }
    packaged.map(|()| file)
}

/// VS Code's name of the platform that this runs on.
fn platform() -> Result<&'static str> {
    match (std::env::consts::OS, std::env::consts::ARCH) {
        ("linux", "x86_64") => Ok("linux-x64"),
        ("linux", "aarch64") => Ok("linux-arm64"),
        ("macos", "x86_64") => Ok("darwin-x64"),
        ("macos", "aarch64") => Ok("darwin-arm64"),
        ("windows", "x86_64") => Ok("win32-x64"),
        ("windows", "aarch64") => Ok("win32-arm64"),
        (os, arch) => bail!("VS Code has no platform for {arch} {os}"),
    }
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
pub(crate) fn install(place: &Place, folder: &str) -> Result<()> {
    let root = place.path(folder);
    let lock = std::fs::read(root.join("package-lock.json")).context("package-lock.json")?;
    let stamp = root.join("node_modules/.installed-lock.json");
    if std::fs::read(&stamp).is_ok_and(|installed| installed == lock) {
        return Ok(());
    }
    run(&mut npm(
        place,
        folder,
        &["ci", "--ignore-scripts", "--no-audit", "--no-fund"],
    ))?;
    std::fs::write(&stamp, &lock).with_context(|| format!("cannot write {}", stamp.display()))
}

fn npm(place: &Place, folder: &str, arguments: &[&str]) -> Command {
    let mut command = program(place, "npm");
    command.current_dir(place.path(folder)).args(arguments);
    command
}
