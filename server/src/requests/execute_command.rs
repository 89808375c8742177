//! `workspace/executeCommand`: the actions of lenses, and commands that provoke faults, so that tests can show that the
//! server survives them. The latter exist only when the environment asks for them (see
//! [`Settings`](crate::settings::Settings)).

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tower_lsp::jsonrpc::{Error, Result};
use tower_lsp::lsp_types::request::WorkspaceFoldersRequest;
use tower_lsp::lsp_types::{ExecuteCommandParams, Url};

use super::own;
use super::own::decode::decode;
use super::own::run::ordered;
use super::own::select_instance::select_instance;
use crate::session::Session;

/// Chooses an instance: the argument is that of `cute/selectInstance`.
pub const SELECT_INSTANCE: &str = "cute.selectInstance";
/// All that is known of a layout: the argument is that of `cute/explain`.
pub const EXPLAIN: &str = "cute.explain";
/// Draws a layout: the argument is that of `cute/picture`.
pub const PICTURE: &str = "cute.picture";
/// A layout as text for another program: the argument is that of `cute/picture`, with `format` one
/// of `cute`, `svg`, `tikz`, `text`. The answer is `{"text"}`; the client puts it into its clipboard.
pub const COPY_AS: &str = "cute.copyAs";
/// Evaluates a document with sizes: `{"textDocument", "sizes": ["m = 512"]}`; none ends that.
pub const USE_SIZES: &str = "cute.useSizes";
/// Writes an instance of a template into the project file: `{"function", "parameters"}`.
pub const ADD_INSTANCE: &str = "cute.addInstance";

/// Checks all sources of the workspace, open or not; the answer is `{"files", "errors", "warnings"}`, or
/// null where the client is told of the progress.
pub const CHECK_WORKSPACE: &str = "cute.checkWorkspace";

/// The documents of the server: `{"version", "folders", "documents"}`, each document with the number of its analyses.
pub const SERVER_STATUS: &str = "cute.serverStatus";

/// The commands that users run.
const COMMANDS: [&str; 10] = [
    SELECT_INSTANCE,
    EXPLAIN,
    PICTURE,
    RUN,
    DECODE,
    COPY_AS,
    USE_SIZES,
    ADD_INSTANCE,
    CHECK_WORKSPACE,
    SERVER_STATUS,
];

/// Runs the order of a comment: the argument is a document and a line of it.
pub const RUN: &str = "cute.run";

/// Explains the assertions of CuTe in a compiler's log, which is the argument.
pub const DECODE: &str = "cute.decode";

/// The commands that provoke faults.
pub const FAULTS: [&str; 7] = [
    "cute.test.panic",
    "cute.test.panicOnWorker",
    "cute.test.sleep",
    "cute.test.compute",
    "cute.test.computing",
    "cute.test.ask",
    "cute.test.text",
];

/// Number of workers that are computing for `cute.test.compute`.
static COMPUTING: AtomicUsize = AtomicUsize::new(0);

/// The commands that exist.
pub fn commands(faults: bool) -> Vec<String> {
    let provoking = FAULTS.iter().filter(|_| faults);
    COMMANDS
        .iter()
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
    let answer = match params.command.as_str() {
        SELECT_INSTANCE => select_instance(session, read(argument)?).await,
        EXPLAIN => own::explain::explain(session, read(argument)?).await,
        PICTURE => own::picture::picture(session, read(argument)?).await,
        RUN => {
            let token = params.work_done_progress_params.work_done_token;
            ordered(session, read(argument)?, token).await
        }
        CHECK_WORKSPACE => {
            let token = params.work_done_progress_params.work_done_token;
            own::check_workspace::check_workspace(session, token).await
        }
        SERVER_STATUS => own::server_status::server_status(session).await,
        DECODE => decode(session, argument).await,
        COPY_AS => own::copy_as::copy_as(session, read(argument)?).await,
        USE_SIZES => own::use_sizes::use_sizes(session, read(argument)?).await,
        ADD_INSTANCE => own::add_instance::add_instance(session, read(argument)?).await,
        _ => return provoke(session, &params.command, argument).await,
    };
    answer.map(Some)
}

/// The argument of a command.
fn read<T: serde::de::DeserializeOwned>(argument: &Value) -> Result<T> {
    serde_json::from_value(argument.clone())
        .map_err(|error| Error::invalid_params(error.to_string()))
}

/// Runs a command that provokes a fault.
async fn provoke(session: &Arc<Session>, command: &str, argument: &Value) -> Result<Option<Value>> {
    if !session.settings.faults {
        return Err(Error::method_not_found());
    }
    let millis = Duration::from_millis(argument.as_u64().unwrap_or(0));
    match command {
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
        "cute.test.computing" => Ok(Some(json!(COMPUTING.load(Ordering::Relaxed)))),
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
