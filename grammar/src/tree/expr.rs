//! Expressions: values and types alike, because C++ template arguments mix both and only a reader
//! who resolves names can tell them apart.

use super::shift::Shift;
use super::{Binding, Ident, Item, Span, TemplateParam};
use crate::attribute::TypedAttribute;

/// An expression or a type, with its place in the source.
#[derive(Debug, Clone, PartialEq)]
pub struct Expr {
    /// The kind.
    pub kind: ExprKind,
    /// The place.
    pub span: Span,
}

impl Expr {
    /// An expression of `kind` at `span`.
    pub fn new(kind: ExprKind, span: Span) -> Self {
        Self { kind, span }
    }

    /// A name without scopes and template arguments.
    ///
    /// ```
    /// # use tree_sitter_cute::tree::{Expr, Span};
    /// let name = Expr::plain_name("asm", Span::new(3, 6));
    /// assert_eq!(name.as_plain_name(), Some("asm"));
    /// ```
    pub fn plain_name(name: &str, place: Span) -> Self {
        let segment = Segment {
            name: Ident {
                name: name.to_owned(),
                span: place,
            },
            args: None,
        };
        let path = Path {
            qualifier: Qualifier::None,
            segments: vec![segment],
        };
        Self::new(ExprKind::Name(path), place)
    }

    /// The same expression with one span in all of it: the text of a macro that no file defines has no place.
    ///
    /// ```
    /// # use tree_sitter_cute::{cuda, tree::Span};
    /// let sum = cuda::parse_expression("1 + 2").unwrap();
    /// assert_eq!(sum.at(Span::new(9, 9)).span, Span::new(9, 9));
    /// ```
    #[must_use]
    pub fn at(mut self, place: Span) -> Self {
        self.map_spans(&|_| place);
        self
    }

    /// The path, when this is a name.
    pub fn as_path(&self) -> Option<&Path> {
        match &self.kind {
            ExprKind::Name(path) => Some(path),
            _ => None,
        }
    }

    /// The object and the indices of `object[a][b]`, the outermost first, when this is a subscript with one index in each
    /// pair of brackets.
    ///
    /// ```
    /// # use tree_sitter_cute::cuda;
    /// let element = cuda::parse_expression("tile[row][column]").unwrap();
    /// let (array, indices) = element.as_subscript().unwrap();
    /// assert_eq!((array.as_plain_name(), indices.len()), (Some("tile"), 2));
    /// ```
    pub fn as_subscript(&self) -> Option<(&Self, Vec<&Self>)> {
        let (mut object, mut indices) = (self, Vec::new());
        while let ExprKind::Index(inner, args) = &object.kind {
            let [index] = args.as_slice() else {
                return None;
            };
            indices.push(index);
            object = inner;
        }
        indices.reverse();
        (!indices.is_empty()).then_some((object, indices))
    }

    /// The name, when this is a single unqualified name without template arguments.
    pub fn as_plain_name(&self) -> Option<&str> {
        match self.as_path()? {
            Path {
                qualifier: Qualifier::None,
                segments,
            } => match segments.as_slice() {
                [
                    Segment {
                        name, args: None, ..
                    },
                ] => Some(&name.name),
                _ => None,
            },
            _ => None,
        }
    }
}

/// The kinds of expression. Those under "Notation" come from the literal notation only.
#[derive(Debug, Clone, PartialEq)]
pub enum ExprKind {
    // ---- Literals ----
    /// An integer literal, `128`, `0x80`, `1'000`, `64u`.
    Int(i64),
    /// A literal with a user-defined suffix, `8_c`: value and suffix (`_c`).
    UserLiteral(Box<Expr>, String),
    /// A floating-point literal as written.
    Float(String),
    /// A character literal.
    Char(char),
    /// `true` or `false`.
    Bool(bool),
    /// A string literal, without its quotes, escapes as written.
    Str(String),
    /// `nullptr` or `NULL`; `None` in Python.
    Null,

