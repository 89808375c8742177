//! Values of a running Python program: objects with identity in the heap, everything else by value.

use std::sync::Arc;

use cute_algebra::Int;

use super::heap::Id;
use super::native::Native;
use crate::limits;
use crate::reason::Reason;
use crate::types::{Scalar, Type};
use crate::value::{Truth, Value};

/// The name of a number of a coordinate.
pub(super) const COORDINATE: &str = "crd";
/// Bytes of one string.
const TEXT: usize = 1 << 18;

/// The value of a Python expression.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Py {
    /// `None`.
    None,
    /// `True` or `False`.
    Bool(bool),
    /// An integer of Python: a constant of the trace.
    Int(i64),
    /// A floating-point number of Python.
    Float(f64),
    /// A string.
    Str(Arc<str>),
    /// `...`.
    Ellipsis,
    /// A tuple.
    Tuple(Arc<Items>),
    /// `a:b:c`.
    Slice(Arc<[Py; 3]>),
    /// A list, dictionary, object, class, function or module: something with identity.
    Object(Id),
    /// A function that is built in.
    Native(&'static Native),
    /// A method that is built in, with its object.
    Method(&'static Native, Arc<Py>),
    /// A type of Python: `int`, `tuple`.
    Builtin(Builtin),
    /// A numeric type of the DSL: `cutlass.Float16`.
    Scalar(Scalar),
    /// A value of the DSL: a layout, a tensor, an atom, a number that only the running kernel has.
    Leaf(Value),
    /// An integer that only the running kernel has, of another type than `Int32`: its type, where that is known.
    Whole(Int, Option<Scalar>),
    /// A coordinate that a tensor of coordinates has at a place: numbers that only the running kernel has. Their number
    /// is not kept.
    Coordinate,
    /// The result of a call of a kernel, to be launched; its place in the record, where it is in the analysed file.
    Kernel(Option<usize>),
    /// A tensor in global memory of which only the type of the elements is supposed, and why no more is known.
    Open(Scalar, Reason),
    /// Not known, and why.
    Unknown(Reason),
}

/// A type of Python.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Builtin {
    Object,
    Type,
    Int,
    Bool,
    Float,
    Str,
    Tuple,
    List,
    Dict,
    Set,
    /// An error, by its name in Python; `Exception` is any that is not distinguished.
    Error(&'static str),
    /// `typing.NamedTuple`.
    NamedTuple,
    /// `enum.Enum`.
    Enum,
    /// `enum.IntEnum`: members are numbers.
    IntEnum,
    /// `enum.StrEnum`: members are texts.
    StrEnum,
    /// `enum.Flag`: members are bits.
    Flag,
    /// `enum.IntFlag`
    IntFlag,
    /// `cute.Tensor`, `cute.Layout`, ...: a class of the DSL, known by its name.
    Dsl(&'static str),
}

/// The elements of a tuple. Tuples share their elements, so their size is counted where they are made.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Items {
    list: Box<[Py]>,
    /// Number of values in it, those of inner tuples among them.
    parts: usize,
    /// Tuples inside one another.
    depth: usize,
}

impl std::ops::Deref for Items {
    type Target = [Py];

    fn deref(&self) -> &[Py] {
        &self.list
    }
}

/// The truth of a condition.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Condition {
    /// The trace knows it.
    Known(bool),
    /// Only the running kernel knows it.
    RunTime,
    /// It could not be evaluated.
    Unknown(Reason),
}

impl Py {
    /// The value of `enum.auto()` until a name is bound to it.
    pub(crate) const AUTO: Self = Self::Builtin(Builtin::Dsl("auto"));

    /// An integer that is beyond what we hold.
    pub(crate) const fn out_of_range() -> Self {
        Self::Unknown(Reason::Construct("an integer of more than 64 bits"))
    }

