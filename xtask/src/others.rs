//! Editors that need nothing of ours but a few lines of configuration, which docs/editors.md shows:
//! tried as it is there; and Neovim in a terminal.

use std::path::PathBuf;

use anyhow::{Context, Result, bail};

use crate::command::{program, run, run_counting};
use crate::place::Checkout;
use crate::tally::{Dialect, Tally};
use crate::workbench::need;
use crate::{neovim, oracles, server};

const FOLDER: &str = "editors/others";
/// The page whose snippets are tried, and the files that are the same.
const PAGE: &str = "docs/editors.md";
const SNIPPETS: [&str; 2] = [
    "editors/helix/languages.toml",
    "editors/emacs/cute-analyzer.el",
];
const SOURCE: &str = "examples/wrong.cu";

/// Fetches Helix and Emacs where they are missing, then checks the output of each editor.
pub(crate) fn check(place: &Checkout) -> Result<Tally> {
    let mut tally = Tally::PASSED;
    snippets(place)?;
    let server = server::build(place)?;
    let bin = server.parent().context("the server has no folder")?;
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths(
        std::iter::once(bin.to_path_buf()).chain(std::env::split_paths(&path)),
    )?;
    let (helix, emacs) = editors(place)?;
    let mut batch = program(place, emacs);
    batch
        .args(["--batch", "-l", "editors/others/emacs.el"])
        .args([SNIPPETS[1], SOURCE])
        .env("PATH", &path);
    tally += run_counting(&mut batch, Dialect::Tap)?;
    need(place, "tmux", "tmux")?;
    let mut terminal = program(place, place.path(FOLDER).join("helix.sh"));
    terminal
        .arg(helix)
        .args([SNIPPETS[0], SOURCE])
        .env("PATH", &path);
    tally += run_counting(&mut terminal, Dialect::Tap)?;
    for nvim in [neovim::editor(place)?, neovim::latest(place)?] {
        let mut terminal = program(place, place.path("editors/nvim/tests/terminal.sh"));
        terminal
            .arg(nvim)
            .arg(SOURCE)
            .env("ARTEFACTS", artefacts(place)?)
            .env("PATH", &path);
        tally += run_counting(&mut terminal, Dialect::Tap)?;
    }
    oracles::fetch(place)?;
    let mut kernels = program(place, place.path("editors/nvim/tests/kernels.sh"));
    kernels
        .arg(neovim::editor(place)?)
        .arg(place.oracles())
        .env("ARTEFACTS", artefacts(place)?)
        .env("PATH", &path);
    tally += run_counting(&mut kernels, Dialect::Tap)?;
    tally += neovim::check_latest(place, &server)?;
    Ok(tally)
}

/// The folder of screens.
fn artefacts(place: &Checkout) -> Result<PathBuf> {
    let folder = place.path("target/artefacts/terminal");
    std::fs::create_dir_all(&folder)
        .with_context(|| format!("cannot create {}", folder.display()))?;
    Ok(folder)
}

/// The snippets of the page are those that are tried.
fn snippets(place: &Checkout) -> Result<()> {
    let page = std::fs::read_to_string(place.path(PAGE)).context(PAGE)?;
    for name in SNIPPETS {
        let text = std::fs::read_to_string(place.path(name)).context(name)?;
        let code: Vec<&str> = text
            .lines()
            .filter(|line| !line.starts_with(";;"))
            .collect();
        if !page.contains(&code.join("\n")) {
            bail!("{PAGE} does not show what {name} has");
        }
    }
    Ok(())
}

/// Helix and Emacs: those that `HELIX` and `EMACS` name, or the ones fetched from Debian.
fn editors(place: &Checkout) -> Result<(PathBuf, PathBuf)> {
    if let (Some(helix), Some(emacs)) = (std::env::var_os("HELIX"), std::env::var_os("EMACS")) {
        return Ok((helix.into(), emacs.into()));
    }
    let prefix = place.tools().join("others");
    let found = (prefix.join("bin/hx"), prefix.join("bin/emacs"));
    if !found.1.is_file() {
        let script = place.path(FOLDER).join("fetch.sh");
        run(program(place, script).arg(&prefix)).context("fetching Helix and Emacs")?;
    }
    Ok(found)
}
