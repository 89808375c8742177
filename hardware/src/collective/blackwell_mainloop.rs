//! Mainloops of SM100: `tcgen05.mma` fed by TMA, on one SM or on a pair.

use super::mainloop::{
    bytes_of, cosize, known, no_such_collective, static_shape, tile_order, unsupported,
};
use super::storage::Extent;
use super::{
    KernelSchedule, Mainloop, MainloopRequest, MemoryOrder, NotBuilt, OperandRequest, Policy,
    SHARED_MEMORY_BYTES, StageCount, StagedOperand, TmaLoad, UmmaStages, shape_div,
};
use crate::element::Element;
use crate::mma::{Major, MmaAtom};
use crate::name::TemplateId;
use crate::refusal::{Refusal, Rule};
use crate::shared_layout::SharedLayout;
use crate::smem_atom::{
    SMALLEST_K, SMALLEST_MN, SmemAtom, Span, select_smem_atom, tile_to_mma_shape,
};
use crate::tiled::{Operand, TiledMma};
use crate::tma::TmaRequest;
use crate::tma::umma::operand_atom;
use cute_algebra::{Delta, Int, Layout, Shape, Tiler, Tuple, TupleView, Verdict};

/// The tile scheduler of a kernel without groups runs this number of tiles ahead.
pub(super) const SCHEDULER_STAGES: i64 = 2;
/// A full and an empty barrier of one stage.
const STAGE_BARRIER_BYTES: i64 = 16;
/// The lanes and the columns of tensor memory.
const LANES: i64 = crate::tensor_memory::LANES;
const COLUMNS: i64 = crate::tensor_memory::COLUMNS;

