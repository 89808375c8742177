//! The picture of a layout.

use std::collections::HashSet;

use cute_algebra::{AnyLayout, Int, Refusal, TupleView};
use cute_hardware::memory::banks::{BANKS, WORD_BYTES, bank_of};

use super::model::{Axis, CLASSES, Cell, Colour, Picture, Window};

/// Banks of one colour: 16 bytes, the widest access of a lane.
const BANKS_OF_A_COLOUR: i64 = BANKS / CLASSES;

/// Why a layout has no picture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotDrawable {
    /// Extents or strides are run-time values; the names in them.
    RunTime(Vec<String>),
    /// An extent is zero or negative: there are no coordinates.
    Empty,
    /// It has too many elements to look at each; its print.
    TooLarge(String),
    /// There is no picture of this; why.
    Unsuitable(String),
    /// An offset cannot be computed.
    Refused(Refusal),
}

impl NotDrawable {
    /// The reason with what would help in a source, where a comment gives run-time sizes values.
    pub fn in_source(&self) -> String {
        match self {
            Self::RunTime(names) if !names.is_empty() => {
                let facts: Vec<String> = names.iter().map(|name| format!("{name}=…")).collect();
                let facts = facts.join(", ");
                format!(
                    "no picture of run-time sizes; give them values above the function: `cute: assume {facts}`"
                )
            }
            other => other.to_string(),
        }
    }

    /// The names in run-time numbers, each once.
    pub(super) fn of_names(numbers: &[Int]) -> Self {
        let mut names: Vec<String> = Vec::new();
        for name in numbers
            .iter()
            .flat_map(|number| number.to_expression().symbols())
        {
            if !names.iter().any(|known| **known == *name) {
                names.push(name.to_string());
            }
        }
        Self::RunTime(names)
    }
}

impl std::fmt::Display for NotDrawable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::RunTime(names) if names.is_empty() => {
                f.write_str("cannot draw it: its sizes are known only at run time")
            }
            Self::RunTime(names) => {
                let (are, values) = match names.len() {
                    1 => ("is", "it a value"),
                    _ => ("are", "them values"),
                };
                let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
                let assumed: Vec<String> = names
                    .iter()
                    .map(|name| format!("--assume '{name}=…'"))
                    .collect();
                write!(
                    f,
                    "cannot draw it: {} {are} known only at run time; give {values}: `{}`",
                    quoted.join(" and "),
                    assumed.join(" ")
                )
            }
            Self::Empty => f.write_str("cannot draw it: it has no coordinates"),
            Self::TooLarge(print) => write!(f, "cannot draw it: {print} is too large"),
            Self::Unsuitable(reason) => write!(f, "cannot draw it: {reason}"),
            Self::Refused(refusal) => write!(f, "cannot draw it: {refusal}"),
        }
    }
}

impl std::error::Error for NotDrawable {}

/// Draws the part of a layout that is in the window.
pub fn of_layout(layout: &AnyLayout, window: Window) -> Result<Picture, NotDrawable> {
    let view = layout.domain().view();
    let extents = view.extents().iter().cloned();
    let numbers = extents.chain(view.steps().iter().map(|step| step.value().clone()));
    let unknown: Vec<Int> = numbers.filter(|number| number.value().is_none()).collect();
    if !unknown.is_empty() {
        return Err(NotDrawable::of_names(&unknown));
    }
    let shape = layout.shape();
    let mut modes = Vec::new();
    for (index, mode) in shape.modes().enumerate() {
        modes.push(leaves(mode, &index.to_string())?);
    }
    let (rows, columns) = axes(&modes, window);
    let colour = Colour {
        unit: chunk(layout),
        classes: CLASSES,
    };
    let mut cells = Vec::new();
    for row in rows.drawn() {
        let mut line = Vec::new();
        for column in columns.drawn() {
            line.push(cell(layout, row + rows.extent * column, colour)?);
        }
        cells.push(line);
    }
    let size = rows.extent.saturating_mul(columns.extent);
    let notes = notes(&rows, &columns, &cells, colour);
    let cosize = layout
        .as_affine()
        .and_then(|affine| affine.cosize().ok()?.value());
    Ok(Picture {
        caption: String::new(),
        layout: format!("{layout:#}"),
        size,
        cosize,
        rows,
        columns,
        colour,
        cells,
        notes,
        owners: None,
    })
}

