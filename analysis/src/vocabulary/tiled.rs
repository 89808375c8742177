//! Common parts of tiled copies and tiled MMAs: the slice of one thread and its part of a tensor, the tile.

use std::sync::Arc;

use cute_algebra::{AnyLayout, Int, IntTuple, Verdict};
use cute_hardware::{Part, Rule};

use super::mmas::tiled_mma;
use super::{
    Call, Evaluated, Function, Header, Makes, Problem, Remark, entry, lenient, python_words,
};
use crate::reason::Reason;
use crate::tensor::Tensor;
use crate::trace::ActionKind;
use crate::value::{ThreadCopy, ThreadMma, Value};

/// Rules of the driver's descriptors: CuTe compiles a request that breaks them, and no copy comes about.
const OF_DESCRIPTORS: &[Rule] = &[
    Rule::TmaBox,
    Rule::TmaBoxBytes,
    Rule::TmaDimension,
    Rule::TmaElementStride,
    Rule::TmaFill,
    Rule::TmaInnerBox,
    Rule::TmaInterleave,
    Rule::TmaMajor,
    Rule::TmaMerged,
    Rule::TmaMulticast,
    Rule::TmaStrideAlignment,
    Rule::TmaStrideRange,
    Rule::TmaTile,
    Rule::TmaType,
];

/// Whether a refusal is a finding: known numbers break the rule for certain. An atom or a type of this name may be one
/// that we do not know, and refusals by the algebra's rules are reported where its operations are.
pub(super) fn is_certain(refusal: &cute_hardware::Refusal) -> bool {
    match refusal.rule {
        Rule::UnknownAtom
        | Rule::UnknownType
        | Rule::AtomDefect
        | Rule::Architecture
        | Rule::OutOfRange
        | Rule::TmaRank
        | Rule::Algebra(_) => false,
        Rule::AtomParameters => matches!(refusal.cute, Verdict::StaticAssert(_)),
        rule if OF_DESCRIPTORS.contains(&rule) => true,
        _ => !matches!(refusal.cute, Verdict::Accepts | Verdict::Traps),
    }
}

/// A refusal by the hardware's rules is a finding where it is certain; else the rule is the reason why the value is
/// unknown.
pub(crate) fn hardware(refusal: &cute_hardware::Refusal) -> Problem {
    if is_certain(refusal) {
        return Problem::Refused(Box::new(Remark::of_hardware(refusal.clone())));
    }
    Problem::Unknown(Reason::refused(refusal.rule.name(), refusal))
}

/// `get_slice(thread)`: only a swizzled tensor's part depends on which thread it is.
fn get_slice(call: &Call<'_>) -> Evaluated {
    let thread = match call.args.get(1) {
        Some(Value::Int(int)) => int.clone(),
        _ => Int::coordinate("thread"),
    };
    match call.arg(0)? {
        Value::TiledCopy(copy) => Ok(Value::ThrCopy(Arc::new(ThreadCopy {
            copy: Arc::clone(copy),
            thread,
        }))),
        Value::TiledMma(mma) => Ok(Value::ThrMma(Arc::new(ThreadMma {
            mma: Arc::clone(mma),
            thread,
        }))),
        _ => Err(call.takes("a tiled copy or MMA")),
    }
}

/// A thread's part of a tensor: computed for the thread if it is known, else for the first one. The
/// layout of an affine tensor's part is the same for all threads; that of a swizzled one only where
/// the compiler knows all of it.
pub(super) fn part(
    call: &Call<'_>,
    index: usize,
    thread: &Int,
    partition: &dyn Fn(&Int, &AnyLayout) -> Result<Part, cute_hardware::Refusal>,
) -> Evaluated {
    let tensor = tensor(call, index)?;
    let index = if thread.is_static() {
        thread.clone()
    } else {
        Int::dynamic(thread.value().unwrap_or(0))
    };
    let part = partition(&index, &tensor.layout).map_err(|refusal| hardware(&refusal))?;
    let swizzled = tensor.layout.as_affine().is_none();
    let value = Value::Tensor(Box::new(Tensor {
        engine: tensor.engine.clone(),
        layout: part.layout,
    }));
    if swizzled && thread.value().is_none() && !value.is_static() {
        return Err(Problem::ForFirst(Box::new(value)));
    }
    Ok(value)
}

