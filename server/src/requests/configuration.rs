//! `workspace/configuration`: a request of ours to the client.

use std::sync::Arc;

use serde_json::Value;
use tower_lsp::lsp_types::request::WorkspaceConfiguration;
use tower_lsp::lsp_types::{ConfigurationItem, ConfigurationParams};

use crate::analyses;
use crate::config::{Config, SECTION};
use crate::log::Level;
use crate::session::Session;

/// Asks the client for the settings, if it can be asked, and takes its reply when it comes.
pub(super) fn ask(session: &Arc<Session>) {
    if !session.client().has_configuration {
        return;
    }
    let session = session.clone();
    session.runtime.clone().spawn(async move {
        let item = ConfigurationItem {
            scope_uri: None,
            section: Some(SECTION.to_owned()),
        };
        let params = ConfigurationParams { items: vec![item] };
        match session.outgoing.ask::<WorkspaceConfiguration>(params).await {
            Ok(sections) => {
                take(&session, sections.into_iter().next().unwrap_or_default());
            }
            Err(reason) => {
                session.log(
                    Level::Warning,
                    &format!("cannot read the settings: {reason}"),
                );
            }
        }
    });
}

/// Takes settings, and analyses all again if they differ.
pub(super) fn take(session: &Arc<Session>, settings: Value) {
    if read(session, settings) {
        analyses::restart(session);
    }
}

/// Takes settings; `true` if they differ from those before. Wrong ones are told to the user, and
/// the ones before stay.
pub(super) fn read(session: &Session, settings: Value) -> bool {
    match Config::from_json(settings) {
        Ok(config) => {
            for mistake in config.assumptions().1 {
                session.log(Level::Error, &mistake);
            }
            session.configure(config)
        }
        Err(reason) => {
            session.log(Level::Error, &reason);
            false
        }
    }
}
