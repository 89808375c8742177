//! TMA: descriptors from tensors, the tensor of coordinates, and the part of one instruction.

use std::sync::Arc;

use cute_algebra::ops::coalesce::coalesce_by;
use cute_algebra::ops::compact::compact_left;
use cute_algebra::ops::inverse::right_inverse;
use cute_algebra::ops::shape_arithmetic::product_each;
use cute_algebra::ops::tile_to_shape::tile_to_shape;
use cute_algebra::{AnyLayout, Delta, Int, Layout, Shape, Stride, Tiler, Tuple, ops};
use cute_hardware::tma::{Severity, TmaAtom, TmaRequest, umma::operand_values};
use cute_hardware::{Element, Operand, SharedLayout, TemplateId, TiledMma};

use super::copies::{copy_atom, of_copy};
use super::mmas::tiled_mma;
use super::tiled::{hardware, is_certain, tensor};
use super::{
    Call, Evaluated, Function, Header, Makes, Problem, Remark, entry, lenient, python_words,
};
use crate::reason::Reason;
use crate::tensor::{Pointer, Space, Tensor};
use crate::trace::ActionKind;
use crate::types::Type;
use crate::value::Value;

/// The element type of a type, as the hardware names it.
pub(super) fn element_of(call: &Call<'_>, ty: &Type) -> Result<Element, Problem> {
    match ty {
        Type::Scalar(scalar) => Element::named(scalar.name).map_err(|refusal| hardware(&refusal)),
        Type::Named(name) => Element::named(name).map_err(|refusal| hardware(&refusal)),
        Type::Parameter(name) => Err(Problem::Unknown(Reason::Unbound(name.clone()))),
        Type::Unknown(reason) => Err(Problem::Unknown(reason.clone())),
        _ => Err(call.takes("elements of a known type")),
    }
}

/// The name of the operation that an argument is an object of.
fn operation<'c>(call: &Call<'c>) -> Result<&'c str, Problem> {
    match call.arg(0)? {
        Value::Instance(ty) => match &**ty {
            Type::Named(name) => Ok(name),
            _ => Err(call.takes("a TMA operation")),
        },
        _ => Err(call.takes("a TMA operation")),
    }
}

/// A layout of shared memory; that of offsets has a swizzle of bytes here, as in CuTe.
fn shared_layout(call: &Call<'_>, index: usize, bits: i64) -> Result<SharedLayout, Problem> {
    match call.arg(index)? {
        Value::Shared(shared) => Ok(SharedLayout::clone(shared)),
        Value::Layout(layout) => {
            SharedLayout::plain(bits, Layout::clone(layout)).map_err(|refusal| hardware(&refusal))
        }
        Value::Composed(composed) => match composed.swizzle() {
            Some(swizzle) => Ok(SharedLayout::new(swizzle, bits, composed.inner.clone())),
            None => Err(call.takes("a layout of shared memory")),
        },
        _ => Err(call.takes("a layout of shared memory")),
    }
}

/// The architecture with all modes of TMA: a source does not say for which one it is compiled.
pub(super) const NEWEST_ARCHITECTURE: u16 = 100;

/// The tile of one CTA.
enum Tile {
    /// A tile of the global coordinates.
    Tiler(Tiler),
    /// Each value of the tile as a global coordinate.
    Values(Layout),
}

/// The common arguments of every `make_tma_...`: operation, global tensor, shared layout.
fn request(call: &Call<'_>, tile: &Tile, multicast: i64) -> Result<TmaRequest, Problem> {
    let name = operation(call)?;
    let global = tensor(call, 1)?;
    let element = match global.engine.element.as_deref() {
        Some(ty) => element_of(call, ty)?,
        None => return Err(call.takes("a tensor of a known element type")),
    };
    let tma_element = match call.targs.first() {
        Some(Value::Type(ty)) => Some(element_of(call, ty)?),
        _ => None,
    };
    let Some(layout) = global.layout.as_affine() else {
        return Err(call.takes("an affine tensor in global memory"));
    };
    Ok(TmaRequest {
        operation: TemplateId::parse(name).map_err(|refusal| hardware(&refusal))?,
        element,
        tma_element,
        global: layout.clone(),
        shared: shared_layout(call, 2, element.bits())?,
        tile: match tile {
            Tile::Tiler(tiler) => tiler.clone(),
            Tile::Values(_) => Tiler::Skip,
        },
        multicast,
        cuts_boxes: call.surroundings.is_of_dsl,
    })
}

