//! The binary `cute-analyzer`: without arguments, or as `cute-analyzer lsp`, the language server on
//! standard input and output.
#![forbid(unsafe_code)]

use std::process::exit;

use cute_analyzer::log;
use cute_analyzer::serve::{Settings, serve};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments
        .iter()
        .map(String::as_str)
        .collect::<Vec<_>>()
        .as_slice()
    {
        [] | ["lsp"] => {}
        other => {
            eprintln!("cute-analyzer: unknown arguments: {}", other.join(" "));
            exit(2);
        }
    }
    log::take_over_panics();
    let code = serve(
        std::io::stdin(),
        std::io::stdout(),
        Settings::from_environment(),
    );
    // The reading thread may be blocked in a read that only ends with the process.
    exit(code.into());
}
