//! The theorems T1 to T6 of the specification ("Key Theorems"), each under the conditions that it needs, and a counterexample
//! where its unconditional form fails.

mod generators;
mod notation;

use cute_algebra::coverage::{Coverage, Covers};
use cute_algebra::ops::{
    blocked_product, complement, composition, composition_by, flat_divide, logical_divide,
    logical_product, raked_product, tiled_divide, zipped_divide,
};
use cute_algebra::witness::Comparison;
use cute_algebra::{Int, Layout, Shape, Tiler, judge};
use generators::{bit_permutation, integer_layout};
use notation::{layout, offsets, shape, show, size, tiler};
use proptest::prelude::*;

/// The result of CuTe's composition, where it is the composition of the functions and every offset of `b` is an index
/// of `a`.
fn composes_inside(a: &Layout, b: &Layout) -> Option<Layout> {
    let result = composition(a, b).ok()?;
    let inside = offsets(b)
        .into_iter()
        .all(|offset| (0..size(a)).contains(&offset));
    let is_composition = matches!(
        judge::compare_composition(a, b, &result),
        Comparison::Holds(_)
    );
    (inside && is_composition).then_some(result)
}

/// The coordinates and what becomes of them: the step of an extent of 1 plays no part.
#[allow(clippy::needless_pass_by_value, reason = "it is mapped over results")]
fn function(layout: Layout) -> (Shape, Vec<i64>) {
    (layout.shape(), offsets(&layout))
}

/// Modes that begin where those of a compact layout do: right operands that are often admissible.
fn fitting() -> impl Strategy<Value = (Layout, Layout, Layout)> {
    let powers = proptest::collection::vec(0_u32..7, 1..4);
    let modes = |powers: Vec<u32>, seed: u64| {
        let modes: Vec<Layout> = powers
            .into_iter()
            .enumerate()
            .map(|(i, step)| layout(&format!("{}:{}", 1 << (seed >> (2 * i) & 1), 1_i64 << step)))
            .collect();
        Layout::concat(modes.iter().map(Layout::view)).unwrap_or_else(|_| Layout::unit())
    };
    (
        bit_permutation(),
        (powers.clone(), any::<u64>()),
        (powers, any::<u64>()),
    )
        .prop_map(move |(a, b, c)| (a, modes(b.0, b.1), modes(c.0, c.1)))
}

proptest! {
    /// T1 under condition 18 of the paper: every image is inside the domain that it is fed to.
    #[test]
    fn t1_composition_is_associative_inside_the_domains((a, b, c) in fitting()) {
        if let (Some(ab), Some(bc)) = (composes_inside(&a, &b), composes_inside(&b, &c))
            && let (Some(left), Some(right)) = (composes_inside(&ab, &c), composes_inside(&a, &bc))
        {
            prop_assert_eq!(offsets(&left), offsets(&right));
        }
    }

    /// T2: mode 0 of a divide is the composition with the tile. It holds wherever the divide exists.
    #[test]
    fn t2_a_divide_begins_with_the_composition(a in integer_layout(), tile in prop_oneof![integer_layout(), bit_permutation()], extent in 1_i64..9) {
        for tiler in [Tiler::Layout(tile), Tiler::Int(Int::fixed(extent))] {
            if let Ok(divided) = logical_divide(&a, &tiler) {
                prop_assert_eq!(divided.mode(0).map(function), composition_by(&a, &tiler).map(function));
            }
        }
    }

    /// T3: mode 0 of a product is the block itself. It holds wherever the product exists.
    #[test]
    fn t3_a_product_begins_with_its_block(block in integer_layout(), grid in integer_layout()) {
        if let Ok(product) = logical_product(&block, &Tiler::Layout(grid.clone())) {
            prop_assert_eq!(product.mode(0), Ok(block));
            prop_assert_eq!(product.mode(1).map(|copies| size(&copies)), Ok(size(&grid)));
        }
    }

    /// T4 for zipped and tiled: mode 0 is the composition with the tiler, by mode for a tuple.
    #[test]
    fn t4_zipped_and_tiled_divides_begin_with_the_composition(a in integer_layout(), extents in proptest::collection::vec(1_i64..5, 1..4)) {
        let text: Vec<String> = extents.iter().map(ToString::to_string).collect();
        let tiler = tiler(&format!("({})", text.join(",")));
        for divided in [zipped_divide(&a, &tiler), tiled_divide(&a, &tiler)].into_iter().flatten() {
            prop_assert_eq!(divided.mode(0).map(function), composition_by(&a, &tiler).map(function));
        }
    }

    /// T5: blocked and raked products of layouts of one rank have that rank.
    #[test]
    fn t5_blocked_and_raked_products_keep_the_rank(block in integer_layout(), grid in integer_layout()) {
        if block.rank() == grid.rank() {
            for product in [blocked_product(&block, &grid), raked_product(&block, &grid)].into_iter().flatten() {
                prop_assert_eq!(product.rank(), block.rank());
            }
        }
    }

    /// T6 where the layout's strides divide one another and its end divides the target: then the layout and its complement
    /// reach each offset once.
    #[test]
    fn t6_a_layout_and_its_complement_partition(permutation in bit_permutation(), stretch in 1_i64..5, copies in 1_i64..5) {
        let stretched = composition(&Layout::single(Int::fixed(1 << 40), Int::fixed(stretch)), &permutation);
        let Ok(l) = stretched else { return Ok(()) };
        let target = size(&l) * stretch * copies;
        let rest = complement(&l, &shape(&target.to_string()));
        prop_assert!(rest.is_ok());
        let coverage = rest.and_then(|rest| Coverage::of_pair(&l, &rest, target));
        prop_assert_eq!(coverage.map(|c| c.covers()), Ok(Covers::Exact));
    }
}

