//! The data of the page of a layout: every number in it was computed here.

use cute_algebra::AnyLayout;
use cute_algebra::explain::Derivation;
use cute_analysis::{Space, Value};
use cute_hardware::memory::banks::{LANES, bank_of};
use serde::Serialize;

use super::super::picture::{Axis, By, Cell, Colour, Kind, Owners, Picture, Sheet};
use super::super::{meaning, placement};
use super::phases::{self, Access, Copied, Drawn};

/// The widths of elements that banks are shown for where the type is not known.
const WIDTHS: [i64; 4] = [8, 16, 32, 64];

/// The subject, and all that the page shows of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Document {
    /// The expression, or the name in the source.
    pub name: String,
    /// The kind of the grids.
    kind: Kind,
    /// Their subject, in words; may be empty.
    title: String,
    /// The grids, from left to right.
    grids: Vec<Grid>,
    /// Indices of the grids of the value itself; the others are its operands, or the parts that it is made of.
    results: Vec<usize>,
    /// Pairs of cells of two grids that are the same thing.
    links: Vec<Link>,
    /// The consequences of the value: the sentences of a hover.
    facts: Vec<String>,
    /// The derivation of the value, step by step.
    derivation: Vec<String>,
    /// The first content of the cells.
    shown: Shown,
    /// Accesses of a warp to the layout, as one of shared memory, phase by phase.
    accesses: Vec<Access>,
    /// The number of the access that is chosen at first.
    access: Option<usize>,
    /// An expression that evaluates to the same; nothing where no text does.
    expression: Option<String>,
}

/// A place of a source.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SourcePlace {
    /// The document.
    pub uri: String,
    /// Its line, from 0.
    pub line: u32,
    /// The character in the line, from 0, as the client counts.
    pub character: u32,
}

/// The content and the colours of cells.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Shown {
    /// Offsets, or owners where there are threads.
    #[default]
    Own,
    /// Threads, with their values.
    Thread,
    /// Values, with their threads.
    Value,
    /// Banks of shared memory.
    Bank,
}

/// A grid; lists of cells go row by row.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct Grid {
    caption: String,
    layout: String,
    size: i64,
    cosize: Option<i64>,
    rows: Axis,
    columns: Axis,
    colour: Colour,
    /// The meaning of the colours, where they are those of the offsets and no note says more.
    legend: String,
    /// The index of each cell's coordinate, leftmost mode fastest.
    indices: Vec<i64>,
    offsets: Offsets,
    /// A digit per cell: its colour class.
    classes: String,
    /// A character per cell, `1` where it is there for comparison only; empty where none is.
    faded: String,
    banks: Vec<Banks>,
    owners: Option<Owners>,
    /// The lanes of a warp, where cells have owners.
    lanes: Option<usize>,
    /// The declaration of the shown value in the source.
    source: Option<SourcePlace>,
    notes: Vec<String>,
}

/// The offset of each coordinate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
enum Offsets {
    Numbers(Vec<i64>),
    /// Points, where strides are basis elements.
    Prints(Vec<String>),
}

/// The bank of each cell, for elements of a width.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct Banks {
    /// The width of an element, in bits.
    bits: i64,
    /// A character per cell: its bank in base 32 (`0`-`9`, `a`-`v`).
    cells: String,
}

/// A cell of one grid is a cell of another where these are equal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
struct Link {
    from: usize,
    to: usize,
    /// The key of the cell in `from`.
    of: Key,
    /// The key of the cell in `to`.
    is: Key,
}

/// The key that finds cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Key {
    /// The index of the coordinate.
    Index,
    /// The offset.
    Offset,
}

impl Document {
    /// The document of a picture and its value.
    pub fn new(sheet: &Sheet, value: &Value, name: String) -> Self {
        let widths = widths(value, sheet.kind);
        let seen = sheet.as_seen();
        Self {
            name,
            kind: sheet.kind,
            title: sheet.title.clone(),
            grids: seen
                .iter()
                .map(|picture| grid(picture, sheet.kind, &widths))
                .collect(),
            accesses: accesses_of(sheet, &widths),
            access: None,
            expression: None,
            results: results(sheet),
            links: links(sheet.kind),
            facts: meaning::of(value),
            derivation: Vec::new(),
            shown: Shown::Own,
        }
    }

