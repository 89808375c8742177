//! The arguments of `draw`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::formats::PictureFormat;

/// The arguments of `draw`.
#[derive(Debug, Args)]
pub(in crate::cli) struct DrawArguments {
    /// A layout, or an expression whose value is one
    #[arg(value_name = "EXPR")]
    pub(in crate::cli) expression: String,
    /// Draw the operation: its operands, and where the elements of the result are in them
    #[arg(long)]
    pub(in crate::cli) operands: bool,
    /// Write to a file, as SVG, text, `TikZ`, JSON or a page for a browser, by its ending
    #[arg(short, long, value_name = "FILE.svg|.txt|.tex|.json|.html")]
    pub(in crate::cli) output: Option<PathBuf>,
    /// Compare with another expression, side by side on a page
    #[arg(long, value_name = "EXPR")]
    pub(in crate::cli) against: Option<String>,
    /// Print in this form
    #[arg(long, value_enum, conflicts_with = "output", default_value_t = PictureFormat::Text)]
    pub(in crate::cli) format: PictureFormat,
    /// Content of the cells, and the property that colours them
    #[arg(long, value_enum, value_name = "WHAT", default_value_t = DrawnBy::Offset)]
    pub(in crate::cli) by: DrawnBy,
    /// The tile that a layout of threads and values covers
    #[arg(long, value_name = "SHAPE")]
    pub(in crate::cli) tile: Option<String>,
    /// The type of the elements, for banks [default: what the expression says, else float]
    #[arg(long = "type", value_name = "TYPE")]
    pub(in crate::cli) element: Option<String>,
    /// Draw at most this many rows (default: 32; on a page 4096)
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=4096))]
    pub(in crate::cli) rows: Option<u16>,
    /// Draw at most this many columns (default: 32; on a page 4096)
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=4096))]
    pub(in crate::cli) columns: Option<u16>,
}

/// The content of a picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum DrawnBy {
    /// Offsets of a layout, owners of an atom, a tiled MMA or copy
    Offset,
    /// Banks of shared memory
    Bank,
    /// Threads, with their values
    Thread,
    /// Values, with their threads
    Value,
}
