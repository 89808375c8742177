//! Moving a tree to another place of its text. One that has its place does not grow any more, so its lists give back
//! their spare room.

use super::{
    Assignment, Binding, Branch, Capture, Condition, Conditional, Define, Enum, Enumerator, Expr,
    ExprKind, Function, Given, Ident, If, Impl, Include, Instantiation, Item, ItemKind, Lambda,
    Loop, MacroCall, MemberInit, ModuleFile, Namespace, Path, Qualifier, Record, Requirement,
    Requires, Segment, Span, StaticAssert, StructuredBinding, Switch, SwitchCase, TemplateParam,
    TemplateParamKind, Using, UsingKind,
};

/// A part of a tree with spans.
pub(crate) trait Shift {
    /// Replaces every span by the result of `map`.
    fn map_spans(&mut self, map: &impl Fn(Span) -> Span);

    /// Adds `by` bytes to every span.
    fn shift(&mut self, by: usize) {
        self.map_spans(&|span| Span {
            start: span.start + by,
            end: span.end + by,
        });
    }
}

impl Shift for Span {
    fn map_spans(&mut self, map: &impl Fn(Span) -> Span) {
        *self = map(*self);
    }
}

impl<T: Shift> Shift for Vec<T> {
    fn map_spans(&mut self, map: &impl Fn(Span) -> Span) {
        self.shrink_to_fit();
        for part in self {
            part.map_spans(map);
        }
    }
}

impl<T: Shift> Shift for Option<T> {
    fn map_spans(&mut self, map: &impl Fn(Span) -> Span) {
        if let Some(part) = self {
            part.map_spans(map);
        }
    }
}

impl<T: Shift> Shift for Box<T> {
    fn map_spans(&mut self, map: &impl Fn(Span) -> Span) {
        (**self).map_spans(map);
    }
}

impl<A: Shift, B: Shift> Shift for (A, B) {
    fn map_spans(&mut self, map: &impl Fn(Span) -> Span) {
        self.0.map_spans(map);
        self.1.map_spans(map);
    }
}

macro_rules! shift_fields {
    ($($kind:ident { $($field:ident),* })*) => {
        $(impl Shift for $kind {
            fn map_spans(&mut self, map: &impl Fn(Span) -> Span) {
                $(self.$field.map_spans(map);)*
            }
        })*
    };
}

shift_fields! {
    Ident { span }
    Expr { kind, span }
    Path { qualifier, segments }
    Segment { name, args }
    MacroCall { path, args }
    Assignment { target, value }
    Lambda { captures, tparams, params, ret, body }
    Capture { name, init }
    Given { name, body }
    Requires { params, requirements }
    Item { kind, span }
    Binding { name, tparams, special_args, scope, ty, init, alignas, bits, span }
    StructuredBinding { names, init }
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
    Switch { condition, cases }
    SwitchCase { value, body }
    StaticAssert { condition, message }
    Include { path }
    Define { name, params, body, value }
    Conditional { branches }
    Branch { condition, items }
}

impl Shift for Requirement {
    fn map_spans(&mut self, map: &impl Fn(Span) -> Span) {
        match self {
            Self::Type(expr) | Self::Holds(expr) => expr.map_spans(map),
            Self::Valid(expr, constraint) => {
                expr.map_spans(map);
                constraint.map_spans(map);
            }
        }
    }
}

impl Shift for Qualifier {
    fn map_spans(&mut self, map: &impl Fn(Span) -> Span) {
        match self {
            Self::None | Self::Global => {}
            Self::Type(ty) => ty.map_spans(map),
        }
    }
}

impl Shift for TemplateParamKind {
    fn map_spans(&mut self, map: &impl Fn(Span) -> Span) {
        match self {
            Self::Type | Self::Template => {}
            Self::Value(ty) => ty.map_spans(map),
        }
    }
}

impl Shift for UsingKind {
    fn map_spans(&mut self, map: &impl Fn(Span) -> Span) {
        match self {
            Self::Namespace | Self::Declaration => {}
            Self::NamespaceAlias(name) | Self::Renamed(name) => name.map_spans(map),
        }
    }
}

