//! `cargo xtask triton`: layouts of Triton's wheel beside ours.

use std::path::PathBuf;

use anyhow::{Context, Result};

use crate::command::{output, program, run};
use crate::place::Checkout;
use crate::{oracles, server};

/// The comparison, a program in Python.
const SCRIPT: &str = "tests/triton/compare.py";

/// Answers of Triton for the tests, which have no wheel.
const TABLE: &str = "tests/golden/triton.jsonl";

/// Rows of the table for each kind of layout.
const ROWS: u64 = 30;

/// The request.
pub(crate) struct Request {
    /// Number of layouts of each kind.
    pub(crate) count: u64,
    /// The seed of the random numbers.
    pub(crate) seed: u64,
    /// Write the table of answers anew, and compare nothing.
    pub(crate) table: bool,
    /// The program that is judged, instead of one that is built.
    pub(crate) tool: Option<PathBuf>,
}

/// Compares random layouts of each kind, both ways; one that differs ends the task as an error, printed.
pub(crate) fn compare(place: &Checkout, request: &Request) -> Result<()> {
    let mut python = program(place, "python3");
    python
        .arg(SCRIPT)
        .env("PYTHONPATH", oracles::triton(place)?)
        .env("PYTHONDONTWRITEBYTECODE", "1");
    let seed = request.seed.to_string();
    if request.table {
        let rows = output(python.args(["table", &ROWS.to_string(), &seed]))?;
        return std::fs::write(place.path(TABLE), rows).context(TABLE);
    }
    let tool = match &request.tool {
        Some(tool) => tool.clone(),
        None => server::build_release(place)?,
    };
    run(python.arg(tool).args([request.count.to_string(), seed]))
}
