//! The output of `layouts --unknown --format json` for a tree: the number of its known layouts, and the reasons of the
//! others.

use anyhow::{Context, Result};
use serde::Deserialize;

/// A line of it: a reason, or at last the counts.
#[derive(Deserialize)]
#[serde(untagged)]
enum Line {
    Reason(Found),
    Total {
        layouts: Counts,
        #[serde(default)]
        supposed: u64,
        #[serde(default)]
        known_supposed: u64,
        files: u64,
    },
}

/// Why layouts are not known.
#[derive(Clone, Deserialize)]
pub(crate) struct Found {
    pub(crate) reason: String,
    /// The number.
    pub(crate) layouts: u64,
    /// The first of them.
    pub(crate) example: String,
}

/// Layouts that are known, known with names for numbers, and not known.
#[derive(Clone, Copy, Default, Deserialize)]
pub(crate) struct Counts {
    pub(crate) concrete: u64,
    pub(crate) symbolic: u64,
    pub(crate) unknown: u64,
}

impl Counts {
    pub(crate) fn all(self) -> u64 {
        self.concrete + self.symbolic + self.unknown
    }
}

/// The ranking for a tree.
#[derive(Clone, Default)]
pub(crate) struct Ranking {
    pub(crate) layouts: Counts,
    /// Those of the unknown ones that have a value in an instance which is only supposed.
    pub(crate) supposed: u64,
    /// Those of the known ones, in Python, that have a value only in such instances.
    pub(crate) known_supposed: u64,
    pub(crate) files: u64,
    /// Why layouts are not known, the commonest first.
    pub(crate) reasons: Vec<Found>,
}

impl Ranking {
    /// Reads the output of the program.
    pub(crate) fn read(said: &str) -> Result<Self> {
        let mut ranking = Self::default();
        let mut is_counted = false;
        for line in said.lines() {
            let line: Line = serde_json::from_str(line)
                .with_context(|| format!("the program printed another line than ours: {line}"))?;
            match line {
                Line::Reason(found) => ranking.reasons.extend((found.layouts > 0).then_some(found)),
                Line::Total {
                    layouts,
                    supposed,
                    known_supposed,
                    files,
                } => {
                    is_counted = true;
                    (ranking.layouts, ranking.files) = (layouts, files);
                    (ranking.supposed, ranking.known_supposed) = (supposed, known_supposed);
                }
            }
        }
        is_counted
            .then_some(ranking)
            .context("the program counted nothing")
    }
}
