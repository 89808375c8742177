//! The place of the order of a TMA tensor that does not fit its shared memory: its strides.

use tree_sitter_cute::tree::{Expr, ExprKind, Span};

use super::called::Called;
use super::{Costs, Seen};
use crate::finding::Related;
use crate::trace::{Action, Deed};

/// The rule whose findings are led to the strides.
const RULE: &str = "tma-major";
/// Variables that are followed from a tensor to its strides.
const FOLLOWED: usize = 16;

/// Adds the strides of global tensors to the findings about their copies.
pub(super) fn lead(seen: &Seen<'_, '_>, costs: &mut Costs) {
    for action in seen.run.reached(Deed::MakeTma) {
        for span in strides(seen, action) {
            let related = Related {
                span,
                message: "the order of the tensor in global memory".to_owned(),
            };
            costs.more.push((RULE, action.span(), related));
        }
    }
}

/// The expressions that order the modes of the tensor of a TMA copy in memory: its strides.
fn strides(seen: &Seen<'_, '_>, action: &Action<'_>) -> Vec<Span> {
    let mut found = Vec::new();
    let mut open: Vec<&Expr> = action.args.get(1).into_iter().collect();
    for _ in 0..FOLLOWED {
        let Some(expr) = open.pop() else { break };
        let here = seen.file.contains(expr.span);
        match &expr.kind {
            ExprKind::Name(_) => open.extend(
                seen.variable(expr)
                    .and_then(|declared| seen.initialiser(declared)),
            ),
            ExprKind::Call(..) => {
                let Some(called) = Called::of(expr) else {
                    continue;
                };
                match called.name {
                    "make_tensor" => open.extend(called.args.iter().skip(1)),
                    "make_layout" => match called.args {
                        [_, stride] => open.push(stride),
                        _ if here => found.push(expr.span),
                        _ => {}
                    },
                    "make_stride" if here => found.push(expr.span),
                    _ => {}
                }
            }
            ExprKind::Construct { .. } if here => found.push(expr.span),
            _ => {}
        }
    }
    found
}
