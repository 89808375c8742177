//! Source files: finding them, reading them, and their lines and columns.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use cute_analysis::{Analysis, Options, SourceFile, Stop, WhatIf, what_if};
use tree_sitter_cute::limits::SOURCE_BYTES;
use tree_sitter_cute::tree::Unit;
use tree_sitter_cute::{Budget, Host, Syntax};

use super::output::{Outcome, complain, shown};
use super::{Session, stopped};
use crate::limits::MACROS_TIME;
use crate::presentation::lines::Lines;
use crate::project::{Overlay, Project, View, normal, read_bytes, walk};

/// The time limit of reading the syntax of one file.
const PARSE_TIME: Duration = Duration::from_secs(60);

/// A source file in memory.
#[derive(Debug)]
pub(super) struct Source {
    /// The path as the user wrote it, or as it was found below a folder.
    pub(super) path: PathBuf,
    /// Its text; invalid UTF-8 is replaced with U+FFFD.
    pub(super) text: String,
    /// Set where the file is not UTF-8: columns behind such bytes are those of the replacement.
    pub(super) lossy: bool,
    /// Its lines.
    pub(super) lines: Lines,
}

/// A file, or one of its lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FileLine {
    /// The file.
    pub(super) file: PathBuf,
    /// The line, from 1.
    pub(super) line: Option<usize>,
}

impl FileLine {
    /// The file or line that a text names: `FILE` or `FILE:LINE` of an existing file.
    pub(super) fn of(text: &str) -> Option<Self> {
        let whole = Path::new(text);
        if whole.is_file() {
            let (file, line) = (whole.to_owned(), None);
            return Some(Self { file, line });
        }
        let (file, line) = text.rsplit_once(':')?;
        let line = line.parse().ok().filter(|line| *line > 0)?;
        Path::new(file).is_file().then(|| Self {
            file: file.into(),
            line: Some(line),
        })
    }
}

/// Why a path gave no source.
#[derive(Debug)]
pub(super) struct Unreadable {
    /// The path.
    pub(super) path: PathBuf,
    /// The reason in words.
    pub(super) reason: String,
}

impl std::fmt::Display for Unreadable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", shown(&self.path), self.reason)
    }
}

impl Source {
    /// Reads a file.
    ///
    /// Fails where there is no such file, it cannot be read, it is larger than
    /// [`SOURCE_BYTES`], or it is binary.
    pub(super) fn read(path: &Path) -> Result<Self, Unreadable> {
        let unreadable = |reason: String| Unreadable {
            path: path.to_owned(),
            reason,
        };
        let io = |error: io::Error| unreadable(error.to_string());
        let bytes = read_bytes(path).map_err(io)?;
        if bytes.len() > SOURCE_BYTES {
            let megabytes = SOURCE_BYTES / 1_000_000;
            return Err(unreadable(format!(
                "is larger than {megabytes} MB and was not read"
            )));
        }
        if bytes.contains(&0) {
            return Err(unreadable("is not text: it contains a NUL byte".to_owned()));
        }
        let (text, lossy) = match String::from_utf8(bytes) {
            Ok(text) => (text, false),
            Err(error) => (String::from_utf8_lossy(error.as_bytes()).into_owned(), true),
        };
        Ok(Self {
            path: path.to_owned(),
            lines: Lines::new(&text),
            text,
            lossy,
        })
    }

    /// It with more text behind its own.
    pub(super) fn followed_by(self, more: &str) -> Self {
        let text = self.text + more;
        Self {
            lines: Lines::new(&text),
            text,
            ..self
        }
    }

    /// Its expression tree.
    ///
    /// Fails as [`analyse`](Self::analyse) does.
    pub(super) fn unit(&self) -> Result<Unit, Unreadable> {
        let unreadable = |reason: String| Unreadable {
            path: self.path.clone(),
            reason,
        };
        let host = Host::of_path(&self.path)
            .ok_or_else(|| unreadable("has no known source extension".to_owned()))?;
        let budget = Budget::for_at_most(PARSE_TIME);
        let syntax = Syntax::parse(host, &self.text, None, budget)
            .map_err(|error| unreadable(error.to_string()))?;
        Ok(syntax.into_unit(&self.text))
    }

