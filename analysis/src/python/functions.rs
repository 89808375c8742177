//! Functions of Python and of its standard library, by module.

use std::sync::Arc;

use tree_sitter_cute::script::ParamKind;

use super::contents::type_of_content;
use super::heap::Object;
use super::lazy::Pulled;
use super::machine::{Machine, Run, Stop};
use super::native::{Args, Given, Native, native};
use super::order;
use super::specs::Spec;
use super::value::{Builtin, Condition, Py};
use super::{dsl, errors, files};
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

/// `bin(x)`, `hex(x)`
fn in_base(given: &Given, spec: &str) -> Py {
    let spec = Spec::of(spec);
    let text = given.arg(0).as_index().and_then(|it| spec?.integer(it));
    text.map_or_else(|| given.takes("an integer"), |text| Py::str(&text))
}

fn hash(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    if let Some(method) = machine.method(given.arg(0), "__hash__")? {
        return machine.call(&method, Args::default());
    }
    Ok(match given.arg(0) {
        Py::Int(number) if number.unsigned_abs() < 1 << 61 => Py::Int(*number),
        Py::Bool(truth) => Py::Int(i64::from(*truth)),
        _ => Py::Unknown(Reason::Construct("the hash of this value")),
    })
}

/// The names of the running function, or of its module.
fn names_around(machine: &mut Machine<'_>, all: bool) -> Py {
    let mut at = machine.scope();
    while let (true, Some(id)) = (all, at) {
        match machine.heap.get(id) {
            Object::Scope(scope) if scope.parent.is_some() => at = scope.parent,
            _ => break,
        }
    }
    match at {
        Some(scope) => Py::Object(machine.heap.add(Object::Attributes(scope))),
        None => Py::Unknown(Reason::Construct("the names of this place")),
    }
}

/// `@abstractmethod`
fn abstract_method(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    let mut at = given.arg(0).clone();
    while let Py::Object(id) = at {
        at = match machine.heap.get(id) {
            Object::Wrapped(_, inner) => inner.clone(),
            Object::Accessors { get, .. } => get.clone(),
            _ => break,
        };
    }
    machine.put_attribute(&at, &"__isabstractmethod__".into(), Py::Bool(true));
    Ok(given.arg(0).clone())
}

/// `importlib.util.find_spec(name)`: something where the module can be read.
fn find_spec(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    let Py::Str(name) = given.arg(0) else {
        return Ok(given.takes("a name"));
    };
    if machine.installed(name).is_none() {
        return Ok(Py::not_evaluated("importlib.util.find_spec"));
    }
    let args = Args {
        named: vec![("name".into(), Py::Str(Arc::clone(name)))],
        ..Args::of(Vec::new(), given.span)
    };
    machine.call_native(&super::namespaces::NAMESPACE, args)
}

/// Of each parameter of a function its name, its kind by the number that `inspect` gives it, and its default or `...`.
fn parameters(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    let (function, skipped) = match given.arg(0) {
        Py::Object(id) => match machine.heap.get(*id) {
            Object::Bound { function, .. } => (function.clone(), 1),
            Object::Cached(cached) => (cached.function.clone(), 0),
            Object::Class(_) => match machine.class_attribute(*id, "__init__") {
                Some(init) => (init, 1),
                None => return Ok(given.takes("a function")),
            },
            Object::Instance(instance) => match machine.class_attribute(instance.class, "__call__")
            {
                Some(call) => (call, 1),
                None => return Ok(given.takes("a function")),
            },
            _ => (given.arg(0).clone(), 0),
        },
        _ => return Ok(given.takes("a function")),
    };
    let Py::Object(id) = function else {
        return Ok(given.takes("a function"));
    };
    let Object::Function(function) = machine.heap.get(id) else {
        return Ok(given.takes("a function"));
    };
    let function = function.clone();
    let all = function.code.params.iter().zip(function.defaults.iter());
    let rows = all.skip(skipped).map(|(param, default)| {
        let kind = match param.kind {
            ParamKind::Positional => 0,
            ParamKind::Plain => 1,
            ParamKind::Rest => 2,
            ParamKind::Named => 3,
            ParamKind::NamedRest => 4,
        };
        Py::tuple(vec![
            Py::Str(Arc::clone(&param.name.text)),
            Py::Int(kind),
            Py::Bool(default.is_some()),
            default.clone().unwrap_or(Py::None),
        ])
    });
    Ok(Py::tuple(rows.collect()))
}

