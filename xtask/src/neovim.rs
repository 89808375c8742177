//! The Neovim plugin, in a real Neovim without a screen.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::command::{program, run, run_counting};
use crate::metadata;
use crate::npm;
use crate::place::Checkout;
use crate::server;
use crate::tally::{Dialect, Tally};

const PLUGIN: &str = "editors/nvim";
/// Its format check.
const FORMAT: &str = "editors/nvim/tests/format";
/// The version that the fetched programs must have: the version in Debian's suite does not change.
const VERSION: &str = "NVIM v0.10.4";

/// The programs of a run.
struct Tools {
    nvim: PathBuf,
    luacheck: PathBuf,
}

impl Tools {
    /// The same with another Neovim.
    fn with(&self, nvim: impl Into<PathBuf>) -> Self {
        Self {
            nvim: nvim.into(),
            luacheck: self.luacheck.clone(),
        }
    }
}

/// Lints the plugin, then tests it by itself and with the real server.
pub(crate) fn check(place: &Checkout) -> Result<Tally> {
    let tools = tools(place)?;
    run(program(place, &tools.luacheck)
        .arg("--no-color")
        .arg(".")
        .current_dir(place.path(PLUGIN)))
    .context("luacheck")?;
    npm::install(place, FORMAT)?;
    run(program(place, "node").arg(place.path(FORMAT).join("check.mjs"))).context("StyLua")?;
    let mut tally = Tally::PASSED;
    tally += run_counting(&mut test(place, &tools, "plugin.lua")?, Dialect::Tap)?;
    let binary = server::build(place)?;
    for file in ["server.lua", "recipes.lua"] {
        let mut with_server = test(place, &tools, file)?;
        tally += run_counting(with_server.env("CUTE_ANALYZER", &binary), Dialect::Tap)?;
    }
    Ok(tally)
}

/// The same in the Neovim of [`latest`], which takes the parser of the notation too.
pub(crate) fn check_latest(place: &Checkout, server: &Path) -> Result<Tally> {
    let nvim = latest(place)?;
    println!("{}", version(place, &nvim)?);
    let tools = tools(place)?.with(nvim);
    let tools = &tools;
    let mut tally = Tally::default();
    for file in ["plugin.lua", "server.lua", "recipes.lua", "notation.lua"] {
        let mut nvim = test(place, tools, file)?;
        nvim.env("CUTE_ANALYZER", server);
        nvim.env("CUTE_PARSERS", parsers(place)?);
        tally += run_counting(&mut nvim, Dialect::Tap)?;
    }
    Ok(tally)
}

/// A folder with the parsers of the notation and of Python as Neovim finds them.
fn parsers(place: &Checkout) -> Result<PathBuf> {
    let folder = place.tools().join("nvim-parsers");
    let inside = folder.join("parser");
    std::fs::create_dir_all(&inside)
        .with_context(|| format!("cannot create {}", inside.display()))?;
    let python = metadata::read(place)?.folder_of("tree-sitter-python")?;
    for (name, sources, files) in [
        (
            "cute",
            place.path("grammar/notation/src"),
            &["parser.c"][..],
        ),
        ("python", python.join("src"), &["parser.c", "scanner.c"][..]),
    ] {
        let library = inside.join(name).with_extension("so");
        let mut cc = program(place, "cc");
        cc.args(["-shared", "-fPIC", "-O1", "-I"])
            .arg(&sources)
            .arg("-o")
            .arg(&library);
        run(cc.args(files.iter().map(|file| sources.join(file))))?;
    }
    Ok(folder)
}

/// Neovim and luacheck: those that `NVIM` and `LUACHECK` name, or the ones fetched from Debian.
fn tools(place: &Checkout) -> Result<Tools> {
    if let (Some(nvim), Some(luacheck)) = (std::env::var_os("NVIM"), std::env::var_os("LUACHECK")) {
        return Ok(Tools {
            nvim: nvim.into(),
            luacheck: luacheck.into(),
        });
    }
    let prefix = place.tools().join("nvim");
    let tools = Tools {
        nvim: prefix.join("bin/nvim"),
        luacheck: prefix.join("bin/luacheck"),
    };
    if !tools.luacheck.is_file() || version(place, &tools.nvim).is_err() {
        let script = place.path(PLUGIN).join("tests/fetch-nvim.sh");
        run(program(place, script).arg(&prefix)).context("fetching Neovim")?;
        let version = version(place, &tools.nvim)?;
        if version != VERSION {
            bail!("fetched {version}, but {VERSION} was meant");
        }
    }
    Ok(tools)
}

/// A newer Neovim, with the interface of 0.11: the one that `NVIM_LATEST` names, or that of Debian's next release. It
/// does not stay as it is, so it is not part of the first run of tests.
pub(crate) fn latest(place: &Checkout) -> Result<PathBuf> {
    if let Some(nvim) = std::env::var_os("NVIM_LATEST") {
        return Ok(nvim.into());
    }
    let prefix = place.tools().join("nvim-latest");
    let nvim = prefix.join("bin/nvim");
    if version(place, &nvim).is_err() {
        let script = place.path(PLUGIN).join("tests/fetch-nvim.sh");
        run(program(place, script).arg(&prefix).arg("forky")).context("fetching a newer Neovim")?;
    }
    Ok(nvim)
}

fn version(place: &Checkout, nvim: &Path) -> Result<String> {
    let text = crate::command::output(program(place, nvim).arg("--version"))?;
    Ok(text.lines().next().unwrap_or_default().to_owned())
}

/// The program.
pub(crate) fn editor(place: &Checkout) -> Result<PathBuf> {
    Ok(tools(place)?.nvim)
}

/// Neovim as a newcomer has it, running one of the plugin's test files with this home.
pub(crate) fn fresh(place: &Checkout, file: &str, home: &Path) -> Result<Command> {
    test_at(place, &tools(place)?, file, home)
}

/// Neovim running one of the plugin's test files, away from the user's own configuration.
fn test(place: &Checkout, tools: &Tools, file: &str) -> Result<Command> {
    test_at(place, tools, file, &place.tools().join("nvim-home"))
}

fn test_at(place: &Checkout, tools: &Tools, file: &str, home: &Path) -> Result<Command> {
    std::fs::create_dir_all(home).with_context(|| format!("cannot create {}", home.display()))?;
    let mut nvim = program(place, &tools.nvim);
    nvim.args(["--headless", "-u", "NONE", "-i", "NONE", "-l"])
        .arg(place.path(PLUGIN).join("tests").join(file));
    for variable in [
        "XDG_CONFIG_HOME",
        "XDG_DATA_HOME",
        "XDG_STATE_HOME",
        "XDG_CACHE_HOME",
    ] {
        nvim.env(variable, home);
    }
    Ok(nvim)
}
