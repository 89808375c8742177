//! The takers of the parts of a tile: threads against the launched threads, threads against CTAs, operand A against
//! operand B.

use tree_sitter_cute::tree::{Expr, ExprKind, Span};

use super::partitions::{Part, Sliced, behind, is_of_tma, part, threads};
use super::thread_sets;
use super::threads::Threads;
use super::{Costs, Seen, configured, copied, uniform};
use crate::finding::{Finding, Number, Related, Severity};
use crate::held::at;
use crate::tensor::Space;
use crate::trace::{Action, ActionKind};
use crate::value::Value;
use crate::walk;

/// The index of a thread, as a value.
pub(super) const THREAD: &str = "threadIdx.x";
/// The indices of a CTA, as values.
const CTA: [&str; 3] = ["blockIdx.x", "blockIdx.y", "blockIdx.z"];
/// Variables that are followed from an operand to the call that makes it.
const FOLLOWED: usize = 16;
/// Variables inside each other that are followed in a condition.
const DEPTH: usize = 24;

/// Looks at all slices, copies and products of a function.
pub(super) fn judge(seen: &Seen<'_, '_>, costs: &mut Costs) {
    let mut found: Vec<Finding> = Vec::new();
    for action in &seen.run.actions {
        if !action.is_reached() || action.is_uncertain {
            continue;
        }
        match action.kind {
            ActionKind::ThreadSlice => found.extend(sliced_by_cta(seen, action)),
            ActionKind::Copy => {
                found.extend(threads_differ(seen, action));
                found.extend(partitioned_by_cta(seen, action));
                found.extend(done_by_some(seen, action));
            }
            ActionKind::Gemm => {
                found.extend(threads_differ(seen, action));
                found.extend(other_operand(seen, action));
                found.extend(done_by_some(seen, action));
            }
            _ => {}
        }
    }
    let partitions = seen.run.reached(ActionKind::Partition);
    let partitions = partitions.filter(|action| !action.is_uncertain);
    for action in partitions {
        found.extend(shared_among_threads(seen, action));
        found.extend(elements_differ(seen, action));
    }
    for finding in found {
        // An instruction of a whole warp is another matter.
        let is_said = |rule: &str| rule == finding.rule || rule == "divergent-collective";
        let is_known = |known: &Finding| is_said(known.rule) && known.span == finding.span;
        if !costs.findings.iter().any(is_known) {
            costs.findings.push(finding);
        }
    }
}

/// A tensor that is shared among more or fewer threads than come to an element of their parts, `part(i)`.
fn elements_differ<'u>(seen: &Seen<'_, 'u>, action: &Action<'u>) -> Option<Finding> {
    let launched = thread_sets::threads(seen).filter(|_| seen.run.is_kernel())?;
    let [Value::Tensor(_), layout, index, ..] = action.values.as_slice() else {
        return None;
    };
    let threads = layout.as_any_layout()?.domain().size().ok()?.value()?;
    let index = index.as_int()?.clone();
    if index.to_string() != THREAD || threads == launched || !action.calls.is_empty() {
        return None;
    }
    let name = seen.declared.initialised_by(action.span())?;
    let mut element: Option<Span> = None;
    walk::expressions(seen.run.body(), &mut |expr| {
        if let ExprKind::Call(callee, args) = &expr.kind
            && callee.as_plain_name().is_some()
            && seen.variable(callee) == Some(name)
            && !args.is_empty()
            && args.iter().all(|arg| arg.as_plain_name() != Some("_"))
        {
            element = element.or(Some(expr.span));
        }
    });
    // Another part for each thread may be the rest.
    let has_other = seen.run.reached(ActionKind::Partition).any(|other| {
        other.span() != action.span()
            && !is_of_tma(other)
            && other.args.first().map(ToString::to_string)
                == action.args.first().map(ToString::to_string)
    });
    if has_other {
        return None;
    }
    let coming = thread_sets::coming_to(seen, element?)?;
    let sliced = Sliced {
        threads,
        index,
        begins_anew: true,
    };
    let message = difference(&sliced, &coming, launched)?;
    Some(Finding {
        numbers: vec![
            ("threads".to_owned(), Number::Integer(threads)),
            ("coming".to_owned(), Number::Integer(coming.count()?)),
        ],
        related: of_launches(seen, launched),
        ..seen.finding(
            "thread-count-mismatch",
            Severity::Error,
            action.span(),
            message,
        )
    })
}

/// The launches of a kernel, with the number of their threads.
fn of_launches(seen: &Seen<'_, '_>, launched: i64) -> Vec<Related> {
    let message = format!("the launch has {launched} threads");
    let launches = seen.run.launches.iter();
    launches
        .flat_map(|launch| configured::related(seen, launch, &launch.block, &message))
        .collect()
}

