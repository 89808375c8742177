//! The content of a picture, before it has colours, fonts or characters.
//!
//! A layout is drawn as a grid. Mode 0 runs down (rows), every other mode runs across
//! (columns), as CuTe's own `print_layout` has it; a layout of rank 1 is a single row. A nested
//! mode keeps its levels, so that a renderer can bracket them and name them.
//!
//! The model is plain data: `draw --format json` prints it, and the editors' `cute/picture`
//! request carries it.

use std::borrow::Cow;
use std::ops::Range;

use serde::Serialize;

use crate::limits::{PAGE_CELLS, PAGE_SIDE};

/// The number of colour classes; a cell's class is below it.
pub(crate) const CLASSES: i64 = 8;

/// The part of a layout that is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    /// At most this many rows.
    pub rows: usize,
    /// At most this many columns.
    pub columns: usize,
    /// The first row and the first column.
    pub first: (usize, usize),
    /// At most this many cells of one grid, where rows and columns allow more.
    pub cells: usize,
}

impl Window {
    /// The window of a page, on which one can zoom.
    pub fn page() -> Self {
        Self {
            rows: PAGE_SIDE,
            columns: PAGE_SIDE,
            first: (0, 0),
            cells: PAGE_CELLS,
        }
    }
}

impl Default for Window {
    /// 32 rows of 32 columns: as many as fit a screen and can still be read.
    fn default() -> Self {
        Self {
            rows: 32,
            columns: 32,
            first: (0, 0),
            cells: usize::MAX,
        }
    }
}

/// A part of a large grid ends at a multiple of this: tiles are of powers of two.
const PART: i64 = 32;

/// The kind of a picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// The offsets of a layout.
    Layout,
    /// A layout before and after a swizzle.
    Swizzle,
    /// The thread and value of each element of a tile.
    ThreadValue,
    /// Source and destination of a copy.
    Copy,
    /// The operands of a matrix multiplication.
    Mma,
    /// The coordinates that a slice keeps.
    Slice,
    /// The coordinates that a tiler takes, or the tiles into which it divides.
    Tiler,
    /// A block repeated by a tiler.
    Product,
    /// Two layouts and their composition.
    Composition,
}

/// The place of the operand `B` among the grids of a product: `A`, `B`, `C`.
const B: usize = 1;

/// One or several grids that are looked at together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Sheet {
    /// The kind of the grids.
    pub kind: Kind,
    /// Their title, in words; empty where the grids say it themselves.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub title: String,
    /// The grids, from left to right.
    pub panels: Vec<Picture>,
}

impl Sheet {
    /// The number of drawn cells: the size of an SVG document or a `TikZ` picture is proportional to it.
    pub fn cells(&self) -> usize {
        self.panels
            .iter()
            .flat_map(|picture| &picture.cells)
            .map(Vec::len)
            .sum()
    }

    /// The grids as they are seen: the operands of a product with `A` on its left and `B`, its rows across, above it.
    pub fn as_seen(&self) -> Vec<Cow<'_, Picture>> {
        let own = |(at, picture): (usize, _)| match (self.kind, at) {
            (Kind::Mma, B) => Cow::Owned(Picture::transposed(picture)),
            _ => Cow::Borrowed(picture),
        };
        self.panels.iter().enumerate().map(own).collect()
    }

    /// The same for a place where the print of the value is beside it: a grid that is alone and has
    /// no caption does not say it again.
    #[must_use]
    pub fn without_print(mut self) -> Self {
        if let [only] = self.panels.as_mut_slice()
            && only.caption.is_empty()
        {
            only.layout.clear();
        }
        self
    }
}

impl From<Picture> for Sheet {
    fn from(picture: Picture) -> Self {
        Self {
            kind: Kind::Layout,
            title: String::new(),
            panels: vec![picture],
        }
    }
}

/// A holder of elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Holder {
    /// A thread, in its registers.
    #[default]
    Thread,
    /// A CTA: one thread of it issues the instruction for all.
    Cta,
}

impl Holder {
    /// Whether it is a thread: a picture does not say so.
    #[allow(clippy::trivially_copy_pass_by_ref, reason = "serde gives a reference")]
    pub(super) fn is_thread(&self) -> bool {
        *self == Self::Thread
    }

