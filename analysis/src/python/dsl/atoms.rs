//! Atoms, and objects made of them: tiled copies, tiled MMAs, TMA.
//!
//! The classes of operations are our Python (`prelude/`); the method `_atom` of each returns the name of the operation
//! in C++, which is how [`cute_hardware`] knows it.

#![allow(clippy::unnecessary_wraps)] // The functions of a table have one type.

use std::sync::Arc;

use cute_algebra::ops::recast::recast_layout;
use cute_algebra::{AnyLayout, Delta, Layout, ScaledBasis};
use cute_hardware::{CopyAtom, MmaAtom, ValueCopyAtom};

use super::super::machine::{Machine, Run};
use super::super::native::{Args, Given, Implementation, Native, implementation, native};
use super::super::value::Py;
use super::words::{call, function, leaf, leaves};
use crate::reason::Reason;
use crate::tensor::{Space, Tensor};
use crate::types::{Scalar, Type};
use crate::value::Value;
use crate::vocabulary::{of_hardware, python as vocabulary};

/// The name in C++ of an object of a class of operations.
fn spelled(machine: &mut Machine<'_>, operation: &Py, args: Args) -> Run<Result<String, Py>> {
    if let Py::Unknown(_) = operation {
        return Ok(Err(operation.clone()));
    }
    let unsuitable = || Py::Unknown(Reason::Unsuitable("an atom".into(), "an operation"));
    let Some(method) = machine.method(operation, "_atom")? else {
        return Ok(Err(unsuitable()));
    };
    Ok(match machine.call(&method, args)? {
        Py::Str(name) => Ok(name.to_string()),
        unknown @ Py::Unknown(_) => Err(unknown),
        _ => Err(unsuitable()),
    })
}

/// The MMA atom of an operation, or of an atom.
fn mma_atom(machine: &mut Machine<'_>, given: &Given, operation: &Py) -> Run<Py> {
    if let Py::Leaf(Value::MmaAtom(_)) = operation {
        return Ok(operation.clone());
    }
    let name = match spelled(machine, operation, Args::default())? {
        Ok(name) => name,
        Err(unknown) => return Ok(unknown),
    };
    let answer = MmaAtom::named(&name)
        .map(|atom| Value::MmaAtom(Arc::new(atom)))
        .map_err(|refusal| of_hardware(&refusal));
    let atom = machine.answered(answer, Vec::new(), given.span, &given.places);
    if let Py::Leaf(value) = &atom {
        let made = (operation.clone(), Py::None);
        machine.numbers.operations.insert(value.clone(), made);
    }
    Ok(atom)
}

fn make_mma_atom(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    mma_atom(machine, given, given.arg(0))
}

/// `make_tiled_mma(op_or_atom, atom_layout_mnk, permutation_mnk)`
fn make_tiled_mma(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    let atom = mma_atom(machine, given, given.arg(0))?;
    let mut args = vec![leaf(machine, &atom)];
    let one = || Value::Int(cute_algebra::Int::fixed(1));
    args.push(match given.arg(1) {
        Py::None => Value::Tuple(vec![one(), one(), one()]),
        atoms => leaf(machine, atoms),
    });
    if *given.arg(2) != Py::None {
        args.push(leaf(machine, given.arg(2)));
    }
    Ok(function(machine, "make_tiled_mma", &[], &args, given))
}

/// `make_copy_atom(op, copy_internal_type, num_bits_per_copy=...)`
fn make_copy_atom(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    let (operation, ty) = (given.arg(0), given.arg(1));
    let Py::Scalar(scalar) = ty else {
        return Ok(given.takes("a numeric type of the values"));
    };
    let bits = super::numbers::dsl_bits(scalar).max(1);
    let wide = match given.arg(2) {
        Py::None | Py::Int(0) => i64::from(bits),
        Py::Int(wide) => *wide,
        _ => return Ok(given.takes("a known number of bits")),
    };
    let args = Args::of(vec![Py::Int(wide)], given.span);
    let name = match spelled(machine, operation, args)? {
        Ok(name) => name,
        Err(unknown) => return Ok(unknown),
    };
    let atom = match name.as_str() {
        // Any width that one thread moves, whether C++ has a type of it or not.
        THREAD => one_thread(wide),
        name => CopyAtom::named(name),
    };
    let answer = atom
        .and_then(|atom| atom.with_value_bits(i64::from(bits)))
        .map(|atom| match given.arg(2) {
            Py::None | Py::Int(0) if name == THREAD => of_one_value(atom),
            _ => atom,
        })
        .map(|atom| Value::CopyAtom(Arc::new(atom)))
        .map_err(|refusal| of_hardware(&refusal));
    let atom = machine.answered(answer, Vec::new(), given.span, &given.places);
    remember(machine, &atom, operation, ty);
    Ok(atom)
}

