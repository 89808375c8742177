//! The CuTe DSL: the members of `cutlass` and `cutlass.cute`, by name.
//!
//! Functions with a meaning for layouts are [`Native`]s, in the files below; the words of [`crate::vocabulary::python`]
//! answer for functions that are the same in C++. Classes that are only data (operations, enumerations) are written in
//! Python, in `prelude/`.

mod algebra;
mod atoms;
mod device;
mod effects;
mod extents;
mod fallbacks;
mod issued;
mod members;
mod numbers;
mod promotion;
mod registers;
mod scales;
mod shared;
mod tables;
mod tensors;
mod tiled;
mod trace;
mod words;

use std::sync::Arc;

use cute_algebra::AnyLayout;
use tree_sitter_cute::script::BinaryOp;
use tree_sitter_cute::tree::Span;

use super::heap::Id;
use super::machine::{Machine, Run};
use super::native::Args;
use super::value::{Builtin, Py};
use crate::reason::Reason;
use crate::tensor::{Pointer, Space};
use crate::types::{Scalar, Type};
use crate::value::Value;
use crate::vocabulary::python as vocabulary;

pub(crate) use issued::LAUNCH;
pub(crate) use numbers::{is_number_of, is_subclass, scalar_attribute};
pub(crate) use promotion::{number_attribute, number_type, result_type};
pub(crate) use shared::judge_chosen;
use tables::{FUNCTIONS, MEMBERS};
pub(crate) use words::{coordinate, leaf};

/// Modules whose names are those of others.
pub(crate) fn canonical(module: &str) -> &str {
    match module {
        "cutlass.cutlass_dsl"
        | "cutlass.cutlass_dsl.cutlass"
        | "cutlass.base_dsl"
        | "cutlass.base_dsl.typing"
        | "cutlass.base_dsl.dsl"
        | "cutlass.base_dsl.jit_executor"
        | "cutlass.typing" => "cutlass",
        "cutlass.cute.typing"
        | "cutlass.cute.core"
        | "cutlass.cute.tensor"
        | "cutlass.cute.atom"
        | "cutlass.cute.algorithm"
        | "cutlass.cute.tuple" => "cutlass.cute",
        "cutlass.memory.smem" => "cutlass.utils.smem_allocator",
        other => package_of(other),
    }
}

/// The package whose names are those of the modules below it: `cutlass.cute.nvgpu.tcgen05` of `tcgen05.mma`.
fn package_of(module: &str) -> &str {
    const PACKAGES: [&str; 5] = [
        "cutlass.cute.arch",
        "cutlass.cute.nvgpu.cpasync",
        "cutlass.cute.nvgpu.tcgen05",
        "cutlass.cute.nvgpu.warp",
        "cutlass.cute.nvgpu.warpgroup",
    ];
    // Another name is not a module: it may be a function that is not known here.
    const FILES: [&str; 12] = [
        "clc",
        "constants",
        "copy",
        "elect",
        "features",
        "helpers",
        "mbar",
        "mma",
        "numeric_conversion",
        "nvvm_wrappers",
        "smem",
        "tmem",
    ];
    let is_below = |package: &&str| {
        let rest = module.strip_prefix(package);
        rest.and_then(|rest| rest.strip_prefix('.'))
            .is_some_and(|file| FILES.contains(&file))
    };
    match PACKAGES.into_iter().find(|package| is_below(package)) {
        Some(package) => package,
        None if module == "cutlass.cute.nvgpu.helpers" => "cutlass.cute.nvgpu",
        None => module,
    }
}

/// The text of a file of the prelude.
macro_rules! prelude {
    ($path:literal) => {
        include_str!(concat!("prelude/cutlass/", $path))
    };
}

