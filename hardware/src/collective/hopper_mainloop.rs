//! Mainloops of SM90: `wgmma` fed by TMA, with A in shared memory or through registers.

use super::mainloop::{
    bytes_of, cosize, is_tma_aligned, known, no_such_collective, static_shape, tile_order,
    unsupported, with_tf32,
};
use super::schedule::KernelFamily;
use super::storage::{Extent, round_up};
use super::{
    KernelSchedule, Mainloop, MainloopRequest, MemoryOrder, NotBuilt, OperandRequest, Policy,
    SHARED_MEMORY_BYTES, StageCount, StagedOperand, TmaLoad, shape_div,
};
use crate::element::Element;
use crate::mma::Major;
use crate::mma::selector::{WgmmaRequest, select_wgmma};
use crate::refusal::{Refusal, Rule};
use crate::shared_layout::SharedLayout;
use crate::smem_atom::{SMALLEST_MN, SmemAtom, Span, select_smem_atom, tile_to_shape};
use crate::tiled::TiledMma;
use cute_algebra::Layout;

/// A full and an empty barrier of one stage.
const STAGE_BARRIER_BYTES: i64 = 16;
/// The alignment that the builder assumes of the tensors of a stage.
const TENSOR_ALIGNMENT: i64 = 128;

pub(super) fn build(request: &MainloopRequest) -> Result<Mainloop, NotBuilt> {
    if request.cluster.is_none() {
        return Err(unsupported("is_static<ClusterShape_MNK>::value").into());
    }
    let operands = Operands::of(request);
    let schedule = resolve(request, &operands)?;
    match schedule.family() {
        KernelFamily::Auto | KernelFamily::Umma => Err(no_such_collective().into()),
        KernelFamily::Tma if operands.a_in_registers() => Err(no_such_collective().into()),
        _ if schedule.is_fast_accumulation() => {
            refuse_unless_aligned(request, "Not meet TMA alignment requirement yet")?;
            if !operands.are_fp8() {
                return Err(unsupported(
                    "Only FP8 datatypes are compatible with these kernel schedules",
                )
                .into());
            }
            if operands.a_in_registers() {
                return Err(unsupported(
                    "Not supported for fp8 non-TN warp specialized kernels yet",
                )
                .into());
            }
            from_shared_memory(request, &operands, schedule)
        }
        _ => {
            refuse_unless_aligned(request, "Should meet TMA alignment requirement")?;
            if operands.a_in_registers() {
                through_registers(request, &operands, schedule)
            } else {
                from_shared_memory(request, &operands, schedule)
            }
        }
    }
}

/// The decisions of the types and orders of A and B.
struct Operands {
    a: Element,
    b: Element,
    a_major: Major,
    b_major: Major,
}

impl Operands {
    fn of(request: &MainloopRequest) -> Self {
        Operands {
            a: request.a.element,
            b: request.b.element,
            a_major: match request.a.order {
                MemoryOrder::Row => Major::K,
                MemoryOrder::Column => Major::Mn,
            },
            b_major: match request.b.order {
                MemoryOrder::Row => Major::Mn,
                MemoryOrder::Column => Major::K,
            },
        }
    }

    fn are_mixed(&self) -> bool {
        self.a.bits() != self.b.bits()
    }

    fn are_two_bytes(&self) -> bool {
        self.a.bits() == 16 && self.b.bits() == 16
    }

    fn are_fp8(&self) -> bool {
        let is_fp8 = |element| matches!(element, Element::E4m3 | Element::E5m2);
        is_fp8(self.a) && is_fp8(self.b)
    }

    /// `wgmma` reads operands of other than two bytes along K only, so that one of them has to be turned in registers.
    fn a_in_registers(&self) -> bool {
        self.are_mixed()
            || (!self.are_two_bytes() && (self.a_major, self.b_major) != (Major::K, Major::K))
    }