#[allow(
    clippy::too_many_lines,
    reason = "the choices of one builder, in the order in which they depend on each other"
)]
pub(super) fn build(request: &MainloopRequest) -> Result<Mainloop, NotBuilt> {
    if !matches!(
        request.schedule,
        KernelSchedule::Auto | KernelSchedule::OneSm | KernelSchedule::TwoSm
    ) {
        return Err(no_such_collective().into());
    }
    if !(is_aligned(&request.a, &request.b) && is_aligned(&request.b, &request.a)) {
        return Err(NotBuilt::NotModelled("mainloops without TMA (cp.async)"));
    }
    refuse_types(request.a.element, request.b.element)?;
    let (a, b) = (
        mma_element(request.a.element),
        mma_element(request.b.element),
    );
    let (major_a, major_b) = (major_of_a(request.a.order), major_of_b(request.b.order));
    let asks_for_pair = asks_for_pair(request);
    refuse_unless_unpackable(request, [a, b], [major_a, major_b], asks_for_pair)?;
    let mma = tiled(request, [a, b], [major_a, major_b])?;
    let ctas = known(&mma.atom().thread_id.size()?)?;
    let [m, n, k] = request.tile;
    let columns_of_a_cta = n / ctas;
    if ctas == 2
        && b.bits() == 32
        && columns_of_a_cta % 32 != 0
        && columns_of_a_cta.count_ones() > 1
    {
        return Err(NotBuilt::NotModelled(
            "such columns of four bytes over two SMs",
        ));
    }
    let cta_shape = [shape_div(m, ctas)?, n, k];
    let shape_a = mma.partition_shape(Operand::A, &static_shape(&[m, k])?)?;
    let shape_b = mma.partition_shape(Operand::B, &static_shape(&[n, k])?)?;
    let (load_a, load_b) = loads(request.cluster, ctas)?;
    let (stored_a, stored_b) = (stored(a), stored(b));
    let atom_a = smem_atom(major_a, stored_a, [m / ctas, k])?.layout()?;
    let atom_b = smem_atom(major_b, stored_b, [n / ctas, k])?.layout()?;
    let accumulator = accumulator_stages(asks_for_pair, rows_of(&shape_a)?, [cta_shape[0], n])?;
    // Bits that are unpacked take a byte of shared memory each.
    let bytes_a = bytes_of(stored_a, block_size(&shape_a)?);
    let bytes_b = bytes_of(stored_b, block_size(&shape_b)?);
    let stages = match request.stages {
        StageCount::Fixed(stages) => stages,
        StageCount::Auto { carveout } => {
            (SHARED_MEMORY_BYTES - kernel_carveout(accumulator) - carveout)
                / (bytes_a + bytes_b + STAGE_BARRIER_BYTES)
        }
    };
    refuse_unless_staged(stages, bytes_a + bytes_b)?;
    let layout_a = staged(&atom_a, &shape_a, stages, major_a)?;
    let layout_b = staged(&atom_b, &shape_b, stages, major_b)?;
    let copies = [
        (Operand::A, a, load_a, &atom_a, &shape_a, major_a),
        (Operand::B, b, load_b, &atom_b, &shape_b, major_b),
    ];
    for (operand, element, load, atom, shape, major) in copies {
        let shared = one_stage(atom, shape, major)?;
        refuse_unless_copied(request, &mma, operand, (element, load, shared, major))?;
    }
    let arrays = [
        Extent::new(bytes_of(stored_a, cosize(&layout_a)?), 16).closed(),
        Extent::new(bytes_of(stored_b, cosize(&layout_b)?), 16).closed(),
    ];
    let tensors = Extent::sequence(arrays).aligned(128).closed();
    let pipeline = Extent::pipeline(stages);
    let transaction = |element: Element, layout: &SharedLayout| -> Result<i64, Refusal> {
        Ok(bytes_of(element, ctas * (cosize(layout)? / stages)))
    };
    Ok(Mainloop {
        request: *request,
        policy: Policy::TmaUmma(UmmaStages {
            scheduler: SCHEDULER_STAGES,
            accumulator,
        }),
        schedule: if ctas == 2 {
            KernelSchedule::TwoSm
        } else {
            KernelSchedule::OneSm
        },
        stages,
        transaction_bytes: transaction(request.a.element, &layout_a)?
            + transaction(request.b.element, &layout_b)?,
        mma,
        a: StagedOperand {
            request: request.a,
            mma_element: a,
            atom: atom_a,
            layout: layout_a,
            load: load_a,
            stage_bytes: bytes_a,
        },
        b: StagedOperand {
            request: request.b,
            mma_element: b,
            atom: atom_b,
            layout: layout_b,
            load: load_b,
            stage_bytes: bytes_b,
        },
        is_swapped: false,
        tensors,
        pipeline,
        storage: Extent::sequence([tensors, pipeline]),
        cta_shape: Some(cta_shape),
    })
}

/// The bits that global memory has to be aligned to: 16 bytes, more where elements of less than a byte are unpacked.
fn is_aligned(operand: &OperandRequest, other: &OperandRequest) -> bool {
    let bits = operand.element.bits();
    let is_unpacked = bits < 8 || other.element.bits() < 8;
    let required = match bits {
        4 if is_unpacked => 512,
        6 if is_unpacked => 768,
        _ => 128,
    };
    (bits * operand.alignment) % required == 0
}

fn refuse_types(a: Element, b: Element) -> Result<(), Refusal> {
    use Element::{Bf16, DynamicF4, DynamicF6, DynamicF8, E2m1, E2m3, E3m2, E4m3, E5m2, F16, F32};
    let is_static = |element| matches!(element, E2m1 | E2m3 | E3m2 | E4m3 | E5m2);
    let is_dynamic = |element| matches!(element, DynamicF8 | DynamicF6 | DynamicF4);
    let is_alike = a == b
        && matches!(
            a,
            Element::Tf32 | F32 | F16 | Bf16 | Element::S8 | Element::U8
        );
    if is_alike || (is_static(a) && is_static(b)) || (is_dynamic(a) && is_dynamic(b)) {
        return Ok(());
    }
    Err(unsupported("Unsupported data type for ElementA")
        .with("a", a.to_string())
        .with("b", b.to_string()))
}

fn mma_element(element: Element) -> Element {
    match element {
        Element::F32 => Element::Tf32,
        Element::E2m1 => Element::E2m1Unpacked,
        Element::E2m3 => Element::E2m3Unpacked,
        Element::E3m2 => Element::E3m2Unpacked,
        Element::DynamicF6 => Element::DynamicF6Unpacked,
        Element::DynamicF4 => Element::DynamicF4Unpacked,
        other => other,
    }
}

