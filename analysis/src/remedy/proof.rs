//! Whether edits remove a finding and bring no other.

use std::sync::Arc;

use tree_sitter_cute::tree::Span;
use tree_sitter_cute::{Budget, Syntax};

use super::{Search, Traces};
use crate::analyse::analyse_without_remedies;
use crate::fact::Analysis;
use crate::finding::{Edit, Finding};
use crate::sources::SourceFile;

/// The additional condition after edits: in the new analysis, at the place of the finding.
type Holds<'a> = &'a dyn Fn(&Analysis, &Traces, Span) -> bool;

impl Search<'_> {
    /// The syntax that the file was lowered from: copies share with it the parts that edits leave alone.
    fn syntax(&self) -> Option<&Syntax> {
        let known = || self.file.syntax().cloned();
        let parsed = || {
            let text = self.file.text();
            let syntax = Syntax::parse(self.options.host, text, None, Budget::unlimited());
            syntax.ok().map(Arc::new)
        };
        let syntax = self.syntax.get_or_init(|| known().or_else(parsed));
        syntax.as_deref()
    }

    /// Applies edits to a copy of the text and analyses it again.
    pub(super) fn is_proved(&self, edits: &[Edit], finding: &Finding, holds: Holds<'_>) -> bool {
        let Some(edited) = applied(edits, self.file.text()) else {
            return false;
        };
        let host = self.options.host;
        let Ok(syntax) = Syntax::parse(host, &edited, self.syntax(), Budget::unlimited()) else {
            return false;
        };
        let file = SourceFile::parsed(self.file.path(), edited, Arc::new(syntax));
        let mut memo = self.memo.clone();
        let (after, traces) =
            analyse_without_remedies(&file, self.sources, self.options, Some(&mut memo));
        let count = |analysis: &Analysis, rule: &str| {
            analysis
                .findings
                .iter()
                .filter(|finding| finding.rule == rule)
                .count()
        };
        let fewer = count(&after, finding.rule) < count(self.before, finding.rule);
        let none_new = after
            .findings
            .iter()
            .all(|found| count(&after, found.rule) <= count(self.before, found.rule));
        fewer && none_new && holds(&after, &traces, moved(finding.span, edits))
    }
}

/// The text after edits; `None` when they overlap or leave the text.
pub(super) fn applied(edits: &[Edit], text: &str) -> Option<String> {
    let mut ordered: Vec<&Edit> = edits.iter().collect();
    ordered.sort_by_key(|edit| edit.span.start);
    let mut edited = String::with_capacity(text.len() + 16);
    let mut at = 0;
    for edit in ordered {
        edited.push_str(text.get(at..edit.span.start)?);
        edited.push_str(&edit.new_text);
        at = edit.span.end;
    }
    edited.push_str(text.get(at..)?);
    Some(edited)
}

/// The place of a span after edits.
fn moved(span: Span, edits: &[Edit]) -> Span {
    let shift = |byte: usize, inclusive: bool| {
        edits.iter().fold(byte as i64, |at, edit| {
            let before = if inclusive {
                edit.span.end <= byte
            } else {
                edit.span.end <= span.start
            };
            if before {
                at + edit.new_text.len() as i64 - edit.span.len() as i64
            } else {
                at
            }
        })
    };
    let start = usize::try_from(shift(span.start, false)).unwrap_or_default();
    let end = usize::try_from(shift(span.end, true)).unwrap_or_default();
    Span::new(start, end)
}