/// Source texts for modules of the DSL.
static PRELUDE: &[(&str, &str)] = &[
    ("cutlass.cute", prelude!("cute.py")),
    ("cutlass.cute.runtime", prelude!("cute/runtime.py")),
    ("cutlass.torch", prelude!("torch.py")),
    (
        "cutlass.utils.smem_allocator",
        prelude!("utils/smem_allocator.py"),
    ),
    (
        "cutlass.utils.hardware_info",
        prelude!("utils/hardware_info.py"),
    ),
    ("cutlass", include_str!("prelude/cutlass.py")),
    ("cutlass.base_dsl.arch", prelude!("base_dsl/arch.py")),
    (
        "cutlass._mlir.dialects.cute_nvgpu",
        prelude!("cute_nvgpu.py"),
    ),
    ("torch", include_str!("prelude/torch.py")),
    ("argparse", include_str!("prelude/argparse.py")),
    ("pytest", include_str!("prelude/pytest.py")),
    (
        "cutlass.cute.experimental",
        prelude!("cute/experimental.py"),
    ),
    ("cutlass.cute.nvgpu", prelude!("cute/nvgpu.py")),
    (
        "cutlass.cute.nvgpu.common",
        prelude!("cute/nvgpu/common.py"),
    ),
    ("cutlass.cute.nvgpu.warp", prelude!("cute/nvgpu/warp.py")),
    (
        "cutlass.cute.nvgpu.warpgroup",
        prelude!("cute/nvgpu/warpgroup.py"),
    ),
    (
        "cutlass.cute.nvgpu.cpasync",
        prelude!("cute/nvgpu/cpasync.py"),
    ),
    (
        "cutlass.cute.nvgpu.tcgen05",
        prelude!("cute/nvgpu/tcgen05.py"),
    ),
];

/// Modules whose prelude answers, whatever is installed: the machine performs them, or no layout depends on it.
const OURS: &[&str] = &[
    "cutlass.utils.smem_allocator",
    "torch",
    "argparse",
    "pytest",
];

/// Packages that no layout depends on: they are known by name only.
const UNREAD: &[&str] = &[
    "numpy",
    "triton",
    "jax",
    "jaxlib",
    "einops",
    "tvm",
    "tvm_ffi",
    "cuda",
    "matplotlib",
    "pandas",
    "scipy",
    "nvtx",
    "tabulate",
    "tqdm",
    "requests",
    "packaging",
    "psutil",
    "yaml",
    "pydantic",
    "transformers",
];

/// Our source of a module.
pub(crate) fn prelude(dotted: &str) -> Option<&'static str> {
    PRELUDE
        .iter()
        .chain(fallbacks::PRELUDE)
        .find(|(name, _)| *name == dotted)
        .map(|(_, text)| *text)
}

/// Packages of the DSL that are not read where they are installed: their words are built in, or below the level that
/// layouts depend on.
const NOT_READ: &[&str] = &[
    "cutlass.cute",
    "cutlass._mlir",
    "cutlass._mlir_helpers",
    "cutlass.base_dsl",
    "cutlass.cutlass_dsl",
    "cutlass.compiler",
    "cutlass.core",
    "cutlass.impl_utils",
    "cutlass.jax",
    "cutlass.runtime",
    "cutlass.testing",
    "cutlass.torch",
    "cutlass.utils.hardware_info",
];

