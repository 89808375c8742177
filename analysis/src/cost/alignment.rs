//! Starts of tiles in shared memory, against the needs of the instructions that access them: the pattern of a swizzle that
//! the tensor core or TMA knows, TMA itself, rows of `ldmatrix`, and vectors.

use cute_hardware::copy::CopyOperands;
use tree_sitter_cute::tree::{Expr, ItemKind};

use super::called::Called;
use super::counts::{atom, copy_of};
use super::partitions::behind;
use super::{Costs, Seen};
use crate::finding::{Finding, Number, Related, Severity};
use crate::origin::Root;
use crate::tensor::{Space, Tensor};
use crate::trace::{Action, ActionKind, Address, Base};
use crate::value::Value;
use crate::walk;

/// The stable name of the rule.
const RULE: &str = "smem-alignment";
/// Bits of a byte.
const BYTE: i64 = 8;
/// Bytes of one unit that a swizzle moves.
const UNIT: i64 = 16;
/// The alignment of an address in shared memory that TMA needs (PTX ISA, "cp.async.bulk.tensor").
const TMA: i64 = 128;
/// Rows after which the pattern of a swizzle begins anew.
const ROWS: i64 = 8;
/// The shared memory of a CTA begins at a multiple of this.
const WINDOW: i64 = 1024;
/// Variables and views that are followed from an operand to its memory.
const FOLLOWED: usize = 16;

/// Looks at the operands of all products and copies of a kernel.
pub(super) fn judge(seen: &Seen<'_, '_>, costs: &mut Costs) {
    if !seen.run.is_kernel() {
        return;
    }
    for action in &seen.run.actions {
        if !action.is_reached() || action.is_uncertain {
            continue;
        }
        for operand in action.args {
            let Some(finding) = misaligned(seen, action, operand) else {
                continue;
            };
            let is_known = |known: &Finding| known.rule == RULE && known.span == finding.span;
            if !costs.findings.iter().any(is_known) {
                costs.findings.push(finding);
            }
        }
    }
}

/// The need of an instruction for the start of a tensor.
struct Need {
    /// The start is a multiple of these bytes.
    bytes: i64,
    /// The instruction or swizzle.
    who: String,
    /// Its access, as a related place.
    does: &'static str,
}

/// The bytes after which the pattern of a swizzle begins anew, and those of a row of it.
fn pattern(tile: &Tensor) -> Option<(i64, i64)> {
    let span = UNIT.checked_shl(u32::try_from(tile.engine.swizzle?.bits()).ok()?)?;
    let needed = span.checked_mul(ROWS)?;
    (span > UNIT && needed <= WINDOW).then_some((needed, span))
}

/// The need of an action for an operand that is laid on a tile.
fn need(action: &Action<'_>, index: usize, tile: &Tensor) -> Option<Need> {
    let Value::Tensor(read) = action.values.get(index)? else {
        return None;
    };
    let of_swizzle = || {
        pattern(tile).map(|(bytes, span)| Need {
            bytes,
            who: format!("its swizzle of {span} bytes"),
            does: "read by descriptors here",
        })
    };
    match (action.kind, read.engine.space) {
        (ActionKind::Gemm, Space::WgmmaDescriptors | Space::UmmaDescriptors) => of_swizzle(),
        (ActionKind::Copy, Space::Shared) => {
            let operation = action.values.first().and_then(atom)?;
            match operation.atom.operands {
                CopyOperands::Tma(_) => of_swizzle()
                    .map(|need| Need {
                        does: "copied by TMA here",
                        ..need
                    })
                    .or(Some(Need {
                        bytes: TMA,
                        who: "TMA".to_owned(),
                        does: "copied here",
                    })),
                CopyOperands::MatrixLoad | CopyOperands::MatrixStore => Some(Need {
                    bytes: UNIT,
                    who: "each row of `ldmatrix` and `stmatrix`".to_owned(),
                    does: "copied here",
                }),
                CopyOperands::Async | CopyOperands::OfTheCompiler => {
                    let bytes = copy_of(&action.values)?.bits / BYTE;
                    Some(Need {
                        bytes,
                        who: format!("an access of {bytes} bytes"),
                        does: "accessed here",
                    })
                }
                _ => None,
            }
        }
        _ => None,
    }
}

