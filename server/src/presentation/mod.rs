//! Everything a person reads: hovers, hints, findings, pictures.
//!
//! Plain data in, text out. The command line and the language server call the same functions, so
//! that a terminal and an editor say the same. Nothing here knows how a value was computed.

pub mod abbreviation;
pub mod access;
pub mod as_cute;
pub mod as_tile;
pub mod assertions;
mod cluster;
pub mod collective;
pub mod cost;
pub mod detail;
pub mod dsl_names;
pub mod dsl_signature;
pub mod dsl_word;
mod excerpt;
pub mod findings;
pub mod hints;
pub mod hover;
mod instance_constants;
mod instance_labels;
pub mod instances;
pub mod instructions;
pub mod ledger;
pub mod lenses;
pub mod lines;
pub mod literals;
pub mod made;
pub mod markdown;
pub mod meaning;
mod member_names;
pub mod notes;
pub mod number;
pub mod otherwise;
pub mod page;
pub mod pasted;
pub mod picture;
pub mod placement;
pub mod recorded;
pub mod reference;
pub mod rewrites;
pub mod signature;
pub mod stopped;
mod style;
pub mod summary;
pub mod supposed;
pub mod symbols;
mod thread_strides;
pub mod tile_sizes;
pub mod written_out;
