//! The operands of a `tcgen05.mma` in tensor memory beside A and the accumulator: the metadata of a sparse A and the
//! scale factors of block-scaled operands (CuTe's `tmem_e_frg`, `tmem_sf_frg`).
//!
//! Virtual addresses have lanes of 1 and columns of 128; the result has CuTe's addresses, in units of the stored element:
//! a lane is 2^21 bits.

use crate::mma::{MmaAtom, Tcgen05Kind};
use crate::refusal::{Refusal, Rule};
use crate::thread_value::{Mode, thread_id, thread_value};
use crate::tiled::Operand;
use cute_algebra::ops::composition::composition;
use cute_algebra::ops::product::tiled_product;
use cute_algebra::{Layout, Shape, Tiler, Tuple, TupleView};

/// The bits from one lane to the next.
const LANE_BITS: i64 = 1 << 21;

/// The layout of the sparsity metadata of a tile of A, `((M,K),M tiles,K tiles,...)`: coordinates to units of 2 bits for
/// TF32, of one bit of the metadata for the other kinds.
///
/// Errors: [`Rule::MmaOperand`] for an atom without metadata in tensor memory, [`Rule::MmaShape`] for another M than 128 or
/// another K than the instruction's.
pub fn metadata(atom: &MmaAtom, shape: &Shape) -> Result<Layout, Refusal> {
    let Some(kind) = atom.tcgen05.filter(|_| atom.a.sparsity > 1) else {
        return Err(refused(atom, "the operand is not sparse"));
    };
    let ([rows, depth], rest) = split(shape)?;
    if rows != 128 {
        return Err(
            Refusal::asserted(Rule::MmaShape, "Only 128 implemented right now.")
                .with("m", rows)
                .legal("128"),
        );
    }
    // Each kind has a separate unit, and spreads groups of eight rows over the columns in its own way.
    let (needed, lane, columns, block) = match kind {
        Tcgen05Kind::Tf32 => (16, LANE_BITS / 2, 8192, eight_rows(1024, 8)?),
        Tcgen05Kind::F16 => (32, LANE_BITS, 16384, eight_rows(2048, 16)?),
        Tcgen05Kind::Mxf4 | Tcgen05Kind::Mxf4Ultra => (128, LANE_BITS * 2, 32768, plain(128)?),
        Tcgen05Kind::I8 | Tcgen05Kind::F8f6f4 | Tcgen05Kind::Mxf8f6f4 => {
            (64, LANE_BITS, 16384, plain(64)?)
        }
    };
    if depth != needed {
        return Err(Refusal::asserted(Rule::MmaShape, "static_assert(N_MMA)")
            .with("k", depth)
            .legal(needed.to_string()));
    }
    addressed(&block, &rest, lane, columns)
}

/// `((8,2,8),(K/2,2))`: rows in groups of eight, every second one of them in the next columns.
fn eight_rows(next_columns: i64, depth: i64) -> Result<Layout, Refusal> {
    thread_value(
        &Mode::group(&[(8, 1), (2, next_columns), (8, 16)]),
        &Mode::group(&[(depth, 128), (2, 8)]),
    )
}

fn plain(depth: i64) -> Result<Layout, Refusal> {
    thread_value(&Mode::Leaf(128, 1), &Mode::Leaf(depth, 128))
}

