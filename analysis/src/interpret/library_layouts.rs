//! The memory of objects of classes that the vocabulary knows.

use tree_sitter_cute::tree::{Expr, ExprKind};

use super::object_layouts::POINTER;
use crate::collective::Collective;
use crate::object_layout::{Argument, ObjectLayout, RecordBuilder};
use crate::reason::Reason;
use crate::tensor::{Space, Tensor};
use crate::types::Scalar;
use crate::value::Value;

pub(super) fn is_tuple_name(name: &str) -> bool {
    matches!(
        name,
        "tuple" | "Shape" | "Stride" | "Coord" | "Step" | "Tile" | "Layout"
    )
}

pub(super) fn number(value: &Value) -> Result<Argument, Reason> {
    if let Value::Bool(truth) = value {
        return Ok(Argument::Number(u64::from(truth.value)));
    }
    value
        .as_int()
        .and_then(cute_algebra::Int::value)
        .and_then(|number| u64::try_from(number).ok())
        .map(Argument::Number)
        .ok_or(Reason::Construct(
            "a template argument that is not a constant",
        ))
}

/// Bytes of an arithmetic type; those of less than a byte take one as a separate object.
pub(super) fn scalar_layout(scalar: Scalar) -> Result<ObjectLayout, Reason> {
    if scalar.bits == 0 {
        return Err(Reason::Construct("`sizeof` of `void`"));
    }
    let bytes = u64::from(scalar.bits.next_power_of_two().max(8) / 8);
    Ok(ObjectLayout::plain(bytes, bytes))
}

/// `cute::tuple`: the first member, then the tuple of the rest; empty parts take no room.
pub(super) fn tuple(parts: &[ObjectLayout], class: &str) -> ObjectLayout {
    let mut rest: Option<ObjectLayout> = None;
    for part in parts.iter().rev().filter(|part| !part.is_empty) {
        let mut builder = RecordBuilder::structure();
        builder.not_plain();
        builder.member(None, part, 1);
        if let Some(rest) = &rest {
            builder.member(None, rest, 1);
        }
        rest = Some(ObjectLayout {
            members: Vec::new(),
            ..builder.finish(class, 1)
        });
    }
    rest.unwrap_or_else(|| ObjectLayout::empty(class))
}

/// The layout of the type of a value: static parts take no room.
pub(super) fn layout_of_value(value: &Value) -> Result<ObjectLayout, Reason> {
    let printed = value.to_string();
    if let Value::Tensor(tensor) = value {
        return layout_of_view(tensor, &printed);
    }
    if value.is_static() {
        return match value {
            Value::Int(_)
            | Value::Bool(_)
            | Value::Tuple(_)
            | Value::Layout(_)
            | Value::Composed(_)
            | Value::Shared(_)
            | Value::Swizzle(_)
            | Value::Underscore
            | Value::Delta(_) => Ok(ObjectLayout::empty(&printed)),
            Value::Collective(collective) => layout_of_collective(collective),
            _ => Err(Reason::Construct("`sizeof` of this type")),
        };
    }
    match value {
        Value::Tuple(items) => {
            let parts: Result<Vec<ObjectLayout>, Reason> =
                items.iter().map(layout_of_value).collect();
            Ok(tuple(&parts?, &printed))
        }
        Value::Pointer(_) => Ok(ObjectLayout::plain(POINTER, POINTER)),
        Value::Int(_) => Err(Reason::Construct(
            "`sizeof` of a run-time integer of unknown width",
        )),
        _ => Err(Reason::Construct("`sizeof` of this type")),
    }
}

/// Products of builders are counted by separate rules; only their storage has a size.
pub(super) fn layout_of_collective(collective: &Collective) -> Result<ObjectLayout, Reason> {
    match collective {
        Collective::Storage(storage) => {
            let unsigned = |bytes: i64| u64::try_from(bytes).unwrap_or_default();
            Ok(ObjectLayout::plain(
                unsigned(storage.extent.bytes),
                unsigned(storage.extent.align),
            ))
        }
        other => Err(Reason::NotEvaluated(format!("sizeof({other})").into())),
    }
}

/// A tensor that points to memory: the run-time numbers of its layout, and the pointer.
pub(super) fn layout_of_view(tensor: &Tensor, printed: &str) -> Result<ObjectLayout, Reason> {
    let whole_bytes = tensor.engine.bits().is_some_and(|bits| bits % 8 == 0);
    if !whole_bytes || matches!(tensor.engine.space, Space::Registers | Space::Coordinates) {
        return Err(Reason::Construct("`sizeof` of this tensor"));
    }
    let layout = layout_of_value(&tensor.layout_value())?;
    let pointer = ObjectLayout::plain(POINTER, POINTER);
    Ok(tuple(&[layout, pointer], printed))
}

/// The text before parentheses, and the arguments between them.
pub(super) fn applied(expr: &Expr) -> Option<(&Expr, &[Expr])> {
    match &expr.kind {
        ExprKind::Construct {
            ty,
            args,
            braces: false,
        } => Some((ty, args)),
        ExprKind::Call(callee, args) => Some((callee, args)),
        _ => None,
    }
}
