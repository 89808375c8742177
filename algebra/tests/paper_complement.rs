//! Section 3.5 of the paper: complement, product and divide; every worked example, table and figure.

mod notation;

use cute_algebra::coverage::{Coverage, Covers};
use cute_algebra::ops::{
    blocked_product, complement, composition, composition_by, logical_divide, logical_product,
    raked_product, slice_and_offset, zipped_divide,
};
use cute_algebra::{Int, Layout, Refusal, Tiler};
use notation::{at, coord, layout, offsets, shape, show, size, tiler};
use std::collections::BTreeSet;

/// Table 7, integers: the complement is a mode (or two) whose last one goes on, so it is taken in three repetitions of it.
#[test]
fn table_7_complements() -> Result<(), Refusal> {
    for (text, target, expected) in [
        ("(4,8):(1,4)", 96, "3:32"),
        ("(4,8):(8,1)", 96, "3:32"),
        ("(4,(4,2)):(4,(1,16))", 96, "3:32"),
        ("(4,8):(1,5)", 120, "3:40"),
        ("(4,8):(1,8)", 192, "(2,3):(4,64)"),
        ("((2,2),(2,4)):((0,1),(0,2))", 24, "3:8"),
        ("((2,2),(2,4)):((0,2),(0,4))", 48, "(2,3):(1,16)"),
    ] {
        let l = layout(text);
        let rest = complement(&l, &shape(&target.to_string()))?;
        assert_eq!(format!("{rest:#}"), expected, "{text}");
        assert_disjoint_and_ordered(&l, &rest);
    }
    // Table 7 prints the last extent as 1: one repetition.
    assert_eq!(
        show(complement(&layout("(4,8):(1,8)"), &shape("64"))),
        "2:4"
    );
    Ok(())
}

/// Table 7, the rows of layouts into coordinates, in three repetitions in each.
///
/// The row of `(4,8):(e0,e1)` prints `(1,1):(4e0,4e1)`; its second stride has to be 8e1, for 4e1 is the offset of (0,4).
#[test]
fn table_7_complements_in_coordinates() {
    for (text, target, expected) in [
        ("(4,8):(1@0,1@1)", "(12,24)", "(3,3):(4@0,8@1)"),
        (
            "(4,(4,2)):(1@1,(1@0,12@1))",
            "(12,72)",
            "(3,(3,3)):(4@0,(4@1,24@1))",
        ),
    ] {
        assert_eq!(
            show(complement(&layout(text), &shape(target))),
            expected,
            "{text}"
        );
    }
}

/// Conditions 28 and 29, the latter on three times the domain of the complement.
fn assert_disjoint_and_ordered(layout: &Layout, complement: &Layout) {
    let image: BTreeSet<i64> = offsets(layout).into_iter().collect();
    let mut previous = 0;
    for a in 1..3 * size(complement) {
        let offset = at(complement, a);
        assert!(
            !image.contains(&offset),
            "{layout} and {complement} meet at {offset}"
        );
        assert!(offset > previous, "{complement} is not increasing at {a}");
        previous = offset;
    }
}

/// Table 7, the note of its first row: every offset of the complement but 0 is beyond the layout's.
#[test]
fn table_7_first_row_is_beyond_the_layout() -> Result<(), Refusal> {
    let l = layout("(4,8):(1,4)");
    let rest = complement(&l, &shape("320"))?;
    let last = offsets(&l).into_iter().max();
    assert!((1..size(&rest)).all(|i| Some(at(&rest, i)) > last));
    Ok(())
}

/// Section 3.5.1: a row-major tile on a column-major grid, and an interleaved one.
#[test]
fn section_3_5_1_products() {
    let product = |a: &str, b: &str| show(logical_product(&layout(a), &tiler(b)));
    assert_eq!(
        product("(3,4):(4,1)", "(2,5):(1,2)"),
        "((3,4),(2,5)):((4,1),(12,24))"
    );
    assert_eq!(
        product("(4,8):(20,2)", "(3,2):(2,1)"),
        "((4,8),(3,2)):((20,2),(80,1))"
    );
}

/// Section 3.5.1: every element of the grid is the tile, shifted; no two copies meet.
#[test]
fn section_3_5_1_each_copy_is_the_tile() -> Result<(), Refusal> {
    for (tile, grid) in [
        ("(3,4):(4,1)", "(2,5):(1,2)"),
        ("(4,8):(20,2)", "(3,2):(2,1)"),
    ] {
        let (tile, grid) = (layout(tile), layout(grid));
        let product = logical_product(&tile, &Tiler::Layout(grid.clone()))?;
        let mut all = BTreeSet::new();
        for copy in 0..size(&grid) {
            let begin = at(&product, copy * size(&tile));
            for element in 0..size(&tile) {
                let offset = at(&product, copy * size(&tile) + element);
                assert_eq!(offset - begin, at(&tile, element));
                assert!(all.insert(offset));
            }
        }
    }
    Ok(())
}

/// Rows of a layout of rank 2.
fn rows(layout: &Layout, height: i64, width: i64) -> Vec<Vec<i64>> {
    (0..height)
        .map(|m| (0..width).map(|n| at(layout, m + height * n)).collect())
        .collect()
}

