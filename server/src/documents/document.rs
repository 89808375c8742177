//! One version of one document.

use std::collections::HashSet;
use std::fmt;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use cute_analysis::{Edit, Moves, WhatIf};
use ropey::Rope;
use tower_lsp::lsp_types::{TextDocumentContentChangeEvent, Url};
use tree_sitter_cute::Host;
use tree_sitter_cute::tree::Span;

use super::Whole;
use super::analysed::{Analysed, Earlier, Slot, Source};
use super::early::{Early, locked};
use crate::encoding::Encoding;
use crate::from_proto;
use crate::limits::FILE_BYTES;
use crate::project::{is_header, normal};

/// One version of one document. Versions share the equal parts of their texts.
#[derive(Debug)]
pub struct Document {
    /// The client's name of it.
    pub uri: Url,
    /// The language it is analysed as; `None` for other languages.
    pub host: Option<Host>,
    /// The client's number for this version.
    pub version: i32,
    /// The text; meaningless while out of sync.
    pub text: Rope,
    /// Whether `text` is the text that the editor shows.
    pub sync: Sync,
    /// The other files that the newest analysis depended on, of this version or an earlier one.
    pub depends_on: Arc<Vec<PathBuf>>,
    /// The newest version before this one that was analysed. With it less is done again; the result is the same.
    pub old: Option<Earlier>,
    /// The analysis.
    pub known: Slot,
    /// The analysis of an earlier version, where this one means the same.
    pub carried: Slot<Option<Arc<Analysed>>>,
    /// Answers before all is known.
    pub early: Early,
    /// The changes by macros that no flag decides, once a hover needs them.
    pub what_if: Slot<Arc<WhatIf>>,
    /// The newest version before this one of which all was known, until all of this one is.
    whole: Mutex<Option<Arc<Whole>>>,
    /// As `known`, with proved remedies for the findings. They take longest and are rarely requested.
    pub remedied: Slot,
    /// Number of its analyses, all versions together.
    analyses: Arc<AtomicUsize>,
    /// Other files that changed since this version is there, until it is analysed: the analysis may have read them
    /// before.
    overtaking: Mutex<Option<HashSet<PathBuf>>>,
}

/// Whether our text is the editor's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Sync {
    /// It is.
    Same,
    /// It is not, since an edit made no sense. Edits are ignored until the client sends the whole
    /// text (a change without a range, or by opening the document again).
    Lost(OutOfSync),
}

/// The reason why an edit is not valid. Positions are one-based: (line, column).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OutOfSync {
    /// It begins behind the last line.
    BehindEnd {
        /// The start of the edit.
        position: (u64, u64),
        /// Number of lines.
        lines: usize,
    },
    /// It ends before it begins.
    Reversed {
        /// The start of the edit.
        start: (u64, u64),
    },
    /// It begins or ends within a character.
    CutsCharacter {
        /// The position within the character.
        position: (u64, u64),
    },
    /// The notification could not be read.
    Unreadable(String),
}

impl fmt::Display for OutOfSync {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BehindEnd {
                position: (line, column),
                lines,
            } => {
                write!(
                    f,
                    "an edit begins at {line}:{column}, but the document has {lines} lines"
                )
            }
            Self::Reversed {
                start: (line, column),
            } => {
                write!(f, "an edit that begins at {line}:{column} ends before")
            }
            Self::CutsCharacter {
                position: (line, column),
            } => {
                write!(f, "an edit cuts the character at {line}:{column} in two")
            }
            Self::Unreadable(reason) => write!(f, "a change could not be read: {reason}"),
        }
    }
}

/// The path of a document, or its URI where it is not a file.
pub fn path_of(uri: &Url) -> PathBuf {
    match uri.to_file_path() {
        Ok(path) => normal(&path),
        Err(()) => PathBuf::from(uri.as_str()),
    }
}

