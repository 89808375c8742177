//! Standard output: colours only on a terminal, and a reader that goes away is no error.

use std::io::{self, StdoutLock, Write};
use std::process::ExitCode;

use anstream::AutoStream;
use clap::ColorChoice;

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Outcome {
    /// Nothing wrong was found; the question was answered.
    Clean,
    /// A finding of severity error; a refusal; nothing to show.
    Found,
    /// Wrong usage, or input that cannot be read.
    Unusable,
}

impl From<Outcome> for ExitCode {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Clean => ExitCode::from(0),
            Outcome::Found => ExitCode::from(1),
            Outcome::Unusable => ExitCode::from(2),
        }
    }
}

/// Standard output. ANSI codes are taken out where it is not a terminal.
pub(super) struct Output {
    stream: AutoStream<StdoutLock<'static>>,
}

impl Output {
    pub(super) fn new(color: ColorChoice) -> Self {
        let choice = match color {
            ColorChoice::Auto => {
                return Self {
                    stream: AutoStream::auto(io::stdout().lock()),
                };
            }
            ColorChoice::Always => anstream::ColorChoice::Always,
            ColorChoice::Never => anstream::ColorChoice::Never,
        };
        Self {
            stream: AutoStream::new(io::stdout().lock(), choice),
        }
    }

    /// Whether ANSI codes reach the reader.
    pub(super) fn is_coloured(&self) -> bool {
        self.stream.current_choice() != anstream::ColorChoice::Never
    }

    /// Writes a text as it is.
    pub(super) fn text(&mut self, text: &str) -> io::Result<()> {
        self.stream.write_all(text.as_bytes())
    }

    /// Writes a line.
    pub(super) fn line(&mut self, text: &str) -> io::Result<()> {
        self.text(text)?;
        self.text("\n")
    }

    /// Writes a value as one line of JSON.
    pub(super) fn json(&mut self, value: &impl serde::Serialize) -> io::Result<()> {
        let text = serde_json::to_string(value)?;
        self.line(&text)
    }

    /// Makes what was written visible to the reader.
    pub(super) fn flush(&mut self) -> io::Result<()> {
        self.stream.flush()
    }
}

/// Says something on standard error; where that fails too, nobody can be told.
pub(super) fn complain(message: &str) {
    let _ = writeln!(io::stderr(), "cute-analyzer: {message}");
}

/// Says something of several lines on standard error, with colours where it is a terminal.
pub(super) fn complain_at_length(message: &str) {
    let _ = anstream::stderr().write_all(message.as_bytes());
}
