//! The methods of `object` and of types that are built in, by their names with underscores.

use std::sync::Arc;

use tree_sitter_cute::script::{BinaryOp, CompareOp};

use super::heap::Object;
use super::machine::{Machine, Run, Stop};
use super::native::{Args, Given, Native, native};
use super::value::Py;
use crate::reason::Reason;

/// The value that a method works with: the content of an object that has one.
fn content(machine: &Machine<'_>, given: &Given) -> Py {
    let own = given.arg(0);
    machine.content_of(own).unwrap_or_else(|| own.clone())
}

fn get_item(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    let of = content(machine, given);
    machine.subscript(&of, given.arg(1), given.span)
}

fn set_item(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    let of = content(machine, given);
    machine.set_item(&of, given.arg(1).clone(), given.arg(2).clone())?;
    Ok(Py::None)
}

fn delete_item(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    let of = content(machine, given);
    machine.delete_item(&of, given.arg(1))?;
    Ok(Py::None)
}

fn contains(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    let of = content(machine, given);
    machine.compare(CompareOp::In, given.arg(1), &of)
}

fn length(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    let of = content(machine, given);
    Ok(match machine.iterate(&of)? {
        Ok(items) => Py::Int(items.len() as i64),
        Err(reason) => Py::Unknown(reason),
    })
}

fn iter(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    let of = content(machine, given);
    Ok(machine.iter_of(&of)?.unwrap_or_else(Py::Unknown))
}

fn equal(machine: &mut Machine<'_>, given: &Given, op: CompareOp) -> Run<Py> {
    match machine.content_of(given.arg(0)) {
        Some(own) => machine.compare(op, &own, given.arg(1)),
        None => {
            let is_same = given.arg(0) == given.arg(1);
            Ok(Py::Bool(is_same == (op == CompareOp::Eq)))
        }
    }
}

fn add(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    let of = content(machine, given);
    machine.binary(BinaryOp::Add, of, given.arg(1).clone())
}

fn text(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    let of = content(machine, given);
    let text = match given.name {
        "object.__str__" => machine.str_of(&of)?,
        _ => machine.repr_of(&of)?,
    };
    Ok(text.map_or_else(|| Py::not_evaluated("repr"), |text| Py::str(&text)))
}

fn hash(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    let of = content(machine, given);
    Ok(match of {
        Py::Int(number) => Py::Int(number),
        _ => Py::Unknown(Reason::Construct("the hash of this value")),
    })
}

/// `object.__getattribute__(self, name)`
fn get_attribute(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    let (Py::Object(id), Py::Str(name)) = (given.arg(0), given.arg(1)) else {
        return Ok(given.takes("an object and a name"));
    };
    let Some(class) = machine.class_of(given.arg(0)) else {
        return machine.attribute(given.arg(0), name);
    };
    match machine.plain_attribute(*id, class, name)? {
        Some(found) => Ok(found),
        None => Err(Stop::error(
            "AttributeError",
            &format!("the missing attribute `{name}`"),
        )),
    }
}

fn delete_attribute(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    if let (Py::Object(id), Py::Str(name)) = (given.arg(0), given.arg(1))
        && let Some(Object::Instance(instance)) = machine.heap.get_mut(*id)
    {
        instance.attributes.remove(name);
    }
    Ok(Py::None)
}

/// `super().__call__(...)` of a metaclass: a new object.
fn call(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    let Py::Object(class) = given.arg(0) else {
        return Ok(given.takes("a class"));
    };
    let args = Args {
        named: given.named.clone(),
        ..Args::of(given.rest.clone(), given.span)
    };
    machine.instantiate(*class, args)
}

/// `super().__init__(...)`: the content of an object of a class that is derived from a container, the arguments of an
/// error.
fn init(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    let Py::Object(id) = given.arg(0) else {
        return Ok(Py::None);
    };
    if machine.is_raised(given.arg(0), "BaseException") {
        let args = Py::tuple(given.rest.clone());
        machine.put_attribute(given.arg(0), &Arc::from("args"), args);
        return Ok(Py::None);
    }
    let is_container = matches!(machine.content_of(given.arg(0)), Some(Py::Object(_)));
    if is_container && !(given.rest.is_empty() && given.named.is_empty()) {
        let args = Args {
            named: given.named.clone(),
            ..Args::of(given.rest.clone(), given.span)
        };
        machine.fill_content(*id, args)?;
    }
    Ok(Py::None)
}

/// `function.__get__(object, class)`
fn bind(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    if *given.arg(1) == Py::None {
        return Ok(given.arg(0).clone());
    }
    Ok(Py::Object(machine.heap.add(Object::Bound {
        function: given.arg(0).clone(),
        this: given.arg(1).clone(),
    })))
}

/// `super().__init__`
pub(super) static INIT: Native = native("object.__init__", "self *args **named", init);
/// `function.__get__`
pub(super) static BIND: Native = native("function.__get__", "self object class=", bind);

static METHODS: &[Native] = &[
    native("object.__getitem__", "self key", get_item),
    native("object.__setitem__", "self key value", set_item),
    native("object.__delitem__", "self key", delete_item),
    native("object.__contains__", "self key", contains),
    native("object.__len__", "self", length),
    native("object.__iter__", "self", iter),
    native("object.__eq__", "self other", |m, g| {
        equal(m, g, CompareOp::Eq)
    }),
    native("object.__ne__", "self other", |m, g| {
        equal(m, g, CompareOp::Ne)
    }),
    native("object.__add__", "self other", add),
    native("object.__str__", "self", text),
    native("object.__repr__", "self", text),
    native("object.__hash__", "self", hash),
    native("object.__getattribute__", "self name", get_attribute),
    native("object.__delattr__", "self name", delete_attribute),
    native("object.__call__", "self *args **named", call),
];

/// The method of every object of a name.
pub(super) fn of_object(name: &str) -> Option<&'static Native> {
    METHODS
        .iter()
        .find(|native| native.name.split_once('.') == Some(("object", name)))
}
