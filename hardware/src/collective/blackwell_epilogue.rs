//! Epilogues of SM100: the accumulator comes from tensor memory, and goes to global memory straight or by TMA.

use super::blackwell_mainloop::smem_atom;
use super::epilogue::{
    Stages, extents, fusion, load_of_store, major, refuse_unless_aligned, refused_tile, source,
    stage_counts, tiles_of,
};
use super::mainloop::{known, no_such_collective, unsupported};
use super::storage::Extent;
use super::tensor_memory_load::TensorMemoryLoad;
use super::{
    Epilogue, EpilogueRequest, EpilogueSchedule, EpilogueTile, FusionKind, MemoryOrder, NotBuilt,
    TmaEpilogue, shape_div,
};
use crate::refusal::Refusal;
use cute_algebra::ops::coalesce::coalesce;
use cute_algebra::ops::inverse::right_inverse;
use cute_algebra::{Delta, Int, Layout, Tuple};

/// The threads of the epilogue: one warp group.
const THREADS: i64 = 128;
/// The lanes of tensor memory that a warp reads at once.
const LANES_OF_A_WARP: i64 = 32;

pub(super) fn build(request: &EpilogueRequest) -> Result<Epilogue, NotBuilt> {
    let schedule = match request.schedule {
        EpilogueSchedule::Auto => {
            if request.epilogue_tile.is_some() {
                return Err(unsupported("Don't specify epilogue tile with auto schedule").into());
            }
            let [m, ..] = request.tile;
            let is_even = request.cluster.is_some_and(|[over_m, ..]| over_m % 2 == 0);
            if is_even && (m == 256 || m == 128) {
                EpilogueSchedule::TmaTwoSm
            } else {
                EpilogueSchedule::TmaOneSm
            }
        }
        EpilogueSchedule::NoSmem | EpilogueSchedule::Tma | EpilogueSchedule::TmaCooperative => {
            return Err(no_such_collective().into());
        }
        schedule => schedule,
    };
    let is_pair = schedule.is_two_sm();
    if is_pair && request.cluster.is_some_and(|[over_m, ..]| over_m % 2 == 1) {
        return Err(unsupported("schedule + cluster mismatch").into());
    }
    let [m, n, _] = request.tile;
    let cta = [if is_pair { shape_div(m, 2)? } else { m }, n];
    // The share of the four warps in the accumulator: two rows of warps where a pair computes 64 rows each.
    let warps: [i64; 2] = if is_pair && m == 128 { [2, 2] } else { [4, 1] };
    match schedule {
        EpilogueSchedule::NoSmemOneSm | EpilogueSchedule::NoSmemTwoSm => {
            from_registers(request, schedule, cta, warps)
        }
        _ => by_tma(request, schedule, cta, warps),
    }
}

fn load(
    request: &EpilogueRequest,
    tile: [i64; 2],
    warps: [i64; 2],
) -> Result<TensorMemoryLoad, Refusal> {
    let part = [shape_div(tile[0], warps[0])?, shape_div(tile[1], warps[1])?];
    TensorMemoryLoad::select(
        request.accumulator.bits(),
        request.d.element.bits(),
        request.d.order,
        part,
    )
}

/// Each thread writes the elements that it loads, 64 columns at a time.
fn from_registers(
    request: &EpilogueRequest,
    schedule: EpilogueSchedule,
    cta: [i64; 2],
    warps: [i64; 2],
) -> Result<Epilogue, NotBuilt> {
    if request.d.element.bits() == 6 {
        return Err(unsupported("Output element requires TMA").into());
    }
    let tile = request.epilogue_tile.unwrap_or([cta[0], cta[1].min(64)]);
    let load = load(request, tile, warps)?;
    tiles_of(cta, tile)?;
    let buffer = match request.fusion.kind {
        // A tree of visitors may reduce over the tile.
        FusionKind::Visitors => Extent::new(tile[0] * tile[1], 16).closed(),
        FusionKind::LinearCombination | FusionKind::Operation => Extent::new(16, 16),
    };
    let storage = Extent::sequence([fusion(request, None)?, buffer]);
    Ok(Epilogue {
        request: *request,
        schedule,
        tile: Some(EpilogueTile::Shape(tile)),
        tma: None,
        tensor_memory_load: Some(load.name()),
        tensors: storage,
        pipeline: Extent::pipeline(0),
        storage,
    })
}

