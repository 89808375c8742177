//! Does a data layout have every offset that an instruction touches, and at which coordinates (paper §3.4.4)?

use crate::refusal::{Refusal, Rule};
use cute_algebra::ops::composition::composition;
use cute_algebra::ops::inverse::left_inverse;
use cute_algebra::{Int, Layout, Verdict};
use std::collections::HashMap;

/// The most offsets of an instruction, and elements of a layout, that are looked at: all of tensor memory, four times.
pub const MAX_OFFSETS: i64 = 1 << 18;

/// The places of the offsets of an instruction in a data layout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placement {
    /// The colexicographic coordinate of the data for each index of the instruction.
    pub coordinates: Vec<i64>,
    /// The same as a layout, `A† o T`, which partitions the data by `zipped_divide`; `None` where it is not one.
    pub layout: Option<Layout>,
}

/// The coordinates of `data` at which the offsets of `instruction` are: for every `i` the `c` with `T(i) = A(c)`.
///
/// ```
/// use cute_hardware::tensor_memory::placement::placement;
/// // An accumulator of 128 rows and 64 columns of 32 bits, and `tcgen05.ld.32x32b.x2`.
/// let accumulator = "(_128,_64):(_65536,_1)".parse()?;
/// let load = "(_2,_128):(_1,_65536)".parse()?;
/// let found = placement(&accumulator, &load)?;
/// assert_eq!(found.coordinates[..4], [0, 128, 1, 129]);
/// assert_eq!(found.layout.unwrap().to_string(), "(_2,_128):(_128,_1)");
/// # Ok::<(), cute_hardware::Refusal>(())
/// ```
///
/// An offset that the data has at several coordinates is located at one of them.
///
/// Errors: [`Rule::OffsetMissing`] with the first offset that the data does not have and how many there are;
/// [`Rule::OutOfRange`] beyond [`MAX_OFFSETS`]; `NotProvable` for unknown numbers.
pub fn placement(data: &Layout, instruction: &Layout) -> Result<Placement, Refusal> {
    let offsets = (0..counted(instruction)?)
        .map(|index| instruction.eval_number(index))
        .collect::<Result<Vec<_>, _>>()?;
    let quick = match left_inverse(data) {
        Ok(inverse) => by_inverse(data, &inverse, &offsets)?,
        Err(_) => Vec::new(),
    };
    // A layout that is not injective has offsets that its left-inverse does not know.
    let is_complete = quick.len() == offsets.len() && quick.iter().all(Option::is_some);
    let found = if is_complete {
        quick
    } else {
        by_table(data, &offsets)?
    };
    refuse_if_missing(&offsets, &found)?;
    let coordinates: Vec<i64> = found.into_iter().flatten().collect();
    let layout = left_inverse(data)
        .and_then(|inverse| composition(&inverse, instruction))
        .ok()
        .filter(|layout| is_table(layout, &coordinates));
    Ok(Placement {
        coordinates,
        layout,
    })
}

/// `A†(T(i))`, where `A` takes it back to `T(i)`.
fn by_inverse(
    data: &Layout,
    inverse: &Layout,
    offsets: &[i64],
) -> Result<Vec<Option<i64>>, Refusal> {
    let size = known(&data.size()?)?;
    let domain = known(&inverse.size()?)?;
    let coordinate = |offset: i64| -> Result<Option<i64>, Refusal> {
        if !(0..domain).contains(&offset) {
            return Ok(None);
        }
        let coordinate = inverse.eval_number(offset)?;
        let is_there = (0..size).contains(&coordinate) && data.eval_number(coordinate)? == offset;
        Ok(is_there.then_some(coordinate))
    };
    offsets.iter().map(|&offset| coordinate(offset)).collect()
}

/// The first coordinate of each offset, by a look at all of them.
fn by_table(data: &Layout, offsets: &[i64]) -> Result<Vec<Option<i64>>, Refusal> {
    let mut place: HashMap<i64, i64> = HashMap::new();
    for coordinate in 0..counted(data)? {
        place
            .entry(data.eval_number(coordinate)?)
            .or_insert(coordinate);
    }
    Ok(offsets
        .iter()
        .map(|offset| place.get(offset).copied())
        .collect())
}

fn refuse_if_missing(offsets: &[i64], found: &[Option<i64>]) -> Result<(), Refusal> {
    let Some(index) = found.iter().position(Option::is_none) else {
        return Ok(());
    };
    let missing = found.iter().filter(|place| place.is_none()).count();
    Err(Refusal::new(Rule::OffsetMissing, Verdict::Accepts)
        .with("index", index)
        .with("offset", offsets.get(index).copied().unwrap_or_default())
        .with("missing", missing)
        .with("touched", offsets.len()))
}

fn is_table(layout: &Layout, coordinates: &[i64]) -> bool {
    coordinates
        .iter()
        .zip(0..)
        .all(|(coordinate, index)| layout.eval_number(index).as_ref() == Ok(coordinate))
}

