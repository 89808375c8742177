//! Calls by their names, in the order of the source, and the branches that decide on them.

use tree_sitter_cute::tree::{Expr, ExprKind, Item, ItemKind, Span};

use super::Seen;
use crate::walk;

/// A call of a function or method.
#[derive(Debug, Clone, Copy)]
pub(super) struct Called<'u> {
    /// The last name of the callee.
    pub(super) name: &'u str,
    /// The call.
    pub(super) call: &'u Expr,
    /// Its arguments.
    pub(super) args: &'u [Expr],
    /// The object of a method call.
    pub(super) object: Option<&'u Expr>,
}

impl<'u> Called<'u> {
    /// The call of a function by name in an expression.
    pub(super) fn of(call: &'u Expr) -> Option<Self> {
        let ExprKind::Call(callee, args) = &call.kind else {
            return None;
        };
        let (name, object) = match &callee.kind {
            ExprKind::Name(path) => (&path.last()?.name.name, None),
            ExprKind::Member { object, member, .. } => (&member.name.name, Some(&**object)),
            _ => return None,
        };
        Some(Self {
            name,
            call,
            args,
            object,
        })
    }

    /// The number that is the only template argument: `warpgroup_wait<1>()`.
    pub(super) fn static_argument(&self) -> Option<i64> {
        let ExprKind::Call(callee, _) = &self.call.kind else {
            return None;
        };
        match callee.as_path()?.last()?.args.as_deref()? {
            [only] => match only.kind {
                ExprKind::Int(number) => Some(number),
                _ => None,
            },
            _ => None,
        }
    }

    /// The span of the call.
    pub(super) fn span(&self) -> Span {
        self.call.span
    }
}

/// All calls in some statements.
pub(super) fn calls(items: &[Item]) -> Vec<Called<'_>> {
    let mut found = Vec::new();
    walk::expressions(items, &mut |expr| found.extend(Called::of(expr)));
    found
}

/// The branches, loops and switches of a function around a place, the outermost first.
pub(super) fn around<'u>(seen: &Seen<'_, 'u>, place: Span) -> Vec<&'u Item> {
    let mut found = Vec::new();
    walk::items(seen.run.body(), &mut |item| {
        let decides = matches!(
            item.kind,
            ItemKind::If(_) | ItemKind::Loop(_) | ItemKind::Switch(_) | ItemKind::Conditional(_)
        );
        if decides && item.span.encloses(place) {
            found.push(item);
        }
    });
    found
}

/// Whether whoever comes to a later place has come by an earlier one: all that decides on the earlier one is around
/// both, in the same branch.
pub(super) fn is_on_the_way(seen: &Seen<'_, '_>, earlier: Span, later: Span) -> bool {
    earlier.end <= later.start
        && around(seen, earlier).iter().all(|item| {
            if !item.span.encloses(later) {
                return false;
            }
            match &item.kind {
                ItemKind::If(branch) => {
                    let is_in = |items: &[Item], place: Span| {
                        items.iter().any(|item| item.span.encloses(place))
                    };
                    let otherwise = branch.otherwise.as_deref().unwrap_or_default();
                    is_in(&branch.then, earlier) == is_in(&branch.then, later)
                        && is_in(otherwise, earlier) == is_in(otherwise, later)
                }
                ItemKind::Loop(_) => true,
                _ => false,
            }
        })
}
