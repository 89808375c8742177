//! `cargo xtask generate`: the parser of the notation, generated from its grammar by the library
//! behind `tree-sitter generate`, and the check that the committed parser is what it generates.

use std::path::Path;

use anyhow::{Context, Result, anyhow};
use tree_sitter_generate::{OptLevel, generate_parser_in_directory};

use crate::place::Place;
use crate::tally::Tally;

const GRAMMAR: &str = "grammar/notation";

/// The version of the interface between parsers and the tree-sitter library.
const ABI: usize = 15;

/// What is generated, below `src/` of the grammar.
const GENERATED: [&str; 6] = [
    "grammar.json",
    "node-types.json",
    "parser.c",
    "tree_sitter/alloc.h",
    "tree_sitter/array.h",
    "tree_sitter/parser.h",
];

/// Generates the parser in its place.
pub(crate) fn run(place: &Place) -> Result<()> {
    generate_into(place, &place.path(GRAMMAR).join("src"))
}

/// Generates into `target/` and compares with what is committed, byte for byte.
pub(crate) fn check(place: &Place) -> Result<Tally> {
    let fresh = place.path("target/notation-parser");
    generate_into(place, &fresh)?;
    let committed = place.path(GRAMMAR).join("src");
    let mut problems = 0;
    for file in GENERATED {
        if read(&fresh.join(file))? != read(&committed.join(file))? {
            println!("{GRAMMAR}/src/{file} is not what `cargo xtask generate` writes");
            problems += 1;
        }
    }
    println!("{} generated files compared", GENERATED.len());
    Ok(Tally::of_problems(problems))
}

fn generate_into(place: &Place, folder: &Path) -> Result<()> {
    let mut remarks = Vec::new();
    generate_parser_in_directory(
        place.path(GRAMMAR),
        Some(folder),
        None::<&Path>,
        ABI,
        None,
        Some("node"),
        true,
        OptLevel::default(),
        &mut remarks,
    )
    .map_err(|error| anyhow!("{GRAMMAR}/grammar.js: {error}"))?;
    for remark in remarks {
        println!("{GRAMMAR}/grammar.js: {remark}");
    }
    Ok(())
}

fn read(path: &Path) -> Result<Vec<u8>> {
    std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))
}
