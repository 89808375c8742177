//! Members of objects and types: `tensor.layout()`, `Traits::kBlockM`, `threadIdx.x`.

use cute_algebra::Int;
use tree_sitter_cute::tree::{Segment, Span};

use super::Interpreter;
use super::frame::Frame;
use crate::reason::Reason;
use crate::types::Type;
use crate::value::{Truth, Value};

impl<'u> Interpreter<'u> {
    /// `object.member`, not called.
    pub(super) fn member(
        &mut self,
        object: &Value,
        member: &'u Segment,
        place: Span,
        frame: &mut Frame<'u>,
    ) -> Value {
        let name = member.name.name.as_str();
        match object {
            Value::Unknown(_) => object.clone(),
            Value::Builtin(builtin) if matches!(name, "x" | "y" | "z") => {
                let symbol = format!("{builtin}.{name}");
                match self.assumed_value(&symbol, place) {
                    Some(value) => Value::Int(Int::dynamic(value)),
                    None if matches!(*builtin, "blockDim" | "gridDim") => {
                        Value::Int(Int::symbol(&symbol))
                    }
                    None => Value::Int(Int::coordinate(&symbol)),
                }
            }
            Value::Object(found) => {
                if let Some((_, field)) = found.fields.iter().find(|(field, _)| field == name) {
                    return field.clone();
                }
                self.record_member(found.class.instance, member, frame)
                    .unwrap_or_else(|| no_member(object, name))
            }
            // `dim3` fields.
            Value::Tuple(items) if matches!(name, "x" | "y" | "z") && items.len() == 3 => {
                let index = usize::from(name.as_bytes().first().map_or(0, |byte| byte - b'x'));
                items
                    .get(index)
                    .cloned()
                    .unwrap_or_else(|| no_member(object, name))
            }
            _ => self.static_member(&Value::Type(Box::new(Type::of(object))), member, frame),
        }
    }

    /// `Type::member`.
    pub(super) fn static_member(
        &mut self,
        ty: &Value,
        member: &'u Segment,
        frame: &mut Frame<'u>,
    ) -> Value {
        let name = member.name.name.as_str();
        let ty = match ty {
            Value::Type(ty) => &**ty,
            Value::Unknown(_) => return ty.clone(),
            other => return no_member(other, name),
        };
        match ty {
            Type::Unknown(reason) => Value::Unknown(reason.clone()),
            Type::Parameter(parameter) => Value::Unknown(Reason::Unbound(parameter.clone())),
            Type::Record(record) => {
                let instance = record.instance;
                self.record_member(instance, member, frame)
                    .unwrap_or_else(|| {
                        Value::Unknown(Reason::NoMember(name.into(), record.name.clone()))
                    })
            }
            Type::Of(value) => member_of_static(value, name).unwrap_or_else(|| {
                Value::Unknown(Reason::NoMember(name.into(), ty.to_string().into()))
            }),
            other => Value::Unknown(Reason::NoMember(name.into(), other.to_string().into())),
        }
    }
}

/// Members of CuTe's own classes that are constants or types.
fn member_of_static(value: &Value, name: &str) -> Option<Value> {
    match (value, name) {
        (Value::Int(int), "value") => int.as_static().map(|value| Value::Int(Int::dynamic(value))),
        (Value::Bool(truth), "value") if truth.fixed => {
            Some(Value::Bool(Truth::run_time(truth.value)))
        }
        (Value::Type(_), "type") => Some(value.clone()),
        (_, "type") => Some(Value::Type(Box::new(Type::of(value)))),
        (Value::Swizzle(swizzle), "num_bits") => Some(Value::Int(Int::dynamic(swizzle.bits()))),
        (Value::Swizzle(swizzle), "num_base") => Some(Value::Int(Int::dynamic(swizzle.base()))),
        (Value::Swizzle(swizzle), "num_shft") => Some(Value::Int(Int::dynamic(swizzle.shift()))),
        (Value::Tensor(tensor), "value_type" | "element_type") => tensor
            .engine
            .element
            .as_ref()
            .map(|element| Value::Type(element.clone())),
        (Value::Tensor(tensor), "layout_type") => {
            Some(Value::Type(Box::new(Type::of(&tensor.layout_value()))))
        }
        (Value::Layout(_) | Value::Composed(_), "rank") => {
            let rank = value.as_any_layout()?.rank();
            Some(Value::Int(Int::dynamic(i64::try_from(rank).ok()?)))
        }
        _ => None,
    }
}

fn no_member(object: &Value, name: &str) -> Value {
    Value::Unknown(Reason::NoMember(name.into(), object.to_string().into()))
}
