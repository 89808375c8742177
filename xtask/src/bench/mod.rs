//! `cargo xtask bench`: ours and others, measured in one run.

mod analysing;
mod annotations;
mod criterion;
mod keys;
mod load;
mod operations;
mod panel;
mod parsing;
mod previews;
mod reading;
mod trees;
mod wire;

use std::time::Duration;

use anyhow::Result;
use clap::ValueEnum;

use crate::place::Checkout;
use crate::{measurements, oracles};

/// The measured part.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Part {
    /// The algebra's operations, beside pycute and tensor-layouts
    Algebra,
    /// Waits of an editor, beside clangd
    Editor,
    /// Keys in files of real projects, to the hints of the lines in view
    Keys,
    /// Sources and the notation, read: megabytes a second, and after a keystroke
    Reading,
    /// Errors in the trees of CUTLASS's sources, and how fast they are parsed
    Parsing,
    /// Layouts and shapes recognised in comments, beside a sample labelled by hand
    Annotations,
    /// Previews of atoms, descriptors and memory
    Hardware,
    /// The page of a layout in a browser, and the sizes of the packages
    Panel,
    /// A large file, two hundred open files, ten thousand edits
    Load,
    /// Analyses in process: a keystroke, and the time of the rules of costs
    Analysing,
    /// Cold starts and whole trees, beside clangd and a compiler
    Trees,
}

/// Measures this part (all, when none is named), prints, and writes its section of the page.
pub(crate) fn run(place: &Checkout, part: Option<Part>) -> Result<()> {
    if part != Some(Part::Reading) {
        oracles::fetch(place)?;
    }
    let is_wanted = |this| part.is_none_or(|part| part == this);
    let mut sections = Vec::new();
    if is_wanted(Part::Editor) {
        sections.push(wire::measured(place)?);
    }
    if is_wanted(Part::Keys) {
        sections.push(keys::measured(place)?);
    }
    if is_wanted(Part::Load) {
        sections.extend(load::measured(place)?);
    }
    if is_wanted(Part::Analysing) {
        sections.push(analysing::measured(place)?);
    }
    if is_wanted(Part::Trees) {
        sections.extend(trees::measured(place)?);
    }
    if is_wanted(Part::Algebra) {
        let packages: &[&str] = match part {
            Some(_) => &["--package", "cute-algebra"],
            None => &["--workspace"],
        };
        sections.extend(operations::measured(place, packages)?);
    }
    if is_wanted(Part::Hardware) {
        sections.push(previews::measured(place)?);
    }
    if is_wanted(Part::Reading) {
        sections.push(reading::measured(place)?);
    }
    if is_wanted(Part::Parsing) {
        sections.extend(parsing::measured(place)?);
    }
    if is_wanted(Part::Annotations) {
        sections.push(annotations::measured(place)?);
    }
    if is_wanted(Part::Panel) {
        sections.push(panel::measured(place)?);
    }
    measurements::publish(place, &sections)
}

/// Measures in its own thread, because a server that does not answer is a panic there.
fn apart<T: Send + 'static>(measure: impl FnOnce() -> T + Send + 'static) -> Result<T> {
    std::thread::spawn(measure)
        .join()
        .map_err(|_| anyhow::anyhow!("a server could not be measured; see above"))
}

/// A measured time as a cell of a table.
fn milliseconds(time: Option<Duration>) -> String {
    time.map_or_else(
        || "none".to_owned(),
        |time| format!("{:.1} ms", time.as_secs_f64() * 1e3),
    )
}
