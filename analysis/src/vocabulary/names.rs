//! Names that are not functions: types (`_8`, `Int<8>`, `Layout<..>`), tags, constants, traits.

use std::sync::Arc;

use cute_algebra::{Delta, Int, Layout, Swizzle, Tuple};

use super::call::number;
use super::{Evaluated, Problem};
use crate::object_layout;
use crate::reason::{Kept, Reason};
use crate::tensor::Pointer;
use crate::types::{LibraryClass, Scalar, Type, integer_named};
use crate::value::{Order, Truth, Value};

/// The value or type of a name with its template arguments; `None` for another name.
pub(crate) fn name(name: &str, args: Option<&[Value]>) -> Option<Evaluated> {
    if let Some(int) = static_integer(name) {
        return Some(Ok(type_of(Value::Int(int))));
    }
    if let Some(scalar) = Scalar::of_spelling(name) {
        return Some(Ok(Value::Type(Box::new(Type::Scalar(scalar)))));
    }
    let known = match args {
        None => plain(name)
            .or_else(|| super::strided::class(name, &[]))
            .map(Ok),
        Some(args) => with_arguments(name, args),
    };
    known.or_else(|| operation(name, args))
}

/// The scopes of CuTe in which hardware names live.
pub(crate) fn is_hardware_scope(name: &str) -> bool {
    matches!(name, "GMMA" | "UMMA" | "TMEM")
}

/// A qualified name of the hardware's: `GMMA::Major::K`, `UMMA::Layout_K_SW128_Atom<half_t>`.
pub(crate) fn hardware_name(scopes: &[&str], name: &str, args: Option<&[Value]>) -> Evaluated {
    // Its types and enumerators have capitals, but for those of fragments; a function is not a type whose construction keeps
    // its argument.
    let is_fragment = name == "smem_desc" || name.starts_with("tmem_frg");
    if !is_fragment && name.starts_with(|first: char| first.is_ascii_lowercase()) {
        return Err(Problem::Unknown(Reason::NotEvaluated(name.into())));
    }
    let spelled = spelled(&[scopes, &[name]].concat().join("::"), args)?;
    if name.starts_with("Layout_") {
        return super::shared::atom(&spelled).map(type_of);
    }
    Ok(Value::Type(Box::new(Type::Named(spelled.into()))))
}

/// The instruction of a template of instructions, or of their traits.
pub(crate) fn instruction_with(template: &str, args: &[Value]) -> Evaluated {
    spelled(template, Some(args)).map(|text| Value::Type(Box::new(Type::Named(text.into()))))
}

/// The atom whose members the traits of an instruction are: `MMA_Traits<SM80_16x8x16_F32F16F16F32_TN>`.
pub(crate) fn atom_of_traits(spelled: &str) -> Option<Value> {
    let traits = cute_hardware::TemplateId::parse(spelled).ok()?;
    if traits.base() != "MMA_Traits" {
        return None;
    }
    let traits = Value::Type(Box::new(Type::Named(spelled.into())));
    match mma_atom(&[traits]).ok()? {
        Value::Type(ty) => match *ty {
            Type::Of(atom) => Some(*atom),
            _ => None,
        },
        _ => None,
    }
}

/// An instruction by its name: `SM80_16x8x16_F32F16F16F32_TN`, `UniversalCopy<uint128_t>`.
fn operation(name: &str, args: Option<&[Value]>) -> Option<Evaluated> {
    is_operation(name)
        .then(|| spelled(name, args).map(|text| Value::Type(Box::new(Type::Named(text.into())))))
}

/// Whether a name is spelled as that of an instruction.
fn is_operation(name: &str) -> bool {
    const UNIVERSAL: &[&str] = &[
        "UniversalCopy",
        "UniversalFMA",
        "DefaultCopy",
        "AutoVectorizingCopy",
        "AutoVectorizingCopyWithAssumedAlignment",
    ];
    let architecture = name
        .strip_prefix("SM")
        .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()) && rest.contains('_'));
    architecture || UNIVERSAL.contains(&name)
}

