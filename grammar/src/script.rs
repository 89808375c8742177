//! The tree of a Python source: every construct of its syntax, and no meanings of names.
//!
//! Unlike [`tree`](crate::tree), which all hosts lower to, this one keeps constructs that only Python has: classes with
//! bases, decorators, comprehensions, slices, exceptions, keyword and starred arguments.

mod body;
mod expression;
mod imports;
mod pattern;
mod shift;
mod statement;
mod uses;

use std::borrow::Cow;
use std::sync::Arc;

use tree_sitter::{Node, Parser, Tree};

use crate::python::functions::{LargeFunction, large_functions, without};
use crate::tree::Span;
use crate::unfinished::{Ends, without_unfinished_line};
use crate::{limits, nodes};

pub use body::Body;
pub use imports::{Imported, imports};
pub use uses::{Used, each_part, uses};

/// A source file.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Script {
    /// Its statements in order.
    pub body: Vec<Stmt>,
    /// The large bodies of its functions in order, for the next version of the file.
    bodies: Vec<Body>,
}

/// A name and its place.
#[derive(Debug, Clone, PartialEq)]
pub struct Name {
    /// As it is written.
    pub text: Arc<str>,
    /// The place.
    pub span: Span,
}

/// A statement.
#[derive(Debug, Clone, PartialEq)]
pub struct Stmt {
    /// The kind.
    pub kind: StmtKind,
    /// The place.
    pub span: Span,
}

/// The kind of a statement.
#[derive(Debug, Clone, PartialEq)]
pub enum StmtKind {
    /// An expression.
    Expr(Expr),
    /// `a = b = value`.
    Assign(Vec<Expr>, Expr),
    /// `target: annotation = value`.
    Annotated {
        /// The target of the binding.
        target: Expr,
        /// Its type.
        annotation: Expr,
        /// Its value, where there is one.
        value: Option<Expr>,
    },
    /// `target += value`.
    Augmented(Expr, BinaryOp, Expr),
    /// `return value`.
    Return(Option<Expr>),
    /// `raise error from cause`.
    Raise(Option<Expr>, Option<Expr>),
    /// `assert test, message`.
    Assert(Expr, Option<Expr>),
    /// `del targets`.
    Delete(Vec<Expr>),
    /// `pass`.
    Pass,
    /// `break`.
    Break,
    /// `continue`.
    Continue,
    /// `global names`.
    Global(Vec<Name>),
    /// `nonlocal names`.
    Nonlocal(Vec<Name>),
    /// `import a.b as c`.
    Import(Vec<Alias>),
    /// `from ..a.b import c as d`.
    ImportFrom {
        /// The dots in front.
        level: usize,
        /// `a.b`; empty in `from . import c`.
        module: Vec<Name>,
        /// The imported names; `None` is everything.
        names: Option<Vec<Alias>>,
    },
    /// `if test: body else: orelse`; `elif` is an `if` in `orelse`.
    If(Expr, Vec<Stmt>, Vec<Stmt>),
    /// `while test: body else: orelse`.
    While(Expr, Vec<Stmt>, Vec<Stmt>),
    /// `for target in iterable: body else: orelse`.
    For {
        /// The target that each element is bound to.
        target: Expr,
        /// The iterable.
        iterable: Expr,
        /// The body, run for each element.
        body: Vec<Stmt>,
        /// The body, run after the last one.
        orelse: Vec<Stmt>,
    },
    /// `with context as target: body`.
    With(Vec<(Expr, Option<Expr>)>, Vec<Stmt>),
    /// `try`.
    Try {
        /// The body.
        body: Vec<Stmt>,
        /// The handlers of errors.
        handlers: Vec<Handler>,
        /// The body without an error.
        orelse: Vec<Stmt>,
        /// The body in any case.
        finally: Vec<Stmt>,
    },
    /// `def`.
    Function(Arc<Function>),
    /// `class`.
    Class(Arc<Class>),
    /// `match subject`, with its cases.
    Match(Expr, Vec<Case>),
    /// An unread part: a syntax error.
    Unread,
}

/// A name of an import.
#[derive(Debug, Clone, PartialEq)]
pub struct Alias {
    /// The dotted name.
    pub path: Vec<Name>,
    /// `as name`.
    pub alias: Option<Name>,
}

