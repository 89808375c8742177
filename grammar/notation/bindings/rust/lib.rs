//! The layout notation of CuTe as a tree-sitter grammar, with its queries.
//!
//! **Knows** the parser that `cargo xtask generate` writes from `grammar.js`.
//! **Must never know** anything else: it is the only crate with unsafe code, one call into C.
//!
//! ```
//! let mut parser = tree_sitter::Parser::new();
//! parser.set_language(&tree_sitter_cute_notation::LANGUAGE.into())?;
//! let tree = parser.parse("((2,2),4):((1,8),2)", None).ok_or("cancelled")?;
//! let layout = tree.root_node().named_child(0).ok_or("empty")?;
//! assert_eq!(layout.kind(), "layout");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![deny(unsafe_code)]

use tree_sitter_language::LanguageFn;

#[allow(unsafe_code)] // The generated parser is C.
unsafe extern "C" {
    fn tree_sitter_cute() -> *const ();
}

/// The grammar, named `cute`.
#[allow(unsafe_code)] // The symbol is the one that the generator wrote into `src/parser.c`.
pub const LANGUAGE: LanguageFn = unsafe { LanguageFn::from_raw(tree_sitter_cute) };

/// The kinds of node, and the content that each can have (`src/node-types.json`).
pub const NODE_TYPES: &str = include_str!("../../src/node-types.json");
