//! Barriers: whether the bytes that they wait for arrive.
//!
//! A finding is made only where everything that reaches the barrier is visible: it is handed to no other function,
//! every TMA copy of the function names its barrier, and each copy that counts is issued whenever the bytes are
//! announced.

use tree_sitter_cute::tree::{ItemKind, Span};

use super::counts::{TmaCount, tma_count};
use super::masks;
use super::tree::anchor;
use super::{Cost, Costs, Seen, rehearsal, thread_sets};
use crate::finding::{Finding, Number, Related, Severity};
use crate::origin::{Index, Place};
use crate::ptx;
use crate::trace::{Action, ActionKind, Step, Way};
use crate::value::Value;
use crate::vocabulary::number;
use crate::walk;
use crate::walk::is_assembly;

/// The bytes that a barrier waits for in one phase.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Transaction {
    /// Bytes that are announced.
    pub announced: i64,
    /// Arrivals, where all of them are visible.
    pub arrived: Vec<Arrived>,
    /// CTAs whose copies count on this barrier: 2 for a pair that loads together.
    pub ctas: i64,
}

impl Transaction {
    /// Bytes that arrive.
    pub fn arriving(&self) -> i64 {
        self.arrived.iter().map(|part| part.bytes).sum::<i64>() * self.ctas
    }
}

/// One copy that completes on a barrier.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Arrived {
    /// The destination: a member of shared memory, or the variable.
    pub name: String,
    /// Bytes of one CTA.
    pub bytes: i64,
    /// The copy.
    pub span: Span,
    /// Its line, from 1.
    pub line: usize,
}

/// Judges the barriers of a function.
pub(super) fn judge(seen: &Seen<'_, '_>, costs: &mut Costs) {
    for action in seen.run.everything() {
        if !action.is_reached()
            || !matches!(
                action.kind,
                ActionKind::ArriveAndExpect | ActionKind::Expect
            )
        {
            continue;
        }
        let Some(transaction) = transaction(seen, action) else {
            let found = more_than_arrays(seen, action);
            costs
                .findings
                .extend(found.filter(|it| !costs.findings.contains(it)));
            continue;
        };
        let differs = transaction.announced != transaction.arriving();
        if differs
            && !action
                .barrier
                .as_ref()
                .is_some_and(|barrier| is_own(seen, barrier))
        {
            continue;
        }
        let variable = action
            .given
            .or(action.args.last())
            .and_then(|bytes| seen.variable(bytes));
        for at in std::iter::once(anchor(action)).chain(variable) {
            let note = seen.note(at, Cost::Transaction(transaction.clone()));
            if !costs.notes.contains(&note) {
                costs.notes.push(note);
            }
        }
        if differs {
            let found = bytes_differ(seen, action, &transaction);
            // A pipeline announces the same bytes at each of its calls.
            if !costs.findings.contains(&found) {
                costs.findings.push(found);
            }
        }
    }
}

fn bytes_differ(seen: &Seen<'_, '_>, action: &Action<'_>, transaction: &Transaction) -> Finding {
    let arriving = transaction.arriving();
    let outcome = if transaction.announced > arriving {
        "it never completes"
    } else {
        "it completes early"
    };
    let each: Vec<String> = transaction
        .arrived
        .iter()
        .map(|part| format!("{} {}", part.name, part.bytes))
        .collect();
    let each = match transaction.ctas {
        1 => each.join(" + "),
        ctas => format!("{ctas} CTAs x ({})", each.join(" + ")),
    };
    Finding {
        numbers: vec![
            (
                "announced".to_owned(),
                Number::Integer(transaction.announced),
            ),
            ("arriving".to_owned(), Number::Integer(arriving)),
        ],
        related: transaction
            .arrived
            .iter()
            .map(|part| Related {
                span: part.span,
                message: format!("{} bytes", part.bytes),
            })
            .collect(),
        legal: vec![arriving.to_string()],
        ..seen.finding(
            "tx-bytes-mismatch",
            Severity::Error,
            action.number_span(),
            format!(
                "barrier expects {} bytes, but {arriving} arrive: {outcome}\narriving: {each}",
                transaction.announced
            ),
        )
    }
}

