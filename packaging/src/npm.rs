//! npm packages: installed as their lock file says, with no install script run.

use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::command::{output, program, run};
use crate::place::Checkout;

/// The oldest Node.js that the pinned tools run on.
const NODE: u32 = 20;

/// `npm ci` in a folder of the repository, unless the installed packages are those of the lock file already.
pub fn install(place: &Checkout, folder: &str) -> Result<()> {
    check_node(place)?;
    let root = place.path(folder);
    let lock = std::fs::read(root.join("package-lock.json")).context("package-lock.json")?;
    let stamp = root.join("node_modules/.installed-lock.json");
    if std::fs::read(&stamp).is_ok_and(|installed| installed == lock) {
        return Ok(());
    }
    let arguments = ["ci", "--ignore-scripts", "--no-audit", "--no-fund"];
    run(&mut npm(place, folder, &arguments))?;
    std::fs::write(&stamp, &lock).with_context(|| format!("cannot write {}", stamp.display()))
}

/// A script of the folder's `package.json`.
pub fn script(place: &Checkout, folder: &str, name: &str) -> Command {
    npm(place, folder, &["run", "--silent", name])
}

fn npm(place: &Checkout, folder: &str, arguments: &[&str]) -> Command {
    let mut command = program(place, "npm");
    command.current_dir(place.path(folder)).args(arguments);
    command
}

fn check_node(place: &Checkout) -> Result<()> {
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
