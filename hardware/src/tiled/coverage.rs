//! Is a partition sound: each cell of the tile once, none missing, none outside; the tile inside the tensor; the values of
//! an instruction adjacent and aligned.

use super::{Operand, TiledCopy, TiledMma};
use crate::memory::access::{Access, accesses};
use crate::refusal::{Refusal, Rule};
use cute_algebra::ops::shape_arithmetic::product_each;
use cute_algebra::{AnyLayout, Int, Layout, Shape, Verdict};

/// Number of examined cells; beyond it the answer is about the first ones.
pub const CHECKED_CELLS: i64 = 1 << 20;

/// Refuses a thread-value layout that does not have every cell of `0..cells` exactly once.
///
/// Errors: [`Rule::DuplicateCell`] with the cell and the two (thread, value) pairs, [`Rule::OutOfRange`],
/// [`Rule::MissingCell`] with the first missing cell; `NotProvable` when the layout is not known.
pub fn refuse_unless_covering(thread_value: &Layout, cells: i64) -> Result<(), Refusal> {
    let threads = known(&thread_value.mode(0)?.size()?)?;
    let size = known(&thread_value.size()?)?;
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

/// The widest access of `values` consecutive values of each thread, in elements: the largest power of two that divides
/// the contiguous run and every thread's start.
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

/// Refuses a thread-value layout that leaves a cell of `0..cells` without an owner, or names one outside; several
/// threads may have the same cell, as those that multiply the same row of A do.
///
/// Errors: [`Rule::OutOfRange`], [`Rule::MissingCell`]; `NotProvable` when the layout is not known.
pub fn refuse_unless_reaching(thread_value: &Layout, cells: i64) -> Result<(), Refusal> {
    let threads = known(&thread_value.mode(0)?.size()?)?;
    let size = known(&thread_value.size()?)?;
    if size > CHECKED_CELLS || cells > CHECKED_CELLS {
        return Ok(());
    }
    let mut is_reached = vec![false; usize::try_from(cells).unwrap_or(0)];
    for index in 0..size {
        let cell = thread_value.eval_number(index)?;
        let slot = usize::try_from(cell)
            .ok()
            .and_then(|cell| is_reached.get_mut(cell));
        match slot {
            Some(slot) => *slot = true,
            None => {
                return Err(Refusal::new(Rule::OutOfRange, Verdict::Accepts)
                    .with("cell", cell)
                    .with("cells", cells)
                    .with("thread", index % threads)
                    .with("value", index / threads));
            }
        }
    }
    match is_reached.iter().position(|reached| !reached) {
        None => Ok(()),
        Some(cell) => {
            let missing = is_reached.iter().filter(|reached| !**reached).count();
            Err(Refusal::new(Rule::MissingCell, Verdict::Accepts)
                .with("cell", cell)
                .with("missing", missing)
                .with("cells", cells))
        }
    }
}

/// Refuses a tensor whose extents are not multiples of a tile's: the last tile has coordinates that the tensor does not have.
/// Modes beyond those of the tile are not tiled.
///
/// Errors: [`Rule::OutOfRange`] with the mode, the first coordinate outside, and the nearest extents; `NotProvable`, with the
/// fact to assume, for a symbolic extent.
pub fn refuse_unless_tileable(tensor: &Shape, tile: &Shape) -> Result<(), Refusal> {
    let extents = product_each(tensor.view())?;
    let tiles = product_each(tile.view())?;
    for (mode, (extent, tile)) in extents.leaves().iter().zip(tiles.leaves()).enumerate() {
        let tile = known(tile)?;
        let rest = extent.rem(&Int::fixed(tile))?;
        match (rest.value(), extent.value()) {
            (Some(0), _) => {}
            (_, Some(extent)) => {
                let below = extent / tile * tile;
                return Err(Refusal::new(Rule::OutOfRange, Verdict::Accepts)
                    .with("extent", extent)
                    .with("tile", tile)
                    .with("coordinate", extent)
                    .inside(mode)
                    .legal(below.max(tile).to_string())
                    .legal((below + tile).to_string()));
            }
            _ => {
                return Err(not_provable(extent)
                    .with("tile", tile)
                    .inside(mode)
                    .legal(format!("assume {extent} % {tile} == 0")));
            }
        }
    }
    Ok(())
}

fn known(value: &Int) -> Result<i64, Refusal> {
    value.value().ok_or_else(|| not_provable(value))
}

fn not_provable(value: &Int) -> Refusal {
    Refusal::new(
        Rule::Algebra(cute_algebra::Rule::NotProvable),
        Verdict::Accepts,
    )
    .with("size", value.to_string())
}

impl TiledCopy {
    /// Refuses a copy whose threads and values do not have every cell of the tile once.
    ///
    /// Errors: as [`refuse_unless_covering`].
    pub fn refuse_unless_covering(&self) -> Result<(), Refusal> {
        let cells = known(&self.tile_shape()?.size()?)?;
        refuse_unless_covering(self.thread_value_layout(), cells)
    }

    /// Refuses a tensor that is not made of whole tiles.
    ///
    /// Errors: as [`refuse_unless_tileable`].
    pub fn refuse_unless_tileable(&self, tensor: &Shape) -> Result<(), Refusal> {
        refuse_unless_tileable(tensor, &self.tile_shape()?)
    }

    /// The accesses of one warp that read a tile: `tensor` is one tile of elements, of the tile's shape.
    ///
    /// ```
    /// use cute_hardware::{CopyAtom, Rule, TiledCopy};
    /// let atom = CopyAtom::named("UniversalCopy<uint128_t>")?.with_value_bits(16)?;
    /// let copy = TiledCopy::of_layouts(atom, &"(_16,_8):(_8,_1)".parse()?, &"(_1,_8):(_0,_1)".parse()?)?;
    /// let rows = "(_16,_64):(_64,_1)".parse()?;
    /// assert_eq!(copy.source_accesses(&rows, 0)?[0].width, 16);
    /// // In a column-major tile the eight values of an access are apart.
    /// let columns = "(_16,_64):(_1,_16)".parse()?;
    /// assert_eq!(copy.source_accesses(&columns, 0).unwrap_err().rule, Rule::NonContiguousAtom);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// Errors: [`Rule::NonContiguousAtom`], [`Rule::MisalignedStart`], [`Rule::TooFewValues`] with the thread and the offset.
    pub fn source_accesses(&self, tensor: &AnyLayout, warp: i64) -> Result<Vec<Access>, Refusal> {
        let values = known(&self.atom().source.mode(1)?.size()?)?;
        let bits = self.atom().value_bits;
        accesses(&self.source_layout()?, tensor, bits, values, warp)
    }

    /// The accesses of one warp that write a tile.
    ///
    /// Errors: as [`TiledCopy::source_accesses`].
    pub fn destination_accesses(
        &self,
        tensor: &AnyLayout,
        warp: i64,
    ) -> Result<Vec<Access>, Refusal> {
        let values = known(&self.atom().destination.mode(1)?.size()?)?;
        let bits = self.atom().value_bits;
        accesses(&self.destination_layout()?, tensor, bits, values, warp)
    }
}

impl TiledMma {
    /// Refuses an MMA whose threads do not have every cell of an operand's tile; of the accumulator they have it once.
    ///
    /// Errors: as [`refuse_unless_covering`] and [`refuse_unless_reaching`].
    pub fn refuse_unless_covering(&self, operand: Operand) -> Result<(), Refusal> {
        let [rows, columns] = operand.extents();
        let cells = known(&self.tile_size(rows)?)? * known(&self.tile_size(columns)?)?;
        let thread_value = self.thread_value_layout(operand)?;
        match operand {
            Operand::C => refuse_unless_covering(&thread_value, cells),
            Operand::A | Operand::B => refuse_unless_reaching(&thread_value, cells),
        }
    }
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
    fn a_duplicate_cell_names_both_owners() {
        let refusal = refuse_unless_covering(&"(_4,_2):(_1,_3)".parse().unwrap(), 8).unwrap_err();
        let number = |name| {
            refusal
                .number(name)
                .map(ToString::to_string)
                .unwrap_or_default()
        };
        assert_eq!(refusal.rule, Rule::DuplicateCell);
        assert_eq!(
            ["cell", "thread", "value", "other_thread", "other_value"].map(number),
            ["3", "3", "0", "0", "1"]
        );
    }

    #[test]
    fn operands_may_be_shared_but_not_missing() {
        let rule = |layout: &str, cells| {
            refuse_unless_reaching(&layout.parse().unwrap(), cells).map_err(|refusal| refusal.rule)
        };
        assert_eq!(rule("((_8,_4),_4):((_4,_0),_1)", 32), Ok(()));
        assert_eq!(
            rule("((_8,_4),_4):((_4,_0),_1)", 33),
            Err(Rule::MissingCell)
        );
        assert_eq!(rule("(_8,_4):(_8,_1)", 32), Err(Rule::OutOfRange));
    }

    #[test]
    fn tensors_are_whole_tiles() {
        let check = |tensor: &str, tile: &str| {
            refuse_unless_tileable(&tensor.parse().unwrap(), &tile.parse().unwrap())
        };
        assert_eq!(check("(_512,(_16,_4),3)", "(_128,_64)"), Ok(()));
        let refusal = check("(_500,_64)", "(_128,_64)").unwrap_err();
        assert_eq!(
            (refusal.rule, &refusal.mode[..]),
            (Rule::OutOfRange, &[0][..])
        );
        assert_eq!(refusal.legal, ["384", "512"]);
        let symbolic = check("(_128,K)", "(_128,_64)").unwrap_err();
        assert_eq!(symbolic.legal, ["assume K % 64 == 0"]);
    }

    #[test]
    fn tiled_operations_say_what_is_wrong_with_them() {
        let atom = || {
            crate::CopyAtom::named("UniversalCopy<uint32_t>")
                .and_then(|atom| atom.with_value_bits(32))
                .unwrap()
        };
        let copy = |thread_value: &str| {
            let tile = cute_algebra::Tiler::of_shape(&"(_8,_8)".parse().unwrap());
            let copy = TiledCopy::new(atom(), thread_value.parse().unwrap(), tile).unwrap();
            copy.refuse_unless_covering()
                .map_err(|refusal| refusal.rule)
        };
        assert_eq!(copy("(_32,_2):(_2,_1)"), Ok(()));
        assert_eq!(copy("(_32,_2):(_1,_16)"), Err(Rule::DuplicateCell));
        assert_eq!(copy("(_16,_2):(_2,_1)"), Err(Rule::MissingCell));
        assert_eq!(copy("(_32,_4):(_4,_1)"), Err(Rule::OutOfRange));
        let mma = crate::MmaAtom::named("SM80_16x8x16_F32F16F16F32_TN").unwrap();
        let tiled = TiledMma::new(mma, Some("(_2,_2):(_1,_2)".parse().unwrap()), vec![]).unwrap();
        for operand in [Operand::A, Operand::B, Operand::C] {
            assert_eq!(tiled.refuse_unless_covering(operand), Ok(()));
        }
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
