//! Arguments of calls as they are written, with what is known of their types.

use tree_sitter_cute::tree::{
    Binding, Expr, ExprKind, Function, Reference, TemplateParam, UnaryOp,
};

use super::Interpreter;
use super::conversions::is_builtin;
use super::deduction::names_parameter;
use super::enumeration::Enumeration;
use super::frame::Frame;
use super::object_layouts::gives_int;
use super::rank::{Category, Rank, category};
use crate::reason::Reason;
use crate::types::{Scalar, ScalarClass, Type};
use crate::value::Value;

/// Facts about an argument of a call besides its value.
#[derive(Debug, Clone)]
pub(super) struct Argument {
    pub(super) ty: Type,
    /// Its arithmetic type, where that is written.
    pub(super) scalar: Option<Scalar>,
    pub(super) category: Category,
    /// Its form as a pointer, by its spelling.
    pub(super) pointer: Pointing,
    /// The enumeration one of whose values it names.
    pub(super) enumeration: Option<Enumeration>,
}

/// The form of an argument as a pointer, by its spelling.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pointing {
    /// It is `nullptr`, whose type is `std::nullptr_t`.
    Null,
    /// It is the literal 0, which converts to any pointer ([conv.ptr]).
    Zero,
    /// It points to a constant, or to a variable.
    To {
        constant: bool,
    },
    Unknown,
}

impl Argument {
    /// Whether it is an integer of which only the value is known.
    pub(super) fn open_integer(&self) -> bool {
        self.scalar.is_none() && matches!(&self.ty, Type::Scalar(scalar) if scalar.is_integer())
    }

    /// Its arithmetic type, where that is written.
    pub(super) fn written(&self) -> Option<Scalar> {
        self.scalar
    }

    /// The type by its spelling; the type of an enumerator is its enumeration.
    pub(super) fn written_type(&self) -> Option<Type> {
        match &self.ty {
            ty @ Type::Unknown(_) => Some(ty.clone()),
            _ => self.scalar.map(Type::Scalar),
        }
    }

    /// Whether the template parameter that a parameter `T&` or `T&&` deduces from it is, or may be, more than its plain type.
    pub(super) fn may_qualify(&self, param: &Binding) -> bool {
        match (param.reference, self.category) {
            (Reference::Rvalue, Category::Lvalue { .. } | Category::Unknown) => true,
            (Reference::Lvalue, Category::Lvalue { constant: true } | Category::Unknown) => {
                !param.specifiers.constant
            }
            _ => false,
        }
    }

    /// Sets its arithmetic type.
    pub(super) fn write(&mut self, scalar: Scalar) {
        self.scalar = Some(scalar);
    }

    /// The rank of a pointer parameter declared so; `plain` is that of the types pointed to. A pointer to a variable
    /// becomes one to a constant by a conversion, which an identity is better than ([over.ics.rank]).
    pub(super) fn rank_as_pointer(
        &self,
        declared: &Expr,
        tparams: &[TemplateParam],
        plain: Rank,
    ) -> Rank {
        let ExprKind::Pointer(target) = &declared.kind else {
            return plain;
        };
        let is_deduced = names_parameter(target, tparams);
        match (self.pointer, is_constant_type(target)) {
            // Nothing is deduced from `nullptr`.
            (Pointing::Null | Pointing::Zero, _) if is_deduced => Rank::NOT,
            (Pointing::Null | Pointing::Zero, _) => Rank::CONVERSION,
            // No other number is a pointer.
            _ if self.scalar.is_some() => Rank::NOT,
            _ if !plain.may_take() => plain,
            // A template parameter may be deduced as a constant type.
            (Pointing::To { constant: true }, Some(false)) => Rank::NOT,
            (Pointing::To { constant: true }, None) if !is_deduced => {
                Rank::between(plain.best, Rank::NOT.worst)
            }
            (Pointing::To { constant: false }, Some(true)) => {
                Rank::between(plain.best + 1, plain.worst.saturating_add(1))
            }
            (Pointing::Unknown, Some(true)) => {
                Rank::between(plain.best, plain.worst.saturating_add(1))
            }
            (Pointing::To { constant: false }, None) if !is_deduced => {
                Rank::between(plain.best, plain.worst.saturating_add(1))
            }
            (Pointing::To { .. } | Pointing::Unknown, _) => plain,
        }
    }

