//! From the operand of a copy or product to the partition that it is a part of.

use cute_algebra::Int;
use cute_hardware::TiledCopy;
use cute_hardware::copy::CopyOperands;
use tree_sitter_cute::tree::{Expr, ExprKind};

use super::Seen;
use crate::tensor::Tensor;
use crate::trace::{Action, ActionKind};
use crate::value::Value;

/// Variables and views that are followed from an operand to its partition.
pub(super) const FOLLOWED: usize = 16;

/// Functions that give a view of their first argument.
pub(super) const VIEWS: &[&str] = &[
    "as_position_independent_swizzle_tensor",
    "coalesce",
    "filter_zeros",
    "flatten",
    "group_modes",
];

/// The first architecture whose products are sliced by CTA.
const SLICED_BY_CTA: u16 = 100;

/// A partition: which slice of which tensor.
pub(super) struct Part<'s, 'u> {
    /// The call that makes it.
    pub(super) action: &'s Action<'u>,
    /// The divided tensor.
    pub(super) whole: &'s Tensor,
    /// The threads that take the parts, where threads do.
    pub(super) sliced: Option<Sliced>,
}

/// Threads that share something, each by its index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Sliced {
    /// Number of threads.
    pub(super) threads: i64,
    /// The index.
    pub(super) index: Int,
    /// Whether an index beyond the last one takes the part of an earlier one: `local_partition` takes the rest of a division.
    pub(super) begins_anew: bool,
}

/// The partition that an operand is, or is a view of.
pub(super) fn part<'s, 'u>(seen: &'s Seen<'_, 'u>, operand: &'u Expr) -> Option<Part<'s, 'u>> {
    let mut expr = operand;
    for _ in 0..FOLLOWED {
        if let Some(action) = partition_at(seen, expr) {
            return of_action(action);
        }
        expr = behind(seen, expr)?;
    }
    None
}

/// The expression that a view is of, or that a variable is initialised with.
pub(super) fn behind<'u>(seen: &Seen<'_, 'u>, expr: &'u Expr) -> Option<&'u Expr> {
    match &expr.kind {
        ExprKind::Name(_) => {
            let declared = seen.variable(expr)?;
            let is_changed = seen.is_ambiguous(declared);
            (!is_changed).then(|| seen.initialiser(declared))?
        }
        ExprKind::Call(callee, args) => match &callee.kind {
            // tensor(_, _, i)
            ExprKind::Name(_) if seen.variable(callee).is_some() => Some(callee),
            ExprKind::Name(path) => {
                let name = path.last()?.name.name.as_str();
                VIEWS.contains(&name).then(|| args.first())?
            }
            // The descriptors of a tile in shared memory, which the tensor core reads.
            ExprKind::Member { member, .. }
                if matches!(
                    member.name.name.as_str(),
                    "make_fragment_A" | "make_fragment_B"
                ) =>
            {
                args.first()
            }
            _ => None,
        },
        _ => None,
    }
}

/// The partition that a call makes; nothing where it makes another one each time.
fn partition_at<'s, 'u>(seen: &'s Seen<'_, 'u>, expr: &Expr) -> Option<&'s Action<'u>> {
    let actions = seen.run.actions.iter();
    let mut made = actions.filter(|action| {
        action.kind == ActionKind::Partition && action.span() == expr.span && !action.is_uncertain
    });
    let first = made.next()?;
    made.all(|other| other.values == first.values)
        .then_some(first)
}

fn of_action<'s, 'u>(action: &'s Action<'u>) -> Option<Part<'s, 'u>> {
    match action.values.as_slice() {
        // local_partition(tensor, layout, index)
        [Value::Tensor(whole), threads, index, ..] => {
            let layout = threads.as_any_layout();
            let threads = layout.and_then(|layout| layout.domain().size().ok()?.value());
            let index = index.as_int();
            Some(Part {
                action,
                whole,
                sliced: threads.zip(index).map(|(threads, index)| Sliced {
                    threads,
                    index: index.clone(),
                    begins_anew: true,
                }),
            })
        }
        [slice, Value::Tensor(whole)] => Some(Part {
            action,
            whole,
            sliced: sliced(slice),
        }),
        _ => None,
    }
}

/// Whether a partition is that of a copy of TMA, which one thread issues for its CTA.
pub(super) fn is_of_tma(action: &Action<'_>) -> bool {
    matches!(action.values.first(), Some(Value::ThrCopy(thread)) if is_tma(&thread.copy))
}

fn is_tma(copy: &TiledCopy) -> bool {
    matches!(copy.atom().atom.operands, CopyOperands::Tma(_))
}

/// The threads of a slice of a tiled copy or MMA; nothing where CTAs or single threads issue it.
fn sliced(slice: &Value) -> Option<Sliced> {
    let (threads, index) = match slice {
        Value::ThrCopy(thread) => (
            threads(&Value::TiledCopy(thread.copy.clone()))?,
            &thread.thread,
        ),
        Value::ThrMma(thread) => (
            threads(&Value::TiledMma(thread.mma.clone()))?,
            &thread.thread,
        ),
        _ => return None,
    };
    Some(Sliced {
        threads,
        index: index.clone(),
        begins_anew: false,
    })
}

/// Number of threads by which a tiled copy or MMA is sliced; nothing where CTAs or single threads issue it.
pub(super) fn threads(tiled: &Value) -> Option<i64> {
    match tiled {
        Value::TiledCopy(copy) => (!is_tma(copy)).then(|| copy.size().ok()?.value())?,
        Value::TiledMma(mma) => {
            let by_threads = mma.atom().architecture.number < SLICED_BY_CTA;
            by_threads.then(|| mma.size().ok()?.value())?
        }
        _ => None,
    }
}
