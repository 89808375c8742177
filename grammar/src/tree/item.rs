//! Items: declarations and statements. They share one type, because C++ allows nearly every
//! declaration inside a function too.

use super::{Expr, Ident, Path, Span};

/// A declaration or statement, with its place in the source.
#[derive(Debug, Clone, PartialEq)]
pub struct Item {
    /// The kind.
    pub kind: ItemKind,
    /// The place, template head included.
    pub span: Span,
}

impl Item {
    /// An item of `kind` at `span`.
    pub fn new(kind: ItemKind, span: Span) -> Self {
        Self { kind, span }
    }
}

/// The kinds of item.
#[derive(Debug, Clone, PartialEq)]
pub enum ItemKind {
    /// A variable, alias or data member. `int a, b;` gives two.
    Binding(Box<Binding>),
    /// `auto [a, b] = init`.
    StructuredBinding(Box<StructuredBinding>),
    /// A function, method, constructor or conversion; declaration or definition.
    Function(Box<Function>),
    /// A struct, class or union.
    Record(Box<Record>),
    /// An enum.
    Enum(Enum),
    /// A namespace and its items.
    Namespace(Namespace),
    /// `using namespace a;`, `using a::b;`, `namespace a = b;`.
    Using(Using),
    /// `impl Foo { ... }`: members that are declared apart from their type.
    Impl(Box<Impl>),
    /// `mod name;`: a module that is another file.
    ModuleFile(ModuleFile),
    /// `template class Foo<1>;`, `template void run<1>(int);`.
    Instantiation(Instantiation),
    /// `if` and `if constexpr`.
    If(Box<If>),
    /// Any loop.
    Loop(Box<Loop>),
    /// `switch`.
    Switch(Box<Switch>),
    /// `{ ... }` as a statement.
    Block(Vec<Item>),
    /// `return`, `co_return`.
    Return(Option<Expr>),
    /// `break`, `continue`, `goto`.
    Jump(Jump),
    /// An expression used as a statement.
    Expr(Expr),
    /// `static_assert`, also in CuTe's spellings `CUTE_STATIC_ASSERT` and `CUTE_STATIC_ASSERT_V`.
    StaticAssert(StaticAssert),
    /// `#include`.
    Include(Include),
    /// `#define`.
    Define(Define),
    /// `#undef`.
    Undef(Ident),
    /// `#error`: a compiled branch does not contain it.
    ErrorDirective,
    /// `#if` ... `#elif` ... `#else` ... `#endif`: all branches are kept.
    Conditional(Conditional),
    /// `SWITCH(dtype, T, run<T>(p);)`: a call of a macro that is given statements.
    Given(Given),
    /// Anything else: its kind, in the words of the host grammar (`asm`, `try_statement`).
    Opaque(&'static str),
}

/// A call of a macro that is given statements. Its expansion is known to whoever knows the macro.
#[derive(Debug, Clone, PartialEq)]
pub struct Given {
    /// The macro.
    pub name: Ident,
    /// The statements that it is given.
    pub body: Vec<Item>,
}

/// The role of a binding in its scope.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Role {
    /// A variable in a function or at namespace level.
    Var,
    /// A function or lambda parameter.
    Param,
    /// `using X = T;` or `typedef T X;`.
    Alias,
    /// A data member.
    Member,
}

/// The reference of a declared name to its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Reference {
    /// It is the value.
    #[default]
    None,
    /// `&`.
    Lvalue,
    /// `&&`.
    Rvalue,
}

/// The specifiers around a declared type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
// Independent keywords, any of which may be present.
#[allow(clippy::struct_excessive_bools)]
pub struct Specifiers {
    /// `constexpr`.
    pub constexpr: bool,
    /// `const` at the top level of the type (`int const x`, not `int const* x`).
    pub constant: bool,
    /// `static`.
    pub is_static: bool,
    /// `extern`.
    pub is_extern: bool,
    /// `__shared__`.
    pub shared: bool,
    /// `mutable`: a constant method may change the member.
    pub mutable: bool,
    /// `...` after the type: a parameter pack.
    pub pack: bool,
    /// `concept`: the initialiser is the constraint.
    pub concept: bool,
    /// `[[no_unique_address]]`
    pub no_unique_address: bool,
    /// A private or protected member.
    pub hidden: bool,
}

