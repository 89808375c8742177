//! `cargo xtask generate`: parsers, generated from their grammars by the library behind `tree-sitter generate`, and the
//! check that the committed parsers are its output.
//!
//! The grammar of CUDA C++ extends those that the package `tree-sitter-cuda` carries. They are taken from the package
//! as cargo has unpacked it, pinned by `Cargo.lock`, and are not part of this repository.

use std::fs::File;
use std::io::{BufReader, Read, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow};
use lzma_rust2::{LzipOptions, LzipReader, LzipWriter};
use tree_sitter_generate::{OptLevel, generate_parser_in_directory};

use crate::metadata;
use crate::place::Checkout;
use crate::tally::Tally;

/// The version of the interface between parsers and the tree-sitter library.
const ABI: usize = 15;

/// A parser that is not stored as text is stored under this name.
const PACKED: &str = "parser.c.lz";
/// The strongest compression.
const STRENGTH: u32 = 9;

/// A grammar of ours.
struct Grammar {
    /// Its folder.
    folder: &'static str,
    /// The generated files that are committed, below `src/`.
    committed: &'static [&'static str],
    /// The sources of the grammar.
    sources: &'static [&'static str],
    /// The package with the grammars that it extends; its parser is stored compressed.
    extends: Option<&'static str>,
}

const HEADERS_AND_PARSER: [&str; 4] = [
    "parser.c",
    "tree_sitter/alloc.h",
    "tree_sitter/array.h",
    "tree_sitter/parser.h",
];

const GRAMMARS: [Grammar; 2] = [
    Grammar {
        folder: "grammar/notation",
        committed: &[
            "grammar.json",
            "node-types.json",
            HEADERS_AND_PARSER[0],
            HEADERS_AND_PARSER[1],
            HEADERS_AND_PARSER[2],
            HEADERS_AND_PARSER[3],
        ],
        sources: &["grammar.js", "tree-sitter.json"],
        extends: None,
    },
    Grammar {
        folder: "grammar/cuda",
        committed: &HEADERS_AND_PARSER,
        sources: &["grammar.js", "tree-sitter.json", "decorations.txt"],
        extends: Some("tree-sitter-cuda"),
    },
];

/// Generates the parsers in their places.
pub(crate) fn run(place: &Checkout) -> Result<()> {
    for grammar in &GRAMMARS {
        let fresh = grammar.generate(place)?;
        for file in grammar.committed {
            let text = read(&fresh.join(file))?;
            let target = place.path(grammar.folder).join("src");
            if grammar.is_packed(file) {
                write(&target.join(PACKED), &packed(&text)?)?;
            } else {
                write(&target.join(file), &text)?;
            }
        }
    }
    Ok(())
}

/// Generates below `target/` and compares with the committed ones, byte for byte.
pub(crate) fn check(place: &Checkout) -> Result<Tally> {
    let mut compared = 0;
    let mut problems = 0;
    for grammar in &GRAMMARS {
        let fresh = grammar.generate(place)?;
        let committed = place.path(grammar.folder).join("src");
        for file in grammar.committed {
            let text = if grammar.is_packed(file) {
                unpacked(&committed.join(PACKED))?
            } else {
                read(&committed.join(file))?
            };
            if read(&fresh.join(file))? != text {
                let folder = grammar.folder;
                println!("{folder}/src: {file} is not what `cargo xtask generate` writes");
                problems += 1;
            }
            compared += 1;
        }
    }
    println!("{compared} generated files compared");
    Ok(Tally::of_problems(problems))
}

impl Grammar {
    fn is_packed(&self, file: &str) -> bool {
        file == "parser.c" && self.extends.is_some()
    }

    /// Generates the parser below `target/`; the folder with the result.
    fn generate(&self, place: &Checkout) -> Result<PathBuf> {
        let work = place.path("target").join(self.folder);
        for source in self.sources {
            write(
                &work.join(source),
                &read(&place.path(self.folder).join(source))?,
            )?;
        }
        if let Some(package) = self.extends {
            bring(place, package, &work.join("node_modules"))?;
        }
        let fresh = work.join("src");
        let mut remarks = Vec::new();
        generate_parser_in_directory(
            &work,
            Some(&fresh),
            None::<&Path>,
            ABI,
            None,
            Some("node"),
            true,
            OptLevel::default(),
            &mut remarks,
        )
        .map_err(|error| anyhow!("{}/grammar.js: {error}", self.folder))?;
        for remark in remarks {
            println!("{}/grammar.js: {remark}", self.folder);
        }
        Ok(fresh)
    }
}

/// Copies the grammar of a package and those that it carries to where Node.js looks for them.
fn bring(place: &Checkout, package: &str, modules: &Path) -> Result<()> {
    let folder = metadata::read(place)?.folder_of(package)?;
    write(
        &modules.join(package).join("grammar.js"),
        &read(&folder.join("grammar.js"))?,
    )?;
    for carried in ["tree-sitter-c", "tree-sitter-cpp"] {
        let file = Path::new(carried).join("grammar.js");
        let text = read(&folder.join("node_modules").join(&file))?;
        write(&modules.join(&file), &text)?;
    }
    Ok(())
}

fn packed(text: &[u8]) -> Result<Vec<u8>> {
    let mut writer = LzipWriter::new(Vec::new(), LzipOptions::with_preset(STRENGTH));
    writer.write_all(text).context("compressing")?;
    writer.finish().context("compressing")
}

fn unpacked(path: &Path) -> Result<Vec<u8>> {
    let file = File::open(path).with_context(|| format!("cannot open {}", path.display()))?;
    let mut text = Vec::new();
    LzipReader::new(BufReader::new(file))
        .read_to_end(&mut text)
        .with_context(|| format!("cannot unpack {}", path.display()))?;
    Ok(text)
}

fn read(path: &Path) -> Result<Vec<u8>> {
    std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))
}

fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)
            .with_context(|| format!("cannot create {}", folder.display()))?;
    }
    std::fs::write(path, bytes).with_context(|| format!("cannot write {}", path.display()))
}
