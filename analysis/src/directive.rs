//! What comments tell the analysis: `cute: assume FACT, ...` and `cute: allow(rule, ...)`.
//!
//! A directive holds for the enclosing function (`assume`) or the next statement (`allow`), and
//! for the whole file where it stands before any code.

use tree_sitter_cute::tree::{Item, ItemKind, Span, Unit};

use crate::assume::{Assumption, AssumptionError};
use crate::sources::SourceFile;
use crate::walk;

/// A directive with the part of the file that it holds for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Directive {
    /// The comment.
    pub span: Span,
    /// Where it holds.
    pub scope: Span,
    /// What it says.
    pub kind: DirectiveKind,
}

/// What a directive says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DirectiveKind {
    /// `cute: assume m=5120, ldA % 8 == 0`.
    Assume(Vec<Assumption>),
    /// `cute: allow(over-covers)`: the named rules are not reported.
    Allow(Vec<String>),
    /// It begins like one and cannot be read.
    Malformed {
        /// What is wrong with it.
        message: String,
    },
}

impl Directive {
    /// Whether it holds at a byte of the source.
    pub fn covers(&self, byte: usize) -> bool {
        self.scope.contains(byte)
    }
}

/// The directives in the comments of a file, in source order.
pub fn directives(file: &SourceFile) -> Vec<Directive> {
    let unit = file.unit();
    let spans = ItemSpans::of(unit);
    let whole = file.span();
    unit.comments
        .iter()
        .filter_map(|comment| {
            let said = file.slice(comment.content).trim();
            let order = said.strip_prefix("cute:")?;
            if order.starts_with(':') {
                return None;
            }
            let kind = read(order.trim())?;
            let scope = match &kind {
                DirectiveKind::Allow(_) => spans.next_statement(comment.span),
                _ => spans.enclosing_function(comment.span),
            };
            Some(Directive {
                span: comment.span,
                scope: scope.unwrap_or(whole),
                kind,
            })
        })
        .collect()
}

/// Reads what follows `cute:`; `None` for orders of other parts of the tool.
fn read(order: &str) -> Option<DirectiveKind> {
    if let Some(facts) = order.strip_prefix("assume") {
        let facts: Result<Vec<Assumption>, AssumptionError> =
            facts.split(',').map(str::parse).collect();
        return Some(match facts {
            Ok(facts) => DirectiveKind::Assume(facts),
            Err(error) => DirectiveKind::Malformed {
                message: error.to_string(),
            },
        });
    }
    let rules = order.strip_prefix("allow")?.trim();
    let inside = rules
        .strip_prefix('(')
        .and_then(|rest| rest.split_once(')'))
        .map(|(inside, _)| inside);
    Some(match inside {
        Some(names) => DirectiveKind::Allow(
            names
                .split(',')
                .map(|name| name.trim().to_owned())
                .collect(),
        ),
        None => DirectiveKind::Malformed {
            message: "expected `allow(rule)`".to_owned(),
        },
    })
}

/// Where the items of a file are.
struct ItemSpans {
    /// All items, outer ones before inner ones that start at the same byte.
    all: Vec<Span>,
    functions: Vec<Span>,
}

impl ItemSpans {
    fn of(unit: &Unit) -> Self {
        let mut all = Vec::new();
        let mut functions = Vec::new();
        walk::items(&unit.items, &mut |item: &Item| {
            all.push(item.span);
            if matches!(item.kind, ItemKind::Function(_)) {
                functions.push(item.span);
            }
        });
        Self { all, functions }
    }

    fn before_any_code(&self, comment: Span) -> bool {
        self.all.iter().all(|span| comment.end <= span.start)
    }

    /// The statement after a comment; `None` (the file) when the comment precedes all code.
    fn next_statement(&self, comment: Span) -> Option<Span> {
        if self.before_any_code(comment) {
            return None;
        }
        let next = self
            .all
            .iter()
            .filter(|span| span.start >= comment.end)
            .min_by_key(|span| (span.start, std::cmp::Reverse(span.end)));
        // After the last statement a directive holds for nothing.
        Some(next.copied().unwrap_or(Span::new(comment.end, comment.end)))
    }

    /// The innermost function around a comment; `None` (the file) before all code.
    fn enclosing_function(&self, comment: Span) -> Option<Span> {
        if self.before_any_code(comment) {
            return None;
        }
        let inner = self
            .functions
            .iter()
            .filter(|span| span.encloses(comment))
            .min_by_key(|span| span.len());
        Some(
            inner
                .copied()
                .unwrap_or(Span::new(comment.end, comment.end)),
        )
    }
}
