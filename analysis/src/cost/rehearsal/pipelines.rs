//! The actions of the methods of `PipelineTmaAsync` at its barriers, as if they were written out (`cutlass/pipeline/sm90_pipeline.hpp`):
//! a producer waits until a stage is empty and announces its bytes, a consumer waits until it is full and arrives when it
//! has read it.

use std::sync::Arc;

use tree_sitter_cute::tree::{Binding, Expr, ExprKind, Ident, Span, UnaryOp};

use super::super::called::Called;
use super::super::{Seen, rings};
use super::{Done, Event, Part, Slot, Stopped, Thread, Until};
use crate::origin::{Place, Root};
use crate::trace::{Action, ActionKind};
use crate::types::Type;
use crate::value::Value;
use crate::vocabulary::number;

/// The class whose methods are written out.
const CLASS: &str = "PipelineTmaAsync";
/// The first letters of the classes of pipelines.
const PIPELINES: &str = "Pipeline";
/// The state of a pipeline, which is not a pipeline itself.
const STATE: &str = "PipelineState";
/// The member of the storage that producers complete.
const FULL: &str = "full_barrier_";
/// The member of the storage that consumers complete.
const EMPTY: &str = "empty_barrier_";
/// Its methods; all of their actions are written out here.
pub(in crate::cost) const METHODS: &[&str] = &[
    "consumer_release",
    "consumer_test_wait",
    "consumer_try_wait",
    "consumer_wait",
    "make_producer_start_state",
    "producer_acquire",
    "producer_commit",
    "producer_get_barrier",
    "producer_tail",
    "producer_try_acquire",
];

/// A pipeline: its storage, its stages, and the number of threads that arrive when they have read one.
struct Pipeline<'s, 'u> {
    /// The action that sets it up.
    init: &'s Action<'u>,
    root: Root,
    path: Vec<Arc<str>>,
    stages: i64,
    consumers: i64,
}

/// The class of a pipeline.
enum Class {
    /// Its methods are written out here: its stages.
    Followed(i64),
    /// Another one.
    Other,
}

/// The class of a variable, if it is a pipeline.
fn class_of(seen: &Seen<'_, '_>, declared: Span) -> Option<Class> {
    let Value::Instance(ty) = rings::value_of(seen, declared)? else {
        return None;
    };
    let Type::Class(class) = &**ty else {
        return None;
    };
    if !class.name.starts_with(PIPELINES) || &*class.name == STATE {
        return None;
    }
    let stages = class.args.first().and_then(number);
    let stages = stages.filter(|_| &*class.name == CLASS);
    Some(stages.map_or(Class::Other, Class::Followed))
}

/// The storage of a pipeline, which the place of its barriers is in.
fn storage(place: &Place, side: &str) -> Option<(Root, Vec<Arc<str>>)> {
    let (root, path) = place.array();
    let (last, before) = path.split_last()?;
    (&**last == side).then(|| (root.clone(), before.to_vec()))
}

fn pipeline<'s, 'u>(seen: &'s Seen<'_, 'u>, declared: Span) -> Option<Pipeline<'s, 'u>> {
    let Class::Followed(stages) = class_of(seen, declared)? else {
        return None;
    };
    let init = seen.declared.initialiser(declared)?;
    let mut inits = seen.run.actions.iter().filter(|action| {
        action.kind == ActionKind::InitBarrier && action.span() == init.span && !action.is_uncertain
    });
    let (empty, root, path) = inits.find_map(|action| {
        let (root, path) = storage(action.barrier.as_ref()?, EMPTY)?;
        Some((action, root, path))
    })?;
    let consumers = empty.values.get(1).and_then(number)?;
    (stages > 0).then_some(Pipeline {
        init: empty,
        root,
        path,
        stages,
        consumers,
    })
}

