//! The places of the elements of a value: its function from coordinates to offsets, swizzle included.
//!
//! CuTe keeps the swizzle of shared memory beside the layout, in the pointer, because it permutes bits of the address.
//! Whoever draws or runs the layout alone draws and runs another function.

use cute_algebra::AnyLayout;
use cute_analysis::{Space, Tensor, Value};
use cute_hardware::SharedLayout;

/// From coordinates to elements of a buffer that starts at a multiple of the swizzle's pattern. Nothing for a value
/// that has no layout; the reason where the swizzle cannot be counted in elements.
pub fn of(value: &Value) -> Option<Result<AnyLayout, String>> {
    let shared = match value {
        Value::Shared(shared) => SharedLayout::clone(shared),
        Value::Tensor(tensor) => match swizzled(tensor) {
            Some(Ok(shared)) => shared,
            Some(Err(reason)) => return Some(Err(reason)),
            None => return Some(Ok(tensor.layout.clone())),
        },
        other => return other.as_any_layout().map(Ok),
    };
    if shared.sparsity != 1 && !shared.swizzle.is_identity() {
        return Some(Err(format!(
            "`{shared}` swizzles addresses of stored elements, each of which holds {} logical ones",
            shared.sparsity
        )));
    }
    let placed = shared.position_independent();
    Some(placed.map_err(|refusal| refusal.message()))
}

/// The same for a value that is drawn or run with others: nothing too where the swizzle cannot be counted.
pub fn known(value: &Value) -> Option<AnyLayout> {
    of(value)?.ok()
}

/// The bits of an element, where the value says them.
pub fn element_bits(value: &Value) -> Option<i64> {
    match value {
        Value::Shared(shared) => Some(shared.element_bits),
        Value::Tensor(tensor) => tensor.engine.bits().map(i64::from),
        Value::Triton(layout) => i64::try_from(layout.element_bits?).ok(),
        _ => None,
    }
}

/// A value as a layout of shared memory, where it is one whose addresses are swizzled.
pub fn in_shared_memory(value: &Value) -> Option<SharedLayout> {
    match value {
        Value::Shared(shared) => Some(SharedLayout::clone(shared)),
        Value::Tensor(tensor) if tensor.engine.space == Space::Shared => swizzled(tensor)?.ok(),
        _ => None,
    }
}

/// The assumption behind the picture of swizzled addresses:
/// `Sw<3,4,3> of bytes is Sw<3,3,3> of 16-bit elements, in a buffer aligned to 1024 bytes`.
pub fn note(value: &Value) -> Option<String> {
    let shared = in_shared_memory(value).filter(|shared| !shared.swizzle.is_identity())?;
    let elements = shared.element_swizzle().ok()?;
    Some(format!(
        "{} of bytes is {elements} of {}-bit elements, in a buffer aligned to {} bytes",
        shared.swizzle,
        shared.element_bits,
        shared.pattern_bytes()
    ))
}

/// A tensor whose pointer swizzles, as a layout of shared memory; nothing for a pointer that does not.
fn swizzled(tensor: &Tensor) -> Option<Result<SharedLayout, String>> {
    let swizzle = tensor.engine.swizzle?;
    let unknown = |what: &str| {
        Some(Err(format!(
            "`{}` swizzles addresses, and {what}",
            tensor.engine
        )))
    };
    let Some(bits) = tensor.engine.bits() else {
        return unknown("the element width is unknown");
    };
    let Some(layout) = tensor.layout.as_affine() else {
        return unknown("the layout behind it is swizzled as well");
    };
    Some(Ok(SharedLayout::new(swizzle, bits.into(), layout.clone())))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    fn shared(text: &str) -> Value {
        Value::Shared(Arc::new(text.parse().unwrap()))
    }

    #[test]
    fn the_swizzle_of_bytes_is_counted_in_elements() {
        let atom = shared("Sw<3,4,3> o smem_ptr[16b](unset) o (_8,_64):(_64,_1)");
        let placed = known(&atom).unwrap();
        assert_eq!(placed.to_string(), "Sw<3,3,3> o _0 o (_8,_64):(_64,_1)");
        assert_eq!(placed.eval(1).unwrap().to_string(), "72");
        assert_eq!(
            note(&atom).unwrap(),
            "Sw<3,4,3> of bytes is Sw<3,3,3> of 16-bit elements, in a buffer aligned to 1024 bytes"
        );
    }

    #[test]
    fn without_a_swizzle_it_is_the_layout() {
        let plain = shared("smem_ptr[16b](unset) o (_8,_64):(_64,_1)");
        assert_eq!(known(&plain).unwrap().to_string(), "(_8,_64):(_64,_1)");
        assert_eq!(note(&plain), None);
    }
}
