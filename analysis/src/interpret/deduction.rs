//! Template argument deduction: which types the parameters of a template take in a call.

use tree_sitter_cute::tree::{
    Binding, Expr, ExprKind, Function, Reference, TemplateParam, TemplateParamKind,
};

use cute_algebra::Int;

use super::Interpreter;
use super::bound::Bound;
use super::deduced_parts::{deduce_arguments, deduce_template};
use super::frame::{Frame, Scope, Variable};
use super::instructions::may_name;
use crate::reason::Reason;
use crate::types::{Scalar, ScalarClass, Type, is_run_time};
use crate::value::Value;

impl<'u> Interpreter<'u> {
    /// The scope of template parameters; a parameter that is not bound takes its default or stays symbolic.
    pub(super) fn template_scope(
        &mut self,
        tparams: &'u [TemplateParam],
        bound: &[Value],
        frame: &mut Frame<'u>,
    ) {
        frame.scopes.push(Scope::default());
        for (index, tparam) in tparams.iter().enumerate() {
            let Some(name) = &tparam.name else {
                continue;
            };
            let value = match bound.get(index) {
                Some(Value::Nothing) if tparam.pack => open_pack(&name.name),
                Some(Value::Nothing) | None => match &tparam.default {
                    Some(default) => self.eval(default, frame),
                    None if tparam.pack => Value::Pack(Vec::new()),
                    None => self.unbound(tparam, name, frame),
                },
                // Arguments that are given one by one.
                Some(value) if tparam.pack && !matches!(value, Value::Pack(_)) => {
                    Value::Pack(bound.get(index..).unwrap_or_default().to_vec())
                }
                Some(value) => value.clone(),
            };
            self.recorder.note_declaration(name.span, name.span);
            if let TemplateParamKind::Value(ty) = &tparam.kind {
                frame.locals.template_types.insert(name.span, ty);
            }
            frame.mode.open |= self.is_open_argument(&value);
            frame.declare(
                &name.name,
                Variable {
                    value,
                    declared: name.span,
                    read: true,
                },
            );
        }
    }

    /// Whether a template argument is, or has in it, a template parameter that nothing binds.
    fn is_open_argument(&self, argument: &Value) -> bool {
        match argument {
            Value::Type(ty) | Value::Instance(ty) => match &**ty {
                Type::Parameter(_) | Type::Part(_) => true,
                Type::Record(record) => self.computed.classes.is_open(record.instance),
                Type::Of(value) => self.is_open_argument(value),
                Type::Class(class) => class.args.iter().any(|arg| self.is_open_argument(arg)),
                _ => false,
            },
            Value::Tuple(items) | Value::Pack(items) => {
                items.iter().any(|item| self.is_open_argument(item))
            }
            Value::Object(object) => self.computed.classes.is_open(object.class.instance),
            other => {
                let symbols = other.symbols();
                symbols.iter().any(|symbol| !is_run_time(symbol))
            }
        }
    }

    /// The value of a template parameter that nothing binds: a type of its name, or a symbol.
    pub(super) fn unbound(
        &mut self,
        tparam: &'u TemplateParam,
        name: &'u tree_sitter_cute::tree::Ident,
        frame: &mut Frame<'u>,
    ) -> Value {
        match &tparam.kind {
            TemplateParamKind::Value(ty) => match self.eval_type(ty, frame) {
                Type::Scalar(scalar) if scalar.is_integer() => {
                    self.run_time_integer(&name.name, name.span, frame)
                }
                _ => Value::Unknown(Reason::Unbound(name.name.as_str().into())),
            },
            _ => Value::Type(Box::new(Type::Parameter(name.name.as_str().into()))),
        }
    }
}

/// A pack of which not even the number of elements is known.
pub(super) fn open_pack(name: &str) -> Value {
    Value::Pack(vec![Value::Unknown(Reason::OpenPack(name.into()))])
}

/// Why a list is not made.
pub(super) const TOO_MANY_VALUES: Reason = Reason::Limit("length of a list");

