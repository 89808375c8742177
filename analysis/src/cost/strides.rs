//! The places where the strides of tensors are written, for findings that depend on them.

use tree_sitter_cute::tree::{Expr, ExprKind, Span};

use super::called::Called;
use super::partitions::VIEWS;
use super::{Costs, Seen};
use crate::finding::{Finding, Number, Related};
use crate::hash::HashMap;
use crate::trace::ActionKind;
use crate::walk;

/// Variables, calls and arguments that are followed from a tensor to its strides.
const FOLLOWED: usize = 64;

/// Rules about elements that share an address, are beyond the memory, or are not adjacent.
const OF_ELEMENTS: &[&str] = &["copy-vector", "over-run", "overlapping-store", "write-race"];

/// The tensor and the tile of a TMA copy.
const OF_TMA: &[&str] = &[
    "the order of the tensor in global memory",
    "the order of the tile in shared memory",
];

/// Functions that make a part of the tensor or layout that they are given first; others make a [view](VIEWS) of it.
const OF_FIRST: &[&str] = &[
    "flat_divide",
    "local_partition",
    "local_tile",
    "logical_divide",
    "recast",
    "tile_to_shape",
    "tiled_divide",
    "zipped_divide",
];

/// Methods of slices of copies and products that make a part of their argument.
const PARTITIONS: &[&str] = &[
    "partition_A",
    "partition_B",
    "partition_C",
    "partition_D",
    "partition_S",
    "retile_D",
    "retile_S",
];

/// Adds the strides of tensors to the findings that depend on them.
pub(super) fn lead(seen: &Seen<'_, '_>, costs: &mut Costs) {
    for action in seen.run.reached(ActionKind::MakeTma) {
        let operands = action.args.iter().skip(1).zip(OF_TMA);
        for (operand, message) in operands {
            for span in written(seen, operand) {
                let message = (*message).to_owned();
                let related = Related { span, message };
                costs.more.push(("tma-major", action.span(), related));
            }
        }
    }
    let mut more = Vec::new();
    let found = seen.output.findings.iter().chain(&costs.findings);
    let found: HashMap<Span, Vec<&Finding>> = found
        .filter(|finding| OF_ELEMENTS.contains(&finding.rule))
        .fold(HashMap::default(), |mut by_place, finding| {
            by_place.entry(finding.span).or_default().push(finding);
            by_place
        });
    if found.is_empty() {
        return;
    }
    for body in seen.bodies() {
        walk::expressions(body, &mut |expr| {
            for finding in found.get(&expr.span).into_iter().flatten() {
                let tensor = side(finding, expr).map_or_else(Vec::new, |it| written(seen, it));
                more.extend(tensor.into_iter().map(|span| {
                    let message = "the strides of the tensor".to_owned();
                    (finding.rule, expr.span, Related { span, message })
                }));
            }
        });
    }
    costs.more.extend(more);
}

/// The tensor that a finding at an expression is about.
fn side<'e>(finding: &Finding, expr: &'e Expr) -> Option<&'e Expr> {
    let is_source = finding.numbers.iter().any(
        |(name, number)| matches!(number, Number::Text(text) if name == "side" && text == "source"),
    );
    if !is_source {
        return target(expr);
    }
    match Called::of(expr)?.args {
        [.., source, _] => Some(source),
        _ => None,
    }
}

/// The tensor that an expression writes to, or is an element of.
fn target(expr: &Expr) -> Option<&Expr> {
    match &expr.kind {
        ExprKind::Assign(assignment) => target(&assignment.target),
        ExprKind::Call(callee, args) => match Called::of(expr)?.name {
            "copy" | "copy_if" | "copy_aligned" | "cooperative_copy" => args.last(),
            _ => matches!(callee.kind, ExprKind::Name(_) | ExprKind::Call(..)).then_some(callee),
        },
        ExprKind::Index(base, _) => Some(base),
        _ => None,
    }
}

/// The expressions that give a tensor, or what it is a part of, its strides.
pub(super) fn written(seen: &Seen<'_, '_>, tensor: &Expr) -> Vec<Span> {
    let mut found = Vec::new();
    let mut open: Vec<&Expr> = vec![tensor];
    for _ in 0..FOLLOWED {
        let Some(expr) = open.pop() else { break };
        match &expr.kind {
            ExprKind::Name(_) => open.extend(seen.made_of(expr)),
            ExprKind::Call(callee, _) => match of_call(seen, expr) {
                Made::Of(parts) => open.extend(parts),
                Made::Here => found.push(expr.span),
                // tensor(_, _, k)
                Made::Unknown => match &callee.kind {
                    ExprKind::Name(_) if seen.variable(callee).is_some() => open.push(callee),
                    ExprKind::Call(..) => open.push(callee),
                    _ => {}
                },
            },
            ExprKind::Construct { .. } => found.push(expr.span),
            _ => {}
        }
    }
    found.retain(|span| seen.file.contains(*span));
    found
}

/// The source of the strides of a call's result.
enum Made<'e> {
    /// Those of the arguments.
    Of(&'e [Expr]),
    /// The call writes them.
    Here,
    /// The call is of another kind.
    Unknown,
}

fn of_call<'e>(seen: &Seen<'_, '_>, call: &'e Expr) -> Made<'e> {
    let Some(called) = Called::of(call) else {
        return Made::Unknown;
    };
    let of = |place: usize| Made::Of(called.args.get(place..=place).unwrap_or_default());
    match (called.name, called.object) {
        (name, Some(_)) if PARTITIONS.contains(&name) => of(0),
        ("make_tensor", None) => Made::Of(called.args.get(1..).unwrap_or_default()),
        ("make_layout", None) => match called.args {
            [_, _] => of(1),
            _ => Made::Here,
        },
        ("make_stride", None) => Made::Here,
        ("composition", None) => Made::Of(called.args),
        ("domain_offset", None) => of(1),
        (name, None)
            if (OF_FIRST.contains(&name) || VIEWS.contains(&name))
                && seen.variable(call).is_none() =>
        {
            of(0)
        }
        _ => Made::Unknown,
    }
}