/// Whether the installed source of a module is read.
pub(crate) fn is_read(dotted: &str) -> bool {
    // Constants of the package that is installed.
    if dotted == "torch.version" {
        return true;
    }
    let top = dotted.split('.').next().unwrap_or(dotted);
    if OURS.contains(&dotted) || OURS.contains(&top) || UNREAD.contains(&top) || top == "_cute" {
        return false;
    }
    let below = |package: &&str| {
        dotted
            .strip_prefix(package)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    dotted != "cutlass" && !NOT_READ.iter().any(below)
}

/// Whether a module is answered for here.
pub(crate) fn is_native_module(dotted: &str) -> bool {
    MODULES.contains(&canonical(dotted)) || prelude(dotted).is_some()
}

const MODULES: &[&str] = &[
    "cutlass",
    "cutlass.cute",
    "cutlass.cute._algebra",
    "cutlass.cute.arch",
    "cutlass.cute.nvgpu",
    "cutlass.cute.nvgpu.warp",
    "cutlass.cute.nvgpu.warpgroup",
    "cutlass.cute.nvgpu.cpasync",
    "cutlass.cute.nvgpu.tcgen05",
    "cutlass.cute.nvgpu.common",
    "cutlass.cute.runtime",
    "cutlass.cute.testing",
    "cutlass.cute.math",
    "cutlass.torch",
    "cutlass._mlir",
    "cutlass._mlir.ir",
    "cutlass._mlir.dialects",
    "cutlass.base_dsl.arch",
];

/// The member of a module of the DSL, by name.
pub(crate) fn member(module: &str, name: &str) -> Option<Py> {
    let module = canonical(module);
    if let Some(native) = FUNCTIONS.get(&(module, name)) {
        return Some(Py::Native(native));
    }
    if let Some(found) = numbers::member(module, name).or_else(|| device::member(module, name)) {
        return Some(found);
    }
    if let Some(class) = class(module, name) {
        return Some(class);
    }
    let dotted = format!("{module}.{name}");
    if vocabulary::named(&dotted).is_some() {
        return Some(Py::Leaf(Value::Function(dotted.into())));
    }
    // Names of `cutlass.cutlass_dsl` are those of both.
    (module == "cutlass.cute").then(|| numbers::member("cutlass", name))?
}

/// The parameters of a function of a module, those that may be left out as `name=...`; nothing where it takes whatever it is
/// given.
pub(crate) fn parameters(module: &str, name: &str) -> Option<Vec<String>> {
    let params = vocabulary::parameters(&format!("{module}.{name}"))?;
    (!params.is_empty()).then_some(params)
}

/// Classes of the DSL that are known by name: annotations, and arguments of `isinstance`.
const CLASSES: &[&str] = &[
    "Tensor",
    "Layout",
    "ComposedLayout",
    "Pointer",
    "TiledMma",
    "TiledCopy",
    "ThrMma",
    "ThrCopy",
    "MmaAtom",
    "CopyAtom",
    "Swizzle",
    "Shape",
    "Stride",
    "Tile",
    "Tiler",
    "Coord",
    "IntTuple",
    "XTuple",
    "Numeric",
    "NumericMeta",
    "Integer",
    "Float",
    "Constexpr",
];

fn class(module: &str, name: &str) -> Option<Py> {
    if !matches!(module, "cutlass" | "cutlass.cute") {
        return None;
    }
    let name = CLASSES.iter().find(|known| **known == name)?;
    Some(Py::Builtin(Builtin::Dsl(name)))
}

/// The names of `cutlass.cute.typing`, for `from cutlass.cute.typing import *`: its `__all__` has types, and no functions that
/// would hide those of Python.
pub(crate) fn types_of(module: &str) -> Option<Vec<(Arc<str>, Py)>> {
    const FUNCTIONS: [&str; 5] = ["SymInt", "sym_int", "sym_int32", "sym_int64", "as_numeric"];
    if module != "cutlass.cute.typing" {
        return None;
    }
    let classes = CLASSES.iter().filter(|name| !FUNCTIONS.contains(name));
    let classes = classes.map(|name| ((*name).into(), Py::Builtin(Builtin::Dsl(name))));
    let functions = FUNCTIONS
        .into_iter()
        .filter_map(|name| Some((name.into(), member("cutlass.cute", name)?)));
    Some(
        classes
            .chain(functions)
            .chain(numbers::members("cutlass"))
            .collect(),
    )
}

/// All names of a module, for `from module import *`.
pub(crate) fn members(module: &str) -> Vec<(Arc<str>, Py)> {
    let module = canonical(module);
    let words = vocabulary::names_of(module)
        .filter_map(|name| Some((Arc::from(name), member(module, name)?)));
    words.chain(numbers::members(module)).collect()
}

/// The name of the kind of a value in the DSL.
pub(crate) fn kind_name(value: &Value) -> &'static str {
    match value {
        Value::Layout(_) => "Layout",
        Value::Composed(_) | Value::Shared(_) => "ComposedLayout",
        Value::Swizzle(_) => "Swizzle",
        Value::Tensor(_) => "Tensor",
        Value::Pointer(_) => "Pointer",
        Value::TiledMma(_) => "TiledMma",
        Value::ThrMma(_) => "ThrMma",
        Value::TiledCopy(_) => "TiledCopy",
        Value::ThrCopy(_) => "ThrCopy",
        Value::MmaAtom(_) => "MmaAtom",
        Value::CopyAtom(_) => "CopyAtom",
        Value::Int(_) => "Integer",
        Value::Number(_) | Value::Bool(_) => "Numeric",
        _ => "object",
    }
}

