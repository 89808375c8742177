//! `cute-analyzer`: the language server and the command line, two doors of the same room.
//!
//! **Knows** the Language Server Protocol, positions and encodings, configuration, presentation.
//! **Must never know** how a value was computed.
#![forbid(unsafe_code)]
fn main() {}
