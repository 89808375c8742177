//! Types of the source language, where layouts depend on them.

use std::fmt;
use std::ops::Deref;
use std::sync::{Arc, LazyLock};

use cute_algebra::{Int, IntType};
use cute_hardware::Element;

use crate::cuda_vectors;
use crate::hash::HashMap;
use crate::reason::Reason;
use crate::tensor::{Pointer, Space};
use crate::value::Value;

/// The symbol of a run-time integer in a type. Of an element in a list of types it is the name of its type.
pub(crate) const RUN_TIME: &str = "?";

/// Whether a symbol is that of a run-time integer in a type.
pub(crate) fn is_run_time(symbol: &str) -> bool {
    symbol == RUN_TIME || integer_named(symbol).is_some()
}

/// The type of integers of a name.
pub(crate) fn integer_named(name: &str) -> Option<Scalar> {
    Scalar::of_spelling(name).filter(|scalar| scalar.is_integer())
}

/// Elements of an array that are followed one by one; coordinates have fewer.
const SHORT_ARRAY: usize = 16;

/// The name of a type; of an enumeration of the sources, with the type that holds its values.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TypeName {
    text: Arc<str>,
    holds: Option<Scalar>,
    member_of: Option<usize>,
}

impl TypeName {
    /// The name of an enumeration whose values a declared type holds, and which is a member of a class instance.
    pub(crate) fn of_enumeration(
        text: &str,
        holds: Option<Scalar>,
        member_of: Option<usize>,
    ) -> Self {
        Self {
            text: text.into(),
            holds,
            member_of,
        }
    }

    /// The class instance that the enumeration is a member of.
    pub(crate) fn member_of(&self) -> Option<usize> {
        self.member_of
    }

    /// The type that holds the values of an enumeration: `unsigned char` in `enum Flags : unsigned char`.
    pub(crate) fn holds(&self) -> Option<Scalar> {
        self.holds
    }

    /// The name alone.
    pub(crate) fn text(&self) -> &Arc<str> {
        &self.text
    }
}

impl Deref for TypeName {
    type Target = str;

    fn deref(&self) -> &str {
        &self.text
    }
}

impl<T: Into<Arc<str>>> From<T> for TypeName {
    fn from(text: T) -> Self {
        Self {
            text: text.into(),
            holds: None,
            member_of: None,
        }
    }
}

/// A C++ type.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Type {
    /// An arithmetic type: `int`, `half_t`.
    Scalar(Scalar),
    /// The type of a value: its static part. `decltype(layout)`, `Layout<Shape<_8>>`.
    Of(Box<Value>),
    /// A pointer to a type.
    Pointer(Box<Type>),
    /// An array of a type, with its length where that is known.
    Array(Box<Type>, Option<u64>),
    /// A class of the source, by its place in the analysis.
    Record(RecordType),
    /// A class of the libraries that holds data: `cutlass::Array<float, 4>`.
    Class(Arc<LibraryClass>),
    /// A type known by name only: `cudaStream_t`.
    Named(TypeName),
    /// A template parameter that nothing binds.
    Parameter(Arc<str>),
    /// A part of a value whose type is a template parameter that nothing binds: `get<0>(TileShape)`.
    Part(Arc<str>),
    /// A class template of the source as an argument of another template, by its place in the
    /// analysis.
    Template(usize, Arc<str>),
    /// `auto`: takes the type of its initialiser.
    Placeholder,
    /// Not known, and why.
    Unknown(Reason),
}

/// A class of the source: an instance of a record.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct RecordType {
    /// Its place in the analysis that made it.
    pub(crate) instance: usize,
    /// Its name with template arguments, for a person.
    pub name: Arc<str>,
}

/// A class of the libraries with its template arguments.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct LibraryClass {
    /// Its name without namespaces, `array`; a nested class with the one around it,
    /// `PipelineAsync::SharedStorage`.
    pub name: Arc<str>,
    /// Its template arguments, or those of the class around it.
    pub args: Vec<Value>,
}

impl LibraryClass {
    /// The elements of a container.
    pub fn element(&self) -> Option<&Type> {
        match self.args.first() {
            Some(Value::Type(element)) if crate::object_layout::is_container(&self.name) => {
                Some(element)
            }
            _ => None,
        }
    }

