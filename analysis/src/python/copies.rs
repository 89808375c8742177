//! Copies of objects: `copy.copy` and `copy.deepcopy`.

use std::sync::Arc;

use super::containers;
use super::heap::{ClassKind, Id, Instance, Names, Object};
use super::machine::{Machine, Run};
use super::native::{Given, Native, native};
use super::value::Py;
use crate::hash::HashMap;
use crate::reason::Reason;

/// Objects inside one another that are copied.
const DEPTH: usize = 64;

/// A copy that is being made: the copy of each object that was met.
#[derive(Default)]
struct Copying {
    made: HashMap<Id, Py>,
    depth: usize,
}

impl Copying {
    fn of(&mut self, machine: &mut Machine<'_>, value: &Py) -> Run<Py> {
        machine.step(1)?;
        if self.depth >= DEPTH {
            return Ok(Py::Unknown(Reason::Limit("depth of a copy")));
        }
        self.depth += 1;
        let copied = match value {
            Py::Tuple(items) => self.all(machine, items).map(Py::tuple),
            Py::Object(id) => self.of_object(machine, *id),
            other => Ok(other.clone()),
        };
        self.depth -= 1;
        copied
    }

    fn all(&mut self, machine: &mut Machine<'_>, values: &[Py]) -> Run<Vec<Py>> {
        let copies = values.iter().map(|value| self.of(machine, value));
        copies.collect()
    }

    fn of_object(&mut self, machine: &mut Machine<'_>, id: Id) -> Run<Py> {
        if let Some(made) = self.made.get(&id) {
            return Ok(made.clone());
        }
        let object = machine.heap.get(id).clone();
        if let Object::Instance(instance) = &object {
            if let Object::Class(class) = machine.heap.get(instance.class)
                && class.kind == ClassKind::Enum
            {
                return Ok(Py::Object(id));
            }
            for own in ["__deepcopy__", "__reduce__", "__getstate__"] {
                if machine.method(&Py::Object(id), own)?.is_some() {
                    return Ok(Py::not_evaluated("copy.deepcopy"));
                }
            }
        }
        let is_copied = matches!(
            object,
            Object::List(_) | Object::Dict(_) | Object::Set(_) | Object::Instance(_)
        );
        if !is_copied {
            return Ok(Py::Object(id));
        }
        let copy = machine.heap.add(object.clone());
        self.made.insert(id, Py::Object(copy));
        let inside = match object {
            Object::List(items) => Object::List(self.all(machine, &items)?),
            Object::Set(items) => Object::Set(self.all(machine, &items)?),
            Object::Dict(entries) => {
                let mut copies = Vec::with_capacity(entries.len());
                for (key, value) in entries {
                    copies.push((self.of(machine, &key)?, self.of(machine, &value)?));
                }
                Object::Dict(copies)
            }
            Object::Instance(instance) => {
                let mut attributes = Names::default();
                for (name, value) in instance.attributes.iter() {
                    attributes.set(Arc::clone(name), self.of(machine, value)?);
                }
                let built_in = instance.built_in.as_ref();
                Object::Instance(Instance {
                    class: instance.class,
                    attributes,
                    built_in: built_in.map(|it| self.of(machine, it)).transpose()?,
                })
            }
            other => other,
        };
        machine.heap.put(copy, inside);
        Ok(Py::Object(copy))
    }
}

fn deep_copy(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    Copying::default().of(machine, given.arg(0))
}

fn copy(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    if let Py::Object(id) = given.arg(0) {
        let object = machine.heap.get(*id);
        if !matches!(object, Object::List(_) | Object::Dict(_) | Object::Set(_)) {
            return Ok(Py::not_evaluated("copy.copy"));
        }
    }
    containers::copy(machine, given)
}

/// Functions of copies, by module.
pub(super) static NATIVES: &[Native] = &[
    native("copy.copy", "x", copy),
    native("copy.deepcopy", "x memo=", deep_copy),
];