/// Operands that are shared among more or fewer threads than come to the copy or product.
fn threads_differ<'u>(seen: &Seen<'_, 'u>, action: &Action<'u>) -> Option<Finding> {
    let launched = thread_sets::threads(seen)?;
    // Where all threads of a CTA decide alike, none is left out.
    let coming = thread_sets::coming(seen, action, &|asked| {
        uniform::is_of_cta(seen, asked, DEPTH)
    })?;
    let parts = action.args.iter().filter_map(|arg| part(seen, arg));
    let (part, sliced, message) = parts
        .filter_map(|part| {
            let sliced = part.sliced.clone()?;
            Some((part, sliced))
        })
        .find_map(|(part, sliced)| {
            let message = if sliced.index.to_string() == THREAD {
                difference(&sliced, &coming, launched)
            } else {
                shifted(&sliced, &coming)
            }?;
            Some((part, sliced, message))
        })?;
    let mut related = vec![Related {
        span: action.span(),
        message: format!("{} threads reach this", coming.count()?),
    }];
    related.extend(of_launches(seen, launched));
    Some(Finding {
        numbers: vec![
            ("threads".to_owned(), Number::Integer(sliced.threads)),
            ("coming".to_owned(), Number::Integer(coming.count()?)),
        ],
        related,
        ..seen.finding(
            "thread-count-mismatch",
            Severity::Error,
            part.action.span(),
            message,
        )
    })
}

/// The mismatch between the threads that share something and those that come.
fn difference(sliced: &Sliced, coming: &Threads, launched: i64) -> Option<String> {
    let (shared, count) = (sliced.threads, coming.count()?);
    let last = coming.last()?;
    if last >= shared {
        return Some(beyond(sliced, last, last));
    }
    // Where a branch divides the threads, others may take the rest elsewhere.
    (count == launched && count < shared).then(|| {
        format!(
            "{shared} threads share the tensor, but only {count} take a part: the rest is never touched"
        )
    })
}

/// The part that a thread takes which is one too many.
fn beyond(sliced: &Sliced, thread: i64, part: i64) -> String {
    let shared = sliced.threads;
    let taken = if sliced.begins_anew {
        format!("takes part {} again", part % shared.max(1))
    } else if thread == part {
        "takes a part beyond it".to_owned()
    } else {
        format!("takes part {part}, beyond it")
    };
    format!("{shared} threads share the tensor; thread {thread} {taken}")
}

/// Parts that no thread takes, or beyond the last one, where the index is computed from that of the thread:
/// `threadIdx.x % 128`.
fn shifted(sliced: &Sliced, coming: &Threads) -> Option<String> {
    let mut taken: Vec<i64> = Vec::new();
    for thread in coming.iter() {
        let part = at(&sliced.index, THREAD, thread)?;
        if part >= sliced.threads {
            return Some(beyond(sliced, thread, part));
        }
        taken.push(part);
    }
    taken.sort_unstable();
    taken.dedup();
    let (parts, count) = (i64::try_from(taken.len()).ok()?, coming.count()?);
    // As many threads come as there are parts, but some take the same one.
    (count >= sliced.threads && parts < sliced.threads).then(|| {
        format!(
            "{} threads share the tensor, but the {count} that come take only {parts} of the parts",
            sliced.threads
        )
    })
}

/// A slice by the index of a CTA of a tensor that threads share.
fn sliced_by_cta(seen: &Seen<'_, '_>, action: &Action<'_>) -> Option<Finding> {
    let [tiled, index] = action.values.as_slice() else {
        return None;
    };
    let shared = threads(tiled).filter(|threads| *threads > 1)?;
    let index = index.as_int()?;
    let symbols = index.as_expression()?.symbols();
    if symbols.is_empty() || !symbols.iter().all(|symbol| CTA.contains(&&**symbol)) {
        return None;
    }
    let index = index.to_string();
    let what = match tiled {
        Value::TiledMma(_) => "MMA",
        _ => "copy",
    };
    let message = format!(
        "{index} slices a tiled {what} of {shared} threads: all threads of a CTA get the same part"
    );
    Some(Finding {
        numbers: vec![
            ("threads".to_owned(), Number::Integer(shared)),
            ("index".to_owned(), Number::Text(index)),
        ],
        ..seen.finding("slice-by-cta", Severity::Error, action.span(), message)
    })
}

