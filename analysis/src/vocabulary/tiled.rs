//! Atoms repeated over threads and values: tiled copies and MMAs, and what a thread gets of a
//! tensor.

use std::sync::Arc;

use cute_algebra::{AnyLayout, Int, IntTuple, Layout, Tiler};
use cute_hardware::tiled::fragment;
use cute_hardware::{CopyAtom, MmaAtom, Operand, Part, TiledCopy, TiledMma, ValueCopyAtom};

use super::{Answer, Call, Function, Problem, entry, lenient};
use crate::reason::Reason;
use crate::tensor::{Pointer, Space, Tensor};
use crate::types::Type;
use crate::value::{ThreadCopy, ThreadMma, Value};

/// What the hardware's rules refuse is not known here; the rule is the reason.
pub(super) fn hardware(refusal: &cute_hardware::Refusal) -> Problem {
    Problem::Unknown(Reason::Refused(refusal.rule.name()))
}

/// The MMA atom of an argument: an atom, or an object of an operation's type.
fn mma_atom(call: &Call<'_>, index: usize) -> Result<MmaAtom, Problem> {
    match call.arg(index)? {
        Value::MmaAtom(atom) => Ok(MmaAtom::clone(atom)),
        Value::Instance(ty) => match &**ty {
            Type::Named(name) => MmaAtom::named(name).map_err(|refusal| hardware(&refusal)),
            _ => Err(call.takes("an MMA atom")),
        },
        _ => Err(call.takes("an MMA atom")),
    }
}

fn copy_atom<'c>(call: &Call<'c>, index: usize) -> Result<&'c ValueCopyAtom, Problem> {
    match call.arg(index)? {
        Value::CopyAtom(atom) => Ok(atom),
        Value::TiledCopy(copy) => Ok(copy.atom()),
        Value::ThrCopy(thread) => Ok(thread.copy.atom()),
        _ => Err(call.takes("a copy atom")),
    }
}

fn tiled_mma<'c>(call: &Call<'c>, index: usize) -> Result<&'c TiledMma, Problem> {
    match call.arg(index)? {
        Value::TiledMma(mma) => Ok(mma),
        Value::ThrMma(thread) => Ok(&thread.mma),
        _ => Err(call.takes("a tiled MMA")),
    }
}

fn tiled_copy<'c>(call: &Call<'c>, index: usize) -> Result<&'c TiledCopy, Problem> {
    match call.arg(index)? {
        Value::TiledCopy(copy) => Ok(copy),
        Value::ThrCopy(thread) => Ok(&thread.copy),
        _ => Err(call.takes("a tiled copy")),
    }
}

fn of_copy(result: Result<TiledCopy, cute_hardware::Refusal>) -> Answer {
    match result {
        Ok(copy) => Ok(Value::TiledCopy(Arc::new(copy))),
        Err(refusal) => Err(hardware(&refusal)),
    }
}

fn make_tiled_mma(call: &Call<'_>) -> Answer {
    let atom = mma_atom(call, 0)?;
    let atoms = match call.args.get(1) {
        None => None,
        Some(Value::Layout(layout)) => Some(Layout::clone(layout)),
        Some(_) => Some(Layout::left(call.shape(1)?)?),
    };
    let permutations = match call.args.get(2) {
        None => Vec::new(),
        Some(_) => match call.tiler(2)? {
            Tiler::Modes(modes) => modes,
            single => vec![single],
        },
    };
    match TiledMma::new(atom, atoms, permutations) {
        Ok(mma) => Ok(Value::TiledMma(Arc::new(mma))),
        Err(refusal) => Err(hardware(&refusal)),
    }
}

fn make_tiled_copy(call: &Call<'_>) -> Answer {
    let atom = copy_atom(call, 0)?.clone();
    let values = match call.args.get(2) {
        Some(_) => call.layout(2)?,
        None => Layout::unit(),
    };
    of_copy(TiledCopy::of_layouts(atom, &call.layout(1)?, &values))
}

fn make_tiled_copy_impl(call: &Call<'_>) -> Answer {
    let atom = copy_atom(call, 0)?.clone();
    of_copy(TiledCopy::new(atom, call.layout(1)?, call.tiler(2)?))
}

