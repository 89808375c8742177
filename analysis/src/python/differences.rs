//! Labels of the calls of one function of Python: the differences of their arguments, `BFloat16 · head_dim=128 · is_causal`,
//! and the place of a call where these are the same.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::attributes::text_of;
use super::entries::reported;
use super::heap::Object;
use super::machine::Machine;
use super::record::Activation;
use super::value::Py;
use crate::role::Role;
use crate::value::{Dialect, Value};

/// The most arguments that a label has: it is one row of a list.
const PARTS: usize = 3;

/// The longest argument in a label, in characters.
const LONGEST: usize = 28;

/// The separator of the parts of a label.
pub(super) const SEPARATOR: &str = " · ";

/// One argument, or one attribute of an object that is an argument, with its text in each call; nothing where a call does
/// not have it, or where its text is long.
struct Column {
    name: Arc<str>,
    cells: Vec<Option<String>>,
}

impl Column {
    fn differs(&self) -> bool {
        self.cells
            .iter()
            .any(|cell| Some(cell) != self.cells.first())
    }

    /// Whether it is of numbers, names and truth values alone.
    fn is_plain(&self) -> bool {
        !self.cells.iter().flatten().any(|cell| cell.contains('('))
    }

    /// A truth value that is false is the absence of its name: `is_causal` beside nothing.
    fn is_of_truths(&self) -> bool {
        let names = [self.name.to_string(), self.untrue()];
        let mut cells = self.cells.iter();
        cells.all(|cell| cell.as_ref().is_some_and(|cell| names.contains(cell)))
    }

    fn untrue(&self) -> String {
        format!("{}=False", self.name)
    }
}

/// The label of each call.
pub(super) fn labels(machine: &Machine<'_>, calls: &[&Activation]) -> Vec<String> {
    let columns = telling(columns(machine, calls));
    let mut rows: Vec<Vec<String>> = (0..calls.len()).map(|at| row(&columns, at)).collect();
    let places = calls.iter().map(|call| place(machine, call));
    let numbers = (1..=calls.len()).map(|number| Some(format!("call {number}")));
    add_where_alike(&mut rows, &places.collect::<Vec<_>>());
    add_where_alike(&mut rows, &numbers.collect::<Vec<_>>());
    rows.iter().map(|parts| parts.join(SEPARATOR)).collect()
}

/// Adds a part to the rows that are empty or occur twice.
fn add_where_alike(rows: &mut [Vec<String>], more: &[Option<String>]) {
    let before = rows.to_vec();
    for (row, more) in rows.iter_mut().zip(more) {
        let is_alone = before.iter().filter(|other| *other == row).count() == 1;
        if row.is_empty() || !is_alone {
            row.extend(more.clone());
        }
    }
}

/// The parts of one call.
fn row(columns: &[Column], at: usize) -> Vec<String> {
    let cells = |column: &Column| column.cells.get(at).cloned().flatten();
    let is_said = |column: &&Column| {
        let cell = cells(column);
        !(column.is_of_truths() && cell == Some(column.untrue()))
    };
    let said: Vec<String> = columns.iter().filter(is_said).filter_map(cells).collect();
    if said.is_empty() {
        columns.iter().take(1).filter_map(cells).collect()
    } else {
        said
    }
}

/// The columns by which calls are told apart, numbers and names before layouts: each tells apart calls that were alike.
fn telling(columns: Vec<Column>) -> Vec<Column> {
    let differing = columns.into_iter().filter(Column::differs);
    let (plain, others): (Vec<Column>, Vec<Column>) = differing.partition(Column::is_plain);
    let mut kept: Vec<Column> = Vec::new();
    let mut told_apart = 1;
    for column in plain.into_iter().chain(others) {
        if kept.len() == PARTS {
            break;
        }
        kept.push(column);
        let calls = kept.first().map_or(0, |column| column.cells.len());
        let row = |at: usize| kept.iter().map(move |column| column.cells.get(at));
        let rows = (0..calls).map(|at| row(at).collect::<Vec<_>>());
        let distinct = rows.collect::<BTreeSet<_>>().len();
        if distinct > told_apart {
            told_apart = distinct;
        } else {
            kept.pop();
        }
    }
    kept
}

/// The arguments of calls, each object in the place of an argument by its attributes.
fn columns(machine: &Machine<'_>, calls: &[&Activation]) -> Vec<Column> {
    let mut columns: Vec<Column> = Vec::new();
    for (at, call) in calls.iter().enumerate() {
        let mut add = |name: &Arc<str>, value: &Py| {
            let known = columns.iter().position(|column| column.name == *name);
            let known = known.unwrap_or_else(|| {
                columns.push(Column {
                    name: Arc::clone(name),
                    cells: vec![None; calls.len()],
                });
                columns.len() - 1
            });
            let cell = columns
                .get_mut(known)
                .and_then(|column| column.cells.get_mut(at));
            if let Some(cell @ None) = cell {
                *cell = text(machine, name, value);
            }
        };
        let arguments = call.bindings.iter().filter(|it| it.role == Role::Param);
        for argument in arguments {
            match attributes(machine, &argument.value) {
                Some(attributes) => attributes.for_each(|(name, value)| add(name, value)),
                None => add(&argument.name, &argument.value),
            }
        }
    }
    columns
}

/// The attributes of an object of a class without an own name: members of an enumeration have one.
fn attributes<'m>(
    machine: &'m Machine<'_>,
    value: &Py,
) -> Option<impl Iterator<Item = &'m (Arc<str>, Py)>> {
    let Py::Object(id) = value else { return None };
    match machine.heap.get(*id) {
        Object::Instance(instance) if machine.name_of(value).is_none() => {
            Some(instance.attributes.iter())
        }
        _ => None,
    }
}

/// An argument in a label: a numeric type by its name, a truth value that is true by that of its parameter.
fn text(machine: &Machine<'_>, name: &str, value: &Py) -> Option<String> {
    let text = match value {
        Py::Bool(true) => name.to_owned(),
        Py::Scalar(_) => Dialect::Dsl.text(&reported(machine, value)),
        Py::Object(_) => machine.name_of(value)?,
        Py::None | Py::Unknown(_) | Py::Open(..) | Py::Coordinate | Py::Leaf(Value::Unknown(_)) => {
            return None;
        }
        Py::Leaf(_) | Py::Tuple(_) => {
            let text = Dialect::Dsl.text(&reported(machine, value));
            // A number of the kernel without a value has the name of its parameter.
            if text == name {
                return None;
            }
            format!("{name}={text}")
        }
        other => format!("{name}={}", text_of(other)?),
    };
    let is_known = !text.contains(['?', '\n']) && text.chars().count() <= LONGEST;
    is_known.then_some(text)
}

/// The place of a call: `line 25`, `bench.py:25`.
fn place(machine: &Machine<'_>, call: &Activation) -> Option<String> {
    let place = call.caller?;
    let mut sources = machine.files.iter().filter_map(|file| file.source.as_ref());
    if machine.focus.contains(place) {
        return Some(format!("line {}", machine.focus.line(place)));
    }
    let source = sources.find(|source| source.contains(place))?;
    Some(format!("{}:{}", source.name(), source.line(place)))
}
