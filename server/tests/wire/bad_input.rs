//! Documents that are not sources.

use cute_tests::protocol::{Change, Position};
use serde_json::json;

use crate::{command, server, text_of};

#[test]
fn a_document_beyond_the_limit_is_told_and_served_again_when_it_shrinks() {
    let uri = "file:///large.cu";
    let mut client = server().start();
    client.open(uri, &"x".repeat(10_000_001));
    assert_eq!(client.await_log("are not analysed").level, 2);
    let id = command(&mut client, "text", &json!(uri));
    assert_eq!(
        client.await_answer(id).expect("the copy")["served"],
        json!(false)
    );
    client.change(
        uri,
        2,
        &[Change {
            range: None,
            text: "small".to_owned(),
        }],
    );
    assert_eq!(text_of(&mut client, uri), "small");
}

/// Asks for everything; that answers come is the test, and that the server lives afterwards.
fn ask_everything(text: &str) {
    let uri = "file:///bad.cu";
    let mut client = server().start();
    client.open(uri, text);
    let _ = client.hints(uri, None);
    for offset in [0, text.len() / 2, text.len()] {
        let boundary = (0..=offset)
            .rev()
            .find(|at| text.is_char_boundary(*at))
            .unwrap_or(0);
        let _ = client.hover(uri, Position::of_offset(text, boundary));
    }
    let _ = client.await_diagnostics(uri, 1);
    assert_eq!(text_of(&mut client, uri), text);
}

#[test]
fn random_bytes_are_answered() {
    let mut state = 0x2545_F491_4F6C_DD1D_u64;
    let bytes: Vec<u8> = (0..200_000)
        .map(|_| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state as u8
        })
        .collect();
    // What an editor makes of bytes that are not UTF-8.
    ask_everything(&String::from_utf8_lossy(&bytes));
}

#[test]
fn half_typed_and_deeply_nested_sources_are_answered() {
    let whole = include_str!("edited.cu");
    for end in (0..whole.len())
        .step_by(61)
        .filter(|end| whole.is_char_boundary(*end))
    {
        ask_everything(&whole[..end]);
    }
    for (open, close) in [
        ("(", ")"),
        ("Shape<", ">"),
        ("{", "}"),
        ("make_shape(", ")"),
        ("a = b ? ", ": 1"),
        ("!", ""),
    ] {
        for depth in [100, 300, 20_000] {
            ask_everything(&format!(
                "auto x = {}1{};\n",
                open.repeat(depth),
                close.repeat(depth)
            ));
        }
    }
}

#[test]
fn definitions_that_go_in_circles_are_answered() {
    ask_everything(
        "using namespace cute;\n\
         #define _1 _2\n#define A B\n#define B A\n\
         template <int N> struct Endless { using Type = typename Endless<N + 1>::Type; };\n\
         template <class T> struct Wider { using Type = typename Wider<Wider<T>>::Type; };\n\
         using First = Second;\nusing Second = First;\n\
         template <int N> auto deeper() { return make_layout(deeper<N + 1>()); }\n\
         auto around() { return around(); }\n\
         void f() {\n\
           auto a = make_layout(A{});\n  typename Endless<0>::Type b;\n  Wider<int>::Type c;\n\
           auto d = deeper<0>();\n  auto e = around();\n  First g;\n  auto h = make_layout(_1{});\n}\n",
    );
}