/// A tensor map does not say how many bytes it moves: more than the arrays have in which the copies of a barrier
/// begin never arrive, or are written past an array.
fn more_than_arrays(seen: &Seen<'_, '_>, expect: &Action<'_>) -> Option<Finding> {
    let announced = number(expect.values.get(1)?)?;
    let barrier = expect.barrier.as_ref()?;
    if expect.is_uncertain || is_handed_over(seen, barrier) || !is_own(seen, barrier) {
        return None;
    }
    let mut arrays: Vec<(Span, i64)> = Vec::new();
    for copy in seen.run.everything().filter(|copy| copy.is_reached()) {
        match copy.kind {
            ActionKind::Copy if may_be_tma(copy) => return None,
            ActionKind::BulkCopy | ActionKind::AwaitedCopy => {
                let place = copy.barrier.as_ref()?;
                if place.array() != barrier.array() {
                    continue;
                }
                // The search through the ways of the threads compares the bytes that a copy is given.
                if !copy.values.is_empty() {
                    return None;
                }
                arrays.push(rehearsal::arrays::whole_array(seen, copy)?);
            }
            _ => {}
        }
    }
    arrays.sort_unstable_by_key(|(array, _)| array.start);
    arrays.dedup();
    let held = arrays
        .iter()
        .try_fold(0_i64, |held, (_, bytes)| held.checked_add(*bytes))?;
    if arrays.is_empty() || announced <= held {
        return None;
    }
    let names: Vec<String> = arrays
        .iter()
        .map(|(array, bytes)| format!("{} {bytes}", seen.written(*array)))
        .collect();
    Some(Finding {
        numbers: vec![
            ("announced".to_owned(), Number::Integer(announced)),
            ("capacity".to_owned(), Number::Integer(held)),
        ],
        related: arrays
            .iter()
            .map(|(array, bytes)| Related {
                span: *array,
                message: format!("{bytes} bytes"),
            })
            .collect(),
        ..seen.finding(
            "tx-bytes-mismatch",
            Severity::Error,
            expect.number_span(),
            format!(
                "barrier expects {announced} bytes, but the arrays that its copies fill have {held}: it never \
                 completes, or a copy writes past its array\narrays: {}",
                names.join(" + ")
            ),
        )
    })
}

/// The bytes that arrive at the barrier for which some are announced; nothing where not all of them are visible.
fn transaction(seen: &Seen<'_, '_>, expect: &Action<'_>) -> Option<Transaction> {
    let announced = number(expect.values.get(1)?)?;
    let barrier = expect.barrier.as_ref()?;
    if expect.is_uncertain || is_handed_over(seen, barrier) {
        return None;
    }
    let others = seen.run.everything().filter(|other| {
        other.is_reached()
            && matches!(other.kind, ActionKind::ArriveAndExpect | ActionKind::Expect)
            && !std::ptr::eq(*other, expect)
    });
    for other in others {
        // Bytes that are announced for the same phase elsewhere would be added.
        let place = other.barrier.as_ref()?;
        if place.array() == barrier.array() && loops(other) == loops(expect) {
            return None;
        }
    }
    let mut arrived = Vec::new();
    let mut pairs = 0;
    for copy in seen.run.everything().filter(|action| is_copy(action)) {
        let Some(count) = tma_count(copy) else {
            if may_be_tma(copy) {
                return None;
            }
            continue;
        };
        if !count.is_load {
            continue;
        }
        let place = copy.barrier.as_ref()?;
        if !is_announced(seen, place) {
            // It may be another name of the same barrier.
            return None;
        }
        if place.array() != barrier.array() || !is_below(copy, expect) {
            if place.array() == barrier.array() && !belongs_elsewhere(seen, copy, expect) {
                return None;
            }
            continue;
        }
        if copy.is_uncertain || !is_same_element(seen, (barrier, expect), (place, copy)) {
            return None;
        }
        if !(is_issued_with(copy, expect) || are_of_one_thread(seen, copy, expect))
            || may_leave_between(seen, copy, expect)
            || !reaches_all(seen, copy, &count)
        {
            return None;
        }
        pairs += usize::from(count.is_pair);
        let passes = passes(copy, expect)?;
        arrived.push(Arrived {
            name: name_of(seen, copy),
            bytes: count.bytes.checked_mul(passes)?,
            span: copy.span(),
            line: seen.line(copy.span()),
        });
    }
    if arrived.is_empty() || (pairs != 0 && pairs != arrived.len()) {
        return None;
    }
    let ctas = if pairs == 0 {
        1
    } else {
        // The barrier of the leading CTA counts the bytes of both; both load where only the
        // announcement is the leader's alone.
        let of_both = |copy: &Action<'_>| {
            // A pipeline announces in its leader; the copies are in both where nothing but the index of
            // the thread decides on them.
            guards(copy).len() < guards(expect).len()
                || (expect.given.is_some() && thread_sets::coming(seen, copy, &|_| false).is_some())
        };
        if !seen
            .run
            .everything()
            .filter(|action| is_copy(action))
            .filter(|copy| arrived.iter().any(|part| part.span == copy.span()))
            .all(of_both)
        {
            return None;
        }
        2
    };
    Some(Transaction {
        announced,
        arrived,
        ctas,
    })
}

