//! Thread layouts that do not number the threads: two indices take one part of a tensor, and a part is of no index.

use cute_algebra::coord::idx2crd_stride;
use cute_algebra::properties::is_compact;
use cute_algebra::{Delta, Int, IntTuple, Layout};
use cute_hardware::multiprocessor::THREADS_OF_A_CTA;
use tree_sitter_cute::tree::Expr;

use super::slices::THREAD;
use super::strides::written;
use super::thread_sets;
use super::{Costs, Seen};
use crate::finding::{Finding, Number, Related, Severity};
use crate::hash::HashMap;
use crate::held::at;
use crate::trace::{Action, ActionKind};
use crate::value::Value;

/// Two threads of one part, and a part of none.
struct Meeting {
    first: i64,
    second: i64,
    part: IntTuple,
    left: IntTuple,
}

/// Looks at the thread layouts of all calls of `local_partition`.
pub(super) fn judge(seen: &Seen<'_, '_>, costs: &mut Costs) {
    let partitions = seen.run.reached(ActionKind::Partition);
    let found: Vec<Finding> = partitions
        .filter(|action| !action.is_uncertain)
        .filter_map(|action| of_partition(seen, action))
        .collect();
    for finding in found {
        let is_known =
            |known: &Finding| known.span == finding.span && known.message == finding.message;
        if !costs.findings.iter().any(is_known) {
            costs.findings.push(finding);
        }
    }
}

fn of_partition<'u>(seen: &Seen<'_, 'u>, action: &Action<'u>) -> Option<Finding> {
    let [Value::Tensor(_), threads, index, ..] = action.values.as_slice() else {
        return None;
    };
    let layout = threads.as_any_layout()?;
    let layout = layout.as_affine()?;
    let threads = thread_sets::threads(seen).unwrap_or(THREADS_OF_A_CTA);
    let meeting = meeting(layout, index.as_int()?, threads)?;
    let Meeting {
        first,
        second,
        part,
        left,
    } = &meeting;
    let message = format!(
        "the layout {layout} does not number threads: {first} and {second} take part {part}, and none takes {left}"
    );
    let places = action
        .args
        .get(1)
        .map_or_else(Vec::new, |layout: &Expr| written(seen, layout));
    let related = places.into_iter().map(|span| Related {
        span,
        message: "the strides of the threads".to_owned(),
    });
    Some(Finding {
        numbers: vec![
            ("first_thread".to_owned(), Number::Integer(*first)),
            ("second_thread".to_owned(), Number::Integer(*second)),
            ("part".to_owned(), Number::Text(part.to_string())),
            ("left".to_owned(), Number::Text(left.to_string())),
        ],
        related: related.collect(),
        ..seen.finding(
            "thread-count-mismatch",
            Severity::Error,
            action.span(),
            message,
        )
    })
}

/// Two of the `threads` that take the same part, where no thread takes another part. Nothing where the index depends on
/// something else, or where threads do the same on purpose: strides of 0.
fn meeting(layout: &Layout, index: &Int, threads: i64) -> Option<Meeting> {
    let (shape, stride) = (layout.shape(), layout.stride());
    let is_static = shape.leaves().iter().all(|extent| extent.value().is_some());
    let is_positive =
        |step: &Delta| matches!(step, Delta::Int(step) if step.value().is_some_and(|it| it > 0));
    if !is_static || !stride.leaves().iter().all(is_positive) {
        return None;
    }
    let size = layout.size().ok()?.value()?;
    if !(2..=THREADS_OF_A_CTA).contains(&size) || is_compact(layout).holds == Some(true) {
        return None;
    }
    let mut takers: HashMap<IntTuple, i64> = HashMap::default();
    let mut twice = None;
    for thread in 0..threads {
        let place = IntTuple::leaf(Int::dynamic(at(index, THREAD, thread)?));
        let part = idx2crd_stride(place.view(), shape.view(), stride.view()).ok()?;
        match takers.get(&part) {
            Some(first) if twice.is_none() => twice = Some((*first, thread, part)),
            Some(_) => {}
            None => {
                takers.insert(part, thread);
            }
        }
    }
    let (first, second, part) = twice?;
    let mut parts = (0..size).filter_map(|place| {
        let place = IntTuple::leaf(Int::dynamic(place));
        cute_algebra::coord::idx2crd(place.view(), shape.view()).ok()
    });
    let left = parts.find(|part| !takers.contains_key(part))?;
    Some(Meeting {
        first,
        second,
        part,
        left,
    })
}
