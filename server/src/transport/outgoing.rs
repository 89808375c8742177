//! The queue of messages to the client, and the thread that writes them.
//!
//! Handlers never touch standard output: they put a message into this queue and go on, so a client
//! that reads slowly, or not at all, stops neither the reader nor any worker. The queue is bounded:
//!
//! | unread output | answers | notices (`publishDiagnostics`, ..) | log messages |
//! |---|---|---|---|
//! | any | kept | a newer one replaces an unsent older one about the same thing | kept |
//! | above [`OUTGOING_LOG_BYTES`] | kept | as above | dropped, the number is told later |
//! | above [`OUTGOING_BYTES`] | replaced by a short error | as above | dropped |
//! | above [`OUTGOING_GIVE_UP_BYTES`] | the client counts as gone, the server ends | | |
//!
//! So each request has exactly one answer at any load, and memory has a limit. An answer holds the
//! turn (`crate::turns`) of its request until it is written, so that no more are computed than are read.

use std::collections::{HashMap, VecDeque};
use std::io::{BufWriter, Write};
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde::Serialize;
use serde_json::{Value, json};
use tokio::sync::oneshot;
use tower_lsp::jsonrpc::{Error, ErrorCode, Id, Request, Response};
use tower_lsp::lsp_types::{self, MessageType};

use super::message::error;
use crate::limits::{
    CLIENT_REPLY_TIME, OUTGOING_BYTES, OUTGOING_GIVE_UP_BYTES, OUTGOING_LOG_BYTES,
};
use crate::turns::Turn;

/// LSP's `RequestFailed`: the request was well-formed, but its answer cannot be given.
pub const REQUEST_FAILED: ErrorCode = ErrorCode::ServerError(-32803);

/// Messages on their way to the client.
#[derive(Debug, Default)]
pub struct Outgoing {
    queue: Mutex<Queue>,
    /// Something was queued, or the queue was closed.
    filled: Condvar,
    /// The queue ran empty and everything is flushed, or writing failed.
    flushed: Condvar,
    next_question: AtomicI64,
    questions: Mutex<HashMap<i64, oneshot::Sender<Result<Value, Error>>>>,
}

#[derive(Debug, Default)]
struct Queue {
    entries: VecDeque<Entry>,
    bytes: usize,
    logs_dropped: usize,
    /// The writer has taken entries that are not flushed yet.
    writing: bool,
    closed: bool,
    /// Writing failed, or the client let too much pile up.
    broken: bool,
}

#[derive(Debug)]
struct Entry {
    body: Vec<u8>,
    /// The subject of the message; a newer one about the same thing replaces it.
    subject: Option<String>,
    /// Of the request that it answers; it ends when the entry is written.
    _turn: Option<Turn>,
}

/// Why a request of ours got no result.
#[derive(Debug)]
pub enum NoReply {
    /// The client answered with an error.
    Refused(Error),
    /// It did not answer in [`CLIENT_REPLY_TIME`].
    Late,
    /// Its answer has another type than the protocol says.
    Malformed(String),
}

impl std::fmt::Display for NoReply {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Refused(error) => write!(f, "{error}"),
            Self::Late => write!(f, "no reply within {} s", CLIENT_REPLY_TIME.as_secs()),
            Self::Malformed(reason) => write!(f, "malformed reply: {reason}"),
        }
    }
}

impl Outgoing {
    /// Queues the answer of a request that was not computed.
    pub fn answer(&self, response: &Response) {
        self.push_answer(response, None);
    }

    /// Queues the answer of a request; its turn ends when it is written.
    pub(crate) fn answer_in_turn(&self, response: &Response, turn: Turn) {
        self.push_answer(response, Some(turn));
    }

    fn push_answer(&self, response: &Response, turn: Option<Turn>) {
        let mut body = encode(response);
        let mut queue = self.queue();
        if queue.bytes + body.len() > OUTGOING_BYTES {
            let reason = format!(
                "the answer was dropped: the client has {} bytes of earlier output to read",
                queue.bytes
            );
            body = encode(&Response::from_error(
                response.id().clone(),
                error(REQUEST_FAILED, reason),
            ));
        }
        self.push(
            &mut queue,
            Entry {
                body,
                subject: None,
                _turn: turn,
            },
        );
    }

