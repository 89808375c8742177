//! `eval`: one expression, and streams of questions.

use serde_json::{Value, json};

use crate::ask::{ask, ask_with};

fn value(expression: &str) -> String {
    ask(&["eval", expression]).ends_with(0).stdout
}

#[test]
fn a_layout_is_its_own_value() {
    assert_eq!(value("((2,2),4):((1,8),2)"), "((2,2),4):((1,8),2)\n");
}

#[test]
fn operations_are_evaluated_in_every_spelling() {
    assert_eq!(
        value("logical_divide((8,8):(1,8), <4,2>)"),
        "((4,2),(2,4)):((1,4),(8,16))\n"
    );
    assert_eq!(
        value("make_layout(make_shape(Int<128>{}, Int<8>{}), LayoutRight{})"),
        "(128,8):(8,1)\n"
    );
    assert_eq!(
        ask(&[
            "eval",
            "--ints",
            "cute",
            "make_layout(make_shape(Int<128>{}, Int<8>{}))"
        ])
        .ends_with(0)
        .stdout,
        "(_128,_8):(_1,_128)\n"
    );
}

#[test]
fn scaled_bases_add_to_coordinates() {
    let cute = |expression| {
        ask(&["eval", "--ints", "cute", expression])
            .ends_with(0)
            .stdout
    };
    assert_eq!(cute("Int<3>{}*E<1>{}"), "_3@1\n");
    assert_eq!(cute("E<0>{}*Int<2>{}+E<1>{}*Int<3>{}"), "(_2,_3)\n");
    assert_eq!(cute("make_arithmetic_tuple(Int<1>{},2)+E<1>{}"), "(_1,3)\n");
}

#[test]
fn a_shape_in_the_place_of_a_layout_is_its_compact_layout() {
    let divided = "((4,3),(5,2)):((1,4),(10,50))";
    let answer = ask(&["eval", "logical_divide((10,8), <4,5>)"]);
    assert_eq!(answer.stdout, format!("{divided}\n"));
    assert!(answer.stderr.contains("over-covers"), "{}", answer.stderr);
    assert_eq!(value("size((4,8))"), "32\n");
    let question = json!({"op": "logical_divide", "args": ["(10,8)", "(4,5)"]});
    let answers = ask_with(&["eval", "--stdin"], format!("{question}\n").as_bytes());
    let answer: Value = serde_json::from_str(&answers.stdout).unwrap();
    assert_eq!(answer["result"], divided);
}

#[test]
fn the_origin_of_coordinates_is_0() {
    assert_eq!(value("composition((4,2):(1@0,0), 2:4)"), "2:0\n");
}

#[test]
fn a_wrong_composition_shows_its_value_and_the_coordinate() {
    let answer = ask(&["eval", "composition((6,2):(1,7), (3,2):(2,3))"]).ends_with(1);
    assert_eq!(answer.stdout, "(3,2):(2,3)\n");
    assert!(
        answer
            .stderr
            .contains("at coordinate 5 the result is 7, A(B(5)) is 8"),
        "{}",
        answer.stderr
    );
}

#[test]
fn a_refusal_names_rule_and_numbers() {
    let answer = ask(&["eval", "composition((4,3):(3,1), 3:6)"]).ends_with(1);
    assert_eq!(answer.stdout, "");
    assert!(
        answer.stderr.contains("stride-divisibility"),
        "{}",
        answer.stderr
    );
}

#[test]
fn an_expression_that_cannot_be_read_is_shown_with_the_place() {
    let answer = ask(&["eval", "composition((4,3):(3,1)"]).ends_with(2);
    assert!(answer.stderr.contains('^'), "{}", answer.stderr);
}

#[test]
fn assumptions_bind_names() {
    let assumed = ask(&["eval", "size((M,4):(1,M))", "--assume", "M=512"]).ends_with(0);
    assert_eq!(assumed.stdout, "2048\n");
}

