//! Pointers tagged with the memory that they point to.

use super::{Call, Evaluated, Function, Header, Problem, lenient, python_words};
use crate::reason::Reason;
use crate::tensor::{Pointer, Space};
use crate::types::Type;
use crate::value::Value;

#[allow(clippy::unnecessary_wraps)] // It ends functions of the vocabulary.
fn in_space(call: &Call<'_>, space: Space) -> Evaluated {
    let element = match call.targs {
        [Value::Type(ty)] => Some((**ty).clone()),
        _ => None,
    };
    Ok(Value::Pointer(match (element, call.args.first()) {
        (Some(element), _) => Pointer::generic(Some(element)).in_space(space),
        (None, Some(Value::Pointer(pointer))) => pointer.in_space(space),
        _ => Pointer::generic(None).in_space(space),
    }))
}

fn gmem_ptr(call: &Call<'_>) -> Evaluated {
    in_space(call, Space::Global)
}

fn smem_ptr(call: &Call<'_>) -> Evaluated {
    in_space(call, Space::Shared)
}

fn rmem_ptr(call: &Call<'_>) -> Evaluated {
    in_space(call, Space::Registers)
}

fn raw_pointer(call: &Call<'_>) -> Evaluated {
    in_space(call, Space::Generic)
}

fn tmem_ptr(call: &Call<'_>) -> Evaluated {
    in_space(call, Space::TensorMemory)
}

/// `recast_ptr<T>(pointer)`: the same memory as elements of another type.
fn recast_ptr(call: &Call<'_>) -> Evaluated {
    match (call.targs, call.args.first()) {
        ([Value::Unknown(reason)], _) => Err(Problem::Unknown(reason.clone())),
        ([Value::Type(ty)], Some(Value::Pointer(pointer))) => Ok(Value::Pointer(Pointer {
            element: Some(ty.clone()),
            element_bits: ty.bits(),
            ..pointer.clone()
        })),
        ([Value::Type(ty)], _) => Ok(Value::Pointer(Pointer::generic(Some(Type::clone(ty))))),
        _ => Err(call.takes("a type and a pointer")),
    }
}

/// Values known only at run time: addresses, the positions of threads.
fn run_time(call: &Call<'_>) -> Evaluated {
    Err(Problem::Unknown(Reason::RunTime(
        format!("`{}`", call.name).into(),
    )))
}

pub(super) const FUNCTIONS: &[Function] = &[
    lenient(
        "make_gmem_ptr",
        "gmem_ptr make_gmem_ptr(pointer)",
        "a pointer tagged as global memory",
        gmem_ptr,
    )
    .takes(&["pointer"])
    .header(Header::Cute("pointer.hpp")),
    lenient(
        "make_smem_ptr",
        "smem_ptr make_smem_ptr(pointer)",
        "a pointer tagged as shared memory",
        smem_ptr,
    )
    .takes(&["pointer"])
    .header(Header::Cute("pointer.hpp")),
    lenient(
        "make_rmem_ptr",
        "rmem_ptr make_rmem_ptr(p)",
        "a pointer to registers",
        rmem_ptr,
    )
    .takes(&["p"])
    .header(Header::Cute("pointer.hpp")),
    lenient(
        "raw_pointer_cast",
        "T* raw_pointer_cast(p)",
        "the plain pointer",
        raw_pointer,
    )
    .takes(&["p"])
    .header(Header::Cute("pointer.hpp")),
    lenient(
        "make_tmem_ptr",
        "tmem_ptr make_tmem_ptr<T>(addr)",
        "a pointer to tensor memory",
        tmem_ptr,
    )
    .takes(&["addr"])
    .header(Header::Cute("pointer.hpp")),
    lenient(
        "recast_ptr",
        "auto recast_ptr<T>(p)",
        "the pointer to elements of another type",
        recast_ptr,
    )
    .takes(&["p"])
    .header(Header::Cute("pointer.hpp"))
    .python(&[python_words::on_objects(
        "cutlass.cute",
        "recast_ptr",
        "ptr swizzle_= dtype=",
    )]),
    lenient(
        "cast_smem_ptr_to_uint",
        "uint32_t cast_smem_ptr_to_uint(p)",
        "the address in shared memory",
        run_time,
    )
    .takes(&["p"])
    .header(Header::Cute("arch/util.hpp")),
];