/// Why a list has an unknown number of values: an open pack was expanded in it, or it is too long.
pub(super) fn expands_open_pack(values: &[Value]) -> Option<Reason> {
    values.iter().find_map(|value| match value {
        Value::Unknown(reason)
            if matches!(reason, Reason::OpenPack(_)) || *reason == TOO_MANY_VALUES =>
        {
            Some(reason.clone())
        }
        Value::Pack(items) => expands_open_pack(items),
        _ => None,
    })
}

/// Binds a call's arguments to a function; `None` when it cannot take them.
pub(super) fn bind(
    classes: &Interpreter<'_>,
    function: &Function,
    explicit: &[Value],
    args: &[Value],
) -> Option<Bound> {
    let flags = &function.flags;
    let params = (function.params.as_slice(), flags.variadic);
    bind_to(classes, params, &function.tparams, explicit, args)
}

/// The same for parameters, with whether more arguments may follow: those of a lambda, or of a constructor, which deduces
/// the parameters of its class.
pub(super) fn bind_to(
    classes: &Interpreter<'_>,
    (params, is_variadic): (&[Binding], bool),
    tparams: &[TemplateParam],
    explicit: &[Value],
    args: &[Value],
) -> Option<Bound> {
    if !takes_explicit(tparams, explicit) {
        return None;
    }
    let pack = params.last().is_some_and(|param| param.specifiers.pack);
    let fixed = params.len() - usize::from(pack);
    if (args.len() > params.len() && !pack && !is_variadic)
        || params
            .iter()
            .take(fixed)
            .skip(args.len())
            .any(|param| param.init.is_none())
    {
        return None;
    }
    let mut deduced: Vec<Option<Value>> = Vec::with_capacity(tparams.len());
    for (index, tparam) in tparams.iter().enumerate() {
        deduced.push(if tparam.pack {
            explicit
                .get(index..)
                .filter(|rest| !rest.is_empty())
                .map(|rest| Value::Pack(rest.to_vec()))
        } else {
            explicit
                .get(index)
                .map(|value| as_template_argument(value, tparam))
        });
    }
    let mut values = Vec::with_capacity(params.len());
    for (index, param) in params.iter().enumerate() {
        if param.specifiers.pack {
            let rest: Vec<Value> = args.get(index..).unwrap_or_default().to_vec();
            if let Some(place) = param
                .ty
                .as_ref()
                .and_then(Expr::as_plain_name)
                .and_then(|name| position(tparams, name))
                && let Some(slot) = deduced.get_mut(place)
                && slot.is_none()
            {
                let types = rest
                    .iter()
                    .map(|value| Value::Type(Box::new(type_given(param, value))));
                *slot = Some(Value::Pack(types.collect()));
            }
            values.push(Some(Value::Pack(rest)));
            continue;
        }
        let Some(value) = args.get(index) else {
            values.push(None);
            continue;
        };
        // A given argument is not deduced.
        let is_given = |ty: &Expr| {
            let place = plain_name(ty).and_then(|name| position(tparams, name));
            place.is_some_and(|place| place < explicit.len())
        };
        if let Some(ty) = &param.ty
            && !is_given(ty)
            && !may_be_null(ty, value, tparams.get(explicit.len()..).unwrap_or_default())
            && !deduce(
                classes,
                ty,
                &type_given(param, value),
                tparams,
                &mut deduced,
            )
        {
            return None;
        }
        values.push(Some(value.clone()));
    }
    let tparams = deduced
        .into_iter()
        .zip(tparams)
        .map(|(value, tparam)| match value {
            Some(value) => value,
            // A pack that nothing says anything of is empty.
            None if tparam.pack => Value::Pack(Vec::new()),
            None => Value::Nothing,
        })
        .collect();
    Some(Bound {
        tparams,
        params: values,
    })
}

/// Whether a value may be the literal 0, which converts to the pointer that is declared. Nothing is deduced from it.
fn may_be_null(declared: &Expr, value: &Value, tparams: &[TemplateParam]) -> bool {
    let is_zero =
        matches!(value, Value::Int(int) if !int.is_static() && int.value().unwrap_or(0) == 0);
    let target = match &declared.kind {
        ExprKind::Const(inner) => &inner.kind,
        kind => kind,
    };
    is_zero && matches!(target, ExprKind::Pointer(target) if !names_parameter(target, tparams))
}

