//! The thread and value of each element of a tile.

use std::collections::HashMap;

use cute_algebra::ops::composition::composition;
use cute_algebra::triton::Input;
use cute_algebra::{AnyLayout, Delta, Int, Layout, Shape, Stride};
use cute_analysis::TritonLayout;
use cute_hardware::copy::CopyOperands;
use cute_hardware::{MmaAtom, Operand, TiledCopy, TiledMma, ValueCopyAtom};

use super::build::{NotDrawable, axes, leaves, left_out};
use super::holder::Held;
use super::model::{
    Axis, CLASSES, Cell, Colour, Holder, Kind, Level, Owners, Picture, Sheet, Window,
};

/// The most (thread, value) pairs that are looked at.
const PAIRS: i64 = 1 << 18;

/// The property that colours the cells of a tile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum By {
    /// The thread that has the cell.
    Thread,
    /// The index of the thread's value.
    Value,
}

impl By {
    /// The meaning of the colours, behind the numbers of holders and values.
    pub(super) fn note(self, holder: Holder) -> String {
        format!("; colour: {} modulo {CLASSES}", self.name(holder))
    }

    /// A note of a grid of threads and values without the meaning of its colours, for a page where that is chosen.
    pub fn without_colours(note: &str) -> &str {
        let mut all = [
            Self::Thread.note(Holder::Thread),
            Self::Thread.note(Holder::Cta),
            Self::Value.note(Holder::Thread),
        ]
        .into_iter();
        all.find_map(|colours| note.strip_suffix(&colours))
            .unwrap_or(note)
    }

    fn name(self, holder: Holder) -> &'static str {
        match self {
            Self::Thread => holder.noun(),
            Self::Value => "value",
        }
    }
}

/// The name of a grid of threads and values, its modes, and the holders of its elements.
#[derive(Debug, Clone)]
pub(super) struct Names<'a> {
    /// Among the grids of its sheet: `A`, `source`.
    pub(super) caption: &'a str,
    /// The modes of the values: `V`, or `V`, `M`, `N` where the second mode has the repetitions.
    pub(super) values: &'a [&'a str],
    /// The modes of the tile.
    pub(super) tile: &'a [&'a str],
    /// The holders of the elements.
    pub(super) held: Held,
}

impl<'a> Names<'a> {
    /// Values that no repetitions follow, over a tile of any modes.
    pub(super) fn plain(caption: &'a str) -> Self {
        Self {
            caption,
            values: &["V"],
            tile: &[],
            held: Held::default(),
        }
    }

    /// The fragments of an operand: `V` and the repetitions, or `V` alone.
    fn of(operand: Operand, repeated: bool, held: Held) -> Self {
        let (caption, values, tile): (_, &[&str], &[&str]) = match operand {
            Operand::A => ("A", &["V", "M", "K"], &["M", "K"]),
            Operand::B => ("B", &["V", "N", "K"], &["N", "K"]),
            Operand::C => ("C", &["V", "M", "N"], &["M", "N"]),
        };
        Self {
            caption,
            values: if repeated { values } else { &["V"] },
            tile,
            held,
        }
    }
}