/// Whether a barrier is set up here: of one that a function is given, its callers may do the rest.
fn is_own(seen: &Seen<'_, '_>, barrier: &Place) -> bool {
    seen.run.is_kernel()
        || seen
            .run
            .shared
            .iter()
            .any(|object| object.root == barrier.root)
}

/// Whether assembly works on barriers: on which, it does not say.
fn is_assembled(seen: &Seen<'_, '_>) -> bool {
    *seen.found.is_assembled.get_or_init(|| assembles(seen))
}

fn assembles(seen: &Seen<'_, '_>) -> bool {
    let mut found = false;
    for body in seen.bodies() {
        walk::expressions(body, &mut |expr| {
            if is_assembly(expr) && !seen.is_action(expr) {
                let template = ptx::template(seen.written(expr.span));
                let mut names = ptx::names(&template);
                found |= names.any(|name| name.contains("mbarrier") && !ptx::is_fence(name));
            }
        });
    }
    found
}

/// Whether another function is given the memory that a barrier is in.
pub(super) fn is_handed_over(seen: &Seen<'_, '_>, barrier: &Place) -> bool {
    seen.run
        .everything()
        .filter(|action| action.kind == ActionKind::Handover)
        .flat_map(|action| action.places.iter().flatten())
        .any(|place| place.root == barrier.root && barrier.path.starts_with(&place.path))
        || barrier_in_lambda(seen, barrier)
        || is_assembled(seen)
}

/// Whether a lambda works on a barrier: it may run whenever it is called.
fn barrier_in_lambda(seen: &Seen<'_, '_>, barrier: &Place) -> bool {
    seen.run.everything().any(|action| {
        action.path.iter().any(|step| step.way == Way::Lambda)
            && action
                .barrier
                .as_ref()
                .is_none_or(|place| place.array() == barrier.array())
            && action.has_barrier
    })
}

fn is_copy(action: &Action<'_>) -> bool {
    action.kind == ActionKind::Copy && action.is_reached()
}

/// Whether a copy whose operation is not known may be one of TMA.
fn may_be_tma(copy: &Action<'_>) -> bool {
    copy.has_barrier
        || (copy.values.len() > 2 && matches!(copy.values.first(), Some(Value::Unknown(_))))
        || (copy.values.len() > 2
            && copy
                .values
                .first()
                .and_then(super::counts::atom)
                .is_some_and(|atom| {
                    matches!(
                        atom.atom.operands,
                        cute_hardware::copy::CopyOperands::Tma(_)
                    )
                }))
}

/// Whether the function announces bytes for a barrier at all.
fn is_announced(seen: &Seen<'_, '_>, barrier: &Place) -> bool {
    seen.run.everything().any(|action| {
        matches!(
            action.kind,
            ActionKind::ArriveAndExpect | ActionKind::Expect
        ) && action
            .barrier
            .as_ref()
            .is_some_and(|place| place.array() == barrier.array())
    })
}

/// The loops around an action, each with the call of the function that it is in.
pub(super) fn loops(action: &Action<'_>) -> Vec<(Span, Option<Span>)> {
    let loops = action.path.iter();
    loops
        .filter(|step| matches!(step.way, Way::Loop(_)))
        .map(|step| (step.span, step.within))
        .collect()
}

/// Whether a copy is in the loops of an announcement.
fn is_below(copy: &Action<'_>, expect: &Action<'_>) -> bool {
    loops(copy).starts_with(&loops(expect))
}

/// Whether a copy that is not below this announcement is below another one of its barrier.
fn belongs_elsewhere(seen: &Seen<'_, '_>, copy: &Action<'_>, expect: &Action<'_>) -> bool {
    seen.run.everything().any(|other| {
        matches!(other.kind, ActionKind::ArriveAndExpect | ActionKind::Expect)
            && !std::ptr::eq(other, expect)
            && is_below(copy, other)
            && copy
                .barrier
                .as_ref()
                .zip(other.barrier.as_ref())
                .is_some_and(|(copy, other)| copy.array() == other.array())
    })
}

