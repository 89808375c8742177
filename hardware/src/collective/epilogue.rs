//! The epilogue that a builder picks: the request, the result, and the common parts of both architectures.

use super::mainloop::{cosize, static_shape, unsupported};
use super::storage::{Extent, round_up};
use super::{EpilogueSchedule, MemoryOrder, NotBuilt, Target};
use super::{blackwell_epilogue, hopper_epilogue};
use crate::element::Element;
use crate::mma::Major;
use crate::refusal::{Refusal, Rule};
use crate::shared_layout::SharedLayout;
use cute_algebra::{Layout, Shape};

/// A matrix of the output: C, which is read, or D, which is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct OutputRequest {
    /// The type of its elements.
    pub element: Element,
    /// Its order.
    pub order: MemoryOrder,
    /// The alignment of its rows or columns, in elements.
    pub alignment: i64,
}

/// The kind of computation between accumulator and output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum FusionKind {
    /// `LinearCombination`: alpha * accumulator + beta * C.
    #[default]
    LinearCombination,
    /// Another operation of CUTLASS (`cutlass::epilogue::fusion`).
    Operation,
    /// A tree of visitors of the user's.
    Visitors,
}

/// The computation between accumulator and output, where shared memory depends on it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Fusion {
    /// The kind of computation.
    pub kind: FusionKind,
    /// The type of a vector over the columns of the tile that it keeps: a bias per column.
    pub column_vector: Option<Element>,
    /// A second matrix that it writes.
    pub auxiliary: Option<OutputRequest>,
}

/// The request to `cutlass::epilogue::collective::CollectiveBuilder`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct EpilogueRequest {
    /// The architecture.
    pub target: Target,
    /// M, N and K of the tile, as for the mainloop.
    pub tile: [i64; 3],
    /// The CTAs of a cluster along M, N and K; `None` where they are known only at run time.
    pub cluster: Option<[i64; 3]>,
    /// M and N of the tile stored at a time; `None` leaves it to the builder (`EpilogueTileAuto`).
    pub epilogue_tile: Option<[i64; 2]>,
    /// The type of the accumulator.
    pub accumulator: Element,
    /// C; `None` for `void`, when nothing is read.
    pub c: Option<OutputRequest>,
    /// D.
    pub d: OutputRequest,
    /// The schedule.
    pub schedule: EpilogueSchedule,
    /// The computation.
    pub fusion: Fusion,
}

/// M and N of the tile stored at a time.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum EpilogueTile {
    /// A shape.
    Shape([i64; 2]),
    /// A layout for each of M and N: where the columns of a pair are not adjacent.
    Layouts(Box<[Layout; 2]>),
}

impl core::fmt::Display for EpilogueTile {
    /// As CuTe prints it.
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            EpilogueTile::Shape([m, n]) => write!(f, "(_{m},_{n})"),
            EpilogueTile::Layouts(tile) => write!(f, "({},{})", tile[0], tile[1]),
        }
    }
}

/// The part of an epilogue that goes through shared memory by TMA.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TmaEpilogue {
    /// Tiles of C in flight.
    pub stages_c: i64,
    /// Tiles of D in flight.
    pub stages_d: i64,
    /// Values that a thread stores at a time.
    pub fragment_size: i64,
    /// Whether D overwrites the tiles of C.
    pub reuses_c: bool,
    /// Whether stores are issued one tile late.
    pub delays_store: bool,
    /// The layout that is repeated for C.
    pub atom_c: SharedLayout,
    /// The layout that is repeated for D.
    pub atom_d: SharedLayout,
    /// CuTe's operation from registers to shared memory.
    pub to_shared: &'static str,
    /// CuTe's operation from shared memory to registers.
    pub from_shared: &'static str,
}

/// The epilogue that was picked.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Epilogue {
    /// The request.
    pub request: EpilogueRequest,
    /// The schedule, with `Auto` resolved.
    pub schedule: EpilogueSchedule,
    /// M and N of the tile stored at a time; `None` where a thread stores its own elements.
    pub tile: Option<EpilogueTile>,
    /// The part that goes through shared memory; `None` where nothing does.
    pub tma: Option<TmaEpilogue>,
    /// The instruction that loads the accumulator from tensor memory (SM100).
    pub tensor_memory_load: Option<String>,
    /// The tensors of all stages and the storage of the fusion.
    pub tensors: Extent,
    /// The barriers of the loads of C.
    pub pipeline: Extent,
    /// `sizeof(CollectiveEpilogue::SharedStorage)`.
    pub storage: Extent,
}

