//! Tensors whose offsets count no elements of memory: TMA coordinates, tensor memory, descriptors.

use cute_algebra::{Delta, Int, Layout};

/// Bits of one column of tensor memory in one lane.
const COLUMN_BITS: i64 = 32;

/// The distance of two lanes in an address of tensor memory, in columns (PTX, `tcgen05` addressing).
const LANE_STEP: i64 = 1 << 16;

/// Bytes that one step of a matrix descriptor's address represents.
const DESCRIPTOR_UNIT: i64 = 16;

/// `TMA coordinates, innermost first: dim 0 of mode 1, dim 1 of mode 0`: which modes step along each
/// dimension.
pub(super) fn of_coordinates(layout: &Layout) -> Vec<String> {
    let mut lines = vec![super::measures(layout.size(), None, layout.rank())];
    let mut dimensions: Vec<(u16, Vec<usize>)> = Vec::new();
    for (index, mode) in layout.view().modes().enumerate() {
        for step in mode.steps() {
            let Delta::Basis(basis) = step else {
                continue;
            };
            let Some(dimension) = basis.path.as_slice().first().copied() else {
                continue;
            };
            match dimensions.iter_mut().find(|(known, _)| *known == dimension) {
                Some((_, modes)) if modes.contains(&index) => {}
                Some((_, modes)) => modes.push(index),
                None => dimensions.push((dimension, vec![index])),
            }
        }
    }
    dimensions.sort_unstable();
    let parts: Vec<String> = dimensions
        .into_iter()
        .map(|(dimension, modes)| {
            let modes: Vec<String> = modes.iter().map(ToString::to_string).collect();
            let plural = if modes.len() == 1 { "" } else { "s" };
            format!("dim {dimension} along mode{plural} {}", modes.join(" and "))
        })
        .collect();
    if !parts.is_empty() {
        lines.insert(
            0,
            format!("coordinates, innermost first: {}", parts.join(", ")),
        );
    }
    lines
}

/// `128 lanes x 256 columns of tensor memory, 32-bit elements`.
pub(super) fn of_tensor_memory(layout: &Layout, bits: Option<i64>) -> Vec<String> {
    let mut lines = vec![super::measures(layout.size(), None, layout.rank())];
    if let Some((lanes, columns)) = bits.and_then(|bits| lanes_and_columns(layout, bits)) {
        let bits = bits.unwrap_or(COLUMN_BITS);
        lines.insert(
            0,
            format!("{lanes} lanes x {columns} columns of tensor memory, {bits}-bit elements"),
        );
    }
    lines
}

/// The extent of the addresses in lanes and in columns.
fn lanes_and_columns(layout: &Layout, bits: i64) -> Option<(i64, i64)> {
    let lane = LANE_STEP.checked_mul(COLUMN_BITS)?.checked_div(bits)?;
    let (mut lanes, mut elements) = (1_i64, 1_i64);
    let view = layout.view();
    for (extent, step) in view.extents().iter().zip(view.steps()) {
        let reach = extent.value()?.checked_sub(1)?;
        let step = step.as_int()?.value()?;
        if step < 0 {
            return None;
        }
        lanes = lanes.checked_add(reach.checked_mul(step.checked_div(lane)?)?)?;
        elements = elements.checked_add(reach.checked_mul(step.checked_rem(lane)?)?)?;
    }
    let bits = elements.checked_mul(bits)?;
    Some((lanes, bits.checked_add(COLUMN_BITS - 1)? / COLUMN_BITS))
}

/// `4 matrix descriptors; a step of mode 2 is 2 units of 16 bytes, 32 bytes`.
pub(super) fn of_descriptors(layout: &Layout) -> Vec<String> {
    let mut parts = Vec::new();
    if let Ok(size) = layout.size() {
        parts.push(format!("{size:#} matrix descriptors"));
    }
    for (index, mode) in layout.view().modes().enumerate() {
        let steps = mode.extents().iter().zip(mode.steps());
        let mut known = steps.filter_map(|(extent, step)| {
            let step = step.as_int().and_then(Int::value)?;
            (extent.value() != Some(1) && step != 0).then_some(step)
        });
        if let (Some(step), None) = (known.next(), known.next())
            && let Some(bytes) = step.checked_mul(DESCRIPTOR_UNIT)
        {
            parts.push(format!(
                "a step of mode {index} is {step} units of {DESCRIPTOR_UNIT} bytes, {bytes} bytes"
            ));
        }
    }
    vec![parts.join("; ")]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout(text: &str) -> Layout {
        text.parse().unwrap()
    }

    #[test]
    fn coordinates_name_their_dimensions() {
        assert_eq!(
            of_coordinates(&layout("(m,(_64,k)):(_1@1,(_1@0,_64@0))")),
            [
                "coordinates, innermost first: dim 0 along mode 1, dim 1 along mode 0",
                "size 64*k*m, rank 2",
            ]
        );
    }

    #[test]
    fn tensor_memory_has_lanes_and_columns() {
        let accumulator = layout("((_128,_256),_1,_1):((_65536,_1),_0,_0)");
        assert_eq!(
            of_tensor_memory(&accumulator, Some(32))[0],
            "128 lanes x 256 columns of tensor memory, 32-bit elements"
        );
        // Two elements of 16 bits share a column.
        let halves = layout("(_128,_64):(_131072,_1)");
        assert_eq!(lanes_and_columns(&halves, 16), Some((128, 32)));
    }

    #[test]
    fn descriptors_step_in_units() {
        assert_eq!(
            of_descriptors(&layout("(_1,_1,_4):(_0,_0,_2)")),
            ["4 matrix descriptors; a step of mode 2 is 2 units of 16 bytes, 32 bytes"]
        );
    }
}
