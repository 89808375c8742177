//! The places at which bodies change variables, found once for each body.

use std::cell::RefCell;
use std::ops::Range;
use std::rc::Rc;

use tree_sitter_cute::tree::{Expr, ExprKind, Item, Span};

use super::Seen;
use crate::hash::HashMap;
use crate::walk;

/// Changes in bodies, by the address and the length of their statements.
#[derive(Debug, Default)]
pub(super) struct KnownChanges {
    bodies: RefCell<HashMap<(*const Item, usize), Rc<Changes>>>,
}

impl KnownChanges {
    /// Those of a body of the function that is judged, or of one of its statements.
    pub(super) fn of(&self, seen: &Seen<'_, '_>, body: &[Item]) -> Rc<Changes> {
        let key = (body.as_ptr(), body.len());
        if let Some(known) = self.bodies.borrow().get(&key) {
            return Rc::clone(known);
        }
        let changes = Rc::new(Changes::in_body(seen, body));
        self.bodies.borrow_mut().insert(key, Rc::clone(&changes));
        changes
    }
}

/// The places at which a body assigns to variables, or counts them.
#[derive(Debug, Default)]
pub(super) struct Changes {
    /// By the declaration of the variable.
    of_variables: HashMap<Span, Vec<usize>>,
    /// Of variables that may be any.
    of_any: Vec<usize>,
}

impl Changes {
    fn in_body(seen: &Seen<'_, '_>, body: &[Item]) -> Self {
        let mut changes = Self::default();
        walk::expressions(body, &mut |expr| {
            let mut add = |target: &Expr| changes.add(seen, target, expr.span.start);
            match &expr.kind {
                ExprKind::Assign(assignment) => add(&assignment.target),
                ExprKind::Unary(op, target) if op.is_step() => add(target),
                ExprKind::Call(callee, args) => match &callee.kind {
                    // A `PipelineState`.
                    ExprKind::Member { object, member, .. } if member.name.name == "advance" => {
                        add(object);
                    }
                    ExprKind::Name(_) if seen.may_change_arguments(callee) => {
                        args.iter()
                            .enumerate()
                            .filter(|(_, arg)| arg.as_plain_name().is_some())
                            .filter(|(place, _)| !seen.is_by_value(callee, *place))
                            .for_each(|(_, arg)| add(arg));
                    }
                    _ => {}
                },
                _ => {}
            }
        });
        changes
    }

    fn add(&mut self, seen: &Seen<'_, '_>, target: &Expr, place: usize) {
        let Some(variable) = seen.variable(target) else {
            return;
        };
        let (all, may_be_any) = seen.given(variable);
        for declared in all {
            self.of_variables.entry(declared).or_default().push(place);
        }
        if may_be_any {
            self.of_any.push(place);
        }
    }

    /// Whether the variable declared at a place is changed within some bytes.
    pub(super) fn has(&self, declared: Span, within: &Range<usize>) -> bool {
        let places = self.of_variables.get(&declared).into_iter().flatten();
        places
            .chain(&self.of_any)
            .any(|place| within.contains(place))
    }
}
