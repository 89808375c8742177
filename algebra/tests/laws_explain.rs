//! A derivation ends in the operation's own result, and every expression on its way has the value of the whole.

mod generators;
mod notation;

use cute_algebra::explain::{self, By, Derivation, Value};
use cute_algebra::ops;
use cute_algebra::{AnyLayout, Layout, Refusal, Shape, Tiler};
use generators::{integer_layout, table};
use notation::{layout, offsets, shape, tiler};
use proptest::prelude::*;

/// The root's value is the operation's.
fn ends_in(derivation: &Derivation, result: &Result<Layout, Refusal>) -> Result<(), TestCaseError> {
    match (&derivation.value, result) {
        (Value::Layout(found), Ok(result)) => {
            prop_assert_eq!(&**found, &AnyLayout::Affine(result.clone()));
        }
        (Value::Refused(found), Err(result)) => prop_assert_eq!(found.rule, result.rule),
        (found, result) => prop_assert!(false, "{found:?} and {result:?}"),
    }
    Ok(())
}

/// Each `A o B` that a derivation rewrites its expression to has the offsets of the derivation's value.
fn expressions_agree(derivation: &Derivation) -> Result<(), TestCaseError> {
    if let Some(AnyLayout::Affine(value)) = derivation.layout() {
        for step in &derivation.steps {
            if let Value::Expression(text) = &step.value {
                let text = text.replace('X', "0");
                let Some((a, b)) = text.split_once(" o ") else {
                    continue;
                };
                let rewritten = ops::composition(&layout(a), &layout(b));
                prop_assert!(rewritten.is_ok(), "{derivation}\n{text}: {rewritten:?}");
                prop_assert_eq!(
                    rewritten.map(|r| table(&r)),
                    Ok(table(value)),
                    "{}\n{}",
                    derivation,
                    text
                );
            }
            if step.by == By::Keep
                && let Some(AnyLayout::Affine(kept)) = step.layout()
            {
                prop_assert_eq!(table(kept), table(value));
            }
        }
    }
    derivation.steps.iter().try_for_each(expressions_agree)
}

/// A right operand that is often admissible: modes of the left one's own strides.
fn operands() -> impl Strategy<Value = (Layout, Layout)> {
    let free = (
        integer_layout(),
        proptest::collection::vec((1_i64..7, 0_i64..40), 1..4),
    )
        .prop_map(|(a, modes)| {
            let modes: Vec<Layout> = modes
                .into_iter()
                .map(|(extent, step)| layout(&format!("{extent}:{step}")))
                .collect();
            let b = match modes.as_slice() {
                [single] => single.clone(),
                several => Layout::concat(several.iter().map(Layout::view))
                    .unwrap_or_else(|_| Layout::unit()),
            };
            (a, b)
        });
    let fitting = (
        proptest::collection::vec(1_i64..5, 1..5),
        any::<proptest::sample::Index>(),
        1_i64..9,
    )
        .prop_map(|(extents, at, count)| {
            let text: Vec<String> = extents.iter().map(ToString::to_string).collect();
            let strides: Vec<String> = (0..extents.len())
                .map(|i| (100 * i + 1).to_string())
                .collect();
            let a = layout(&format!("({}):({})", text.join(","), strides.join(",")));
            let step: i64 = extents[..at.index(extents.len())].iter().product();
            (a, layout(&format!("{count}:{step}")))
        });
    prop_oneof![free, fitting]
}

