//! Pipelines of CUTLASS (`cutlass/pipeline/sm90_pipeline.hpp`, `sm100_pipeline.hpp`): the actions of their methods on
//! their barriers are recorded as if they were written out, with the numbers of their `Params`.

use std::rc::Rc;

use cute_algebra::Int;
use tree_sitter_cute::tree::{Binding, Expr, ExprKind, Ident, Segment};

use super::Interpreter;
use super::frame::{Fields, Frame, Kind, Pipeline};
use crate::origin::{Place, Root};
use crate::trace::{Action, ActionKind, State};
use crate::types::Type;
use crate::value::{Truth, Value};
use crate::vocabulary;

/// The member of the storage that producers complete.
const FULL: &str = "full_barrier_";
/// The member of the storage that consumers complete.
const EMPTY: &str = "empty_barrier_";
/// The member with the number of bytes announced for a stage.
const BYTES: &str = "transaction_bytes";

/// Methods that only wait, or count stages.
const WAITS: &[&str] = &[
    "producer_try_acquire",
    "producer_tail",
    "producer_get_barrier",
    "consumer_try_wait",
    "consumer_test_wait",
    "consumer_wait",
];

/// Methods that announce bytes.
pub(super) const ANNOUNCING: &[&str] = &["producer_acquire", "producer_expect_transaction"];

/// Members of `PipelineState` that are run-time numbers.
const STATE: &[&str] = &["index", "phase", "count"];

fn kind_of(class: &str) -> Option<Kind> {
    match class {
        "PipelineTmaAsync" | "PipelineTmaUmmaAsync" => Some(Kind::Tma),
        "PipelineTransactionAsync" => Some(Kind::Transaction),
        "PipelineAsync" => Some(Kind::Threads),
        _ => None,
    }
}

impl<'u> Interpreter<'u> {
    /// `state.index()` of a `PipelineState`: another number at each call.
    pub(super) fn state_of_pipeline(
        &mut self,
        object: &Value,
        written: &'u Expr,
        method: &str,
        frame: &mut Frame<'u>,
    ) -> Option<Value> {
        let Value::Instance(ty) = object else {
            return None;
        };
        let state = match &**ty {
            Type::Class(class) if &*class.name == "PipelineState" => class,
            _ => return None,
        };
        if !STATE.contains(&method) {
            return None;
        }
        let stages = state.args.first().and_then(vocabulary::number);
        let name = match written.as_plain_name() {
            Some(state) => format!("{state}.{method}"),
            None => format!("state.{method}"),
        };
        let symbol = frame.symbol_name(&name);
        let declared = written
            .as_plain_name()
            .and_then(|name| frame.find(name))
            .map(|state| state.declared);
        if let (Some(stages), Some(declared), "index") = (stages, declared, method)
            && let Some(run) = self.computed.reports.run_mut(frame.actions.run)
        {
            run.states.push(State {
                symbol: symbol.clone(),
                declared,
                stages,
            });
        }
        Some(Value::Int(Int::symbol(&symbol)))
    }

    /// Notes a pipeline that a variable is declared as: `Pipeline pipeline(storage, params, cluster)`.
    pub(super) fn trace_pipeline(
        &mut self,
        binding: &'u Binding,
        name: &'u Ident,
        value: &Value,
        fields: Option<Fields<'u>>,
        frame: &mut Frame<'u>,
    ) {
        let (Value::Instance(ty), Some(init), Some(fields)) = (value, &binding.init, fields) else {
            return;
        };
        let Type::Class(class) = &**ty else { return };
        let (Some(kind), Some([storage, _, rest @ ..])) = (kind_of(&class.name), arguments(init))
        else {
            return;
        };
        let is_tma_only = &*class.name == "PipelineTmaAsync";
        let storage = self
            .place_in_memory(storage, frame)
            .unwrap_or_else(|| Place::of(Root::Variable(name.span)));
        let recording = frame.mode.pause();
        let rest = self.eval_all(rest, frame);
        frame.mode.recording = recording;
        let number = |member: &str, default: i64| match fields.get(member) {
            Ok(Some(given)) => Some(given.value.clone()),
            Ok(None) => Some(Value::Int(Int::dynamic(default))),
            Err(()) => None,
        };
        let (full, empty, is_local) = match kind {
            Kind::Tma => (
                None,
                number("num_consumers", 0).filter(|_| is_tma_only),
                matches!(rest.as_slice(), [cluster] if is_one(cluster)),
            ),
            Kind::Transaction | Kind::Threads => (
                number("producer_arv_count", 1),
                number("consumer_arv_count", 1),
                matches!(fields.get("dst_blockid"), Ok(None)) && sets_barriers_up(&rest),
            ),
        };
        let bytes = match fields.get(BYTES) {
            Ok(Some(given)) => Some((given.value.clone(), Some(given.written))),
            Ok(None) => Some((Value::Int(Int::dynamic(0)), None)),
            Err(()) => None,
        };
        let pipeline = Rc::new(Pipeline {
            kind,
            storage,
            bytes,
            is_local,
        });
        frame
            .locals
            .pipelines
            .insert(name.span, Rc::clone(&pipeline));
        if is_tma_only
            && let [cluster] = rest.as_slice()
            && let Some(ctas) = ctas(cluster).filter(|ctas| *ctas > 1)
            && let Some(run) = self.computed.reports.run_mut(frame.actions.run)
        {
            run.remote_pipelines.push((name.span, ctas));
        }
        if !is_local {
            return;
        }
        let counts = [
            (FULL, full, "producer_arv_count"),
            (EMPTY, empty, "consumer_arv_count"),
        ];
        for (barrier, count, member) in counts {
            let Some(count) = count else { continue };
            let member = if kind == Kind::Tma {
                "num_consumers"
            } else {
                member
            };
            let given = match fields.get(member) {
                Ok(Some(given)) => Some(given.written),
                _ => None,
            };
            let place = pipeline.storage.clone().member(barrier);
            self.trace_of_pipeline(
                (ActionKind::InitBarrier, Some(place)),
                init,
                vec![Value::Nothing, count],
                given,
                frame,
            );
        }
    }

