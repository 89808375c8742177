//! Stages: whether an index leaves the buffer, or the array of barriers, that it goes over.

use cute_algebra::Delta;
use cute_hardware::multiprocessor::BARRIER_BYTES;
use tree_sitter_cute::tree::{Expr, ExprKind, Span};

use super::rings::{self, Reach, reach, variable_and_more};
use super::{Costs, Seen, called};
use crate::access::beyond::STAGES;
use crate::finding::{Finding, Number, Related, Severity};
use crate::origin::{Index, Place};
use crate::tensor::Tensor;
use crate::trace::{Action, ActionKind};
use crate::types::Type;
use crate::value::Value;
use crate::{vocabulary, walk};

/// An index that goes too far.
struct Outside {
    reach: Reach,
    /// The extent of the mode.
    extent: i64,
    /// The index, or the call that takes it.
    span: Span,
    message: String,
}

/// Looks for indices of tensors and barriers that go too far.
pub(super) fn judge(seen: &Seen<'_, '_>, costs: &mut Costs) {
    costs.findings.extend(of_pipelines(seen));
    let mut all: Vec<(Outside, Vec<Related>)> = Vec::new();
    for action in &seen.run.actions {
        if !action.is_reached() || action.is_uncertain {
            continue;
        }
        for outside in of_tensor(seen, action)
            .into_iter()
            .chain(of_barrier(seen, action))
        {
            // One index of several tensors is wrong once.
            let known = all
                .iter_mut()
                .find(|(known, _)| known.reach == outside.reach && known.extent == outside.extent);
            match known {
                Some((known, others)) => {
                    if known.span != outside.span
                        && others.iter().all(|other| other.span != outside.span)
                    {
                        others.push(Related {
                            span: outside.span,
                            message: "also here".to_owned(),
                        });
                    }
                }
                None => all.push((outside, Vec::new())),
            }
        }
    }
    for (outside, others) in all {
        let reach = &outside.reach;
        let turn = reach.turn.filter(|turn| !turn.encloses(reach.counter));
        let counted = std::iter::once((reach.counter, format!("reaches {}", reach.last)))
            .chain(turn.map(|turn| (turn, "put back here".to_owned())))
            .map(|(span, message)| Related { span, message });
        costs.findings.push(Finding {
            numbers: vec![
                ("last".to_owned(), Number::Integer(outside.reach.last)),
                ("extent".to_owned(), Number::Integer(outside.extent)),
            ],
            related: counted.chain(others).collect(),
            ..seen.finding(STAGES, Severity::Error, outside.span, outside.message)
        });
    }
}

/// Pipelines of CUTLASS whose first argument is the number of their stages.
const PIPELINES: &[&str] = &[
    "PipelineAsync",
    "PipelineTmaAsync",
    "PipelineTmaUmmaAsync",
    "PipelineTransactionAsync",
    "PipelineUmmaAsync",
];
/// Their methods that are given a state.
const OF_STATES: &[&str] = &[
    "consumer_release",
    "consumer_try_wait",
    "consumer_wait",
    "producer_acquire",
    "producer_commit",
    "producer_get_barrier",
    "producer_tail",
    "producer_try_acquire",
];

/// A state that goes over more stages than its pipeline has barriers for. Fewer are right where all states agree.
fn of_pipelines(seen: &Seen<'_, '_>) -> Vec<Finding> {
    let mut found: Vec<Finding> = Vec::new();
    for call in called::calls(seen.run.body()) {
        let (Some(pipeline), Some(state)) = (call.object, call.args.first()) else {
            continue;
        };
        if !OF_STATES.contains(&call.name) || state.as_plain_name().is_none() {
            continue;
        }
        let (Some(pipeline), Some(state)) = (seen.variable(pipeline), seen.variable(state)) else {
            continue;
        };
        let (Some(there), Some(own)) = (
            stages_of(seen, pipeline, PIPELINES),
            stages_of(seen, state, &["PipelineState"]),
        ) else {
            continue;
        };
        let is_known = |known: &Finding| known.related.iter().any(|other| other.span == state);
        if own <= there || found.iter().any(is_known) {
            continue;
        }
        let name = seen.written(pipeline);
        let message = format!("the state cycles through {own} stages, but {name} has {there}");
        let related = [(state, "declared here"), (pipeline, "its pipeline")];
        found.push(Finding {
            numbers: vec![
                ("last".to_owned(), Number::Integer(own - 1)),
                ("extent".to_owned(), Number::Integer(there)),
            ],
            related: related
                .map(|(span, message)| Related {
                    span,
                    message: message.to_owned(),
                })
                .to_vec(),
            ..seen.finding(STAGES, Severity::Error, call.span(), message)
        });
    }
    found
}

