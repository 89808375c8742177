//! Values of variables that addresses depend on.

use std::collections::BTreeMap;
use std::sync::Arc;

use cute_algebra::{Int, IntType};
use tree_sitter_cute::tree::{Binding, ExprKind, Lambda, Reference};

use super::Scope;
use super::options::Maybe;
use super::rust::views::View;
use super::strided::Strided;
use crate::access::Memory;
use crate::access::terms::{IntKind, TermId, Terms};
use crate::types::{Scalar, ScalarClass, Type};
use crate::value::Value;

/// A type, with the parts that addresses depend on.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Ty {
    /// An integer, a character or a truth value.
    Int(IntKind),
    /// A pointer.
    Pointer(Box<Ty>),
    /// An array, with the number of its elements where that is known.
    Array(Box<Ty>, Option<Count>),
    /// Anything else: its type, and its bytes where they are known.
    Other(Type, Option<i64>),
    /// An unknown type, with its name in the source and the reason.
    Open(Arc<str>, Type),
    /// The same, of objects that refer to no memory: all that their operators give is in them.
    Values(Arc<str>, Type),
    /// `auto`.
    Auto,
}

impl Ty {
    /// Bytes of a value.
    pub(super) fn bytes(&self) -> Option<i64> {
        match self {
            Self::Int(kind) => Some(i64::from(kind.bits.max(8)) / 8),
            Self::Pointer(_) => Some(8),
            Self::Array(element, count) => element.bytes()?.checked_mul((*count)?.known()?),
            Self::Other(_, bytes) => *bytes,
            Self::Auto | Self::Open(..) | Self::Values(..) => None,
        }
    }

    /// The extents of an array of arrays, and its elements; none of anything else.
    pub(super) fn elements(&self) -> Option<(Vec<Count>, &Ty)> {
        let (mut extents, mut ty) = (Vec::new(), self);
        while let Self::Array(element, own) = ty {
            extents.push((*own)?);
            ty = element;
        }
        Some((extents, ty))
    }

    /// The class of the sources that it is.
    pub(super) fn instance(&self) -> Option<usize> {
        match self {
            Self::Other(Type::Record(record), _) => Some(record.instance),
            _ => None,
        }
    }

    /// The elements of an array of arrays.
    pub(super) fn innermost(&self) -> &Ty {
        match self {
            Self::Array(element, _) => element.innermost(),
            other => other,
        }
    }

    /// The lengths of an array of arrays, the outermost first; none where one of them is not known.
    pub(super) fn lengths(&self) -> Arc<[i64]> {
        let mut found = Vec::new();
        let mut at = self;
        while let Self::Array(element, length) = at {
            let Some(Count::Known(length)) = length else {
                return Arc::default();
            };
            found.push(*length);
            at = element;
        }
        found.into()
    }

    /// The integer type of a scalar.
    pub(super) fn of_scalar(scalar: Scalar) -> Self {
        match scalar.class {
            ScalarClass::Bool => Self::Int(IntKind::BOOL),
            ScalarClass::Char | ScalarClass::Signed if (8..=64).contains(&scalar.bits) => {
                Self::Int(IntKind::new(scalar.bits, true))
            }
            ScalarClass::Unsigned if (8..=64).contains(&scalar.bits) => {
                Self::Int(IntKind::new(scalar.bits, false))
            }
            _ => {
                let bytes = (scalar.bits.is_multiple_of(8) && scalar.bits > 0)
                    .then(|| i64::from(scalar.bits) / 8);
                Self::Other(Type::Scalar(scalar), bytes)
            }
        }
    }

    /// It as the interpreter writes types.
    pub(super) fn to_type(&self) -> Option<Type> {
        Some(match self {
            Self::Int(kind) => Type::Scalar(Scalar::of_spelling(spelling(*kind))?),
            Self::Pointer(target) => Type::Pointer(Box::new(target.to_type()?)),
            Self::Array(element, _) => Type::Array(Box::new(element.to_type()?), None),
            Self::Other(ty, _) | Self::Open(_, ty) | Self::Values(_, ty) => ty.clone(),
            Self::Auto => return None,
        })
    }
}

fn spelling(kind: IntKind) -> &'static str {
    match (kind.bits, kind.signed) {
        (1, _) => "bool",
        (8, true) => "int8_t",
        (8, false) => "uint8_t",
        (16, true) => "int16_t",
        (16, false) => "uint16_t",
        (32, false) => "uint32_t",
        (64, true) => "int64_t",
        (64, false) => "uint64_t",
        _ => "int",
    }
}

/// Number of elements of an array.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Count {
    /// A number.
    Known(i64),
    /// A number that only the instance knows.
    Open(TermId),
}

