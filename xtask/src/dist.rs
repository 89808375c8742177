//! `cargo xtask dist`: what is given out, for the platform that this runs on.

use std::path::{Path, PathBuf};
use std::str::FromStr as _;
use std::time::Instant;

use anyhow::{Context, Result, bail};

use crate::command;
use crate::place::Place;
use crate::{oracles, server, vscode};

/// The newest glibc that the program may ask for: that of the oldest systems still served
/// (Debian 12, Ubuntu 22.04, RHEL 9).
const GLIBC: Version = Version(2, 34);

/// The largest package of the extension, in bytes.
const VSIX_BYTES: u64 = 15_000_000;

/// What was built.
pub(crate) struct Dist {
    /// The extension for VS Code with the program inside.
    pub(crate) package: PathBuf,
    /// The wheel for Python's package index.
    pub(crate) wheel: PathBuf,
}

/// Builds the program, the wheel and the VS Code extension with the program inside, and the
/// manifest for Mason, into `target/dist`.
pub(crate) fn build(place: &Place) -> Result<Dist> {
    let folder = place.path("target/dist");
    std::fs::create_dir_all(&folder)
        .with_context(|| format!("cannot create {}", folder.display()))?;
    let program = step("1/4 the program, optimised: minutes the first time", || {
        let program = server::build_release(place)?;
        check_glibc(&program)?;
        copy_into(&folder, &program)?;
        Ok(program)
    })?;
    let package = step(
        "2/4 the VS Code extension: fetches packages of npm the first time",
        || {
            let package = copy_into(&folder, &vscode::package(place, Some(&program))?)?;
            check_size(&package, VSIX_BYTES)?;
            Ok(package)
        },
    )?;
    let wheel = step(
        "3/4 the wheel: fetches maturin and builds the program with it the first time",
        || {
            let wheel = wheel(place, &folder)?;
            println!("{}", wheel.display());
            Ok(wheel)
        },
    )?;
    step("4/4 the manifest for Mason", || mason(place, &folder))?;
    Ok(Dist { package, wheel })
}

/// Says what is done before it is done, and how long it took.
fn step<T>(what: &str, work: impl FnOnce() -> Result<T>) -> Result<T> {
    println!("{what}");
    let begun = Instant::now();
    let made = work()?;
    println!("    done in {} s", begun.elapsed().as_secs());
    Ok(made)
}

/// The wheel, with the program inside. maturin refuses symbols that are newer than its tag says.
fn wheel(place: &Place, folder: &Path) -> Result<PathBuf> {
    for old in wheels(folder)? {
        std::fs::remove_file(&old).with_context(|| format!("cannot remove {}", old.display()))?;
    }
    let mut maturin = command::program(place, oracles::maturin(place)?);
    maturin
        .args(["build", "--release", "--locked", "--quiet"])
        .args(["--manifest-path", "server/Cargo.toml"])
        .arg("--out")
        .arg(folder)
        .env("CARGO", place.cargo());
    if cfg!(target_os = "linux") {
        let Version(major, minor) = GLIBC;
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

/// The manifest for Mason, of this version.
fn mason(place: &Place, folder: &Path) -> Result<()> {
    let text = std::fs::read_to_string(place.path("editors/mason/package.yaml"))
        .context("editors/mason/package.yaml")?;
    let id = format!("pkg:pypi/cute-analyzer@{}", env!("CARGO_PKG_VERSION"));
    let file = folder.join("mason-package.yaml");
    std::fs::write(&file, text.replace("pkg:pypi/cute-analyzer@0.0.0", &id))
        .with_context(|| format!("cannot write {}", file.display()))?;
    println!("{}", file.display());
    Ok(())
}

/// A version of glibc.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Version(u32, u32);

/// Fails where the program asks for a newer glibc than [`GLIBC`]: it would not start there.
fn check_glibc(program: &Path) -> Result<()> {
    let bytes =
        std::fs::read(program).with_context(|| format!("cannot read {}", program.display()))?;
    if let Some(Version(major, minor)) = newest_glibc(&bytes).filter(|newest| *newest > GLIBC) {
        bail!(
            "{} needs glibc {major}.{minor}, and what is given out may need {}.{} only: \
             build on an older system, such as Debian 12",
            program.display(),
            GLIBC.0,
            GLIBC.1
        );
    }
    Ok(())
}

/// The newest version of glibc that a program's symbols name (`GLIBC_2.34`); nothing where it
/// names none.
fn newest_glibc(program: &[u8]) -> Option<Version> {
    const MARK: &[u8] = b"GLIBC_";
    let places = program
        .windows(MARK.len())
        .enumerate()
        .filter(|(_, window)| *window == MARK);
    places
        .filter_map(|(at, _)| {
            let rest = program.get(at + MARK.len()..)?;
            let name = rest.split(|byte| *byte == 0).next()?;
            let mut numbers = std::str::from_utf8(name).ok()?.split('.');
            let mut number = || u32::from_str(numbers.next()?).ok();
            Some(Version(number()?, number()?))
        })
        .max()
}

/// Fails where a file is larger than what is given out may be.
fn check_size(file: &Path, most: u64) -> Result<()> {
    let size = std::fs::metadata(file)
        .with_context(|| format!("cannot read {}", file.display()))?
        .len();
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
    let bytes =
        std::fs::copy(file, &copy).with_context(|| format!("cannot copy {}", file.display()))?;
    println!("{} ({} kB)", copy.display(), bytes.div_ceil(1000));
    Ok(copy)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_glibc_is_found_by_number() {
        let program = b"\0GLIBC_2.2.5\0GLIBC_2.34\0GLIBC_2.9\0GLIBC_PRIVATE\0";
        assert_eq!(newest_glibc(program), Some(Version(2, 34)));
        assert_eq!(newest_glibc(b"no program"), None);
        assert!(Version(2, 9) < Version(2, 34) && Version(2, 35) > GLIBC);
    }

    #[test]
    fn this_program_names_a_glibc_where_it_has_one() {
        if cfg!(all(target_os = "linux", target_env = "gnu")) {
            let own = std::fs::read(std::env::current_exe().unwrap()).unwrap();
            assert!(newest_glibc(&own).is_some_and(|newest| newest >= Version(2, 2)));
        }
    }
}
