//! The command line, asked as a user asks it: the built binary, its output and its exit code.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a failure in a helper fails the test"
)]

mod ask;
mod bad_input;
mod bounds;
mod changed;
mod check;
mod collectives;
mod compiled;
mod costs;
mod coverage;
mod documentation;
mod draw;
mod driver;
mod eval;
mod gallery;
mod golden;
mod hints;
mod hovers;
mod infer;
mod library;
mod moments;
mod pairs;
mod plain_kernels;
mod preview;
mod projects;
mod python;
mod record;
mod run;
mod rust;
mod same_layout;
mod sources;
mod spellings;
mod suites;
mod undecided;
mod why_slow;