/// The instruction that a name means, with its template arguments.
pub(crate) fn operation_of(name: &str, answer: &Evaluated) -> Option<Arc<str>> {
    match answer {
        Ok(Value::Type(ty)) if is_operation(name) => match &**ty {
            Type::Named(spelled) => Some(Arc::clone(spelled.text())),
            _ => None,
        },
        _ => None,
    }
}

/// A template id as C++ spells it, with its arguments evaluated.
fn spelled(name: &str, args: Option<&[Value]>) -> Result<String, Problem> {
    let Some(args) = args else {
        return Ok(name.to_owned());
    };
    let mut texts = Vec::with_capacity(args.len());
    for arg in args {
        texts.push(match arg {
            Value::Type(ty) => match &**ty {
                Type::Scalar(scalar) => scalar.name.to_owned(),
                Type::Named(name) => name.to_string(),
                Type::Parameter(name) => {
                    return Err(Problem::Unknown(Reason::Unbound(name.clone())));
                }
                Type::Unknown(reason) => return Err(Problem::Unknown(reason.clone())),
                other => other.as_unsigned().unwrap_or_else(|| other.to_string()),
            },
            Value::Unknown(reason) => return Err(Problem::Unknown(reason.clone())),
            Value::Int(int) => match int.value() {
                Some(value) => value.to_string(),
                None => {
                    return Err(Problem::Unknown(Reason::RunTime(
                        "a template argument of an instruction".into(),
                    )));
                }
            },
            other => other.to_string(),
        });
    }
    Ok(format!("{name}<{}>", texts.join(", ")))
}

/// The text of a type argument that names an instruction.
fn instruction(arg: &Value) -> Result<String, Problem> {
    match arg {
        Value::Type(ty) => match &**ty {
            Type::Named(name) => Ok(name.to_string()),
            Type::Unknown(reason) => Err(Problem::Unknown(reason.clone())),
            Type::Parameter(name) => Err(Problem::Unknown(Reason::Unbound(name.clone()))),
            _ => Err(Problem::Unknown(Reason::Construct("this instruction"))),
        },
        Value::Unknown(reason) => Err(Problem::Unknown(reason.clone())),
        _ => Err(Problem::Unknown(Reason::Construct("this instruction"))),
    }
}

/// A container of memory: for layouts it is a pointer to its elements.
fn container(args: &[Value]) -> Evaluated {
    match args.first() {
        Some(Value::Type(ty)) => Ok(Value::Type(Box::new(Type::Pointer(ty.clone())))),
        _ => unknown_of("a container", args, "a type"),
    }
}

/// The instruction of its traits, `Copy_Traits<SM75_U32x4_LDSM_N>`; of traits with more arguments the instruction
/// alone says too little.
fn operation_of_traits(spelled: &str) -> Option<String> {
    let traits = cute_hardware::TemplateId::parse(spelled).ok()?;
    match traits.args() {
        [operation] if traits.base() == "Copy_Traits" => Some(operation.to_string()),
        _ => None,
    }
}

fn copy_atom(args: &[Value]) -> Evaluated {
    let [operation, element] = args else {
        return unknown_of("Copy_Atom", args, "an instruction and a type");
    };
    let operation = instruction(operation)?;
    let operation = operation_of_traits(&operation).unwrap_or(operation);
    match super::tensors::bits_of(element) {
        Some(bits) => {
            let element = match element {
                Value::Type(ty) => ty.as_element(),
                _ => None,
            };
            super::copies::copy_atom_type(&operation, bits, element).map(type_of)
        }
        None => unknown_of("Copy_Atom", args, "a type of known size"),
    }
}

fn mma_atom(args: &[Value]) -> Evaluated {
    match args {
        [operation] => super::mmas::mma_atom_type(&instruction(operation)?).map(type_of),
        _ => unknown_of("MMA_Atom", args, "one instruction"),
    }
}