    // ---- Names and types ----
    /// A name of a value or a type, possibly qualified, with template arguments:
    /// `M`, `cute::Layout<Shape, Stride>`, `typename Traits::SmemLayoutQ`, `_8`, `_`, `int`,
    /// `unsigned int`. `typename` and `template` keywords are not kept.
    Name(Path),
    /// `auto` or `decltype(auto)`.
    Auto,
    /// `decltype(expr)`.
    Decltype(Box<Expr>),
    /// A type `T*`.
    Pointer(Box<Expr>),
    /// A type `T&`, or `T&&` when the flag is set.
    Reference(Box<Expr>, bool),
    /// A type `T const`.
    Const(Box<Expr>),
    /// A type `T[n]`; no size in `T[]`.
    Array(Box<Expr>, Option<Box<Expr>>),
    /// A function type `R(A, B)`: result and parameter types.
    FunctionType(Box<Expr>, Vec<Expr>),

    // ---- Calls and construction ----
    /// `callee(args)`. `T(args)` with a name `T` is a call too: only name resolution can tell.
    Call(Box<Expr>, Vec<Expr>),
    /// A macro call `layout!((4,8):(1,4))`. The macro decides the meaning of its tokens, so they are read by their
    /// form: the notation, else expressions of the host language.
    Macro(Box<MacroCall>),
    /// `callee<<<config>>>(args)`.
    Launch {
        /// The kernel.
        callee: Box<Expr>,
        /// Grid, block, shared-memory bytes, stream.
        config: Vec<Expr>,
        /// Kernel arguments.
        args: Vec<Expr>,
    },
    /// `T{args}`; also `T(args)` when `T` can only be a type (`int(m)`), and the right side of a
    /// declaration `T x(args)` or `T x{args}`, which reads as `T x = T(args)`.
    Construct {
        /// The type.
        ty: Box<Expr>,
        /// Its arguments.
        args: Vec<Expr>,
        /// Braces rather than parentheses.
        braces: bool,
    },
    /// `{a, b}` without a type; a Python list.
    Braced(Vec<Expr>),
    /// `.field = value` inside braces; `name=value` among the arguments of a Python call.
    Designated(Ident, Box<Expr>),