fn is_unpacked(element: Element) -> bool {
    matches!(
        element,
        Element::E2m1Unpacked
            | Element::E2m3Unpacked
            | Element::E3m2Unpacked
            | Element::DynamicF6Unpacked
            | Element::DynamicF4Unpacked
    )
}

/// The element as shared memory stores it.
fn stored(element: Element) -> Element {
    if is_unpacked(element) {
        Element::U8
    } else {
        element
    }
}

fn major_of_a(order: MemoryOrder) -> Major {
    match order {
        MemoryOrder::Row => Major::K,
        MemoryOrder::Column => Major::Mn,
    }
}

fn major_of_b(order: MemoryOrder) -> Major {
    match order {
        MemoryOrder::Row => Major::Mn,
        MemoryOrder::Column => Major::K,
    }
}

/// Whether the builder counts with a pair: it looks at the schedule, else at the cluster only.
fn asks_for_pair(request: &MainloopRequest) -> bool {
    match request.schedule {
        KernelSchedule::TwoSm => true,
        KernelSchedule::Auto => request.cluster.is_some_and(|[m, ..]| m % 2 == 0),
        _ => false,
    }
}

/// TMA unpacks elements of less than a byte in groups of 128.
fn refuse_unless_unpackable(
    request: &MainloopRequest,
    [a, b]: [Element; 2],
    [major_a, major_b]: [Major; 2],
    is_pair: bool,
) -> Result<(), Refusal> {
    let [m, n, k] = request.tile;
    let (rows, columns) = if is_pair { (m / 2, 256) } else { (m, 128) };
    let along_a = if major_a == Major::K { k } else { rows };
    let fits_b = match major_b {
        Major::Mn => n % columns == 0,
        Major::K => k % 128 == 0,
    };
    if (is_unpacked(a) && along_a % 128 != 0) || (is_unpacked(b) && !fits_b) {
        return Err(unsupported(
            "TileSize and MNK Major does not met with MMA Mix 8-bit TMA load requirement",
        )
        .with("tile_m", m)
        .with("tile_n", n)
        .with("tile_k", k));
    }
    Ok(())
}

/// The instruction of the whole tile.
fn tiled(
    request: &MainloopRequest,
    [a, b]: [Element; 2],
    [major_a, major_b]: [Major; 2],
) -> Result<TiledMma, Refusal> {
    let [m, n, _] = request.tile;
    let is_pair = match request.schedule {
        KernelSchedule::TwoSm => true,
        KernelSchedule::Auto => {
            request.cluster.is_some_and(|[over_m, ..]| over_m % 2 == 0) && m % 128 == 0
        }
        _ => false,
    };
    let rows: [i64; 2] = if is_pair { [128, 256] } else { [64, 128] };
    if !rows.contains(&m) {
        return Err(
            Refusal::asserted(Rule::CollectiveTile, "Invalid TileShape_M.")
                .with("tile_m", m)
                .legal(rows[0].to_string())
                .legal(rows[1].to_string()),
        );
    }
    if n % 8 != 0 || n > 256 {
        return Err(
            Refusal::asserted(Rule::CollectiveTile, "Invalid TileShape_N.")
                .with("tile_n", n)
                .legal((n / 8 * 8).clamp(8, 256).to_string()),
        );
    }
    let pair = if is_pair { "_2x1SM" } else { "" };
    let types = [a, b, request.accumulator]
        .map(Element::cutlass_name)
        .join(", ");
    let majors = format!(
        "UMMA::Major::{}, UMMA::Major::{}",
        major_a.name(),
        major_b.name()
    );
    let scales = "UMMA::ScaleIn::One, UMMA::ScaleIn::One";
    let name = match a {
        Element::Tf32 => format!("SM100_MMA_TF32{pair}_SS<{types}, {m}, {n}, {majors}, {scales}>"),
        Element::F16 | Element::Bf16 => {
            format!("SM100_MMA_F16BF16{pair}_SS<{types}, {m}, {n}, {majors}, {scales}>")
        }
        Element::S8 | Element::U8 => format!("SM100_MMA_S8{pair}_SS<{types}, {m}, {n}, {majors}>"),
        // No template: `MMA_Traits` has its arguments as types.
        _ => format!(
            "SM100_MMA_F8F6F4{pair}_SS, {types}, C<{m}>, C<{n}>, \
             integral_constant<UMMA::Major, UMMA::Major::{}>, integral_constant<UMMA::Major, UMMA::Major::{}>, \
             integral_constant<UMMA::ScaleIn, UMMA::ScaleIn::One>, integral_constant<UMMA::ScaleIn, UMMA::ScaleIn::One>",
            major_a.name(),
            major_b.name()
        ),
    };
    let atom = MmaAtom::named(&name)?;
    if let Some(refusal) = &atom.not_issuable {
        return Err(refusal.clone());
    }
    TiledMma::new(atom, None, vec![])
}

