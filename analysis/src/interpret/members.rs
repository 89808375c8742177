//! Members of objects and types: `tensor.layout()`, `Traits::kBlockM`, `threadIdx.x`.

use std::sync::Arc;

use cute_algebra::Int;
use tree_sitter_cute::tree::{Expr, Segment, Span};

use super::Interpreter;
use super::atom_members::{member_of_atom, member_of_copy_traits, member_of_thread};
use super::frame::Frame;

use crate::reason::Reason;
use crate::tensor::Pointer;
use crate::types::{LibraryClass, Type};
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
                match *builtin {
                    "blockDim" | "gridDim" => match self.assumed_value(&symbol, place) {
                        Some(value) => Value::Int(Int::dynamic(value)),
                        None => Value::Int(Int::symbol(&symbol)),
                    },
                    _ => Value::Int(self.grid_coordinate(&symbol, place)),
                }
            }
            Value::Object(found) => {
                if let Some((_, field)) = found.fields.iter().find(|(field, _)| field == name) {
                    return field.clone();
                }
                let instance = found.class.instance;
                match self.record_member(instance, member, frame) {
                    Some(value) => value,
                    None if self.is_all_in_sight(instance) => no_member(object, name),
                    None => Value::Unknown(Reason::MemberNotEvaluated(
                        name.into(),
                        object.to_string().into(),
                    )),
                }
            }
            // An element of a tuple of Rust.
            Value::Tuple(items) if self.is_rust() => {
                let index = name.parse::<usize>().ok();
                let element = index.and_then(|index| items.get(index));
                element.cloned().unwrap_or_else(|| no_member(object, name))
            }
            // `dim3` fields.
            Value::Tuple(items) if matches!(name, "x" | "y" | "z") && items.len() == 3 => {
                let index = usize::from(name.as_bytes().first().map_or(0, |byte| byte - b'x'));
                items
                    .get(index)
                    .cloned()
                    .unwrap_or_else(|| no_member(object, name))
            }
            _ => member_of_thread(object, name).unwrap_or_else(|| {
                let ty = Value::Type(Box::new(Type::of(object)));
                self.static_member(&ty, member, frame)
            }),
        }
    }

    /// The memory that a pointer, `written`, points to, where its type says it.
    pub(super) fn pointee(
        &mut self,
        pointer: &Value,
        written: Option<&'u Expr>,
        frame: &mut Frame<'u>,
    ) -> Value {
        if let Some(written) = written
            && let Some(value) = self.pointed(written, frame)
        {
            return match pointer {
                Value::Pointer(Pointer {
                    element: Some(element),
                    ..
                }) => self.as_declared(value, element),
                _ => value,
            };
        }
        let name =
            |interpreter: &mut Self, frame: &mut Frame<'u>| interpreter.object_name(written, frame);
        self.in_memory(pointer, name, written.map(|written| written.span), frame)
    }

    /// `pointer[i]`, `vector.at(i)`: an element of which only the type is known, and its name by its expression.
    pub(super) fn element(
        &mut self,
        memory: &Value,
        written: &Expr,
        frame: &mut Frame<'u>,
    ) -> Value {
        let name = |interpreter: &mut Self, frame: &mut Frame<'u>| {
            let stem = interpreter.stem_of(Some(written));
            frame.symbol_name(&stem)
        };
        self.in_memory(memory, name, Some(written.span), frame)
    }

    /// A value in memory: another one each time, as anyone may write there.
    fn in_memory(
        &mut self,
        memory: &Value,
        name: impl FnOnce(&mut Self, &mut Frame<'u>) -> String,
        place: Option<Span>,
        frame: &mut Frame<'u>,
    ) -> Value {
        let unseen = || Value::Unknown(Reason::RunTime("an element in memory".into()));
        let element = match memory {
            Value::Pointer(pointer) => pointer.element.as_deref(),
            Value::Unknown(_) => return memory.clone(),
            _ => None,
        };
        match (element, place) {
            (Some(Type::Record(record)), _) => {
                let name = name(self, frame);
                self.symbolic_object_at(record, &name, place)
            }
            (Some(Type::Of(value)), _) if value.is_static() => (**value).clone(),
            (Some(Type::Of(value)), Some(place))
                if matches!(**value, Value::Tuple(_) | Value::Layout(_)) =>
            {
                let name = name(self, frame);
                self.fresh_copy((**value).clone(), &name, place, frame)
            }
            (Some(Type::Pointer(target)), _) => {
                Value::Pointer(Pointer::generic(Some((**target).clone())))
            }
            (Some(Type::Array(element, length)), _) => {
                Value::Pointer(Pointer::array(Some((**element).clone()), *length))
            }
            _ => unseen(),
        }
    }

    /// The name of the object that `written` is, or points to: the same as before where a variable has kept its value,
    /// as any two others may be different objects.
    pub(super) fn object_name(&mut self, written: Option<&Expr>, frame: &mut Frame<'u>) -> String {
        let stem = self.stem_of(written);
        let variable = written.and_then(Expr::as_plain_name);
        let declared = variable.and_then(|name| Some(frame.find(name)?.declared));
        if let Some(name) = declared.and_then(|declared| frame.locals.objects.get(&declared)) {
            return name.clone();
        }
        let name = frame.symbol_name(&stem);
        if let Some(declared) = declared {
            frame.locals.objects.insert(declared, name.clone());
        }
        name
    }

    /// The text of an expression where it is short, for names of its value.
    fn stem_of(&self, written: Option<&Expr>) -> String {
        const LONGEST: usize = 40;
        let text = written.map_or("", |written| self.program.slice(written.span).trim());
        let is_short = text.len() <= LONGEST && !text.contains(char::is_whitespace);
        let is_named = is_short && !text.is_empty();
        if is_named { text } else { "object" }.to_owned()
    }

    /// `Type::member`.
    pub(super) fn static_member(
        &mut self,
        ty: &Value,
        member: &'u Segment,
        frame: &mut Frame<'u>,
    ) -> Value {
        let name = member.name.name.as_str();
        self.computed.last_constant = None;
        let ty = match ty {
            Value::Type(ty) => &**ty,
            Value::Unknown(_) => return ty.clone(),
            other => return no_member(other, name),
        };
        match ty {
            Type::Unknown(reason) => Value::Unknown(reason.clone()),
            Type::Parameter(parameter) | Type::Part(parameter) => {
                Value::Unknown(Reason::Unbound(parameter.clone()))
            }
            Type::Record(record) => {
                let instance = record.instance;
                self.record_member(instance, member, frame)
                    .or_else(|| self.class_named_in(instance, member))
                    .unwrap_or_else(|| {
                        let of = record.name.clone();
                        Value::Unknown(if self.is_all_in_sight(instance) {
                            Reason::NoMember(name.into(), of)
                        } else {
                            Reason::MemberNotEvaluated(name.into(), of)
                        })
                    })
            }
            Type::Of(value) => match &**value {
                Value::Collective(collective) => {
                    self.member_of_collective(collective, member, frame)
                }
                value => member_of_static(value, name),
            }
            .unwrap_or_else(|| {
                Value::Unknown(Reason::MemberNotEvaluated(
                    name.into(),
                    ty.to_string().into(),
                ))
            }),
            Type::Class(class) if crate::object_layout::has_nested(&class.name, name) => {
                Value::Type(Box::new(Type::Class(Arc::new(LibraryClass {
                    name: format!("{}::{name}", class.name).into(),
                    args: class.args.clone(),
                }))))
            }
            Type::Class(class) if matches!(name, "Element" | "value_type" | "element_type") => {
                match class.element() {
                    Some(element) => Value::Type(Box::new(element.clone())),
                    None => Value::Unknown(Reason::MemberNotEvaluated(
                        name.into(),
                        class.to_string().into(),
                    )),
                }
            }
            other => {
                if let Type::Named(named) = other
                    && let Some(found) = self.enumerator_of_member(named, name)
                {
                    return found;
                }
                if let Type::Named(traits) = other
                    && let Some(atom) = crate::vocabulary::atom_of_traits(traits)
                    && let Some(found) = member_of_static(&atom, name)
                {
                    return found;
                }
                if let Type::Named(traits) = other
                    && let Some(found) = member_of_copy_traits(traits, name)
                {
                    return found;
                }
                let class = match other {
                    Type::Named(tag) => self.class_of_tag(tag),
                    Type::Class(class) => {
                        let class = Arc::clone(class);
                        self.class_of_library(&class).map(|class| class.instance)
                    }
                    _ => None,
                };
                class
                    .and_then(|class| self.record_member(class, member, frame))
                    .unwrap_or_else(|| {
                        let reason = if is_without_members(other) {
                            Reason::NoMember
                        } else {
                            Reason::MemberNotEvaluated
                        };
                        Value::Unknown(reason(name.into(), other.to_string().into()))
                    })
            }
        }
    }
}

