//! Nodes that the operators look for in a tree, and the pieces of text that they make.

use tree_sitter_cute::tree::{Binding, Expr, ExprKind, Item, ItemKind, Segment, Span};

use super::{Change, Node};

/// The text of a node.
pub(super) fn text(span: Span, source: &str) -> &str {
    span.text(source)
}

/// A change of an expression to `before`, itself in parentheses and `after`.
pub(super) fn wrapped(expr: &Expr, source: &str, before: &str, after: &str) -> Change {
    Change {
        span: expr.span,
        text: format!("{before}({}){after}", text(expr.span, source)),
    }
}

/// The text with only its line breaks left: the text behind keeps its line.
pub(super) fn removed(item: &Item, source: &str) -> Change {
    let breaks: String = text(item.span, source)
        .chars()
        .filter(|c| *c == '\n')
        .collect();
    Change {
        span: item.span,
        text: format!(";{breaks}"),
    }
}

/// A call of a function or method of this name, with its last segment.
pub(super) fn call<'t>(
    node: &Node<'t>,
    names: &[&str],
) -> Option<(&'t Segment, &'t Expr, &'t [Expr])> {
    let Node::Expr(expr) = node else { return None };
    of_call(expr, names)
}

pub(super) fn of_call<'t>(
    expr: &'t Expr,
    names: &[&str],
) -> Option<(&'t Segment, &'t Expr, &'t [Expr])> {
    let ExprKind::Call(callee, args) = &expr.kind else {
        return None;
    };
    let segment = match &callee.kind {
        ExprKind::Name(path) => path.last()?,
        ExprKind::Member { member, .. } => member,
        _ => return None,
    };
    names
        .contains(&segment.name.name.as_str())
        .then_some((segment, expr, args.as_slice()))
}

/// A statement that calls one of these functions is removed.
pub(super) fn without(node: &Node<'_>, source: &str, names: &[&str]) -> Option<Change> {
    let Node::Item(item) = node else { return None };
    let ItemKind::Expr(expr) = &item.kind else {
        return None;
    };
    of_call(expr, names)?;
    Some(removed(item, source))
}

pub(super) fn binding<'t>(node: &Node<'t>) -> Option<&'t Binding> {
    match node {
        Node::Item(item) => match &item.kind {
            ItemKind::Binding(binding) => Some(binding),
            _ => None,
        },
        Node::Expr(_) => None,
    }
}

/// The last segment of a name, with its template arguments.
pub(super) fn named<'t>(expr: &'t Expr, names: &[&str]) -> Option<&'t [Expr]> {
    let segment = expr.as_path()?.last()?;
    let is_one = names.contains(&segment.name.name.as_str());
    is_one.then_some(segment.args.as_deref()).flatten()
}

pub(super) fn swapped(one: &Expr, other: &Expr, source: &str) -> Option<Change> {
    let between = source.get(one.span.end..other.span.start)?;
    let (one_text, other_text) = (text(one.span, source), text(other.span, source));
    (one_text != other_text).then(|| Change {
        span: one.span.to(other.span),
        text: format!("{other_text}{between}{one_text}"),
    })
}

/// `blockIdx.x`.
pub(super) fn special(expr: &Expr, variable: &str) -> bool {
    match &expr.kind {
        ExprKind::Member { object, .. } => object.as_plain_name() == Some(variable),
        _ => false,
    }
}

pub(super) fn named_type(binding: &Binding, name: &str) -> Option<()> {
    let segment = binding.ty.as_ref()?.as_path()?.last()?;
    (segment.name.name == name).then_some(())
}

/// The arguments of a variable of type `dim3` whose name has one of these words.
pub(super) fn dim3_args<'t>(binding: &'t Binding, names: &[&str]) -> Option<&'t [Expr]> {
    let name = binding.name.as_ref()?.name.to_lowercase();
    if !names.iter().any(|part| name.contains(part)) {
        return None;
    }
    named_type(binding, "dim3")?;
    match &binding.init.as_ref()?.kind {
        ExprKind::Construct { args, .. } | ExprKind::Call(_, args) | ExprKind::Braced(args) => {
            Some(args)
        }
        _ => None,
    }
}
