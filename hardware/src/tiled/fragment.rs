//! Fragments: the part of a thread in registers, as descriptors, or in tensor memory.

use super::tiled_mma::{Operand, TiledMma};
use crate::mma::{Allocation, MmaAtom, MmaOperand, OperandMemory, TensorMemoryFragment};
use crate::refusal::{Refusal, Rule};
use cute_algebra::ops::compact::compact_left;
use cute_algebra::ops::composition::composition;
use cute_algebra::ops::modes::replace;
use cute_algebra::ops::order::make_fragment_like;
use cute_algebra::ops::product::tiled_product;
use cute_algebra::ops::recast::recast_layout;
use cute_algebra::{Delta, Int, Layout, Shape, Tiler, Tuple, TupleView};

/// The bits of the 128 lanes and 512 columns of tensor memory.
pub const TENSOR_MEMORY_BITS: i64 = 128 * 512 * 32;

/// The layout of the fragment that an MMA makes of a thread's part: CuTe's `make_fragment_A`, `_B`, `_C`. For operands in
/// shared memory it is the layout of descriptors, one for each instruction, in 16-byte units; for tensor memory it maps
/// coordinates to columns and lanes.
///
/// Errors: [`Rule::TooFewValues`] when the part does not have the values of the atom; the limits of tensor memory.
pub fn make_fragment(atom: &MmaAtom, operand: Operand, part: &Layout) -> Result<Layout, Refusal> {
    let data = match operand {
        Operand::A => &atom.a,
        Operand::B => &atom.b,
        Operand::C => &atom.c,
    };
    if part.rank() < 3 {
        return Err(Refusal::asserted(
            Rule::Algebra(cute_algebra::Rule::RankMismatch),
            "rank(tensor) >= 3",
        )
        .with("rank", part.rank()));
    }
    let values = part.mode(0)?.size()?;
    let needed = data.layout.mode(1)?.size()?;
    if values.equals(&needed) == Some(false) {
        return Err(
            Refusal::asserted(Rule::TooFewValues, "size<0>(tensor) == size<1>(Layout_TV)")
                .with("values", &values)
                .with("atom_values", &needed)
                .legal(needed.to_string()),
        );
    }
    match (operand, data.place) {
        (Operand::C, OperandMemory::Registers) => Ok(Layout::left(part.shape())?),
        (_, OperandMemory::Registers) => Ok(make_fragment_like(part)?),
        (_, OperandMemory::Shared(_)) => {
            let units = recast_layout(part, data.element.bits(), 128)?;
            Ok(replace(&units, 0, &Layout::single(Int::ONE, Delta::ZERO))?)
        }
        (_, OperandMemory::TensorMemory(fragment)) => {
            tensor_memory_fragment(data, fragment, &part.shape())
        }
    }
}

/// The accumulator of a tile of this shape: CuTe's `partition_fragment_C(mma, shape)`.
pub fn accumulator(mma: &TiledMma, shape: &Shape) -> Result<Layout, Refusal> {
    let part = Layout::left(mma.partition_shape(Operand::C, shape)?)?;
    match mma.atom().c.place {
        OperandMemory::TensorMemory(_) => make_fragment(mma.atom(), Operand::C, &part),
        _ => Ok(part),
    }
}

/// The spread of an operand over the 128 lanes by an instruction (CuTe's `tmem_frg` and `tmem_frg_ws`).
fn tensor_memory_fragment(
    data: &MmaOperand,
    fragment: TensorMemoryFragment,
    shape: &Shape,
) -> Result<Layout, Refusal> {
    let extents: Vec<Shape> = shape.modes().map(TupleView::to_tuple).collect();
    let (Some(instruction), rest) = (extents.first(), extents.get(1..).unwrap_or_default()) else {
        return Err(not_partitioned(shape));
    };
    let known: Vec<i64> = instruction
        .modes()
        .map(|mode| mode.size().ok().and_then(|size| size.value()))
        .collect::<Option<_>>()
        .unwrap_or_default();
    let &[rows, columns] = &known[..] else {
        return Err(not_partitioned(shape));
    };
    let TensorMemoryFragment {
        storage_bits,
        allocation,
    } = fragment;
    let used = shape.size()?.mul(&Int::fixed(storage_bits))?;
    if used.value().is_some_and(|bits| bits > TENSOR_MEMORY_BITS) {
        return Err(
            Refusal::asserted(Rule::OutOfRange, "Requesting more TMEM than is available.")
                .with("bits", &used)
                .with("most", TENSOR_MEMORY_BITS),
        );
    }
    let rest_shape = Tuple::group(rest.iter().cloned())?;
    // Virtual addresses: a lane is 1, a column 128; a repeat takes the next free lanes, then columns.
    let mut repeats = Layout::left(rest_shape.clone())?;
    let block = match (allocation, rows) {
        (_, 128) | (Allocation::PairDuplicated, 64) => layout(&[(128, 1)], &[(columns, 128)])?,
        (Allocation::Interleaved, 64) => layout(&[(16, 1), (4, 32)], &[(columns, 128)])?,
        (Allocation::NonInterleaved, 64) => {
            repeats = Layout::new(
                rest_shape.clone(),
                compact_left(rest_shape.view(), &Delta::fixed(2))?,
            )?;
            layout(&[(16, 1), (4, 32)], &[(columns, 128)])?
        }
        (Allocation::Pair | Allocation::WeightStationary, 64) => {
            layout(&[(64, 1)], &[(columns / 2, 128), (2, 64)])?
        }
        (Allocation::Pair | Allocation::WeightStationary, 32) => {
            layout(&[(32, 1)], &[(columns / 4, 128), (4, 32)])?
        }
        _ => {
            return Err(
                Refusal::asserted(Rule::MmaShape, "UMMA M-mode size should be 64 or 128.")
                    .with("m", rows)
                    .legal("64")
                    .legal("128"),
            );
        }
    };
    let tiled = tiled_product(&block, &Tiler::Layout(repeats))?;
    let lane = (1_i64 << 21) / data.element.bits();
    let column = storage_bits / data.element.bits();
    let addresses = layout_flat(&[(128, lane), (16384, column)])?;
    Ok(composition(&addresses, &tiled)?)
}

fn not_partitioned(shape: &Shape) -> Refusal {
    let text = "Expected post-partitioned shape ((M_MMA,N_MMA),...).";
    Refusal::asserted(Rule::Algebra(cute_algebra::Rule::RankMismatch), text)
        .with("shape", shape.to_string())
}

/// The layout of two modes, each flat where it has one extent.
fn layout(rows: &[(i64, i64)], columns: &[(i64, i64)]) -> Result<Layout, Refusal> {
    use crate::thread_value::{Mode, thread_value};
    let mode = |steps: &[(i64, i64)]| match steps {
        [(extent, stride)] => Mode::Leaf(*extent, *stride),
        steps => Mode::group(steps),
    };
    thread_value(&mode(rows), &mode(columns))
}

fn layout_flat(steps: &[(i64, i64)]) -> Result<Layout, Refusal> {
    use crate::thread_value::{Mode, thread_id};
    thread_id(&Mode::group(steps))
}
