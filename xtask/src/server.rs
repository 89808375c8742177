//! The language server as the tests and measurements start it.

use std::path::PathBuf;

use anyhow::{Context, Result};
use serde::Deserialize;

use crate::command;
use crate::place::Place;

/// One message of `cargo build --message-format json`.
#[derive(Deserialize)]
struct Message {
    executable: Option<PathBuf>,
}

/// Builds `cute-analyzer` as the tests build it, and returns the path of the binary.
pub(crate) fn build(place: &Place) -> Result<PathBuf> {
    build_with(place, &["--profile", "test"])
}

/// Builds `cute-analyzer` as it is given out, and returns the path of the binary.
pub(crate) fn build_release(place: &Place) -> Result<PathBuf> {
    build_with(place, &["--release"])
}

fn build_with(place: &Place, profile: &[&str]) -> Result<PathBuf> {
    let arguments = [
        "build",
        "--locked",
        "--package",
        "cute-analyzer",
        "--bin",
        "cute-analyzer",
    ];
    let mut cargo = command::cargo(place, &arguments);
    cargo
        .args(profile)
        .args(["--message-format", "json-render-diagnostics"]);
    let messages = command::output(&mut cargo)?;
    messages
        .lines()
        .filter_map(|line| serde_json::from_str::<Message>(line).ok()?.executable)
        .next_back()
        .context("cargo built cute-analyzer, but named no executable")
}
