//! Moving a tree to another place of its text.

use super::{
    Assignment, Binding, Branch, Condition, Conditional, Define, Enum, Enumerator, Expr, ExprKind,
    Function, Ident, If, Impl, Include, Instantiation, Item, ItemKind, Lambda, Loop, MacroCall,
    MemberInit, ModuleFile, Namespace, Path, Qualifier, Record, Segment, Span, StaticAssert,
    StructuredBinding, Switch, SwitchCase, TemplateParam, TemplateParamKind, Using, UsingKind,
};

/// What has spans.
pub(crate) trait Shift {
    /// Adds `by` bytes to every span.
    fn shift(&mut self, by: usize);
}

impl Shift for Span {
    fn shift(&mut self, by: usize) {
        self.start += by;
        self.end += by;
    }
}

impl<T: Shift> Shift for Vec<T> {
    fn shift(&mut self, by: usize) {
        for part in self {
            part.shift(by);
        }
    }
}

impl<T: Shift> Shift for Option<T> {
    fn shift(&mut self, by: usize) {
        if let Some(part) = self {
            part.shift(by);
        }
    }
}

impl<T: Shift> Shift for Box<T> {
    fn shift(&mut self, by: usize) {
        (**self).shift(by);
    }
}

impl<A: Shift, B: Shift> Shift for (A, B) {
    fn shift(&mut self, by: usize) {
        self.0.shift(by);
        self.1.shift(by);
    }
}

macro_rules! shift_fields {
    ($($kind:ident { $($field:ident),* })*) => {
        $(impl Shift for $kind {
            fn shift(&mut self, by: usize) {
                $(self.$field.shift(by);)*
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
    Item { kind, span }
    Binding { name, tparams, special_args, scope, ty, init, alignas, bits, span }
    StructuredBinding { names, init }
    TemplateParam { kind, name, default, span }
    Function {
        name, scope, tparams, special_args, requires, params, ret, member_inits, body,
        decorators
    }
    MemberInit { target, args }
    Record { name, scope, tparams, special_args, alignas, bases, members }
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

impl Shift for Qualifier {
    fn shift(&mut self, by: usize) {
        match self {
            Self::None | Self::Global => {}
            Self::Type(ty) => ty.shift(by),
        }
    }
}

impl Shift for TemplateParamKind {
    fn shift(&mut self, by: usize) {
        match self {
            Self::Type | Self::Template => {}
            Self::Value(ty) => ty.shift(by),
        }
    }
}

impl Shift for UsingKind {
    fn shift(&mut self, by: usize) {
        match self {
            Self::Namespace | Self::Declaration => {}
            Self::NamespaceAlias(name) | Self::Renamed(name) => name.shift(by),
        }
    }
}

impl Shift for Condition {
    fn shift(&mut self, by: usize) {
        match self {
            Self::If(condition) => condition.shift(by),
            Self::Defined(name) | Self::NotDefined(name) => name.shift(by),
            Self::Else => {}
        }
    }
}

impl Shift for ItemKind {
    fn shift(&mut self, by: usize) {
        match self {
            Self::Binding(inner) => inner.shift(by),
            Self::StructuredBinding(inner) => inner.shift(by),
            Self::Function(inner) => inner.shift(by),
            Self::Record(inner) => inner.shift(by),
            Self::Enum(inner) => inner.shift(by),
            Self::Namespace(inner) => inner.shift(by),
            Self::Using(inner) => inner.shift(by),
            Self::Impl(inner) => inner.shift(by),
            Self::ModuleFile(inner) => inner.shift(by),
            Self::Instantiation(inner) => inner.shift(by),
            Self::If(inner) => inner.shift(by),
            Self::Loop(inner) => inner.shift(by),
            Self::Switch(inner) => inner.shift(by),
            Self::Block(inner) => inner.shift(by),
            Self::Return(inner) => inner.shift(by),
            Self::Expr(inner) => inner.shift(by),
            Self::StaticAssert(inner) => inner.shift(by),
            Self::Include(inner) => inner.shift(by),
            Self::Define(inner) => inner.shift(by),
            Self::Undef(inner) => inner.shift(by),
            Self::Conditional(inner) => inner.shift(by),
            Self::Jump(_) | Self::Opaque(_) => {}
        }
    }
}

impl Shift for ExprKind {
    fn shift(&mut self, by: usize) {
        match self {
            Self::Name(path) => path.shift(by),
            Self::UserLiteral(inner, _)
            | Self::Decltype(inner)
            | Self::Pointer(inner)
            | Self::Reference(inner, _)
            | Self::Const(inner)
            | Self::Unary(_, inner)
            | Self::Sizeof(inner)
            | Self::Alignof(inner)
            | Self::Expand(inner)
            | Self::Basis(inner, _) => inner.shift(by),
            Self::Offsetof(inner, member) => {
                inner.shift(by);
                member.shift(by);
            }
            Self::Array(inner, size) => {
                inner.shift(by);
                size.shift(by);
            }
            Self::Binary(_, left, right)
            | Self::Cast(_, left, right)
            | Self::Layout(left, right)
            | Self::Divide(left, right)
            | Self::Product(left, right) => {
                left.shift(by);
                right.shift(by);
            }
            Self::FunctionType(first, rest)
            | Self::Call(first, rest)
            | Self::Construct {
                ty: first,
                args: rest,
                ..
            }
            | Self::Index(first, rest) => {
                first.shift(by);
                rest.shift(by);
            }
            Self::Launch {
                callee,
                config,
                args,
            } => {
                callee.shift(by);
                config.shift(by);
                args.shift(by);
            }
            Self::Braced(inner)
            | Self::Tuple(inner)
            | Self::Composition(inner)
            | Self::Tiler(inner) => inner.shift(by),
            Self::Designated(name, value) => {
                name.shift(by);
                value.shift(by);
            }
            Self::Member { object, member, .. } => {
                object.shift(by);
                member.shift(by);
            }
            Self::Macro(inner) => inner.shift(by),
            Self::Assign(inner) => inner.shift(by),
            Self::Ternary(first, second, third) => {
                first.shift(by);
                second.shift(by);
                third.shift(by);
            }
            Self::SizeofPack(name) => name.shift(by),
            Self::Lambda(inner) => inner.shift(by),
            Self::Fold(_, left, right) => {
                left.shift(by);
                right.shift(by);
            }
            Self::Int(_)
            | Self::Float(_)
            | Self::Char(_)
            | Self::Bool(_)
            | Self::Str(_)
            | Self::Null
            | Self::Auto
            | Self::Requires
            | Self::Static(_)
            | Self::Rational(_)
            | Self::Xor(_)
            | Self::Unknown(_)
            | Self::Underscore
            | Self::Swizzle(..)
            | Self::Engine(_)
            | Self::Opaque(_) => {}
        }
    }
}
