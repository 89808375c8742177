//! CUTLASS's selectors: the layout of shared memory and the instruction of a tile; and the meaning of its strides.

use std::sync::Arc;

use cute_algebra::{Int, Layout};
use cute_hardware::mma::selector::{WgmmaRequest, select_wgmma};
use cute_hardware::smem_atom::select_smem_atom;
use cute_hardware::{Element, Major, SmemAtom, Span};

use super::tiled::hardware;
use super::tma::element_of;
use super::{Call, Evaluated, Function, Header, Makes, Problem, entry, lenient};
use crate::reason::Reason;
use crate::types::Type;
use crate::value::{Truth, Value};

fn type_argument<'c>(call: &Call<'c>, index: usize) -> Result<&'c Type, Problem> {
    match call.targs.get(index) {
        Some(Value::Type(ty)) => match &**ty {
            Type::Unknown(reason) => Err(Problem::Unknown(reason.clone())),
            Type::Parameter(name) => Err(Problem::Unknown(Reason::Unbound(name.clone()))),
            ty => Ok(ty),
        },
        // `constexpr GMMA::Major major = GMMA::Major::K;`
        Some(Value::Instance(ty)) if matches!(**ty, Type::Named(_)) => Ok(ty),
        Some(Value::Unknown(reason)) => Err(Problem::Unknown(reason.clone())),
        _ => Err(call.takes("types as template arguments")),
    }
}

/// `rr_op_selector_sm120<A, B, C>()` of `cute/arch/mma_sm120.hpp`: one shape for all types.
fn rr_op_selector_sm120(call: &Call<'_>) -> Evaluated {
    let name = |index: usize| element(call, index).map(cute_hardware::Element::cutlass_name);
    let spelled = format!("SM120_16x8x32_TN<{},{},{}>", name(0)?, name(1)?, name(2)?);
    Ok(Value::Instance(Box::new(Type::Named(spelled.into()))))
}

/// `rr_blockscaled_op_selector_sm120<A, B, C, SF, VecSize, UseF8F6F4>()` of `cute/arch/mma_sm120.hpp`: the shape
/// depends on whether the operands are the narrow ones that are stored in 8 bits each.
fn rr_blockscaled_op_selector_sm120(call: &Call<'_>) -> Evaluated {
    let name = |index: usize| element(call, index).map(cute_hardware::Element::cutlass_name);
    let given = |index: usize| match call.targs.get(index) {
        Some(Value::Unknown(reason)) => Err(Problem::Unknown(reason.clone())),
        Some(value) => Ok(value),
        None => Err(call.takes("a vector size, and whether the elements take 8 bits")),
    };
    let takes = || call.takes("a known vector size, and whether the elements take 8 bits");
    let vector = match given(4)? {
        Value::Int(int) => int.value().ok_or_else(takes)?,
        _ => return Err(takes()),
    };
    let takes_bytes = given(5)?.as_truth().ok_or_else(takes)?;
    let k = if takes_bytes { 32 } else { 64 };
    let (a, b, c, factor) = (name(0)?, name(1)?, name(2)?, name(3)?);
    let spelled = format!("SM120_16x8x{k}_TN_VS<{a}, {b}, {c}, {factor}, {vector}>");
    Ok(Value::Instance(Box::new(Type::Named(spelled.into()))))
}

/// `sm90_cluster_shape_to_tma_atom(size)`, of `builders/sm90_common.inl`: a load for several CTAs is a multicast.
fn sm90_cluster_shape_to_tma_atom(call: &Call<'_>) -> Evaluated {
    let takes = || call.takes("the number of CTAs along one mode of the cluster, a static integer");
    let ctas = match call.arg(0)? {
        Value::Int(int) => int.as_static().ok_or_else(takes)?,
        _ => return Err(takes()),
    };
    let name = if ctas == 1 {
        "SM90_TMA_LOAD"
    } else {
        "SM90_TMA_LOAD_MULTICAST"
    };
    Ok(Value::Instance(Box::new(Type::Named(name.into()))))
}

/// `GMMA::Major::K` or `MN`.
fn major(call: &Call<'_>, index: usize) -> Result<Major, Problem> {
    let takes = || call.takes("GMMA::Major::K or GMMA::Major::MN");
    match type_argument(call, index)? {
        Type::Named(name) => match name.rsplit("::").next() {
            Some("K") => Ok(Major::K),
            Some("MN") => Ok(Major::Mn),
            _ => Err(takes()),
        },
        _ => Err(takes()),
    }
}

fn element(call: &Call<'_>, index: usize) -> Result<Element, Problem> {
    element_of(call, type_argument(call, index)?)
}