    /// The number of a type that only the running kernel has; `int` is its name where it is an integer.
    pub(crate) fn of_type(int: Int, ty: Option<Scalar>) -> Self {
        match ty {
            Some(scalar) if !scalar.is_integer() => Self::Leaf(Value::Number(scalar)),
            Some(scalar) if scalar.name == "int" => Self::Leaf(Value::Int(int)),
            ty => Self::Whole(int, ty),
        }
    }

    /// A tuple.
    pub(crate) fn tuple(items: Vec<Py>) -> Self {
        let (mut parts, mut depth) = (1_usize, 1);
        for item in &items {
            match item {
                Self::Tuple(inner) => {
                    parts = parts.saturating_add(inner.parts);
                    depth = depth.max(inner.depth + 1);
                }
                Self::Method(..) => {
                    parts += 1;
                    depth += 1;
                }
                _ => parts += 1,
            }
        }
        if parts > limits::VALUE_PARTS || depth > limits::ARGUMENT_DEPTH {
            return Self::Unknown(Reason::Limit("a value with too many parts"));
        }
        Self::Tuple(Arc::new(Items {
            list: items.into(),
            parts,
            depth,
        }))
    }

    /// A string.
    pub(crate) fn str(text: &str) -> Self {
        if text.len() > TEXT {
            return Self::Unknown(Reason::Limit("the length of a string"));
        }
        Self::Str(text.into())
    }

    /// A value that is not evaluated here, by its name.
    pub(crate) fn not_evaluated(name: &str) -> Self {
        Self::Unknown(Reason::NotEvaluated(name.into()))
    }

    /// A number that only the running kernel has.
    pub(crate) fn run_time(name: &str) -> Self {
        Self::Leaf(Value::Int(Int::coordinate(name)))
    }

    /// A truth value that only the running kernel has.
    pub(crate) fn run_time_bool() -> Self {
        match Scalar::of_spelling("bool") {
            Some(scalar) => Self::Leaf(Value::Number(scalar)),
            None => Self::Unknown(Reason::RunTime("a condition".into())),
        }
    }

    /// A value of the vocabulary as Python has it: a static number is one of Python.
    pub(crate) fn of_value(value: Value) -> Self {
        match value {
            Value::Int(int) => match int.as_static() {
                Some(known) => Self::Int(known),
                None => Self::Leaf(Value::Int(int)),
            },
            Value::Bool(Truth { value, fixed: true }) => Self::Bool(value),
            Value::Tuple(items) | Value::Pack(items) => {
                Self::tuple(items.into_iter().map(Self::of_value).collect())
            }
            Value::Underscore | Value::Nothing => Self::None,
            Value::Unknown(reason) => Self::Unknown(reason),
            Value::Type(ty) => match *ty {
                Type::Scalar(scalar) => Self::Scalar(scalar),
                other => Self::Leaf(Value::Type(Box::new(other))),
            },
            leaf => Self::Leaf(leaf),
        }
    }

    /// The integer, static or not.
    pub(crate) fn as_int(&self) -> Option<Int> {
        match self {
            Self::Int(value) => Some(Int::fixed(*value)),
            Self::Bool(value) => Some(Int::fixed(i64::from(*value))),
            Self::Leaf(Value::Int(int)) | Self::Whole(int, _) => Some(int.clone()),
            _ => None,
        }
    }

    /// The integer of the trace.
    pub(crate) fn as_index(&self) -> Option<i64> {
        match self {
            Self::Int(value) => Some(*value),
            Self::Bool(value) => Some(i64::from(*value)),
            _ => None,
        }
    }

    /// Whether only the running kernel knows it.
    pub(crate) fn is_run_time(&self) -> bool {
        matches!(
            self,
            Self::Leaf(Value::Int(_) | Value::Number(_) | Value::Bool(_)) | Self::Whole(..)
        )
    }

    /// Why it is not known, if it is not.
    pub(crate) fn reason(&self) -> Option<&Reason> {
        match self {
            Self::Unknown(reason) | Self::Open(_, reason) => Some(reason),
            _ => None,
        }
    }
}
