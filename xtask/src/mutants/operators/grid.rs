//! Grids and tails.

use tree_sitter_cute::tree::{ExprKind, ItemKind, Span};

use super::words::{binding, call, dim3_args, of_call, special, swapped, text};
use super::{Change, Node};

/// `Step<_1, X, _1>` for `Step<X, _1, _1>` of a tile.
pub(super) fn other_step(node: &Node<'_>, _source: &str) -> Option<Change> {
    let (_, _, args) = call(node, &["local_tile"])?;
    let step = args.get(3)?;
    let path = match &step.kind {
        ExprKind::Construct { ty, .. } => ty.as_path()?,
        _ => return None,
    };
    let marks = path.last()?.args.as_deref()?;
    let [first, second, third] = marks else {
        return None;
    };
    let is_of_both = first.to_string() == second.to_string();
    (!is_of_both).then(|| Change {
        span: step.span,
        text: format!("Step<{second}, {first}, {third}>{{}}"),
    })
}

pub(super) fn swap_coordinates(node: &Node<'_>, source: &str) -> Option<Change> {
    let (_, _, args) = call(node, &["make_coord"])?;
    match args {
        [x, y, ..] if special(x, "blockIdx") && special(y, "blockIdx") => swapped(x, y, source),
        _ => None,
    }
}

pub(super) fn swap_grid(node: &Node<'_>, source: &str) -> Option<Change> {
    match dim3_args(binding(node)?, &["grid"])? {
        [x, y, ..] => swapped(x, y, source),
        _ => None,
    }
}

pub(super) fn floor_division(node: &Node<'_>, source: &str) -> Option<Change> {
    let args = dim3_args(binding(node)?, &["grid"])?;
    let (span, size, tile) = args.iter().find_map(|arg| {
        let mut arg = arg;
        if let Some((_, _, [inner])) = of_call(arg, &["size", "int"]) {
            arg = inner;
        }
        match of_call(arg, &["ceil_div"])? {
            (_, call, [size, tile]) => Some((call.span, size, tile)),
            _ => None,
        }
    })?;
    Some(Change {
        span,
        text: format!(
            "({}) / ({})",
            text(size.span, source),
            text(tile.span, source)
        ),
    })
}

/// `if (elem_less(..))` before a store is left out.
pub(super) fn no_predicate(node: &Node<'_>, source: &str) -> Option<Change> {
    let Node::Item(item) = node else { return None };
    let ItemKind::If(branch) = &item.kind else {
        return None;
    };
    let condition = branch.condition.as_ref()?;
    let is_of_coordinates = of_call(condition, &["elem_less"]).is_some();
    let is_for_a_store = text(item.span, source).contains('=');
    let end = source.get(condition.span.end..)?.find(')')? + condition.span.end + 1;
    (is_of_coordinates && is_for_a_store && branch.otherwise.is_none()).then(|| Change {
        span: Span::new(item.span.start, end),
        text: String::new(),
    })
}