/// A name bound to a value or a type.
#[derive(Debug, Clone, PartialEq)]
pub struct Binding {
    /// Its role in its scope.
    pub role: Role,
    /// The name; `None` for an unnamed parameter.
    pub name: Option<Ident>,
    /// Template parameters of an alias or variable template.
    pub tparams: Vec<TemplateParam>,
    /// Template arguments of a variable template's specialisation.
    pub special_args: Option<Vec<Expr>>,
    /// Enclosing class of a static member defined outside of it: `T Foo<T>::x = ..;`.
    pub scope: Option<Path>,
    /// The declared type, without top-level `const` and reference (see `specifiers` and
    /// `reference`). [`ExprKind::Auto`](super::ExprKind::Auto) for `auto`. `None` for an alias.
    pub ty: Option<Expr>,
    /// The reference of the name to its value.
    pub reference: Reference,
    /// The initialiser, default argument or default member value; for an alias the type that it
    /// names. `T x(a)` and `T x{a}` are lowered as `T x = T(a)` and `T x = T{a}`.
    pub init: Option<Expr>,
    /// Keywords around it.
    pub specifiers: Specifiers,
    /// Operands of `alignas(...)` and `aligned(...)`: bytes, or a type whose alignment is meant. An attribute that places
    /// members in another way is here too, not lowered.
    pub alignas: Vec<Expr>,
    /// Width of a bit field, in bits.
    pub bits: Option<Expr>,
    /// Declarator and initialiser with the type before it.
    pub span: Span,
}

/// `auto [a, b] = init`, `let Tile { row, col: c } = init`.
#[derive(Debug, Clone, PartialEq)]
pub struct StructuredBinding {
    /// The names in order.
    pub names: Vec<Ident>,
    /// The members that they are bound to, one for each name; none where the order of the members says so.
    pub members: Vec<Ident>,
    /// The initialiser, which is taken apart.
    pub init: Option<Expr>,
    /// `auto&` or `auto&&`.
    pub reference: Reference,
    /// Keywords around it.
    pub specifiers: Specifiers,
}

/// One parameter of a template head.
#[derive(Debug, Clone, PartialEq)]
pub struct TemplateParam {
    /// Type, value or template.
    pub kind: TemplateParamKind,
    /// The name, if it has one.
    pub name: Option<Ident>,
    /// The default argument.
    pub default: Option<Expr>,
    /// `...`: takes any number of arguments.
    pub pack: bool,
    /// The place.
    pub span: Span,
}

/// The meaning of a template parameter.
#[derive(Debug, Clone, PartialEq)]
pub enum TemplateParamKind {
    /// `class T`, `typename T`.
    Type,
    /// `int N`, `auto N`, also a constrained `Concept T`: only name resolution can tell.
    Value(Expr),
    /// `template <class...> class T`.
    Template,
}

/// Keywords of a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
// Independent keywords, any of which may be present.
#[allow(clippy::struct_excessive_bools)]
pub struct FunctionFlags {
    /// `constexpr` or `consteval`.
    pub constexpr: bool,
    /// `static`.
    pub is_static: bool,
    /// `__global__`: a kernel.
    pub global: bool,
    /// `= delete`.
    pub deleted: bool,
    /// `= default`.
    pub defaulted: bool,
    /// `const` after the parameters.
    pub constant: bool,
    /// `...` as the last C-style parameter.
    pub variadic: bool,
    /// `explicit`: a constructor or conversion that only a cast or an initialisation calls.
    pub explicit: bool,
    /// `virtual`, `override` or `final`.
    pub is_virtual: bool,
    /// `template <>` in front: the explicit specialisation of a template, or of a member of one.
    pub specialised: bool,
    /// A syntax error is inside of it, so that its statements may be others than those that are written.
    pub damaged: bool,
}

