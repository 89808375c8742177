//! `eval --stdin` for questions about hardware: named inputs, as rows of test data have them.

use cute_algebra::{Int, Number, Verdict};
use cute_analysis::ask::hardware::{Field, HardwareAnswer, NoAnswer, OPERATIONS, ask};
use cute_hardware::Refusal;
use serde_json::{Map, Value, json};

/// Whether the name is one of a hardware question.
pub(super) fn is_asked(op: &str) -> bool {
    OPERATIONS.contains(&op)
}

/// The answer as a line of output, or why the question is malformed.
pub(super) fn answer(op: &str, row: &Map<String, Value>) -> Result<Value, String> {
    let input = |name: &str| row.get(name).and_then(as_text);
    match ask(op, &input) {
        Ok(answer) => Ok(answer_row(&answer)),
        Err(NoAnswer::Refused(refusal)) => Ok(json!({
            "refused": refusal_row(&refusal),
            "cute": verdict(refusal.cute),
        })),
        Err(NoAnswer::Malformed(message)) => Err(message),
    }
}

/// An input as the text that it would have as an argument; a list is a tuple.
fn as_text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Array(values) => {
            let parts: Option<Vec<String>> = values.iter().map(as_text).collect();
            Some(format!("({})", parts?.join(",")))
        }
        Value::Null | Value::Bool(_) | Value::Object(_) => None,
    }
}

fn answer_row(answer: &HardwareAnswer) -> Value {
    let result: Map<String, Value> = answer
        .fields
        .iter()
        .map(|(name, field)| ((*name).to_owned(), field_value(field)))
        .collect();
    let mut row = Map::new();
    row.insert("result".to_owned(), result.into());
    row.insert("cute".to_owned(), verdict(Verdict::Accepts));
    if let Some(departure) = answer.departure {
        row.insert(
            "witness".to_owned(),
            json!({
                "coordinate": departure.coordinate,
                "expected": departure.expected,
                "got": departure.got,
                "outside_domain": false,
            }),
        );
    }
    let issues: Vec<Value> = answer
        .issues
        .iter()
        .map(|issue| refusal_row(&issue.refusal))
        .chain(answer.not_issuable.iter().map(refusal_row))
        .collect();
    if !issues.is_empty() {
        row.insert("issues".to_owned(), issues.into());
    }
    row.into()
}

fn field_value(field: &Field) -> Value {
    let number = |value: &Int| {
        value
            .value()
            .map_or_else(|| Value::from(value.to_string()), Value::from)
    };
    match field {
        Field::Number(value) => Value::from(*value),
        Field::Text(text) => Value::from(text.clone()),
        Field::List(values) => values.iter().map(number).collect(),
        Field::Truth(truth) => Value::from(*truth),
    }
}

fn refusal_row(refusal: &Refusal) -> Value {
    let number = |number: &Number| match number {
        Number::Known(value) => Value::from(*value),
        Number::Text(text) => Value::from(text.clone()),
    };
    let numbers: Map<String, Value> = refusal
        .numbers
        .iter()
        .map(|(name, value)| ((*name).to_owned(), number(value)))
        .collect();
    json!({
        "rule": refusal.rule.name(),
        "numbers": numbers,
        "legal": refusal.legal,
        "message": refusal.message(),
    })
}

fn verdict(verdict: Verdict) -> Value {
    match verdict.message() {
        Some(message) => json!({ "verdict": verdict.name(), "message": message }),
        None => json!({ "verdict": verdict.name() }),
    }
}
