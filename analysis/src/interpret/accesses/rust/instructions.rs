//! Instructions of the device as functions of `cuda_device`: their loads, stores and copies.

use std::sync::Arc;

use cute_hardware::descriptor::Generation;
use cute_hardware::mma::Tcgen05Kind;
use tree_sitter_cute::tree::{Expr, Path};

use super::super::Walker;
use super::super::assembly::instruction::{LANES_OF_MATRIX, ROW};
use super::super::held::{Count, Held, Pointer, Ty};
use crate::access::terms::IntKind;
use crate::access::{AccessKind, GroupStep};

/// The beginnings of the names of functions whose results are registers.
const FRAGMENTS: &[&str] = &["ldmatrix_", "mma_", "movmatrix_", "tcgen05_ld_", "wmma_"];

/// The place of an access, or why it is not known.
type Accessed = Result<Pointer, Arc<str>>;

impl<'u> Walker<'_, 'u> {
    /// An instruction that is called by the last name of `path`.
    pub(super) fn rust_instruction(
        &mut self,
        path: &'u Path,
        expr: &'u Expr,
        args: &'u [Expr],
    ) -> Option<Held<'u>> {
        let segment = path.last()?;
        let name = segment.name.name.as_str();
        if let Some(step) = self.step_of_groups(path, name, args) {
            self.grouped(expr.span, step);
            return Some(Held::Other("nothing".into(), None));
        }
        if let Some(bytes) = bytes_of_copy(name) {
            return self.copied_asynchronously(expr, (name, bytes), args);
        }
        if name.starts_with("cp_async_bulk_") && name.ends_with("_s2g") {
            let place = self.pointed(args.first()?);
            for arg in args.get(1..).unwrap_or_default() {
                self.value(arg);
            }
            self.met(expr.span, AccessKind::Load, &place, None);
            return Some(Held::Other("a copy".into(), None));
        }
        if let Some(generation) = generation_of(name) {
            for arg in args {
                if let Held::Int(term) = self.value(arg) {
                    self.describes(arg.span, generation, term);
                    if let Some(kind) = kind_of(name) {
                        self.describes_itself(arg.span, kind, term);
                    }
                }
            }
            self.forget_passed(args);
            self.unseen();
            return Some(Held::Other("a product".into(), None));
        }
        if name == "ld_global_v4_f32" {
            let place = self.pointed(args.first()?).map(|place| of_bytes(place, 16));
            self.met(expr.span, AccessKind::Load, &place, None);
            return Some(self.fragment());
        }
        let matrices = number_behind(name, "_x");
        if name.starts_with("stmatrix_") {
            self.matrices(expr, (AccessKind::Store, matrices?), args)?;
            return Some(Held::Other("a store".into(), None));
        }
        if name.starts_with("ldmatrix_") {
            self.matrices(expr, (AccessKind::Load, matrices?), args)?;
        } else if FRAGMENTS.iter().any(|begin| name.starts_with(begin)) {
            self.values(args);
        } else {
            return None;
        }
        Some(self.fragment())
    }

    /// A value in registers.
    pub(in crate::interpret::accesses) fn fragment(&mut self) -> Held<'u> {
        Held::Pointer(self.register(Ty::Auto))
    }

    /// `cp_async_commit_group()`, `cp_async_wait_group(n)`, `cp_async_wait_all()`.
    fn step_of_groups(
        &mut self,
        path: &'u Path,
        name: &str,
        args: &'u [Expr],
    ) -> Option<GroupStep> {
        match name {
            "cp_async_commit_group" => Some(GroupStep::Close),
            "cp_async_wait_all" => Some(GroupStep::WaitForAll),
            "cp_async_wait_group" => {
                let generic = path.last()?.args.as_deref().unwrap_or_default();
                let open = args.first().or(generic.first());
                let open = open.map(|open| self.term(open));
                let open = open.and_then(|open| self.out.terms.as_number(open));
                Some(open.map_or(GroupStep::Unknown, GroupStep::Wait))
            }
            _ => None,
        }
    }

    /// `cp_async_ca_8(to, from)`; one that fills with zeros may read fewer bytes.
    fn copied_asynchronously(
        &mut self,
        expr: &'u Expr,
        (name, bytes): (&str, i64),
        args: &'u [Expr],
    ) -> Option<Held<'u>> {
        let [to, from, rest @ ..] = args else {
            return None;
        };
        let to = self.pointed(to).map(|place| of_bytes(place, bytes));
        let from = self.pointed(from).map(|place| of_bytes(place, bytes));
        self.values(rest);
        if !name.contains("zfill") {
            self.met(expr.span, AccessKind::Load, &from, None);
        }
        self.copies(expr.span, &to);
        Some(Held::Other("a copy".into(), None))
    }

    /// Each lane of one, two or four groups of eight names a row.
    fn matrices(
        &mut self,
        expr: &'u Expr,
        (kind, matrices): (AccessKind, i64),
        args: &'u [Expr],
    ) -> Option<()> {
        let (pointer, registers) = args.split_first()?;
        let place: Accessed = self.pointed(pointer).map(|place| of_bytes(place, ROW));
        self.values(registers);
        let before = self.course.guards.len();
        if matrices < 4 {
            self.only_lanes(expr, matrices * LANES_OF_MATRIX);
        }
        self.met(expr.span, kind, &place, None);
        self.course.guards.truncate(before);
        Some(())
    }
}

/// As many bytes behind a pointer, whatever it points to.
fn of_bytes(pointer: Pointer, bytes: i64) -> Pointer {
    let byte = Ty::Int(IntKind::new(8, false));
    Pointer {
        target: Ty::Array(Box::new(byte), Some(Count::Known(bytes))),
        ..pointer
    }
}

/// The bytes of `cp_async_ca_8` and `cp_async_cg_zfill_16`.
fn bytes_of_copy(name: &str) -> Option<i64> {
    let rest = name.strip_prefix("cp_async_ca_");
    let rest = rest.or_else(|| name.strip_prefix("cp_async_cg_"))?;
    rest.strip_prefix("zfill_").unwrap_or(rest).parse().ok()
}

/// The generation of the tensor cores whose product a function is.
fn generation_of(name: &str) -> Option<Generation> {
    if name.starts_with("tcgen05_mma") {
        Some(Generation::Tcgen05)
    } else if name.starts_with("wgmma_mma") {
        Some(Generation::Wgmma)
    } else {
        None
    }
}

/// The kind of a product of `tcgen05` by the name of the function: `tcgen05_mma_ws_bf16`.
fn kind_of(name: &str) -> Option<Tcgen05Kind> {
    let rest = name.strip_prefix("tcgen05_mma_")?;
    rest.split('_').find_map(|word| match word {
        "f16" | "bf16" => Some(Tcgen05Kind::F16),
        "tf32" => Some(Tcgen05Kind::Tf32),
        "f8f6f4" => Some(Tcgen05Kind::F8f6f4),
        "i8" => Some(Tcgen05Kind::I8),
        _ => None,
    })
}

/// The number behind a mark in a name: 4 of `ldmatrix_x4_trans`.
fn number_behind(name: &str, mark: &str) -> Option<i64> {
    let (_, rest) = name.split_once(mark)?;
    let digits = rest.split(|letter: char| !letter.is_ascii_digit()).next()?;
    digits.parse().ok()
}
