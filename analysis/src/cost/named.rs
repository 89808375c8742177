//! Named barriers: whether as many threads come to one as it counts, and whether anything waits there at all.
//!
//! A barrier is known by its number and its count, as the source writes them: `bar.sync 1, 256`,
//! `NamedBarrier::sync(256, 1)`, an object of `NamedBarrier`. CUTLASS adds the number of those that it keeps to the numbers of
//! users, whose barriers are then apart from those of assembly.

pub(super) mod calls;

use tree_sitter_cute::tree::{Expr, Span};

use super::called::Called;
use super::threads::WARP;
use super::{Costs, Seen, thread_sets};
use crate::finding::{Finding, Number, Related, Severity};
use crate::walk;
use calls::Kind;

/// Barriers of a CTA (PTX ISA, "bar"); CUTLASS keeps some of them for itself.
const BARRIERS: i64 = 16;

/// A call at a named barrier.
struct Site {
    kind: Kind,
    /// Whether CUTLASS numbers it: its barriers of users are apart from those of assembly.
    is_of_users: bool,
    /// The barriers before it that CUTLASS keeps for itself.
    reserved: i64,
    number: i64,
    count: i64,
    span: Span,
    /// All threads that may come; all of the CTA where that is not known.
    coming: Vec<i64>,
}

/// Looks at the named barriers of a kernel.
pub(super) fn judge(seen: &Seen<'_, '_>, costs: &mut Costs) {
    let Some(launched) = thread_sets::threads(seen).filter(|_| seen.run.is_kernel()) else {
        return;
    };
    let Some(sites) = sites(seen) else { return };
    for (at, site) in sites.iter().enumerate() {
        let is_first = || sites.iter().take(at).all(|other| other.span != site.span);
        costs
            .findings
            .extend(is_first().then(|| unlike_hardware(seen, site)).flatten());
    }
    let mut done: Vec<(bool, i64, i64)> = Vec::new();
    for site in &sites {
        let key = (site.is_of_users, site.number, site.count);
        if done.contains(&key) {
            continue;
        }
        done.push(key);
        let same = |other: &&Site| (other.is_of_users, other.number, other.count) == key;
        let own: Vec<&Site> = sites.iter().filter(same).collect();
        let others = || {
            let mut all = sites.iter();
            all.any(|other| {
                other.is_of_users == site.is_of_users
                    && other.number == site.number
                    && other.count != site.count
            })
        };
        let finding = match own.iter().find(|own| own.kind == Kind::Sync) {
            Some(wait) => too_few(seen, wait, &own, launched),
            None => (!others()).then(|| never_waited(seen, site)),
        };
        costs.findings.extend(finding);
    }
}

/// A barrier at which fewer threads arrive than it counts.
fn too_few(seen: &Seen<'_, '_>, wait: &Site, own: &[&Site], launched: i64) -> Option<Finding> {
    let is_first = |thread: &i64| thread % WARP == 0;
    let comes = |first: &i64| {
        let warp = *first..*first + WARP;
        let mut coming = own.iter().flat_map(|site| &site.coming);
        coming.any(|thread| warp.contains(thread))
    };
    // A warp counts as a whole (PTX ISA, "bar").
    let warps = (0..launched).filter(is_first).filter(comes).count();
    let coming = i64::try_from(warps).ok()?.checked_mul(WARP)?;
    if coming == 0 || coming >= wait.count {
        return None;
    }
    let message = format!(
        "named barrier {} counts {} threads, but only {coming} come to it: it never completes",
        wait.number, wait.count
    );
    let others = own.iter().filter(|other| other.span != wait.span);
    Some(Finding {
        numbers: vec![
            ("expected".to_owned(), Number::Integer(wait.count)),
            ("arrivals".to_owned(), Number::Integer(coming)),
        ],
        related: others
            .map(|other| Related {
                span: other.span,
                message: "the same barrier".to_owned(),
            })
            .chain(seen.launched_here())
            .collect(),
        ..seen.finding(
            "arrival-count-mismatch",
            Severity::Error,
            wait.span,
            message,
        )
    })
}

/// A number that the hardware does not have, or a count that is not made of warps.
fn unlike_hardware(seen: &Seen<'_, '_>, site: &Site) -> Option<Finding> {
    let last = BARRIERS - 1 - site.reserved;
    let (message, number) = if (0..=last).contains(&site.number) {
        let is_of_warps = site.count > 0 && site.count % WARP == 0;
        let message = format!(
            "named barrier {} counts {} threads: not a multiple of the {WARP} of a warp",
            site.number, site.count
        );
        ((!is_of_warps).then_some(message)?, site.count)
    } else {
        let why = match site.reserved {
            0 => String::new(),
            reserved => format!(", and CUTLASS keeps {reserved} of {BARRIERS}"),
        };
        let message = format!(
            "a CTA does not have a named barrier {}: it has 0 to {last}{why}",
            site.number
        );
        (message, site.number)
    };
    Some(Finding {
        numbers: vec![("number".to_owned(), Number::Integer(number))],
        related: seen.launched_here().into_iter().collect(),
        ..seen.finding("named-barrier", Severity::Error, site.span, message)
    })
}

/// A barrier at which threads only arrive.
fn never_waited(seen: &Seen<'_, '_>, site: &Site) -> Finding {
    let message = format!(
        "threads arrive at named barrier {}, but nothing waits for it",
        site.number
    );
    let line = i64::try_from(seen.line(site.span)).unwrap_or_default();
    Finding {
        numbers: vec![("line".to_owned(), Number::Integer(line))],
        related: seen.launched_here().into_iter().collect(),
        ..seen.finding("barrier-never-waited", Severity::Error, site.span, message)
    }
}

/// All calls at named barriers, apart by the numbers that threads give them; nothing where a barrier may be used in another
/// way.
fn sites(seen: &Seen<'_, '_>) -> Option<Vec<Site>> {
    let body = seen.run.body();
    let known = calls::all(seen, body).filter(|known| !known.is_empty())?;
    // A callee may come to the same barriers.
    let all = Span::new(body.first()?.span.start, body.last()?.span.end);
    let is_known = |expr: &Expr| {
        known.iter().any(|it| it.call.span == expr.span)
            || walk::is_assembly(expr)
            || Called::of(expr).is_some_and(|called| called.name == "__syncthreads")
    };
    if super::order::may_call_unless(seen, all, &[], &is_known) {
        return None;
    }
    let mut found: Vec<Site> = Vec::new();
    for call in &known {
        let first = found.len();
        for thread in thread_sets::at_most(seen, call.call.span).iter() {
            let number = call.number.in_thread(seen, thread)?;
            let count = call.count.in_thread(seen, thread)?;
            let mut own = found.iter_mut().skip(first);
            match own.find(|site| (site.number, site.count) == (number, count)) {
                Some(site) => site.coming.push(thread),
                None => found.push(Site {
                    kind: call.kind,
                    is_of_users: call.is_of_users,
                    reserved: call.reserved.filter(|_| call.is_of_users).unwrap_or(0),
                    number,
                    count,
                    span: call.call.span,
                    coming: vec![thread],
                }),
            }
        }
    }
    Some(found)
}