/// A thread-value layout over a tile: `layout` maps (thread, value) to the index of a cell of
/// `tile`, leftmost mode fastest. Each cell names its owner; one that several share names the first
/// and says so.
pub(super) fn of_thread_value(
    names: &Names<'_>,
    layout: &AnyLayout,
    tile: &Shape,
    by: By,
    window: Window,
) -> Result<Picture, NotDrawable> {
    let domain = layout.domain();
    let threads = extent(domain, 0)?;
    let values = extent(domain, 1)?;
    let fits = |threads: i64| {
        threads
            .checked_mul(values)
            .is_some_and(|pairs| pairs <= PAIRS)
    };
    let alike = if fits(threads) {
        1
    } else {
        threads_alike(layout, threads)?
    };
    if !fits(threads / alike) {
        return Err(NotDrawable::TooLarge(format!("{layout:#}")));
    }
    let mut owners: HashMap<i64, Owner> = HashMap::new();
    let mut table = Vec::new();
    for value in 0..values {
        for thread in (0..threads / alike).map(|run| run * alike) {
            let index = cell_of(layout, value * threads + thread)?;
            table.push(index);
            owners
                .entry(index)
                .and_modify(|owner| owner.others += alike)
                .or_insert(Owner {
                    first: (thread, value),
                    others: alike - 1,
                });
        }
    }
    let most = owners.values().map(|owner| owner.others).max().unwrap_or(0);
    let is_shared = threads > 1 && owners.values().all(|owner| owner.others == threads - 1);
    let is_named = threads > 1 && !is_shared;
    let by = if is_named { by } else { By::Value };
    let mut modes = Vec::new();
    for (index, mode) in tile.modes().enumerate() {
        modes.push(leaves(mode, &index.to_string())?);
    }
    let (rows, columns) = axes(&modes, window);
    let mut cells = Vec::new();
    for row in rows.drawn() {
        let line = columns.drawn().map(|column| {
            let index = row + rows.extent * column;
            cell(index, owners.get(&index), by, &names.held, is_named)
        });
        cells.push(line.collect());
    }
    let size = rows.extent.saturating_mul(columns.extent);
    let mut notes: Vec<String> = left_out(&rows, &columns).into_iter().collect();
    notes.push(names.held.note([threads, values], is_shared, by));
    if most > 0 && is_named {
        notes.push(format!("`+{most}`: {most} more have the same element"));
    }
    let (value_modes, value_levels) = value_modes(domain, names.values)?;
    Ok(Picture {
        caption: names.caption.to_owned(),
        layout: format!("{layout:#}"),
        size,
        cosize: None,
        rows,
        columns,
        colour: Colour {
            unit: 1,
            classes: CLASSES,
        },
        cells,
        notes,
        owners: Some(Owners {
            holder: names.held.holder,
            threads,
            values,
            thread_levels: levels(domain, 0)?,
            value_levels,
            value_modes,
            tile_modes: names.tile.iter().map(|&name| name.to_owned()).collect(),
            alike,
            cells: table,
        }),
    })
}

/// Number of consecutive threads that have the same cells: the leading leaves of the threads' mode have stride 0, as where
/// a whole warp group reads an operand from shared memory.
fn threads_alike(layout: &AnyLayout, threads: i64) -> Result<i64, NotDrawable> {
    let AnyLayout::Affine(affine) = layout else {
        return Ok(1);
    };
    let mode = affine.mode(0).map_err(NotDrawable::Refused)?;
    let (shape, stride) = (mode.shape(), mode.stride());
    let leaves = shape.leaves().iter().zip(stride.leaves());
    let leading = leaves.take_while(|(_, step)| **step == Delta::ZERO);
    let alike = leading.filter_map(|(extent, _)| extent.value()).product();
    Ok(if alike > 0 && threads % alike == 0 {
        alike
    } else {
        1
    })
}

/// The leaves of a mode of the layout, named from the mode down: the mode itself is not a level.
fn levels(layout: &Layout, mode: usize) -> Result<Vec<Level>, NotDrawable> {
    let mode = layout.mode(mode).map_err(NotDrawable::Refused)?;
    let shape = mode.shape();
    let mut all = Vec::new();
    for (index, inner) in shape.modes().enumerate() {
        all.extend(leaves(inner, &index.to_string())?);
    }
    Ok(Axis::new(String::new(), &all, 0, 0).levels)
}

/// The modes of the values by name, and their leaves. Fragments are `(V,(M,N))` and are read as `(V,M,N)`, as the
/// result of `partition_C`.
fn value_modes(layout: &Layout, names: &[&str]) -> Result<(Vec<String>, Vec<Level>), NotDrawable> {
    let mode = layout.mode(1).map_err(NotDrawable::Refused)?;
    let shape = mode.shape();
    let parts: Vec<_> = shape.modes().collect();
    let fragments = match parts.as_slice() {
        [values, repetitions] => std::iter::once(*values)
            .chain(repetitions.modes())
            .collect(),
        _ => Vec::new(),
    };
    if names.len() < 2 || fragments.len() != names.len() {
        return Ok((vec!["V".to_owned()], levels(layout, 1)?));
    }
    let mut all = Vec::new();
    for (index, part) in fragments.into_iter().enumerate() {
        all.extend(leaves(part, &index.to_string())?);
    }
    let names = names.iter().map(|&name| name.to_owned()).collect();
    Ok((names, Axis::new(String::new(), &all, 0, 0).levels))
}

