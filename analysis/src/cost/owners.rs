//! The elements of a tensor that each thread has.

use cute_algebra::{AnyLayout, Int, Layout};
use cute_hardware::Operand;
use cute_hardware::tiled;
use tree_sitter_cute::tree::ExprKind;

use super::partitions::Part;
use super::threads::WARP;
use crate::hash::HashMap;
use crate::trace::Action;
use crate::value::Value;

/// Elements of all threads together that are looked at: a tile of 128 by 128, of which each is in eight hands.
const ELEMENTS: i64 = 1 << 17;

/// Two threads of different warps that have one element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Shared {
    /// The thread of the first partition.
    pub(super) first: i64,
    /// The thread of the second one.
    pub(super) second: i64,
    /// Elements from the start of the tensor.
    pub(super) offset: i64,
}

/// Two threads of different warps that have the same element, each in another partition of a tensor.
pub(super) fn shared(first: &Part<'_, '_>, second: &Part<'_, '_>, threads: i64) -> Option<Shared> {
    let mut left = ELEMENTS;
    let mut owners: HashMap<i64, i64> = HashMap::default();
    for thread in 0..threads {
        for offset in elements(first, thread, &mut left)? {
            owners.entry(offset).or_insert(thread);
        }
    }
    for thread in 0..threads {
        for offset in elements(second, thread, &mut left)? {
            if let Some(owner) = owners.get(&offset)
                && owner / WARP != thread / WARP
            {
                return Some(Shared {
                    first: *owner,
                    second: thread,
                    offset,
                });
            }
        }
    }
    None
}

/// The elements of a thread, as offsets that a swizzle has not permuted yet; nothing where more than `left` are
/// requested.
fn elements(part: &Part<'_, '_>, thread: i64, left: &mut i64) -> Option<Vec<i64>> {
    let whole = part.whole.layout.domain();
    let tensor = AnyLayout::from(whole.clone());
    let taken = of_thread(part.action, &tensor, &Int::dynamic(thread))?;
    let layout = taken.layout.domain();
    let start = taken.offset.as_leaf()?.value()?;
    let size = layout.size().ok()?.value()?;
    *left = left.checked_sub(size).filter(|left| *left >= 0)?;
    (0..size)
        .map(|index| start.checked_add(layout.eval_number(index).ok()?))
        .collect()
}

/// The part of a tensor for a thread.
fn of_thread(action: &Action<'_>, tensor: &AnyLayout, thread: &Int) -> Option<tiled::Part> {
    match action.values.as_slice() {
        [Value::ThrCopy(slice), _] => match method(action)? {
            "partition_S" => slice.copy.partition_source(thread, tensor).ok(),
            "partition_D" => slice.copy.partition_destination(thread, tensor).ok(),
            _ => None,
        },
        [Value::ThrMma(slice), _] => {
            let operand = match method(action)? {
                "partition_A" => Operand::A,
                "partition_B" => Operand::B,
                "partition_C" => Operand::C,
                _ => return None,
            };
            let slice_of_thread = slice.mma.slice(thread).ok()?;
            slice.mma.partition(&slice_of_thread, operand, tensor).ok()
        }
        [Value::Tensor(_), threads, _, rest @ ..] => {
            let threads = threads.as_any_layout()?;
            let threads = match rest.first() {
                Some(projection) => kept(threads.as_affine()?, projection)?,
                None => threads.as_affine()?.clone(),
            };
            tiled::partition::local_partition(tensor, &threads, thread).ok()
        }
        _ => None,
    }
}

/// The name of the method that is called.
fn method<'u>(action: &Action<'u>) -> Option<&'u str> {
    match &action.call.kind {
        ExprKind::Call(callee, _) => match &callee.kind {
            ExprKind::Member { member, .. } => Some(member.name.name.as_str()),
            _ => None,
        },
        _ => None,
    }
}

/// The modes of a layout of threads that `Step<_1, X>` keeps.
fn kept(threads: &Layout, projection: &Value) -> Option<Layout> {
    let Value::Tuple(marks) = projection else {
        return None;
    };
    let modes = threads.view().modes().zip(marks);
    let kept: Vec<_> = modes
        .filter(|(_, mark)| !matches!(mark, Value::Underscore))
        .map(|(mode, _)| mode)
        .collect();
    match kept.as_slice() {
        [only] => Some(only.to_layout()),
        _ => Layout::concat(kept).ok(),
    }
}