/// The atom of a request. Its type does not depend on run-time numbers, so that a tensor of no elements, as in many a
/// `decltype`, has one too; wrong numbers get a remark.
fn atom(call: &Call<'_>, request: &TmaRequest, tile: &Tile) -> Result<TmaAtom, Problem> {
    let make = |request: &TmaRequest| match tile {
        Tile::Tiler(_) => TmaAtom::new(request),
        Tile::Values(values) => TmaAtom::of_values(request, values),
    };
    let refusal = match make(request) {
        Ok(atom) => {
            for issue in atom.issues(NEWEST_ARCHITECTURE) {
                if issue.severity == Severity::Error && is_certain(&issue.refusal) {
                    call.remark(Remark::of_hardware(issue.refusal));
                }
            }
            return Ok(atom);
        }
        Err(refusal) => refusal,
    };
    if let Some(contiguous) = with_contiguous_stride(request, &refusal)
        && let Ok(atom) = make(&contiguous)
    {
        return Ok(atom);
    }
    let open = TmaRequest {
        global: without_run_time_numbers(&request.global)?,
        ..request.clone()
    };
    let Ok(atom) = make(&open) else {
        return Err(hardware(&refusal));
    };
    if is_certain(&refusal) {
        call.remark(Remark::of_hardware(refusal));
    }
    Ok(atom)
}

/// The request where the stride is 1 that CuTe asserts to be 1 when the program runs; `None` where the refusal is
/// another one.
fn with_contiguous_stride(
    request: &TmaRequest,
    refusal: &cute_hardware::Refusal,
) -> Option<TmaRequest> {
    if refusal.rule != cute_hardware::Rule::Algebra(cute_algebra::Rule::NotProvable) {
        return None;
    }
    let (_, stride) = refusal.numbers.iter().find(|(name, _)| *name == "stride")?;
    let stride = stride.to_string();
    let layout = &request.global;
    let strides = layout.stride().map(|delta| match delta {
        Delta::Int(int) if int.to_string() == stride => Delta::Int(Int::dynamic(1)),
        other => other.clone(),
    });
    Some(TmaRequest {
        global: Layout::new(layout.shape(), strides).ok()?,
        ..request.clone()
    })
}

/// The layout with a symbol for each run-time number.
fn without_run_time_numbers(layout: &Layout) -> Result<Layout, Problem> {
    let mut count = 0;
    let mut open = |int: &Int| {
        if int.is_static() {
            return int.clone();
        }
        count += 1;
        Int::symbol(&format!("?{count}"))
    };
    let shape = layout.shape().map(&mut open);
    let stride = layout.stride().map(|delta| match delta {
        Delta::Int(int) => Delta::Int(open(int)),
        other => other.clone(),
    });
    Ok(Layout::new(shape, stride)?)
}

/// A number of CTAs, which the compiler knows.
fn known(call: &Call<'_>, value: &Int) -> Result<i64, Problem> {
    value
        .value()
        .ok_or_else(|| call.takes("a cluster of known size"))
}

/// The size of an argument, or of one mode of it; 1 where it is left out.
fn size_of(call: &Call<'_>, index: usize, mode: Option<usize>) -> Result<i64, Problem> {
    if call.args.get(index).is_none() {
        return Ok(1);
    }
    let shape = match call.arg(index)? {
        Value::Layout(layout) => layout.shape(),
        _ => call.shape(index)?,
    };
    let size = match mode {
        Some(mode) => shape
            .get(mode)
            .ok_or_else(|| call.takes("a cluster with a mode for each of M and N"))?
            .size()?,
        None => shape.size()?,
    };
    known(call, &size)
}

/// The tiler of an argument without the mode that an operand does not have.
fn tiler_without(call: &Call<'_>, index: usize, mode: usize) -> Result<Tiler, Problem> {
    match call.tiler(index)? {
        Tiler::Modes(mut modes) if mode < modes.len() => {
            modes.remove(mode);
            Ok(Tiler::Modes(modes))
        }
        // `remove<2>` of a tile of M and N leaves both.
        Tiler::Modes(modes) if mode == modes.len() => Ok(Tiler::Modes(modes)),
        _ => Err(call.takes("a tile of M, N and K")),
    }
}