/// The name in operations of the prelude of the copy that one thread makes, of a requested number of bits.
const THREAD: &str = "UniversalCopy";

/// The DSL writes the stride of the single value as 0, where no width is requested.
fn of_one_value(mut atom: ValueCopyAtom) -> ValueCopyAtom {
    let one: Result<Layout, _> = "(_1,_1):(_0,_0)".parse();
    if let Ok(one) = one {
        atom.source = one.clone();
        atom.destination = one.clone();
        atom.reference = one;
    }
    atom
}

fn one_thread(bits: i64) -> Result<CopyAtom, cute_hardware::Refusal> {
    let mut atom = CopyAtom::named("UniversalCopy<uint8_t>")?;
    let run: Result<Layout, _> = format!("(_1,_{}):(_0,_1)", bits.max(1)).parse();
    if let Ok(run) = run {
        atom.source = run.clone();
        atom.destination = run.clone();
        atom.reference = run;
    }
    Ok(atom)
}

/// Keeps the parts of a copy atom. Atoms of two types of one width are one value: which type it was is then open.
fn remember(machine: &mut Machine<'_>, atom: &Py, operation: &Py, ty: &Py) {
    let Py::Leaf(value) = atom else {
        return;
    };
    let ty = match machine.numbers.operations.get(value) {
        Some((_, known)) if known != ty => {
            Py::Unknown(Reason::Ambiguous("the type of an atom's values".into()))
        }
        _ => ty.clone(),
    };
    let made = (operation.clone(), ty);
    machine.numbers.operations.insert(value.clone(), made);
}

/// Calls the function of C++ of the same arguments, those that are left out at the end not given.
fn forward(machine: &mut Machine<'_>, given: &Given, name: &str) -> Py {
    let args = leaves(machine, &given.all());
    function(machine, name, &[], &args, given)
}

fn make_tiled_copy(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    Ok(forward(machine, given, "make_tiled_copy_impl"))
}

fn make_tiled_copy_tv(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    let layouts = vec![given.arg(1).clone(), given.arg(2).clone()];
    let args = Args {
        places: given.places.get(1..).unwrap_or_default().to_vec(),
        ..Args::of(layouts, given.span)
    };
    let pair = call(machine, "cutlass.cute.make_layout_tv", args)?;
    let Py::Tuple(items) = &pair else {
        return Ok(pair);
    };
    let [tiler, layout] = &***items else {
        return Ok(given.takes("layouts of threads and values"));
    };
    let args = leaves(
        machine,
        &[given.arg(0).clone(), layout.clone(), tiler.clone()],
    );
    Ok(function(machine, "make_tiled_copy_impl", &[], &args, given))
}

/// The operation of TMA as an object of its type in C++.
fn instance(name: &str) -> Value {
    Value::Instance(Box::new(Type::Named(name.into())))
}

/// The modes of a layout of shared memory that one stage has.
fn one_stage(machine: &mut Machine<'_>, given: &Given, layout: &Py, rank: usize) -> Run<Py> {
    let Some(own) = leaf(machine, layout).as_any_layout().map(|it| it.rank()) else {
        return Ok(layout.clone());
    };
    if own != rank + 1 {
        return Ok(layout.clone());
    }
    let modes = (0..rank).map(|mode| Py::Int(i64::try_from(mode).unwrap_or_default()));
    let args = Args::of(vec![layout.clone(), Py::tuple(modes.collect())], given.span);
    call(machine, "cutlass.cute.select", args)
}

