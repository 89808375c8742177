//! The actions at barriers in shared memory on the way of a thread.

use std::sync::Arc;

use tree_sitter_cute::tree::{BinaryOp, Expr, ExprKind, Loop, LoopKind, UnaryOp};

use super::super::Seen;
use super::super::called::Called;
use super::super::counts::tma_count;
use super::arrays::stated;
use super::{DEPTH, Done, Event, Part, Slot, Stopped, Thread, Until};
use crate::origin::{Index, Place, Root};
use crate::trace::{Action, ActionKind};
use crate::vocabulary::number;
impl<'s, 'u> Thread<'s, '_, 'u> {
    /// Performs an action at a barrier in shared memory; whether it does anything there.
    pub(super) fn at_barrier(&mut self, action: &'s Action<'u>, part: Part<'s>) -> Done<bool> {
        let event = match (action.kind, operands(action).as_slice()) {
            (ActionKind::InitBarrier, [barrier, .., count]) => {
                let count = self.number(count, DEPTH).ok_or(Stopped)?;
                return self.initialise(action, barrier, count, part).map(|()| true);
            }
            (ActionKind::Arrive, [barrier]) => {
                let slot = self.slot(action, barrier, part)?;
                let waits = Called::of(action.call).is_some_and(|it| it.name == "arrive_and_wait");
                self.events.push(Event::Announce(action, slot, 0, true));
                if !waits {
                    return Ok(true);
                }
                let arrival = self.last_arrival().ok_or(Stopped)?;
                Event::Phase(action, slot, Until::Of(arrival))
            }
            (kind @ (ActionKind::ArriveAndExpect | ActionKind::Expect), [barrier, ..])
                if action.values.len() == 2 =>
            {
                let slot = self.slot(action, barrier, part)?;
                let bytes = action.values.last().and_then(number).ok_or(Stopped)?;
                Event::Announce(action, slot, bytes, kind == ActionKind::ArriveAndExpect)
            }
            (ActionKind::WaitBarrier, [barrier, phase]) => {
                let slot = self.slot(action, barrier, part)?;
                let until = match self.number(phase, DEPTH) {
                    Some(phase) => Until::Parity(phase & 1),
                    None => Until::Of(self.arrival(phase)?.ok_or(Stopped)?),
                };
                Event::Phase(action, slot, until)
            }
            (ActionKind::Commit, [barrier]) => {
                Event::Done(action, self.slot(action, barrier, part)?)
            }
            (ActionKind::Copy, [atom, _, destination]) if action.has_barrier => {
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
                ActionKind::InitBarrier
                | ActionKind::Arrive
                | ActionKind::ArriveAndExpect
                | ActionKind::Expect
                | ActionKind::WaitBarrier
                | ActionKind::Commit,
                _,
            ) => return Err(Stopped),
            (ActionKind::AwaitedCopy, _) if action.barrier.is_none() => {
                return self.copy_of_pipeline(action, part).map(|()| true);
            }
            (ActionKind::BulkCopy | ActionKind::AwaitedCopy, _) => {
                let mut places = action.places.iter();
                let index = places
                    .position(|place| *place == action.barrier)
                    .ok_or(Stopped)?;
                let slot = self.slot(action, action.args.get(index).ok_or(Stopped)?, part)?;
                let view = self.stage_filled(action);
                if action.kind == ActionKind::AwaitedCopy {
                    // The barrier counts the bytes by itself.
                    let bytes = stated(action).unwrap_or(1);
                    self.events
                        .push(Event::Announce(action, slot, bytes, false));
                    Event::Fill(action, slot, bytes, view)
                } else {
                    let bytes = stated(action).or_else(|| only_announced(self.seen, action));
                    Event::Fill(action, slot, bytes.ok_or(Stopped)?, view)
                }
            }
            (ActionKind::BulkStore, _) => return Ok(true),
            _ => return Ok(false),
        };
        self.events.push(event);
        Ok(true)
    }

    /// Each thread of those that go the same way may initialise its own barrier.
    fn initialise(
        &mut self,
        action: &'s Action<'u>,
        barrier: &'u Expr,
        count: i64,
        part: Part<'s>,
    ) -> Done<()> {
        let mut known: Vec<Slot> = Vec::new();
        for thread in part.threads.iter() {
            self.part = Some(Part { thread, ..part });
            let slot = self.slot(action, barrier, part)?;
            if known.contains(&slot) {
                break;
            }
            known.push(slot);
            self.events.push(Event::Init(action, slot, count));
        }
        self.part = Some(part);
        Ok(())
    }

    /// The wait of a loop that only tries until it succeeds: `while (!mbarrier_try_wait_parity(&barrier, phase)) {}`.
    pub(super) fn wait_in(&self, repeat: &Loop) -> Option<&'s Action<'u>> {
        let ExprKind::Unary(UnaryOp::Not, tried) = &repeat.condition.as_ref()?.kind else {
            return None;
        };
        let action = self.followed.actions.get(&tried.span).copied()?;
        (repeat.kind == LoopKind::While && action.kind == ActionKind::WaitBarrier).then_some(action)
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
        let (path, before) = self.outer_index(place);
        Ok(slot_of(&place.root, path, before + index, part))
    }

    /// The path of an array of barriers, and the index at which a part of it begins: `filled = barriers + 2`.
    fn outer_index<'p>(&self, place: &'p Place) -> (&'p [Arc<str>], i64) {
        let has_rows = || match &place.root {
            Root::Variable(declared) => {
                let binding = self.seen.declared.binding(*declared);
                let ty = binding.and_then(|binding| binding.ty.as_ref());
                !ty.is_some_and(|ty| {
                    matches!(&ty.kind, ExprKind::Array(of, _) if !matches!(of.kind, ExprKind::Array(..)))
                })
            }
            _ => true,
        };
        if let [outer] = place.path.as_slice()
            && let Some(outer) = outer.strip_prefix('[').and_then(|it| it.strip_suffix(']'))
            && let Ok(outer) = outer.parse()
            && !has_rows()
        {
            return (&[], outer);
        }
        (&place.path, 0)
    }
}

/// The bytes that a tensor map moves, which does not say how many: those that are announced, where this is the only copy.
fn only_announced(seen: &Seen<'_, '_>, copy: &Action<'_>) -> Option<i64> {
    let barrier = copy.barrier.as_ref()?;
    let is_of_it = |action: &&Action<'_>| {
        let place = action.barrier.as_ref();
        place.is_some_and(|place| place.array() == barrier.array())
    };
    let mut copies = seen.run.actions.iter().filter(is_of_it);
    if copies.any(|other| other.kind == ActionKind::BulkCopy && !std::ptr::eq(other, copy)) {
        return None;
    }
    let actions = seen.run.actions.iter().filter(is_of_it);
    let mut announced = actions
        .filter(|action| {
            matches!(
                action.kind,
                ActionKind::ArriveAndExpect | ActionKind::Expect
            )
        })
        .map(|action| action.values.last().and_then(number));
    let first = announced.next()??;
    announced.next().is_none().then_some(first)
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

/// The index in `&array[index]`, `array[index]`, `array + index`.
fn element(barrier: &Expr) -> Option<&Expr> {
    match &barrier.kind {
        ExprKind::Binary(BinaryOp::Add, _, index) => Some(index),
        ExprKind::Call(_, args) | ExprKind::Construct { args, .. } => match args.as_slice() {
            // An address as a number.
            [pointer] => element(pointer),
            _ => None,
        },
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