fn copy_of_mma(call: &Call<'_>, operand: Operand) -> Answer {
    let atom = copy_atom(call, 0)?.clone();
    of_copy(TiledCopy::of_mma(atom, tiled_mma(call, 1)?, operand))
}

fn make_tiled_copy_a(call: &Call<'_>) -> Answer {
    copy_of_mma(call, Operand::A)
}

fn make_tiled_copy_b(call: &Call<'_>) -> Answer {
    copy_of_mma(call, Operand::B)
}

fn make_tiled_copy_c(call: &Call<'_>) -> Answer {
    copy_of_mma(call, Operand::C)
}

fn make_tiled_copy_c_atom(call: &Call<'_>) -> Answer {
    let atom = copy_atom(call, 0)?.clone();
    of_copy(TiledCopy::of_accumulator_atom(atom, tiled_mma(call, 1)?))
}

fn make_tiled_copy_s(call: &Call<'_>) -> Answer {
    let atom = copy_atom(call, 0)?.clone();
    of_copy(TiledCopy::of_source(atom, tiled_copy(call, 1)?))
}

fn make_tiled_copy_d(call: &Call<'_>) -> Answer {
    let atom = copy_atom(call, 0)?.clone();
    of_copy(TiledCopy::of_destination(atom, tiled_copy(call, 1)?))
}

/// `get_slice(thread)`: only a swizzled tensor's part depends on which thread it is.
fn get_slice(call: &Call<'_>) -> Answer {
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
/// layout of an affine tensor's part is the same for all threads; that of a swizzled one is where
/// the compiler knows all of it.
fn part(
    call: &Call<'_>,
    index: usize,
    thread: &Int,
    partition: &dyn Fn(&Int, &AnyLayout) -> Result<Part, cute_hardware::Refusal>,
) -> Answer {
    let tensor = tensor(call, index)?;
    let number = thread.value().unwrap_or(0);
    let part =
        partition(&Int::dynamic(number), &tensor.layout).map_err(|refusal| hardware(&refusal))?;
    let value = Value::of_layout(part.layout.clone());
    let swizzled = tensor.layout.as_affine().is_none();
    if swizzled && thread.value().is_none() && !value.is_static() {
        return Err(Problem::Unknown(Reason::RunTime(
            "where a thread's part of a swizzled tensor lies".into(),
        )));
    }
    Ok(Value::Tensor(Box::new(Tensor {
        engine: tensor.engine.clone(),
        layout: part.layout,
    })))
}

fn tensor<'c>(call: &Call<'c>, index: usize) -> Result<&'c Tensor, Problem> {
    match call.arg(index)? {
        Value::Tensor(tensor) => Ok(tensor),
        _ => Err(call.takes("a tensor")),
    }
}

fn partition_of_copy(call: &Call<'_>, source: bool) -> Answer {
    let Value::ThrCopy(thread) = call.arg(0)? else {
        return Err(call.takes("a thread of a tiled copy"));
    };
    part(call, 1, &thread.thread, &|index, tensor| {
        if source {
            thread.copy.partition_source(index, tensor)
        } else {
            thread.copy.partition_destination(index, tensor)
        }
    })
}

fn partition_s(call: &Call<'_>) -> Answer {
    partition_of_copy(call, true)
}

fn partition_d(call: &Call<'_>) -> Answer {
    partition_of_copy(call, false)
}

fn retile(call: &Call<'_>) -> Answer {
    let copy = tiled_copy(call, 0)?;
    let tensor = tensor(call, 1)?;
    let layout = copy
        .retile(&tensor.layout)
        .map_err(|refusal| hardware(&refusal))?;
    Ok(Value::Tensor(Box::new(Tensor {
        engine: tensor.engine.clone(),
        layout,
    })))
}

fn partition_of_mma(call: &Call<'_>, operand: Operand) -> Answer {
    let Value::ThrMma(thread) = call.arg(0)? else {
        return Err(call.takes("a thread of a tiled MMA"));
    };
    part(call, 1, &thread.thread, &|index, tensor| {
        let slice = thread.mma.slice(index)?;
        thread.mma.partition(&slice, operand, tensor)
    })
}

fn partition_a(call: &Call<'_>) -> Answer {
    partition_of_mma(call, Operand::A)
}