impl Document {
    /// A document as the client opens it. `language` is the client's name for the language; the
    /// file's name decides where that says nothing.
    pub fn new(uri: Url, language: &str, version: i32, text: &str) -> Self {
        let host = Host::of_language_id(language).or_else(|| Host::of_path(Path::new(uri.path())));
        Self {
            uri,
            host,
            version,
            text: Rope::from_str(text),
            sync: Sync::Same,
            depends_on: Arc::default(),
            old: None,
            known: Slot::default(),
            carried: Slot::default(),
            early: Early::default(),
            what_if: Slot::default(),
            whole: Mutex::default(),
            remedied: Slot::default(),
            analyses: Arc::default(),
            overtaking: Mutex::new(Some(HashSet::new())),
        }
    }

    /// The next version: `changes` applied one after the other, each to the result of the one
    /// before.
    #[must_use]
    pub fn changed(
        &self,
        version: i32,
        changes: &[TextDocumentContentChangeEvent],
        encoding: Encoding,
    ) -> Self {
        let mut next = Self {
            version,
            old: self.newest(),
            whole: Mutex::new(self.newest_whole()),
            ..self.unanalysed()
        };
        let mut moves = Moves::default();
        for change in changes {
            next.apply(change, encoding, &mut moves);
        }
        next.move_whole(&moves);
        next
    }

    /// The same document, known to differ from the editor's.
    #[must_use]
    pub fn lost(&self, reason: OutOfSync) -> Self {
        Self {
            sync: Sync::Lost(reason),
            ..self.unanalysed()
        }
    }

    /// The same document, to be analysed again.
    #[must_use]
    pub fn unanalysed(&self) -> Self {
        Self {
            uri: self.uri.clone(),
            host: self.host,
            version: self.version,
            text: self.text.clone(),
            sync: self.sync.clone(),
            depends_on: self.dependencies(),
            old: None,
            known: Slot::default(),
            carried: Slot::default(),
            early: Early::default(),
            what_if: Slot::default(),
            whole: Mutex::new(self.newest_whole().map(|whole| Arc::new(whole.overtaken()))),
            remedied: Slot::default(),
            analyses: Arc::clone(&self.analyses),
            overtaking: Mutex::new(Some(HashSet::new())),
        }
    }

    /// Number of its analyses, all versions together.
    pub fn analyses(&self) -> usize {
        self.analyses.load(Ordering::Relaxed)
    }

    /// Notes that an analysis begins.
    pub fn count_analysis(&self) {
        self.analyses.fetch_add(1, Ordering::Relaxed);
    }

    /// Its path, or its URI where it is not a file.
    pub fn path(&self) -> PathBuf {
        path_of(&self.uri)
    }

    /// The other files that its analysis depends on.
    pub fn dependencies(&self) -> Arc<Vec<PathBuf>> {
        match self.known.peek() {
            Some(analysed) => Arc::new(analysed.analysis.files.clone()),
            None => Arc::clone(&self.depends_on),
        }
    }

    /// Notes that another file changed; whether the analysis of this version depends on it. Without an analysis yet,
    /// that is decided [once there is one](Self::was_overtaken).
    pub fn note_change(&self, path: &Path) -> bool {
        if let Some(overtaking) = &mut *self.overtaking() {
            overtaking.insert(path.to_owned());
        }
        self.depends_on_file(path)
    }

    /// Whether the analysis depends on a file: it was read, or an `#include` of a file of its name or a module of
    /// Python or Rust was not found, as it may be open and not on disk.
    fn depends_on_file(&self, path: &Path) -> bool {
        let Some(analysed) = self.known.peek() else {
            return self.depends_on.iter().any(|file| file == path);
        };
        let mut missing = analysed.analysis.inclusions.iter();
        analysed.analysis.files.iter().any(|file| file == path)
            || missing.any(|it| Path::new(&it.path).file_name() == path.file_name())
            || analysed.analysis.missing_files.iter().any(|it| it == path)
            || may_be_module(path, &analysed.analysis.missing_modules)
    }

    /// Whether a file that the analysis read has changed meanwhile, so that it may have read it before. Asked when
    /// the result is in its place.
    pub fn was_overtaken(&self) -> bool {
        let overtaking = self.overtaking().take().unwrap_or_default();
        overtaking.iter().any(|path| self.depends_on_file(path))
    }

