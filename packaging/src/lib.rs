//! The packages, and their builds: the program, its wheel and the VS Code extension.
//!
//! **Knows** how to start programs, and where a task may write. **Must never know** tests or layouts:
//! `cargo xtask dist` compiles this crate and the program, nothing else.
#![forbid(unsafe_code)]

pub mod command;
pub mod dist;
pub mod glibc;
pub mod npm;
pub mod place;
pub mod program;
pub mod pypi;
pub mod tally;
pub mod vscode;
pub mod wheel;
