//! Layouts and swizzles as matrices over F2: the matrix is the function, products are compositions, factors multiply
//! back, and equality is decided as enumeration decides it.

mod generators;

use cute_algebra::equality::{Comparison, compare};
use cute_algebra::f2::{AffineMap, BitMatrix, NotLinear};
use cute_algebra::{AnyLayout, ComposedLayout, Int, Layout, Outer, Tuple};
use generators::{binary_layout, bit_permutation, integer_layout, swizzle, table, xor_layout};
use proptest::prelude::*;

fn swizzled() -> impl Strategy<Value = ComposedLayout> {
    (swizzle(), 0_i64..64, bit_permutation()).prop_map(|(swizzle, offset, inner)| ComposedLayout {
        outer: Outer::Swizzle(swizzle),
        offset: Tuple::leaf(Int::fixed(offset)),
        inner,
    })
}

fn any_layout() -> impl Strategy<Value = AnyLayout> {
    prop_oneof![
        binary_layout().prop_map(AnyLayout::from),
        xor_layout().prop_map(AnyLayout::from),
        swizzled().prop_map(AnyLayout::from),
    ]
}

fn numbers(layout: &AnyLayout) -> Vec<i64> {
    let size = layout
        .size()
        .ok()
        .and_then(|size| size.value())
        .unwrap_or(0);
    (0..size)
        .filter_map(|i| layout.eval(i).ok()?.as_leaf()?.value())
        .collect()
}

proptest! {
    #[test]
    fn the_matrix_is_the_function_of_the_layout(layout in any_layout()) {
        let values = numbers(&layout);
        match AffineMap::of_any(&layout) {
            Ok(map) => {
                let read: Vec<u64> = (0..values.len() as u64).map(|x| map.apply(x)).collect();
                prop_assert_eq!(read, values.iter().map(|v| v.cast_unsigned()).collect::<Vec<_>>());
                prop_assert_eq!(AffineMap::of_table(&values).map(|m| (m.constant, m.matrix.columns().to_vec())), Some((map.constant, map.matrix.columns().to_vec())));
            }
            // Only a carry keeps these layouts from being linear over F2, and then some sum does carry.
            Err(NotLinear::Carries { first, second }) => {
                let at = |index: u64| match &layout {
                    AnyLayout::Composed(composed) => composed.inner.eval_number(index as i64).unwrap_or(0),
                    AnyLayout::Affine(layout) => layout.eval_number(index as i64).unwrap_or(0),
                };
                let before = match (first, &layout) {
                    (0, AnyLayout::Composed(composed)) => composed.offset.as_leaf().and_then(Int::value).unwrap_or(0),
                    _ => at(first),
                };
                prop_assert!(before & at(second) != 0);
            }
            Err(other) => prop_assert!(false, "{layout}: {other}"),
        }
    }

    #[test]
    fn an_integer_layout_is_linear_exactly_when_no_sum_carries(layout in integer_layout()) {
        let values = table(&layout);
        let linear = values.len().is_power_of_two()
            && values.iter().all(|v| *v >= 0)
            && AffineMap::of_table(&values).is_some();
        match BitMatrix::of_layout(&layout) {
            Ok(matrix) => {
                prop_assert!(linear);
                let back = matrix.to_layout();
                prop_assert_eq!(back.map(|l| table(&l)), Some(values));
            }
            // An extent that is not a power of two may still make a table that is one, such as (3,4):(0,..).
            Err(NotLinear::Carries { .. }) => prop_assert!(!linear),
            Err(_) => {}
        }
    }

    #[test]
    fn the_product_of_matrices_is_the_composition(inner in bit_permutation(), swizzle in swizzle()) {
        let matrix = BitMatrix::of_layout(&inner);
        prop_assert!(matrix.is_ok());
        let matrix = matrix.unwrap_or(BitMatrix::identity(0));
        // Wide enough for every bit the swizzle writes.
        let outer = BitMatrix::of_swizzle(swizzle, 20);
        let product = matrix.then(&outer);
        prop_assert!(product.is_some());
        let product = product.unwrap_or(BitMatrix::identity(0));
        for (index, value) in (0_u64..).zip(table(&inner)) {
            prop_assert_eq!(product.apply(index), swizzle.apply(value).cast_unsigned());
        }
        prop_assert_eq!(outer.then(&outer), Some(BitMatrix::identity(outer.rows())));
    }

    #[test]
    fn a_swizzle_after_a_layout_factors_and_the_factors_multiply_back(inner in bit_permutation(), swizzle in swizzle()) {
        let composed = ComposedLayout::swizzled(swizzle, inner);
        let map = AffineMap::of_composed(&composed);
        prop_assert!(map.is_ok());
        let matrix = map.map_or(BitMatrix::identity(0), |m| m.matrix);
        let factors = matrix.factor();
        prop_assert!(factors.is_some(), "{composed}");
        if let Some((found, layout)) = factors {
            prop_assert!(found.bits() <= swizzle.bits());
            let again = AnyLayout::from(ComposedLayout::swizzled(found, layout));
            prop_assert_eq!(numbers(&again), numbers(&AnyLayout::from(composed)));
        }
    }

    #[test]
    fn every_matrix_is_a_layout_with_xor_strides(columns in proptest::collection::vec(0_u64..512, 0..9)) {
        let matrix = BitMatrix::from_columns(9, columns).unwrap_or(BitMatrix::identity(0));
        let layout = matrix.to_xor_layout();
        let values: Vec<u64> = table(&layout).into_iter().map(i64::cast_unsigned).collect();
        prop_assert_eq!(values, (0..1 << matrix.columns().len()).map(|x| matrix.apply(x)).collect::<Vec<_>>());
    }

    #[test]
    fn equality_is_decided_as_enumeration_decides_it(left in any_layout(), right in any_layout(), other in integer_layout()) {
        let layouts = [left, right, AnyLayout::from(other.clone()), regrouped(&other)];
        for a in &layouts {
            for b in &layouts {
                let (x, y) = (numbers(a), numbers(b));
                match compare(a, b, 1 << 14) {
                    Ok(Comparison::Equal(_)) => prop_assert_eq!(x, y),
                    Ok(Comparison::OtherSize) => prop_assert_ne!(x.len(), y.len()),
                    Ok(Comparison::Differ(difference)) => {
                        let first = x.iter().zip(&y).position(|(a, b)| a != b);
                        prop_assert_eq!(first.map(|i| i as i64), Some(difference.index));
                    }
                    answer => prop_assert!(false, "{a} and {b}: {answer:?}"),
                }
            }
        }
    }
}

