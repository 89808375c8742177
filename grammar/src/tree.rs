//! The expression tree: small, owned, free of any host language's syntax library.
//!
//! CUDA C++, the layout notation and later hosts are lowered to it, so that whoever evaluates layouts reads one tree
//! only. The lowering **never decides the meaning of a name**: `Layout`, `_8`, `_` and `make_shape` in a C++ source are
//! all [`ExprKind::Name`].
//!
//! Every node has the byte [`Span`] of the source text that it came from. A tree is at most
//! [`limits::DEPTH`](crate::limits::DEPTH) deep, so recursive readers need no separate guard.

mod expr;
mod item;
mod print;
mod shift;
mod visit;

pub use expr::{
    Assignment, BinaryOp, Capture, CastKind, Engine, Expr, ExprKind, Lambda, MacroCall, Path,
    Qualifier, Rational, Requirement, Requires, Segment, UnaryOp,
};
pub use item::{
    Binding, Branch, Condition, Conditional, Define, Enum, Enumerator, Function, FunctionFlags,
    Given, If, Impl, Include, Instantiation, Item, ItemKind, Jump, Loop, LoopKind, MemberInit,
    ModuleFile, Namespace, Record, RecordKind, Reference, Role, Specifiers, StaticAssert,
    StructuredBinding, Switch, SwitchCase, TemplateParam, TemplateParamKind, Using, UsingKind,
};

pub(crate) use shift::Shift;
pub use visit::{Visitor, walk_expr, walk_item, walk_unit};

/// A range of bytes of the source text, `start` included, `end` excluded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Span {
    /// Offset of the first byte.
    pub start: usize,
    /// Offset just after the last byte; never less than `start`.
    pub end: usize,
}

impl Span {
    /// The span of the bytes from `start` up to, not including, `end`.
    ///
    /// ```
    /// # use tree_sitter_cute::tree::Span;
    /// let span = Span::new(3, 8);
    /// assert!(span.contains(7) && !span.contains(8));
    /// ```
    pub fn new(start: usize, end: usize) -> Self {
        Self {
            start,
            end: end.max(start),
        }
    }

    /// Bytes covered.
    pub fn len(self) -> usize {
        self.end - self.start
    }

    /// Whether no byte is covered.
    pub fn is_empty(self) -> bool {
        self.start == self.end
    }

    /// Whether the byte at `offset` is inside.
    pub fn contains(self, offset: usize) -> bool {
        self.start <= offset && offset < self.end
    }

    /// Whether `other` is inside, or is equal.
    pub fn encloses(self, other: Self) -> bool {
        self.start <= other.start && other.end <= self.end
    }

    /// The smallest span that encloses both.
    #[must_use]
    pub fn to(self, other: Self) -> Self {
        Self {
            start: self.start.min(other.start),
            end: self.end.max(other.end),
        }
    }

    /// The text that the span covers, or `""` where the span does not fit `text`.
    pub fn text(self, text: &str) -> &str {
        text.get(self.start..self.end).unwrap_or_default()
    }
}

/// A name where it is introduced or used.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Ident {
    /// The name as written.
    pub name: String,
    /// The span of the comment.
    pub span: Span,
}

/// A comment, with its marks (`//`, `/* */`) inside the span.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Comment {
    /// The whole comment.
    pub span: Span,
    /// The span of the text inside its marks, which a person reads.
    pub content: Span,
}

/// One source file, lowered.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Unit {
    /// Declarations and statements in source order.
    pub items: Vec<Item>,
    /// All comments in source order, wherever they are.
    pub comments: Vec<Comment>,
    /// The places where the text could not be parsed. Recognisable parts inside are lowered all the same.
    pub errors: Vec<Span>,
    /// The pieces that were parsed each on its own, in source order: the items lowered from one depend on its text
    /// alone. Named for CUDA C++ only.
    pub pieces: Vec<Span>,
    /// Set when a limit was reached and the rest of the file is missing from `items`.
    pub truncated: bool,
}

impl Unit {
    /// Moves the whole unit: every span starts and ends `by` bytes later. So files that belong
    /// together can share one space of positions.
    ///
    /// ```
    /// # use tree_sitter_cute::tree::{Comment, Span, Unit};
    /// let comment = Comment { span: Span::new(0, 4), content: Span::new(2, 4) };
    /// let mut unit = Unit { comments: vec![comment], ..Unit::default() };
    /// unit.shift(100);
    /// assert_eq!(unit.comments[0].span, Span::new(100, 104));
    /// ```
    pub fn shift(&mut self, by: usize) {
        self.map_spans(&|span| Span {
            start: span.start + by,
            end: span.end + by,
        });
    }

    /// Moves it back: the opposite of [`shift`](Self::shift).
    ///
    /// ```
    /// # use tree_sitter_cute::tree::{Span, Unit};
    /// let mut unit = Unit { errors: vec![Span::new(0, 4)], ..Unit::default() };
    /// unit.shift(100);
    /// unit.shift_back(100);
    /// assert_eq!(unit.errors, [Span::new(0, 4)]);
    /// ```
    pub fn shift_back(&mut self, by: usize) {
        self.map_spans(&|span| Span {
            start: span.start.saturating_sub(by),
            end: span.end.saturating_sub(by),
        });
    }

    fn map_spans(&mut self, map: &impl Fn(Span) -> Span) {
        self.items.map_spans(map);
        self.errors.map_spans(map);
        self.pieces.map_spans(map);
        for comment in &mut self.comments {
            comment.span.map_spans(map);
            comment.content.map_spans(map);
        }
    }
}