    /// Bits of an array of the libraries that has no padding (`cutlass/array.h`, `cute/container/array.hpp`).
    fn array_bits(&self) -> Option<u32> {
        let [Value::Type(element), Value::Int(count), rest @ ..] = self.args.as_slice() else {
            return None;
        };
        let element = element.bits()?;
        let bits = element.checked_mul(u32::try_from(count.value()?).ok()?)?;
        let bytes = bits / 8;
        let is_padded = match (&*self.name, rest) {
            // Its elements are packed, and it takes whole bytes.
            ("Array", _) => false,
            ("array", []) => element % 8 != 0,
            ("array_aligned", []) => element % 8 != 0 || bytes % 16 != 0,
            // It is aligned to its size.
            ("AlignedArray", []) => !bytes.is_power_of_two(),
            ("array_aligned" | "AlignedArray", [Value::Int(alignment)]) => {
                let alignment = u32::try_from(alignment.value()?).ok()?;
                element % 8 != 0 || bytes.checked_rem(alignment) != Some(0)
            }
            _ => true,
        };
        (!is_padded && bits % 8 == 0).then_some(bits)
    }

    /// Number of integers in it, where it is an array of a few: a tuple for whoever uses it as a coordinate.
    pub(crate) fn short_array(&self) -> Option<usize> {
        match (&*self.name, self.args.as_slice()) {
            ("array", [Value::Type(element), Value::Int(count)]) => {
                let integral = matches!(&**element, Type::Scalar(scalar) if scalar.is_integer());
                count
                    .value()
                    .and_then(|count| usize::try_from(count).ok())
                    .filter(|count| integral && *count <= SHORT_ARRAY)
            }
            _ => None,
        }
    }
}

impl fmt::Display for LibraryClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (outer, nested) = match self.name.split_once("::") {
            Some((outer, nested)) => (outer, Some(nested)),
            None => (&*self.name, None),
        };
        f.write_str(outer)?;
        if let Some((first, rest)) = self.args.split_first() {
            write!(f, "<{first}")?;
            for arg in rest {
                write!(f, ",{arg}")?;
            }
            f.write_str(">")?;
        }
        match nested {
            Some(nested) => write!(f, "::{nested}"),
            None => Ok(()),
        }
    }
}

/// An arithmetic type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Scalar {
    /// As C++ or CUTLASS spells it.
    pub name: &'static str,
    /// Bits of one value.
    pub bits: u32,
    /// The class of its values.
    pub class: ScalarClass,
}

/// The class of the values of an arithmetic type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ScalarClass {
    /// Signed integers.
    Signed,
    /// Unsigned integers.
    Unsigned,
    /// `bool`.
    Bool,
    /// Characters.
    Char,
    /// Floating-point numbers of any width.
    Float,
    /// No values: `void`.
    Void,
}

use ScalarClass::{Bool, Char, Float, Signed, Unsigned, Void};

