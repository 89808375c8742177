//! Attributes and elements: how they are read and written.

use std::sync::Arc;

use tree_sitter_cute::tree::Span;

use super::heap::{ClassKind, Id, Object, Wrapper};
use super::machine::{Machine, Run, Stop};
use super::native::Args;
use super::value::{Builtin, COORDINATE, Py};
use super::{builtins, containers, dsl, functions};
use crate::reason::Reason;
use crate::value::Value;

impl Machine<'_> {
    /// The attribute of a value.
    pub(crate) fn attribute(&mut self, object: &Py, name: &str) -> Run<Py> {
        if let Some(found) = self.find_attribute(object, name)? {
            return Ok(found);
        }
        Ok(match object {
            Py::Unknown(reason) | Py::Open(_, reason) => Py::Unknown(reason.clone()),
            Py::Object(id) => match self.heap.get(*id) {
                Object::Lost(reason) => Py::Unknown(reason.clone()),
                Object::Instance(instance) => {
                    let class = instance.class;
                    let Object::Class(class) = self.heap.get(class) else {
                        return Ok(Py::Unknown(Reason::Construct("this attribute")));
                    };
                    // A class of ours has the attributes that layouts depend on, and no more; those that Python itself
                    // gives every object are not all known.
                    let is_of_python = name.starts_with("__") && name.ends_with("__");
                    if class.foreign.is_empty()
                        && dsl::prelude(&class.module).is_none()
                        && !is_of_python
                    {
                        let why = format!("the missing attribute `{name}`");
                        return Err(Stop::error("AttributeError", &why));
                    }
                    Py::Unknown(no_member(name, &class.name))
                }
                Object::Module(module) => Py::not_evaluated(&format!("{}.{name}", module.name)),
                Object::Class(class) => Py::Unknown(no_member(name, &class.name)),
                _ => Py::Unknown(no_member(name, "object")),
            },
            Py::Leaf(value) => Py::Unknown(Reason::MemberNotEvaluated(
                name.into(),
                value.kind().name().into(),
            )),
            other => Py::Unknown(no_member(name, builtins::type_name(other))),
        })
    }

    /// The attribute of a value, where it has one.
    pub(crate) fn find_attribute(&mut self, object: &Py, name: &str) -> Run<Option<Py>> {
        Ok(match object {
            Py::Object(id) => return self.object_attribute(*id, name),
            Py::Leaf(value) => return dsl::attribute(self, &value.clone(), name),
            Py::Scalar(scalar) => dsl::scalar_attribute(scalar, name),
            Py::Native(native) => builtins::native_attribute(native, name),
            Py::Builtin(builtin) => builtins::type_attribute(*builtin, name),
            Py::Open(element, _) => dsl::open_attribute(*element, name),
            Py::Slice(parts) => match name {
                "start" => Some(parts[0].clone()),
                "stop" => Some(parts[1].clone()),
                "step" => Some(parts[2].clone()),
                _ => None,
            },
            Py::Kernel(_) if name == "launch" => {
                Some(Py::Method(&dsl::LAUNCH, Arc::new(object.clone())))
            }
            _ => containers::method(builtins::type_name(object), name)
                .map(|native| Py::Method(native, Arc::new(object.clone()))),
        })
    }

    fn object_attribute(&mut self, id: Id, name: &str) -> Run<Option<Py>> {
        let this = Py::Object(id);
        Ok(match self.heap.get(id) {
            Object::Module(module) => {
                let module = module.clone();
                return self.module_attribute(id, &module, name);
            }
            Object::Instance(instance) => {
                let class = instance.class;
                if let Some(value) = instance.attributes.get(name) {
                    return Ok(Some(value.clone()));
                }
                if let Some(found) = self.class_attribute(class, name) {
                    let is_cached = matches!(&found, Py::Object(id)
                        if matches!(self.heap.get(*id), Object::Wrapped(Wrapper::CachedProperty, _)));
                    let value = self.bound_to(found, &this, class)?;
                    if is_cached {
                        self.put_attribute(&this, &name.into(), value.clone());
                    }
                    return Ok(Some(value));
                }
                match name {
                    "__class__" => return Ok(Some(Py::Object(class))),
                    "__dict__" => {
                        let entries = instance
                            .attributes
                            .iter()
                            .map(|(name, value)| (Py::Str(Arc::clone(name)), value.clone()));
                        let entries = entries.collect();
                        return Ok(Some(Py::Object(self.heap.add(Object::Dict(entries)))));
                    }
                    "_replace" | "_asdict" => {
                        let native = containers::method("instance", name);
                        return Ok(native.map(|native| Py::Method(native, Arc::new(this))));
                    }
                    _ => {}
                }
                if let Some(found) = self.of_named_tuple(class, name) {
                    return Ok(Some(found));
                }
                let Object::Instance(instance) = self.heap.get(id) else {
                    return Ok(None);
                };
                if let Some(Py::Tuple(items)) = &instance.built_in {
                    let tuple = Py::Tuple(Arc::clone(items));
                    return self.find_attribute(&tuple, name);
                }
                if let Some(method) = self.method(&this, "__getattr__")? {
                    let args = Args::of(vec![Py::str(name)], Span::default());
                    return self.call(&method, args).map(Some);
                }
                return Ok(None);
            }
            Object::Class(class) => {
                let own = class.name.clone();
                if name == "__members__" {
                    return Ok(None);
                }
                if let Some(found) = self.class_attribute(id, name) {
                    return Ok(Some(match &found {
                        Py::Object(inner) => match self.heap.get(*inner) {
                            Object::Wrapped(Wrapper::Static, inner) => inner.clone(),
                            Object::Wrapped(Wrapper::ClassMethod, _) => {
                                self.bound_to(found, &this, id)?
                            }
                            _ => found,
                        },
                        _ => found,
                    }));
                }
                match name {
                    "__name__" | "__qualname__" => Some(Py::Str(own)),
                    "__dict__" => {
                        let entries = class.attributes.iter();
                        let entries = entries
                            .map(|(name, value)| (Py::Str(Arc::clone(name)), value.clone()))
                            .collect();
                        Some(Py::Object(self.heap.add(Object::Dict(entries))))
                    }
                    "__annotations__" => {
                        let entries = class.fields.iter().map(|field| {
                            (Py::Str(Arc::clone(&field.name)), field.annotation.clone())
                        });
                        let entries = entries.collect();
                        Some(Py::Object(self.heap.add(Object::Dict(entries))))
                    }
                    _ => self.of_named_tuple(id, name),
                }
            }
            Object::Function(function) => match name {
                "__name__" => Some(Py::Str(Arc::clone(&function.code.name.text))),
                "__wrapped__" => Some(this),
                _ => None,
            },
            Object::Bound { this, .. } => match name {
                "__self__" => Some(this.clone()),
                _ => None,
            },
            Object::Super { class, this } => {
                let (class, this) = (*class, this.clone());
                let of = match &this {
                    Py::Object(object) => match self.heap.get(*object) {
                        Object::Instance(instance) => instance.class,
                        _ => *object,
                    },
                    _ => return Ok(None),
                };
                match self.next_attribute(class, of, name) {
                    Some(found) => return self.bound_to(found, &this, of).map(Some),
                    // `object.__init__` does nothing.
                    None if matches!(name, "__init__" | "__init_subclass__" | "__post_init__") => {
                        Some(Py::Native(&functions::NOTHING))
                    }
                    None if name == "__new__" => Some(Py::Native(&functions::NEW)),
                    None if name == "__setattr__" => {
                        Some(Py::Method(&functions::SET_ATTRIBUTE, Arc::new(this)))
                    }
                    None => None,
                }
            }
            Object::List(_) => {
                containers::method("list", name).map(|native| Py::Method(native, Arc::new(this)))
            }
            Object::Dict(_) => {
                containers::method("dict", name).map(|native| Py::Method(native, Arc::new(this)))
            }
            Object::Set(_) => {
                containers::method("set", name).map(|native| Py::Method(native, Arc::new(this)))
            }
            Object::Wrapped(Wrapper::Property, _) | Object::Accessors { .. }
                if name == "setter" =>
            {
                Some(Py::Method(&functions::SETTER, Arc::new(this)))
            }
            Object::Partial { function, .. } if name == "func" => Some(function.clone()),
            _ => None,
        })
    }

    /// Attributes of every class of named tuples: the names of its fields, and the constructor from an iterable.
    fn of_named_tuple(&self, class: Id, name: &str) -> Option<Py> {
        let Object::Class(found) = self.heap.get(class) else {
            return None;
        };
        if found.kind != ClassKind::NamedTuple {
            return None;
        }
        match name {
            "_fields" => Some(Py::tuple(
                found
                    .fields
                    .iter()
                    .map(|field| Py::Str(Arc::clone(&field.name)))
                    .collect(),
            )),
            "_make" => containers::method("class", name)
                .map(|native| Py::Method(native, Arc::new(Py::Object(class)))),
            _ => None,
        }
    }

    /// `object.name = value`: a property, a descriptor or the class of the object may do something else with it.
    pub(crate) fn set_attribute(&mut self, object: &Py, name: &Arc<str>, value: Py) -> Run<()> {
        let class = match object {
            Py::Object(id) => match self.heap.get(*id) {
                Object::Instance(instance) => Some(instance.class),
                _ => None,
            },
            _ => None,
        };
        if let Some(class) = class {
            if self.is_of_sources(class)
                && let Some(method) = self.method(object, "__setattr__")?
                && !matches!(method, Py::Method(..))
            {
                let args = vec![Py::Str(Arc::clone(name)), value];
                self.call(&method, Args::of(args, Span::default()))?;
                return Ok(());
            }
            if let Some(Py::Object(found)) = self.class_attribute(class, name) {
                let set = match self.heap.get(found) {
                    Object::Accessors { set, .. } => Some(set.clone()),
                    _ => self.method(&Py::Object(found), "__set__")?,
                };
                if let Some(set) = set {
                    self.call(&set, Args::of(vec![object.clone(), value], Span::default()))?;
                    return Ok(());
                }
            }
        }
        self.put_attribute(object, name, value);
        Ok(())
    }

    /// Whether a class is one of the user's, not of the DSL's package.
    fn is_of_sources(&self, class: Id) -> bool {
        match self.heap.get(class) {
            Object::Class(class) => class.module.split('.').next() != Some("cutlass"),
            _ => false,
        }
    }

    /// Puts an attribute into an object, a class or a module.
    pub(crate) fn put_attribute(&mut self, object: &Py, name: &Arc<str>, value: Py) {
        let Py::Object(id) = object else {
            return;
        };
        if let Object::Module(module) = self.heap.get(*id) {
            if let Some(scope) = module.scope {
                self.bind_in(scope, Arc::clone(name), value);
            }
            return;
        }
        // An object may become one of another class: `object.__setattr__(it, "__class__", Other)`.
        let class = match &value {
            Py::Object(class) if &**name == "__class__" => Some(*class),
            _ => None,
        };
        let class = class.filter(|class| matches!(self.heap.get(*class), Object::Class(_)));
        match (self.heap.get_mut(*id), class) {
            (Some(Object::Instance(instance)), Some(class)) => instance.class = class,
            (Some(Object::Instance(instance)), None) => {
                instance.attributes.set(Arc::clone(name), value);
            }
            (Some(Object::Class(class)), _) => class.attributes.set(Arc::clone(name), value),
            _ => {}
        }
    }

    /// `object[index]`
    pub(crate) fn subscript(&mut self, object: &Py, index: &Py, span: Span) -> Run<Py> {
        self.note_indexed(object, index);
        match object {
            Py::Unknown(reason) | Py::Open(_, reason) => Ok(Py::Unknown(reason.clone())),
            Py::Coordinate => Ok(match index {
                Py::Slice(_) => Py::Coordinate,
                _ => self.numbers.symbol(COORDINATE),
            }),
            Py::Leaf(value) => dsl::element(self, &value.clone(), index, span),
            Py::Tuple(items) => {
                let items = items.to_vec();
                Ok(match containers::element(&items, index)? {
                    Ok(value) => value,
                    Err(items) => Py::tuple(items),
                })
            }
            Py::Str(text) => {
                let letters: Vec<Py> = text.chars().map(|it| Py::str(&it.to_string())).collect();
                Ok(match containers::element(&letters, index)? {
                    Ok(value) => value,
                    Err(letters) => Py::str(
                        &letters
                            .iter()
                            .filter_map(|letter| match letter {
                                Py::Str(letter) => Some(&**letter),
                                _ => None,
                            })
                            .collect::<String>(),
                    ),
                })
            }
            // `tuple[int]`, `Optional[int]`: a type of typing is its argument.
            Py::Builtin(_) => Ok(object.clone()),
            // `struct.Function[T]`: a type argument changes nothing.
            Py::Native(_) => Ok(object.clone()),
            Py::Object(id) => self.object_element(*id, object, index, span),
            _ => Err(Stop::error(
                "TypeError",
                "an element of a value without elements",
            )),
        }
    }

    fn object_element(&mut self, id: Id, object: &Py, index: &Py, span: Span) -> Run<Py> {
        match self.heap.get(id) {
            Object::List(items) => {
                let items = items.clone();
                Ok(match containers::element(&items, index)? {
                    Ok(value) => value,
                    Err(items) => self.list(items),
                })
            }
            Object::Dict(entries) => {
                if let Py::Unknown(reason) = index {
                    return Ok(Py::Unknown(reason.clone()));
                }
                let mut unknown = None;
                let entries = entries.clone();
                for (key, value) in entries {
                    let equal =
                        self.compare(tree_sitter_cute::script::CompareOp::Eq, &key, index)?;
                    match equal {
                        Py::Bool(true) => return Ok(value),
                        Py::Bool(false) => {}
                        other => {
                            let why = other.reason().cloned();
                            let run_time = || Reason::RunTime("a key of a dictionary".into());
                            unknown = Some(why.unwrap_or_else(run_time));
                        }
                    }
                }
                match unknown {
                    Some(reason) => Ok(Py::Unknown(reason)),
                    None => Err(Stop::error("KeyError", "a missing key")),
                }
            }
            Object::Instance(instance) => {
                if let Some(Py::Tuple(items)) = &instance.built_in {
                    let tuple = Py::Tuple(Arc::clone(items));
                    return self.subscript(&tuple, index, span);
                }
                match self.method(object, "__getitem__")? {
                    Some(method) => self.call(&method, Args::of(vec![index.clone()], span)),
                    None => Ok(dsl::instance_element(self, id, index)),
                }
            }
            Object::Class(class) => {
                if let (super::heap::ClassKind::Enum, Py::Unknown(reason)) = (class.kind, index) {
                    return Ok(Py::Unknown(reason.clone()));
                }
                // `Color["RED"]`, `MemRange[T, n]`
                if let (super::heap::ClassKind::Enum, Py::Str(name)) = (class.kind, index) {
                    let name = Arc::clone(name);
                    return self.attribute(object, &name);
                }
                match self.class_attribute(id, "__class_getitem__") {
                    Some(method) => {
                        self.call(&method, Args::of(vec![object.clone(), index.clone()], span))
                    }
                    None => Ok(object.clone()),
                }
            }
            Object::Lost(reason) => Ok(Py::Unknown(reason.clone())),
            _ => Ok(Py::Unknown(Reason::Construct("an element of this object"))),
        }
    }

    /// `object[index] = value`
    pub(crate) fn set_item(&mut self, object: &Py, index: Py, value: Py) -> Run<()> {
        let Py::Object(id) = object else {
            return Ok(());
        };
        if let Some(method) = self.method(object, "__setitem__")? {
            self.call(&method, Args::of(vec![index, value], Span::default()))?;
            return Ok(());
        }
        match self.heap.get(*id) {
            Object::List(items) => {
                let at = containers::index_of(&index, items.len());
                if let Some(Object::List(items)) = self.heap.get_mut(*id) {
                    match at.and_then(|at| items.get_mut(at)) {
                        Some(place) => *place = value,
                        None => {
                            let why = Reason::RunTime("the element that is changed".into());
                            self.heap.put(*id, Object::Lost(why));
                        }
                    }
                }
            }
            Object::Dict(entries) => {
                let mut entries = entries.clone();
                self.put_entry(&mut entries, index, value)?;
                self.heap.put(*id, Object::Dict(entries));
            }
            _ => {}
        }
        Ok(())
    }

    /// Puts an entry into those of a dictionary.
    pub(crate) fn put_entry(&mut self, entries: &mut Vec<(Py, Py)>, key: Py, value: Py) -> Run<()> {
        self.step(1 + entries.len() / 64)?;
        let mut at = entries.iter().position(|(known, _)| *known == key);
        // Two objects of a dataclass may be one key.
        if at.is_none() && matches!(key, Py::Object(_)) && self.data_of(&key).is_some() {
            self.step(entries.len())?;
            for (place, (known, _)) in entries.iter().enumerate() {
                let equal = self.compare(tree_sitter_cute::script::CompareOp::Eq, known, &key)?;
                if equal == Py::Bool(true) {
                    at = Some(place);
                    break;
                }
            }
        }
        match at.and_then(|at| entries.get_mut(at)) {
            Some((_, old)) => *old = value,
            None => entries.push((key, value)),
        }
        Ok(())
    }
}