/// The attribute of a value of the DSL.
pub(crate) fn attribute(machine: &mut Machine<'_>, value: &Value, name: &str) -> Run<Option<Py>> {
    let mut kinds = std::iter::successors(Some(kind_name(value)), |kind| tiled::base(kind));
    match kinds.find_map(|kind| MEMBERS.get(&(kind, name)).copied()) {
        // One parameter: an attribute, read without a call.
        Some(native) if native.params == "self" => {
            let args = Args::of(vec![Py::Leaf(value.clone())], Span::default());
            machine.call_native(native, args).map(Some)
        }
        Some(native) => Ok(Some(Py::Method(
            native,
            std::sync::Arc::new(Py::Leaf(value.clone())),
        ))),
        None => Ok(None),
    }
}

/// An attribute of a tensor whose layout is unknown.
pub(crate) fn open_attribute(element: Scalar, name: &str) -> Option<Py> {
    match name {
        "element_type" | "dtype" => Some(Py::Scalar(element)),
        "iterator" => {
            let pointer = Pointer::generic(Some(Type::Scalar(element)));
            Some(Py::Leaf(Value::Pointer(pointer.in_space(Space::Global))))
        }
        _ => None,
    }
}

/// A tensor after `tensor.element_type = value`: the same memory with elements of another type of the same width.
pub(crate) fn with_element_type(object: &Py, name: &str, value: &Py) -> Option<Py> {
    let (Py::Leaf(Value::Tensor(tensor)), "element_type") = (object, name) else {
        return None;
    };
    Some(match value {
        Py::Scalar(scalar) => {
            let mut changed = tensor.clone();
            changed.engine.element = Some(Box::new(Type::Scalar(*scalar)));
            Py::Leaf(Value::Tensor(changed))
        }
        other => Py::Unknown(match other.reason() {
            Some(reason) => reason.clone(),
            None => Reason::RunTime("the type of elements".into()),
        }),
    })
}

/// Reports a member that no value of this kind has.
pub(crate) fn judge_member(machine: &mut Machine<'_>, value: &Value, name: &str, span: Span) {
    let class = kind_name(value);
    let members = members::of_class(class);
    // A name that begins with an underscore is private to the DSL.
    if !members.is_empty() && !name.starts_with('_') && !members.contains(&name) {
        machine.no_such_member(class, name, &members, span);
    }
}

/// `value[index]`
pub(crate) fn element(machine: &mut Machine<'_>, value: &Value, index: &Py, span: Span) -> Run<Py> {
    words::element(machine, value, index, span)
}

/// `object[index]` of an object whose class does not say.
pub(crate) fn instance_element(_: &mut Machine<'_>, _: Id, index: &Py) -> Py {
    match index {
        Py::Unknown(reason) => Py::Unknown(reason.clone()),
        _ => Py::Unknown(Reason::Construct("an element of this object")),
    }
}

/// An operator on values that are not numbers.
pub(crate) fn operator(_: &mut Machine<'_>, op: BinaryOp, left: &Py, right: &Py) -> Py {
    if let Some(scaled) = algebra::product(op, left, right) {
        return scaled;
    }
    match (left, right) {
        // An element-wise operation of register tensors, a pointer and an offset.
        (Py::Leaf(value @ (Value::Pointer(_) | Value::Tensor(_))), _)
        | (_, Py::Leaf(value @ (Value::Pointer(_) | Value::Tensor(_)))) => Py::Leaf(value.clone()),
        _ => Py::Unknown(Reason::Construct("an operator on these values")),
    }
}

/// A value of a class of the DSL that is known by name only.
pub(crate) fn construct(_: &mut Machine<'_>, name: &'static str, args: Args) -> Run<Py> {
    Ok(match args.reason() {
        Some(reason) => Py::Unknown(reason.clone()),
        None if name == "CopyAtom"
            && matches!(args.plain.get(1), Some(Py::Leaf(Value::CopyAtom(_)))) =>
        {
            args.plain.get(1).cloned().unwrap_or(Py::None)
        }
        None => Py::not_evaluated(&format!("cutlass.cute.{name}")),
    })
}

