//! Copies whose width CuTe chooses from the common part of both layouts (`cute/algorithm/copy.hpp`): `copy(src, dst)`,
//! `AutoVectorizingCopy`, `DefaultCopy`.

use cute_algebra::ops::swizzled::max_common_vector_any;
use cute_algebra::ops::{max_alignment, nullspace};
use cute_algebra::{AnyLayout, Int};

use super::counts::{CopyCount, atom, size};
use crate::copy_width::{BYTE, WIDEST, assumed_alignment};
use crate::tensor::{Space, Tensor};
use crate::trace::Action;
use crate::value::Value;

/// The work of such a copy in one thread.
pub(super) fn count(action: &Action<'_>) -> Option<CopyCount> {
    let (assumed, source, destination) = match action.values.as_slice() {
        [Value::Tensor(source), Value::Tensor(destination)] => {
            (by_layouts(source, destination)?, source, destination)
        }
        [operation, Value::Tensor(source), Value::Tensor(destination)] => {
            (assumed_alignment(atom(operation)?)?, source, destination)
        }
        _ => return None,
    };
    let element = source.engine.element.as_deref()?;
    // Values of two types are converted one by one; parts of a byte have separate references.
    if destination.engine.element.as_deref() != Some(element) {
        return None;
    }
    let bits = i64::from(source.engine.bits()?);
    if bits < BYTE || bits.count_ones() != 1 {
        return None;
    }
    let common = max_common_vector_any(&source.layout, &destination.layout).ok()?;
    let width = width(common.value()?, bits, assumed, [source, destination])?;
    let elements = size(destination)?;
    if size(source)? != elements || elements % (width / bits) != 0 {
        return None;
    }
    Some(CopyCount {
        instructions: elements / (width / bits),
        instruction: instruction(source.engine.space, destination.engine.space)?.to_owned(),
        bits: width,
        bytes: None,
        from: source.engine.space,
        to: destination.engine.space,
    })
}

/// The access width that `copy(src, dst)` assumes from its layouts. A destination that repeats elements is copied
/// without the repetitions, which is not followed.
fn by_layouts(source: &Tensor, destination: &Tensor) -> Option<i64> {
    let is_static = |tensor: &Tensor| tensor.layout_value().is_static();
    let has_static_shape = |tensor: &Tensor| tensor.layout.domain().shape_view().is_static();
    if has_static_shape(source) && has_static_shape(destination) {
        let repeated = nullspace(destination.layout.as_affine()?).ok()?;
        if repeated.size().ok()?.value()? != 1 {
            return None;
        }
    }
    let all_static = is_static(source) && is_static(destination);
    Some(if all_static { WIDEST } else { BYTE })
}

/// Bits of one access.
fn width(common: i64, bits: i64, assumed: i64, tensors: [&Tensor; 2]) -> Option<i64> {
    if common <= 1 {
        return Some(bits);
    }
    let mut alignment = assumed;
    for tensor in tensors {
        alignment = gcd(alignment, aligned_to(tensor)?);
    }
    let width = gcd(common.checked_mul(bits)?, alignment);
    Some(if width % BYTE == 0 && width > bits {
        width
    } else {
        bits
    })
}

/// The bits to which every part of a tensor is aligned by its types; 0 where they say nothing.
fn aligned_to(tensor: &Tensor) -> Option<i64> {
    let bits = i64::from(tensor.engine.bits()?);
    let layout = match &tensor.layout {
        AnyLayout::Affine(layout) => max_alignment(layout).ok()?.value()?,
        AnyLayout::Composed(composed) => {
            let offset = composed.offset.as_leaf().and_then(Int::value);
            if offset != Some(0) {
                return None;
            }
            let inner = max_alignment(&composed.inner).ok()?.value()?;
            gcd(1_i64.checked_shl(base(composed.swizzle()?.base())?)?, inner)
        }
    };
    let pointer = match tensor.engine.swizzle {
        Some(swizzle) => 8_i64.checked_mul(1_i64.checked_shl(base(swizzle.base())?)?)?,
        None => 0,
    };
    Some(gcd(layout.checked_mul(bits)?, pointer))
}

fn base(base: impl TryInto<u32>) -> Option<u32> {
    base.try_into().ok()
}

/// The greatest common divisor, 0 being divisible by everything.
fn gcd(a: i64, b: i64) -> i64 {
    let (mut a, mut b) = (a.unsigned_abs(), b.unsigned_abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    i64::try_from(a).unwrap_or(1)
}

/// The instruction that moves data between two memories; `None` between registers.
fn instruction(from: Space, to: Space) -> Option<&'static str> {
    let is_memory = |space| {
        matches!(
            space,
            Space::Generic | Space::Array(_) | Space::Global | Space::Shared
        )
    };
    Some(match (from, to) {
        (Space::Global, Space::Registers) => "ld.global",
        (Space::Shared, Space::Registers) => "ld.shared",
        (Space::Generic | Space::Array(_), Space::Registers) => "ld",
        (Space::Registers, Space::Global) => "st.global",
        (Space::Registers, Space::Shared) => "st.shared",
        (Space::Registers, Space::Generic | Space::Array(_)) => "st",
        (from, to) if is_memory(from) && is_memory(to) => "ld and st",
        _ => return None,
    })
}