/// Whether two actions name the same element of an array of barriers.
fn is_same_element(
    seen: &Seen<'_, '_>,
    (one, first): (&Place, &Action<'_>),
    (other, second): (&Place, &Action<'_>),
) -> bool {
    one.index == other.index
        && match &one.index {
            Some(Index::Variable(declared)) => !seen.is_assigned_between(*declared, first, second),
            Some(Index::Other(_)) => false,
            Some(Index::Known(_)) | None => true,
        }
}

/// Number of issues of a copy for one announcement.
fn passes(copy: &Action<'_>, expect: &Action<'_>) -> Option<i64> {
    let outer = loops(expect).len();
    copy.loops()
        .into_iter()
        .skip(outer)
        .try_fold(1_i64, |passes, (_, trips)| passes.checked_mul(trips?))
}

/// The branches around an action.
fn guards<'a, 'u>(action: &'a Action<'u>) -> Vec<&'a Step<'u>> {
    action
        .path
        .iter()
        .filter(|step| !matches!(step.way, Way::Loop(_)))
        .collect()
}

/// Whether a copy is issued whenever its bytes are announced: all its branches are those of the
/// announcement.
fn is_issued_with(copy: &Action<'_>, expect: &Action<'_>) -> bool {
    let (of_copy, of_expect) = (guards(copy), guards(expect));
    of_copy.len() <= of_expect.len()
        && of_copy.iter().zip(&of_expect).all(|(copy, expect)| {
            copy.span == expect.span
                && copy.within == expect.within
                && same_way(&copy.way, &expect.way)
        })
}

/// Whether a thread issues a copy, and one announces its bytes, each under conditions on the index of the thread only.
fn are_of_one_thread(seen: &Seen<'_, '_>, copy: &Action<'_>, expect: &Action<'_>) -> bool {
    [copy, expect].into_iter().all(|action| {
        let coming = thread_sets::coming(seen, action, &|_| false);
        coming.is_some_and(|threads| threads.count() == Some(1))
    })
}

/// Whether control may leave a function, or a loop, after one of the two and before the other.
fn may_leave_between(seen: &Seen<'_, '_>, copy: &Action<'_>, expect: &Action<'_>) -> bool {
    let mut levels = copy.chain().zip(expect.chain());
    let shared = levels.position(|(copy, expect)| copy != expect);
    let Some(shared) = shared else {
        return false;
    };
    [copy, expect].into_iter().any(|action| {
        let called = action.calls.iter().map(|call| call.function);
        let functions = std::iter::once(seen.run.function).chain(called);
        let other = if std::ptr::eq(action, copy) {
            expect
        } else {
            copy
        };
        let levels = functions.zip(action.chain()).enumerate().skip(shared);
        levels.into_iter().any(|(level, (function, at))| {
            // In a callee from its beginning on.
            let from = if level == shared {
                other.chain().nth(level).map_or(at.start, |other| other.end)
            } else {
                0
            };
            let mut leaves = false;
            walk::items(function.body.as_deref().unwrap_or_default(), &mut |item| {
                leaves |= matches!(item.kind, ItemKind::Return(_) | ItemKind::Jump(_))
                    && (from..at.start).contains(&item.span.start);
            });
            leaves
        })
    })
}

fn same_way(one: &Way<'_>, other: &Way<'_>) -> bool {
    match (one, other) {
        (Way::Then(_), Way::Then(_)) => true,
        _ => one == other,
    }
}

/// Whether the parts of a multicast tile that the other CTAs load come here, too.
fn reaches_all(seen: &Seen<'_, '_>, copy: &Action<'_>, count: &TmaCount) -> bool {
    count.sharing == 1
        || copy
            .mask
            .is_some_and(|mask| masks::names_the_cluster(seen, mask, count.sharing))
        || copy
            .mask
            .and_then(|mask| masks::mask(seen, mask))
            .and_then(|mask| masks::named_by_each(&mask))
            == Some(count.sharing)
}

/// The destination of a copy.
fn name_of(seen: &Seen<'_, '_>, copy: &Action<'_>) -> String {
    if let Some(Value::Tensor(tensor)) = copy.values.get(2)
        && let Some(origin) = &tensor.engine.origin.0
        && let Some(member) = origin.path.last()
    {
        return member.to_string();
    }
    copy.args
        .get(2)
        .and_then(|filled| seen.variable(filled))
        .map_or_else(|| "copy".to_owned(), |name| seen.written(name).to_owned())
}