fn loads(cluster: Option<[i64; 3]>, ctas: i64) -> Result<(TmaLoad, TmaLoad), Refusal> {
    let Some([over_m, over_n, _]) = cluster else {
        // The cluster is known only at run time, so a multicast is prepared.
        return Ok(if ctas == 2 {
            (TmaLoad::Multicast2Sm, TmaLoad::Multicast2Sm)
        } else {
            (TmaLoad::Multicast, TmaLoad::Multicast)
        });
    };
    if ctas == 2 {
        if over_m % 2 != 0 {
            return Err(unsupported("Cluster shape not divisible by MMA size")
                .with("cluster_m", over_m)
                .legal("2"));
        }
        let load = |is_single| {
            if is_single {
                TmaLoad::Load2Sm
            } else {
                TmaLoad::Multicast2Sm
            }
        };
        return Ok((load(over_n == 1), load(over_m == 2)));
    }
    let load = |ctas| {
        if ctas == 1 {
            TmaLoad::Load
        } else {
            TmaLoad::Multicast
        }
    };
    Ok((load(over_n), load(over_m)))
}

/// CUTLASS's `sm100_smem_selector`: as for `wgmma`, but four bytes along M or N have one layout only.
pub(super) fn smem_atom(
    major: Major,
    element: Element,
    [mn, k]: [i64; 2],
) -> Result<SmemAtom, Refusal> {
    if major == Major::K || element.bits() != 32 {
        return select_smem_atom(major, element, mn, k).map_err(|refusal| match refusal.cute {
            Verdict::StaticAssert(SMALLEST_MN) => refusal.stated_as(Verdict::StaticAssert(
                "BLK_MN0 must be a multiple of size<0>(UMMA::Layout_MN_INTER_Atom<ElementType>{})",
            )),
            Verdict::StaticAssert(SMALLEST_K) => refusal.stated_as(Verdict::StaticAssert(
                "BLK_K0 must be a multiple of size<1>(UMMA::Layout_K_INTER_Atom<ElementType>{})",
            )),
            _ => refusal,
        });
    }
    // Both extents are asserted to be multiples of eight first.
    select_smem_atom(Major::K, element, mn, k)?;
    let atom = SmemAtom::dense(major, Span::B128Base32, element.bits());
    let extent = atom.extents()[0];
    if mn % extent == 0 {
        return Ok(atom);
    }
    Err(Refusal::asserted(
        Rule::NotCanonical,
        "for mn-major tf32 operands, SW128_32B is the only available smem layout",
    )
    .with("extent", mn)
    .with("atom_extent", extent)
    .legal((mn / extent * extent).max(extent).to_string()))
}

/// Number of accumulators in tensor memory, at most four.
fn accumulator_stages(
    asks_for_pair: bool,
    mma_rows: i64,
    [m, n]: [i64; 2],
) -> Result<i64, Refusal> {
    let fitting = if asks_for_pair || mma_rows > 64 {
        LANES * COLUMNS / (m * n)
    } else {
        COLUMNS / n * 2
    };
    if fitting > 0 {
        return Ok(fitting.min(4));
    }
    Err(Refusal::asserted(
        Rule::CollectiveTile,
        "Accumulator pipeline stage count must be positive.",
    )
    .with("tile_m", m)
    .with("tile_n", n))
}

