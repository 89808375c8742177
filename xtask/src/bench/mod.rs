//! `cargo xtask bench`: ours and others, measured in one run.

mod operations;
mod wire;

use anyhow::Result;

use crate::place::Place;
use crate::{measurements, oracles};

/// Measures, prints, and writes the page.
pub(crate) fn run(place: &Place) -> Result<()> {
    oracles::fetch(place)?;
    let mut sections = vec![wire::measured(place)?];
    sections.extend(operations::measured(place)?);
    measurements::publish(place, &sections)
}
