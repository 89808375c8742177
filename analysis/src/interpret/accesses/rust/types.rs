//! Types of Rust, as they are written.

use tree_sitter_cute::tree::{Expr, ExprKind, Path, Segment};

use super::super::Walker;
use super::super::held::{Count, Held, Pointer, Ty};
use crate::access::terms::IntKind;
use crate::types::{Scalar, Type};

/// Types of memory that a kernel is given.
const SLICES: &[&str] = &["DisjointSlice", "Array", "Tensor", "Slice", "SliceMut"];

impl<'u> Walker<'_, 'u> {
    /// A type of Rust; nothing for those of the interpreter.
    pub(in crate::interpret::accesses) fn rust_type(&mut self, ty: &'u Expr) -> Option<Ty> {
        match &ty.kind {
            ExprKind::Reference(inner, _) => match &inner.kind {
                // A slice.
                ExprKind::Array(element, None) => Some(Ty::Pointer(Box::new(self.ty(element)))),
                _ => None,
            },
            ExprKind::Name(path) => self.rust_name(path.last()?),
            _ => None,
        }
    }

    fn rust_name(&mut self, segment: &'u Segment) -> Option<Ty> {
        let args = segment.args.as_deref().unwrap_or_default();
        let name = segment.name.name.as_str();
        match (name, args) {
            ("SharedArray", [element, count, ..]) => Some(self.array_of_elements(element, count)),
            (name, [element, ..]) if SLICES.contains(&name) => {
                Some(Ty::Pointer(Box::new(self.ty(element))))
            }
            // The same number in all threads; the same bytes.
            ("Uniform" | "MaybeUninit", [inner]) => Some(self.ty(inner)),
            ("ThreadIndex", _) => Some(Ty::Int(IntKind::UNSIGNED_LONG)),
            ("f16" | "bf16", []) => Some(Ty::Other(Type::Named(name.into()), Some(2))),
            ("f32", []) => Scalar::of_spelling("float").map(Ty::of_scalar),
            ("f64", []) => Scalar::of_spelling("double").map(Ty::of_scalar),
            (name, []) => kind_of_rust(name)
                .map(Ty::Int)
                .or_else(|| number_of_atomic(name)),
            _ => None,
        }
    }

    /// An array, by the type of its elements and their number.
    pub(super) fn array_of_elements(&mut self, element: &'u Expr, count: &'u Expr) -> Ty {
        let element = self.ty(element);
        let count = self.term(count);
        let count = match self.out.terms.as_number(count) {
            Some(count) => Count::Known(count),
            None => Count::Open(count),
        };
        Ty::Array(Box::new(element), Some(count))
    }

    /// `[a, b]` and `[a; n]`: registers of the thread.
    pub(in crate::interpret::accesses) fn array_of_rust(
        &mut self,
        elements: &'u [Expr],
    ) -> Held<'u> {
        let values = self.values(elements);
        let element = values.first().and_then(|held| match held {
            Held::Pointer(Pointer {
                memory: None,
                target,
                ..
            }) => Some(Ty::Array(Box::new(target.clone()), None)),
            held => held.ty(&self.out.terms),
        });
        Held::Pointer(self.register(element.unwrap_or(Ty::Auto)))
    }
}

/// An integer type of Rust, or `bool`.
pub(in crate::interpret::accesses) fn kind_of_rust(name: &str) -> Option<IntKind> {
    match name {
        "bool" => Some(IntKind::BOOL),
        "usize" => Some(IntKind::UNSIGNED_LONG),
        "isize" => Some(IntKind::LONG),
        name => {
            let signed = name.starts_with('i');
            let bits: u32 = name.strip_prefix(['i', 'u'])?.parse().ok()?;
            (8..=64).contains(&bits).then(|| IntKind::new(bits, signed))
        }
    }
}

/// Whether a written type is one of slices of Rust: `&[f32]`, `DisjointSlice<f32>`.
pub(in crate::interpret) fn is_slice(ty: &Expr) -> bool {
    match &ty.kind {
        ExprKind::Reference(inner, _) => is_slice(inner),
        ExprKind::Array(_, None) => true,
        ExprKind::Name(path) => path
            .last()
            .is_some_and(|last| SLICES.contains(&last.name.name.as_str())),
        _ => false,
    }
}

/// Whether a function is one of a type of atomic numbers: `DeviceAtomicU32::from_ptr`.
pub(super) fn is_of_atomic(path: &Path) -> bool {
    let class = path.segments.iter().rev().nth(1);
    class.is_some_and(|class| number_of_atomic(&class.name.name).is_some())
}

/// The number in an atomic one, by the name of its type: `AtomicU32`, `BlockAtomicF32` (`core::sync::atomic`,
/// `cuda_device::atomic`).
fn number_of_atomic(name: &str) -> Option<Ty> {
    let (scope, number) = name.split_once("Atomic")?;
    if !matches!(scope, "" | "Block" | "Device" | "System") {
        return None;
    }
    match number {
        "F32" => Scalar::of_spelling("float").map(Ty::of_scalar),
        "F64" => Scalar::of_spelling("double").map(Ty::of_scalar),
        _ => kind_of_rust(&number.to_ascii_lowercase()).map(Ty::Int),
    }
}