/// The bytes that the builder sets aside for barriers, the scheduler's responses and addresses in tensor memory.
fn kernel_carveout(accumulator_stages: i64) -> i64 {
    const RESPONSE_BYTES: i64 = 16;
    const ADDRESS_BYTES: i64 = 4;
    Extent::pipeline(accumulator_stages).bytes
        + Extent::pipeline(SCHEDULER_STAGES).bytes
        + Extent::barriers(2).bytes
        + Extent::barriers(1).bytes
        + Extent::pipeline(SCHEDULER_STAGES).bytes
        + SCHEDULER_STAGES * (RESPONSE_BYTES + ADDRESS_BYTES)
}

fn refuse_unless_staged(stages: i64, stage_bytes: i64) -> Result<(), Refusal> {
    let refused = |text| {
        Refusal::asserted(Rule::CollectiveStages, text)
            .with("stages", stages)
            .with("stage_bytes", stage_bytes)
            .legal("2")
    };
    match stages {
        2.. => Ok(()),
        1 => Err(refused(
            "Specialization requires Stages set to value 1 or more.",
        )),
        _ => Err(refused(
            "Smem usage is too high. Can't create any SMEM buffers for A, and B.",
        )),
    }
}

/// The rows of one instruction in one CTA.
fn rows_of(shape: &Shape) -> Result<i64, Refusal> {
    let rows = shape.modes().next().and_then(|mode| mode.get_path(&[0]));
    match rows {
        Some(rows) => known(&rows.size()?),
        None => Err(unsupported("rank(SmemLayoutAtomA{}) == 2")),
    }
}

fn block_size(shape: &Shape) -> Result<i64, Refusal> {
    known(&shape.size()?)
}

fn one_stage(atom: &SharedLayout, shape: &Shape, major: Major) -> Result<SharedLayout, Refusal> {
    let order = match major {
        Major::Mn => [2, 1],
        Major::K => [1, 2],
    };
    tile_to_mma_shape(atom, shape, Some(&static_shape(&order)?))
}

/// TMA has to reach the tile of a CTA: CuTe refuses where it does not.
fn refuse_unless_copied(
    request: &MainloopRequest,
    mma: &TiledMma,
    operand: Operand,
    (element, load, shared, major): (Element, TmaLoad, SharedLayout, Major),
) -> Result<(), Refusal> {
    // Any matrix that is large enough; its extents are not known to the compiler.
    let (extent, batch) = (Int::dynamic(1 << 20), Int::dynamic(1 << 24));
    let along = match major {
        Major::Mn => [Int::ONE, extent.clone(), batch],
        Major::K => [extent.clone(), Int::ONE, batch],
    };
    let global = Layout::new(
        Tuple::flat([extent.clone(), extent, Int::dynamic(4)])?,
        Tuple::flat(along.map(Delta::Int))?,
    )?;
    let copied = TmaRequest {
        operation: TemplateId::parse(load.name())?,
        element,
        tma_element: None,
        global,
        shared,
        tile: Tiler::of_shape(&static_shape(&request.tile)?),
        multicast: 1,
        cuts_boxes: false,
    };
    let ctas = known(&mma.atom().thread_id.size()?)?;
    let [over_m, over_n, over_k] = request.cluster.unwrap_or([ctas, 1, 1]);
    operand_atom(&copied, mma, operand, [ctas, over_m / ctas, over_n, over_k])?;
    Ok(())
}

fn staged(
    atom: &SharedLayout,
    shape: &Shape,
    stages: i64,
    major: Major,
) -> Result<SharedLayout, Refusal> {
    let modes = shape
        .modes()
        .map(TupleView::to_tuple)
        .chain([Tuple::leaf(Int::fixed(stages))]);
    tile_to_mma_shape(atom, &Tuple::group(modes)?, Some(&tile_order(major)?))
}
