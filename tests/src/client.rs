//! A client that drives the real server over its standard input and output, and checks on it.
//!
//! Whatever the server sends is either awaited or, at the end, a failure: dropping a [`Client`]
//! shuts the server down, expects exit code 0, and fails if a message was left unread. Only three
//! kinds of message need no await: log messages below the level of an error, refresh requests
//! (answered at once), and published diagnostics, of which the newest per document is kept.

use std::collections::{HashMap, VecDeque};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex};
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::protocol::{
    Change, Diagnostic, Hover, InlayHint, LogMessage, Position, Published, Range, ResponseError,
};
use crate::record::Record;
use crate::streams::{Gate, collect_lines, framed, read_messages};

/// The time limit of any wait. Generous, as the machine may be busy; nothing waits so long when all is well.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// The start of a server and its introduction to its client.
#[derive(Debug, Clone)]
pub struct Builder {
    binary: PathBuf,
    arguments: Vec<String>,
    environment: Vec<(String, String)>,
    capabilities: Value,
    options: Value,
    root: Option<String>,
    initialize: bool,
    stderr_unread: bool,
}

/// A client and its server.
#[derive(Debug)]
pub struct Client {
    server: Child,
    /// `None` once closed.
    input: Option<ChildStdin>,
    messages: Receiver<Value>,
    reading: Arc<Gate>,
    stderr: Arc<Mutex<String>>,
    unread: VecDeque<Value>,
    published: HashMap<String, Published>,
    logs: Vec<LogMessage>,
    /// Requests to fetch something again, by method.
    refreshes: HashMap<String, usize>,
    next_id: i64,
    capabilities: Value,
    root: Option<String>,
    ended: bool,
    forgiving: bool,
    record: Record,
}

impl Builder {
    /// A client of `binary` with the capabilities of a current editor.
    pub fn new(binary: impl AsRef<Path>) -> Self {
        Self {
            binary: binary.as_ref().to_owned(),
            arguments: Vec::new(),
            environment: Vec::new(),
            capabilities: json!({
                "general": {"positionEncodings": ["utf-16"]},
                "textDocument": {
                    "hover": {"contentFormat": ["markdown", "plaintext"]},
                    "inlayHint": {"resolveSupport": {"properties": ["tooltip"]}},
                    "codeAction": {
                        "codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["quickfix"]}},
                        "isPreferredSupport": true
                    },
                    "publishDiagnostics": {"relatedInformation": true, "versionSupport": true}
                },
                "workspace": {"inlayHint": {"refreshSupport": true}}
            }),
            options: Value::Null,
            root: None,
            initialize: true,
            stderr_unread: false,
        }
    }

    /// Adds an argument to the command line.
    #[must_use]
    pub fn argument(mut self, argument: &str) -> Self {
        self.arguments.push(argument.to_owned());
        self
    }

