//! The cost of a warp's access to shared memory, phase by phase: the lanes that are served together, and those of them
//! that need different words of one bank.

use std::collections::{BTreeMap, HashMap};

use cute_analysis::Partitioned;
use cute_hardware::memory::banks::{LANES, bank_of, lanes_of_phase, words_of_banks};
use serde::Serialize;

use super::super::picture::{Axis, Picture};
use super::document::SourcePlace;

/// The widest access of a lane, in bytes.
const WIDEST_BYTES: i64 = 16;

/// One access of a warp, in each grid that shows the layout.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct Access {
    /// The correspondence of lanes and cells: `32 lanes along mode 0, 2 bytes each`.
    label: String,
    /// The width of an element, in bits.
    bits: i64,
    /// Its cost in each grid, such as before and after a swizzle.
    costs: Vec<Cost>,
    /// Its place in the source; nothing for one that is only looked at.
    place: Option<SourcePlace>,
}

/// The cost of an access in one grid.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct Cost {
    /// The number of the grid.
    grid: usize,
    /// Wavefronts, over all phases.
    waves: usize,
    /// The phases, in the order in which they are served.
    phases: Vec<Phase>,
}

/// Lanes that are served together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct Phase {
    /// Its wavefronts: 1 without conflict.
    waves: usize,
    /// `(lane, index of the cell, bank of its first byte)`.
    lanes: Vec<(usize, i64, i64)>,
    /// The other cells of a lane that has several: `(lane, index of the cell)`.
    further: Vec<(usize, i64)>,
    /// The banks of which several words are wanted, with the lanes that want each word.
    conflicts: Vec<Conflict>,
}

/// Several words of one bank.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct Conflict {
    bank: i64,
    /// The lanes that want each word, word by word.
    words: Vec<Vec<usize>>,
}

/// The elements that one lane reads or writes.
#[derive(Debug)]
struct Touched {
    lane: usize,
    /// The indices of their cells, in the order of their addresses.
    cells: Vec<i64>,
    /// The address of the first byte.
    address: i64,
}

/// The walk of lanes over a grid.
#[derive(Debug, Clone, Copy)]
struct Walk<'a> {
    /// Along which axis.
    axis: &'a Axis,
    /// The increment of the index from one position of the axis to the next.
    step: i64,
    /// Elements of a lane, which follow each other in memory.
    vector: i64,
    /// The increment of the index from one element of a lane to the next.
    inner: i64,
}

/// A grid that shows the layout.
#[derive(Debug)]
pub(super) struct Drawn<'a> {
    /// Its number.
    grid: usize,
    picture: &'a Picture,
    /// The offset of each index that is drawn, in elements.
    offsets: HashMap<i64, i64>,
}

impl<'a> Drawn<'a> {
    pub(super) fn new(grid: usize, picture: &'a Picture) -> Self {
        let cells = picture.cells.iter().flatten();
        let offsets = cells.filter_map(|cell| Some((cell.index, cell.offset.parse().ok()?)));
        Self {
            grid,
            picture,
            offsets: offsets.collect(),
        }
    }
}