/// The atom and the tensor of coordinates of a TMA instruction, with the layout of shared memory as it was given.
fn tma_info(machine: &mut Machine<'_>, given: &Given, atom: Py, operation: &Py) -> Run<Py> {
    let tensor = given.arg(1).clone();
    let coordinates = match &atom {
        Py::Leaf(value) => {
            let shape = machine.attribute(&tensor, "shape")?;
            let args = [value.clone(), leaf(machine, &shape)];
            let made = super::words::method(machine, "get_tma_tensor", &[], &args, given);
            with_open_steps(machine, made)
        }
        unknown => unknown.clone(),
    };
    let ty = machine.attribute(&tensor, "element_type")?;
    remember(machine, &atom, operation, &ty);
    Ok(Py::tuple(vec![atom, coordinates, given.arg(2).clone()]))
}

/// The steps of modes that share a dimension of TMA are numbers of the running program in the DSL, whatever the strides are.
fn with_open_steps(machine: &mut Machine<'_>, made: Py) -> Py {
    let Py::Leaf(Value::Tensor(tensor)) = &made else {
        return made;
    };
    let AnyLayout::Affine(layout) = &tensor.layout else {
        return made;
    };
    let stride = layout.stride().map(|step| match step {
        Delta::Basis(basis) if !basis.value.is_static() && basis.value.value().is_some() => {
            match machine.numbers.symbol("step") {
                Py::Leaf(Value::Int(value)) => Delta::Basis(Arc::new(ScaledBasis {
                    value,
                    ..ScaledBasis::clone(basis)
                })),
                _ => step.clone(),
            }
        }
        _ => step.clone(),
    });
    match Layout::new(layout.shape(), stride) {
        Ok(layout) => Py::Leaf(Value::Tensor(Box::new(Tensor {
            engine: tensor.engine.clone(),
            layout: AnyLayout::Affine(layout),
        }))),
        Err(_) => made,
    }
}

/// `get_s2t_smem_desc_tensor(atom, smem_tensor)`: one descriptor for each 16 bytes of shared memory.
fn descriptors_of(_: &mut Machine<'_>, given: &Given) -> Run<Py> {
    let Py::Leaf(Value::Tensor(tensor)) = given.arg(1) else {
        return Ok(given.takes("a tensor in shared memory"));
    };
    let Some(bits) = tensor.engine.bits() else {
        return Ok(Py::Unknown(Reason::Construct(
            "descriptors of elements of no known width",
        )));
    };
    let layout = tensor
        .layout
        .map_domain(|domain| recast_layout(domain, i64::from(bits), DESCRIPTOR_BITS));
    Ok(match layout {
        Ok(layout) => Py::Leaf(Value::Tensor(Box::new(Tensor {
            engine: tensor.engine.in_space(Space::UmmaDescriptors),
            layout,
        }))),
        Err(_) => Py::Unknown(Reason::Construct("a part of 16 bytes of shared memory")),
    })
}

/// The unit of addresses in a shared memory descriptor, in bits (PTX ISA, tcgen05 shared memory descriptor).
const DESCRIPTOR_BITS: i64 = 128;

/// `_tma_atom(op, gmem_tensor, smem_layout, cta_tiler, num_multicast, internal_type)`
fn tma_atom(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    let rank = match &leaf(machine, given.arg(3)) {
        Value::Tuple(modes) => modes.len(),
        Value::Layout(layout) => layout.rank(),
        _ => 1,
    };
    let shared = one_stage(machine, given, given.arg(2), rank)?;
    tma_atom_of_tile(machine, given, &shared)
}

/// `_tma_atom_of_values(op, gmem_tensor, smem_layout, cta_v_map, num_multicast)`
fn tma_atom_of_values(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    tma_atom_of_tile(machine, given, given.arg(2))
}

fn tma_atom_of_tile(machine: &mut Machine<'_>, given: &Given, shared: &Py) -> Run<Py> {
    let name = match spelled(machine, given.arg(0), Args::default())? {
        Ok(name) => name,
        Err(unknown) => return Ok(Py::tuple(vec![unknown.clone(), unknown, Py::None])),
    };
    let args = [
        instance(&name),
        leaf(machine, given.arg(1)),
        leaf(machine, shared),
        leaf(machine, given.arg(3)),
        leaf(machine, given.arg(4)),
    ];
    let targs = internal_type(machine, given, given.arg(5));
    let atom = function(machine, "make_tma_atom", &targs, &args, given);
    tma_info(machine, given, atom, given.arg(0))
}