proptest! {
    #[test]
    fn a_composition_is_derived((a, b) in operands()) {
        let derivation = explain::composition(&a, &b);
        ends_in(&derivation, &ops::composition(&a, &b))?;
        expressions_agree(&derivation)?;
    }

    #[test]
    fn where_the_paper_s_conditions_hold_cute_agrees_with_the_functions((a, b) in operands()) {
        let derivation = explain::composition(&a, &b);
        let texts = flat(&derivation);
        if !texts.iter().any(|step| step.by == By::ConditionFails) && derivation.layout().is_some() {
            prop_assert!(!texts.iter().any(|step| step.by == By::Departure), "{derivation}");
        }
    }

    #[test]
    fn a_coalesced_layout_is_derived(a in integer_layout()) {
        ends_in(&explain::coalesce(&a), &ops::coalesce(&a))?;
        ends_in(&explain::filter(&a), &ops::filter(&a))?;
    }

    #[test]
    fn inverses_and_complements_are_derived(a in integer_layout(), target in 1_i64..500) {
        ends_in(&explain::right_inverse(&a), &ops::right_inverse(&a))?;
        ends_in(&explain::left_inverse(&a), &ops::left_inverse(&a))?;
        let target: Shape = shape(&target.to_string());
        ends_in(&explain::complement(&a, &target), &ops::complement(&a, &target))?;
    }

    #[test]
    fn divides_and_products_are_derived(a in integer_layout(), tile in integer_layout(), counts in proptest::collection::vec(1_i64..5, 1..3)) {
        let by_mode = tiler(&format!("({})", counts.iter().map(ToString::to_string).collect::<Vec<_>>().join(",")));
        for tiler in [Tiler::Layout(tile.clone()), Tiler::Int(cute_algebra::Int::fixed(counts[0])), by_mode] {
            for (derivation, result) in [
                (explain::logical_divide(&a, &tiler), ops::logical_divide(&a, &tiler)),
                (explain::zipped_divide(&a, &tiler), ops::zipped_divide(&a, &tiler)),
                (explain::tiled_divide(&a, &tiler), ops::tiled_divide(&a, &tiler)),
                (explain::flat_divide(&a, &tiler), ops::flat_divide(&a, &tiler)),
                (explain::logical_product(&a, &tiler), ops::logical_product(&a, &tiler)),
                (explain::zipped_product(&a, &tiler), ops::zipped_product(&a, &tiler)),
                (explain::tiled_product(&a, &tiler), ops::tiled_product(&a, &tiler)),
                (explain::flat_product(&a, &tiler), ops::flat_product(&a, &tiler)),
                (explain::composition_by(&a, &tiler), ops::composition_by(&a, &tiler)),
            ] {
                ends_in(&derivation, &result)?;
                expressions_agree(&derivation)?;
            }
        }
        ends_in(&explain::blocked_product(&a, &tile), &ops::blocked_product(&a, &tile))?;
        ends_in(&explain::raked_product(&a, &tile), &ops::raked_product(&a, &tile))?;
    }

    #[test]
    fn the_neighbours_of_a_coalesced_layout_stay(a in integer_layout()) {
        let coalesced = ops::coalesce(&a).unwrap_or_else(|_| Layout::unit());
        let merges = |derivation: &Derivation| derivation.steps.iter().filter(|step| step.text.contains(" are ")).count();
        prop_assert_eq!(merges(&explain::coalesce(&coalesced)), 0);
        prop_assert_eq!(offsets(&coalesced), offsets(&a));
    }
}

fn flat(derivation: &Derivation) -> Vec<&Derivation> {
    let mut all = vec![derivation];
    all.extend(derivation.steps.iter().flat_map(flat));
    all
}

/// The rendering, as a person reads it.
#[test]
fn a_departure_is_told_with_the_condition_that_fails() {
    let derivation = explain::composition(&layout("(3,4):(1,100)"), &layout("4:2"));
    assert_eq!(
        derivation.to_string(),
        "\
(3,4):(1,100) o 4:2 = (2,2):(2,100)
  condition (paper 3.3.2): (20) fails: 3, the product of the extents before mode 1, and the step 2 do not divide one another
  divide out (paper 3.3.3): every 2nd element
    every 2nd element of 3:1: 2:2
    = (2,4):(2,100) o 4:1
  keep (paper 3.3.3): the first 4 elements
    take 2:2: a factor of 2 remains
    take 2:100
    = (2,2):(2,100)
  departure from the definition: at coordinate 2 the functions give 101, CuTe's result 100
"
    );
}

/// Each mode of `(3,4):(12,2)` stays below 30, their sum does not.
#[test]
fn a_sum_that_leaves_the_truncated_modes_is_a_condition_that_fails() {
    for (a, b) in [
        ("(30,2):(0,1)", "(3,4):(12,2)"),
        // The third mode goes beyond the first 7, the first two leave them only together.
        ("(7,1):(0,1)", "(2,2,2):(2,5,14)"),
    ] {
        let derivation = explain::composition(&layout(a), &layout(b));
        let texts = flat(&derivation);
        assert!(
            texts.iter().any(|step| step.by == By::Departure),
            "{derivation}"
        );
        assert!(
            texts.iter().any(|step| step.by == By::ConditionFails),
            "{derivation}"
        );
    }
}