/// Members of CuTe's own classes that are constants or types.
pub(super) fn member_of_static(value: &Value, name: &str) -> Option<Value> {
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
        (Value::Tensor(tensor), "value_type" | "element_type") => element_type(&tensor.engine),
        (Value::Pointer(pointer), "value_type" | "element_type") => element_type(pointer),
        (Value::Tensor(tensor), "engine_type") => Some(Value::Type(Box::new(Type::Of(Box::new(
            Value::Pointer(tensor.engine.clone()),
        ))))),
        (
            Value::TiledMma(_)
            | Value::ThrMma(_)
            | Value::MmaAtom(_)
            | Value::TiledCopy(_)
            | Value::ThrCopy(_)
            | Value::CopyAtom(_),
            _,
        ) => member_of_atom(value, name),
        (Value::Tuple(extents), _) => extent_of_tile(extents, name),
        (Value::Tensor(tensor), "layout_type") => {
            Some(Value::Type(Box::new(Type::of(&tensor.layout_value()))))
        }
        (Value::Layout(_) | Value::Composed(_) | Value::Shared(_) | Value::Tensor(_), "rank") => {
            let rank = value.as_any_layout()?.rank();
            Some(Value::Int(Int::dynamic(i64::try_from(rank).ok()?)))
        }
        _ => None,
    }
}

