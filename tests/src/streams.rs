//! The two ends of a server's pipes: frames written, frames read.

use std::io::{BufRead, BufReader, Read};
use std::sync::mpsc::Sender;
use std::sync::{Condvar, Mutex};

use serde_json::Value;

/// A body with its header.
pub fn framed(body: &str) -> Vec<u8> {
    format!("Content-Length: {}\r\n\r\n{body}", body.len()).into_bytes()
}

/// Lets the reading of the server's output be stopped, to play a client that does not read.
#[derive(Debug)]
pub(crate) struct Gate {
    open: Mutex<bool>,
    changed: Condvar,
}

impl Gate {
    pub(crate) fn open() -> Self {
        Self {
            open: Mutex::new(true),
            changed: Condvar::new(),
        }
    }

    pub(crate) fn set(&self, open: bool) {
        *self.open.lock().expect("the gate") = open;
        self.changed.notify_all();
    }

    fn wait_until_open(&self) {
        let open = self.open.lock().expect("the gate");
        drop(
            self.changed
                .wait_while(open, |open| !*open)
                .expect("the gate"),
        );
    }
}

/// Reads the server's messages. It is strict: anything but well-formed frames ends it.
pub(crate) fn read_messages(output: impl Read, reading: &Gate, found: &Sender<Value>) {
    let mut output = BufReader::new(output);
    loop {
        reading.wait_until_open();
        let mut length = None;
        loop {
            let mut line = String::new();
            if output.read_line(&mut line).is_ok_and(|read| read > 0) {
                let line = line.trim_end_matches("\r\n");
                if line.is_empty() {
                    break;
                }
                length = line
                    .strip_prefix("Content-Length: ")
                    .and_then(|value| value.parse().ok());
            } else {
                return;
            }
        }
        let Some(length) = length else { return };
        let mut body = vec![0; length];
        if output.read_exact(&mut body).is_err() {
            return;
        }
        let Ok(message) = serde_json::from_slice(&body) else {
            return;
        };
        if found.send(message).is_err() {
            return;
        }
    }
}

pub(crate) fn collect_lines(pipe: impl Read, lines: &Mutex<String>) {
    for line in BufReader::new(pipe).lines().map_while(Result::ok) {
        let mut lines = lines.lock().expect("standard error");
        lines.push_str(&line);
        lines.push('\n');
    }
}