/// The same function in another form: each extent split where it can be.
fn regrouped(layout: &Layout) -> AnyLayout {
    let mut modes = Vec::new();
    let view = layout.view();
    for (extent, step) in view.extents().iter().zip(view.steps()) {
        let (Some(extent), Some(step)) = (extent.value(), step.as_int().and_then(Int::value))
        else {
            continue;
        };
        let first = (2..extent)
            .find(|part| extent % part == 0)
            .unwrap_or(extent);
        modes.push(Layout::single(Int::fixed(first), Int::fixed(step)));
        modes.push(Layout::single(
            Int::fixed(extent / first),
            Int::fixed(step * first),
        ));
    }
    let whole = Layout::concat(modes.iter().map(Layout::view));
    AnyLayout::from(whole.unwrap_or_else(|_| Layout::unit()))
}

#[test]
fn layouts_of_2_to_the_60_are_compared_without_enumeration()
-> Result<(), Box<dyn std::error::Error>> {
    let layout = |text: &str| text.parse::<Layout>();
    let wide = layout("(_1073741824,_1073741824):(_1073741824,_1)")?;
    let same = layout("((_32768,_32768),_1073741824):((_1073741824,_35184372088832),_1)")?;
    assert!(matches!(
        compare(&wide.clone().into(), &same.clone().into(), 0)?,
        Comparison::Equal(_)
    ));
    let swizzle = cute_algebra::Swizzle::new(3, 4, 3)?;
    let (a, b) = (
        ComposedLayout::swizzled(swizzle, wide.clone()),
        ComposedLayout::swizzled(swizzle, same),
    );
    assert!(matches!(
        compare(&a.clone().into(), &b.into(), 0)?,
        Comparison::Equal(_)
    ));
    let Comparison::Differ(difference) = compare(&a.into(), &wide.into(), 0)? else {
        return Err("a swizzle changes this layout".into());
    };
    assert_eq!(difference.index, 1 << 37);
    Ok(())
}