/// A function, method, constructor, destructor, operator or deduction guide.
#[derive(Debug, Clone, PartialEq)]
pub struct Function {
    /// The name: `gemm`, `operator()`, `~Foo`, `operator float`.
    pub name: Ident,
    /// Enclosing class or namespace when it is defined outside: `Foo<T>` in `Foo<T>::bar`.
    pub scope: Option<Path>,
    /// Template parameters; those of the enclosing class template first when defined outside.
    pub tparams: Vec<TemplateParam>,
    /// Template arguments of a specialisation: `f<int>`.
    pub special_args: Option<Vec<Expr>>,
    /// `requires` clause.
    pub requires: Option<Expr>,
    /// Parameters in order.
    pub params: Vec<Binding>,
    /// Return type, trailing or leading; `None` for constructors and destructors.
    pub ret: Option<Expr>,
    /// `: member(args), base{args}` of a constructor.
    pub member_inits: Vec<MemberInit>,
    /// Statements; `None` for a declaration.
    pub body: Option<Vec<Item>>,
    /// Keywords.
    pub flags: FunctionFlags,
    /// The decorators: in Python the expressions behind `@` before it, in order; in CUDA `__launch_bounds__(..)`.
    pub decorators: Vec<Expr>,
}

/// One `member(args)` of a constructor.
#[derive(Debug, Clone, PartialEq)]
pub struct MemberInit {
    /// The member or base.
    pub target: Expr,
    /// Its arguments.
    pub args: Vec<Expr>,
}

/// The keyword of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RecordKind {
    /// `struct`
    Struct,
    /// `class`
    Class,
    /// `union`
    Union,
    /// `trait`
    Trait,
}

/// A struct, class or union.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    /// Keyword.
    pub kind: RecordKind,
    /// The name; `None` when anonymous.
    pub name: Option<Ident>,
    /// Enclosing class or namespace when it is defined outside: `A::B` in `struct A::B::C {}`.
    pub scope: Option<Path>,
    /// Template parameters.
    pub tparams: Vec<TemplateParam>,
    /// Template arguments of a full or partial specialisation.
    pub special_args: Option<Vec<Expr>>,
    /// `requires` clause.
    pub requires: Option<Expr>,
    /// Operands of `alignas(...)` and `aligned(...)`: bytes, or a type whose alignment is meant. Other attributes that
    /// place members are here too, not lowered: `packed`, `#pragma pack`, a virtual base.
    pub alignas: Vec<Expr>,
    /// Base classes as written.
    pub bases: Vec<Expr>,
    /// Members in order; `None` for a declaration without a body.
    pub members: Option<Vec<Item>>,
}

/// An enum.
#[derive(Debug, Clone, PartialEq)]
pub struct Enum {
    /// The name; `None` when anonymous.
    pub name: Option<Ident>,
    /// `enum class` or `enum struct`.
    pub scoped: bool,
    /// Underlying type.
    pub base: Option<Expr>,
    /// Its values in order.
    pub enumerators: Vec<Enumerator>,
}

/// One value of an enum.
#[derive(Debug, Clone, PartialEq)]
pub struct Enumerator {
    /// The name.
    pub name: Ident,
    /// The value if stated.
    pub value: Option<Expr>,
}

/// A namespace.
#[derive(Debug, Clone, PartialEq)]
pub struct Namespace {
    /// Its names from the outermost: two in `namespace a::b`, none when anonymous.
    pub names: Vec<Ident>,
    /// `inline namespace`.
    pub inline: bool,
    /// Its items.
    pub items: Vec<Item>,
}

/// An `impl` block.
#[derive(Debug, Clone, PartialEq)]
pub struct Impl {
    /// Its generic parameters.
    pub tparams: Vec<TemplateParam>,
    /// The trait, if it implements one.
    pub of: Option<Expr>,
    /// The type whose members these are.
    pub target: Expr,
    /// Its items.
    pub items: Vec<Item>,
}

/// A module whose items are in their own file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModuleFile {
    /// The module.
    pub name: Ident,
    /// The file as `#[path = "..."]` gives it.
    pub path: Option<Ident>,
}

/// The forms of `using`.
#[derive(Debug, Clone, PartialEq)]
pub enum UsingKind {
    /// `using namespace a;`
    Namespace,
    /// `using a::b;`
    Declaration,
    /// `use a::b as name;`: whatever `a::b` is.
    Renamed(Ident),
    /// `namespace name = a;`
    NamespaceAlias(Ident),
}

/// A name taken from elsewhere.
#[derive(Debug, Clone, PartialEq)]
pub struct Using {
    /// Form.
    pub kind: UsingKind,
    /// The used path.
    pub path: Expr,
}

