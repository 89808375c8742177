//! Methods of lists, dictionaries, sets, strings, tuples and numbers.

use std::sync::Arc;

use super::heap::Object;
use super::machine::{Machine, Run, Stop};
use super::native::{Args, Given, Native, native};
use super::order;
use super::value::{Condition, Py};
use crate::reason::Reason;

/// The method of a type.
pub(crate) fn method(of: &str, name: &str) -> Option<&'static Native> {
    METHODS
        .iter()
        .find(|native| native.name.split_once('.') == Some((of, name)))
}

/// The place of an element, from the end where it is negative.
pub(crate) fn index_of(index: &Py, len: usize) -> Option<usize> {
    let index = index.as_index()?;
    let len = i64::try_from(len).ok()?;
    let at = if index < 0 { index + len } else { index };
    usize::try_from(at).ok().filter(|at| (*at as i64) < len)
}

/// An element, or the elements of a slice.
pub(crate) fn element(items: &[Py], index: &Py) -> Run<Result<Py, Vec<Py>>> {
    if let Py::Slice(parts) = index {
        let Some(places) = slice(parts, items.len()) else {
            return Ok(Ok(Py::Unknown(Reason::RunTime(
                "the bounds of a slice".into(),
            ))));
        };
        return Ok(Err(places
            .into_iter()
            .filter_map(|at| items.get(at).cloned())
            .collect()));
    }
    match index {
        Py::Unknown(reason) => Ok(Ok(Py::Unknown(reason.clone()))),
        Py::Int(_) | Py::Bool(_) => match index_of(index, items.len()) {
            Some(at) => Ok(Ok(items[at].clone())),
            None => Err(Stop::error("IndexError", "an index out of range")),
        },
        // An element that only the running kernel chooses is known where all are equal.
        _ => Ok(Ok(match items.split_first() {
            Some((first, rest)) if rest.iter().all(|item| item == first) => first.clone(),
            _ => Py::Unknown(Reason::RunTime("the element that is taken".into())),
        })),
    }
}

/// The places that a slice takes.
fn slice(parts: &[Py; 3], len: usize) -> Option<Vec<usize>> {
    let len = i64::try_from(len).ok()?;
    let bound = |part: &Py, default: i64| match part {
        Py::None => Some(default),
        part => {
            let at = part.as_index()?;
            Some(if at < 0 { at + len } else { at })
        }
    };
    let step = match &parts[2] {
        Py::None => 1,
        part => part.as_index()?,
    };
    let mut places = Vec::new();
    if step > 0 {
        let (start, end) = (bound(&parts[0], 0)?, bound(&parts[1], len)?);
        let (mut at, end) = (start.clamp(0, len), end.clamp(0, len));
        while at < end {
            places.push(usize::try_from(at).ok()?);
            at += step;
        }
    } else if step < 0 {
        let (start, end) = (bound(&parts[0], len - 1)?, bound(&parts[1], -1)?);
        let (mut at, end) = (start.clamp(-1, len - 1), end.clamp(-1, len - 1));
        while at > end {
            places.push(usize::try_from(at).ok()?);
            at += step;
        }
    }
    Some(places)
}

/// The elements of the list that is the first argument.
fn list<'m>(machine: &'m mut Machine<'_>, given: &Given) -> Option<&'m mut Vec<Py>> {
    let Py::Object(id) = given.arg(0) else {
        return None;
    };
    match machine.heap.get_mut(*id) {
        Some(Object::List(items) | Object::Set(items)) => Some(items),
        _ => None,
    }
}

fn append(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    machine.step(1)?;
    let item = given.arg(1).clone();
    if let Some(items) = list(machine, given) {
        items.push(item);
    }
    Ok(Py::None)
}

fn extend(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    match (machine.iterate(given.arg(1))?, given.arg(0)) {
        (Ok(more), _) => {
            if let Some(items) = list(machine, given) {
                items.extend(more);
            }
        }
        (Err(reason), Py::Object(id)) => machine.heap.put(*id, Object::Lost(reason)),
        _ => {}
    }
    Ok(Py::None)
}

