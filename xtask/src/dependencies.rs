//! Every direct dependency earns a line of reason in `docs/dependencies.md`, and no line is left
//! over from a dependency that is gone.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::{Context, Result};
use serde::Deserialize;

use crate::metadata::{self, Metadata};
use crate::place::Checkout;
use crate::tally::Tally;

const PAGE: &str = "docs/dependencies.md";
/// Folders with an npm manifest of ours.
const NPM: &[&str] = &[
    "editors/vscode",
    "editors/vscode/e2e",
    "editors/nvim/tests/format",
    "grammar/notation",
    "tests/conformance/typed",
];

#[derive(Deserialize)]
struct RootManifest {
    workspace: WorkspaceTable,
}

#[derive(Deserialize)]
struct WorkspaceTable {
    dependencies: toml::Table,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct NpmManifest {
    dependencies: serde_json::Map<String, serde_json::Value>,
    #[serde(rename = "devDependencies")]
    dev_dependencies: serde_json::Map<String, serde_json::Value>,
}

/// Compares the page with the manifests; each name that is in only one of them is a failure.
pub(crate) fn check(place: &Checkout) -> Result<Tally> {
    let page = read(&place.path(PAGE))?;
    let mut used = rust_dependencies(&metadata::read(place)?);
    used.extend(workspace_table(&read(&place.path("Cargo.toml"))?)?);
    for folder in NPM {
        used.extend(npm_dependencies(&read(
            &place.path(folder).join("package.json"),
        )?)?);
    }
    let problems = problems(&used, &listed(&page));
    for problem in &problems {
        println!("{PAGE}: {problem}");
    }
    println!("{} direct dependencies compared with {PAGE}", used.len());
    Ok(Tally::of_problems(problems.len()))
}

fn read(path: &Path) -> Result<String> {
    std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
}

fn rust_dependencies(metadata: &Metadata) -> BTreeSet<String> {
    metadata
        .packages
        .iter()
        .filter(|package| metadata.workspace_members.contains(&package.id))
        .flat_map(|package| &package.dependencies)
        .filter(|dependency| dependency.path.is_none())
        .map(|dependency| dependency.name.clone())
        .collect()
}

/// Names in `[workspace.dependencies]` that are not packages of this repository.
fn workspace_table(manifest: &str) -> Result<BTreeSet<String>> {
    let manifest: RootManifest = toml::from_str(manifest).context("Cargo.toml")?;
    let table = manifest.workspace.dependencies.into_iter();
    Ok(table
        .filter(|(_, entry)| entry.get("path").is_none())
        .map(|(name, _)| name)
        .collect())
}

fn npm_dependencies(manifest: &str) -> Result<BTreeSet<String>> {
    let manifest: NpmManifest = serde_json::from_str(manifest).context("reading package.json")?;
    let names = manifest
        .dependencies
        .into_iter()
        .chain(manifest.dev_dependencies);
    Ok(names.map(|(name, _)| name).collect())
}

/// The names in the first column of the page's tables: rows that begin with `` | `name` | ``.
fn listed(page: &str) -> BTreeSet<String> {
    page.lines()
        .filter_map(|line| line.strip_prefix("| `")?.split_once("` |"))
        .filter(|(_, reason)| reason.chars().any(char::is_alphabetic))
        .map(|(name, _)| name.to_owned())
        .collect()
}

fn problems(used: &BTreeSet<String>, listed: &BTreeSet<String>) -> Vec<String> {
    let unexplained = used
        .difference(listed)
        .map(|name| format!("no reason is given for `{name}`"));
    let left_over = listed
        .difference(used)
        .map(|name| format!("`{name}` is no longer a dependency"));
    unexplained.chain(left_over).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_with_a_reason_are_listed() {
        let page = "| name | why |\n| --- | --- |\n| `clap` | arguments |\n| `mute` | |\n`prose`\n";
        assert_eq!(listed(page), BTreeSet::from(["clap".to_owned()]));
    }

    #[test]
    fn both_directions_are_compared() {
        let set = |names: &[&str]| names.iter().map(|&n| n.to_owned()).collect();
        let problems = problems(&set(&["a", "b"]), &set(&["b", "c"]));
        assert_eq!(
            problems,
            [
                "no reason is given for `a`",
                "`c` is no longer a dependency"
            ]
        );
    }

    #[test]
    fn the_workspace_table_gives_foreign_packages() {
        let names =
            workspace_table("[workspace.dependencies]\nours = { path = \"ours\" }\nclap = \"4\"\n");
        assert_eq!(names.unwrap(), BTreeSet::from(["clap".to_owned()]));
    }

    #[test]
    fn npm_manifests_give_both_kinds() {
        let names = npm_dependencies(
            r#"{"name":"x","dependencies":{"a":"1"},"devDependencies":{"b":"2"}}"#,
        );
        assert_eq!(
            names.unwrap(),
            BTreeSet::from(["a".to_owned(), "b".to_owned()])
        );
    }
}
