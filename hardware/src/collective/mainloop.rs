//! The mainloop that a builder picks: the request, the result, and the common parts of both architectures.

use super::names::shape_type;
use super::storage::Extent;
use super::{KernelSchedule, NotBuilt, OperandRequest, StageCount, Target};
use super::{blackwell_mainloop, hopper_mainloop};
use crate::element::Element;
use crate::mma::Major;
use crate::refusal::{Refusal, Rule};
use crate::shared_layout::SharedLayout;
use crate::tiled::TiledMma;
use crate::tiled::fragment::accumulator;
use cute_algebra::{Int, IntTuple, Layout, Shape, Tuple};

/// The request to `cutlass::gemm::collective::CollectiveBuilder`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MainloopRequest {
    /// The architecture.
    pub target: Target,
    /// Operand A, M x K.
    pub a: OperandRequest,
    /// Operand B, K x N.
    pub b: OperandRequest,
    /// The type of the accumulator.
    pub accumulator: Element,
    /// M, N and K of the tile: of a CTA on SM90, of one MMA on SM100 (both CTAs of a pair).
    pub tile: [i64; 3],
    /// The CTAs of a cluster along M, N and K; `None` where they are known only at run time.
    pub cluster: Option<[i64; 3]>,
    /// Number of stages.
    pub stages: StageCount,
    /// The schedule.
    pub schedule: KernelSchedule,
    /// Whether `CUTE_SM90_EXTENDED_MMA_SHAPES_ENABLED` is defined.
    pub extended_shapes: bool,
}

/// The way of an operand into shared memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TmaLoad {
    /// TMA for one CTA.
    Load,
    /// TMA for several CTAs of the cluster.
    Multicast,
    /// TMA for a CTA of a pair.
    Load2Sm,
    /// TMA for several pairs of the cluster.
    Multicast2Sm,
}

impl TmaLoad {
    /// CuTe's copy operation.
    pub fn name(self) -> &'static str {
        match self {
            TmaLoad::Load => "SM90_TMA_LOAD",
            TmaLoad::Multicast => "SM90_TMA_LOAD_MULTICAST",
            TmaLoad::Load2Sm => "SM100_TMA_2SM_LOAD",
            TmaLoad::Multicast2Sm => "SM100_TMA_2SM_LOAD_MULTICAST",
        }
    }
}

/// The class template of a mainloop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Policy {
    /// `MainloopSm90TmaGmma`: TMA without specialised warps.
    TmaGmma,
    /// `MainloopSm90TmaGmmaWarpSpecialized`.
    TmaGmmaWarpSpecialized,
    /// `MainloopSm90TmaGmmaWarpSpecializedFP8`: sums of 8-bit floats are promoted to full precision.
    TmaGmmaWarpSpecializedFp8,
    /// `MainloopSm90TmaGmmaRmemAWarpSpecialized`: A goes through registers.
    RegisterA,
    /// `MainloopSm90TmaGmmaRmemAWarpSpecializedMixedInput`: the narrow operand is converted in registers.
    RegisterAMixedInput,
    /// `MainloopSm100TmaUmmaWarpSpecialized`.
    TmaUmma(UmmaStages),
}

/// The stages beside those of the operands, on SM100.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct UmmaStages {
    /// Of the tile scheduler.
    pub scheduler: i64,
    /// Of the accumulator in tensor memory.
    pub accumulator: i64,
}

impl Policy {
    /// The name of CUTLASS's class template.
    pub fn name(self) -> &'static str {
        match self {
            Policy::TmaGmma => "MainloopSm90TmaGmma",
            Policy::TmaGmmaWarpSpecialized => "MainloopSm90TmaGmmaWarpSpecialized",
            Policy::TmaGmmaWarpSpecializedFp8 => "MainloopSm90TmaGmmaWarpSpecializedFP8",
            Policy::RegisterA => "MainloopSm90TmaGmmaRmemAWarpSpecialized",
            Policy::RegisterAMixedInput => "MainloopSm90TmaGmmaRmemAWarpSpecializedMixedInput",
            Policy::TmaUmma(_) => "MainloopSm100TmaUmmaWarpSpecialized",
        }
    }
}

/// An operand with its stages in shared memory.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct StagedOperand {
    /// The request.
    pub request: OperandRequest,
    /// The type that the tensor core multiplies, where the builder maps it (`float` to `tfloat32_t`).
    pub mma_element: Element,
    /// The layout that is repeated: `SmemLayoutAtomA`.
    pub atom: SharedLayout,
    /// All stages: `SmemLayoutA`. Where the builder exchanges A and B, this is of the operand that the MMA calls so.
    pub layout: SharedLayout,
    /// The way there.
    pub load: TmaLoad,
    /// The bytes of one stage in shared memory of one CTA.
    pub stage_bytes: i64,
}

