//! Members of atoms, tiled copies and tiled MMAs, and of one thread of them.

#![allow(clippy::unnecessary_wraps)] // The functions of a table have one type.

use std::sync::Arc;

use cute_algebra::{AnyLayout, Layout, Tiler, Tuple};
use cute_hardware::{MmaAtom, Operand, TiledCopy, TiledMma, ValueCopyAtom};

use super::super::machine::{Machine, Run};
use super::super::native::{Given, Implementation, implementation};
use super::super::value::Py;
use super::words::{function, leaf, leaves, method};
use crate::reason::Reason;
use crate::tensor::{Pointer, Tensor};
use crate::value::Value;
use crate::vocabulary::of_hardware;

/// The kinds of values whose members another kind has too.
pub(super) fn base(kind: &str) -> Option<&'static str> {
    match kind {
        "ThrMma" => Some("TiledMma"),
        "TiledMma" => Some("MmaAtom"),
        "ThrCopy" => Some("TiledCopy"),
        "TiledCopy" => Some("CopyAtom"),
        _ => None,
    }
}

fn mma(given: &Given) -> Option<&TiledMma> {
    match given.arg(0) {
        Py::Leaf(Value::TiledMma(mma)) => Some(mma),
        Py::Leaf(Value::ThrMma(thread)) => Some(&thread.mma),
        _ => None,
    }
}

fn atom_of_mma(given: &Given) -> Option<&MmaAtom> {
    match given.arg(0) {
        Py::Leaf(Value::MmaAtom(atom)) => Some(atom),
        _ => mma(given).map(TiledMma::atom),
    }
}

fn copy(given: &Given) -> Option<&TiledCopy> {
    match given.arg(0) {
        Py::Leaf(Value::TiledCopy(copy)) => Some(copy),
        Py::Leaf(Value::ThrCopy(thread)) => Some(&thread.copy),
        _ => None,
    }
}

fn atom_of_copy(given: &Given) -> Option<&ValueCopyAtom> {
    match given.arg(0) {
        Py::Leaf(Value::CopyAtom(atom)) => Some(atom),
        _ => copy(given).map(TiledCopy::atom),
    }
}

/// A layout of an atom or of an object made of it.
fn layout_of(layout: Option<&Layout>) -> Py {
    match layout {
        Some(layout) => Py::Leaf(layout.clone().into()),
        None => Py::Unknown(Reason::Construct("this member")),
    }
}

fn answer<T: Into<Value>>(
    machine: &mut Machine<'_>,
    given: &Given,
    result: Option<Result<T, cute_hardware::Refusal>>,
) -> Py {
    match result {
        Some(result) => {
            let answer = result
                .map(Into::into)
                .map_err(|refusal| of_hardware(&refusal));
            machine.answered(answer, Vec::new(), given.span, &given.places)
        }
        None => Py::Unknown(Reason::Construct("this member")),
    }
}

/// The tile of one mode, as the DSL has it: a layout, `None` where it is left open.
fn tile_of(tiler: &Tiler) -> Py {
    match tiler {
        Tiler::Layout(layout) => Py::Leaf(layout.clone().into()),
        Tiler::Int(extent) => match Layout::left(Tuple::leaf(extent.clone())) {
            Ok(layout) => Py::Leaf(layout.into()),
            Err(_) => Py::Unknown(Reason::Construct("this tile")),
        },
        Tiler::Skip => Py::None,
        Tiler::Modes(modes) => Py::tuple(modes.iter().map(tile_of).collect()),
    }
}

fn get_slice(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    let mut args = leaves(machine, &given.all());
    // The slice of a thread's part is that of the whole.
    let whole = match args.first() {
        Some(Value::ThrMma(thread)) => Some(Value::TiledMma(Arc::clone(&thread.mma))),
        Some(Value::ThrCopy(thread)) => Some(Value::TiledCopy(Arc::clone(&thread.copy))),
        _ => None,
    };
    if let (Some(first), Some(whole)) = (args.first_mut(), whole) {
        *first = whole;
    }
    Ok(method(machine, "get_slice", &[], &args, given))
}

