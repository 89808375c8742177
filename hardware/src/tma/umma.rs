//! `make_tma_atom_A_sm100` and `make_tma_atom_B_sm100`: the tile of a CTA is its share of a tiled MMA.

use super::instruction::TmaKind;
use super::{TmaAtom, TmaRequest};
use crate::copy::{CopyAtom, CopyOperands};
use crate::name::Argument;
use crate::refusal::{Refusal, Rule};
use crate::tiled::{Operand, TiledMma};
use cute_algebra::ops::composition::composition_by;
use cute_algebra::ops::identity::make_identity_layout;
use cute_algebra::{Int, Layout, LayoutView, Tiler};

/// The TMA copy of an operand of a tiled `tcgen05.mma`. The request's tile is the tile of the MMA in M, N and K (and
/// further modes); its multicast is decided here: the CTAs of the cluster along N for A, along M for B, when the operation
/// is a multicast, and one otherwise. `cluster` is the shape of the cluster in V, M, N, K.
///
/// ```
/// use cute_algebra::{Shape, Tiler};
/// use cute_hardware::tma::{TmaRequest, umma::operand_atom};
/// use cute_hardware::{Element, MmaAtom, Operand, TemplateId, TiledMma};
/// let name = "SM100_MMA_F16BF16_SS<half_t, half_t, float, 128, 256, UMMA::Major::K, UMMA::Major::K>";
/// let mma = TiledMma::new(MmaAtom::named(name)?, None, vec![])?;
/// let request = TmaRequest {
///     operation: TemplateId::parse("SM90_TMA_LOAD_MULTICAST")?,
///     element: Element::F16,
///     tma_element: None,
///     global: "(512,256):(256,_1)".parse()?,
///     shared: "Sw<3,4,3> o smem_ptr[16b](unset) o ((_128,_16),_1,_4):((_64,_1),_0,_16)".parse()?,
///     tile: Tiler::of_shape(&"(_128,_256,_64)".parse::<Shape>()?),
///     multicast: 1,
///     cuts_boxes: false,
/// };
/// let atom = operand_atom(&request, &mma, Operand::A, [1, 4, 4, 1])?;
/// // Four CTAs along N share the tile of A.
/// assert_eq!(atom.map.box_dims, [64, 32]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Errors: as [`TmaAtom::new`]; [`Rule::AtomParameters`] for an operation that CuTe does not take here; the accumulator has
/// no such copy.
pub fn operand_atom(
    request: &TmaRequest,
    mma: &TiledMma,
    operand: Operand,
    cluster: [i64; 4],
) -> Result<TmaAtom, Refusal> {
    let [_, along_m, along_n, _] = cluster;
    let shared_by = match operand {
        Operand::A => along_n,
        Operand::B => along_m,
        Operand::C => return Err(unsupported(request)),
    };
    let copy = CopyAtom::of_id(&request.operation, &[Argument::Integer(128)])?;
    let multicast = match copy.operands {
        CopyOperands::Tma(TmaKind::MulticastLoad | TmaKind::PairMulticastLoad) => shared_by,
        CopyOperands::Tma(TmaKind::Load | TmaKind::Store | TmaKind::PairLoad) => 1,
        _ => return Err(unsupported(request)),
    };
    let values = operand_values(&request.global, &request.tile, mma, operand)?;
    let request = TmaRequest {
        multicast,
        ..request.clone()
    };
    TmaAtom::of_values(&request, &values)
}

fn unsupported(request: &TmaRequest) -> Refusal {
    Refusal::asserted(Rule::AtomParameters, "Unsupported TMA")
        .with("operation", request.operation.to_string())
        .legal("SM90_TMA_LOAD")
        .legal("SM100_TMA_2SM_LOAD")
}

/// `(MMA, rest of rows, rest of columns, ...)` of the first CTA, to global coordinates. `tile` is in M, N and K; the mode
/// that the operand does not have is left out.
///
/// Errors: a tile of other rank or of unknown extents, and the refusals of the partition.
pub fn operand_values(
    global: &Layout,
    tile: &Tiler,
    mma: &TiledMma,
    operand: Operand,
) -> Result<Layout, Refusal> {
    let dropped = match operand {
        Operand::A => 1,
        Operand::B => 0,
        Operand::C => 2,
    };
    let Tiler::Modes(modes) = tile else {
        return Err(Refusal::uncompilable(
            Rule::Algebra(cute_algebra::Rule::RankMismatch),
            "the tile of an MMA has three modes",
        ));
    };
    let kept = modes
        .iter()
        .enumerate()
        .filter(|(mode, _)| *mode != dropped)
        .map(|(_, tiler)| tiler.clone());
    let tile = composition_by(
        &make_identity_layout(&global.shape())?,
        &Tiler::Modes(kept.collect()),
    )?;
    let fragments = mma.thread_fragments(operand, &tile.into())?;
    let of_a_cta = fragments.domain().mode(1)?;
    let rest = of_a_cta.mode(1)?;
    let values = of_a_cta.mode(0)?;
    let rest: Vec<Layout> = rest.view().modes().map(LayoutView::to_layout).collect();
    let views = std::iter::once(values.view()).chain(rest.iter().map(Layout::view));
    let values = Layout::concat(views)?;
    // The map has static extents only: a tile is known when the kernel is compiled.
    match values.size()?.value() {
        Some(_) => Ok(values),
        None => Err(super::basis::not_known("tile_extent", &Int::ZERO)),
    }
}