/// `GemmShape<M, N, K>::kMN`: an extent of a tile of the product, or how many elements one of its
/// faces has.
fn extent_of_tile(extents: &[Value], name: &str) -> Option<Value> {
    let modes: &[usize] = match name {
        "kM" => &[0],
        "kN" => &[1],
        "kK" => &[2],
        "kMN" => &[0, 1],
        "kMK" => &[0, 2],
        "kKN" => &[2, 1],
        "kMNK" | "kCount" => &[0, 1, 2],
        _ => return None,
    };
    let [_, _, _] = extents else {
        return None;
    };
    let mut product = Int::dynamic(1);
    for mode in modes {
        let extent = extents.get(*mode)?.as_int()?.as_static()?;
        product = product.mul(&Int::dynamic(extent)).ok()?;
    }
    Some(Value::Int(product))
}

fn element_type(pointer: &crate::tensor::Pointer) -> Option<Value> {
    let element = pointer.element.as_ref()?;
    Some(Value::Type(element.clone()))
}

pub(super) fn static_type(value: Value) -> Value {
    Value::Type(Box::new(Type::Of(Box::new(value))))
}

fn no_member(object: &Value, name: &str) -> Value {
    Value::Unknown(Reason::NoMember(name.into(), object.to_string().into()))
}
/// Whether a type is not a class: a pointer or an arithmetic type of the language.
fn is_without_members(ty: &Type) -> bool {
    match ty {
        Type::Pointer(_) => true,
        Type::Scalar(scalar) => {
            matches!(
                scalar.name,
                "float" | "double" | "void" | "bool" | "char" | "int"
            ) || (scalar.is_integer() && matches!(scalar.bits, 8 | 16 | 32 | 64))
        }
        _ => false,
    }
}