    fn overtaking(&self) -> MutexGuard<'_, Option<HashSet<PathBuf>>> {
        let overtaking = self.overtaking.lock();
        overtaking.unwrap_or_else(PoisonError::into_inner)
    }

    /// The input of its analysis; `None` for a document of another language, out of sync or beyond [`FILE_BYTES`].
    pub fn source(&self) -> Option<Source> {
        let host = self.host.filter(|_| self.is_served())?;
        Some(Source {
            path: self.path(),
            text: self.text.clone(),
            host,
            old: self.old.clone(),
            parsed: None,
        })
    }

    /// Stops all work for this version.
    pub fn cancel(&self) {
        self.carried.cancel();
        self.early.cancel();
        self.what_if.cancel();
        for slot in [&self.known, &self.remedied] {
            slot.cancel();
        }
    }

    fn newest(&self) -> Option<Earlier> {
        match self.known.peek().or_else(|| self.early.newest()) {
            Some(analysed) => Some(analysed.as_earlier()),
            None => self.old.clone(),
        }
    }

    /// Whether translation units may include it: it is a header of C++.
    pub fn may_have_users(&self) -> bool {
        self.host == Some(Host::CudaCpp) && is_header(&self.path())
    }

    /// Whether a part of it may be evaluated before the rest: it is a header of C++, or its earlier version says how. Of a
    /// module of Python that is opened it is unknown whether its kernels need a search for supposed arguments.
    pub fn may_come_in_part(&self) -> bool {
        let comes_in_part = |before: Arc<Whole>| before.analysed.analysis.comes_in_part();
        let before = self.before();
        match self.host {
            Some(Host::CudaCpp) => self.may_have_users() || before.is_some_and(comes_in_part),
            Some(Host::Python) => before.is_none_or(comes_in_part),
            Some(Host::Rust) | None => false,
        }
    }

    /// The newest version before this one of which all was known, while not all of this one is.
    pub fn before(&self) -> Option<Arc<Whole>> {
        locked(&self.whole).clone()
    }

    /// Notes that all of this version is known: earlier results are not needed any more.
    pub fn forget_before(&self) {
        *locked(&self.whole) = None;
    }

    fn newest_whole(&self) -> Option<Arc<Whole>> {
        match self.known.peek() {
            Some(analysed) => Some(Arc::new(Whole {
                analysed,
                moves: Moves::default(),
                is_overtaken: false,
            })),
            None => self.before(),
        }
    }

    fn move_whole(&mut self, moves: &Moves) {
        let whole = self.whole.get_mut();
        if let Some(whole) = whole.unwrap_or_else(PoisonError::into_inner) {
            Arc::make_mut(whole).moves.extend(moves);
        }
    }

    /// Whether it can be analysed: in sync, and not beyond [`FILE_BYTES`].
    pub fn is_served(&self) -> bool {
        self.sync == Sync::Same && self.text.len_bytes() <= FILE_BYTES
    }

    /// The text with another piece in the place of a span; nothing where the span does not fit.
    pub fn with_replaced(&self, span: Span, with: &str) -> Option<Rope> {
        let mut text = self.text.clone();
        replace(&mut text, span.start..span.end, with).ok()?;
        Some(text)
    }

    /// The text after edits, which do not overlap; nothing where one does not fit.
    pub fn with_edits(&self, edits: &[Edit]) -> Option<Rope> {
        let mut ordered: Vec<&Edit> = edits.iter().collect();
        ordered.sort_by_key(|edit| std::cmp::Reverse(edit.span.start));
        let mut text = self.text.clone();
        for edit in ordered {
            replace(&mut text, edit.span.start..edit.span.end, &edit.new_text).ok()?;
        }
        Some(text)
    }

    /// Applies an edit, and adds it to `moves`.
    fn apply(
        &mut self,
        change: &TextDocumentContentChangeEvent,
        encoding: Encoding,
        moves: &mut Moves,
    ) {
        let Some(range) = change.range else {
            if locked(&self.whole).is_some() {
                moves.extend(&Moves::between(&self.text.to_string(), &change.text));
            }
            self.text = Rope::from_str(&change.text);
            self.sync = Sync::Same;
            return;
        };
        if self.sync != Sync::Same {
            return;
        }
        let replaced = from_proto::edited_bytes(&self.text, range, encoding).and_then(|bytes| {
            moves.add(bytes.clone(), change.text.len());
            replace(&mut self.text, bytes, &change.text)
        });
        if let Err(reason) = replaced {
            self.sync = Sync::Lost(reason);
        }
    }
}