/// Calls the method of C++ of the same arguments.
fn forward(machine: &mut Machine<'_>, given: &Given, name: &str) -> Py {
    let args = leaves(machine, &given.all());
    method(machine, name, &[], &args, given)
}

/// A thread's part of a tensor whose first modes are those of the MMA.
fn partition(machine: &mut Machine<'_>, given: &Given, name: &str, modes: [usize; 2]) -> Py {
    if let (Py::Leaf(Value::ThrMma(thread)), Py::Leaf(Value::Tensor(tensor))) =
        (given.arg(0), given.arg(1))
    {
        super::effects::judge_partition(machine, &thread.mma, modes, tensor, given.span);
    }
    forward(machine, given, name)
}

/// The fragment of a part, or of the shape of one.
fn fragment(machine: &mut Machine<'_>, given: &Given, name: &str) -> Py {
    let mut args = leaves(machine, &given.all());
    let layout = match args.get(1) {
        Some(shape @ Value::Tuple(_)) => {
            shape.to_shape().and_then(|shape| Layout::left(shape).ok())
        }
        Some(Value::Layout(layout)) => Some(Layout::clone(layout)),
        _ => None,
    };
    if let Some(layout) = layout {
        args[1] = Value::Tensor(Box::new(Tensor {
            engine: Pointer::generic(None),
            layout: AnyLayout::Affine(layout),
        }));
    }
    method(machine, name, &[], &args, given)
}

/// `((thread, ...), (value, ...))` of a layout or of a tensor.
fn thread_fragments(machine: &mut Machine<'_>, given: &Given, operand: Operand) -> Py {
    let Some(mma) = mma(given) else {
        return given.takes("a tiled MMA");
    };
    let input = leaf(machine, given.arg(1));
    let tensor = match &input {
        Value::Tensor(tensor) => Some(tensor.clone()),
        _ => None,
    };
    let layout = match &tensor {
        Some(tensor) => Some(tensor.layout.clone()),
        None => input.as_any_layout(),
    };
    let made = layout.map(|layout| mma.thread_fragments(operand, &layout));
    let made = made.map(|result| {
        result.map(|layout| match tensor {
            Some(mut tensor) => {
                tensor.layout = layout;
                Value::Tensor(tensor)
            }
            None => Value::of_layout(layout),
        })
    });
    answer(machine, given, made)
}

/// `partition_shape_A(shape)` is a function in C++. The DSL has only the size of the modes repeated along a mode.
fn shape_of_part(machine: &mut Machine<'_>, given: &Given, name: &str) -> Py {
    let args = leaves(machine, &given.all());
    let shape = function(machine, name, &[], &args, given);
    let Py::Tuple(modes) = &shape else {
        return shape;
    };
    let mut made = Vec::with_capacity(modes.len());
    for (at, mode) in modes.iter().enumerate() {
        made.push(match mode {
            Py::Tuple(_) if at > 0 => {
                let args = [leaf(machine, mode)];
                function(machine, "size", &[], &args, given)
            }
            _ => mode.clone(),
        });
    }
    Py::tuple(made)
}

fn tile_size(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    let targs = [leaf(machine, given.arg(1))];
    let args = [leaf(machine, given.arg(0))];
    Ok(function(machine, "tile_size", &targs, &args, given))
}

fn size_of_mma(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    let size = mma(given).map(|mma| mma.size().map(Value::Int));
    Ok(answer(machine, given, size))
}

fn size_of_copy(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    let size = copy(given).map(|copy| copy.size().map(Value::Int));
    Ok(answer(machine, given, size))
}