/// A tensor or a layout, divided among the threads and values of a tiled copy or MMA.
pub(super) fn divided(
    call: &Call<'_>,
    index: usize,
    divide: &dyn Fn(&AnyLayout) -> Result<AnyLayout, cute_hardware::Refusal>,
) -> Evaluated {
    let input = call.arg(index)?;
    let whole = match input {
        Value::Tensor(tensor) => Some(tensor.layout.clone()),
        other => other.as_any_layout(),
    };
    let whole = whole.ok_or_else(|| call.takes("a tensor or a layout"))?;
    let layout = divide(&whole).map_err(|refusal| hardware(&refusal))?;
    Ok(match input {
        Value::Tensor(tensor) => Value::Tensor(Box::new(Tensor {
            engine: tensor.engine.clone(),
            layout,
        })),
        _ => Value::of_layout(layout),
    })
}

pub(super) fn tensor<'c>(call: &Call<'c>, index: usize) -> Result<&'c Tensor, Problem> {
    match call.arg(index)? {
        Value::Tensor(tensor) => Ok(tensor),
        _ => Err(call.takes("a tensor")),
    }
}

fn tile_shape(call: &Call<'_>) -> Evaluated {
    let shape: Result<IntTuple, cute_hardware::Refusal> = match call.arg(0)? {
        Value::TiledMma(mma) => mma.tile_shape(),
        Value::TiledCopy(copy) => copy.tile_shape(),
        _ => return Err(call.takes("a tiled copy or MMA")),
    };
    match shape {
        Ok(shape) => Ok(Value::of_shape(&shape)),
        Err(refusal) => Err(hardware(&refusal)),
    }
}

fn tile_size(call: &Call<'_>) -> Evaluated {
    match call.indices()?.as_slice() {
        [mode] => tiled_mma(call, 0)?
            .tile_size(*mode)
            .map(Value::Int)
            .map_err(|refusal| hardware(&refusal)),
        _ => Err(call.takes("one mode as template argument")),
    }
}

/// `mma.permutation_mnk<I>()`: the tiler of M, N or K.
fn permutation_mnk(call: &Call<'_>) -> Evaluated {
    match call.indices()?.as_slice() {
        [mode] => tiled_mma(call, 0)?
            .permutation(*mode)
            .map(|tiler| Value::of_tiler(&tiler))
            .map_err(|refusal| hardware(&refusal)),
        _ => Err(call.takes("one mode as template argument")),
    }
}

pub(super) const FUNCTIONS: &[Function] = &[
    entry(
        "tile_size",
        "Int tile_size<I>(mma)",
        "the extent of the tile in M, N or K",
        tile_size,
    )
    .takes(&["mma"])
    .header(Header::Cute("atom/mma_atom.hpp")),
    entry(
        "tile_shape",
        "Shape tile_shape(tiled)",
        "the extents of the tile",
        tile_shape,
    )
    .takes(&["tiled"])
    .header(Header::Cute("atom/mma_atom.hpp")),
];

pub(super) const METHODS: &[Function] = &[
    lenient(
        "get_slice",
        "auto get_slice(thread) const",
        "the part of one thread",
        get_slice,
    )
    .takes(&["thread"])
    .header(Header::Cute("atom/copy_atom.hpp"))
    .makes(Makes::Layout)
    .does(ActionKind::ThreadSlice)
    .python(&[
        python_words::on_objects("TiledCopy", "get_slice", "self thr_idx"),
        python_words::on_objects("TiledMma", "get_slice", "self thr_idx"),
    ])
    .of_instructions(),
    lenient(
        "get_thread_slice",
        "auto get_thread_slice(thread) const",
        "the part of one thread",
        get_slice,
    )
    .takes(&["thread"])
    .header(Header::Cute("atom/mma_atom.hpp"))
    .makes(Makes::Layout)
    .does(ActionKind::ThreadSlice)
    .of_instructions(),
    entry(
        "permutation_mnk",
        "Tiler permutation_mnk<I>() const",
        "the permutation of M, N or K, or the extent of the tile",
        permutation_mnk,
    )
    .takes(&[])
    .header(Header::Cute("atom/mma_atom.hpp"))
    .of_instructions(),
    entry(
        "tile_size_mnk",
        "Int tile_size_mnk<I>() const",
        "the extent of the tile in M, N or K",
        tile_size,
    )
    .header(Header::Cute("atom/mma_atom.hpp"))
    .python(&[python_words::on_objects(
        "TiledMma",
        "get_tile_size",
        "self mode_idx",
    )]),
];