fn replace(text: &mut Rope, bytes: Range<usize>, with: &str) -> Result<(), OutOfSync> {
    let unreadable = |error: ropey::Error| OutOfSync::Unreadable(error.to_string());
    let start = text.try_byte_to_char(bytes.start).map_err(unreadable)?;
    let end = text.try_byte_to_char(bytes.end).map_err(unreadable)?;
    text.try_remove(start..end).map_err(unreadable)?;
    text.try_insert(start, with).map_err(unreadable)
}

/// Whether a file may be one of the modules, `package.module` in `module.py` or `module/__init__.py`.
fn may_be_module(path: &Path, modules: &[String]) -> bool {
    if Host::of_path(path) != Some(Host::Python) {
        return false;
    }
    let of_package = path.file_stem().is_some_and(|stem| stem == "__init__");
    let name = if of_package {
        path.parent().and_then(Path::file_name)
    } else {
        path.file_stem()
    };
    let mut last = modules.iter().filter_map(|it| it.rsplit('.').next());
    last.any(|last| name.is_some_and(|name| name == last))
}

#[cfg(test)]
mod tests {
    use tower_lsp::lsp_types::{Position, Range};

    use super::*;

    fn open(text: &str) -> Document {
        let uri = Url::parse("file:///a.cu").expect("a URI");
        Document::new(uri, "cuda-cpp", 1, text)
    }

    fn change(range: Option<[u32; 4]>, text: &str) -> TextDocumentContentChangeEvent {
        let range = range.map(|[line, column, end_line, end_column]| {
            Range::new(
                Position::new(line, column),
                Position::new(end_line, end_column),
            )
        });
        TextDocumentContentChangeEvent {
            range,
            range_length: None,
            text: text.to_owned(),
        }
    }

    #[test]
    fn changes_apply_one_after_the_other() {
        let changes = [
            change(Some([0, 1, 0, 3]), "x\n"),
            change(Some([1, 0, 1, 1]), "𝛼"),
            change(None, ""),
        ];
        let document = open("a😀b");
        let next = document.changed(2, changes.get(..2).unwrap_or_default(), Encoding::Utf16);
        assert_eq!((next.text.to_string().as_str(), next.version), ("ax\n𝛼", 2));
        assert_eq!(document.text.to_string(), "a😀b");
        assert_eq!(
            document
                .changed(3, &changes, Encoding::Utf16)
                .text
                .to_string(),
            ""
        );
    }

    #[test]
    fn after_a_senseless_edit_nothing_is_served_until_the_whole_text_comes() {
        let lost = open("ab").changed(
            2,
            &[
                change(Some([5, 0, 5, 0]), "x"),
                change(Some([0, 0, 0, 1]), "y"),
            ],
            Encoding::Utf16,
        );
        assert_eq!(
            lost.sync,
            Sync::Lost(OutOfSync::BehindEnd {
                position: (6, 1),
                lines: 1
            })
        );
        assert!(!lost.is_served());
        let still = lost.changed(3, &[change(Some([0, 0, 0, 0]), "z")], Encoding::Utf16);
        assert!(!still.is_served());
        let again = still.changed(4, &[change(None, "new")], Encoding::Utf16);
        assert!(again.is_served());
        assert_eq!(again.text.to_string(), "new");
    }

    #[test]
    fn a_document_is_served_up_to_the_limit_and_again_when_it_shrinks() {
        let at_limit = open(&"x".repeat(FILE_BYTES));
        assert!(at_limit.is_served());
        let beyond = at_limit.changed(2, &[change(Some([0, 0, 0, 0]), "x")], Encoding::Utf8);
        assert!(!beyond.is_served());
        let shrunk = beyond.changed(3, &[change(Some([0, 0, 0, 1]), "")], Encoding::Utf8);
        assert!(shrunk.is_served());
    }
}
