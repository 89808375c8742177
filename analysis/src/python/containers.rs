//! Methods of lists, dictionaries, sets, strings, tuples and numbers.

use std::sync::Arc;

use tree_sitter_cute::script::{BinaryOp, CompareOp};

use super::heap::Object;
use super::machine::{Machine, Run, Stop};
use super::native::{Args, Given, Native, native};
use super::order;
use super::value::{Condition, Py};
use super::{cached, coroutines, numerics, strings};
use crate::reason::Reason;

/// The method of a type.
pub(crate) fn method(of: &str, name: &str) -> Option<&'static Native> {
    let all = METHODS.iter().chain(strings::METHODS);
    let all = all.chain(coroutines::METHODS).chain(cached::METHODS);
    let mut all = all.chain(numerics::METHODS);
    all.find(|native| native.name.split_once('.') == Some((of, name)))
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
pub(super) fn slice(parts: &[Py; 3], len: usize) -> Option<Vec<usize>> {
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

/// The place where the elements of an empty slice go.
pub(super) fn start_of(parts: &[Py; 3], len: usize) -> usize {
    let end = i64::try_from(len).unwrap_or(i64::MAX);
    let at = match parts[0].as_index() {
        Some(at) if at < 0 => at + end,
        Some(at) => at,
        None => 0,
    };
    usize::try_from(at.clamp(0, end)).unwrap_or(0)
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
        let equal = machine.compare(CompareOp::Eq, item, given.arg(1))?;
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
    for items in &given.rest {
        let Ok(more) = machine.iterate(items)? else {
            return Ok(lost(machine, given, "the elements of a set"));
        };
        for item in more {
            add_one(machine, given, item)?;
        }
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
    machine.put_entries(given.arg(0), all);
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
            let object = match machine.heap.get(*id) {
                Object::Attributes(of) => Object::Dict(machine.attributes_of(*of)),
                object => object.clone(),
            };
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
        let equal = machine.compare(CompareOp::Eq, item, given.arg(1))?;
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
        let equal = machine.compare(CompareOp::Eq, item, given.arg(1))?;
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
    machine.entries_of(given.arg(0)).map_err(Py::Unknown)
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
            Py::Object(machine.heap.add(Object::Set(keys)))
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
    let at = machine.place_of_key(&entries, key)?;
    let found = at.and_then(|at| entries.into_iter().nth(at));
    Ok(found.map_or_else(|| given.arg(2).clone(), |(_, value)| value))
}

fn set_default(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    let mut all = match entries(machine, given) {
        Ok(entries) => entries,
        Err(unknown) => return Ok(unknown),
    };
    if let Some(at) = machine.place_of_key(&all, given.arg(1))? {
        return Ok(all.swap_remove(at).1);
    }
    all.push((given.arg(1).clone(), given.arg(2).clone()));
    machine.put_entries(given.arg(0), all);
    Ok(given.arg(2).clone())
}

/// Pairs of keys and values.
fn pairs(machine: &mut Machine<'_>, value: &Py) -> Run<Option<Vec<(Py, Py)>>> {
    let Ok(items) = machine.iterate(value)? else {
        return Ok(None);
    };
    let mut entries = Vec::with_capacity(items.len());
    for item in items {
        match machine.iterate(&item)?.as_deref() {
            Ok([key, value]) => entries.push((key.clone(), value.clone())),
            _ => return Ok(None),
        }
    }
    Ok(Some(entries))
}

fn update(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    let mut all = match entries(machine, given) {
        Ok(entries) => entries,
        Err(unknown) => return Ok(unknown),
    };
    let more = match given.arg(1) {
        Py::None => Vec::new(),
        other => match machine.entries_of(other) {
            Ok(more) => more,
            Err(_) => match pairs(machine, other)? {
                Some(more) => more,
                None => return Ok(lost(machine, given, "`update` with this value")),
            },
        },
    };
    for (key, value) in more {
        machine.put_entry(&mut all, key, value)?;
    }
    for (name, value) in &given.named {
        machine.put_entry(&mut all, Py::Str(name.clone()), value.clone())?;
    }
    machine.put_entries(given.arg(0), all);
    Ok(Py::None)
}

fn dict_pop(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    let mut all = match entries(machine, given) {
        Ok(entries) => entries,
        Err(unknown) => return Ok(unknown),
    };
    let Some(at) = machine.place_of_key(&all, given.arg(1))? else {
        return match given.has(2) {
            true => Ok(given.arg(2).clone()),
            false => Err(Stop::error("KeyError", "a missing key")),
        };
    };
    let (_, value) = all.remove(at);
    machine.put_entries(given.arg(0), all);
    Ok(value)
}

fn replaced(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    let Py::Object(id) = given.arg(0) else {
        return Ok(given.takes("an object"));
    };
    let Object::Instance(instance) = machine.heap.get(*id) else {
        return Ok(given.takes("an object"));
    };
    let class = instance.class;
    let takes = |name: &str| match machine.heap.get(class) {
        Object::Class(class) => {
            let mut fields = class.fields.iter();
            fields.any(|field| &*field.name == name && !field.is_internal)
        }
        _ => true,
    };
    let own = instance.attributes.iter();
    let mut named: Vec<_> = own.filter(|(name, _)| takes(name)).cloned().collect();
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

/// The result of an operator on a set and any iterable.
fn of_two(machine: &mut Machine<'_>, op: BinaryOp, set: &Py, other: &Py) -> Run<Py> {
    let items = match machine.iterate(other)? {
        Ok(items) => items,
        Err(reason) => return Ok(Py::Unknown(reason)),
    };
    let other = machine.set(items)?;
    machine.binary(op, set.clone(), other)
}

fn of_sets(machine: &mut Machine<'_>, given: &Given, op: BinaryOp) -> Run<Py> {
    let mut result = given.arg(0).clone();
    for other in &given.rest {
        result = of_two(machine, op, &result, other)?;
    }
    Ok(match given.rest.is_empty() {
        true => copy(machine, given)?,
        false => result,
    })
}

fn part_of(machine: &mut Machine<'_>, given: &Given, op: CompareOp) -> Run<Py> {
    let items = match machine.iterate(given.arg(1))? {
        Ok(items) => items,
        Err(reason) => return Ok(Py::Unknown(reason)),
    };
    let other = machine.set(items)?;
    machine.compare(op, given.arg(0), &other)
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
    native("set.union", "self *others", |m, g| {
        of_sets(m, g, BinaryOp::Or)
    }),
    native("set.intersection", "self *others", |m, g| {
        of_sets(m, g, BinaryOp::And)
    }),
    native("set.difference", "self *others", |m, g| {
        of_sets(m, g, BinaryOp::Sub)
    }),
    native("set.symmetric_difference", "self *others", |m, g| {
        of_sets(m, g, BinaryOp::Xor)
    }),
    native("set.issubset", "self other", |m, g| {
        part_of(m, g, CompareOp::Le)
    }),
    native("set.issuperset", "self other", |m, g| {
        part_of(m, g, CompareOp::Ge)
    }),
    native("set.isdisjoint", "self other", |m, g| {
        let common = of_two(m, BinaryOp::And, g.arg(0), g.arg(1))?;
        Ok(match m.condition(&common)? {
            Condition::Known(holds) => Py::Bool(!holds),
            _ => common,
        })
    }),
    native("set.pop", "self", |m, g| match list(m, g) {
        Some(items) if !items.is_empty() => {
            lost(m, g, "the element that is removed");
            Ok(Py::Unknown(Reason::RunTime("an element of a set".into())))
        }
        _ => Err(Stop::error("KeyError", "`pop` of an empty set")),
    }),
    native("set.clear", "self", clear),
    native("set.add", "self item", add),
    native("set.copy", "self", copy),
    native("set.update", "self *items", set_update),
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
    native("dict.fromkeys", "keys value=", |m, g| {
        let keys = match m.iterate(g.arg(0))? {
            Ok(keys) => keys,
            Err(reason) => return Ok(Py::Unknown(reason)),
        };
        let mut entries = Vec::new();
        for key in keys {
            m.put_entry(&mut entries, key, g.arg(1).clone())?;
        }
        Ok(Py::Object(m.heap.add(Object::Dict(entries))))
    }),
    native("instance._replace", "self **named", replaced),
    native("instance._asdict", "self", as_dictionary),
    native("class._make", "self items", made_of),
];
