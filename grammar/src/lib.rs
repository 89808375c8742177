//! Layout notation and host languages, parsed with tree-sitter and lowered to one small tree.
//!
//! **Knows** syntax and byte spans.
//! **Must never know** what an expression means.
#![forbid(unsafe_code)]
