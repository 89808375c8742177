//! Functions and classes of CUTLASS and of the standard library that the walk knows, whether their headers are read or not.

use tree_sitter_cute::tree::{Expr, Path};

use super::super::names::Meaning;
use super::Walker;
use super::held::{Held, Ty};
use crate::access::alike::Alike;
use crate::access::terms::{IntKind, Operator, TermId};
use crate::types::Type;

/// Lanes of a warp, and threads of a warp group.
const WARP: i64 = 32;
const WARP_GROUP: i64 = 128;

impl<'u> Walker<'_, 'u> {
    /// The number of the thread's warp, lane or warp group (`cutlass/cutlass.h`): those of threads along x. A function of the
    /// source that has such a name is followed.
    pub(super) fn thread_of_cutlass(
        &mut self,
        expr: &'u Expr,
        path: &Path,
        meaning: &Meaning<'u>,
    ) -> Option<Held<'u>> {
        let (last, scopes) = path.segments.split_last()?;
        let name = last.name.name.as_str();
        let is_library = scopes.iter().any(|scope| scope.name.name == "cutlass");
        if matches!(meaning, Meaning::Functions(_)) && !is_library {
            return None;
        }
        let (operator, by) = match name {
            "canonical_warp_idx" | "canonical_warp_idx_sync" => (Operator::Div, WARP),
            "canonical_warp_group_idx" => (Operator::Div, WARP_GROUP),
            "canonical_lane_idx" => (Operator::Rem, WARP),
            _ => return None,
        };
        let Held::Int(thread) = self.builtin("threadIdx", 0, expr)? else {
            return None;
        };
        let terms = self.terms();
        let by = terms.number(by, IntKind::UNSIGNED);
        let number = terms.binary(operator, thread, by);
        let number = terms.convert(number, IntKind::INT);
        if operator == Operator::Rem || name == "canonical_warp_idx" {
            return Some(Held::Int(number));
        }
        let first = self.terms().number(0, IntKind::INT);
        let of_warp: TermId = self.of_warp(number, Some(first), name);
        Some(Held::Int(of_warp))
    }

    /// `std::tuple(a, b)`, `cute::make_tuple(a, b)`.
    pub(super) fn tuple_made(&mut self, callee: &Path, args: &'u [Expr]) -> Option<Held<'u>> {
        let (last, scopes) = callee.segments.split_last()?;
        let is_library = scopes
            .iter()
            .any(|scope| matches!(scope.name.name.as_str(), "std" | "cute"));
        let makes = matches!(last.name.name.as_str(), "tuple" | "make_tuple");
        if !makes || !is_library || args.len() > super::options::ELEMENTS.len() {
            return None;
        }
        let values = self.values(args);
        Some(self.tuple_of(values))
    }

    /// The stage of a pipeline's state, `state.index()` (`cutlass/pipeline/sm90_pipeline.hpp`): all threads of a warp that
    /// work on a pipeline are at one stage of it.
    pub(super) fn stage_of_state(
        &mut self,
        held: &Held<'u>,
        (expr, name): (&'u Expr, &str),
        args: &'u [Expr],
    ) -> Option<Held<'u>> {
        let kind = match (name, args) {
            ("index" | "phase" | "count", []) => IntKind::UNSIGNED,
            _ => return None,
        };
        let Some(Ty::Other(Type::Class(class), _)) = held.ty(&self.out.terms) else {
            return None;
        };
        if &*class.name != "PipelineState" {
            return None;
        }
        let written = self.text(expr.span);
        let terms = self.terms();
        Some(Held::Int(terms.fresh_from(
            &written,
            Alike::Warp.kind(),
            kind,
            0,
        )))
    }
}
