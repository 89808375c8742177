//! The atom of shared memory that is contiguous along the other mode, for a TMA copy whose tensors are contiguous along
//! different ones.

use cute_hardware::{Major, SmemAtom};
use tree_sitter_cute::tree::{Expr, ExprKind};

use super::Origins;
use super::candidates::Candidate;
use crate::finding::Edit;
use crate::walk;

/// Names behind names that are followed.
const NAMES_DEEP: usize = 16;

/// The other atom in each place where the operands of a copy name one. No other number of a stride makes the tensors
/// agree: the data has the order it has.
pub(super) fn candidates(call: &Expr, origins: &Origins<'_>) -> Vec<Candidate> {
    let ExprKind::Call(_, operands) = &call.kind else {
        return Vec::new();
    };
    let mut found: Vec<Candidate> = Vec::new();
    for operand in operands {
        collect(operand, origins, NAMES_DEEP, &mut found);
    }
    found
}

fn collect(expr: &Expr, origins: &Origins<'_>, names: usize, found: &mut Vec<Candidate>) {
    walk::subexpressions(expr, &mut |part| {
        let ExprKind::Name(path) = &part.kind else {
            return;
        };
        let Some(segment) = path.last() else {
            return;
        };
        let name = &segment.name;
        if segment.args.is_some() {
            let Some(other) = other_major(&name.name) else {
                return;
            };
            let edits = vec![Edit {
                span: name.span,
                new_text: other.clone(),
            }];
            if !found.iter().any(|candidate| candidate.edits == edits) {
                found.push(Candidate {
                    edits,
                    title: Some(format!(
                        "Use {other}, contiguous along the mode of the tensor"
                    )),
                    legal: None,
                });
            }
        } else if names > 0
            && let Some((_, initialiser)) = origins.initialiser(name.span)
        {
            collect(initialiser, origins, names - 1, found);
        }
    });
}

/// The template of the atom that is contiguous along the other mode.
fn other_major(template: &str) -> Option<String> {
    // The element type changes neither the order nor the span of bytes.
    let atom = SmemAtom::named(&format!("{template}<half_t>")).ok()?;
    let major = match atom.major {
        Major::K => Major::Mn,
        Major::Mn => Major::K,
    };
    let other = SmemAtom { major, ..atom };
    // An atom that exists in one order only has no other.
    SmemAtom::named(&format!("{}<half_t>", other.template()))
        .ok()
        .map(|_| other.template())
}