/// The container that is the first argument is not known from here on.
fn lost(machine: &mut Machine<'_>, given: &Given, what: &'static str) -> Py {
    if let Py::Object(id) = given.arg(0) {
        machine
            .heap
            .put(*id, Object::Lost(Reason::RunTime(what.into())));
    }
    Py::None
}

/// `list.sort(key, reverse)`
fn sort(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    let Some(items) = list(machine, given).cloned() else {
        return Ok(given.takes("a list"));
    };
    match order::in_order(machine, items, given)? {
        Ok(sorted) => {
            if let Some(items) = list(machine, given) {
                *items = sorted;
            }
            Ok(Py::None)
        }
        Err(_) => Ok(lost(machine, given, "an order")),
    }
}

/// `list.remove(item)`, `set.remove(item)`, and `set.discard(item)`, which a missing one leaves as it is.
fn remove(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    let Some(items) = list(machine, given).cloned() else {
        return Ok(given.takes("a list"));
    };
    for (at, item) in items.iter().enumerate() {
        let equal = machine.compare(tree_sitter_cute::script::CompareOp::Eq, item, given.arg(1))?;
        match machine.condition(&equal)? {
            Condition::Known(true) => {
                if let Some(items) = list(machine, given) {
                    items.remove(at);
                }
                return Ok(Py::None);
            }
            Condition::Known(false) => {}
            _ => return Ok(lost(machine, given, "the element that is removed")),
        }
    }
    match given.name {
        "set.discard" => Ok(Py::None),
        _ => Err(Stop::error(
            "ValueError",
            "an element missing from the list",
        )),
    }
}

/// `set.update(items)`
fn set_update(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    let Ok(more) = machine.iterate(given.arg(1))? else {
        return Ok(lost(machine, given, "the elements of a set"));
    };
    for item in more {
        add_one(machine, given, item)?;
    }
    Ok(Py::None)
}

fn add_one(machine: &mut Machine<'_>, given: &Given, item: Py) -> Run<()> {
    let Some(mut items) = list(machine, given).map(std::mem::take) else {
        return Ok(());
    };
    let added = machine.add_to_set(&mut items, item);
    if let Some(own) = list(machine, given) {
        *own = items;
    }
    if added?.is_err() {
        lost(machine, given, "the elements of a set");
    }
    Ok(())
}

/// `dict.popitem()`
fn pop_item(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    let mut all = match entries(machine, given) {
        Ok(entries) => entries,
        Err(unknown) => return Ok(unknown),
    };
    let Some((key, value)) = all.pop() else {
        return Err(Stop::error("KeyError", "`popitem` of an empty dictionary"));
    };
    if let Py::Object(id) = given.arg(0) {
        machine.heap.put(*id, Object::Dict(all));
    }
    Ok(Py::tuple(vec![key, value]))
}

fn insert(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    let (at, item) = (given.arg(1).as_index(), given.arg(2).clone());
    let Some(at) = at else {
        return Ok(lost(machine, given, "the place of an insertion"));
    };
    if let Some(items) = list(machine, given) {
        let len = items.len() as i64;
        let at = if at < 0 {
            (at + len).max(0)
        } else {
            at.min(len)
        };
        items.insert(at as usize, item);
    }
    Ok(Py::None)
}

fn pop(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    let at = match given.arg(1) {
        Py::None => Py::Int(-1),
        at => at.clone(),
    };
    let empty = Stop::error("IndexError", "`pop` of an empty list");
    let Some(items) = list(machine, given) else {
        return Ok(given.takes("a list"));
    };
    match index_of(&at, items.len()) {
        Some(at) => Ok(items.remove(at)),
        None if items.is_empty() => Err(empty),
        None => Ok(given.takes("a known index")),
    }
}

fn reverse(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    if let Some(items) = list(machine, given) {
        items.reverse();
    }
    Ok(Py::None)
}

fn clear(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    if let Some(items) = list(machine, given) {
        items.clear();
    } else if let Py::Object(id) = given.arg(0)
        && let Some(Object::Dict(entries)) = machine.heap.get_mut(*id)
    {
        entries.clear();
    }
    Ok(Py::None)
}

