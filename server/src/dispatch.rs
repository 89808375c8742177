//! The way of a message from its arrival to its answer.
//!
//! # Who runs where
//!
//! One thread, the *dispatcher*, takes messages in the order in which the client sent them. It
//! never waits: not for a computation, not for the client to read, not for the client to reply. (The exceptions are
//! `initialize` and `shutdown`, which compute nothing and decide the allowed messages.) There are four kinds of
//! message:
//!
//! | message | runs | sees |
//! |---|---|---|
//! | `didOpen`, `didChange`, `didSave`, `didClose`, `didChangeConfiguration`, `didChangeWatchedFiles` | here, at once | the state, and changes it |
//! | a request | its work on the [pool](crate::pool), its waiting on the async runtime | documents and settings as they were when it arrived |
//! | a reply to a request of ours | here: handed to the task that waits for it | nothing |
//! | `$/cancelRequest`, `initialized` and other notifications | the runtime | the state |
//!
//! So edits cannot overtake each other, a request sent after an edit sees it, and a request sent
//! before an edit is answered for the text that it was asked about, or with `ContentModified`. A request waits for
//! nothing but its turn (`crate::turns`) and the pool, whose work ends or is cancelled; in particular no request of the
//! client waits for a reply from the client. Where the client does not read, no turn comes, and a waiting request is
//! answered with an error when its time is over.
//!
//! # The law: every request gets exactly one response
//!
//! It is kept by a value, `Duty`: created when a request arrives, used up by sending a
//! response, and answering with an error by itself when it is dropped unused: after a panic, or
//! when its task is cut short. Errors follow the specification: -32002 before `initialize`,
//! -32600 after `shutdown`, -32601 for an unknown method (also one that begins with `$/`), -32602
//! for parameters of the wrong type, -32603 after a panic, -32800 for a cancelled request, -32801
//! for one that a newer edit has overtaken, -32803 when too much is unanswered or unread. The only exception is `exit`:
//! unanswered requests then stay so.
//!
//! # What the library does
//!
//! `tower-lsp` routes a request to its method, checks and converts parameters, and cancels. Its own
//! server loop is not used: it would run all handlers in one task (a panic ends the process, a
//! handler that computes stops all others), apply edits in the order in which they finish, end at
//! the first malformed frame, and wait for the end of input after `exit`.

use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Poll, Waker};

use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tower_lsp::jsonrpc::{Error, ErrorCode, Id, Request, Response};
use tower_lsp::{ExitedError, LspService};
use tower_service::Service;

use crate::backend::Backend;
use crate::limits::{REQUEST_TIME, REQUESTS_IN_FLIGHT, RUN_TIME};
use crate::log::Level;
use crate::notebooks::Asked;
use crate::pool::panic_message;
use crate::requests::{
    did_change, did_change_configuration, did_change_watched_files, did_change_workspace_folders,
    did_close, did_open, execute_command,
};
use crate::session::{Context, REQUEST, Session};
use crate::transport::message::{Incoming, Rejection, error};
use crate::transport::outgoing::{Outgoing, REQUEST_FAILED};
use crate::turns::Turn;

/// LSP's `ServerNotInitialized`.
const NOT_INITIALIZED: ErrorCode = ErrorCode::ServerError(-32002);

/// The phase in the life of a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    Created,
    Running,
    ShutDown,
}

/// Takes messages in order; see the [module](self).
#[derive(Debug)]
pub struct Dispatcher {
    phase: Phase,
    service: LspService<Backend>,
    session: Arc<Session>,
    in_flight: Arc<AtomicUsize>,
}

/// The duty to answer one request.
#[derive(Debug)]
struct Duty {
    id: Option<Id>,
    outgoing: Arc<Outgoing>,
    in_flight: Arc<AtomicUsize>,
}

impl Duty {
    /// Sends the response; the turn ends when it is written.
    fn send(mut self, response: &Response, turn: Turn) {
        self.id = None;
        self.outgoing.answer_in_turn(response, turn);
    }

