//! Copies of several elements by one call.

use std::sync::Arc;

use tree_sitter_cute::tree::Expr;

use super::Walker;
use super::held::{Count, Held, Pointer, Ty};
use crate::access::AccessKind;

/// The end of the names of stores by a tensor map, `cp_async_bulk_tensor_2d_shared_to_global`.
const BY_MAP: &str = "d_shared_to_global";

impl<'u> Walker<'_, 'u> {
    /// A copy of a thread from global to shared memory.
    pub(super) fn copied(&mut self, expr: &'u Expr, to: &'u Expr, from: &'u Expr, bytes: &'u Expr) {
        for (pointer, kind) in [(from, AccessKind::Load), (to, AccessKind::Store)] {
            let place = self.sized(pointer, bytes);
            if kind == AccessKind::Store {
                self.copies(expr.span, &place);
            } else {
                self.met(expr.span, kind, &place, None);
            }
        }
    }

    /// A bulk copy of a thread out of shared memory: what it reads there.
    pub(super) fn stored_in_bulk(
        &mut self,
        expr: &'u Expr,
        name: &str,
        args: &'u [Expr],
    ) -> Option<Held<'u>> {
        let place = match (name, args) {
            ("cp_async_bulk_shared_to_global", [_, from, bytes])
            | ("cp_async_bulk", [_, _, _, from, bytes]) => self.sized(from, bytes),
            (name, [_, .., from]) if name.ends_with(BY_MAP) => self.pointed(from),
            _ => return None,
        };
        self.met(expr.span, AccessKind::Load, &place, None);
        Some(Held::Other("a copy".into(), None))
    }

    /// As many elements behind a pointer as there are in some bytes.
    fn sized(&mut self, pointer: &'u Expr, bytes: &'u Expr) -> Result<Pointer, Arc<str>> {
        let bytes = self.term(bytes);
        let bytes = self.out.terms.as_number(bytes);
        let pointer = self.pointed(pointer)?;
        let each = pointer.target.bytes().filter(|each| *each > 0);
        let elements = each.zip(bytes).map(|(each, bytes)| bytes / each);
        match elements.filter(|elements| *elements > 0) {
            Some(elements) => Ok(Pointer {
                target: Ty::Array(Box::new(pointer.target), Some(Count::Known(elements))),
                ..pointer
            }),
            None => Err("how much is copied is not known".into()),
        }
    }
}