/// Whether template parameters take these arguments: a number is not a type.
fn takes_explicit(tparams: &[TemplateParam], explicit: &[Value]) -> bool {
    for (index, value) in explicit.iter().enumerate() {
        let tparam = match tparams.get(index) {
            Some(tparam) => tparam,
            None if tparams.last().is_some_and(|last| last.pack) => return true,
            None => return false,
        };
        let is_type =
            |ty: &Type| matches!(ty, Type::Scalar(_) | Type::Pointer(_) | Type::Record(_));
        let fits = match (&tparam.kind, value) {
            (TemplateParamKind::Type | TemplateParamKind::Template, value) => {
                !matches!(value, Value::Int(_) | Value::Bool(_))
            }
            (TemplateParamKind::Value(ty), Value::Type(given)) => {
                let is_of_values = ty
                    .as_plain_name()
                    .is_some_and(|name| Scalar::of_spelling(name).is_some());
                !(is_of_values && is_type(given))
            }
            _ => true,
        };
        if !fits {
            return false;
        }
    }
    true
}

/// A template argument as its parameter takes it: a value for `int N`, a type for `class T`.
pub(super) fn as_template_argument(value: &Value, tparam: &TemplateParam) -> Value {
    match (&tparam.kind, value) {
        (TemplateParamKind::Value(_), Value::Int(int)) => Value::Int(int.to_dynamic()),
        _ => value.clone(),
    }
}

pub(super) fn position(tparams: &[TemplateParam], name: &str) -> Option<usize> {
    tparams
        .iter()
        .position(|tparam| tparam.name.as_ref().is_some_and(|found| found.name == name))
}

/// The type of an argument from which that of a parameter is deduced: an array only by reference.
fn type_given(param: &Binding, argument: &Value) -> Type {
    let ty = Type::of(argument);
    match param.reference {
        Reference::None => ty.decayed(),
        _ => ty,
    }
}

/// The name of a type that is one, without `const` and a reference.
pub(super) fn plain_name(ty: &Expr) -> Option<&str> {
    match &ty.kind {
        ExprKind::Const(inner) | ExprKind::Reference(inner, _) => inner.as_plain_name(),
        _ => ty.as_plain_name(),
    }
}

/// Matches a declared parameter type with the type of an argument; `false` when they cannot go
/// together.
pub(super) fn deduce(
    classes: &Interpreter<'_>,
    declared: &Expr,
    given: &Type,
    tparams: &[TemplateParam],
    found: &mut [Option<Value>],
) -> bool {
    match &declared.kind {
        ExprKind::Const(inner) | ExprKind::Reference(inner, _) => {
            deduce(classes, inner, given, tparams, found)
        }
        ExprKind::Pointer(inner) | ExprKind::Array(inner, _) => match given {
            Type::Pointer(target) | Type::Array(target, _) => {
                if let (ExprKind::Array(_, Some(length)), Type::Array(_, Some(given))) =
                    (&declared.kind, given)
                    && !bind_length(length, *given, tparams, found)
                {
                    return false;
                }
                deduce(classes, inner, target, tparams, found)
            }
            Type::Class(class) => match class.element() {
                Some(element) => deduce(classes, inner, element, tparams, found),
                None => true,
            },
            Type::Unknown(_)
            | Type::Named(_)
            | Type::Parameter(_)
            | Type::Part(_)
            | Type::Template(..)
            | Type::Placeholder => true,
            Type::Scalar(_) | Type::Record(_) => false,
            Type::Of(value) => matches!(**value, Value::Pointer(_)),
        },
        ExprKind::Name(path) => {
            let Some(segment) = path.last() else {
                return true;
            };
            if path.segments.len() == 1
                && let Some(place) = position(tparams, &segment.name.name)
            {
                return match &segment.args {
                    Some(args) => deduce_template(classes, place, args, given, tparams, found),
                    None => bind_type(place, given, found),
                };
            }
            match &segment.args {
                Some(args) => deduce_arguments(classes, segment, args, given, tparams, found),
                None => match given {
                    Type::Named(spelled) => may_name(&segment.name.name, spelled),
                    Type::Record(class) if classes.may_have_conversions(class.instance) => true,
                    given => accepts(&segment.name.name, given),
                },
            }
        }
        _ => true,
    }
}