/// The first argument of the class of a variable, where it is one of these.
fn stages_of(seen: &Seen<'_, '_>, declared: Span, classes: &[&str]) -> Option<i64> {
    let Value::Instance(ty) = rings::value_of(seen, declared)? else {
        return None;
    };
    match &**ty {
        Type::Class(class) if classes.contains(&&*class.name) => {
            class.args.first().and_then(vocabulary::number)
        }
        _ => None,
    }
}

/// The indices of a slice that leave the tensor.
fn of_tensor(seen: &Seen<'_, '_>, action: &Action<'_>) -> Vec<Outside> {
    let (ActionKind::Slice, Some((Value::Tensor(tensor), coordinates))) =
        (action.kind, action.values.split_first())
    else {
        return Vec::new();
    };
    let found = coordinates.iter().zip(action.args).enumerate();
    found
        .filter_map(|(mode, (value, written))| {
            let extent = extent(tensor, mode, coordinates.len())?;
            let reach = reach_of(seen, action, value, written)?;
            (reach.last >= extent).then(|| Outside {
                reach,
                extent,
                span: written.span,
                message: format!(
                    "index can reach {}, but mode {mode} of the tensor has {extent} stages: \
                     out of bounds",
                    reach.last
                ),
            })
        })
        .collect()
}

/// Number of elements of a mode, where each is another place in memory.
pub(crate) fn extent(tensor: &Tensor, mode: usize, coordinates: usize) -> Option<i64> {
    let domain = tensor.layout.domain();
    if coordinates == 1 || coordinates != domain.rank() {
        return None;
    }
    let mode = domain.mode(mode).ok()?;
    let extent = mode.size().ok()?.value()?;
    // Without a stride all of them are at one place.
    let is_moved = mode
        .stride()
        .leaves()
        .iter()
        .any(|stride| !matches!(stride, Delta::Int(step) if step.value() == Some(0)));
    is_moved.then_some(extent)
}

/// A barrier whose index is beyond its array.
fn of_barrier(seen: &Seen<'_, '_>, action: &Action<'_>) -> Option<Outside> {
    let place = action.barrier.as_ref()?;
    if action.kind == ActionKind::Copy {
        return None;
    }
    let there = barriers_at(seen, place)?;
    let reach = match place.index.as_ref()? {
        Index::Known(number) => Reach {
            last: *number,
            counter: action.span(),
            turn: None,
        },
        Index::Variable(declared) => reach(seen, action, &Value::Nothing, Some(*declared))?,
        Index::Other(_) => reach_of(seen, action, &Value::Nothing, element(action)?)?,
    };
    (reach.last >= there).then(|| Outside {
        reach,
        extent: there,
        span: action.span(),
        message: format!(
            "index can reach {}, but there are only {there} barriers: out of bounds",
            reach.last
        ),
    })
}

/// The largest value of an index that is a variable, or one to which a number is added.
fn reach_of<'u>(
    seen: &Seen<'_, 'u>,
    action: &Action<'u>,
    value: &Value,
    written: &Expr,
) -> Option<Reach> {
    let (declared, more) = match variable_and_more(seen, written) {
        Some((declared, more)) => (Some(declared), more),
        None => (None, 0),
    };
    let value = if more == 0 { value } else { &Value::Nothing };
    let counted = reach(seen, action, value, declared)?;
    Some(Reach {
        last: counted.last.checked_add(more)?,
        ..counted
    })
}

/// The index of the barrier that an action works on: `&barriers[i]`.
fn element<'u>(action: &Action<'u>) -> Option<&'u Expr> {
    let mut found = None;
    walk::subexpressions(action.args.first()?, &mut |part| {
        if let ExprKind::Index(_, indices) = &part.kind
            && let [index] = indices.as_slice()
        {
            found.get_or_insert(index);
        }
    });
    found
}

/// Number of barriers at a place, where it is an array of a shared object.
fn barriers_at(seen: &Seen<'_, '_>, place: &Place) -> Option<i64> {
    let object = seen
        .run
        .shared
        .iter()
        .find(|object| object.root == place.root)?;
    let layout = object.layout.as_ref().ok()?;
    let part = layout.parts.iter().find(|part| part.path == place.path)?;
    Some(i64::try_from(part.size).ok()? / BARRIER_BYTES)
}
