//! Copy atoms repeated over threads and values, and the part of a tensor that a thread reads and writes.

use std::sync::Arc;

use cute_algebra::{AnyLayout, Layout, Rule, ops};
use cute_hardware::copy::widest_repeat;
use cute_hardware::{CopyAtom, Element, Operand, TiledCopy, ValueCopyAtom};

use super::call::{blamed, number};
use super::mmas::tiled_mma;
use super::tiled::{divided, hardware, part, tensor};
use super::{
    Call, Evaluated, Function, Header, Makes, Problem, access, entry, lenient, python_words,
};
use crate::tensor::Tensor;
use crate::trace::ActionKind;
use crate::types::Type;
use crate::value::Value;

pub(super) fn copy_atom<'c>(call: &Call<'c>, index: usize) -> Result<&'c ValueCopyAtom, Problem> {
    match call.arg(index)? {
        Value::CopyAtom(atom) => Ok(atom),
        Value::TiledCopy(copy) => Ok(copy.atom()),
        Value::ThrCopy(thread) => Ok(thread.copy.atom()),
        _ => Err(call.takes("a copy atom")),
    }
}

pub(super) fn tiled_copy<'c>(call: &Call<'c>, index: usize) -> Result<&'c TiledCopy, Problem> {
    match call.arg(index)? {
        Value::TiledCopy(copy) => Ok(copy),
        Value::ThrCopy(thread) => Ok(&thread.copy),
        _ => Err(call.takes("a tiled copy")),
    }
}

pub(super) fn of_copy(result: Result<TiledCopy, cute_hardware::Refusal>) -> Evaluated {
    match result {
        Ok(copy) => Ok(Value::TiledCopy(Arc::new(copy))),
        Err(refusal) => Err(hardware(&refusal)),
    }
}

fn make_tiled_copy(call: &Call<'_>) -> Evaluated {
    let atom = copy_atom(call, 0)?.clone();
    let values = match call.args.get(2) {
        Some(_) => call.layout(2)?,
        None => Layout::unit(),
    };
    let threads = call.layout(1)?;
    // CuTe's complement of the threads refuses them.
    let tile = ops::raked_product(&threads, &values);
    if matches!(&tile, Err(refusal) if refusal.rule == Rule::NotInjective) {
        blamed(tile, 1)?;
    }
    of_copy(TiledCopy::of_layouts(atom, &threads, &values))
}

fn make_tiled_copy_impl(call: &Call<'_>) -> Evaluated {
    let atom = copy_atom(call, 0)?.clone();
    of_copy(TiledCopy::new(atom, call.layout(1)?, call.tiler(2)?))
}

fn copy_of_mma(call: &Call<'_>, operand: Operand) -> Evaluated {
    let atom = copy_atom(call, 0)?.clone();
    of_copy(TiledCopy::of_mma(atom, tiled_mma(call, 1)?, operand))
}

fn make_tiled_copy_a(call: &Call<'_>) -> Evaluated {
    copy_of_mma(call, Operand::A)
}

fn make_tiled_copy_b(call: &Call<'_>) -> Evaluated {
    copy_of_mma(call, Operand::B)
}

fn make_tiled_copy_c(call: &Call<'_>) -> Evaluated {
    copy_of_mma(call, Operand::C)
}

fn make_tiled_copy_c_atom(call: &Call<'_>) -> Evaluated {
    let atom = copy_atom(call, 0)?.clone();
    of_copy(TiledCopy::of_accumulator_atom(atom, tiled_mma(call, 1)?))
}

fn make_tiled_copy_s(call: &Call<'_>) -> Evaluated {
    let atom = copy_atom(call, 0)?.clone();
    of_copy(TiledCopy::of_source(atom, tiled_copy(call, 1)?))
}

fn make_tiled_copy_d(call: &Call<'_>) -> Evaluated {
    let atom = copy_atom(call, 0)?.clone();
    of_copy(TiledCopy::of_destination(atom, tiled_copy(call, 1)?))
}

fn partition_of_copy(call: &Call<'_>, source: bool) -> Evaluated {
    let Value::ThrCopy(thread) = call.arg(0)? else {
        return Err(call.takes("a thread of a tiled copy"));
    };
    access::judge(call, &thread.copy, source, tensor(call, 1)?);
    part(call, 1, &thread.thread, &|index, tensor| {
        if source {
            thread.copy.partition_source(index, tensor)
        } else {
            thread.copy.partition_destination(index, tensor)
        }
    })
}

fn partition_s(call: &Call<'_>) -> Evaluated {
    partition_of_copy(call, true)
}

fn partition_d(call: &Call<'_>) -> Evaluated {
    partition_of_copy(call, false)
}

