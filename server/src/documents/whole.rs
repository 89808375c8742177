//! The newest version of a document of which all was known.

use std::ops::Range;
use std::sync::Arc;

use cute_analysis::{Finding, Moves};
use tree_sitter_cute::tree::{Item, ItemKind, Span, Visitor, walk_item, walk_unit};

use super::Analysed;

/// The newest version of which all instances were known, and the replacements since.
#[derive(Debug, Clone)]
pub struct Whole {
    /// That version.
    pub analysed: Arc<Analysed>,
    /// The new places of its bytes.
    pub moves: Moves,
    /// Whether something else that it depends on may have changed since.
    pub is_overtaken: bool,
}

impl Whole {
    /// The same, once something else that it depends on may have changed.
    #[must_use]
    pub fn overtaken(&self) -> Self {
        Self {
            is_overtaken: true,
            ..self.clone()
        }
    }

    /// The findings of that version, at their new places; those in edited text are left out. Remedies were proved for
    /// that version only.
    pub fn moved_findings(&self) -> Vec<Finding> {
        let findings = self.analysed.analysis.findings.iter();
        findings.filter_map(|it| self.moved(it)).collect()
    }

    /// The innermost declarations of then in which `text`, that of now, differs: functions, and other declarations in
    /// namespaces and classes. Bytes are those of then.
    pub fn edited_in(&self, text: &str) -> Vec<Range<usize>> {
        let mut found = Declarations(Vec::new());
        walk_unit(&mut found, &self.analysed.unit());
        let then = &*self.analysed.text;
        let is_edited = |span: &Span| {
            let now = self.now(*span);
            now.and_then(|now| text.get(now.start..now.end)) != then.get(span.start..span.end)
        };
        let edited = found.0.into_iter().filter(is_edited);
        edited.map(|span| span.start..span.end).collect()
    }

    fn moved(&self, finding: &Finding) -> Option<Finding> {
        let mut moved = finding.clone();
        moved.remedies.clear();
        moved.span = self.now(finding.span)?;
        for related in &mut moved.related {
            related.span = self.now(related.span)?;
        }
        Some(moved)
    }

    /// The new place of a span; `None` where something in it was replaced.
    pub fn now(&self, span: Span) -> Option<Span> {
        let start = self.moves.now(span.start)?;
        let last = self.moves.now(span.end.checked_sub(1)?)?;
        let now = Span::new(start, last + 1);
        (now.len() == span.len()).then_some(now)
    }
}

/// The declarations that are in namespaces and classes, as a walk over a source finds them.
struct Declarations(Vec<Span>);

impl Visitor for Declarations {
    fn item(&mut self, item: &Item) {
        match &item.kind {
            ItemKind::Namespace(_)
            | ItemKind::Record(_)
            | ItemKind::Impl(_)
            | ItemKind::Conditional(_) => walk_item(self, item),
            _ => self.0.push(item.span),
        }
    }
}
