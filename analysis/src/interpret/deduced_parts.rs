//! Deduction from the parts of a type: the arguments of a template, the parts of a class of the library.

use cute_algebra::Int;
use tree_sitter_cute::tree::{Expr, ExprKind, Segment, TemplateParam, TemplateParamKind};

use super::Interpreter;
use super::deduction::{bind_type, deduce, open_pack, position};
use super::instructions::{
    may_name, parts_of_instruction, parts_of_mma_atom, parts_of_tiled_mma, template_of_instruction,
};
use crate::types::{Scalar, Type};
use crate::value::Value;

/// `Layout<S, D>`, `Tensor<E, L>`, `Int<N>`, `Traits<N>` against the type of an argument.
pub(super) fn deduce_arguments(
    classes: &Interpreter<'_>,
    segment: &Segment,
    args: &[Expr],
    given: &Type,
    tparams: &[TemplateParam],
    found: &mut [Option<Value>],
) -> bool {
    let name = segment.name.name.as_str();
    let parts: Vec<Value> = match given {
        Type::Of(value) => match parts_of_class_or_base(name, args.len(), value).map(|it| it.0) {
            // `C<8>` has the number itself, and numbers of a type are its arguments' values.
            Some(parts) if matches!(**value, Value::Int(_) | Value::Swizzle(_)) => parts,
            Some(parts) => parts.iter().map(type_value).collect(),
            None => {
                leave_packs_open(args, tparams, found);
                return matches!(**value, Value::Unknown(_) | Value::Instance(_))
                    || !is_cute_template(name);
            }
        },
        Type::Record(record) => match classes.template_of(record.instance) {
            Some((template, parts)) if template == name => parts,
            // A base of its may be meant.
            Some(_) => {
                leave_packs_open(args, tparams, found);
                return classes.has_bases(record.instance) && !is_cute_template(name);
            }
            None => {
                leave_packs_open(args, tparams, found);
                return true;
            }
        },
        Type::Named(spelled) => {
            let Some(parts) = parts_of_instruction(name, spelled) else {
                leave_packs_open(args, tparams, found);
                return may_name(name, spelled);
            };
            parts
        }
        // A type that is not known: its arguments stay open.
        _ => {
            leave_packs_open(args, tparams, found);
            return !matches!(given, Type::Scalar(_) | Type::Pointer(_))
                || Scalar::of_spelling(name).is_some();
        }
    };
    deduce_parts(classes, args, &parts, tparams, found)
}

/// `U<A, B>` with a template template parameter against the type of an argument.
pub(super) fn deduce_template(
    classes: &Interpreter<'_>,
    place: usize,
    args: &[Expr],
    given: &Type,
    tparams: &[TemplateParam],
    found: &mut [Option<Value>],
) -> bool {
    let (template, parts) = match given {
        Type::Named(spelled) => match template_of_instruction(spelled) {
            Some((template, parts)) if parts.len() == args.len() => {
                (Type::Named(template.into()), parts)
            }
            _ => return false,
        },
        Type::Record(record) => match classes.open_template_of(record.instance) {
            Some(found) => found,
            None => return false,
        },
        _ => {
            leave_packs_open(args, tparams, found);
            return !matches!(given, Type::Scalar(_) | Type::Pointer(_));
        }
    };
    bind_type(place, &template, found) && deduce_parts(classes, args, &parts, tparams, found)
}

/// The arguments of a template in a declared parameter type against those of the argument's type.
pub(super) fn deduce_parts(
    classes: &Interpreter<'_>,
    args: &[Expr],
    parts: &[Value],
    tparams: &[TemplateParam],
    found: &mut [Option<Value>],
) -> bool {
    for (index, arg) in args.iter().enumerate() {
        let (arg, pack) = match &arg.kind {
            ExprKind::Expand(inner) => (&**inner, true),
            _ => (arg, false),
        };
        let place = arg.as_plain_name().and_then(|name| position(tparams, name));
        let Some(slot) = place.and_then(|place| found.get_mut(place)) else {
            // `Layout<Shape<M, N>, D>`
            if let Some(Value::Type(part)) = parts.get(index)
                && !pack
                && !deduce(classes, arg, part, tparams, found)
            {
                return false;
            }
            continue;
        };
        if let Some(known) = slot {
            let conflicts = match (known, parts.get(index)) {
                (Value::Int(known), Some(Value::Int(given))) => {
                    let (known, given) = (known.value(), given.value());
                    known.is_some() && given.is_some() && known != given
                }
                (Value::Type(known), Some(Value::Type(given))) => {
                    crate::vocabulary::same_types(known, given) == Some(false)
                }
                _ => false,
            };
            if conflicts && !pack {
                return false;
            }
            continue;
        }
        let tparam = place.and_then(|place| tparams.get(place));
        let is_value =
            tparam.is_some_and(|tparam| matches!(tparam.kind, TemplateParamKind::Value(_)));
        *slot = if pack {
            let rest = parts.get(index..).unwrap_or_default().iter();
            let taken = |part: &Value| match part {
                Value::Type(part) if is_value => match &**part {
                    Type::Of(value) => match &**value {
                        Value::Int(int) => Value::Int(int.to_dynamic()),
                        other => other.clone(),
                    },
                    _ => Value::Type(part.clone()),
                },
                part => part.clone(),
            };
            Some(Value::Pack(rest.map(taken).collect()))
        } else {
            match parts.get(index) {
                Some(Value::Nothing) | None => None,
                Some(Value::Type(part)) if is_value => match &**part {
                    Type::Of(value) => Some((**value).clone()),
                    // An enumerator: `UMMA::Major::K`.
                    Type::Named(_) => Some(Value::Type(part.clone())),
                    _ => None,
                },
                Some(part) => Some(part.clone()),
            }
        };
    }
    true
}

