//! The same random questions to us, to pycute and to tensor-layouts.
//!
//! The definition decides: where a library's answer satisfies it, ours is the same function, or CuTe's compiler refuses the
//! operands. Where a library's answer does not satisfy it, the library is wrong there and does not count; how often is
//! printed. The libraries are fetched by `cargo xtask fetch` into `target/oracles`.

use cute_algebra::{AnyLayout, Layout, Parse, Reading, Verdict};
use cute_analysis::ask::{Value, ask};

use crate::notation::{at, layout, offsets, size};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use serde_json::Value as Json;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// Questions of each operation.
const QUESTIONS: usize = 150;

struct Question {
    op: &'static str,
    args: Vec<String>,
}

/// Layouts as people write them: extents of at most 8, compact or padded strides in any order, some broadcast.
fn natural_layout() -> impl Strategy<Value = String> {
    let mode = (1_i64..=8, 0_u8..10, any::<u16>());
    proptest::collection::vec(mode, 1..=4).prop_map(|modes| {
        let mut order: Vec<usize> = (0..modes.len()).collect();
        order.sort_by_key(|&i| modes[i].2);
        let mut strides = vec![0; modes.len()];
        let mut next = 1;
        for i in order {
            let (extent, kind, _) = modes[i];
            if kind == 0 {
                continue;
            }
            next *= if kind == 1 { 2 } else { 1 };
            strides[i] = next;
            next *= extent;
        }
        written(&modes.iter().map(|m| m.0).collect::<Vec<_>>(), &strides)
    })
}

fn written(extents: &[i64], strides: &[i64]) -> String {
    let list = |numbers: &[i64]| {
        numbers
            .iter()
            .map(ToString::to_string)
            .collect::<Vec<_>>()
            .join(",")
    };
    match (extents, strides) {
        ([extent], [stride]) => format!("{extent}:{stride}"),
        _ => format!("({}):({})", list(extents), list(strides)),
    }
}

/// A right operand: one or two modes with small extents and strides.
fn small_layout() -> impl Strategy<Value = String> {
    proptest::collection::vec(
        (
            1_i64..=8,
            prop::sample::select(vec![0_i64, 1, 2, 3, 4, 6, 8, 12, 16]),
        ),
        1..=2,
    )
    .prop_map(|modes| {
        let (extents, strides): (Vec<i64>, Vec<i64>) = modes.into_iter().unzip();
        written(&extents, &strides)
    })
}

fn questions() -> Vec<Question> {
    let mut runner = TestRunner::deterministic();
    let mut draw = |strategy: &BoxedStrategy<String>| {
        strategy
            .new_tree(&mut runner)
            .map(|tree| tree.current())
            .expect("a value")
    };
    let (left, right) = (natural_layout().boxed(), small_layout().boxed());
    let target = (1_i64..600).prop_map(|target| target.to_string()).boxed();
    let operands: [(&str, &[&BoxedStrategy<String>]); 8] = [
        ("composition", &[&left, &right]),
        ("coalesce", &[&left]),
        ("complement", &[&left, &target]),
        ("right_inverse", &[&left]),
        ("left_inverse", &[&left]),
        ("logical_divide", &[&left, &right]),
        ("logical_product", &[&left, &right]),
        ("zipped_divide", &[&left, &right]),
    ];
    operands
        .iter()
        .flat_map(|(op, strategies)| {
            let asked = |_| Question {
                op,
                args: strategies.iter().map(|strategy| draw(strategy)).collect(),
            };
            (0..QUESTIONS).map(asked).collect::<Vec<_>>()
        })
        .collect()
}

/// Whether a result satisfies the definition of its operation, decided coordinate by coordinate.
fn satisfies(op: &str, args: &[Layout], target: i64, result: &Layout) -> bool {
    let a = &args[0];
    let composes = |b: &Layout, r: &Layout| {
        size(r) == size(b) && (0..size(b)).all(|c| at(r, c) == at(a, at(b, c)))
    };
    match op {
        "coalesce" => offsets(result) == offsets(a),
        "composition" => composes(&args[1], result),
        "complement" => completes(a, target, result),
        "right_inverse" => (0..size(result)).all(|k| at(a, at(result, k)) == k),
        "left_inverse" => (0..size(a)).all(|k| at(a, at(result, at(a, k))) == at(a, k)),
        "logical_divide" | "zipped_divide" => {
            let tile = &args[1];
            let beginning = result.mode(0).expect("a divide has a mode 0");
            let image: BTreeSet<i64> = offsets(result).into_iter().collect();
            composes(tile, &beginning) && offsets(a).iter().all(|offset| image.contains(offset))
        }
        _ => {
            let (Ok(block), Ok(copies)) = (result.mode(0), result.mode(1)) else {
                return false;
            };
            let distinct: BTreeSet<i64> = offsets(a).into_iter().collect();
            let places: BTreeSet<i64> = offsets(&args[1]).into_iter().collect();
            let all: BTreeSet<i64> = offsets(result).into_iter().collect();
            offsets(&block) == offsets(a)
                && size(&copies) == size(&args[1])
                && all.len() == distinct.len() * places.len()
        }
    }
}