    /// The rank of an enumeration's value converted to an arithmetic type ([conv.prom], [conv.integral]).
    pub(super) fn rank_as_number(own: Enumeration, target: Scalar) -> Rank {
        if !is_builtin(target) {
            return Rank::MAYBE_USER;
        }
        match target.class {
            ScalarClass::Float | ScalarClass::Bool => Rank::CONVERSION,
            _ if own.promotes_to_int && target.name == "int" => Rank::PROMOTION,
            _ if own.promotes_to_int => Rank::CONVERSION,
            _ => Rank::between(Rank::PROMOTION.best, Rank::CONVERSION.worst),
        }
    }
}

impl<'u> Interpreter<'u> {
    /// Facts about the arguments of a call; `exprs` are as they are written.
    pub(super) fn arguments_of(
        &mut self,
        exprs: &'u [Expr],
        values: &[Value],
        frame: &mut Frame<'u>,
    ) -> Vec<Argument> {
        let is_one_each = exprs.len() == values.len()
            && !exprs
                .iter()
                .any(|expr| matches!(expr.kind, ExprKind::Expand(_)));
        let values = values.iter().enumerate();
        values
            .map(|(index, value)| {
                let expr = exprs.get(index).filter(|_| is_one_each);
                self.argument_of(expr, value, frame)
            })
            .collect()
    }

    /// Facts about one argument, which is written as `expr`.
    pub(super) fn argument_of(
        &mut self,
        expr: Option<&'u Expr>,
        value: &Value,
        frame: &mut Frame<'u>,
    ) -> Argument {
        let is_enumerator =
            matches!(value, Value::Int(_)) && expr.is_some_and(|it| self.is_enumerator(it, frame));
        let ty = if is_enumerator {
            Type::Unknown(Reason::Construct("the type of an enumerator"))
        } else {
            Type::of(value)
        };
        let scalar = match (&ty, value) {
            (_, Value::Int(int)) if !int.is_static() => expr.and_then(|expr| {
                let int = || Scalar::of_spelling("int").filter(|_| gives_int(expr));
                self.written_integer(expr, frame).or_else(int)
            }),
            (Type::Scalar(scalar), _) => Some(*scalar),
            _ => None,
        };
        let named = expr.filter(|_| is_enumerator);
        Argument {
            ty,
            scalar,
            category: expr.map_or(Category::Unknown, |expr| category(expr, frame)),
            pointer: expr.map_or(Pointing::Unknown, |expr| {
                match (pointing(expr, frame), self.points_to_constant(expr, frame)) {
                    (Pointing::Unknown, true) => Pointing::To { constant: true },
                    (known, _) => known,
                }
            }),
            enumeration: named.and_then(|expr| self.enumeration_of(expr, frame)),
        }
    }
}

impl<'u> Interpreter<'u> {
    /// Whether an argument is an array, or the address of a variable, that is constant outside of functions.
    fn points_to_constant(&self, expr: &Expr, frame: &Frame<'u>) -> bool {
        let (named, is_address) = match &expr.kind {
            ExprKind::Unary(UnaryOp::AddressOf, inner) => (&**inner, true),
            _ => (expr, false),
        };
        let name = named.as_plain_name();
        let name = name.filter(|name| frame.find(name).is_none());
        name.and_then(|name| self.constant_declared(name, frame))
            .is_some_and(|(_, binding)| {
                let ty = binding.ty.as_ref();
                let is_array = ty.is_some_and(|ty| matches!(ty.kind, ExprKind::Array(..)));
                let is_constant = binding.specifiers.constant || binding.specifiers.constexpr;
                is_constant && (is_address || is_array)
            })
    }
}

