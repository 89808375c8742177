//! Statements to the analysis in comments, the same in every language:
//!
//! | directive | holds for |
//! |---|---|
//! | `cute: assume FACT, ...` | the function around it, or the one that it is above; the file, where it is before any code |
//! | `cute: allow(rule, ...)` | the next statement; the file, where it is before any code |
//! | `cute: instantiate NAME<...>` | the next template, which has this instance in addition |
//! | `cute: instantiate NAME(...)` | Python: the file, in which this object or call is made in addition |
//! | `cute: run [offsets \| copy dst=NAME \| banks \| tma \| ldmatrix \| stmatrix \| wgmma \| tcgen05] [n=SAMPLES]` | the layout bound on the next line, or stated there in a comment |
//!
//! `FACT` is an [`Assumption`], read as `--assume` and the JSON interface read it.

mod read;
mod report;
mod run_order;

use tree_sitter_cute::tree::{Comment, Expr, Item, ItemKind, Span, Unit};

use crate::assume::Assumption;
use crate::sources::SourceFile;
use crate::walk;

pub(crate) use read::moved;
pub(crate) use report::findings;
pub use run_order::{RunKind, RunOrder, RunOrderError};

/// A directive with the part of the file that it holds for.
#[derive(Debug, Clone, PartialEq)]
pub struct Directive {
    /// The comment.
    pub span: Span,
    /// Its scope.
    pub scope: Span,
    /// Its kind.
    pub kind: DirectiveKind,
}

/// The kind of a directive.
#[derive(Debug, Clone, PartialEq)]
pub enum DirectiveKind {
    /// `cute: assume m=5120, ldA % 8 == 0`, each fact with its place.
    Assume(Vec<(Assumption, Span)>),
    /// `cute: allow(over-covers)`: the named rules are not reported.
    Allow(Vec<String>),
    /// `cute: instantiate gemm<half_t, 128>`: the template with its arguments.
    Instantiate(Expr),
    /// `cute: instantiate Kernel(BFloat16, 128)` in Python: the place of the call.
    Make(Span),
    /// `cute: run`: the layout is executed on request.
    Run(RunOrder),
    /// It begins like one and cannot be read.
    Malformed {
        /// From where on it cannot be read.
        span: Span,
        /// The expected text.
        expected: String,
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
    file.directives().to_vec()
}

/// Reads the directives of a file.
pub(crate) fn read_all(file: &SourceFile) -> Vec<Directive> {
    // A header of a library is not parsed for that.
    if !read::may_have_directives(file.text()) {
        return Vec::new();
    }
    let said: Vec<(&Comment, DirectiveKind)> = file
        .comments()
        .iter()
        .filter_map(|comment| read::directive(file, comment).map(|kind| (comment, kind)))
        .collect();
    // Most files have none, and then nothing is walked.
    if said.is_empty() {
        return Vec::new();
    }
    let spans = ItemSpans::of(file.unit());
    let whole = file.span();
    said.into_iter()
        .map(|(comment, kind)| {
            let kind = spans.checked(kind, comment.span);
            let scope = match &kind {
                DirectiveKind::Allow(_) => spans.next_statement(comment.span),
                DirectiveKind::Instantiate(_) => {
                    let next = spans.next_template(comment.span);
                    Some(next.map_or(Span::new(comment.span.end, comment.span.end), |next| next.0))
                }
                DirectiveKind::Run(_) => Some(next_line(file, comment.span)),
                _ => spans.enclosing_function(comment.span),
            };
            Directive {
                span: comment.span,
                scope: scope.unwrap_or(whole),
                kind,
            }
        })
        .collect()
}

/// An order of the source to run the layout that is bound on a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Annotation {
    /// The comment.
    pub span: Span,
    /// The line.
    pub line: Span,
    /// The order to run.
    pub order: RunOrder,
}

