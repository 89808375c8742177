//! `cargo xtask bench`: ours and others, measured in one run.

mod operations;
mod wire;

use anyhow::Result;
use clap::ValueEnum;

use crate::place::Place;
use crate::{measurements, oracles};

/// What is measured.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Part {
    /// The algebra's operations, beside pycute and tensor-layouts
    Algebra,
    /// What an editor waits for, beside clangd
    Editor,
}

/// Measures this part (all, when none is named), prints, and writes its section of the page.
pub(crate) fn run(place: &Place, part: Option<Part>) -> Result<()> {
    oracles::fetch(place)?;
    let is_wanted = |this| part.is_none_or(|part| part == this);
    let mut sections = Vec::new();
    if is_wanted(Part::Editor) {
        sections.push(wire::measured(place)?);
    }
    if is_wanted(Part::Algebra) {
        let packages: &[&str] = match part {
            Some(_) => &["--package", "cute-algebra"],
            None => &["--workspace"],
        };
        sections.extend(operations::measured(place, packages)?);
    }
    measurements::publish(place, &sections)
}