/// `except kind as name: body`.
#[derive(Debug, Clone, PartialEq)]
pub struct Handler {
    /// The errors.
    pub kind: Option<Expr>,
    /// The name that the error is bound to.
    pub name: Option<Name>,
    /// The body.
    pub body: Vec<Stmt>,
}

/// `case pattern if guard: body`.
#[derive(Debug, Clone, PartialEq)]
pub struct Case {
    /// The pattern.
    pub pattern: Pattern,
    /// The condition behind `if`.
    pub guard: Option<Expr>,
    /// The body.
    pub body: Vec<Stmt>,
}

/// The pattern of a `case`.
#[derive(Debug, Clone, PartialEq)]
pub enum Pattern {
    /// `_`.
    Any,
    /// `name`: takes everything and binds it.
    Capture(Name),
    /// A value to compare with.
    Value(Expr),
    /// `a | b`.
    Or(Vec<Pattern>),
    /// `[a, *rest, b]`.
    Sequence(Vec<Pattern>),
    /// `*rest` in a sequence; nothing is bound for `*_`.
    Star(Option<Name>),
    /// `{key: pattern, **rest}`.
    Mapping(Vec<(Expr, Pattern)>, Option<Name>),
    /// `Class(a, name=b)`.
    Class(Expr, Vec<Pattern>, Vec<(Name, Pattern)>),
    /// `pattern as name`.
    As(Box<Pattern>, Name),
    /// An unread part.
    Unread,
}

/// A function or lambda.
#[derive(Debug, Clone, PartialEq)]
pub struct Function {
    /// Its name; `<lambda>` for a lambda.
    pub name: Name,
    /// Its decorators, the outermost first.
    pub decorators: Vec<Expr>,
    /// Its parameters.
    pub params: Vec<Param>,
    /// The type that it returns.
    pub returns: Option<Expr>,
    /// Its statements; a lambda returns its expression.
    pub body: Body,
    /// Whether it contains a `yield`.
    pub is_generator: bool,
    /// The span of all of it.
    pub span: Span,
}

/// A parameter.
#[derive(Debug, Clone, PartialEq)]
pub struct Param {
    /// Its name.
    pub name: Name,
    /// The way in which it takes arguments.
    pub kind: ParamKind,
    /// Its type.
    pub annotation: Option<Expr>,
    /// Its default.
    pub default: Option<Expr>,
}

/// The way in which a parameter takes arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ParamKind {
    /// By position only.
    Positional,
    /// By position or by name.
    Plain,
    /// By name only.
    Named,
    /// `*args`.
    Rest,
    /// `**kwargs`.
    NamedRest,
}

/// A class.
#[derive(Debug, Clone, PartialEq)]
pub struct Class {
    /// Its name.
    pub name: Name,
    /// Its decorators, the outermost first.
    pub decorators: Vec<Expr>,
    /// Bases and keyword arguments.
    pub bases: Vec<Arg>,
    /// Its statements.
    pub body: Vec<Stmt>,
    /// The span of all of it.
    pub span: Span,
}

/// An argument of a call.
#[derive(Debug, Clone, PartialEq)]
pub struct Arg {
    /// The way in which it is passed.
    pub kind: ArgKind,
    /// Its value.
    pub value: Expr,
}

/// The way in which an argument is passed.
#[derive(Debug, Clone, PartialEq)]
pub enum ArgKind {
    /// By position.
    Plain,
    /// `name=value`.
    Named(Name),
    /// `*value`.
    Star,
    /// `**value`.
    DoubleStar,
}

/// An expression.
#[derive(Debug, Clone, PartialEq)]
pub struct Expr {
    /// The kind.
    pub kind: ExprKind,
    /// The place.
    pub span: Span,
}

