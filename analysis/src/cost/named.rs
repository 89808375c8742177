//! Named barriers: whether as many threads come to one as it counts, and whether anything waits there at all.
//!
//! A barrier is known by its number and its count, as the source writes them: `bar.sync 1, 256`,
//! `NamedBarrier::sync(256, 1)`, an object of `NamedBarrier`. CUTLASS adds 8 to the numbers of users, which
//! does not matter here.

use tree_sitter_cute::tree::{Expr, ExprKind, ItemKind, Span};

use super::called::Called;
use super::thread_sets::{self, Threads};
use super::{Costs, Seen};
use crate::finding::{Finding, Number, Related, Severity};
use crate::ptx;
use crate::walk;

/// The class of CUTLASS.
const CLASS: &str = "NamedBarrier";

/// The kind of a call at a barrier.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// The threads wait for the others.
    Sync,
    /// The threads go on.
    Arrive,
}

/// A call at a named barrier.
struct Site {
    kind: Kind,
    /// Whether CUTLASS numbers it: its barriers of users are apart from those of assembly.
    is_of_users: bool,
    number: i64,
    count: i64,
    span: Span,
    /// All threads that may come; all of the CTA where that is not known.
    coming: Threads,
}

/// Looks at the named barriers of a kernel.
pub(super) fn judge(seen: &Seen<'_, '_>, costs: &mut Costs) {
    let Some(launched) = thread_sets::threads(seen).filter(|_| seen.run.is_kernel()) else {
        return;
    };
    let Some(sites) = sites(seen) else { return };
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
    let comes = |thread: &i64| own.iter().any(|site| site.coming.has(*thread));
    let coming = i64::try_from((0..launched).filter(comes).count()).ok()?;
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
            .collect(),
        ..seen.finding(
            "arrival-count-mismatch",
            Severity::Error,
            wait.span,
            message,
        )
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
        ..seen.finding("barrier-never-waited", Severity::Error, site.span, message)
    }
}

/// All calls at named barriers; nothing where a barrier may be used in another way.
fn sites(seen: &Seen<'_, '_>) -> Option<Vec<Site>> {
    let mut found = Vec::new();
    let objects = objects(seen)?;
    let mut is_known = true;
    walk::expressions(seen.run.body(), &mut |expr| {
        if walk::is_assembly(expr) {
            match of_assembly(seen, expr) {
                Ok(site) => found.extend(site),
                Err(()) => is_known = false,
            }
            return;
        }
        let Some(called) = Called::of(expr) else {
            return;
        };
        match of_class(&called).or_else(|| of_object(seen, &called, &objects)) {
            Some(Ok((kind, number, count))) => found.push(Site {
                kind,
                is_of_users: true,
                number,
                count,
                span: expr.span,
                coming: thread_sets::at_most(seen, expr.span),
            }),
            Some(Err(())) => is_known = false,
            None => {}
        }
    });
    // A callee may come to the same barriers.
    let body = seen.run.body();
    let all = Span::new(body.first()?.span.start, body.last()?.span.end);
    let known = [
        "sync",
        "arrive",
        "arrive_and_wait",
        "arrive_unaligned",
        "NamedBarrier",
        "__syncthreads",
        "asm",
    ];
    let is_alone = !super::order::may_call_besides(seen, all, &[], &known);
    (is_known && is_alone && !found.is_empty()).then_some(found)
}

