//! Does a thread-value layout cover a tile: each cell once, none missing, none outside.

use crate::refusal::{Refusal, Rule};
use cute_algebra::{Layout, Verdict};

/// How many cells are looked at; beyond it the answer is about the first ones.
pub const CHECKED_CELLS: i64 = 1 << 20;

/// Refuses a thread-value layout that does not have every cell of `0..cells` exactly once.
///
/// Errors: [`Rule::DuplicateCell`] with the cell and the two (thread, value) pairs, [`Rule::OutOfRange`],
/// [`Rule::MissingCell`] with the first missing cell; `NotProvable` when the layout is not known.
pub fn refuse_unless_covering(thread_value: &Layout, cells: i64) -> Result<(), Refusal> {
    let known = |value: cute_algebra::Int| {
        value.value().ok_or_else(|| {
            Refusal::new(
                Rule::Algebra(cute_algebra::Rule::NotProvable),
                Verdict::Accepts,
            )
            .with("size", value.to_string())
        })
    };
    let threads = known(thread_value.mode(0)?.size()?)?;
    let size = known(thread_value.size()?)?;
    let cells = cells.min(CHECKED_CELLS);
    let mut owner: Vec<Option<i64>> = vec![None; usize::try_from(cells).unwrap_or(0)];
    for index in 0..size.min(CHECKED_CELLS) {
        let cell = thread_value.eval_number(index)?;
        let slot = usize::try_from(cell)
            .ok()
            .and_then(|cell| owner.get_mut(cell));
        let Some(slot) = slot else {
            return Err(Refusal::new(Rule::OutOfRange, Verdict::Accepts)
                .with("cell", cell)
                .with("cells", cells)
                .with("thread", index % threads)
                .with("value", index / threads));
        };
        if let Some(first) = slot.replace(index) {
            return Err(Refusal::new(Rule::DuplicateCell, Verdict::Accepts)
                .with("cell", cell)
                .with("thread", first % threads)
                .with("value", first / threads)
                .with("other_thread", index % threads)
                .with("other_value", index / threads));
        }
    }
    match owner.iter().position(Option::is_none) {
        Some(cell) if size <= CHECKED_CELLS => {
            let missing = owner.iter().filter(|owner| owner.is_none()).count();
            Err(Refusal::new(Rule::MissingCell, Verdict::Accepts)
                .with("cell", cell)
                .with("missing", missing)
                .with("cells", cells))
        }
        _ => Ok(()),
    }
}

/// How many neighbouring elements one access of `values` consecutive values of each thread may move, in elements: the
/// largest power of two that divides the contiguous run and every thread's start.
///
/// `first_values` maps (thread, value) to offsets; the start of the buffer is aligned to `base_elements`.
///
/// Errors: [`Rule::NonContiguousAtom`] or [`Rule::MisalignedStart`] when `wanted` elements cannot be moved at once.
pub fn refuse_unless_vector(
    thread_value: &Layout,
    wanted: i64,
    base_elements: i64,
) -> Result<(), Refusal> {
    let threads = thread_value.mode(0)?.size()?.value().unwrap_or(1);
    let values = thread_value.mode(1)?.size()?.value().unwrap_or(1);
    if values < wanted || wanted < 1 {
        return Err(Refusal::new(Rule::TooFewValues, Verdict::Accepts)
            .with("values", values)
            .with("atom_values", wanted));
    }
    if base_elements % wanted != 0 {
        return Err(Refusal::new(Rule::MisalignedStart, Verdict::Accepts)
            .with("base_elements", base_elements)
            .with("access_elements", wanted));
    }
    for thread in 0..threads.min(CHECKED_CELLS / wanted) {
        let start = thread_value.eval_number(thread)?;
        for value in 1..wanted {
            let offset = thread_value.eval_number(thread + threads * value)?;
            if offset != start + value {
                return Err(Refusal::new(Rule::NonContiguousAtom, Verdict::Accepts)
                    .with("thread", thread)
                    .with("value", value)
                    .with("offset", offset)
                    .with("expected", start + value));
            }
        }
        if start % wanted != 0 {
            return Err(Refusal::new(Rule::MisalignedStart, Verdict::Accepts)
                .with("thread", thread)
                .with("offset", start)
                .with("access_elements", wanted));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(layout: &str, cells: i64) -> Result<(), Rule> {
        refuse_unless_covering(&layout.parse().unwrap(), cells).map_err(|refusal| refusal.rule)
    }

    #[test]
    fn every_cell_once() {
        assert_eq!(check("(_32,_4):(_4,_1)", 128), Ok(()));
        assert_eq!(check("(_32,_4):(_1,_16)", 128), Err(Rule::DuplicateCell));
        assert_eq!(check("(_32,_4):(_4,_1)", 256), Err(Rule::MissingCell));
        assert_eq!(check("(_32,_4):(_8,_1)", 128), Err(Rule::OutOfRange));
    }

    #[test]
    fn vectors_are_adjacent_and_aligned() {
        let rule = |layout: &str, wanted, base| {
            refuse_unless_vector(&layout.parse().unwrap(), wanted, base)
                .map_err(|refusal| refusal.rule)
        };
        assert_eq!(rule("(_32,_4):(_4,_1)", 4, 4), Ok(()));
        assert_eq!(rule("(_32,_4):(_4,_1)", 8, 8), Err(Rule::TooFewValues));
        assert_eq!(
            rule("(_32,_4):(_1,_32)", 4, 4),
            Err(Rule::NonContiguousAtom)
        );
        assert_eq!(rule("(_32,_4):(_5,_1)", 4, 4), Err(Rule::MisalignedStart));
        assert_eq!(rule("(_32,_4):(_4,_1)", 4, 2), Err(Rule::MisalignedStart));
    }
}
