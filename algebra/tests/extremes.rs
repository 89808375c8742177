//! Very large layouts cost no more than small ones, overflow is a value, symbols are carried through, and codomains of
//! coordinates have complements and inverses.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may panic")]

use cute_algebra::judge::{self, Form};
use cute_algebra::{
    AnyLayout, Checked, Facts, Int, Layout, Parse, Reading, Rule, Shape, Tiler, Tuple, Verdict,
    ops, proof,
};
use std::time::{Duration, Instant};

fn layout(text: &str) -> Layout {
    Layout::parse(text, Reading::Plain).unwrap()
}

/// Far more than any of these operations needs, and far less than visiting 2^60 coordinates.
const MOMENT: Duration = Duration::from_millis(50);

/// Coordinates and symbols are only scaled and added, as integers are.
#[test]
fn divisions_of_coordinates_and_of_symbols_are_proved() {
    for (a, tiler) in [
        ("(528,300):(1@0,1@1)", "(_128,_64)"),
        ("((128,128),1,1):((1@0,1@1),0,0)", "(_128,_16):(_1,_128)"),
        ("(1048576,1048576):(2@1@0,1@1)", "(_1024,_1024)"),
        ("(128,128):(1,ldC)", "(_16,_16)"),
        ("((128,128),1,1):((ld,1),0,0)", "(_128,_16):(_1,_128)"),
    ] {
        let (a, tiler) = (AnyLayout::from(layout(a)), tiler.parse().unwrap());
        let divided = judge::divide(&a, &tiler, Form::Zipped).judgement;
        assert_eq!(divided.checked, Checked::ByTheorem, "{a:#} / {tiler:?}");
        assert_eq!(divided.witness, None);
        let composed = judge::composition(&a, &tiler).judgement;
        assert_eq!(composed.checked, Checked::ByTheorem, "{a:#} o {tiler:?}");
    }
}

/// No theorem adds a step in a coordinate and one in a part of it, or a number.
#[test]
fn steps_of_unlike_codomains_are_not_proved() {
    for (a, b, result) in [
        ("(4,2):(1@0,1@1@0)", "4:2", "(2,2):(2@0,1@1@0)"),
        ("(4,2):(1@0,1)", "4:2", "(2,2):(2@0,1)"),
        ("(4,2):(1@0,f1)", "4:2", "(2,2):(2@0,f1)"),
        ("(4,2):(f1,f4)", "4:2", "(2,2):(f2,f4)"),
    ] {
        let [a, b, result] = [a, b, result].map(layout);
        assert!(
            !proof::is_composition(a.view(), b.view(), result.view()),
            "{a:#} o {b:#}"
        );
    }
}

#[test]
fn a_layout_of_two_to_the_sixty_is_handled_in_a_moment() {
    let a = layout("(1048576,1048576,1048576):(1,1048576,1099511627776)");
    let b = layout("(1048576,1024):(1099511627776,1)");
    let start = Instant::now();
    let composed = ops::composition(&a, &b).unwrap();
    assert_eq!(composed.to_string(), "(_1048576,_1024):(_1099511627776,_1)");
    let judged = judge::composition(&AnyLayout::from(a.clone()), &Tiler::Layout(b));
    assert_eq!(judged.judgement.checked, Checked::ByTheorem);
    assert_eq!(
        ops::right_inverse(&a).unwrap().to_string(),
        "_1152921504606846976:_1"
    );
    assert_eq!(
        ops::left_inverse(&a).unwrap().to_string(),
        "_1152921504606846976:_1"
    );
    let halves = layout("(1073741824,1073741824):(1,2147483648)");
    let complement = ops::complement(&halves, &Tuple::leaf(Int::fixed(1 << 61))).unwrap();
    assert_eq!(complement.to_string(), "_2:_1073741824");
    let divided = judge::divide(
        &AnyLayout::from(a),
        &"(_1024,_1024)".parse().unwrap(),
        Form::Zipped,
    );
    assert_eq!(divided.judgement.checked, Checked::ByTheorem);
    assert_eq!(
        divided.result.unwrap().to_string(),
        "((_1024,_1024),(_1024,_1024,_1048576)):((_1,_1048576),(_1024,_1073741824,_1099511627776))"
    );
    assert!(start.elapsed() < MOMENT, "{:?}", start.elapsed());
}

