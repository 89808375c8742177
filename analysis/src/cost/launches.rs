//! Launches of a kernel against its compiled bounds, and the share of registers of its warp groups.

use std::cmp::Ordering;

use cute_hardware::multiprocessor::{
    LARGEST_CLUSTER, REGISTERS, REGISTERS_OF_A_THREAD, THREADS_OF_A_CTA,
};
use tree_sitter_cute::tree::{BinaryOp, Expr, ExprKind, Span};

use super::budget::three;
use super::thread_sets::{condition_of, threads};
use super::{Costs, Seen};
use crate::finding::{Finding, Number, Related, Severity};
use crate::trace::{Action, ActionKind, Launch, Way};
use crate::vocabulary::number;

/// The rule about launch bounds that leave `setmaxnreg` out.
pub(crate) const IGNORED: &str = "setmaxnreg-ignored";

/// Threads of a warp group.
const WARP_GROUP: i64 = 128;
/// Registers of a thread are given in units of this many.
const UNIT: i64 = 8;

/// The bounds on all launches of a kernel, from `__launch_bounds__`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LaunchBounds {
    /// The most threads of a CTA.
    pub threads: i64,
    /// CTAs that are to be resident on one multiprocessor at least.
    pub blocks: Option<i64>,
    /// Whether it has a second argument, which may be unknown.
    pub has_minimum: bool,
}

/// Warp groups that request this number of registers of a thread (`setmaxnreg`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RegisterRole {
    /// Registers of a thread.
    pub registers: i64,
    /// Warp groups that ask, where the conditions around the call say it.
    pub warp_groups: Option<i64>,
}

impl LaunchBounds {
    /// Whether `ptxas` obeys `setmaxnreg` in a kernel with these bounds: it has to know the registers of a thread at launch,
    /// which only a minimum of CTAs tells (its message C7508). Nothing where the minimum is not known.
    pub fn obeys_roles(self) -> Option<bool> {
        match self.blocks {
            Some(_) => Some(true),
            None if self.has_minimum => None,
            None => Some(false),
        }
    }

    /// The most registers of a thread with which that many CTAs of that many threads are resident.
    pub fn registers(self) -> i64 {
        registers_each(self.threads, self.blocks.unwrap_or(1)).min(REGISTERS_OF_A_THREAD)
    }
}

/// The registers of a thread when `ctas` CTAs of `threads` threads share a register file.
fn registers_each(threads: i64, ctas: i64) -> i64 {
    match threads.checked_mul(ctas) {
        Some(all) if all > 0 => REGISTERS / all / UNIT * UNIT,
        _ => 0,
    }
}

/// The launch bounds of the function.
pub(super) fn bounds(seen: &Seen<'_, '_>) -> Option<LaunchBounds> {
    let mut given = seen.run.bounds.most.iter();
    let threads = number(given.next()?).filter(|threads| *threads > 0)?;
    let minimum = given.next();
    Some(LaunchBounds {
        threads,
        blocks: minimum.and_then(number).filter(|blocks| *blocks > 0),
        has_minimum: minimum.is_some(),
    })
}

/// Roles with the registers that they request, each once, in the order of the source.
pub(super) fn roles(seen: &Seen<'_, '_>) -> Vec<RegisterRole> {
    let groups = threads(seen)
        .filter(|threads| threads % WARP_GROUP == 0)
        .map(|threads| threads / WARP_GROUP);
    let mut found: Vec<(Vec<Span>, RegisterRole)> = Vec::new();
    for action in seen.run.reached(ActionKind::SetRegisters) {
        let Some(registers) = action.targs.first().and_then(number) else {
            continue;
        };
        let role = RegisterRole {
            registers,
            warp_groups: groups.and_then(|groups| asking(seen, action, groups)),
        };
        let place = action.path.iter().map(|step| step.span).collect();
        if !found.contains(&(Vec::clone(&place), role)) {
            found.push((place, role));
        }
    }
    found.into_iter().map(|(_, role)| role).collect()
}

/// Number of warp groups, of some, that come to an action.
fn asking<'u>(seen: &Seen<'_, 'u>, action: &Action<'u>, all: i64) -> Option<i64> {
    let mut left = all;
    for step in &action.path {
        match step.way {
            Way::Then(condition) => left = passing(seen, condition)?.min(left),
            Way::Else => left -= passing(seen, condition_of(seen, step.span)?)?,
            Way::Loop(_) | Way::Case(_) | Way::Aside | Way::Lambda => return None,
        }
    }
    (left > 0).then_some(left)
}

