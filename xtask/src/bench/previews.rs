//! The time of a preview of hardware: the `criterion` measurements of the hardware crate.

use anyhow::Result;

use super::criterion::{self, nanoseconds};
use crate::command;
use crate::measurements::Section;
use crate::place::Checkout;

/// The prefix of the names of these measurements.
pub(super) const GROUP: &str = "preview/";

/// Runs them.
pub(super) fn measured(place: &Checkout) -> Result<Section> {
    let arguments = [
        "bench",
        "--locked",
        "--package",
        "cute-hardware",
        "--bench",
        "previews",
    ];
    command::run(&mut command::cargo(place, &arguments))?;
    let all = criterion::measured(place)?;
    let rows = all.iter().filter_map(|(name, measured)| {
        Some(vec![
            name.strip_prefix(GROUP)?.to_owned(),
            nanoseconds(measured.median),
            measured.interval(),
        ])
    });
    Ok(Section {
        name: "Previews of hardware",
        about: "Medians of the `criterion` measurements of `cute-hardware`, with their 95 % interval. A preview is to take \
                less than a millisecond, the search of a swizzle less than twenty."
            .to_owned(),
        head: vec!["preview", "median", "interval"],
        rows: rows.collect(),
    })
}