fn shape_mnk(_: &mut Machine<'_>, given: &Given) -> Run<Py> {
    Ok(match atom_of_mma(given) {
        Some(atom) => Py::tuple(
            atom.shape_mnk()
                .iter()
                .map(|extent| Py::Int(*extent))
                .collect(),
        ),
        None => given.takes("an MMA"),
    })
}

fn permutation_mnk(_: &mut Machine<'_>, given: &Given) -> Run<Py> {
    Ok(match mma(given) {
        Some(mma) => Py::tuple(mma.stated_permutations().iter().map(tile_of).collect()),
        None => given.takes("a tiled MMA"),
    })
}

fn tiler_mn(_: &mut Machine<'_>, given: &Given) -> Run<Py> {
    Ok(match copy(given) {
        Some(copy) => match tile_of(copy.tiler()) {
            tile @ Py::Tuple(_) => tile,
            tile => Py::tuple(vec![tile]),
        },
        None => given.takes("a tiled copy"),
    })
}

fn thr_idx(_: &mut Machine<'_>, given: &Given) -> Run<Py> {
    Ok(match given.arg(0) {
        Py::Leaf(Value::ThrMma(thread)) => Py::of_value(Value::Int(thread.thread.clone())),
        Py::Leaf(Value::ThrCopy(thread)) => Py::of_value(Value::Int(thread.thread.clone())),
        _ => given.takes("one thread"),
    })
}

/// The parts that an atom was made of.
fn made_of(machine: &Machine<'_>, given: &Given) -> Option<(Py, Py)> {
    let atom = match (atom_of_mma(given), atom_of_copy(given)) {
        (Some(atom), _) => Value::MmaAtom(Arc::new(atom.clone())),
        (_, Some(atom)) => Value::CopyAtom(Arc::new(atom.clone())),
        _ => return None,
    };
    machine.numbers.operations.get(&atom).cloned()
}

fn op(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    Ok(match made_of(machine, given) {
        Some((operation, _)) => operation,
        None => Py::Unknown(Reason::Construct("the operation of this atom")),
    })
}

fn value_type(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    Ok(match made_of(machine, given) {
        Some((_, ty)) => ty,
        None => Py::Unknown(Reason::Construct("the type of this atom's values")),
    })
}

fn nothing(_: &mut Machine<'_>, _: &Given) -> Run<Py> {
    Ok(Py::None)
}

/// A field of an atom is set by the kernel.
fn field(machine: &mut Machine<'_>, _: &Given) -> Run<Py> {
    Ok(machine.numbers.symbol("field"))
}