fn fragments_s(call: &Call<'_>) -> Evaluated {
    let copy = tiled_copy(call, 0)?;
    divided(call, 1, &|layout| copy.source_fragments(layout))
}

fn fragments_d(call: &Call<'_>) -> Evaluated {
    let copy = tiled_copy(call, 0)?;
    divided(call, 1, &|layout| copy.destination_fragments(layout))
}

fn retile(call: &Call<'_>) -> Evaluated {
    let copy = tiled_copy(call, 0)?;
    if let Value::Layout(layout) = call.arg(1)? {
        let layout = AnyLayout::Affine(Layout::clone(layout));
        let retiled = copy.retile(&layout);
        return retiled
            .map(Value::of_layout)
            .map_err(|refusal| hardware(&refusal));
    }
    let tensor = tensor(call, 1)?;
    let layout = copy
        .retile(&tensor.layout)
        .map_err(|refusal| hardware(&refusal))?;
    Ok(Value::Tensor(Box::new(Tensor {
        engine: tensor.engine.clone(),
        layout,
    })))
}

fn layout_s(call: &Call<'_>) -> Evaluated {
    match tiled_copy(call, 0)?.source_layout() {
        Ok(layout) => Ok(layout.into()),
        Err(refusal) => Err(hardware(&refusal)),
    }
}

fn layout_d(call: &Call<'_>) -> Evaluated {
    match tiled_copy(call, 0)?.destination_layout() {
        Ok(layout) => Ok(layout.into()),
        Err(refusal) => Err(hardware(&refusal)),
    }
}

/// `make_tmem_copy(atom, tensor)`, `make_utccp_copy(op, tensor)`: an operation takes the elements of the
/// tensor.
fn make_tmem_copy(call: &Call<'_>) -> Evaluated {
    let data = tensor(call, 1)?;
    let atom = match call.arg(0)? {
        Value::Instance(ty) => {
            let (Type::Named(name), Some(bits)) = (&**ty, data.engine.bits()) else {
                return Err(call.takes("a copy of tensor memory and a tensor of known elements"));
            };
            CopyAtom::named(name)
                .and_then(|atom| atom.with_value_bits(i64::from(bits)))
                .map_err(|refusal| hardware(&refusal))?
        }
        _ => copy_atom(call, 0)?.clone(),
    };
    of_copy(TiledCopy::of_tensor_memory(atom, data.layout.domain()))
}

/// `TMEM::tmem_load_to_store(op)`: the store that matches a load of tensor memory.
fn tmem_load_to_store(call: &Call<'_>) -> Evaluated {
    const LOAD: &str = "SM100_TMEM_LOAD_";
    let (Value::Instance(ty) | Value::Type(ty)) = call.arg(0)? else {
        return Err(call.takes("a load of tensor memory"));
    };
    let load = match &**ty {
        Type::Named(name) => name.strip_prefix(LOAD),
        _ => None,
    };
    let access = load.ok_or_else(|| call.takes("a load of tensor memory"))?;
    let store = format!("SM100_TMEM_STORE_{access}");
    CopyAtom::named(&store).map_err(|refusal| hardware(&refusal))?;
    Ok(Value::Instance(Box::new(Type::Named(store.into()))))
}

/// `TMEM::op_repeater<Op, bits>()`: the operation repeated as often as the bits of a row allow.
fn op_repeater(call: &Call<'_>) -> Evaluated {
    let takes = || call.takes("a copy of tensor memory and the bits of a row");
    let [operation, bits] = call.targs else {
        return Err(takes());
    };
    let (Value::Type(ty) | Value::Instance(ty)) = operation else {
        return Err(takes());
    };
    let (Type::Named(name), Some(bits)) = (&**ty, number(bits)) else {
        return Err(takes());
    };
    let wide = widest_repeat(name, bits).ok_or_else(takes)?;
    Ok(Value::Instance(Box::new(Type::Named(wide.into()))))
}

/// `make_cotiled_copy(atom, atom_layout_tv, data)`.
fn make_cotiled_copy(call: &Call<'_>) -> Evaluated {
    let atom = copy_atom(call, 0)?.clone();
    let data = call.any_layout(2)?;
    of_copy(TiledCopy::of_data(atom, &call.layout(1)?, data.domain()))
}

/// The type `Copy_Atom<Op, T>`.
pub(super) fn copy_atom_type(operation: &str, bits: u32, element: Option<Element>) -> Evaluated {
    let mut atom = CopyAtom::named(operation)
        .and_then(|atom| atom.with_value_bits(i64::from(bits)))
        .map_err(|refusal| hardware(&refusal))?;
    atom.element = element;
    Ok(Value::CopyAtom(Arc::new(atom)))
}

