//! The VS Code extension: compiled, tested where that needs no editor, and packaged.

use anyhow::{Context, Result};
use packaging::vscode::EXTENSION;
pub(crate) use packaging::vscode::package;

use crate::command::{run, run_counting};
use crate::npm;
use crate::place::Checkout;
use crate::tally::{Dialect, Tally};

/// Installs the pinned packages, then compiles, tests and packages.
pub(crate) fn check(place: &Checkout) -> Result<Tally> {
    npm::install(place, EXTENSION)?;
    run(&mut npm::script(place, EXTENSION, "check")).context("the type check")?;
    let mut tally = Tally::PASSED;
    tally += run_counting(&mut npm::script(place, EXTENSION, "test"), Dialect::Tap)?;
    package(place, None)?;
    tally += Tally::PASSED;
    Ok(tally)
}
