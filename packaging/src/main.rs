//! `cargo xtask TASK`: `dist` is done here, which needs nothing of the tests; every other task is one of the crate `xtask`,
//! which is compiled for it.
#![forbid(unsafe_code)]

use std::ffi::OsString;
use std::process::ExitCode;

use anyhow::{Context, Result};
use packaging::place::Checkout;
use packaging::{command, dist};

fn main() -> ExitCode {
    match run(std::env::args_os().skip(1).collect()) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: Vec<OsString>) -> Result<ExitCode> {
    let place = Checkout::of_this_run()?;
    if arguments.len() == 1 && arguments.first().is_some_and(|task| task == "dist") {
        dist::build(&place)?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut task = command::cargo(&place, &["run", "--quiet", "--package", "xtask", "--"]);
    task.args(arguments).current_dir(".");
    let status = task.status().context("cannot start cargo")?;
    let code = status.code().and_then(|code| u8::try_from(code).ok());
    Ok(code.map_or(ExitCode::FAILURE, ExitCode::from))
}
