//! Kernels in Rust: the functions of `cuda_device` and `cuda_std` that give indices and memory, methods of pointers and
//! slices, and the types of both. `CubeCL` has constants for the indices.

mod clusters;
mod descriptors;
mod instructions;
mod numbers;
mod parameters;
pub(super) mod views;

use std::sync::Arc;

use tree_sitter_cute::tree::{Binding, Expr, ExprKind, Ident, Item, ItemKind, Path, Segment};

use super::super::names::Meaning;
use super::held::{Count, Held, Pointer, Ty};
use super::{AXES, Walker};
use crate::access::alike::WARP;
use crate::access::terms::{IntKind, Operator, SymbolKind, Term, TermId};
use crate::access::{AccessSpace, INDEX, Memory};
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
            let args = written.as_path().and_then(Path::last);
            let align = args.and_then(|last| last.args.as_deref()?.get(2));
            let align = align.map(|align| self.term(align));
            let align = align.and_then(|align| self.out.terms.as_number(align));
            self.walk_shared(name, &ty, (false, align.unwrap_or(1)));
        }
        is_one
    }

    /// `let tile = shared_array![f32; 256]` of `cuda_std`, and `SharedMemory::<f32>::new(256)` of `CubeCL`.
    pub(super) fn declare_shared_of_rust(&mut self, name: &'u Ident, binding: &'u Binding) -> bool {
        let Some((element, count)) = binding.init.as_ref().and_then(shared_of_init) else {
            return false;
        };
        let element = self.ty(element);
        let count = self.term(count);
        let count = match self.out.terms.as_number(count) {
            Some(count) => Count::Known(count),
            None => Count::Open(count),
        };
        let ty = Ty::Array(Box::new(element), Some(count));
        self.walk_shared(name, &ty, (false, 1));
        true
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
            // The same number in all threads; the same bytes.
            ("Uniform" | "MaybeUninit", [inner]) => Some(self.ty(inner)),
            ("ThreadIndex", _) => Some(Ty::Int(IntKind::UNSIGNED_LONG)),
            ("f16" | "bf16", []) => Some(Ty::Other(Type::Named(name.into()), Some(2))),
            ("f32", []) => Scalar::of_spelling("float").map(Ty::of_scalar),
            ("f64", []) => Scalar::of_spelling("double").map(Ty::of_scalar),
            (name, []) => kind_of_rust(name).map(Ty::Int),
            _ => None,
        }
    }

    /// `[a, b]` and `[a; n]`: registers of the thread.
    pub(super) fn array_of_rust(&mut self, elements: &'u [Expr]) -> Held<'u> {
        let values = self.values(elements);
        let element = values.first().and_then(|held| match held {
            Held::Pointer(Pointer {
                memory: None,
                target,
                ..
            }) => Some(Ty::Array(Box::new(target.clone()), None)),
            held => held.ty(&self.out.terms),
        });
        let offset = self.terms().number(0, INDEX);
        Held::Pointer(Pointer {
            memory: None,
            offset,
            target: element.unwrap_or(Ty::Auto),
        })
    }

    /// The largest or smallest number of an integer type: `u32::MAX`.
    pub(super) fn rust_limit(&mut self, path: &Path) -> Option<Held<'u>> {
        let [ty, limit] = path.segments.as_slice() else {
            return None;
        };
        let kind = kind_of_rust(&ty.name.name)?;
        let bits = kind.bits.min(63) - u32::from(kind.signed && kind.bits < 64);
        let most = i64::try_from((1_u64 << bits) - 1).ok()?;
        let value = match (limit.name.name.as_str(), kind.signed) {
            // It is beyond the numbers that are followed, and still it is one number.
            ("MAX", false) if kind.bits == 64 => {
                let terms = self.terms();
                let below = terms.number(-1, IntKind::LONG);
                return Some(Held::Int(terms.make(Term::Convert(below), kind)));
            }
            ("MAX", _) => most,
            ("MIN", true) => -most - 1,
            ("MIN", false) => 0,
            ("BITS", _) => return Some(self.number(i64::from(kind.bits), IntKind::UNSIGNED)),
            _ => return None,
        };
        Some(self.number(value, kind))
    }

    /// A constant of `CubeCL`.
    pub(super) fn rust_constant(&mut self, name: &str, expr: &'u Expr) -> Option<Held<'u>> {
        match name {
            "None" => Some(self.option(None, name.to_owned())),
            "UNIT_POS_PLANE" => Some(Held::Int(self.lane(expr)?)),
            "PLANE_DIM" => Some(self.number(WARP, IntKind::UNSIGNED)),
            "UNIT_POS" => Some(Held::Int(self.rank("threadIdx", "blockDim", expr)?)),
            "CUBE_DIM" => Some(Held::Int(self.product("blockDim", expr)?)),
            "CUBE_COUNT" => Some(Held::Int(self.product("gridDim", expr)?)),
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
            (
                "sync_threads"
                | "syncthreads"
                | "sync_cube"
                | "sync_units"
                | "workgroup_memory_barrier_with_group_sync",
                [],
            ) => {
                self.barrier(expr.span);
                Some(Held::Other("nothing".into(), None))
            }
            ("index_1d" | "index_2d_col", []) => Some(Held::Int(self.along(0, expr)?)),
            ("index_2d_row", []) => Some(Held::Int(self.along(1, expr)?)),
            ("index_2d", []) => {
                let [stride, ..] = path.last()?.args.as_deref()? else {
                    return None;
                };
                let stride = self.term(stride);
                self.index_in_row(stride, self.text(expr.span), expr)
            }
            ("index_2d", [stride]) => {
                let stride = self.term(stride);
                self.row_and_column(stride, expr).map(Held::Int)
            }
            ("index_2d_runtime", [stride]) => {
                let stride = match self.value(stride) {
                    // The slice has it.
                    Held::Pointer(slice) => {
                        self.of_slice(&format!("{}.row_stride", name_of(&slice)))
                    }
                    held => self.term_of(&held),
                };
                self.index_in_row(stride, self.text(expr.span), expr)
            }
            ("lane_id", []) => Some(Held::Int(self.lane(expr)?)),
            ("warp_id", []) => {
                let rank = self.rank("threadIdx", "blockDim", expr)?;
                let terms = self.terms();
                let warp = terms.number(WARP, IntKind::UNSIGNED);
                let of = terms.binary(Operator::Div, rank, warp);
                Some(Held::Int(terms.convert(of, IntKind::UNSIGNED)))
            }
            ("Some" | "Ok", [value]) => {
                let held = self.value(value);
                Some(self.option(Some(held), self.text(expr.span)))
            }
            ("Err", [value]) => {
                self.value(value);
                Some(self.option(None, self.text(expr.span)))
            }
            ("null" | "null_mut", []) => Some(Held::Null),
            ("apply", [offset]) => self.swizzled(path, offset),
            ("get" | "get_raw", []) => self.dynamic_shared(path, None),
            ("offset", [bytes]) => self.dynamic_shared(path, Some(bytes)),
            ("as_raw_mut_ptr", [array]) => match self.value(array) {
                pointer @ Held::Pointer(_) => Some(pointer),
                _ => None,
            },
            ("cvta_generic_to_shared_offset" | "cvta_generic_to_shared_u32", [pointer]) => {
                let held = self.value(pointer);
                let kind = if name.ends_with("_u32") {
                    IntKind::UNSIGNED
                } else {
                    IntKind::UNSIGNED_LONG
                };
                Some(self.converted(held, &Ty::Int(kind)))
            }
            (name, []) => self
                .rust_builtin(name, expr)
                .or_else(|| self.number_of_cluster(name))
                .or_else(|| self.view(path, expr, args))
                .or_else(|| self.descriptor_made(path, args))
                .or_else(|| self.rust_instruction(path, expr, args)),
            _ => self
                .view(path, expr, args)
                .or_else(|| self.of_other_block(name, expr, args))
                .or_else(|| self.descriptor_made(path, args))
                .or_else(|| self.rust_instruction(path, expr, args)),
        }
    }

    /// `index_2d(stride)`: the row of the thread in the grid times the stride, and its column.
    fn row_and_column(&mut self, stride: TermId, expr: &'u Expr) -> Option<TermId> {
        let (row, column) = (self.along(1, expr)?, self.along(0, expr)?);
        let terms = self.terms();
        let stride = terms.convert(stride, IntKind::UNSIGNED_LONG);
        let before = terms.binary(Operator::Mul, row, stride);
        Some(terms.binary(Operator::Add, before, column))
    }

    /// `index_2d::<STRIDE>()`: the same, where the column is below the stride.
    fn index_in_row(&mut self, stride: TermId, text: String, expr: &'u Expr) -> Option<Held<'u>> {
        let index = self.row_and_column(stride, expr)?;
        let column = self.along(0, expr)?;
        let stride = self.terms().convert(stride, IntKind::UNSIGNED_LONG);
        Some(self.below((column, stride), text, Held::Int(index)))
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
        let offset = self.term(offset);
        self.swizzled_term(offset, swizzle).map(Held::Int)
    }

    /// `DynamicSharedArray::<f32>::get()`, and `offset(bytes)`.
    fn dynamic_shared(&mut self, path: &'u Path, bytes: Option<&'u Expr>) -> Option<Held<'u>> {
        let [.., class, method] = path.segments.as_slice() else {
            return None;
        };
        let [element, ..] = class.args.as_deref()? else {
            return None;
        };
        if class.name.name != "DynamicSharedArray" {
            return None;
        }
        let target = match method.name.name.as_str() {
            "get_raw" => Ty::Int(IntKind::new(8, false)),
            _ => self.ty(element),
        };
        let memory = Memory {
            name: "dynamic shared memory".into(),
            space: AccessSpace::Shared,
            element: self.size(target.innermost()),
            extent: None,
            lengths: Arc::default(),
            declared: Some(class.name.span),
            align: 1,
            is_dynamic: true,
        };
        let offset = match bytes {
            Some(bytes) => {
                let bytes = self.term(bytes);
                self.terms().convert(bytes, INDEX)
            }
            None => self.terms().number(0, INDEX),
        };
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
        if let Held::Int(word) = object
            && let Some(word) = self.descriptor_with(word, &member.name.name, args)
        {
            return Some(Held::Int(word));
        }
        match (object, member.name.name.as_str(), args) {
            (Held::Maybe(maybe), name, args) => self.method_of_option(expr, *maybe, (name, args)),
            (Held::View(of), _, args) => self.method_of_view(expr, (*of, member), args),
            (Held::Pointer(pointer), "get" | "get_mut", []) => Some(Held::Pointer(pointer)),
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
                    _ => return self.method_of_number(left, (name, args)),
                };
                let right = self.term(other);
                let kind = self.out.terms.kind(left);
                let terms = self.terms();
                let right = terms.convert(right, kind);
                Some(Held::Int(terms.binary(operator, left, right)))
            }
            (Held::Int(number), name, args) => self.method_of_number(number, (name, args)),
            (Held::Pointer(pointer), "split_at" | "split_at_mut" | "split_at_unchecked", [by]) => {
                let by = self.term(by);
                let why = "the part of a slice before an index";
                let before = Held::Other(why.into(), None);
                let behind = self.stepped(pointer, by, false);
                Some(self.tuple_of(vec![before, behind]))
            }
            // Of a tensor of `CubeCL`.
            (Held::Pointer(pointer), member @ ("stride" | "shape"), [mode]) => {
                let mode = self.text(mode.span);
                let name = format!("{}.{member}({mode})", name_of(&pointer));
                Some(Held::Int(self.of_slice(&name)))
            }
            (Held::Pointer(pointer), "len", []) => Some(Held::Int(self.length(&pointer))),
            (Held::Pointer(pointer), "get" | "get_mut", [by]) => {
                let index = by;
                let by = self.term(index);
                let length = self.length(&pointer);
                let text = format!(
                    "{} < {}",
                    self.text(index.span),
                    length_of(name_of(&pointer))
                );
                let element = self.stepped(pointer, by, false);
                Some(self.below((by, length), text, element))
            }
            (Held::Pointer(pointer), "get_mut_indexed", []) => {
                let own = self.along(0, expr)?;
                let length = self.length(&pointer);
                let text = format!("{}.get_mut_indexed()", name_of(&pointer));
                let element = self.stepped(pointer, own, false);
                let content = self.tuple_of(vec![element, Held::Int(own)]);
                Some(self.below((own, length), text, content))
            }
            (
                Held::Pointer(pointer),
                ".." | "add" | "wrapping_add" | "offset" | "wrapping_offset" | "get_unchecked"
                | "get_unchecked_mut",
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
            (
                Held::Pointer(pointer),
                "read" | "read_volatile" | "assume_init" | "assume_init_read",
                [],
            ) => Some(self.load(expr.span, Ok(pointer))),
            (Held::Pointer(pointer), "write" | "write_volatile", [value]) => {
                Some(self.written(expr, (pointer, value)))
            }
            (Held::Pointer(pointer), _, _) => self.view_of_slice(expr, (&pointer, member), args),
            _ => None,
        }
    }

    /// The elements of a slice.
    fn length(&mut self, pointer: &Pointer) -> TermId {
        if self.out.terms.as_number(pointer.offset) == Some(0) {
            return self.of_slice(&length_of(name_of(pointer)));
        }
        self.unknown("the length of a part of a slice", IntKind::UNSIGNED_LONG)
    }

    /// A number that a slice has, by its name.
    fn of_slice(&mut self, name: &str) -> TermId {
        self.terms()
            .shared(name, SymbolKind::Uniform, IntKind::UNSIGNED_LONG, 0)
    }
}