pub(super) static MEMBERS: &[Implementation] = &[
    implementation("MmaAtom.op", op),
    implementation("MmaAtom.shape_mnk", shape_mnk),
    implementation("MmaAtom.thr_id", |_, given| {
        Ok(layout_of(atom_of_mma(given).map(|atom| &atom.thread_id)))
    }),
    implementation("MmaAtom.tv_layout_A", |_, given| {
        Ok(layout_of(atom_of_mma(given).map(|atom| &atom.a.layout)))
    }),
    implementation("MmaAtom.tv_layout_B", |_, given| {
        Ok(layout_of(atom_of_mma(given).map(|atom| &atom.b.layout)))
    }),
    implementation("MmaAtom.tv_layout_C", |_, given| {
        Ok(layout_of(atom_of_mma(given).map(|atom| &atom.c.layout)))
    }),
    implementation("MmaAtom.set", nothing),
    implementation("MmaAtom.get", field),
    implementation("MmaAtom.make_fragment_A", |machine, given| {
        Ok(fragment(machine, given, "make_fragment_A"))
    }),
    implementation("MmaAtom.make_fragment_B", |machine, given| {
        Ok(fragment(machine, given, "make_fragment_B"))
    }),
    implementation("MmaAtom.make_fragment_C", |machine, given| {
        Ok(fragment(machine, given, "make_fragment_C"))
    }),
    implementation("TiledMma.size", size_of_mma),
    implementation("TiledMma.permutation_mnk", permutation_mnk),
    implementation("TiledMma.thr_layout_vmnk", |_, given| {
        Ok(layout_of(mma(given).map(TiledMma::thread_layout)))
    }),
    implementation("TiledMma.tv_layout_A_tiled", |machine, given| {
        Ok(forward(machine, given, "get_layoutA_TV"))
    }),
    implementation("TiledMma.tv_layout_B_tiled", |machine, given| {
        Ok(forward(machine, given, "get_layoutB_TV"))
    }),
    implementation("TiledMma.tv_layout_C_tiled", |machine, given| {
        Ok(forward(machine, given, "get_layoutC_TV"))
    }),
    implementation("TiledMma.get_tile_size", tile_size),
    implementation("TiledMma._thrfrg_A", |machine, given| {
        Ok(thread_fragments(machine, given, Operand::A))
    }),
    implementation("TiledMma._thrfrg_B", |machine, given| {
        Ok(thread_fragments(machine, given, Operand::B))
    }),
    implementation("TiledMma._thrfrg_C", |machine, given| {
        Ok(thread_fragments(machine, given, Operand::C))
    }),
    implementation("TiledMma.get_slice", get_slice),
    implementation("TiledMma.partition_shape_A", |machine, given| {
        Ok(shape_of_part(machine, given, "partition_shape_A"))
    }),
    implementation("TiledMma.partition_shape_B", |machine, given| {
        Ok(shape_of_part(machine, given, "partition_shape_B"))
    }),
    implementation("TiledMma.partition_shape_C", |machine, given| {
        Ok(shape_of_part(machine, given, "partition_shape_C"))
    }),
    implementation("ThrMma.thr_idx", thr_idx),
    implementation("ThrMma.partition_A", |machine, given| {
        Ok(partition(machine, given, "partition_A", [0, 2]))
    }),
    implementation("ThrMma.partition_B", |machine, given| {
        Ok(partition(machine, given, "partition_B", [1, 2]))
    }),
    implementation("ThrMma.partition_C", |machine, given| {
        Ok(partition(machine, given, "partition_C", [0, 1]))
    }),
    implementation("CopyAtom.op", op),
    implementation("CopyAtom.value_type", value_type),
    implementation("CopyAtom.thr_id", |_, given| {
        Ok(layout_of(
            atom_of_copy(given).map(|atom| &atom.atom.thread_id),
        ))
    }),
    implementation("CopyAtom.layout_src_tv", |_, given| {
        Ok(layout_of(atom_of_copy(given).map(|atom| &atom.source)))
    }),
    implementation("CopyAtom.layout_dst_tv", |_, given| {
        Ok(layout_of(atom_of_copy(given).map(|atom| &atom.destination)))
    }),
    implementation("CopyAtom.set", nothing),
    implementation("CopyAtom.get", field),
    implementation("TiledCopy.size", size_of_copy),
    implementation("TiledCopy.tiler_mn", tiler_mn),
    implementation("TiledCopy.layout_tv_tiled", |_, given| {
        Ok(layout_of(copy(given).map(TiledCopy::thread_value_layout)))
    }),
    implementation("TiledCopy.layout_src_tv_tiled", |machine, given| {
        Ok(forward(machine, given, "get_layoutS_TV"))
    }),
    implementation("TiledCopy.layout_dst_tv_tiled", |machine, given| {
        Ok(forward(machine, given, "get_layoutD_TV"))
    }),
    implementation("TiledCopy.get_slice", get_slice),
    implementation("TiledCopy.retile", |machine, given| {
        Ok(forward(machine, given, "retile_S"))
    }),
    implementation("ThrCopy.thr_idx", thr_idx),
    implementation("ThrCopy.partition_S", |machine, given| {
        Ok(forward(machine, given, "partition_S"))
    }),
    implementation("ThrCopy.partition_D", |machine, given| {
        Ok(forward(machine, given, "partition_D"))
    }),
];