/// The layout of the scale factors of A or B for a tile `((MN,(vector,factors)),MN tiles,K tiles,...)`: coordinates of the
/// operand to factors; the elements of a vector share one. Every factor is there four times, once for each quarter of the lanes.
///
/// Errors: [`Rule::MmaOperand`] for an atom that is not block-scaled and for the accumulator; [`Rule::MmaShape`] for a tile that
/// is not partitioned so.
pub fn scale_factors(atom: &MmaAtom, operand: Operand, shape: &Shape) -> Result<Layout, Refusal> {
    let scale = match operand {
        Operand::A => atom.scale_a.as_ref(),
        Operand::B => atom.scale_b.as_ref(),
        Operand::C => None,
    };
    let Some(scale) = scale.filter(|_| atom.tcgen05.is_some()) else {
        return Err(refused(atom, "the operand has no scale factors"));
    };
    let instruction = shape.modes().next().ok_or_else(|| unpartitioned(shape))?;
    let extents: Vec<i64> = [&[0][..], &[1, 0], &[1, 1]]
        .into_iter()
        .map(|path| instruction.get_path(path)?.size().ok()?.value())
        .collect::<Option<_>>()
        .ok_or_else(|| unpartitioned(shape))?;
    let &[rows, vector, factors] = &extents[..] else {
        return Err(unpartitioned(shape));
    };
    let rest = rest_of(shape)?;
    // Two CTAs of 64 rows each compute in two halves of the lanes, and each half has its factors of B.
    let is_halved = operand == Operand::B
        && atom.thread_id.size()?.value() == Some(2)
        && atom.shape_mnk()[0] == 128;
    let group = if is_halved { 64 } else { 32 };
    if rows % group != 0 {
        return Err(
            Refusal::uncompilable(Rule::MmaShape, "not a multiple of a subpartition")
                .with("mn", rows)
                .legal((rows / group * group).max(group).to_string()),
        );
    }
    let block = scale_block(rows / group, is_halved, [vector, factors])?;
    addressed(&block, &rest, LANE_BITS / scale.element.bits(), 16384)
}

/// `(((32,groups),4),(vector,factors))`, or with two copies in each of two halves: `(((32,groups),2,2),(vector,factors))`.
fn scale_block(
    groups: i64,
    is_halved: bool,
    [vector, factors]: [i64; 2],
) -> Result<Layout, Refusal> {
    let rows = thread_id(&Mode::group(&[(32, 1), (groups, 512)]))?;
    let copies = if is_halved {
        vec![Mode::Leaf(2, 64), Mode::Leaf(2, 32)]
    } else {
        vec![Mode::Leaf(4, 32)]
    };
    let copies = copies
        .iter()
        .map(thread_id)
        .collect::<Result<Vec<_>, _>>()?;
    let rows = Layout::concat(std::iter::once(rows.view()).chain(copies.iter().map(Layout::view)))?;
    let depth = thread_id(&Mode::group(&[(vector, 0), (factors, 128)]))?;
    Ok(Layout::concat([rows.view(), depth.view()])?)
}

/// The block repeated over `rest`, with addresses in place of virtual ones.
fn addressed(block: &Layout, rest: &Shape, lane: i64, columns: i64) -> Result<Layout, Refusal> {
    let tiled = tiled_product(block, &Tiler::Layout(Layout::left(rest.clone())?))?;
    let addresses = thread_id(&Mode::group(&[(128, lane), (columns, 1)]))?;
    Ok(composition(&addresses, &tiled)?)
}

fn split(shape: &Shape) -> Result<([i64; 2], Shape), Refusal> {
    let instruction = shape.modes().next().ok_or_else(|| unpartitioned(shape))?;
    let extents: Vec<i64> = instruction
        .modes()
        .map(|mode| mode.size().ok()?.value())
        .collect::<Option<_>>()
        .unwrap_or_default();
    let extents = extents.try_into().map_err(|_| unpartitioned(shape))?;
    Ok((extents, rest_of(shape)?))
}

fn rest_of(shape: &Shape) -> Result<Shape, Refusal> {
    if shape.rank() < 3 {
        return Err(unpartitioned(shape));
    }
    Ok(Tuple::group(
        shape.modes().skip(1).map(TupleView::to_tuple),
    )?)
}

fn unpartitioned(shape: &Shape) -> Refusal {
    let text = "Expected post-partitioned shape ((M_MMA,N_MMA),...).";
    Refusal::asserted(Rule::MmaShape, text).with("shape", shape.to_string())
}

fn refused(atom: &MmaAtom, why: &'static str) -> Refusal {
    Refusal::uncompilable(Rule::MmaOperand, why).with("name", atom.name.clone())
}