/// The first extent of a tile, `size<0>(BLK_MN{})`.
fn extent(call: &Call<'_>, index: usize) -> Result<i64, Problem> {
    let takes = || call.takes("a tile of known extents");
    let value = match type_argument(call, index)? {
        Type::Of(value) => &**value,
        _ => return Err(takes()),
    };
    let first = match value {
        Value::Tuple(items) => items.first().ok_or_else(takes)?,
        value => value,
    };
    let size = first.to_shape().ok_or_else(takes)?.size()?;
    size.value().ok_or_else(takes)
}

fn shared(atom: SmemAtom) -> Evaluated {
    match atom.layout() {
        Ok(layout) => Ok(Value::Shared(Arc::new(layout))),
        Err(refusal) => Err(hardware(&refusal)),
    }
}

fn ss_smem_selector(call: &Call<'_>) -> Evaluated {
    let (major, element) = (major(call, 0)?, element(call, 1)?);
    match select_smem_atom(major, element, extent(call, 2)?, extent(call, 3)?) {
        Ok(atom) => shared(atom),
        Err(refusal) => Err(hardware(&refusal)),
    }
}

/// As for `wgmma`, but that M/N-major operands of four bytes have one layout only.
fn sm100_smem_selector(call: &Call<'_>) -> Evaluated {
    let (major, element) = (major(call, 0)?, element(call, 1)?);
    if major == Major::Mn && element.bits() == 32 {
        return shared(SmemAtom::dense(major, Span::B128Base32, element.bits()));
    }
    ss_smem_selector(call)
}

/// For an operand that goes through registers: M/N-major elements of four bytes avoid the wide
/// swizzles, whose banks conflict.
fn rs_smem_selector(call: &Call<'_>) -> Evaluated {
    let (major, element) = (major(call, 0)?, element(call, 1)?);
    let transposed = match call.targs.get(4) {
        None => false,
        Some(value) => value
            .as_truth()
            .ok_or_else(|| call.takes("a known truth value"))?,
    };
    let spans: &[Span] = match (major, element.bits(), transposed) {
        (Major::Mn, 32 | 64, true) => &[Span::B32],
        (Major::Mn, 32 | 64, false) => &[Span::B32, Span::B16],
        (Major::Mn, 8, true) => &[Span::B128],
        _ => return ss_smem_selector(call),
    };
    let extent = extent(call, 2)?;
    spans
        .iter()
        .map(|span| SmemAtom::dense(major, *span, element.bits()))
        .find(|atom| extent % atom.extents()[0] == 0)
        .map_or_else(
            || Err(call.takes("a multiple of the smallest atom")),
            shared,
        )
}

fn operation(call: &Call<'_>, a_in_registers: bool) -> Evaluated {
    let tile = match type_argument(call, 3)? {
        Type::Of(value) => value.to_shape(),
        _ => None,
    };
    let extents: Vec<i64> = tile
        .and_then(|tile| {
            tile.modes()
                .map(|mode| mode.size().ok().and_then(|size| size.value()))
                .collect()
        })
        .unwrap_or_default();
    let Ok(tile) = extents.try_into() else {
        return Err(call.takes("a tile of known M, N and K"));
    };
    let major_or_k = |index: usize| match call.targs.get(index) {
        None => Ok(Major::K),
        Some(_) => major(call, index),
    };
    let request = WgmmaRequest {
        a: element(call, 0)?,
        b: element(call, 1)?,
        accumulator: element(call, 2)?,
        tile,
        major_a: major_or_k(4)?,
        major_b: major_or_k(5)?,
        a_in_registers,
        sparse: false,
        extended_shapes: call.surroundings.extended_wgmma,
    };
    match select_wgmma(&request) {
        Ok(atom) => Ok(Value::Instance(Box::new(Type::Named(
            atom.name.as_str().into(),
        )))),
        Err(refusal) => Err(hardware(&refusal)),
    }
}

fn ss_op_selector(call: &Call<'_>) -> Evaluated {
    operation(call, false)
}

fn rs_op_selector(call: &Call<'_>) -> Evaluated {
    operation(call, true)
}

/// `is_major<I, Stride>()`, `is_major<I>(stride)`: whether a mode is contiguous.
fn is_major(call: &Call<'_>) -> Evaluated {
    let mode = call
        .targs
        .first()
        .and_then(super::call::number)
        .and_then(|mode| usize::try_from(mode).ok())
        .ok_or_else(|| call.takes("a mode"))?;
    let of_type = |ty: &Type| match ty {
        Type::Of(value) => Ok((**value).clone()),
        _ => Err(call.takes("a stride")),
    };
    // Groups have a pointer to their strides.
    let given = match call.args.first() {
        Some(Value::Pointer(pointer)) => match pointer.element.as_deref() {
            Some(element) => of_type(element)?,
            None => return Err(call.takes("a stride")),
        },
        Some(value) => value.clone(),
        None => match type_argument(call, 1)? {
            Type::Pointer(target) => of_type(target)?,
            ty => of_type(ty)?,
        },
    };
    let stride = match &given {
        Value::Layout(layout) => Value::of_stride(&Layout::stride(layout)),
        _ => given,
    };
    let mut part = match &stride {
        Value::Tuple(items) => items.get(mode).ok_or_else(|| call.takes("a mode"))?,
        _ => return Err(call.takes("a stride")),
    };
    while let Value::Tuple(items) = part {
        part = items.first().ok_or_else(|| call.takes("a stride"))?;
    }
    let first = part.as_int().ok_or_else(|| call.takes("a stride"))?;
    Ok(Value::Bool(Truth::run_time(first.as_static() == Some(1))))
}

