//! The package of the VS Code extension.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::command::run;
use crate::npm;
use crate::place::Checkout;

/// The folder of the extension.
pub const EXTENSION: &str = "editors/vscode";

/// Makes the `.vsix`: with a server inside for this platform, or without one for all.
pub fn package(place: &Checkout, server: Option<&Path>) -> Result<PathBuf> {
    npm::install(place, EXTENSION)?;
    let inside = place.path(EXTENSION).join("server");
    let name = match server {
        Some(_) => format!("cute-analyzer-{}.vsix", platform()?),
        None => "cute-analyzer.vsix".to_owned(),
    };
    let file = place.path(EXTENSION).join("dist").join(name);
    let mut vsce = npm::script(place, EXTENSION, "package");
    vsce.args(["--", "--out"]).arg(&file);
    if let Some(server) = server {
        std::fs::create_dir_all(&inside)
            .with_context(|| format!("cannot create {}", inside.display()))?;
        let name = server.file_name().context("the server has no file name")?;
        std::fs::copy(server, inside.join(name))
            .with_context(|| format!("cannot copy {}", server.display()))?;
        vsce.args(["--target", platform()?]);
    }
    let packaged = run(&mut vsce).context("packaging");
    if server.is_some() {
        std::fs::remove_dir_all(&inside)
            .with_context(|| format!("cannot remove {}", inside.display()))?;
    }
    packaged.map(|()| file)
}

/// VS Code's name of the platform that this runs on.
fn platform() -> Result<&'static str> {
    match (std::env::consts::OS, std::env::consts::ARCH) {
        ("linux", "x86_64") => Ok("linux-x64"),
        ("linux", "aarch64") => Ok("linux-arm64"),
        ("macos", "x86_64") => Ok("darwin-x64"),
        ("macos", "aarch64") => Ok("darwin-arm64"),
        ("windows", "x86_64") => Ok("win32-x64"),
        ("windows", "aarch64") => Ok("win32-arm64"),
        (os, arch) => bail!("VS Code has no platform for {arch} {os}"),
    }
}
