//! Moving a tree to another place of its text. One that has its place does not grow any more, so its lists give back
//! their spare room.

use super::{
    Assignment, Binding, Branch, Capture, Condition, Conditional, Define, Enum, Enumerator, Expr,
    ExprKind, Function, Given, Ident, If, Impl, Include, Instantiation, Item, ItemKind, Lambda,
    Loop, MacroCall, MemberInit, ModuleFile, Namespace, Path, Qualifier, Record, Requirement,
    Requires, Segment, Span, StaticAssert, StructuredBinding, Switch, SwitchCase, TemplateParam,
    TemplateParamKind, Using, UsingKind,
};

/// A change of the spans and names of a tree.
pub(crate) trait Change {
    /// The new span of a part.
    fn span(&self, span: Span) -> Span {
        span
    }

    /// Changes a name that is looked up from where it is written.
    fn looked_up(&self, _name: &mut Ident) {}
}

/// A part of a tree with spans.
pub(crate) trait Shift {
    /// Changes every part.
    fn change(&mut self, by: &impl Change);

    /// Replaces every span by the result of `map`.
    fn map_spans(&mut self, map: &impl Fn(Span) -> Span) {
        self.change(&Spans(map));
    }

    /// Adds `by` bytes to every span.
    fn shift(&mut self, by: usize) {
        self.map_spans(&|span| Span {
            start: span.start + by,
            end: span.end + by,
        });
    }
}

/// Other spans.
struct Spans<'m, M>(&'m M);

impl<M: Fn(Span) -> Span> Change for Spans<'_, M> {
    fn span(&self, span: Span) -> Span {
        (self.0)(span)
    }
}

/// Other names.
struct Names<'m, M>(&'m M);

impl<M: Fn(&str) -> Option<String>> Change for Names<'_, M> {
    fn looked_up(&self, name: &mut Ident) {
        if let Some(other) = (self.0)(&name.name) {
            name.name = other;
        }
    }
}

impl Expr {
    /// The same expression with other names for what is looked up from where it is written: no members and no parts of
    /// a scope.
    ///
    /// ```
    /// # use tree_sitter_cute::cuda;
    /// let (own, other) = (cuda::parse_expression("T::U").unwrap(), cuda::parse_expression("A::U").unwrap());
    /// let renamed = own.renamed(&|name| (name == "T").then(|| "A".to_owned()));
    /// assert_eq!(renamed, other);
    /// ```
    #[must_use]
    pub fn renamed(mut self, name: &impl Fn(&str) -> Option<String>) -> Self {
        self.change(&Names(name));
        self
    }
}

impl Function {
    /// The same function with other names for what is looked up from where it is written; the names that it declares
    /// stay.
    #[must_use]
    pub fn renamed(mut self, name: &impl Fn(&str) -> Option<String>) -> Self {
        self.change(&Names(name));
        self
    }
}

impl Shift for Span {
    fn change(&mut self, by: &impl Change) {
        *self = by.span(*self);
    }
}

impl<T: Shift> Shift for Vec<T> {
    fn change(&mut self, by: &impl Change) {
        self.shrink_to_fit();
        for part in self {
            part.change(by);
        }
    }
}

impl<T: Shift> Shift for Option<T> {
    fn change(&mut self, by: &impl Change) {
        if let Some(part) = self {
            part.change(by);
        }
    }
}

impl<T: Shift> Shift for Box<T> {
    fn change(&mut self, by: &impl Change) {
        (**self).change(by);
    }
}

impl<A: Shift, B: Shift> Shift for (A, B) {
    fn change(&mut self, by: &impl Change) {
        self.0.change(by);
        self.1.change(by);
    }
}

macro_rules! shift_fields {
    ($($kind:ident { $($field:ident),* })*) => {
        $(impl Shift for $kind {
            fn change(&mut self, by: &impl Change) {
                $(self.$field.change(by);)*
            }
        })*
    };
}

shift_fields! {
    Ident { span }
    Expr { kind, span }
    Segment { name, args }
    MacroCall { path, args }
    Assignment { target, value }
    Lambda { captures, tparams, params, ret, body }
    Capture { name, init }
    Given { name, body }
    Requires { params, requirements }
    Item { kind, span }
    Binding { name, tparams, special_args, scope, ty, init, alignas, bits, span }
    StructuredBinding { names, members, init }
    TemplateParam { kind, name, default, span }
    Function {
        name, scope, tparams, special_args, requires, params, ret, member_inits, body,
        decorators
    }
    MemberInit { target, args }
    Record { name, scope, tparams, special_args, requires, alignas, bases, members }
    Enum { name, base, enumerators }
    Enumerator { name, value }
    Namespace { names, items }
    Using { kind, path }
    Impl { tparams, of, target, items }
    ModuleFile { name, path }
    Instantiation { target, params }
    If { init, condition, then, otherwise }
    Loop { init, condition, step, body }
    Switch { condition, before, cases }
    SwitchCase { value, body }
    StaticAssert { condition, message }
    Include { path }
    Define { name, params, body, value }
    Conditional { branches }
    Branch { condition, items }
}

impl Shift for Path {
    fn change(&mut self, by: &impl Change) {
        self.qualifier.change(by);
        if let (Qualifier::None, Some(first)) = (&self.qualifier, self.segments.first_mut()) {
            by.looked_up(&mut first.name);
        }
        self.segments.change(by);
    }
}