    /// A along K and B along N: B is turned, as operand A of the exchanged product.
    fn is_swapped(&self) -> bool {
        if self.are_mixed() {
            self.a.bits() > self.b.bits()
        } else {
            !self.are_two_bytes() && (self.a_major, self.b_major) == (Major::K, Major::Mn)
        }
    }

    /// Neither is contiguous along K: B is turned in shared memory.
    fn transposes_b(&self) -> bool {
        !self.are_two_bytes() && (self.a_major, self.b_major) == (Major::Mn, Major::Mn)
    }
}

fn refuse_unless_aligned(request: &MainloopRequest, text: &'static str) -> Result<(), Refusal> {
    for (name, operand) in [("alignment_a", &request.a), ("alignment_b", &request.b)] {
        if !is_tma_aligned(operand) {
            let bytes = (operand.element.bits() + 7) / 8;
            return Err(unsupported(text)
                .with(name, operand.alignment)
                .legal((16 / bytes).max(1).to_string()));
        }
    }
    Ok(())
}

/// `KernelScheduleAuto`: cooperative, or pingpong for tiles of 64 rows (with a toolkit of 12.1 or later).
fn resolve(request: &MainloopRequest, operands: &Operands) -> Result<KernelSchedule, NotBuilt> {
    if request.schedule != KernelSchedule::Auto {
        return Ok(request.schedule);
    }
    if !(is_tma_aligned(&request.a) && is_tma_aligned(&request.b)) {
        if operands.are_mixed() {
            return Err(unsupported(
                "Only TMA warp specialized kernels are supported for mixed width input.",
            )
            .into());
        }
        return Err(NotBuilt::NotModelled("mainloops without TMA (cp.async)"));
    }
    Ok(if request.tile[0] == 64 {
        KernelSchedule::Pingpong
    } else {
        KernelSchedule::Cooperative
    })
}

/// `StageCountAutoCarveout`: how many stages fit beside the carveout, every part rounded up to `alignment`.
fn stage_count(asked: StageCount, stage_bytes: i64, alignment: i64) -> i64 {
    match asked {
        StageCount::Fixed(stages) => stages,
        StageCount::Auto { carveout } => {
            let capacity = SHARED_MEMORY_BYTES / alignment * alignment;
            let stage = round_up(stage_bytes, alignment) + STAGE_BARRIER_BYTES;
            (capacity - round_up(carveout, alignment)) / stage
        }
    }
}

fn refuse_unless_staged(stages: i64, stage_bytes: i64, text: &'static str) -> Result<(), Refusal> {
    if stages >= 2 {
        return Ok(());
    }
    Err(Refusal::asserted(Rule::CollectiveStages, text)
        .with("stages", stages)
        .with("stage_bytes", stage_bytes)
        .legal("2"))
}

fn load(cluster: Option<[i64; 3]>, along: usize) -> TmaLoad {
    match cluster.and_then(|cluster| cluster.get(along).copied()) {
        Some(1) => TmaLoad::Load,
        _ => TmaLoad::Multicast,
    }
}

fn cta_shape(request: &MainloopRequest) -> Result<[i64; 3], Refusal> {
    let [m, n, k] = request.tile;
    let [over_m, over_n, over_k] = request.cluster.unwrap_or([1; 3]);
    Ok([
        shape_div(m, over_m)?,
        shape_div(n, over_n)?,
        shape_div(k, over_k)?,
    ])
}

/// One warp group, or two along M.
fn tiled(atom: crate::mma::MmaAtom, is_cooperative: bool) -> Result<TiledMma, Refusal> {
    let groups = if is_cooperative { 2 } else { 1 };
    TiledMma::new(
        atom,
        Some(Layout::left(static_shape(&[groups, 1, 1])?)?),
        vec![],
    )
}