/// The type that a descriptor says; it has no signed ones of less than 32 bits, and one of four bits for all.
fn internal_type(machine: &Machine<'_>, given: &Given, ty: &Py) -> Vec<Value> {
    if let (Py::None, Py::Leaf(Value::Tensor(tensor))) = (ty, given.arg(1))
        && let Some(Type::Scalar(element)) = tensor.engine.element.as_deref()
        && element.is_integer()
        && element.bits == 4
    {
        let packed = crate::vocabulary::python::scalar("Float4E2M1FN");
        return packed
            .map(|scalar| Value::Type(Box::new(Type::Scalar(scalar))))
            .into_iter()
            .collect();
    }
    let unsigned = match ty {
        Py::Scalar(scalar) if scalar.is_integer() && scalar.bits < 32 => {
            Scalar::of_spelling(&format!("uint{}_t", scalar.bits))
        }
        _ => None,
    };
    match ty {
        Py::None => Vec::new(),
        _ if unsigned.is_some() => unsigned
            .map(|scalar| Value::Type(Box::new(Type::Scalar(scalar))))
            .into_iter()
            .collect(),
        ty => vec![leaf(machine, ty)],
    }
}

/// `_tma_atom_of_mma(op, gmem_tensor, smem_layout, mma_tiler_mnk, tiled_mma, cluster_shape_vmnk, internal_type, operand)`
fn tma_atom_of_mma(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    let name = match spelled(machine, given.arg(0), Args::default())? {
        Ok(name) => name,
        Err(unknown) => return Ok(Py::tuple(vec![unknown.clone(), unknown, Py::None])),
    };
    let shared = one_stage(machine, given, given.arg(2), 3)?;
    let mut args = vec![
        instance(&name),
        leaf(machine, given.arg(1)),
        leaf(machine, &shared),
        leaf(machine, given.arg(3)),
        leaf(machine, given.arg(4)),
    ];
    if *given.arg(5) != Py::None {
        args.push(leaf(machine, given.arg(5)));
    }
    let maker = match given.arg(7) {
        Py::Str(operand) if &**operand == "A" => "make_tma_atom_A_sm100",
        Py::Str(operand) if &**operand == "B" => "make_tma_atom_B_sm100",
        _ => "make_tma_copy_C_sm100",
    };
    let targs = internal_type(machine, given, given.arg(6));
    let made = function(machine, maker, &targs, &args, given);
    let atom = match made {
        Py::Leaf(Value::TiledCopy(copy)) => {
            Py::Leaf(Value::CopyAtom(Arc::new(copy.atom().clone())))
        }
        other => other,
    };
    tma_info(machine, given, atom, given.arg(0))
}

/// `tma_partition(atom, cta_coord, cta_layout, smem_tensor, gmem_tensor)`: C++ gives the global tensor first.
fn tma_partition(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    let args = leaves(machine, &given.all());
    Ok(
        match function(machine, "tma_partition", &[], &args, given) {
            Py::Tuple(parts) => Py::tuple(parts.iter().rev().cloned().collect()),
            unknown => Py::tuple(vec![unknown.clone(), unknown]),
        },
    )
}

/// `tile_to_mma_shape(atom, mma_tile_shape, order)`
fn tile_to_mma_shape(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    let mut args = leaves(machine, &given.all());
    // The elements of the atom do not change its repetition.
    let shared = match args.first() {
        Some(Value::Composed(composed)) => composed
            .swizzle()
            .map(|swizzle| cute_hardware::SharedLayout::new(swizzle, 8, composed.inner.clone())),
        _ => None,
    };
    let Some(shared) = shared else {
        return Ok(given.takes("a swizzled layout of shared memory"));
    };
    args[0] = Value::Shared(Arc::new(shared));
    let tiled = match function(machine, "tile_to_mma_shape", &[], &args, given) {
        Py::Leaf(Value::Shared(tiled)) => cute_algebra::ComposedLayout {
            outer: cute_algebra::Outer::Swizzle(tiled.swizzle),
            offset: cute_algebra::Tuple::leaf(cute_algebra::Int::ZERO),
            inner: tiled.layout.clone(),
        },
        other => return Ok(other),
    };
    let layout = Value::of_layout(cute_algebra::AnyLayout::Composed(tiled));
    let args = vec![Py::Leaf(layout), given.arg(1).clone()];
    call(machine, "cutlass.cute.coalesce", Args::of(args, given.span))
}