/// The cell of a (thread, value) pair.
fn cell_of(layout: &AnyLayout, pair: i64) -> Result<i64, NotDrawable> {
    if let AnyLayout::Affine(affine) = layout {
        return affine.eval_number(pair).map_err(NotDrawable::Refused);
    }
    let offset = layout.eval(pair).map_err(NotDrawable::Refused)?;
    let number = offset.as_leaf().and_then(Int::value);
    number.ok_or_else(|| NotDrawable::of_names(offset.leaves()))
}

/// The registers that have a tensor of Triton; of several blocks those of the first.
pub(super) fn of_triton(
    layout: &TritonLayout,
    by: By,
    window: Window,
) -> Result<Sheet, NotDrawable> {
    let extents = layout.linear.shape().iter().map(|&extent| {
        let known = i64::try_from(extent).map(Int::fixed);
        known.map_err(|_| NotDrawable::TooLarge(layout.to_string()))
    });
    let extents: Vec<Int> = extents.collect::<Result<_, _>>()?;
    let tile = Shape::flat(extents).map_err(NotDrawable::Refused)?;
    let form = &layout.cute.layout;
    let mut panel = of_thread_value(&Names::plain(""), form, &tile, by, window)?;
    let blocks = 1_u64 << layout.linear.bases(Input::Block).len();
    if blocks > 1 {
        panel.notes.push(format!("shows block 0 of {blocks}"));
    }
    Ok(Sheet {
        kind: Kind::ThreadValue,
        title: String::new(),
        panels: vec![panel],
    })
}

/// The owner of a cell.
struct Owner {
    /// Thread and value.
    first: (i64, i64),
    /// Number of further owners.
    others: i64,
}

fn cell(index: i64, owner: Option<&Owner>, by: By, held: &Held, is_named: bool) -> Cell {
    let (text, class) = match owner {
        Some(owner) => {
            let (thread, value) = owner.first;
            let more = if is_named && owner.others > 0 {
                format!(" +{}", owner.others)
            } else {
                String::new()
            };
            let number = match by {
                By::Thread => thread,
                By::Value => value,
            };
            let text = held.text(thread, value, is_named);
            (format!("{text}{more}"), number % CLASSES)
        }
        None => ("-".to_owned(), 0),
    };
    Cell {
        index,
        offset: index.to_string(),
        text: Some(text),
        class,
        faded: owner.is_none(),
    }
}

fn extent(layout: &Layout, mode: usize) -> Result<i64, NotDrawable> {
    let size = layout
        .mode(mode)
        .and_then(|mode| mode.size())
        .map_err(NotDrawable::Refused)?;
    let known = size.value().ok_or_else(|| NotDrawable::of_names(&[size]))?;
    if known < 1 {
        Err(NotDrawable::Empty)
    } else {
        Ok(known)
    }
}

/// The operands of an instruction, each as its fragments are in the registers.
pub(super) fn of_mma_atom(atom: &MmaAtom, by: By, window: Window) -> Result<Sheet, NotDrawable> {
    let [m, n, k] = atom.shape_mnk();
    let alone =
        TiledMma::new(atom.clone(), None, Vec::new()).map_err(|refusal| unknown(&refusal))?;
    let panels = [
        (Operand::A, &atom.a.layout, [m, k]),
        (Operand::B, &atom.b.layout, [n, k]),
        (Operand::C, &atom.c.layout, [m, n]),
    ];
    let panels: Result<Vec<Picture>, NotDrawable> = panels
        .into_iter()
        .map(|(operand, layout, extents)| {
            let tile = Shape::flat(extents.map(Int::fixed)).map_err(NotDrawable::Refused)?;
            of_thread_value(
                &Names::of(operand, false, Held::of(&alone, operand, &tile)),
                &layout.clone().into(),
                &tile,
                by,
                window,
            )
        })
        .collect();
    Ok(Sheet {
        kind: Kind::Mma,
        title: atom.name.clone(),
        panels: panels?,
    })
}

/// The operands of a tiled MMA.
pub(super) fn of_tiled_mma(mma: &TiledMma, by: By, window: Window) -> Result<Sheet, NotDrawable> {
    let mut panels = Vec::new();
    for operand in [Operand::A, Operand::B, Operand::C] {
        let layout = mma
            .thread_value_layout(operand)
            .map_err(|refusal| unknown(&refusal))?;
        let [rows, columns] = operand.extents();
        let extents = [rows, columns].map(|mode| mma.tile_size(mode));
        let [rows, columns] = extents;
        let extents = [
            rows.map_err(|refusal| unknown(&refusal))?,
            columns.map_err(|refusal| unknown(&refusal))?,
        ];
        let tile = Shape::flat(extents).map_err(NotDrawable::Refused)?;
        let names = Names::of(operand, true, Held::of(mma, operand, &tile));
        panels.push(of_thread_value(&names, &layout.into(), &tile, by, window)?);
    }
    Ok(Sheet {
        kind: Kind::Mma,
        title: mma.atom().name.clone(),
        panels,
    })
}