/// The arithmetic types by spelling.
const SCALARS: &[(&str, Scalar)] = &[
    scalar("void", 0, Void),
    scalar("bool", 8, Bool),
    scalar("char", 8, Char),
    scalar("int", 32, Signed),
    alias("signed", "int", 32, Signed),
    alias("signed int", "int", 32, Signed),
    alias("signed char", "int8_t", 8, Signed),
    alias("unsigned char", "uint8_t", 8, Unsigned),
    alias("short", "int16_t", 16, Signed),
    alias("short int", "int16_t", 16, Signed),
    alias("unsigned short", "uint16_t", 16, Unsigned),
    alias("unsigned short int", "uint16_t", 16, Unsigned),
    alias("unsigned", "uint32_t", 32, Unsigned),
    alias("unsigned int", "uint32_t", 32, Unsigned),
    // `sys/types.h`, which CUDA's headers include.
    alias("uint", "uint32_t", 32, Unsigned),
    alias("ushort", "uint16_t", 16, Unsigned),
    alias("ulong", "uint64_t", 64, Unsigned),
    alias("long", "int64_t", 64, Signed),
    alias("long int", "int64_t", 64, Signed),
    // As wide as `long`, and another type.
    scalar("long long", 64, Signed),
    alias("long long int", "long long", 64, Signed),
    alias("unsigned long", "uint64_t", 64, Unsigned),
    alias("unsigned long int", "uint64_t", 64, Unsigned),
    scalar("unsigned long long", 64, Unsigned),
    alias("unsigned long long int", "unsigned long long", 64, Unsigned),
    alias("size_t", "uint64_t", 64, Unsigned),
    alias("ptrdiff_t", "int64_t", 64, Signed),
    alias("intptr_t", "int64_t", 64, Signed),
    alias("uintptr_t", "uint64_t", 64, Unsigned),
    scalar("int8_t", 8, Signed),
    scalar("int16_t", 16, Signed),
    alias("int32_t", "int", 32, Signed),
    scalar("int64_t", 64, Signed),
    scalar("uint8_t", 8, Unsigned),
    scalar("uint16_t", 16, Unsigned),
    scalar("uint32_t", 32, Unsigned),
    scalar("uint64_t", 64, Unsigned),
    scalar("uint128_t", 128, Unsigned),
    // Of the compilers.
    scalar("__int128", 128, Signed),
    alias("__int128_t", "__int128", 128, Signed),
    scalar("__uint128_t", 128, Unsigned),
    alias("unsigned __int128", "__uint128_t", 128, Unsigned),
    scalar("uint256_t", 256, Unsigned),
    scalar("int4_t", 4, Signed),
    alias("int4b_t", "int4_t", 4, Signed),
    alias("uint4b_t", "uint4_t", 4, Unsigned),
    alias("int2b_t", "int2_t", 2, Signed),
    alias("uint2b_t", "uint2_t", 2, Unsigned),
    scalar("int2_t", 2, Signed),
    scalar("uint4_t", 4, Unsigned),
    scalar("uint2_t", 2, Unsigned),
    scalar("uint1b_t", 1, Unsigned),
    scalar("bin1_t", 1, Unsigned),
    scalar("float", 32, Float),
    scalar("double", 64, Float),
    scalar("half_t", 16, Float),
    alias("half", "half_t", 16, Float),
    alias("__half", "half_t", 16, Float),
    alias("nv_half", "half_t", 16, Float),
    scalar("bfloat16_t", 16, Float),
    alias("__nv_bfloat16", "bfloat16_t", 16, Float),
    alias("nv_bfloat16", "bfloat16_t", 16, Float),
    scalar("tfloat32_t", 32, Float),
    scalar("float_e4m3_t", 8, Float),
    scalar("float_e5m2_t", 8, Float),
    scalar("float_ue8m0_t", 8, Float),
    scalar("float_ue4m3_t", 8, Float),
    scalar("float_e2m1_t", 4, Float),
    // In shared memory each is a byte; its `sizeof_bits` is that in global memory.
    scalar("float_e2m1_unpacksmem_t", 4, Float),
    scalar("float_e2m3_unpacksmem_t", 6, Float),
    scalar("float_e3m2_unpacksmem_t", 6, Float),
    scalar("type_erased_dynamic_float4_unpacksmem_t", 4, Float),
    scalar("type_erased_dynamic_float6_unpacksmem_t", 6, Float),
    scalar("float_e2m3_t", 6, Float),
    // Of the CUDA toolkit, and other types than those of CUTLASS.
    scalar("__nv_fp8_e4m3", 8, Float),
    scalar("__nv_fp8_e5m2", 8, Float),
    scalar("__nv_fp8_e8m0", 8, Float),
    scalar("__nv_fp4_e2m1", 8, Float),
    scalar("float_e3m2_t", 6, Float),
];

const fn scalar(name: &'static str, bits: u32, class: ScalarClass) -> (&'static str, Scalar) {
    (name, Scalar { name, bits, class })
}

const fn alias(
    spelling: &'static str,
    name: &'static str,
    bits: u32,
    class: ScalarClass,
) -> (&'static str, Scalar) {
    (spelling, Scalar { name, bits, class })
}

impl Scalar {
    /// The arithmetic type of a spelling such as `unsigned int` or `half_t`.
    pub fn of_spelling(spelling: &str) -> Option<Self> {
        static BY_SPELLING: LazyLock<HashMap<&str, Scalar>> =
            LazyLock::new(|| SCALARS.iter().copied().collect());
        BY_SPELLING.get(spelling).copied()
    }

    /// Whether its values are integers (`bool` and characters are not counted).
    pub fn is_integer(self) -> bool {
        matches!(self.class, Signed | Unsigned)
    }

    /// The type in which C++ does arithmetic with its values ([conv.prom]); `None` where they are not integers.
    pub fn arithmetic(self) -> Option<IntType> {
        match (self.class, self.bits) {
            (Bool, _) | (Signed, ..=32) | (Unsigned, ..32) => Some(IntType::Int),
            (Unsigned, 32) => Some(IntType::UnsignedInt),
            (Signed, 64) => Some(IntType::Long),
            (Unsigned, 64) => Some(IntType::UnsignedLong),
            _ => None,
        }
    }

    /// The value of an integer type that a conversion of an integer to it gives; `None` where we cannot hold it.
    pub fn converted(self, value: i64) -> Option<i64> {
        match (self.class, self.bits) {
            (Signed | Unsigned, 1..64) => {
                let rest = i128::from(value).rem_euclid(1 << self.bits);
                let is_negative = self.class == Signed && rest >= 1 << (self.bits - 1);
                i64::try_from(if is_negative {
                    rest - (1 << self.bits)
                } else {
                    rest
                })
                .ok()
            }
            _ => self.holds(value).then_some(value),
        }
    }

    /// Whether an integer type has this value.
    pub fn holds(self, value: i64) -> bool {
        match self.class {
            Signed if self.bits >= 64 => true,
            Signed => {
                let half = 1_i64 << (self.bits - 1);
                (-half..half).contains(&value)
            }
            Unsigned if self.bits >= 63 => value >= 0,
            Unsigned => (0..1_i64 << self.bits).contains(&value),
            _ => false,
        }
    }
}

