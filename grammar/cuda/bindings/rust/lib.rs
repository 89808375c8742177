//! CUDA C++ as CuTe and CUTLASS write it, as a tree-sitter grammar.
//!
//! **Knows** the parser that `cargo xtask generate` writes from `grammar.js`.
//! **Must never know** anything else: all that is unsafe in it is one call into C.
//!
//! ```
//! let mut parser = tree_sitter::Parser::new();
//! parser.set_language(&tree_sitter_cute_cuda::LANGUAGE.into())?;
//! let text = "CUTE_DEVICE auto f() { return size(typename T::TiledMma{}); }";
//! let tree = parser.parse(text, None).ok_or("cancelled")?;
//! assert!(!tree.root_node().has_error());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![deny(unsafe_code)]

use tree_sitter_language::LanguageFn;

#[allow(unsafe_code)] // The generated parser is C.
unsafe extern "C" {
    fn tree_sitter_cute_cuda() -> *const ();
}

/// The grammar, named `cute_cuda`.
#[allow(unsafe_code)] // The symbol is the one that the generator wrote into the parser.
pub const LANGUAGE: LanguageFn = unsafe { LanguageFn::from_raw(tree_sitter_cute_cuda) };

/// Macros that the grammar reads as attributes, one on each line (`decorations.txt`).
pub const DECORATIONS: &str = include_str!("../../decorations.txt");
