//! Objects of classes: how they are made, and how their fields are filled.

use std::sync::Arc;

use super::contents::type_of_content;
use super::heap::{ClassKind, Field, Id, Instance, Names, Object};
use super::machine::{Machine, Run, Stop};
use super::native::Args;
use super::value::{Builtin, Py};
use crate::reason::Reason;

/// The maker of the attributes of a new object.
enum Maker {
    /// `__init__`
    Method(Py),
    /// The fields of a dataclass or a `NamedTuple`.
    Fields(ClassKind, Vec<Field>),
}

impl Machine<'_> {
    /// A new object of a class.
    pub(crate) fn instantiate(&mut self, id: Id, args: Args) -> Run<Py> {
        let Object::Class(class) = self.heap.get(id) else {
            return Ok(Py::Unknown(Reason::Construct("an object of this class")));
        };
        if class.kind == ClassKind::Enum {
            return self.member(id, &args);
        }
        if class.is_abstract {
            return Err(Stop::error("TypeError", "an object of an abstract class"));
        }
        if let Some(made @ Py::Object(_)) = self.class_attribute(id, "__new__") {
            let made = self.unwrapped(made);
            let mut with_class = args.clone();
            with_class.plain.insert(0, Py::Object(id));
            let this = self.call(&made, with_class)?;
            return match &this {
                Py::Object(object) => match self.heap.get(*object) {
                    Object::Instance(instance) if self.is_class_in(instance.class, id) => {
                        self.initialise(id, this.clone(), args)?;
                        Ok(this)
                    }
                    _ => Ok(this),
                },
                _ => Ok(this),
            };
        }
        let this = self.bare(id);
        if let Py::Object(object) = &this {
            self.begin_content(id, *object, &args)?;
        }
        self.initialise(id, this.clone(), args)?;
        Ok(this)
    }

    /// The content of a new object of a class that is derived from a type which is built in.
    fn begin_content(&mut self, class: Id, object: Id, args: &Args) -> Run<()> {
        let Object::Class(found) = self.heap.get(class) else {
            return Ok(());
        };
        match type_of_content(found) {
            None => Ok(()),
            // The constructor of a container fills it.
            Some(Builtin::List | Builtin::Dict | Builtin::Set) => {
                self.fill_content(object, Args::default())
            }
            Some(_) => self.fill_content(object, args.clone()),
        }
    }

    /// The function of a `staticmethod`.
    pub(super) fn unwrapped(&self, value: Py) -> Py {
        match &value {
            Py::Object(id) => match self.heap.get(*id) {
                Object::Wrapped(_, inner) => inner.clone(),
                _ => value,
            },
            _ => value,
        }
    }

    /// Whether a class is another one or derived from it.
    fn is_class_in(&self, class: Id, of: Id) -> bool {
        matches!(self.heap.get(class), Object::Class(class) if class.order.contains(&of))
    }

    /// An object of a class without attributes.
    pub(crate) fn bare(&mut self, class: Id) -> Py {
        Py::Object(self.heap.add(Object::Instance(Instance {
            class,
            attributes: Names::default(),
            built_in: None,
        })))
    }

    /// Runs the maker of the attributes of a new object.
    fn initialise(&mut self, id: Id, this: Py, args: Args) -> Run<()> {
        let (Object::Class(class), Py::Object(instance)) = (self.heap.get(id), &this) else {
            return Ok(());
        };
        let (order, instance) = (Arc::clone(&class.order), *instance);
        // The first class in the order of look-up that says how: by a method, or by its fields.
        let maker = order.iter().find_map(|id| match self.heap.get(*id) {
            Object::Class(class) => match class.attributes.get("__init__") {
                Some(init) => Some(Maker::Method(init.clone())),
                None if matches!(class.kind, ClassKind::Dataclass | ClassKind::NamedTuple) => {
                    Some(Maker::Fields(class.kind, class.fields.clone()))
                }
                None => None,
            },
            _ => None,
        });
        match maker {
            Some(Maker::Method(init)) => {
                if self.class_derives(id, "BaseException") {
                    let given = Py::tuple(args.plain.clone());
                    self.put_attribute(&this, &"args".into(), given);
                }
                let mut args = args;
                args.plain.insert(0, this.clone());
                self.call_value(&init, args)?;
            }
            Some(Maker::Fields(kind, fields)) => {
                let span = args.span;
                let passed = self.fill_fields(instance, kind, &fields, args)?;
                if let Some(after) = self.class_attribute(id, "__post_init__") {
                    let mut all = vec![this.clone()];
                    all.extend(passed);
                    self.call_value(&after, Args::of(all, span))?;
                }
            }
            None if self.class_derives(id, "BaseException") => {
                self.put_attribute(&this, &"args".into(), Py::tuple(args.plain));
            }
            None if self.content_of(&this).is_some() => {
                let is_empty = args.plain.is_empty() && args.named.is_empty();
                if !is_empty {
                    self.fill_content(instance, args)?;
                }
            }
            None => {
                // Whatever else makes it is not read: nothing is known of its attributes.
                if !args.plain.is_empty() || !args.named.is_empty() {
                    let Object::Class(class) = self.heap.get(id) else {
                        return Ok(());
                    };
                    if class.foreign.is_empty() {
                        return Err(Stop::error("TypeError", "arguments of an object"));
                    }
                }
            }
        }
        Ok(())
    }

    /// Gives the fields of a new object their values; the result is what `__post_init__` is passed on.
    fn fill_fields(
        &mut self,
        instance: Id,
        kind: ClassKind,
        fields: &[Field],
        args: Args,
    ) -> Run<Vec<Py>> {
        let mut plain = args.plain.into_iter();
        let mut named = args.named;
        let mut values = Names::default();
        let mut passed = Vec::new();
        for field in fields {
            let positional = match field.is_internal || field.is_named {
                true => None,
                false => plain.next(),
            };
            let given = positional.or_else(|| {
                let at = named.iter().position(|(name, _)| *name == field.name)?;
                Some(named.remove(at).1)
            });
            let value = match (given, &field.default) {
                (Some(value), _) => value,
                (None, Some(default)) => match self.default_of(default)? {
                    Some(value) => value,
                    None if field.is_internal => continue,
                    None => return Err(Stop::error("TypeError", "a call without an argument")),
                },
                (None, None) if field.is_internal => continue,
                (None, None) => {
                    return Err(Stop::error("TypeError", "a call without an argument"));
                }
            };
            match field.is_passed_on {
                true => passed.push(value),
                false => values.set(Arc::clone(&field.name), value),
            }
        }
        if plain.next().is_some() || !named.is_empty() {
            return Err(Stop::error("TypeError", "a call with too many arguments"));
        }
        let tuple = Py::tuple(values.iter().map(|(_, value)| value.clone()).collect());
        if let Some(Object::Instance(object)) = self.heap.get_mut(instance) {
            object.attributes = values;
            if kind == ClassKind::NamedTuple {
                object.built_in = Some(tuple);
            }
        }
        Ok(passed)
    }

    /// The default of a field: `field(default_factory=list)` makes a new one each time.
    fn default_of(&mut self, default: &Py) -> Run<Option<Py>> {
        if let Py::Object(id) = default
            && let Object::Partial {
                function, named, ..
            } = self.heap.get(*id)
            && matches!(function, Py::Native(native) if native.name == "dataclasses.field")
        {
            let named = named.clone();
            for (name, value) in named {
                match &*name {
                    "default" => return Ok(Some(value)),
                    "default_factory" => return self.call(&value, Args::default()).map(Some),
                    _ => {}
                }
            }
            return Ok(None);
        }
        Ok(Some(default.clone()))
    }
}
