//! Standard output: colours only on a terminal, and a reader that goes away is not an error.
//!
//! No control character of a source, a file name or an argument reaches the terminal: all that is
//! written goes through [`Output`] or [`complain`], which show it escaped.

use std::borrow::Cow;
use std::io::{self, StdoutLock, Write};
use std::path::Path;
use std::process::ExitCode;

use anstream::AutoStream;
use clap::ColorChoice;

/// The outcome of a command.
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

    /// Writes a text of lines, with its colours.
    pub(super) fn text(&mut self, text: &str) -> io::Result<()> {
        self.stream.write_all(without_commands(text).as_bytes())
    }

    /// Writes a line, which has no colours.
    pub(super) fn line(&mut self, text: &str) -> io::Result<()> {
        self.stream.write_all(in_one_line(text).as_bytes())?;
        self.stream.write_all(b"\n")
    }

    /// Writes a value as one line of JSON, with the necessary escapes.
    pub(super) fn json(&mut self, value: &impl serde::Serialize) -> io::Result<()> {
        let text = serde_json::to_string(value)?;
        self.text(&text)?;
        self.text("\n")
    }

    /// Makes the output visible to the reader.
    pub(super) fn flush(&mut self) -> io::Result<()> {
        self.stream.flush()
    }
}

/// Says something on standard error; where that fails too, no one can be told.
pub(super) fn complain(message: &str) {
    let message = escaped(message, |character| matches!(character, '\n' | '\t'));
    let _ = writeln!(io::stderr(), "cute-analyzer: {message}");
}

/// Says something of several lines on standard error, with colours where it is a terminal.
pub(super) fn complain_at_length(message: &str) {
    let _ = anstream::stderr().write_all(without_commands(message).as_bytes());
}

/// A file name as it is printed.
pub(super) fn shown(path: &Path) -> String {
    in_one_line(&path.to_string_lossy()).into_owned()
}

/// The text with its control characters escaped, tabs excepted.
pub(super) fn in_one_line(text: &str) -> Cow<'_, str> {
    escaped(text, |character| character == '\t')
}

/// The text with its control characters escaped, except those that end lines and set colours.
fn without_commands(text: &str) -> Cow<'_, str> {
    let is_kept = |character| matches!(character, '\n' | '\t');
    let Some(first) = text.find('\u{1b}') else {
        return escaped(text, is_kept);
    };
    let (before, mut rest) = text.split_at(first);
    let mut out = escaped(before, is_kept).into_owned();
    while let Some(start) = rest.find('\u{1b}') {
        let (plain, from) = rest.split_at(start);
        out.push_str(&escaped(plain, is_kept));
        let (sequence, behind) = from.split_at(colour(from).unwrap_or(1));
        if sequence.len() > 1 {
            out.push_str(sequence);
        } else {
            out.push_str(&escaped(sequence, is_kept));
        }
        rest = behind;
    }
    out.push_str(&escaped(rest, is_kept));
    Cow::Owned(out)
}

/// The bytes of the colour (ANSI's SGR) that a text begins with.
fn colour(text: &str) -> Option<usize> {
    let parameters = text.strip_prefix("\u{1b}[")?;
    let end = parameters.find(|character: char| !character.is_ascii_digit() && character != ';')?;
    let is_colour = parameters.get(end..)?.starts_with('m');
    is_colour.then_some("\u{1b}[".len() + end + 1)
}

fn escaped(text: &str, is_kept: impl Fn(char) -> bool) -> Cow<'_, str> {
    let is_escaped = |character: char| character.is_control() && !is_kept(character);
    if !text.contains(is_escaped) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        if is_escaped(character) {
            out.extend(character.escape_default());
        } else {
            out.push(character);
        }
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_kept_and_all_other_control_characters_escaped() {
        let text = "\u{1b}[1;31merror\u{1b}[0m\u{1b}]0;title\u{7}\u{1b}[2J\r\tx\n\u{9b}2J";
        assert_eq!(
            without_commands(text),
            "\u{1b}[1;31merror\u{1b}[0m\\u{1b}]0;title\\u{7}\\u{1b}[2J\\r\tx\n\\u{9b}2J"
        );
        assert_eq!(without_commands("a\u{1b}"), "a\\u{1b}");
        assert_eq!(without_commands("\u{1b}[3"), "\\u{1b}[3");
        assert_eq!(in_one_line("a\nb\u{1b}[1mc"), "a\\nb\\u{1b}[1mc");
    }
}