/// Number of warp groups that pass a condition that compares the index of the warp group.
fn passing<'u>(seen: &Seen<'_, 'u>, condition: &'u Expr) -> Option<i64> {
    let ExprKind::Binary(op, left, right) = &seen.resolved(condition).kind else {
        return None;
    };
    if *op == BinaryOp::Or {
        return passing(seen, left)?.checked_add(passing(seen, right)?);
    }
    let (left, right) = (seen.resolved(left), seen.resolved(right));
    match (op, &right.kind) {
        (BinaryOp::Eq, ExprKind::Int(_)) if is_warp_group(left) => Some(1),
        // An enumerator: `WarpGroupRole::Producer`.
        (BinaryOp::Eq, ExprKind::Name(path)) => {
            let [.., kind, _] = path.segments.as_slice() else {
                return None;
            };
            (is_warp_group(left) || is_warp_group(converted_to(left, &kind.name.name)?))
                .then_some(1)
        }
        (BinaryOp::Lt, ExprKind::Int(bound)) if is_warp_group(left) => Some(*bound),
        _ => None,
    }
}

/// The expression that is converted to an enumeration: `x` of `WarpGroupRole(x)`.
fn converted_to<'e>(expr: &'e Expr, kind: &str) -> Option<&'e Expr> {
    let ExprKind::Call(callee, args) = &expr.kind else {
        return None;
    };
    let name = callee.as_path()?.last()?;
    match args.as_slice() {
        [only] if name.name.name == kind => Some(only),
        _ => None,
    }
}

/// `threadIdx.x / 128`, `canonical_warp_group_idx()`.
fn is_warp_group(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Call(callee, _) => callee
            .as_path()
            .and_then(|path| path.last())
            .is_some_and(|segment| segment.name.name == "canonical_warp_group_idx"),
        ExprKind::Binary(BinaryOp::Div, thread, by) => {
            let is_thread = matches!(
                &thread.kind,
                ExprKind::Member { object, member, .. }
                    if member.name.name == "x" && object.as_plain_name() == Some("threadIdx")
            );
            is_thread && matches!(by.kind, ExprKind::Int(WARP_GROUP))
        }
        _ => false,
    }
}

/// The registers that all warp groups of a CTA hold together, where each asks for some.
pub(super) fn registers_of_roles(roles: &[RegisterRole], threads: i64) -> Option<i64> {
    let mut groups = 0_i64;
    let mut sum = 0_i64;
    for role in roles {
        let of_role = role.warp_groups?;
        groups = groups.checked_add(of_role)?;
        sum = sum.checked_add(
            role.registers
                .checked_mul(of_role)?
                .checked_mul(WARP_GROUP)?,
        )?;
    }
    (groups.checked_mul(WARP_GROUP)? == threads).then_some(sum)
}

/// Judges the launches of a kernel.
pub(super) fn judge(seen: &Seen<'_, '_>, costs: &mut Costs) {
    if !seen.run.is_kernel() {
        return;
    }
    let bounds = bounds(seen);
    for launch in &seen.run.launches {
        let span = if seen.file.contains(launch.span) {
            launch.span
        } else {
            seen.run.function.name.span
        };
        let product = |numbers: [i64; 3]| {
            let [x, y, z] = numbers;
            x.checked_mul(y)?.checked_mul(z)
        };
        if let Some(threads) = three(&launch.block).and_then(product) {
            let (most, whose) = match bounds {
                Some(bounds) if bounds.threads < THREADS_OF_A_CTA => {
                    (bounds.threads, "__launch_bounds__ allows")
                }
                _ => (THREADS_OF_A_CTA, "a CTA can have"),
            };
            if threads > most {
                costs
                    .findings
                    .push(too_many(seen, span, "threads", threads, (most, whose)));
            }
        }
        if let Some(only) = seen.run.bounds.only.as_ref().and_then(three)
            && let Some(block) = three(&launch.block)
            && only != block
        {
            let [[x, y, z], [a, b, c]] = [block, only];
            costs.findings.push(Finding {
                numbers: vec![
                    ("block".to_owned(), Number::Text(format!("({x},{y},{z})"))),
                    ("only".to_owned(), Number::Text(format!("({a},{b},{c})"))),
                ],
                ..seen.finding(
                    "launch-bounds",
                    Severity::Error,
                    span,
                    format!("a block of ({x},{y},{z}) is not the ({a},{b},{c}) of the launch contract: the launch is refused"),
                )
            });
        }
        if let Some(ctas) = launch.cluster.as_ref().and_then(three).and_then(product)
            && ctas > LARGEST_CLUSTER
        {
            let most = (LARGEST_CLUSTER, "a cluster can have");
            costs
                .findings
                .push(too_many(seen, span, "CTAs", ctas, most));
        }
        costs.findings.extend(parts_of_clusters(seen, launch, span));
    }
    costs.findings.extend(roles_exceed(seen, bounds));
    costs.findings.extend(roles_ignored(seen, bounds));
}