/// `std::nullptr_t`
pub(super) fn is_null_type(ty: &Expr) -> bool {
    let ty = match &ty.kind {
        ExprKind::Const(inner) => inner,
        _ => ty,
    };
    let Some((last, scopes)) = ty.as_path().and_then(|path| path.segments.split_last()) else {
        return false;
    };
    last.name.name == "nullptr_t" && scopes.iter().all(|scope| scope.name.name == "std")
}

/// Whether a type is constant; `None` where a name may be that of a constant type.
pub(super) fn is_constant_type(ty: &Expr) -> Option<bool> {
    match &ty.kind {
        ExprKind::Const(_) => Some(true),
        ExprKind::Pointer(_) => Some(false),
        _ => {
            let name = ty.as_plain_name()?;
            Scalar::of_spelling(name).map(|_| false)
        }
    }
}

/// The form of an argument as a pointer, by its spelling.
pub(super) fn pointing(expr: &Expr, frame: &Frame<'_>) -> Pointing {
    match &expr.kind {
        ExprKind::Null => Pointing::Null,
        ExprKind::Int(0) => Pointing::Zero,
        ExprKind::Unary(UnaryOp::AddressOf, inner) => match is_constant(inner, frame) {
            Some(constant) => Pointing::To { constant },
            None => Pointing::Unknown,
        },
        ExprKind::Name(_) => {
            let declared = expr
                .as_plain_name()
                .and_then(|name| frame.find(name))
                .and_then(|found| frame.locals.declaration(found.declared));
            declared
                .and_then(|binding| binding.ty.as_ref())
                .map_or(Pointing::Unknown, pointing_type)
        }
        ExprKind::Cast(_, ty, _) => pointing_type(ty),
        _ => Pointing::Unknown,
    }
}

/// The form of arguments of a type as pointers.
fn pointing_type(ty: &Expr) -> Pointing {
    let constant = match &ty.kind {
        ExprKind::Pointer(target) => is_constant_type(target),
        _ => None,
    };
    constant.map_or(Pointing::Unknown, |constant| Pointing::To { constant })
}

/// Whether a pack has another arithmetic type for an argument than that of the argument: it was given.
pub(super) fn is_given_in_pack(
    param: &Binding,
    function: &Function,
    index: usize,
    argument: &Argument,
    frame: &Frame<'_>,
) -> bool {
    let named = param.ty.as_ref().and_then(Expr::as_plain_name);
    let bound = named.and_then(|name| frame.find(name));
    let (true, Some(written), Some(Value::Pack(types))) = (
        param.specifiers.pack,
        argument.scalar,
        bound.map(|bound| &bound.value),
    ) else {
        return false;
    };
    let place = (index + 1).saturating_sub(function.params.len());
    matches!(types.get(place), Some(Value::Type(ty)) if matches!(&**ty, Type::Scalar(it) if *it != written))
}

/// Whether a variable is constant; `None` where that is not known.
pub(super) fn is_constant(expr: &Expr, frame: &Frame<'_>) -> Option<bool> {
    match &expr.kind {
        ExprKind::Name(_) => {
            let name = expr.as_plain_name()?;
            if name == "this" {
                return frame.owner.constant_object;
            }
            let declared = frame.find(name)?.declared;
            if frame.locals.is_constant(declared) {
                return Some(true);
            }
            // `auto& x = y` may be constant as y is.
            let binding = frame.locals.declaration(declared)?;
            let is_open = binding.reference != Reference::None
                && binding.ty.as_ref().is_none_or(|ty| {
                    ty.as_plain_name()
                        .is_none_or(|name| Scalar::of_spelling(name).is_none())
                });
            (!is_open).then_some(false)
        }
        ExprKind::Unary(UnaryOp::Deref, inner) if inner.as_plain_name() == Some("this") => {
            frame.owner.constant_object
        }
        ExprKind::Member { object, arrow, .. }
            if !arrow || object.as_plain_name() == Some("this") =>
        {
            is_constant(object, frame)
        }
        ExprKind::Construct { .. } => Some(false),
        _ => None,
    }
}