/// An assembly statement that is one `bar.sync` or `bar.arrive` of known numbers; an error where it is another one.
fn of_assembly(seen: &Seen<'_, '_>, expr: &Expr) -> Result<Option<Site>, ()> {
    if !seen.file.contains(expr.span) {
        return Err(());
    }
    let template = ptx::template(seen.written(expr.span));
    let mut site = None;
    for instruction in ptx::instructions(&template) {
        let words: Vec<&str> = instruction.name.split('.').collect();
        let kind = match words.as_slice() {
            ["bar" | "barrier", "sync"]
            | ["bar" | "barrier", "cta", "sync"]
            | ["barrier", "sync", "aligned"]
            | ["barrier", "cta", "sync", "aligned"] => Kind::Sync,
            ["bar" | "barrier", "arrive"]
            | ["bar" | "barrier", "cta", "arrive"]
            | ["barrier", "arrive", "aligned"]
            | ["barrier", "cta", "arrive", "aligned"] => Kind::Arrive,
            // Of one warp, of a cluster.
            ["bar", "warp", ..] | ["barrier", "cluster", ..] => continue,
            ["bar" | "barrier", ..] => return Err(()),
            _ => continue,
        };
        if instruction.is_predicated {
            return Err(());
        }
        let numbers: Option<Vec<i64>> = instruction
            .operands
            .split(',')
            .map(|operand| operand.trim().parse().ok())
            .collect();
        match numbers.as_deref() {
            Some([number, count]) if site.is_none() => {
                site = Some(Site {
                    kind,
                    is_of_users: false,
                    number: *number,
                    count: *count,
                    span: expr.span,
                    coming: thread_sets::at_most(seen, expr.span),
                });
            }
            // `__syncthreads()`
            Some([0]) => {}
            _ => return Err(()),
        }
    }
    Ok(site)
}

/// The kind, the number and the count of a call; an error where they are not known.
type Known = Result<(Kind, i64, i64), ()>;

/// `NamedBarrier::sync(256, 1)`
fn of_class(called: &Called<'_>) -> Option<Known> {
    let ExprKind::Call(callee, args) = &called.call.kind else {
        return None;
    };
    let segments = &callee.as_path()?.segments;
    let class = segments
        .len()
        .checked_sub(2)
        .and_then(|at| segments.get(at))?;
    if class.name.name != CLASS {
        return None;
    }
    let kind = kind_of(called.name);
    Some(match (kind, args.as_slice()) {
        (Some(kind), [count, number]) => numbers(kind, number, count),
        _ => Err(()),
    })
}

fn kind_of(method: &str) -> Option<Kind> {
    match method {
        "sync" | "arrive_and_wait" => Some(Kind::Sync),
        "arrive" => Some(Kind::Arrive),
        _ => None,
    }
}

fn numbers(kind: Kind, number: &Expr, count: &Expr) -> Known {
    match (&number.kind, &count.kind) {
        (ExprKind::Int(number), ExprKind::Int(count)) => Ok((kind, *number, *count)),
        _ => Err(()),
    }
}

/// The objects of `NamedBarrier` of a kernel: their declarations, numbers and counts. Nothing where one is made in another way.
fn objects(seen: &Seen<'_, '_>) -> Option<Vec<(Span, i64, i64)>> {
    let mut found = Vec::new();
    let mut is_known = true;
    walk::items(seen.run.body(), &mut |item| {
        let ItemKind::Binding(binding) = &item.kind else {
            return;
        };
        let last = binding.ty.as_ref().and_then(|ty| ty.as_path()?.last());
        let (Some(last), Some(name)) = (last, &binding.name) else {
            return;
        };
        if last.name.name != CLASS {
            return;
        }
        let args = match binding.init.as_ref().map(|init| &init.kind) {
            Some(ExprKind::Construct { args, .. } | ExprKind::Braced(args)) => args.as_slice(),
            _ => &[],
        };
        match args {
            [count, number] => match numbers(Kind::Sync, number, count) {
                Ok((_, number, count)) => found.push((name.span, number, count)),
                Err(()) => is_known = false,
            },
            _ => is_known = false,
        }
    });
    is_known.then_some(found)
}

/// `full.arrive_and_wait()`
fn of_object(
    seen: &Seen<'_, '_>,
    called: &Called<'_>,
    objects: &[(Span, i64, i64)],
) -> Option<Known> {
    let declared = seen.variable(called.object?)?;
    let (_, number, count) = objects.iter().find(|(object, ..)| *object == declared)?;
    let kind = kind_of(called.name).filter(|_| called.args.is_empty());
    Some(kind.map_or(Err(()), |kind| Ok((kind, *number, *count))))
}
