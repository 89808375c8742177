//! The accesses of a warp that the partition of a tiled copy causes: bank conflicts in shared memory, uncoalesced
//! sectors of global memory.
//!
//! Only certain findings are reported: the layout of the whole tensor and the width of an access are known numbers, and
//! the tensor begins at a multiple of 128 bytes, as buffers do.

use cute_algebra::ops::swizzled::upcast_swizzle;
use cute_algebra::{AnyLayout, Delta, Layout, Verdict, ops};
use cute_hardware::memory::{
    Access, global_cost, shared_wavefronts, smallest_padding, smallest_swizzle,
};
use cute_hardware::{Refusal, Rule, TiledCopy};

use super::{Call, Remark};
use crate::copy_width::is_vectorized_later;
use crate::finding::Severity;
use crate::tensor::{Space, Tensor};

/// Remarks on how a warp reads or writes a tensor through a tiled copy.
pub(super) fn judge(call: &Call<'_>, copy: &TiledCopy, is_source: bool, tensor: &Tensor) {
    if !call.surroundings.memory {
        return;
    }
    let found = match tensor.engine.space {
        Space::Shared => bank_conflict(copy, is_source, tensor),
        Space::Global => uncoalesced(copy, is_source, tensor),
        _ => None,
    };
    if let Some(refusal) = found {
        let mut remark = Remark::of_hardware(refusal);
        remark.severity = Severity::Information;
        // The first argument in the source: the object is before it.
        remark.operand = Some(0);
        call.remark(remark);
    }
}

/// The instructions of the first warp; nothing where a number is not known, or where the compiler
/// chooses the width of an access.
pub(crate) fn accesses(copy: &TiledCopy, is_source: bool, tensor: &Tensor) -> Option<Vec<Access>> {
    let atom = copy.atom();
    let bits = tensor.engine.bits().map(i64::from)?;
    if bits != atom.value_bits || is_vectorized_later(atom) || copy.size().ok()?.value()? < 2 {
        return None;
    }
    let divided = ops::zipped_divide(tensor.layout.domain(), copy.tiler()).ok()?;
    let tile = tensor.layout.with_domain(divided.mode(0).ok()?);
    if !is_known(&tile) {
        return None;
    }
    let found = if is_source {
        copy.source_accesses(&tile, 0)
    } else {
        copy.destination_accesses(&tile, 0)
    };
    found.ok()
}

fn is_known(layout: &AnyLayout) -> bool {
    super::Value::of_layout(layout.clone()).is_known()
}

/// The instruction with the most conflicts.
fn bank_conflict(copy: &TiledCopy, is_source: bool, tensor: &Tensor) -> Option<Refusal> {
    let accesses = accesses(copy, is_source, tensor)?;
    let place = |byte: i64| match tensor.engine.swizzle {
        Some(swizzle) => swizzle.apply(byte),
        None => byte,
    };
    let waves = accesses.iter().filter_map(|access| {
        let lanes: Vec<Option<i64>> = access.lanes.iter().map(|lane| lane.map(place)).collect();
        let waves = shared_wavefronts(&lanes, access.width).ok()?;
        Some((waves, access.width))
    });
    let (worst, width) = waves.max_by_key(|(waves, _)| waves.conflicts())?;
    if worst.conflicts() == 0 {
        return None;
    }
    let mut refusal = Refusal::new(Rule::BankConflict, Verdict::Accepts)
        .with("wavefronts", worst.waves)
        .with("without_conflicts", worst.ideal)
        .with("bytes_of_a_lane", width);
    if tensor.engine.swizzle.is_none()
        && let Some(layout) = tensor.layout.as_affine()
    {
        let bytes = (tensor.engine.bits().map_or(8, i64::from) / 8).max(1);
        refusal.legal = free_of_conflicts(&accesses, layout, bytes);
    }
    Some(refusal)
}

/// Layouts that free the accesses of conflicts: the smallest swizzle of elements, and the layout with the fewest
/// elements of padding behind each row.
fn free_of_conflicts(accesses: &[Access], layout: &Layout, bytes: i64) -> Vec<String> {
    let mut legal = Vec::new();
    if let Ok(found) = smallest_swizzle(accesses)
        && let Ok(swizzle) = upcast_swizzle(&found, bytes)
    {
        legal.push(swizzle.to_string());
    }
    if let Some(padded) = padded(accesses, layout, bytes) {
        legal.push(padded.to_string());
    }
    legal
}

/// The layout with padding behind each row; only of a flat one whose other strides are the pitch or
/// multiples of it, which grow with it.
fn padded(accesses: &[Access], layout: &Layout, bytes: i64) -> Option<Layout> {
    let view = layout.view();
    let steps: Vec<i64> = view
        .steps()
        .iter()
        .map(|step| step.as_int()?.value())
        .collect::<Option<_>>()?;
    let pitch = *steps.iter().filter(|step| **step > 1).min()?;
    let padding = smallest_padding(accesses, pitch.checked_mul(bytes)?).ok()? / bytes;
    let whole = pitch.checked_add(padding)?;
    let widened: Vec<i64> = steps
        .iter()
        .map(|step| match step {
            0 | 1 => Some(*step),
            step if step % pitch == 0 => (step / pitch).checked_mul(whole),
            _ => None,
        })
        .collect::<Option<_>>()?;
    let mut widened = widened.into_iter();
    let stride = layout
        .stride()
        .map(|_| Delta::fixed(widened.next().unwrap_or(0)));
    (padding > 0)
        .then(|| Layout::new(layout.shape(), stride).ok())
        .flatten()
}

/// The instruction that moves the most sectors in vain.
fn uncoalesced(copy: &TiledCopy, is_source: bool, tensor: &Tensor) -> Option<Refusal> {
    let accesses = accesses(copy, is_source, tensor)?;
    let costs = accesses
        .iter()
        .map(|access| (global_cost(&access.lanes, access.width), access.width));
    let (worst, width) = costs.max_by_key(|(cost, _)| cost.sectors - cost.ideal_sectors())?;
    (worst.sectors > worst.ideal_sectors()).then(|| {
        Refusal::new(Rule::Uncoalesced, Verdict::Accepts)
            .with("sectors", worst.sectors)
            .with("fewest", worst.ideal_sectors())
            .with("bytes_of_a_lane", width)
    })
}
