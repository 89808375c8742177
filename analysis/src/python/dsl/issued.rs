//! Actions of the kernel with known costs: copies, products, memory, registers, launches.

#![allow(clippy::unnecessary_wraps)] // The functions of a table have one type.

use super::super::effect::EffectKind;
use super::super::machine::{Machine, Run};
use super::super::native::{Given, Implementation, Native, implementation, native};
use super::super::value::Py;
use crate::cost::What;
use crate::reason::Reason;
use crate::types::Type;

fn copy(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    let is_predicated = given
        .named
        .iter()
        .any(|(name, value)| &**name == "pred" && *value != Py::None);
    // The number of instructions under predicates is known to the kernel only.
    if !is_predicated {
        machine.issues(What::Copy, given, &[0, 1, 2]);
    }
    Ok(Py::None)
}

/// `gemm(mma, d, a, b, c)`
fn gemm(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    machine.issues(What::Product, given, &[0, 2, 3, 4]);
    Ok(Py::None)
}

fn allocate_columns(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    if let Some(columns) = given.arg(0).as_index() {
        machine.does(given.span, EffectKind::Columns(columns));
    }
    Ok(Py::None)
}

fn set_registers(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    if let Some(registers) = given.arg(0).as_index() {
        machine.does(given.span, EffectKind::Registers(registers));
    }
    Ok(Py::None)
}

/// A number of bytes, or why it is not known.
fn bytes(value: &Py) -> Result<i64, Reason> {
    match value {
        Py::Unknown(reason) => Err(reason.clone()),
        value => value
            .as_index()
            .ok_or_else(|| Reason::RunTime("the size of an object in shared memory".into())),
    }
}

/// `_cute.stored(gap, size, align, members)`: an object in dynamic shared memory, with unused bytes before it.
fn stored(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    let mut members = Vec::new();
    if let Ok(items) = machine.iterate(given.arg(3))? {
        for item in items {
            if let Py::Tuple(pair) = item
                && let [Py::Str(name), Py::Int(bytes)] = &**pair
            {
                members.push((name.to_string(), *bytes));
            }
        }
    }
    let kind = EffectKind::Stored {
        is_dynamic: true,
        gap: given.arg(0).as_index().unwrap_or(0),
        size: bytes(given.arg(1)),
        align: given.arg(2).as_index().unwrap_or(1),
        members,
    };
    machine.does(given.span, kind);
    Ok(Py::None)
}

/// `cute.arch.alloc_smem(element_type, size_in_elems, alignment)`
pub(super) fn allocate_static(machine: &mut Machine<'_>, element: &Py, count: &Py, given: &Given) {
    let size = match (element, bytes(count)) {
        (Py::Scalar(scalar), Ok(count)) => Type::Scalar(*scalar)
            .bits()
            .and_then(|bits| count.checked_mul(i64::from(bits)))
            .map(|bits| (bits + 7) / 8)
            .ok_or_else(|| Reason::RunTime("the size of an object in shared memory".into())),
        (_, Err(reason)) => Err(reason),
        _ => return,
    };
    let kind = EffectKind::Stored {
        is_dynamic: false,
        gap: 0,
        size,
        align: 1,
        members: Vec::new(),
    };
    machine.does(given.span, kind);
}

fn launch(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    if let Py::Kernel(activation) = given.arg(0) {
        machine.launches(*activation, given);
    }
    Ok(Py::None)
}

/// `kernel(...).launch(grid=..., block=..., ...)`
pub(crate) static LAUNCH: Native = native(
    "kernel.launch",
    "self grid= block= cluster= smem= min_blocks_per_mp= *rest **named",
    launch,
);

pub(super) static NATIVES: &[Native] = &[native("_cute.stored", "gap size align members", stored)];

pub(super) static FUNCTIONS: &[Implementation] = &[
    implementation("cutlass.cute.copy", copy),
    implementation("cutlass.cute.gemm", gemm),
    implementation("cutlass.cute.arch.alloc_tmem", allocate_columns),
    implementation("cutlass.cute.arch.setmaxregister_increase", set_registers),
    implementation("cutlass.cute.arch.setmaxregister_decrease", set_registers),
    implementation("cutlass.cute.arch.warpgroup_reg_alloc", set_registers),
    implementation("cutlass.cute.arch.warpgroup_reg_dealloc", set_registers),
];