pub(super) const FUNCTIONS: &[Function] = &[
    entry(
        "make_tiled_copy",
        "TiledCopy make_tiled_copy(atom, threads, values)",
        "a copy atom repeated over a layout of threads and one of values",
        make_tiled_copy,
    )
    .takes(&["atom", "threads", "values"])
    .header(Header::Cute("atom/copy_atom.hpp"))
    .makes(Makes::Layout)
    .python(&[python_words::on_objects(
        "cutlass.cute",
        "make_tiled_copy_tv",
        "atom thr_layout val_layout",
    )])
    .of_instructions(),
    entry(
        "make_tiled_copy_impl",
        "TiledCopy make_tiled_copy_impl(atom, layout_tv, tiler)",
        "a copy atom repeated by a thread-value layout",
        make_tiled_copy_impl,
    )
    .takes(&["atom", "layout_tv", "tiler"])
    .header(Header::Cute("atom/copy_atom.hpp"))
    .python(&[python_words::on_objects(
        "cutlass.cute",
        "make_tiled_copy",
        "atom layout_tv tiler_mn",
    )]),
    entry(
        "make_tiled_copy_A",
        "TiledCopy make_tiled_copy_A(atom, mma)",
        "a tiled copy that fills the fragments of operand A",
        make_tiled_copy_a,
    )
    .takes(&["atom", "mma"])
    .header(Header::Cute("atom/copy_atom.hpp"))
    .makes(Makes::Layout)
    .python(&[python_words::on_objects(
        "cutlass.cute",
        "make_tiled_copy_A",
        "atom tiled_mma",
    )])
    .of_instructions(),
    entry(
        "make_tiled_copy_B",
        "TiledCopy make_tiled_copy_B(atom, mma)",
        "a tiled copy that fills the fragments of operand B",
        make_tiled_copy_b,
    )
    .takes(&["atom", "mma"])
    .header(Header::Cute("atom/copy_atom.hpp"))
    .makes(Makes::Layout)
    .python(&[python_words::on_objects(
        "cutlass.cute",
        "make_tiled_copy_B",
        "atom tiled_mma",
    )])
    .of_instructions(),
    entry(
        "make_tiled_copy_C",
        "TiledCopy make_tiled_copy_C(atom, mma)",
        "a tiled copy that has the fragments of the accumulator",
        make_tiled_copy_c,
    )
    .takes(&["atom", "mma"])
    .header(Header::Cute("atom/copy_atom.hpp"))
    .makes(Makes::Layout)
    .python(&[python_words::on_objects(
        "cutlass.cute",
        "make_tiled_copy_C",
        "atom tiled_mma",
    )])
    .of_instructions(),
    entry(
        "make_tiled_copy_C_atom",
        "TiledCopy make_tiled_copy_C_atom(atom, mma)",
        "the smallest copy of the accumulator",
        make_tiled_copy_c_atom,
    )
    .takes(&["atom", "mma"])
    .header(Header::Cute("atom/copy_atom.hpp"))
    .makes(Makes::Layout)
    .python(&[python_words::on_objects(
        "cutlass.cute",
        "make_tiled_copy_C_atom",
        "atom mma",
    )])
    .of_instructions(),
    entry(
        "make_tiled_copy_S",
        "TiledCopy make_tiled_copy_S(atom, copy)",
        "the copy with the source of another",
        make_tiled_copy_s,
    )
    .takes(&["atom", "copy"])
    .header(Header::Cute("atom/copy_atom.hpp"))
    .makes(Makes::Layout)
    .python(&[python_words::on_objects(
        "cutlass.cute",
        "make_tiled_copy_S",
        "atom tiled_copy",
    )])
    .of_instructions(),
    entry(
        "make_tiled_copy_D",
        "TiledCopy make_tiled_copy_D(atom, copy)",
        "the copy with the destination of another",
        make_tiled_copy_d,
    )
    .takes(&["atom", "copy"])
    .header(Header::Cute("atom/copy_atom.hpp"))
    .makes(Makes::Layout)
    .python(&[python_words::on_objects(
        "cutlass.cute",
        "make_tiled_copy_D",
        "atom tiled_copy",
    )])
    .of_instructions(),
    entry(
        "make_cotiled_copy",
        "TiledCopy make_cotiled_copy(atom, layout, data)",
        "a tiled copy given by threads and values over the offsets of data",
        make_cotiled_copy,
    )
    .takes(&["atom", "layout", "data"])
    .header(Header::Cute("atom/copy_atom.hpp"))
    .makes(Makes::Layout)
    .python(&[python_words::on_objects(
        "cutlass.cute",
        "make_cotiled_copy",
        "atom atom_layout_tv data_layout",
    )])
    .of_instructions(),
    entry(
        "make_tmem_copy",
        "TiledCopy make_tmem_copy(atom, tensor)",
        "the copy of a tensor in tensor memory by four warps",
        make_tmem_copy,
    )
    .takes(&["atom", "tensor"])
    .header(Header::Cute("atom/copy_traits_sm100.hpp"))
    .makes(Makes::Layout)
    .python(&[python_words::on_objects(
        "cutlass.cute.nvgpu.tcgen05",
        "make_tmem_copy",
        "atom tmem_tensor",
    )])
    .of_instructions(),
    entry(
        "tmem_load_to_store",
        "auto TMEM::tmem_load_to_store(op)",
        "the store of what a load of tensor memory reads",
        tmem_load_to_store,
    )
    .takes(&["op"])
    .header(Header::Cute("atom/copy_traits_sm100.hpp")),
    lenient(
        "op_repeater",
        "auto TMEM::op_repeater<Op,bits>()",
        "the widest copy of tensor memory that divides a row",
        op_repeater,
    )
    .header(Header::Cute("atom/copy_traits_sm100.hpp")),
    entry(
        "make_utccp_copy",
        "TiledCopy make_utccp_copy(op, tensor)",
        "the copy from shared memory to a tensor in tensor memory",
        make_tmem_copy,
    )
    .takes(&["op", "tensor"])
    .header(Header::Cute("atom/copy_traits_sm100.hpp"))
    .makes(Makes::Layout)
    .python(&[python_words::on_objects(
        "cutlass.cute.nvgpu.tcgen05",
        "make_s2t_copy",
        "atom tmem_tensor",
    )])
    .of_instructions(),
];

