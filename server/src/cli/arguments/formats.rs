//! Forms in which numbers, layouts and reports are read and written.

use clap::ValueEnum;
use serde::Deserialize;

/// Forms of a layout.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, ValueEnum, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(in crate::cli) enum Form {
    /// As CuTe prints it
    #[default]
    Cute,
    /// Triton's `#ttg.linear` or `#ttg.shared_linear`
    Linear,
}

/// Forms of a report of findings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum ReportFormat {
    /// For people: place, message, source line, witness, proposals
    Text,
    /// One JSON object per finding and line
    Json,
    /// One SARIF 2.1.0 log, for code-scanning services
    Sarif,
    /// Annotations of a GitHub workflow, one per line
    Github,
}

/// Forms of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum TableFormat {
    /// One line per row
    Text,
    /// One JSON object per row and line
    Json,
}

/// Forms of a picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum PictureFormat {
    /// Characters
    Text,
    /// An SVG document
    Svg,
    /// `TikZ`, for `LaTeX`
    Tikz,
    /// The picture as data
    Json,
    /// A page for a browser: hover cells, pick threads, step through coordinates
    Html,
}

/// The reading of integers without a mark.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum Integers {
    /// Every plain integer is static
    Static,
    /// As CuTe prints: `_8` is static, `8` is a run-time value
    Cute,
}
