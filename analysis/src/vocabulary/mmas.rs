//! MMA atoms repeated over threads and values, and the part of their operands that a thread keeps.

use std::sync::Arc;

use cute_algebra::{AnyLayout, Layout, Tiler};
use cute_hardware::descriptor::Generation;
use cute_hardware::descriptor::canonical::describe;
use cute_hardware::tiled::fragment;
use cute_hardware::{
    MmaAtom, Operand, OperandMemory, Rule, SharedLayout, SmemAtom, Span, TiledMma,
};

use super::tiled::{divided, hardware, part};
use super::{Call, Evaluated, Function, Header, Makes, Problem, Remark, entry, python_words};
use crate::tensor::{Pointer, Space, Tensor};
use crate::trace::ActionKind;
use crate::types::{Scalar, Type};
use crate::value::Value;

/// The MMA atom of an argument: an atom, or an object of an operation's type.
pub(super) fn mma_atom(call: &Call<'_>, index: usize) -> Result<MmaAtom, Problem> {
    match call.arg(index)? {
        Value::MmaAtom(atom) => Ok(MmaAtom::clone(atom)),
        Value::Instance(ty) => match &**ty {
            Type::Named(name) => MmaAtom::named(name).map_err(|refusal| hardware(&refusal)),
            _ => Err(call.takes("an MMA atom")),
        },
        _ => Err(call.takes("an MMA atom")),
    }
}

pub(super) fn tiled_mma<'c>(call: &Call<'c>, index: usize) -> Result<&'c TiledMma, Problem> {
    match call.arg(index)? {
        Value::TiledMma(mma) => Ok(mma),
        Value::ThrMma(thread) => Ok(&thread.mma),
        _ => Err(call.takes("a tiled MMA")),
    }
}

