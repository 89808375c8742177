//! The pages that a user sees, through a browser: the page of a layout; and the VS Code extension, packaged with the
//! server and installed into a real VS Code workbench.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::command::{exists, output, program, run, run_counting};
use crate::place::Checkout;
use crate::tally::{Dialect, Tally};
use crate::{npm, oracles, server, vscode};

const FOLDER: &str = "editors/vscode/e2e";
/// The folder of screenshots and logs.
const ARTEFACTS: &str = "target/artefacts/vscode";
/// The folder of the pages and their screenshots.
const PAGES: &str = "target/artefacts/page";
/// The version of code-server; VS Code's is 1 where this is 4.
const EDITOR: &str = "4.100.3";
/// Programs that npm does not have, with the Debian package of each.
const SYSTEM: [(&str, &str); 4] = [
    ("chromium", "chromium"),
    ("rg", "ripgrep"),
    ("g++", "g++"),
    ("make", "make"),
];

/// Installs the editor where it is missing, then drives it.
pub(crate) fn check(place: &Checkout) -> Result<Tally> {
    let editor = editor(place)?;
    oracles::fetch(place)?;
    npm::install(place, FOLDER)?;
    let package = vscode::package(place, Some(&server::build_release(place)?))?;
    let mut node = script(place, "run.mjs")?;
    node.arg("--code-server")
        .arg(editor)
        .arg("--vsix")
        .arg(package)
        .args(["--examples", "examples"])
        .args(["--artefacts", ARTEFACTS])
        .arg("--corpus")
        .arg(place.oracles());
    run_counting(&mut node, Dialect::Tap)
}

/// Draws pages as `draw -o x.html` does, and drives them.
pub(crate) fn check_page(place: &Checkout) -> Result<Tally> {
    prepare_pages(place)?;
    run_counting(&mut page(place)?, Dialect::Tap)
}

/// Makes sure of the requirements of [`page`].
pub(crate) fn prepare_pages(place: &Checkout) -> Result<()> {
    need(place, "chromium", "chromium")?;
    npm::install(place, FOLDER)
}

/// The script that drives pages.
pub(crate) fn page(place: &Checkout) -> Result<Command> {
    let mut node = script(place, "page.mjs")?;
    node.arg("--server")
        .arg(server::build_release(place)?)
        .args(["--artefacts", PAGES]);
    Ok(node)
}

fn script(place: &Checkout, name: &str) -> Result<Command> {
    let mut node = program(place, "node");
    node.arg(place.path(FOLDER).join(name)).args([
        "--chromium",
        output(program(place, "which").arg("chromium"))?.trim(),
    ]);
    Ok(node)
}

/// The workbench, installed from npm on the first run and where its version is another.
pub(crate) fn editor(place: &Checkout) -> Result<PathBuf> {
    for (name, package) in SYSTEM {
        need(place, name, package)?;
    }
    let folder = place.tools().join("code-server");
    let editor = folder.join("code-server");
    let version = || output(program(place, &editor).arg("--version"));
    if !editor.is_file() || !version()?.starts_with(EDITOR) {
        let script = place.path(FOLDER).join("install-code-server.sh");
        run(program(place, script).arg(&folder).arg(EDITOR)).context("installing code-server")?;
        if !version()?.starts_with(EDITOR) {
            bail!("{} is not version {EDITOR}", editor.display());
        }
    }
    Ok(editor)
}

/// Makes sure of a program of the system; installs it where that may be done without a question.
pub(crate) fn need(place: &Checkout, name: &str, package: &str) -> Result<()> {
    if exists(place, name) {
        return Ok(());
    }
    let root = output(program(place, "id").arg("-u"))?.trim() == "0";
    let sudo = !root
        && program(place, "sudo")
            .args(["-n", "true"])
            .status()
            .is_ok_and(|s| s.success());
    if !exists(place, "apt-get") || !(root || sudo) {
        bail!("`{name}` is needed; on Debian: apt-get install {package}");
    }
    let apt = |arguments: &[&str]| {
        let mut command = if sudo {
            program(place, "sudo")
        } else {
            program(place, "apt-get")
        };
        if sudo {
            command.args(["-n", "apt-get"]);
        }
        run(command
            .args(["-q", "-y"])
            .args(arguments)
            .env("DEBIAN_FRONTEND", "noninteractive"))
    };
    apt(&["update"])?;
    apt(&["install", "--no-install-recommends", package])
}
