//! The binary `cute-analyzer`: the language server without arguments, else a subcommand.
#![forbid(unsafe_code)]

use std::process::ExitCode;

use cute_analyzer::serve::serve;
use cute_analyzer::settings::Settings;
use cute_analyzer::{cli, log};
use mimalloc::MiMalloc;

/// An analysis makes and drops many small values, on all cores.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    cli::run(|options, flags| {
        log::take_over_panics();
        let settings = Settings::from_environment(options.assume, flags);
        serve(std::io::stdin(), std::io::stdout(), settings).into()
    })
}