    /// Records the actions of a pipeline's method; whether the object is a known pipeline.
    pub(super) fn trace_pipeline_method(
        &mut self,
        call: &'u Expr,
        object: &'u Expr,
        method: &'u Segment,
        args: &'u [Expr],
        values: &[Value],
        frame: &mut Frame<'u>,
    ) -> bool {
        let Some(pipeline) = pipeline_of(object, frame) else {
            return false;
        };
        let method = method.name.name.as_str();
        if WAITS.contains(&method) || (method == "producer_acquire" && pipeline.kind != Kind::Tma) {
            let side = match method {
                "consumer_wait" => FULL,
                "producer_tail" => EMPTY,
                _ => return true,
            };
            let place = args
                .first()
                .map(|state| self.stage_of(&pipeline, side, state, frame));
            self.trace_of_pipeline(
                (ActionKind::WaitStage, place),
                call,
                Vec::new(),
                None,
                frame,
            );
            return true;
        }
        let side = if method.starts_with("consumer") {
            EMPTY
        } else {
            FULL
        };
        let place = args
            .first()
            .map(|state| self.stage_of(&pipeline, side, state, frame));
        let announced =
            |value: Option<&Value>| vec![Value::Nothing, value.cloned().unwrap_or(Value::Nothing)];
        let bytes = pipeline.bytes.as_ref().map(|(bytes, _)| bytes);
        let given = pipeline.bytes.as_ref().and_then(|(_, written)| *written);
        let (kind, values, given) = match (pipeline.kind, method, args) {
            (Kind::Tma, "producer_acquire", [_, ..]) => {
                (ActionKind::ArriveAndExpect, announced(bytes), given)
            }
            (Kind::Tma, "producer_expect_transaction", [_, _]) => {
                (ActionKind::Expect, announced(values.get(1)), None)
            }
            (Kind::Transaction, "producer_expect_transaction", [_]) => {
                (ActionKind::Expect, announced(bytes), given)
            }
            // Nothing is done there outside of CUTLASS's own tests.
            (Kind::Tma, "producer_commit", _) => return true,
            (Kind::Transaction | Kind::Threads, "producer_commit", [_])
            | (_, "consumer_release", [_]) => {
                if !pipeline.is_local {
                    return true;
                }
                (ActionKind::Arrive, vec![Value::Nothing], None)
            }
            _ => {
                let whole = Some(pipeline.storage.clone());
                self.trace_of_pipeline(
                    (ActionKind::Handover, whole),
                    call,
                    Vec::new(),
                    None,
                    frame,
                );
                return true;
            }
        };
        self.trace_of_pipeline((kind, place), call, values, given, frame);
        true
    }

    fn trace_of_pipeline(
        &mut self,
        (kind, place): (ActionKind, Option<Place>),
        call: &'u Expr,
        values: Vec<Value>,
        given: Option<&'u Expr>,
        frame: &mut Frame<'u>,
    ) {
        let Some(run) = frame.actions.run else { return };
        if !frame.is_traced() || !self.is_of_run(run, call.span) {
            return;
        }
        let is_handover = kind == ActionKind::Handover;
        let action = Action {
            kind,
            call,
            // None of them is a barrier or a number of bytes.
            args: &[],
            values,
            targs: Vec::new(),
            result: Value::Nothing,
            barrier: place.clone().filter(|_| !is_handover),
            has_barrier: !is_handover,
            mask: None,
            given,
            places: vec![place.filter(|_| is_handover)],
            path: frame.actions.path.clone(),
            is_uncertain: frame.mode.uncertain || frame.control.conditional > 0,
            calls: frame.actions.calls.clone(),
            address: None,
        };
        self.keep_action(run, action);
    }

