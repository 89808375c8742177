//! The file that the hook writes, one of each process.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::limits::RECORDING_BYTES;

/// The version of the format that is read.
const VERSION: u32 = 1;

/// The values that one process recorded.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Recording {
    version: u32,
    /// The command that was recorded.
    pub command: Vec<String>,
    /// The date, in local time.
    pub date: String,
    /// The version of the DSL, where it says so.
    pub dsl: Option<String>,
    /// The version of Python.
    pub python: String,
    pub(super) files: Vec<Source>,
    pub(super) rows: Vec<Row>,
    /// Functions of the DSL that never ran.
    pub untraced: Vec<Untraced>,
    /// Number of values beyond the hook's limits.
    pub left_out: u64,
}

/// A source file as it was when it ran.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(super) struct Source {
    pub(super) path: PathBuf,
    /// Of its bytes.
    pub(super) crc32: u32,
}

/// A text that a name had after its binding.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(super) struct Row {
    /// The index of the source.
    pub(super) file: usize,
    /// Counted from 1.
    pub(super) line: usize,
    /// Bytes before it on its line.
    pub(super) column: usize,
    /// Of the bytes of its line, without blanks around them.
    pub(super) crc32: u32,
    pub(super) name: String,
    pub(super) role: Role,
    pub(super) kind: String,
    pub(super) text: String,
    pub(super) count: u64,
}

/// The role of a recorded name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// A local name.
    Variable,
    /// An attribute: `self.tile`.
    Attribute,
    /// A parameter of a function.
    Parameter,
    /// The variable of a loop.
    Loop,
}

/// A function of the DSL that did not run: no one called it, or it came out of a cache.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Untraced {
    file: usize,
    /// Its position, counted from 1.
    pub line: usize,
    /// Its name, with the names around it.
    pub function: String,
}

impl Recording {
    /// Reads a recording.
    ///
    /// # Errors
    /// The error: the reason why it is not a recording, in words.
    pub fn read(path: &Path) -> Result<Self, String> {
        let file = File::open(path).map_err(|error| error.to_string())?;
        let mut bytes = Vec::new();
        let mut some = file.take(RECORDING_BYTES + 1);
        some.read_to_end(&mut bytes)
            .map_err(|error| error.to_string())?;
        if bytes.len() as u64 > RECORDING_BYTES {
            return Err(format!("it is larger than {RECORDING_BYTES} bytes"));
        }
        let recording: Self = serde_json::from_slice(&bytes).map_err(|error| error.to_string())?;
        if recording.version != VERSION {
            let found = recording.version;
            return Err(format!("its format is version {found}, not {VERSION}"));
        }
        Ok(recording)
    }

    /// Number of its texts.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether nothing was recorded.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The source in which a function is that did not run.
    pub fn path_of(&self, untraced: &Untraced) -> Option<&Path> {
        Some(&self.files.get(untraced.file)?.path)
    }

    /// The paths of the sources that ran.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        self.files.iter().map(|file| &*file.path)
    }
}