    // ---- Operators ----
    /// `object.member` or `object->member`.
    Member {
        /// The object.
        object: Box<Expr>,
        /// The member, with explicit template arguments if there are any (`x.get<0>`).
        member: Segment,
        /// `->` rather than `.`.
        arrow: bool,
    },
    /// `object[args]`.
    Index(Box<Expr>, Vec<Expr>),
    /// A unary operator.
    Unary(UnaryOp, Box<Expr>),
    /// A binary operator, no assignment.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `target = value` and `target += value`.
    Assign(Box<Assignment>),
    /// `condition ? then : otherwise`, in this order.
    Ternary(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `static_cast<T>(e)`, `(T)e`: kind, type, operand.
    Cast(CastKind, Box<Expr>, Box<Expr>),
    /// `sizeof(e)` or `sizeof(T)`.
    Sizeof(Box<Expr>),
    /// `sizeof...(pack)`.
    SizeofPack(Ident),
    /// `alignof(T)`.
    Alignof(Box<Expr>),
    /// `offsetof(T, member)`.
    Offsetof(Box<Expr>, Ident),
    /// A lambda.
    Lambda(Box<Lambda>),
    /// `pattern...`.
    Expand(Box<Expr>),
    /// A fold `(pack op ...)`, `(... op pack)` or `(init op ... op pack)`: operator, left operand,
    /// right operand; `None` represents the dots.
    Fold(BinaryOp, Option<Box<Expr>>, Option<Box<Expr>>),
    /// `requires (params) { ... }`.
    Requires(Box<Requires>),

    // ---- Notation ----
    /// `(a, b)`; also `()` and the rank-1 `(a)`.
    Tuple(Vec<Expr>),
    /// `shape:stride`.
    Layout(Box<Expr>, Box<Expr>),
    /// A static integer `_8`, `_-1`.
    Static(i64),
    /// A rational `1/2`, as the coefficient of a stride.
    Rational(Rational),
    /// A scaled basis `v@pn@..@p0`: coefficient (an integer, static, rational or symbol), then the
    /// path as written, **innermost mode first**. `e1` and `6e1` are `1@1` and `6@1`;
    /// `E<0,1>{}` stays a construction of a name.
    Basis(Box<Expr>, Vec<usize>),
    /// An xor stride `f5` with its mask.
    Xor(i64),
    /// `?` or `?{div=8}`, with the divisor if one is stated.
    Unknown(Option<i64>),
    /// `_` in a slice coordinate or a tiler.
    Underscore,
    /// `Sw<b,m,s>` or `S<b,m,s>`: bits, base, shift.
    Swizzle(i64, i64, i64),
    /// `a o b o c`, the operands in the order written, at least two.
    Composition(Vec<Expr>),
    /// `a ⊘ b`, the logical divide.
    Divide(Box<Expr>, Box<Expr>),
    /// `a ⊗ b`, the logical product.
    Product(Box<Expr>, Box<Expr>),
    /// A by-mode tiler `<4:1, 8:2>` or `[4:1; 8:2]`.
    Tiler(Vec<Expr>),
    /// A pointer as CuTe prints it, before a layout: `smem_ptr[16b](unset)`.
    Engine(Engine),
    /// A layout attribute of Triton's IR, `#ttg.blocked<{...}> on 128x64`.
    Attribute(Box<TypedAttribute>),

    /// Anything else: its kind, in the words of the host grammar (`new_expression`, `too deep`).
    Opaque(&'static str),
}

/// A macro call.
#[derive(Debug, Clone, PartialEq)]
pub struct MacroCall {
    /// The macro.
    pub path: Path,
    /// The arguments in its brackets; `None` when it is neither notation nor expressions.
    pub args: Option<Vec<Expr>>,
}

/// A possibly qualified name.
#[derive(Debug, Clone, PartialEq)]
pub struct Path {
    /// The part left of the first segment.
    pub qualifier: Qualifier,
    /// The parts between `::`, at least one.
    pub segments: Vec<Segment>,
}

impl Path {
    /// The last segment: the thing named, without its scopes.
    pub fn last(&self) -> Option<&Segment> {
        self.segments.last()
    }
}

/// The start of a path.
#[derive(Debug, Clone, PartialEq)]
pub enum Qualifier {
    /// Nothing: looked up from where it is.
    None,
    /// A leading `::`.
    Global,
    /// A type that is not itself a path, `decltype(x)::`.
    Type(Box<Expr>),
}

/// One part of a path.
#[derive(Debug, Clone, PartialEq)]
pub struct Segment {
    /// The name.
    pub name: Ident,
    /// Template arguments when there are angle brackets, even empty ones.
    pub args: Option<Vec<Expr>>,
}

/// A compound or plain assignment.
#[derive(Debug, Clone, PartialEq)]
pub struct Assignment {
    /// The operator of a compound assignment (`+` in `+=`).
    pub op: Option<BinaryOp>,
    /// The target of the assignment.
    pub target: Expr,
    /// The value.
    pub value: Expr,
}

/// A lambda expression.
#[derive(Debug, Clone, PartialEq)]
pub struct Lambda {
    /// `&` or `=` as the default capture, or nothing.
    pub default_capture: Option<char>,
    /// Captures that are written out.
    pub captures: Vec<Capture>,
    /// Template parameters.
    pub tparams: Vec<TemplateParam>,
    /// Parameters.
    pub params: Vec<Binding>,
    /// Return type if written.
    pub ret: Option<Expr>,
    /// Statements.
    pub body: Vec<Item>,
}

/// One capture of a lambda that is written out.
#[derive(Debug, Clone, PartialEq)]
pub struct Capture {
    /// The name.
    pub name: Ident,
    /// The initialiser of `x = expr`.
    pub init: Option<Expr>,
    /// `&x`: the lambda reads and changes the variable itself.
    pub by_reference: bool,
}

/// A `requires` expression: the code that must be valid with its parameters.
#[derive(Debug, Clone, PartialEq)]
pub struct Requires {
    /// Parameters, `(T t)`.
    pub params: Vec<Binding>,
    /// The requirements, in order.
    pub requirements: Vec<Requirement>,
}

/// One requirement of a `requires` expression.
#[derive(Debug, Clone, PartialEq)]
pub enum Requirement {
    /// `typename T::X;`: there is such a type.
    Type(Expr),
    /// `expr;` and `{ expr } -> C;`: it is valid, and its type meets the constraint.
    Valid(Expr, Option<Expr>),
    /// `requires condition;`: it is valid and true.
    Holds(Expr),
}

/// The form of a cast.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CastKind {
    /// `static_cast<T>(e)`.
    Static,
    /// `reinterpret_cast<T>(e)`.
    Reinterpret,
    /// `const_cast<T>(e)`.
    Const,
    /// `dynamic_cast<T>(e)`.
    Dynamic,
    /// `(T)e`.
    CStyle,
    /// `e as T`.
    As,
}

/// A unary operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum UnaryOp {
    /// `-x`
    Minus,
    /// `+x`
    Plus,
    /// `!x`
    Not,
    /// `~x`
    BitNot,
    /// `*x`
    Deref,
    /// `&x`
    AddressOf,
    /// `++x`
    PreIncrement,
    /// `--x`
    PreDecrement,
    /// `x++`
    PostIncrement,
    /// `x--`
    PostDecrement,
    /// `x?`
    Try,
}