/// The leaves of a mode with their names, fastest first.
pub(super) fn leaves(
    mode: TupleView<'_, Int>,
    name: &str,
) -> Result<Vec<(String, i64)>, NotDrawable> {
    if let Some(extent) = mode.as_leaf() {
        let value = extent
            .value()
            .ok_or_else(|| NotDrawable::of_names(std::slice::from_ref(extent)))?;
        return if value < 1 {
            Err(NotDrawable::Empty)
        } else {
            Ok(vec![(name.to_owned(), value)])
        };
    }
    let mut all = Vec::new();
    for (index, inner) in mode.modes().enumerate() {
        all.extend(leaves(inner, &format!("{name}.{index}"))?);
    }
    Ok(all)
}

/// Mode 0 down and the others across; a layout of rank 1 across.
pub(super) fn axes(modes: &[Vec<(String, i64)>], window: Window) -> (Axis, Axis) {
    let (row, column) = window.first;
    let (rows, columns) = match modes {
        [] => (
            Axis::new(String::new(), &[], row, window.rows),
            Axis::new(String::new(), &[], column, window.columns),
        ),
        [only] => (
            Axis::new(String::new(), &[], row, window.rows),
            Axis::new("mode 0".to_owned(), only, column, window.columns),
        ),
        [first, rest @ ..] => {
            let label = if rest.len() == 1 {
                "mode 1".to_owned()
            } else {
                let numbers: Vec<String> = (1..=rest.len()).map(|mode| mode.to_string()).collect();
                format!("modes {}", numbers.join(", "))
            };
            (
                Axis::new("mode 0".to_owned(), first, row, window.rows),
                Axis::new(label, &rest.concat(), column, window.columns),
            )
        }
    };
    Axis::within(rows, columns, window.cells)
}

fn cell(layout: &AnyLayout, index: i64, colour: Colour) -> Result<Cell, NotDrawable> {
    let offset = layout.eval(index).map_err(NotDrawable::Refused)?;
    let print = offset.map(Int::to_dynamic).to_string();
    // Where offsets are points, the coordinate itself is coloured.
    let number = print.parse::<i64>().unwrap_or(index);
    let class = number.div_euclid(colour.unit).rem_euclid(colour.classes);
    Ok(Cell {
        index,
        offset: print,
        text: None,
        class,
        faded: false,
    })
}

/// Elements that a swizzle moves together.
fn chunk(layout: &AnyLayout) -> i64 {
    match layout {
        AnyLayout::Affine(_) => 1,
        AnyLayout::Composed(composed) => composed
            .swizzle()
            .and_then(|swizzle| 1_i64.checked_shl(u32::try_from(swizzle.base()).ok()?))
            .unwrap_or(1),
    }
}

fn notes(rows: &Axis, columns: &Axis, cells: &[Vec<Cell>], colour: Colour) -> Vec<String> {
    let mut notes = Vec::new();
    notes.extend(left_out(rows, columns));
    let mut seen = HashSet::new();
    let drawn = cells.iter().flatten().count();
    let distinct = cells
        .iter()
        .flatten()
        .filter(|cell| seen.insert(&cell.offset))
        .count();
    if distinct < drawn {
        notes.push(format!("{drawn} coordinates share {distinct} offsets"));
    }
    if colour.unit > 1 {
        notes.push(format!(
            "one colour per {} offsets, the chunk that the swizzle moves",
            colour.unit
        ));
    }
    notes
}

/// Draws a layout of shared memory by the bank of each element: 32 banks of 4 bytes, elements of `element_bits`.
pub(super) fn by_bank(
    layout: &AnyLayout,
    element_bits: i64,
    window: Window,
) -> Result<Picture, NotDrawable> {
    let mut picture = of_layout(layout, window)?;
    for cell in picture.cells.iter_mut().flatten() {
        let Ok(offset) = cell.offset.parse::<i64>() else {
            return Err(NotDrawable::Unsuitable(format!(
                "`{}` is not an address",
                cell.offset
            )));
        };
        let byte = offset.saturating_mul(element_bits).div_euclid(8);
        let bank = bank_of(byte);
        cell.text = Some(bank.to_string());
        cell.class = bank / BANKS_OF_A_COLOUR;
    }
    picture.colour = Colour {
        unit: BANKS_OF_A_COLOUR,
        classes: CLASSES,
    };
    picture.notes = left_out(&picture.rows, &picture.columns)
        .into_iter()
        .collect();
    picture.notes.push(format!(
        "banks of {WORD_BYTES} bytes for elements of {element_bits} bits; one colour per 16 bytes"
    ));
    Ok(picture)
}

/// `shows rows 0-31 of 128` where not all is drawn.
pub(super) fn left_out(rows: &Axis, columns: &Axis) -> Option<String> {
    let parts: Vec<String> = [rows.left_out("rows"), columns.left_out("columns")]
        .into_iter()
        .flatten()
        .collect();
    (!parts.is_empty()).then(|| format!("shows {}", parts.join(", ")))
}
