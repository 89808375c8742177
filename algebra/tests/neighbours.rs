//! Legal neighbours: each is right when it is judged again, and the kinds that the situations ask for are there.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod generators;

use cute_algebra::judge::{self, Form};
use cute_algebra::{AnyLayout, Int, Layout, Parse, Reading, Rule, Tiler, neighbours};
use generators::integer_layout;
use proptest::prelude::*;

fn layout(text: &str) -> Layout {
    Layout::parse(text, Reading::Plain).unwrap()
}

fn tiler(text: &str) -> Tiler {
    Tiler::parse(text, Reading::Plain).unwrap()
}

fn texts(near: &[Tiler]) -> Vec<String> {
    near.iter().map(|near| format!("{near:#}")).collect()
}

fn composed_rightly(a: &Layout, tiler: &Tiler) -> bool {
    let judged = judge::composition(&AnyLayout::from(a.clone()), tiler);
    judged.result.is_ok() && judged.judgement.finding().is_none()
}

fn divided_rightly(a: &Layout, tiler: &Tiler) -> bool {
    let judged = judge::divide(&AnyLayout::from(a.clone()), tiler, Form::Logical);
    judged.result.is_ok() && judged.judgement.finding().is_none()
}

#[test]
fn a_tile_over_several_modes_has_a_by_mode_form() {
    // 21 elements do not fill whole rows of 15; 3 by 7 are as many, and so are they as a layout over the whole.
    let a = layout("(15,14):(14,1)");
    assert_eq!(
        texts(&neighbours::of_composition(&a, &tiler("21"))),
        ["15", "14", "13", "(3,7)", "(3,7):(1,15)"]
    );
    let legal = |by: &str| {
        let judged = judge::composition(&AnyLayout::from(a.clone()), &tiler(by));
        judged.result.unwrap_err().legal.clone()
    };
    let (by_size, by_layout) = (legal("21"), legal("21:1"));
    assert!(by_size.contains(&"(3,7)".to_owned()), "{by_size:?}");
    assert!(
        by_layout.contains(&"(3,7):(1,15)".to_owned()),
        "{by_layout:?}"
    );
}

#[test]
fn modes_are_changed_where_they_are_wrong() {
    let a = layout("((4,6),8):((1,100),4)");
    let near = texts(&neighbours::of_composition(&a, &tiler("(6,4)")));
    assert_eq!(near.first().map(String::as_str), Some("(4,4)"), "{near:?}");
    assert!(near.contains(&"(8,4)".to_owned()), "{near:?}");
    assert!(near.iter().all(|text| text.ends_with(",4)")), "{near:?}");
}

#[test]
fn an_operand_is_regrouped_where_that_makes_it_legal() {
    // Two by three steps of a mode of three: as six elements in a row they fill both modes.
    let a = layout("(3,2):(1,5)");
    assert!(!composed_rightly(&a, &tiler("(2,3):(1,2)")));
    let near = texts(&neighbours::of_composition(&a, &tiler("(2,3):(1,2)")));
    assert!(near.contains(&"6:1".to_owned()), "{near:?}");
    // The same elements in another order need to be sorted first.
    let near = texts(&neighbours::of_composition(&a, &tiler("(3,2):(2,1)")));
    assert!(near.contains(&"6:1".to_owned()), "{near:?}");
}

#[test]
fn tilers_that_over_cover_have_dividing_neighbours() {
    let a = layout("(10,8):(8,1)");
    let near = texts(&neighbours::of_divide(&a, &tiler("(4,5)")));
    assert_eq!(near.first().map(String::as_str), Some("(5,4)"), "{near:?}");
    let near = texts(&neighbours::of_divide(&layout("96:1"), &tiler("36")));
    assert_eq!(near.first().map(String::as_str), Some("32"), "{near:?}");
}

/// Modes of run-time extents overlap: CuTe takes each to begin where the one before ends.
#[test]
fn an_inverse_that_is_wrong_breaks_a_rule_of_its_own() {
    let inverse = |text: &str| judge::left_inverse(&AnyLayout::parse(text, Reading::Cute).unwrap());
    let answer = inverse("(2,2,2):(_2,_2,_1)");
    assert_eq!(answer.judgement.finding(), Some(Rule::NotAnInverse));
    let witness = answer.judgement.witness.unwrap();
    assert_eq!(
        (
            witness.coordinate,
            witness.expected.to_string(),
            witness.got.to_string()
        ),
        (3, "4".into(), "2".into())
    );
    let right = inverse("(2,2,2):(_4,_2,_1)");
    assert_eq!(right.judgement.finding(), None);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_neighbour_of_a_composition_is_right(a in integer_layout(), b in integer_layout(), n in 1_i64..40) {
        for right in [Tiler::Layout(b), Tiler::Int(Int::fixed(n))] {
            for near in neighbours::of_composition(&a, &right) {
                prop_assert!(composed_rightly(&a, &near), "{a} o {near} near {right}");
                prop_assert!(near != right);
                prop_assert_eq!(&tiler(&format!("{near:#}")), &near);
            }
        }
    }

    #[test]
    fn every_neighbour_of_a_divide_divides(a in integer_layout(), tiles in proptest::collection::vec(1_i64..9, 1..4)) {
        let tiles: Vec<Tiler> = tiles.into_iter().take(a.rank()).map(|n| Tiler::Int(Int::fixed(n))).collect();
        for right in [tiles[0].clone(), Tiler::Modes(tiles)] {
            for near in neighbours::of_divide(&a, &right) {
                prop_assert!(divided_rightly(&a, &near), "{a} / {near} near {right}");
                prop_assert!(near != right);
            }
        }
    }
}
