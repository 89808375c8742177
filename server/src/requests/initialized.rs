//! `initialized`

use std::sync::Arc;

use serde_json::json;
use tower_lsp::lsp_types::request::RegisterCapability;
use tower_lsp::lsp_types::{Registration, RegistrationParams};

use super::{configuration, did_change_watched_files};
use crate::config::SECTION;
use crate::log::Level;
use crate::session::Session;

/// Asks for the settings, and to be told when they or files change.
pub fn initialized(session: &Arc<Session>) {
    configuration::ask(session);
    let client = session.client();
    let mut registrations = Vec::new();
    if client.registers_configuration {
        registrations.push(Registration {
            id: "settings".to_owned(),
            method: "workspace/didChangeConfiguration".to_owned(),
            register_options: Some(json!({ "section": SECTION })),
        });
    }
    if client.registers_watchers {
        registrations.push(Registration {
            id: "files".to_owned(),
            method: "workspace/didChangeWatchedFiles".to_owned(),
            register_options: Some(did_change_watched_files::watchers()),
        });
    }
    if registrations.is_empty() {
        return;
    }
    let session = session.clone();
    session.runtime.clone().spawn(async move {
        let params = RegistrationParams { registrations };
        if let Err(reason) = session.outgoing.ask::<RegisterCapability>(params).await {
            let message = format!("changes to settings and files will not be noticed: {reason}");
            session.log(Level::Warning, &message);
        }
    });
}