/// `threadIdx` and its kin.
pub(crate) fn builtin(name: &str) -> Option<&'static str> {
    ["threadIdx", "blockIdx", "blockDim", "gridDim"]
        .into_iter()
        .find(|builtin| *builtin == name)
}

/// Whether a name is a type whose construction changes none of its arguments.
pub(crate) fn is_type_name(name: &str) -> bool {
    static_integer(name).is_some()
        || Scalar::of_spelling(name).is_some()
        || TYPES.contains(&name)
        || plain(name).is_some()
}

const TYPES: &[&str] = &[
    "Layout",
    "Shape",
    "Stride",
    "Coord",
    "Step",
    "Tile",
    "tuple",
    "Int",
    "C",
    "constant",
    "integral_constant",
    "Swizzle",
    "ComposedLayout",
    "ScaledBasis",
    "E",
    "Tensor",
    "dim3",
];

/// `_8`, `_128`.
fn static_integer(name: &str) -> Option<Int> {
    let digits = name.strip_prefix('_')?;
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    digits.parse().ok().map(Int::fixed)
}

pub(super) fn type_of(value: Value) -> Value {
    Value::Type(Box::new(Type::Of(Box::new(value))))
}

fn plain(name: &str) -> Option<Value> {
    Some(match name {
        "_" => Value::Underscore,
        _ if super::functor(name).is_some() => Value::Type(Box::new(Type::Named(name.into()))),
        "X" | "Underscore" => type_of(Value::Underscore),
        "LayoutLeft" | "GenColMajor" => type_of(Value::Order(Order::Left)),
        "LayoutRight" | "GenRowMajor" => type_of(Value::Order(Order::Right)),
        "true_type" => type_of(Value::Bool(Truth::fixed(true))),
        "false_type" => type_of(Value::Bool(Truth::fixed(false))),
        "dim3" => type_of(Value::Tuple(vec![Value::Int(Int::dynamic(1)); 3])),
        "smem_ptr_flag" => Value::Type(Box::new(Type::Named("smem_ptr_flag_bits<1>".into()))),
        // Without arguments the initialiser says which; those of aliases, `Shape s = make_shape(m, n)`, are deduced since C++20.
        "Layout" | "Tensor" | "ComposedLayout" | "TiledCopy" | "TiledMMA" | "TiledMma"
        | "ThrCopy" | "ThrMMA" | "Swizzle" | "Copy_Atom" | "MMA_Atom" | "Shape" | "Stride"
        | "Coord" | "Step" | "Tile" | "tuple" => Value::Type(Box::new(Type::Placeholder)),
        tag if super::tags::is_tag(tag) => Value::Type(Box::new(Type::Named(tag.into()))),
        word if super::collectives::plain(word).is_some() => super::collectives::plain(word)?,
        _ if object_layout::is_plain_class(name) => library_class(name, &[]),
        _ => match layout_of_operand(name) {
            Some(layout) => type_of(layout.into()),
            None => Value::Int(Int::dynamic(super::tags::constant(name)?)),
        },
    })
}

/// The thread-value layouts that CuTe's traits of warp instructions share, which traits of a source name too.
fn layout_of_operand(name: &str) -> Option<Layout> {
    let text = match name {
        "SM70_QuadPair" => "(_4,_2):(_1,_16)",
        "SM70_8x4_Row" => "(_8,_4):(_1,_8)",
        "SM70_8x4_Col" => "((_4,_2),_4):((_8,_4),_1)",
        "SM70_8x8_16b" => "(_8,_8):(_1,_8)",
        "SM70_8x8_32b" => "((_2,_2,_2),(_2,_2,_2)):((_1,_16,_4),(_8,_2,_32))",
        "SM80_8x4" => "((_4,_8),_1):((_8,_1),_0)",
        "SM80_8x8_Row" => "((_4,_8),_2):((_16,_1),_8)",
        "SM80_8x16_Row" => "((_4,_8),_4):((_32,_1),_8)",
        "SM80_16x8_Row" => "((_4,_8),(_2,_2)):((_32,_1),(_16,_8))",
        _ => return None,
    };
    text.parse().ok()
}

