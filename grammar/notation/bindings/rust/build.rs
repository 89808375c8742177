//! Compiles the generated parser.

use std::path::Path;

fn main() {
    let sources = Path::new("src");
    let parser = sources.join("parser.c");
    let mut build = cc::Build::new();
    build.std("c11").include(sources).file(&parser);
    if std::env::var_os("CARGO_CFG_TARGET_ENV").is_some_and(|env| env == "msvc") {
        build.flag("-utf-8");
    }
    println!("cargo:rerun-if-changed={}", parser.display());
    build.compile("tree-sitter-cute");
}
