//! The stage `driver`: NVIDIA's own driver library on a machine without a device, as Debian packages it.
//!
//! The package (`libcuda1`, of Debian's `non-free`) is fetched by `apt` into `target/tools` and unpacked there; nothing is
//! installed, and nothing of it is part of this repository.

use std::path::{Path, PathBuf};
use std::process::Stdio;

use anyhow::{Context, Result, bail};

use crate::command::{program, run};
use crate::place::Checkout;
use crate::server;
use crate::tally::Tally;

/// The source of Debian's packages; the key is that of the package `debian-archive-keyring`.
const SOURCE: &str = "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian bookworm non-free\n";

const KEYRING: &str = "/usr/share/keyrings/debian-archive-keyring.gpg";

const PACKAGE: &str = "libcuda1";

/// Runs a layout with the real library in front: it finds no device, and says so, or the layout runs on the device.
pub(crate) fn check(place: &Checkout) -> Result<Tally> {
    if !Path::new(KEYRING).is_file() {
        println!("not checked here: {KEYRING} does not exist, so this is not Debian");
        return Ok(Tally::default());
    }
    let library = library(place)?;
    let binary = server::build(place)?;
    let asked = |device: &str| -> Result<(Option<i32>, String)> {
        let output = program(place, &binary)
            .args(["run", "(8,(4,2)):(4,(1,32))", "--device", device])
            .env("LD_LIBRARY_PATH", &library)
            .stderr(Stdio::piped())
            .output()
            .context("cannot start cute-analyzer")?;
        let said = [output.stdout, output.stderr].concat();
        let said = String::from_utf8_lossy(&said).into_owned();
        println!("--device {device}: {}", said.trim());
        Ok((output.status.code(), said))
    };
    let (insisted, automatic) = (asked("cuda")?, asked("auto")?);
    let has_device = Path::new("/dev/nvidiactl").exists();
    let expected = match insisted {
        _ if has_device => true,
        (code, said) => code == Some(1) && said.contains("the CUDA driver finds no device"),
    };
    let stands_in = automatic.0 == Some(0)
        && (has_device
            || automatic
                .1
                .contains("run on the CPU (the CUDA driver finds no device"));
    Ok(Tally::of_problems(
        usize::from(!expected) + usize::from(!stands_in),
    ))
}

/// The folder that has `libcuda.so.1`, fetched when it is not there.
fn library(place: &Checkout) -> Result<PathBuf> {
    let folder = place.tools().join("driver");
    let unpacked = folder.join("unpacked");
    if let Some(found) = found_below(&unpacked)? {
        return Ok(found);
    }
    let sources = folder.join("sources.list");
    for part in ["state/lists/partial", "cache/archives/partial"] {
        std::fs::create_dir_all(folder.join(part))
            .with_context(|| format!("cannot create {}", folder.display()))?;
    }
    std::fs::write(&sources, SOURCE)
        .with_context(|| format!("cannot write {}", sources.display()))?;
    let apt = || {
        let mut apt = program(place, "apt-get");
        apt.current_dir(&folder).args(["--quiet", "--quiet"]);
        for (option, value) in [
            ("Dir::State", folder.join("state").display().to_string()),
            ("Dir::State::status", "/var/lib/dpkg/status".to_owned()),
            ("Dir::Cache", folder.join("cache").display().to_string()),
            ("Dir::Etc::SourceList", sources.display().to_string()),
            ("Dir::Etc::SourceParts", "-".to_owned()),
            ("APT::Sandbox::User", String::new()),
        ] {
            apt.arg("-o").arg(format!("{option}={value}"));
        }
        apt
    };
    run(apt().arg("update"))?;
    run(apt().args(["download", PACKAGE]))?;
    let package = std::fs::read_dir(&folder)
        .with_context(|| format!("cannot list {}", folder.display()))?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .find(|path| path.extension().is_some_and(|extension| extension == "deb"))
        .with_context(|| format!("apt-get left no package of {PACKAGE}"))?;
    run(program(place, "dpkg-deb")
        .arg("-x")
        .arg(&package)
        .arg(&unpacked))?;
    match found_below(&unpacked)? {
        Some(found) => Ok(found),
        None => bail!("{} has no libcuda.so.1", package.display()),
    }
}

/// The folder below another that has the library.
fn found_below(folder: &Path) -> Result<Option<PathBuf>> {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return Ok(None);
    };
    for entry in entries {
        let path = entry.context("listing an unpacked package")?.path();
        if path.file_name().is_some_and(|name| name == "libcuda.so.1") {
            return Ok(Some(folder.to_owned()));
        }
        if path.is_dir()
            && !path.is_symlink()
            && let Some(found) = found_below(&path)?
        {
            return Ok(Some(found));
        }
    }
    Ok(None)
}