fn text(given: &Given, of: fn(&Scalar) -> Option<String>) -> Py {
    match given.arg(0) {
        Py::Scalar(scalar) => match of(scalar) {
            Some(text) => Py::str(&text),
            None => given.takes("a type that instructions have"),
        },
        _ => given.takes("a numeric type"),
    }
}

/// The name of a numeric type in C++: `half_t`.
fn type_name(_: &mut Machine<'_>, given: &Given) -> Run<Py> {
    Ok(text(given, |scalar| Some(scalar.name.to_owned())))
}

/// The word for a numeric type in names of instructions: `F16`.
fn type_word(_: &mut Machine<'_>, given: &Given) -> Run<Py> {
    Ok(text(given, |scalar| {
        let name = vocabulary::scalar_name(scalar)?;
        Some(
            match name {
                "Float16" => "F16",
                "BFloat16" => "BF16",
                "TFloat32" => "TF32",
                "Float32" => "F32",
                "Float64" => "F64",
                "Float8E4M3FN" => "E4M3",
                "Float8E5M2" => "E5M2",
                "Int8" => "S8",
                "Uint8" => "U8",
                "Int4" => "S4",
                "Int32" => "S32",
                _ => return None,
            }
            .to_owned(),
        )
    }))
}

pub(super) static NATIVES: &[Native] = &[
    native(
        "_cute.make_tma_atom",
        "op gmem_tensor smem_layout cta_tiler num_multicast internal_type",
        tma_atom,
    ),
    native(
        "_cute.make_tma_atom_of_values",
        "op gmem_tensor smem_layout cta_v_map num_multicast",
        tma_atom_of_values,
    ),
    native(
        "_cute.make_tma_atom_of_mma",
        "op gmem_tensor smem_layout mma_tiler_mnk tiled_mma cluster_shape_vmnk internal_type operand",
        tma_atom_of_mma,
    ),
    native("_cute.type_name", "ty", type_name),
    native("_cute.type_word", "ty", type_word),
];

pub(super) static FUNCTIONS: &[Implementation] = &[
    implementation("cutlass.cute.make_mma_atom", make_mma_atom),
    implementation("cutlass.cute.make_tiled_mma", make_tiled_mma),
    implementation("cutlass.cute.make_copy_atom", make_copy_atom),
    implementation("cutlass.cute.make_tiled_copy", make_tiled_copy),
    implementation("cutlass.cute.make_tiled_copy_tv", make_tiled_copy_tv),
    implementation("cutlass.cute.make_tiled_copy_A", |machine, given| {
        Ok(forward(machine, given, "make_tiled_copy_A"))
    }),
    implementation("cutlass.cute.make_tiled_copy_B", |machine, given| {
        Ok(forward(machine, given, "make_tiled_copy_B"))
    }),
    implementation("cutlass.cute.make_tiled_copy_C", |machine, given| {
        Ok(forward(machine, given, "make_tiled_copy_C"))
    }),
    implementation("cutlass.cute.make_tiled_copy_C_atom", |machine, given| {
        Ok(forward(machine, given, "make_tiled_copy_C_atom"))
    }),
    implementation("cutlass.cute.make_tiled_copy_S", |machine, given| {
        Ok(forward(machine, given, "make_tiled_copy_S"))
    }),
    implementation("cutlass.cute.make_tiled_copy_D", |machine, given| {
        Ok(forward(machine, given, "make_tiled_copy_D"))
    }),
    implementation("cutlass.cute.make_cotiled_copy", |machine, given| {
        Ok(forward(machine, given, "make_cotiled_copy"))
    }),
    implementation("cutlass.cute.nvgpu.cpasync.tma_partition", tma_partition),
    implementation(
        "cutlass.cute.nvgpu.tcgen05.tile_to_mma_shape",
        tile_to_mma_shape,
    ),
    implementation(
        "cutlass.cute.nvgpu.tcgen05.make_tmem_copy",
        |machine, given| Ok(forward(machine, given, "make_tmem_copy")),
    ),
    implementation(
        "cutlass.cute.nvgpu.tcgen05.make_s2t_copy",
        |machine, given| Ok(forward(machine, given, "make_utccp_copy")),
    ),
    implementation(
        "cutlass.cute.nvgpu.tcgen05.get_s2t_smem_desc_tensor",
        descriptors_of,
    ),
];