/// The kind of an expression.
#[derive(Debug, Clone, PartialEq)]
pub enum ExprKind {
    /// A name.
    Name(Arc<str>),
    /// An integer.
    Int(i64),
    /// An integer of more than 64 bits.
    LargeInt,
    /// A floating-point number.
    Float(f64),
    /// A string.
    Str(Arc<str>),
    /// An f-string, in parts.
    Format(Vec<FormatPart>),
    /// `None`.
    None,
    /// `True` or `False`.
    Bool(bool),
    /// `...`.
    Ellipsis,
    /// `(a, b)`.
    Tuple(Vec<Expr>),
    /// `[a, b]`.
    List(Vec<Expr>),
    /// `{a, b}`.
    Set(Vec<Expr>),
    /// `{key: value, **rest}`; the key of `**rest` is `None`.
    Dict(Vec<(Option<Expr>, Expr)>),
    /// `-a`, `not a`.
    Unary(UnaryOp, Box<Expr>),
    /// `a + b`.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `a and b`, `a or b`.
    Logical(LogicalOp, Box<Expr>, Box<Expr>),
    /// `a < b <= c`.
    Compare(Box<Expr>, Vec<(CompareOp, Expr)>),
    /// `f(a)`.
    Call(Box<Expr>, Vec<Arg>),
    /// `a.b`.
    Attribute(Box<Expr>, Name),
    /// `a[b]`; several subscripts are a tuple.
    Subscript(Box<Expr>, Box<Expr>),
    /// `a:b:c`.
    Slice([Option<Box<Expr>>; 3]),
    /// `*a`.
    Starred(Box<Expr>),
    /// `a if test else b`.
    Conditional(Box<Conditional>),
    /// `lambda`.
    Lambda(Arc<Function>),
    /// A comprehension or generator expression.
    Comprehension(Arc<Comprehension>),
    /// `name := value`.
    Walrus(Name, Box<Expr>),
    /// `yield value`.
    Yield(Option<Box<Expr>>),
    /// `yield from items`.
    YieldFrom(Box<Expr>),
    /// An unread part: a syntax error, or one that nests too deep.
    Unread,
}

/// `then if test else orelse`.
#[derive(Debug, Clone, PartialEq)]
pub struct Conditional {
    /// The condition.
    pub test: Expr,
    /// The value where it holds.
    pub then: Expr,
    /// The value where it does not.
    pub orelse: Expr,
}

/// `[element for target in iterable if condition]`.
#[derive(Debug, Clone, PartialEq)]
pub struct Comprehension {
    /// The kind of its result.
    pub kind: ComprehensionKind,
    /// The element, or the key.
    pub element: Expr,
    /// The value of a dictionary.
    pub value: Option<Expr>,
    /// `for` and `if`, in order.
    pub clauses: Vec<Clause>,
}

/// The kind of a comprehension's result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ComprehensionKind {
    /// `[...]`.
    List,
    /// `{...}`.
    Set,
    /// `{k: v ...}`.
    Dict,
    /// `(...)`.
    Generator,
}

/// A part of a comprehension.
#[derive(Debug, Clone, PartialEq)]
pub enum Clause {
    /// `for target in iterable`.
    For(Expr, Expr),
    /// `if condition`.
    If(Expr),
}

/// A part of an f-string.
#[derive(Debug, Clone, PartialEq)]
pub enum FormatPart {
    /// Text.
    Text(Arc<str>),
    /// `{value}`.
    Value(Expr),
    /// `{value!r}`, `{value:>4}`, `{value=}`.
    Formatted(Box<Formatted>),
}

/// A value of an f-string, and how it is written there.
#[derive(Debug, Clone, PartialEq)]
pub struct Formatted {
    /// The value.
    pub value: Expr,
    /// The text before it: `value=`.
    pub label: Option<Arc<str>>,
    /// The letter behind `!`.
    pub conversion: Option<char>,
    /// The format behind `:`, which may have values in it.
    pub spec: Vec<FormatPart>,
}

/// A prefix operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnaryOp {
    /// `-`
    Minus,
    /// `+`
    Plus,
    /// `~`
    Invert,
    /// `not`
    Not,
}

/// An infix operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BinaryOp {
    /// `+`
    Add,
    /// `-`
    Sub,
    /// `*`
    Mul,
    /// `/`
    Div,
    /// `//`
    FloorDiv,
    /// `%`
    Mod,
    /// `**`
    Pow,
    /// `<<`
    Shl,
    /// `>>`
    Shr,
    /// `&`
    And,
    /// `|`
    Or,
    /// `^`
    Xor,
    /// `@`
    MatMul,
}

/// `and` or `or`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogicalOp {
    /// `and`
    And,
    /// `or`
    Or,
}

/// A comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CompareOp {
    /// `==`
    Eq,
    /// `!=`
    Ne,
    /// `<`
    Lt,
    /// `<=`
    Le,
    /// `>`
    Gt,
    /// `>=`
    Ge,
    /// `in`
    In,
    /// `not in`
    NotIn,
    /// `is`
    Is,
    /// `is not`
    IsNot,
}

