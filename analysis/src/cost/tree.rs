//! From an expression to the names behind it.

use std::ops::Range;

use tree_sitter_cute::tree::{Expr, ExprKind, Item, Reference, Span};

use super::Seen;
use crate::finding::Related;
use crate::trace::{Action, ActionKind};
use crate::vocabulary;
use crate::walk;

/// Initialisers that are followed from one variable to the next.
const FOLLOWED: usize = 16;

/// The name that a call is called by.
pub(super) fn callee_name(call: &Expr) -> Span {
    let ExprKind::Call(callee, _) = &call.kind else {
        return call.span;
    };
    match &callee.kind {
        ExprKind::Name(path) => path.last().map_or(callee.span, |segment| segment.name.span),
        ExprKind::Member { member, .. } => member.name.span,
        _ => callee.span,
    }
}

/// The anchor of an action: the word that is called.
pub(super) fn anchor(action: &Action<'_>) -> Span {
    callee_name(action.call)
}

impl<'u> Seen<'_, 'u> {
    /// The declaration of the variable that an expression is, slices or points to: `t`, `t(_,k)`, `&t`, `t[i]`,
    /// `t.data()`.
    pub(super) fn variable(&self, expr: &Expr) -> Option<Span> {
        match &expr.kind {
            ExprKind::Name(path) => {
                let name = path.last()?.name.span;
                self.output.declarations.get(&name).copied()
            }
            ExprKind::Call(callee, args) => match &callee.kind {
                // A slice, not the call of a function: that has no declared value.
                ExprKind::Name(_) => self.variable(callee),
                ExprKind::Member { object, .. } if args.is_empty() => self.variable(object),
                _ => None,
            },
            ExprKind::Unary(_, inner) | ExprKind::Cast(_, _, inner) => self.variable(inner),
            ExprKind::Index(base, _) => self.variable(base),
            _ => None,
        }
    }

    /// The first launch of the kernel, where it is in the file: it decides how many threads there are.
    pub(super) fn launched_here(&self) -> Option<Related> {
        let launch = self.run.launches.first()?;
        self.file.contains(launch.span).then(|| Related {
            span: launch.span,
            message: "launched here".to_owned(),
        })
    }

    /// Whether an expression is something that the function does, itself or by others.
    pub(super) fn is_action(&self, expr: &Expr) -> bool {
        let mut actions = self.run.everything();
        actions.any(|action| action.kind != ActionKind::Handover && action.span() == expr.span)
    }

    /// A wait that leaves some groups of copies open, as the source writes it.
    pub(super) fn wait_for_groups(&self, open: i64) -> String {
        if self.is_of_dsl {
            format!("cp_async_wait_group({open})")
        } else {
            format!("cp_async_wait<{open}>")
        }
    }

    /// The number of a constant that is written out: `Traits::kStages`, `size<2>(tensor)`.
    pub(super) fn constant(&self, expr: &Expr) -> Option<i64> {
        self.run.constants.number(expr.span)
    }

    /// The initialiser of the variable declared at a place, or the argument of the parameter.
    pub(super) fn initialiser(&self, declared: Span) -> Option<&'u Expr> {
        match self.run.arguments.get(&declared) {
            Some(given) => given.and_then(|(argument, _)| argument),
            None => self.declared.initialiser(declared),
        }
    }

    /// The expression that a variable or parameter is made of: its initialiser, the argument of a call, or that of the
    /// launch.
    pub(super) fn made_of<'e>(&'e self, name: &Expr) -> Option<&'e Expr> {
        let declared = self.variable(name)?;
        match self.initialiser(declared) {
            Some(init) => Some(init),
            None => self.launched_with(declared),
        }
    }

    /// The argument of a parameter at the only launch of a kernel.
    fn launched_with(&self, declared: Span) -> Option<&Expr> {
        let mut params = self.run.function.params.iter();
        let place = params.position(|param| {
            let name = param.name.as_ref();
            name.is_some_and(|name| name.span == declared)
        })?;
        let [launch] = self.run.launches.as_slice() else {
            return None;
        };
        let mut found = None;
        walk::expressions(&self.file.unit().items, &mut |expr| {
            if let ExprKind::Launch { args, .. } = &expr.kind
                && expr.span == launch.span
            {
                found = args.get(place);
            }
        });
        found
    }

    /// The bodies in which things are done: that of the function, and those of functions that it gives its
    /// memory to.
    pub(super) fn bodies(&self) -> impl Iterator<Item = &'u [Item]> {
        let followed = self.run.bodies.iter();
        std::iter::once(self.run.body())
            .chain(followed.map(|function| function.body.as_deref().unwrap_or_default()))
    }

    /// Whether two calls give a parameter two things.
    pub(super) fn is_ambiguous(&self, declared: Span) -> bool {
        matches!(self.run.arguments.get(&declared), Some(None))
    }

    /// A variable, and those that it is given as a reference or a copy; whether it may be any besides.
    pub(super) fn given(&self, variable: Span) -> (Vec<Span>, bool) {
        let mut all = vec![variable];
        let mut variable = variable;
        while all.len() <= FOLLOWED {
            match self.run.arguments.get(&variable) {
                Some(Some((_, Some(given)))) => variable = *given,
                Some(None) => return (all, true),
                _ => return (all, false),
            }
            all.push(variable);
        }
        (all, true)
    }

    /// Whether the variable declared at a place may be assigned to on the way from one action to another.
    pub(super) fn is_assigned_between(
        &self,
        declared: Span,
        first: &Action<'_>,
        second: &Action<'_>,
    ) -> bool {
        let mut on_the_way = first.chain().zip(second.chain()).enumerate();
        let Some((level, (from, to))) = on_the_way.find(|(_, (first, second))| first != second)
        else {
            return false;
        };
        let within = from.end.min(to.end)..from.start.max(to.start);
        // Assignments of callees come at the time of their calls.
        let here = match level.checked_sub(1) {
            Some(outer) => first.calls.get(outer).map(|call| call.function),
            None => Some(self.run.function),
        };
        let in_callee = self.run.bodies.iter().any(|function| {
            let is_here = here.is_some_and(|here| std::ptr::eq(here, *function));
            let body = function.body.as_deref().unwrap_or_default();
            !is_here && self.assigns(body, declared, 0..usize::MAX)
        });
        in_callee || self.is_assigned(declared, within)
    }

    /// Whether the variable declared at a place is assigned to, or counted, in a piece of the function.
    pub(super) fn is_assigned(&self, declared: Span, within: Range<usize>) -> bool {
        self.bodies()
            .any(|body| self.assigns(body, declared, within.clone()))
    }

    /// The same of one body.
    fn assigns(&self, body: &[Item], declared: Span, within: Range<usize>) -> bool {
        self.found.changes.of(self, body).has(declared, &within)
    }

    /// Whether the variable declared at a place is assigned to, or counted, in some statements.
    pub(super) fn assigns_in(&self, items: &[Item], declared: Span) -> bool {
        self.assigns(items, declared, 0..usize::MAX)
    }

    /// Whether a callee may take its arguments by reference: a function of the library does not, and for a followed one
    /// it is known.
    pub(super) fn may_change_arguments(&self, callee: &Expr) -> bool {
        let segment = callee.as_path().and_then(|path| path.last());
        segment.is_some_and(|segment| {
            let name = &segment.name.name;
            let mut followed = self.run.bodies.iter();
            let mut actions = self.run.everything();
            // What is done at a barrier changes the barrier; outputs of assembly have an operator in front.
            let is_at_barrier = |action: &Action<'_>| {
                action.has_barrier && action.span().start == callee.span.start
            };
            self.variable(callee).is_none()
                && name != "asm"
                && !actions.any(is_at_barrier)
                && vocabulary::function(name).is_none()
                && !vocabulary::is_type_name(name)
                && !name.starts_with("__")
                && !followed.any(|function| function.name.name == *name)
        })
    }

    /// Whether all functions of the file that a callee may be take an argument by value, or do not change it.
    pub(super) fn is_by_value(&self, callee: &Expr, place: usize) -> bool {
        let segment = callee.as_path().and_then(|path| path.last());
        let functions = segment.map(|segment| self.declared.functions(&segment.name.name));
        let functions = functions.unwrap_or_default();
        !functions.is_empty()
            && functions.iter().all(|function| {
                function.params.get(place).is_some_and(|param| {
                    param.reference == Reference::None
                        || param.reference == Reference::Lvalue && param.specifiers.constant
                })
            })
    }

    /// The name declared at a place, as it is written.
    pub(super) fn written(&self, span: Span) -> &str {
        self.file.slice(span)
    }

    /// An expression with variables replaced by their initialisers.
    pub(super) fn resolved(&self, expr: &'u Expr) -> &'u Expr {
        let mut expr = expr;
        for _ in 0..FOLLOWED {
            let next = match &expr.kind {
                ExprKind::Cast(_, _, inner) => Some(&**inner),
                ExprKind::Construct { args, .. } => match args.as_slice() {
                    [only] => Some(only),
                    _ => None,
                },
                ExprKind::Name(_) => self
                    .variable(expr)
                    .and_then(|declared| self.initialiser(declared)),
                _ => None,
            };
            match next {
                Some(next) => expr = next,
                None => break,
            }
        }
        expr
    }
}