/// An explicit instantiation.
#[derive(Debug, Clone, PartialEq)]
pub struct Instantiation {
    /// `extern template`.
    pub is_extern: bool,
    /// The record or function with its arguments: `Foo<1>`, `run<1>`.
    pub target: Expr,
    /// Parameter types when it is a function.
    pub params: Option<Vec<Expr>>,
}

/// `if` and `if constexpr`.
#[derive(Debug, Clone, PartialEq)]
pub struct If {
    /// `if constexpr`.
    pub constexpr: bool,
    /// `init;` before the condition, or the declaration that is the condition.
    pub init: Vec<Item>,
    /// The condition; `None` when a declaration is in its place.
    pub condition: Option<Expr>,
    /// Statements when true.
    pub then: Vec<Item>,
    /// Statements when false; `else if` is a nested `If`.
    pub otherwise: Option<Vec<Item>>,
}

/// The forms of loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LoopKind {
    /// `for (init; condition; step)`
    For,
    /// `for (init : range)`; `condition` is the range.
    Range,
    /// `while (condition)`
    While,
    /// `do ... while (condition)`
    DoWhile,
}

/// A loop.
#[derive(Debug, Clone, PartialEq)]
pub struct Loop {
    /// Form.
    pub kind: LoopKind,
    /// Declarations or expressions before the first pass.
    pub init: Vec<Item>,
    /// Condition, or the range of [`LoopKind::Range`].
    pub condition: Option<Expr>,
    /// The step after each pass.
    pub step: Option<Expr>,
    /// Statements.
    pub body: Vec<Item>,
}

/// `switch`.
#[derive(Debug, Clone, PartialEq)]
pub struct Switch {
    /// The value that selects; `None` for cases that are apart from their `switch`: in an expansion of a macro, under
    /// `#if`, or in a loop inside of it.
    pub condition: Option<Expr>,
    /// Statements before the first case: only cases that macros make of them are reached.
    pub before: Vec<Item>,
    /// Cases in order.
    pub cases: Vec<SwitchCase>,
}

/// One `case` or `default` with the statements up to the next one.
#[derive(Debug, Clone, PartialEq)]
pub struct SwitchCase {
    /// The value; `None` for `default`.
    pub value: Option<Expr>,
    /// Statements.
    pub body: Vec<Item>,
}

/// A statement that leaves its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Jump {
    /// `break`
    Break,
    /// `continue`
    Continue,
    /// `goto`
    Goto,
}

/// `static_assert(condition, "message")`.
///
/// The condition of `CUTE_STATIC_ASSERT_V` is a value such as `size(tA) == size(tB)`, whose type
/// must be true.
#[derive(Debug, Clone, PartialEq)]
pub struct StaticAssert {
    /// The asserted condition.
    pub condition: Expr,
    /// The message if there is one.
    pub message: Option<Expr>,
}

/// `#include`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Include {
    /// The path between the quotes or angle brackets.
    pub path: Ident,
    /// Angle brackets rather than quotes.
    pub system: bool,
}

/// `#define`.
#[derive(Debug, Clone, PartialEq)]
pub struct Define {
    /// The macro.
    pub name: Ident,
    /// Parameters of a function-like macro.
    pub params: Option<Vec<Ident>>,
    /// Whether it takes any number of arguments behind them (`...`).
    pub variadic: bool,
    /// Its replacement text.
    pub body: Span,
    /// The replacement as an expression, for an object-like macro whose text is one.
    pub value: Option<Expr>,
}

/// `#if` and its branches.
#[derive(Debug, Clone, PartialEq)]
pub struct Conditional {
    /// At least one; the first whose condition holds is compiled.
    pub branches: Vec<Branch>,
}

/// One branch of `#if`.
#[derive(Debug, Clone, PartialEq)]
pub struct Branch {
    /// The condition under which it is compiled.
    pub condition: Condition,
    /// Its items.
    pub items: Vec<Item>,
}

/// The condition of a branch. `defined(X)` in an expression is a call of the name `defined`.
#[derive(Debug, Clone, PartialEq)]
pub enum Condition {
    /// `#if expr`, `#elif expr`
    If(Expr),
    /// `#ifdef name`, `#elifdef name`
    Defined(Ident),
    /// `#ifndef name`, `#elifndef name`
    NotDefined(Ident),
    /// `#else`
    Else,
}
