//! Every golden row, asked by name as the command line asks it.

use crate::golden::{Failures, rows, text};
use cute_algebra::Int;
use cute_analysis::ask::hardware::{Field, HardwareAnswer, NoAnswer, ask};
use serde_json::Value;

fn input(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Array(values) => {
            let parts: Option<Vec<String>> = values.iter().map(input).collect();
            Some(format!("({})", parts?.join(",")))
        }
        _ => None,
    }
}

fn asked(operation: &str, row: &Value) -> Result<HardwareAnswer, NoAnswer> {
    ask(operation, &|name| row.get(name).and_then(input))
}

fn shown(field: &Field) -> String {
    match field {
        Field::Number(value) => value.to_string(),
        Field::Text(text) => text.clone(),
        Field::Truth(truth) => truth.to_string(),
        Field::List(values) => {
            format!(
                "{:?}",
                values
                    .iter()
                    .map(|value| Int::value(value).unwrap())
                    .collect::<Vec<_>>()
            )
        }
    }
}

fn expected(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(values) => {
            format!(
                "{:?}",
                values
                    .iter()
                    .map(|value| value.as_i64().unwrap())
                    .collect::<Vec<_>>()
            )
        }
        other => other.to_string(),
    }
}

/// Compares every field of `theirs` that is one of `names`.
fn check(
    file: &str,
    least: usize,
    operation: impl Fn(&Value) -> Option<String>,
    names: &[&str],
    theirs: &str,
) {
    let mut failures = Failures::default();
    for row in rows(file).filter(|row| row.get("error").is_none()) {
        let Some(operation) = operation(&row) else {
            continue;
        };
        let id = row
            .get("id")
            .or_else(|| row.get("name"))
            .and_then(Value::as_str)
            .unwrap_or("");
        let answer = asked(&operation, &row).unwrap_or_else(|no| panic!("{id}: {no:?}"));
        let source = if theirs.is_empty() {
            &row
        } else {
            &row[theirs]
        };
        for name in names {
            let Some(value) = source.get(*name) else {
                continue;
            };
            let ours = answer
                .fields
                .iter()
                .find(|(key, _)| key == name)
                .map(|(_, field)| shown(field));
            failures.compare(
                &format!("{id} {name}"),
                &expected(value),
                &ours.unwrap_or_default(),
            );
        }
    }
    failures.finish(least);
}

fn named(operation: &'static str, kind: &'static str) -> impl Fn(&Value) -> Option<String> {
    move |row| (text(row, "kind") == kind).then(|| operation.to_owned())
}

#[test]
fn atoms() {
    let mma = [
        "Shape_MNK",
        "ThrID",
        "ALayout",
        "BLayout",
        "CLayout",
        "ELayout",
        "SFALayout",
        "SFBLayout",
    ];
    check("atoms-open.jsonl", 5000, named("mma_atom", "mma"), &mma, "");
    let copy = ["ThrID", "SrcLayout", "DstLayout", "RefLayout"];
    check(
        "atoms-open.jsonl",
        400,
        named("copy_atom", "copy"),
        &copy,
        "",
    );
    let atoms = |row: &Value| {
        text(row, "op")
            .starts_with("atom")
            .then(|| "smem_atom".to_owned())
    };
    check(
        "swizzle_atoms-open.jsonl",
        60,
        atoms,
        &["layout", "position_independent"],
        "",
    );
}

#[test]
fn selectors_and_tma() {
    let own = |row: &Value| Some(text(row, "op").to_owned());
    check(
        "selectors-open.jsonl",
        190,
        own,
        &["layout", "op_type", "Shape_MNK"],
        "",
    );
    let fields = [
        "dtype",
        "rank",
        "globalDim",
        "globalStridesBytes",
        "boxDim",
        "elementStrides",
        "interleave",
        "swizzle",
        "l2promotion",
        "oobFill",
    ];
    let atom = |_: &Value| Some("make_tma_atom".to_owned());
    check("tma-open.jsonl", 200, atom, &fields, "tma");
}

#[test]
fn descriptors() {
    let mut failures = Failures::default();
    for row in rows("gmma_desc-open.jsonl").filter(|row| row.get("error").is_none()) {
        let answer = asked(text(&row, "op"), &row).unwrap_or_else(|no| panic!("{row}: {no:?}"));
        let (_, hex) = &answer.fields[0];
        failures.compare(
            text(&row, "id"),
            text(&row, "desc_hex"),
            &shown(hex).replacen("0x", "x", 1),
        );
    }
    failures.finish(60);
}

/// The fields of a request to a builder; every other field is an answer.
const ASKED: [&str; 23] = [
    "element_aux",
    "layout_aux",
    "id",
    "arch",
    "element_a",
    "element_b",
    "element_c",
    "element_d",
    "element_acc",
    "layout_a",
    "layout_b",
    "layout_c",
    "layout_d",
    "tile_shape",
    "cluster",
    "cluster_epilogue",
    "epilogue_tile_asked",
    "schedule_asked",
    "epilogue_schedule_asked",
    "stages_asked",
    "tile_scheduler",
    "example",
    "source",
];

/// Every field of a compiled builder, or the text with which the compiler refused it.
fn check_collective(row: &Value, failures: &mut Failures) {
    let id = text(row, "id");
    let answer = asked("collective_builder", row);
    let fields = row.as_object().expect("an object");
    if let Some(error) = fields.get("error") {
        let ours = match answer {
            Err(NoAnswer::Refused(refusal)) => match refusal.cute {
                cute_algebra::Verdict::StaticAssert(said) => format!("static_assert: {said}"),
                other => format!("{other:?}"),
            },
            other => format!("{other:?}"),
        };
        failures.compare(&format!("{id} error"), &expected(error), &ours);
        return;
    }
    let answer = match answer {
        Ok(answer) => answer,
        Err(no) => {
            failures.compare(id, "an answer", &format!("{no:?}"));
            return;
        }
    };
    for (name, theirs) in fields {
        // A tree of visitors is the epilogue of the same row without one.
        if ASKED.contains(&name.as_str()) || name == "evt" {
            continue;
        }
        let ours = answer.fields.iter().find(|(key, _)| key == name);
        let theirs = match theirs {
            Value::Null => String::new(),
            theirs => expected(theirs),
        };
        let ours = ours.map(|(_, field)| shown(field)).unwrap_or_default();
        failures.compare(&format!("{id} {name}"), &theirs, &ours);
    }
}

#[test]
fn collective_builders() {
    let mut failures = Failures::default();
    for mut row in rows("collectives-open.jsonl") {
        // The row does not say that this example's fusion writes a second matrix (70_blackwell_fp8_gemm.cu, `FusionOp`).
        if text(&row, "id") == "ex70.fp8" {
            row["element_aux"] = "e4m3".into();
            row["layout_aux"] = "col".into();
        }
        check_collective(&row, &mut failures);
    }
    failures.finish(2000);
}

#[test]
fn collective_builders_of_many_types_tiles_and_schedules() {
    let mut failures = Failures::default();
    for row in rows("collectives-more.jsonl") {
        check_collective(&row, &mut failures);
    }
    failures.finish(4000);
}
