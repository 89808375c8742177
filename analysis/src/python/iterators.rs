//! Functions that go through sequences: `zip`, `map`, `itertools`.

use super::heap::Object;
use super::machine::{Machine, Run};
use super::native::{Args, Given, Native, native};
use super::value::{Condition, Py};
use crate::reason::Reason;

fn enumerate(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    let start = given.arg(1).as_index().unwrap_or(0);
    let items = match machine.iterate(given.arg(0))? {
        Ok(items) => items,
        Err(reason) => return Ok(Py::Unknown(reason)),
    };
    let pairs = items
        .into_iter()
        .zip(start..)
        .map(|(item, at)| Py::tuple(vec![Py::Int(at), item]))
        .collect();
    Ok(machine.iterator(pairs))
}

fn zip(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    if let [first @ Py::Object(id), rest @ ..] = given.rest.as_slice()
        && !rest.is_empty()
        && matches!(machine.heap.get(*id), Object::Iterator(_))
        && rest.contains(first)
    {
        return in_groups(machine, given);
    }
    let (mut lists, mut shortest) = (Vec::new(), None);
    for value in &given.rest {
        if let Some(repeated) = repeated(machine, value) {
            lists.push(vec![repeated]);
            continue;
        }
        match machine.iterate(value)? {
            Ok(items) => {
                shortest = Some(shortest.unwrap_or(usize::MAX).min(items.len()));
                lists.push(items);
            }
            Err(reason) => return Ok(Py::Unknown(reason)),
        }
    }
    let shortest = match shortest {
        Some(shortest) => shortest,
        None if lists.is_empty() => 0,
        None => return Ok(given.takes("a list")),
    };
    machine.step(shortest * lists.len())?;
    // Of what is repeated there is one value for all.
    let nth = |items: &Vec<Py>, at: usize| items.get(at).or_else(|| items.last()).cloned();
    let tuples = (0..shortest)
        .map(|at| Py::tuple(lists.iter().filter_map(|items| nth(items, at)).collect()))
        .collect();
    Ok(machine.iterator(tuples))
}

/// `zip(it, it)`: the elements of one iterator, several at a time.
fn in_groups(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    let Some(first) = given.rest.first() else {
        return Ok(given.takes("a list"));
    };
    if given.rest.iter().any(|value| value != first) {
        return Ok(given.takes("iterators of which none is there twice"));
    }
    match machine.iterate(first)? {
        Ok(items) => {
            let groups = items.chunks_exact(given.rest.len());
            let tuples = groups.map(|group| Py::tuple(group.to_vec())).collect();
            Ok(machine.iterator(tuples))
        }
        Err(reason) => Ok(Py::Unknown(reason)),
    }
}

/// The value of `itertools.repeat(value)`.
fn repeated(machine: &Machine<'_>, value: &Py) -> Option<Py> {
    match value {
        Py::Object(id) => match machine.heap.get(*id) {
            Object::Repeated(value) => Some(value.clone()),
            _ => None,
        },
        _ => None,
    }
}

fn map(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    let items = match machine.iterate(given.arg(1))? {
        Ok(items) => items,
        Err(reason) => return Ok(Py::Unknown(reason)),
    };
    if given.rest.is_empty() {
        let results = machine.map(given.arg(0), items)?;
        return Ok(machine.iterator(results));
    }
    let mut rows: Vec<Vec<Py>> = items.into_iter().map(|item| vec![item]).collect();
    for more in &given.rest {
        let items = match machine.iterate(more)? {
            Ok(items) => items,
            Err(reason) => return Ok(Py::Unknown(reason)),
        };
        rows.truncate(items.len());
        for (row, item) in rows.iter_mut().zip(items) {
            row.push(item);
        }
    }
    let mut results = Vec::with_capacity(rows.len());
    for row in rows {
        results.push(machine.call(given.arg(0), Args::of(row, given.span))?);
    }
    Ok(machine.iterator(results))
}

fn filter(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    let items = match machine.iterate(given.arg(1))? {
        Ok(items) => items,
        Err(reason) => return Ok(Py::Unknown(reason)),
    };
    let mut kept = Vec::new();
    for item in items {
        let holds = match given.arg(0) {
            Py::None => item.clone(),
            function => machine.call(function, Args::of(vec![item.clone()], given.span))?,
        };
        match machine.condition(&holds)? {
            Condition::Known(true) => kept.push(item),
            Condition::Known(false) => {}
            _ => {
                return Ok(Py::Unknown(Reason::RunTime(
                    "the value that is filtered".into(),
                )));
            }
        }
    }
    Ok(machine.iterator(kept))
}

fn product(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    let mut tuples: Vec<Vec<Py>> = vec![Vec::new()];
    for value in &given.rest {
        let items = match machine.iterate(value)? {
            Ok(items) => items,
            Err(reason) => return Ok(Py::Unknown(reason)),
        };
        machine.step(tuples.len().saturating_mul(items.len().max(1)))?;
        let mut longer = Vec::new();
        for tuple in &tuples {
            for item in &items {
                let mut tuple = tuple.clone();
                tuple.push(item.clone());
                longer.push(tuple);
            }
        }
        tuples = longer;
    }
    let tuples = tuples.into_iter().map(Py::tuple).collect();
    Ok(machine.iterator(tuples))
}

fn chain(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    let mut all = Vec::new();
    for value in &given.rest {
        match machine.iterate(value)? {
            Ok(items) => all.extend(items),
            Err(reason) => return Ok(Py::Unknown(reason)),
        }
    }
    Ok(machine.iterator(all))
}

fn repeat(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    let value = given.arg(0).clone();
    if !given.has(1) {
        return Ok(Py::Object(machine.heap.add(Object::Repeated(value))));
    }
    let Py::Int(times) = given.arg(1) else {
        return Ok(given.takes("a known number of times"));
    };
    let times = usize::try_from(*times).unwrap_or(0);
    machine.step(times)?;
    Ok(machine.iterator(vec![value; times]))
}

/// Functions that go through sequences, by module.
pub(super) static NATIVES: &[Native] = &[
    native("builtins.enumerate", "items start=", enumerate),
    native("builtins.zip", "*items strict=", zip),
    native("builtins.map", "function items *more", map),
    native("builtins.filter", "function items", filter),
    native("itertools.product", "*items", product),
    native("itertools.chain", "*items", chain),
    native("itertools.repeat", "value times=", repeat),
];