#[test]
fn overflow_is_a_value_and_never_a_wrap() {
    let shape: Shape = "(_4294967296,_4294967296)".parse().unwrap();
    assert_eq!(shape.size().unwrap_err().rule, Rule::Overflow);
    assert_eq!(Layout::left(shape).unwrap_err().rule, Rule::Overflow);
    let wide = layout("(2,9223372036854775807):(1,1)");
    assert_eq!(wide.size().unwrap_err().rule, Rule::Overflow);
    assert_eq!(wide.cosize().unwrap_err().rule, Rule::Overflow);
    let far = layout("4:9223372036854775807");
    assert_eq!(far.eval(1).unwrap().to_string(), "9223372036854775807");
    assert_eq!(far.eval(2).unwrap_err().rule, Rule::Overflow);
    assert_eq!(
        ops::composition(&far, &layout("2:2")).unwrap_err().rule,
        Rule::Overflow
    );
    assert_eq!(
        ops::downcast(&layout("(2,2):(1,9223372036854775807)"), 2)
            .unwrap_err()
            .rule,
        Rule::Overflow
    );
    let low = layout("2:-9223372036854775808");
    assert_eq!(low.cosize().unwrap_err().rule, Rule::Overflow);
}

#[test]
fn symbols_are_carried_through_a_divide() {
    let matrix: Layout = "(M,K):(_1,ldA)".parse().unwrap();
    let judged = judge::divide(
        &AnyLayout::from(matrix),
        &"(_128,_8)".parse().unwrap(),
        Form::Zipped,
    );
    assert_eq!(
        judged.result.unwrap().to_string(),
        "((_128,_8),((M+127)/128,(K+7)/8)):((_1,ldA),(_128,8*ldA))"
    );
    assert_eq!(judged.judgement.cute, Verdict::Accepts);
    let coverage = judged.judgement.coverage.unwrap();
    assert_eq!(coverage.over_covers(), None);
    let mut facts = Facts::default();
    facts.assume_divisible("M", 128).unwrap();
    facts.assume_divisible("K", 8).unwrap();
    assert_eq!(facts.simplify(&coverage.covered).unwrap(), coverage.size);
}

#[test]
fn what_symbols_leave_open_is_a_condition() {
    let folded: Layout = "(M,K):(_1,ldA)".parse().unwrap();
    let judged = judge::composition(
        &AnyLayout::from(folded),
        &Tiler::Layout("_64:_1".parse().unwrap()),
    );
    assert!(judged.result.is_ok());
    let open: Vec<_> = judged.judgement.conditions.iter().map(|c| c.rule).collect();
    assert!(open.contains(&Rule::ShapeDivisibility), "{open:?}");
    let mut facts = Facts::default();
    facts.assume_at_least("M", 64).unwrap();
    for condition in &judged.judgement.conditions {
        assert_eq!(facts.decide(condition), Some(true), "{condition:?}");
    }
}

#[test]
fn long_layouts_cost_linearly() {
    let modes = |n: usize| -> Layout {
        let shape = Tuple::flat(
            vec![Int::fixed(1); n]
                .into_iter()
                .enumerate()
                .map(|(i, one)| if i % 64 == 0 { Int::fixed(2) } else { one }),
        );
        Layout::left(shape.unwrap()).unwrap()
    };
    let long = modes(2_048);
    let start = Instant::now();
    assert_eq!(ops::coalesce(&long).unwrap().to_string(), "_4294967296:_1");
    let identity = Layout::left(long.shape()).unwrap();
    assert!(ops::composition(&long, &identity).is_ok());
    assert!(start.elapsed() < MOMENT, "{:?}", start.elapsed());
}
