//! Members of CuTe's atoms, tiled copies and tiled MMAs that are constants or types, and of their threads.

use std::sync::Arc;

use cute_algebra::{Int, Layout};
use cute_hardware::mma::ScaleFactors;
use cute_hardware::{CopyAtom, MmaAtom, OperandMemory, TemplateId, ValueCopyAtom};

use super::members::static_type;
use crate::types::{Scalar, Type};
use crate::value::Value;
use crate::vocabulary;

/// A member of an atom or of what repeats one, which inherits from it (`cute/atom/mma_atom.hpp`, `copy_atom.hpp`).
pub(super) fn member_of_atom(value: &Value, name: &str) -> Option<Value> {
    match value {
        Value::ThrMma(thread) => member_of_atom(&Value::TiledMma(Arc::clone(&thread.mma)), name),
        Value::ThrCopy(thread) => member_of_atom(&Value::TiledCopy(Arc::clone(&thread.copy)), name),
        Value::TiledMma(mma) => match name {
            "ThrLayoutVMNK" => Some(static_type(mma.thread_layout().clone().into())),
            "Atom" => Some(static_type(Value::MmaAtom(Arc::new(mma.atom().clone())))),
            _ => of_mma_atom(mma.atom(), name.strip_prefix("Atom").unwrap_or(name)),
        },
        Value::MmaAtom(atom) => of_mma_atom(atom, name),
        Value::TiledCopy(copy) => match name {
            "TiledLayout_TV" => Some(static_type(copy.thread_value_layout().clone().into())),
            "Tiler_MN" => Some(static_type(Value::of_tiler(copy.tiler()))),
            "TiledNumThr" => size_of_mode(copy.thread_value_layout(), 0),
            "TiledNumVal" => size_of_mode(copy.thread_value_layout(), 1),
            _ => of_tiled_copy_atom(copy.atom(), name),
        },
        Value::CopyAtom(atom) => of_copy_atom(atom, name),
        _ => None,
    }
}

/// A data member: the layout of the threads, the index of the thread whose part it is, or its coordinate among the atoms.
pub(super) fn member_of_thread(value: &Value, name: &str) -> Option<Value> {
    match (value, name) {
        (Value::TiledMma(mma), "thr_layout_vmnk_") => Some(mma.thread_layout().clone().into()),
        (Value::ThrMma(thread), "thr_layout_vmnk_") => {
            Some(thread.mma.thread_layout().clone().into())
        }
        (Value::ThrCopy(thread), "thr_idx_") => Some(Value::Int(thread.thread.clone())),
        (Value::ThrMma(thread), "thr_vmnk_") => {
            let threads = thread.mma.thread_layout().clone().into();
            let index = Value::Int(thread.thread.clone());
            let coordinate = vocabulary::method("get_flat_coord")?;
            let found = coordinate.call(&[], &[threads, index], &mut Vec::new());
            found.ok()
        }
        _ => None,
    }
}

fn of_mma_atom(atom: &MmaAtom, name: &str) -> Option<Value> {
    match name {
        "ThrID" => Some(static_type(atom.thread_id.clone().into())),
        "Shape_MNK" => Some(static_type(Value::of_shape(&atom.shape_tuple()))),
        "ValTypeA" | "ValTypeB" | "ValTypeC" => value_type(atom, name),
        "ValTypeD" => value_type(atom, "ValTypeC"),
        "FrgTypeA" | "FrgTypeB" | "FrgTypeC" => fragment_type(atom, name),
        "FrgTypeD" => fragment_type(atom, "FrgTypeC"),
        "ValTypeSF" => {
            let element = atom.scale_a.as_ref()?.element;
            let scalar = Scalar::of_spelling(element.cutlass_name())?;
            Some(Value::Type(Box::new(Type::Scalar(scalar))))
        }
        "SFALayout" => scale_layout(atom.scale_a.as_ref()),
        "SFBLayout" => scale_layout(atom.scale_b.as_ref()),
        "MMA_Op" => {
            let with_arguments = TemplateId::parse_list(&atom.name).ok()?;
            Some(named(&with_arguments.first()?.to_string()))
        }
        // Those of an operation that a source declares are a class of the source.
        "Traits" if MmaAtom::named(&atom.name).is_ok() => {
            Some(named(&format!("MMA_Traits<{}>", atom.name)))
        }
        "MMA_ScaleFactor" => scale_factor_operation(atom),
        "SFVecSize" | "K" => constant_of_traits(atom, name),
        _ => thread_value_layout(atom, name),
    }
}

fn of_tiled_copy_atom(atom: &ValueCopyAtom, name: &str) -> Option<Value> {
    match name {
        "AtomThrID" => of_copy_atom(atom, "ThrID"),
        "AtomLayoutSrc" => of_copy_atom(atom, "ValLayoutSrc"),
        "AtomLayoutDst" => of_copy_atom(atom, "ValLayoutDst"),
        "AtomLayoutRef" => of_copy_atom(atom, "ValLayoutRef"),
        "AtomNumThr" => size_of_mode(&atom.reference, 0),
        "AtomNumVal" => size_of_mode(&atom.reference, 1),
        _ => of_copy_atom(atom, name),
    }
}