fn make_tiled_mma(call: &Call<'_>) -> Evaluated {
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

fn partition_of_mma(call: &Call<'_>, operand: Operand) -> Evaluated {
    let Value::ThrMma(thread) = call.arg(0)? else {
        return Err(call.takes("a thread of a tiled MMA"));
    };
    part(call, 1, &thread.thread, &|index, tensor| {
        let slice = thread.mma.slice(index)?;
        thread.mma.partition(&slice, operand, tensor)
    })
}

fn partition_a(call: &Call<'_>) -> Evaluated {
    partition_of_mma(call, Operand::A)
}

fn partition_b(call: &Call<'_>) -> Evaluated {
    partition_of_mma(call, Operand::B)
}

fn partition_c(call: &Call<'_>) -> Evaluated {
    partition_of_mma(call, Operand::C)
}

fn fragments_a(call: &Call<'_>) -> Evaluated {
    thread_fragments(call, Operand::A)
}

fn fragments_b(call: &Call<'_>) -> Evaluated {
    thread_fragments(call, Operand::B)
}

fn fragments_c(call: &Call<'_>) -> Evaluated {
    thread_fragments(call, Operand::C)
}

fn thread_fragments(call: &Call<'_>, operand: Operand) -> Evaluated {
    let mma = tiled_mma(call, 0)?;
    divided(call, 1, &|layout| mma.thread_fragments(operand, layout))
}

/// The fragment that an MMA makes of a thread's part.
fn fragment_of(call: &Call<'_>, operand: Operand, part: &Value) -> Evaluated {
    let Value::Tensor(tensor) = part else {
        return Err(call.takes("a tensor"));
    };
    let Some(layout) = tensor.layout.as_affine() else {
        // A swizzle moves elements, not the shape of the part that a thread keeps.
        return if tensor.layout.domain().is_static() {
            owned(call, operand, tensor.layout.domain())
        } else {
            Err(call.not_evaluated())
        };
    };
    let owned = owned(call, operand, layout)?;
    not_canonical(call, operand, tensor, layout);
    Ok(owned)
}

/// Remarks on a tile of shared memory that the tensor core cannot read in this order: no matrix descriptor expresses
/// it. The legal values are the atoms of shared memory that it can be made of.
fn not_canonical(call: &Call<'_>, operand: Operand, tensor: &Tensor, part: &Layout) {
    let Ok(mma) = tiled_mma(call, 0) else { return };
    let atom = mma.atom();
    let data = match operand {
        Operand::A => &atom.a,
        Operand::B => &atom.b,
        Operand::C => return,
    };
    let (OperandMemory::Shared(major), Space::Shared) = (data.place, tensor.engine.space) else {
        return;
    };
    let bits = data.element.bits();
    let is_same = tensor.engine.bits().map(i64::from) == Some(bits);
    let Ok(tile) = part.mode(0) else { return };
    if !is_same || data.sparsity != 1 || !tile.is_static() {
        return;
    }
    let tile = match tensor.engine.swizzle {
        Some(swizzle) => Ok(SharedLayout::new(swizzle, bits, tile)),
        None => SharedLayout::plain(bits, tile),
    };
    let (generation, scope) = if atom.accumulates_in_tensor_memory() {
        (Generation::Tcgen05, "UMMA")
    } else {
        (Generation::Wgmma, "GMMA")
    };
    let described = tile.and_then(|tile| describe(generation, major, &tile));
    if let Err(mut refusal) = described
        && matches!(refusal.rule, Rule::NotCanonical | Rule::UnsupportedSwizzle)
    {
        let element = tensor.engine.element.as_ref().map(ToString::to_string);
        let element = element.unwrap_or_else(|| data.element.cutlass_name().to_owned());
        refusal.legal = Span::WIDEST_FIRST
            .into_iter()
            .map(|span| SmemAtom::dense(major, span, bits).name_in(scope, &element))
            .collect();
        let mut remark = Remark::of_hardware(refusal);
        // The first argument in the source: the object is before it.
        remark.operand = Some(0);
        call.remark(remark);
    }
}

fn owned(call: &Call<'_>, operand: Operand, part: &Layout) -> Evaluated {
    let atom = tiled_mma(call, 0)?.atom();
    let layout =
        fragment::make_fragment(atom, operand, part).map_err(|refusal| hardware(&refusal))?;
    Ok(fragment_in(atom, operand, layout))
}

/// The tensor of a fragment, in the memory from which the instruction takes the operand.
fn fragment_in(atom: &MmaAtom, operand: Operand, layout: Layout) -> Value {
    let data = match operand {
        Operand::A => &atom.a,
        Operand::B => &atom.b,
        Operand::C => &atom.c,
    };
    let space = match data.place {
        OperandMemory::Registers => Space::Registers,
        OperandMemory::TensorMemory(_) => Space::TensorMemory,
        OperandMemory::Shared(_) if atom.accumulates_in_tensor_memory() => Space::UmmaDescriptors,
        OperandMemory::Shared(_) => Space::WgmmaDescriptors,
    };
    let element = Scalar::of_spelling(data.value.cutlass_name()).map(Type::Scalar);
    let mut engine = Pointer::generic(element).in_space(space);
    engine.element_bits = u32::try_from(data.value.bits()).ok();
    Value::Tensor(Box::new(Tensor {
        engine,
        layout: AnyLayout::Affine(layout),
    }))
}

fn make_fragment_a(call: &Call<'_>) -> Evaluated {
    fragment_of(call, Operand::A, call.arg(1)?)
}

fn make_fragment_b(call: &Call<'_>) -> Evaluated {
    fragment_of(call, Operand::B, call.arg(1)?)
}

/// Of a tensor or, as only its shape matters, of a shape: `make_fragment_C(partition_shape_C(mma, shape))`.
fn make_fragment_c(call: &Call<'_>) -> Evaluated {
    if let Value::Tuple(_) = call.arg(1)? {
        return owned(call, Operand::C, &Layout::left(call.shape(1)?)?);
    }
    fragment_of(call, Operand::C, call.arg(1)?)
}

fn partition_fragment(call: &Call<'_>, operand: Operand) -> Evaluated {
    match (call.arg(0)?, call.arg(1)?, operand) {
        // partition_fragment_C(mma, shape)
        (Value::TiledMma(mma), shape, Operand::C) => {
            let shape = shape
                .to_shape()
                .ok_or_else(|| call.takes("a tiled MMA and a shape"))?;
            let layout =
                fragment::accumulator(mma, &shape).map_err(|refusal| hardware(&refusal))?;
            Ok(fragment_in(mma.atom(), Operand::C, layout))
        }
        (Value::ThrMma(_), Value::Tensor(_), _) => match partition_of_mma(call, operand) {
            Ok(part) => fragment_of(call, operand, &part),
            // Registers are the same for every thread, wherever its elements are.
            Err(Problem::ForFirst(first)) => match fragment_of(call, operand, &first)? {
                fragment if fragment.is_static() => Ok(fragment),
                fragment => Err(Problem::ForFirst(Box::new(fragment))),
            },
            Err(problem) => Err(problem),
        },
        _ => Err(call.takes("a thread of a tiled MMA and a tensor")),
    }
}

fn partition_fragment_a(call: &Call<'_>) -> Evaluated {
    partition_fragment(call, Operand::A)
}

fn partition_fragment_b(call: &Call<'_>) -> Evaluated {
    partition_fragment(call, Operand::B)
}

fn partition_fragment_c(call: &Call<'_>) -> Evaluated {
    partition_fragment(call, Operand::C)
}

fn partition_shape(call: &Call<'_>, operand: Operand) -> Evaluated {
    let mma = tiled_mma(call, 0)?;
    let shape = mma
        .partition_shape(operand, &call.shape(1)?)
        .map_err(|refusal| hardware(&refusal))?;
    Ok(Value::of_shape(&shape))
}

fn partition_shape_a(call: &Call<'_>) -> Evaluated {
    partition_shape(call, Operand::A)
}

fn partition_shape_b(call: &Call<'_>) -> Evaluated {
    partition_shape(call, Operand::B)
}

fn partition_shape_c(call: &Call<'_>) -> Evaluated {
    partition_shape(call, Operand::C)
}

fn thread_value(call: &Call<'_>, operand: Operand) -> Evaluated {
    match tiled_mma(call, 0)?.thread_value_layout(operand) {
        Ok(layout) => Ok(layout.into()),
        Err(refusal) => Err(hardware(&refusal)),
    }
}

fn layout_a(call: &Call<'_>) -> Evaluated {
    thread_value(call, Operand::A)
}

fn layout_b(call: &Call<'_>) -> Evaluated {
    thread_value(call, Operand::B)
}

fn layout_c(call: &Call<'_>) -> Evaluated {
    thread_value(call, Operand::C)
}

fn thread_layout(call: &Call<'_>) -> Evaluated {
    Ok(tiled_mma(call, 0)?.thread_layout().clone().into())
}

/// The type `MMA_Atom<Op>`.
pub(super) fn mma_atom_type(operation: &str) -> Evaluated {
    let atom = MmaAtom::named(operation).map_err(|refusal| hardware(&refusal))?;
    Ok(Value::MmaAtom(Arc::new(atom)))
}

pub(super) const FUNCTIONS: &[Function] = &[
    entry(
        "make_tiled_mma",
        "TiledMMA make_tiled_mma(atom, threads, permutations)",
        "an MMA atom repeated over a layout of atoms",
        make_tiled_mma,
    )
    .takes(&["atom", "threads", "permutations"])
    .header(Header::Cute("atom/mma_atom.hpp"))
    .makes(Makes::Layout)
    .python(&[python_words::on_objects(
        "cutlass.cute",
        "make_tiled_mma",
        "op_or_atom atom_layout_mnk= permutation_mnk= **named",
    )])
    .of_instructions(),
    entry(
        "partition_fragment_A",
        "Tensor partition_fragment_A(tensor)",
        "registers for a thread's part of operand A",
        partition_fragment_a,
    )
    .takes(&["tensor"])
    .header(Header::Cute("atom/mma_atom.hpp"))
    .makes(Makes::Layout)
    .does(ActionKind::Fragment)
    .of_instructions(),
    entry(
        "partition_fragment_B",
        "Tensor partition_fragment_B(tensor)",
        "registers for a thread's part of operand B",
        partition_fragment_b,
    )
    .takes(&["tensor"])
    .header(Header::Cute("atom/mma_atom.hpp"))
    .makes(Makes::Layout)
    .does(ActionKind::Fragment)
    .of_instructions(),
    entry(
        "partition_fragment_C",
        "Tensor partition_fragment_C(mma, shape)",
        "registers for a thread's part of the accumulator",
        partition_fragment_c,
    )
    .takes(&["mma", "shape"])
    .header(Header::Cute("atom/mma_atom.hpp"))
    .makes(Makes::Layout)
    .does(ActionKind::Fragment)
    .of_instructions(),
    entry(
        "partition_shape_A",
        "Shape partition_shape_A(mma, shape)",
        "the shape of a thread's part of operand A",
        partition_shape_a,
    )
    .takes(&["mma", "shape"])
    .header(Header::Cute("atom/mma_atom.hpp"))
    .python(&[python_words::on_objects(
        "TiledMma",
        "partition_shape_A",
        "self shape_mk",
    )]),
    entry(
        "partition_shape_B",
        "Shape partition_shape_B(mma, shape)",
        "the shape of a thread's part of operand B",
        partition_shape_b,
    )
    .takes(&["mma", "shape"])
    .header(Header::Cute("atom/mma_atom.hpp"))
    .python(&[python_words::on_objects(
        "TiledMma",
        "partition_shape_B",
        "self shape_nk",
    )]),
    entry(
        "partition_shape_C",
        "Shape partition_shape_C(mma, shape)",
        "the shape of a thread's part of the accumulator",
        partition_shape_c,
    )
    .takes(&["mma", "shape"])
    .header(Header::Cute("atom/mma_atom.hpp"))
    .python(&[python_words::on_objects(
        "TiledMma",
        "partition_shape_C",
        "self shape_mn",
    )]),
];

pub(super) const METHODS: &[Function] = &[
    entry(
        "partition_A",
        "Tensor partition_A(tensor) const",
        "a thread's part of operand A",
        partition_a,
    )
    .takes(&["tensor"])
    .header(Header::Cute("atom/mma_atom.hpp"))
    .makes(Makes::Layout)
    .does(ActionKind::Partition)
    .python(&[python_words::on_objects(
        "ThrMma",
        "partition_A",
        "self input_mk",
    )])
    .of_instructions(),
    entry(
        "partition_B",
        "Tensor partition_B(tensor) const",
        "a thread's part of operand B",
        partition_b,
    )
    .takes(&["tensor"])
    .header(Header::Cute("atom/mma_atom.hpp"))
    .makes(Makes::Layout)
    .does(ActionKind::Partition)
    .python(&[python_words::on_objects(
        "ThrMma",
        "partition_B",
        "self input_nk",
    )])
    .of_instructions(),
    entry(
        "partition_C",
        "Tensor partition_C(tensor) const",
        "a thread's part of the accumulator",
        partition_c,
    )
    .takes(&["tensor"])
    .header(Header::Cute("atom/mma_atom.hpp"))
    .makes(Makes::Layout)
    .does(ActionKind::Partition)
    .python(&[python_words::on_objects(
        "ThrMma",
        "partition_C",
        "self input_mn",
    )])
    .of_instructions(),
    entry(
        "partition_fragment_A",
        "Tensor partition_fragment_A(tensor) const",
        "the registers of a thread for operand A",
        partition_fragment_a,
    )
    .takes(&["tensor"])
    .header(Header::Cute("atom/mma_atom.hpp"))
    .makes(Makes::Layout)
    .does(ActionKind::Fragment)
    .of_instructions(),
    entry(
        "partition_fragment_B",
        "Tensor partition_fragment_B(tensor) const",
        "the registers of a thread for operand B",
        partition_fragment_b,
    )
    .takes(&["tensor"])
    .header(Header::Cute("atom/mma_atom.hpp"))
    .makes(Makes::Layout)
    .does(ActionKind::Fragment)
    .of_instructions(),
    entry(
        "partition_fragment_C",
        "Tensor partition_fragment_C(tensor) const",
        "the registers of a thread for the accumulator",
        partition_fragment_c,
    )
    .takes(&["tensor"])
    .header(Header::Cute("atom/mma_atom.hpp"))
    .makes(Makes::Layout)
    .does(ActionKind::Fragment)
    .of_instructions(),
    entry(
        "make_fragment_A",
        "Tensor make_fragment_A(tensor) const",
        "the fragment of a part of operand A",
        make_fragment_a,
    )
    .takes(&["tensor"])
    .header(Header::Cute("atom/mma_atom.hpp"))
    .makes(Makes::Layout)
    .does(ActionKind::Fragment)
    .python(&[python_words::on_objects(
        "MmaAtom",
        "make_fragment_A",
        "self input",
    )])
    .of_instructions(),
    entry(
        "make_fragment_B",
        "Tensor make_fragment_B(tensor) const",
        "the fragment of a part of operand B",
        make_fragment_b,
    )
    .takes(&["tensor"])
    .header(Header::Cute("atom/mma_atom.hpp"))
    .makes(Makes::Layout)
    .does(ActionKind::Fragment)
    .python(&[python_words::on_objects(
        "MmaAtom",
        "make_fragment_B",
        "self input",
    )])
    .of_instructions(),
    entry(
        "make_fragment_C",
        "Tensor make_fragment_C(tensor) const",
        "the fragment of a part of the accumulator",
        make_fragment_c,
    )
    .takes(&["tensor"])
    .header(Header::Cute("atom/mma_atom.hpp"))
    .makes(Makes::Layout)
    .does(ActionKind::Fragment)
    .python(&[python_words::on_objects(
        "MmaAtom",
        "make_fragment_C",
        "self input",
    )])
    .of_instructions(),
    entry(
        "thrfrg_A",
        "auto thrfrg_A(tensor) const",
        "operand A, divided among threads and their values",
        fragments_a,
    )
    .takes(&["tensor"])
    .header(Header::Cute("atom/mma_atom.hpp"))
    .makes(Makes::Layout)
    .python(&[python_words::on_objects(
        "TiledMma",
        "_thrfrg_A",
        "self input",
    )])
    .of_instructions(),
    entry(
        "thrfrg_B",
        "auto thrfrg_B(tensor) const",
        "operand B, divided among threads and their values",
        fragments_b,
    )
    .takes(&["tensor"])
    .header(Header::Cute("atom/mma_atom.hpp"))
    .makes(Makes::Layout)
    .python(&[python_words::on_objects(
        "TiledMma",
        "_thrfrg_B",
        "self input",
    )])
    .of_instructions(),
    entry(
        "thrfrg_C",
        "auto thrfrg_C(tensor) const",
        "the accumulator, divided among threads and their values",
        fragments_c,
    )
    .takes(&["tensor"])
    .header(Header::Cute("atom/mma_atom.hpp"))
    .makes(Makes::Layout)
    .python(&[python_words::on_objects(
        "TiledMma",
        "_thrfrg_C",
        "self input",
    )])
    .of_instructions(),
    entry(
        "get_layoutA_TV",
        "Layout get_layoutA_TV() const",
        "thread and value to offset in operand A",
        layout_a,
    )
    .header(Header::Cute("atom/mma_atom.hpp"))
    .python(&[python_words::on_objects(
        "TiledMma",
        "tv_layout_A_tiled",
        "self",
    )]),
    entry(
        "get_layoutB_TV",
        "Layout get_layoutB_TV() const",
        "thread and value to offset in operand B",
        layout_b,
    )
    .header(Header::Cute("atom/mma_atom.hpp"))
    .python(&[python_words::on_objects(
        "TiledMma",
        "tv_layout_B_tiled",
        "self",
    )]),
    entry(
        "get_layoutC_TV",
        "Layout get_layoutC_TV() const",
        "thread and value to offset in the accumulator",
        layout_c,
    )
    .header(Header::Cute("atom/mma_atom.hpp"))
    .python(&[python_words::on_objects(
        "TiledMma",
        "tv_layout_C_tiled",
        "self",
    )]),
    entry(
        "get_thr_layout_vmnk",
        "Layout get_thr_layout_vmnk() const",
        "value group, M, N and K to thread",
        thread_layout,
    )
    .header(Header::Cute("atom/mma_atom.hpp"))
    .python(&[python_words::on_objects(
        "TiledMma",
        "thr_layout_vmnk",
        "self",
    )]),
];
