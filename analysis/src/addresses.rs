//! Functions that give the address of a pointer in shared memory as a number.

use tree_sitter_cute::tree::{ExprKind, Function, ItemKind, Span};

use crate::ptx;
use crate::walk;

/// Those of CUDA, CuTe and CUTLASS.
pub(crate) const CONVERSIONS: &[&str] = &[
    "__cvta_generic_to_shared",
    "barrier_native_handle",
    "cast_smem_ptr_to_uint",
];

/// The instruction that they are (PTX ISA, "cvta").
const CONVERSION: &str = "cvta.to.shared";

/// Whether a function of the source does nothing but convert its only argument.
pub(crate) fn is_conversion<'t>(function: &Function, text_of: impl Fn(Span) -> &'t str) -> bool {
    let ([pointer], Some(body)) = (function.params.as_slice(), function.body.as_deref()) else {
        return false;
    };
    let Some(pointer) = &pointer.name else {
        return false;
    };
    let mut converts = false;
    let mut is_only_that = true;
    walk::items(body, &mut |item| {
        is_only_that &= matches!(
            item.kind,
            ItemKind::Binding(_) | ItemKind::Expr(_) | ItemKind::Return(_) | ItemKind::Block(_)
        );
    });
    walk::expressions(body, &mut |expr| match &expr.kind {
        ExprKind::Call(..) if walk::is_assembly(expr) => {
            let template = ptx::template(text_of(expr.span));
            let is_one = ptx::names(&template).any(|name| name.starts_with(CONVERSION));
            converts |= is_one;
            is_only_that &= is_one && ptx::names(&template).all(ptx::computes);
        }
        ExprKind::Call(callee, args) => {
            let name = callee.as_path().and_then(|path| path.last());
            let is_known = name.is_some_and(|name| CONVERSIONS.contains(&name.name.name.as_str()));
            let mut of_pointer = false;
            for arg in args {
                walk::subexpressions(arg, &mut |part| {
                    of_pointer |= part.as_plain_name() == Some(pointer.name.as_str());
                });
            }
            converts |= is_known && of_pointer;
            is_only_that &= is_known && of_pointer;
        }
        // An address further on.
        ExprKind::Binary(..) | ExprKind::Assign(_) => is_only_that = false,
        _ => {}
    });
    converts && is_only_that
}
