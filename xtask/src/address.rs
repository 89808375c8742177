//! `cargo xtask address URL`: the public address of the repository, in every manifest that registries show. The sources have
//! none until there is one: whoever publishes them gives it.

use std::path::Path;

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use toml_edit::{DocumentMut, InlineTable, Item, Table, value};

use crate::place::Checkout;

/// The crates that crates.io shows.
const CRATES: [&str; 8] = [
    "algebra",
    "analysis",
    "grammar",
    "grammar/cuda",
    "grammar/notation",
    "hardware",
    "runner",
    "server",
];

/// The option with which `vsce` packages an extension without an address.
const WITHOUT_ADDRESS: &str = " --allow-missing-repository";

/// Writes the address into the manifests of the extension, the crates and the wheel.
pub(crate) fn write(place: &Checkout, url: &str) -> Result<()> {
    let url = checked(url)?;
    edit(&place.path("editors/vscode/package.json"), |text| {
        extension(text, url)
    })?;
    edit(&place.path("Cargo.toml"), |text| workspace(text, url))?;
    for name in CRATES {
        edit(&place.path(&format!("{name}/Cargo.toml")), member)?;
    }
    edit(&place.path("server/pyproject.toml"), |text| {
        wheel(text, url)
    })?;
    println!(
        "{url} is the repository, the homepage, and with /issues the place for issues, of the extension, {} crates and the wheel",
        CRATES.len()
    );
    Ok(())
}

/// An address without a slash at its end.
fn checked(url: &str) -> Result<&str> {
    let url = url.trim_end_matches('/');
    let rest = url.strip_prefix("https://").unwrap_or_default();
    let is_plain = |it: char| it.is_ascii_alphanumeric() || "-._~/".contains(it);
    let (host, path) = rest.split_once('/').unwrap_or_default();
    if !host.contains('.') || path.is_empty() || !rest.chars().all(is_plain) {
        bail!("`{url}` is not the https address of a repository: https://HOST/OWNER/NAME");
    }
    Ok(url)
}

fn edit(file: &Path, change: impl FnOnce(&str) -> Result<String>) -> Result<()> {
    let text = std::fs::read_to_string(file).with_context(|| file.display().to_string())?;
    let changed = change(&text).with_context(|| file.display().to_string())?;
    std::fs::write(file, changed).with_context(|| format!("cannot write {}", file.display()))
}

/// The manifest of the extension: repository, homepage, issues; `vsce` no longer lets the address be missing.
fn extension(text: &str, url: &str) -> Result<String> {
    let mut manifest: Value = serde_json::from_str(text)?;
    let fields = manifest.as_object_mut().context("not an object")?;
    fields.insert(
        "repository".to_owned(),
        json!({ "type": "git", "url": format!("{url}.git"), "directory": "editors/vscode" }),
    );
    fields.insert("homepage".to_owned(), json!(url));
    fields.insert("bugs".to_owned(), json!({ "url": format!("{url}/issues") }));
    if let Some(package) = manifest.pointer_mut("/scripts/package") {
        let command = package.as_str().unwrap_or_default();
        *package = json!(command.replace(WITHOUT_ADDRESS, ""));
    }
    Ok(serde_json::to_string_pretty(&manifest)? + "\n")
}

/// The manifest of the workspace: the address that its crates inherit.
fn workspace(text: &str, url: &str) -> Result<String> {
    let mut manifest: DocumentMut = text.parse()?;
    let package = manifest
        .get_mut("workspace")
        .and_then(|it| it.get_mut("package"));
    package.context("no [workspace.package]")?["repository"] = value(url);
    Ok(manifest.to_string())
}

/// The manifest of a crate, which inherits the address.
fn member(text: &str) -> Result<String> {
    let mut manifest: DocumentMut = text.parse()?;
    let package = manifest.get_mut("package").context("no [package]")?;
    let mut inherits = InlineTable::new();
    inherits.insert("workspace", true.into());
    inherits.set_dotted(true);
    package["repository"] = value(inherits);
    Ok(manifest.to_string())
}

/// The manifest of the wheel: the links of its page on the package index.
fn wheel(text: &str, url: &str) -> Result<String> {
    let mut manifest: DocumentMut = text.parse()?;
    let project = manifest.get_mut("project").context("no [project]")?;
    let mut urls = Table::new();
    urls["Repository"] = value(url);
    urls["Issues"] = value(format!("{url}/issues"));
    urls["Changelog"] = value(format!("{url}/blob/HEAD/CHANGELOG.md"));
    project["urls"] = Item::Table(urls);
    Ok(manifest.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    const URL: &str = "https://example.org/kernels/cute-analyzer";

    fn of_repository(file: &str) -> String {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent();
        std::fs::read_to_string(root.expect("the repository").join(file)).expect(file)
    }

    #[test]
    fn an_address_is_that_of_a_repository() {
        assert_eq!(checked(&format!("{URL}/")).expect("an address"), URL);
        for wrong in [
            "",
            "example.org/a/b",
            "http://example.org/a",
            "https://example.org",
            "https://host/a b",
            "https://host.org/a\"b",
        ] {
            assert!(checked(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_extension_has_the_address_once_however_often_it_is_written() {
        let text = of_repository("editors/vscode/package.json");
        let once = extension(&text, URL).expect("a manifest");
        assert_eq!(extension(&once, URL).expect("a manifest"), once);
        let manifest: Value = serde_json::from_str(&once).expect("JSON");
        assert_eq!(manifest["bugs"]["url"], json!(format!("{URL}/issues")));
        assert_eq!(manifest["repository"]["url"], json!(format!("{URL}.git")));
        let package = manifest["scripts"]["package"].as_str().expect("a script");
        assert!(package.contains("vsce package") && !package.contains("allow-missing-repository"));
    }

    #[test]
    fn crates_and_wheel_have_the_address_and_keep_the_rest() {
        let text = of_repository("Cargo.toml");
        let with = workspace(&text, URL).expect("a manifest");
        let added: Vec<&str> = with.lines().filter(|line| !text.contains(line)).collect();
        assert_eq!(added, [format!("repository = \"{URL}\"")]);
        let of_crate = member(&of_repository("algebra/Cargo.toml")).expect("a manifest");
        assert!(
            of_crate.contains("\nrepository.workspace = true\n"),
            "{of_crate}"
        );
        let of_wheel = wheel(&of_repository("server/pyproject.toml"), URL).expect("a manifest");
        let read: toml::Table = of_wheel.parse().expect("TOML");
        let issues = &read["project"]["urls"]["Issues"];
        assert_eq!(issues.as_str(), Some(&*format!("{URL}/issues")));
    }
}