/// The answers to these lines.
fn stream(lines: &[&str]) -> Vec<Value> {
    let answer = ask_with(&["eval", "--stdin"], lines.join("\n").as_bytes()).ends_with(0);
    answer
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn a_stream_answers_each_line_with_one_line() {
    let answers = stream(&[
        r#"{"op":"composition","args":["(6,2):(1,7)","(3,2):(2,3)"]}"#,
        r#"{"op":"coalesce","args":["(2,(1,6)):(1,(6,2))"]}"#,
        r#"{"op":"composition","args":["(4,3):(3,1)","3:6"]}"#,
        r#"{"op":"layout","args":["((2, 2),4) : ((1,8),2)"]}"#,
    ]);
    assert_eq!(answers.len(), 4);
    assert_eq!(
        answers[0],
        json!({
            "result": "(3,2):(2,3)",
            "cute": {"verdict": "accepts"},
            "witness": {"coordinate": 5, "expected": 8, "got": 7, "outside_domain": false},
        })
    );
    assert_eq!(
        answers[1],
        json!({"result": "12:1", "cute": {"verdict": "accepts"}})
    );
    let refused = &answers[2]["refused"];
    assert_eq!(refused["rule"], "stride-divisibility");
    assert!(
        refused["numbers"]
            .as_object()
            .is_some_and(|numbers| !numbers.is_empty())
    );
    assert!(refused["legal"].is_array() && refused["message"].is_string());
    assert_eq!(
        answers[2]["cute"],
        json!({"verdict": "static_assert", "message": "Stride Divisibility Condition"})
    );
    assert_eq!(answers[3]["result"], "((2,2),4):((1,8),2)");
}

#[test]
fn integers_are_read_as_cute_prints_them_on_demand() {
    let answers = stream(&[
        r#"{"op":"composition","args":["(_4,_3):(_3,_1)","3:6"],"ints":"cute"}"#,
        r#"{"op":"layout","args":["(_4,3):(_1,_4)"],"ints":"cute"}"#,
    ]);
    assert_eq!(answers[1]["result"], "(_4,3):(_1,_4)");
    assert!(answers[0].get("cute").is_some(), "{}", answers[0]);
}

#[test]
fn a_stream_takes_assumptions() {
    let answers = stream(&[r#"{"op":"size","args":["(M,4):(1,M)"],"assume":["M=512"]}"#]);
    assert_eq!(answers[0]["result"], "2048");
}

#[test]
fn a_malformed_line_is_an_error_and_does_not_stop_the_stream() {
    let mut input = Vec::new();
    let malformed: [&[u8]; 12] = [
        b"",
        b"not json",
        b"[]",
        b"{}",
        b"{\"op\":5}",
        b"{\"op\":\"composition\"}",
        b"{\"op\":\"composition\",\"args\":[\"(4\",\"4:1\"]}",
        b"{\"op\":\"composition\",\"args\":[\"4:1\"]}",
        b"{\"op\":\"no_such_operation\",\"args\":[]}",
        b"{\"op\":\"layout\",\"args\":[\"4:1\"],\"assume\":[\"M is large\"]}",
        b"{\"op\":\"layout\",\"args\":[\"4:1\"],\"ints\":\"roman\"}",
        b"{\"op\":\"layout\",\"args\":[\"\xff\xfe\"]}",
    ];
    for line in malformed {
        input.extend_from_slice(line);
        input.push(b'\n');
    }
    input.extend_from_slice(b"{\"op\":\"layout\",\"args\":[\"4:1\"]}");
    let answer = ask_with(&["eval", "--stdin"], &input).ends_with(0);
    let answers: Vec<Value> = answer
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(answers.len(), malformed.len() + 1);
    for (line, answer) in malformed.iter().zip(&answers) {
        let shown = String::from_utf8_lossy(line);
        assert!(answer["error"].is_string(), "`{shown}`: {answer}");
        assert_eq!(answer.as_object().unwrap().len(), 1, "`{shown}`: {answer}");
    }
    assert_eq!(answers.last().unwrap()["result"], "4:1");
}

#[test]
fn hardware_questions_have_named_inputs() {
    let answers = stream(&[
        r#"{"op":"mma_atom","name":"SM80_16x8x16_F32F16F16F32_TN"}"#,
        r#"{"op":"make_gmma_desc","major":"K","T":"half_t","tensor":"Sw<1,4,3>_smem_ptr[16b](PTR) o (_128,_16):(_16,_1)"}"#,
        r#"{"op":"make_tma_atom","copy_op":"SM90_TMA_LOAD","T":"half_t","gmem":"(512,500):(500,_1)","smem":"(_128,_64):(_64,_1)","cta_tile":"(_128,_64)","cluster":"_1"}"#,
        r#"{"op":"make_umma_desc","major":"K","T":"half_t","tensor":"smem_ptr[16b](PTR) o (_64,_16):(_1,_64)"}"#,
        r#"{"op":"smem_atom"}"#,
    ]);
    assert_eq!(answers[0]["result"]["Shape_MNK"], "(_16,_8,_16)");
    assert_eq!(answers[1]["result"]["desc_hex"], "0xc000001000010000");
    assert_eq!(answers[2]["refused"]["rule"], "tma-stride-alignment");
    assert_eq!(answers[2]["refused"]["numbers"]["stride_bytes"], 1000);
    assert_eq!(answers[3]["witness"]["coordinate"], 1);
    assert_eq!(answers[4]["error"], "`name` is missing");
}

#[test]
fn a_derivation_is_shown_step_by_step() {
    let answer = ask(&["explain", "composition((4,6,8,10):(2,3,5,7), 6:12)"]).ends_with(0);
    insta::assert_snapshot!(answer.stdout, @r"
    (4,6,8,10):(2,3,5,7) o 6:12 = (2,3):(9,5)
      truncate (paper 3.3.2): the last coordinate, (6-1)*12 = 60, is below 4*6*8 = 192
        = (4,6,8):(2,3,5) o 6:12
      conditions (paper 3.3.2): (20) 12 divides or is a multiple of each of 1, 4, 24; (21) each of 1, 1, 2 divides 6
      divide out (paper 3.3.3): every 12th element
        12 passes all of 4:2: 12/4 = 3 remains
        every 3rd element of 6:3: 2:9
        = (1,2,8):(X,9,5) o 6:1
      keep (paper 3.3.3): the first 6 elements
        take 2:9: a factor of 3 remains
        take 3:5: nothing remains
        = (2,3):(9,5)
    ");
    assert!(
        ask(&["explain", "(4,8):(8,1)"])
            .ends_with(1)
            .stderr
            .contains("complement")
    );
    ask(&["explain", "composition("]).ends_with(2);
}

#[test]
fn layouts_of_triton_are_those_of_cute_and_back() {
    let swizzled =
        "#ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}> on 64x64";
    assert_eq!(value(swizzled), "Sw<3,3,3> o 0 o (64,64):(64,1)\n");
    let bases = |arguments: &[&str]| {
        let all: Vec<&str> = ["eval", "--as", "linear"]
            .iter()
            .chain(arguments)
            .copied()
            .collect();
        ask(&all).ends_with(0).stdout
    };
    assert_eq!(
        bases(&["Sw<3,3,3> o 0 o (64,64):(64,1)"]),
        bases(&[swizzled])
    );
    assert_eq!(
        bases(&["((4,8),2):((16,1),8)", "--tile", "(8,8)"]),
        "#ttg.linear<{register = [[0, 1]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [], \
         block = []}> on 8x8\n"
    );
    let said = ask(&["eval", "--as", "linear", "(32,32):(33,1)"]).ends_with(1);
    assert!(
        said.stderr.contains("coordinates 1 and 32 carries"),
        "{}",
        said.stderr
    );
}

#[test]
fn a_layout_of_triton_without_integer_strides_says_so() {
    let text = "#ttg.shared_linear<{offset = [[0, 1], [1, 2], [1, 1], [2, 3]]}, alignment = 16>";
    let said = ask(&["eval", text]).ends_with(0);
    assert!(said.stdout.contains(":((f"), "{}", said.stdout);
    assert!(said.stderr.contains("share a bit"), "{}", said.stderr);
}

#[test]
fn a_stream_answers_layouts_of_triton_in_either_form() {
    let rows = [
        json!({"op": "eval", "expr": "#ttg.padded_shared<[32:+4] {order = [1, 0], shape = [16, 32]}>"}),
        json!({"op": "eval", "expr": "(2,4):(4,1)", "as": "linear"}),
        json!({"op": "eval", "expr": "#ttg.blocked<{order = [0]}> on 4"}),
    ];
    let lines: Vec<String> = rows.iter().map(ToString::to_string).collect();
    let said = ask_with(&["eval", "--stdin"], (lines.join("\n") + "\n").as_bytes())
        .ends_with(0)
        .stdout;
    let said: Vec<Value> = said
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(said[0]["result"], "(16,32):(36,1)");
    assert_eq!(
        said[1]["result"],
        "#ttg.shared_linear<{offset = [[0, 1], [0, 2], [1, 0]], block = []}, alignment = 16> on 2x4"
    );
    assert_eq!(
        said[2]["refused"]["numbers"]["field_that_is_missing"],
        "sizePerThread"
    );
}