/// Axes of the grid that end within a cluster: a grid has whole clusters (CUDA C++ Programming Guide, thread block clusters).
fn parts_of_clusters<'r>(
    seen: &'r Seen<'_, '_>,
    launch: &Launch,
    span: Span,
) -> impl Iterator<Item = Finding> + 'r {
    let extents = launch.cluster.as_ref().and_then(three);
    let extents = extents.and_then(|cluster| Some(three(&launch.grid)?.into_iter().zip(cluster)));
    let axes = extents.into_iter().flatten().zip(["x", "y", "z"]);
    axes.filter_map(move |((ctas, cluster), axis)| {
        let last = ctas.checked_rem(cluster).filter(|last| *last > 0)?;
        let left = cluster - last;
        let whole = match ctas - last {
            0 => (ctas + left).to_string(),
            fewer => format!("{fewer} or {}", ctas + left),
        };
        Some(Finding {
            numbers: vec![
                ("axis".to_owned(), Number::Text(axis.to_owned())),
                ("ctas".to_owned(), Number::Integer(ctas)),
                ("cluster".to_owned(), Number::Integer(cluster)),
                ("left".to_owned(), Number::Integer(left)),
            ],
            ..seen.finding(
                "cluster-grid",
                Severity::Error,
                span,
                format!(
                    "{ctas} CTAs along {axis} are not a multiple of the cluster's {cluster}: the launch fails\n\
                     the last cluster lacks {left}; {whole} CTAs are whole clusters"
                ),
            )
        })
    })
}

fn too_many(
    seen: &Seen<'_, '_>,
    span: Span,
    what: &str,
    count: i64,
    (most, whose): (i64, &str),
) -> Finding {
    Finding {
        numbers: vec![
            ("count".to_owned(), Number::Integer(count)),
            ("most".to_owned(), Number::Integer(most)),
        ],
        ..seen.finding(
            "launch-bounds",
            Severity::Error,
            span,
            format!("{count} {what} exceed the {most} that {whose}: the launch fails"),
        )
    }
}

/// Warp groups that together ask for more registers than their CTA was given: the last one waits.
fn roles_exceed(seen: &Seen<'_, '_>, bounds: Option<LaunchBounds>) -> Option<Finding> {
    let threads = threads(seen)?;
    let roles = roles(seen);
    let asked = registers_of_roles(&roles, threads)?;
    // The launch gives every thread the same number, which `setmaxnreg` distributes anew.
    // Without a minimum of CTAs `ptxas` may ignore it, and nothing waits.
    let ctas = bounds?.blocks?;
    let each = registers_each(threads, ctas).min(REGISTERS_OF_A_THREAD + 1);
    let given = each.checked_mul(threads)?;
    if asked.cmp(&given) != Ordering::Greater
        || seen
            .run
            .reached(ActionKind::SetRegisters)
            .any(|action| action.is_uncertain)
    {
        return None;
    }
    let last = seen
        .run
        .reached(ActionKind::SetRegisters)
        .max_by_key(|action| action.targs.first().and_then(number))?;
    let message = format!(
        "warp groups request {asked} registers, but their CTA has {given}: \
         setmaxnreg blocks forever"
    );
    Some(Finding {
        numbers: vec![
            ("asked".to_owned(), Number::Integer(asked)),
            ("given".to_owned(), Number::Integer(given)),
            ("threads".to_owned(), Number::Integer(threads)),
        ],
        ..seen.finding(
            "register-pool-exceeded",
            Severity::Error,
            last.span(),
            message,
        )
    })
}

/// Warp groups that ask for registers in a kernel whose launch bounds name threads alone: `ptxas` ignores all they ask for.
fn roles_ignored(seen: &Seen<'_, '_>, bounds: Option<LaunchBounds>) -> Option<Finding> {
    let bounds = bounds.filter(|bounds| bounds.obeys_roles() == Some(false))?;
    let mut asked = seen
        .run
        .reached(ActionKind::SetRegisters)
        .filter(|action| !action.is_uncertain);
    let first = asked.next()?;
    let registers = first.targs.first().and_then(number)?;
    let written = seen.run.function.decorators.first()?.span;
    let threads = bounds.threads;
    Some(Finding {
        numbers: vec![
            ("threads".to_owned(), Number::Integer(threads)),
            ("registers".to_owned(), Number::Integer(registers)),
        ],
        related: vec![Related {
            span: first.span(),
            message: format!("setmaxnreg to {registers} registers"),
        }],
        ..seen.finding(
            IGNORED,
            Severity::Warning,
            written,
            "ptxas ignores setmaxnreg: the launch bounds have no minimum of CTAs".to_owned(),
        )
    })
}