impl Epilogue {
    /// The epilogue that CUTLASS 4.2 picks.
    ///
    /// # Errors
    /// The builder's refusals, and requests that are not modelled.
    pub fn build(request: &EpilogueRequest) -> Result<Self, NotBuilt> {
        refuse_unless_sensible(request)?;
        match request.target {
            Target::Sm90 => hopper_epilogue::build(request),
            Target::Sm100 => blackwell_epilogue::build(request),
        }
    }

    /// The bytes that `StageCountAutoCarveoutEpi` sets aside for it: its tensors and its barriers, each rounded up.
    pub fn carveout_bytes(&self) -> i64 {
        round_up(self.tensors.bytes, self.tensors.align.max(128))
            + round_up(self.pipeline.bytes, 16)
    }

    /// The policy as a compiler prints it.
    pub fn policy_type(&self) -> String {
        let scope = match (&self.tma, self.request.target) {
            (None, Target::Sm90) => "cutlass::gemm",
            _ => "cutlass::epilogue",
        };
        format!("{scope}::{}", self.policy_name())
    }

    /// CUTLASS's name of the policy, without name spaces.
    pub fn policy_name(&self) -> String {
        let Some(tma) = &self.tma else {
            return match self.request.target {
                Target::Sm90 => "EpilogueDefault".to_owned(),
                Target::Sm100 => "Sm100NoSmem".to_owned(),
            };
        };
        format!(
            "{}TmaWarpSpecialized<{}, {}, {}, {}, {}>",
            self.request.target.name(),
            tma.stages_c,
            tma.stages_d,
            tma.fragment_size,
            tma.reuses_c,
            tma.delays_store
        )
    }
}

fn refuse_unless_sensible(request: &EpilogueRequest) -> Result<(), NotBuilt> {
    const LARGEST: i64 = 1 << 16;
    let cluster = request.cluster.unwrap_or([1; 3]);
    let epilogue_tile = request.epilogue_tile.unwrap_or([1; 2]);
    let extents = request.tile.iter().chain(&cluster).chain(&epilogue_tile);
    let alignments = request
        .c
        .iter()
        .chain([&request.d])
        .map(|output| output.alignment);
    if extents
        .copied()
        .chain(alignments)
        .all(|extent| (1..=LARGEST).contains(&extent))
    {
        Ok(())
    } else {
        Err(NotBuilt::NotModelled("such extents"))
    }
}

/// C and D are aligned for TMA: 16 bytes, or 96 for elements of 6 bits.
pub(super) fn refuse_unless_aligned(request: &EpilogueRequest) -> Result<(), Refusal> {
    for (name, output) in [
        ("alignment_c", request.c.as_ref()),
        ("alignment_d", Some(&request.d)),
    ] {
        let Some(output) = output else { continue };
        let bits = output.element.bits();
        let required = if bits == 6 { 768 } else { 128 };
        if (bits * output.alignment) % required != 0 {
            return Err(unsupported("C/D Should meet TMA alignment requirement")
                .with(name, output.alignment)
                .legal((required / bits).to_string()));
        }
    }
    Ok(())
}

/// The mode of the output along which elements are adjacent; K means N.
pub(super) fn major(order: MemoryOrder) -> Major {
    match order {
        MemoryOrder::Row => Major::K,
        MemoryOrder::Column => Major::Mn,
    }
}

/// The source where `void` says that nothing is read: CUTLASS takes the type and the order of D.
pub(super) fn source(request: &EpilogueRequest) -> OutputRequest {
    request.c.unwrap_or(request.d)
}

/// One tile of the output in shared memory.
pub(super) fn stage(
    atom: &SharedLayout,
    tile: [i64; 2],
    order: MemoryOrder,
) -> Result<SharedLayout, Refusal> {
    let modes: [i64; 2] = match major(order) {
        Major::Mn => [2, 1],
        Major::K => [1, 2],
    };
    crate::smem_atom::tile_to_shape(atom, &static_shape(&tile)?, Some(&static_shape(&modes)?))
}

/// The stages of C and D in shared memory.
pub(super) struct Stages {
    /// One tile of C, in bits.
    pub(super) c_bits: i64,
    /// One tile of D, in bits.
    pub(super) d_bits: i64,
    /// Alignments of C and D, in bytes.
    pub(super) aligns: [i64; 2],
}

