//! Tiles that one thread stores by TMA while threads of other warps may still write them: a proxy fence does not order
//! threads.

use super::{Access, Use, name_of};
use crate::cost::order::{self, Passage};
use crate::cost::thread_sets::{self, Asked};
use crate::cost::{Seen, races};
use crate::finding::{Finding, Number, Related, Severity};
use crate::origin::{Index, Place, Root};
use crate::tensor::Space;
use crate::trace::Deed;
use crate::value::Value;

/// Threads of a warp.
const WARP: i64 = 32;

/// The order of a write and a store of one tile with no barrier on the way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Clash {
    /// The tile is stored before it is written.
    Early,
    /// It is written again, in the next pass of a loop, before it is stored.
    Late,
}

/// A write of the threads of one warp and a store by a thread of another one, with no barrier between them.
pub(super) fn judge(
    seen: &Seen<'_, '_>,
    write: &Access<'_, '_>,
    store: &Access<'_, '_>,
) -> Option<Finding> {
    if write.kind != Use::Written || store.kind != Use::Stored || !is_whole(seen, store) {
        return None;
    }
    let clash = clash(seen, write, store)?;
    let writers = thread_sets::coming(seen, write.action, &|_| false)?;
    let storing = thread_sets::coming(seen, store.action, &|_| false)?;
    let storing = storing.iter().next()?;
    let mut others = writers.iter().filter(|writer| {
        writer / WARP != storing / WARP && is_in_same_row(seen, &store.place, (*writer, storing))
    });
    let writer = others.next()?;
    let name = name_of(seen, &store.place)?;
    let (message, at, other, what) = match clash {
        Clash::Early => (
            format!(
                "thread {writer} writes {name}, TMA stores it for thread {storing}, and no barrier is between them"
            ),
            store,
            write,
            "written here",
        ),
        Clash::Late => (
            format!(
                "thread {writer} overwrites {name}, which TMA may still read for thread {storing}: no barrier"
            ),
            write,
            store,
            "stored here",
        ),
    };
    Some(Finding {
        numbers: vec![
            ("writer".to_owned(), Number::Integer(writer)),
            ("reader".to_owned(), Number::Integer(storing)),
        ],
        related: vec![Related {
            span: other.action.span(),
            message: what.to_owned(),
        }],
        ..seen.finding("shared-race", Severity::Error, at.action.span(), message)
    })
}

/// Whether a store is of all elements of the only tensor that is laid on the memory, which all threads share.
fn is_whole(seen: &Seen<'_, '_>, store: &Access<'_, '_>) -> bool {
    let is_shared = match store.place.root {
        Root::Record(_) | Root::Byte { .. } => true,
        Root::Variable(_) => {
            let mut shared = seen.run.shared.iter();
            shared.any(|object| object.root == store.place.root)
        }
    };
    let mut laid = seen
        .run
        .reached(Deed::Lay)
        .filter_map(|laid| match &laid.result {
            Value::Tensor(tensor) if tensor.engine.space == Space::Shared => Some(tensor),
            _ => None,
        });
    let mut of_place = laid.by_ref().filter(|tensor| {
        let origin = tensor.engine.origin.0.as_ref();
        origin.is_none_or(|other| other.array() == store.place.array())
    });
    let (first, second) = (of_place.next(), of_place.next());
    is_shared
        && second.is_none()
        && store.bytes.is_some()
        && first.and_then(|tensor| super::bytes(tensor)) == store.bytes
}

fn clash(seen: &Seen<'_, '_>, write: &Access<'_, '_>, store: &Access<'_, '_>) -> Option<Clash> {
    let is_open = |passage: Option<Passage>| {
        passage.is_some_and(|passage| !passage.may_pass(seen, races::BARRIERS))
    };
    let (from, to) = (write.action, store.action);
    if is_open(order::forward_of_a_thread(seen, from, to)) {
        return Some(Clash::Early);
    }
    let is_in_loop = to.loops().iter().any(|(_, trips)| *trips != Some(1));
    let is_late = is_in_loop
        && !matches!(store.place.index, Some(Index::Variable(_)))
        && from.span().start < to.span().start
        && is_open(order::around_of_a_thread(seen, to, from));
    is_late.then_some(Clash::Late)
}

/// Whether two threads mean the same row of an array by its index.
fn is_in_same_row(seen: &Seen<'_, '_>, place: &Place, (one, other): (i64, i64)) -> bool {
    match &place.index {
        None | Some(Index::Known(_)) => true,
        Some(Index::Variable(declared)) => {
            let binding = seen.declared.binding(*declared);
            let is_constant = binding.is_some_and(|it| it.specifiers.constant);
            let Some(init) = seen.initialiser(*declared).filter(|_| is_constant) else {
                return false;
            };
            let row = |thread| Asked::number(seen, thread, init);
            row(one).is_some() && row(one) == row(other)
        }
        Some(Index::Other(_)) => false,
    }
}