/// An integer type of Rust, or `bool`.
pub(super) fn kind_of_rust(name: &str) -> Option<IntKind> {
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

/// The type of the elements and their number in a value that is shared memory.
fn shared_of_init(init: &Expr) -> Option<(&Expr, &Expr)> {
    match &init.kind {
        ExprKind::Macro(call) if call.path.last()?.name.name == "shared_array" => {
            let [array] = call.args.as_deref()? else {
                return None;
            };
            match &array.kind {
                ExprKind::Array(element, Some(count)) => Some((element, count)),
                _ => None,
            }
        }
        ExprKind::Call(callee, args) => {
            let [.., class, method] = callee.as_path()?.segments.as_slice() else {
                return None;
            };
            let is_new = class.name.name == "SharedMemory" && method.name.name == "new";
            let element = class.args.as_deref()?.first()?;
            Some((element, args.first().filter(|_| is_new)?))
        }
        _ => None,
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

/// Methods of a place, which do not read it.
pub(super) fn is_of_place(method: &str) -> bool {
    matches!(
        method,
        "write" | "read" | "assume_init" | "assume_init_read" | "as_ptr" | "as_mut_ptr"
    )
}

/// The name of the length of a slice.
pub(super) fn length_of(slice: &str) -> String {
    format!("{slice}.len()")
}

/// The name of the memory of a slice.
fn name_of(pointer: &Pointer) -> &str {
    pointer.memory.as_ref().map_or("", |memory| &memory.name)
}