/// An atom that this number of CTAs share. For none, which the type of a cluster of run-time extents has, CuTe leaves the box whole.
fn of_atom(call: &Call<'_>, tile: &Tile, multicast: i64) -> Evaluated {
    let multicast = if multicast == 0 { 1 } else { multicast };
    let request = request(call, tile, multicast)?;
    Ok(Value::CopyAtom(Arc::new(atom(call, &request, tile)?.atom)))
}

fn of_tiled(call: &Call<'_>, tile: &Tile, ctas: &Layout) -> Evaluated {
    let multicast = known(call, &ctas.cosize()?)?;
    let request = request(call, tile, multicast)?;
    of_copy(atom(call, &request, tile)?.tiled_copy_over(&request, ctas))
}

/// `make_tma_copy(op, gtensor, slayout[, cta_tile][, cluster])`.
fn make_tma_copy(call: &Call<'_>) -> Evaluated {
    let (tile, cluster) = match call.args.len() {
        5 => (call.tiler(3)?, size_of(call, 4, None)?),
        count => {
            let shape = match call.arg(2)? {
                Value::Shared(shared) => shared.layout.shape(),
                other => other
                    .as_any_layout()
                    .ok_or_else(|| call.takes("a layout of shared memory"))?
                    .shape(),
            };
            let tile = Tiler::of_shape(&product_each(shape.view())?);
            (
                tile,
                if count > 3 {
                    size_of(call, 3, None)?
                } else {
                    1
                },
            )
        }
    };
    of_tiled(call, &Tile::Tiler(tile), &consecutive(cluster)?)
}

fn consecutive(ctas: i64) -> Result<Layout, Problem> {
    Ok(Layout::left(Tuple::leaf(Int::fixed(ctas)))?)
}

fn make_tma_atom(call: &Call<'_>) -> Evaluated {
    of_atom(call, &tile(call, 3)?, size_of(call, 4, None)?)
}

/// The tile of an argument: a layout of global coordinates gives the place of each value.
fn tile(call: &Call<'_>, index: usize) -> Result<Tile, Problem> {
    if let Value::Layout(layout) = call.arg(index)? {
        let steps = layout.view();
        if steps.steps().iter().any(|step| step.as_basis().is_some()) {
            return Ok(Tile::Values(Layout::clone(layout)));
        }
    }
    Ok(Tile::Tiler(call.tiler(index)?))
}

/// A is multicast along N, B along M.
fn make_tma_copy_a_sm90(call: &Call<'_>) -> Evaluated {
    let ctas = consecutive(size_of(call, 4, Some(1))?)?;
    of_tiled(call, &Tile::Tiler(tiler_without(call, 3, 1)?), &ctas)
}

fn make_tma_copy_b_sm90(call: &Call<'_>) -> Evaluated {
    let ctas = consecutive(size_of(call, 4, Some(0))?)?;
    of_tiled(call, &Tile::Tiler(tiler_without(call, 3, 0)?), &ctas)
}

fn make_tma_copy_c_sm90(call: &Call<'_>) -> Evaluated {
    of_tiled(
        call,
        &Tile::Tiler(tiler_without(call, 3, 2)?),
        &Layout::unit(),
    )
}

/// The part of the first CTA of an MMA in a tile of the global tensor, as global coordinates.
fn tile_of_mma(call: &Call<'_>, mma: &TiledMma, operand: Operand) -> Result<Tile, Problem> {
    let global = tensor(call, 1)?;
    let values = operand_values(global.layout.domain(), &call.tiler(3)?, mma, operand);
    Ok(Tile::Values(values.map_err(|refusal| hardware(&refusal))?))
}

/// Whether CTAs that share a tile share its loads.
fn is_multicast(call: &Call<'_>) -> Result<bool, Problem> {
    Ok(matches!(
        operation(call)?,
        "SM90_TMA_LOAD_MULTICAST" | "SM100_TMA_2SM_LOAD_MULTICAST"
    ))
}

/// The mode of a cluster (V, M, N, K) over which an operand is multicast.
fn multicast_mode(operand: Operand) -> usize {
    match operand {
        Operand::A => 2,
        Operand::B | Operand::C => 1,
    }
}

fn make_tma_atom_sm100(call: &Call<'_>, operand: Operand) -> Evaluated {
    let tile = tile_of_mma(call, tiled_mma(call, 4)?, operand)?;
    let multicast = if is_multicast(call)? {
        size_of(call, 5, Some(multicast_mode(operand)))?
    } else {
        1
    };
    of_atom(call, &tile, multicast)
}

