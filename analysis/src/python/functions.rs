//! Functions of Python and of its standard library, by module.

use std::sync::Arc;

use super::attributes::text_of;
use super::heap::{Class, ClassKind, Names, Object, Wrapper};
use super::machine::{Machine, Run, Stop};
use super::native::{Args, Given, Native, native};
use super::order;
use super::value::{Condition, Py};
use super::{dsl, files};
use crate::reason::Reason;

/// Elements of one `range`.
const RANGE: i64 = 1 << 16;

fn of_bool(known: Option<bool>, what: &'static str) -> Py {
    known.map_or(Py::Unknown(Reason::Construct(what)), Py::Bool)
}

fn range(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    if let Some(unknown) = given.unknown() {
        return Ok(unknown);
    }
    let bounds: Option<Vec<i64>> = given.rest.iter().map(Py::as_index).collect();
    let (start, end, step) = match bounds.as_deref() {
        Some([end]) => (0, *end, 1),
        Some([start, end]) => (*start, *end, 1),
        Some([start, end, step]) if *step != 0 => (*start, *end, *step),
        Some(_) => return Ok(given.takes("one to three integers")),
        None => return Ok(Py::Unknown(Reason::RunTime("the bounds of a range".into()))),
    };
    let mut items = Vec::new();
    let mut at = start;
    while (step > 0 && at < end) || (step < 0 && at > end) {
        if items.len() as i64 >= RANGE {
            return Ok(Py::Unknown(Reason::Limit("numbers in a range")));
        }
        items.push(Py::Int(at));
        match at.checked_add(step) {
            Some(next) => at = next,
            None => break,
        }
    }
    machine.step(items.len())?;
    Ok(machine.list(items))
}

/// `slice(stop)`, `slice(start, stop)`, `slice(start, stop, step)`
fn slice(_: &mut Machine<'_>, given: &Given) -> Run<Py> {
    let [start, stop, step] = match given.rest.as_slice() {
        [stop] => [Py::None, stop.clone(), Py::None],
        [start, stop] => [start.clone(), stop.clone(), Py::None],
        [start, stop, step] => [start.clone(), stop.clone(), step.clone()],
        _ => return Ok(given.takes("one to three bounds")),
    };
    Ok(Py::Slice(Arc::new([start, stop, step])))
}

fn length(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    let value = given.arg(0);
    if let Some(method) = machine.method(value, "__len__")? {
        return machine.call(&method, Args::default());
    }
    if let Py::Leaf(value) = value {
        return Ok(dsl::length(value));
    }
    Ok(match machine.iterate(value)? {
        Ok(items) => Py::Int(items.len() as i64),
        Err(reason) => Py::Unknown(reason),
    })
}

fn all_or_any(machine: &mut Machine<'_>, given: &Given, all: bool) -> Run<Py> {
    let items = match machine.iterate(given.arg(0))? {
        Ok(items) => items,
        Err(reason) => return Ok(Py::Unknown(reason)),
    };
    let mut result = Py::Bool(all);
    for item in items {
        match machine.condition(&item)? {
            Condition::Known(holds) if holds == all => {}
            Condition::Known(holds) => return Ok(Py::Bool(holds)),
            Condition::RunTime => result = Py::run_time_bool(),
            Condition::Unknown(reason) => result = Py::Unknown(reason),
        }
    }
    Ok(result)
}

fn reduce(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    let items = match machine.iterate(given.arg(1))? {
        Ok(items) => items,
        Err(reason) => return Ok(Py::Unknown(reason)),
    };
    let mut items = items.into_iter();
    let mut total = match given.has(2) {
        true => given.arg(2).clone(),
        false => items.next().unwrap_or(Py::None),
    };
    for item in items {
        total = machine.call(given.arg(0), Args::of(vec![total, item], given.span))?;
    }
    Ok(total)
}

fn is_instance(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    let known = machine.is_instance(given.arg(0), given.arg(1));
    Ok(match (known, given.arg(0)) {
        (Some(known), _) => Py::Bool(known),
        (None, Py::Unknown(reason)) => Py::Unknown(reason.clone()),
        (None, _) => of_bool(None, "`isinstance` of this class"),
    })
}

fn is_subclass(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    Ok(match (given.arg(0), given.arg(1)) {
        (Py::Object(class), Py::Object(of)) => match machine.heap.get(*class) {
            Object::Class(class) => Py::Bool(class.order.contains(of)),
            _ => Py::Bool(false),
        },
        (Py::Scalar(scalar), class) => of_bool(
            dsl::is_subclass(scalar, class),
            "`issubclass` of this class",
        ),
        _ => of_bool(None, "`issubclass` of this class"),
    })
}