/// `local_partition(tensor, threads, blockIdx.x)` by a layout of threads that another tensor is partitioned by at the index
/// of the thread.
fn shared_among_threads(seen: &Seen<'_, '_>, action: &Action<'_>) -> Option<Finding> {
    let [Value::Tensor(_), threads, index, ..] = action.values.as_slice() else {
        return None;
    };
    let parts = threads.as_any_layout()?.domain().size().ok()?.value()?;
    let index = index.as_int()?.to_string();
    if parts < 2 || !CTA.contains(&index.as_str()) {
        return None;
    }
    let written = action.args.get(1)?.to_string();
    // A partition by the same threads at an index.
    let with = |wanted: &str| {
        seen.run.actions.iter().find(|other| {
            other.kind == ActionKind::Partition
                && other.span() != action.span()
                && matches!(other.values.as_slice(), [Value::Tensor(_), _, index, ..]
                    if index.as_int().is_some_and(|index| index.to_string() == wanted))
                && other
                    .args
                    .get(1)
                    .is_some_and(|other| other.to_string() == written)
        })
    };
    // All threads of a CTA may do the same.
    if let Some(Value::Tensor(tensor)) = action.values.first()
        && tensor.engine.space == Space::Shared
        && thread_sets::threads(seen) == Some(parts)
        && with(&index).is_none()
    {
        let message = format!(
            "{index} takes one of {parts} parts of shared memory, but the CTA's {parts} threads share them"
        );
        return Some(Finding {
            numbers: vec![
                ("threads".to_owned(), Number::Integer(parts)),
                ("index".to_owned(), Number::Text(index)),
            ],
            ..seen.finding("slice-by-cta", Severity::Error, action.span(), message)
        });
    }
    let by_thread = with(THREAD)?;
    let message = format!(
        "{index} takes one of {parts} parts for the whole CTA; the threads of the CTA share them"
    );
    Some(Finding {
        numbers: vec![
            ("threads".to_owned(), Number::Integer(parts)),
            ("index".to_owned(), Number::Text(index)),
        ],
        related: vec![Related {
            span: by_thread.span(),
            message: format!("one of {parts} parts for each thread"),
        }],
        ..seen.finding("slice-by-cta", Severity::Error, action.span(), message)
    })
}

/// A copy between parts of which one is taken by the thread and the other one, of as many parts, by the CTA.
fn partitioned_by_cta<'u>(seen: &Seen<'_, 'u>, copy: &Action<'u>) -> Option<Finding> {
    let parts: Vec<(Part<'_, '_>, Sliced)> = copy
        .args
        .iter()
        .filter_map(|arg| part(seen, arg))
        .filter_map(|part| {
            let sliced = part.sliced.clone()?;
            Some((part, sliced))
        })
        .collect();
    let of_cta = |sliced: &Sliced| CTA.contains(&sliced.index.to_string().as_str());
    let (by_cta, sliced) = parts.iter().find(|(part, sliced)| {
        of_cta(sliced) && matches!(part.action.values.first(), Some(Value::Tensor(_)))
    })?;
    let (by_thread, _) = parts
        .iter()
        .find(|(_, other)| other.index.to_string() == THREAD && other.threads == sliced.threads)?;
    let (shared, index) = (sliced.threads, sliced.index.to_string());
    let message = format!(
        "{index} takes one of {shared} parts for the whole CTA; threads share what it is copied with"
    );
    Some(Finding {
        numbers: vec![
            ("threads".to_owned(), Number::Integer(shared)),
            ("index".to_owned(), Number::Text(index)),
        ],
        related: vec![Related {
            span: by_thread.action.span(),
            message: format!("one of {shared} parts for each thread"),
        }],
        ..seen.finding(
            "slice-by-cta",
            Severity::Error,
            by_cta.action.span(),
            message,
        )
    })
}