impl Shift for Condition {
    fn map_spans(&mut self, map: &impl Fn(Span) -> Span) {
        match self {
            Self::If(condition) => condition.map_spans(map),
            Self::Defined(name) | Self::NotDefined(name) => name.map_spans(map),
            Self::Else => {}
        }
    }
}

impl Shift for ItemKind {
    fn map_spans(&mut self, map: &impl Fn(Span) -> Span) {
        match self {
            Self::Binding(inner) => inner.map_spans(map),
            Self::StructuredBinding(inner) => inner.map_spans(map),
            Self::Function(inner) => inner.map_spans(map),
            Self::Record(inner) => inner.map_spans(map),
            Self::Enum(inner) => inner.map_spans(map),
            Self::Namespace(inner) => inner.map_spans(map),
            Self::Using(inner) => inner.map_spans(map),
            Self::Impl(inner) => inner.map_spans(map),
            Self::ModuleFile(inner) => inner.map_spans(map),
            Self::Instantiation(inner) => inner.map_spans(map),
            Self::If(inner) => inner.map_spans(map),
            Self::Loop(inner) => inner.map_spans(map),
            Self::Switch(inner) => inner.map_spans(map),
            Self::Block(inner) => inner.map_spans(map),
            Self::Given(inner) => inner.map_spans(map),
            Self::Return(inner) => inner.map_spans(map),
            Self::Expr(inner) => inner.map_spans(map),
            Self::StaticAssert(inner) => inner.map_spans(map),
            Self::Include(inner) => inner.map_spans(map),
            Self::Define(inner) => inner.map_spans(map),
            Self::Undef(inner) => inner.map_spans(map),
            Self::Conditional(inner) => inner.map_spans(map),
            Self::Jump(_) | Self::ErrorDirective | Self::Opaque(_) => {}
        }
    }
}

impl Shift for ExprKind {
    fn map_spans(&mut self, map: &impl Fn(Span) -> Span) {
        match self {
            Self::Name(path) => path.map_spans(map),
            Self::UserLiteral(inner, _)
            | Self::Decltype(inner)
            | Self::Pointer(inner)
            | Self::Reference(inner, _)
            | Self::Const(inner)
            | Self::Unary(_, inner)
            | Self::Sizeof(inner)
            | Self::Alignof(inner)
            | Self::Expand(inner)
            | Self::Basis(inner, _) => inner.map_spans(map),
            Self::Offsetof(inner, member) => {
                inner.map_spans(map);
                member.map_spans(map);
            }
            Self::Array(inner, size) => {
                inner.map_spans(map);
                size.map_spans(map);
            }
            Self::Binary(_, left, right)
            | Self::Cast(_, left, right)
            | Self::Layout(left, right)
            | Self::Divide(left, right)
            | Self::Product(left, right) => {
                left.map_spans(map);
                right.map_spans(map);
            }
            Self::FunctionType(first, rest)
            | Self::Call(first, rest)
            | Self::Construct {
                ty: first,
                args: rest,
                ..
            }
            | Self::Index(first, rest) => {
                first.map_spans(map);
                rest.map_spans(map);
            }
            Self::Launch {
                callee,
                config,
                args,
            } => {
                callee.map_spans(map);
                config.map_spans(map);
                args.map_spans(map);
            }
            Self::Braced(inner)
            | Self::Tuple(inner)
            | Self::Composition(inner)
            | Self::Tiler(inner) => inner.map_spans(map),
            Self::Designated(name, value) => {
                name.map_spans(map);
                value.map_spans(map);
            }
            Self::Member { object, member, .. } => {
                object.map_spans(map);
                member.map_spans(map);
            }
            Self::Macro(inner) => inner.map_spans(map),
            Self::Assign(inner) => inner.map_spans(map),
            Self::Ternary(first, second, third) => {
                first.map_spans(map);
                second.map_spans(map);
                third.map_spans(map);
            }
            Self::SizeofPack(name) => name.map_spans(map),
            Self::Lambda(inner) => inner.map_spans(map),
            Self::Requires(inner) => inner.map_spans(map),
            Self::Fold(_, left, right) => {
                left.map_spans(map);
                right.map_spans(map);
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
