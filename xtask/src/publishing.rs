//! Checks that the packages would be taken by the registries: crates.io and Python's package index.

use std::path::Path;

use anyhow::{Context, Result};

use crate::command::{cargo, program, run};
use crate::place::Checkout;
use crate::tally::Tally;

/// The crates that are for this workspace alone.
const OWN: [&str; 3] = ["cute-tests", "packaging", "xtask"];

/// The tool that checks wheels.
const TWINE: &str = "twine==7.0.0";

/// Packages each crate as `cargo publish` does: its description, licence, files and dependencies are complete. The sources are
/// built by other stages.
pub(crate) fn check(place: &Checkout) -> Result<Tally> {
    let mut package = cargo(
        place,
        &["package", "--locked", "--workspace", "--no-verify"],
    );
    package.args(["--allow-dirty", "--quiet"]);
    for name in OWN {
        package.args(["--exclude", name]);
    }
    run(&mut package).context("cargo package")?;
    Ok(Tally::PASSED)
}

/// Has `twine` check the description and metadata of a wheel; it is installed when it is not there.
pub(crate) fn check_wheel(place: &Checkout, wheel: &Path) -> Result<()> {
    let folder = place.tools().join("twine");
    let twine = folder.join("bin/twine");
    if !twine.is_file() {
        run(program(place, "python3").args(["-m", "venv"]).arg(&folder))?;
        run(program(place, folder.join("bin/pip")).args(["install", "--quiet", TWINE]))?;
    }
    run(program(place, twine).args(["check", "--strict"]).arg(wheel))
}