/// The value of a template argument: a static class type counts as its value.
pub(super) fn argument(value: &Value) -> Result<Value, Problem> {
    match value {
        Value::Unknown(reason) => Err(Problem::Unknown(reason.clone())),
        Value::Type(ty) => match &**ty {
            Type::Of(inner) => Ok((**inner).clone()),
            // `Shape<int, _1>`: a run-time extent.
            Type::Scalar(scalar) if scalar.is_integer() => {
                Ok(Value::Int(Int::symbol(crate::types::RUN_TIME)))
            }
            Type::Unknown(reason) => Err(Problem::Unknown(reason.clone())),
            Type::Parameter(name) => Err(Problem::Unknown(Reason::Unbound(name.clone()))),
            Type::Part(name) => Ok(Value::Int(Int::symbol(name))),
            _ => Ok(value.clone()),
        },
        other => Ok(other.clone()),
    }
}

/// The widest integers that are elements in a list of types, and are extents nowhere.
const ELEMENT_BITS: u32 = 16;

/// The items of a type of tuples. Shapes have integers; a list of types, `tuple<uint4b_t, half_t>`, keeps its types.
fn tuple_items(args: &[Value]) -> Result<Vec<Value>, Problem> {
    let scalar = |value: &Value| match value {
        Value::Type(ty) => match **ty {
            Type::Scalar(scalar) => Some(scalar),
            _ => None,
        },
        _ => None,
    };
    let all = args.iter().flat_map(|arg| match arg {
        Value::Pack(items) => items.as_slice(),
        one => std::slice::from_ref(one),
    });
    let lists_types = all.clone().filter_map(scalar).any(|it| !it.is_integer());
    let is_element = |it: Scalar| lists_types || it.bits <= ELEMENT_BITS;
    all.map(|arg| match scalar(arg).filter(|it| is_element(*it)) {
        Some(scalar) if scalar.is_integer() => Ok(Value::Int(Int::symbol(scalar.name))),
        _ => argument(arg),
    })
    .collect()
}

fn arguments(args: &[Value]) -> Result<Vec<Value>, Problem> {
    let mut values = Vec::with_capacity(args.len());
    for arg in args {
        match arg {
            Value::Pack(items) => {
                for item in items {
                    values.push(argument(item)?);
                }
            }
            other => values.push(argument(other)?),
        }
    }
    Ok(values)
}

fn with_arguments(name: &str, args: &[Value]) -> Option<Evaluated> {
    Some(match name {
        "Int" | "C" => integer(name, args.first()),
        // constant<T, value>, integral_constant<T, value>
        "constant" | "integral_constant" | "bool_constant" => match args {
            // An enumerator: `integral_constant<UMMA::Major, UMMA::Major::K>`.
            [_, Value::Type(of)] if matches!(**of, Type::Named(_)) => instruction_with(name, args),
            _ => integer(name, args.last()),
        },
        "Shape" | "Stride" | "Coord" | "Step" | "Tile" | "tuple" | "ArithmeticTuple" => {
            tuple_items(args).map(|items| type_of(Value::Tuple(items)))
        }
        "Layout" => layout(args),
        "Swizzle" => swizzle(args),
        "device_vector" | "host_vector" | "vector" | "DeviceAllocation" => container(args),
        "Copy_Atom" => copy_atom(args),
        "MMA_Atom" => mma_atom(args),
        "MMA_Traits" | "Copy_Traits" | super::shared::FLAG | super::shared::SPARSE_FLAG => {
            instruction_with(name, args)
        }
        "ComposedLayout" => composed(args),
        "smem_sparse_ptr_flag" => {
            let bit = Value::Int(Int::fixed(1));
            instruction_with(super::shared::SPARSE_FLAG, &[args, &[bit]].concat())
        }
        "E" => basis(args),
        "conditional_t" => conditional(args),
        "conditional" => conditional(args).map(super::traits::as_class),
        "seq" | "int_sequence" | "index_sequence" => indices(args),
        "make_seq" | "make_int_sequence" | "make_index_sequence" => sequence(args, 0),
        "integer_sequence" => indices(args.get(1..).unwrap_or_default()),
        "make_integer_sequence" => sequence(args.get(1..).unwrap_or_default(), 0),
        "tuple_seq" => match inspect("rank", args) {
            Ok(rank) => sequence(&[rank], 0),
            Err(problem) => Err(problem),
        },
        "make_range" | "make_int_range" => {
            sequence(args.get(1..).unwrap_or_default(), range_start(args))
        }
        "TiledMMA" => tiled_mma(args),
        "TiledCopy" => tiled_copy(args),
        "Tensor" => tensor(args),
        "size_v" => inspect("size", args),
        "cosize_v" => inspect("cosize", args),
        "rank_v" => inspect("rank", args),
        "depth_v" => inspect("depth", args),
        "tuple_element_t" => match args {
            [index, tuple] => element(index, tuple),
            _ => unknown_of(name, args, "an index and a tuple"),
        },
        _ if object_layout::is_class(name) => Ok(library_class(name, args)),
        _ => {
            return super::traits::of(name, args)
                .or_else(|| super::tags::of(name, args))
                .or_else(|| super::strided::class(name, args).map(Ok));
        }
    })
}

