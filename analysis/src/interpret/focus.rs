//! The files whose facts are kept.

use tree_sitter_cute::tree::Span;

use crate::limits;
use crate::sources::SourceFile;

/// The files whose facts are kept, in the order of their places.
#[derive(Debug, Clone)]
pub(super) struct Focus<'u> {
    files: Vec<Focused<'u>>,
    /// Whether there is no file, and everything is kept.
    is_everything: bool,
}

/// A file whose facts are kept.
#[derive(Debug, Clone, Copy)]
pub(super) struct Focused<'u> {
    pub(super) file: &'u SourceFile,
    /// Instances that are kept of one of its functions or classes.
    pub(super) quota: usize,
}

impl<'u> Focus<'u> {
    /// Whatever is evaluated: an expression has no file.
    pub(super) fn everything() -> Self {
        Self {
            files: Vec::new(),
            is_everything: true,
        }
    }

    /// The focus on one file.
    pub(super) fn on(file: &'u SourceFile, quota: usize) -> Self {
        Self::on_all(vec![Focused { file, quota }])
    }

    /// The focus on some files.
    pub(super) fn on_all(mut files: Vec<Focused<'u>>) -> Self {
        files.sort_by_key(|focused| focused.file.base());
        Self {
            files,
            is_everything: false,
        }
    }

    pub(super) fn files(&self) -> &[Focused<'u>] {
        &self.files
    }

    /// The file, where there is just one.
    pub(super) fn only(&self) -> Option<&'u SourceFile> {
        match self.files.as_slice() {
            [only] => Some(only.file),
            _ => None,
        }
    }

    /// Whether facts at a place are kept.
    pub(super) fn contains(&self, span: Span) -> bool {
        self.is_everything || self.at(span).is_some()
    }

    /// Whether two places are in one file whose facts are kept.
    pub(super) fn share_a_file(&self, one: Span, other: Span) -> bool {
        let file = self.at(one).map(|focused| focused.file);
        self.is_everything || file.is_some_and(|file| file.contains(other))
    }

    /// Whether the facts of a file are kept.
    pub(super) fn has(&self, file: &SourceFile) -> bool {
        let mut files = self.files.iter();
        files.any(|focused| std::ptr::eq(focused.file, file))
    }

    /// The file that contains a place, if its facts are kept.
    fn at(&self, span: Span) -> Option<&Focused<'u>> {
        let behind = self
            .files
            .partition_point(|focused| focused.file.base() <= span.start);
        let focused = self.files.get(behind.checked_sub(1)?)?;
        focused.file.contains(span).then_some(focused)
    }

    /// Instances that are kept of the function or class that is declared at a place; of those of other
    /// files, which only lead here, as many as of any.
    pub(super) fn quota(&self, name: Option<Span>) -> usize {
        let quotas = self.files.iter().map(|focused| focused.quota);
        let own = name.and_then(|name| self.at(name)).map(|own| own.quota);
        own.or(quotas.max())
            .unwrap_or(limits::INSTANCES_PER_FUNCTION)
    }
}
