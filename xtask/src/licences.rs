//! Every package that the product is built from may be used under its licence.
//!
//! The allowed licences are in `deny.toml`, in the form that `cargo deny` reads, so that either
//! tool can be used; this one needs no installation.

use anyhow::{Context, Result};
use serde::Deserialize;
use spdx::{Expression, Licensee, ParseMode};

use crate::metadata::{self, Package};
use crate::place::Checkout;
use crate::tally::Tally;

/// The registry that packages may come from.
const CRATES_IO: &str = "registry+https://github.com/rust-lang/crates.io-index";

#[derive(Deserialize)]
struct Deny {
    licenses: Licenses,
}

#[derive(Deserialize)]
struct Licenses {
    allow: Vec<String>,
}

/// Checks all packages; each that may not be used is a failure.
pub(crate) fn check(place: &Checkout) -> Result<Tally> {
    let path = place.path("deny.toml");
    let text = std::fs::read_to_string(&path)
        .with_context(|| format!("cannot read {}", path.display()))?;
    let allowed = allowed(&text)?;
    let metadata = metadata::read(place)?;
    let mut problems = 0;
    for package in &metadata.packages {
        if let Some(reason) = refusal(package, &allowed) {
            println!("{} {}: {reason}", package.name, package.version);
            problems += 1;
        }
    }
    println!(
        "{} packages compared with deny.toml",
        metadata.packages.len()
    );
    Ok(Tally::of_problems(problems))
}

fn allowed(deny: &str) -> Result<Vec<Licensee>> {
    let deny: Deny = toml::from_str(deny).context("deny.toml")?;
    deny.licenses
        .allow
        .iter()
        .map(|name| Licensee::parse(name).with_context(|| format!("deny.toml: `{name}`")))
        .collect()
}

/// Why a package may not be used, if so.
fn refusal(package: &Package, allowed: &[Licensee]) -> Option<String> {
    if let Some(source) = package
        .source
        .as_deref()
        .filter(|source| *source != CRATES_IO)
    {
        return Some(format!("comes from {source}, not from crates.io"));
    }
    let Some(stated) = &package.license else {
        return Some("states no licence".to_owned());
    };
    let expression = match Expression::parse_mode(stated, ParseMode::LAX) {
        Ok(expression) => expression,
        Err(error) => return Some(format!("its licence `{stated}` is unreadable: {error}")),
    };
    let may = expression.evaluate(|asked| allowed.iter().any(|licence| licence.satisfies(asked)));
    (!may).then(|| format!("its licence `{stated}` is not allowed by deny.toml"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn package(license: Option<&str>, source: Option<&str>) -> Package {
        Package {
            manifest_path: "Cargo.toml".into(),
            id: "p".into(),
            name: "p".into(),
            version: "1.0.0".into(),
            license: license.map(Into::into),
            source: source.map(Into::into),
            dependencies: Vec::new(),
            targets: Vec::new(),
        }
    }

    fn refused(license: Option<&str>, source: Option<&str>) -> Option<String> {
        let allowed = allowed("[licenses]\nallow = [\"MIT\", \"Apache-2.0\"]").unwrap();
        refusal(&package(license, source), &allowed)
    }

    #[test]
    fn one_allowed_alternative_is_enough_and_every_conjunct_is_needed() {
        assert_eq!(refused(Some("MIT OR GPL-3.0-only"), Some(CRATES_IO)), None);
        assert_eq!(refused(Some("Unlicense/MIT"), Some(CRATES_IO)), None);
        assert!(refused(Some("MIT AND GPL-3.0-only"), Some(CRATES_IO)).is_some());
        assert!(refused(Some("GPL-3.0-only"), Some(CRATES_IO)).is_some());
    }

    #[test]
    fn silence_nonsense_and_foreign_sources_are_refused() {
        assert!(refused(None, Some(CRATES_IO)).is_some());
        assert!(refused(Some("my own terms"), Some(CRATES_IO)).is_some());
        assert!(refused(Some("MIT"), Some("git+https://example.invalid/x")).is_some());
        assert_eq!(refused(Some("MIT"), None), None);
    }

    #[test]
    fn a_misspelt_licence_in_deny_toml_is_an_error() {
        assert!(allowed("[licenses]\nallow = [\"MITT\"]").is_err());
    }
}