impl Stages {
    pub(super) fn of(
        (atom_c, c): (&SharedLayout, OutputRequest),
        (atom_d, d): (&SharedLayout, OutputRequest),
        tile: [i64; 2],
    ) -> Result<Self, Refusal> {
        let (stage_c, stage_d) = (stage(atom_c, tile, c.order)?, stage(atom_d, tile, d.order)?);
        Ok(Stages {
            c_bits: cosize(&stage_c)? * c.element.bits(),
            d_bits: cosize(&stage_d)? * d.element.bits(),
            aligns: [swizzle_alignment(atom_c), swizzle_alignment(atom_d)],
        })
    }

    /// The tensors with the storage of the fusion behind them.
    pub(super) fn extent(
        &self,
        request: &EpilogueRequest,
        (stages_c, stages_d): (i64, i64),
        reuses_c: bool,
        fusion: Extent,
    ) -> Extent {
        let array = |bits: i64, stages: i64, align: i64| {
            Extent::new((bits * stages + 7) / 8, 16)
                .closed()
                .aligned(align)
        };
        let [align_c, align_d] = self.aligns;
        let collective = if request.c.is_none() {
            Extent::union([array(self.d_bits, stages_d, align_d)])
        } else if reuses_c {
            let widest = self.c_bits.max(self.d_bits);
            Extent::union([array(widest, stages_c, align_c.max(align_d))])
        } else {
            Extent::sequence([
                array(self.c_bits, stages_c, align_c),
                array(self.d_bits, stages_d, align_d),
            ])
        };
        Extent::sequence([collective, fusion])
    }
}

/// The shared memory of the fusion, where its matrix has `stages` tiles of this atom.
pub(super) fn fusion(
    request: &EpilogueRequest,
    auxiliary: Option<(&SharedLayout, [i64; 2], i64)>,
) -> Result<Extent, Refusal> {
    let vector = request
        .fusion
        .column_vector
        .map(|element| Extent::new((element.bits() * request.tile[1] + 7) / 8, 16).closed());
    let matrix = match (request.fusion.auxiliary, auxiliary) {
        (Some(output), Some((atom, tile, stages))) => {
            let elements = cosize(&stage(atom, tile, output.order)?)? * stages;
            let bytes = (elements * output.element.bits() + 7) / 8;
            Some(Extent::new(bytes, swizzle_alignment(atom)).closed())
        }
        _ => None,
    };
    Ok(Extent::sequence(vector.into_iter().chain(matrix)))
}

/// The bytes after which the pattern of a swizzle repeats.
fn swizzle_alignment(layout: &SharedLayout) -> i64 {
    let swizzle = layout.swizzle;
    1 << (swizzle.bits() + swizzle.base() + swizzle.shift().abs()).clamp(0, 20)
}

/// CuTe's `AutoVectorizingCopyWithAssumedAlignment` of 16 bytes.
pub(super) const VECTORISED: &str = "AutoVectorizingCopyWithAssumedAlignment<128>";

/// The load that goes with a store: `ldmatrix` with `stmatrix`.
pub(super) fn load_of_store(store: &str) -> &'static str {
    match store {
        "SM90_U32x4_STSM_N" => "SM75_U32x4_LDSM_N",
        "SM90_U16x8_STSM_T" => "SM75_U16x8_LDSM_T",
        "SM90_U32x2_STSM_N" => "SM75_U32x2_LDSM_N",
        "SM90_U16x4_STSM_T" => "SM75_U16x4_LDSM_T",
        "SM100_U8x16_STSM_T" => "SM100_U8x16_LDSM_T",
        "SM100_U8x8_STSM_T" => "SM100_U8x8_LDSM_T",
        _ => VECTORISED,
    }
}

/// Number of tiles of C and D in flight: four and two, or as many as there are; one more of C than of D when D
/// overwrites C.
pub(super) fn stage_counts(tiles: i64, reuses_c: bool) -> (i64, i64) {
    let stages_d = tiles.min(2);
    let stages_c = tiles.min(4);
    if reuses_c {
        (stages_c.max(stages_d + 1), stages_d)
    } else {
        (stages_c, stages_d)
    }
}

pub(super) fn refused_tile(text: &'static str, tile: [i64; 2]) -> Refusal {
    Refusal::asserted(Rule::CollectiveTile, text)
        .with("tile_m", tile[0])
        .with("tile_n", tile[1])
}

/// The size of a static shape of two modes.
pub(super) fn tiles_of([m, n]: [i64; 2], tile: [i64; 2]) -> Result<i64, Refusal> {
    Ok(super::shape_div(m, tile[0])? * super::shape_div(n, tile[1])?)
}

/// Shapes of layouts, as a static shape.
pub(super) fn extents(shape: &Shape) -> Result<i64, Refusal> {
    super::mainloop::known(&shape.size()?)
}