fn make_tma_atom_a_sm100(call: &Call<'_>) -> Evaluated {
    make_tma_atom_sm100(call, Operand::A)
}

fn make_tma_atom_b_sm100(call: &Call<'_>) -> Evaluated {
    make_tma_atom_sm100(call, Operand::B)
}

fn make_tma_copy_sm100(call: &Call<'_>, operand: Operand) -> Evaluated {
    let mma = tiled_mma(call, 4)?;
    let tile = tile_of_mma(call, mma, operand)?;
    if operand == Operand::C {
        return of_tiled(call, &tile, &Layout::unit());
    }
    let shape = mma.thread_layout().shape();
    let shared = is_multicast(call)?.then(|| multicast_mode(operand));
    let order: Vec<Delta> = (0..4)
        .map(|mode| {
            if Some(mode) == shared {
                Delta::ONE
            } else {
                Delta::ZERO
            }
        })
        .collect();
    let ctas = Layout::new(shape.clone(), compact_where(&shape, &order)?)?;
    of_tiled(call, &tile, &ops::coalesce(&ctas)?)
}

/// Strides of a shape: compact from 1 in the modes with a unit, 0 elsewhere.
fn compact_where(shape: &Shape, units: &[Delta]) -> Result<Stride, Problem> {
    let modes: Vec<Stride> = shape
        .modes()
        .zip(units)
        .map(|(mode, unit)| {
            if *unit == Delta::ZERO {
                Ok(mode.to_tuple().map(|_| Delta::ZERO))
            } else {
                compact_left(mode, unit)
            }
        })
        .collect::<Result<_, _>>()?;
    Ok(Tuple::group(modes)?)
}

fn make_tma_copy_a_sm100(call: &Call<'_>) -> Evaluated {
    make_tma_copy_sm100(call, Operand::A)
}

fn make_tma_copy_b_sm100(call: &Call<'_>) -> Evaluated {
    make_tma_copy_sm100(call, Operand::B)
}

fn make_tma_copy_c_sm100(call: &Call<'_>) -> Evaluated {
    make_tma_copy_sm100(call, Operand::C)
}

/// `get_tma_tensor(shape)`: the coordinates that the descriptor gives the elements of a tensor.
fn get_tma_tensor(call: &Call<'_>) -> Evaluated {
    let Some(strides) = &copy_atom(call, 0)?.tma_strides else {
        return Err(call.takes("a TMA copy"));
    };
    let layout = Layout::new(call.shape(1)?, strides.clone())?;
    Ok(coordinates(AnyLayout::Affine(layout)))
}

/// A tensor of coordinates.
fn coordinates(layout: AnyLayout) -> Value {
    Value::Tensor(Box::new(Tensor {
        engine: Pointer {
            space: Space::Coordinates,
            ..Pointer::generic(None)
        },
        layout,
    }))
}

fn make_coord_tensor(call: &Call<'_>) -> Evaluated {
    Ok(coordinates(call.any_layout(0)?))
}

/// `with(barrier, mask)` gives the copy its run-time arguments; its layouts stay.
fn with(call: &Call<'_>) -> Evaluated {
    Ok(call.arg(0)?.clone())
}

/// `tma_partition(atom[, cta_coord, cta_layout], stensor, gtensor)`: both tensors with the elements of one
/// instruction first.
fn tma_partition(call: &Call<'_>) -> Evaluated {
    let atom = copy_atom(call, 0)?;
    let first = if call.args.len() == 3 { 1 } else { 3 };
    let (shared, global) = (tensor(call, first)?, tensor(call, first + 1)?);
    let inverse = right_inverse(&shared.layout.domain().mode(0)?)?;
    let inverse = Layout::concat([inverse.view()])?;
    let size = shared.layout.domain().mode(0)?.size()?;
    let values = tile_to_shape(&inverse, &Tuple::leaf(size), None)?;
    let moved = Layout::left(Tuple::leaf(atom.source.mode(1)?.size()?))?;
    let divided = ops::logical_divide(&values, &Tiler::Layout(moved))?;
    let part = |tensor: &Tensor| -> Evaluated {
        let layout = tensor.layout.domain();
        let mut modes = vec![Tiler::Layout(divided.clone())];
        modes.resize(layout.rank(), Tiler::Skip);
        let composed = ops::composition::composition_by(layout, &Tiler::Modes(modes))?;
        let one = || Tuple::leaf(Int::ONE);
        let profile: Shape = Tuple::group([Tuple::group([one(), one()])?])?;
        let layout = tensor.layout.with_domain(coalesce_by(&composed, &profile)?);
        Ok(Value::Tensor(Box::new(Tensor {
            engine: tensor.engine.clone(),
            layout,
        })))
    };
    Ok(Value::Tuple(vec![part(global)?, part(shared)?]))
}

