//! `cute-analyzer`: the language server and the command line, two doors of the same room.
//!
//! **Knows** the Language Server Protocol, positions and encodings, configuration, presentation.
//! **Must never know** how a value was computed.
//!
//! Start reading at [`dispatch`]: its essay follows a message between its arrival and its answer. Then [`documents`]
//! (what an editor has open) and [`requests`] (one file per method).
#![forbid(unsafe_code)]

pub mod analyses;
mod backend;
pub mod choices;
pub mod cli;
pub mod client;
pub mod config;
pub mod decode;
pub mod dispatch;
pub mod documents;
pub mod encoding;
pub mod expression;
pub mod first;
pub mod from_proto;
pub mod limits;
pub mod log;
pub mod notebooks;
pub mod otherwise;
pub mod parent;
pub mod pool;
pub mod presentation;
pub mod progress;
pub mod project;
pub mod project_file;
pub mod recorded;
pub mod requests;
pub mod run;
pub mod serve;
pub mod session;
pub mod settings;
pub mod to_proto;
pub mod transport;
mod triton;
mod turns;