    /// The barrier of the stage of a state.
    fn stage_of(
        &mut self,
        pipeline: &Pipeline<'u>,
        side: &str,
        state: &'u Expr,
        frame: &mut Frame<'u>,
    ) -> Place {
        let index = self.index_of(state, frame);
        pipeline.storage.clone().member(side).element(index)
    }

    /// The barrier that `pipeline.producer_get_barrier(state)` gives, also where a variable holds it.
    pub(super) fn barrier_of_pipeline(
        &mut self,
        expr: &'u Expr,
        frame: &mut Frame<'u>,
    ) -> Option<Place> {
        let given = match expr.as_plain_name() {
            Some(name) => {
                let declared = frame.find(name)?.declared;
                self.computed.written.get(&declared).copied()?
            }
            None => expr,
        };
        let ExprKind::Call(callee, args) = &given.kind else {
            return None;
        };
        let (ExprKind::Member { object, member, .. }, [state]) = (&callee.kind, args.as_slice())
        else {
            return None;
        };
        if member.name.name != "producer_get_barrier" {
            return None;
        }
        let pipeline = pipeline_of(object, frame)?;
        Some(self.stage_of(&pipeline, FULL, state, frame))
    }
}

/// The pipeline that a name denotes.
pub(super) fn pipeline_of<'u>(object: &Expr, frame: &mut Frame<'u>) -> Option<Rc<Pipeline<'u>>> {
    let declared = frame.find(object.as_plain_name()?)?.declared;
    frame.locals.pipelines.get(&declared).cloned()
}

/// The storage of the pipeline that a name denotes.
pub(super) fn storage_of(name: &str, frame: &mut Frame<'_>) -> Option<Place> {
    let declared = frame.find(name)?.declared;
    frame
        .locals
        .pipelines
        .get(&declared)
        .map(|pipeline| pipeline.storage.clone())
}

/// The arguments that an initialiser makes an object from.
fn arguments(init: &Expr) -> Option<&[Expr]> {
    match &init.kind {
        ExprKind::Construct { args, .. } | ExprKind::Call(_, args) | ExprKind::Braced(args) => {
            Some(args)
        }
        _ => None,
    }
}

/// Values of the members of the second argument of an initialiser, before it is evaluated: the constructor may change
/// its arguments.
pub(super) fn fields_of_params<'u>(
    binding: &'u Binding,
    frame: &mut Frame<'u>,
) -> Option<Fields<'u>> {
    frame.actions.run?;
    match arguments(binding.init.as_ref()?)? {
        [_, params, ..] => given_fields(params, frame),
        _ => None,
    }
}

/// Values of the members of the `Params`: those of a local variable that starts with the defaults, or none.
fn given_fields<'u>(params: &'u Expr, frame: &mut Frame<'u>) -> Option<Fields<'u>> {
    if let ExprKind::Braced(items) | ExprKind::Construct { args: items, .. } = &params.kind {
        return items.is_empty().then(Fields::default);
    }
    let declared = frame.find(params.as_plain_name()?)?.declared;
    let starts_empty = match frame.locals.written_types.get(&declared)?.init.as_ref() {
        None => true,
        Some(init) => match &init.kind {
            ExprKind::Braced(items) | ExprKind::Construct { args: items, .. } => items.is_empty(),
            _ => false,
        },
    };
    starts_empty.then(|| {
        frame
            .locals
            .fields
            .get(&declared)
            .cloned()
            .unwrap_or_default()
    })
}

/// The CTAs of a cluster.
fn ctas(cluster: &Value) -> Option<i64> {
    match cluster {
        Value::Tuple(items) => items
            .iter()
            .try_fold(1_i64, |all, item| all.checked_mul(ctas(item)?)),
        other => other.as_int().and_then(Int::value),
    }
}

/// Whether a cluster has one CTA.
fn is_one(cluster: &Value) -> bool {
    match cluster {
        Value::Tuple(items) => items.iter().all(is_one),
        other => other.as_int().and_then(Int::value) == Some(1),
    }
}

/// Whether nothing says that the barriers are set up elsewhere.
fn sets_barriers_up(rest: &[Value]) -> bool {
    match rest {
        [] => true,
        [Value::Bool(Truth { value, .. })] => *value,
        _ => false,
    }
}
