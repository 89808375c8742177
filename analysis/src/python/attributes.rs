//! Attributes: how they are read and written.

use std::sync::Arc;

use tree_sitter_cute::tree::Span;

use super::heap::{ClassKind, Id, Object, Rewritten, Wrapper};
use super::machine::{Machine, Run, Stop};
use super::native::Args;
use super::value::{Builtin, Py};
use super::{accessors, builtins, containers, contents, dsl, dunders, functions};
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
            Py::Leaf(_) | Py::Whole(..)
                if matches!(name, "width" | "dtype") && object.is_run_time() =>
            {
                dsl::number_attribute(object, name)
            }
            Py::Leaf(value) => return dsl::attribute(self, &value.clone(), name),
            Py::Whole(int, _) => match dsl::attribute(self, &Value::Int(int.clone()), name)? {
                // A method has the number with its type.
                Some(Py::Method(native, _)) => Some(Py::Method(native, Arc::new(object.clone()))),
                other => other,
            },
            Py::Scalar(scalar) => dsl::scalar_attribute(scalar, name),
            Py::Native(native) => builtins::native_attribute(native, name),
            Py::Int(_) | Py::Bool(_) | Py::Float(_) => return Ok(numeric_attribute(object, name)),
            Py::Builtin(builtin) => builtins::type_attribute(*builtin, name),
            Py::Open(element, _) => dsl::open_attribute(*element, name),
            Py::Slice(parts) => match name {
                "start" => Some(parts[0].clone()),
                "stop" => Some(parts[1].clone()),
                "step" => Some(parts[2].clone()),
                _ => containers::method("slice", name)
                    .map(|native| Py::Method(native, Arc::new(object.clone()))),
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
                if let Some(method) = self.own_look_up(class, &this)? {
                    return self.looked_up(&method, &this, name);
                }
                return self.plain_attribute(id, class, name);
            }
            Object::Class(class) => {
                let own = class.name.clone();
                let is_enum = class.kind == ClassKind::Enum;
                if name == "__members__" && is_enum {
                    let members = self.named_members(id);
                    return Ok(Some(Py::Object(self.heap.add(Object::Dict(members)))));
                }
                if let Some(found) = self.class_attribute(id, name) {
                    return self.of_class(id, found).map(Some);
                }
                if let Some(found) = self.of_metaclass(id, name)? {
                    return Ok(Some(found));
                }
                let Object::Class(class) = self.heap.get(id) else {
                    return Ok(None);
                };
                match name {
                    "__name__" => Some(Py::Str(own)),
                    "__qualname__" => Some(Py::Str(Arc::clone(&class.qualified))),
                    "__module__" => Some(Py::Str(Arc::clone(&class.module))),
                    "__mro__" if class.is_abc || !class.foreign.is_empty() => {
                        Some(Py::Unknown(Reason::Construct("the bases of this class")))
                    }
                    "__mro__" => {
                        let order = class.order.iter().map(|id| Py::Object(*id));
                        let base = std::iter::once(Py::Builtin(Builtin::Object));
                        Some(Py::tuple(order.chain(base).collect()))
                    }
                    "__class__" => Some(match class.metaclass {
                        Some(metaclass) => Py::Object(metaclass),
                        None => Py::Builtin(Builtin::Type),
                    }),
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
                        // It is one object, which may be changed.
                        let types = Py::Object(self.heap.add(Object::Dict(entries)));
                        self.put_attribute(&this, &name.into(), types.clone());
                        Some(types)
                    }
                    _ => match contents::type_of_content(class) {
                        Some(builtin) => builtins::type_attribute(builtin, name),
                        None => self.of_named_tuple(id, name),
                    },
                }
            }
            Object::Function(function) => {
                if let Some(found) = function.attributes.get(name) {
                    return Ok(Some(found.clone()));
                }
                match name {
                    "__name__" => Some(Py::Str(Arc::clone(&function.code.name.text))),
                    "__qualname__" => Some(Py::Str(Arc::clone(&function.qualified))),
                    "__module__" => {
                        let file = self.files.get(function.file);
                        file.map(|file| Py::Str(Arc::clone(&file.module)))
                    }
                    "__wrapped__" if function.rewritten != Rewritten::No => Some(this),
                    "__defaults__" => {
                        let given = function.defaults.iter().flatten().cloned();
                        Some(Py::tuple(given.collect()))
                    }
                    "__dict__" => Some(Py::Object(self.heap.add(Object::Attributes(id)))),
                    "__doc__" => Some(Py::None),
                    "__call__" => Some(this),
                    "__get__" => Some(Py::Method(&dunders::BIND, Arc::new(this))),
                    _ => None,
                }
            }
            Object::Bound { this, .. } => match name {
                "__self__" => Some(this.clone()),
                "__func__" => match self.heap.get(id) {
                    Object::Bound { function, .. } => Some(function.clone()),
                    _ => None,
                },
                _ => match self.heap.get(id) {
                    Object::Bound { function, .. } => {
                        let function = function.clone();
                        return self.deeper(|machine| machine.find_attribute(&function, name));
                    }
                    _ => None,
                },
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
                    None if name == "__init__" => Some(Py::Method(&dunders::INIT, Arc::new(this))),
                    None if matches!(
                        name,
                        "__init_subclass__" | "__post_init__" | "__set_name__"
                    ) =>
                    {
                        Some(Py::Native(&functions::NOTHING))
                    }
                    None if name == "__new__" => Some(Py::Native(&functions::NEW)),
                    None if name == "__setattr__" => {
                        Some(Py::Method(&accessors::SET_ATTRIBUTE, Arc::new(this)))
                    }
                    None => self.of_base(&this, name)?,
                }
            }
            Object::List(_) => of_container("list", name, this),
            Object::Dict(_) | Object::Attributes(_) => of_container("dict", name, this),
            Object::Set(_) => of_container("set", name, this),
            Object::Iterator(_) | Object::Lazy(_) | Object::Repeated(_) => {
                of_container("iterator", name, this)
            }
            Object::Cached(cached) => match name {
                "__wrapped__" => Some(cached.function.clone()),
                "cache_info" | "cache_clear" => of_container("cached", name, this),
                _ => {
                    let function = cached.function.clone();
                    return self.deeper(|machine| machine.find_attribute(&function, name));
                }
            },
            Object::Raised(raised) => match name {
                "with_traceback" | "add_note" => {
                    Some(Py::Method(&functions::ITSELF, Arc::new(this)))
                }
                _ => raised.attribute(name),
            },
            Object::Wrapped(Wrapper::Property, _) | Object::Accessors { .. }
                if matches!(name, "getter" | "setter" | "deleter") =>
            {
                accessors::accessor(name).map(|native| Py::Method(native, Arc::new(this)))
            }
            Object::Wrapped(_, inner) if matches!(name, "__func__" | "__wrapped__" | "fget") => {
                Some(inner.clone())
            }
            Object::Accessors { get, .. } if name == "fget" => Some(get.clone()),
            Object::Partial {
                function,
                args,
                named,
            } => match name {
                "func" => Some(function.clone()),
                "args" => Some(Py::tuple(args.clone())),
                "keywords" => {
                    let named = named.iter();
                    let entries = named.map(|(name, it)| (Py::Str(Arc::clone(name)), it.clone()));
                    let entries = entries.collect();
                    Some(Py::Object(self.heap.add(Object::Dict(entries))))
                }
                _ => None,
            },
            _ => None,
        })
    }

    /// The `__getattribute__` of a class of a source.
    fn own_look_up(&mut self, class: Id, this: &Py) -> Run<Option<Py>> {
        match self.class_attribute(class, "__getattribute__") {
            Some(found @ Py::Object(_)) => self.bound_to(found, this, class).map(Some),
            _ => Ok(None),
        }
    }

    /// An attribute as `__getattribute__` says it, and where that fails as `__getattr__` does.
    fn looked_up(&mut self, method: &Py, this: &Py, name: &str) -> Run<Option<Py>> {
        let args = || Args::of(vec![Py::str(name)], Span::default());
        match self.call(method, args()) {
            Ok(value) => Ok(Some(value)),
            Err(Stop::Raised(error, _)) if self.is_raised(&error, "AttributeError") => {
                match self.method(this, "__getattr__")? {
                    Some(method) => self.call(&method, args()).map(Some),
                    None => Ok(None),
                }
            }
            Err(stop) => Err(stop),
        }
    }

    /// The attribute of an object, whatever its class says in `__getattribute__`.
    pub(super) fn plain_attribute(&mut self, id: Id, class: Id, name: &str) -> Run<Option<Py>> {
        let this = Py::Object(id);
        let of_class = self.class_attribute(class, name);
        let own = match self.heap.get(id) {
            Object::Instance(instance) => instance.attributes.get(name).cloned(),
            _ => None,
        };
        if let Some(value) = own
            && !self.is_data_descriptor(of_class.as_ref())
        {
            return Ok(Some(value));
        }
        if let Some(found) = of_class {
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
            "__dict__" => return Ok(Some(Py::Object(self.heap.add(Object::Attributes(id))))),
            "_replace" | "_asdict" => {
                let native = containers::method("instance", name);
                return Ok(native.map(|native| Py::Method(native, Arc::new(this))));
            }
            "__cause__" | "__context__" if self.class_derives(class, "BaseException") => {
                return Ok(Some(Py::None));
            }
            _ => {}
        }
        if let Some(found) = self.of_named_tuple(class, name) {
            return Ok(Some(found));
        }
        if let Some(content) = self.content_of(&this)
            && let Some(found) = self.find_attribute(&content, name)?
        {
            return Ok(Some(found));
        }
        if let Some(method) = self.method(&this, "__getattr__")? {
            let args = Args::of(vec![Py::str(name)], Span::default());
            return self.call(&method, args).map(Some);
        }
        Ok(None)
    }

    /// Whether an attribute of a class comes before those of its objects: a property, a descriptor that can be set.
    fn is_data_descriptor(&self, value: Option<&Py>) -> bool {
        let Some(Py::Object(id)) = value else {
            return false;
        };
        match self.heap.get(*id) {
            Object::Accessors { .. } | Object::Wrapped(Wrapper::Property, _) => true,
            Object::Instance(instance) => self.class_attribute(instance.class, "__set__").is_some(),
            _ => false,
        }
    }

    /// An attribute of a class, as the class itself sees it.
    fn of_class(&mut self, class: Id, found: Py) -> Run<Py> {
        let this = Py::Object(class);
        let Py::Object(inner) = &found else {
            return Ok(found);
        };
        match self.heap.get(*inner) {
            Object::Wrapped(Wrapper::Static, inner) => Ok(inner.clone()),
            Object::Wrapped(Wrapper::ClassMethod, _) => self.bound_to(found, &this, class),
            Object::Instance(_) => match self.method(&found, "__get__")? {
                Some(method) => {
                    let args = vec![Py::None, this];
                    self.call(&method, Args::of(args, Span::default()))
                }
                None => Ok(found),
            },
            _ => Ok(found),
        }
    }

    /// An attribute that a class has of its metaclass.
    fn of_metaclass(&mut self, class: Id, name: &str) -> Run<Option<Py>> {
        let this = Py::Object(class);
        // Every class has these itself.
        if matches!(
            name,
            "__name__" | "__dict__" | "__class__" | "__mro__" | "__annotations__"
        ) {
            return Ok(None);
        }
        if let Some(found) = self.method(&this, name)? {
            return Ok(Some(found));
        }
        match self.method(&this, "__getattr__")? {
            Some(method) if !name.starts_with("__") => {
                let args = Args::of(vec![Py::str(name)], Span::default());
                self.call(&method, args).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// An attribute of `super()` that only a type which is built in has.
    fn of_base(&mut self, this: &Py, name: &str) -> Run<Option<Py>> {
        if let Some(native) = dunders::of_object(name) {
            return Ok(Some(Py::Method(native, Arc::new(this.clone()))));
        }
        match self.content_of(this) {
            Some(content) => self.find_attribute(&content, name),
            None => Ok(None),
        }
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
                    Object::Accessors { set: Some(set), .. } => Some(set.clone()),
                    Object::Accessors { .. } | Object::Wrapped(Wrapper::Property, _) => {
                        return Err(Stop::error("AttributeError", "a property without a setter"));
                    }
                    _ => self.method(&Py::Object(found), "__set__")?,
                };
                if let Some(set) = set {
                    self.call(&set, Args::of(vec![object.clone(), value], Span::default()))?;
                    return Ok(());
                }
            }
        }
        if let Some(class) = class {
            self.may_set(class, name)?;
        }
        self.put_attribute(object, name, value);
        Ok(())
    }

    /// An error where objects of a class are frozen, or have slots and none for a name.
    fn may_set(&self, class: Id, name: &str) -> Run<()> {
        let Object::Class(found) = self.heap.get(class) else {
            return Ok(());
        };
        if found.options.is_frozen {
            return Err(Stop::error(
                "FrozenInstanceError",
                "a field of a frozen dataclass",
            ));
        }
        for id in found.order.iter() {
            let Object::Class(base) = self.heap.get(*id) else {
                return Ok(());
            };
            let slots = match base.attributes.get("__slots__") {
                Some(Py::Str(slot)) => vec![Py::Str(Arc::clone(slot))],
                Some(Py::Tuple(slots)) => slots.to_vec(),
                Some(Py::Object(slots)) => match self.heap.get(*slots) {
                    Object::List(slots) => slots.clone(),
                    _ => return Ok(()),
                },
                None if base.options.is_slotted => {
                    let fields = base.fields.iter();
                    fields
                        .map(|field| Py::Str(Arc::clone(&field.name)))
                        .collect()
                }
                _ => return Ok(()),
            };
            let is_it = |slot: &Py| matches!(slot, Py::Str(slot) if **slot == *name);
            if slots.iter().any(is_it) {
                return Ok(());
            }
        }
        match found.foreign.is_empty() {
            true => Err(Stop::error("AttributeError", "an attribute without a slot")),
            false => Ok(()),
        }
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
            (Some(Object::Function(function)), _) => {
                function.attributes.set(Arc::clone(name), value);
            }
            (Some(Object::Raised(raised)), _) => raised.attributes.set(Arc::clone(name), value),
            _ => {}
        }
    }
}

/// An attribute or a method of a number of Python.
fn numeric_attribute(number: &Py, name: &str) -> Option<Py> {
    let of = builtins::type_name(number);
    match (name, number) {
        ("real" | "numerator", Py::Int(_) | Py::Bool(_)) | ("real", Py::Float(_)) => {
            Some(number.clone())
        }
        ("imag", _) => Some(Py::Int(0)),
        ("denominator", Py::Int(_) | Py::Bool(_)) => Some(Py::Int(1)),
        _ => {
            containers::method(of, name).map(|native| Py::Method(native, Arc::new(number.clone())))
        }
    }
}

/// A method of a type that is built in.
fn of_container(of: &str, name: &str, this: Py) -> Option<Py> {
    containers::method(of, name).map(|native| Py::Method(native, Arc::new(this)))
}

/// The text of a value without identity as Python prints it; `None` where that is not modelled.
pub(crate) fn text_of(value: &Py) -> Option<String> {
    Some(match value {
        Py::Str(text) => text.to_string(),
        Py::Int(value) => value.to_string(),
        Py::Bool(true) => "True".into(),
        Py::Bool(false) => "False".into(),
        Py::None => "None".into(),
        Py::Float(value) => super::specs::shortest(*value),
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