    /// Queues a notification. An unsent older one of the same `subject` is replaced, as the client
    /// has no use for a state that is over.
    pub fn notify<N>(&self, params: N::Params, subject: &str)
    where
        N: lsp_types::notification::Notification,
    {
        let subject = format!("{} {subject}", N::METHOD);
        let body = encode(&notification(N::METHOD, params));
        let mut queue = self.queue();
        let unsent = queue
            .entries
            .iter()
            .position(|entry| entry.subject.as_deref() == Some(subject.as_str()));
        if let Some(old) = unsent.and_then(|at| queue.entries.remove(at)) {
            queue.bytes -= old.body.len();
        }
        self.push(
            &mut queue,
            Entry {
                body,
                subject: Some(subject),
                _turn: None,
            },
        );
    }

    /// Queues a line for the client's log, unless much is unread.
    pub fn log(&self, level: MessageType, message: &str) {
        let mut queue = self.queue();
        if queue.bytes > OUTGOING_LOG_BYTES {
            queue.logs_dropped += 1;
            return;
        }
        self.push(&mut queue, log_entry(level, message));
    }

    /// Asks the client something and waits for its reply. Call it in its own task: no answer
    /// to the client may depend on one from it.
    pub async fn ask<R>(&self, params: R::Params) -> Result<R::Result, NoReply>
    where
        R: lsp_types::request::Request,
    {
        let id = self.next_question.fetch_add(1, Ordering::Relaxed);
        let (reply_to, reply) = oneshot::channel();
        self.questions
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(id, reply_to);
        let params = serde_json::to_value(params).unwrap_or_default();
        let mut request = Request::build(R::METHOD).id(id);
        if !params.is_null() {
            request = request.params(params);
        }
        let body = encode(&request.finish());
        self.push(
            &mut self.queue(),
            Entry {
                body,
                subject: None,
                _turn: None,
            },
        );
        let reply = tokio::time::timeout(CLIENT_REPLY_TIME, reply).await;
        self.questions
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .remove(&id);
        match reply {
            Ok(Ok(Ok(result))) => serde_json::from_value(result)
                .map_err(|error| NoReply::Malformed(error.to_string())),
            Ok(Ok(Err(error))) => Err(NoReply::Refused(error)),
            Ok(Err(_)) | Err(_) => Err(NoReply::Late),
        }
    }

    /// Hands the client's reply to whom it was requested. A reply that no one waits for is ignored.
    pub fn reply(&self, id: &Id, result: Result<Value, Error>) {
        let Id::Number(id) = id else { return };
        let mut questions = self
            .questions
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(reply_to) = questions.remove(id) {
            // The receiver is gone only when its time was over.
            let _ = reply_to.send(result);
        }
    }

    /// Writes queued messages, until the queue is closed. Returns when the output fails, or the client has let
    /// [`OUTGOING_GIVE_UP_BYTES`] pile up.
    pub fn write_to(&self, output: impl Write) {
        let mut output = BufWriter::new(output);
        while let Some(entry) = self.next(&mut output) {
            let header = format!("Content-Length: {}\r\n\r\n", entry.body.len());
            let written = output
                .write_all(header.as_bytes())
                .and_then(|()| output.write_all(&entry.body));
            if written.is_err() {
                break;
            }
        }
        let mut queue = self.queue();
        queue.broken = true;
        queue.writing = false;
        self.flushed.notify_all();
    }

    /// Whether the client has stopped reading for good.
    pub fn is_broken(&self) -> bool {
        self.queue().broken
    }

    /// Waits until all that is queued is written, at most for `grace`; then the writer ends.
    pub fn close(&self, grace: Duration) {
        let until = Instant::now() + grace;
        let mut queue = self.queue();
        while (queue.writing || !queue.entries.is_empty()) && !queue.broken {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            queue = self
                .flushed
                .wait_timeout(queue, left)
                .unwrap_or_else(PoisonError::into_inner)
                .0;
        }
        queue.closed = true;
        self.filled.notify_all();
    }

