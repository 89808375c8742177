//! Functions of Python and of its standard library, by module.

use std::sync::Arc;

use tree_sitter_cute::script::{BinaryOp, CompareOp};

use super::attributes::text_of;
use super::heap::{Class, ClassKind, Names, Object, Wrapper};
use super::machine::{Machine, Run, Stop};
use super::native::{Args, Given, Native, native};
use super::value::{Condition, Py};
use super::{containers, dsl, files};
use crate::reason::Reason;
use crate::types::Scalar;
use crate::value::Value;

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

/// `divmod(a, b)`
fn divmod(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    let (a, b) = (given.arg(0), given.arg(1));
    for (object, name, other) in [(a, "__divmod__", b), (b, "__rdivmod__", a)] {
        if let Some(method) = machine.method(object, name)? {
            return machine.call(&method, Args::of(vec![other.clone()], given.span));
        }
    }
    let quotient = machine.binary(BinaryOp::FloorDiv, a.clone(), b.clone())?;
    let rest = machine.binary(BinaryOp::Mod, a.clone(), b.clone())?;
    Ok(Py::tuple(vec![quotient, rest]))
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

/// The numbers of one argument that is iterated over, or of all.
fn numbers(machine: &mut Machine<'_>, given: &Given) -> Run<Result<Vec<Py>, Py>> {
    let items = match given.rest.as_slice() {
        [only] if only.as_int().is_none() && !matches!(only, Py::Float(_)) => {
            match machine.iterate(only)? {
                Ok(items) => items,
                Err(reason) => return Ok(Err(Py::Unknown(reason))),
            }
        }
        items => items.to_vec(),
    };
    Ok(match items.iter().find_map(Py::reason) {
        Some(reason) => Err(Py::Unknown(reason.clone())),
        None => Ok(items),
    })
}

fn extreme(machine: &mut Machine<'_>, given: &Given, largest: bool) -> Run<Py> {
    let items = match numbers(machine, given)? {
        Ok(items) => items,
        Err(unknown) => return Ok(unknown),
    };
    let mut items = items.into_iter();
    let Some(mut best) = items.next() else {
        return Ok(given.takes("a value"));
    };
    let op = if largest {
        CompareOp::Gt
    } else {
        CompareOp::Lt
    };
    for item in items {
        match machine.compare(op, &item, &best)? {
            Py::Bool(true) => best = item,
            Py::Bool(false) => {}
            _ => {
                let (a, b) = (best.as_int(), item.as_int());
                best = match (a, b) {
                    (Some(a), Some(b)) => {
                        let result = if largest { a.max(&b) } else { a.min(&b) };
                        match result {
                            Ok(int) => Py::Leaf(Value::Int(int.to_dynamic())),
                            Err(_) => machine.numbers.symbol("v"),
                        }
                    }
                    _ => given.takes("numbers"),
                };
            }
        }
    }
    Ok(best)
}

fn sum(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    let items = match machine.iterate(given.arg(0))? {
        Ok(items) => items,
        Err(reason) => return Ok(Py::Unknown(reason)),
    };
    let mut total = match given.has(1) {
        true => given.arg(1).clone(),
        false => Py::Int(0),
    };
    for item in items {
        total = machine.binary(BinaryOp::Add, total, item)?;
    }
    Ok(total)
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

fn absolute(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    Ok(match given.arg(0) {
        Py::Int(value) => Py::Int(value.abs()),
        Py::Float(value) => Py::Float(value.abs()),
        Py::Leaf(Value::Int(int)) => match int.abs() {
            Ok(int) => Py::Leaf(Value::Int(int)),
            Err(_) => machine.numbers.symbol("v"),
        },
        _ => given.takes("a number"),
    })
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
        machine.set_attribute(given.arg(0), &name, value);
    }
    Ok(Py::None)
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
    let mut keyed = Vec::new();
    for item in items {
        let key = match given.arg(1) {
            Py::None => item.clone(),
            function => machine.call(function, Args::of(vec![item.clone()], given.span))?,
        };
        // Insertion keeps the order of equal elements.
        let mut at = keyed.len();
        for (place, (known, _)) in keyed.iter().enumerate() {
            let less = machine.compare(CompareOp::Lt, &key, known)?;
            match machine.condition(&less)? {
                Condition::Known(true) => {
                    at = place;
                    break;
                }
                Condition::Known(false) => {}
                _ => return Ok(Py::Unknown(Reason::RunTime("an order".into()))),
            }
        }
        machine.step(1 + keyed.len())?;
        keyed.insert(at, (key, item));
    }
    let mut items: Vec<Py> = keyed.into_iter().map(|(_, item)| item).collect();
    if *given.arg(2) == Py::Bool(true) {
        items.reverse();
    }
    Ok(machine.list(items))
}

fn reversed(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    Ok(match machine.iterate(given.arg(0))? {
        Ok(mut items) => {
            items.reverse();
            machine.list(items)
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
        Some(Object::List(items)) if !items.is_empty() => Ok(items.remove(0)),
        Some(Object::List(_)) if given.has(1) => Ok(given.arg(1).clone()),
        Some(Object::List(_)) => Err(Stop::error("StopIteration", "the end of an iterator")),
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
        found.push(machine.call_native(&NAMESPACE, args)?);
    }
    Ok(Py::tuple(found))
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

fn on_float(given: &Given, f: impl FnOnce(f64) -> Py) -> Run<Py> {
    #[allow(clippy::cast_precision_loss)] // As Python converts.
    Ok(match given.arg(0) {
        Py::Int(value) => f(*value as f64),
        Py::Float(value) => f(*value),
        Py::Leaf(Value::Number(_) | Value::Int(_)) => match Scalar::of_spelling("float") {
            Some(float) => Py::Leaf(Value::Number(float)),
            None => given.takes("a number"),
        },
        _ => given.takes("a number"),
    })
}

#[allow(clippy::cast_possible_truncation)] // Values beyond 64 bits saturate, and no shape has them.
fn rounded(value: f64) -> Py {
    Py::Int(value as i64)
}

fn gcd(_: &mut Machine<'_>, given: &Given) -> Run<Py> {
    let mut result: i64 = 0;
    for value in &given.rest {
        let Some(value) = value.as_index() else {
            return Ok(given.takes("integers"));
        };
        let (mut a, mut b) = (result.unsigned_abs(), value.unsigned_abs());
        while b != 0 {
            (a, b) = (b, a % b);
        }
        result = i64::try_from(a).unwrap_or(i64::MAX);
    }
    Ok(Py::Int(result))
}

fn lcm(_: &mut Machine<'_>, given: &Given) -> Run<Py> {
    let mut result: i64 = 1;
    for value in &given.rest {
        let Some(value) = value.as_index() else {
            return Ok(given.takes("integers"));
        };
        let (mut a, mut b) = (result, value);
        while b != 0 {
            (a, b) = (b, a % b);
        }
        if a == 0 {
            return Ok(Py::Int(0));
        }
        match (result / a).checked_mul(value) {
            Some(next) => result = next.abs(),
            None => return Ok(given.takes("smaller integers")),
        }
    }
    Ok(Py::Int(result))
}

fn operator(machine: &mut Machine<'_>, given: &Given, op: BinaryOp) -> Run<Py> {
    machine.binary(op, given.arg(0).clone(), given.arg(1).clone())
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
static DATACLASS: Native = native("dataclasses.dataclass", "*args **named", dataclass);
static FIELD: Native = native("dataclasses.field", "**named", field);
pub(super) static NAMESPACE: Native = native("types.SimpleNamespace", "**named", namespace);
/// `object.__new__(class)`
pub(crate) static NEW: Native = native("object.__new__", "class *args **named", new_object);
pub(super) static SET_ATTRIBUTE: Native =
    native("object.__setattr__", "self name value", set_attribute);

pub(super) static NATIVES: &[Native] = &[
    native("builtins.range", "*bounds", range),
    native("builtins.slice", "*bounds", slice),
    native("builtins.len", "x", length),
    native("builtins.divmod", "a b", divmod),
    native("builtins.all", "items", |m, g| all_or_any(m, g, true)),
    native("builtins.any", "items", |m, g| all_or_any(m, g, false)),
    native("builtins.min", "*items", |m, g| extreme(m, g, false)),
    native("builtins.max", "*items", |m, g| extreme(m, g, true)),
    native("cutlass.min", "*items", |m, g| extreme(m, g, false)),
    native("cutlass.max", "*items", |m, g| extreme(m, g, true)),
    native("builtins.sum", "items start=", sum),
    native("builtins.abs", "x", absolute),
    native("builtins.isinstance", "x class", is_instance),
    native("builtins.issubclass", "x class", is_subclass),
    native("builtins.getattr", "x name default=", get_attribute),
    native("builtins.hasattr", "x name", has_attribute),
    native("builtins.setattr", "x name value", set_attribute),
    native("builtins.callable", "x", callable),
    native("builtins.sorted", "items key= reverse=", sorted),
    native("builtins.reversed", "items", reversed),
    native("builtins.iter", "items", |m, g| {
        match m.iterate(g.arg(0))? {
            Ok(items) => Ok(m.list(items)),
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
    native("builtins.round", "x digits=", |_, g| {
        on_float(g, |x| rounded(x.round_ties_even()))
    }),
    native("builtins.divmod", "a b", |m, g| {
        let quotient = operator(m, g, BinaryOp::FloorDiv)?;
        let rest = operator(m, g, BinaryOp::Mod)?;
        Ok(Py::tuple(vec![quotient, rest]))
    }),
    native("builtins.pow", "a b", |m, g| operator(m, g, BinaryOp::Pow)),
    native("functools.partial", "f *args **named", partial),
    native("functools.reduce", "f items start=", reduce),
    native("functools.lru_cache", "*args **named", same_decorator),
    native("functools.cache", "*args **named", same_decorator),
    native("functools.cached_property", "f", |m, g| {
        wrapped(m, g, Wrapper::CachedProperty)
    }),
    native("contextlib.contextmanager", "*args", same_decorator),
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
    native("enum.auto", "", |_, _| Ok(Py::Ellipsis)),
    native("operator.add", "a b", |m, g| operator(m, g, BinaryOp::Add)),
    native("operator.sub", "a b", |m, g| operator(m, g, BinaryOp::Sub)),
    native("operator.mul", "a b", |m, g| operator(m, g, BinaryOp::Mul)),
    native("operator.floordiv", "a b", |m, g| {
        operator(m, g, BinaryOp::FloorDiv)
    }),
    native("operator.mod", "a b", |m, g| operator(m, g, BinaryOp::Mod)),
    native("math.ceil", "x", |_, g| on_float(g, |x| rounded(x.ceil()))),
    native("math.floor", "x", |_, g| {
        on_float(g, |x| rounded(x.floor()))
    }),
    native("math.sqrt", "x", |_, g| {
        on_float(g, |x| Py::Float(x.sqrt()))
    }),
    native("math.log2", "x", |_, g| {
        on_float(g, |x| Py::Float(x.log2()))
    }),
    native("math.log", "x", |_, g| on_float(g, |x| Py::Float(x.ln()))),
    native("math.exp", "x", |_, g| on_float(g, |x| Py::Float(x.exp()))),
    native("math.gcd", "*values", gcd),
    native("math.lcm", "*values", lcm),
    native("math.prod", "items", |m, g| {
        let items = match m.iterate(g.arg(0))? {
            Ok(items) => items,
            Err(reason) => return Ok(Py::Unknown(reason)),
        };
        let mut total = Py::Int(1);
        for item in items {
            total = m.binary(BinaryOp::Mul, total, item)?;
        }
        Ok(total)
    }),
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
