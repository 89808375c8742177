//! The files of a program, and where the analysis asks for them.
//!
//! The analysis never touches a file system. It resolves an `#include` through a [`Sources`] and is given files that
//! are lowered already. All files share **one space of positions**, as in a compiler's source map: the file that is
//! analysed starts at 0, every other one at a separate base from [`Positions`], by which its spans are shifted. So a
//! [`Span`] says which file it is in, and nothing between the sources and the edge has to carry files along.

use std::any::Any;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use tree_sitter_cute::cuda::Fragments;
use tree_sitter_cute::limits::SOURCE_BYTES;
use tree_sitter_cute::lines::Lines;
use tree_sitter_cute::script::Script;
use tree_sitter_cute::tree::{Comment, Expr, Include, Item, Span, Unit};
use tree_sitter_cute::{Budget, Host, Syntax};

use crate::directive::{self, Directive};
use crate::mentions::Mentions;
use crate::reason::Reason;
use crate::surface::Surface;
use crate::vocabulary::rust;
use crate::words::Names;

/// A file of a program, lowered. Its spans, those of its unit included, are shifted by its base.
pub struct SourceFile {
    path: PathBuf,
    text: Arc<str>,
    /// The syntax that its unit is lowered from, where that is kept: edited copies are parsed at the cost of the edits.
    syntax: Option<Arc<Syntax>>,
    /// Its host language and the time limit of a parse, for a file that is parsed when its unit is requested.
    unread: Option<(Host, Duration)>,
    /// Its declarations, once requested.
    unit: OnceLock<Unit>,
    base: usize,
    library: bool,
    /// Its statements as Python, once requested.
    script: OnceLock<Arc<Script>>,
    /// The names that it may declare, once requested.
    surface: OnceLock<Surface>,
    /// Its lines, once requested.
    lines: OnceLock<Lines>,
    /// Its names, once requested.
    names: OnceLock<Names>,
    /// The names that its functions and classes mention, once requested.
    mentions: OnceLock<Mentions>,
    /// Its directives, once requested.
    directives: OnceLock<Vec<Directive>>,
    /// The trees of expansions of its macros.
    fragments: Fragments,
}

impl SourceFile {
    /// The file that is analysed: it is at 0, so its spans are its byte offsets. `text` is the text that `unit` was
    /// lowered from; `path` is how [`Sources`] know the file.
    pub fn analysed(path: impl Into<PathBuf>, text: impl Into<Arc<str>>, unit: Unit) -> Self {
        Self::at(path.into(), text.into(), Some(unit), 0)
    }

    /// The analysed file, lowered only in the parts that are needed. `text` is the text that `syntax` was parsed from.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use cute_analysis::SourceFile;
    /// # use tree_sitter_cute::{Budget, Host, Syntax};
    /// let text = "auto x = 1;";
    /// let syntax = Syntax::parse(Host::CudaCpp, text, None, Budget::unlimited()).unwrap();
    /// let file = SourceFile::parsed("x.cu", text, Arc::new(syntax));
    /// assert_eq!(file.unit().items.len(), 1);
    /// ```
    pub fn parsed(
        path: impl Into<PathBuf>,
        text: impl Into<Arc<str>>,
        syntax: Arc<Syntax>,
    ) -> Self {
        Self {
            syntax: Some(syntax),
            ..Self::at(path.into(), text.into(), None, 0)
        }
    }

    /// Another file, at a separate place among `positions`.
    pub fn other(
        path: impl Into<PathBuf>,
        text: impl Into<Arc<str>>,
        mut unit: Unit,
        positions: &Positions,
    ) -> Self {
        let text = text.into();
        let base = positions.take(text.len());
        unit.shift(base);
        Self::at(path.into(), text, Some(unit), base)
    }

    fn at(path: PathBuf, text: Arc<str>, unit: Option<Unit>, base: usize) -> Self {
        Self {
            path,
            text,
            syntax: None,
            unread: None,
            script: OnceLock::new(),
            surface: OnceLock::new(),
            unit: unit.map(OnceLock::from).unwrap_or_default(),
            base,
            library: false,
            lines: OnceLock::new(),
            names: OnceLock::new(),
            mentions: OnceLock::new(),
            directives: OnceLock::new(),
            fragments: Fragments::default(),
        }
    }

