//! Functions that go through sequences: `zip`, `map`, `itertools`.

use super::coroutines;
use super::heap::Object;
use super::machine::{Machine, Run};
use super::native::{Given, Native, native};
use super::suspended::Lazy;
use super::value::Py;

/// Iterables of one product.
const DEPTH: usize = 64;

fn enumerate(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    let Some(start) = (match given.has(1) {
        true => given.arg(1).as_index(),
        false => Some(0),
    }) else {
        return Ok(given.takes("a known start"));
    };
    if machine.is_iterator(given.arg(0)) {
        return Ok(match machine.iter_of(given.arg(0))? {
            Ok(input) => machine.lazy(Lazy::Enumerate { next: start, input }),
            Err(reason) => Py::Unknown(reason),
        });
    }
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

/// The iterators of some values.
fn iterators(machine: &mut Machine<'_>, values: &[Py]) -> Run<Result<Vec<Py>, Py>> {
    let mut inputs = Vec::with_capacity(values.len());
    for value in values {
        match machine.iter_of(value)? {
            Ok(input) => inputs.push(input),
            Err(reason) => return Ok(Err(Py::Unknown(reason))),
        }
    }
    Ok(Ok(inputs))
}

fn zip(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    let is_strict = *given.arg(0) == Py::Bool(true);
    if is_strict || given.rest.iter().any(|value| machine.is_iterator(value)) {
        return Ok(match iterators(machine, &given.rest)? {
            Ok(inputs) => machine.lazy(Lazy::Zip { inputs, is_strict }),
            Err(unknown) => unknown,
        });
    }
    let mut lists = Vec::new();
    for value in &given.rest {
        match machine.iterate(value)? {
            Ok(items) => lists.push(items),
            Err(reason) => return Ok(Py::Unknown(reason)),
        }
    }
    let shortest = lists.iter().map(Vec::len).min().unwrap_or(0);
    machine.step(shortest * lists.len())?;
    let tuples = (0..shortest)
        .map(|at| {
            let row = lists.iter().filter_map(|items| items.get(at).cloned());
            Py::tuple(row.collect())
        })
        .collect();
    Ok(machine.iterator(tuples))
}

fn map(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    let mut values = vec![given.arg(1).clone()];
    values.extend(given.rest.iter().cloned());
    Ok(match iterators(machine, &values)? {
        Ok(inputs) => {
            let function = given.arg(0).clone();
            machine.lazy(Lazy::Map { function, inputs })
        }
        Err(unknown) => unknown,
    })
}

fn filter(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    Ok(match machine.iter_of(given.arg(1))? {
        Ok(input) => {
            let function = given.arg(0).clone();
            machine.lazy(Lazy::Filter { function, input })
        }
        Err(reason) => Py::Unknown(reason),
    })
}

/// `iter(items)`, `iter(function, end)`
fn iter(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    if given.has(1) {
        let (function, end) = (given.arg(0).clone(), given.arg(1).clone());
        return Ok(machine.lazy(Lazy::Calls { function, end }));
    }
    Ok(machine.iter_of(given.arg(0))?.unwrap_or_else(Py::Unknown))
}

fn product(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    let mut tuples: Vec<Vec<Py>> = vec![Vec::new()];
    let times = match given.arg(0) {
        Py::None => 1,
        times => match times.as_index() {
            Some(times) => usize::try_from(times).unwrap_or(0),
            None => return Ok(given.takes("a known number of times")),
        },
    };
    let mut lists = Vec::new();
    for value in &given.rest {
        match machine.iterate(value)? {
            Ok(items) => lists.push(items),
            Err(reason) => return Ok(Py::Unknown(reason)),
        }
    }
    let all = lists.len().saturating_mul(times);
    if all > DEPTH {
        return Ok(given.takes("fewer iterables"));
    }
    for items in lists.iter().cycle().take(all) {
        machine.step(tuples.len().saturating_mul(items.len().max(1)))?;
        let mut longer = Vec::new();
        for tuple in &tuples {
            for item in items {
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
    native("builtins.enumerate", "iterable start=", enumerate),
    native("builtins.zip", "*items strict=", zip),
    native("builtins.iter", "items end=", iter),
    native("builtins.next", "iterator default=", coroutines::next),
    native("builtins.map", "function items *more", map),
    native("builtins.filter", "function items", filter),
    native("itertools.product", "*items repeat=", product),
    native("itertools.repeat", "value times=", repeat),
];
