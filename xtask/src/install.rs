//! What is given out, installed as a user does who has Python and an editor, and no Rust.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use crate::command::{output, program, run, run_counting};
use crate::place::Place;
use crate::tally::{Dialect, Tally};
use crate::{dist, neovim, oracles};

/// From the wheel to the first hint on a source of CUTLASS, with nothing configured.
const PATIENCE: Duration = Duration::from_secs(60);

/// Installs the wheel into an empty environment, runs the program as the README says, and opens a
/// source of CUTLASS in a fresh Neovim.
pub(crate) fn check(place: &Place) -> Result<Tally> {
    oracles::fetch(place)?;
    let wheel = dist::build(place)?.wheel;
    let home = place.path("target/artefacts/install");
    if home.exists() {
        std::fs::remove_dir_all(&home)
            .with_context(|| format!("cannot remove {}", home.display()))?;
    }
    std::fs::create_dir_all(&home).with_context(|| format!("cannot create {}", home.display()))?;
    let begun = Instant::now();
    let installed = install(place, &wheel, &home)?;
    let version = output(program(place, &installed).arg("--version"))?;
    if version.trim() != concat!("cute-analyzer ", env!("CARGO_PKG_VERSION")) {
        bail!("the wheel's program says it is {version}");
    }
    let mut tally = Tally::PASSED;
    tally += first_hint(place, &installed, &home)?;
    let took = begun.elapsed();
    println!(
        "from the wheel to the first hint: {:.1} s",
        took.as_secs_f64()
    );
    if took > PATIENCE {
        bail!("that is more than {} s", PATIENCE.as_secs());
    }
    Ok(tally)
}

/// `pip install` of the wheel into a new environment; the program that it puts there.
fn install(place: &Place, wheel: &Path, home: &Path) -> Result<PathBuf> {
    let environment = home.join("environment");
    let venv = run(program(place, "python3")
        .args(["-m", "venv"])
        .arg(&environment));
    let python = if venv.is_ok() {
        environment.join("bin/python")
    } else {
        // Debian has venv in a package of its own; pip alone can install into a folder.
        PathBuf::from("python3")
    };
    let mut pip = program(place, python);
    pip.args(["-m", "pip", "install", "--quiet", "--no-index"]);
    if venv.is_err() {
        pip.arg("--break-system-packages")
            .arg("--prefix")
            .arg(&environment);
    }
    run(pip.arg(wheel))?;
    [
        environment.join("bin/cute-analyzer"),
        environment.join("local/bin/cute-analyzer"),
    ]
    .into_iter()
    .find(|file| file.is_file())
    .context("the wheel puts no `cute-analyzer` on PATH")
}

/// A fresh Neovim with the plugin on its runtime path and the program on PATH, on a source without
/// any build description.
fn first_hint(place: &Place, installed: &Path, home: &Path) -> Result<Tally> {
    let source = home.join("sgemm_1.cu");
    let original = place
        .oracles()
        .join("cutlass/examples/cute/tutorial/sgemm_1.cu");
    std::fs::copy(&original, &source)
        .with_context(|| format!("cannot copy {}", original.display()))?;
    let bin = installed.parent().context("the program lies nowhere")?;
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths(
        std::iter::once(bin.to_path_buf()).chain(std::env::split_paths(&path)),
    )?;
    let mut nvim = neovim::fresh(place, "install.lua", home)?;
    nvim.env("PATH", path).env("CUTE_SOURCE", &source);
    run_counting(&mut nvim, Dialect::Tap)
}