    /// In legends.
    pub(super) fn noun(self) -> &'static str {
        match self {
            Self::Thread => "thread",
            Self::Cta => "CTA",
        }
    }

    /// In cells, before its number.
    pub(super) fn letters(self) -> &'static str {
        match self {
            Self::Thread => "T",
            Self::Cta => "CTA",
        }
    }
}

/// A grid: the offsets of a layout, or who owns which cell of a tile.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Picture {
    /// Its name among the grids of its sheet: `A`, `source`; empty where it is alone.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub caption: String,
    /// The layout as CuTe prints it.
    pub layout: String,
    /// Number of coordinates.
    pub size: i64,
    /// One more than the span of the offsets, where that is a single number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cosize: Option<i64>,
    /// The axis that runs down.
    pub rows: Axis,
    /// The axis that runs across.
    pub columns: Axis,
    /// The meaning of a cell's colour class.
    pub colour: Colour,
    /// The drawn cells, row by row.
    pub cells: Vec<Vec<Cell>>,
    /// Notes for a reader: left out parts, repetitions.
    pub notes: Vec<String>,
    /// The owners of the cells, where cells have owners.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub owners: Option<Owners>,
}

impl Picture {
    /// The same with rows and columns exchanged: an operand `B` above its product.
    #[must_use]
    pub fn transposed(&self) -> Self {
        let columns = self.cells.iter().map(Vec::len).max().unwrap_or(0);
        let column = |at: usize| {
            let line = self.cells.iter().filter_map(|line| line.get(at));
            line.cloned().collect()
        };
        Self {
            rows: self.columns.clone(),
            columns: self.rows.clone(),
            cells: (0..columns).map(column).collect(),
            ..self.clone()
        }
    }
}

/// The table of a thread-value layout: the cell of each thread's each value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Owners {
    /// Threads, or the CTAs of a `tcgen05.mma`.
    #[serde(skip_serializing_if = "Holder::is_thread")]
    pub holder: Holder,
    /// Number of threads.
    pub threads: i64,
    /// Number of values of a thread.
    pub values: i64,
    /// The leaves of the threads' shape, fastest first.
    pub thread_levels: Vec<Level>,
    /// The leaves of the values' shape, fastest first: value, then repetitions along M and N.
    pub value_levels: Vec<Level>,
    /// Names of the modes of the values in comments: `V`, or `V`, `M`, `N` where an atom is repeated.
    pub value_modes: Vec<String>,
    /// Names of the modes of the tile in comments: `M`, `N`; empty where that depends on the use.
    pub tile_modes: Vec<String>,
    /// Number of consecutive threads that have the same cells, of which `cells` has one entry; 1 where each has its own.
    #[serde(skip_serializing_if = "is_one")]
    pub alike: i64,
    /// The index of the cell of (thread, value), threads fastest.
    pub cells: Vec<i64>,
}

/// One direction of the grid.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Axis {
    /// The modes that run along it: `mode 0`, `modes 1, 2`; empty where none does.
    pub label: String,
    /// Number of positions of the layout along it.
    pub extent: i64,
    /// The first position that is drawn.
    #[serde(skip_serializing_if = "is_zero")]
    pub first: i64,
    /// Number of positions that are drawn.
    pub shown: i64,
    /// The leaves of the shape along it, fastest first.
    pub levels: Vec<Level>,
}

#[allow(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference"
)]
fn is_zero(number: &i64) -> bool {
    *number == 0
}

#[allow(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference"
)]
fn is_one(number: &i64) -> bool {
    *number == 1
}

/// One leaf of the shape.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Level {
    /// The leaf: `1` is mode 1, `0.1` is mode 1 of mode 0.
    pub mode: String,
    /// Its extent.
    pub extent: i64,
    /// Its coordinate changes every this many positions.
    pub every: i64,
}

impl Level {
    /// The coordinate of this leaf at a position of the axis.
    pub fn coordinate(&self, position: i64) -> i64 {
        (position / self.every) % self.extent
    }
}