    /// The same file with a part of its declarations.
    pub(crate) fn with_part(&self, unit: Unit) -> Self {
        let directives = self.directives().to_vec();
        Self {
            directives: OnceLock::from(directives),
            ..Self::at(self.path.clone(), self.shared_text(), Some(unit), self.base)
        }
    }

    /// A file of a library whose words the vocabulary knows, at a separate place among `positions`: its declaration of
    /// such a name is the one of the vocabulary. It is parsed when one of its declarations is needed, for at most
    /// `time`; the part that is not parsed by then declares nothing.
    pub fn of_library(
        path: impl Into<PathBuf>,
        text: impl Into<Arc<str>>,
        host: Host,
        time: Duration,
        positions: &Positions,
    ) -> Self {
        let text = text.into();
        let base = positions.take(text.len());
        Self {
            unread: Some((host, time)),
            library: true,
            ..Self::at(path.into(), text, None, base)
        }
    }

    /// Another file, at a separate place among `positions`, that is parsed when one of its declarations is needed, for
    /// at most `time`.
    pub fn unread(
        path: impl Into<PathBuf>,
        text: impl Into<Arc<str>>,
        host: Host,
        time: Duration,
        positions: &Positions,
    ) -> Self {
        Self {
            library: false,
            ..Self::of_library(path, text, host, time, positions)
        }
    }

    /// The file as a Python script, read once.
    pub(crate) fn script(&self) -> Arc<Script> {
        self.script_after(&Script::default())
    }

    /// The same, with what it shares with another version of the file where it was not read.
    pub(crate) fn script_after(&self, before: &Script) -> Arc<Script> {
        let script = self
            .script
            .get_or_init(|| Arc::new(Script::read_after(&self.text, before)));
        Arc::clone(script)
    }

    /// The same file as the one that is analysed: it is at 0. The lowered parts are copied, which takes a part of the
    /// time of reading them again.
    ///
    /// ```
    /// # use cute_analysis::{Positions, SourceFile};
    /// # use tree_sitter_cute::{Budget, Host, Syntax};
    /// let text = "auto x = 1;";
    /// let syntax = Syntax::parse(Host::CudaCpp, text, None, Budget::unlimited()).unwrap();
    /// let other = SourceFile::other("x.cu", text, syntax.lower(text), &Positions::default());
    /// assert_eq!(*other.at_start().unit(), syntax.lower(text));
    /// ```
    #[must_use]
    pub fn at_start(&self) -> Self {
        let mut unit = self.unit().clone();
        unit.shift_back(self.base);
        Self::at(self.path.clone(), self.shared_text(), Some(unit), 0)
    }

    /// The same with the syntax of its unit, so that edited copies of it are parsed at the cost of the edits. No result
    /// depends on it.
    #[must_use]
    pub fn with_syntax(mut self, syntax: Arc<Syntax>) -> Self {
        self.syntax = Some(syntax);
        self
    }

    /// Its path for [`Sources`]. Two files are the same when their paths are equal.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Its name without folders, for a person.
    pub fn name(&self) -> String {
        let name = self.path.file_name().unwrap_or(self.path.as_os_str());
        name.to_string_lossy().into_owned()
    }

    /// Its text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Its text, shared.
    pub(crate) fn shared_text(&self) -> Arc<str> {
        Arc::clone(&self.text)
    }

    /// The syntax that its unit was lowered from, where that is kept.
    pub(crate) fn syntax(&self) -> Option<&Arc<Syntax>> {
        self.syntax.as_ref()
    }

    /// Its declarations, with shifted spans.
    pub fn unit(&self) -> &Unit {
        self.unit.get_or_init(|| match (&self.syntax, self.unread) {
            (Some(syntax), _) => syntax.lower(&self.text),
            (None, Some((host, time))) => {
                let budget = Budget::for_at_most(time);
                let syntax = Syntax::parse(host, &self.text, None, budget);
                let unit = syntax.map(|syntax| syntax.into_unit(&self.text));
                let mut unit = unit.unwrap_or_default();
                unit.shift(self.base);
                unit
            }
            (None, None) => Unit::default(),
        })
    }

