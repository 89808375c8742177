//! Kernels in Rust: the functions of `cuda_device` and `cuda_std` that give indices and memory, methods of pointers and
//! slices, and the types of both. `CubeCL` has constants for the indices.

use tree_sitter_cute::tree::{Binding, Expr, ExprKind, If, Item, ItemKind, Path, Segment};

use super::super::names::Meaning;
use super::held::{Count, Held, Local, Pointer, Ty};
use super::{AXES, Walker};
use crate::access::terms::{IntKind, Operator, SymbolKind, TermId};
use crate::access::{AccessKind, AccessSpace, Memory};
use crate::types::{Scalar, Type};
use crate::value::Value;

/// Functions and constants of an index or extent, before the axis.
const BUILTINS: &[(&str, &str)] = &[
    ("threadIdx_", "threadIdx"),
    ("thread_idx_", "threadIdx"),
    ("UNIT_POS_", "threadIdx"),
    ("blockIdx_", "blockIdx"),
    ("block_idx_", "blockIdx"),
    ("CUBE_POS_", "blockIdx"),
    ("blockDim_", "blockDim"),
    ("block_dim_", "blockDim"),
    ("CUBE_DIM_", "blockDim"),
    ("gridDim_", "gridDim"),
    ("grid_dim_", "gridDim"),
    ("CUBE_COUNT_", "gridDim"),
];

/// Types of memory that a kernel is given.
const SLICES: &[&str] = &["DisjointSlice", "Array", "Tensor", "Slice", "SliceMut"];

/// Methods that give the object itself, or what is in it.
const THE_SAME: &[&str] = &[
    "as_mut_ptr",
    "as_ptr",
    "as_u32",
    "as_usize",
    "cast_const",
    "cast_mut",
    "clone",
    "expect",
    "into",
    "unwrap",
    "unwrap_unchecked",
];