/// The packs among the arguments of a type that is not known have an unknown number of elements.
pub(super) fn leave_packs_open(
    args: &[Expr],
    tparams: &[TemplateParam],
    found: &mut [Option<Value>],
) {
    for arg in args {
        if let ExprKind::Expand(inner) = &arg.kind
            && let Some(name) = inner.as_plain_name()
            && let Some(slot) = position(tparams, name).and_then(|place| found.get_mut(place))
            && slot.is_none()
        {
            *slot = Some(open_pack(name));
        }
    }
}

/// CuTe's class templates whose values are told from all others.
pub(super) fn is_cute_template(name: &str) -> bool {
    matches!(
        name,
        "Layout"
            | "Tensor"
            | "ComposedLayout"
            | "Int"
            | "C"
            | "Swizzle"
            | "TiledCopy"
            | "TiledMMA"
            | "ThrCopy"
            | "ThrMMA"
            | "Copy_Atom"
            | "MMA_Atom"
            | "tuple"
            | "Shape"
            | "Stride"
    )
}

/// The template arguments of a type of CuTe's as `Name<..>` with `count` arguments; `None` when the type is not a
/// `Name`.
pub(super) fn parts_of_library_type(name: &str, count: usize, value: &Value) -> Option<Vec<Value>> {
    Some(match (name, value) {
        ("Layout", Value::Layout(layout)) => {
            vec![
                Value::of_shape(&layout.shape()),
                Value::of_stride(&layout.stride()),
            ]
        }
        ("Tensor", Value::Tensor(tensor)) => {
            vec![Value::Pointer(tensor.engine.clone()), tensor.layout_value()]
        }
        ("ComposedLayout", Value::Composed(composed)) => vec![
            match &composed.outer {
                cute_algebra::Outer::Swizzle(swizzle) => Value::Swizzle(*swizzle),
                cute_algebra::Outer::Layout(layout) => layout.clone().into(),
            },
            Value::of_shape(&composed.offset),
            composed.inner.clone().into(),
        ],
        ("Int" | "C" | "constant" | "integral_constant", Value::Int(int)) => {
            let number = int.as_static().map(|value| Value::Int(Int::dynamic(value)));
            std::iter::repeat_n(Value::Nothing, count.saturating_sub(1))
                .chain(number)
                .collect()
        }
        (
            "Shape" | "Stride" | "Coord" | "Step" | "Tile" | "tuple" | "seq" | "int_sequence"
            | "index_sequence",
            Value::Tuple(items),
        ) => items.clone(),
        ("integer_sequence", Value::Tuple(items)) => {
            let mut parts = vec![Value::Nothing];
            parts.extend(items.iter().cloned());
            parts
        }
        ("TiledMMA", Value::TiledMma(mma)) => parts_of_tiled_mma(mma),
        ("MMA_Atom", Value::MmaAtom(atom)) => parts_of_mma_atom(atom),
        ("ThrMMA", Value::ThrMma(thread)) => vec![Value::TiledMma(thread.mma.clone())],
        // The rest of their arguments is left open.
        ("TiledCopy", Value::TiledCopy(copy)) => {
            vec![Value::CopyAtom(copy.atom().clone().into())]
        }
        ("ThrCopy", Value::ThrCopy(thread)) => vec![Value::TiledCopy(thread.copy.clone())],
        ("Swizzle", Value::Swizzle(swizzle)) => {
            let numbers = [swizzle.bits(), swizzle.base(), swizzle.shift()];
            let numbers = numbers.map(|number| Value::Int(Int::dynamic(number)));
            numbers.into_iter().take(count).collect()
        }
        ("Copy_Atom", Value::CopyAtom(_)) => Vec::new(),
        _ => return None,
    })
}

/// The template arguments of a type of CuTe's as `Name<..>`, or of the nearest of its bases that is one, and the number of
/// steps to it.
pub(super) fn parts_of_class_or_base(
    name: &str,
    count: usize,
    value: &Value,
) -> Option<(Vec<Value>, u16)> {
    if let Some(parts) = parts_of_library_type(name, count, value) {
        return Some((parts, 0));
    }
    let (parts, steps) = parts_of_class_or_base(name, count, &base_of_library_class(value)?)?;
    Some((parts, steps + 1))
}

/// The base of a class of CuTe's: a thread's part of a tiled MMA is one, and that is its atom.
fn base_of_library_class(value: &Value) -> Option<Value> {
    Some(match value {
        Value::ThrMma(thread) => Value::TiledMma(thread.mma.clone()),
        Value::TiledMma(mma) => Value::MmaAtom(mma.atom().clone().into()),
        Value::TiledCopy(copy) => Value::CopyAtom(copy.atom().clone().into()),
        _ => return None,
    })
}

pub(super) fn type_value(value: &Value) -> Value {
    if matches!(value, Value::Type(_) | Value::Nothing) {
        return value.clone();
    }
    Value::Type(Box::new(Type::of(value)))
}