/// The atom repeated over a tile and its stages.
///
/// Errors: a tile that the atom does not divide, as an operand of the exchanged product may have.
fn staged(
    atom: &SharedLayout,
    tile: [i64; 2],
    stages: i64,
    major: Major,
) -> Result<SharedLayout, Refusal> {
    let [mn, k] = tile;
    for (mode, extent) in [(0, mn), (1, k)] {
        let of_atom = known(&atom.layout.mode(mode)?.size()?)?;
        if extent % of_atom != 0 {
            return Err(Refusal::asserted(
                Rule::CollectiveTile,
                "SmemLayoutAtom must evenly divide tile shape.",
            )
            .with("extent", extent)
            .with("atom_extent", of_atom)
            .legal(((extent / of_atom).max(1) * of_atom).to_string()));
        }
    }
    tile_to_shape(
        atom,
        &static_shape(&[mn, k, stages])?,
        Some(&tile_order(major)?),
    )
}

/// Both operands come from shared memory.
fn from_shared_memory(
    request: &MainloopRequest,
    operands: &Operands,
    schedule: KernelSchedule,
) -> Result<Mainloop, NotBuilt> {
    let [m, n, k] = request.tile;
    let (a, b) = (with_tf32(operands.a), with_tf32(operands.b));
    let atom = select_wgmma(&WgmmaRequest {
        a,
        b,
        accumulator: request.accumulator,
        tile: request.tile,
        major_a: operands.a_major,
        major_b: operands.b_major,
        a_in_registers: false,
        sparse: false,
        extended_shapes: request.extended_shapes,
    })?;
    let mma = tiled(atom, schedule.family() == KernelFamily::Cooperative)?;
    let atom_a = select_smem_atom(operands.a_major, a, m, k)?.layout()?;
    let atom_b = select_smem_atom(operands.b_major, b, n, k)?.layout()?;
    let (bytes_a, bytes_b) = (bytes_of(a, m * k), bytes_of(b, n * k));
    let stages = stage_count(request.stages, bytes_a + bytes_b, TENSOR_ALIGNMENT);
    let policy = match schedule.family() {
        KernelFamily::Tma => Policy::TmaGmma,
        _ if operands.are_fp8() && !schedule.is_fast_accumulation() => {
            Policy::TmaGmmaWarpSpecializedFp8
        }
        _ => Policy::TmaGmmaWarpSpecialized,
    };
    let cta_shape = cta_shape(request)?;
    let layout_a = staged(&atom_a, [m, k], stages.max(1), operands.a_major)?;
    let layout_b = staged(&atom_b, [n, k], stages.max(1), operands.b_major)?;
    let text = match policy {
        Policy::TmaGmmaWarpSpecialized => "Specialization requires Stages set to value 2 or more.",
        _ => "Specialization requires Stages set to value 1 or more.",
    };
    refuse_unless_staged(stages, bytes_a + bytes_b, text)?;
    let arrays = [
        Extent::new(bytes_of(a, cosize(&layout_a)?), 16).closed(),
        Extent::new(bytes_of(b, cosize(&layout_b)?), 16).closed(),
    ];
    let is_plain = policy == Policy::TmaGmma;
    let alignment = if is_plain { 16 } else { TENSOR_ALIGNMENT };
    let tensors = Extent::sequence(arrays).aligned(alignment).closed();
    let pipeline = Extent::pipeline(stages);
    let storage = Extent::sequence([tensors, pipeline.aligned(if is_plain { 16 } else { 1 })]);
    Ok(Mainloop {
        request: *request,
        policy,
        schedule,
        stages,
        mma,
        a: operand(
            request.a,
            a,
            atom_a,
            layout_a,
            load(request.cluster, 1),
            bytes_a,
        ),
        b: operand(
            request.b,
            b,
            atom_b,
            layout_b,
            load(request.cluster, 0),
            bytes_b,
        ),
        is_swapped: false,
        transaction_bytes: bytes_of(operands.a, m * k) + bytes_of(operands.b, n * k),
        tensors,
        pipeline,
        storage,
        cta_shape: Some(cta_shape),
    })
}

