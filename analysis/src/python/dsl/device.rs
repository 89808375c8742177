//! Actions of the kernel that no layout depends on: copies, products, `cute.arch`, mathematics. Numbers that come of it
//! are the kernel's.

#![allow(clippy::unnecessary_wraps)] // The functions of a table have one type.

use std::sync::LazyLock;

use super::super::machine::{Machine, Run};
use super::super::native::{Given, Native};
use super::super::value::Py;
use crate::hash::HashMap;
use crate::reason::Reason;
use crate::tensor::{Pointer, Space};
use crate::types::{Scalar, Type};
use crate::value::Value;

/// The result of a function of the kernel.
#[derive(Clone, Copy)]
enum Gives {
    /// Nothing.
    Nothing,
    /// An integer.
    Integer,
    /// Three integers.
    Coordinates,
    /// A truth value.
    Truth,
    /// A number or tensor like its first argument.
    LikeFirst,
    /// An integer whose type depends on the arguments.
    Whole,
    /// A 32-bit floating-point number.
    Float,
    /// A pair of 32-bit floating-point numbers.
    Floats,
    /// A pointer to elements of the type that is the first argument.
    Pointer(Space),
}

use Gives::{Coordinates, Float, Floats, Integer, LikeFirst, Nothing, Truth, Whole};

const TABLE: &[(&str, &str, Gives)] = &[
    (
        "cutlass.cute",
        "basic_copy_if prefetch copy_atom_call mma_atom_call",
        Nothing,
    ),
    (
        "cutlass.cute",
        "exp exp2 log log2 log10 log1p sqrt rsqrt rcp tanh tan sin cos sinh cosh erf erfc floor ceil abs absf neg full_like \
         zeros_like ones_like empty_like fma clamp",
        LikeFirst,
    ),
    (
        "cutlass.cute.math",
        "exp exp2 log log2 log10 log1p sqrt rsqrt rcp tanh tan sin cos sinh cosh erf erfc floor ceil abs absf asin acos \
         atan atan2 fma clamp",
        LikeFirst,
    ),
    (
        "cutlass.cute.arch",
        "block_in_cluster_idx block_in_cluster_dim cluster_idx cluster_dim",
        Coordinates,
    ),
    (
        "cutlass.cute.arch",
        "warp_idx lane_idx block_idx_in_cluster cluster_size physical_warp_id smid nsmid nwarpid",
        Integer,
    ),
    (
        "cutlass.cute.arch",
        "gridid clock clock64 globaltimer globaltimer_lo dynamic_smem_size total_smem_size aggr_smem_size \
         get_dyn_smem_size activemask popc clz brev bfe bfi bfind prmt lop3 shf mad24 mul24 mul_hi mul_wide add_cc addc \
         sub_cc subc mad_cc madc atomic_add atomic_and atomic_or atomic_xor atomic_max atomic_min atomic_cas atomic_exch \
         vote_ballot_sync match_sync lanemask_eq lanemask_ge lanemask_gt lanemask_le lanemask_lt",
        Whole,
    ),
    (
        "cutlass.cute.arch",
        "mbarrier_try_wait mbarrier_test_wait mbarrier_conditional_try_wait vote_all_sync vote_any_sync vote_uni_sync",
        Truth,
    ),
    (
        "cutlass.cute.arch",
        "make_warp_uniform shuffle_sync shuffle_sync_bfly shuffle_sync_up shuffle_sync_down warp_redux_sync warp_reduction \
         warp_reduction_max warp_reduction_sum fmax fmin exp exp2 rcp_approx load",
        LikeFirst,
    ),
    (
        "cutlass.cute.arch",
        "atomic_fmax atomic_fmin atomic_max_float32 cvt_f32_tf32",
        Float,
    ),
    (
        "cutlass.cute.arch",
        "add_packed_f32x2 sub_packed_f32x2 mul_packed_f32x2 fma_packed_f32x2",
        Floats,
    ),
    (
        "cutlass.cute.arch",
        "barrier barrier_arrive sync_threads sync_warp cluster_arrive cluster_arrive_relaxed cluster_wait \
         cp_async_commit_group cp_async_wait_group cp_async_bulk_commit_group cp_async_bulk_wait_group elect_one fence_proxy \
         fence_acq_rel_cta fence_acq_rel_cluster fence_acq_rel_gpu fence_acq_rel_sys fence_view_async_tmem_load \
         fence_view_async_tmem_store fence_view_async_shared mbarrier_init mbarrier_init_fence mbarrier_arrive \
         mbarrier_arrive_and_expect_tx mbarrier_expect_tx mbarrier_wait dealloc_tmem relinquish_tmem_alloc_permit issue_clc_query \
         griddepcontrol_wait griddepcontrol_launch_dependents store store_async_dsmem red nanosleep",
        Nothing,
    ),
];

/// Functions that give memory.
const POINTERS: &[(&str, Gives)] = &[
    ("alloc_smem", Gives::Pointer(Space::Shared)),
    ("get_dyn_smem", Gives::Pointer(Space::Shared)),
    ("retrieve_tmem_ptr", Gives::Pointer(Space::TensorMemory)),
];

static BY_NAME: LazyLock<HashMap<(&str, &str), Gives>> = LazyLock::new(|| {
    let pointers = POINTERS
        .iter()
        .map(|(name, gives)| (("cutlass.cute.arch", *name), *gives));
    let others = TABLE.iter().flat_map(|(module, names, gives)| {
        names
            .split_whitespace()
            .map(|name| ((*module, name), *gives))
    });
    others.chain(pointers).collect()
});