    /// Whether its declarations were requested, or given.
    pub fn is_parsed(&self) -> bool {
        self.unit.get().is_some()
    }

    /// The names that it may declare, and its includes, without parsing it.
    pub fn surface(&self) -> &Surface {
        self.surface.get_or_init(|| Surface::of(&self.text))
    }

    /// Its comments, with shifted spans.
    pub(crate) fn comments(&self) -> &[Comment] {
        match &self.syntax {
            Some(syntax) => syntax.comments(),
            None => &self.unit().comments,
        }
    }

    /// Whether it belongs to a library whose words the vocabulary knows.
    pub fn is_library(&self) -> bool {
        self.library
    }

    /// Its start in the space of all files.
    pub(crate) fn base(&self) -> usize {
        self.base
    }

    /// Whether it contains a span.
    pub fn contains(&self, span: Span) -> bool {
        span.start >= self.base && span.start - self.base <= self.text.len()
    }

    /// All of it, with the place behind its last byte.
    pub(crate) fn span(&self) -> Span {
        Span::new(self.base, self.base + self.text.len() + 1)
    }

    /// A span of it as byte offsets of its text.
    pub fn local(&self, span: Span) -> Span {
        Span::new(
            span.start.saturating_sub(self.base),
            span.end.saturating_sub(self.base),
        )
    }

    /// The text that a span of it covers.
    pub fn slice(&self, span: Span) -> &str {
        self.local(span).text(&self.text)
    }

    /// The line, from 1, in which a span of it starts.
    pub fn line(&self, span: Span) -> usize {
        let start = self.local(span).start;
        let lines = self.lines.get_or_init(|| Lines::of(&self.text));
        lines.line(start)
    }

    /// The names that it declares and mentions.
    pub(crate) fn names(&self) -> &Names {
        self.names.get_or_init(|| {
            // The text that a library's macros paste is its own.
            let own: &[Item] = if self.library {
                &[]
            } else {
                &self.unit().items
            };
            Names::of(self.text(), own, |span| self.slice(span))
        })
    }

    /// The names that its functions and classes mention.
    pub(crate) fn mentions(&self) -> &Mentions {
        self.mentions.get_or_init(|| Mentions::of(self.unit()))
    }

    /// The trees of expansions of its macros, of all evaluations.
    pub(crate) fn fragments(&self) -> &Fragments {
        &self.fragments
    }

    /// Its directives.
    pub(crate) fn directives(&self) -> &[Directive] {
        self.directives.get_or_init(|| directive::read_all(self))
    }
}

impl fmt::Debug for SourceFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SourceFile")
            .field("path", &self.path)
            .field("base", &self.base)
            .finish_non_exhaustive()
    }
}

/// The space in which files have their places. One for all files that may ever meet.
#[derive(Debug)]
pub struct Positions(AtomicUsize);

impl Default for Positions {
    fn default() -> Self {
        // Behind every file that may be analysed itself.
        Self(AtomicUsize::new(SOURCE_BYTES + 1))
    }
}

impl Positions {
    /// Takes room for a file; the byte behind it is its own, too.
    fn take(&self, bytes: usize) -> usize {
        self.0.fetch_add(bytes + 1, Ordering::Relaxed)
    }
}

/// The outcome of an `#include`.
#[derive(Debug, Clone)]
pub enum Included {
    /// This file.
    File(Arc<SourceFile>),
    /// Nothing to read: a header whose words are the vocabulary's, or one of the compiler's own.
    Known,
    /// No file that can be read, and why, in words: `no such file in ...`.
    Missing(String),
    /// A file here, which the project may not read.
    Outside(PathBuf),
}

/// A macro that is defined before the first line of a translation unit.
#[derive(Debug, Clone, PartialEq)]
pub struct Predefined {
    /// Its name.
    pub name: String,
    /// Its replacement, where that is an expression; its spans mean nothing.
    pub value: Option<Expr>,
}

/// The origin of the files of an analysis. The same file is requested again in each analysis, so answers are best kept.
pub trait Sources {
    /// The file that an `#include` in `from` refers to. Without other files every one is taken for one of the vocabulary's.
    fn include(&self, from: &SourceFile, include: &Include) -> Included {
        let _ = (from, include);
        Included::Known
    }