fn name_of(given: &Given, index: usize) -> Option<&str> {
    match given.arg(index) {
        Py::Str(name) => Some(name),
        _ => None,
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
    if let Some(found) = machine.find_attribute(given.arg(0), name)? {
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
    if machine.find_attribute(given.arg(0), name)?.is_some() {
        return Ok(Py::Bool(true));
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

/// `@name.setter`
fn setter(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    let Py::Object(id) = given.arg(0) else {
        return Ok(given.takes("a property"));
    };
    let get = match machine.heap.get(*id) {
        Object::Wrapped(_, get) | Object::Accessors { get, .. } => get.clone(),
        _ => return Ok(given.takes("a property")),
    };
    let set = given.arg(1).clone();
    Ok(Py::Object(machine.heap.add(Object::Accessors { get, set })))
}

fn new_object(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    match given.arg(0) {
        Py::Object(class) => Ok(machine.bare(*class)),
        _ => Ok(given.takes("a class")),
    }
}

fn callable(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    Ok(match given.arg(0) {
        Py::Unknown(reason) => Py::Unknown(reason.clone()),
        Py::Native(_) | Py::Method(..) | Py::Builtin(_) | Py::Scalar(_) => Py::Bool(true),
        Py::Object(id) => Py::Bool(match machine.heap.get(*id) {
            Object::Instance(instance) => machine
                .class_attribute(instance.class, "__call__")
                .is_some(),
            Object::List(_) | Object::Dict(_) | Object::Set(_) => false,
            _ => true,
        }),
        _ => Py::Bool(false),
    })
}

fn sorted(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    let items = match machine.iterate(given.arg(0))? {
        Ok(items) => items,
        Err(reason) => return Ok(Py::Unknown(reason)),
    };
    Ok(match order::in_order(machine, items, given)? {
        Ok(items) => machine.list(items),
        Err(reason) => Py::Unknown(reason),
    })
}

fn reversed(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    Ok(match machine.iterate(given.arg(0))? {
        Ok(mut items) => {
            items.reverse();
            machine.iterator(items)
        }
        Err(reason) => Py::Unknown(reason),
    })
}

fn wrapped(machine: &mut Machine<'_>, given: &Given, wrapper: Wrapper) -> Run<Py> {
    let object = Object::Wrapped(wrapper, given.arg(0).clone());
    Ok(Py::Object(machine.heap.add(object)))
}

fn super_object(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    let frame = machine.frames.last();
    let (class, this) = match (given.rest.as_slice(), frame) {
        ([Py::Object(class), this], _) => (Some(*class), Some(this.clone())),
        (_, Some(frame)) => (frame.class, frame.this.clone()),
        _ => (None, None),
    };
    match (class, this) {
        (Some(class), Some(this)) => {
            Ok(Py::Object(machine.heap.add(Object::Super { class, this })))
        }
        _ => Ok(Py::Unknown(Reason::Construct(
            "`super()` outside of a method",
        ))),
    }
}

fn nothing(_: &mut Machine<'_>, _: &Given) -> Run<Py> {
    Ok(Py::None)
}

fn next(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    let Py::Object(id) = given.arg(0) else {
        return Ok(given.takes("an iterator"));
    };
    match machine.heap.get_mut(*id) {
        Some(Object::Iterator(items)) if !items.is_empty() => Ok(items.remove(0)),
        Some(Object::Iterator(_)) if given.has(1) => Ok(given.arg(1).clone()),
        Some(Object::Iterator(_)) => Err(Stop::error("StopIteration", "the end of an iterator")),
        _ => Ok(given.takes("an iterator")),
    }
}

fn partial(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    let object = Object::Partial {
        function: given.arg(0).clone(),
        args: given.rest.clone(),
        named: given.named.clone(),
    };
    Ok(Py::Object(machine.heap.add(object)))
}

/// `@decorator` or `@decorator(options)` that leaves the function as it is.
fn same_decorator(_: &mut Machine<'_>, given: &Given) -> Run<Py> {
    Ok(match given.rest.first() {
        Some(function @ (Py::Object(_) | Py::Native(_))) => function.clone(),
        _ => Py::Native(&SAME_DECORATOR),
    })
}

/// `functools.wraps(f)`: a decorator that leaves the function as it is.
fn wraps(_: &mut Machine<'_>, _: &Given) -> Run<Py> {
    Ok(Py::Native(&SAME_DECORATOR))
}

fn cast(_: &mut Machine<'_>, given: &Given) -> Run<Py> {
    Ok(given.arg(1).clone())
}

fn namespace(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    let class = machine.heap.add(Object::Class(Class {
        name: "SimpleNamespace".into(),
        module: "types".into(),
        order: Arc::from([]),
        foreign: Vec::new(),
        attributes: Names::default(),
        kind: ClassKind::Plain,
        fields: Vec::new(),
    }));
    if let Some(Object::Class(found)) = machine.heap.get_mut(class) {
        found.order = Arc::from([class]);
    }
    let mut attributes = Names::default();
    for (name, value) in &given.named {
        attributes.set(Arc::clone(name), value.clone());
    }
    Ok(Py::Object(machine.heap.add(Object::Instance(
        super::heap::Instance {
            class,
            attributes,
            built_in: None,
        },
    ))))
}

fn environment(_: &mut Machine<'_>, given: &Given) -> Run<Py> {
    // The environment of whoever runs the kernel is not ours; most programs take their default.
    Ok(given.arg(1).clone())
}

/// A function that does nothing and returns nothing.
pub(crate) static NOTHING: Native = native("nothing", "*args **named", nothing);
/// A decorator that leaves a function as it is.
pub(crate) static SAME_DECORATOR: Native = native("decorator", "*args **named", same_decorator);
/// `functools.wraps(f)`, `typing_extensions.deprecated(why)`.
pub(super) static WRAPS: Native = native("functools.wraps", "*args **named", wraps);
pub(super) static CAST: Native = native("typing.cast", "type value", cast);
pub(super) static NAMESPACE: Native = native("types.SimpleNamespace", "**named", namespace);
/// `object.__new__(class)`
pub(crate) static NEW: Native = native("object.__new__", "class *args **named", new_object);
pub(super) static SET_ATTRIBUTE: Native =
    native("object.__setattr__", "self name value", put_attribute);
pub(super) static SETTER: Native = native("property.setter", "self function", setter);

pub(super) static NATIVES: &[Native] = &[
    native("builtins.range", "*bounds", range),
    native("builtins.slice", "*bounds", slice),
    native("builtins.len", "x", length),
    native("builtins.all", "items", |m, g| all_or_any(m, g, true)),
    native("builtins.any", "items", |m, g| all_or_any(m, g, false)),
    native("builtins.isinstance", "x class", is_instance),
    native("builtins.issubclass", "x class", is_subclass),
    native("builtins.getattr", "x name default=", get_attribute),
    native("builtins.hasattr", "x name", has_attribute),
    native("builtins.setattr", "x name value", set_attribute),
    native("builtins.callable", "x", callable),
    native("builtins.sorted", "items key= reverse=", sorted),
    native("builtins.reversed", "items", reversed),
    native("builtins.iter", "items", |m, g| {
        if let Py::Object(id) = g.arg(0)
            && matches!(m.heap.get(*id), Object::Iterator(_))
        {
            return Ok(g.arg(0).clone());
        }
        match m.iterate(g.arg(0))? {
            Ok(items) => Ok(m.iterator(items)),
            Err(reason) => Ok(Py::Unknown(reason)),
        }
    }),
    native("builtins.next", "items default=", next),
    native("builtins.print", "*args **named", files::print),
    native("builtins.property", "getter", |m, g| {
        wrapped(m, g, Wrapper::Property)
    }),
    native("builtins.staticmethod", "f", |m, g| {
        wrapped(m, g, Wrapper::Static)
    }),
    native("builtins.classmethod", "f", |m, g| {
        wrapped(m, g, Wrapper::ClassMethod)
    }),
    native("builtins.super", "*args", super_object),
    native("builtins.id", "x", |m, _| Ok(m.numbers.symbol("id"))),
    native("builtins.repr", "x", |_, g| {
        Ok(text_of(g.arg(0)).map_or_else(|| Py::not_evaluated("repr"), |text| Py::str(&text)))
    }),
    native("functools.partial", "f *args **named", partial),
    native("functools.reduce", "f items start=", reduce),
    native("functools.lru_cache", "*args **named", same_decorator),
    native("functools.cache", "*args **named", same_decorator),
    native("functools.cached_property", "f", |m, g| {
        wrapped(m, g, Wrapper::CachedProperty)
    }),
    native("contextlib.contextmanager", "*args", same_decorator),
    native("enum.auto", "", |_, _| Ok(Py::Ellipsis)),
    native("os.getenv", "name default=", environment),
    native("os.environ.get", "name default=", environment),
    native("inspect.isclass", "x", |m, g| {
        Ok(Py::Bool(match g.arg(0) {
            Py::Builtin(_) | Py::Scalar(_) => true,
            Py::Object(id) => matches!(m.heap.get(*id), Object::Class(_)),
            _ => false,
        }))
    }),
];
