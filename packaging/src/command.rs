//! Starting other programs: never interactive, output passed through line by line, and read.

use std::ffi::OsStr;
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use crate::place::Checkout;
use crate::tally::{Dialect, Tally};

/// A program that starts in the root of the tree, with closed input, and whose caches stay in it.
pub fn program(place: &Checkout, name: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(name);
    command
        .current_dir(place.root())
        .stdin(Stdio::null())
        .env("PIP_CACHE_DIR", place.tools().join("pip-cache"))
        .env("PIP_DISABLE_PIP_VERSION_CHECK", "1")
        .env("PIP_NO_INPUT", "1")
        .env("npm_config_cache", place.tools().join("npm-cache"))
        .env("npm_config_update_notifier", "false");
    command
}

/// Cargo with these arguments; variables of the outer cargo that would change the inner one's
/// fingerprints are dropped.
pub fn cargo(place: &Checkout, arguments: &[&str]) -> Command {
    let mut command = program(place, place.cargo());
    for (name, _) in std::env::vars_os() {
        if name
            .to_str()
            .is_some_and(|n| n.starts_with("CARGO_PKG_") || n == "CARGO_MANIFEST_DIR")
        {
            command.env_remove(name);
        }
    }
    command.args(arguments);
    command
}

/// A release build of an example of a package, to which arguments can be added.
pub fn example(place: &Checkout, package: &str, name: &str) -> Command {
    let mut command = cargo(place, &["run", "--locked", "--quiet", "--release"]);
    command.args(["--package", package, "--example", name, "--"]);
    command
}

/// Runs to the end; an error names the program and how it ended.
pub fn run(command: &mut Command) -> Result<()> {
    let status = command.status().with_context(|| could_not_start(command))?;
    if !status.success() {
        bail!("{} ended with {status}", describe(command));
    }
    Ok(())
}

/// Runs to the end and returns the standard output.
pub fn output(command: &mut Command) -> Result<String> {
    let output = command
        .stderr(Stdio::inherit())
        .output()
        .with_context(|| could_not_start(command))?;
    if !output.status.success() {
        bail!("{} ended with {}", describe(command), output.status);
    }
    String::from_utf8(output.stdout)
        .with_context(|| format!("{} did not print UTF-8", describe(command)))
}

/// Runs to the end, passes its standard output on, and counts the tests reported in it.
///
/// A program that fails without having named a failed test (it did not compile, it crashed) counts
/// as one failure.
pub fn run_counting(command: &mut Command, dialect: Dialect) -> Result<Tally> {
    let mut child = command
        .stdout(Stdio::piped())
        .spawn()
        .with_context(|| could_not_start(command))?;
    let mut tally = Tally::default();
    if let Some(output) = child.stdout.take() {
        for line in BufReader::new(output).split(b'\n') {
            let line = line.context("reading the output of a test program")?;
            let line = String::from_utf8_lossy(&line);
            tally += dialect.count(&line);
            let mut out = std::io::stdout().lock();
            writeln!(out, "{line}").context("writing to standard output")?;
        }
    }
    let status = child
        .wait()
        .with_context(|| format!("waiting for {}", describe(command)))?;
    if !status.success() && tally.failed == 0 {
        eprintln!("{} ended with {status}", describe(command));
        tally.failed = 1;
    }
    Ok(tally)
}

/// Whether a program of this name can be started.
pub fn exists(place: &Checkout, name: &str) -> bool {
    let mut command = program(place, name);
    command
        .arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command.status().is_ok()
}

fn describe(command: &Command) -> String {
    let mut text = format!("`{}", command.get_program().to_string_lossy());
    for argument in command.get_args() {
        text.push(' ');
        text.push_str(&argument.to_string_lossy());
    }
    text.push('`');
    text
}

fn could_not_start(command: &Command) -> String {
    format!("cannot start {} (is it installed?)", describe(command))
}
