//! `local_tile`, `local_partition`, `inner_` and `outer_partition` against their definitions, coordinate by coordinate; and every
//! tiled MMA and copy of some families against what a thread has by the atom alone.
#![allow(
    clippy::panic,
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

use cute_algebra::{AnyLayout, Coord, Int, IntTuple, Layout, Tiler};
use cute_hardware::tiled::partition::{local_partition, local_tile, outer_partition};
use cute_hardware::{CopyAtom, MmaAtom, Operand, Part, TiledCopy, TiledMma};
use proptest::prelude::*;

fn layout(text: &str) -> Layout {
    text.parse().unwrap()
}

fn value(part: &Part, coordinate: &str) -> i64 {
    let coordinate: IntTuple = coordinate.parse().unwrap();
    let inside = part.layout.domain().eval_coord(&coordinate).unwrap();
    let number = |offset: &cute_algebra::Offset| offset.as_leaf().and_then(Int::value).unwrap();
    number(&part.offset) + number(&inside)
}

fn at(tensor: &Layout, row: i64, column: i64) -> i64 {
    let coordinate: IntTuple = format!("({row},{column})").parse().unwrap();
    tensor
        .eval_coord(&coordinate)
        .unwrap()
        .as_leaf()
        .and_then(Int::value)
        .unwrap()
}

/// A tensor of `tiles` tiles of `extents` each, with any strides.
#[derive(Debug, Clone)]
struct Case {
    extents: [i64; 2],
    tiles: [i64; 2],
    strides: [i64; 2],
}

fn cases() -> impl Strategy<Value = Case> {
    let pair = |most| [1_i64..most, 1_i64..most];
    (pair(6), pair(5), [0_i64..40, 0_i64..40]).prop_map(|(extents, tiles, strides)| Case {
        extents,
        tiles,
        strides,
    })
}

impl Case {
    fn tensor(&self) -> Layout {
        let [m, n] = [0, 1].map(|mode| self.extents[mode] * self.tiles[mode]);
        layout(&format!(
            "(_{m},_{n}):(_{},_{})",
            self.strides[0], self.strides[1]
        ))
    }

    fn tiler(&self) -> Tiler {
        let [m, n] = self.extents;
        Tiler::of_shape(&format!("(_{m},_{n})").parse().unwrap())
    }
}

/// All pairs below the extents.
fn pairs(extents: [i64; 2]) -> impl Iterator<Item = (i64, i64)> {
    (0..extents[0]).flat_map(move |row| (0..extents[1]).map(move |column| (row, column)))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// `local_tile(T, tiler, (i, j))(c) = T(tile * (i, j) + c)`.
    #[test]
    fn a_tile_is_a_window(case in cases()) {
        let tensor = case.tensor();
        let any: AnyLayout = tensor.clone().into();
        for (i, j) in pairs(case.tiles) {
            let coord: Coord = format!("({i},{j})").parse().unwrap();
            let part = local_tile(&any, &case.tiler(), &coord).unwrap();
            for (row, column) in pairs(case.extents) {
                let expected = at(&tensor, i * case.extents[0] + row, j * case.extents[1] + column);
                prop_assert_eq!(value(&part, &format!("({row},{column})")), expected);
            }
        }
    }

    /// `local_tile(T, tiler, (i, _))(c, j) = T(tile * (i, j) + c)`.
    #[test]
    fn an_open_coordinate_stays_a_mode(case in cases()) {
        let tensor = case.tensor();
        let any: AnyLayout = tensor.clone().into();
        for i in 0..case.tiles[0] {
            let coord: Coord = format!("({i},_)").parse().unwrap();
            let part = local_tile(&any, &case.tiler(), &coord).unwrap();
            prop_assert_eq!(part.layout.rank(), 3);
            for (row, column) in pairs(case.extents) {
                for j in 0..case.tiles[1] {
                    let expected = at(&tensor, i * case.extents[0] + row, j * case.extents[1] + column);
                    prop_assert_eq!(value(&part, &format!("({row},{column},{j})")), expected);
                }
            }
        }
    }

    /// `outer_partition(T, tiler, c)(i, j) = T(tile * (i, j) + c)`.
    #[test]
    fn an_outer_partition_is_one_cell_of_every_tile(case in cases()) {
        let tensor = case.tensor();
        let any: AnyLayout = tensor.clone().into();
        for (row, column) in pairs(case.extents) {
            let coord: Coord = format!("({row},{column})").parse().unwrap();
            let part = outer_partition(&any, &case.tiler(), &coord).unwrap();
            for (i, j) in pairs(case.tiles) {
                let expected = at(&tensor, i * case.extents[0] + row, j * case.extents[1] + column);
                prop_assert_eq!(value(&part, &format!("({i},{j})")), expected);
            }
        }
    }

    /// Thread `t` of a layout of threads has the cell where the layout says `t`, in every tile.
    #[test]
    fn a_local_partition_is_the_cell_of_the_thread(case in cases(), by_rows in any::<bool>()) {
        let tensor = case.tensor();
        let any: AnyLayout = tensor.clone().into();
        let [m, n] = case.extents;
        let threads = if by_rows {
            layout(&format!("(_{m},_{n}):(_{n},_1)"))
        } else {
            layout(&format!("(_{m},_{n}):(_1,_{m})"))
        };
        for (row, column) in pairs(case.extents) {
            let thread = at(&threads, row, column);
            let part = local_partition(&any, &threads, &Int::fixed(thread)).unwrap();
            for (i, j) in pairs(case.tiles) {
                let expected = at(&tensor, i * m + row, j * n + column);
                prop_assert_eq!(value(&part, &format!("({i},{j})")), expected);
            }
        }
    }
}

