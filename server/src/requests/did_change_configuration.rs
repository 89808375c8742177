//! `workspace/didChangeConfiguration`

use std::sync::Arc;

use tower_lsp::lsp_types::DidChangeConfigurationParams;

use super::configuration;
use crate::config::SECTION;
use crate::session::Session;

/// Takes the settings that came along, or asks for them where the client wants to be asked.
pub fn did_change_configuration(session: &Arc<Session>, params: &DidChangeConfigurationParams) {
    match params.settings.get(SECTION) {
        Some(settings) => configuration::take(session, settings.clone()),
        None => configuration::ask(session),
    }
}