    /// Sets the expression that evaluates to the same.
    pub fn pasted_as(&mut self, expression: String) {
        self.expression = Some(expression);
    }

    /// Adds the declarations in the source of the shown layouts; `place` is requested each by its layout.
    pub fn declared(&mut self, place: impl Fn(&str) -> Option<SourcePlace>) {
        for grid in &mut self.grids {
            grid.source = place(&grid.layout);
        }
    }

    /// Adds the accesses of the copies in the source, before those that are only looked at. `here` is the number of the copy
    /// at the cursor: its access is chosen at first.
    pub fn copied(&mut self, sheet: &Sheet, value: &Value, copies: &[Copied], here: Option<usize>) {
        let [bits] = widths(value, sheet.kind)[..] else {
            return;
        };
        let is_swizzled = matches!(value.as_any_layout(), Some(AnyLayout::Composed(_)));
        let shown = drawn(sheet);
        for (number, copied) in copies.iter().enumerate().rev() {
            if let Some(access) = phases::of_copy(&shown, copied, bits, is_swizzled) {
                self.accesses.insert(0, access);
                self.access = match self.access {
                    _ if here == Some(number) => Some(0),
                    chosen => chosen.map(|chosen| chosen + 1),
                };
            }
        }
    }

    /// Chooses the first content of the cells.
    pub fn show(&mut self, shown: Shown) {
        self.shown = shown;
    }

    /// Shows the banks first: of elements of this width, unless the value says another.
    pub fn show_banks(&mut self, sheet: &Sheet, value: &Value, bits: i64) {
        let mut widths = widths(value, sheet.kind);
        if widths.len() > 1 {
            widths = vec![bits];
        }
        let seen = sheet.as_seen();
        self.grids = seen
            .iter()
            .map(|picture| grid(picture, sheet.kind, &widths))
            .collect();
        self.accesses = accesses_of(sheet, &widths);
        self.shown = Shown::Bank;
    }

    /// Says how the value comes about.
    pub fn derive(&mut self, derivation: &Derivation) {
        self.derivation = derivation.to_string().lines().map(str::to_owned).collect();
    }
}

/// The widths of an element, in bits, for which banks are shown: the one that the value says, else those that are usual.
fn widths(value: &Value, kind: Kind) -> Vec<i64> {
    match value {
        _ if !matches!(kind, Kind::Layout | Kind::Swizzle) => Vec::new(),
        Value::Tensor(tensor) if tensor.engine.space == Space::Shared => {
            placement::element_bits(value).into_iter().collect()
        }
        Value::Shared(shared) if shared.sparsity == 1 => vec![shared.element_bits],
        Value::Layout(_) | Value::Composed(_) => WIDTHS.to_vec(),
        _ => Vec::new(),
    }
}

/// The meaning of the colours of offsets; nothing where a picture colours otherwise, which it says itself.
fn legend(colour: Colour, kind: Kind) -> String {
    let Colour { unit, classes } = colour;
    match kind {
        Kind::Composition => format!("colour: offset in A modulo {classes}"),
        Kind::Layout | Kind::Swizzle if unit > 1 => {
            format!("colour: offset / {unit} modulo {classes}")
        }
        Kind::Layout | Kind::Swizzle => format!("colour: offset modulo {classes}"),
        Kind::ThreadValue | Kind::Copy | Kind::Mma | Kind::Slice | Kind::Tiler | Kind::Product => {
            String::new()
        }
    }
}

/// The accesses of a warp to the layout, for elements of each width: in the grids that show it, with a swizzle and without.
fn accesses_of(sheet: &Sheet, widths: &[i64]) -> Vec<Access> {
    let shown = drawn(sheet);
    let of_width = |bits: &i64| phases::accesses(&shown, *bits);
    widths.iter().flat_map(of_width).collect()
}