impl Script {
    /// Reads a source. A part with an error is [`StmtKind::Unread`] or [`ExprKind::Unread`]; the rest is read.
    ///
    /// ```
    /// use tree_sitter_cute::script::{Script, StmtKind};
    /// let script = Script::read("x = [i for i in range(4)]");
    /// assert!(matches!(script.body[0].kind, StmtKind::Assign(..)));
    /// ```
    pub fn read(text: &str) -> Self {
        Self::read_after(&Arc::from(text), &Self::default())
    }

    /// Reads a source with the large bodies that it shares with another version of it: they are not read again. The result is
    /// that of [`read`](Self::read).
    pub fn read_after(text: &Arc<str>, before: &Self) -> Self {
        let Some(mut parser) = parser().filter(|_| text.len() <= limits::SOURCE_BYTES) else {
            return Self::default();
        };
        let functions = large_functions(text);
        let bodies = functions.iter().map(|function| function.body);
        let around = without(Cow::Borrowed(text.as_bytes()), bodies);
        let Some(tree) = parser.parse(&around, None) else {
            return Self::default();
        };
        let tree = without_error(parser, tree, &around);
        let mut reader = Reader {
            functions: &functions,
            before: body::shared(text, &functions, &before.bodies),
            ..Reader::of(text)
        };
        Self {
            body: reader.statements(tree.root_node()),
            bodies: reader.bodies,
        }
    }
}

fn parser() -> Option<Parser> {
    let mut parser = Parser::new();
    let language = tree_sitter_python::LANGUAGE.into();
    parser.set_language(&language).ok().map(|()| parser)
}

/// A tree, or that of its text without the line that is being typed, where this is its only error.
fn without_error(parser: Parser, tree: Tree, text: &[u8]) -> Tree {
    let errors = |tree: &Tree| nodes::error_spans(tree, |_| false);
    let rest = without_unfinished_line(Some(parser), (&tree, text), errors, Ends::Line);
    rest.map_or(tree, |rest| rest.tree)
}

/// The reader of the grammar's tree.
struct Reader<'t> {
    text: &'t Arc<str>,
    /// The functions whose bodies are not in the tree, in order.
    functions: &'t [LargeFunction],
    /// The bodies that another version of the file has of them.
    before: Vec<Option<Body>>,
    /// Their bodies, as they are met.
    bodies: Vec<Body>,
    depth: usize,
    nodes: usize,
    /// Whether a `yield` was read in the function that is read.
    yields: bool,
    /// The class that is read, without the underscores before its name.
    class: Option<Arc<str>>,
}

impl<'t> Reader<'t> {
    fn of(text: &'t Arc<str>) -> Self {
        Self {
            text,
            functions: &[],
            before: Vec::new(),
            bodies: Vec::new(),
            depth: 0,
            nodes: 0,
            yields: false,
            class: None,
        }
    }

    fn text(&self, node: Node<'_>) -> &'t str {
        span(node).text(self.text)
    }

    fn name(&self, node: Node<'_>) -> Name {
        Name {
            text: self.identifier(node),
            span: span(node),
        }
    }

    /// A name; a private one of a class has the name of the class in front (Python's name mangling).
    fn identifier(&self, node: Node<'_>) -> Arc<str> {
        let text = self.text(node);
        let is_private = text.starts_with("__") && !text.ends_with("__");
        match &self.class {
            Some(class) if is_private => format!("_{class}{text}").into(),
            _ => text.into(),
        }
    }

    /// One level deeper; `None` beyond a limit.
    fn descend<T>(&mut self, read: impl FnOnce(&mut Self) -> T) -> Option<T> {
        self.nodes += 1;
        if self.nodes > limits::NODES || self.depth >= limits::DEPTH {
            return None;
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        Some(result)
    }
}

fn span(node: Node<'_>) -> Span {
    Span::new(node.start_byte(), node.end_byte())
}

/// The named children without comments, in time linear in their number.
fn children(node: Node<'_>) -> Vec<Node<'_>> {
    node.named_children(&mut node.walk())
        .filter(|child| !child.is_extra())
        .collect()
}

/// The children under a field, in order.
fn fields<'n>(node: Node<'n>, field: &str) -> Vec<Node<'n>> {
    node.children_by_field_name(field, &mut node.walk())
        .filter(|child| child.is_named() && !child.is_extra())
        .collect()
}
