//! Starts of swizzled tiles that the tensor core reads by descriptors, against the needs of their swizzle.

use tree_sitter_cute::tree::Expr;

use super::partitions::behind;
use super::{Costs, Seen};
use crate::finding::{Finding, Number, Related, Severity};
use crate::tensor::Space;
use crate::trace::{Action, Address, Base, Deed};
use crate::value::Value;

/// The stable name of the rule.
const RULE: &str = "smem-alignment";
/// Bits of a byte.
const BYTE: i64 = 8;
/// Bytes of one unit that a swizzle moves.
const UNIT: i64 = 16;
/// Rows after which the pattern of a swizzle begins anew.
const ROWS: i64 = 8;
/// The shared memory of a CTA begins at a multiple of this.
const WINDOW: i64 = 1024;
/// Variables and views that are followed from an operand to its memory.
const FOLLOWED: usize = 16;

/// Looks at the operands of all products of a kernel.
pub(super) fn judge(seen: &Seen<'_, '_>, costs: &mut Costs) {
    if !seen.run.is_kernel() {
        return;
    }
    for gemm in seen.run.reached(Deed::Gemm) {
        let ([a, b, _] | [_, a, b, _]) = gemm.args else {
            continue;
        };
        for operand in [a, b].into_iter().filter(|_| !gemm.is_uncertain) {
            let Some(finding) = misaligned(seen, gemm, operand) else {
                continue;
            };
            let is_known = |known: &Finding| known.rule == RULE && known.span == finding.span;
            if !costs.findings.iter().any(is_known) {
                costs.findings.push(finding);
            }
        }
    }
}

/// An operand whose tile begins where the pattern of its swizzle does not.
fn misaligned<'u>(seen: &Seen<'_, 'u>, gemm: &Action<'u>, operand: &'u Expr) -> Option<Finding> {
    let index = gemm.args.iter().position(|arg| arg.span == operand.span)?;
    let Value::Tensor(read) = gemm.values.get(index)? else {
        return None;
    };
    if !matches!(
        read.engine.space,
        Space::WgmmaDescriptors | Space::UmmaDescriptors
    ) {
        return None;
    }
    let laid = laid(seen, operand)?;
    let (Value::Tensor(tile), Some(address)) = (&laid.result, &laid.address) else {
        return None;
    };
    let span = UNIT.checked_shl(u32::try_from(tile.engine.swizzle?.bits()).ok()?)?;
    let needed = span.checked_mul(ROWS)?;
    let start = address.start / BYTE;
    let known = needed.min(alignment(seen, address)?);
    if span <= UNIT || needed > WINDOW || address.start % BYTE != 0 || start % known == 0 {
        return None;
    }
    let message = format!(
        "the tile begins at byte {start}: its swizzle of {span} bytes needs a multiple of {needed}"
    );
    Some(Finding {
        numbers: vec![
            ("start".to_owned(), Number::Integer(start)),
            ("needed".to_owned(), Number::Integer(needed)),
        ],
        related: vec![Related {
            span: gemm.span(),
            message: "read by descriptors here".to_owned(),
        }],
        ..seen.finding(RULE, Severity::Warning, laid.span(), message)
    })
}

/// The tensor that is laid on the memory of an operand; nothing where it is a part at an index.
fn laid<'s, 'u>(seen: &'s Seen<'_, 'u>, operand: &'u Expr) -> Option<&'s Action<'u>> {
    let mut expr = operand;
    for _ in 0..FOLLOWED {
        let at = |deed: Deed| {
            let mut actions = seen.run.actions.iter();
            actions.find(|action| action.deed == deed && action.span() == expr.span)
        };
        if let Some(laid) = at(Deed::Lay) {
            return (!laid.is_uncertain).then_some(laid);
        }
        expr = match at(Deed::Partition) {
            Some(part) => part.args.last()?,
            None => behind(seen, expr)?,
        };
    }
    None
}

/// A number that the base of an address is a multiple of.
fn alignment(seen: &Seen<'_, '_>, address: &Address) -> Option<i64> {
    let mut objects = seen.run.shared.iter();
    let root = match &address.base {
        // Static memory is before it.
        Base::Dynamic => return objects.all(|object| object.is_dynamic).then_some(WINDOW),
        Base::Object(root) => root,
    };
    let object = objects.find(|object| object.root == *root)?;
    i64::try_from(object.layout.as_ref().ok()?.align).ok()
}