/// The text of a value as Python prints it; `None` where that is not modelled.
pub(crate) fn text_of(value: &Py) -> Option<String> {
    Some(match value {
        Py::Str(text) => text.to_string(),
        Py::Int(value) => value.to_string(),
        Py::Bool(true) => "True".into(),
        Py::Bool(false) => "False".into(),
        Py::None => "None".into(),
        Py::Float(value) if !value.is_finite() => value.to_string(),
        Py::Float(value) => {
            let size = value.abs();
            let is_plain = size < f64::MIN_POSITIVE || (1e-4..1e16).contains(&size);
            return is_plain.then(|| format!("{value:?}"));
        }
        Py::Tuple(items) => {
            let items: Option<Vec<String>> = items.iter().map(quoted).collect();
            match items?.as_slice() {
                [only] => format!("({only},)"),
                items => format!("({})", items.join(", ")),
            }
        }
        Py::Scalar(scalar) => scalar.name.to_owned(),
        Py::Leaf(value @ (Value::Layout(_) | Value::Composed(_))) => value.to_string(),
        Py::Builtin(Builtin::Error(name)) => (*name).to_owned(),
        _ => return None,
    })
}

/// The text of a value inside of another: a text has its quotes.
fn quoted(value: &Py) -> Option<String> {
    match value {
        Py::Str(text) if text.contains(['\'', '\\', '\n']) => None,
        Py::Str(text) => Some(format!("'{text}'")),
        other => text_of(other),
    }
}

fn no_member(name: &str, of: &str) -> Reason {
    Reason::NoMember(name.into(), of.into())
}
