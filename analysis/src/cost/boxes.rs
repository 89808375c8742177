//! Layouts of shared memory that TMA fills in more instructions than it needs.

use cute_algebra::{Delta, Int};
use tree_sitter_cute::tree::{Expr, ExprKind};

use super::counts::{atom, tile};
use super::{Costs, Seen};
use crate::finding::{Finding, Number, Severity};
use crate::trace::{Action, ActionKind};
use crate::value::Value;

/// The stable name of the rule.
pub(crate) const RULE: &str = "tma-box-small";

/// The largest extent of a box (CUDA driver API, `cuTensorMapEncodeTiled`).
const LARGEST: i64 = 256;

/// Looks for tiles that fewer and larger boxes would fill.
pub(super) fn judge(seen: &Seen<'_, '_>, costs: &mut Costs) {
    for action in seen.run.reached(ActionKind::MakeTma) {
        if let Some(finding) = small(seen, action)
            && !costs
                .findings
                .iter()
                .any(|known| known.rule == RULE && known.span == finding.span)
        {
            costs.findings.push(finding);
        }
    }
}

fn small(seen: &Seen<'_, '_>, action: &Action<'_>) -> Option<Finding> {
    let tile = tile(action, None)?;
    let tma_box = atom(&action.result)?.tma_box.as_ref()?;
    // Multicast has split the box.
    if tile.instructions < 2 || tile.box_bytes.checked_mul(tile.instructions)? != tile.bytes {
        return None;
    }
    let fewest = fewest(action, *tma_box.extents.first()?)?;
    if tile.instructions <= fewest {
        return None;
    }
    let call = action
        .args
        .get(2)
        .and_then(|shared| tiling(seen, shared))
        .filter(|call| seen.file.contains(call.span));
    let extents: Vec<String> = tile.extents.iter().map(ToString::to_string).collect();
    Some(Finding {
        numbers: vec![
            (
                "instructions".to_owned(),
                Number::Integer(tile.instructions),
            ),
            ("fewest".to_owned(), Number::Integer(fewest)),
            ("box_bytes".to_owned(), Number::Integer(tile.box_bytes)),
        ],
        ..seen.finding(
            RULE,
            Severity::Information,
            call.map_or(action.span(), |call| call.span),
            format!(
                "{} TMA instructions (boxes of {}) fill a tile that {fewest} could fill",
                tile.instructions,
                extents.join("x")
            ),
        )
    })
}

/// The fewest boxes that fill the tile, with the contiguous extent that the swizzle leaves them.
fn fewest(action: &Action<'_>, contiguous: i64) -> Option<i64> {
    let Value::Tensor(global) = action.values.get(1)? else {
        return None;
    };
    let Value::Tuple(tile) = action.values.get(3)? else {
        return None;
    };
    let layout = global.layout.as_affine()?;
    if layout.rank() != tile.len() || contiguous < 1 {
        return None;
    }
    let mut boxes = 1_i64;
    let mut has_contiguous = false;
    for (stride, extent) in layout.stride().modes().zip(tile) {
        let extent = extent.as_int().and_then(Int::value)?;
        let Some(Delta::Int(stride)) = stride.as_leaf() else {
            return None;
        };
        let largest = if stride.is_constant(1) {
            has_contiguous = true;
            contiguous
        } else {
            LARGEST
        };
        boxes = boxes.checked_mul((extent + largest - 1) / largest)?;
    }
    has_contiguous.then_some(boxes)
}

/// The call of `tile_to_shape` that a layout of shared memory, or a slice or tensor of it, is made with:
/// behind variables, aliases and `decltype`.
fn tiling<'u>(seen: &Seen<'_, 'u>, shared: &'u Expr) -> Option<&'u Expr> {
    const STEPS: usize = 24;
    let mut at = shared;
    for _ in 0..STEPS {
        if tile_to_shape(at).is_some() {
            return Some(at);
        }
        at = match &at.kind {
            ExprKind::Name(_) => seen.initialiser(seen.variable(at)?)?,
            ExprKind::Construct { ty, args, .. } if args.is_empty() => ty,
            ExprKind::Decltype(inner) => inner,
            ExprKind::Call(callee, args) => match (&callee.kind, args.as_slice()) {
                (ExprKind::Name(path), [_, layout]) if path.last()?.name.name == "make_tensor" => {
                    layout
                }
                (ExprKind::Name(_), _) => callee,
                (ExprKind::Member { object, .. }, []) => object,
                _ => return None,
            },
            _ => return None,
        };
    }
    None
}

/// The arguments of `tile_to_shape(atom, shape[, order])`.
pub(crate) fn tile_to_shape(expr: &Expr) -> Option<&[Expr]> {
    let ExprKind::Call(callee, args) = &expr.kind else {
        return None;
    };
    let name = &callee.as_path()?.last()?.name.name;
    let is_tiling = name == "tile_to_shape" || name == "tile_to_mma_shape";
    (is_tiling && matches!(args.len(), 2 | 3)).then_some(args)
}
