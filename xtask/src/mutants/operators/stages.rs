//! Stages, barriers and columns by their numbers.

use tree_sitter_cute::tree::{BinaryOp, ExprKind, ItemKind, UnaryOp};

use super::words::{binding, call, named, text, wrapped};
use super::{Change, Node};

/// The index of a slice `tensor(_, _, stage)` that is a variable.
pub(super) fn next_stage(node: &Node<'_>, source: &str) -> Option<Change> {
    let Node::Expr(expr) = node else { return None };
    let ExprKind::Call(callee, args) = &expr.kind else {
        return None;
    };
    callee.as_plain_name()?;
    let (last, rest) = args.split_last()?;
    let is_slice = !rest.is_empty() && rest.iter().all(|arg| arg.as_plain_name() == Some("_"));
    let name = last.as_plain_name()?;
    (is_slice && (name.contains("pipe") || name.contains("stage")))
        .then(|| wrapped(last, source, "", " + 1"))
}

pub(super) fn late_wrap(node: &Node<'_>, source: &str) -> Option<Change> {
    let Node::Expr(expr) = node else { return None };
    let ExprKind::Ternary(condition, zero, _) = &expr.kind else {
        return None;
    };
    let ExprKind::Binary(BinaryOp::Eq, _, last) = &condition.kind else {
        return None;
    };
    matches!(zero.kind, ExprKind::Int(0)).then(|| wrapped(last, source, "", " + 1"))
}

pub(super) fn more_stages(node: &Node<'_>, source: &str) -> Option<Change> {
    let Node::Expr(expr) = node else { return None };
    let args = named(expr, &["PipelineState"])?;
    Some(wrapped(args.first()?, source, "(", " + 1)"))
}

/// `for (int k = 0; k < MAX - 1; ++k)` goes once more.
pub(super) fn more_prefetch(node: &Node<'_>, source: &str) -> Option<Change> {
    let Node::Item(item) = node else { return None };
    let ItemKind::Loop(repeat) = &item.kind else {
        return None;
    };
    let ExprKind::Binary(BinaryOp::Lt, index, bound) = &repeat.condition.as_ref()?.kind else {
        return None;
    };
    let name = index.as_plain_name()?;
    (name.contains("pipe") || name.contains("stage")).then(|| wrapped(bound, source, "", " + 1"))
}

/// `(i + 1) % N` goes to N.
pub(super) fn larger_rest(node: &Node<'_>, source: &str) -> Option<Change> {
    let Node::Expr(expr) = node else { return None };
    let ExprKind::Binary(BinaryOp::Rem, counted, number) = &expr.kind else {
        return None;
    };
    let counted = text(counted.span, source);
    let is_stage = ["stage", "pipe", "read", "write"]
        .iter()
        .any(|word| counted.contains(word));
    (is_stage && !counted.contains("thread")).then(|| wrapped(number, source, "(", " + 1)"))
}

/// `int stage = 0` begins with 1.
pub(super) fn later_start(node: &Node<'_>, _source: &str) -> Option<Change> {
    let binding = binding(node)?;
    let name = binding.name.as_ref()?.name.as_str();
    let init = binding.init.as_ref()?;
    let is_stage = (name.contains("pipe") || name.contains("stage")) && name.contains("read");
    matches!(init.kind, ExprKind::Int(0))
        .then(|| Change {
            span: init.span,
            text: "1".to_owned(),
        })
        .filter(|_| is_stage)
}

pub(super) fn next_barrier(node: &Node<'_>, source: &str) -> Option<Change> {
    let Node::Expr(expr) = node else { return None };
    let ExprKind::Unary(UnaryOp::AddressOf, element) = &expr.kind else {
        return None;
    };
    let ExprKind::Index(array, indices) = &element.kind else {
        return None;
    };
    let is_barrier = text(array.span, source).contains("bar");
    let index = indices.first().filter(|_| is_barrier)?;
    Some(wrapped(index, source, "", " + 1"))
}

pub(super) fn odd_columns(node: &Node<'_>, source: &str) -> Option<Change> {
    let (_, _, args) = call(node, &["allocate"])?;
    match args {
        [columns, _] => Some(wrapped(columns, source, "", " - 32")),
        _ => None,
    }
}

pub(super) fn other_columns_freed(node: &Node<'_>, source: &str) -> Option<Change> {
    let (_, _, args) = call(node, &["free"])?;
    match args {
        [_, columns] => Some(wrapped(columns, source, "", " / 2")),
        _ => None,
    }
}