fn by_tma(
    request: &EpilogueRequest,
    schedule: EpilogueSchedule,
    cta: [i64; 2],
    warps: [i64; 2],
) -> Result<Epilogue, NotBuilt> {
    refuse_unless_aligned(request)?;
    let tile = tile(request, cta, warps)?;
    let shape = tile_shape(&tile)?;
    let load = load(request, shape, warps)?;
    let tiles = tiles_of(cta, shape)?;
    let (c, d) = (source(request), request.d);
    let reuses_c = request.c.is_some_and(|c| c.element.bits() > 8);
    let (stages_c, stages_d) = stage_counts(tiles, reuses_c);
    let box_of = contiguous(&tile)?;
    let atom_c = smem_atom(major(c.order), c.element, box_of)?.layout()?;
    let atom_d = smem_atom(major(d.order), d.element, box_of)?.layout()?;
    let stages = Stages::of((&atom_c, c), (&atom_d, d), shape)?;
    let accumulator_bits = request.accumulator.bits();
    let auxiliary = request
        .fusion
        .auxiliary
        .map(|output| smem_atom(major(output.order), output.element, box_of)?.layout())
        .transpose()?;
    let kept = fusion(
        request,
        auxiliary.as_ref().map(|atom| (atom, shape, stages_d)),
    )?;
    let tensors = stages.extent(request, (stages_c, stages_d), reuses_c, kept);
    let pipeline = Extent::pipeline(stages_c);
    Ok(Epilogue {
        request: *request,
        schedule,
        tile: Some(tile),
        tma: Some(TmaEpilogue {
            stages_c,
            stages_d,
            fragment_size: shape[0] * shape[1] / THREADS,
            reuses_c,
            delays_store: request.c.is_none(),
            atom_c,
            atom_d,
            to_shared: load.store(accumulator_bits, d.element.bits(), d.order),
            from_shared: load_of_store(load.store(accumulator_bits, c.element.bits(), c.order)),
        }),
        tensor_memory_load: Some(load.name()),
        tensors,
        pipeline,
        storage: Extent::sequence([tensors, pipeline]),
    })
}

/// 32 lanes for each row of warps, and columns by measured speed.
fn tile(
    request: &EpilogueRequest,
    [cta_m, cta_n]: [i64; 2],
    [warps_m, warps_n]: [i64; 2],
) -> Result<EpilogueTile, Refusal> {
    if let Some(tile) = request.epilogue_tile {
        if tile[1] % 8 != 0 {
            return Err(refused_tile("Unsupported tile shape", tile));
        }
        return Ok(EpilogueTile::Shape(tile));
    }
    let rows = cta_m.min(LANES_OF_A_WARP * warps_m);
    let (c, d) = (source(request), request.d);
    let widest = c.element.bits().max(d.element.bits());
    let fast = match (request.c, widest) {
        (None, 4) => 8192 / rows,
        (None, _) => 4096 / rows,
        (Some(_), 32) if cta_m > 64 && cta_n <= 128 => 16,
        (Some(_), 32) => 32,
        (Some(_), 16) if cta_n <= 128 => 32,
        (Some(_), _) => 64,
    };
    let least = |element_bits: i64, order: MemoryOrder| match (order, element_bits) {
        (MemoryOrder::Column, _) => 8 * warps_n,
        (MemoryOrder::Row, 6) => 128 * warps_n,
        (MemoryOrder::Row, bits) => 128 / bits * warps_n,
    };
    let least_c = request
        .c
        .map_or(8 * warps_n, |c| least(c.element.bits(), c.order));
    let least_d = least(d.element.bits(), d.order);
    if cta_n < least_c || cta_n < least_d {
        return Err(refused_tile("CTA tile too small", [cta_m, cta_n])
            .legal(format!("({cta_m},{})", least_c.max(least_d))));
    }
    let columns = cta_n.min(fast.max(least_c).max(least_d));
    let along_m = Layout::single(Int::fixed(rows), Delta::fixed(1));
    let along_n = Layout::new(
        Tuple::flat([Int::fixed(columns / warps_n), Int::fixed(warps_n)])?,
        Tuple::flat([Delta::fixed(1), Delta::fixed(cta_n / warps_n)])?,
    )?;
    Ok(EpilogueTile::Layouts(Box::new([
        along_m,
        coalesce(&along_n)?,
    ])))
}

fn tile_shape(tile: &EpilogueTile) -> Result<[i64; 2], Refusal> {
    Ok(match tile {
        EpilogueTile::Shape(shape) => *shape,
        EpilogueTile::Layouts(tile) => [extents(&tile[0].shape())?, extents(&tile[1].shape())?],
    })
}

/// The rows and columns of a tile that are adjacent, so that TMA moves them as one box.
fn contiguous(tile: &EpilogueTile) -> Result<[i64; 2], Refusal> {
    let of = |layout: &Layout| -> Result<i64, Refusal> {
        let inverse = coalesce(&right_inverse(layout)?)?;
        known(&inverse.mode(0)?.size()?)
    };
    Ok(match tile {
        EpilogueTile::Shape(shape) => *shape,
        EpilogueTile::Layouts(tile) => [of(&tile[0])?, of(&tile[1])?],
    })
}