    /// Sets an environment variable of the server.
    #[must_use]
    pub fn environment(mut self, name: &str, value: &str) -> Self {
        self.environment.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Changes the capabilities: `path` as in a JSON pointer.
    #[must_use]
    pub fn capability(mut self, path: &str, value: Value) -> Self {
        let mut place = &mut self.capabilities;
        for key in path.trim_start_matches('/').split('/') {
            place = &mut place[key];
        }
        *place = value;
        self
    }

    /// Sets `initializationOptions`.
    #[must_use]
    pub fn options(mut self, options: Value) -> Self {
        self.options = options;
        self
    }

    /// Sets `rootUri`, the folder that is worked in.
    #[must_use]
    pub fn root(mut self, uri: &str) -> Self {
        self.root = Some(uri.to_owned());
        self
    }

    /// Leaves `initialize` to the test.
    #[must_use]
    pub fn uninitialized(mut self) -> Self {
        self.initialize = false;
        self
    }

    /// Never reads the server's standard error.
    #[must_use]
    pub fn stderr_unread(mut self) -> Self {
        self.stderr_unread = true;
        self
    }

    /// Starts the server.
    pub fn start(self) -> Client {
        let mut server = Command::new(&self.binary)
            .args(&self.arguments)
            .envs(self.environment.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap_or_else(|error| panic!("cannot start {}: {error}", self.binary.display()));
        let output = server.stdout.take().expect("standard output");
        let reading = Arc::new(Gate::open());
        let (found, messages) = channel();
        std::thread::spawn({
            let reading = reading.clone();
            move || read_messages(output, &reading, &found)
        });
        let stderr = Arc::new(Mutex::new(String::new()));
        if !self.stderr_unread {
            let pipe = server.stderr.take().expect("standard error");
            let lines = stderr.clone();
            std::thread::spawn(move || collect_lines(pipe, &lines));
        }
        let mut client = Client {
            input: server.stdin.take(),
            server,
            messages,
            reading,
            stderr,
            unread: VecDeque::new(),
            published: HashMap::new(),
            logs: Vec::new(),
            refreshes: HashMap::new(),
            next_id: 0,
            capabilities: self.capabilities,
            root: self.root,
            ended: false,
            forgiving: false,
            record: Record::start(),
        };
        if self.initialize {
            client.initialize(self.options);
        }
        client
    }
}

/// Requests and notifications.
impl Client {
    /// Introduces the client; returns the capabilities of the server.
    pub fn initialize(&mut self, options: Value) -> Value {
        let params = json!({
            "processId": std::process::id(),
            "rootUri": self.root.clone(),
            "capabilities": self.capabilities.clone(),
            "initializationOptions": options,
        });
        let result = self.call("initialize", params);
        self.notify("initialized", json!({}));
        result
    }

    /// Writes bytes as they are.
    pub fn send_bytes(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().expect("the server's input is closed");
        let written = input.write_all(bytes).and_then(|()| input.flush());
        if let Err(error) = written {
            panic!("the server does not read: {error}\n{}", self.diagnosis());
        }
    }

    /// Writes a message in a frame.
    pub fn send(&mut self, message: &Value) {
        self.record.sent(message);
        self.send_bytes(&framed(&message.to_string()));
    }

    /// Writes a message behind a header of the test's own.
    pub fn send_behind(&mut self, header: &str, message: &Value) {
        self.record.sent(message);
        self.send_bytes(format!("{header}{message}").as_bytes());
    }

    /// Sends a notification.
    pub fn notify(&mut self, method: &str, params: Value) {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    /// Sends a request; its answer is awaited with [`await_answer`](Self::await_answer).
    pub fn request(&mut self, method: &str, params: Value) -> i64 {
        self.next_id += 1;
        let id = self.next_id;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        id
    }

    /// Sends a request and awaits its result.
    pub fn call(&mut self, method: &str, params: Value) -> Value {
        let id = self.request(method, params);
        match self.await_answer(id) {
            Ok(result) => result,
            Err(error) => panic!("{method} failed: {error:?}\n{}", self.diagnosis()),
        }
    }

    /// Answers a request of the server.
    pub fn reply(&mut self, id: &Value, result: &Value) {
        self.send(&json!({"jsonrpc": "2.0", "id": id, "result": result}));
    }

    /// Opens a document as CUDA C++, version 1.
    pub fn open(&mut self, uri: &str, text: &str) {
        self.open_as(uri, "cuda-cpp", text);
    }

    /// Opens a document, version 1.
    pub fn open_as(&mut self, uri: &str, language: &str, text: &str) {
        let item = json!({"uri": uri, "languageId": language, "version": 1, "text": text});
        self.notify("textDocument/didOpen", json!({"textDocument": item}));
    }

    /// Changes a document.
    pub fn change(&mut self, uri: &str, version: i32, changes: &[Change]) {
        let document = json!({"uri": uri, "version": version});
        self.notify(
            "textDocument/didChange",
            json!({"textDocument": document, "contentChanges": changes}),
        );
    }

    /// Closes a document.
    pub fn close(&mut self, uri: &str) {
        self.notify(
            "textDocument/didClose",
            json!({"textDocument": {"uri": uri}}),
        );
        self.published.remove(uri);
    }

    /// The hover at a place.
    pub fn hover(&mut self, uri: &str, position: Position) -> Option<Hover> {
        let params = json!({"textDocument": {"uri": uri}, "position": position});
        self.typed("textDocument/hover", params)
    }

    /// The hints of a range; `None` means the whole document.
    pub fn hints(&mut self, uri: &str, range: Option<Range>) -> Vec<InlayHint> {
        let range = range.unwrap_or(Range {
            start: Position::new(0, 0),
            end: Position::new(i32::MAX as u32, 0),
        });
        let params = json!({"textDocument": {"uri": uri}, "range": range});
        self.typed::<Option<_>>("textDocument/inlayHint", params)
            .unwrap_or_default()
    }

    /// A hint with its tooltip.
    pub fn resolve(&mut self, hint: &InlayHint) -> InlayHint {
        self.typed("inlayHint/resolve", json!(hint))
    }

    /// The quick-fixes for a finding.
    pub fn fixes(&mut self, uri: &str, diagnostic: &Diagnostic) -> Vec<Value> {
        let params = json!({
            "textDocument": {"uri": uri},
            "range": diagnostic.range,
            "context": {"diagnostics": [diagnostic]},
        });
        self.typed::<Option<_>>("textDocument/codeAction", params)
            .unwrap_or_default()
    }

    fn typed<T: DeserializeOwned>(&mut self, method: &str, params: Value) -> T {
        let result = self.call(method, params);
        serde_json::from_value(result.clone())
            .unwrap_or_else(|error| panic!("{method} answered {result}: {error}"))
    }
}

/// Messages that the server sends.
impl Client {
    /// Awaits the answer to a request.
    pub fn await_answer(&mut self, id: i64) -> Result<Value, ResponseError> {
        self.await_answer_to(&json!(id))
    }

    /// Awaits an answer by its id as it is on the wire (also `null`).
    pub fn await_answer_to(&mut self, id: &Value) -> Result<Value, ResponseError> {
        let what = format!("the answer to request {id}");
        let mut answer = self.await_message(&what, |message| {
            is_answer(message) && message.get("id") == Some(id)
        });
        match answer.get_mut("error") {
            Some(error) => Err(serde_json::from_value(error.take()).expect("an error object")),
            None => Ok(answer["result"].take()),
        }
    }

    /// Awaits a request of the server; returns its id and parameters.
    pub fn await_request(&mut self, method: &str) -> (Value, Value) {
        let what = format!("the request {method}");
        let mut request = self.await_message(&what, |message| {
            message.get("method").and_then(Value::as_str) == Some(method)
                && message.get("id").is_some()
        });
        (request["id"].take(), request["params"].take())
    }

    /// Awaits a notification whose parameters are as wanted; earlier ones of its kind are dropped.
    pub fn await_notification(&mut self, method: &str, wanted: impl Fn(&Value) -> bool) -> Value {
        let what = format!("the notification {method}");
        loop {
            let mut message = self.await_message(&what, |message| {
                message.get("method").and_then(Value::as_str) == Some(method)
            });
            if wanted(&message["params"]) {
                return message["params"].take();
            }
        }
    }

    /// Awaits the findings of a document in `version`.
    pub fn await_diagnostics(&mut self, uri: &str, version: i32) -> Vec<Diagnostic> {
        let until = Instant::now() + PATIENCE;
        loop {
            let newest = self.published.get(uri);
            if let Some(newest) = newest.filter(|newest| newest.version == Some(version)) {
                return newest.diagnostics.clone();
            }
            self.receive(until, &format!("diagnostics of {uri} in version {version}"));
        }
    }

    /// The findings that were published of a file so far; none where nothing was.
    pub fn published(&self, uri: &str) -> Vec<Diagnostic> {
        let newest = self.published.get(uri);
        newest.map_or_else(Vec::new, |newest| newest.diagnostics.clone())
    }

    /// Awaits that the findings of a closed document are taken back.
    pub fn await_cleared_diagnostics(&mut self, uri: &str) -> Vec<Diagnostic> {
        let until = Instant::now() + PATIENCE;
        loop {
            let newest = self.published.get(uri);
            if let Some(newest) = newest.filter(|newest| newest.version.is_none()) {
                return newest.diagnostics.clone();
            }
            self.receive(
                until,
                &format!("that the diagnostics of {uri} are taken back"),
            );
        }
    }

    /// Awaits the next message, whatever it is.
    pub fn await_any(&mut self) {
        self.receive(Instant::now() + PATIENCE, "a message");
    }

    /// Awaits a log message that contains `part`, and takes it away.
    pub fn await_log(&mut self, part: &str) -> LogMessage {
        let until = Instant::now() + PATIENCE;
        loop {
            if let Some(at) = self.logs.iter().position(|log| log.message.contains(part)) {
                return self.logs.remove(at);
            }
            self.receive(until, &format!("a log message with `{part}`"));
        }
    }

    /// Awaits a request to fetch all hints again.
    pub fn await_refresh(&mut self) {
        self.await_refresh_of("workspace/inlayHint/refresh");
    }

    /// Awaits a request to fetch something again, by its method.
    pub fn await_refresh_of(&mut self, method: &str) {
        let until = Instant::now() + PATIENCE;
        loop {
            if let Some(count) = self.refreshes.get_mut(method).filter(|count| **count > 0) {
                *count -= 1;
                return;
            }
            self.receive(until, method);
        }
    }

    /// The answers that have come and that no one awaited.
    pub fn unread_answers(&mut self) -> usize {
        while let Ok(message) = self.messages.try_recv() {
            self.sort(message);
        }
        self.unread
            .iter()
            .filter(|message| is_answer(message))
            .count()
    }

    /// Number of messages that are not answers: notifications and requests.
    pub fn spoken_to(&mut self) -> usize {
        let answers = self.unread_answers();
        self.unread.len() - answers
            + self.logs.len()
            + self.published.len()
            + self.refreshes.values().sum::<usize>()
    }

    /// Stops reading the server's output.
    pub fn stop_reading(&mut self) {
        self.reading.set(false);
    }

    /// Reads the server's output again.
    pub fn resume_reading(&mut self) {
        self.reading.set(true);
    }

    fn await_message(&mut self, what: &str, wanted: impl Fn(&Value) -> bool) -> Value {
        let until = Instant::now() + PATIENCE;
        loop {
            if let Some(at) = self.unread.iter().position(&wanted) {
                return self.unread.remove(at).expect("it was just found");
            }
            self.receive(until, what);
        }
    }

    fn receive(&mut self, until: Instant, what: &str) {
        match self
            .messages
            .recv_timeout(until.saturating_duration_since(Instant::now()))
        {
            Ok(message) => self.sort(message),
            Err(RecvTimeoutError::Timeout) => panic!("{what} did not come\n{}", self.diagnosis()),
            Err(RecvTimeoutError::Disconnected) => {
                panic!("the server ended before {what} came\n{}", self.diagnosis())
            }
        }
    }

    /// Puts a message where it belongs.
    fn sort(&mut self, message: Value) {
        self.record.received(&message);
        match message.get("method").and_then(Value::as_str) {
            Some("window/logMessage") => self.logs.push(params_of(&message)),
            Some("textDocument/publishDiagnostics") => {
                let published: Published = params_of(&message);
                self.published.insert(published.uri.clone(), published);
            }
            Some(method) if method.ends_with("/refresh") => {
                *self.refreshes.entry(method.to_owned()).or_default() += 1;
                if !self.ended {
                    self.reply(&message["id"], &Value::Null);
                }
            }
            _ => self.unread.push_back(message),
        }
    }

    fn diagnosis(&self) -> String {
        let stderr = self.stderr.lock().expect("standard error");
        format!(
            "unread: {:#?}\nlogged: {:#?}\nstandard error:\n{stderr}",
            self.unread, self.logs
        )
    }
}

/// The end.
impl Client {
    /// Says `exit`, keeps the input open, and returns how the process ended and how long it took.
    pub fn exit(&mut self) -> (ExitStatus, Duration) {
        let started = Instant::now();
        self.ended = true;
        self.send(&json!({"jsonrpc": "2.0", "method": "exit"}));
        (self.wait(), started.elapsed())
    }

    /// Closes the server's input and returns how the process ended.
    pub fn hang_up(&mut self) -> ExitStatus {
        self.ended = true;
        self.input = None;
        self.wait()
    }

    /// Shuts down and exits as the protocol says.
    pub fn shutdown(&mut self) -> ExitStatus {
        let id = self.next_id + 1;
        self.next_id = id;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": "shutdown"}));
        if let Err(error) = self.await_answer(id) {
            panic!("shutdown failed: {error:?}\n{}", self.diagnosis());
        }
        self.exit().0
    }

    /// Lets messages be left unread: for servers that are measured, not checked.
    pub fn forgive_unread(&mut self) {
        self.forgiving = true;
    }

    /// The output of the server on standard error so far.
    pub fn stderr(&self) -> String {
        self.stderr.lock().expect("standard error").clone()
    }

    /// The resident memory of the server in bytes, where the system tells.
    pub fn resident_bytes(&self) -> Option<u64> {
        self.memory("VmRSS:")
    }

    /// The most resident memory that the server has had, in bytes, where the system tells.
    pub fn most_resident_bytes(&self) -> Option<u64> {
        self.memory("VmHWM:")
    }

    /// Processor time that the threads of the server have taken, where the system tells.
    pub fn processor_time(&self) -> Duration {
        let threads = format!("/proc/{}/task", self.server.id());
        let threads = std::fs::read_dir(threads).into_iter().flatten().flatten();
        let times = threads.filter_map(|thread| {
            let figures = std::fs::read_to_string(thread.path().join("schedstat")).ok()?;
            figures.split(' ').next()?.parse::<u64>().ok()
        });
        Duration::from_nanos(times.sum())
    }

    fn memory(&self, figure: &str) -> Option<u64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.server.id())).ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix(figure))?;
        let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
        Some(kibibytes * 1024)
    }

    /// Waits until the process ends by itself.
    pub fn wait(&mut self) -> ExitStatus {
        self.ended = true;
        let until = Instant::now() + PATIENCE;
        loop {
            if let Some(status) = self.server.try_wait().expect("the server's status") {
                return status;
            }
            if Instant::now() > until {
                let _ = self.server.kill();
                panic!("the server did not end\n{}", self.diagnosis());
            }
            sleep(Duration::from_millis(1));
        }
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        self.reading.set(true);
        if std::thread::panicking() {
            let _ = self.server.kill();
            let _ = self.server.wait();
            return;
        }
        if !self.ended {
            let status = self.shutdown();
            assert_eq!(status.code(), Some(0), "exit code\n{}", self.diagnosis());
        }
        if self.forgiving {
            return;
        }
        while let Ok(message) = self.messages.recv_timeout(PATIENCE) {
            self.sort(message);
        }
        assert!(
            self.unread.is_empty(),
            "messages were left unread\n{}",
            self.diagnosis()
        );
        let errors: Vec<_> = self.logs.iter().filter(|log| log.level == 1).collect();
        assert!(
            errors.is_empty(),
            "errors were logged: {errors:#?}\n{}",
            self.diagnosis()
        );
    }
}

fn is_answer(message: &Value) -> bool {
    message.get("method").is_none()
}

fn params_of<T: DeserializeOwned>(message: &Value) -> T {
    serde_json::from_value(message["params"].clone())
        .unwrap_or_else(|error| panic!("{message}: {error}"))
}