impl Count {
    fn known(self) -> Option<i64> {
        match self {
            Self::Known(count) => Some(count),
            Self::Open(_) => None,
        }
    }
}

/// The kind of an integer of the interpreter.
pub(super) fn kind_of(int: &Int) -> IntKind {
    match int.int_type() {
        IntType::UnsignedInt => IntKind::UNSIGNED,
        IntType::Long | IntType::LongLong => IntKind::LONG,
        IntType::UnsignedLong | IntType::UnsignedLongLong => IntKind::UNSIGNED_LONG,
        IntType::Bool => IntKind::BOOL,
        _ => IntKind::INT,
    }
}

/// A place in memory, or in the registers of a thread.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Pointer {
    /// The memory; nothing for registers of a thread.
    pub(super) memory: Option<Arc<Memory>>,
    /// Bytes from its start.
    pub(super) offset: TermId,
    /// The type of the pointee.
    pub(super) target: Ty,
    /// The elements of the part of a slice that it is, in Rust.
    pub(super) length: Option<TermId>,
}

/// A group of cooperative groups (CUDA C++ programming guide, "Cooperative Groups").
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Group {
    /// `this_thread_block()`
    Block,
    /// `this_cluster()`
    Cluster,
    /// `this_grid()`
    Grid,
    /// `tiled_partition<32>(block)`, with its threads.
    Tile(i64),
}

/// A value that only an instance has the type of, and that is the same for all threads: it is a number or a pointer by its use.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Part {
    /// Its name in the source.
    pub(super) name: Arc<str>,
    /// Whether it is a whole parameter of the kernel.
    pub(super) is_whole: bool,
    /// The number that it is, where it was loaded: another one at each load.
    pub(super) number: Option<TermId>,
    /// A number that was added to it: of elements, where it is a pointer.
    pub(super) plus: Option<TermId>,
}

impl Part {
    /// A parameter of the kernel.
    pub(super) fn whole(name: &str) -> Self {
        Self {
            name: name.into(),
            is_whole: true,
            number: None,
            plus: None,
        }
    }

    /// A member of one.
    pub(super) fn member(name: &str) -> Self {
        Self {
            is_whole: false,
            ..Self::whole(name)
        }
    }
}

/// A lambda at its place.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Closure<'u> {
    pub(super) lambda: &'u Lambda,
    /// Number of calls around its place.
    pub(super) home: usize,
    /// The variables that it captures by copy, as they are there.
    pub(super) copies: Box<Scope<'u>>,
}

/// The value of an expression.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Held<'u> {
    /// An integer.
    Int(TermId),
    /// A pointer, or an array as a pointer to its first element.
    Pointer(Pointer),
    /// A variable that is another name of a place in memory.
    Pointed(Pointer),
    /// An object whose members have separate values: `dim3`, `int2`, an object of a class of the sources.
    Parts(Parts<'u>),
    /// A lambda.
    Lambda(Closure<'u>),
    /// An option of Rust.
    Maybe(Box<Maybe<'u>>),
    /// A part of memory of Rust.
    View(Box<View>),
    /// A layout of CuTe.
    Layout(Box<Value>),
    /// A tensor of CuTe in memory: the place of its first element, and its layout.
    Laid(Box<(Pointer, Value)>),
    /// A tensor with run-time extents and strides.
    Strided(Box<Strided>),
    /// Threads that do something together.
    Group(Group),
    /// An object that the kernel is given and whose type is not known, or a part of one.
    Given(Part),
    /// `nullptr`.
    Null,
    /// An element of an array that has no value yet.
    Unset,
    /// Anything else: why it is not an integer that is known, and its type.
    Other(Arc<str>, Option<Ty>),
}

impl Held<'_> {
    /// Its type, where it is known.
    pub(super) fn ty(&self, terms: &Terms) -> Option<Ty> {
        match self {
            Self::Int(term) => Some(Ty::Int(terms.kind(*term))),
            Self::Pointer(pointer) => Some(Ty::Pointer(Box::new(pointer.target.clone()))),
            Self::Pointed(place) => Some(place.target.clone()),
            Self::Other(_, ty) => ty.clone(),
            Self::Parts(parts) => parts.ty.clone(),
            Self::Strided(of) => Some(of.ty.clone()),
            _ => None,
        }
    }

    /// Why it is not a number.
    pub(super) fn reason(&self) -> Arc<str> {
        match self {
            Self::Other(why, _) => Arc::clone(why),
            Self::Null => "a null pointer".into(),
            Self::Given(part) => not_a_number(&part.name),
            _ => "it is not an integer".into(),
        }
    }

    /// It for the interpreter's choice of a function: its type, and its number where that is known.
    pub(super) fn to_value(&self, terms: &Terms) -> Value {
        let unknown = || Value::Unknown(crate::reason::Reason::RunTime("an argument".into()));
        match self {
            Self::Int(term) => {
                let kind = terms.kind(*term);
                let ty = match (kind.bits, kind.signed) {
                    (1, _) => IntType::Bool,
                    (64, true) => IntType::Long,
                    (64, false) => IntType::UnsignedLong,
                    (32, false) => IntType::UnsignedInt,
                    _ => IntType::Int,
                };
                let int = match terms.as_number(*term) {
                    Some(value) => Int::dynamic(value),
                    None => Int::symbol("argument"),
                };
                Value::Int(int.typed(ty))
            }
            Self::Pointer(pointer) => {
                Value::Pointer(crate::tensor::Pointer::generic(pointer.target.to_type()))
            }
            Self::Pointed(_) | Self::Other(..) | Self::Parts(_) | Self::Strided(_) => {
                match self.ty(terms) {
                    Some(Ty::Other(Type::Scalar(scalar), _)) => Value::Number(scalar),
                    Some(ty) => ty
                        .to_type()
                        .map_or_else(unknown, |ty| Value::Instance(Box::new(ty))),
                    None => unknown(),
                }
            }
            _ => unknown(),
        }
    }
}

/// An object that a thread has for itself, by its members.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Parts<'u> {
    /// Its class; nothing of CUDA's vectors of integers.
    pub(super) ty: Option<Ty>,
    /// All of its members, with those of its bases.
    pub(super) members: BTreeMap<&'u str, Local<'u>>,
}