    /// The analysis of it, and the file as it was read.
    ///
    /// Fails where the language of the file is not one of ours, or its syntax cannot be read.
    pub(super) fn analyse(
        &self,
        options: &Options,
        project: &Arc<Project>,
    ) -> Result<(Analysis, SourceFile), Unreadable> {
        let unreadable = |reason: String| Unreadable {
            path: self.path.clone(),
            reason,
        };
        let host = Host::of_path(&self.path).ok_or_else(|| {
            unreadable("has no extension of C++, CUDA C++, Python or Rust".to_owned())
        })?;
        let options = Options {
            host,
            ..options.clone()
        };
        let path = normal(&self.path);
        let view = View::around(Arc::clone(project), &path, Overlay::default());
        if options.only_findings
            && let Some(shared) = view.shared(&path)
            && shared.text() == self.text
        {
            let file = shared.at_start();
            return Ok((view.analyse_first(&file, &options), file));
        }
        let budget = Budget::for_at_most(PARSE_TIME);
        let syntax = Syntax::parse(host, &self.text, None, budget)
            .map_err(|error| unreadable(error.to_string()))?;
        let file = if options.remedies {
            let unit = syntax.clone().into_unit(&self.text);
            SourceFile::analysed(path, self.text.as_str(), unit).with_syntax(Arc::new(syntax))
        } else {
            SourceFile::analysed(path, self.text.as_str(), syntax.into_unit(&self.text))
        };
        Ok((view.analyse_first(&file, &options), file))
    }
}

impl Source {
    /// The changes by macros that no flag decides in it; `None` where it is not C++, or cannot be read.
    pub(super) fn what_if(&self, options: &Options, project: &Arc<Project>) -> Option<WhatIf> {
        let host = Host::of_path(&self.path).filter(|host| *host == Host::CudaCpp)?;
        let budget = Budget::for_at_most(PARSE_TIME);
        let syntax = Syntax::parse(host, &self.text, None, budget).ok()?;
        let path = normal(&self.path);
        let view = View::around(Arc::clone(project), &path, Overlay::default());
        let file = SourceFile::parsed(path, self.text.as_str(), Arc::new(syntax));
        let began = Instant::now();
        let options = Options {
            stop: Stop::when(move || began.elapsed() > MACROS_TIME),
            ..options.clone()
        };
        Some(what_if(&file, &view, &options))
    }
}

/// Calls `visit` with the analysis of each file. A file that cannot be read is said, and the others are visited all the
/// same; the outcome is the worst of all.
pub(super) fn for_each_file(
    files: &[PathBuf],
    session: &mut Session,
    mut visit: impl FnMut(&mut Session, &Source, &Analysis) -> io::Result<Outcome>,
) -> io::Result<Outcome> {
    session.analyser.project.will_analyse(files);
    let mut outcome = Outcome::Clean;
    for path in files {
        let analysed =
            Source::read(path).and_then(|source| Ok((session.analyse(&source)?, source)));
        outcome = outcome.max(match analysed {
            Ok((analysis, source)) => {
                stopped::say(&source, &analysis);
                visit(session, &source, &analysis)?
            }
            Err(error) => {
                complain(&error.to_string());
                Outcome::Unusable
            }
        });
    }
    Ok(outcome)
}

/// The files of the given paths, in a stable order.
///
/// A file is taken whatever its ending. A folder is searched for sources as `git` would see it:
/// hidden and ignored files are left out. Paths that do not exist come back as unreadable.
pub(super) fn files_of(paths: &[PathBuf]) -> (Vec<PathBuf>, Vec<Unreadable>) {
    let mut files = Vec::new();
    let mut unreadable = Vec::new();
    for path in paths {
        if path.is_dir() {
            search(path, &mut files, &mut unreadable);
        } else if path.exists() {
            files.push(path.clone());
        } else {
            let reason = "no such file or folder".to_owned();
            unreadable.push(Unreadable {
                path: path.clone(),
                reason,
            });
        }
    }
    (files, unreadable)
}

fn search(folder: &Path, files: &mut Vec<PathBuf>, unreadable: &mut Vec<Unreadable>) {
    for entry in walk(folder).build() {
        match entry {
            Ok(entry) if entry.file_type().is_some_and(|kind| kind.is_file()) => {
                if Host::of_path(entry.path()).is_some() {
                    files.push(entry.into_path());
                }
            }
            Ok(_) => {}
            Err(error) => unreadable.push(Unreadable {
                path: folder.to_owned(),
                reason: error.to_string(),
            }),
        }
    }
}