fn partition_b(call: &Call<'_>) -> Answer {
    partition_of_mma(call, Operand::B)
}

fn partition_c(call: &Call<'_>) -> Answer {
    partition_of_mma(call, Operand::C)
}

/// The fragment that an MMA makes of a thread's part.
fn fragment_of(call: &Call<'_>, operand: Operand, part: &Value) -> Answer {
    let Value::Tensor(tensor) = part else {
        return Err(call.takes("a tensor"));
    };
    let Some(layout) = tensor.layout.as_affine() else {
        // A swizzle moves elements, not the shape of what a thread keeps of them.
        return if tensor.layout.domain().is_static() {
            owned(call, operand, tensor.layout.domain())
        } else {
            Err(call.not_evaluated())
        };
    };
    owned(call, operand, layout)
}

fn owned(call: &Call<'_>, operand: Operand, part: &Layout) -> Answer {
    let mma = tiled_mma(call, 0)?;
    let layout =
        fragment::make_fragment(mma.atom(), operand, part).map_err(|refusal| hardware(&refusal))?;
    Ok(registers(AnyLayout::Affine(layout)))
}

fn registers(layout: AnyLayout) -> Value {
    Value::Tensor(Box::new(Tensor {
        engine: Pointer::generic(None).in_space(Space::Registers),
        layout,
    }))
}

fn make_fragment_a(call: &Call<'_>) -> Answer {
    fragment_of(call, Operand::A, call.arg(1)?)
}

fn make_fragment_b(call: &Call<'_>) -> Answer {
    fragment_of(call, Operand::B, call.arg(1)?)
}

fn make_fragment_c(call: &Call<'_>) -> Answer {
    fragment_of(call, Operand::C, call.arg(1)?)
}

fn partition_fragment(call: &Call<'_>, operand: Operand) -> Answer {
    match (call.arg(0)?, call.arg(1)?, operand) {
        // partition_fragment_C(mma, shape)
        (Value::TiledMma(mma), shape, Operand::C) => {
            let shape = shape
                .to_shape()
                .ok_or_else(|| call.takes("a tiled MMA and a shape"))?;
            let layout =
                fragment::accumulator(mma, &shape).map_err(|refusal| hardware(&refusal))?;
            Ok(registers(AnyLayout::Affine(layout)))
        }
        (Value::ThrMma(_), Value::Tensor(_), _) => {
            let part = partition_of_mma(call, operand)?;
            fragment_of(call, operand, &part)
        }
        _ => Err(call.takes("a thread of a tiled MMA and a tensor")),
    }
}

fn partition_fragment_a(call: &Call<'_>) -> Answer {
    partition_fragment(call, Operand::A)
}

fn partition_fragment_b(call: &Call<'_>) -> Answer {
    partition_fragment(call, Operand::B)
}

fn partition_fragment_c(call: &Call<'_>) -> Answer {
    partition_fragment(call, Operand::C)
}

fn partition_shape(call: &Call<'_>, operand: Operand) -> Answer {
    let mma = tiled_mma(call, 0)?;
    let shape = mma
        .partition_shape(operand, &call.shape(1)?)
        .map_err(|refusal| hardware(&refusal))?;
    Ok(Value::of_shape(&shape))
}

fn partition_shape_a(call: &Call<'_>) -> Answer {
    partition_shape(call, Operand::A)
}

fn partition_shape_b(call: &Call<'_>) -> Answer {
    partition_shape(call, Operand::B)
}

fn partition_shape_c(call: &Call<'_>) -> Answer {
    partition_shape(call, Operand::C)
}

fn tile_size(call: &Call<'_>) -> Answer {
    match call.indices()?.as_slice() {
        [mode] => tiled_mma(call, 0)?
            .tile_size(*mode)
            .map(Value::Int)
            .map_err(|refusal| hardware(&refusal)),
        _ => Err(call.takes("one mode as template argument")),
    }
}