fn operand(
    request: OperandRequest,
    mma_element: Element,
    atom: SharedLayout,
    layout: SharedLayout,
    load: TmaLoad,
    stage_bytes: i64,
) -> StagedOperand {
    StagedOperand {
        request,
        mma_element,
        atom,
        layout,
        load,
        stage_bytes,
    }
}

/// CUTLASS's `rs_smem_selector`: along M or N, elements of four bytes avoid the wide swizzles, whose banks conflict, and
/// an operand that is turned in shared memory has one span only.
fn register_atom(
    major: Major,
    element: Element,
    [mn, k]: [i64; 2],
    is_transposed: bool,
) -> Result<SmemAtom, Refusal> {
    let spans: &[Span] = match (major, element.bits(), is_transposed) {
        (Major::Mn, 32 | 64, true) => &[Span::B32],
        (Major::Mn, 32 | 64, false) => &[Span::B32, Span::B16],
        (Major::Mn, 8, true) => &[Span::B128],
        _ => return select_smem_atom(major, element, mn, k),
    };
    // The same multiples of eight are asserted first.
    select_smem_atom(Major::K, Element::U128, mn, k.max(8) / 8 * 8)?;
    let atoms = || {
        spans
            .iter()
            .map(|span| SmemAtom::dense(major, *span, element.bits()))
    };
    atoms()
        .find(|atom| mn % atom.extents()[0] == 0)
        .ok_or_else(|| {
            let smallest = atoms().map(|atom| atom.extents()[0]).min().unwrap_or(8);
            let text = match (element.bits(), is_transposed) {
                (8, _) => {
                    "BLK_MN0 must be a multiple of size<0>(GMMA::Layout_MN_128_Atom<ElementType>{})"
                }
                (_, true) => {
                    "BLK_MN0 must be a multiple of size<0>(GMMA::Layout_MN_SW32_Atom<ElementType>{})"
                }
                _ => SMALLEST_MN,
            };
            Refusal::asserted(Rule::NotCanonical, text)
            .with("extent", mn)
            .with("atom_extent", smallest)
            .legal((mn / smallest * smallest).max(smallest).to_string())
        })
}

