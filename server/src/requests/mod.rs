//! One file per method of the protocol: parameters converted, the question asked, the answer
//! converted.

pub mod code_action;
pub mod code_lens;
pub mod completion;
mod configuration;
pub mod diagnostic;
pub mod did_change;
pub mod did_change_configuration;
pub mod did_change_watched_files;
pub mod did_change_workspace_folders;
pub mod did_close;
pub mod did_open;
pub mod document_symbol;
pub mod execute_command;
pub mod hover;
pub mod initialize;
pub mod initialized;
pub mod inlay_hint;
pub mod inlay_hint_resolve;
pub mod own;
pub mod semantic_tokens;
pub mod signature_help;
pub mod workspace_diagnostic;
