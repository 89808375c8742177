//! The actions of `cuda::pipeline` among all threads of a CTA, as if its barriers were written out: each thread is producer and
//! consumer (libcu++, "`cuda::pipeline`").

use tree_sitter_cute::tree::{Expr, Span};

use super::super::called::Called;
use super::super::thread_sets;
use super::arrays::stated;
use super::turns::Turn;
use super::{Done, Event, Part, Slot, Stopped, Thread, Until};
use crate::origin::Root;
use crate::trace::{Action, ActionKind};
use crate::vocabulary::number;

/// The barriers of full and of empty stages.
const FULL: &str = "full";
const EMPTY: &str = "empty";

/// A pipeline on the way of a thread.
#[derive(Debug)]
pub(super) struct Pipeline {
    /// The stage that is filled next.
    head: Turn,
    /// The stage that is read next.
    tail: Turn,
}

impl Pipeline {
    fn new(stages: i64) -> Self {
        let first = |phase: i64| Turn {
            index: 0,
            phase,
            stages,
        };
        Self {
            head: first(1),
            tail: first(0),
        }
    }
}

impl<'s, 'u> Thread<'s, '_, 'u> {
    /// Sets the barriers of a pipeline up where it is met first. Its constructor orders the threads of the group.
    fn set_up(&mut self, declared: Span, action: &'s Action<'u>, part: Part<'s>) -> Done<()> {
        if self.cuda.pipelines.contains_key(&declared) {
            return Ok(());
        }
        let stages = action.values.last().and_then(number);
        let stages = stages.filter(|stages| *stages > 0).ok_or(Stopped)?;
        let threads = thread_sets::threads(self.seen).ok_or(Stopped)?;
        self.cuda.pipelines.insert(declared, Pipeline::new(stages));
        if part.thread == 0 {
            for stage in 0..stages {
                for side in [FULL, EMPTY] {
                    let slot = slot(declared, side, stage, part);
                    self.events.push(Event::Init(action, slot, threads));
                }
            }
        }
        self.events.push(Event::Barrier);
        Ok(())
    }

    /// The events of a call of a method; whether it is one.
    pub(super) fn at_pipeline_of_cuda(&mut self, expr: &'u Expr) -> Done<bool> {
        let action = self.followed.actions.get(&expr.span).copied();
        let action = action.filter(|action| action.kind == ActionKind::WaitStage);
        let called = Called::of(expr).filter(|called| called.args.is_empty());
        let (Some(part), Some(called), Some(action)) = (self.part, called, action) else {
            return Ok(false);
        };
        let object = called.object.ok_or(Stopped)?;
        let declared = self.seen.variable(object).ok_or(Stopped)?;
        self.set_up(declared, action, part)?;
        let pipeline = self.cuda.pipelines.get_mut(&declared).ok_or(Stopped)?;
        let (head, tail) = (pipeline.head, pipeline.tail);
        let wait = |side, at: Turn| {
            let slot = slot(declared, side, at.index, part);
            Event::Phase(action, slot, Until::Parity(at.phase))
        };
        let arrive = |side, at: Turn| {
            let slot = slot(declared, side, at.index, part);
            Event::Announce(action, slot, 0, true)
        };
        let event = match called.name {
            "producer_acquire" => wait(EMPTY, head),
            "producer_commit" => {
                pipeline.head.advance();
                arrive(FULL, head)
            }
            "consumer_wait" => wait(FULL, tail),
            "consumer_release" => {
                pipeline.tail.advance();
                arrive(EMPTY, tail)
            }
            _ => return Err(Stopped),
        };
        self.events.push(event);
        Ok(true)
    }

    /// A copy whose stage is full when it has arrived: `cuda::memcpy_async(group, to, from, bytes, pipeline)`.
    pub(super) fn copy_of_pipeline(&mut self, copy: &'s Action<'u>, part: Part<'s>) -> Done<()> {
        let last = copy.args.last().ok_or(Stopped)?;
        let declared = self.seen.variable(last).ok_or(Stopped)?;
        let head = self.cuda.pipelines.get(&declared).ok_or(Stopped)?.head;
        let full = slot(declared, FULL, head.index, part);
        let bytes = stated(copy).unwrap_or(1);
        let view = self.stage_filled(copy);
        self.events.push(Event::Announce(copy, full, bytes, false));
        self.events.push(Event::Fill(copy, full, bytes, view));
        Ok(())
    }
}

fn slot(declared: Span, side: &str, index: i64, part: Part<'_>) -> Slot {
    super::barriers::slot_of(&Root::Variable(declared), &[side.into()], index, part)
}
