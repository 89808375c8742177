//! Unpacks the generated parser and compiles it with the scanner.

use std::error::Error;
use std::fs::File;
use std::io::{BufReader, BufWriter, copy};
use std::path::{Path, PathBuf};

use lzma_rust2::LzipReader;

fn main() -> Result<(), Box<dyn Error>> {
    let sources = Path::new("src");
    let packed = sources.join("parser.c.lz");
    let scanner = sources.join("scanner.c");
    for source in [&packed, &scanner] {
        println!("cargo:rerun-if-changed={}", source.display());
    }
    let parser = PathBuf::from(std::env::var("OUT_DIR")?).join("parser.c");
    let mut text = LzipReader::new(BufReader::new(File::open(packed)?));
    copy(&mut text, &mut BufWriter::new(File::create(&parser)?))?;
    let mut build = cc::Build::new();
    build
        .std("c11")
        .include(sources)
        .file(&parser)
        .file(&scanner);
    if std::env::var_os("CARGO_CFG_TARGET_ENV").is_some_and(|env| env == "msvc") {
        build.flag("-utf-8");
    }
    build.compile("tree-sitter-cute-cuda");
    Ok(())
}