/// The meaning of the colour classes: `offset / unit mod classes`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Colour {
    /// Offsets per colour step. Of a swizzled layout it is the size of the chunks that a swizzle
    /// moves as a whole (`2^M`), of any other layout 1.
    pub unit: i64,
    /// Number of classes.
    pub classes: i64,
}

/// One coordinate and where it goes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Cell {
    /// The coordinate as a colexicographic index.
    pub index: i64,
    /// The offset, as CuTe prints it; `(1,2)` where strides are basis elements.
    pub offset: String,
    /// The text of the cell where that is not the offset: `T3 V1`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The colour class.
    pub class: i64,
    /// Set where the cell is there only for comparison: the subject are the others.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub faded: bool,
}

impl Cell {
    /// The text of the cell.
    pub fn shown(&self) -> &str {
        self.text.as_deref().unwrap_or(&self.offset)
    }
}

/// Consecutive positions of an axis at which a level's coordinate stays the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// First position.
    pub start: i64,
    /// One past the last drawn position.
    pub end: i64,
    /// The coordinate there.
    pub coordinate: i64,
}

impl Axis {
    /// An axis over the given leaves, fastest first, of which at most `shown` positions are drawn from `first` on: from the
    /// last one where it has fewer.
    pub fn new(label: String, leaves: &[(String, i64)], first: usize, shown: usize) -> Self {
        let mut every: i64 = 1;
        let mut levels = Vec::with_capacity(leaves.len());
        for (mode, extent) in leaves {
            levels.push(Level {
                mode: mode.clone(),
                extent: *extent,
                every,
            });
            every = every.saturating_mul(*extent);
        }
        let number = |number: usize| i64::try_from(number).unwrap_or(i64::MAX);
        let first = number(first).min(every - 1).max(0);
        Self {
            label,
            extent: every,
            first,
            shown: (every - first).min(number(shown)),
            levels,
        }
    }

    /// Both directions of a grid, of which the longer one is cut where they have more than this many cells: to a multiple of
    /// `PART`, where there is room for it.
    #[must_use]
    pub fn within(mut rows: Self, mut columns: Self, cells: usize) -> (Self, Self) {
        let cells = i64::try_from(cells).unwrap_or(i64::MAX);
        if rows.shown.saturating_mul(columns.shown) > cells {
            let whole = |most: i64| {
                if most > PART {
                    most - most % PART
                } else {
                    most.max(1)
                }
            };
            let side = cells.isqrt();
            if rows.shown <= side {
                columns.shown = whole(cells / rows.shown);
            } else if columns.shown <= side {
                rows.shown = whole(cells / columns.shown);
            } else {
                (rows.shown, columns.shown) = (whole(side), whole(side));
            }
        }
        (rows, columns)
    }

    /// The positions that are drawn.
    pub fn drawn(&self) -> Range<i64> {
        self.first..self.first + self.shown
    }

    /// The drawn runs of equal coordinate of a level, in order.
    pub fn spans(&self, level: &Level) -> Vec<Span> {
        let mut spans = Vec::new();
        let mut start = 0;
        while start < self.shown {
            let position = self.first + start;
            let left = level.every - position % level.every;
            let end = start.saturating_add(left).min(self.shown);
            spans.push(Span {
                start,
                end,
                coordinate: level.coordinate(position),
            });
            start = end;
        }
        spans
    }

    /// Whether a line between groups is before this position: a nested mode begins anew.
    pub fn begins_group(&self, position: i64) -> bool {
        self.levels
            .get(1)
            .is_some_and(|outer| (self.first + position) % outer.every == 0)
    }

    /// The label, with the leaves where a mode is nested: `mode 0 = (0.0,0.1)`.
    pub fn title(&self) -> String {
        if !self.levels.iter().any(|level| level.mode.contains('.')) {
            return self.label.clone();
        }
        let leaves: Vec<&str> = self
            .levels
            .iter()
            .map(|level| level.mode.as_str())
            .collect();
        format!("{} = ({})", self.label, leaves.join(","))
    }

    /// `rows 0-31 of 128` where not all is drawn.
    pub fn left_out(&self, what: &str) -> Option<String> {
        let last = self.first + self.shown - 1;
        (self.shown < self.extent)
            .then(|| format!("{what} {}-{last} of {}", self.first, self.extent))
    }
}