/// A class of the libraries that holds data.
pub(crate) fn library_class(name: &str, args: &[Value]) -> Value {
    Value::Type(Box::new(Type::Class(Arc::new(LibraryClass {
        name: name.into(),
        args: args.to_vec(),
    }))))
}

fn unknown_of(name: &str, args: &[Value], takes: &'static str) -> Evaluated {
    for arg in args {
        argument(arg)?;
    }
    Err(Problem::Unknown(Reason::Unsuitable(name.into(), takes)))
}

fn integer(name: &str, arg: Option<&Value>) -> Evaluated {
    let arg = arg.ok_or_else(|| Problem::Unknown(Reason::Unsuitable(name.into(), "a constant")))?;
    match argument(arg)? {
        Value::Int(int) => Ok(type_of(Value::Int(match int.value() {
            Some(value) => Int::fixed(value),
            // A template parameter that is not bound stays a symbol.
            None => int,
        }))),
        Value::Bool(truth) => Ok(type_of(Value::Bool(Truth::fixed(truth.value)))),
        _ => Err(Problem::Unknown(Reason::Unsuitable(
            name.into(),
            "a constant",
        ))),
    }
}

/// `Layout<Shape, Stride>`; without a stride the leftmost mode is contiguous.
fn layout(args: &[Value]) -> Evaluated {
    let args = arguments(args)?;
    let default = Value::Order(Order::Left);
    match args.as_slice() {
        [shape] => super::layouts::layout_of(shape, &default).map(type_of),
        [shape, stride] => match super::layouts::without_excess(shape, stride) {
            Some(fitted) if fitted != *stride => {
                let layout = super::layouts::layout_of(shape, &fitted)?;
                Err(Problem::Unknown(Reason::Uneven(Kept::of(layout))))
            }
            _ => super::layouts::layout_of(shape, stride).map(type_of),
        },
        _ => Err(Problem::Unknown(Reason::Unsuitable(
            "Layout".into(),
            "a shape and a stride",
        ))),
    }
}

fn swizzle(args: &[Value]) -> Evaluated {
    let numbers: Option<Vec<i64>> = args.iter().map(number).collect();
    match numbers.as_deref() {
        Some([bits, base]) => Ok(type_of(Value::Swizzle(Swizzle::new(*bits, *base, *bits)?))),
        Some([bits, base, shift]) => {
            Ok(type_of(Value::Swizzle(Swizzle::new(*bits, *base, *shift)?)))
        }
        _ => unknown_of("Swizzle", args, "three constants"),
    }
}

/// `ComposedLayout<Swizzle, Offset, Layout>`.
fn composed(args: &[Value]) -> Evaluated {
    let args = arguments(args)?;
    match deduced("ComposedLayout", &args) {
        Some(composed) => composed.map(type_of),
        None => Err(Problem::Unknown(Reason::NotEvaluated(
            "ComposedLayout".into(),
        ))),
    }
}