    /// The translation units that include `file`, directly or not, and so instantiate its declarations; none for a file
    /// that is a translation unit itself. For a module of Python, the modules that import it, directly or not, the
    /// nearest first.
    fn users(&self, file: &SourceFile) -> Vec<Arc<SourceFile>> {
        let _ = file;
        Vec::new()
    }

    /// Number of translation units that include `file`; [`Sources::users`] may leave out the farthest.
    fn count_users(&self, file: &SourceFile) -> usize {
        self.users(file).len()
    }

    /// The macros that the compiler of `file` defines.
    fn predefined(&self, file: &SourceFile) -> Vec<Predefined> {
        let _ = file;
        Vec::new()
    }

    /// Results of translation units for headers, where many headers are requested one after the other. It is a
    /// [`crate::Units`]: whoever evaluates them knows their type, files do not.
    fn units(&self) -> Option<&(dyn Any + Send + Sync)> {
        None
    }

    /// The Python module of a whole name, `package.module`, as an import in `from` finds it while `focus` is analysed.
    fn module(&self, focus: &SourceFile, from: &SourceFile, name: &str) -> Option<Arc<SourceFile>> {
        let _ = (focus, from, name);
        None
    }

    /// The text of a file of the project that a script of Python reads, by its path.
    fn text(&self, path: &Path) -> Option<Arc<str>> {
        let _ = path;
        None
    }

    /// The modules that were requested and found where the project may not read, each with its file.
    fn refused_modules(&self) -> Vec<(String, PathBuf)> {
        Vec::new()
    }

    /// The whole names of the modules that no file has.
    fn missing_modules(&self) -> Vec<String> {
        Vec::new()
    }

    /// The crates that the manifest of a Rust file names, and the one that its package is for its other targets.
    fn crates(&self, file: &SourceFile) -> Vec<Crate> {
        let _ = file;
        Vec::new()
    }

    /// The files of Rust modules that are not there, and the files in which a crate could have started.
    fn missing_files(&self) -> Vec<PathBuf> {
        Vec::new()
    }

    /// The store for results of Python modules, for the next analysis of a file. It is a [`crate::Worlds`].
    fn worlds(&self) -> Option<&(dyn Any + Send + Sync)> {
        None
    }

    /// The whole name of the Python module of a file, where it is in a package.
    fn module_name(&self, file: &SourceFile) -> Option<String> {
        let _ = file;
        None
    }

    /// The exact version of a Python package that the project of a file asks for or has installed.
    fn package_version(&self, file: &SourceFile, package: &str) -> Option<crate::PackageVersion> {
        let _ = (file, package);
        None
    }

    /// A file whose statements are templates with arguments, `gemm<half_t, 128>`: instances that the
    /// project asks for besides those of its sources.
    fn asked(&self) -> Option<Arc<SourceFile>> {
        None
    }
}

/// A crate that another one depends on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Crate {
    /// Its name in sources.
    pub name: String,
    /// The name of its package.
    pub package: String,
    /// The file in which it starts, where the manifest leads to its sources.
    pub start: Option<PathBuf>,
}

impl Crate {
    /// Whether the vocabulary has what a package declares, so that its sources are not needed.
    ///
    /// ```
    /// use cute_analysis::Crate;
    ///
    /// assert!(Crate::is_known("cuda-device"));
    /// assert!(!Crate::is_known("serde"));
    /// ```
    pub fn is_known(package: &str) -> bool {
        rust::library(&package.replace('-', "_")).is_some()
    }
}

/// No other file: every `#include` is taken for one of the vocabulary's.
#[derive(Debug, Clone, Copy, Default)]
pub struct Alone;

impl Sources for Alone {}

/// The outcome of an `#include`, a `mod` or an `import` of the analysed file or of one that it reads.
#[derive(Debug, Clone, PartialEq)]
pub struct Inclusion {
    /// The path between the quotes or angle brackets; for a module its file or its name.
    pub path: String,
    /// The place of that statement; empty for a module of Python, which may be imported in several places.
    pub span: Span,
    /// Why it could not be read.
    pub problem: Reason,
}