    /// The next message to write, flushing before it waits; `None` when there will be none.
    fn next(&self, output: &mut impl Write) -> Option<Entry> {
        let mut queue = self.queue();
        loop {
            if queue.broken {
                return None;
            }
            if let Some(entry) = queue.entries.pop_front() {
                queue.bytes -= entry.body.len();
                queue.writing = true;
                return Some(entry);
            }
            if queue.logs_dropped > 0 {
                let message = format!("{} log messages were dropped", queue.logs_dropped);
                queue.logs_dropped = 0;
                queue.writing = true;
                return Some(log_entry(MessageType::WARNING, &message));
            }
            if queue.writing {
                drop(queue);
                if output.flush().is_err() {
                    return None;
                }
                queue = self.queue();
                if queue.entries.is_empty() {
                    queue.writing = false;
                    self.flushed.notify_all();
                }
                continue;
            }
            if queue.closed {
                return None;
            }
            queue = self
                .filled
                .wait(queue)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn push(&self, queue: &mut Queue, entry: Entry) {
        if queue.closed || queue.broken {
            return;
        }
        queue.bytes += entry.body.len();
        queue.entries.push_back(entry);
        if queue.bytes > OUTGOING_GIVE_UP_BYTES {
            queue.broken = true;
            queue.entries.clear();
        }
        self.filled.notify_all();
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn encode(message: &impl Serialize) -> Vec<u8> {
    // Messages are made of maps with string keys, which always serialise; were that ever not so,
    // an error without an id is the honest rest.
    serde_json::to_vec(message).unwrap_or_else(|error| {
        let message = error.to_string();
        json!({"jsonrpc": "2.0", "id": null, "error": {"code": -32603, "message": message}})
            .to_string()
            .into_bytes()
    })
}

fn notification(method: &'static str, params: impl Serialize) -> Request {
    Request::build(method)
        .params(serde_json::to_value(params).unwrap_or_default())
        .finish()
}

fn log_entry(level: MessageType, message: &str) -> Entry {
    let params = json!({"type": level, "message": message});
    Entry {
        body: encode(&notification("window/logMessage", params)),
        subject: None,
        _turn: None,
    }
}

#[cfg(test)]
mod tests {
    use tower_lsp::lsp_types::notification::PublishDiagnostics;
    use tower_lsp::lsp_types::{PublishDiagnosticsParams, Url};

    use super::*;

    fn publish(outgoing: &Outgoing, uri: &str, version: i32) {
        let uri = Url::parse(uri).expect("a URI");
        let subject = uri.to_string();
        let params = PublishDiagnosticsParams::new(uri, Vec::new(), Some(version));
        outgoing.notify::<PublishDiagnostics>(params, &subject);
    }

    /// The text that a client would read if it read everything now.
    fn written(outgoing: &Outgoing) -> String {
        let mut output = Vec::new();
        outgoing.queue().closed = true;
        outgoing.write_to(&mut output);
        String::from_utf8(output).expect("text")
    }

    #[test]
    fn a_newer_notice_replaces_an_unsent_older_one() {
        let outgoing = Outgoing::default();
        publish(&outgoing, "file:///a.cu", 1);
        publish(&outgoing, "file:///b.cu", 1);
        publish(&outgoing, "file:///a.cu", 2);
        let output = written(&outgoing);
        assert_eq!(output.matches("a.cu").count(), 1);
        assert!(output.contains("\"version\":2"));
        assert_eq!(output.matches("b.cu").count(), 1);
    }

    #[test]
    fn logs_beyond_the_limit_are_dropped_and_counted() {
        let outgoing = Outgoing::default();
        let line = "x".repeat(OUTGOING_LOG_BYTES);
        for _ in 0..5 {
            outgoing.log(MessageType::INFO, &line);
        }
        let output = written(&outgoing);
        assert_eq!(output.matches("xxx\"").count(), 1);
        assert!(output.contains("4 log messages were dropped"));
    }

    #[test]
    fn an_answer_nobody_reads_becomes_a_short_error_with_the_same_id() {
        let outgoing = Outgoing::default();
        let large = Value::String("x".repeat(OUTGOING_BYTES - 100));
        outgoing.answer(&Response::from_ok(Id::Number(1), large.clone()));
        outgoing.answer(&Response::from_ok(Id::Number(2), large));
        assert!(!outgoing.is_broken());
        let output = written(&outgoing);
        assert!(output.contains("-32803") && output.contains("\"id\":2"));
    }

    #[test]
    fn a_client_that_never_reads_is_given_up() {
        let outgoing = Outgoing::default();
        let line = "x".repeat(8 << 20);
        let mut asked = 0;
        while !outgoing.is_broken() {
            publish(&outgoing, &format!("file:///{asked}/{line}"), 1);
            asked += 1;
        }
        assert_eq!(asked, OUTGOING_GIVE_UP_BYTES / (8 << 20));
        assert_eq!(written(&outgoing), "");
    }

    #[test]
    fn output_that_fails_ends_the_writer() {
        struct Closed;
        impl Write for Closed {
            fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
                Err(std::io::ErrorKind::BrokenPipe.into())
            }
            fn flush(&mut self) -> std::io::Result<()> {
                Ok(())
            }
        }
        let outgoing = Outgoing::default();
        outgoing.log(MessageType::INFO, "x");
        outgoing.write_to(Closed);
        assert!(outgoing.is_broken());
        outgoing.close(Duration::from_secs(3600));
    }
}