/// The offsets of a part, in order.
fn offsets(part: &Part) -> Vec<i64> {
    let size = part.layout.size().unwrap().value().unwrap();
    let start = part.offset.as_leaf().and_then(Int::value).unwrap();
    (0..size)
        .map(|index| start + part.layout.domain().eval_number(index).unwrap())
        .collect()
}

/// The parts of all threads are the tile, each element once for C and as often as threads share it for A and B.
#[test]
fn parts_of_tiled_mmas_are_the_tile() {
    for (name, atoms) in [
        ("SM80_16x8x16_F32F16F16F32_TN", "(_2,_2,_1):(_1,_2,_0)"),
        ("SM80_16x8x8_F32TF32TF32F32_TN", "(_4,_1,_1):(_1,_0,_0)"),
        ("SM70_8x8x4_F32F16F16F32_NT", "(_2,_4,_1):(_4,_1,_0)"),
        (
            "SM90_64x32x16_F32F16F16_RS<GMMA::Major::K, GMMA::Major::K>",
            "(_2,_1,_1):(_1,_0,_0)",
        ),
    ] {
        let mma =
            TiledMma::new(MmaAtom::named(name).unwrap(), Some(layout(atoms)), vec![]).unwrap();
        let threads = mma.size().unwrap().value().unwrap();
        let tile = |mode: usize| mma.tile_size(mode).unwrap().value().unwrap();
        let operands = if name.contains("_RS") {
            vec![Operand::A, Operand::C]
        } else {
            vec![Operand::A, Operand::B, Operand::C]
        };
        for operand in operands {
            let [rows, columns] = operand.extents().map(tile);
            let tensor: AnyLayout = layout(&format!(
                "(_{},_{}):(_{},_1)",
                2 * rows,
                2 * columns,
                2 * columns
            ))
            .into();
            let mut owners = vec![0_i64; usize::try_from(4 * rows * columns).unwrap()];
            for thread in 0..threads {
                let slice = mma.slice(&Int::fixed(thread)).unwrap();
                for offset in offsets(&mma.partition(&slice, operand, &tensor).unwrap()) {
                    owners[usize::try_from(offset).unwrap()] += 1;
                }
            }
            let shared = owners[0];
            assert!(
                shared > 0 && owners.iter().all(|count| *count == shared),
                "{name} {operand:?}"
            );
            assert!(operand != Operand::C || shared == 1, "{name}");
        }
    }
}

#[test]
fn parts_of_tiled_copies_are_the_tile() {
    for (atom, bits, threads, values) in [
        (
            "UniversalCopy<uint128_t>",
            16,
            "(_16,_8):(_8,_1)",
            "(_1,_8):(_0,_1)",
        ),
        (
            "UniversalCopy<uint32_t>",
            32,
            "(_8,_4):(_1,_8)",
            "(_4,_1):(_1,_0)",
        ),
        (
            "SM80_CP_ASYNC_CACHEALWAYS<uint64_t>",
            16,
            "(_32,_4):(_4,_1)",
            "(_2,_4):(_4,_1)",
        ),
    ] {
        let atom = CopyAtom::named(atom)
            .unwrap()
            .with_value_bits(bits)
            .unwrap();
        let copy = TiledCopy::of_layouts(atom, &layout(threads), &layout(values)).unwrap();
        copy.refuse_unless_covering().unwrap();
        let tile = copy.tile_shape().unwrap();
        let extent = |mode: usize| tile.get(mode).unwrap().size().unwrap().value().unwrap();
        let (m, n) = (2 * extent(0), 3 * extent(1));
        let tensor: AnyLayout = layout(&format!("(_{m},_{n}):(_{n},_1)")).into();
        let mut owners = vec![0; usize::try_from(m * n).unwrap()];
        for thread in 0..copy.size().unwrap().value().unwrap() {
            for offset in offsets(&copy.partition_source(&Int::fixed(thread), &tensor).unwrap()) {
                owners[usize::try_from(offset).unwrap()] += 1;
            }
        }
        assert!(owners.iter().all(|count| *count == 1));
    }
}