/// The grids that show the layout itself, with a swizzle and without.
fn drawn(sheet: &Sheet) -> Vec<Drawn<'_>> {
    let shows_it = match sheet.kind {
        Kind::Swizzle => true,
        Kind::Layout => sheet.panels.len() == 1,
        _ => false,
    };
    let panels = sheet.panels.iter().enumerate().filter(|_| shows_it);
    panels.map(|(grid, it)| Drawn::new(grid, it)).collect()
}

/// The bank of an element in a buffer that is aligned enough.
fn bank(offset: i64, bits: i64) -> Option<i64> {
    let byte = offset.checked_mul(bits)?.div_euclid(8);
    Some(bank_of(byte))
}

fn grid(picture: &Picture, kind: Kind, widths: &[i64]) -> Grid {
    let cells: Vec<&Cell> = picture.cells.iter().flatten().collect();
    let numbers: Option<Vec<i64>> = cells.iter().map(|cell| cell.offset.parse().ok()).collect();
    let banks = numbers
        .as_deref()
        .map(|numbers| banks(numbers, widths))
        .unwrap_or_default();
    let faded = cells.iter().any(|cell| cell.faded);
    Grid {
        caption: picture.caption.clone(),
        layout: picture.layout.clone(),
        size: picture.size,
        cosize: picture.cosize,
        rows: picture.rows.clone(),
        columns: picture.columns.clone(),
        colour: picture.colour,
        legend: legend(picture.colour, kind),
        indices: cells.iter().map(|cell| cell.index).collect(),
        offsets: match numbers {
            Some(numbers) => Offsets::Numbers(numbers),
            None => Offsets::Prints(cells.iter().map(|cell| cell.offset.clone()).collect()),
        },
        classes: cells.iter().map(|cell| digit(cell.class)).collect(),
        faded: cells
            .iter()
            .filter(|_| faded)
            .map(|cell| if cell.faded { '1' } else { '0' })
            .collect(),
        banks,
        owners: picture.owners.clone(),
        lanes: picture.owners.is_some().then_some(LANES),
        source: None,
        notes: picture
            .notes
            .iter()
            .map(|note| By::without_colours(note).to_owned())
            .collect(),
    }
}

fn banks(offsets: &[i64], widths: &[i64]) -> Vec<Banks> {
    let of_width = |bits: i64| {
        let banks = offsets.iter().map(|offset| bank(*offset, bits));
        let cells: Option<String> = banks.map(|bank| bank.map(digit)).collect();
        cells.map(|cells| Banks { bits, cells })
    };
    widths.iter().copied().filter_map(of_width).collect()
}

/// A number below 32 as one character.
fn digit(number: i64) -> char {
    u32::try_from(number)
        .ok()
        .and_then(|number| char::from_digit(number, 32))
        .unwrap_or('0')
}

/// The grids of a picture that show the value itself: all, but only the last of an operation with its operands.
fn results(sheet: &Sheet) -> Vec<usize> {
    let grids = 0..sheet.panels.len();
    match sheet.kind {
        Kind::ThreadValue | Kind::Copy | Kind::Mma => grids.collect(),
        Kind::Layout
        | Kind::Swizzle
        | Kind::Slice
        | Kind::Tiler
        | Kind::Product
        | Kind::Composition => grids.last().into_iter().collect(),
    }
}