    fn fail(mut self, error: Error) {
        if let Some(id) = self.id.take() {
            self.outgoing.answer(&Response::from_error(id, error));
        }
    }
}

impl Drop for Duty {
    fn drop(&mut self) {
        self.in_flight.fetch_sub(1, Ordering::Relaxed);
        if let Some(id) = self.id.take() {
            self.outgoing
                .answer(&Response::from_error(id, Error::internal_error()));
        }
    }
}

impl Dispatcher {
    /// A dispatcher before `initialize`.
    pub fn new(session: Arc<Session>) -> Self {
        // The library's socket to the client stays unused: all output goes through our queue.
        let (service, _socket) = Backend::service(session.clone());
        Self {
            phase: Phase::Created,
            service,
            session,
            in_flight: Arc::default(),
        }
    }

    /// Takes the next message. Breaks with the exit code when it is the last.
    pub fn dispatch(&mut self, message: Incoming) -> ControlFlow<u8> {
        match message {
            Incoming::Request { id, method, params } => self.request(id, method, params),
            Incoming::Notification { method, .. } if method == "exit" => {
                return ControlFlow::Break(self.exit_code());
            }
            Incoming::Notification { method, params } => self.notification(&method, params),
            Incoming::Reply { id, result } => self.session.outgoing.reply(&id, result),
        }
        ControlFlow::Continue(())
    }

    /// Answers a body that is not a message.
    pub fn reject(&self, rejection: Rejection) {
        let response = rejection.into_response();
        if let Some(error) = response.error() {
            self.session.log(
                Level::Warning,
                &format!("refused a message: {}", error.message),
            );
        }
        self.session.outgoing.answer(&response);
    }

    /// 0 after `shutdown`, else 1.
    pub fn exit_code(&self) -> u8 {
        u8::from(self.phase != Phase::ShutDown)
    }

    /// Whether the client has stopped reading for good.
    pub fn client_is_gone(&self) -> bool {
        self.session.outgoing.is_broken()
    }

    fn request(&mut self, id: Id, method: String, mut params: Option<Value>) {
        let in_flight = self.in_flight.fetch_add(1, Ordering::Relaxed);
        let answer = Duty {
            id: Some(id.clone()),
            outgoing: self.session.outgoing.clone(),
            in_flight: self.in_flight.clone(),
        };
        if let Some(refusal) = self.refusal(&method, in_flight) {
            return answer.fail(refusal);
        }
        let notebooks = &self.session.notebooks;
        let asked = params
            .as_mut()
            .and_then(|params| notebooks.ask(&method, params));
        let mut context = self.session.context(&method, uri_of(params.as_ref()));
        if runs(&method, params.as_ref()) {
            context.limit = RUN_TIME + REQUEST_TIME;
        }
        let initializes = method == "initialize";
        let shuts_down = method == "shutdown";
        if let Some(params) = params.as_mut().filter(|_| initializes) {
            respell_capabilities(params);
        }
        let mut request = Request::build(method).id(id);
        // `shutdown` has no parameters; clients that send empty ones mean the same.
        if let Some(params) = params.filter(|_| !shuts_down) {
            request = request.params(params);
        }
        let Some(response) = self.call(request.finish()) else {
            return;
        };
        let (session, turn) = (self.session.clone(), context.turn.clone());
        let answered = async move {
            match respond(&session, context, response).await {
                Ok(Some(response)) => {
                    let response = match asked {
                        Some(asked) => of_cell(response, &asked),
                        None if initializes => with_notebooks(response),
                        None => response,
                    };
                    answer.send(&response, turn);
                }
                Ok(None) => answer.fail(Error::internal_error()),
                Err(error) => answer.fail(error),
            }
        };
        if initializes || shuts_down {
            // The next message is judged by the new phase, so its answer must be first.
            self.session.runtime.block_on(answered);
            self.phase = match (initializes, self.session.is_introduced()) {
                (true, true) => Phase::Running,
                (true, false) => Phase::Created,
                (false, _) => Phase::ShutDown,
            };
        } else {
            self.session.runtime.spawn(answered);
        }
    }

