//! Kernels in Rust: the functions of `cuda_device` and `cuda_std` that give indices and memory, methods of pointers and
//! slices, and the types of both. `CubeCL` has constants for the indices.

mod clusters;
mod descriptors;
mod instructions;
mod numbers;
mod parameters;
mod shared;
mod types;
pub(super) mod views;

pub(in crate::interpret) use types::is_slice;
pub(super) use types::kind_of_rust;

use tree_sitter_cute::tree::{Expr, ExprKind, Path, Segment};

use self::types::is_of_atomic;
use super::super::names::Meaning;
use super::held::{Held, Pointer, Ty};
use super::{AXES, Walker};
use crate::access::alike::WARP;
use crate::access::terms::{IntKind, Operator, SymbolKind, Term, TermId};
use crate::types::Type;
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

/// Methods of atomic numbers.
const ATOMICS: &[&str] = &[
    "compare_exchange",
    "compare_exchange_weak",
    "fetch_add",
    "fetch_and",
    "fetch_max",
    "fetch_min",
    "fetch_or",
    "fetch_sub",
    "fetch_xor",
    "load",
    "store",
    "swap",
];

impl<'u> Walker<'_, 'u> {
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

    /// `thread_idx().x` of `cuda_std`.
    pub(super) fn axis_of_call(
        &mut self,
        object: &'u Expr,
        axis: &str,
        expr: &'u Expr,
    ) -> Option<Held<'u>> {
        let ExprKind::Call(callee, args) = &object.kind else {
            return None;
        };
        let function = callee.as_path().filter(|_| args.is_empty())?.last()?;
        self.rust_builtin(&format!("{}_{axis}", function.name.name), expr)
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
            // Of `cuda_std`: a vector.
            ("index_2d", []) if path.last()?.args.is_none() => {
                let axes = [self.along(0, expr)?, self.along(1, expr)?];
                Some(self.parts("uint2", axes.map(Held::Int).to_vec()))
            }
            ("index_3d", []) => {
                let axes = [
                    self.along(0, expr)?,
                    self.along(1, expr)?,
                    self.along(2, expr)?,
                ];
                Some(self.parts("uint3", axes.map(Held::Int).to_vec()))
            }
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
            ("from_ptr", [pointer]) if is_of_atomic(path) => Some(self.value(pointer)),
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
            (Held::Group(parent), "tiled_partition", []) => self.tile_of(parent, member),
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
                name @ ("add" | "wrapping_add" | "offset" | "wrapping_offset" | "get_unchecked"
                | "get_unchecked_mut" | "sub"),
                [by],
            ) => {
                let by = self.term(by);
                Some(self.stepped(pointer, by, name == "sub"))
            }
            (Held::Pointer(pointer), "..", [first, rest @ ..]) => {
                Some(self.part_of_slice(pointer, first, rest.first()))
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
            (Held::Pointer(pointer), name, args) if ATOMICS.contains(&name) => {
                self.values(args);
                Some(self.atomic(expr, &Ok(pointer), name))
            }
            (Held::Pointer(pointer), "write" | "write_volatile", [value]) => {
                Some(self.written(expr, (pointer, value)))
            }
            (Held::Pointer(pointer), _, _) => self.view_of_slice(expr, (&pointer, member), args),
            _ => None,
        }
    }

    /// `a[first..end]`
    fn part_of_slice(
        &mut self,
        slice: Pointer,
        first: &'u Expr,
        end: Option<&'u Expr>,
    ) -> Held<'u> {
        let first = self.term(first);
        let end = match end {
            Some(end) => Some(self.term(end)),
            None => slice.length,
        };
        let terms = self.terms();
        let length = end.map(|end| {
            let [first, end] = [first, end].map(|at| terms.convert(at, IntKind::UNSIGNED_LONG));
            terms.binary(Operator::Sub, end, first)
        });
        match self.stepped(slice, first, false) {
            Held::Pointer(part) => Held::Pointer(Pointer { length, ..part }),
            other => other,
        }
    }

    /// The elements of a slice.
    fn length(&mut self, pointer: &Pointer) -> TermId {
        if let Some(length) = pointer.length {
            return length;
        }
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

/// Methods of a place, which do not read it.
pub(super) fn is_of_place(method: &str) -> bool {
    matches!(
        method,
        "write" | "read" | "assume_init" | "assume_init_read" | "as_ptr" | "as_mut_ptr"
    ) || ATOMICS.contains(&method)
}

/// The name of the length of a slice.
pub(super) fn length_of(slice: &str) -> String {
    format!("{slice}.len()")
}

/// The name of the memory of a slice.
fn name_of(pointer: &Pointer) -> &str {
    pointer.memory.as_ref().map_or("", |memory| &memory.name)
}
