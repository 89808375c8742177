//! `workspace/executeCommand`: what lenses do, and commands that provoke faults, so that tests can
//! show that the server survives them. The latter exist only when the environment asks for them
//! (see [`Settings`](crate::serve::Settings)).

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tower_lsp::jsonrpc::{Error, Result};
use tower_lsp::lsp_types::request::WorkspaceFoldersRequest;
use tower_lsp::lsp_types::{ExecuteCommandParams, Url};

use super::own::decode::decode;
use super::own::run::ordered;
use super::own::select_instance::select_instance;
use crate::session::Session;

/// Chooses an instance: the argument is that of `cute/selectInstance`.
pub const SELECT_INSTANCE: &str = "cute.selectInstance";

/// Runs what a comment orders: the argument is a document and a line of it.
pub const RUN: &str = "cute.run";

/// Explains the assertions of CuTe in a compiler's log, which is the argument.
pub const DECODE: &str = "cute.decode";

/// The commands that provoke faults.
pub const FAULTS: [&str; 6] = [
    "cute.test.panic",
    "cute.test.panicOnWorker",
    "cute.test.sleep",
    "cute.test.compute",
    "cute.test.ask",
    "cute.test.text",
];

/// How many workers are computing for `cute.test.compute`.
static COMPUTING: AtomicUsize = AtomicUsize::new(0);

/// The commands that exist.
pub fn commands(faults: bool) -> Vec<String> {
    let provoking = FAULTS.iter().filter(|_| faults);
    [&SELECT_INSTANCE, &RUN, &DECODE]
        .into_iter()
        .chain(provoking)
        .map(|command| (*command).to_owned())
        .collect()
}

/// Runs a command.
///
/// # Errors
/// `MethodNotFound` for a command that does not exist.
pub async fn execute_command(
    session: &Arc<Session>,
    params: ExecuteCommandParams,
) -> Result<Option<Value>> {
    let argument = params.arguments.first().unwrap_or(&Value::Null);
    if params.command == SELECT_INSTANCE {
        let choice = serde_json::from_value(argument.clone())
            .map_err(|error| Error::invalid_params(error.to_string()))?;
        return select_instance(session, choice).await.map(Some);
    }
    if params.command == DECODE {
        return decode(session, argument).await.map(Some);
    }
    if params.command == RUN {
        let order = serde_json::from_value(argument.clone())
            .map_err(|error| Error::invalid_params(error.to_string()))?;
        let token = params.work_done_progress_params.work_done_token;
        return ordered(session, order, token).await.map(Some);
    }
    if !session.settings.faults {
        return Err(Error::method_not_found());
    }
    let millis = Duration::from_millis(argument.as_u64().unwrap_or(0));
    match params.command.as_str() {
        "cute.test.panic" => provoked_panic(),
        "cute.test.panicOnWorker" => session.compute(|_| provoked_panic()).await.map(Some),
        "cute.test.sleep" => {
            tokio::time::sleep(millis).await;
            Ok(None)
        }
        "cute.test.compute" => {
            let computing = session.compute(move |cancel| {
                COMPUTING.fetch_add(1, Ordering::Relaxed);
                let until = Instant::now() + millis;
                while Instant::now() < until && !cancel.is_cancelled() {
                    std::thread::sleep(Duration::from_millis(1));
                }
                COMPUTING.fetch_sub(1, Ordering::Relaxed) - 1
            });
            computing.await.map(|others| Some(json!(others)))
        }
        "cute.test.ask" => match session.outgoing.ask::<WorkspaceFoldersRequest>(()).await {
            Ok(folders) => Ok(Some(json!(folders))),
            Err(reason) => Ok(Some(json!(reason.to_string()))),
        },
        "cute.test.text" => {
            let uri = argument.as_str().and_then(|uri| Url::parse(uri).ok());
            let open = session.open_at_arrival();
            let document = uri.and_then(|uri| open.get(&uri).cloned());
            Ok(document.map(|document| {
                json!({
                    "text": document.text.to_string(),
                    "version": document.version,
                    "served": document.is_served(),
                })
            }))
        }
        _ => Err(Error::method_not_found()),
    }
}

#[allow(clippy::panic, reason = "to show that a panic costs one request only")]
fn provoked_panic<T>() -> T {
    panic!("provoked by a test")
}