impl Shift for Requirement {
    fn change(&mut self, by: &impl Change) {
        match self {
            Self::Type(expr) | Self::Holds(expr) => expr.change(by),
            Self::Valid(expr, constraint) => {
                expr.change(by);
                constraint.change(by);
            }
        }
    }
}

impl Shift for Qualifier {
    fn change(&mut self, by: &impl Change) {
        match self {
            Self::None | Self::Global => {}
            Self::Type(ty) => ty.change(by),
        }
    }
}

impl Shift for TemplateParamKind {
    fn change(&mut self, by: &impl Change) {
        match self {
            Self::Type | Self::Template => {}
            Self::Value(ty) => ty.change(by),
        }
    }
}

impl Shift for UsingKind {
    fn change(&mut self, by: &impl Change) {
        match self {
            Self::Namespace | Self::Declaration => {}
            Self::NamespaceAlias(name) | Self::Renamed(name) => name.change(by),
        }
    }
}

impl Shift for Condition {
    fn change(&mut self, by: &impl Change) {
        match self {
            Self::If(condition) => condition.change(by),
            Self::Defined(name) | Self::NotDefined(name) => name.change(by),
            Self::Else => {}
        }
    }
}

impl Shift for ItemKind {
    fn change(&mut self, by: &impl Change) {
        match self {
            Self::Binding(inner) => inner.change(by),
            Self::StructuredBinding(inner) => inner.change(by),
            Self::Function(inner) => inner.change(by),
            Self::Record(inner) => inner.change(by),
            Self::Enum(inner) => inner.change(by),
            Self::Namespace(inner) => inner.change(by),
            Self::Using(inner) => inner.change(by),
            Self::Impl(inner) => inner.change(by),
            Self::ModuleFile(inner) => inner.change(by),
            Self::Instantiation(inner) => inner.change(by),
            Self::If(inner) => inner.change(by),
            Self::Loop(inner) => inner.change(by),
            Self::Switch(inner) => inner.change(by),
            Self::Block(inner) => inner.change(by),
            Self::Given(inner) => inner.change(by),
            Self::Return(inner) => inner.change(by),
            Self::Expr(inner) => inner.change(by),
            Self::StaticAssert(inner) => inner.change(by),
            Self::Include(inner) => inner.change(by),
            Self::Define(inner) => inner.change(by),
            Self::Undef(inner) => inner.change(by),
            Self::Conditional(inner) => inner.change(by),
            Self::Jump(_) | Self::ErrorDirective | Self::Opaque(_) => {}
        }
    }
}

impl Shift for ExprKind {
    fn change(&mut self, by: &impl Change) {
        match self {
            Self::Name(path) => path.change(by),
            Self::UserLiteral(inner, _)
            | Self::Decltype(inner)
            | Self::Pointer(inner)
            | Self::Reference(inner, _)
            | Self::Const(inner)
            | Self::Unary(_, inner)
            | Self::Sizeof(inner)
            | Self::Alignof(inner)
            | Self::Expand(inner)
            | Self::Basis(inner, _) => inner.change(by),
            Self::Offsetof(inner, member) => {
                inner.change(by);
                member.change(by);
            }
            Self::Array(inner, size) => {
                inner.change(by);
                size.change(by);
            }
            Self::Binary(_, left, right)
            | Self::Cast(_, left, right)
            | Self::Layout(left, right)
            | Self::Divide(left, right)
            | Self::Product(left, right) => {
                left.change(by);
                right.change(by);
            }
            Self::FunctionType(first, rest)
            | Self::Call(first, rest)
            | Self::Construct {
                ty: first,
                args: rest,
                ..
            }
            | Self::Index(first, rest) => {
                first.change(by);
                rest.change(by);
            }
            Self::Launch {
                callee,
                config,
                args,
            } => {
                callee.change(by);
                config.change(by);
                args.change(by);
            }
            Self::Braced(inner)
            | Self::Tuple(inner)
            | Self::Composition(inner)
            | Self::Tiler(inner) => inner.change(by),
            Self::Designated(name, value) => {
                name.change(by);
                value.change(by);
            }
            Self::Member { object, member, .. } => {
                object.change(by);
                member.change(by);
            }
            Self::Macro(inner) => inner.change(by),
            Self::Assign(inner) => inner.change(by),
            Self::Ternary(first, second, third) => {
                first.change(by);
                second.change(by);
                third.change(by);
            }
            Self::SizeofPack(name) => {
                by.looked_up(name);
                name.change(by);
            }
            Self::Lambda(inner) => inner.change(by),
            Self::Requires(inner) => inner.change(by),
            Self::Fold(_, left, right) => {
                left.change(by);
                right.change(by);
            }
            Self::Int(_)
            | Self::Float(_)
            | Self::Char(_)
            | Self::Bool(_)
            | Self::Str(_)
            | Self::Null
            | Self::Auto
            | Self::Static(_)
            | Self::Rational(_)
            | Self::Xor(_)
            | Self::Unknown(_)
            | Self::Underscore
            | Self::Swizzle(..)
            | Self::Engine(_)
            | Self::Attribute(_)
            | Self::Opaque(_) => {}
        }
    }
}
