//! The worked example of "`partition_C` explained": a 128 x 128 row-major tile of C over 16 x 16 threads of scalar FMAs,
//! each dimension permuted by `(16,4):(4,1)`. Every number of that page is checked.
#![allow(
    clippy::panic,
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

use cute_algebra::ops::divide::logical_divide;
use cute_algebra::{AnyLayout, Int, IntTuple, Layout, Tiler};
use cute_hardware::{MmaAtom, Operand, Part, TiledMma};

fn layout(text: &str) -> Layout {
    text.parse().unwrap()
}

fn tile() -> AnyLayout {
    layout("(_128,_128):(_128,_1)").into()
}

fn mma(permutation: &str) -> TiledMma {
    let atom = MmaAtom::named("UniversalFMA<float,float,float>").unwrap();
    let permutation = || Tiler::Layout(layout(permutation));
    let permutations = vec![permutation(), permutation(), Tiler::Skip];
    TiledMma::new(atom, Some(layout("(_16,_16,_1):(_16,_1,_0)")), permutations).unwrap()
}

fn part(permutation: &str, thread: i64) -> Part {
    let mma = mma(permutation);
    let slice = mma.slice(&Int::fixed(thread)).unwrap();
    mma.partition(&slice, Operand::C, &tile()).unwrap()
}

fn offset(part: &Part) -> i64 {
    part.offset.as_leaf().and_then(Int::value).unwrap()
}

/// Rows and columns that a thread has, in the order of its values.
fn rows_and_columns(part: &Part) -> (Vec<i64>, Vec<i64>) {
    let layout = part.layout.domain();
    let mode = |index: usize| layout.mode(index).unwrap();
    let offsets = |mode: Layout| {
        let size = mode.size().unwrap().value().unwrap();
        (0..size)
            .map(|i| mode.eval_number(i).unwrap())
            .collect::<Vec<_>>()
    };
    let start = offset(part);
    let rows = offsets(mode(1))
        .iter()
        .map(|row| (start + row) / 128)
        .collect();
    let columns = offsets(mode(2))
        .iter()
        .map(|column| (start + column) % 128)
        .collect();
    (rows, columns)
}

#[test]
fn a_thread_has_four_blocks_of_four_by_four() {
    let first = part("(_16,_4):(_4,_1)", 0);
    assert_eq!(
        first.layout.to_string(),
        "(_1,(_4,_2),(_4,_2)):(_0,(_128,_8192),(_1,_64))"
    );
    assert_eq!(first.layout.size().unwrap().value(), Some(64));
    let expected = vec![0, 1, 2, 3, 64, 65, 66, 67];
    assert_eq!(rows_and_columns(&first), (expected.clone(), expected));
}

#[test]
fn the_offset_of_one_value_is_the_dot_product() {
    let first = part("(_16,_4):(_4,_1)", 0);
    let coordinate: IntTuple = "(0,(2,1),(3,0))".parse().unwrap();
    let offset = first.layout.domain().eval_coord(&coordinate).unwrap();
    assert_eq!(offset.to_string(), "8451");
    assert_eq!((8451 / 128, 8451 % 128), (66, 3));
}

#[test]
fn the_loops_of_plain_cuda_touch_the_same_elements() {
    for thread in 0..256 {
        let part = part("(_16,_4):(_4,_1)", thread);
        let positions = |group: i64| {
            (0..8)
                .map(|i| group * 4 + i % 4 + i / 4 * 64)
                .collect::<Vec<i64>>()
        };
        assert_eq!(
            rows_and_columns(&part),
            (positions(thread / 16), positions(thread % 16))
        );
    }
}

#[test]
fn all_threads_together_have_every_element_once() {
    for permutation in ["(_16,_4):(_4,_1)", "(_16,_4):(_1,_16)", "(_16,_8):(_8,_1)"] {
        let mut owners = vec![0; 128 * 128];
        for thread in 0..256 {
            let part = part(permutation, thread);
            let (start, layout) = (offset(&part), part.layout.domain());
            for value in 0..64 {
                let element = start + layout.eval_number(value).unwrap();
                owners[usize::try_from(element).unwrap()] += 1;
            }
        }
        assert!(owners.iter().all(|&count| count == 1), "{permutation}");
    }
}

#[test]
fn a_permutation_divides_the_rows() {
    let divided = |permutation: &str| {
        let rows = layout("_128:_128");
        logical_divide(&rows, &Tiler::Layout(layout(permutation)))
            .unwrap()
            .to_string()
    };
    assert_eq!(
        divided("(_16,_4):(_4,_1)"),
        "((_16,_4),_2):((_512,_128),_8192)"
    );
    assert_eq!(
        divided("(_16,_4):(_1,_16)"),
        "((_16,_4),_2):((_128,_2048),_8192)"
    );
    assert_eq!(
        divided("(_16,_8):(_8,_1)"),
        "((_16,_8),_1):((_1024,_128),_0)"
    );
}

#[test]
fn permutations_move_the_rows_of_a_thread() {
    let rows = |permutation: &str, thread: i64| rows_and_columns(&part(permutation, thread)).0;
    assert_eq!(rows("(_16,_4):(_4,_1)", 16), [4, 5, 6, 7, 68, 69, 70, 71]);
    assert_eq!(
        rows("(_16,_4):(_4,_1)", 15 * 16),
        [60, 61, 62, 63, 124, 125, 126, 127]
    );
    assert_eq!(
        rows("(_16,_4):(_1,_16)", 0),
        [0, 16, 32, 48, 64, 80, 96, 112]
    );
    assert_eq!(rows("(_16,_8):(_8,_1)", 0), [0, 1, 2, 3, 4, 5, 6, 7]);
}

#[test]
fn partitions_of_a_and_b_are_values_then_rows_then_depth() {
    let mma = mma("(_16,_4):(_4,_1)");
    let slice = mma.slice(&Int::fixed(17)).unwrap();
    let tile: AnyLayout = layout("(_128,_8):(_8,_1)").into();
    for operand in [Operand::A, Operand::B] {
        let part = mma.partition(&slice, operand, &tile).unwrap();
        assert_eq!(part.layout.shape().to_string(), "(_1,(_4,_2),_8)");
        assert_eq!(offset(&part), 4 * 8);
    }
}