/// The elements that each thread reads and writes in a tiled copy.
pub(super) fn of_tiled_copy(
    copy: &TiledCopy,
    by: By,
    window: Window,
) -> Result<Sheet, NotDrawable> {
    let tile = copy.tile_shape().map_err(|refusal| unknown(&refusal))?;
    let side = |name: &str, layout: Result<Layout, cute_hardware::Refusal>| {
        of_thread_value(
            &Names::plain(name),
            &layout.map_err(|refusal| unknown(&refusal))?.into(),
            &tile,
            by,
            window,
        )
    };
    Ok(Sheet {
        kind: Kind::Copy,
        title: copy.atom().atom.name.clone(),
        panels: sides(
            side("source", copy.source_layout())?,
            side("destination", copy.destination_layout())?,
        ),
    })
}

/// Source and destination of a copy; one grid where every thread writes the elements that it read.
fn sides(mut source: Picture, destination: Picture) -> Vec<Picture> {
    let cells = |picture: &Picture| picture.owners.as_ref().map(|owners| owners.cells.clone());
    if source.layout == destination.layout && cells(&source) == cells(&destination) {
        "source and destination".clone_into(&mut source.caption);
        return vec![source];
    }
    vec![source, destination]
}

/// The bits of a row of a matrix that `ldmatrix` and `stmatrix` move, and its rows (PTX ISA, "ldmatrix").
const MATRIX_ROW_BITS: i64 = 128;
const MATRIX_ROWS: i64 = 8;

/// The matrices of a copy between shared memory and the registers of a warp, side by side: `layout` with its cells
/// numbered down the rows, and the tile. Nothing for an atom that moves no matrices.
fn as_matrices(atom: &ValueCopyAtom, layout: &Layout) -> Option<(Layout, Shape)> {
    let is_matrix = matches!(
        atom.atom.operands,
        CopyOperands::MatrixLoad | CopyOperands::MatrixStore
    );
    let columns = MATRIX_ROW_BITS.checked_div(atom.value_bits)?;
    let matrix = columns.checked_mul(MATRIX_ROWS)?;
    let values = layout.cosize().ok()?.value()?;
    if !is_matrix || columns < 1 || values % matrix != 0 {
        return None;
    }
    let count = values / matrix;
    // Values count through a row, then through the rows of a matrix.
    let shape = Shape::flat([columns, MATRIX_ROWS, count].map(Int::fixed)).ok()?;
    let stride = Stride::flat([MATRIX_ROWS, 1, matrix].map(|step| Int::fixed(step).into())).ok()?;
    let renumbered = Layout::new(shape, stride).ok()?;
    let tile = Shape::flat([MATRIX_ROWS, columns, count].map(Int::fixed)).ok()?;
    Some((composition(&renumbered, layout).ok()?, tile))
}

/// The elements that each thread reads and writes in one instruction of a copy.
pub(super) fn of_copy_atom(
    atom: &ValueCopyAtom,
    by: By,
    window: Window,
) -> Result<Sheet, NotDrawable> {
    let side = |name: &str, layout: &Layout| {
        let Some((cells, tile)) = as_matrices(atom, layout) else {
            let tile = Shape::leaf(layout.cosize().map_err(NotDrawable::Refused)?);
            return of_thread_value(
                &Names::plain(name),
                &layout.clone().into(),
                &tile,
                by,
                window,
            );
        };
        let mut picture = of_thread_value(&Names::plain(name), &cells.into(), &tile, by, window)?;
        picture.layout = format!("{layout:#}");
        picture
            .notes
            .insert(0, format!("matrices of {MATRIX_ROWS} rows, side by side"));
        Ok(picture)
    };
    Ok(Sheet {
        kind: Kind::Copy,
        title: atom.atom.name.clone(),
        panels: sides(
            side("source", &atom.source)?,
            side("destination", &atom.destination)?,
        ),
    })
}

fn unknown(refusal: &cute_hardware::Refusal) -> NotDrawable {
    NotDrawable::Unsuitable(refusal.message())
}
