//! Conversion between stored contents of the machine and values of the evaluation around it.

use cute_algebra::Int;

use super::Runner;
use super::construction::is_plain_member;
use super::given::pointer_to;
use super::numbers::scalar;
use super::objects::{CLOSURE, is_followed};
use super::store::{BASE, Content, Followed, Number, Stop};
use crate::reason::Reason;
use crate::types::{Scalar, ScalarClass, Type};
use crate::value::{Object, Truth, Value};

/// The choice between two members of one name is not followed outside of the machine.
const TWO_MEMBERS: &str = "a name of two members";

impl<'u> Runner<'_, 'u> {
    /// The type of a stored content.
    pub(super) fn type_of(content: &Content<'u>) -> Option<Type> {
        match content {
            Content::Number(Number { ty, .. })
            | Content::Bits(Number { ty, .. }, _)
            | Content::Unset(ty) => Some(Type::Scalar(*ty)),
            Content::Object(class, _) => Some(Type::Record(class.clone())),
            _ => None,
        }
    }

    /// The stored content as a value of the evaluation.
    pub(super) fn seen(&self, content: &Content<'u>) -> Followed<Value> {
        match content {
            Content::Number(number) if number.ty.class == ScalarClass::Bool => {
                Ok(Value::Bool(Truth::run_time(number.value != 0)))
            }
            Content::Number(number) | Content::Bits(number, _) | Content::Enumerator(number) => {
                Ok(Value::Int(Int::dynamic(number.value)))
            }
            Content::Alias(place) => self.seen(self.store.at(place)?),
            Content::Unset(ty) if ty.is_integer() => Ok(Value::Unknown(Reason::RunTime(
                "a number that nothing set".into(),
            ))),
            Content::Null => Ok(Value::Pointer(crate::tensor::Pointer::generic(None))),
            Content::Pointer(place) => {
                let target = self.store.at(place)?;
                Ok(pointer_to(Self::type_of(target).ok_or(Stop)?))
            }
            Content::Object(class, fields) => {
                let mut seen: Vec<(String, Value)> = Vec::with_capacity(fields.len());
                let mut of_bases: Vec<(String, Value)> = Vec::new();
                for (name, field) in fields {
                    let value = self.seen(field);
                    if *name == BASE {
                        match value? {
                            Value::Object(base) => of_bases.extend(base.fields.iter().cloned()),
                            _ => return Err(Stop),
                        }
                        continue;
                    }
                    let unknown = || Value::Unknown(Reason::RunTime((*name).into()));
                    seen.push(((*name).to_owned(), value.unwrap_or_else(|_| unknown())));
                }
                // Behind its own members, which hide them.
                for (name, value) in of_bases {
                    match seen.iter_mut().find(|(known, _)| *known == name) {
                        Some((_, known)) => *known = Value::Unknown(Reason::Construct(TWO_MEMBERS)),
                        None => seen.push((name, value)),
                    }
                }
                Ok(Value::Object(std::sync::Arc::new(Object {
                    class: class.clone(),
                    fields: seen,
                })))
            }
            Content::Array(items) | Content::Tuple(items) => {
                let items: Followed<Vec<Value>> = items.iter().map(|it| self.seen(it)).collect();
                Ok(Value::Tuple(items?))
            }
            Content::Fixed(value) => Ok(value.clone()),
            Content::Closure(_) => Ok(Value::Unknown(Reason::Construct(CLOSURE))),
            Content::Function(_) => {
                Ok(Value::Unknown(Reason::Construct("a pointer to a function")))
            }
            Content::Unset(_) | Content::Unknown => Err(Stop),
        }
    }

    /// A value of the evaluation around the run, in an object of a type.
    pub(super) fn taken_over(&mut self, value: &Value, ty: &Type) -> Content<'u> {
        let number = |value: i64, ty: Scalar| {
            let long = scalar("long").ok()?;
            Number { value, ty: long }.converted(ty).ok()
        };
        match (value, ty) {
            (Value::Int(int), Type::Scalar(ty)) if is_followed(*ty) => int
                .value()
                .and_then(|value| number(value, *ty))
                .map_or(Content::Unknown, Content::Number),
            (Value::Bool(truth), Type::Scalar(ty)) if is_followed(*ty) => {
                number(i64::from(truth.value), *ty).map_or(Content::Unknown, Content::Number)
            }
            (Value::Object(object), Type::Record(class)) if object.class == *class => {
                let is_open = self.it.has_bases(class.instance);
                if is_open || !self.is_plain_class(class.instance) {
                    return Content::Unknown;
                }
                let mut fields = Vec::new();
                for member in self.it.data_members(class.instance) {
                    let Some(name) = &member.name else {
                        return Content::Unknown;
                    };
                    if is_plain_member(member).is_err() {
                        return Content::Unknown;
                    }
                    let ty = self.it.known_type_of_member(class.instance, member);
                    let value = object.fields.iter().find(|(own, _)| *own == name.name);
                    let content = match value {
                        Some((_, value)) if !matches!(ty, Type::Record(_)) => {
                            self.taken_over(value, &ty)
                        }
                        _ => Content::Unknown,
                    };
                    fields.push((name.name.as_str(), content));
                }
                Content::Object(class.clone(), fields)
            }
            _ => Content::Unknown,
        }
    }
}
