//! Every limit holds at its value and refuses one more; numbers near 2^63 overflow exactly where they leave it.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use cute_algebra::{
    Delta, Int, IntTuple, Layout, Parse, Reading, Refusal, Rule, Shape, Tensor, Tiler, Tuple,
    limits, ops,
};

fn rule<T>(result: Result<T, Refusal>) -> Option<Rule> {
    result.err().map(|refusal| refusal.rule)
}

fn ones(count: usize) -> String {
    format!("({})", vec!["1"; count].join(","))
}

#[test]
fn rank() {
    let (most, more) = (ones(limits::RANK), ones(limits::RANK + 1));
    assert_eq!(most.parse::<Shape>().unwrap().rank(), limits::RANK);
    assert_eq!(rule(more.parse::<Shape>()), Some(Rule::Limit));
    assert!(most.parse::<Tiler>().is_ok());
    assert_eq!(rule(more.parse::<Tiler>()), Some(Rule::Limit));
    let leaves = |count| vec![Int::ONE; count];
    assert!(IntTuple::flat(leaves(limits::RANK)).is_ok());
    assert_eq!(
        rule(IntTuple::flat(leaves(limits::RANK + 1))),
        Some(Rule::Limit)
    );
    let modes = |count| vec![Tuple::leaf(Int::ONE); count];
    assert!(IntTuple::group(modes(limits::RANK)).is_ok());
    assert_eq!(
        rule(IntTuple::group(modes(limits::RANK + 1))),
        Some(Rule::Limit)
    );
    let wide = Layout::left(most.parse().unwrap()).unwrap();
    assert_eq!(rule(ops::append(&wide, &Layout::unit())), Some(Rule::Limit));
    assert!("1@4095".parse::<Delta>().is_ok());
    assert_eq!(rule("1@4096".parse::<Delta>()), Some(Rule::Limit));
}

#[test]
fn depth() {
    let nested =
        |depth: usize| format!("{}(_2,_3){}", "(".repeat(depth - 1), ")".repeat(depth - 1));
    let (most, more) = (nested(limits::DEPTH), nested(limits::DEPTH + 1));
    let deepest: Shape = most.parse().unwrap();
    assert_eq!(deepest.depth(), limits::DEPTH);
    assert_eq!(rule(more.parse::<Shape>()), Some(Rule::Limit));
    assert_eq!(rule(IntTuple::group([deepest.clone()])), Some(Rule::Limit));
    assert!(format!("{most}:{most}").parse::<Layout>().is_ok());
    assert_eq!(
        rule(format!("{more}:{more}").parse::<Layout>()),
        Some(Rule::Limit)
    );
    // The deepest tuple goes through every recursion.
    let layout = Layout::left(deepest).unwrap();
    assert_eq!(ops::coalesce(&layout).unwrap().to_string(), "_6:_1");
    assert_eq!(layout.eval_number(5).unwrap(), 5);
    let far = "(".repeat(100_000);
    for refused in [
        rule(far.parse::<Shape>()),
        rule(far.parse::<Layout>()),
        rule(far.parse::<Int>()),
        rule(far.parse::<Tiler>()),
        rule(far.parse::<Tensor>()),
    ] {
        assert!(
            matches!(refused, Some(Rule::Limit | Rule::Malformed)),
            "{refused:?}"
        );
    }
    assert_eq!(rule("-".repeat(100_000).parse::<Int>()), Some(Rule::Limit));
}

#[test]
fn nodes() {
    // The root, 250 groups, and 3999 leaves in each: one node too many.
    let group = ones(3_999);
    let mut groups = vec![group; 250];
    assert_eq!(1 + 250 * 4_000, limits::NODES + 1);
    assert_eq!(
        rule(format!("({})", groups.join(",")).parse::<Shape>()),
        Some(Rule::Limit)
    );
    groups[0] = ones(3_998);
    let largest: Shape = format!("({})", groups.join(",")).parse().unwrap();
    assert_eq!(largest.leaves().len(), limits::NODES - 251);
}

#[test]
fn text() {
    let padded = |length: usize| format!("{}8", " ".repeat(length - 1));
    assert!(padded(limits::TEXT).parse::<Shape>().is_ok());
    assert_eq!(
        rule(padded(limits::TEXT + 1).parse::<Shape>()),
        Some(Rule::Limit)
    );
}

#[test]
fn terms() {
    let sum = |name: &str, count: usize| {
        let names: Vec<String> = (0..count).map(|i| format!("{name}{i}")).collect();
        names.join("+")
    };
    let product = |a, b| format!("({})*({})", sum("a", a), sum("b", b)).parse::<Int>();
    assert_eq!(16 * 16, limits::TERMS);
    assert!(product(16, 16).is_ok());
    assert_eq!(rule(product(16, 17)), Some(Rule::Limit));
}

#[test]
fn numbers_near_two_to_the_sixty_three() {
    let layout = |text: &str| Layout::parse(text, Reading::Plain).unwrap();
    let shape = |text: &str| Shape::parse(text, Reading::Plain).unwrap();
    // 2^63 - 1 = 7 * 1317624576693539401.
    let largest = shape("(7,1317624576693539401)");
    assert_eq!(largest.size().unwrap().value(), Some(i64::MAX));
    assert_eq!(
        rule(shape("(2,4611686018427387904)").size()),
        Some(Rule::Overflow)
    );
    assert_eq!(
        Layout::left(largest).unwrap().cosize().unwrap().value(),
        Some(i64::MAX)
    );
    assert_eq!(
        layout("2:9223372036854775806").cosize().unwrap().value(),
        Some(i64::MAX)
    );
    assert_eq!(
        rule(layout("2:9223372036854775807").cosize()),
        Some(Rule::Overflow)
    );
    assert_eq!(
        layout("2:-9223372036854775806").cosize().unwrap().value(),
        Some(i64::MAX)
    );
    assert_eq!(
        rule(layout("2:-9223372036854775807").cosize()),
        Some(Rule::Overflow)
    );
    let edge = layout("(2,2):(9223372036854775806,1)");
    assert_eq!(edge.eval_number(3).unwrap(), i64::MAX);
    assert_eq!(
        rule(layout("(2,2):(9223372036854775806,2)").eval(3)),
        Some(Rule::Overflow)
    );
    let left = layout("4:3074457345618258602");
    assert_eq!(
        ops::composition(&left, &layout("2:3")).unwrap().to_string(),
        "_2:_9223372036854775806"
    );
    let beyond = layout("4:3074457345618258603");
    assert_eq!(
        rule(ops::composition(&beyond, &layout("2:3"))),
        Some(Rule::Overflow)
    );
    for text in [
        "9223372036854775808",
        "-9223372036854775809",
        "_9223372036854775808",
    ] {
        assert_eq!(rule(text.parse::<Int>()), Some(Rule::Overflow), "{text}");
    }
    for text in ["9223372036854775807", "-9223372036854775808"] {
        assert_eq!(text.parse::<Int>().unwrap().to_string(), text);
    }
    let domain = ops::common_domain(
        shape("(4611686018427387904,2)").view(),
        shape("(2,4611686018427387904)").view(),
    );
    assert_eq!(rule(domain), Some(Rule::Overflow));
}