    /// Why a request is not even looked at.
    fn refusal(&self, method: &str, in_flight: usize) -> Option<Error> {
        match (self.phase, method) {
            (Phase::Created, "initialize") => None,
            (Phase::Created, _) => Some(error(NOT_INITIALIZED, "the server is not initialized")),
            (Phase::ShutDown, _) => Some(error(
                ErrorCode::InvalidRequest,
                "the server is shutting down",
            )),
            (Phase::Running, "initialize") => Some(error(
                ErrorCode::InvalidRequest,
                "the server is already initialized",
            )),
            (Phase::Running, method) if method.starts_with("$/") => Some(Error::method_not_found()),
            (Phase::Running, _) if in_flight >= REQUESTS_IN_FLIGHT => Some(error(
                REQUEST_FAILED,
                format!("{REQUESTS_IN_FLIGHT} requests are unanswered; try again later"),
            )),
            (Phase::Running, _) => None,
        }
    }

    /// Hands a request or notification to the library, which registers it for cancellation. A
    /// panic on the way costs the answer to it, nothing else.
    fn call(
        &mut self,
        request: Request,
    ) -> Option<<LspService<Backend> as Service<Request>>::Future> {
        let mut waiting = std::task::Context::from_waker(Waker::noop());
        match self.service.poll_ready(&mut waiting) {
            Poll::Ready(Ok(())) => {}
            Poll::Ready(Err(_)) | Poll::Pending => return None,
        }
        let method = request.method().to_owned();
        let called = catch_unwind(AssertUnwindSafe(|| self.service.call(request)));
        called
            .map_err(|payload| self.log_panic(&method, &panic_message(&*payload)))
            .ok()
    }

    fn notification(&mut self, method: &str, params: Option<Value>) {
        if self.phase != Phase::Running {
            return;
        }
        let session = self.session.clone();
        let uri = uri_of(params.as_ref()).map(str::to_owned);
        let params = params.unwrap_or_default();
        let encoding = session.client().encoding;
        match session.notebooks.notified(method, &params, encoding) {
            Ok(None) => {}
            Ok(Some(said)) => return self.notification(said.method, Some(said.params)),
            Err(reason) => return session.log(Level::Error, &format!("{method}: {reason}")),
        }
        let applied = catch_unwind(AssertUnwindSafe(|| match method {
            "textDocument/didOpen" => apply(params, |params| did_open::did_open(&session, params)),
            "textDocument/didChange" => {
                apply(params, |params| did_change::did_change(&session, params))
            }
            "textDocument/didClose" => {
                apply(params, |params| did_close::did_close(&session, &params))
            }
            "textDocument/didSave" => apply(params, |params| {
                did_change_watched_files::did_save(&session, &params);
            }),
            "workspace/didChangeWatchedFiles" => apply(params, |params| {
                did_change_watched_files::did_change_watched_files(&session, &params);
            }),
            "workspace/didChangeWorkspaceFolders" => apply(params, |params| {
                did_change_workspace_folders::did_change_workspace_folders(&session, &params);
            }),
            "workspace/didChangeConfiguration" => apply(params, |params| {
                did_change_configuration::did_change_configuration(&session, &params);
            }),
            _ => {
                self.pass_on(method, params);
                Ok(())
            }
        }));
        let failure = match applied {
            Ok(Ok(())) => return,
            Ok(Err(reason)) => {
                self.session
                    .log(Level::Error, &format!("{method}: {reason}"));
                reason
            }
            Err(payload) => {
                let message = panic_message(&*payload);
                self.log_panic(method, &message);
                message
            }
        };
        if method == "textDocument/didChange" {
            did_change::not_applied(&self.session, uri.as_deref(), failure);
        }
    }

