//! Prints how well and how fast the sources of CUTLASS are read, by several grammars, as lines
//! `errors TAB reader TAB set TAB files TAB with errors TAB errors TAB sites TAB clean` and
//! `speed TAB reader TAB bytes a second TAB nanoseconds after an edit`.

#![allow(dead_code)] // The module also serves the corpus test.

#[path = "../tests/parsing/mod.rs"]
mod parsing;

use std::path::PathBuf;

use parsing::{READERS, SETS, places, source, sources};

/// The header in which an edit is made: with errors in its tree, it was the slowest.
const EDITED: &str = "include/cute/layout.hpp";
/// Number of edits.
const EDITS: usize = 21;
/// Number of reads of the examples; the fastest time counts.
const ROUNDS: usize = 3;

fn main() -> std::io::Result<()> {
    let folder = std::env::args_os().nth(1).map(PathBuf::from);
    let folder = folder.ok_or_else(|| std::io::Error::other("usage: parsing CUTLASS"))?;
    for set in SETS {
        let sources = sources(&folder.join(set))?;
        for (name, reader) in &READERS {
            let count = reader.count(&sources);
            println!(
                "errors\t{name}\t{set}\t{}\t{}\t{}\t{}\t{}",
                count.files, count.with_errors, count.errors, count.sites, count.clean
            );
        }
    }
    let examples = sources(&folder.join("examples"))?;
    let bytes: usize = examples.iter().map(|source| source.text.len()).sum();
    let edited = source(&folder.join(EDITED))?;
    for (name, reader) in &READERS {
        let times = (0..ROUNDS).map(|_| reader.time(&examples));
        let fastest = times.min().unwrap_or_default().as_secs_f64();
        let mut edits = reader.times_after_edit(&edited, &places(&edited, EDITS));
        edits.sort_unstable();
        let median = edits.get(edits.len() / 2).copied().unwrap_or_default();
        #[allow(
            clippy::cast_precision_loss,
            reason = "a speed is rounded when it is printed"
        )]
        let speed = bytes as f64 / fastest;
        println!("speed\t{name}\t{speed:.0}\t{}", median.as_nanos());
    }
    Ok(())
}
