//! The cost of shared memory for a warp, and the widest access.

use cute_algebra::ops::swizzled::upcast_swizzle;
use cute_algebra::{AnyLayout, Int, Swizzle};
use cute_hardware::memory::access::vector_width;
use cute_hardware::memory::banks::LANES;
use cute_hardware::memory::{
    Access, Wavefronts, shared_wavefronts, smallest_padding, smallest_swizzle,
};

/// Modes beyond this one are not looked at: a first screen has room for two.
const MODES: usize = 2;

/// The widest access of one thread, in bits, that every architecture has.
const WIDEST_BITS: i64 = 128;

/// `32 lanes along mode 0, one element each: no bank conflict; 8 lanes along mode 1:
/// 8-way`: the cost of neighbouring lanes that read neighbouring coordinates of a mode, one element each. Nothing where
/// an address is not known, nor for a part of a tile, which one thread reads alone. `swizzle` permutes the bits of byte
/// addresses.
pub(super) fn bank_conflicts(
    layout: &AnyLayout,
    element_bits: i64,
    swizzle: Option<Swizzle>,
) -> Option<String> {
    if !is_whole(layout)? {
        return None;
    }
    let mut parts = Vec::new();
    let mut first = 1_i64;
    for (index, mode) in layout.shape().modes().enumerate().take(MODES) {
        let extent = mode.size().ok()?.value()?;
        if extent > 1 {
            let lanes = extent.min(LANES as i64);
            let waves = along(layout, element_bits, swizzle, first, lanes)?;
            let each = if parts.is_empty() {
                ", one element each"
            } else {
                ""
            };
            parts.push(format!(
                "{lanes} lanes along mode {index}{each}: {}",
                verdict(waves)
            ));
        }
        first = first.checked_mul(extent)?;
    }
    (!parts.is_empty()).then(|| parts.join("; "))
}

/// The smallest swizzle and the smallest padding under which a warp along each mode, one element of
/// each lane, has no bank conflict.
pub(super) fn remedies(
    layout: &AnyLayout,
    element_bits: i64,
    swizzle: Option<Swizzle>,
) -> Option<Vec<String>> {
    if swizzle.is_some() || layout.as_affine().is_none() || !is_whole(layout)? {
        return None;
    }
    let (mut accesses, mut conflicts) = (Vec::new(), 0);
    let mut first = 1_i64;
    for mode in layout.shape().modes().take(MODES) {
        let extent = mode.size().ok()?.value()?;
        let lanes = extent.min(LANES as i64);
        conflicts += along(layout, element_bits, None, first, lanes)?.conflicts();
        accesses.push(Access {
            lanes: addresses(layout, element_bits, None, first, lanes)?,
            width: (element_bits / 8).max(1),
        });
        first = first.checked_mul(extent)?;
    }
    if conflicts == 0 {
        return None;
    }
    let mut lines = Vec::new();
    if let Ok(found) = smallest_swizzle(&accesses) {
        let elements = upcast_swizzle(&found, (element_bits / 8).max(1));
        let elements = elements.map_or_else(
            |_| String::new(),
            |elements| format!(", {elements} on {element_bits}-bit elements"),
        );
        lines.push(format!(
            "no bank conflicts along either mode with {found} on bytes{elements}"
        ));
    }
    if let Some(pitch) = pitch(layout, element_bits)
        && let Ok(padding) = smallest_padding(&accesses, pitch)
        && padding > 0
    {
        let elements = padding * 8 / element_bits;
        let plural = if elements == 1 { "" } else { "s" };
        lines.push(format!(
            "or with {padding} bytes ({elements} element{plural}) of padding after every {pitch} bytes"
        ));
    }
    Some(lines)
}

/// The bytes between two rows: the smallest stride that is not between neighbouring elements.
fn pitch(layout: &AnyLayout, element_bits: i64) -> Option<i64> {
    let view = layout.domain().view();
    let steps = view.extents().iter().zip(view.steps());
    let wide = steps.filter_map(|(extent, step)| {
        let step = step.as_int()?.value()?;
        (extent.value()? > 1 && step > 1).then_some(step)
    });
    Some(wide.min()?.checked_mul(element_bits)? / 8)
}

/// Whether a layout has about as many elements as it spans (a quarter more for padding), as the
/// layout of a whole tile does and that of a thread's part does not.
fn is_whole(layout: &AnyLayout) -> Option<bool> {
    let size = layout.size().ok()?.value()?;
    let cosize = layout.domain().cosize().ok()?.value()?;
    Some(cosize <= size.checked_add(size / 4)?)
}

fn verdict(waves: Wavefronts) -> String {
    if waves.conflicts() == 0 {
        "no bank conflict".to_owned()
    } else {
        format!("{}-way bank conflict", waves.waves / waves.ideal.max(1))
    }
}

