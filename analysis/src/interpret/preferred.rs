//! The order of candidates that all take a call: which one is preferred.

use cute_algebra::Int;
use tree_sitter_cute::tree::{Binding, Expr, ExprKind, Function, TemplateParam};

use super::bound::Bound;
use super::conversions::INTEGERS;
use super::deduction::{names_parameter, plain_name, position};
use super::integers::{DEDUCED, QUALIFIED, is_arithmetic_type};
use super::overloads::{Asked, Candidate, Order, Selection};
use super::rank::Rank;
use super::special_order::{covers_all, same_all};
use super::written_arguments::{Argument, Pointing};
use crate::limits;
use crate::reason::Reason;
use crate::types::{Scalar, Type};
use crate::value::Value;

/// The result of a comparison of all candidates.
pub(super) enum Winner {
    One(usize),
    Nothing,
    Open,
}

/// The template parameter that a parameter of this type deduces: `T` of `f(T)`, unless it is given.
pub(super) fn deduced_parameter(
    tparams: &[TemplateParam],
    ty: &Expr,
    asked: &Asked<'_>,
) -> Option<usize> {
    let place = position(tparams, plain_name(ty)?)?;
    (place >= asked.explicit.len()).then_some(place)
}

/// The template parameter that the target of a pointer deduces with its `const`: `T` of `f(T*)` and of `f(T (&)[N])`.
fn pointee_parameter(tparams: &[TemplateParam], ty: &Expr, asked: &Asked<'_>) -> Option<usize> {
    let (ExprKind::Pointer(target) | ExprKind::Array(target, _)) = &ty.kind else {
        return None;
    };
    let place = position(tparams, target.as_plain_name()?)?;
    (place >= asked.explicit.len()).then_some(place)
}

/// Whether some parameter deduces a template parameter without its `const`: `T` of `f(T const*)`. Then it has none elsewhere.
fn takes_pointer_to_constant(params: &[Binding], tparams: &[TemplateParam], place: usize) -> bool {
    params.iter().any(|param| {
        let ty = param.ty.as_ref().map(|ty| &ty.kind);
        let Some(ExprKind::Pointer(target)) = ty else {
            return false;
        };
        let ExprKind::Const(target) = &target.kind else {
            return false;
        };
        let name = target.as_plain_name();
        name.and_then(|name| position(tparams, name)) == Some(place)
    })
}

fn is_class_or_pointer(value: &Value) -> bool {
    matches!(value, Value::Type(ty) if matches!(**ty, Type::Record(_) | Type::Pointer(_)))
}

/// Whether one template parameter is deduced as two arithmetic types: `f(T, T)` from an `int` and a `long`.
pub(super) fn deduces_two_types(
    function: &Function,
    world: &[Option<Scalar>],
    asked: &Asked<'_>,
) -> bool {
    let mut deduced: Vec<Option<Scalar>> = vec![None; function.tparams.len()];
    for (param, scalar) in function.params.iter().zip(world) {
        let (Some(ty), Some(scalar)) = (&param.ty, scalar) else {
            continue;
        };
        if param.specifiers.pack {
            break;
        }
        let place = deduced_parameter(&function.tparams, ty, asked);
        if let Some(slot) = place.and_then(|place| deduced.get_mut(place))
            && slot.replace(*scalar).is_some_and(|known| known != *scalar)
        {
            return true;
        }
    }
    false
}

