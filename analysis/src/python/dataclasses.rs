//! `dataclasses` of Python.

use super::containers;
use super::heap::{Class, ClassKind, Object};
use super::machine::{Machine, Run};
use super::native::{Args, Given, Native, native};
use super::value::Py;

fn dataclass(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    match given.rest.first() {
        Some(Py::Object(id)) => {
            if let Some(Object::Class(class)) = machine.heap.get_mut(*id) {
                class.kind = ClassKind::Dataclass;
            }
            internal_fields(machine, *id);
            Ok(Py::Object(*id))
        }
        _ => Ok(Py::Native(&DATACLASS)),
    }
}

/// Marks the fields that `field(init=False)` takes out of the parameters.
fn internal_fields(machine: &mut Machine<'_>, id: super::heap::Id) {
    let Object::Class(Class { fields, .. }) = machine.heap.get(id) else {
        return;
    };
    let is_internal = |default: &Option<Py>| match default {
        Some(Py::Object(id)) => match machine.heap.get(*id) {
            Object::Partial { named, .. } => named
                .iter()
                .any(|(name, value)| &**name == "init" && *value == Py::Bool(false)),
            _ => false,
        },
        _ => false,
    };
    let internal: Vec<bool> = fields
        .iter()
        .map(|field| is_internal(&field.default))
        .collect();
    if let Some(Object::Class(class)) = machine.heap.get_mut(id) {
        for (field, internal) in class.fields.iter_mut().zip(internal) {
            field.is_internal = internal;
        }
    }
}

/// `dataclasses.field(default=..., init=False)`, kept until an object is made.
fn field(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    let object = Object::Partial {
        function: Py::Native(&FIELD),
        args: Vec::new(),
        named: given.named.clone(),
    };
    Ok(Py::Object(machine.heap.add(object)))
}

/// `dataclasses.fields(x)` of a class or an object: of each field its name and its type.
fn fields(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    let Py::Object(id) = given.arg(0) else {
        return Ok(given.takes("a dataclass"));
    };
    let class = match machine.heap.get(*id) {
        Object::Instance(instance) => machine.heap.get(instance.class),
        other => other,
    };
    let fields = match class {
        Object::Class(class) if class.kind == ClassKind::Dataclass => class.fields.clone(),
        _ => return Ok(given.takes("a dataclass")),
    };
    let mut found = Vec::with_capacity(fields.len());
    for field in fields {
        let args = Args {
            named: vec![
                ("name".into(), Py::Str(field.name)),
                ("type".into(), field.annotation),
            ],
            ..Args::of(Vec::new(), given.span)
        };
        found.push(machine.call_native(&super::functions::NAMESPACE, args)?);
    }
    Ok(Py::tuple(found))
}

static DATACLASS: Native = native("dataclasses.dataclass", "*args **named", dataclass);

static FIELD: Native = native("dataclasses.field", "**named", field);

pub(super) static NATIVES: &[Native] = &[
    native("dataclasses.dataclass", "*args **named", dataclass),
    native("dataclasses.field", "**named", field),
    native("dataclasses.fields", "x", fields),
    native(
        "dataclasses.make_dataclass",
        "name fields bases= **named",
        |m, g| m.made_dataclass(&g.arg(0).clone(), &g.arg(1).clone(), &g.arg(2).clone()),
    ),
    native("dataclasses.replace", "self **named", |m, g| {
        let method = containers::method("instance", "_replace");
        let Some(method) = method else {
            return Ok(g.takes("an object"));
        };
        let args = Args {
            named: g.named.clone(),
            ..Args::of(vec![g.arg(0).clone()], g.span)
        };
        m.call_native(method, args)
    }),
];