/// A copy of a container, with the same elements.
pub(super) fn copy(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    match given.arg(0) {
        Py::Object(id) => {
            let object = machine.heap.get(*id).clone();
            machine.step(1)?;
            Ok(Py::Object(machine.heap.add(object)))
        }
        other => Ok(other.clone()),
    }
}

fn index(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    let items = match machine.iterate(given.arg(0))? {
        Ok(items) => items,
        Err(reason) => return Ok(Py::Unknown(reason)),
    };
    for (at, item) in items.iter().enumerate() {
        let equal = machine.compare(tree_sitter_cute::script::CompareOp::Eq, item, given.arg(1))?;
        match machine.condition(&equal)? {
            Condition::Known(true) => return Ok(Py::Int(at as i64)),
            Condition::Known(false) => {}
            _ => return Ok(Py::run_time("index")),
        }
    }
    Err(Stop::error(
        "ValueError",
        "an element missing from the list",
    ))
}

fn count(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    let items = match machine.iterate(given.arg(0))? {
        Ok(items) => items,
        Err(reason) => return Ok(Py::Unknown(reason)),
    };
    let mut count = 0;
    for item in &items {
        let equal = machine.compare(tree_sitter_cute::script::CompareOp::Eq, item, given.arg(1))?;
        match machine.condition(&equal)? {
            Condition::Known(holds) => count += i64::from(holds),
            _ => return Ok(Py::run_time("count")),
        }
    }
    Ok(Py::Int(count))
}

fn add(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    add_one(machine, given, given.arg(1).clone())?;
    Ok(Py::None)
}

fn entries(machine: &Machine<'_>, given: &Given) -> Result<Vec<(Py, Py)>, Py> {
    match given.arg(0) {
        Py::Object(id) => match machine.heap.get(*id) {
            Object::Dict(entries) => Ok(entries.clone()),
            Object::Lost(reason) => Err(Py::Unknown(reason.clone())),
            _ => Err(given.takes("a dictionary")),
        },
        _ => Err(given.takes("a dictionary")),
    }
}

fn items(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    Ok(match entries(machine, given) {
        Ok(entries) => {
            let pairs = entries.into_iter();
            let pairs = pairs
                .map(|(key, value)| Py::tuple(vec![key, value]))
                .collect();
            machine.list(pairs)
        }
        Err(unknown) => unknown,
    })
}

fn keys(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    Ok(match entries(machine, given) {
        Ok(entries) => {
            let keys = entries.into_iter().map(|(key, _)| key).collect();
            machine.list(keys)
        }
        Err(unknown) => unknown,
    })
}

fn values(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    Ok(match entries(machine, given) {
        Ok(entries) => {
            let values = entries.into_iter().map(|(_, value)| value).collect();
            machine.list(values)
        }
        Err(unknown) => unknown,
    })
}

fn get(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    let entries = match entries(machine, given) {
        Ok(entries) => entries,
        Err(unknown) => return Ok(unknown),
    };
    let key = given.arg(1);
    if let Py::Unknown(reason) = key {
        return Ok(Py::Unknown(reason.clone()));
    }
    let found = entries.into_iter().find(|(known, _)| known == key);
    Ok(found.map_or_else(|| given.arg(2).clone(), |(_, value)| value))
}

fn set_default(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    let mut all = match entries(machine, given) {
        Ok(entries) => entries,
        Err(unknown) => return Ok(unknown),
    };
    if let Some((_, value)) = all.iter().find(|(known, _)| known == given.arg(1)) {
        return Ok(value.clone());
    }
    all.push((given.arg(1).clone(), given.arg(2).clone()));
    if let Py::Object(id) = given.arg(0) {
        machine.heap.put(*id, Object::Dict(all));
    }
    Ok(given.arg(2).clone())
}