fn is_k_major(call: &Call<'_>) -> Evaluated {
    is_contiguous(call, 1)
}

fn is_mn_major(call: &Call<'_>) -> Evaluated {
    is_contiguous(call, 0)
}

fn is_contiguous(call: &Call<'_>, mode: i64) -> Evaluated {
    let mut targs = vec![Value::Int(Int::fixed(mode))];
    targs.extend(call.targs.iter().cloned());
    is_major(&Call::new(call.name, &targs, call.args))
}

pub(super) const FUNCTIONS: &[Function] = &[
    lenient(
        "ss_smem_selector",
        "auto ss_smem_selector<Major,T,BLK_MN,BLK_K>()",
        "the widest layout of shared memory that divides the tile, for wgmma",
        ss_smem_selector,
    )
    .header(Header::Cutlass("gemm/collective/builders/sm90_common.inl"))
    .makes(Makes::Layout)
    .of_instructions(),
    lenient(
        "rs_smem_selector",
        "auto rs_smem_selector<Major,T,BLK_MN,BLK_K>()",
        "the layout of shared memory of an operand that goes through registers",
        rs_smem_selector,
    )
    .header(Header::Cutlass("gemm/collective/builders/sm90_common.inl"))
    .makes(Makes::Layout)
    .of_instructions(),
    lenient(
        "sm100_smem_selector",
        "auto sm100_smem_selector<Major,T,BLK_MN,BLK_K>()",
        "the widest layout of shared memory that divides the tile, for tcgen05.mma",
        sm100_smem_selector,
    )
    .header(Header::Cutlass("gemm/collective/builders/sm100_common.inl"))
    .makes(Makes::Layout)
    .of_instructions(),
    lenient(
        "ss_op_selector",
        "auto ss_op_selector<A,B,C,Tile,MajorA,MajorB>()",
        "the wgmma with the largest N that divides the tile's, both operands \
         in shared memory",
        ss_op_selector,
    )
    .header(Header::Cute("arch/mma_sm90.hpp")),
    lenient(
        "rs_op_selector",
        "auto rs_op_selector<A,B,C,Tile,MajorA,MajorB>()",
        "the wgmma with the largest N that divides the tile's, A in registers",
        rs_op_selector,
    )
    .header(Header::Cute("arch/mma_sm90.hpp")),
    entry(
        "sm90_cluster_shape_to_tma_atom",
        "auto sm90_cluster_shape_to_tma_atom(size)",
        "the TMA load of one mode of a cluster: a multicast for more than one CTA",
        sm90_cluster_shape_to_tma_atom,
    )
    .takes(&["size"])
    .header(Header::Cutlass("gemm/collective/builders/sm90_common.inl")),
    entry(
        "rr_op_selector_sm120",
        "auto rr_op_selector_sm120<A,B,C>()",
        "the mma of 8-bit and narrower floats on sm_120, both operands in registers",
        rr_op_selector_sm120,
    )
    .header(Header::Cute("arch/mma_sm120.hpp")),
    entry(
        "rr_blockscaled_op_selector_sm120",
        "auto rr_blockscaled_op_selector_sm120<A,B,C,SF,VecSize,UseF8F6F4>()",
        "the mma with scale factors of blocks on sm_120, both operands in registers",
        rr_blockscaled_op_selector_sm120,
    )
    .header(Header::Cute("arch/mma_sm120.hpp")),
    entry(
        "is_major",
        "bool is_major<I,Stride>()",
        "whether mode I is contiguous",
        is_major,
    )
    .header(Header::Cutlass("detail/layout.hpp")),
    entry(
        "is_k_major",
        "bool is_k_major<Stride>()",
        "whether K is contiguous",
        is_k_major,
    )
    .header(Header::Cutlass("gemm/gemm.h")),
    entry(
        "is_mn_major",
        "bool is_mn_major<Stride>()",
        "whether M or N is contiguous",
        is_mn_major,
    )
    .header(Header::Cutlass("gemm/gemm.h")),
];