    /// Hands a notification to the library.
    fn pass_on(&mut self, method: &str, params: Value) {
        let mut request = Request::build(method.to_owned());
        if !params.is_null() {
            request = request.params(params);
        }
        let Some(handled) = self.call(request.finish()) else {
            return;
        };
        let context = self.session.context(method, None);
        let session = self.session.clone();
        self.session.runtime.spawn(async move {
            // No caller needs the outcome; a failure has been logged.
            let _ = respond(&session, context, handled).await;
        });
    }

    fn log_panic(&self, method: &str, message: &str) {
        self.session
            .log(Level::Error, &format!("panic in {method}: {message}"));
    }
}

/// Whether a request runs a layout, or checks a workspace, which has a separate limit.
fn runs(method: &str, params: Option<&Value>) -> bool {
    let command = || params.and_then(|params| params.get("command")?.as_str());
    let is_long = |command: &str| {
        matches!(
            command,
            execute_command::RUN | execute_command::CHECK_WORKSPACE
        )
    };
    method == "cute/run" || method == "workspace/executeCommand" && command().is_some_and(is_long)
}

/// Waits for the library's response, in a separate task so that a panic ends there, and at most as long as its context
/// allows.
async fn respond<F>(
    session: &Session,
    context: Context,
    response: F,
) -> Result<Option<Response>, Error>
where
    F: Future<Output = Result<Option<Response>, ExitedError>> + Send + 'static,
{
    let (request, limit, turn) = (context.describe(), context.limit, context.turn.clone());
    let uri = context.uri.clone();
    let mut task = tokio::spawn(REQUEST.scope(context, response));
    let Ok(finished) = tokio::time::timeout(limit, &mut task).await else {
        task.abort();
        let seconds = limit.as_secs();
        let reason = if turn.is_awaited() {
            format!("{request} waited {seconds} s for earlier answers to be computed and read")
        } else {
            format!("{request} took longer than {seconds} s")
        };
        session.log(Level::Warning, &reason);
        session.note_failed(uri.as_deref());
        return Err(error(REQUEST_FAILED, reason));
    };
    match finished {
        Ok(response) => Ok(response.unwrap_or_default()),
        Err(cut_short) => {
            if let Ok(payload) = cut_short.try_into_panic() {
                let message = panic_message(&*payload);
                session.log(Level::Error, &format!("panic in {request}: {message}"));
            }
            Err(Error::internal_error())
        }
    }
}

/// The answer about the module of a notebook as one about the cell that was asked about.
fn of_cell(response: Response, asked: &Asked) -> Response {
    let (id, result) = response.into_parts();
    Response::from_parts(id, result.map(|answer| asked.answer(answer)))
}

/// The answer to `initialize`, with the part that the types of the library lack: that cells of notebooks are wanted.
fn with_notebooks(response: Response) -> Response {
    let (id, mut result) = response.into_parts();
    if let Ok(answer) = &mut result
        && let Some(Value::Object(capabilities)) = answer.get_mut("capabilities")
    {
        let wanted = json!({"notebookSelector": [{
            "notebook": {"notebookType": "jupyter-notebook"},
            "cells": [{"language": "python"}],
        }]});
        capabilities.insert("notebookDocumentSync".to_owned(), wanted);
    }
    Response::from_parts(id, result)
}

/// Applies a notification, or returns the reason why its parameters do not follow the protocol.
fn apply<P: DeserializeOwned>(params: Value, apply: impl FnOnce(P)) -> Result<(), String> {
    let params = serde_json::from_value(params).map_err(|error| error.to_string())?;
    apply(params);
    Ok(())
}

/// The types of the library read `workspace.diagnostics`, as the specification spells it, under
/// the name `diagnostic`.
fn respell_capabilities(params: &mut Value) {
    let workspace = params.pointer_mut("/capabilities/workspace");
    if let Some(Value::Object(workspace)) = workspace
        && let Some(diagnostics) = workspace.remove("diagnostics")
    {
        workspace.insert("diagnostic".to_owned(), diagnostics);
    }
}

/// The document that a message is about.
fn uri_of(params: Option<&Value>) -> Option<&str> {
    params?.get("textDocument")?.get("uri")?.as_str()
}