impl<'u> Parts<'u> {
    /// The value of a member.
    pub(super) fn get(&self, member: &str) -> Option<&Held<'u>> {
        self.members.get(member).map(|local| &local.held)
    }

    /// The class of the sources that it is an object of.
    pub(super) fn instance(&self) -> Option<usize> {
        self.ty.as_ref()?.instance()
    }
}

/// A variable.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Local<'u> {
    pub(super) held: Held<'u>,
    /// Its declared type.
    pub(super) ty: Ty,
    /// Whether it is an object that the thread keeps for itself: no parameter and no other name of something.
    pub(super) is_own: bool,
    /// Whether it is a number that stays as it is.
    pub(super) is_constant: bool,
    /// The values of its elements, where it is an array.
    pub(super) content: Option<Box<Content<'u>>>,
}

/// An array that a thread keeps for itself.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Content<'u> {
    /// The extents of an array of arrays, the outermost first.
    pub(super) extents: Vec<usize>,
    /// Its elements, the last index first.
    pub(super) elements: Vec<Local<'u>>,
}

impl<'u> Content<'u> {
    /// The elements of the array of a name, each with its place and as a person writes it.
    pub(super) fn named(&self, name: &str) -> impl Iterator<Item = (usize, String, &Local<'u>)> {
        let elements = self.elements.iter().enumerate();
        elements.map(move |(place, local)| {
            let mut rest = place;
            let mut indices = String::new();
            for extent in self.extents.iter().rev() {
                let extent = (*extent).max(1);
                indices = format!("[{}]{indices}", rest % extent);
                rest /= extent;
            }
            (place, format!("{name}{indices}"), local)
        })
    }
}

impl<'u> Local<'u> {
    /// A variable whose object is that of the thread.
    pub(super) fn own(held: Held<'u>, ty: Ty) -> Self {
        Self {
            is_own: true,
            ..Self::new(held, ty)
        }
    }

    /// A variable or parameter that is declared like this.
    pub(super) fn declared(binding: &Binding, held: Held<'u>, ty: Ty) -> Self {
        Self {
            is_constant: matches!((&ty, &held), (Ty::Int(_), _) | (_, Held::Given(_)))
                && is_constant(binding),
            ..Self::new(held, ty)
        }
    }

    /// Any other variable.
    pub(super) fn new(held: Held<'u>, ty: Ty) -> Self {
        Self {
            held,
            ty,
            is_own: false,
            is_constant: false,
            content: None,
        }
    }
}

/// Whether a declaration is one of a constant, and no reference.
pub(super) fn is_constant(binding: &Binding) -> bool {
    let ty = binding.ty.as_ref().map(|ty| &ty.kind);
    let is_written = binding.specifiers.constant || matches!(ty, Some(ExprKind::Const(_)));
    is_written && binding.reference == Reference::None
}

/// The reason why an object is not a number.
pub(super) fn not_a_number(name: &str) -> Arc<str> {
    format!("`{name}` is not an integer").into()
}