fn counted(layout: &Layout) -> Result<i64, Refusal> {
    let size = known(&layout.size()?)?;
    if size <= MAX_OFFSETS {
        return Ok(size);
    }
    Err(Refusal::new(Rule::OutOfRange, Verdict::Accepts)
        .with("size", size)
        .with("most", MAX_OFFSETS))
}

fn known(value: &Int) -> Result<i64, Refusal> {
    value.value().ok_or_else(|| {
        Refusal::new(
            Rule::Algebra(cute_algebra::Rule::NotProvable),
            Verdict::Accepts,
        )
        .with("value", value)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::copy::{CopyAtom, CopyOperands};
    use proptest::prelude::*;

    fn touched(name: &str) -> Layout {
        match CopyAtom::named(name).unwrap().operands {
            CopyOperands::TensorMemoryLoad(access) | CopyOperands::TensorMemoryStore(access) => {
                access.offsets().unwrap()
            }
            _ => unreachable!("{name} is a load or a store"),
        }
    }

    #[test]
    fn accesses_touch_what_the_paper_lists() {
        assert_eq!(
            touched("SM100_TMEM_LOAD_32dp32b1x").to_string(),
            "(_1,_128):(_1,_65536)"
        );
        assert_eq!(
            touched("SM100_TMEM_STORE_32dp32b2x").to_string(),
            "(_2,_128):(_1,_65536)"
        );
        assert_eq!(
            touched("SM100_TMEM_LOAD_16dp256b1x").to_string(),
            "(_8,(_16,_4)):(_1,(_65536,_2097152))"
        );
    }

    #[test]
    fn half_of_the_lanes_is_not_enough_for_all() {
        // An accumulator of 64 rows leaves sixteen of every 32 lanes free.
        let half: Layout = "((_16,_4),_32):((_65536,_2097152),_1)".parse().unwrap();
        let found = placement(&half, &touched("SM100_TMEM_LOAD_16dp256b1x")).unwrap();
        assert_eq!(found.coordinates[..3], [0, 64, 128]);
        let refusal = placement(&half, &touched("SM100_TMEM_LOAD_32dp32b1x")).unwrap_err();
        assert_eq!(refusal.rule, Rule::OffsetMissing);
        assert_eq!(refusal.number("missing").unwrap().to_string(), "64");
        assert_eq!(
            refusal.number("offset").unwrap().to_string(),
            (16 * 65536).to_string()
        );
    }

    #[test]
    fn too_few_columns_are_said() {
        let narrow: Layout = "(_128,_4):(_65536,_1)".parse().unwrap();
        let refusal = placement(&narrow, &touched("SM100_TMEM_LOAD_32dp32b8x")).unwrap_err();
        assert_eq!(refusal.number("missing").unwrap().to_string(), "512");
    }

    #[test]
    fn an_offset_in_two_places_is_found_in_one() {
        let overlapping: Layout = "(_4,_3):(_1,_2)".parse().unwrap();
        let found = placement(&overlapping, &"_8:_1".parse().unwrap()).unwrap();
        for (coordinate, offset) in found.coordinates.iter().zip(0..) {
            assert_eq!(overlapping.eval_number(*coordinate), Ok(offset));
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(100))]
        /// The definition: for each offset the coordinate that has it, by a look at all of them.
        #[test]
        fn a_placement_is_what_a_search_finds(
            data in proptest::collection::vec((1_i64..5, 0_i64..12), 1..4),
            instruction in proptest::collection::vec((1_i64..4, 0_i64..8), 1..3),
        ) {
            let layout = |modes: &[(i64, i64)]| -> Layout {
                let shape: Vec<String> = modes.iter().map(|(extent, _)| format!("_{extent}")).collect();
                let stride: Vec<String> = modes.iter().map(|(_, stride)| format!("_{stride}")).collect();
                format!("({}):({})", shape.join(","), stride.join(",")).parse().unwrap()
            };
            let (data, instruction) = (layout(&data), layout(&instruction));
            let size = |layout: &Layout| layout.size().unwrap().value().unwrap();
            let places = |offset: i64| -> Vec<i64> {
                (0..size(&data)).filter(|&c| data.eval_number(c).unwrap() == offset).collect()
            };
            let searched: Vec<Vec<i64>> =
                (0..size(&instruction)).map(|i| places(instruction.eval_number(i).unwrap())).collect();
            match placement(&data, &instruction) {
                Ok(found) => {
                    prop_assert_eq!(found.coordinates.len(), searched.len());
                    for (coordinate, places) in found.coordinates.iter().zip(&searched) {
                        prop_assert!(places.contains(coordinate));
                    }
                }
                Err(refusal) => {
                    prop_assert_eq!(refusal.rule, Rule::OffsetMissing);
                    prop_assert!(searched.iter().any(Vec::is_empty));
                }
            }
        }
    }
}