/// The orders to run something, each with the line that it is about.
pub(crate) fn orders(directives: &[Directive]) -> Vec<Annotation> {
    let of_one = |directive: &Directive| match &directive.kind {
        DirectiveKind::Run(order) => Some(Annotation {
            span: directive.span,
            line: directive.scope,
            order: order.clone(),
        }),
        _ => None,
    };
    directives.iter().filter_map(of_one).collect()
}

/// The line after the one on which a comment ends.
fn next_line(file: &SourceFile, comment: Span) -> Span {
    let end = file.local(comment).end;
    let behind = file.text().get(end..).unwrap_or_default();
    let base = comment.end - end;
    let Some(start) = behind.find('\n').map(|at| end + at + 1) else {
        return Span::new(comment.end, comment.end);
    };
    let line = file.text().get(start..).unwrap_or_default();
    let length = line.find('\n').unwrap_or(line.len());
    Span::new(base + start, base + start + length)
}

/// The spans of the items of a file.
struct ItemSpans<'u> {
    /// All items, outer ones before inner ones that start at the same byte.
    all: Vec<Span>,
    functions: Vec<Span>,
    /// Functions and classes with template parameters, and their names.
    templates: Vec<(Span, &'u str)>,
}

impl<'u> ItemSpans<'u> {
    fn of(unit: &'u Unit) -> Self {
        let mut spans = Self {
            all: Vec::new(),
            functions: Vec::new(),
            templates: Vec::new(),
        };
        walk::items(&unit.items, &mut |item: &'u Item| {
            spans.all.push(item.span);
            let (tparams, name) = match &item.kind {
                ItemKind::Function(function) => {
                    spans.functions.push(item.span);
                    (&function.tparams, Some(&function.name))
                }
                ItemKind::Record(record) => (&record.tparams, record.name.as_ref()),
                _ => return,
            };
            if let (false, Some(name)) = (tparams.is_empty(), name) {
                spans.templates.push((item.span, &name.name));
            }
        });
        spans
    }

    fn before_any_code(&self, comment: Span) -> bool {
        self.all.iter().all(|span| comment.end <= span.start)
    }

    fn next_template(&self, comment: Span) -> Option<(Span, &'u str)> {
        let behind = |(span, _): &&(Span, &str)| span.start >= comment.end;
        let templates = self.templates.iter().filter(behind);
        templates.min_by_key(|(span, _)| span.start).copied()
    }

    /// An instance is requested of the next template only.
    fn checked(&self, kind: DirectiveKind, comment: Span) -> DirectiveKind {
        let DirectiveKind::Instantiate(target) = &kind else {
            return kind;
        };
        let asked = target.as_path().and_then(|path| path.last());
        let expected = match self.next_template(comment) {
            Some((_, name)) if asked.is_some_and(|asked| asked.name.name == name) => return kind,
            Some((_, name)) => format!("`{name}<...>`, the next template,"),
            None => "a template after it, not the end of the file,".to_owned(),
        };
        let span = target.span;
        DirectiveKind::Malformed { span, expected }
    }

    /// The statement after a comment; `None` (the file) when the comment precedes all code. After the
    /// last statement a directive holds for nothing.
    fn next_statement(&self, comment: Span) -> Option<Span> {
        if self.before_any_code(comment) {
            return None;
        }
        let behind = self.all.iter().filter(|span| span.start >= comment.end);
        let next = behind.min_by_key(|span| (span.start, std::cmp::Reverse(span.end)));
        Some(next.copied().unwrap_or(Span::new(comment.end, comment.end)))
    }

    /// The innermost function around a comment, or that which is the next item behind it; `None` (the file) before all code.
    fn enclosing_function(&self, comment: Span) -> Option<Span> {
        if self.before_any_code(comment) {
            return None;
        }
        let inner = self
            .functions
            .iter()
            .filter(|span| span.encloses(comment))
            .min_by_key(|span| span.len());
        let next = || {
            let next = self.next_statement(comment);
            next.filter(|next| self.functions.contains(next))
        };
        let nothing = Span::new(comment.end, comment.end);
        Some(inner.copied().or_else(next).unwrap_or(nothing))
    }
}
