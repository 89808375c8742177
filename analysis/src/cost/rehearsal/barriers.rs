//! The actions at barriers in shared memory on the way of a thread.

use std::sync::Arc;

use tree_sitter_cute::tree::{Expr, ExprKind, UnaryOp};

use super::super::Seen;
use super::super::called::Called;
use super::super::counts::tma_count;
use super::{DEPTH, Done, Event, Part, Slot, Stopped, Thread};
use crate::origin::{Index, Root};
use crate::trace::{Action, Deed};
use crate::vocabulary::number;
impl<'s, 'u> Thread<'s, '_, 'u> {
    /// Performs an action at a barrier in shared memory; whether it does anything there.
    pub(super) fn at_barrier(&mut self, action: &'s Action<'u>, part: Part<'s>) -> Done<bool> {
        let event = match (action.deed, operands(action).as_slice()) {
            (Deed::InitBarrier, [barrier, .., count]) => {
                let slot = self.slot(action, barrier, part)?;
                let count = self.number(count, DEPTH).ok_or(Stopped)?;
                Event::Init(slot, count)
            }
            (Deed::Arrive, [barrier]) => {
                Event::Announce(action, self.slot(action, barrier, part)?, 0, true)
            }
            (deed @ (Deed::ArriveAndExpect | Deed::Expect), [barrier, _]) => {
                let slot = self.slot(action, barrier, part)?;
                let bytes = action.values.last().and_then(number).ok_or(Stopped)?;
                Event::Announce(action, slot, bytes, deed == Deed::ArriveAndExpect)
            }
            (Deed::WaitBarrier, [barrier, phase]) => {
                let slot = self.slot(action, barrier, part)?;
                let phase = self.number(phase, DEPTH).ok_or(Stopped)?;
                Event::Phase(action, slot, phase & 1)
            }
            (Deed::Commit, [barrier]) => Event::Done(action, self.slot(action, barrier, part)?),
            (Deed::Copy, [atom, _, destination]) if action.has_barrier => {
                let barrier = barrier_of(self.seen, atom).ok_or(Stopped)?;
                let slot = self.slot(action, barrier, part)?;
                let count = tma_count(action).ok_or(Stopped)?;
                let is_masked = action
                    .mask
                    .is_some_and(|mask| !matches!(mask.kind, ExprKind::Int(0)));
                if count.sharing != 1 || count.is_pair || is_masked {
                    return Err(Stopped);
                }
                let view = self.operand(destination)?;
                Event::Fill(action, slot, count.bytes, view)
            }
            (
                Deed::InitBarrier
                | Deed::Arrive
                | Deed::ArriveAndExpect
                | Deed::Expect
                | Deed::WaitBarrier
                | Deed::Commit,
                _,
            ) => return Err(Stopped),
            (Deed::BulkCopy, _) => {
                let mut places = action.places.iter();
                let index = places
                    .position(|place| *place == action.barrier)
                    .ok_or(Stopped)?;
                let slot = self.slot(action, action.args.get(index).ok_or(Stopped)?, part)?;
                let mut numbers = action.values.iter().filter_map(number);
                match (numbers.next(), numbers.next()) {
                    (Some(bytes), None) => Event::Fill(action, slot, bytes, None),
                    _ => return Err(Stopped),
                }
            }
            _ => return Ok(false),
        };
        self.events.push(event);
        Ok(true)
    }

    /// The barrier that an action is about.
    pub(super) fn slot(
        &mut self,
        action: &Action<'u>,
        written: &'u Expr,
        part: Part<'s>,
    ) -> Done<Slot> {
        let place = action.barrier.as_ref().ok_or(Stopped)?;
        let index = match &place.index {
            None => 0,
            Some(Index::Known(index)) => *index,
            Some(_) => {
                if let Some(stage) = self.stage_of_barrier(written) {
                    stage
                } else {
                    let index = element(written).ok_or(Stopped)?;
                    self.number(index, DEPTH).ok_or(Stopped)?
                }
            }
        };
        Ok(slot_of(&place.root, &place.path, index, part))
    }
}

/// The operands of an action at a barrier, which comes first: `barrier.wait(phase)`, `wait_barrier(barrier, phase)`.
fn operands<'u>(action: &Action<'u>) -> Vec<&'u Expr> {
    let called = Called::of(action.call);
    let object = called.and_then(|called| called.object);
    object.into_iter().chain(action.args).collect()
}

/// An element of an array of barriers.
pub(super) fn slot_of(root: &Root, path: &[Arc<str>], index: i64, part: Part<'_>) -> Slot {
    let mut arrays = part.arrays.borrow_mut();
    let is_it = |known: &(Root, Vec<Arc<str>>)| known.0 == *root && known.1 == path;
    let known = arrays.iter().position(is_it);
    let array = known.unwrap_or(arrays.len());
    if known.is_none() {
        arrays.push((root.clone(), path.to_vec()));
    }
    Slot { array, index }
}

/// The index in `&array[index]`, `array[index]`.
fn element(barrier: &Expr) -> Option<&Expr> {
    match &barrier.kind {
        ExprKind::Unary(UnaryOp::AddressOf | UnaryOp::Deref, inner)
        | ExprKind::Cast(_, _, inner) => element(inner),
        ExprKind::Index(_, indices) => match indices.as_slice() {
            [only] => Some(only),
            _ => None,
        },
        _ => None,
    }
}

/// The barrier in `atom.with(barrier)`.
fn barrier_of<'u>(seen: &Seen<'_, 'u>, atom: &'u Expr) -> Option<&'u Expr> {
    let atom = seen.resolved(atom);
    let called = Called::of(atom).filter(|called| called.name == "with")?;
    called.args.first()
}
