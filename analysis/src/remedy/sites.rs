//! The integer literals behind an operand, through the names that denote it.

use tree_sitter_cute::tree::{Expr, ExprKind, Span};

use super::Origins;
use crate::finding::Edit;
use crate::walk;

/// Names behind names that are followed.
const NAMES_DEEP: usize = 16;

/// An integer literal that an operand is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Site {
    pub(super) span: Span,
    pub(super) value: i64,
    /// Written `_8` rather than `8`.
    underscore: bool,
}

impl Site {
    /// The edit that writes another number here, in the spelling of the source.
    pub(super) fn becomes(self, value: i64) -> Edit {
        Edit {
            span: self.span,
            new_text: if self.underscore {
                format!("_{value}")
            } else {
                value.to_string()
            },
        }
    }
}

/// The integer literals of an operand, in the order in which its leaves are written.
pub(super) fn sites(operand: &Expr, origins: &Origins<'_>) -> Vec<Site> {
    let mut found = Vec::new();
    collect(operand, origins, NAMES_DEEP, &mut found);
    found
}

fn collect(expr: &Expr, origins: &Origins<'_>, names: usize, found: &mut Vec<Site>) {
    match &expr.kind {
        ExprKind::Int(value) => found.push(Site {
            span: expr.span,
            value: *value,
            underscore: false,
        }),
        ExprKind::Name(path) => {
            let Some(segment) = path.last() else {
                return;
            };
            if let Some(args) = &segment.args {
                for arg in args {
                    collect(arg, origins, names, found);
                }
            } else if let Some(value) = underscored(&segment.name.name) {
                found.push(Site {
                    span: segment.name.span,
                    value,
                    underscore: true,
                });
            } else if names > 0
                && let Some(declared) = origins.uses.declaration(segment.name.span)
                && let Some(init) = origins.initialisers.get(&declared)
            {
                collect(init, origins, names - 1, found);
            }
        }
        ExprKind::Call(_, args) => {
            for arg in args {
                collect(arg, origins, names, found);
            }
        }
        ExprKind::Cast(_, _, operand) | ExprKind::Decltype(operand) => {
            collect(operand, origins, names, found);
        }
        ExprKind::Lambda(_) | ExprKind::Sizeof(_) => {}
        _ => walk::children(expr, &mut |child| {
            collect(child, origins, names, found);
        }),
    }
}

/// The number of `_8`.
fn underscored(name: &str) -> Option<i64> {
    let digits = name.strip_prefix('_')?;
    let plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    plain.then(|| digits.parse().ok()).flatten()
}