pub(super) const METHODS: &[Function] = &[
    entry(
        "partition_S",
        "Tensor partition_S(tensor) const",
        "the elements a thread reads",
        partition_s,
    )
    .takes(&["tensor"])
    .header(Header::Cute("atom/copy_atom.hpp"))
    .makes(Makes::Layout)
    .does(ActionKind::Partition)
    .python(&[python_words::on_objects(
        "ThrCopy",
        "partition_S",
        "self src",
    )])
    .of_instructions(),
    entry(
        "partition_D",
        "Tensor partition_D(tensor) const",
        "the elements a thread writes",
        partition_d,
    )
    .takes(&["tensor"])
    .header(Header::Cute("atom/copy_atom.hpp"))
    .makes(Makes::Layout)
    .does(ActionKind::Partition)
    .python(&[python_words::on_objects(
        "ThrCopy",
        "partition_D",
        "self dst",
    )])
    .of_instructions(),
    entry(
        "retile",
        "Tensor TiledCopy::retile(tensor)",
        "a fragment in the order of this copy's reference",
        retile,
    )
    .takes(&["tensor"])
    .header(Header::Cute("atom/copy_atom.hpp"))
    .makes(Makes::Layout)
    .of_instructions(),
    entry(
        "retile_S",
        "Tensor retile_S(tensor) const",
        "a fragment in the order of this copy's source",
        retile,
    )
    .takes(&["tensor"])
    .header(Header::Cute("atom/copy_atom.hpp"))
    .makes(Makes::Layout)
    .python(&[python_words::on_objects("TiledCopy", "retile", "self src")])
    .of_instructions(),
    entry(
        "retile_D",
        "Tensor retile_D(tensor) const",
        "a fragment in the order of this copy's destination",
        retile,
    )
    .takes(&["tensor"])
    .header(Header::Cute("atom/copy_atom.hpp"))
    .makes(Makes::Layout)
    .of_instructions(),
    entry(
        "tidfrg_S",
        "auto tidfrg_S(tensor)",
        "the source, divided among threads, their values and the tiles behind the first",
        fragments_s,
    )
    .takes(&["tensor"])
    .header(Header::Cute("atom/copy_atom.hpp"))
    .makes(Makes::Layout)
    .of_instructions(),
    entry(
        "tidfrg_D",
        "auto tidfrg_D(tensor)",
        "the destination, divided among threads, their values and the tiles behind the first",
        fragments_d,
    )
    .takes(&["tensor"])
    .header(Header::Cute("atom/copy_atom.hpp"))
    .makes(Makes::Layout)
    .of_instructions(),
    entry(
        "get_layoutS_TV",
        "Layout get_layoutS_TV() const",
        "thread and value to offset in the source",
        layout_s,
    )
    .header(Header::Cute("atom/copy_atom.hpp"))
    .python(&[python_words::on_objects(
        "TiledCopy",
        "layout_src_tv_tiled",
        "self",
    )]),
    entry(
        "get_layoutD_TV",
        "Layout get_layoutD_TV() const",
        "thread and value to offset in the destination",
        layout_d,
    )
    .header(Header::Cute("atom/copy_atom.hpp"))
    .python(&[python_words::on_objects(
        "TiledCopy",
        "layout_dst_tv_tiled",
        "self",
    )]),
];
