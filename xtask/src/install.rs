//! The packages, installed as a user does who has Python and an editor, and no Rust.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use crate::command::{output, program, run, run_counting};
use crate::place::Checkout;
use crate::tally::{Dialect, Tally};
use crate::{dist, neovim, oracles, publishing, workbench};

/// From the wheel to the first hint on a source of CUTLASS, with nothing configured.
const PATIENCE: Duration = Duration::from_secs(60);

/// The page whose commands a newcomer types.
const PAGE: &str = "README.md";
/// The section with them.
const SECTION: &str = "## Install";

/// The installation steps of README, word for word, with an empty environment for Python and an empty profile for VS
/// Code; then a source of CUTLASS in a fresh Neovim.
pub(crate) fn check(place: &Checkout) -> Result<Tally> {
    oracles::fetch(place)?;
    let wheel = dist::build(place)?.wheel;
    publishing::check_wheel(place, &wheel)?;
    let newcomer = Newcomer::new(place)?;
    let begun = Instant::now();
    let page = std::fs::read_to_string(place.path(PAGE)).context(PAGE)?;
    let commands =
        commands(&page).with_context(|| format!("{PAGE} has no commands under `{SECTION}`"))?;
    if !commands.contains("pip install") || !commands.contains("code --install-extension") {
        bail!("{PAGE} does not install the wheel and the extension under `{SECTION}`");
    }
    newcomer.code(place)?;
    run(newcomer
        .command(place, "sh")
        .args(["-e", "-u", "-x", "-c", &commands]))
    .with_context(|| format!("the commands under `{SECTION}` of {PAGE}"))?;
    let extensions = output(newcomer.command(place, "code").arg("--list-extensions"))?;
    if !extensions.contains("cute-analyzer.cute-analyzer") {
        bail!("VS Code has no extension of ours after the commands of {PAGE}: {extensions}");
    }
    let version = output(newcomer.command(place, "cute-analyzer").arg("--version"))?;
    if version.trim() != concat!("cute-analyzer ", env!("CARGO_PKG_VERSION")) {
        bail!("the wheel's program says it is {version}");
    }
    let mut tally = Tally::PASSED;
    println!("installed as {PAGE} says: {}", seconds(begun.elapsed()));
    let (hints, took) = first_hint(place, &wheel)?;
    tally += hints;
    println!("from the wheel to the first hint: {}", seconds(took));
    if took > PATIENCE {
        bail!("that is more than {}", seconds(PATIENCE));
    }
    Ok(tally)
}

fn seconds(time: Duration) -> String {
    format!("{:.1} s", time.as_secs_f64())
}

/// The first block of shell commands of the section.
fn commands(page: &str) -> Option<String> {
    let section = page.split_once(&format!("\n{SECTION}\n"))?.1;
    let block = section.split_once("```sh\n")?.1.split_once("```")?.0;
    Some(block.to_owned())
}

/// Installs the wheel for someone who has nothing yet and opens a source of CUTLASS in Neovim, with nothing configured:
/// the result, and the time that it took.
pub(crate) fn first_hint(place: &Checkout, wheel: &Path) -> Result<(Tally, Duration)> {
    oracles::fetch(place)?;
    neovim::editor(place)?;
    let newcomer = Newcomer::new(place)?;
    let begun = Instant::now();
    let mut pip = newcomer.command(place, "pip");
    run(pip.args(["install", "--quiet", "--no-index"]).arg(wheel))?;
    let tally = newcomer.opens_cutlass(place)?;
    Ok((tally, begun.elapsed()))
}

/// Someone with Python and an editor, and neither Rust nor anything of ours.
struct Newcomer {
    /// The folder of all of it.
    home: PathBuf,
    /// The search path for programs before that of the system.
    path: Vec<PathBuf>,
    /// Without Debian's package of virtual environments, pip is told to install into this folder.
    prefix: Option<PathBuf>,
}

impl Newcomer {
    /// An empty environment for Python.
    fn new(place: &Checkout) -> Result<Self> {
        let home = place.path("target/artefacts/install");
        if home.exists() {
            std::fs::remove_dir_all(&home)
                .with_context(|| format!("cannot remove {}", home.display()))?;
        }
        let programs = home.join("bin");
        std::fs::create_dir_all(&programs)
            .with_context(|| format!("cannot create {}", programs.display()))?;
        let environment = home.join("environment");
        let venv = run(program(place, "python3")
            .args(["-m", "venv"])
            .arg(&environment));
        let path = vec![
            programs,
            environment.join("bin"),
            environment.join("local/bin"),
        ];
        let prefix = venv.is_err().then_some(environment);
        Ok(Self { home, path, prefix })
    }

    /// A program as the newcomer starts it.
    fn command(&self, place: &Checkout, name: &str) -> Command {
        let system = std::env::var_os("PATH").unwrap_or_default();
        let folders = self
            .path
            .iter()
            .cloned()
            .chain(std::env::split_paths(&system));
        let folders: Vec<PathBuf> = folders.collect();
        let found = folders.iter().map(|folder| folder.join(name));
        let found = found.into_iter().find(|file| file.is_file());
        let mut command = program(place, found.unwrap_or_else(|| name.into()));
        if let Ok(path) = std::env::join_paths(&folders) {
            command.env("PATH", path);
        }
        if let Some(prefix) = &self.prefix {
            command.env("PIP_PREFIX", prefix);
            command.env("PIP_BREAK_SYSTEM_PACKAGES", "1");
        }
        command
    }

    /// VS Code's command `code`, of the workbench that the tests drive.
    fn code(&self, place: &Checkout) -> Result<()> {
        let editor = workbench::editor(place)?;
        let profile = self.home.join("code");
        for folder in ["data/User", "extensions"] {
            let folder = profile.join(folder);
            std::fs::create_dir_all(&folder)
                .with_context(|| format!("cannot create {}", folder.display()))?;
        }
        let text = format!(
            "#!/bin/sh\nexec '{}' --user-data-dir '{1}/data' --extensions-dir '{1}/extensions' \"$@\"\n",
            editor.display(),
            profile.display()
        );
        let file = self.home.join("bin/code");
        std::fs::write(&file, text).with_context(|| format!("cannot write {}", file.display()))?;
        run(program(place, "chmod").arg("+x").arg(&file))
    }

    /// A fresh Neovim with the plugin on its runtime path and the program on PATH, on a source without
    /// any build description.
    fn opens_cutlass(&self, place: &Checkout) -> Result<Tally> {
        let source = self.home.join("sgemm_1.cu");
        let original = place
            .oracles()
            .join("cutlass/examples/cute/tutorial/sgemm_1.cu");
        std::fs::copy(&original, &source)
            .with_context(|| format!("cannot copy {}", original.display()))?;
        let mut nvim = neovim::fresh(place, "install.lua", &self.home)?;
        if let Some((_, Some(path))) = self
            .command(place, "sh")
            .get_envs()
            .find(|(name, _)| *name == "PATH")
        {
            nvim.env("PATH", path);
        }
        run_counting(nvim.env("CUTE_SOURCE", &source), Dialect::Tap)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_commands_of_the_section_are_found() {
        let page = "# x\n```sh\nother\n```\n\n## Install\n\nprose\n```sh\none # why\ntwo\n```\n";
        assert_eq!(commands(page).unwrap(), "one # why\ntwo\n");
        assert_eq!(commands("# x\n"), None);
    }
}
