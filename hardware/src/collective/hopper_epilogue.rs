//! Epilogues of SM90: straight from registers, or through shared memory by TMA.

use super::epilogue::{
    Stages, VECTORISED, fusion, load_of_store, major, refuse_unless_aligned, refused_tile, source,
    stage_counts, tiles_of,
};
use super::mainloop::{no_such_collective, unsupported};
use super::storage::Extent;
use super::{
    Epilogue, EpilogueRequest, EpilogueSchedule, EpilogueTile, FusionKind, MemoryOrder, NotBuilt,
    OutputRequest, TmaEpilogue,
};
use crate::refusal::Refusal;
use crate::smem_atom::select_smem_atom;

pub(super) fn build(request: &EpilogueRequest) -> Result<Epilogue, NotBuilt> {
    let is_linear = request.fusion.kind == FusionKind::LinearCombination;
    match request.schedule {
        EpilogueSchedule::NoSmem if !is_linear => Err(no_such_collective().into()),
        EpilogueSchedule::Auto if !is_linear => Err(unsupported(
            "Auto schedule doesn't support fusion. Use one of the TmaWarpSpecialized schedules instead.",
        )
        .into()),
        EpilogueSchedule::Auto | EpilogueSchedule::NoSmem => Ok(from_registers(request)),
        EpilogueSchedule::Tma | EpilogueSchedule::TmaCooperative => by_tma(request),
        _ => Err(no_such_collective().into()),
    }
}

/// Each thread writes the elements that it has.
fn from_registers(request: &EpilogueRequest) -> Epilogue {
    Epilogue {
        request: *request,
        schedule: EpilogueSchedule::NoSmem,
        tile: None,
        tma: None,
        tensor_memory_load: None,
        tensors: Extent::empty(),
        pipeline: Extent::pipeline(0),
        storage: Extent::empty(),
    }
}

fn by_tma(request: &EpilogueRequest) -> Result<Epilogue, NotBuilt> {
    let is_cooperative = request.schedule == EpilogueSchedule::TmaCooperative;
    let threads = if is_cooperative { 256 } else { 128 };
    let tile = tile(request, is_cooperative)?;
    let [m, n, _] = request.tile;
    let tiles = tiles_of([m, n], tile)?;
    let (c, d) = (source(request), request.d);
    let (c_bits, d_bits) = (c.element.bits(), d.element.bits());
    let reuses_c = request.c.is_some() && c_bits == d_bits && d_bits > 8;
    let (stages_c, stages_d) = stage_counts(tiles, reuses_c);
    refuse_unless_aligned(request)?;
    if tile[1] % 8 != 0 {
        return Err(refused_tile(
            "CopyAtomC can't be void, divisiblity check for EpilogueTile_MN failed",
            tile,
        )
        .into());
    }
    let atom_c = select_smem_atom(major(c.order), c.element, tile[0], tile[1])?.layout()?;
    let to_registers = load_of_store(store(c, tile));
    let atom_d = select_smem_atom(major(d.order), d.element, tile[0], tile[1])?.layout()?;
    for (extent, part, text) in [
        (m, tile[0], "EPI_TILE_M must divide CTA_M"),
        (n, tile[1], "EPI_TILE_N must divide CTA_N"),
    ] {
        if extent % part != 0 {
            return Err(refused_tile(text, tile).into());
        }
    }
    let stages = Stages::of((&atom_c, c), (&atom_d, d), tile)?;
    if reuses_c && stages.c_bits != stages.d_bits {
        return Err(unsupported("Smem reuse requirements not met").into());
    }
    let auxiliary = request
        .fusion
        .auxiliary
        .map(|output| {
            select_smem_atom(major(output.order), output.element, tile[0], tile[1])?.layout()
        })
        .transpose()?;
    let kept = fusion(
        request,
        auxiliary.as_ref().map(|atom| (atom, tile, stages_d)),
    )?;
    let tensors = stages.extent(request, (stages_c, stages_d), reuses_c, kept);
    let pipeline = Extent::pipeline(stages_c);
    Ok(Epilogue {
        request: *request,
        schedule: request.schedule,
        tile: Some(EpilogueTile::Shape(tile)),
        tma: Some(TmaEpilogue {
            stages_c,
            stages_d,
            fragment_size: tile[0] * tile[1] / threads,
            reuses_c,
            delays_store: request.c.is_none(),
            atom_c,
            atom_d,
            to_shared: store(d, tile),
            from_shared: to_registers,
        }),
        tensor_memory_load: None,
        tensors,
        pipeline,
        storage: Extent::sequence([tensors, pipeline]),
    })
}

/// 64 rows for a warp group, and 32 columns, or 64 of 8-bit elements.
fn tile(request: &EpilogueRequest, is_cooperative: bool) -> Result<[i64; 2], Refusal> {
    let [m, n, _] = request.tile;
    let rows = if is_cooperative { 128 } else { 64 };
    if let Some(tile) = request.epilogue_tile {
        if tile[0] != rows || tile[1] % 16 != 0 {
            return Err(refused_tile("Unsupported tile shape", tile).legal(format!("({rows},32)")));
        }
        return Ok(tile);
    }
    let columns = if !is_cooperative && request.d.element.bits() == 8 && n % 64 == 0 {
        64
    } else {
        32
    };
    Ok([m.min(rows), gcd(columns.min(n), n)])
}

fn gcd(a: i64, b: i64) -> i64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// CUTLASS's widest store of an accumulator: `stmatrix` for elements of two bytes.
fn store(output: OutputRequest, tile: [i64; 2]) -> &'static str {
    let is_wide = tile[1] % 16 == 0;
    match (output.element.bits(), output.order) {
        (16, MemoryOrder::Column) if is_wide => "SM90_U16x8_STSM_T",
        (16, MemoryOrder::Column) => "SM90_U16x4_STSM_T",
        (16, MemoryOrder::Row) if is_wide => "SM90_U32x4_STSM_N",
        (16, MemoryOrder::Row) => "SM90_U32x2_STSM_N",
        _ => VECTORISED,
    }
}