/// The mainloop that was picked.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Mainloop {
    /// The request.
    pub request: MainloopRequest,
    /// The class of mainloop.
    pub policy: Policy,
    /// The schedule, with `Auto` resolved.
    pub schedule: KernelSchedule,
    /// Number of tiles of A and B in shared memory.
    pub stages: i64,
    /// The MMA of a tile.
    pub mma: TiledMma,
    /// Operand A.
    pub a: StagedOperand,
    /// Operand B.
    pub b: StagedOperand,
    /// Whether the MMA multiplies B by A, because it takes the operand that goes through registers first.
    pub is_swapped: bool,
    /// The bytes that TMA brings for one stage: the expectation of the barrier of a stage.
    pub transaction_bytes: i64,
    /// The tensors of all stages.
    pub tensors: Extent,
    /// The barriers of all stages.
    pub pipeline: Extent,
    /// `sizeof(CollectiveMainloop::SharedStorage)`.
    pub storage: Extent,
    /// CUTLASS's `CtaShape_MNK`: on SM90 the tile over the cluster, on SM100 the tile of one CTA. Mainloops that take no
    /// notice of it have none.
    pub cta_shape: Option<[i64; 3]>,
}

impl Mainloop {
    /// The mainloop that CUTLASS 4.2 picks.
    ///
    /// # Errors
    /// The builder's refusals, and requests that are not modelled.
    pub fn build(request: &MainloopRequest) -> Result<Self, NotBuilt> {
        refuse_unless_sensible(request)?;
        match request.target {
            Target::Sm90 => hopper_mainloop::build(request),
            Target::Sm100 => blackwell_mainloop::build(request),
        }
    }

    /// The bytes of one stage of A and B in the shared memory of one CTA.
    pub fn stage_bytes(&self) -> i64 {
        self.a.stage_bytes + self.b.stage_bytes
    }

    /// The accumulator of a tile: registers of a thread, or addresses in tensor memory.
    pub fn accumulator(&self) -> Result<Layout, Refusal> {
        let [m, n, _] = self.request.tile;
        accumulator(&self.mma, &static_shape(&[m, n])?)
    }

    /// The threads that multiply: CuTe's `size(TiledMma)`; on SM100 the CTAs of one MMA.
    pub fn mma_threads(&self) -> Result<i64, Refusal> {
        known(&self.mma.size()?)
    }

    /// The policy as a compiler prints it; `None` where the cluster is known only at run time.
    pub fn policy_type(&self) -> Option<String> {
        let cluster = shape_type(&self.request.cluster?);
        let (name, stages) = (self.policy.name(), self.stages);
        let gemm = "cutlass::gemm";
        Some(match self.policy {
            Policy::TmaGmma => format!("{gemm}::{name}<{stages}, {cluster}, 1>"),
            Policy::TmaUmma(UmmaStages {
                scheduler,
                accumulator,
            }) => format!("{gemm}::{name}<{stages}, {scheduler}, {accumulator}, {cluster} >"),
            _ => format!(
                "{gemm}::{name}<{stages}, {cluster}, {gemm}::{}>",
                self.schedule.name()
            ),
        })
    }
}

/// Extents that no builder takes make no sense to calculate with.
fn refuse_unless_sensible(request: &MainloopRequest) -> Result<(), NotBuilt> {
    const LARGEST: i64 = 1 << 16;
    let is_sensible = |extent: &i64| (1..=LARGEST).contains(extent);
    let cluster = request.cluster.unwrap_or([1; 3]);
    if request.tile.iter().chain(&cluster).all(is_sensible)
        && (1..=LARGEST).contains(&request.a.alignment)
        && (1..=LARGEST).contains(&request.b.alignment)
    {
        Ok(())
    } else {
        Err(NotBuilt::NotModelled("such extents"))
    }
}

/// The bytes of `count` elements.
pub(super) fn bytes_of(element: Element, count: i64) -> i64 {
    (element.bits() * count + 7) / 8
}

/// CUTLASS's test for TMA: `sizeof(Element) * alignment` is a multiple of 16 bytes.
pub(super) fn is_tma_aligned(operand: &OperandRequest) -> bool {
    ((operand.element.bits() + 7) / 8 * operand.alignment) % 16 == 0
}

/// The type that the tensor core multiplies.
pub(super) fn with_tf32(element: Element) -> Element {
    match element {
        Element::F32 => Element::Tf32,
        other => other,
    }
}

pub(super) fn static_shape(extents: &[i64]) -> Result<Shape, Refusal> {
    Ok(Tuple::flat(extents.iter().copied().map(Int::fixed))?)
}

/// The order in which tiles are repeated: along M or N first when global memory is contiguous along it.
pub(super) fn tile_order(major: Major) -> Result<IntTuple, Refusal> {
    let order = match major {
        Major::Mn => [2, 1, 3],
        Major::K => [1, 2, 3],
    };
    static_shape(&order)
}

pub(super) fn known(int: &Int) -> Result<i64, Refusal> {
    int.value().ok_or_else(|| {
        Refusal::uncompilable(Rule::OutOfRange, "not a constant").with("value", int.to_string())
    })
}

pub(super) fn cosize(layout: &SharedLayout) -> Result<i64, Refusal> {
    known(&layout.layout.cosize()?)
}

/// The refusal of a request for a collective that the builder does not have.
pub(super) fn no_such_collective() -> Refusal {
    Refusal::asserted(
        Rule::CollectiveUnsupported,
        "Could not build a collective for given parameters.",
    )
}

pub(super) fn unsupported(text: &'static str) -> Refusal {
    Refusal::asserted(Rule::CollectiveUnsupported, text)
}
