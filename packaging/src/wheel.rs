//! The wheel: `pip install cute-analyzer` puts the program on `PATH`.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::command;
use crate::glibc::{self, Version};
use crate::place::Checkout;
use crate::pypi::{make_executable, remove, unpack};

/// Makes wheels of Rust programs, for Linux on x86-64; pinned by hash.
const MATURIN: &str = "maturin==1.9.4 \
    --hash=sha256:a0868d52934c8a5d1411b42367633fdb5cd5515bec47a534192282167448ec30\n";

/// maturin, fetched when it is not there; on other platforms the one on `PATH`.
fn maturin(place: &Checkout) -> Result<PathBuf> {
    if !cfg!(all(target_os = "linux", target_arch = "x86_64")) {
        return Ok("maturin".into());
    }
    let folder = place.tools().join("maturin");
    let binary = folder.join("maturin-1.9.4.data/scripts/maturin");
    if !binary.is_file() {
        remove(&folder)?;
        std::fs::create_dir_all(&folder)
            .with_context(|| format!("cannot create {}", folder.display()))?;
        unpack(place, MATURIN, &folder)?;
        make_executable(&binary)?;
    }
    Ok(binary)
}

/// Makes the wheel in a folder, in place of an earlier one. maturin starts cargo with the options of
/// [`build_release`](crate::program::build_release), so that nothing is compiled again, and refuses symbols that are newer
/// than its tag says.
pub fn build(place: &Checkout, folder: &Path) -> Result<PathBuf> {
    for old in wheels(folder)? {
        std::fs::remove_file(&old).with_context(|| format!("cannot remove {}", old.display()))?;
    }
    let mut maturin = command::program(place, maturin(place)?);
    maturin
        .args(["build", "--release", "--locked", "--quiet"])
        .args(["--manifest-path", "server/Cargo.toml"])
        .arg("--out")
        .arg(folder)
        .env("CARGO", place.cargo());
    if cfg!(target_os = "linux") {
        let Version(major, minor) = glibc::NEWEST;
        maturin.args(["--compatibility", &format!("manylinux_{major}_{minor}")]);
    }
    command::run(&mut maturin).context("building the wheel")?;
    let built = wheels(folder)?;
    let [wheel] = built.as_slice() else {
        bail!(
            "maturin left {} wheels in {}",
            built.len(),
            folder.display()
        );
    };
    Ok(wheel.clone())
}

fn wheels(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries =
        std::fs::read_dir(folder).with_context(|| format!("cannot list {}", folder.display()))?;
    Ok(entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "whl"))
        .collect())
}
