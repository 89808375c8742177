//! Prints what a source file is lowered to: `cargo run -p tree-sitter-cute --example lower FILE`.
use std::error::Error;
use std::path::Path;

use tree_sitter_cute::{Budget, Host, Syntax};

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("usage: lower FILE")?;
    let host = Host::of_path(Path::new(&path)).ok_or("not a source of a known language")?;
    let text = std::fs::read_to_string(&path)?;
    let unit = Syntax::parse(host, &text, None, Budget::unlimited())?.lower(&text);
    print!("{unit}");
    for error in &unit.errors {
        println!("error at {error:?}: {}", error.text(&text));
    }
    Ok(())
}
