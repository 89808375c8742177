//! Edits of the layout that a tensor is made with: atoms of shared memory that the tensor core reads,
//! swizzles and padding that free a warp of bank conflicts.

use cute_algebra::{Layout, Swizzle};
use cute_hardware::SmemAtom;
use tree_sitter_cute::tree::{Expr, ExprKind, Span};

use super::Origins;
use super::candidates::Candidate;
use super::spelling::{self, CppForm, layout_in_cpp};
use crate::fact::Analysis;
use crate::finding::{Edit, Finding};
use crate::value::Value;

/// Names and calls that are followed.
const STEPS: usize = 24;

/// The place of the layout of a tensor.
pub(super) struct Source<'e> {
    pub(super) expr: &'e Expr,
    /// A type rather than a value.
    pub(super) is_type: bool,
    /// The name that is declared with it, the nearest one.
    declared: Option<Span>,
}

/// Layouts that the finding calls legal, each in the place of the one that the operand is made with.
pub(super) fn candidates(
    finding: &Finding,
    operand: &Expr,
    origins: &Origins<'_>,
    before: &Analysis,
    text: &str,
) -> Vec<Candidate> {
    let Some(source) = layout_of(operand, origins) else {
        return Vec::new();
    };
    let Some(layout) = value_of(&source, before) else {
        return Vec::new();
    };
    let written = source.expr.span.text(text);
    let found = finding.legal.iter().filter_map(|legal| {
        let (title, value) = proposal(legal, &layout, written, source.is_type)?;
        let new_text = if source.is_type {
            format!("decltype({value})")
        } else {
            value
        };
        let edit = Edit {
            span: source.expr.span,
            new_text,
        };
        Some(Candidate {
            edits: vec![edit],
            title: Some(title),
            legal: None,
        })
    });
    found.collect()
}

/// The replacement of a layout, in words and in C++.
fn proposal(
    legal: &str,
    layout: &Layout,
    written: &str,
    is_type: bool,
) -> Option<(String, String)> {
    if SmemAtom::named(legal).is_ok() {
        let extents: Vec<i64> = layout
            .view()
            .modes()
            .map(|mode| mode.size().ok()?.value())
            .collect::<Option<_>>()?;
        let shape: Vec<String> = extents.iter().map(|n| format!("Int<{n}>{{}}")).collect();
        let tiled = format!(
            "tile_to_shape({legal}{{}}, make_shape({}))",
            shape.join(", ")
        );
        return Some((format!("Tile it with {legal}"), tiled));
    }
    if let Ok(swizzle) = legal.parse::<Swizzle>() {
        let function = spelling::swizzle(swizzle);
        let value = if is_type {
            format!("{written}{{}}")
        } else {
            written.to_owned()
        };
        return Some((
            format!("Swizzle it: {function}"),
            format!("composition({function}{{}}, {value})"),
        ));
    }
    let padded: Layout = legal.parse().ok()?;
    let value = layout_in_cpp(&padded, CppForm::Type)?;
    Some((format!("Pad it: {padded}"), format!("{value}{{}}")))
}

/// The layout that is written at a place, if all of it is static.
pub(super) fn value_of(source: &Source<'_>, before: &Analysis) -> Option<Layout> {
    let here = before
        .mentions()
        .iter()
        .find(|mention| mention.span == source.expr.span);
    let declared = before
        .facts
        .iter()
        .find(|fact| Some(fact.name_span) == source.declared);
    let value = here
        .map(|mention| &mention.value)
        .or(declared.map(|fact| &fact.value))?;
    match &**value {
        Value::Layout(layout) if layout.is_static() => Some(Layout::clone(layout)),
        _ => None,
    }
}

/// The expression of the layout that a tensor, or a part of one, is made with.
pub(super) fn layout_of<'e>(operand: &'e Expr, origins: &Origins<'e>) -> Option<Source<'e>> {
    let (mut at, mut is_type, mut declared) = (operand, false, None);
    for _ in 0..STEPS {
        at = match &at.kind {
            ExprKind::Name(path) => {
                let name = path.last()?;
                match origins.initialiser(name.name.span) {
                    Some((place, init)) if name.args.is_none() => {
                        declared = Some(place);
                        init
                    }
                    // `Layout<Shape<_8,_8>>`, a type by itself.
                    _ if name.args.is_some() => break,
                    _ => return None,
                }
            }
            ExprKind::Call(callee, args) => match made_from(callee, args, origins) {
                Some(inner) => inner,
                None => break,
            },
            ExprKind::Construct { ty, args, .. } if args.is_empty() => match &ty.kind {
                ExprKind::Name(path) if path.last()?.args.is_none() => {
                    is_type = true;
                    ty
                }
                _ => break,
            },
            ExprKind::Decltype(inner) => {
                is_type = false;
                inner
            }
            _ => break,
        };
    }
    Some(Source {
        expr: at,
        is_type,
        declared,
    })
}

/// The source of the layout of a call's result: the layout of a new tensor, the tensor that is partitioned or sliced.
/// Nothing for a call that makes a layout.
fn made_from<'e>(callee: &'e Expr, args: &'e [Expr], origins: &Origins<'e>) -> Option<&'e Expr> {
    let name = match &callee.kind {
        ExprKind::Name(path) => path.last()?,
        ExprKind::Member { member, .. } => member,
        _ => return None,
    };
    match (name.name.name.as_str(), args) {
        ("make_tensor", [_, layout]) => Some(layout),
        (
            "partition_A"
            | "partition_B"
            | "partition_C"
            | "partition_S"
            | "partition_D"
            | "as_position_independent_swizzle_tensor"
            | "group_modes",
            [tensor, ..],
        ) => Some(tensor),
        // `sA(_,_,0)`.
        _ => origins.initialiser(name.name.span).map(|_| callee),
    }
}
