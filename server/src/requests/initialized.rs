//! `initialized`

use std::sync::Arc;

use serde_json::json;
use tower_lsp::lsp_types::request::RegisterCapability;
use tower_lsp::lsp_types::{Registration, RegistrationParams};

use super::configuration;
use crate::config::SECTION;
use crate::log::Level;
use crate::session::Session;

/// Asks for the settings, and to be told when they change.
pub fn initialized(session: &Arc<Session>) {
    configuration::ask(session);
    if !session.client().registers_configuration {
        return;
    }
    let session = session.clone();
    session.runtime.clone().spawn(async move {
        let registrations = vec![Registration {
            id: "settings".to_owned(),
            method: "workspace/didChangeConfiguration".to_owned(),
            register_options: Some(json!({ "section": SECTION })),
        }];
        let params = RegistrationParams { registrations };
        if let Err(reason) = session.outgoing.ask::<RegisterCapability>(params).await {
            let message = format!("changes of the settings will not be noticed: {reason}");
            session.log(Level::Warning, &message);
        }
    });
}
