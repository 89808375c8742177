//! Tensors that are laid on the same shared memory: a transposed tensor of the same elements is read where they are.

use tree_sitter_cute::tree::{Expr, Span};

use super::super::{Seen, extents};
use super::{Done, Stopped, Thread, View};
use crate::origin::Root;
use crate::tensor::Tensor;
use crate::trace::{Action, ActionKind, Address, Base};
use crate::value::Value;

impl<'u> Thread<'_, '_, 'u> {
    /// The view of a new tensor: that of the tensor that was laid on its memory before, if there is one.
    pub(super) fn on_same_memory(&mut self, init: &'u Expr, own: View) -> Done<View> {
        let address = laying(self.seen, init.span).and_then(|laid| laid.address.as_ref());
        let before = address.and_then(|address| {
            let is_here = |other: &Action<'_>| {
                let other = other.address.as_ref();
                other.is_some_and(|other| {
                    (&other.base, other.start) == (&address.base, address.start)
                })
            };
            let mut laid = self.laid.iter();
            laid.find(|(call, _)| laying(self.seen, *call).is_some_and(is_here))
        });
        let view = match before {
            // Stages of another kind are not followed.
            Some((_, before))
                if (before.is_staged, before.stages) != (own.is_staged, own.stages) =>
            {
                return Err(Stopped);
            }
            Some((_, before)) => *before,
            None => own,
        };
        self.laid.push((init.span, view));
        Ok(view)
    }
}

/// The action that lays a tensor on shared memory, by its call.
fn laying<'s, 'u>(seen: &'s Seen<'_, 'u>, call: Span) -> Option<&'s Action<'u>> {
    let mut actions = seen.run.actions.iter();
    actions.find(|action| action.kind == ActionKind::Lay && action.span() == call)
}

/// Whether no other tensor of shared memory may share a part of the memory of a tensor, besides those that begin where it
/// does.
pub(in crate::cost) fn is_alone(seen: &Seen<'_, '_>, tensor: Span) -> bool {
    let Some(init) = seen.declared.initialiser(tensor) else {
        return false;
    };
    let Some(own) = laying(seen, init.span) else {
        return false;
    };
    let laid = seen
        .run
        .everything()
        .filter(|action| action.kind == ActionKind::Lay);
    let others = laid.filter(|other| !std::ptr::eq(*other, own));
    let own = own.address.as_ref().zip(tensor_of(own));
    others
        .map(|other| other.address.as_ref().zip(tensor_of(other)))
        .all(|other| {
            own.zip(other)
                .is_some_and(|(own, other)| are_apart(own, other))
        })
}

fn tensor_of<'s>(laid: &'s Action<'_>) -> Option<&'s Tensor> {
    match &laid.result {
        Value::Tensor(tensor) => Some(tensor),
        _ => None,
    }
}

/// Whether two tensors begin at the same byte, or have no byte in common.
fn are_apart((one, first): (&Address, &Tensor), (other, second): (&Address, &Tensor)) -> bool {
    if one.base != other.base {
        // The object of a class may be anywhere.
        let is_anywhere =
            |address: &Address| matches!(&address.base, Base::Object(Root::Record(_)));
        return !is_anywhere(one) && !is_anywhere(other);
    }
    let end = |address: &Address, tensor: &Tensor| {
        let bits = extents::elements(tensor)?.checked_mul(i64::from(tensor.engine.bits()?))?;
        address.start.checked_add(bits)
    };
    one.start == other.start
        || end(one, first).is_some_and(|end| end <= other.start)
        || end(other, second).is_some_and(|end| end <= one.start)
}