/// Gives template parameters that are the types of integers the types that these are written with: a value alone says
/// nothing of its width.
pub(super) fn deduce_written(
    params: &[Binding],
    tparams: &[TemplateParam],
    asks: &dyn Fn(usize) -> bool,
    bound: &mut Bound,
    asked: &Asked<'_>,
) {
    for (index, param) in params.iter().enumerate() {
        let Some(argument) = asked.arguments.get(index) else {
            return;
        };
        let ty = param.ty.as_ref();
        if let Some(place) = ty.and_then(|ty| pointee_parameter(tparams, ty, asked))
            && !takes_pointer_to_constant(params, tparams, place)
            && argument.pointer != (Pointing::To { constant: false })
            && let Some(value) = bound.tparams.get_mut(place)
            && asks(place)
        {
            *value = Value::Unknown(QUALIFIED);
        }
        let Some(place) = ty.and_then(|ty| deduced_parameter(tparams, ty, asked)) else {
            continue;
        };
        let write = |value: &mut Value, argument: &Argument| {
            if let Some(written) = argument.written_type()
                && let Value::Type(ty) = value
                && matches!(&**ty, Type::Scalar(known) if known.is_integer())
            {
                **ty = written;
            }
        };
        // A reference may be deduced as one to a constant, or of a reference itself.
        let hides = |argument: &Argument, value: &Value| {
            let is_asked = || is_class_or_pointer(value) && asks(place);
            argument.may_qualify(param) && (is_arithmetic_type(value) || is_asked())
        };
        match bound.tparams.get_mut(place) {
            Some(Value::Pack(types)) if param.specifiers.pack => {
                let rest = asked.arguments.iter().skip(index);
                for (value, argument) in types.iter_mut().zip(rest) {
                    write(value, argument);
                    if hides(argument, value) {
                        *value = Value::Unknown(DEDUCED);
                    }
                }
            }
            Some(value) => {
                write(value, argument);
                if hides(argument, value) {
                    *value = Value::Unknown(DEDUCED);
                }
            }
            None => {}
        }
    }
}

/// Makes template parameters unknown that are the types of integers of which only the value is known, where that `matters`
/// for the parameter and the value.
pub(super) fn hide_open_integers(
    (params, tparams): (&[Binding], &[TemplateParam]),
    bound: &mut Bound,
    asked: &Asked<'_>,
    matters: &dyn Fn(usize, &Int) -> bool,
) {
    for (index, (param, value)) in params.iter().zip(asked.values).enumerate() {
        let argument = asked.arguments.get(index);
        let is_written = argument.is_some_and(|argument| argument.written_type().is_some());
        let ty = param.ty.as_ref();
        if let Value::Int(int) = value
            && !(int.is_static() || is_written)
            && let Some(place) = ty.and_then(|ty| deduced_parameter(tparams, ty, asked))
            && matters(place, int)
            && let Some(ty) = bound.tparams.get_mut(place)
        {
            *ty = Value::Unknown(DEDUCED);
        }
    }
}