/// One operand goes through registers: it is converted there, or turned.
fn through_registers(
    request: &MainloopRequest,
    operands: &Operands,
    schedule: KernelSchedule,
) -> Result<Mainloop, NotBuilt> {
    let [m, n, k] = request.tile;
    let (is_mixed, is_swapped) = (operands.are_mixed(), operands.is_swapped());
    let is_transposed = operands.transposes_b();
    let (a, b) = (with_tf32(operands.a), with_tf32(operands.b));
    if is_mixed {
        refuse_mixed(operands, is_swapped, is_transposed)?;
    }
    // The operand that the MMA calls A, and the one it calls B.
    let (first, second) = if is_swapped { (b, a) } else { (a, b) };
    let atom = select_wgmma(&WgmmaRequest {
        a: if is_mixed { second } else { first },
        b: second,
        accumulator: request.accumulator,
        tile: request.tile,
        major_a: Major::K,
        major_b: Major::K,
        a_in_registers: true,
        sparse: false,
        extended_shapes: request.extended_shapes,
    })?;
    // In mixed products the operand that stays in shared memory may be contiguous along M or N.
    let mma = tiled(atom, schedule.family() == KernelFamily::Cooperative)?;
    let atom_a = register_atom(operands.a_major, a, [m, k], is_transposed)?.layout()?;
    let atom_b = register_atom(operands.b_major, b, [n, k], is_transposed)?.layout()?;
    let StageCount::Auto { .. } = request.stages else {
        let text = "the stage count has no member `bytes`, which this mainloop reads";
        return Err(Refusal::uncompilable(Rule::CollectiveUnsupported, text)
            .legal("StageCountAutoCarveout<bytes>")
            .into());
    };
    let alignment = swizzle_alignment(&atom_a).max(swizzle_alignment(&atom_b));
    let (stage_a, stage_b) = (bytes_of(first, m * k), bytes_of(second, n * k));
    let stages = stage_count(request.stages, stage_a + stage_b, alignment);
    let ((inner_a, major_a), (inner_b, major_b)) = {
        let (a, b) = ((&atom_a, operands.a_major), (&atom_b, operands.b_major));
        if is_swapped { (b, a) } else { (a, b) }
    };
    let cta_shape = cta_shape(request)?;
    let layout_a = staged(inner_a, [m, k], stages.max(1), major_a)?;
    let layout_b = staged(inner_b, [n, k], stages.max(1), major_b)?;
    refuse_unless_staged(
        stages,
        stage_a + stage_b,
        "Specialization requires Stages set to value 2 or more.",
    )?;
    if is_transposed {
        refuse_unless_transposable(second, k)?;
    }
    let (align_a, align_b) = (swizzle_alignment(&layout_a), swizzle_alignment(&layout_b));
    let arrays = [
        Extent::new(bytes_of(first, cosize(&layout_a)?), align_a).closed(),
        Extent::new(bytes_of(second, cosize(&layout_b)?), align_b).closed(),
    ];
    let tensors = if is_mixed {
        // Behind them are the scales and zeros that a plain conversion does not have.
        let nothing = Extent::new(16, 16);
        Extent::sequence([arrays[0], arrays[1], nothing, nothing])
    } else {
        Extent::sequence(arrays)
    };
    let pipeline = Extent::pipeline(stages);
    Ok(Mainloop {
        request: *request,
        policy: if is_mixed {
            Policy::RegisterAMixedInput
        } else {
            Policy::RegisterA
        },
        schedule,
        stages,
        mma,
        a: operand(
            request.a,
            a,
            atom_a,
            layout_a,
            load(request.cluster, 1),
            stage_a,
        ),
        b: operand(
            request.b,
            b,
            atom_b,
            layout_b,
            load(request.cluster, 0),
            stage_b,
        ),
        is_swapped,
        transaction_bytes: stage_a + stage_b,
        tensors,
        pipeline,
        storage: Extent::sequence([tensors, pipeline]),
        cta_shape: Some(cta_shape),
    })
}

/// The bytes after which the pattern of a swizzle repeats; CUTLASS takes those of 16-byte units also where nothing is
/// permuted.
fn swizzle_alignment(layout: &SharedLayout) -> i64 {
    let swizzle = layout.swizzle;
    1 << (swizzle.bits() + swizzle.base() + swizzle.shift().abs()).clamp(0, 20)
}

/// The requirements of conversion in registers on the operands.
fn refuse_mixed(operands: &Operands, is_swapped: bool, is_transposed: bool) -> Result<(), Refusal> {
    if is_transposed {
        return Err(unsupported(
            "Mixed input GEMM does not support WS transpose B.",
        ));
    }
    let ((narrow_major, _), (wide_major, wide)) = {
        let (a, b) = (
            (operands.a_major, operands.a),
            (operands.b_major, operands.b),
        );
        if is_swapped { (b, a) } else { (a, b) }
    };
    if wide_major == Major::Mn && wide.bits() != 16 {
        return Err(unsupported(
            "Mixed input GEMM does not support MN major layout except for 16bit",
        ));
    }
    if narrow_major == Major::Mn {
        return Err(unsupported("The transformed type must be K-major."));
    }
    Ok(())
}

/// The transposition of B in shared memory works on rows of 128 bytes.
fn refuse_unless_transposable(element: Element, k: i64) -> Result<(), Refusal> {
    let bytes = bytes_of(element, k);
    if bytes == 128 {
        return Ok(());
    }
    Err(
        unsupported("SmemLayoutB K must be 128bytes to be transposed.")
            .with("k", k)
            .with("k_bytes", bytes)
            .legal((1024 / element.bits()).to_string()),
    )
}