fn tile_shape(call: &Call<'_>) -> Answer {
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

fn thread_value(call: &Call<'_>, operand: Operand) -> Answer {
    match tiled_mma(call, 0)?.thread_value_layout(operand) {
        Ok(layout) => Ok(layout.into()),
        Err(refusal) => Err(hardware(&refusal)),
    }
}

fn layout_a(call: &Call<'_>) -> Answer {
    thread_value(call, Operand::A)
}

fn layout_b(call: &Call<'_>) -> Answer {
    thread_value(call, Operand::B)
}

fn layout_c(call: &Call<'_>) -> Answer {
    thread_value(call, Operand::C)
}

fn thread_layout(call: &Call<'_>) -> Answer {
    Ok(tiled_mma(call, 0)?.thread_layout().clone().into())
}

fn layout_s(call: &Call<'_>) -> Answer {
    match tiled_copy(call, 0)?.source_layout() {
        Ok(layout) => Ok(layout.into()),
        Err(refusal) => Err(hardware(&refusal)),
    }
}

fn layout_d(call: &Call<'_>) -> Answer {
    match tiled_copy(call, 0)?.destination_layout() {
        Ok(layout) => Ok(layout.into()),
        Err(refusal) => Err(hardware(&refusal)),
    }
}

/// The type `Copy_Atom<Op, T>`.
pub(super) fn copy_atom_type(operation: &str, bits: u32) -> Answer {
    let atom = CopyAtom::named(operation)
        .and_then(|atom| atom.with_value_bits(i64::from(bits)))
        .map_err(|refusal| hardware(&refusal))?;
    Ok(Value::CopyAtom(Arc::new(atom)))
}

/// The type `MMA_Atom<Op>`.
pub(super) fn mma_atom_type(operation: &str) -> Answer {
    let atom = MmaAtom::named(operation).map_err(|refusal| hardware(&refusal))?;
    Ok(Value::MmaAtom(Arc::new(atom)))
}

pub(super) const FUNCTIONS: &[Function] = &[
    entry(
        "make_tiled_mma",
        "TiledMMA make_tiled_mma(atom, atoms, permutations)",
        "An MMA atom repeated over threads and values.",
        make_tiled_mma,
    ),
    entry(
        "make_tiled_copy",
        "TiledCopy make_tiled_copy(atom, threads, values)",
        "A copy atom repeated over threads and values.",
        make_tiled_copy,
    ),
    entry(
        "make_tiled_copy_impl",
        "TiledCopy make_tiled_copy_impl(atom, layout_tv, tiler)",
        "A copy atom repeated by a thread-value layout.",
        make_tiled_copy_impl,
    ),
    entry(
        "make_tiled_copy_A",
        "TiledCopy make_tiled_copy_A(atom, mma)",
        "The copy that feeds operand A.",
        make_tiled_copy_a,
    ),
    entry(
        "make_tiled_copy_B",
        "TiledCopy make_tiled_copy_B(atom, mma)",
        "The copy that feeds operand B.",
        make_tiled_copy_b,
    ),
    entry(
        "make_tiled_copy_C",
        "TiledCopy make_tiled_copy_C(atom, mma)",
        "The copy of the accumulator.",
        make_tiled_copy_c,
    ),
    entry(
        "make_tiled_copy_C_atom",
        "TiledCopy make_tiled_copy_C_atom(atom, mma)",
        "The smallest copy of the accumulator.",
        make_tiled_copy_c_atom,
    ),
    entry(
        "make_tiled_copy_S",
        "TiledCopy make_tiled_copy_S(atom, copy)",
        "The copy with the source of another.",
        make_tiled_copy_s,
    ),
    entry(
        "make_tiled_copy_D",
        "TiledCopy make_tiled_copy_D(atom, copy)",
        "The copy with the destination of another.",
        make_tiled_copy_d,
    ),
    entry(
        "partition_fragment_A",
        "Tensor partition_fragment_A(mma, tensor)",
        "What a thread keeps of operand A.",
        partition_fragment_a,
    ),
    entry(
        "partition_fragment_B",
        "Tensor partition_fragment_B(mma, tensor)",
        "What a thread keeps of operand B.",
        partition_fragment_b,
    ),
    entry(
        "partition_fragment_C",
        "Tensor partition_fragment_C(mma, shape)",
        "What a thread keeps of the accumulator.",
        partition_fragment_c,
    ),
    entry(
        "partition_shape_A",
        "Shape partition_shape_A(mma, shape)",
        "The shape of a thread's part of operand A.",
        partition_shape_a,
    ),
    entry(
        "partition_shape_B",
        "Shape partition_shape_B(mma, shape)",
        "The shape of a thread's part of operand B.",
        partition_shape_b,
    ),
    entry(
        "partition_shape_C",
        "Shape partition_shape_C(mma, shape)",
        "The shape of a thread's part of the accumulator.",
        partition_shape_c,
    ),
    entry(
        "tile_size",
        "Int tile_size<I>(mma)",
        "The extent of the tile in M, N or K.",
        tile_size,
    ),
    entry(
        "tile_shape",
        "Shape tile_shape(tiled)",
        "The extents of the tile.",
        tile_shape,
    ),
];

pub(super) const METHODS: &[Function] = &[
    lenient(
        "get_slice",
        "auto get_slice(thread) const",
        "The part of one thread.",
        get_slice,
    ),
    lenient(
        "get_thread_slice",
        "auto get_thread_slice(thread) const",
        "The part of one thread.",
        get_slice,
    ),
    entry(
        "partition_S",
        "Tensor partition_S(tensor) const",
        "What a thread reads.",
        partition_s,
    ),
    entry(
        "partition_D",
        "Tensor partition_D(tensor) const",
        "What a thread writes.",
        partition_d,
    ),
    entry(
        "retile_S",
        "Tensor retile_S(tensor) const",
        "A fragment in the order of this copy's source.",
        retile,
    ),
    entry(
        "retile_D",
        "Tensor retile_D(tensor) const",
        "A fragment in the order of this copy's destination.",
        retile,
    ),
    entry(
        "partition_A",
        "Tensor partition_A(tensor) const",
        "A thread's part of operand A.",
        partition_a,
    ),
    entry(
        "partition_B",
        "Tensor partition_B(tensor) const",
        "A thread's part of operand B.",
        partition_b,
    ),
    entry(
        "partition_C",
        "Tensor partition_C(tensor) const",
        "A thread's part of the accumulator.",
        partition_c,
    ),
    entry(
        "partition_fragment_A",
        "Tensor partition_fragment_A(tensor) const",
        "What a thread keeps of operand A.",
        partition_fragment_a,
    ),
    entry(
        "partition_fragment_B",
        "Tensor partition_fragment_B(tensor) const",
        "What a thread keeps of operand B.",
        partition_fragment_b,
    ),
    entry(
        "partition_fragment_C",
        "Tensor partition_fragment_C(tensor) const",
        "What a thread keeps of the accumulator.",
        partition_fragment_c,
    ),
    entry(
        "make_fragment_A",
        "Tensor make_fragment_A(tensor) const",
        "The fragment of a part of operand A.",
        make_fragment_a,
    ),
    entry(
        "make_fragment_B",
        "Tensor make_fragment_B(tensor) const",
        "The fragment of a part of operand B.",
        make_fragment_b,
    ),
    entry(
        "make_fragment_C",
        "Tensor make_fragment_C(tensor) const",
        "The fragment of a part of the accumulator.",
        make_fragment_c,
    ),
    entry(
        "tile_size_mnk",
        "Int tile_size_mnk<I>() const",
        "The extent of the tile in M, N or K.",
        tile_size,
    ),
    entry(
        "get_layoutA_TV",
        "Layout get_layoutA_TV() const",
        "Thread and value to offset in operand A.",
        layout_a,
    ),
    entry(
        "get_layoutB_TV",
        "Layout get_layoutB_TV() const",
        "Thread and value to offset in operand B.",
        layout_b,
    ),
    entry(
        "get_layoutC_TV",
        "Layout get_layoutC_TV() const",
        "Thread and value to offset in the accumulator.",
        layout_c,
    ),
    entry(
        "get_thr_layout_vmnk",
        "Layout get_thr_layout_vmnk() const",
        "Value group, M, N and K to thread.",
        thread_layout,
    ),
    entry(
        "get_layoutS_TV",
        "Layout get_layoutS_TV() const",
        "Thread and value to offset in the source.",
        layout_s,
    ),
    entry(
        "get_layoutD_TV",
        "Layout get_layoutD_TV() const",
        "Thread and value to offset in the destination.",
        layout_d,
    ),
];