impl UnaryOp {
    /// Whether it steps its operand: `++x`, `x--`.
    ///
    /// ```
    /// # use tree_sitter_cute::tree::UnaryOp;
    /// assert!(UnaryOp::PreIncrement.is_step() && !UnaryOp::Minus.is_step());
    /// ```
    pub fn is_step(self) -> bool {
        matches!(
            self,
            Self::PreIncrement | Self::PreDecrement | Self::PostIncrement | Self::PostDecrement
        )
    }

    /// Whether its operand may change: it is stepped, or its address is taken.
    ///
    /// ```
    /// # use tree_sitter_cute::tree::UnaryOp;
    /// assert!(UnaryOp::AddressOf.may_change() && !UnaryOp::Deref.may_change());
    /// ```
    pub fn may_change(self) -> bool {
        self.is_step() || self == Self::AddressOf
    }
}

/// A binary operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BinaryOp {
    /// `a + b`
    Add,
    /// `a - b`
    Sub,
    /// `a * b`
    Mul,
    /// `a / b`
    Div,
    /// `a // b`: the quotient rounded down
    FloorDiv,
    /// `a % b`
    Rem,
    /// `a ** b`
    Power,
    /// `a << b`
    Shl,
    /// `a >> b`
    Shr,
    /// `a & b`
    BitAnd,
    /// `a | b`
    BitOr,
    /// `a ^ b`
    BitXor,
    /// `a && b`
    And,
    /// `a || b`
    Or,
    /// `a == b`
    Eq,
    /// `a != b`
    Ne,
    /// `a < b`
    Lt,
    /// `a <= b`
    Le,
    /// `a > b`
    Gt,
    /// `a >= b`
    Ge,
    /// `a <=> b`
    Spaceship,
    /// `a, b`
    Comma,
}

impl BinaryOp {
    /// The operator as it is written.
    pub fn text(self) -> &'static str {
        match self {
            Self::Add => "+",
            Self::Sub => "-",
            Self::Mul => "*",
            Self::Div => "/",
            Self::FloorDiv => "//",
            Self::Rem => "%",
            Self::Power => "**",
            Self::Shl => "<<",
            Self::Shr => ">>",
            Self::BitAnd => "&",
            Self::BitOr => "|",
            Self::BitXor => "^",
            Self::And => "&&",
            Self::Or => "||",
            Self::Eq => "==",
            Self::Ne => "!=",
            Self::Lt => "<",
            Self::Le => "<=",
            Self::Gt => ">",
            Self::Ge => ">=",
            Self::Spaceship => "<=>",
            Self::Comma => ",",
        }
    }
}

/// An exact fraction as written, denominator never zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Rational {
    /// Above the line.
    pub numerator: i64,
    /// Below the line.
    pub denominator: i64,
}

/// A pointer as CuTe prints it: `Sw<3,4,3>_smem_ptr[16b](0x7f00)`.
#[derive(Debug, Clone, PartialEq)]
pub struct Engine {
    /// The swizzle printed before the pointer: bits, base, shift.
    pub swizzle: Option<(i64, i64, i64)>,
    /// The kind of pointer without its underscore-separated swizzle: `smem_ptr`, `gmem_ptr`,
    /// `ptr`, `tmem_`.
    pub space: String,
    /// Bits of one element.
    pub bits: i64,
    /// The address in the parentheses: `unset`, `PTR`, `0x7f00`, `PTR.0000`.
    pub address: String,
}