fn of_copy_atom(atom: &ValueCopyAtom, name: &str) -> Option<Value> {
    let layout = match name {
        "BitLayoutSrc" => &atom.atom.source,
        "BitLayoutDst" => &atom.atom.destination,
        "BitLayoutRef" => &atom.atom.reference,
        "ValLayoutSrc" => &atom.source,
        "ValLayoutDst" => &atom.destination,
        "ValLayoutRef" => &atom.reference,
        "NumValSrc" => return size_of_mode(&atom.source, 1),
        "NumValDst" => return size_of_mode(&atom.destination, 1),
        "Traits" => return Some(named(&format!("Copy_Traits<{}>", atom.atom.name))),
        "ValType" => {
            let scalar = Scalar::of_spelling(atom.element?.cutlass_name())?;
            return Some(Value::Type(Box::new(Type::Scalar(scalar))));
        }
        _ => return of_copy_traits(&atom.atom, name),
    };
    Some(static_type(layout.clone().into()))
}

/// A member of `Copy_Traits<..>`, whose name is spelled out.
pub(super) fn member_of_copy_traits(spelled: &str, name: &str) -> Option<Value> {
    let traits = TemplateId::parse(spelled).ok()?;
    let [operation] = traits.args() else {
        return None;
    };
    if traits.base() != "Copy_Traits" {
        return None;
    }
    of_copy_traits(&CopyAtom::named(&operation.to_string()).ok()?, name)
}

fn of_copy_traits(atom: &CopyAtom, name: &str) -> Option<Value> {
    let layout = match name {
        "ThrID" => &atom.thread_id,
        "SrcLayout" => &atom.source,
        "DstLayout" => &atom.destination,
        "RefLayout" => &atom.reference,
        _ => return None,
    };
    Some(static_type(layout.clone().into()))
}

/// `Int<N>` of the size of a mode.
fn size_of_mode(layout: &Layout, mode: usize) -> Option<Value> {
    let size = layout.mode(mode).ok()?.size().ok()?.value()?;
    Some(static_type(Value::Int(Int::fixed(size))))
}

fn scale_layout(factors: Option<&ScaleFactors>) -> Option<Value> {
    let layout = factors?.layout.clone()?;
    Some(static_type(layout.into()))
}

fn named(text: &str) -> Value {
    Value::Type(Box::new(Type::Named(text.into())))
}

/// The thread-value layout of an operand, as `MMA_Atom` and `MMA_Traits` call it.
fn thread_value_layout(atom: &MmaAtom, name: &str) -> Option<Value> {
    let operand = match name {
        "LayoutA_TV" | "ALayout" => &atom.a,
        "LayoutB_TV" | "BLayout" => &atom.b,
        "LayoutC_TV" | "CLayout" => &atom.c,
        _ => return None,
    };
    Some(static_type(operand.layout.clone().into()))
}

/// Constants that `MMA_Traits` declare: how many elements a scale factor scales, and the depth, which only those of
/// `tcgen05` name.
fn constant_of_traits(atom: &MmaAtom, name: &str) -> Option<Value> {
    let number = match name {
        "SFVecSize" => atom.scale_a.as_ref()?.vector,
        "K" if atom.tcgen05.is_some() => atom.shape_mnk()[2],
        _ => return None,
    };
    Some(Value::Int(Int::dynamic(number)))
}

fn scale_factor_operation(atom: &MmaAtom) -> Option<Value> {
    let operation = atom.scale_factor_operation()?.to_string();
    Some(Value::Type(Box::new(Type::Named(operation.into()))))
}

/// The type of the values of an operand, where instruction and CUTLASS name the same one: a sparse
/// operand is stored as another.
fn value_type(atom: &MmaAtom, name: &str) -> Option<Value> {
    let operand = match name {
        "ValTypeA" => &atom.a,
        "ValTypeB" => &atom.b,
        "ValTypeC" => &atom.c,
        _ => return None,
    };
    if operand.sparsity != 1 {
        return None;
    }
    let scalar = Scalar::of_spelling(operand.value.cutlass_name())?;
    Some(Value::Type(Box::new(Type::Scalar(scalar))))
}

/// The type of a fragment: that of the values in registers, or that of descriptors of shared memory. The type of a fragment in
/// tensor memory is not kept.
fn fragment_type(atom: &MmaAtom, name: &str) -> Option<Value> {
    let (operand, values) = match name {
        "FrgTypeA" => (&atom.a, "ValTypeA"),
        "FrgTypeB" => (&atom.b, "ValTypeB"),
        "FrgTypeC" => (&atom.c, "ValTypeC"),
        _ => return None,
    };
    let scope = if atom.accumulates_in_tensor_memory() {
        "UMMA"
    } else {
        "GMMA"
    };
    match operand.place {
        OperandMemory::Registers => value_type(atom, values),
        OperandMemory::Shared(major) if operand.sparsity == 1 => {
            let name = format!("{scope}::smem_desc<{scope}::Major::{}>", major.name());
            Some(Value::Type(Box::new(Type::Named(name.into()))))
        }
        OperandMemory::Shared(_) | OperandMemory::TensorMemory(_) => None,
    }
}