/// The accesses that are looked at: lanes along the rows and the columns, one element each or 16 bytes each. An access whose
/// addresses are not all drawn or not aligned is left out.
pub(super) fn accesses(shown: &[Drawn<'_>], bits: i64) -> Vec<Access> {
    let Some(Drawn { picture: first, .. }) = shown.first() else {
        return Vec::new();
    };
    let (rows, columns) = ((&first.rows, 1), (&first.columns, first.rows.extent));
    let vector = WIDEST_BYTES.saturating_mul(8).checked_div(bits);
    let mut found = Vec::new();
    for ((axis, step), (_, across)) in [(rows, columns), (columns, rows)] {
        // Lanes along an axis: elements of a lane follow each other along the same axis or along the other one.
        let single = (1, step, step);
        let along = vector.and_then(|vector| Some((vector, step, step.checked_mul(vector)?)));
        let beside = vector.map(|vector| (vector, across, step));
        for (vector, inner, step) in [Some(single), along, beside].into_iter().flatten() {
            let walk = Walk {
                axis,
                step,
                vector,
                inner,
            };
            found.extend(access(shown, walk, bits));
        }
    }
    found.dedup();
    found
}

fn access(shown: &[Drawn<'_>], walk: Walk<'_>, bits: i64) -> Option<Access> {
    let per_lane = if walk.step == walk.inner.checked_mul(walk.vector)? {
        walk.vector
    } else {
        1
    };
    let lanes = usize::try_from(walk.axis.extent / per_lane)
        .ok()?
        .min(LANES);
    let bytes = walk.vector.checked_mul(bits)?;
    if lanes < 2 || bits < 1 || bytes % 8 != 0 {
        return None;
    }
    let bytes = bytes / 8;
    let costs: Option<Vec<Cost>> = shown
        .iter()
        .map(|drawn| cost(drawn, walk, lanes, bits, bytes))
        .collect();
    let unit = if bytes == 1 { "byte" } else { "bytes" };
    Some(Access {
        label: format!(
            "{lanes} lanes along {}, {bytes} {unit} each",
            walk.axis.label
        ),
        bits,
        costs: costs?,
        place: None,
    })
}

/// A partition of the layout by a tiled copy of the source, with the line and the place of the copy.
#[derive(Debug)]
pub struct Copied {
    /// The partition.
    pub partitioned: Partitioned,
    /// The line of the copy, from 1.
    pub line: usize,
    /// Its place.
    pub place: SourcePlace,
}

/// The instruction of a real copy that costs most; `is_swizzled` where its addresses are those after the swizzle.
/// Nothing where a lane touches a cell that is not drawn.
pub(super) fn of_copy(
    shown: &[Drawn<'_>],
    copied: &Copied,
    bits: i64,
    is_swizzled: bool,
) -> Option<Access> {
    let addressed = if is_swizzled {
        shown.last()
    } else {
        shown.first()
    }?;
    let index_of: HashMap<i64, i64> = addressed
        .offsets
        .iter()
        .map(|(index, offset)| (*offset, *index))
        .collect();
    let instructions = &copied.partitioned.instructions;
    let mut worst: Option<(usize, Vec<Cost>)> = None;
    for instruction in instructions {
        let lanes = instruction.lanes.iter().enumerate();
        let touched: Option<Vec<(usize, Vec<i64>)>> = lanes
            .filter_map(|(lane, address)| Some((lane, (*address)?)))
            .map(|(lane, address)| {
                let offset = address.checked_mul(8)?.checked_div(bits)?;
                let elements = instruction.width.checked_mul(8)?.checked_div(bits)?.max(1);
                let cells = (offset..offset.checked_add(elements)?).map(|at| index_of.get(&at));
                Some((
                    lane,
                    cells.map(Option::<&i64>::copied).collect::<Option<_>>()?,
                ))
            })
            .collect();
        let touched = touched?;
        let cost_in = |drawn: &Drawn<'_>| {
            let lanes: Option<Vec<Touched>> = touched
                .iter()
                .map(|(lane, cells)| {
                    let bit = drawn.offsets.get(cells.first()?)?.checked_mul(bits)?;
                    Some(Touched {
                        lane: *lane,
                        cells: cells.clone(),
                        address: bit.div_euclid(8),
                    })
                })
                .collect();
            Some(cost_of(drawn.grid, &lanes?, instruction.width))
        };
        let costs: Option<Vec<Cost>> = shown.iter().map(cost_in).collect();
        let costs = costs?;
        let waves = costs.last()?.waves;
        let is_worse = worst.as_ref().is_none_or(|(most, _)| waves > *most);
        if is_worse {
            worst = Some((waves, costs));
        }
    }
    let (_, costs) = worst?;
    let bytes = instructions.first()?.width;
    let (line, count) = (copied.line, instructions.len());
    let does = if copied.partitioned.is_source {
        "read"
    } else {
        "write"
    };
    let which = if count > 1 {
        format!(", the worst of {count} instructions")
    } else {
        String::new()
    };
    Some(Access {
        label: format!("copy on line {line}: lanes {does} {bytes} bytes each{which}"),
        bits,
        costs,
        place: Some(copied.place.clone()),
    })
}

fn cost(
    Drawn { grid, offsets, .. }: &Drawn<'_>,
    walk: Walk<'_>,
    lanes: usize,
    bits: i64,
    bytes: i64,
) -> Option<Cost> {
    let mut addressed = Vec::new();
    for lane in 0..lanes {
        let index = i64::try_from(lane).ok()?.checked_mul(walk.step)?;
        let first = *offsets.get(&index)?;
        let mut cells = vec![index];
        for element in 1..walk.vector {
            let next = index.checked_add(element.checked_mul(walk.inner)?)?;
            cells.push(next);
            if *offsets.get(&next)? != first.checked_add(element)? {
                return None;
            }
        }
        let address = first.checked_mul(bits)?.div_euclid(8);
        if address < 0 || address % bytes != 0 {
            return None;
        }
        addressed.push(Touched {
            lane,
            cells,
            address,
        });
    }
    Some(cost_of(*grid, &addressed, bytes))
}

/// The cost of lanes that have `bytes` each.
fn cost_of(grid: usize, addressed: &[Touched], bytes: i64) -> Cost {
    let phases = addressed.chunks(lanes_of_phase(bytes));
    let phases: Vec<Phase> = phases.map(|lanes| phase(lanes, bytes)).collect();
    Cost {
        grid,
        waves: phases.iter().map(|phase| phase.waves).sum(),
        phases,
    }
}

fn phase(lanes: &[Touched], bytes: i64) -> Phase {
    let addresses = lanes.iter().map(|it| (it.lane, it.address));
    let banks = words_of_banks(addresses, bytes);
    let waves = banks.values().map(BTreeMap::len).max().unwrap_or(0);
    let conflicts = banks.into_iter().filter(|(_, words)| words.len() > 1);
    Phase {
        waves,
        lanes: lanes
            .iter()
            .filter_map(|it| Some((it.lane, *it.cells.first()?, bank_of(it.address))))
            .collect(),
        further: lanes
            .iter()
            .flat_map(|it| it.cells.iter().skip(1).map(|cell| (it.lane, *cell)))
            .collect(),
        conflicts: conflicts
            .map(|(bank, words)| Conflict {
                bank,
                words: words.into_values().collect(),
            })
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use cute_algebra::AnyLayout;
    use cute_hardware::memory::shared_wavefronts;

    use super::super::super::picture::{Window, of_layout};
    use super::*;

    fn of(layout: &str, bits: i64) -> Vec<Access> {
        let layout = AnyLayout::Affine(layout.parse().unwrap());
        let window = Window {
            rows: 64,
            columns: 64,
            ..Window::default()
        };
        accesses(&[Drawn::new(0, &of_layout(&layout, window).unwrap())], bits)
    }

    fn said(accesses: &[Access]) -> Vec<(&str, usize, usize)> {
        let all = accesses.iter().filter_map(|access| {
            let cost = access.costs.first()?;
            Some((access.label.as_str(), cost.phases.len(), cost.waves))
        });
        all.collect()
    }

    #[test]
    fn a_column_of_floats_has_32_lanes_at_one_bank() {
        let found = of("(32,32):(32,1)", 32);
        assert_eq!(
            said(&found),
            [
                ("32 lanes along mode 0, 4 bytes each", 1, 32),
                ("32 lanes along mode 0, 16 bytes each", 4, 32),
                ("32 lanes along mode 1, 4 bytes each", 1, 1),
                ("8 lanes along mode 1, 16 bytes each", 1, 1),
            ]
        );
        let phase = &found[0].costs[0].phases[0];
        assert_eq!(phase.conflicts.len(), 1);
        assert_eq!(phase.conflicts[0].bank, 0);
        assert_eq!(phase.conflicts[0].words.len(), 32, "a word for each lane");
    }

    #[test]
    fn padding_takes_the_conflicts_away() {
        let found = of("(32,32):(33,1)", 32);
        assert!(found.iter().all(|access| {
            let cost = &access.costs[0];
            cost.waves == 1 && cost.phases[0].conflicts.is_empty()
        }));
        let labels: Vec<_> = said(&found).into_iter().map(|(label, ..)| label).collect();
        let of_16 = "32 lanes along mode 0, 16 bytes each";
        assert!(
            !labels.contains(&of_16),
            "the rows are not aligned to 16 bytes"
        );
    }

    #[test]
    fn the_wavefronts_are_those_of_the_model_of_the_hardware() {
        for (layout, bits) in [
            ("(32,64):(64,1)", 16),
            ("(32,64):(72,1)", 16),
            ("(64,32):(1,64)", 8),
            ("(32,32):(36,1)", 32),
            ("(16,32):(34,1)", 64),
        ] {
            for access in of(layout, bits) {
                let cost = &access.costs[0];
                let bytes: i64 = access
                    .label
                    .split(' ')
                    .rev()
                    .nth(2)
                    .unwrap()
                    .parse()
                    .unwrap();
                let parsed: cute_algebra::Layout = layout.parse().unwrap();
                let lanes: Vec<Option<i64>> = cost
                    .phases
                    .iter()
                    .flat_map(|phase| &phase.lanes)
                    .map(|(_, index, _)| Some(parsed.eval_number(*index).unwrap() * bits / 8))
                    .collect();
                let model = shared_wavefronts(&lanes, bytes).unwrap();
                assert_eq!(
                    i64::try_from(cost.waves),
                    Ok(model.waves),
                    "{layout} {access:?}"
                );
            }
        }
    }
}
