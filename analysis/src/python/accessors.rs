//! Attributes by name, and the functions of a class that answer for one: `getattr`, `property`, `staticmethod`.

use std::sync::Arc;

use super::heap::{Object, Wrapper};
use super::machine::{Machine, Run, Stop};
use super::native::{Given, Native, native};
use super::value::Py;
use crate::reason::Reason;

fn name_of(given: &Given, index: usize) -> Option<&str> {
    match given.arg(index) {
        Py::Str(name) => Some(name),
        _ => None,
    }
}

/// The attribute of a value where it has one: a property may say that there is none.
fn found_attribute(machine: &mut Machine<'_>, value: &Py, name: &str) -> Run<Option<Py>> {
    match machine.find_attribute(value, name) {
        Err(Stop::Raised(error, _)) if machine.is_raised(&error, "AttributeError") => Ok(None),
        other => other,
    }
}

fn get_attribute(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    let Some(name) = name_of(given, 1) else {
        return Ok(given.takes("a name"));
    };
    if !given.has(2) {
        return machine.attribute(given.arg(0), name);
    }
    if let Py::Unknown(reason) = given.arg(0) {
        return Ok(Py::Unknown(reason.clone()));
    }
    if let Some(found) = found_attribute(machine, given.arg(0), name)? {
        return Ok(found);
    }
    Ok(match machine.lacks(given.arg(0), name) {
        Ok(true) => given.arg(2).clone(),
        Ok(false) => Py::not_evaluated(name),
        Err(reason) => Py::Unknown(reason),
    })
}

fn has_attribute(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    let Some(name) = name_of(given, 1) else {
        return Ok(given.takes("a name"));
    };
    if let Py::Unknown(reason) = given.arg(0) {
        return Ok(Py::Unknown(reason.clone()));
    }
    match found_attribute(machine, given.arg(0), name)? {
        Some(Py::Unknown(reason @ Reason::Undeclared(_))) => return Ok(Py::Unknown(reason)),
        Some(_) => return Ok(Py::Bool(true)),
        None => {}
    }
    Ok(match machine.lacks(given.arg(0), name) {
        Ok(lacks) => Py::Bool(!lacks),
        Err(reason) => Py::Unknown(reason),
    })
}

fn set_attribute(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    if let Py::Str(name) = given.arg(1) {
        let (name, value) = (Arc::clone(name), given.arg(2).clone());
        if machine.is_self(given.arg(0))
            && let Some(place) = given.places.get(1)
        {
            machine.recorded(*place, &format!("self.{name}"), &value);
        }
        machine.set_attribute(given.arg(0), &name, value)?;
    }
    Ok(Py::None)
}

/// `object.__setattr__(x, name, value)`
fn put_attribute(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    if let Py::Str(name) = given.arg(1) {
        let (name, value) = (Arc::clone(name), given.arg(2).clone());
        machine.put_attribute(given.arg(0), &name, value);
    }
    Ok(Py::None)
}

/// `@name.setter` and its kin: a property with one more function.
fn with_accessor(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    let Py::Object(id) = given.arg(0) else {
        return Ok(given.takes("a property"));
    };
    let (mut get, mut set, mut delete) = match machine.heap.get(*id) {
        Object::Wrapped(_, get) => (get.clone(), None, None),
        Object::Accessors { get, set, delete } => (get.clone(), set.clone(), delete.clone()),
        _ => return Ok(given.takes("a property")),
    };
    let function = given.arg(1).clone();
    match given.name {
        "property.setter" => set = Some(function),
        "property.deleter" => delete = Some(function),
        _ => get = function,
    }
    let property = Object::Accessors { get, set, delete };
    Ok(Py::Object(machine.heap.add(property)))
}

static ACCESSORS: &[Native] = &[
    native("property.getter", "self function", with_accessor),
    native("property.setter", "self function", with_accessor),
    native("property.deleter", "self function", with_accessor),
];

/// The method of a property that adds a function to it.
pub(super) fn accessor(name: &str) -> Option<&'static Native> {
    let is_it = |native: &&Native| native.name.rsplit('.').next() == Some(name);
    ACCESSORS.iter().find(is_it)
}

/// `property(get, set, delete)`
fn property(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    if !given.has(1) && !given.has(2) {
        return wrapped(machine, given, Wrapper::Property);
    }
    let said = |at: usize| Some(given.arg(at).clone()).filter(|it| *it != Py::None);
    let property = Object::Accessors {
        get: given.arg(0).clone(),
        set: said(1),
        delete: said(2),
    };
    Ok(Py::Object(machine.heap.add(property)))
}

fn wrapped(machine: &mut Machine<'_>, given: &Given, wrapper: Wrapper) -> Run<Py> {
    let object = Object::Wrapped(wrapper, given.arg(0).clone());
    Ok(Py::Object(machine.heap.add(object)))
}

pub(super) static SET_ATTRIBUTE: Native =
    native("object.__setattr__", "self name value", put_attribute);

/// Functions about attributes, by module.
pub(super) static NATIVES: &[Native] = &[
    native("builtins.getattr", "x name default=", get_attribute),
    native("builtins.hasattr", "x name", has_attribute),
    native("builtins.setattr", "x name value", set_attribute),
    native("builtins.property", "fget= fset= fdel= doc=", property),
    native("builtins.delattr", "x name", |m, g| {
        if let Py::Str(name) = g.arg(1) {
            m.delete_attribute(g.arg(0), &Arc::clone(name))?;
        }
        Ok(Py::None)
    }),
    native("builtins.staticmethod", "f", |m, g| {
        wrapped(m, g, Wrapper::Static)
    }),
    native("builtins.classmethod", "f", |m, g| {
        wrapped(m, g, Wrapper::ClassMethod)
    }),
    native("functools.cached_property", "f", |m, g| {
        wrapped(m, g, Wrapper::CachedProperty)
    }),
];
