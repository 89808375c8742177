//! Divisions whose tiles reach beyond the tensor on purpose: the same function divides coordinates of the same shape in
//! the same way, and its copies are decided by them.

use cute_algebra::Shape;
use tree_sitter_cute::tree::{Expr, ExprKind, Item, ItemKind, Span, Unit};

use crate::fact::Analysis;
use crate::finding::Finding;
use crate::sources::SourceFile;
use crate::value::Value;
use crate::walk;

/// The stable name of the rule.
pub(crate) const RULE: &str = "over-covers";

/// Takes out the findings on divisions that are predicated.
pub(crate) fn take_out(findings: &mut Vec<Finding>, analysis: &Analysis, file: &SourceFile) {
    if findings.iter().all(|finding| finding.rule != RULE) {
        return;
    }
    let (values, unit) = (Values { analysis }, file.unit());
    findings.retain(|finding| finding.rule != RULE || !is_predicated(finding.span, unit, &values));
}

/// Values of expressions.
struct Values<'a> {
    analysis: &'a Analysis,
}

impl Values<'_> {
    fn of(&self, span: Span) -> Option<&Value> {
        let mut mentions = self.analysis.mentions().iter();
        Some(&mentions.find(|mention| mention.span == span)?.value)
    }

    fn shape_of(&self, span: Span) -> Option<Shape> {
        Some(self.of(span)?.as_any_layout()?.shape())
    }
}

fn is_predicated(span: Span, unit: &Unit, values: &Values<'_>) -> bool {
    let (mut body, mut call) = (None, None);
    walk::items(&unit.items, &mut |item: &Item| {
        if matches!(item.kind, ItemKind::Function(_)) && item.span.encloses(span) {
            body = Some(item);
        }
    });
    let Some(body) = body else { return false };
    let mut others: Vec<Division<'_>> = Vec::new();
    walk::expressions(std::slice::from_ref(body), &mut |expr| {
        if let Some(division) = Division::of(expr) {
            if expr.span == span {
                call = Some(division);
            } else {
                others.push(division);
            }
        }
    });
    let Some(call) = call else { return false };
    let Some(shape) = values.shape_of(call.tensor.span) else {
        return false;
    };
    others.iter().any(|other| {
        let is_of_coordinates = matches!(
            values.of(other.tensor.span),
            Some(Value::Tensor(tensor)) if tensor.is_of_coordinates()
        );
        is_of_coordinates
            && values.shape_of(other.tensor.span).is_some_and(|other| {
                // A static extent and a run-time one of the same number are as good.
                other.to_fixed() == shape.to_fixed()
            })
            && match (values.of(call.tiler.span), values.of(other.tiler.span)) {
                (Some(one), Some(another)) => one == another,
                _ => false,
            }
    })
}

/// A call that divides a tensor into tiles.
struct Division<'u> {
    tensor: &'u Expr,
    tiler: &'u Expr,
}

impl<'u> Division<'u> {
    fn of(expr: &'u Expr) -> Option<Self> {
        const NAMES: [&str; 8] = [
            "logical_divide",
            "zipped_divide",
            "tiled_divide",
            "flat_divide",
            "local_tile",
            "local_partition",
            "inner_partition",
            "outer_partition",
        ];
        let ExprKind::Call(callee, args) = &expr.kind else {
            return None;
        };
        let name = match &callee.kind {
            ExprKind::Name(path) => &path.last()?.name.name,
            ExprKind::Member { member, .. } => &member.name.name,
            _ => return None,
        };
        let [tensor, tiler, ..] = args.as_slice() else {
            return None;
        };
        NAMES
            .contains(&name.as_str())
            .then_some(Self { tensor, tiler })
    }
}
