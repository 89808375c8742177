//! Tiles that one thread stores by TMA while threads of other warps may still write them: a proxy fence does not order
//! threads.

use tree_sitter_cute::tree::{Expr, ExprKind};

use super::{Access, laid_on, name_of};
use crate::cost::order::{self, Passage};
use crate::cost::thread_sets::{self, Asked};
use crate::cost::threads::WARP;
use crate::cost::{Seen, races};
use crate::finding::{Finding, Number, Related, Severity};
use crate::origin::{Index, Place, Root};
use crate::trace::Base;
use crate::walk;

/// Members, casts and calls that are followed from a pointer to the variable that it comes from.
const FOLLOWED: usize = 16;

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
    if !is_whole(seen, store) {
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

/// Whether a store is of all elements of the only tensor that is laid on the memory, and all threads mean the same memory
/// by its place.
fn is_whole(seen: &Seen<'_, '_>, store: &Access<'_, '_>) -> bool {
    let mut laid = laid_on(seen, &store.place);
    let (Some((only, tensor)), None) = (laid.next(), laid.next()) else {
        return false;
    };
    // Of an object of a class only the members have addresses.
    let is_known = only
        .address
        .as_ref()
        .is_some_and(|address| !matches!(address.base, Base::Object(Root::Record(_))));
    (is_known
        || only
            .args
            .first()
            .is_some_and(|of| is_of_one_object(seen, of)))
        && store.bytes.is_some()
        && super::bytes(tensor) == store.bytes
}

/// Whether a pointer, `make_smem_ptr(smem.tile[group])`, is to an array or a row of it in an object that is one for all
/// threads: no call, sum or index leads to the object.
fn is_of_one_object(seen: &Seen<'_, '_>, pointer: &Expr) -> bool {
    let mut expr = pointer;
    let mut may_be_row = true;
    for _ in 0..FOLLOWED {
        expr = match &expr.kind {
            ExprKind::Name(_) => {
                let made = seen.variable(expr).and_then(|it| seen.initialiser(it));
                let mut is_chosen = false;
                if let Some(made) = made {
                    walk::subexpressions(made, &mut |part| is_chosen |= chooses(part));
                }
                return !is_chosen;
            }
            ExprKind::Index(array, _) if may_be_row => {
                may_be_row = false;
                array
            }
            ExprKind::Member { object, .. } => {
                may_be_row = false;
                object
            }
            ExprKind::Cast(_, _, inner) | ExprKind::Unary(_, inner) => inner,
            ExprKind::Call(callee, args) => match (&callee.kind, args.as_slice()) {
                (ExprKind::Member { object, .. }, []) => object,
                (_, [only]) => only,
                _ => return false,
            },
            _ => return false,
        };
    }
    false
}

/// Whether a part of an initialiser may lead to another object in each thread.
fn chooses(part: &Expr) -> bool {
    matches!(
        part.kind,
        ExprKind::Call(..) | ExprKind::Index(..) | ExprKind::Binary(..) | ExprKind::Ternary(..)
    )
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
