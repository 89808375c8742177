//! Operations by name: results that the compiler gets wrong, refusals, and operands of any size.

use std::time::{Duration, Instant};

use cute_algebra::{Reading, Rule, Verdict};
use cute_analysis::ask::ask;

use crate::answers;
use cute_analysis::vocabulary;
use proptest::prelude::*;

/// Far more than any of these operations needs, and far less than visiting 2^60 coordinates.
const MOMENT: Duration = Duration::from_millis(50);

/// The names of all operations.
fn operations() -> Vec<&'static str> {
    let names: Vec<&str> = vocabulary::operations().collect();
    assert!(names.len() > 80);
    names
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn questions_never_panic(op in proptest::sample::select(operations()), a in "[0-9_(),:@ofSwM<>\\-+*/ ]{0,24}", b in "[0-9_(),:]{0,16}") {
        let answer = ask(op, &[&a, &b], Reading::Plain);
        prop_assert!(answer.result.is_err() || answer.text().is_some());
    }
}

#[test]
fn the_compiler_is_weaker_than_the_definition() {
    // semantics: inputs that CuTe C++ accepts in silence, with the first coordinate that departs.
    for (a, b, result, coordinate, expected, got) in [
        ("(6,2):(1,7)", "(3,2):(2,3)", "(3,2):(2,3)", 5, "8", "7"),
        ("(4,6,8):(2,3,5)", "6:3", "(2,3):(6,3)", 2, "7", "3"),
        ("(4,3):(3,1)", "6:3", "(2,3):(9,1)", 2, "7", "1"),
        ("(3,4):(1,100)", "4:2", "(2,2):(2,100)", 2, "101", "100"),
    ] {
        let answer = ask("composition", &[a, b], Reading::Plain);
        assert_eq!(answer.text().as_deref(), Some(result));
        assert_eq!(answer.judgement.cute, Verdict::Accepts);
        assert_eq!(answer.judgement.finding(), Some(Rule::NotAComposition));
        let witness = answer.judgement.witness.unwrap();
        assert_eq!(
            (
                witness.coordinate,
                witness.expected.to_string().as_str(),
                witness.got.to_string().as_str()
            ),
            (coordinate, expected, got)
        );
    }
    let run_time = ask("composition", &["(4,3):(3,1)", "_3:_6"], Reading::Cute);
    assert_eq!(run_time.text().as_deref(), Some("(1,3):(18,2)"));
    let witness = run_time.judgement.witness.unwrap();
    assert_eq!(
        (
            witness.coordinate,
            witness.expected.to_string(),
            witness.got.to_string()
        ),
        (1, "7".into(), "2".into())
    );
    let fixed = ask("composition", &["(4,3):(3,1)", "3:6"], Reading::Plain);
    assert_eq!(
        fixed.judgement.cute,
        Verdict::StaticAssert("Stride Divisibility Condition")
    );
    let refusal = fixed.result.unwrap_err();
    assert_eq!(refusal.rule, Rule::StrideDivisibility);
    assert!(!refusal.legal.is_empty(), "{refusal}");
}

#[test]
fn tiles_that_do_not_fit_over_cover() {
    // A shape alone is its compact layout, as semantics writes this case.
    for matrix in ["(10,8)", "(10,8):(1,10)"] {
        let answer = ask("logical_divide", &[matrix, "(4,5)"], Reading::Plain);
        assert_eq!(
            answer.text().as_deref(),
            Some("((4,3),(5,2)):((1,4),(10,50))")
        );
        let coverage = answer.judgement.coverage.clone().unwrap();
        assert_eq!(
            (coverage.covered.value(), coverage.size.value()),
            (Some(120), Some(80))
        );
        assert_eq!(answer.judgement.finding(), Some(Rule::OverCovers));
    }
}

#[test]
fn negative_strides_have_no_complement() {
    let answer = ask("complement", &["(2,2):(2,-1)", "8"], Reading::Plain);
    assert_eq!(answer.judgement.cute, Verdict::Accepts);
    assert_eq!(answer.result.unwrap_err().rule, Rule::NegativeStride);
}

#[test]
fn a_repeated_offset_is_named_by_two_coordinates() {
    let answer = ask("complement", &["(4,4):(1,2)", "32"], Reading::Plain);
    let refusal = answer.result.unwrap_err();
    assert_eq!(refusal.rule, Rule::NotInjective);
    assert_eq!(
        refusal
            .number("first_coordinate")
            .map(ToString::to_string)
            .as_deref(),
        Some("2")
    );
    assert_eq!(
        refusal
            .number("second_coordinate")
            .map(ToString::to_string)
            .as_deref(),
        Some("4")
    );
}

#[test]
fn a_departure_of_a_huge_layout_is_found_within_the_budget_or_reported_as_unchecked() {
    let start = Instant::now();
    let answer = ask(
        "composition",
        &["(6,1073741824):(1,7)", "(3,2,268435456):(2,3,6)"],
        Reading::Plain,
    );
    assert_eq!(answer.judgement.witness.unwrap().coordinate, 5);
    assert!(start.elapsed() < 20 * MOMENT, "{:?}", start.elapsed());
}

#[test]
fn coordinates_have_complements_and_inverses() {
    // Paper, Table 7 (with targets) and Tables 5 and 6.
    for (op, args, wanted) in [
        (
            "complement",
            vec!["(4,8):(1@0,1@1)", "(_16,_16)"],
            "(4,2):(4@0,8@1)",
        ),
        (
            "complement",
            vec!["(4,(4,2)):(1@1,(1@0,12@1))", "(4,24)"],
            "(1,3):(0,4@1)",
        ),
        ("right_inverse", vec!["(4,8):(1@0,1@1)"], "(4,8):(1,4)"),
        (
            "right_inverse",
            vec!["(4,(4,2)):(1@1,(1@0,6@1))"],
            "(4,4):(4,1)",
        ),
        ("left_inverse", vec!["(4,8):(1@0,1@1)"], "(4,8):(1,4)"),
        (
            "left_inverse",
            vec!["(4,(4,2)):(1@1,(1@0,6@1))"],
            "(4,(6,2)):(4,(1,16))",
        ),
    ] {
        let answer = answers(op, &args, wanted);
        assert_eq!(answer.judgement.cute.name(), "compile-error");
    }
}

#[test]
fn overflow_is_an_answer() {
    for op in [
        "coalesce",
        "filter",
        "right_inverse",
        "left_inverse",
        "complement",
        "cosize",
        "size",
    ] {
        for text in [
            "(9223372036854775807,2):(1,9223372036854775807)",
            "(2,2):(-9223372036854775808,1)",
        ] {
            let answer = ask(op, &[text], Reading::Plain);
            assert!(
                answer.result.is_err() || answer.text().is_some(),
                "{op} {text}"
            );
        }
    }
}