/// A value that only some threads compute into registers that all threads use.
fn done_by_some<'u>(seen: &Seen<'_, 'u>, action: &Action<'u>) -> Option<Finding> {
    let launched = thread_sets::threads(seen).filter(|_| seen.run.is_kernel())?;
    let is_in_registers = matches!(action.values.last(),
        Some(Value::Tensor(tensor)) if tensor.engine.space == Space::Registers);
    let written = copied::registers(seen, action.args.last().filter(|_| is_in_registers)?)?;
    let coming = thread_sets::coming(seen, action, &|_| false)?;
    let count = coming
        .count()
        .filter(|count| *count > 0 && *count < launched)?;
    let mut others = seen.run.everything();
    let is_written_elsewhere = others.any(|other| {
        matches!(
            other.kind,
            ActionKind::Copy
                | ActionKind::CopyWhere
                | ActionKind::Gemm
                | ActionKind::Handover
                | ActionKind::Update
        ) && other.span() != action.span()
            && other
                .args
                .last()
                .is_some_and(|to| copied::registers(seen, to) == Some(written))
    });
    // All threads have to share the work, so that the rest of it is left out.
    let is_shared = |action: &Action<'u>| {
        let parts = action.args.iter().filter_map(|arg| part(seen, arg));
        parts
            .filter_map(|part| part.sliced)
            .any(|sliced| sliced.index.to_string() == THREAD && sliced.threads == launched)
    };
    let used = seen.run.actions.iter().find(|use_| {
        matches!(
            use_.kind,
            ActionKind::Copy | ActionKind::Update | ActionKind::Gemm
        ) && use_.span().start > action.span().end
            && use_.is_reached()
            && use_
                .args
                .iter()
                .any(|arg| copied::registers(seen, arg) == Some(written))
            && thread_sets::coming(seen, use_, &|_| false).and_then(|threads| threads.count())
                == Some(launched)
    })?;
    let is_given_away = super::accumulation::is_given_away(seen, &[written]);
    if is_written_elsewhere || is_given_away || !(is_shared(action) || is_shared(used)) {
        return None;
    }
    let name = seen.written(written);
    let message = format!("{name} is used by all {launched} threads, but computed by only {count}");
    Some(Finding {
        numbers: vec![
            ("threads".to_owned(), Number::Integer(launched)),
            ("coming".to_owned(), Number::Integer(count)),
        ],
        related: vec![Related {
            span: used.span(),
            message: format!("used by all {launched}"),
        }],
        ..seen.finding(
            "thread-count-mismatch",
            Severity::Error,
            action.span(),
            message,
        )
    })
}

/// The operand of a product that something was made for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Operand {
    A,
    B,
}

/// A fragment that was made for one operand and enters a product as the other.
fn other_operand<'u>(seen: &Seen<'_, 'u>, gemm: &Action<'u>) -> Option<Finding> {
    let (Value::TiledMma(_) | Value::ThrMma(_), [_, a, b, _] | [_, _, a, b, _]) =
        (gemm.values.first()?, gemm.args)
    else {
        return None;
    };
    let other = |operand: &'u Expr, own: Operand| {
        let mut made = made_for(seen, operand).into_iter();
        made.find(|(of, _)| *of != own).map(|(_, made)| made)
    };
    let (wrong, made, place) = match (other(a, Operand::A), other(b, Operand::B)) {
        (Some(made), _) => (a, made, ("B", "A")),
        (_, Some(made)) => (b, made, ("A", "B")),
        _ => return None,
    };
    let (from, to) = place;
    let message = format!(
        "the fragment was made for operand {from} but is passed to the MMA as operand {to}"
    );
    Some(Finding {
        numbers: vec![
            ("made_for".to_owned(), Number::Text(from.to_owned())),
            ("enters_as".to_owned(), Number::Text(to.to_owned())),
        ],
        related: vec![Related {
            span: made,
            message: format!("made for operand {from}"),
        }],
        ..seen.finding("swapped-operand", Severity::Error, wrong.span, message)
    })
}

/// The operand that a fragment was made for, and that of the part which it was made of, with their places.
fn made_for<'u>(seen: &Seen<'_, 'u>, operand: &'u Expr) -> Vec<(Operand, Span)> {
    let mut expr = operand;
    for _ in 0..FOLLOWED {
        if let ExprKind::Call(callee, args) = &expr.kind
            && let ExprKind::Member { member, .. } = &callee.kind
        {
            let name = member.name.name.as_str();
            let own = operand_of(name).map(|own| (own, expr.span));
            let part = args.first().filter(|_| name.starts_with("make_fragment"));
            let inner = part.and_then(|part| partition_for(seen, part));
            return own.into_iter().chain(inner).collect();
        }
        let Some(next) = behind(seen, expr) else {
            break;
        };
        expr = next;
    }
    Vec::new()
}

fn operand_of(method: &str) -> Option<Operand> {
    match method {
        "partition_A" | "partition_fragment_A" | "make_fragment_A" => Some(Operand::A),
        "partition_B" | "partition_fragment_B" | "make_fragment_B" => Some(Operand::B),
        _ => None,
    }
}

/// The operand of `slice.partition_A(tensor)`, written in place or in the initialiser of a variable.
fn partition_for<'u>(seen: &Seen<'_, 'u>, part: &'u Expr) -> Option<(Operand, Span)> {
    let made = seen.resolved(part);
    let ExprKind::Call(callee, _) = &made.kind else {
        return None;
    };
    match &callee.kind {
        ExprKind::Member { member, .. } if member.name.name.starts_with("partition_") => {
            Some((operand_of(&member.name.name)?, made.span))
        }
        _ => None,
    }
}