/// The names of the functions here.
#[cfg(test)]
pub(super) fn names() -> impl Iterator<Item = String> {
    let by_name = BY_NAME
        .keys()
        .map(|(module, name)| format!("{module}.{name}"));
    let of_columns = [&MOST_COLUMNS, &LEAST_COLUMNS].map(|native| native.name.to_owned());
    by_name.chain(of_columns)
}

/// The member of a module that acts in the kernel, by name.
pub(super) fn member(module: &str, name: &str) -> Option<Py> {
    match (module, name) {
        ("cutlass.cute.arch", "WARP_SIZE") => return Some(Py::Int(32)),
        ("cutlass.cute.arch", "get_max_tmem_alloc_cols") => {
            return Some(Py::Native(&MOST_COLUMNS));
        }
        ("cutlass.cute.arch", "get_min_tmem_alloc_cols") => {
            return Some(Py::Native(&LEAST_COLUMNS));
        }
        _ => {}
    }
    Some(Py::Native(match BY_NAME.get(&(module, name))? {
        Nothing => &NOTHING,
        Integer => &INTEGER,
        Whole => &WHOLE,
        Coordinates => &COORDINATES,
        Truth => &TRUTH,
        LikeFirst => &LIKE_FIRST,
        Float => &FLOAT,
        Floats => &FLOATS,
        Gives::Pointer(Space::Shared) => &SHARED,
        Gives::Pointer(_) => &TENSOR_MEMORY,
    }))
}

fn nothing(_: &mut Machine<'_>, _: &Given) -> Run<Py> {
    Ok(Py::None)
}

fn integer(machine: &mut Machine<'_>, _: &Given) -> Run<Py> {
    Ok(machine.numbers.symbol("v"))
}

fn coordinates(machine: &mut Machine<'_>, _: &Given) -> Run<Py> {
    let axes = ["x", "y", "z"].map(|axis| machine.numbers.symbol(axis));
    Ok(Py::tuple(axes.to_vec()))
}

fn float_number() -> Py {
    match Scalar::of_spelling("float") {
        Some(float) => Py::Leaf(Value::Number(float)),
        None => Py::Unknown(Reason::RunTime("a number".into())),
    }
}

fn like_first(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    Ok(match given.rest.first() {
        Some(Py::Int(_) | Py::Bool(_) | Py::Leaf(Value::Int(_))) => machine.numbers.symbol("v"),
        Some(Py::Whole(_, ty)) => machine.numbers.number("v", *ty),
        Some(Py::Float(_)) => float_number(),
        Some(Py::Unknown(reason)) => Py::Unknown(reason.clone()),
        // A value read through a pointer is a number of its type.
        Some(Py::Leaf(Value::Pointer(pointer))) => match pointer.element.as_deref() {
            Some(Type::Scalar(scalar)) => machine.numbers.number("v", Some(*scalar)),
            _ => Py::Unknown(Reason::RunTime("the value that is read".into())),
        },
        Some(value) => value.clone(),
        None => Py::Unknown(Reason::RunTime("a number".into())),
    })
}

fn pointer(given: &Given, space: Space) -> Py {
    let named = given
        .named
        .iter()
        .find(|(name, _)| &**name == "element_type");
    match given.rest.first().or(named.map(|(_, ty)| ty)) {
        Some(Py::Scalar(scalar)) => {
            let element = Some(Type::Scalar(*scalar));
            Py::Leaf(Value::Pointer(Pointer::generic(element).in_space(space)))
        }
        _ => given.takes("a numeric type"),
    }
}

const fn of(name: &'static str, run: fn(&mut Machine<'_>, &Given) -> Run<Py>) -> Native {
    Native {
        name,
        params: "*args **named",
        run,
    }
}

static NOTHING: Native = of("cutlass.cute.action", nothing);
static INTEGER: Native = of("cutlass.cute.integer", integer);
static WHOLE: Native = of("cutlass.cute.whole", |machine, _| {
    Ok(machine.numbers.number("v", None))
});
static COORDINATES: Native = of("cutlass.cute.coordinates", coordinates);
static TRUTH: Native = of("cutlass.cute.truth", |_, _| Ok(Py::run_time_bool()));
static LIKE_FIRST: Native = of("cutlass.cute.number", like_first);
static FLOAT: Native = of("cutlass.cute.float", |_, _| Ok(float_number()));
static FLOATS: Native = of("cutlass.cute.floats", |_, _| {
    Ok(Py::tuple(vec![float_number(), float_number()]))
});
static SHARED: Native = of("cutlass.cute.arch.alloc_smem", |machine, given| {
    let named = |wanted: &str| {
        let mut named = given.named.iter();
        named.find(|(name, _)| &**name == wanted).map(|(_, it)| it)
    };
    let element = given.rest.first().or_else(|| named("element_type"));
    let count = given.rest.get(1).or_else(|| named("size_in_elems"));
    if let (Some(element), Some(count)) = (element, count) {
        super::issued::allocate_static(machine, element, count, given);
    }
    Ok(pointer(given, Space::Shared))
});
static TENSOR_MEMORY: Native = of("cutlass.cute.arch.retrieve_tmem_ptr", |_, given| {
    Ok(pointer(given, Space::TensorMemory))
});
/// Columns of tensor memory that a CTA can have, and those that it takes at least.
static MOST_COLUMNS: Native = of("cutlass.cute.arch.get_max_tmem_alloc_cols", |_, _| {
    Ok(Py::Int(512))
});
static LEAST_COLUMNS: Native = of("cutlass.cute.arch.get_min_tmem_alloc_cols", |_, _| {
    Ok(Py::Int(32))
});
