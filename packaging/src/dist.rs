//! `cargo xtask dist`: the packages, for the platform that this runs on.

use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result, bail};

use crate::place::Checkout;
use crate::{glibc, program, vscode, wheel};

/// The largest package of the extension, in bytes.
const VSIX_BYTES: u64 = 15_000_000;

/// The built packages.
pub struct Dist {
    /// The extension for VS Code with the program inside.
    pub package: PathBuf,
    /// The wheel for Python's package index.
    pub wheel: PathBuf,
}

/// The time that all of it takes, and the part that is needed only once.
const ABOUT: &str = "Builds target/dist in four steps. The first time: 5 to 12 minutes on 2 cores, most of them for \
step 1; later: the time of what changed.";

/// Builds the program, the VS Code extension and the wheel with the program inside, and the manifest for Mason, into
/// `target/dist`. The program is compiled once.
pub fn build(place: &Checkout) -> Result<Dist> {
    println!("{ABOUT}");
    let begun = Instant::now();
    let folder = place.path("target/dist");
    std::fs::create_dir_all(&folder)
        .with_context(|| format!("cannot create {}", folder.display()))?;
    let program = step("1/4 compile the program, optimised", || {
        let program = program::build_release(place)?;
        glibc::check(&program)?;
        copy_into(&folder, &program)?;
        Ok(program)
    })?;
    let package = step(
        "2/4 package the VS Code extension (fetches its packages of npm the first time)",
        || {
            let package = copy_into(&folder, &vscode::package(place, Some(&program))?)?;
            check_size(&package, VSIX_BYTES)?;
            Ok(package)
        },
    )?;
    let wheel = step(
        "3/4 package the wheel (fetches maturin, 9 MB, the first time)",
        || {
            let wheel = wheel::build(place, &folder)?;
            say(&wheel)?;
            Ok(wheel)
        },
    )?;
    step("4/4 write the manifest for Mason", || mason(place, &folder))?;
    println!("target/dist is ready after {}", seconds(begun));
    Ok(Dist { package, wheel })
}

/// Reports a step before it begins, and its time after it.
fn step<T>(what: &str, work: impl FnOnce() -> Result<T>) -> Result<T> {
    println!("{what}");
    let begun = Instant::now();
    let made = work()?;
    println!("    {}", seconds(begun));
    Ok(made)
}

fn seconds(begun: Instant) -> String {
    format!("{:.0} s", begun.elapsed().as_secs_f64())
}

/// The manifest for Mason, of this version.
fn mason(place: &Checkout, folder: &Path) -> Result<()> {
    let text = std::fs::read_to_string(place.path("editors/mason/package.yaml"))
        .context("editors/mason/package.yaml")?;
    let id = format!("pkg:pypi/cute-analyzer@{}", env!("CARGO_PKG_VERSION"));
    let file = folder.join("mason-package.yaml");
    std::fs::write(&file, text.replace("pkg:pypi/cute-analyzer@0.0.0", &id))
        .with_context(|| format!("cannot write {}", file.display()))?;
    say(&file)
}

/// Fails where a file is larger than the limit of a package.
fn check_size(file: &Path, most: u64) -> Result<()> {
    let size = size(file)?;
    if size > most {
        bail!("{} has {size} bytes, more than {most}", file.display());
    }
    Ok(())
}

fn copy_into(folder: &Path, file: &Path) -> Result<PathBuf> {
    let name = file
        .file_name()
        .with_context(|| format!("{} has no file name", file.display()))?;
    let copy = folder.join(name);
    std::fs::copy(file, &copy).with_context(|| format!("cannot copy {}", file.display()))?;
    say(&copy)?;
    Ok(copy)
}

/// Names a file with its size.
fn say(file: &Path) -> Result<()> {
    let bytes = size(file)?;
    println!("    {} ({} kB)", file.display(), bytes.div_ceil(1000));
    Ok(())
}

fn size(file: &Path) -> Result<u64> {
    let about =
        std::fs::metadata(file).with_context(|| format!("cannot read {}", file.display()))?;
    Ok(about.len())
}