impl<'u> Walker<'_, 'u> {
    /// Shared memory that the file declares outside of functions.
    pub(super) fn declare_statics(&mut self) {
        let files: Vec<_> = self.it.program.files().collect();
        for file in files {
            self.declare_statics_of(&file.unit().items);
        }
    }

    fn declare_statics_of(&mut self, items: &'u [Item]) {
        for item in items {
            match &item.kind {
                ItemKind::Binding(binding) => {
                    self.declare_static(binding);
                }
                ItemKind::Namespace(module) => self.declare_statics_of(&module.items),
                _ => {}
            }
        }
    }

    /// `static mut TILE: SharedArray<f32, 256>`; whether it is one.
    pub(super) fn declare_static(&mut self, binding: &'u Binding) -> bool {
        let (Some(name), Some(written)) = (&binding.name, &binding.ty) else {
            return false;
        };
        let is_one = binding.specifiers.is_static
            && written
                .as_path()
                .and_then(Path::last)
                .is_some_and(|last| last.name.name == "SharedArray");
        if is_one {
            let ty = self.ty(written);
            self.walk_shared(name, &ty, false);
        }
        is_one
    }

    /// A type of Rust; nothing for those of the interpreter.
    pub(super) fn rust_type(&mut self, ty: &'u Expr) -> Option<Ty> {
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
            ("SharedArray", [element, count, ..]) => {
                let element = self.ty(element);
                let count = self.term(count);
                let count = match self.out.terms.as_number(count) {
                    Some(count) => Count::Known(count),
                    None => Count::Open(count),
                };
                Some(Ty::Array(Box::new(element), Some(count)))
            }
            (name, [element, ..]) if SLICES.contains(&name) => {
                Some(Ty::Pointer(Box::new(self.ty(element))))
            }
            ("bool", []) => Some(Ty::Int(IntKind::BOOL)),
            ("ThreadIndex", _) | ("usize", []) => Some(Ty::Int(IntKind::UNSIGNED_LONG)),
            ("isize", []) => Some(Ty::Int(IntKind::LONG)),
            ("f16" | "bf16", []) => Some(Ty::Other(Type::Named(name.into()), Some(2))),
            ("f32", []) => Scalar::of_spelling("float").map(Ty::of_scalar),
            ("f64", []) => Scalar::of_spelling("double").map(Ty::of_scalar),
            (name, []) => {
                let signed = name.starts_with('i');
                let bits: u32 = name.strip_prefix(['i', 'u'])?.parse().ok()?;
                (8..=64)
                    .contains(&bits)
                    .then(|| Ty::Int(IntKind::new(bits, signed)))
            }
            _ => None,
        }
    }

    /// A constant of `CubeCL`.
    pub(super) fn rust_constant(&mut self, name: &str, expr: &'u Expr) -> Option<Held<'u>> {
        match name {
            "UNIT_POS" => Some(Held::Int(self.rank("threadIdx", "blockDim", expr)?)),
            "CUBE_POS" => Some(Held::Int(self.rank("blockIdx", "gridDim", expr)?)),
            "ABSOLUTE_POS" => Some(Held::Int(self.rank_in_grid(expr)?)),
            "ABSOLUTE_POS_X" | "ABSOLUTE_POS_Y" | "ABSOLUTE_POS_Z" => {
                let axis = AXES
                    .iter()
                    .position(|axis| name.to_lowercase().ends_with(axis))?;
                Some(Held::Int(self.along(axis, expr)?))
            }
            _ => self.rust_builtin(name, expr),
        }
    }

    fn rust_builtin(&mut self, name: &str, expr: &'u Expr) -> Option<Held<'u>> {
        let (word, axis) = BUILTINS.iter().find_map(|(begin, word)| {
            let rest = name.strip_prefix(begin)?.to_lowercase();
            Some((*word, AXES.iter().position(|axis| **axis == rest)?))
        })?;
        self.builtin(word, axis, expr)
    }

    /// `blockIdx.x * blockDim.x + threadIdx.x` in 64 bits.
    fn along(&mut self, axis: usize, expr: &'u Expr) -> Option<TermId> {
        let mut of = |name: &str| match self.builtin(name, axis, expr) {
            Some(Held::Int(term)) => Some(term),
            _ => None,
        };
        let (block, threads, own) = (of("blockIdx")?, of("blockDim")?, of("threadIdx")?);
        let terms = self.terms();
        let block = terms.convert(block, IntKind::UNSIGNED_LONG);
        let before = terms.binary(Operator::Mul, block, threads);
        Some(terms.binary(Operator::Add, before, own))
    }

    /// The operands of an operator: a literal has the type of the other one.
    pub(super) fn literals_of_rust(
        &mut self,
        (left, right): (Held<'u>, Held<'u>),
        is_literal: (bool, bool),
    ) -> (Held<'u>, Held<'u>) {
        match (left, right, is_literal) {
            (Held::Int(left), Held::Int(right), (true, false)) => {
                let kind = self.out.terms.kind(right);
                (
                    Held::Int(self.terms().convert(left, kind)),
                    Held::Int(right),
                )
            }
            (Held::Int(left), Held::Int(right), (false, true)) => {
                let kind = self.out.terms.kind(left);
                (
                    Held::Int(left),
                    Held::Int(self.terms().convert(right, kind)),
                )
            }
            (left, right, _) => (left, right),
        }
    }

    /// A function of the device.
    pub(super) fn rust_function(
        &mut self,
        path: &'u Path,
        expr: &'u Expr,
        args: &'u [Expr],
    ) -> Option<Held<'u>> {
        let name = path.last()?.name.name.as_str();
        match (name, args) {
            ("sync_threads" | "syncthreads", []) => {
                self.barrier(expr.span);
                Some(Held::Other("nothing".into(), None))
            }
            ("index_1d" | "index_2d_col", []) => Some(Held::Int(self.along(0, expr)?)),
            ("index_2d_row", []) => Some(Held::Int(self.along(1, expr)?)),
            ("index_2d", [stride]) => self.row_and_column(stride, expr),
            ("apply", [offset]) => self.swizzled(path, offset),
            ("get", []) => self.dynamic_shared(path),
            (name, []) => self.rust_builtin(name, expr),
            _ => None,
        }
    }

    /// `index_2d(stride)`: the row of the thread in the grid times the stride, and its column.
    fn row_and_column(&mut self, stride: &'u Expr, expr: &'u Expr) -> Option<Held<'u>> {
        let stride = self.term(stride);
        let (row, column) = (self.along(1, expr)?, self.along(0, expr)?);
        let terms = self.terms();
        let stride = terms.convert(stride, IntKind::UNSIGNED_LONG);
        let before = terms.binary(Operator::Mul, row, stride);
        Some(Held::Int(terms.binary(Operator::Add, before, column)))
    }

    /// `Swizzle::<5, 0, 5>::apply(offset)`, by the convention of its crate.
    fn swizzled(&mut self, path: &'u Path, offset: &'u Expr) -> Option<Held<'u>> {
        let Meaning::Library(name) = self.it.meaning(path, &mut self.frame) else {
            return None;
        };
        let [.., class, _] = name.names.as_slice() else {
            return None;
        };
        let class = name.library.generic(&[class])?;
        let given = self
            .it
            .template_arguments(Some(name.generic), &mut self.frame);
        let Ok(Value::Type(ty)) = class.call(&given, &[], &mut Vec::new()) else {
            return None;
        };
        let swizzle = match *ty {
            Type::Of(value) => match *value {
                Value::ForeignSwizzle(foreign) => foreign.swizzle,
                _ => return None,
            },
            _ => return None,
        };
        let ones = 1_i64.checked_shl(u32::try_from(swizzle.bits()).ok()?)? - 1;
        let mask = ones.checked_shl(u32::try_from(swizzle.base()).ok()?)?;
        let shift = u32::try_from(swizzle.shift()).ok()?;
        let offset = self.term(offset);
        let terms = self.terms();
        let kind = terms.kind(offset);
        let (mask, shift) = (
            terms.number(mask, kind),
            terms.number(i64::from(shift), IntKind::INT),
        );
        let moved = terms.binary(Operator::Shr, offset, shift);
        let moved = terms.binary(Operator::And, moved, mask);
        Some(Held::Int(terms.binary(Operator::Xor, offset, moved)))
    }

    /// `DynamicSharedArray::<f32>::get()`.
    fn dynamic_shared(&mut self, path: &'u Path) -> Option<Held<'u>> {
        let [.., class, _] = path.segments.as_slice() else {
            return None;
        };
        let [element, ..] = class.args.as_deref()? else {
            return None;
        };
        if class.name.name != "DynamicSharedArray" {
            return None;
        }
        let target = self.ty(element);
        let memory = Memory {
            name: "dynamic shared memory".into(),
            space: AccessSpace::Shared,
            element: self.size(target.innermost()),
            extent: None,
            declared: Some(class.name.span),
            is_dynamic: true,
        };
        let offset = self.terms().number(0, crate::access::INDEX);
        Some(Held::Pointer(Pointer {
            memory: Some(memory.into()),
            offset,
            target,
        }))
    }

    /// A method of an index, a pointer or a slice.
    pub(super) fn rust_method(
        &mut self,
        expr: &'u Expr,
        (object, member): (Held<'u>, &'u Segment),
        args: &'u [Expr],
    ) -> Option<Held<'u>> {
        match (object, member.name.name.as_str(), args) {
            (held @ (Held::Int(_) | Held::Pointer(_)), name, _) if THE_SAME.contains(&name) => {
                Some(held)
            }
            (held @ Held::Int(_), "get", []) => Some(held),
            (Held::Int(left), name, [other]) => {
                let operator = match name {
                    "min" => Operator::Min,
                    "max" => Operator::Max,
                    "wrapping_add" => Operator::Add,
                    "wrapping_sub" => Operator::Sub,
                    "wrapping_mul" => Operator::Mul,
                    _ => return None,
                };
                let right = self.term(other);
                Some(Held::Int(self.terms().binary(operator, left, right)))
            }
            (Held::Pointer(pointer), "len", []) => Some(Held::Int(self.length(&pointer))),
            (
                Held::Pointer(pointer),
                "add" | "wrapping_add" | "offset" | "wrapping_offset" | "get" | "get_mut"
                | "get_unchecked" | "get_unchecked_mut",
                [by],
            ) => {
                let by = self.term(by);
                Some(self.stepped(pointer, by, false))
            }
            (Held::Pointer(pointer), "sub", [by]) => {
                let by = self.term(by);
                Some(self.stepped(pointer, by, true))
            }
            (Held::Pointer(pointer), "cast", []) => {
                let [target] = member.args.as_deref()? else {
                    return None;
                };
                let target = self.ty(target);
                Some(Held::Pointer(Pointer { target, ..pointer }))
            }
            (Held::Pointer(pointer), "read" | "read_volatile", []) => {
                Some(self.load(expr.span, Ok(pointer)))
            }
            (Held::Pointer(pointer), "write" | "write_volatile", [value]) => {
                self.value(value);
                self.met(expr.span, AccessKind::Store, &Ok(pointer), None);
                Some(Held::Other("a store".into(), None))
            }
            _ => None,
        }
    }

    /// The elements of a slice.
    fn length(&mut self, pointer: &Pointer) -> TermId {
        let name = pointer.memory.as_ref().map_or("", |memory| &memory.name);
        let name = format!("{name}.len()");
        self.terms()
            .shared(&name, SymbolKind::Uniform, IntKind::UNSIGNED_LONG, 0)
    }

    /// `if let Some(element) = slice.get_mut(i) { .. }`: the element, under the condition `i < slice.len()`.
    pub(super) fn if_let(&mut self, branch: &'u If) -> Option<(TermId, String)> {
        let [
            Item {
                kind: ItemKind::Expr(value),
                ..
            },
            Item {
                kind: ItemKind::Binding(bound),
                ..
            },
        ] = branch.init.as_slice()
        else {
            return None;
        };
        let ExprKind::Call(callee, args) = &value.kind else {
            return None;
        };
        let (ExprKind::Member { object, member, .. }, [index], None) =
            (&callee.kind, args.as_slice(), &branch.condition)
        else {
            return None;
        };
        if !matches!(member.name.name.as_str(), "get" | "get_mut") {
            return None;
        }
        let Held::Pointer(slice) = self.value(object) else {
            return None;
        };
        let by = self.term(index);
        let length = self.length(&slice);
        let condition = self.terms().binary(Operator::Less, by, length);
        let element = self.stepped(slice, by, false);
        let ty = element.ty(&self.out.terms).unwrap_or(Ty::Auto);
        self.declare(&bound.name.as_ref()?.name, Local::new(element, ty));
        let text = format!(
            "{} < {}.len()",
            self.text(index.span),
            self.text(object.span)
        );
        Some((condition, text))
    }
}
