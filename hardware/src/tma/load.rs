//! The bytes that a TMA load and a TMA store move: the box, its bounds, and their place under the swizzle (PTX
//! "Tensors").

use super::tensor_map::TensorMap;
use crate::refusal::{Refusal, Rule};
use cute_algebra::{Int, Verdict};

/// The place of the element of one box index in shared memory, and in global memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Move {
    /// The byte of shared memory, from the start of the box.
    pub shared_byte: i64,
    /// The byte of global memory, from the start of the tensor; `None` out of bounds, where a load fills and a store writes
    /// nothing.
    pub global_byte: Option<i64>,
}

/// The moves of a load of the box at `coordinates`, into a buffer at `shared_address`, in the order of linear shared
/// memory. Coordinates may be negative or beyond the tensor.
///
/// Errors: [`Rule::MisalignedStart`] for a buffer that is not aligned to 128 bytes, [`Rule::TmaRank`] for a wrong number of
/// coordinates, `NotProvable` for extents that are not known.
pub fn load(
    map: &TensorMap,
    coordinates: &[i64],
    shared_address: i64,
) -> Result<Vec<Move>, Refusal> {
    if coordinates.len() != map.rank() {
        return Err(Refusal::new(Rule::TmaRank, Verdict::Accepts)
            .with("coordinates", coordinates.len())
            .with("rank", map.rank()));
    }
    if shared_address % 128 != 0 {
        return Err(Refusal::new(Rule::MisalignedStart, Verdict::Accepts)
            .with("shared_address", shared_address)
            .with("multiple_of", 128_i64));
    }
    let known = |value: &Int| {
        value
            .value()
            .ok_or_else(|| super::basis::not_known("value", value))
    };
    let dims = map.dims.iter().map(known).collect::<Result<Vec<_>, _>>()?;
    let element_bytes = (map.element_bits / 8).max(1);
    let mut strides = vec![element_bytes];
    for stride in &map.strides_bytes {
        strides.push(known(stride)?);
    }
    let extents: Vec<i64> = map
        .box_dims
        .iter()
        .zip(&map.element_strides)
        .map(|(extent, step)| (extent + step - 1) / step)
        .collect();
    let count: i64 = extents.iter().product();
    let mut moves = Vec::with_capacity(usize::try_from(count).unwrap_or(0));
    for index in 0..count {
        let mut rest = index;
        let mut global = Some(0);
        for (mode, extent) in extents.iter().enumerate() {
            let position = coordinates[mode] + rest % extent * map.element_strides[mode];
            rest /= extent;
            let is_inside = (0..dims[mode]).contains(&position);
            global = global
                .filter(|_| is_inside)
                .map(|byte| byte + position * strides[mode]);
        }
        let linear = shared_address + index * element_bytes;
        moves.push(Move {
            shared_byte: map.swizzle.apply(linear) - shared_address,
            global_byte: global,
        });
    }
    Ok(moves)
}

/// The moves of a store, or of a reduction, of the box at `coordinates` from a buffer at `shared_address`: those of
/// [`load`], without the elements out of bounds.
///
/// ```
/// # use cute_hardware::tma::{TensorMap, TensorMapSwizzle, load::store};
/// # use cute_algebra::Int;
/// # let map = TensorMap {
/// #     data_type: 6, element_bits: 16, dims: vec![Int::fixed(40), Int::fixed(100)], strides_bytes: vec![Int::fixed(80)],
/// #     box_dims: vec![32, 8], element_strides: vec![1, 1], interleave: 0, swizzle: TensorMapSwizzle::None,
/// #     l2_promotion: 2, oob_fill: 0,
/// # };
/// // A tensor of 100 rows of 40 elements; the box of 8 rows of 32 starts in column 16: eight columns are outside.
/// assert_eq!(store(&map, &[16, 0], 0)?.len(), 8 * 24);
/// # Ok::<(), cute_hardware::Refusal>(())
/// ```
///
/// Errors: as [`load`], and [`Rule::TmaStoreStart`] for a negative coordinate.
pub fn store(
    map: &TensorMap,
    coordinates: &[i64],
    shared_address: i64,
) -> Result<Vec<Move>, Refusal> {
    if let Some((mode, coordinate)) = coordinates.iter().enumerate().find(|(_, c)| **c < 0) {
        return Err(Refusal::new(Rule::TmaStoreStart, Verdict::Accepts)
            .with("coordinate", *coordinate)
            .inside(mode)
            .legal("0"));
    }
    let mut moves = load(map, coordinates, shared_address)?;
    moves.retain(|element| element.global_byte.is_some());
    Ok(moves)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shared_layout::SharedLayout;
    use crate::tma::TensorMapSwizzle;

    fn map(box_dims: [i64; 2], swizzle: TensorMapSwizzle) -> TensorMap {
        TensorMap {
            data_type: 6,
            element_bits: 16,
            dims: vec![Int::fixed(512), Int::fixed(1024)],
            strides_bytes: vec![Int::fixed(1024)],
            box_dims: box_dims.to_vec(),
            element_strides: vec![1, 1],
            interleave: 0,
            swizzle,
            l2_promotion: 2,
            oob_fill: 0,
        }
    }

    #[test]
    fn a_load_puts_elements_where_the_shared_layout_says() {
        let layout: SharedLayout =
            "Sw<3,4,3> o smem_ptr[16b](unset) o ((_8,_16),(_64,_1)):((_64,_512),(_1,_0))"
                .parse()
                .unwrap();
        let function = layout.position_independent().unwrap();
        let moves = load(&map([64, 128], TensorMapSwizzle::B128), &[64, 128], 0).unwrap();
        for row in 0..128 {
            for column in 0..64 {
                let offset = function.eval(row + 128 * column).unwrap();
                let shared_byte = offset.as_leaf().and_then(Int::value).unwrap() * 2;
                let global_byte = (128 + row) * 1024 + (64 + column) * 2;
                let index = usize::try_from(column + 64 * row).unwrap();
                assert_eq!(
                    moves[index],
                    Move {
                        shared_byte,
                        global_byte: Some(global_byte)
                    }
                );
            }
        }
    }

    #[test]
    fn what_is_out_of_bounds_is_filled() {
        let moves = load(&map([64, 8], TensorMapSwizzle::None), &[480, -4], 0).unwrap();
        let inside = moves
            .iter()
            .filter(|element| element.global_byte.is_some())
            .count();
        assert_eq!(inside, 32 * 4);
        assert_eq!(moves[0].global_byte, None);
        assert_eq!(moves[4 * 64].global_byte, Some(480 * 2));
    }

    #[test]
    fn a_store_is_the_inverse_of_a_load_inside_the_tensor() {
        let map = map([64, 8], TensorMapSwizzle::B128);
        let stored = store(&map, &[480, 1020], 1024).unwrap();
        assert_eq!(stored.len(), 32 * 4);
        let loaded = load(&map, &[480, 1020], 1024).unwrap();
        assert!(stored.iter().all(|element| loaded.contains(element)));
        let refusal = store(&map, &[0, -1], 0).unwrap_err();
        assert_eq!(
            (refusal.rule, &refusal.mode[..]),
            (Rule::TmaStoreStart, &[1][..])
        );
    }

    #[test]
    fn an_unaligned_buffer_is_refused() {
        assert_eq!(
            load(&map([64, 8], TensorMapSwizzle::None), &[0, 0], 64)
                .unwrap_err()
                .rule,
            Rule::MisalignedStart
        );
    }
}
