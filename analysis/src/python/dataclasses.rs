//! `dataclasses` of Python.

use std::sync::Arc;

use super::containers;
use super::heap::{Class, ClassKind, Field, Id, Object};
use super::machine::{Machine, Run};
use super::native::{Args, Given, Native, native};
use super::value::{Builtin, Py};

/// The annotation behind which fields are given by name only.
const KEYWORDS: Py = Py::Builtin(Builtin::Dsl("KW_ONLY"));
/// The annotation of arguments of `__post_init__`.
const PASSED_ON: Py = Py::Builtin(Builtin::Dsl("InitVar"));

fn dataclass(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    let says = |name: &str| {
        let named = given.named.iter().find(|(known, _)| &**known == name);
        named.map(|(_, value)| value == &Py::Bool(true))
    };
    match given.rest.first() {
        Some(Py::Object(id)) => {
            complete_fields(machine, *id, says("kw_only") == Some(true));
            if let Some(Object::Class(class)) = machine.heap.get_mut(*id) {
                class.kind = ClassKind::Dataclass;
                class.options.is_frozen = says("frozen") == Some(true);
                class.options.is_ordered = says("order") == Some(true);
                class.options.is_slotted = says("slots") == Some(true);
                class.options.has_identity = says("eq") == Some(false);
            }
            Ok(Py::Object(*id))
        }
        _ => {
            let object = Object::Partial {
                function: Py::Native(&DATACLASS),
                args: Vec::new(),
                named: given.named.clone(),
            };
            Ok(Py::Object(machine.heap.add(object)))
        }
    }
}

/// The arguments of `field(...)`, where a default is one.
fn options<'m>(machine: &'m Machine<'_>, default: Option<&Py>) -> &'m [(Arc<str>, Py)] {
    match default {
        Some(Py::Object(id)) => match machine.heap.get(*id) {
            Object::Partial {
                function: Py::Native(native),
                named,
                ..
            } if native.name == FIELD.name => named,
            _ => &[],
        },
        _ => &[],
    }
}

/// Reads what annotations and `field(...)` say of the fields of a class.
fn complete_fields(machine: &mut Machine<'_>, id: Id, all_named: bool) {
    let Object::Class(Class { fields, .. }) = machine.heap.get(id) else {
        return;
    };
    let mut complete: Vec<Field> = Vec::with_capacity(fields.len());
    let mut is_named = all_named;
    let mut defaults = Vec::new();
    for field in fields {
        let mut field = field.clone();
        if field.is_own && field.annotation == KEYWORDS {
            is_named = true;
            continue;
        }
        if field.is_own {
            let options = options(machine, field.default.as_ref());
            let says = |name: &str, value: bool| {
                let is_it =
                    |(known, given): &(Arc<str>, Py)| &**known == name && *given == Py::Bool(value);
                options.iter().any(is_it)
            };
            field.is_named = (is_named || says("kw_only", true)) && !says("kw_only", false);
            field.is_internal = says("init", false);
            field.is_ignored = says("compare", false);
            field.is_passed_on = field.annotation == PASSED_ON;
            if !options.is_empty() {
                let plain = options.iter().find(|(name, _)| &**name == "default");
                defaults.push((
                    Arc::clone(&field.name),
                    plain.map(|(_, value)| value.clone()),
                ));
            }
        }
        complete.push(field);
    }
    if let Some(Object::Class(class)) = machine.heap.get_mut(id) {
        class.fields = complete;
        // The class itself has the default, where there is one.
        for (name, default) in defaults {
            match default {
                Some(default) => class.attributes.set(name, default),
                None => {
                    class.attributes.remove(&name);
                }
            }
        }
    }
}

/// `dataclasses.field(default=..., init=False)`, kept until an object is made.
fn field(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    let mut named = given.named.clone();
    if named.is_empty() {
        named.push(("init".into(), Py::Bool(true)));
    }
    let object = Object::Partial {
        function: Py::Native(&FIELD),
        args: Vec::new(),
        named,
    };
    Ok(Py::Object(machine.heap.add(object)))
}

/// `dataclasses.fields(x)` of a class or an object: of each field its name, its type and its default.
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
    let missing = Py::Builtin(Builtin::Dsl("MISSING"));
    let mut found = Vec::with_capacity(fields.len());
    for field in fields.into_iter().filter(|field| !field.is_passed_on) {
        let options = options(machine, field.default.as_ref());
        let said = |name: &str| {
            let option = options.iter().find(|(known, _)| &**known == name);
            option.map(|(_, value)| value.clone())
        };
        let default = match options.is_empty() {
            true => field.default.clone(),
            false => said("default"),
        };
        let named = [
            ("default", default.unwrap_or_else(|| missing.clone())),
            (
                "default_factory",
                said("default_factory").unwrap_or_else(|| missing.clone()),
            ),
            ("metadata", said("metadata").unwrap_or(Py::None)),
            ("init", Py::Bool(!field.is_internal)),
            ("name", Py::Str(field.name)),
            ("type", field.annotation),
            ("kw_only", Py::Bool(field.is_named)),
            ("compare", Py::Bool(!field.is_ignored)),
        ];
        let args = Args {
            named: named.map(|(name, value)| (name.into(), value)).into(),
            ..Args::of(Vec::new(), given.span)
        };
        found.push(machine.call_native(&super::namespaces::NAMESPACE, args)?);
    }
    Ok(Py::tuple(found))
}

fn is_dataclass(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    let class = match given.arg(0) {
        Py::Unknown(reason) => return Ok(Py::Unknown(reason.clone())),
        Py::Object(id) => match machine.heap.get(*id) {
            Object::Instance(instance) => machine.heap.get(instance.class),
            other => other,
        },
        _ => return Ok(Py::Bool(false)),
    };
    Ok(Py::Bool(
        matches!(class, Object::Class(class) if class.kind == ClassKind::Dataclass),
    ))
}

static DATACLASS: Native = native("dataclasses.dataclass", "*args **named", dataclass);

static FIELD: Native = native("dataclasses.field", "**named", field);

pub(super) static NATIVES: &[Native] = &[
    native("dataclasses.dataclass", "*args **named", dataclass),
    native("dataclasses.field", "**named", field),
    native("dataclasses.fields", "x", fields),
    native("dataclasses.is_dataclass", "x", is_dataclass),
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
