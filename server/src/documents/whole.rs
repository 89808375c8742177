//! The newest version of a document of which all was known.

use std::sync::Arc;

use cute_analysis::{Finding, Moves};
use tree_sitter_cute::tree::Span;

use super::Analysed;

/// The newest version of which all instances were known, and what was replaced since.
#[derive(Debug, Clone)]
pub struct Whole {
    /// That version.
    pub analysed: Arc<Analysed>,
    /// Where its bytes are now.
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

    /// What was wrong then, where it stands now; what was edited is left out. Remedies were proved for that
    /// version only.
    pub fn moved_findings(&self) -> Vec<Finding> {
        let findings = self.analysed.analysis.findings.iter();
        findings.filter_map(|it| self.moved(it)).collect()
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

    /// Where a span is now; `None` where something in it was replaced.
    fn now(&self, span: Span) -> Option<Span> {
        let start = self.moves.now(span.start)?;
        let last = self.moves.now(span.end.checked_sub(1)?)?;
        let now = Span::new(start, last + 1);
        (now.len() == span.len()).then_some(now)
    }
}