/// An operand that begins where an instruction does not allow it.
fn misaligned<'u>(seen: &Seen<'_, 'u>, action: &Action<'u>, operand: &'u Expr) -> Option<Finding> {
    if !matches!(action.kind, ActionKind::Gemm | ActionKind::Copy) {
        return None;
    }
    let index = action
        .args
        .iter()
        .position(|arg| arg.span == operand.span)?;
    let laid = laid(seen, operand)?;
    let (Value::Tensor(tile), Some(address)) = (&laid.result, &laid.address) else {
        return None;
    };
    let needed = need(action, index, tile)?;
    let start = address.start / BYTE;
    let known = needed.bytes.min(alignment(seen, address)?);
    if needed.bytes <= 1 || address.start % BYTE != 0 || start % known == 0 {
        return None;
    }
    let Need { bytes, who, does } = needed;
    let message = format!("the tile begins at byte {start}: {who} needs a multiple of {bytes}");
    let within = address.within.as_ref().and_then(|within| within.span);
    let declared = within.filter(|span| seen.file.contains(*span));
    Some(Finding {
        numbers: vec![
            ("start".to_owned(), Number::Integer(start)),
            ("needed".to_owned(), Number::Integer(bytes)),
        ],
        related: std::iter::once((action.span(), does))
            .chain(declared.map(|span| (span, "declared here")))
            .map(|(span, message)| Related {
                span,
                message: message.to_owned(),
            })
            .collect(),
        ..seen.finding(RULE, Severity::Warning, laid.span(), message)
    })
}

/// The tensor that is laid on the memory of an operand; nothing where it is a part at an index.
fn laid<'s, 'u>(seen: &'s Seen<'_, 'u>, operand: &'u Expr) -> Option<&'s Action<'u>> {
    let mut expr = operand;
    for _ in 0..FOLLOWED {
        let at = |kind: ActionKind| {
            let mut actions = seen.run.actions.iter();
            actions.find(|action| action.kind == kind && action.span() == expr.span)
        };
        if let Some(laid) = at(ActionKind::Lay) {
            return (!laid.is_uncertain).then_some(laid);
        }
        expr = match at(ActionKind::Partition) {
            Some(part) => part.args.last()?,
            None => behind(seen, expr).or_else(|| partitioned(seen, expr))?,
        };
    }
    None
}

/// `auto [global, shared] = tma_partition(atom, cta, layout, stensor, gtensor)`: the second is a view of the fourth.
fn partitioned<'u>(seen: &Seen<'_, 'u>, expr: &'u Expr) -> Option<&'u Expr> {
    expr.as_plain_name()?;
    let declared = seen.variable(expr)?;
    let mut found = None;
    walk::items(seen.run.body(), &mut |item| {
        let ItemKind::StructuredBinding(binding) = &item.kind else {
            return;
        };
        if binding
            .names
            .get(1)
            .is_some_and(|name| name.span == declared)
        {
            let called = binding.init.as_ref().and_then(Called::of);
            let called = called.filter(|called| called.name == "tma_partition");
            found = called.and_then(|called| called.args.get(3));
        }
    });
    found
}

/// A number that the base of an address is a multiple of.
fn alignment(seen: &Seen<'_, '_>, address: &Address) -> Option<i64> {
    let mut objects = seen.run.shared.iter();
    let root = match &address.base {
        // Static memory is before it.
        Base::Dynamic => return objects.all(|object| object.is_dynamic).then_some(WINDOW),
        Base::Object(root) => root,
    };
    // An object of a class is found by its declaration, too.
    let object =
        objects.find(|object| object.root == *root || *root == Root::Variable(object.span))?;
    i64::try_from(object.layout.as_ref().ok()?.align).ok()
}
