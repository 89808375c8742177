//! Our values as the client's, one file a subject.

mod actions;
mod completion;
mod findings;
mod outline;
mod place;
mod shown;
mod tokens;

pub use actions::{COPY, FIX_ALL, code_action, command_action, fix_all, rewrite, rewrite_kind};
pub use completion::{instructions, names_of_dsl, signature_help, signature_of_dsl, sizes};
pub use findings::{diagnostics, fingerprint, rule_uri};
pub use outline::symbols;
pub use place::{position, range};
pub use shown::{GLOSSARY_URI, data_uri, hover, inlay_hint, panel_uri};
pub use tokens::{semantic_tokens, token_legend};