/// `E<0,1>`: the unit stride of mode 1 of mode 0.
fn basis(args: &[Value]) -> Evaluated {
    let path: Option<Vec<u16>> = args
        .iter()
        .map(|arg| number(arg).and_then(|index| u16::try_from(index).ok()))
        .collect();
    match path {
        Some(path) if path.is_empty() => Ok(type_of(Value::Int(Int::ONE))),
        Some(path) => Ok(type_of(Value::Delta(Delta::basis(Int::ONE, path)))),
        None => unknown_of("E", args, "indices of modes"),
    }
}

fn conditional(args: &[Value]) -> Evaluated {
    match args {
        [condition, then, otherwise] => match argument(condition)?.as_truth() {
            Some(true) => Ok(then.clone()),
            Some(false) => Ok(otherwise.clone()),
            None => Err(Problem::Unknown(Reason::RunTime("this condition".into()))),
        },
        _ => unknown_of("conditional_t", args, "a condition and two types"),
    }
}

/// `seq<0, 2>`: the constants as a tuple.
fn indices(args: &[Value]) -> Evaluated {
    let items: Option<Vec<Value>> = args
        .iter()
        .map(|arg| number(arg).map(|index| Value::Int(Int::fixed(index))))
        .collect();
    match items {
        Some(items) => Ok(type_of(Value::Tuple(items))),
        None => unknown_of("seq", args, "constants"),
    }
}

/// `make_seq<N>`, `make_range<B, E>`: consecutive constants up to, not including, the last argument.
fn sequence(args: &[Value], start: i64) -> Evaluated {
    let end = args.first().and_then(number);
    match end.filter(|end| (0..=crate::limits::TUPLE_RANK as i64).contains(end)) {
        Some(end) => Ok(type_of(Value::Tuple(
            (start..end)
                .map(|index| Value::Int(Int::fixed(index)))
                .collect(),
        ))),
        None => unknown_of("make_seq", args, "a known count"),
    }
}

fn range_start(args: &[Value]) -> i64 {
    args.first().and_then(number).unwrap_or(0)
}

/// `TiledMMA<Atom, AtomLayout, Permutations>`.
fn tiled_mma(args: &[Value]) -> Evaluated {
    let args = arguments(args)?;
    match super::function("make_tiled_mma") {
        Some(function) => function.call(&[], &args, &mut Vec::new()).map(type_of),
        None => Err(Problem::Unknown(Reason::NotEvaluated("TiledMMA".into()))),
    }
}

/// `TiledCopy<Atom, LayoutTV, Tiler>`.
fn tiled_copy(args: &[Value]) -> Evaluated {
    let args = arguments(args)?;
    match super::function("make_tiled_copy_impl") {
        Some(function) => function.call(&[], &args, &mut Vec::new()).map(type_of),
        None => Err(Problem::Unknown(Reason::NotEvaluated("TiledCopy".into()))),
    }
}

/// `Tensor<Engine, Layout>`.
fn tensor(args: &[Value]) -> Evaluated {
    let (Some(engine), Some(layout)) = (args.first(), args.get(1)) else {
        return unknown_of("Tensor", args, "an engine and a layout");
    };
    let engine = match engine {
        Value::Type(ty) => match &**ty {
            Type::Of(value) => (**value).clone(),
            Type::Pointer(element) => Value::Pointer(Pointer::generic(Some((**element).clone()))),
            Type::Unknown(reason) => return Err(Problem::Unknown(reason.clone())),
            Type::Parameter(name) => return Err(Problem::Unknown(Reason::Unbound(name.clone()))),
            _ => return unknown_of("Tensor", args, "an engine and a layout"),
        },
        other => other.clone(),
    };
    match super::function("make_tensor") {
        Some(function) => function
            .call(&[], &[engine, argument(layout)?], &mut Vec::new())
            .map(type_of),
        None => Err(Problem::Unknown(Reason::NotEvaluated("Tensor".into()))),
    }
}