/// The wavefronts of lanes that read every `step`-th coordinate in colexicographic order.
fn along(
    layout: &AnyLayout,
    element_bits: i64,
    swizzle: Option<Swizzle>,
    step: i64,
    lanes: i64,
) -> Option<Wavefronts> {
    let addresses = addresses(layout, element_bits, swizzle, step, lanes)?;
    shared_wavefronts(&addresses, (element_bits / 8).max(1)).ok()
}

/// The byte addresses of lanes that read every `step`-th coordinate in colexicographic order.
fn addresses(
    layout: &AnyLayout,
    element_bits: i64,
    swizzle: Option<Swizzle>,
    step: i64,
    lanes: i64,
) -> Option<Vec<Option<i64>>> {
    let address = |lane: i64| {
        let offset = layout.eval(lane.checked_mul(step)?).ok()?;
        let offset = offset.as_leaf().and_then(Int::value)?;
        let byte = offset.checked_mul(element_bits)? / 8;
        match swizzle {
            Some(swizzle) => Some(swizzle.apply(byte)),
            None => Some(byte),
        }
    };
    (0..lanes).map(|lane| address(lane).map(Some)).collect()
}

/// `widest vector access: 8 elements (16 bytes)`: the elements that are adjacent and aligned, if the
/// start is.
pub(super) fn widest(layout: &AnyLayout, element_bits: i64) -> Option<String> {
    let bytes = [WIDEST_BITS / 8; 2];
    let width = vector_width(layout, layout, element_bits, bytes, WIDEST_BITS).ok()?;
    let bits = width.elements.checked_mul(element_bits)?;
    if width.elements < 2 || bits % 8 != 0 {
        return None;
    }
    Some(format!(
        "widest vector access: {} elements ({} bytes)",
        width.elements,
        bits / 8
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn conflicts(layout: &str, bits: i64, swizzle: Option<Swizzle>) -> String {
        let layout = AnyLayout::Affine(layout.parse().unwrap());
        bank_conflicts(&layout, bits, swizzle).unwrap()
    }

    #[test]
    fn a_column_of_floats_meets_one_bank_unless_it_is_padded() {
        assert_eq!(
            conflicts("(_32,_32):(_32,_1)", 32, None),
            "32 lanes along mode 0, one element each: 32-way bank conflict; 32 lanes along mode 1: no bank conflict"
        );
        assert_eq!(
            conflicts("(_32,_32):(_33,_1)", 32, None),
            "32 lanes along mode 0, one element each: no bank conflict; 32 lanes along mode 1: no bank conflict"
        );
    }

    #[test]
    fn a_swizzle_of_addresses_takes_conflicts_away() {
        let plain = "(_8,_64):(_64,_1)";
        let swizzle = Swizzle::new(3, 4, 3).ok();
        assert!(
            conflicts(plain, 16, None).starts_with("8 lanes along mode 0, one element each: 8-way")
        );
        assert!(
            conflicts(plain, 16, swizzle)
                .starts_with("8 lanes along mode 0, one element each: no bank")
        );
    }

    #[test]
    fn what_would_free_a_tile_of_conflicts_is_proved_by_the_model() {
        let tile = AnyLayout::Affine("(_32,_32):(_32,_1)".parse().unwrap());
        assert_eq!(
            remedies(&tile, 32, None).unwrap(),
            [
                "no bank conflicts along either mode with Sw<5,2,5> on bytes, Sw<5,0,5> on 32-bit elements",
                "or with 4 bytes (1 element) of padding after every 128 bytes",
            ]
        );
        let free = AnyLayout::Affine("(_32,_32):(_33,_1)".parse().unwrap());
        assert_eq!(remedies(&free, 32, None), None);
    }

    #[test]
    fn a_part_of_a_tile_has_no_verdict() {
        let part = AnyLayout::Affine("(_8,_8):(_1,_1024)".parse().unwrap());
        assert_eq!(bank_conflicts(&part, 16, None), None);
    }

    #[test]
    fn the_widest_access_is_adjacent_and_aligned() {
        let width = |layout: &str, bits| widest(&AnyLayout::Affine(layout.parse().unwrap()), bits);
        let said = |text: &str| Some(text.to_owned());
        assert_eq!(
            width("(_8,_4):(_1,_8)", 16),
            said("widest vector access: 8 elements (16 bytes)")
        );
        assert_eq!(
            width("(_8,_4):(_1,_10)", 16),
            said("widest vector access: 2 elements (4 bytes)")
        );
        assert_eq!(
            width("(_8,_4):(_4,_1)", 32),
            said("widest vector access: 4 elements (16 bytes)")
        );
        assert_eq!(width("(_8,_4):(_8,_2)", 32), None);
    }
}
