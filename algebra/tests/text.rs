//! Every printed form parses back to the same value; malformed and oversized texts are refused.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use cute_algebra::{
    AnyLayout, Coord, Int, IntTuple, Layout, Parse, Reading, Rule, Shape, Swizzle, Tiler, limits,
};

#[test]
fn prints_parse_back() {
    for text in [
        "((_2,_2),_4):((_1,_8),_2)",
        "_8:_1",
        "8:_-1",
        "(_4):(_1)",
        "():()",
        "(4,_8):(_1@0,_1@1)",
        "(_2,(_3,_4)):(1@0,(2@0@1,_1@1@1))",
        "(_4,_4):(f1,f5)",
        "_2:1/2@0",
        "(M,(N+127)/128):(_1,M)",
        "(min(M,128),4*lda):(2*M*((N+7)/8),_1)",
        "(_2,((M+1)/2)):(_1,(_2))",
    ] {
        let layout: Layout = text.parse().unwrap();
        assert_eq!(layout.to_string(), text);
    }
    for text in [
        "Sw<3,4,3> o _0 o (_8,_64):(_64,_1)",
        "Sw<2,1,-2> o M_0|(32&32)=32 o (_32):(_1)",
        "(_4,_4):(_1,_4) o (_0,_1) o _4:_1",
    ] {
        let layout: AnyLayout = text.parse().unwrap();
        assert_eq!(layout.to_string(), text);
    }
    for text in [
        "(_3:_3,(_2,_4):(_1,_8))",
        "(_3,_)",
        "_",
        "((_2,_2):(_1,_2),_4)",
        "(_2)",
        "_4:_2",
    ] {
        let tiler: Tiler = text.parse().unwrap();
        assert_eq!(tiler.to_string(), text);
    }
    let coord: Coord = "(3,(_,_2))".parse().unwrap();
    assert_eq!(coord.to_string(), "(3,(_,_2))");
}

#[test]
fn white_space_is_free_and_plain_reading_is_static() {
    let layout = Layout::parse(" ( 2 , ( 3,4 ) ) : ( 1 ,( 2 , 6 ) ) ", Reading::Plain).unwrap();
    assert_eq!(layout.to_string(), "(_2,(_3,_4)):(_1,(_2,_6))");
    assert_eq!(format!("{layout:#}"), "(2,(3,4)):(1,(2,6))");
}

#[test]
fn malformed_texts_are_refused() {
    for text in [
        "",
        "(",
        "(2",
        "2)",
        "(2,3",
        "2:",
        ":1",
        "(2,3):(1)",
        "2:1 x",
        "(_):(_)",
        "2:@0",
        "((2)",
        "a:b:c",
        "(,)",
    ] {
        assert!(text.parse::<Layout>().is_err(), "{text}");
    }
    assert_eq!(
        "(2,3):(1)".parse::<Layout>().unwrap_err().rule,
        Rule::NotCongruent
    );
    assert_eq!(
        "99999999999999999999".parse::<Int>().unwrap_err().rule,
        Rule::Overflow
    );
    assert_eq!(
        "Sw<3,4,2>".parse::<Swizzle>().unwrap_err().rule,
        Rule::SwizzleIllegal
    );
}

#[test]
fn limits_hold_at_the_limit_and_not_beyond() {
    let nested = |depth: usize| format!("{}1{}", "(".repeat(depth), ")".repeat(depth));
    assert_eq!(
        nested(limits::DEPTH).parse::<Shape>().unwrap().depth(),
        limits::DEPTH
    );
    assert_eq!(
        nested(limits::DEPTH + 1).parse::<Shape>().unwrap_err().rule,
        Rule::Limit
    );
    assert_eq!(
        nested(1_000_000).parse::<Shape>().unwrap_err().rule,
        Rule::Limit
    );
    assert_eq!(
        nested(1_000_000).parse::<Tiler>().unwrap_err().rule,
        Rule::Limit
    );
    assert!(format!("{}M", "-".repeat(100_000)).parse::<Int>().is_err());

    let wide = |rank: usize| format!("({})", vec!["1"; rank].join(","));
    assert_eq!(
        wide(limits::RANK).parse::<IntTuple>().unwrap().rank(),
        limits::RANK
    );
    assert_eq!(
        wide(limits::RANK + 1).parse::<IntTuple>().unwrap_err().rule,
        Rule::Limit
    );
}