/// Number of modes or elements of a value.
pub(crate) fn length(value: &Value) -> Py {
    match value.as_any_layout() {
        Some(AnyLayout::Affine(layout)) => Py::Int(layout.shape().rank() as i64),
        _ => Py::Unknown(Reason::Construct("`len` of this value")),
    }
}

/// The class of a value of the DSL.
pub(crate) fn type_of(value: &Value) -> Py {
    match value {
        Value::Number(scalar) => Py::Scalar(*scalar),
        Value::Int(_) | Value::Bool(_) => match number_type(&Py::Leaf(value.clone())).flatten() {
            Some(scalar) => Py::Scalar(scalar),
            None => Py::Unknown(Reason::Construct("the class of this value")),
        },
        other => match CLASSES.iter().find(|name| **name == kind_name(other)) {
            Some(name) => Py::Builtin(Builtin::Dsl(name)),
            None => Py::Unknown(Reason::Construct("the class of this value")),
        },
    }
}

/// Why the type of an integer of the kernel is not known.
pub(crate) fn type_not_known() -> Reason {
    Reason::RunTime("the type of an integer".into())
}

/// Whether a value is of a class of the DSL; `None` where that is not known.
pub(crate) fn is_instance(value: &Py, class: &str) -> Option<bool> {
    let class = class.rsplit('.').next().unwrap_or(class);
    Some(match value {
        Py::Unknown(_) => return None,
        Py::Open(..) => matches!(class, "Tensor" | "_Tensor"),
        Py::Leaf(value) => is_of_class(value, class),
        Py::Whole(..) => matches!(class, "Integer" | "Numeric"),
        Py::Scalar(_) => matches!(class, "NumericMeta" | "Numeric"),
        Py::Slice(_) => class == "slice",
        Py::Int(_) | Py::Tuple(_) | Py::None => {
            matches!(
                class,
                "Shape" | "Stride" | "IntTuple" | "XTuple" | "Coord" | "Tile" | "Tiler"
            )
        }
        _ => false,
    })
}

/// Whether a value of the DSL is of a class of that name.
pub(crate) fn is_of_class(value: &Value, class: &str) -> bool {
    let kind = kind_name(value);
    kind == class
        || matches!(
            (class, kind),
            ("Numeric", "Integer")
                | ("TiledMma", "ThrMma")
                | ("TiledCopy", "ThrCopy")
                | ("_Tensor", "Tensor")
                | ("_Layout", "Layout")
        )
        || match (class, value) {
            ("Float", Value::Number(scalar)) => !scalar.is_integer() && scalar.name != "bool",
            ("Integer", Value::Number(scalar)) => scalar.is_integer() || scalar.name == "bool",
            ("Integer", Value::Bool(_)) => true,
            _ => false,
        }
}

impl Machine<'_> {
    /// Calls a value of the DSL: a word of the vocabulary, a layout at a coordinate.
    pub(crate) fn call_leaf(&mut self, value: &Value, args: Args) -> Run<Py> {
        match value {
            Value::Function(name) => {
                let span = args.span;
                let made = words::call(self, name, args)?;
                self.note_kept(name, span, &made);
                Ok(made)
            }
            Value::Layout(_) | Value::Composed(_) => {
                let mut all = vec![Py::Leaf(value.clone())];
                all.extend(args.plain);
                let args = Args {
                    plain: vec![all.pop().unwrap_or(Py::None), Py::Leaf(value.clone())],
                    ..args
                };
                words::call(self, "cutlass.cute.crd2idx", args)
            }
            Value::Swizzle(swizzle) => {
                let offset = args.plain.first().and_then(Py::as_int);
                let swizzled = offset.and_then(|offset| swizzle.apply_int(&offset).ok());
                Ok(match swizzled {
                    Some(offset) => Py::of_value(Value::Int(offset)),
                    None => Py::Unknown(Reason::Construct("a swizzle of this value")),
                })
            }
            _ => Ok(Py::Unknown(Reason::Construct("a call of this value"))),
        }
    }
}