/// The corners of its box are those of a convolution: `eval --stdin` takes them as numbers.
fn unevaluated(call: &Call<'_>) -> Evaluated {
    Err(call.not_evaluated())
}

pub(super) const FUNCTIONS: &[Function] = &[
    entry(
        "make_tma_copy",
        "TiledCopy make_tma_copy(operation, tensor, layout, tile, cluster)",
        "a tiled copy by TMA with its descriptor",
        make_tma_copy,
    )
    .takes(&["operation", "tensor", "layout", "tile", "cluster"])
    .header(Header::Cute("atom/copy_traits_sm90_tma.hpp"))
    .makes(Makes::Layout)
    .does(ActionKind::MakeTma)
    .of_instructions(),
    entry(
        "make_tma_copy_A_sm90",
        "TiledCopy make_tma_copy_A_sm90(op, gtensor, slayout, cta_tile_mnk, cluster_mnk)",
        "the TMA copy of operand A, multicast along N",
        make_tma_copy_a_sm90,
    )
    .takes(&["op", "gtensor", "slayout", "cta_tile_mnk", "cluster_mnk"])
    .header(Header::Cute("atom/copy_traits_sm90_tma.hpp"))
    .makes(Makes::Layout)
    .does(ActionKind::MakeTma)
    .of_instructions(),
    entry(
        "make_tma_copy_B_sm90",
        "TiledCopy make_tma_copy_B_sm90(op, gtensor, slayout, cta_tile_mnk, cluster_mnk)",
        "the TMA copy of operand B, multicast along M",
        make_tma_copy_b_sm90,
    )
    .takes(&["op", "gtensor", "slayout", "cta_tile_mnk", "cluster_mnk"])
    .header(Header::Cute("atom/copy_traits_sm90_tma.hpp"))
    .makes(Makes::Layout)
    .does(ActionKind::MakeTma)
    .of_instructions(),
    entry(
        "make_tma_copy_C_sm90",
        "TiledCopy make_tma_copy_C_sm90(op, gtensor, slayout, cta_tile_mnk)",
        "the TMA copy of the accumulator",
        make_tma_copy_c_sm90,
    )
    .takes(&["op", "gtensor", "slayout", "cta_tile_mnk"])
    .header(Header::Cute("atom/copy_traits_sm90_tma.hpp"))
    .makes(Makes::Layout)
    .does(ActionKind::MakeTma)
    .of_instructions(),
    entry(
        "make_tma_copy_A_sm100",
        "TiledCopy make_tma_copy_A_sm100(op, gtensor, slayout, cluster_tile_mnk, mma)",
        "the TMA copy of operand A of an MMA",
        make_tma_copy_a_sm100,
    )
    .takes(&["op", "gtensor", "slayout", "cluster_tile_mnk", "mma"])
    .header(Header::Cute("atom/copy_traits_sm100_tma.hpp"))
    .makes(Makes::Layout)
    .does(ActionKind::MakeTma)
    .of_instructions(),
    entry(
        "make_tma_copy_B_sm100",
        "TiledCopy make_tma_copy_B_sm100(op, gtensor, slayout, cluster_tile_mnk, mma)",
        "the TMA copy of operand B of an MMA",
        make_tma_copy_b_sm100,
    )
    .takes(&["op", "gtensor", "slayout", "cluster_tile_mnk", "mma"])
    .header(Header::Cute("atom/copy_traits_sm100_tma.hpp"))
    .makes(Makes::Layout)
    .does(ActionKind::MakeTma)
    .of_instructions(),
    entry(
        "make_tma_copy_C_sm100",
        "TiledCopy make_tma_copy_C_sm100(op, gtensor, slayout, cluster_tile_mnk, mma)",
        "the TMA copy of the accumulator of an MMA",
        make_tma_copy_c_sm100,
    )
    .takes(&["op", "gtensor", "slayout", "cluster_tile_mnk", "mma"])
    .header(Header::Cute("atom/copy_traits_sm100_tma.hpp"))
    .does(ActionKind::MakeTma),
    entry(
        "make_tma_atom",
        "Copy_Atom make_tma_atom(operation, tensor, layout, tile, multicast)",
        "a TMA instruction with its descriptor",
        make_tma_atom,
    )
    .takes(&["operation", "tensor", "layout", "tile", "multicast"])
    .header(Header::Cute("atom/copy_traits_sm90_tma.hpp"))
    .makes(Makes::Layout)
    .does(ActionKind::MakeTma)
    .of_instructions(),
    entry(
        "make_tma_atom_A_sm100",
        "Copy_Atom make_tma_atom_A_sm100(op, gtensor, slayout, mma_tile, mma, cluster_vmnk)",
        "the TMA instruction for operand A of an MMA",
        make_tma_atom_a_sm100,
    )
    .takes(&[
        "op",
        "gtensor",
        "slayout",
        "mma_tile",
        "mma",
        "cluster_vmnk",
    ])
    .header(Header::Cute("atom/copy_traits_sm100_tma.hpp"))
    .makes(Makes::Layout)
    .does(ActionKind::MakeTma)
    .of_instructions(),
    entry(
        "make_tma_atom_B_sm100",
        "Copy_Atom make_tma_atom_B_sm100(op, gtensor, slayout, mma_tile, mma, cluster_vmnk)",
        "the TMA instruction for operand B of an MMA",
        make_tma_atom_b_sm100,
    )
    .takes(&[
        "op",
        "gtensor",
        "slayout",
        "mma_tile",
        "mma",
        "cluster_vmnk",
    ])
    .header(Header::Cute("atom/copy_traits_sm100_tma.hpp"))
    .makes(Makes::Layout)
    .does(ActionKind::MakeTma)
    .of_instructions(),
    lenient(
        "tma_partition",
        "tuple tma_partition(atom, cta_coord, cta_layout, stensor, gtensor)",
        "both tensors with the elements of one instruction first",
        tma_partition,
    )
    .takes(&["atom", "cta_coord", "cta_layout", "stensor", "gtensor"])
    .header(Header::Cute("atom/copy_traits_sm90_tma.hpp"))
    .makes(Makes::Layout)
    .does(ActionKind::TmaPartition)
    .python(&[python_words::on_objects(
        "cutlass.cute.nvgpu.cpasync",
        "tma_partition",
        "atom cta_coord cta_layout smem_tensor gmem_tensor",
    )])
    .of_instructions(),
    entry(
        "make_coord_tensor",
        "Tensor make_coord_tensor(layout)",
        "the tensor of the coordinates that a layout gives",
        make_coord_tensor,
    )
    .takes(&["layout"])
    .header(Header::Cute("tensor_impl.hpp"))
    .makes(Makes::Layout)
    .assembled(),
    entry(
        "make_counting_tensor",
        "Tensor make_counting_tensor(layout)",
        "the tensor of the coordinates that a layout gives, by the name that \
         it had before CUTLASS 3.2",
        make_coord_tensor,
    )
    .takes(&["layout"])
    .header(Header::Cute("tensor_impl.hpp"))
    .makes(Makes::Layout)
    .assembled(),
];

pub(super) const METHODS: &[Function] = &[
    entry(
        "get_tma_tensor",
        "Tensor get_tma_tensor(shape) const",
        "the TMA coordinates of a tensor of this shape",
        get_tma_tensor,
    )
    .takes(&["shape"])
    .header(Header::Cute("atom/copy_traits_sm90_tma.hpp"))
    .makes(Makes::Layout)
    .of_instructions(),
    lenient(
        "with",
        "auto with(barrier, mask) const",
        "the copy with its barrier and multicast mask",
        with,
    )
    .takes(&["barrier", "mask"])
    .header(Header::Cute("atom/copy_atom.hpp"))
    .makes(Makes::Argument)
    .assembled(),
    entry(
        "make_im2col_tma_copy",
        "TiledCopy make_im2col_tma_copy(op, tensor, slayout, cta_tile, cluster, ...)",
        "a tiled copy of a convolution's operand by TMA",
        unevaluated,
    )
    .takes(&["op", "tensor", "slayout", "cta_tile", "cluster", "..."])
    .header(Header::Cute("atom/copy_traits_sm90_im2col.hpp"))
    .makes(Makes::Layout)
    .of_instructions(),
];
