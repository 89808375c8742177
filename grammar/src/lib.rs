//! Layout notation and host languages, parsed and lowered to one small expression tree.
//!
//! **Knows** syntax and byte spans.
//! **Must never know** what an expression means.
//!
//! | module | what is found there |
//! |---|---|
//! | [`tree`] | the expression tree that every host language and the notation lower to |
//! | [`limits`] | how large an input may be, each limit with its reason |
#![forbid(unsafe_code)]

pub mod limits;
pub mod tree;