fn update(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    let mut all = match entries(machine, given) {
        Ok(entries) => entries,
        Err(unknown) => return Ok(unknown),
    };
    let Py::Object(id) = given.arg(0) else {
        return Ok(Py::None);
    };
    match given.arg(1) {
        Py::None => {}
        Py::Object(other) => match machine.heap.get(*other).clone() {
            Object::Dict(more) => {
                for (key, value) in more {
                    machine.put_entry(&mut all, key, value)?;
                }
            }
            _ => {
                let why = Reason::Construct("`update` with this value");
                machine.heap.put(*id, Object::Lost(why));
                return Ok(Py::None);
            }
        },
        _ => {
            let why = Reason::Construct("`update` with this value");
            machine.heap.put(*id, Object::Lost(why));
            return Ok(Py::None);
        }
    }
    for (name, value) in &given.named {
        machine.put_entry(&mut all, Py::Str(name.clone()), value.clone())?;
    }
    machine.heap.put(*id, Object::Dict(all));
    Ok(Py::None)
}

fn dict_pop(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    let mut all = match entries(machine, given) {
        Ok(entries) => entries,
        Err(unknown) => return Ok(unknown),
    };
    let Some(at) = all.iter().position(|(key, _)| key == given.arg(1)) else {
        return match given.has(2) {
            true => Ok(given.arg(2).clone()),
            false => Err(Stop::error("KeyError", "a missing key")),
        };
    };
    let (_, value) = all.remove(at);
    if let Py::Object(id) = given.arg(0) {
        machine.heap.put(*id, Object::Dict(all));
    }
    Ok(value)
}

fn text(given: &Given) -> Option<&str> {
    match given.arg(0) {
        Py::Str(text) => Some(text),
        _ => None,
    }
}

fn on_text(given: &Given, f: impl FnOnce(&str, &str) -> Py) -> Run<Py> {
    let other = match given.arg(1) {
        Py::Str(other) => other,
        Py::None => "",
        _ => return Ok(given.takes("a string")),
    };
    Ok(match text(given) {
        Some(text) => f(text, other),
        None => given.takes("a string"),
    })
}

fn lower(_: &mut Machine<'_>, given: &Given) -> Run<Py> {
    on_text(given, |text, _| Py::str(&text.to_lowercase()))
}

fn upper(_: &mut Machine<'_>, given: &Given) -> Run<Py> {
    on_text(given, |text, _| Py::str(&text.to_uppercase()))
}

fn strip(_: &mut Machine<'_>, given: &Given) -> Run<Py> {
    on_text(given, |text, _| Py::str(text.trim()))
}

fn is_digit(_: &mut Machine<'_>, given: &Given) -> Run<Py> {
    on_text(given, |text, _| {
        Py::Bool(!text.is_empty() && text.chars().all(|it| it.is_ascii_digit()))
    })
}

fn starts_with(_: &mut Machine<'_>, given: &Given) -> Run<Py> {
    if let (Some(text), Py::Tuple(prefixes)) = (text(given), given.arg(1)) {
        let starts = |prefix: &Py| matches!(prefix, Py::Str(prefix) if text.starts_with(&**prefix));
        return Ok(Py::Bool(prefixes.iter().any(starts)));
    }
    on_text(given, |text, prefix| Py::Bool(text.starts_with(prefix)))
}

fn ends_with(_: &mut Machine<'_>, given: &Given) -> Run<Py> {
    on_text(given, |text, suffix| Py::Bool(text.ends_with(suffix)))
}

fn split(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    let Some(text) = text(given) else {
        return Ok(given.takes("a string"));
    };
    let parts: Vec<Py> = match given.arg(1) {
        Py::Str(by) if !by.is_empty() => text.split(&**by).map(Py::str).collect(),
        Py::None => text.split_whitespace().map(Py::str).collect(),
        _ => return Ok(given.takes("a string")),
    };
    machine.step(parts.len())?;
    Ok(machine.list(parts))
}

fn join(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    let Some(by) = text(given) else {
        return Ok(given.takes("a string"));
    };
    let by = by.to_owned();
    let items = match machine.iterate(given.arg(1))? {
        Ok(items) => items,
        Err(reason) => return Ok(Py::Unknown(reason)),
    };
    let parts: Option<Vec<String>> = items
        .iter()
        .map(|item| match item {
            Py::Str(text) => Some(text.to_string()),
            _ => None,
        })
        .collect();
    Ok(parts.map_or_else(|| given.takes("strings"), |parts| Py::str(&parts.join(&by))))
}

