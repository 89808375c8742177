//! The language server as the tests and measurements start it.

use std::path::PathBuf;

use anyhow::Result;
pub(crate) use packaging::program::build_release;
use packaging::program::built;

use crate::command;
use crate::place::Checkout;

/// Builds `cute-analyzer` as the tests of the workspace build it, and returns the path of the binary. It is built
/// beside a test that drives it: the features of the dependencies are then those of the stage `rust`, and nothing is
/// compiled twice.
pub(crate) fn build(place: &Checkout) -> Result<PathBuf> {
    let test = [
        "test",
        "--locked",
        "--workspace",
        "--no-run",
        "--test",
        "wire",
    ];
    built(command::cargo(place, &test))
}
