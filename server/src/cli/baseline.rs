//! `check --baseline FILE`: findings that were there before are not reported again.
//!
//! The file is the output of `check --format json`. A finding is found again by its file, its rule and its message, not
//! by its line; of several alike as many are known as there were.

use std::collections::HashMap;
use std::path::Path;

use cute_analysis::Finding;
use serde::Deserialize;

use super::output::shown;
use super::source::Source;

/// A known finding, as a line of the file has it.
#[derive(Deserialize)]
struct Earlier {
    file: String,
    rule: String,
    message: String,
}

/// Findings that are known, with how often.
#[derive(Debug, Default)]
pub(super) struct Baseline {
    known: HashMap<(String, String, String), usize>,
}

impl Baseline {
    /// Reads the file.
    ///
    /// # Errors
    /// It cannot be read, or a line is not a finding.
    pub(super) fn read(path: &Path) -> Result<Self, String> {
        let said = |error: &dyn std::fmt::Display| format!("{}: {error}", shown(path));
        let text = std::fs::read_to_string(path).map_err(|error| said(&error))?;
        let mut baseline = Self::default();
        for (index, line) in text.lines().enumerate() {
            if line.trim().is_empty() {
                continue;
            }
            let found: Earlier = serde_json::from_str(line)
                .map_err(|error| format!("{}:{}: no finding: {error}", shown(path), index + 1))?;
            *baseline
                .known
                .entry((found.file, found.rule, found.message))
                .or_default() += 1;
        }
        Ok(baseline)
    }

    /// Takes the known findings out of those of a source.
    pub(super) fn take_out(&mut self, findings: &mut Vec<Finding>, source: &Source) {
        let file = source.path.display().to_string();
        findings.retain(|finding| {
            let key = (
                file.clone(),
                finding.rule.to_owned(),
                finding.message.clone(),
            );
            match self.known.get_mut(&key) {
                Some(left) if *left > 0 => {
                    *left -= 1;
                    false
                }
                _ => true,
            }
        });
    }
}