/// Arguments of unknown types decide nothing where all candidates take them as one type: some candidate is called, so
/// that type takes them.
pub(super) fn level(ranks: &mut [Vec<Rank>], candidates: &[(Candidate<'_>, Option<Reason>)]) {
    let count = ranks.iter().map(Vec::len).min().unwrap_or(0);
    for index in 0..count {
        let mut own = ranks.iter().filter_map(|own| own.get(index));
        if own.any(|rank| rank.best != rank.worst) && is_one_type(candidates, index) {
            let own = ranks.iter_mut().filter_map(|own| own.get_mut(index));
            own.for_each(|rank| *rank = Rank::EXACT);
        }
    }
}

/// Whether a parameter of all candidates is of one type that no template argument changes.
pub(super) fn is_one_type(candidates: &[(Candidate<'_>, Option<Reason>)], index: usize) -> bool {
    let mut types = candidates.iter().map(|(candidate, _)| {
        let param = candidate.function.params.get(index)?;
        let ty = param.ty.as_ref()?;
        let is_open = param.specifiers.pack || names_parameter(ty, &candidate.function.tparams);
        (!is_open).then_some((ty, param.reference, candidate.module))
    });
    let Some(Some((first, reference, module))) = types.next() else {
        return false;
    };
    types.all(|other| {
        other.is_some_and(|(ty, other, home)| {
            other == reference && home == module && same_all(&[first], &[], &[ty], &[])
        })
    })
}

/// Whether one candidate is better than another.
pub(super) fn is_better(
    candidates: &[(Candidate<'_>, Option<Reason>)],
    ranks: &[Vec<Rank>],
    index: usize,
    other: usize,
    count: usize,
) -> Order {
    let (Some((a, _)), Some((b, _))) = (candidates.get(index), candidates.get(other)) else {
        return Order::Open;
    };
    let (Some(own), Some(others)) = (ranks.get(index), ranks.get(other)) else {
        return Order::Open;
    };
    let pairs = || {
        own.iter()
            .zip(others)
            .map(|(own, other)| own.beside(*other))
    };
    if pairs().any(|(own, other)| own.best > other.worst) {
        return Order::Not;
    }
    if pairs().any(|(own, other)| own.worst > other.best) {
        return Order::Open;
    }
    if pairs().any(|(own, other)| own.worst < other.best) {
        return Order::Better;
    }
    // Where not all of it is known one of them may still be better by a conversion.
    let is_equal = pairs().all(|(own, other)| own.best == own.worst && own == other);
    match (preferred(a, b, count), is_equal) {
        (Order::Better, _) => Order::Better,
        (Order::Not, true) => Order::Not,
        _ => Order::Open,
    }
}

pub(super) fn open<'u>(
    enabled: Vec<(Candidate<'u>, Option<Reason>)>,
    asked: &Asked<'_>,
) -> Selection<'u> {
    let unknown = asked
        .values
        .iter()
        .chain(asked.explicit)
        .find_map(|value| match value {
            Value::Unknown(reason) => Some(reason.clone()),
            Value::Type(ty) => match &**ty {
                Type::Unknown(reason) => Some(reason.clone()),
                Type::Parameter(name) => Some(Reason::Unbound(name.clone())),
                _ => None,
            },
            other => other.open_parameter(),
        });
    let condition = || enabled.iter().find_map(|(_, reason)| reason.clone());
    let name = enabled
        .first()
        .map_or("", |(candidate, _)| &candidate.function.name.name);
    let reason = unknown
        .or_else(condition)
        .unwrap_or_else(|| Reason::Ambiguous(name.into()));
    let candidates = enabled.into_iter().map(|(candidate, _)| candidate);
    Selection::Open(reason, candidates.collect())
}

/// The types that the integers among arguments may have, of which only the values are known.
pub(super) fn worlds(arguments: &[Argument]) -> Vec<Vec<Option<Scalar>>> {
    let mut worlds = vec![Vec::new()];
    for argument in arguments {
        let choices: Vec<Option<Scalar>> = if argument.open_integer() {
            let types = INTEGERS.iter();
            types.map(|name| Scalar::of_spelling(name)).collect()
        } else {
            vec![argument.written()]
        };
        let is_full = worlds.len() * choices.len() > limits::OVERLOAD_WORLDS;
        let choices = if is_full { vec![None] } else { choices };
        worlds = worlds
            .iter()
            .flat_map(|world: &Vec<Option<Scalar>>| {
                choices.iter().map(move |choice| {
                    let mut world = world.clone();
                    world.push(*choice);
                    world
                })
            })
            .collect();
    }
    worlds
}

/// The rank of an object for a method.
pub(super) fn rank_of_object(method: &Function, constant: Option<bool>) -> Rank {
    if method.flags.is_static || method.flags.constant && constant == Some(true) {
        return Rank::EXACT;
    }
    match (method.flags.constant, constant) {
        (true, _) => Rank::of(1),
        (false, Some(true)) => Rank::NOT,
        (false, Some(false)) => Rank::EXACT,
        (false, None) => Rank::between(0, Rank::NOT.worst),
    }
}

/// Candidates without those that only declare the function that another one defines.
pub(super) fn without_declarations<'u>(candidates: &[Candidate<'u>]) -> Vec<Candidate<'u>> {
    let is_same = |a: &Function, b: &Function| {
        a.params.len() == b.params.len()
            && a.tparams.len() == b.tparams.len()
            && a.flags.constant == b.flags.constant
            && a.requires.is_some() == b.requires.is_some()
            && a.params.iter().zip(&b.params).all(|(own, other)| {
                own.reference == other.reference
                    && own.specifiers == other.specifiers
                    && match (&own.ty, &other.ty) {
                        (Some(own), Some(other)) => {
                            same_all(&[own], &a.tparams, &[other], &b.tparams)
                        }
                        (None, None) => true,
                        _ => false,
                    }
            })
    };
    let defined: Vec<&Function> = candidates
        .iter()
        .map(|candidate| candidate.function)
        .filter(|function| function.body.is_some())
        .collect();
    let mut kept: Vec<Candidate<'u>> = Vec::with_capacity(candidates.len());
    for candidate in candidates {
        let function = candidate.function;
        let is_declared_only =
            function.body.is_none() && defined.iter().any(|other| is_same(other, function));
        let is_repeated =
            function.body.is_none() && kept.iter().any(|other| is_same(other.function, function));
        if !is_declared_only && !is_repeated {
            kept.push(candidate.clone());
        }
    }
    kept
}

/// The preference between two candidates that take the arguments equally well.
pub(super) fn preferred(a: &Candidate<'_>, b: &Candidate<'_>, count: usize) -> Order {
    let is_template = |function: &Function| super::instances::is_generic(function);
    match (is_template(a.function), is_template(b.function)) {
        (false, true) => return Order::Better,
        (true, false) => return Order::Not,
        _ => {}
    }
    if is_template(a.function) {
        match (
            is_more_special(a.function, b.function, count),
            is_more_special(b.function, a.function, count),
        ) {
            (true, false) => return Order::Better,
            (false, true) => return Order::Not,
            (false, false) => return Order::Open,
            (true, true) => {}
        }
    }
    match (a.constrained, b.constrained) {
        (true, false) => Order::Better,
        (false, true) => Order::Not,
        // One constraint may ask for more than the other.
        (true, true) => Order::Open,
        (false, false) => {
            // Two declarations of one function.
            match (a.function.body.is_some(), b.function.body.is_some()) {
                (true, false) => Order::Better,
                (false, true) => Order::Not,
                _ => Order::Open,
            }
        }
    }
}

fn points_to_constant(ty: &Expr) -> bool {
    matches!(&ty.kind, ExprKind::Pointer(target) if matches!(target.kind, ExprKind::Const(_)))
}

/// Whether a function template is at least as special as another one for this number of arguments ([temp.func.order]).
pub(super) fn is_more_special(narrow: &Function, wide: &Function, count: usize) -> bool {
    let types = |function: &Function| -> Option<(Vec<Expr>, bool)> {
        let mut pack = false;
        let mut types = Vec::new();
        for param in function.params.iter().take(count.max(1)) {
            if param.specifiers.pack {
                pack = true;
                break;
            }
            let ty = param.ty.clone()?;
            types.push(match ty.kind {
                ExprKind::Const(inner) | ExprKind::Reference(inner, _) => *inner,
                _ => ty,
            });
        }
        Some((types, pack))
    };
    let (Some((narrow_types, narrow_pack)), Some((wide_types, wide_pack))) =
        (types(narrow), types(wide))
    else {
        return false;
    };
    if narrow_pack && !wide_pack {
        return false;
    }
    if narrow_types.len() != wide_types.len()
        && !(wide_pack && narrow_types.len() >= wide_types.len())
    {
        return false;
    }
    let narrow_types: Vec<&Expr> = narrow_types.iter().take(wide_types.len()).collect();
    let wide_types: Vec<&Expr> = wide_types.iter().collect();
    // `T const*` does not take a pointer to what is not constant, and `T*` takes both.
    let mut pairs = narrow_types.iter().zip(&wide_types);
    if pairs.any(|(narrow, wide)| points_to_constant(wide) && !points_to_constant(narrow)) {
        return false;
    }
    covers_all(&wide_types, &narrow_types, &wide.tparams)
}