/// Conditions 28 and 29 of the paper, and that the complement reaches to the target.
fn completes(a: &Layout, target: i64, rest: &Layout) -> bool {
    let image: BTreeSet<i64> = offsets(a).into_iter().collect();
    let rest = offsets(rest);
    let increases = rest.windows(2).all(|pair| pair[0] < pair[1]);
    let disjoint = rest.iter().skip(1).all(|offset| !image.contains(offset));
    increases
        && disjoint
        && i64::try_from(image.len() * rest.len()).is_ok_and(|reached| reached >= target)
}

/// The function of a result: its size and offsets; for an inverse only what the definition fixes.
fn is_same_function(op: &str, ours: &Layout, theirs: &Layout) -> bool {
    match op {
        // The largest right inverse is wanted, and a left inverse may send a number that is not an offset anywhere.
        "right_inverse" => size(ours) >= size(theirs),
        "left_inverse" => true,
        _ => offsets(ours) == offsets(theirs),
    }
}

/// The Python path under which both libraries are imported.
fn python_path() -> OsString {
    let oracles = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../target/oracles");
    let folders = [oracles.clone(), oracles.join("tensor-layouts")];
    assert!(
        folders[0].join("pycute").is_dir() && folders[1].join("tensor_layouts").is_dir(),
        "pycute and tensor-layouts are not in target/oracles: run `cargo xtask fetch`"
    );
    std::env::join_paths(folders).expect("no folder has a separator in its name")
}

fn answers(questions: &[Question]) -> Vec<Json> {
    let mut python = Command::new("python3")
        .arg(PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/asked/peers.py"))
        .env("PYTHONPATH", python_path())
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("python3 is installed");
    let mut input = python.stdin.take().expect("its input is piped");
    let lines: Vec<String> = questions
        .iter()
        .map(|q| serde_json::json!({ "op": q.op, "args": q.args }).to_string())
        .collect();
    let writer =
        std::thread::spawn(move || lines.iter().try_for_each(|line| writeln!(input, "{line}")));
    let output = python.wait_with_output().expect("it ends");
    writer
        .join()
        .expect("it does not panic")
        .expect("it reads to the end");
    let text = String::from_utf8(output.stdout).expect("it prints UTF-8");
    text.lines()
        .map(|line| serde_json::from_str(line).expect(line))
        .collect()
}

#[test]
fn where_another_library_is_right_we_answer_the_same() {
    let questions = questions();
    let answers = answers(&questions);
    assert_eq!(answers.len(), questions.len());
    let mut tally: BTreeMap<(&str, &str, &str), usize> = BTreeMap::new();
    for (question, answer) in questions.iter().zip(&answers) {
        let args: Vec<&str> = question.args.iter().map(String::as_str).collect();
        let ours = ask(question.op, &args, Reading::Plain);
        let target = args.last().and_then(|text| text.parse().ok()).unwrap_or(0);
        let operands: Vec<Layout> = args
            .iter()
            .filter(|text| text.contains(':'))
            .map(|text| layout(text))
            .collect();
        for library in ["pycute", "tensor-layouts"] {
            let Some(text) = answer[library]["layout"].as_str() else {
                *tally
                    .entry((question.op, library, "refused there"))
                    .or_default() += 1;
                continue;
            };
            let outcome = match Layout::parse(text, Reading::Plain) {
                Ok(theirs) if satisfies(question.op, &operands, target, &theirs) => {
                    match &ours.result {
                        Ok(Value::Layout(AnyLayout::Affine(result))) => {
                            let same = satisfies(question.op, &operands, target, result)
                                && is_same_function(question.op, result, &theirs);
                            assert!(
                                same,
                                "{} {args:?}: {library} has {text}, we have {result}",
                                question.op
                            );
                            "the same"
                        }
                        Ok(other) => panic!("{} {args:?} is {other}", question.op),
                        Err(refusal) => {
                            let asserted = matches!(refusal.cute, Verdict::StaticAssert(_));
                            assert!(
                                asserted,
                                "{} {args:?}: {library} has {text}; {refusal}",
                                question.op
                            );
                            "right, where CuTe's compiler refuses"
                        }
                    }
                }
                _ => "wrong there",
            };
            *tally.entry((question.op, library, outcome)).or_default() += 1;
        }
    }
    for ((op, library, outcome), count) in &tally {
        println!("{op}, {library}: {count} {outcome}");
    }
    for op in [
        "composition",
        "coalesce",
        "complement",
        "right_inverse",
        "left_inverse",
        "logical_divide",
        "logical_product",
    ] {
        let same = tally.get(&(op, "pycute", "the same")).copied().unwrap_or(0);
        assert!(
            same > QUESTIONS / 10,
            "{op}: only {same} questions say anything"
        );
    }
}
