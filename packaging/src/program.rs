//! The program as cargo builds it.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result};
use serde::Deserialize;

use crate::command;
use crate::place::Checkout;

/// One message of `cargo --message-format json`.
#[derive(Deserialize)]
struct Message {
    executable: Option<PathBuf>,
    target: Option<Target>,
}

/// The target that a message is about.
#[derive(Deserialize)]
struct Target {
    name: String,
    kind: Vec<String>,
}

/// The name of the program.
pub const PROGRAM: &str = "cute-analyzer";

/// Builds `cute-analyzer` as it is given out, and returns the path of the binary.
pub fn build_release(place: &Checkout) -> Result<PathBuf> {
    let release = [
        "build",
        "--locked",
        "--release",
        "--package",
        PROGRAM,
        "--bin",
        PROGRAM,
    ];
    built(command::cargo(place, &release))
}

/// Runs a build, and returns the path of `cute-analyzer` that it names.
pub fn built(mut cargo: Command) -> Result<PathBuf> {
    cargo.args(["--message-format", "json-render-diagnostics"]);
    let messages = command::output(&mut cargo)?;
    messages
        .lines()
        .filter_map(|line| {
            let message: Message = serde_json::from_str(line).ok()?;
            let target = message.target?;
            let is_program = target.name == PROGRAM && target.kind.iter().any(|kind| kind == "bin");
            message.executable.filter(|_| is_program)
        })
        .next_back()
        .context("cargo built cute-analyzer, but named no executable")
}