/// The cells of the grids of a picture that are the same thing; see `picture/operation.rs` for their order.
fn links(kind: Kind) -> Vec<Link> {
    let link = |from, of, to, is| Link { from, to, of, is };
    match kind {
        // A, B, A o B: the coordinate of the result is one of B, whose offset is an index of A.
        Kind::Composition => vec![
            link(2, Key::Index, 1, Key::Index),
            link(1, Key::Offset, 0, Key::Index),
        ],
        Kind::Swizzle | Kind::Copy => vec![link(0, Key::Index, 1, Key::Index)],
        Kind::Slice | Kind::Tiler => vec![link(0, Key::Offset, 1, Key::Offset)],
        Kind::Layout | Kind::ThreadValue | Kind::Mma | Kind::Product => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use cute_algebra::{AnyLayout, Layout};

    use super::*;
    use crate::presentation::picture::{Window, of_swizzled};

    fn value(text: &str) -> Value {
        match text.parse::<Layout>() {
            Ok(layout) => Value::of_layout(AnyLayout::Affine(layout)),
            Err(_) => text
                .parse::<cute_algebra::ComposedLayout>()
                .map(Value::from)
                .unwrap(),
        }
    }

    fn document(text: &str) -> Document {
        let value = value(text);
        let sheet = of_swizzled(&value, Window::default()).unwrap();
        Document::new(&sheet, &value, text.to_owned())
    }

    #[test]
    fn a_column_of_floats_lies_in_one_bank_until_it_is_swizzled() {
        let plain = document("(8,32):(32,1)");
        let floats = &plain.grids[0].banks[2];
        assert_eq!((floats.bits, floats.cells.len()), (32, 256));
        let column: String = floats.cells.chars().step_by(32).collect();
        assert_eq!(column, "00000000");

        let swizzled = document("Sw<3,2,3> o 0 o (8,32):(32,1)");
        let floats = &swizzled.grids[1].banks[2];
        let column: String = floats.cells.chars().step_by(32).collect();
        assert_eq!(column, "048cgkos");
        assert_eq!(swizzled.links.len(), 1);
    }

    #[test]
    fn a_product_has_b_above_c_with_its_rows_across() {
        let atom = cute_hardware::MmaAtom::named("SM80_16x8x16_F32F16F16F32_TN").unwrap();
        let value = Value::MmaAtom(std::sync::Arc::new(atom));
        let sheet = of_swizzled(&value, Window::default()).unwrap();
        let document = Document::new(&sheet, &value, String::new());
        let extents: Vec<_> = document
            .grids
            .iter()
            .map(|grid| (grid.caption.as_str(), grid.rows.extent, grid.columns.extent))
            .collect();
        assert_eq!(extents, [("A", 16, 16), ("B", 16, 8), ("C", 16, 8)]);
        assert_eq!(document.grids[1].indices[..3], [0, 1, 2], "N runs across");
        assert_eq!(document.grids[1].lanes, Some(32));
        // The page tells the meaning of the colours by the chosen property.
        assert_eq!(
            document.grids[0].notes,
            ["32 threads (T), 8 values (V) each"]
        );
    }

    #[test]
    fn an_access_is_told_with_the_swizzle_and_without() {
        let swizzled = document("Sw<3,3,3> o 0 o (8,64):(64,1)");
        let accesses = serde_json::to_value(&swizzled.accesses).unwrap();
        let halves = accesses.as_array().unwrap().iter().find(|access| {
            access["label"] == "8 lanes along mode 0, 16 bytes each"
                && access["costs"][0]["phases"][0]["lanes"][1][2] == 0
        });
        let costs = &halves.unwrap()["costs"];
        assert_eq!([&costs[0]["waves"], &costs[1]["waves"]], [8, 1]);
    }

    #[test]
    fn offsets_that_are_points_have_no_bank() {
        let document = document("(2,2):(1@0,1@1)");
        let grid = &document.grids[0];
        assert_eq!(
            grid.offsets,
            Offsets::Prints(vec![
                "(0,0)".into(),
                "(0,1)".into(),
                "(1,0)".into(),
                "(1,1)".into()
            ])
        );
        assert_eq!(grid.banks, []);
        assert_eq!(grid.indices, [0, 2, 1, 3]);
    }

    #[test]
    fn every_bank_is_one_character() {
        assert_eq!([0, 9, 10, 31].map(digit), ['0', '9', 'a', 'v']);
    }
}