impl<'u> Thread<'_, '_, 'u> {
    /// Sets the barriers of a pipeline up where it is declared. All threads come there, one does it.
    pub(super) fn declare_pipeline(&mut self, binding: &'u Binding, name: &'u Ident) -> Done<()> {
        let Some(part) = self.part else { return Ok(()) };
        if binding.init.is_none() || class_of(self.seen, name.span).is_none() {
            return Ok(());
        }
        let pipeline = pipeline(self.seen, name.span).ok_or(Stopped)?;
        if part.thread == 0 {
            for stage in 0..pipeline.stages {
                for (side, count) in [(FULL, 1), (EMPTY, pipeline.consumers)] {
                    let slot = slot(&pipeline, side, stage, part);
                    self.events.push(Event::Init(pipeline.init, slot, count));
                }
            }
        }
        Ok(())
    }

    /// The events of a call of a pipeline; whether it is one.
    pub(super) fn at_pipeline(&mut self, expr: &'u Expr) -> Done<bool> {
        let Some(part) = self.part else {
            return Ok(false);
        };
        let called = Called::of(expr).and_then(|called| Some((called, called.object?)));
        let Some((called, object)) = called else {
            return Ok(false);
        };
        let declared = object
            .as_plain_name()
            .and_then(|_| self.seen.variable(object));
        let Some(declared) = declared.filter(|it| class_of(self.seen, *it).is_some()) else {
            return Ok(false);
        };
        let pipeline = pipeline(self.seen, declared).ok_or(Stopped)?;
        let turn = || {
            let state = called
                .args
                .first()
                .and_then(|state| self.seen.variable(state));
            let turn = state.and_then(|state| self.states.get(&state).copied());
            turn.filter(|turn| turn.stages == pipeline.stages)
                .ok_or(Stopped)
        };
        let action = || {
            self.followed
                .actions
                .get(&expr.span)
                .copied()
                .ok_or(Stopped)
        };
        match called.name {
            "producer_acquire" => {
                let (turn, action) = (turn()?, action()?);
                let bytes = action.values.get(1).and_then(number).ok_or(Stopped)?;
                let empty = slot(&pipeline, EMPTY, turn.index, part);
                let full = slot(&pipeline, FULL, turn.index, part);
                self.events
                    .push(Event::Phase(action, empty, Until::Parity(turn.phase)));
                self.events.push(Event::Announce(action, full, bytes, true));
            }
            "consumer_wait" => {
                let (turn, action) = (turn()?, action()?);
                let full = slot(&pipeline, FULL, turn.index, part);
                self.events
                    .push(Event::Phase(action, full, Until::Parity(turn.phase)));
            }
            "consumer_release" => {
                let (turn, action) = (turn()?, action()?);
                let empty = slot(&pipeline, EMPTY, turn.index, part);
                self.events.push(Event::Announce(action, empty, 0, true));
            }
            "producer_tail" => {
                let (mut turn, action) = (turn()?, action()?);
                for _ in 0..pipeline.stages {
                    let empty = slot(&pipeline, EMPTY, turn.index, part);
                    self.events
                        .push(Event::Phase(action, empty, Until::Parity(turn.phase)));
                    turn.advance();
                }
            }
            "producer_commit" => {}
            _ => return Err(Stopped),
        }
        Ok(true)
    }

    /// The stage of the barrier that `pipeline.producer_get_barrier(state)` gives, also behind a variable.
    pub(super) fn stage_of_barrier(&self, written: &'u Expr) -> Option<i64> {
        let given = match &written.kind {
            ExprKind::Unary(UnaryOp::Deref, inner) => inner,
            _ => written,
        };
        let called = Called::of(self.seen.resolved(given))?;
        let [state] = called.args else { return None };
        if called.name != "producer_get_barrier" {
            return None;
        }
        let turn = self.states.get(&self.seen.variable(state)?)?;
        Some(turn.index)
    }
}

fn slot(pipeline: &Pipeline<'_, '_>, side: &str, index: i64, part: Part<'_>) -> Slot {
    let mut path = pipeline.path.clone();
    path.push(side.into());
    super::barriers::slot_of(&pipeline.root, &path, index, part)
}