/// T1 fails where an image leaves its domain (paper §3.3.1).
#[test]
fn t1_fails_beyond_a_domain() {
    let (a, b, c) = (layout("(5,3):(1,7)"), layout("4:1"), layout("2:5"));
    let right = composition(&b, &c).and_then(|bc| composition(&a, &bc));
    let left = composition(&a, &b).and_then(|ab| composition(&ab, &c));
    assert_eq!(
        (show(right), show(left)),
        ("2:7".to_owned(), "2:5".to_owned())
    );
}

/// T4 fails for a flat divide with a tuple: mode 0 is only the first tile.
#[test]
fn t4_fails_for_a_flat_divide_by_a_tuple() {
    let (matrix, tiler) = (layout("(8,16):(20,1)"), tiler("(4,8)"));
    let flat = flat_divide(&matrix, &tiler);
    assert_eq!(show(flat.and_then(|flat| flat.mode(0))), "4:20");
    assert_eq!(show(composition_by(&matrix, &tiler)), "(4,8):(20,1)");
}

/// T6 fails where strides do not divide one another: `(2,2):(1,3)` in [0,12) leaves 2 and 5.
#[test]
fn t6_fails_for_strides_that_leave_gaps() {
    let l = layout("(2,2):(1,3)");
    let rest = complement(&l, &shape("12")).unwrap_or_else(|_| Layout::unit());
    let both = Layout::concat([l.view(), rest.view()]).unwrap_or_else(|_| Layout::unit());
    let reached = offsets(&both);
    let missing: Vec<i64> = (0..12).filter(|offset| !reached.contains(offset)).collect();
    assert_eq!(missing, [2, 5, 8, 11]);
    let coverage = Coverage::of_pair(&l, &rest, 12);
    assert_eq!(
        coverage.map(|c| (c.covers(), c.first_hole)),
        Ok((Covers::LeavesHoles, Some(2)))
    );
}

/// T6 fails where the target is not a multiple of the layout's end: the complement reaches beyond it.
#[test]
fn t6_fails_for_a_target_that_is_no_multiple() {
    let l = layout("4:1");
    let rest = complement(&l, &shape("10")).unwrap_or_else(|_| Layout::unit());
    assert_eq!(format!("{rest:#}"), "3:4");
    let coverage = Coverage::of_pair(&l, &rest, 10);
    assert_eq!(
        coverage.map(|c| (c.covers(), c.beyond)),
        Ok((Covers::OverCovers, Some(11)))
    );
}