/// Whether a declared parameter type is `Name<..>` with template parameters of its function: the
/// argument is of such a type then, and nothing converts it.
pub(super) fn is_deduced(declared: &Expr, tparams: &[TemplateParam]) -> bool {
    match &declared.kind {
        ExprKind::Const(inner) | ExprKind::Reference(inner, _) => is_deduced(inner, tparams),
        ExprKind::Name(path) => {
            path.segments.len() <= 2
                && path.segments.iter().rev().skip(1).all(|scope| {
                    scope.args.is_none() && position(tparams, &scope.name.name).is_none()
                })
                && path
                    .last()
                    .and_then(|last| last.args.as_ref())
                    .is_some_and(|args| args.iter().any(|arg| names_parameter(arg, tparams)))
        }
        _ => false,
    }
}

/// Whether a type names one of the template parameters.
pub(super) fn names_parameter(ty: &Expr, tparams: &[TemplateParam]) -> bool {
    let mut found = false;
    crate::walk::subexpressions(ty, &mut |part| {
        found |= part
            .as_plain_name()
            .is_some_and(|name| position(tparams, name).is_some());
    });
    found
}

/// Matches the length of a declared array, `T (&array)[N]`, with that of an argument.
fn bind_length(
    declared: &Expr,
    given: u64,
    tparams: &[TemplateParam],
    found: &mut [Option<Value>],
) -> bool {
    let Ok(given) = i64::try_from(given) else {
        return true;
    };
    let place = declared
        .as_plain_name()
        .and_then(|name| position(tparams, name));
    let (Some(place), ExprKind::Name(_)) = (place, &declared.kind) else {
        return !matches!(declared.kind, ExprKind::Int(length) if length != given);
    };
    match (found.get_mut(place), tparams.get(place)) {
        (Some(slot @ None), Some(tparam)) => {
            *slot = Some(as_template_argument(&Value::Int(Int::fixed(given)), tparam));
            true
        }
        (Some(Some(Value::Int(known))), _) => known.value().is_none_or(|known| known == given),
        _ => true,
    }
}

pub(super) fn bind_type(place: usize, given: &Type, found: &mut [Option<Value>]) -> bool {
    let Some(slot) = found.get_mut(place) else {
        return true;
    };
    match slot {
        None => {
            *slot = Some(Value::Type(Box::new(given.clone())));
            true
        }
        // `TA` deduced from two arguments: they have to agree where both are known.
        Some(Value::Type(known)) => {
            !matches!((&**known, given), (Type::Scalar(a), Type::Scalar(b)) if a != b)
                || !matches!(given, Type::Scalar(_))
        }
        Some(_) => true,
    }
}

/// Whether a plainly named type can take an argument of a type.
fn accepts(name: &str, given: &Type) -> bool {
    let Some(scalar) = Scalar::of_spelling(name) else {
        return true;
    };
    match given {
        Type::Scalar(_)
        | Type::Unknown(_)
        | Type::Named(_)
        | Type::Class(_)
        | Type::Parameter(_)
        | Type::Part(_)
        | Type::Template(..)
        | Type::Placeholder => true,
        // An integral constant converts to an integer.
        Type::Of(value) => {
            matches!(
                **value,
                Value::Int(_) | Value::Bool(_) | Value::Unknown(_) | Value::Instance(_)
            ) && scalar.class != ScalarClass::Void
        }
        // [conv.bool]
        Type::Pointer(_) | Type::Array(..) => scalar.class == ScalarClass::Bool,
        Type::Record(_) => false,
    }
}