/// Figure 10: the blocked product of the 3x4 tile with the 2x5 grid is the 6x20 matrix of blocks.
#[test]
fn figure_10_blocked_product() -> Result<(), Refusal> {
    let product = blocked_product(&layout("(3,4):(4,1)"), &layout("(2,5):(1,2)"))?;
    assert_eq!(format!("{product:#}"), "((3,2),(4,5)):((4,12),(1,24))");
    let expected: Vec<Vec<i64>> = (0..6)
        .map(|m| {
            (0..20)
                .map(|n| 4 * (m % 3) + n % 4 + 12 * (m / 3) + 24 * (n / 4))
                .collect()
        })
        .collect();
    let found = rows(&product, 6, 20);
    assert_eq!(found, expected);
    assert_eq!(found[4][..6], [16, 17, 18, 19, 40, 41]);
    assert_eq!(found[5][19], 119);
    Ok(())
}

/// Figure 11: the raked product interleaves the tile.
#[test]
fn figure_11_raked_product() -> Result<(), Refusal> {
    let product = raked_product(&layout("(3,4):(4,1)"), &layout("(2,5):(1,2)"))?;
    assert_eq!(format!("{product:#}"), "((2,3),(5,4)):((12,4),(24,1))");
    let found = rows(&product, 6, 20);
    assert_eq!(
        found[0],
        [
            0, 24, 48, 72, 96, 1, 25, 49, 73, 97, 2, 26, 50, 74, 98, 3, 27, 51, 75, 99
        ]
    );
    assert_eq!(found[3][..5], [16, 40, 64, 88, 112]);
    assert_eq!(found[5][19], 119);
    Ok(())
}

/// Section 3.5.2: every third element, and the rest, of two layouts of 24 elements.
#[test]
fn section_3_5_2_every_third_element() {
    assert_eq!(show(composition(&layout("24:3"), &layout("8:3"))), "8:9");
    assert_eq!(
        show(composition(&layout("(6,2,2):(2,1,20)"), &layout("8:3"))),
        "(2,2,2):(6,1,20)"
    );
    let divide = |a: &str| show(logical_divide(&layout(a), &tiler("8:3")));
    assert_eq!(divide("24:3"), "(8,3):(9,3)");
    assert_eq!(divide("(6,2,2):(2,1,20)"), "((2,2,2),3):((6,1,20),2)");
    assert_eq!(show(complement(&layout("8:3"), &shape("24"))), "3:1");
}

/// Equations 30 and 31: the completed tiler is a bijection onto the coordinates, so its inverse is a reflexive one.
#[test]
fn section_3_5_2_the_completed_tiler_is_a_bijection() -> Result<(), Refusal> {
    for (tile, target) in [
        ("8:3", 24),
        ("4:2", 16),
        ("(2,2):(1,4)", 16),
        ("(4,2):(4,1)", 64),
    ] {
        let tile = layout(tile);
        let rest = complement(&tile, &shape(&target.to_string()))?;
        let coverage = Coverage::of_pair(&tile, &rest, target)?;
        assert_eq!(coverage.covers(), Covers::Exact, "{tile}");
        let completed = Layout::concat([tile.view(), rest.view()])?;
        let reached: BTreeSet<i64> = offsets(&completed).into_iter().collect();
        assert_eq!(
            reached.into_iter().collect::<Vec<_>>(),
            (0..target).collect::<Vec<_>>()
        );
    }
    Ok(())
}

/// Section 3.5.2, by mode: 4 consecutive elements down each column, every other one across each row.
#[test]
fn section_3_5_2_by_mode() -> Result<(), Refusal> {
    let matrix = layout("(8,16):(20,1)");
    let tiler = tiler("(4:1,8:2)");
    let divided = logical_divide(&matrix, &tiler)?;
    assert_eq!(format!("{divided:#}"), "((4,2),(8,2)):((20,80),(2,1))");
    let zipped = zipped_divide(&matrix, &tiler)?;
    assert_eq!(format!("{zipped:#}"), "((4,8),(2,2)):((20,2),(80,1))");
    assert_eq!(zipped.mode(0)?, composition_by(&matrix, &tiler)?);
    Ok(())
}

/// Figure 12: the tilers of figure 7 split an 8x16 matrix into a 2x2 grid of 4x8 tiles, each element in exactly one.
#[test]
fn figure_12_tiles() -> Result<(), Refusal> {
    let matrix = layout("(8,16):(1,8)");
    for text in [
        "(4,8)",
        "(4:2,8:1)",
        "(4:1,8:2)",
        "(4:2,8:2)",
        "((2,2):(1,4),(2,4):(1,4))",
    ] {
        let tiles = zipped_divide(&matrix, &tiler(text))?;
        assert_eq!(
            (size(&tiles.mode(0)?), size(&tiles.mode(1)?)),
            (32, 4),
            "{text}"
        );
        let all: BTreeSet<i64> = offsets(&tiles).into_iter().collect();
        assert_eq!(all.len(), 128, "{text}");
        assert_eq!(all.last(), Some(&127), "{text}");
    }
    Ok(())
}

/// Section 3.5.2, the last listing: a tile by a one-dimensional block index and by the equivalent coordinate.
#[test]
fn section_3_5_2_a_tile_per_block() -> Result<(), Refusal> {
    let matrix = layout("(8,16):(20,1)");
    let tiles = zipped_divide(&matrix, &tiler("(4,8)"))?;
    for (x, y) in (0..4).map(|i| (i % 2, i / 2)) {
        let by_index = slice_and_offset(&coord(&format!("(_,{})", x + 2 * y)), &tiles)?;
        let by_coordinate = slice_and_offset(&coord(&format!("(_,({x},{y}))")), &tiles)?;
        let number = |offset: &cute_algebra::Offset| offset.as_leaf().and_then(Int::value);
        assert_eq!(by_index.0, by_coordinate.0);
        assert_eq!(number(&by_index.1), number(&by_coordinate.1));
        assert_eq!(number(&by_index.1), Some(80 * x + 8 * y));
    }
    Ok(())
}