fn length(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    let value = given.arg(0);
    if let Some(method) = machine.method(value, "__len__")? {
        return machine.call(&method, Args::default());
    }
    if let Some(content) = machine.content_of(value) {
        return machine.call_native(&LENGTH, Args::of(vec![content], given.span));
    }
    if machine.is_iterator(value) && machine.class_of(value).is_none() {
        return Err(Stop::error("TypeError", "`len` of an iterator"));
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
    let iterator = match machine.iter_of(given.arg(0))? {
        Ok(iterator) => iterator,
        Err(reason) => return Ok(Py::Unknown(reason)),
    };
    let mut result = Py::Bool(all);
    loop {
        let item = match machine.pull(&iterator)? {
            Ok(Pulled::Item(item)) => item,
            Ok(Pulled::End(_)) => return Ok(result),
            Err(reason) => return Ok(Py::Unknown(reason)),
        };
        match machine.condition(&item)? {
            Condition::Known(holds) if holds == all => {}
            Condition::Known(holds) => return Ok(Py::Bool(holds)),
            Condition::RunTime => result = Py::run_time_bool(),
            Condition::Unknown(reason) => result = Py::Unknown(reason),
        }
    }
}

fn reduce(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    let items = match machine.iterate(given.arg(1))? {
        Ok(items) => items,
        Err(reason) => return Ok(Py::Unknown(reason)),
    };
    let mut items = items.into_iter();
    let mut total = match given.has(2) {
        true => given.arg(2).clone(),
        false => match items.next() {
            Some(first) => first,
            None => return Err(Stop::error("TypeError", "`reduce` of no elements")),
        },
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
    if let Py::Tuple(classes) = given.arg(1) {
        for class in classes.iter() {
            let args = Args::of(vec![given.arg(0).clone(), class.clone()], given.span);
            match machine.call_native(&IS_SUBCLASS, args)? {
                Py::Bool(false) => {}
                other => return Ok(other),
            }
        }
        return Ok(Py::Bool(false));
    }
    Ok(match (given.arg(0), given.arg(1)) {
        (Py::Unknown(reason), _) | (_, Py::Unknown(reason)) => Py::Unknown(reason.clone()),
        (_, Py::Builtin(Builtin::Object)) => Py::Bool(true),
        (Py::Builtin(Builtin::Bool), Py::Builtin(Builtin::Int)) => Py::Bool(true),
        (Py::Builtin(Builtin::Error(one)), Py::Builtin(Builtin::Error(other))) => {
            Py::Bool(errors::derives(one, other))
        }
        (Py::Builtin(one), Py::Builtin(other)) if !matches!(other, Builtin::Dsl(_)) => {
            Py::Bool(one == other)
        }
        (Py::Object(class), Py::Builtin(Builtin::Error(name))) => {
            Py::Bool(machine.class_derives(*class, name))
        }
        (Py::Object(class), of @ Py::Builtin(_)) => match machine.heap.get(*class) {
            Object::Class(class) if class.foreign.contains(of) => Py::Bool(true),
            _ => of_bool(None, "`issubclass` of this class"),
        },
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

static IS_SUBCLASS: Native = native("builtins.issubclass", "x class", is_subclass);

fn new_object(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    let Py::Object(class) = given.arg(0) else {
        return Ok(given.takes("a class"));
    };
    // `super().__new__(metaclass, name, bases, members)`
    if let [Py::Str(_), Py::Tuple(_), Py::Object(_)] = given.rest.as_slice() {
        return machine.class_of_parts(&Args {
            named: given.named.clone(),
            ..Args::of(given.rest.clone(), given.span)
        });
    }
    let made = machine.bare(*class);
    if let Py::Object(id) = &made {
        let is_container = matches!(
            machine.heap.get(*class),
            Object::Class(class) if matches!(
                type_of_content(class),
                Some(Builtin::List | Builtin::Dict | Builtin::Set)
            )
        );
        let args = match is_container {
            true => Vec::new(),
            false => given.rest.clone(),
        };
        machine.fill_content(*id, Args::of(args, given.span))?;
    }
    Ok(made)
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

fn environment(_: &mut Machine<'_>, given: &Given) -> Run<Py> {
    // The environment of whoever runs the kernel is not ours; most programs take their default.
    Ok(given.arg(1).clone())
}

static LENGTH: Native = native("builtins.len", "x", length);
/// A method that returns its object.
pub(super) static ITSELF: Native =
    native("object.itself", "self *args", |_, g| Ok(g.arg(0).clone()));
/// A function that does nothing and returns nothing.
pub(crate) static NOTHING: Native = native("nothing", "*args **named", nothing);
/// A decorator that leaves a function as it is.
pub(crate) static SAME_DECORATOR: Native = native("decorator", "*args **named", same_decorator);
/// `functools.wraps(f)`, `typing_extensions.deprecated(why)`.
pub(super) static WRAPS: Native = native("functools.wraps", "*args **named", wraps);
pub(super) static CAST: Native = native("typing.cast", "type value", cast);
/// `object.__new__(class)`
pub(crate) static NEW: Native = native("object.__new__", "class *args **named", new_object);

pub(super) static NATIVES: &[Native] = &[
    native("builtins.range", "*bounds", range),
    native("builtins.slice", "*bounds", slice),
    native("builtins.len", "x", length),
    native("builtins.all", "items", |m, g| all_or_any(m, g, true)),
    native("builtins.any", "items", |m, g| all_or_any(m, g, false)),
    native("builtins.isinstance", "x class", is_instance),
    native("builtins.issubclass", "x class", is_subclass),
    native("builtins.callable", "x", callable),
    native("builtins.sorted", "items key= reverse=", sorted),
    native("builtins.reversed", "items", reversed),
    native("builtins.print", "*args **named", files::print),
    native("builtins.super", "*args", super_object),
    native("builtins.id", "x", |m, _| Ok(m.numbers.symbol("id"))),
    native("builtins.repr", "x", |m, g| {
        if let Some(reason) = g.arg(0).reason() {
            return Ok(Py::Unknown(reason.clone()));
        }
        let text = m.repr_of(g.arg(0))?;
        Ok(text.map_or_else(|| Py::not_evaluated("repr"), |text| Py::str(&text)))
    }),
    native("builtins.vars", "x", |m, g| {
        m.attribute(g.arg(0), "__dict__")
    }),
    native("builtins.globals", "", |m, _| Ok(names_around(m, true))),
    native("builtins.locals", "", |m, _| Ok(names_around(m, false))),
    native("builtins.hash", "x", hash),
    native("builtins.ord", "x", |_, g| {
        let mut letters = match g.arg(0) {
            Py::Str(text) => text.chars(),
            _ => return Ok(g.takes("a letter")),
        };
        Ok(match (letters.next(), letters.next()) {
            (Some(letter), None) => Py::Int(i64::from(u32::from(letter))),
            _ => g.takes("a letter"),
        })
    }),
    native("builtins.chr", "x", |_, g| {
        let number = g.arg(0).as_index().and_then(|it| u32::try_from(it).ok());
        let letter = number.and_then(char::from_u32);
        Ok(letter.map_or_else(|| g.takes("a number"), |it| Py::str(&it.to_string())))
    }),
    native("builtins.bin", "x", |_, g| Ok(in_base(g, "#b"))),
    native("builtins.oct", "x", |_, g| Ok(in_base(g, "#o"))),
    native("builtins.hex", "x", |_, g| Ok(in_base(g, "#x"))),
    native("builtins.format", "x spec=", |m, g| {
        let spec = match g.arg(1) {
            Py::Str(spec) => Arc::clone(spec),
            _ => "".into(),
        };
        let text = m.formatted(g.arg(0), None, &spec)?;
        Ok(text.map_or_else(Py::Unknown, |text| Py::str(&text)))
    }),
    native("functools.partial", "f *args **named", partial),
    native("functools.reduce", "f items start=", reduce),
    native("enum.auto", "", |_, _| Ok(Py::AUTO)),
    native("abc.abstractmethod", "f", abstract_method),
    native("importlib.util.find_spec", "name package=", find_spec),
    native("_library.parameters", "f", parameters),
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
