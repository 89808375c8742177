//! Wheels of `PyPI`, pinned by hash, unpacked under `target`.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::command;
use crate::place::Checkout;

/// Downloads a pinned wheel into a folder and unpacks it there.
pub fn unpack(place: &Checkout, requirement: &str, folder: &Path) -> Result<()> {
    let wheel = download(place, requirement, folder)?;
    let mut unzip = command::program(place, "python3");
    command::run(unzip.args(["-m", "zipfile", "-e"]).arg(&wheel).arg(folder))?;
    std::fs::remove_file(&wheel).with_context(|| format!("cannot remove {}", wheel.display()))
}

fn download(place: &Checkout, requirement: &str, folder: &Path) -> Result<PathBuf> {
    let requirements = folder.join("requirements.txt");
    std::fs::write(&requirements, requirement)
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

/// Removes a folder with all that is in it, where it is there.
pub fn remove(folder: &Path) -> Result<()> {
    match std::fs::remove_dir_all(folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(error).with_context(|| format!("cannot remove {}", folder.display()))
        }
        _ => Ok(()),
    }
}

/// Lets a file be started as a program.
#[cfg(unix)]
pub fn make_executable(file: &Path) -> Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::set_permissions(file, std::fs::Permissions::from_mode(0o755))
        .with_context(|| format!("cannot make {} executable", file.display()))
}

/// Lets a file be started as a program.
#[cfg(not(unix))]
pub fn make_executable(_: &Path) -> Result<()> {
    Ok(())
}