fn replace(_: &mut Machine<'_>, given: &Given) -> Run<Py> {
    match (given.arg(0), given.arg(1), given.arg(2)) {
        (Py::Str(text), Py::Str(old), Py::Str(new)) => Ok(Py::str(&text.replace(&**old, new))),
        _ => Ok(given.takes("strings")),
    }
}

fn format(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    let Some(template) = text(given) else {
        return Ok(given.takes("a string"));
    };
    let filled = machine.fill_in(template, given)?;
    Ok(filled.map_or_else(Py::Unknown, |text| Py::str(&text)))
}

fn replaced(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    let Py::Object(id) = given.arg(0) else {
        return Ok(given.takes("an object"));
    };
    let Object::Instance(instance) = machine.heap.get(*id) else {
        return Ok(given.takes("an object"));
    };
    let class = instance.class;
    let mut named: Vec<_> = instance.attributes.iter().cloned().collect();
    for (name, value) in &given.named {
        named.retain(|(known, _)| known != name);
        named.push((name.clone(), value.clone()));
    }
    let args = Args {
        named,
        span: given.span,
        ..Args::default()
    };
    machine.instantiate(class, args)
}

/// `named_tuple._asdict()`
fn as_dictionary(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    let Py::Object(id) = given.arg(0) else {
        return Ok(given.takes("an object"));
    };
    let Object::Instance(instance) = machine.heap.get(*id) else {
        return Ok(given.takes("an object"));
    };
    let entries = instance.attributes.iter();
    let entries = entries.map(|(name, value)| (Py::Str(Arc::clone(name)), value.clone()));
    let entries = entries.collect();
    Ok(Py::Object(machine.heap.add(Object::Dict(entries))))
}

/// `Class._make(items)`
fn made_of(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    let Py::Object(class) = given.arg(0) else {
        return Ok(given.takes("a class"));
    };
    let items = given.arg(1).clone();
    match machine.iterate(&items)? {
        Ok(items) => machine.instantiate(*class, Args::of(items, given.span)),
        Err(reason) => Ok(Py::Unknown(reason)),
    }
}

fn bit_length(_: &mut Machine<'_>, given: &Given) -> Run<Py> {
    Ok(match given.arg(0) {
        Py::Int(value) => Py::Int(i64::from(64 - value.unsigned_abs().leading_zeros())),
        _ => given.takes("an integer"),
    })
}

static METHODS: &[Native] = &[
    native("list.append", "self item", append),
    native("list.extend", "self items", extend),
    native("list.insert", "self index item", insert),
    native("list.pop", "self index=", pop),
    native("list.reverse", "self", reverse),
    native("list.sort", "self key= reverse=", sort),
    native("list.remove", "self item", remove),
    native("list.clear", "self", clear),
    native("list.copy", "self", copy),
    native("list.index", "self item", index),
    native("list.count", "self item", count),
    native("tuple.index", "self item", index),
    native("tuple.count", "self item", count),
    native("set.add", "self item", add),
    native("set.copy", "self", copy),
    native("set.update", "self items", set_update),
    native("set.discard", "self item", remove),
    native("set.remove", "self item", remove),
    native("dict.popitem", "self", pop_item),
    native("dict.items", "self", items),
    native("dict.keys", "self", keys),
    native("dict.values", "self", values),
    native("dict.get", "self key default=", get),
    native("dict.setdefault", "self key default=", set_default),
    native("dict.update", "self other= **named", update),
    native("dict.pop", "self key default=", dict_pop),
    native("dict.copy", "self", copy),
    native("dict.clear", "self", clear),
    native("str.lower", "self", lower),
    native("str.upper", "self", upper),
    native("str.strip", "self chars=", strip),
    native("str.isdigit", "self", is_digit),
    native("str.startswith", "self prefix", starts_with),
    native("str.endswith", "self suffix", ends_with),
    native("str.split", "self by=", split),
    native("str.join", "self items", join),
    native("str.replace", "self old new", replace),
    native("str.format", "self *args **named", format),
    native("instance._replace", "self **named", replaced),
    native("instance._asdict", "self", as_dictionary),
    native("class._make", "self items", made_of),
    native("int.bit_length", "self", bit_length),
];
