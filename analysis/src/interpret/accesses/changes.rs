//! The variables that statements may change, by the form of the statements, and those that change elsewhere.

use tree_sitter_cute::tree::{Expr, ExprKind, Item};

use super::Walker;
use super::held::{Held, Ty};
use super::roots::{root_of, root_of_array};

/// Variables that change where their names are not written.
#[derive(Debug, Default)]
pub(super) struct ChangedElsewhere<'u> {
    /// Those that change in a way that is not followed, with the reason.
    pub(super) lost: Vec<(&'u str, &'static str)>,
    /// Those that lambdas change where they are called.
    pub(super) changed_in_lambdas: Vec<&'u str>,
    /// Arrays whose address other code has.
    pub(super) escaped: Vec<&'u str>,
}

impl ChangedElsewhere<'_> {
    /// Why the value of a variable is never known.
    pub(super) fn why(&self, name: &str) -> Option<&'static str> {
        let mut lost = self.lost.iter();
        lost.find(|(known, _)| *known == name).map(|(_, why)| *why)
    }
}

impl<'u> Walker<'_, 'u> {
    /// A value for a variable; not known where the variable changes elsewhere.
    pub(super) fn followed(&mut self, name: &str, held: Held<'u>) -> Held<'u> {
        let Some(why) = self.elsewhere.why(name) else {
            return held;
        };
        match held {
            Held::Int(term) => {
                let kind = self.out.terms.kind(term);
                Held::Int(self.unknown(why, kind))
            }
            Held::Pointer(pointer) if pointer.memory.is_some() => {
                Held::Other(why.into(), Some(Ty::Pointer(Box::new(pointer.target))))
            }
            Held::Parts(parts) => {
                let ty = parts.ty.unwrap_or(Ty::Auto);
                let held = Held::Other(why.into(), Some(ty.clone()));
                self.as_object(held, &ty)
            }
            held => held,
        }
    }
}

/// The names that statements may change.
pub(super) fn changed_in<'u>(items: &'u [Item], more: &[&'u Expr]) -> Vec<&'u str> {
    changed_by_root(items, more, root_of)
}

/// The arrays of which statements may change elements.
pub(super) fn indexed_in<'u>(items: &'u [Item], more: &[&'u Expr]) -> Vec<&'u str> {
    changed_by_root(items, more, root_of_array)
}

/// The names of what statements may change, each by the name that an expression has.
fn changed_by_root<'u>(
    items: &'u [Item],
    more: &[&'u Expr],
    name_of: fn(&'u Expr) -> Option<&'u str>,
) -> Vec<&'u str> {
    let mut names: Vec<&'u str> = Vec::new();
    let mut look = |expr: &'u Expr| {
        let target = match &expr.kind {
            ExprKind::Assign(assignment) => Some(&assignment.target),
            ExprKind::Unary(op, inner) if op.may_change() => Some(&**inner),
            _ => None,
        };
        let mut changed: Vec<&'u Expr> = target.into_iter().collect();
        if let ExprKind::Call(callee, args) = &expr.kind {
            changed.extend(args);
            // A method may change its object, and so may an object that is called.
            match &callee.kind {
                ExprKind::Member { object, .. } => changed.push(object),
                _ => changed.push(callee),
            }
        }
        for name in changed.into_iter().filter_map(name_of) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
    };
    crate::walk::expressions(items, &mut look);
    for expr in more {
        crate::walk::subexpressions(expr, &mut look);
    }
    names
}

/// The variables of which statements assign a part, or all.
pub(in crate::interpret) fn assigned_in(items: &[Item]) -> Vec<&str> {
    let mut names = Vec::new();
    crate::walk::expressions(items, &mut |expr| {
        let target = match &expr.kind {
            ExprKind::Assign(assignment) => Some(&assignment.target),
            ExprKind::Unary(op, inner) if op.may_change() => Some(&**inner),
            _ => None,
        };
        names.extend(target.and_then(root_of));
    });
    names
}