impl Type {
    /// The type of a value.
    pub fn of(value: &Value) -> Self {
        match value {
            Value::Type(ty) | Value::Instance(ty) => (**ty).clone(),
            Value::Unknown(reason) => Self::Unknown(reason.clone()),
            Value::Int(int) if !int.is_static() => named("int"),
            Value::Bool(truth) if !truth.fixed => named("bool"),
            Value::Number(scalar) => Self::Scalar(*scalar),
            Value::Pointer(pointer) if pointer.space == Space::Generic => match &pointer.element {
                Some(element) => Self::Pointer(element.clone()),
                None => Self::Of(Box::new(value.clone())),
            },
            Value::Pointer(Pointer {
                space: Space::Array(length),
                element: Some(element),
                ..
            }) => Self::Array(element.clone(), *length),
            Value::Object(object) => Self::Record(object.class.clone()),
            Value::Nothing => named("void"),
            // A run-time number is not part of the type.
            other => Self::Of(Box::new(
                other
                    .map_run_time(&mut |_| Int::symbol(RUN_TIME))
                    .unwrap_or_else(|| other.clone()),
            )),
        }
    }

    /// Bits of one element of this type, when it is known.
    pub fn bits(&self) -> Option<u32> {
        match self {
            Self::Scalar(scalar) => Some(scalar.bits),
            Self::Pointer(_) => Some(64),
            Self::Array(element, length) => {
                let length = u32::try_from((*length)?).ok()?;
                element.bits()?.checked_mul(length)
            }
            Self::Class(class) if class.args.is_empty() => cuda_vectors::bits(&class.name),
            Self::Class(class) => class.array_bits(),
            _ => None,
        }
    }

    /// The unsigned integer that an instruction moves in place of an array of the libraries: `uint128_t` for
    /// `AlignedArray<float, 4>`.
    pub(crate) fn as_unsigned(&self) -> Option<String> {
        self.pointee().filter(|_| matches!(self, Self::Class(_)))?;
        let bits = self.bits()?;
        Element::unsigned_of_bits(i64::from(bits))?;
        Some(format!("uint{bits}_t"))
    }

    /// The type as elements of an operand of the hardware; nothing for a type that no instruction has.
    pub(crate) fn as_element(&self) -> Option<Element> {
        match self {
            Self::Scalar(scalar) => Element::named(scalar.name).ok(),
            Self::Named(name) => Element::named(name).ok(),
            _ => None,
        }
    }

    /// The pointee of a pointer and the elements of a container.
    pub fn pointee(&self) -> Option<&Type> {
        match self {
            Self::Pointer(element) | Self::Array(element, _) => Some(element),
            Self::Class(class) => class.element(),
            _ => None,
        }
    }

    /// The type of a copy: an array is passed on as a pointer to its first element ([conv.array]).
    #[must_use]
    pub(crate) fn decayed(self) -> Self {
        match self {
            Self::Array(element, _) => Self::Pointer(element),
            other => other,
        }
    }

    /// The type that `T{}` and `T x` can be made from, when it is a static class type.
    pub fn as_static(&self) -> Option<&Value> {
        match self {
            Self::Of(value) if value.is_static() => Some(value),
            _ => None,
        }
    }
}

fn named(spelling: &'static str) -> Type {
    match Scalar::of_spelling(spelling) {
        Some(scalar) => Type::Scalar(scalar),
        None => Type::Named(spelling.into()),
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Scalar(scalar) => f.write_str(scalar.name),
            Self::Of(value) => write!(f, "{value}"),
            Self::Pointer(target) => write!(f, "{target}*"),
            Self::Array(element, Some(length)) => write!(f, "{element}[{length}]"),
            Self::Array(element, None) => write!(f, "{element}[]"),
            Self::Record(record) => f.write_str(&record.name),
            Self::Class(class) => class.fmt(f),
            Self::Named(name) => f.write_str(name),
            Self::Parameter(name) | Self::Part(name) | Self::Template(_, name) => f.write_str(name),
            Self::Placeholder => f.write_str("auto"),
            Self::Unknown(_) => f.write_str("?"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_integer_type_knows_its_range() {
        let int = Scalar::of_spelling("int").expect("int");
        assert!(int.holds(i64::from(i32::MAX)) && !int.holds(i64::from(i32::MAX) + 1));
        let byte = Scalar::of_spelling("unsigned char").expect("unsigned char");
        assert!(byte.holds(255) && !byte.holds(256) && !byte.holds(-1));
        assert!(!Scalar::of_spelling("size_t").expect("size_t").holds(-1));
    }
}