/// `size_v<Layout>` is `decltype(size(Layout{}))::value`.
fn inspect(function: &'static str, args: &[Value]) -> Evaluated {
    let args = arguments(args)?;
    let answer = match super::function(function) {
        Some(function) => function.call(&[], &args, &mut Vec::new())?,
        None => return Err(Problem::Unknown(Reason::NotEvaluated(function.into()))),
    };
    match answer {
        Value::Int(int) => Ok(Value::Int(int.to_dynamic())),
        other => Ok(other),
    }
}

fn element(index: &Value, tuple: &Value) -> Evaluated {
    match (
        number(index).and_then(|index| usize::try_from(index).ok()),
        argument(tuple)?,
    ) {
        (Some(index), Value::Tuple(items)) => match items.get(index) {
            Some(item @ Value::Type(_)) => Ok(item.clone()),
            Some(Value::Int(int)) if !int.is_static() => {
                declared_type(int).ok_or(Problem::Unknown(Reason::UNDECLARED_INTEGER))
            }
            Some(item) => Ok(type_of(item.clone())),
            None => Err(Problem::Unknown(Reason::Unsuitable(
                "tuple_element_t".into(),
                "an index within the rank",
            ))),
        },
        _ => Err(Problem::Unknown(Reason::Unsuitable(
            "tuple_element_t".into(),
            "an index and a tuple",
        ))),
    }
}

/// The type of an integer of a list of types. Elsewhere its width is not part of the value.
fn declared_type(int: &Int) -> Option<Value> {
    let symbols = int.as_expression()?.symbols();
    let [name] = symbols.as_slice() else {
        return None;
    };
    let scalar = integer_named(name)?;
    Some(Value::Type(Box::new(Type::Scalar(scalar))))
}

/// `Layout(shape, stride)` and other constructions whose template arguments are deduced.
pub(crate) fn deduced(name: &str, args: &[Value]) -> Option<Evaluated> {
    match (name, args) {
        ("Layout", [Value::Layout(_)]) => None,
        ("Layout", [shape]) => Some(super::layouts::layout_of(shape, &Value::Order(Order::Left))),
        ("Layout", [shape, stride]) => Some(super::layouts::layout_of(shape, stride)),
        (
            "ComposedLayout",
            [
                Value::Swizzle(swizzle),
                Value::Type(flag),
                Value::Layout(inner),
            ],
        ) => {
            let Type::Named(flag) = &**flag else {
                return None;
            };
            super::shared::flagged(*swizzle, flag, inner).map(Ok)
        }
        ("ComposedLayout", [outer, Value::Int(offset), Value::Layout(inner)]) => {
            let outer = match outer {
                Value::Swizzle(swizzle) => cute_algebra::Outer::Swizzle(*swizzle),
                Value::Layout(outer) => cute_algebra::Outer::Layout(Layout::clone(outer)),
                _ => return None,
            };
            Some(Ok(Value::of_layout(cute_algebra::AnyLayout::Composed(
                cute_algebra::ComposedLayout {
                    outer,
                    offset: Tuple::leaf(offset.clone()),
                    inner: Layout::clone(inner),
                },
            ))))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cute_algebra::Layout;

    fn single(extent: i64, step: i64) -> Layout {
        Layout::single(Int::fixed(extent), Int::fixed(step))
    }

    #[test]
    fn a_layout_type_is_its_shape_and_stride() {
        let int = |value| type_of(Value::Int(Int::fixed(value)));
        let answer = name("Layout", Some(&[int(8), int(2)])).expect("a name of CuTe");
        assert_eq!(answer, Ok(type_of(single(8, 2).into())));
    }

    #[test]
    fn an_underscore_with_digits_only_is_an_integer() {
        assert_eq!(static_integer("_128"), Some(Int::fixed(128)));
        assert_eq!(static_integer("_"), None);
        assert_eq!(static_integer("_1x"), None);
    }
}
